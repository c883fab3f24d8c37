package dev.windrow.peers;

import com.zaxxer.hikari.HikariDataSource;
import dev.windrow.Store;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** A kind of database with its settings, in which queues store their jobs. */
interface Place {
    /** Returns its setup, in a few words. */
    String setup();

    Durability durability();

    /**
     * Returns a database that does not exist yet.
     *
     * @param folder an empty folder, for databases in files
     */
    Ground fresh(Path folder) throws SQLException;

    /** The event that a commit has survived when the call returns. */
    enum Durability {
        /** Power loss. */
        FULL,
        /** The end of the process; the last commits may be lost after power loss. */
        NORMAL
    }

    /** One database. Its content is removed when it is closed, or with its folder. */
    interface Ground extends AutoCloseable {
        /** Returns a new pool of ten connections, as the documentation of these queues recommends. */
        HikariDataSource pool();

        /** Returns Windrow's store. */
        Store store();

        @Override
        void close() throws SQLException;
    }

    /** Returns the one number that a statement selects. */
    static long count(DataSource source, String sql) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getLong(1);
        }
    }
}
