package dev.windrow.postgres.connection;

import dev.windrow.store.sql.connection.Columns;
import dev.windrow.store.sql.connection.Query;
import dev.windrow.store.sql.connection.Rows;
import java.sql.Array;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A prepared statement whose parameters are set by their number in the text, at any position. */
public final class PostgresQuery implements Query {
    private static final int FETCHED = 1000;

    /** The offset of the parameters of each further statement of one message. */
    public static final int NEXT = 100;

    private final PreparedStatement statement;
    /** The positions of each parameter in the text of JDBC. */
    private final Map<Integer, List<Integer>> positions;
    /** The offset of the parameters of this query. */
    private final int offset;
    /** Reads the results of the statements before this query; null if it is the first one of its message. */
    private final @Nullable Earlier earlier;

    /** Reads the results of statements that are sent in the same message before others. */
    public interface Earlier {
        /**
         * Reads these results, and no further.
         *
         * @param first the first result
         * @param results the source of the next results
         */
        void read(ResultSet first, PostgresQuery results) throws SQLException;
    }

    PostgresQuery(PreparedStatement statement, List<Integer> order) {
        this(statement, positions(order), 0, null);
    }

    private PostgresQuery(
            PreparedStatement statement, Map<Integer, List<Integer>> positions, int offset, @Nullable Earlier earlier) {
        this.statement = statement;
        this.positions = positions;
        this.offset = offset;
        this.earlier = earlier;
    }

    private static Map<Integer, List<Integer>> positions(List<Integer> order) {
        Map<Integer, List<Integer>> positions = new HashMap<>();
        for (int i = 0; i < order.size(); i++) {
            positions.computeIfAbsent(order.get(i), key -> new ArrayList<>()).add(i + 1);
        }
        return positions;
    }

    /**
     * Returns the statements after the first ones of a message, with their own numbers of parameters. A run also runs the first ones, whose results
     * are read first.
     *
     * @param statements the number of the first ones
     */
    public PostgresQuery after(int statements, Earlier first) {
        return new PostgresQuery(statement, positions, offset + statements * NEXT, first);
    }

    private interface Setter {
        void set(int index) throws SQLException;
    }

    private PostgresQuery each(int parameter, Setter setter) throws SQLException {
        List<Integer> found = positions.get(offset + parameter);
        if (found == null) {
            throw new SQLException("the statement has no parameter $" + parameter);
        }
        for (int position : found) {
            setter.set(position);
        }
        return this;
    }

    @Override
    public PostgresQuery set(int parameter, long value) throws SQLException {
        return each(parameter, i -> statement.setLong(i, value));
    }

    @Override
    public PostgresQuery set(int parameter, @Nullable Long value) throws SQLException {
        return each(parameter, i -> {
            if (value == null) {
                statement.setNull(i, Types.BIGINT);
            } else {
                statement.setLong(i, value);
            }
        });
    }

    @Override
    public PostgresQuery set(int parameter, @Nullable Integer value) throws SQLException {
        return each(parameter, i -> {
            if (value == null) {
                statement.setNull(i, Types.INTEGER);
            } else {
                statement.setInt(i, value);
            }
        });
    }

    @Override
    public PostgresQuery set(int parameter, @Nullable Double value) throws SQLException {
        return each(parameter, i -> {
            if (value == null) {
                statement.setNull(i, Types.DOUBLE);
            } else {
                statement.setDouble(i, value);
            }
        });
    }

    @Override
    public PostgresQuery set(int parameter, @Nullable String value) throws SQLException {
        return each(parameter, i -> statement.setString(i, storable(value)));
    }

    @Override
    public PostgresQuery set(int parameter, byte[] value) throws SQLException {
        return each(parameter, i -> statement.setBytes(i, value));
    }

    @Override
    public PostgresQuery set(int parameter, boolean value) throws SQLException {
        return each(parameter, i -> statement.setBoolean(i, value));
    }

    @Override
    public PostgresQuery value(int parameter, @Nullable Object value) throws SQLException {
        return each(parameter, i -> statement.setObject(i, value));
    }

    @Override
    public PostgresQuery ids(int parameter, Collection<Long> values) throws SQLException {
        return array(parameter, "int8", values.toArray());
    }

    @Override
    public PostgresQuery texts(int parameter, Collection<String> values) throws SQLException {
        return array(
                parameter, "text", values.stream().map(PostgresQuery::storable).toArray());
    }

    /** Sets an array of values that fit the type, with nulls allowed. */
    public PostgresQuery array(int parameter, String type, @Nullable Object[] values) throws SQLException {
        Array array = statement.getConnection().createArrayOf(type, values);
        return each(parameter, i -> statement.setArray(i, array));
    }

    /** Sets the parameters from {@code first} on to an array for each column. {@code unnest} turns the arrays into rows again. */
    public <R> PostgresQuery bind(int first, Columns<R> columns, List<R> rows) throws SQLException {
        int parameter = first;
        for (Columns.Column<R> column : columns.all()) {
            Object[] values = switch (column.kind()) {
                case LONG -> new Long[rows.size()];
                case INT -> new Integer[rows.size()];
                case TEXT -> new String[rows.size()];
            };
            for (int row = 0; row < values.length; row++) {
                Object value = column.value().apply(rows.get(row));
                values[row] = value instanceof String text ? storable(text) : value;
            }
            String type = switch (column.kind()) {
                case LONG -> "int8";
                case INT -> "int4";
                case TEXT -> "text";
            };
            array(parameter++, type, values);
        }
        return this;
    }

    @Override
    public <R> void all(int first, Columns<R> columns, List<R> rows) throws SQLException {
        if (!rows.isEmpty()) {
            bind(first, columns, rows).update();
        }
    }

    /** Replaces NUL characters, which the text type of PostgreSQL cannot hold. Texts of callers and machines may contain them. */
    public static @Nullable String storable(@Nullable String value) {
        return value == null || value.indexOf('\0') < 0 ? value : value.replace('\0', '\uFFFD');
    }

    @Override
    public ResultSet rows() throws SQLException {
        return earlier == null ? statement.executeQuery() : first();
    }

    /** Runs the query. The rows are fetched in batches. */
    @Override
    public ResultSet manyRows() throws SQLException {
        statement.setFetchSize(FETCHED);
        return rows();
    }

    /** Runs a query with several results. Returns the first one, whose rows must be read before the next result is requested. */
    public ResultSet first() throws SQLException {
        statement.execute();
        if (earlier == null) {
            return statement.getResultSet();
        }
        earlier.read(statement.getResultSet(), this);
        return next();
    }

    /** Returns the rows of the next statement of the message. */
    public ResultSet next() throws SQLException {
        if (!statement.getMoreResults()) {
            throw new SQLException("a statement of a message returned no rows");
        }
        return statement.getResultSet();
    }

    @Override
    public void add() throws SQLException {
        statement.addBatch();
    }

    @Override
    public boolean[] batch() throws SQLException {
        return Rows.changed(statement.executeBatch());
    }

    /** Runs a statement without a result. */
    public void run() throws SQLException {
        statement.execute();
    }

    @Override
    public int update() throws SQLException {
        return statement.executeUpdate();
    }

    void close() throws SQLException {
        statement.close();
    }
}
