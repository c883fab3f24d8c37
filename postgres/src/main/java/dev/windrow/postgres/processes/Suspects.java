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

/** The running jobs whose worker may be dead, and the jobs of a process that is known to have ended. Leases are by this process's clock. */
public final class Suspects {
    /** The number of tries to lock a row that another transaction has locked, 5 ms apart. */
    private static final int TRIES = 5;

    private Suspects() {}

    /**
     * Reads the running jobs whose lease has expired, or is longer than leases are, in the order of their leases.
     *
     * @param now the time by the server's clock
     * @param after the end of the page before; null for the first page
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

    /** Reads the running jobs of workers of a process that has ended, with any lease. */
    public static List<Suspect> heldBy(PostgresStatements statements, ServerClock clock, String process, int limit)
            throws SQLException {
        return SuspectRows.read(statements.get(JobSql.HELD_BY).set(1, process).set(2, limit), clock::toLocal, true);
    }

    /** Returns the rows that no other transaction has locked for longer than such a query takes. */
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
