package dev.windrow.store.sql;

import dev.windrow.Control;
import dev.windrow.Rate;
import dev.windrow.Scope;
import dev.windrow.store.LimitChange;
import java.sql.SQLException;
import java.util.Locale;

/** Changes of pauses, limits and rates of queues, types and concurrency keys. */
final class LimitChanges {
    private LimitChanges() {}

    /** Writes a change; returns all that is said of its scope then. */
    static Control apply(WriteTransaction tx, LimitChange change) throws SQLException {
        Scope scope = change.scope();
        tx.lockControls();
        write(tx, change);
        named(tx.statements(), Statement.LIMIT_FORGET, scope).update();
        audit(tx, change);
        tx.wrote();
        // The jobs of a key are brought in line with it part by part, after this.
        if (scope.kind() != Scope.Kind.KEY) {
            tx.limitLanes(scope);
        }
        return Controls.read(tx.statements(), scope).stream().findFirst().orElse(new Control(scope, null, null, null));
    }

    private static void write(WriteTransaction tx, LimitChange change) throws SQLException {
        Scope scope = change.scope();
        Rate rate = change.rate();
        switch (change.verb()) {
            case PAUSE ->
                named(tx.statements(), Statement.LIMIT_PAUSE, scope)
                        .set(3, tx.now())
                        .set(4, tx.actor(change.actor()))
                        .set(5, change.reason())
                        .update();
            case RESUME -> named(tx.statements(), Statement.LIMIT_RESUME, scope).update();
            case LIMIT ->
                named(tx.statements(), Statement.LIMIT_RUNNING, scope)
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

    private static void audit(WriteTransaction tx, LimitChange change) throws SQLException {
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
}
