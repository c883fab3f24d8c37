package dev.windrow.postgres;

import dev.windrow.Control;
import dev.windrow.Rate;
import dev.windrow.Scope;
import dev.windrow.store.ControlChange;
import dev.windrow.store.sql.JsonText;
import dev.windrow.store.sql.Rows;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What is said of queues, types and concurrency keys: pauses, limits and rates. */
final class Controls {
    private Controls() {}

    /** The number of the lock under which what is said changes, and lanes are added. */
    static long lock(Tables tables) {
        return Migrations.lock(tables) + 2;
    }

    static Control change(PostgresTransaction tx, ControlChange change) throws SQLException {
        Scope scope = change.scope();
        tx.statements().get(ControlSql.LOCK_CONTROLS).set(1, tx.controlsLock).one();
        write(tx, change);
        named(tx.statements(), ControlSql.FORGET_CONTROL, scope).update();
        audit(tx, change);
        tx.wrote();
        // The jobs of a key are brought in line with it part by part, after this.
        if (scope.kind() != Scope.Kind.KEY) {
            Set<String> name = Set.of(scope.name());
            boolean queue = scope.kind() == Scope.Kind.QUEUE;
            tx.statements()
                    .get(ControlSql.OBEY)
                    .texts(1, queue ? name : Set.of())
                    .texts(2, queue ? Set.of() : name)
                    .update();
            tx.readGoverned();
            tx.opened(queue ? tx.names.lanes(name, null) : tx.names.lanes(null, name));
        }
        return read(tx.statements()).stream()
                .filter(control -> control.scope().equals(scope))
                .findFirst()
                .orElse(new Control(scope, null, null, null));
    }

    private static void write(PostgresTransaction tx, ControlChange change) throws SQLException {
        Scope scope = change.scope();
        Rate rate = change.rate();
        switch (change.verb()) {
            case PAUSE ->
                named(tx.statements(), ControlSql.PAUSE, scope)
                        .set(3, tx.now())
                        .set(4, tx.actor(change.actor()))
                        .set(5, change.reason())
                        .update();
            case RESUME -> named(tx.statements(), ControlSql.RESUME, scope).update();
            case LIMIT ->
                named(tx.statements(), ControlSql.LIMIT, scope)
                        .set(3, change.maxRunning())
                        .update();
            case RATE ->
                named(tx.statements(), ControlSql.LIMIT_RATE, scope)
                        .set(3, rate == null ? null : Integer.valueOf(rate.count()))
                        .set(4, rate == null ? null : Long.valueOf(rate.per().toMillis()))
                        .set(5, rate == null ? null : Integer.valueOf(rate.burst()))
                        .update();
        }
    }

    private static PostgresQuery named(PostgresStatements statements, String sql, Scope scope) throws SQLException {
        return statements.get(sql).set(1, scope.kind().name()).set(2, scope.name());
    }

    private static void audit(PostgresTransaction tx, ControlChange change) throws SQLException {
        Rate rate = change.rate();
        tx.statements()
                .get(Sql.INSERT_AUDIT)
                .set(1, tx.now())
                .set(2, tx.actor(change.actor()))
                .set(3, change.verb().name())
                .set(4, 0L)
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

    static List<Control> read(PostgresStatements statements) throws SQLException {
        List<Control> controls = new ArrayList<>();
        try (ResultSet rows = statements.get(ReadSql.READ_CONTROLS).rows()) {
            while (rows.next()) {
                Long pausedAt = Rows.longOrNull(rows, 3);
                controls.add(new Control(
                        scope(rows),
                        pausedAt == null
                                ? null
                                : new Control.Pause(
                                        Instant.ofEpochMilli(pausedAt), rows.getString(4), rows.getString(5)),
                        mostRunning(rows, 6),
                        rate(rows, 7)));
            }
        }
        return controls;
    }

    /** The scope in the first two columns. */
    static Scope scope(ResultSet row) throws SQLException {
        return new Scope(Scope.Kind.valueOf(row.getString(1)), row.getString(2));
    }

    static @Nullable Integer mostRunning(ResultSet row, int column) throws SQLException {
        Long most = Rows.longOrNull(row, column);
        return most == null ? null : Integer.valueOf(Math.toIntExact(most));
    }

    /** The rate in three columns from this one on. */
    static @Nullable Rate rate(ResultSet row, int first) throws SQLException {
        Long count = Rows.longOrNull(row, first);
        return count == null
                ? null
                : new Rate(Math.toIntExact(count), Duration.ofMillis(row.getLong(first + 1)), row.getInt(first + 2));
    }
}
