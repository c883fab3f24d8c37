package dev.windrow.postgres;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * How many rows become the parameters of one statement, an array for each column: {@code unnest} makes rows of them again.
 *
 * @param <R> what a row is made of
 */
final class Columns<R> {
    private final List<Column<R>> columns = new ArrayList<>();

    private record Column<R>(String type, Function<Integer, Object[]> array, Function<R, @Nullable Object> value) {}

    Columns<R> longs(Function<R, @Nullable Long> value) {
        columns.add(new Column<>("int8", Long[]::new, value::apply));
        return this;
    }

    Columns<R> ints(Function<R, @Nullable Integer> value) {
        columns.add(new Column<>("int4", Integer[]::new, value::apply));
        return this;
    }

    Columns<R> texts(Function<R, @Nullable String> value) {
        columns.add(new Column<>("text", String[]::new, row -> PostgresQuery.storable(value.apply(row))));
        return this;
    }

    /** Sets the parameters from this number on. */
    void bind(PostgresQuery query, int first, List<R> rows) throws SQLException {
        for (int i = 0; i < columns.size(); i++) {
            Column<R> column = columns.get(i);
            Object[] values = column.array.apply(rows.size());
            for (int row = 0; row < values.length; row++) {
                values[row] = column.value.apply(rows.get(row));
            }
            query.array(first + i, column.type, values);
        }
    }
}
