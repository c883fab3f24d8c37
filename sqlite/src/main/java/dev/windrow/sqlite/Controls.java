package dev.windrow.sqlite;

import dev.windrow.Control;
import dev.windrow.Rate;
import dev.windrow.Scope;
import dev.windrow.store.ControlChange;
import dev.windrow.store.sql.JsonText;
import dev.windrow.store.sql.Query;
import dev.windrow.store.sql.Rows;
import dev.windrow.store.sql.Statements;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What is said of queues, types and concurrency keys: pauses, limits and rates. */
final class Controls {
    private Controls() {}

    /** How many ids a change needs. */
    static final int IDS = 1;

    static Control change(SqliteTransaction tx, ControlChange change) throws SQLException {
        Scope scope = change.scope();
        long actor = tx.names.actor(change.actor());
        Query write = switch (change.verb()) {
            case PAUSE -> {
                Query pause = named(tx, ControlSql.PAUSE, scope);
                pause.set(3, tx.now()).set(4, actor).set(5, change.reason());
                yield pause;
            }
            case RESUME -> named(tx, ControlSql.RESUME, scope);
            case LIMIT -> {
                Query limit = named(tx, ControlSql.LIMIT, scope);
                limit.set(3, change.maxRunning());
                yield limit;
            }
            case RATE -> {
                Rate rate = change.rate();
                Query limit = named(tx, ControlSql.LIMIT_RATE, scope);
                limit.set(3, rate == null ? null : rate.count())
                        .set(4, rate == null ? null : rate.per().toMillis())
                        .set(5, rate == null ? null : rate.burst());
                yield limit;
            }
        };
        write.update();
        named(tx, ControlSql.FORGET_CONTROL, scope).update();
        audit(tx, actor, change);
        // The jobs of a key are brought in line with it part by part, after this.
        if (scope.kind() != Scope.Kind.KEY) {
            tx.statements()
                    .get(ControlSql.OBEY)
                    .set(1, scope.kind().name())
                    .set(2, scope.name())
                    .update();
            tx.opened(scope);
        }
        return read(tx.statements(), scope).stream().findFirst().orElse(new Control(scope, null, null, null));
    }

    private static Query named(SqliteTransaction tx, String sql, Scope scope) throws SQLException {
        Query statement = tx.statements().get(sql);
        statement.set(1, scope.kind().name()).set(2, scope.name());
        return statement;
    }

    private static void audit(SqliteTransaction tx, long actor, ControlChange change) throws SQLException {
        Rate rate = change.rate();
        tx.statements()
                .get(Sql.INSERT_AUDIT)
                .set(1, tx.now())
                .set(2, actor)
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

    /** All that is said, or that of one scope. */
    static List<Control> read(Statements statements, @Nullable Scope scope) throws SQLException {
        List<Control> controls = new ArrayList<>();
        try (ResultSet rows = statements
                .get(ControlSql.READ_CONTROLS)
                .set(1, scope == null ? null : scope.kind().name())
                .set(2, scope == null ? null : scope.name())
                .rows()) {
            while (rows.next()) {
                Long pausedAt = Rows.longOrNull(rows, 3);
                Long maxRunning = Rows.longOrNull(rows, 6);
                controls.add(new Control(
                        new Scope(Scope.Kind.valueOf(rows.getString(1)), rows.getString(2)),
                        pausedAt == null
                                ? null
                                : new Control.Pause(
                                        Instant.ofEpochMilli(pausedAt), rows.getString(4), rows.getString(5)),
                        maxRunning == null ? null : Math.toIntExact(maxRunning),
                        rate(rows, 7)));
            }
        }
        return controls;
    }

    /** The rate in three columns from this one on. */
    static @Nullable Rate rate(ResultSet row, int first) throws SQLException {
        Long count = Rows.longOrNull(row, first);
        return count == null
                ? null
                : new Rate(Math.toIntExact(count), Duration.ofMillis(row.getLong(first + 1)), row.getInt(first + 2));
    }
}
