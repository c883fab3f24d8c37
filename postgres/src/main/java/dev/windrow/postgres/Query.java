package dev.windrow.postgres;

import java.sql.Array;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A prepared statement whose parameters are set by their number in the text, wherever that stands. */
final class Query {
    private static final int FETCHED = 1000;

    /** What to add to the parameters of the second of two statements that are run together. */
    static final int SECOND = 100;

    private final PreparedStatement statement;
    private final List<Integer> order;

    Query(PreparedStatement statement, List<Integer> order) {
        this.statement = statement;
        this.order = order;
    }

    private interface Setter {
        void set(int index) throws SQLException;
    }

    private Query each(int parameter, Setter setter) throws SQLException {
        boolean found = false;
        for (int i = 0; i < order.size(); i++) {
            if (order.get(i) == parameter) {
                setter.set(i + 1);
                found = true;
            }
        }
        if (!found) {
            throw new SQLException("the statement has no parameter $" + parameter);
        }
        return this;
    }

    Query set(int parameter, long value) throws SQLException {
        return each(parameter, i -> statement.setLong(i, value));
    }

    Query set(int parameter, @Nullable Long value) throws SQLException {
        return each(parameter, i -> {
            if (value == null) {
                statement.setNull(i, Types.BIGINT);
            } else {
                statement.setLong(i, value);
            }
        });
    }

    Query set(int parameter, @Nullable Integer value) throws SQLException {
        return each(parameter, i -> {
            if (value == null) {
                statement.setNull(i, Types.INTEGER);
            } else {
                statement.setInt(i, value);
            }
        });
    }

    Query set(int parameter, @Nullable Double value) throws SQLException {
        return each(parameter, i -> {
            if (value == null) {
                statement.setNull(i, Types.DOUBLE);
            } else {
                statement.setDouble(i, value);
            }
        });
    }

    Query set(int parameter, @Nullable String value) throws SQLException {
        return each(parameter, i -> statement.setString(i, storable(value)));
    }

    Query set(int parameter, byte[] value) throws SQLException {
        return each(parameter, i -> statement.setBytes(i, value));
    }

    Query set(int parameter, boolean value) throws SQLException {
        return each(parameter, i -> statement.setBoolean(i, value));
    }

    /** A {@code bigint[]}. */
    Query ids(int parameter, Collection<Long> values) throws SQLException {
        return array(parameter, "int8", values.toArray());
    }

    /** A {@code text[]}. */
    Query texts(int parameter, Collection<String> values) throws SQLException {
        return array(parameter, "text", values.stream().map(Query::storable).toArray());
    }

    /** An array of values that fit the type, nulls among them. */
    Query array(int parameter, String type, @Nullable Object[] values) throws SQLException {
        Array array = statement.getConnection().createArrayOf(type, values);
        return each(parameter, i -> statement.setArray(i, array));
    }

    /** PostgreSQL's text cannot hold a NUL character; what people and machines are told may, and is told without it. */
    static @Nullable String storable(@Nullable String value) {
        return value == null || value.indexOf('\0') < 0 ? value : value.replace('\0', '\uFFFD');
    }

    ResultSet rows() throws SQLException {
        return statement.executeQuery();
    }

    /** The same, fetched in parts, because there may be more than fits into memory; inside a transaction. */
    ResultSet manyRows() throws SQLException {
        statement.setFetchSize(FETCHED);
        return rows();
    }

    /** Runs what returns several results; answers the first one, whose rows have to be read before the next is asked for. */
    ResultSet first() throws SQLException {
        statement.execute();
        return statement.getResultSet();
    }

    /** The rows of the second of two statements. */
    ResultSet second() throws SQLException {
        if (!statement.getMoreResults()) {
            throw new SQLException("the second of two statements returned no rows");
        }
        return statement.getResultSet();
    }

    /** Adds the parameters as they are now to what {@link #batch} runs. */
    void add() throws SQLException {
        statement.addBatch();
    }

    /** Runs all that was added, in few messages; answers for each whether it has changed one row. */
    boolean[] batch() throws SQLException {
        int[] counts = statement.executeBatch();
        boolean[] changed = new boolean[counts.length];
        for (int i = 0; i < counts.length; i++) {
            changed[i] = counts[i] == 1;
        }
        return changed;
    }

    /** Runs what answers nothing. */
    void run() throws SQLException {
        statement.execute();
    }

    int update() throws SQLException {
        return statement.executeUpdate();
    }

    /** The number in the first column of the first row. */
    long one() throws SQLException {
        try (ResultSet rows = rows()) {
            if (!rows.next()) {
                throw new SQLException("a row was expected and none came");
            }
            return rows.getLong(1);
        }
    }

    /** The number in the first column of the first row, or null. */
    @Nullable Long oneOrNull() throws SQLException {
        try (ResultSet rows = rows()) {
            return rows.next() ? Rows.longOrNull(rows, 1) : null;
        }
    }

    void close() throws SQLException {
        statement.close();
    }
}
