package dev.windrow.store.sql;

import dev.windrow.Json;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Reads columns that may be null. */
public final class Rows {
    private Rows() {}

    /** The number in a column, or null. */
    public static @Nullable Long longOrNull(ResultSet row, int column) throws SQLException {
        long value = row.getLong(column);
        return row.wasNull() ? null : value;
    }

    /** The time in a column of milliseconds since 1970, or null. */
    public static @Nullable Instant instantOrNull(ResultSet row, int column) throws SQLException {
        Long millis = longOrNull(row, column);
        return millis == null ? null : Instant.ofEpochMilli(millis);
    }

    /** The JSON in a column of text, or null. */
    public static @Nullable Json jsonOrNull(ResultSet row, int column) throws SQLException {
        String text = row.getString(column);
        return text == null ? null : new Json(text);
    }
}
