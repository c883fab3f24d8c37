package dev.windrow.postgres;

import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads columns that may be null, and arrays. */
final class Rows {
    private Rows() {}

    static @Nullable Long longOrNull(ResultSet rows, int column) throws SQLException {
        long value = rows.getLong(column);
        return rows.wasNull() ? null : value;
    }

    static @Nullable Instant instantOrNull(ResultSet rows, int column) throws SQLException {
        Long millis = longOrNull(rows, column);
        return millis == null ? null : Instant.ofEpochMilli(millis);
    }

    /** A {@code bigint[]} without nulls; null is an empty one. */
    static List<Long> longs(ResultSet rows, int column) throws SQLException {
        Array array = rows.getArray(column);
        return array == null ? List.of() : List.of((Long[]) array.getArray());
    }

    /** A {@code text[]} without nulls; null is an empty one. */
    static List<String> texts(ResultSet rows, int column) throws SQLException {
        Array array = rows.getArray(column);
        return array == null ? List.of() : List.of((String[]) array.getArray());
    }
}
