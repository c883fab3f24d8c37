package dev.windrow.postgres.processes;

import dev.windrow.monitor.WorkerInfo;
import dev.windrow.postgres.connection.PostgresQuery;
import dev.windrow.postgres.connection.PostgresStatements;
import dev.windrow.postgres.query.ReadSql;
import dev.windrow.postgres.workflow.Dependents;
import dev.windrow.store.job.Claim;
import dev.windrow.store.sql.connection.Rows;
import dev.windrow.store.sql.processes.Registry;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;

/** The reads of the registry of workers, and of the jobs that keep them busy. */
public final class Workers {
    private Workers() {}

    /** Reads all registered workers, oldest first, with the jobs that they hold. */
    public static List<WorkerInfo> read(PostgresStatements statements, long now) throws SQLException {
        return statements
                .get(RegistrySql.READ_WORKERS)
                .list(rows -> Registry.worker(rows, now, Rows.longs(rows, 13), rows.getLong(14)));
    }

    /** Returns how many jobs keep a worker of these queues and types busy. Of the jobs that wait for a retry, at most one is counted. */
    public static long unfinished(
            PostgresStatements statements, Collection<String> queues, Collection<String> types, int minPriority)
            throws SQLException {
        PostgresQuery count = statements
                .get(minPriority == Claim.EVERY_PRIORITY ? ReadSql.UNFINISHED : ReadSql.UNFINISHED_FROM)
                .texts(1, queues)
                .texts(2, types);
        if (minPriority != Claim.EVERY_PRIORITY) {
            count.set(3, Integer.valueOf(minPriority));
        }
        long unfinished = count.one();
        if (unfinished > 0) {
            return unfinished;
        }
        Long retry = statements
                .get(ReadSql.RETRY_SCHEDULED)
                .texts(1, queues)
                .texts(2, types)
                .set(3, Integer.valueOf(minPriority))
                .oneOrNull();
        // Children that are not released yet may be jobs of these queues, and are about to be ready.
        return retry == null && Dependents.unfinished(statements).isEmpty() ? 0 : 1;
    }
}
