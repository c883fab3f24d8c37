package dev.windrow.store.sql.connection;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A prepared statement. Its parameters are set by their numbers in its text and stay set until they are set again. Belongs to a connection. Like the
 * connection it is not safe for use by more than one thread at a time.
 */
public interface Query {
    /**
     * Reads a value from the current row of a result.
     *
     * @param <T> the value
     */
    interface Row<T extends @Nullable Object> {
        /** Reads columns, and does not move to another row. */
        T read(ResultSet row) throws SQLException;
    }

    /** Sets a number. */
    Query set(int parameter, long value) throws SQLException;

    /** Sets a number, or null. */
    Query set(int parameter, @Nullable Long value) throws SQLException;

    /** Sets a number of 32 bits, or null. */
    Query set(int parameter, @Nullable Integer value) throws SQLException;

    /** Sets a number with a fraction, or null. */
    Query set(int parameter, @Nullable Double value) throws SQLException;

    /** Sets a text, or null. */
    Query set(int parameter, @Nullable String value) throws SQLException;

    /** Sets bytes. */
    Query set(int parameter, byte[] value) throws SQLException;

    /** Sets true or false. */
    Query set(int parameter, boolean value) throws SQLException;

    /** Sets a value of one of the types above, or null. */
    Query value(int parameter, @Nullable Object value) throws SQLException;

    /** Sets an array of numbers, in the form that the database's statements expect. */
    Query ids(int parameter, Collection<Long> values) throws SQLException;

    /** Sets an array of texts, in the form that the database's statements expect. */
    Query texts(int parameter, Collection<String> values) throws SQLException;

    /** Runs the statement and returns its rows, which the caller closes. */
    ResultSet rows() throws SQLException;

    /** Runs the statement for rows that may not fit into memory; inside a transaction. The caller closes the result. */
    ResultSet manyRows() throws SQLException;

    /** Runs the statement and returns the number of changed rows. */
    int update() throws SQLException;

    /** Adds the present parameters to the next {@link #batch}. */
    void add() throws SQLException;

    /** Runs the statement for all added parameters. Returns for each whether it has changed a row. */
    boolean[] batch() throws SQLException;

    /**
     * Runs the statement for all of these rows. Their columns are the parameters from {@code first} on. The parameters before are the same for all.
     */
    <R> void all(int first, Columns<R> columns, List<R> rows) throws SQLException;

    /** Returns a value for each row, in their order. */
    default <T extends @Nullable Object> List<T> list(Row<T> reader) throws SQLException {
        List<T> values = new ArrayList<>();
        try (ResultSet rows = rows()) {
            while (rows.next()) {
                values.add(reader.read(rows));
            }
        }
        return values;
    }

    /** Returns the value of the first row, or null without a row. */
    default <T extends @Nullable Object> @Nullable T find(Row<T> reader) throws SQLException {
        try (ResultSet rows = rows()) {
            return rows.next() ? reader.read(rows) : null;
        }
    }

    /** True if there is a row. */
    default boolean exists() throws SQLException {
        try (ResultSet rows = rows()) {
            return rows.next();
        }
    }

    /** Returns the number in the first column of the first row. */
    default long one() throws SQLException {
        try (ResultSet rows = rows()) {
            if (!rows.next()) {
                throw new SQLException("the query returned no row, but one was expected");
            }
            return rows.getLong(1);
        }
    }

    /** Returns the number in the first column of the first row; null if that is null or there is no row. */
    default @Nullable Long oneOrNull() throws SQLException {
        try (ResultSet rows = rows()) {
            return rows.next() ? Rows.longOrNull(rows, 1) : null;
        }
    }

    /** Returns the numbers in the first column of all rows. */
    default List<Long> longs() throws SQLException {
        return list(row -> row.getLong(1));
    }
}
