package dev.windrow.sqlite;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Reads columns that may be null, and results of one number. */
final class Rows {
    private Rows() {}

    /** The number in the first column of the first row. */
    static long one(PreparedStatement query) throws SQLException {
        try (ResultSet rows = query.executeQuery()) {
            if (!rows.next()) {
                throw new SQLException("a row was expected and none came");
            }
            return rows.getLong(1);
        }
    }

    /** The number in the first column of the first row, or null. */
    static @Nullable Long oneOrNull(PreparedStatement query) throws SQLException {
        try (ResultSet rows = query.executeQuery()) {
            return rows.next() ? longOrNull(rows, 1) : null;
        }
    }

    static @Nullable Long longOrNull(ResultSet rows, int column) throws SQLException {
        long value = rows.getLong(column);
        return rows.wasNull() ? null : value;
    }

    static @Nullable Instant instantOrNull(ResultSet rows, int column) throws SQLException {
        Long millis = longOrNull(rows, column);
        return millis == null ? null : Instant.ofEpochMilli(millis);
    }
}
