package dev.windrow.store.sql.limit;

import dev.windrow.limit.LimitTarget;
import dev.windrow.limit.Limits;
import dev.windrow.limit.Rate;
import dev.windrow.store.limit.LimitChange;
import dev.windrow.store.sql.connection.JsonText;
import dev.windrow.store.sql.connection.Query;
import dev.windrow.store.sql.connection.Statement;
import dev.windrow.store.sql.connection.Statements;
import dev.windrow.store.sql.writer.WriteTransaction;
import java.sql.SQLException;
import java.util.Locale;

/** Changes of pauses, limits and rates of queues, types and concurrency keys. */
public final class LimitChanges {
    private LimitChanges() {}

    /** Writes a change; returns the pause and the limits after it. */
    public static Limits apply(WriteTransaction tx, LimitChange change) throws SQLException {
        LimitTarget target = change.target();
        tx.lockControls();
        write(tx, change);
        named(tx.statements(), Statement.LIMIT_FORGET, target).update();
        audit(tx, change);
        // Later commands apply the limits to the jobs of a key, batch by batch.
        if (target.kind() != LimitTarget.Kind.KEY) {
            tx.limitLanes(target);
        }
        return StoredLimits.read(tx.statements(), target).stream()
                .findFirst()
                .orElse(new Limits(target, null, null, null));
    }

    private static void write(WriteTransaction tx, LimitChange change) throws SQLException {
        LimitTarget target = change.target();
        Rate rate = change.rate();
        switch (change.verb()) {
            case PAUSE ->
                named(tx.statements(), Statement.LIMIT_PAUSE, target)
                        .set(3, tx.now())
                        .set(4, tx.actor(change.actor()))
                        .set(5, change.reason())
                        .update();
            case RESUME ->
                named(tx.statements(), Statement.LIMIT_RESUME, target).update();
            case LIMIT ->
                named(tx.statements(), Statement.LIMIT_RUNNING, target)
                        .set(3, change.maxRunning())
                        .update();
            case RATE ->
                named(tx.statements(), Statement.LIMIT_RATE, target)
                        .set(3, rate == null ? null : rate.count())
                        .set(4, rate == null ? null : Long.valueOf(rate.per().toMillis()))
                        .set(5, rate == null ? null : rate.burst())
                        .update();
        }
    }

    private static Query named(Statements statements, Statement statement, LimitTarget target) throws SQLException {
        return statements.get(statement).set(1, target.kind().name()).set(2, target.name());
    }

    private static void audit(WriteTransaction tx, LimitChange change) throws SQLException {
        Rate rate = change.rate();
        tx.audit(
                change.verb().name(),
                change.actor(),
                change.reason(),
                0,
                JsonText.object(
                        change.target().kind().name().toLowerCase(Locale.ROOT),
                        change.target().name(),
                        "maxRunning",
                        change.maxRunning(),
                        "rate",
                        rate == null ? null : rate.text(),
                        "burst",
                        rate == null ? null : rate.burst()));
    }
}
