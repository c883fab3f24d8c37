package dev.windrow.store.sql.connection;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The columns of rows that become parameters, in this order.
 *
 * @param <R> the source of a row
 */
public final class Columns<R> {
    /** The kind of a column's values. */
    public enum Kind {
        /** Numbers. */
        LONG,
        /** Numbers of 32 bits. */
        INT,
        /** Texts. */
        TEXT
    }

    /**
     * A column.
     *
     * @param kind the kind of its values
     * @param value reads the value of a row
     */
    public record Column<R>(Kind kind, Function<R, @Nullable Object> value) {}

    private final List<Column<R>> columns = new ArrayList<>();

    /** Adds a column of numbers. */
    public Columns<R> longs(Function<R, @Nullable Long> value) {
        return add(Kind.LONG, value::apply);
    }

    /** Adds a column of numbers of 32 bits. */
    public Columns<R> ints(Function<R, @Nullable Integer> value) {
        return add(Kind.INT, value::apply);
    }

    /** Adds a column of texts. */
    public Columns<R> texts(Function<R, @Nullable String> value) {
        return add(Kind.TEXT, value::apply);
    }

    private Columns<R> add(Kind kind, Function<R, @Nullable Object> value) {
        columns.add(new Column<>(kind, value));
        return this;
    }

    /** Returns all columns. */
    public List<Column<R>> all() {
        return columns;
    }
}
