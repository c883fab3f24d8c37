package dev.windrow.postgres;

import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/** Reads columns that have arrays. */
final class ArrayColumns {
    private ArrayColumns() {}

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
