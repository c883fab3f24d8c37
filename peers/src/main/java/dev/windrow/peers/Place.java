package dev.windrow.peers;

import com.zaxxer.hikari.HikariDataSource;
import dev.windrow.Store;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** A kind of database with its settings, where queues keep their jobs. */
interface Place {
    /** How it was set up, in a few words. */
    String setup();

    Durability durability();

    /**
     * A database that is not there yet.
     *
     * @param folder an empty one, for what is kept in files
     */
    Ground fresh(Path folder) throws SQLException;

    /** What a commit has survived when the call returns. */
    enum Durability {
        /** Power loss. */
        FULL,
        /** The end of the process; the last commits may be gone after power loss. */
        NORMAL
    }

    /** One database. What it holds is removed when it is closed, or with its folder. */
    interface Ground extends AutoCloseable {
        /** A new pool of ten connections, as the documentation of these queues has it. */
        HikariDataSource pool();

        /** Windrow's store. */
        Store store();

        @Override
        void close() throws SQLException;
    }

    /** The one number that a statement answers. */
    static long count(DataSource source, String sql) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getLong(1);
        }
    }
}
