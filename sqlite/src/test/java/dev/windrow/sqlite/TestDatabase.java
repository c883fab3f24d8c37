package dev.windrow.sqlite;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.sqlite.SQLiteConfig;

/** Another connection to the file of a store: an application's, or an operator's. */
public final class TestDatabase implements AutoCloseable {
    private final Connection connection;

    private TestDatabase(Connection connection) {
        this.connection = connection;
    }

    /** Opens a connection as an application should do it: foreign keys on, and a busy timeout of ten seconds. */
    public static Connection connect(Path file) throws SQLException {
        SQLiteConfig config = new SQLiteConfig();
        config.enforceForeignKeys(true);
        config.setBusyTimeout(10_000);
        return config.createConnection("jdbc:sqlite:" + file);
    }

    public static TestDatabase open(Path file) throws SQLException {
        return new TestDatabase(connect(file));
    }

    public Connection connection() {
        return connection;
    }

    public void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Returns the rows, columns joined by a bar, as the command line tool shows them. */
    public List<String> rows(String sql) throws SQLException {
        List<String> rows = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            int columns = result.getMetaData().getColumnCount();
            while (result.next()) {
                List<String> row = new ArrayList<>();
                for (int i = 1; i <= columns; i++) {
                    row.add(String.valueOf(result.getString(i)));
                }
                rows.add(String.join("|", row));
            }
        }
        return rows;
    }

    public String one(String sql) throws SQLException {
        List<String> rows = rows(sql);
        if (rows.size() != 1) {
            throw new AssertionError(sql + " gave " + rows);
        }
        return rows.get(0);
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
