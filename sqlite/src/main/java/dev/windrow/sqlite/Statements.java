package dev.windrow.sqlite;

import dev.windrow.store.SafeLogger;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.IdentityHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The prepared statements of one connection, each made once. Keyed by the constants of {@link Sql}, so identity is
 * enough. Not safe for use by more than one thread at a time, like the connection.
 */
final class Statements implements AutoCloseable {
    private static final Logger log = SafeLogger.of(Statements.class);

    private final Connection connection;
    private final IdentityHashMap<String, PreparedStatement> prepared = new IdentityHashMap<>();

    Statements(Connection connection) {
        this.connection = connection;
    }

    PreparedStatement get(String sql) throws SQLException {
        PreparedStatement statement = prepared.get(sql);
        if (statement == null) {
            statement = connection.prepareStatement(sql);
            prepared.put(sql, statement);
        }
        return statement;
    }

    void run(String sql) throws SQLException {
        try {
            get(sql).execute();
        } catch (SQLException e) {
            // The driver has closed it on some errors, and would refuse it for ever.
            closeQuietly(prepared.remove(sql));
            throw e;
        }
    }

    /**
     * Makes all of them anew, from the next use on. After a failure a batch may be left half filled; and on errors of the
     * disk the driver has closed the statement that met one, which then fails whatever it is asked.
     */
    void forget() {
        prepared.values().forEach(Statements::closeQuietly);
        prepared.clear();
    }

    private static void closeQuietly(@Nullable PreparedStatement statement) {
        try {
            if (statement != null) {
                statement.close();
            }
        } catch (SQLException e) {
            // Repeats what went wrong when it ran.
            log.trace("Closing a statement that has failed: {}", e.getMessage());
        }
    }

    static void setLong(PreparedStatement statement, int index, @Nullable Long value) throws SQLException {
        if (value == null) {
            statement.setNull(index, java.sql.Types.INTEGER);
        } else {
            statement.setLong(index, value);
        }
    }

    @Override
    public void close() throws SQLException {
        for (PreparedStatement statement : prepared.values()) {
            statement.close();
        }
        prepared.clear();
    }
}
