package dev.windrow.sqlite.connection;

import dev.windrow.store.sql.connection.Columns;
import dev.windrow.store.sql.connection.JsonText;
import dev.windrow.store.sql.connection.Query;
import dev.windrow.store.sql.connection.Rows;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A statement of SQLite. Arrays are bound as JSON. */
final class SqliteQuery implements Query {
    private final PreparedStatement statement;

    SqliteQuery(PreparedStatement statement) {
        this.statement = statement;
    }

    @Override
    public Query set(int parameter, long value) throws SQLException {
        statement.setLong(parameter, value);
        return this;
    }

    @Override
    public Query set(int parameter, @Nullable Long value) throws SQLException {
        return value == null ? setNull(parameter) : set(parameter, value.longValue());
    }

    @Override
    public Query set(int parameter, @Nullable Integer value) throws SQLException {
        return value == null ? setNull(parameter) : set(parameter, value.longValue());
    }

    @Override
    public Query set(int parameter, @Nullable Double value) throws SQLException {
        if (value == null) {
            return setNull(parameter);
        }
        statement.setDouble(parameter, value);
        return this;
    }

    @Override
    public Query set(int parameter, @Nullable String value) throws SQLException {
        statement.setString(parameter, value);
        return this;
    }

    @Override
    public Query set(int parameter, byte[] value) throws SQLException {
        statement.setBytes(parameter, value);
        return this;
    }

    @Override
    public Query set(int parameter, boolean value) throws SQLException {
        statement.setBoolean(parameter, value);
        return this;
    }

    @Override
    public Query value(int parameter, @Nullable Object value) throws SQLException {
        statement.setObject(parameter, value);
        return this;
    }

    private Query setNull(int parameter) throws SQLException {
        statement.setNull(parameter, Types.NULL);
        return this;
    }

    @Override
    public Query ids(int parameter, Collection<Long> values) throws SQLException {
        return set(parameter, JsonText.array(values));
    }

    @Override
    public Query texts(int parameter, Collection<String> values) throws SQLException {
        return set(parameter, JsonText.strings(values));
    }

    @Override
    public ResultSet rows() throws SQLException {
        return statement.executeQuery();
    }

    /** Does the same as {@link #rows}: SQLite computes each row when it is fetched. */
    @Override
    public ResultSet manyRows() throws SQLException {
        return rows();
    }

    @Override
    public int update() throws SQLException {
        return statement.executeUpdate();
    }

    @Override
    public void add() throws SQLException {
        statement.addBatch();
    }

    @Override
    public boolean[] batch() throws SQLException {
        return Rows.changed(statement.executeBatch());
    }

    @Override
    public <R> void all(int first, Columns<R> columns, List<R> rows) throws SQLException {
        for (R row : rows) {
            int parameter = first;
            for (Columns.Column<R> column : columns.all()) {
                statement.setObject(parameter++, column.value().apply(row));
            }
            statement.addBatch();
        }
        if (!rows.isEmpty()) {
            statement.executeBatch();
        }
    }

    void execute() throws SQLException {
        statement.execute();
    }

    void close() throws SQLException {
        statement.close();
    }
}
