package dev.windrow.store.sql.connection;

import dev.windrow.payload.Json;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Readers of columns that may be null, and of columns with arrays. Arrays are the database's own type, or JSON in a database without them. */
public final class Rows {
    private Rows() {}

    /** Returns the number in a column, or null. */
    public static @Nullable Long longOrNull(ResultSet row, int column) throws SQLException {
        long value = row.getLong(column);
        return row.wasNull() ? null : value;
    }

    /** Returns the time in a column of milliseconds since 1970, or null. */
    public static @Nullable Instant instantOrNull(ResultSet row, int column) throws SQLException {
        Long millis = longOrNull(row, column);
        return millis == null ? null : Instant.ofEpochMilli(millis);
    }

    /** Returns the length of time in a column of milliseconds, or null. */
    public static @Nullable Duration millisOrNull(ResultSet row, int column) throws SQLException {
        Long millis = longOrNull(row, column);
        return millis == null ? null : Duration.ofMillis(millis);
    }

    /** Returns the JSON in a column of text, or null. */
    public static @Nullable Json jsonOrNull(ResultSet row, int column) throws SQLException {
        String text = row.getString(column);
        return text == null ? null : new Json(text);
    }

    /** Returns the numbers in an array without nulls; empty for null. */
    public static List<Long> longs(ResultSet row, int column) throws SQLException {
        Object value = row.getObject(column);
        if (value instanceof Array array) {
            return List.of((Long[]) array.getArray());
        }
        return value == null ? List.of() : JsonText.readNumbers(value.toString());
    }

    /** Returns the texts in an array without nulls; empty for null. */
    public static List<String> texts(ResultSet row, int column) throws SQLException {
        Object value = row.getObject(column);
        if (value instanceof Array array) {
            return List.of((String[]) array.getArray());
        }
        return value == null ? List.of() : JsonText.readStrings(value.toString());
    }

    /** Returns true for each statement of a batch that has changed a row. */
    public static boolean[] changed(int[] counts) {
        boolean[] changed = new boolean[counts.length];
        for (int i = 0; i < counts.length; i++) {
            changed[i] = counts[i] > 0;
        }
        return changed;
    }
}
