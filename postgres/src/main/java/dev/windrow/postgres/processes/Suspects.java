package dev.windrow.postgres.processes;

import dev.windrow.postgres.connection.PostgresQuery;
import dev.windrow.postgres.connection.PostgresStatements;
import dev.windrow.postgres.connection.ServerClock;
import dev.windrow.postgres.job.JobSql;
import dev.windrow.postgres.writer.PostgresRules;
import dev.windrow.postgres.writer.PostgresTransaction;
import dev.windrow.store.job.Suspect;
import dev.windrow.store.sql.job.SuspectRows;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The running jobs whose worker may be gone, and those whose worker is known to be; with leases by this process's clock. */
public final class Suspects {
    /** How often a row that somebody has locked is looked at, 5 ms apart. */
    private static final int TRIES = 5;

    private Suspects() {}

    /**
     * The running jobs whose lease has run out, or is longer than leases are, in the order of their leases.
     *
     * @param now by the server's clock
     * @param after where the page before ended; null for the first one
     */
    public static List<Suspect> suspects(
            PostgresStatements statements,
            ServerClock clock,
            long now,
            long leaseMillis,
            @Nullable Suspect after,
            int limit)
            throws SQLException {
        PostgresQuery query = statements
                .get(JobSql.SUSPECTS)
                .set(1, now)
                .set(2, now + leaseMillis)
                .set(3, limit)
                .set(4, after == null ? Long.MIN_VALUE : clock.toServer(after.leaseUntilMillis()))
                .set(5, after == null ? Long.MIN_VALUE : after.leaseToken().id());
        return SuspectRows.read(query, clock::toLocal, false);
    }

    /** The running jobs of workers of a process that has ended, whatever their leases say. */
    public static List<Suspect> heldBy(PostgresStatements statements, ServerClock clock, String process, int limit)
            throws SQLException {
        return SuspectRows.read(statements.get(JobSql.HELD_BY).set(1, process).set(2, limit), clock::toLocal, true);
    }

    /** Which of these rows nobody has locked, but for the moment that a look like this one takes. */
    public static Set<Long> free(PostgresTransaction tx, Set<Long> ids) throws SQLException {
        Set<Long> busy = PostgresRules.lock(tx.statements(), ids);
        for (int tries = 1; tries < TRIES && !busy.isEmpty(); tries++) {
            tx.statements().get(JobSql.WAIT_A_MOMENT).one();
            busy = PostgresRules.lock(tx.statements(), busy);
        }
        Set<Long> free = new HashSet<>(ids);
        free.removeAll(busy);
        return free;
    }
}
