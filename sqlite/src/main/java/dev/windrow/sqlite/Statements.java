package dev.windrow.sqlite;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.IdentityHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The prepared statements of one connection, each made once. Keyed by the constants of {@link Sql}, so identity is
 * enough. Not safe for use by more than one thread at a time, like the connection.
 */
final class Statements implements AutoCloseable {
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
        get(sql).execute();
    }

    /** After a failure a batch may be left half filled. */
    void clearBatches() throws SQLException {
        for (PreparedStatement statement : prepared.values()) {
            statement.clearBatch();
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
