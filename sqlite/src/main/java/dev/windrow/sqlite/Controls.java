package dev.windrow.sqlite;

import dev.windrow.Control;
import dev.windrow.Rate;
import dev.windrow.Scope;
import dev.windrow.store.ControlChange;
import java.sql.PreparedStatement;
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

    static Control change(WriteTransaction tx, ControlChange change) throws SQLException {
        Scope scope = change.scope();
        long actor = tx.names.actor(change.actor());
        PreparedStatement write = switch (change.verb()) {
            case PAUSE -> {
                PreparedStatement pause = named(tx, ControlSql.PAUSE, scope);
                pause.setLong(3, tx.now);
                pause.setLong(4, actor);
                pause.setString(5, change.reason());
                yield pause;
            }
            case RESUME -> named(tx, ControlSql.RESUME, scope);
            case LIMIT -> {
                PreparedStatement limit = named(tx, ControlSql.LIMIT, scope);
                limit.setObject(3, change.maxRunning());
                yield limit;
            }
            case RATE -> {
                Rate rate = change.rate();
                PreparedStatement limit = named(tx, ControlSql.LIMIT_RATE, scope);
                limit.setObject(3, rate == null ? null : rate.count());
                limit.setObject(4, rate == null ? null : rate.per().toMillis());
                limit.setObject(5, rate == null ? null : rate.burst());
                yield limit;
            }
        };
        write.executeUpdate();
        named(tx, ControlSql.FORGET_CONTROL, scope).executeUpdate();
        audit(tx, actor, change);
        // The jobs of a key are brought in line with it part by part, after this.
        if (scope.kind() != Scope.Kind.KEY) {
            PreparedStatement obey = tx.statements.get(ControlSql.OBEY);
            obey.setString(1, scope.kind().name());
            obey.setString(2, scope.name());
            obey.executeUpdate();
            tx.opened(scope);
        }
        return read(tx.statements, scope).stream().findFirst().orElse(new Control(scope, null, null, null));
    }

    private static PreparedStatement named(WriteTransaction tx, String sql, Scope scope) throws SQLException {
        PreparedStatement statement = tx.statements.get(sql);
        statement.setString(1, scope.kind().name());
        statement.setString(2, scope.name());
        return statement;
    }

    private static void audit(WriteTransaction tx, long actor, ControlChange change) throws SQLException {
        Rate rate = change.rate();
        PreparedStatement audit = tx.statements.get(Sql.INSERT_AUDIT);
        audit.setLong(1, tx.now);
        audit.setLong(2, actor);
        audit.setString(3, change.verb().name());
        audit.setLong(4, 0);
        audit.setString(
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
                        rate == null ? null : rate.burst()));
        audit.executeUpdate();
    }

    /** All that is said, or that of one scope. */
    static List<Control> read(Statements statements, @Nullable Scope scope) throws SQLException {
        PreparedStatement query = statements.get(ControlSql.READ_CONTROLS);
        query.setString(1, scope == null ? null : scope.kind().name());
        query.setString(2, scope == null ? null : scope.name());
        List<Control> controls = new ArrayList<>();
        try (ResultSet rows = query.executeQuery()) {
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
