package dev.windrow.store.sql;

import dev.windrow.Control;
import dev.windrow.Rate;
import dev.windrow.Scope;
import dev.windrow.store.ControlChange;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Controls of queues, types and concurrency keys: pauses, limits and rates. */
public final class Controls {
    private Controls() {}

    /** Writes a control; returns all that is said of its scope then. */
    public static Control change(WriteTransaction tx, ControlChange change) throws SQLException {
        Scope scope = change.scope();
        tx.lockControls();
        write(tx, change);
        named(tx.statements(), Statement.FORGET_CONTROL, scope).update();
        audit(tx, change);
        tx.wrote();
        // The jobs of a key are brought in line with it part by part, after this.
        if (scope.kind() != Scope.Kind.KEY) {
            tx.obey(scope);
        }
        return read(tx.statements(), scope).stream().findFirst().orElse(new Control(scope, null, null, null));
    }

    private static void write(WriteTransaction tx, ControlChange change) throws SQLException {
        Scope scope = change.scope();
        Rate rate = change.rate();
        switch (change.verb()) {
            case PAUSE ->
                named(tx.statements(), Statement.PAUSE, scope)
                        .set(3, tx.now())
                        .set(4, tx.actor(change.actor()))
                        .set(5, change.reason())
                        .update();
            case RESUME -> named(tx.statements(), Statement.RESUME, scope).update();
            case LIMIT ->
                named(tx.statements(), Statement.LIMIT, scope)
                        .set(3, change.maxRunning())
                        .update();
            case RATE ->
                named(tx.statements(), Statement.LIMIT_RATE, scope)
                        .set(3, rate == null ? null : rate.count())
                        .set(4, rate == null ? null : Long.valueOf(rate.per().toMillis()))
                        .set(5, rate == null ? null : rate.burst())
                        .update();
        }
    }

    private static Query named(Statements statements, Statement statement, Scope scope) throws SQLException {
        return statements.get(statement).set(1, scope.kind().name()).set(2, scope.name());
    }

    private static void audit(WriteTransaction tx, ControlChange change) throws SQLException {
        Rate rate = change.rate();
        tx.statements()
                .get(Statement.INSERT_AUDIT)
                .set(1, tx.now())
                .set(2, tx.actor(change.actor()))
                .set(3, change.verb().name())
                .set(4, 0)
                .set(
                        5,
                        JsonText.object(
                                change.scope().kind().name().toLowerCase(Locale.ROOT),
                                change.scope().name(),
                                "reason",
                                change.reason(),
                                "maxRunning",
                                change.maxRunning(),
                                "rate",
                                rate == null ? null : rate.text(),
                                "burst",
                                rate == null ? null : rate.burst()))
                .update();
    }

    /** All that is said. */
    public static List<Control> read(Statements statements) throws SQLException {
        return read(statements, null);
    }

    private static List<Control> read(Statements statements, @Nullable Scope scope) throws SQLException {
        return statements
                .get(Statement.READ_CONTROLS)
                .set(1, scope == null ? null : scope.kind().name())
                .set(2, scope == null ? null : scope.name())
                .list(row -> new Control(scope(row), pause(row), mostRunning(row, 6), rate(row, 7)));
    }

    private static Control.@Nullable Pause pause(ResultSet row) throws SQLException {
        Instant pausedAt = Rows.instantOrNull(row, 3);
        return pausedAt == null ? null : new Control.Pause(pausedAt, row.getString(4), row.getString(5));
    }

    /** The scope in the first two columns. */
    public static Scope scope(ResultSet row) throws SQLException {
        return new Scope(Scope.Kind.valueOf(row.getString(1)), row.getString(2));
    }

    /** The limit in a column, or null. */
    public static @Nullable Integer mostRunning(ResultSet row, int column) throws SQLException {
        Long most = Rows.longOrNull(row, column);
        return most == null ? null : Integer.valueOf(Math.toIntExact(most));
    }

    /** The rate in three columns from this one on. */
    public static @Nullable Rate rate(ResultSet row, int first) throws SQLException {
        Long count = Rows.longOrNull(row, first);
        return count == null
                ? null
                : new Rate(Math.toIntExact(count), Duration.ofMillis(row.getLong(first + 1)), row.getInt(first + 2));
    }
}
