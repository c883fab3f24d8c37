package dev.windrow.postgres.processes;

/** The statements of the registry of workers, and the notification. They follow the rules of {@link dev.windrow.postgres.job.JobSql}. */
public final class RegistrySql {
    private RegistrySql() {}

    /** Inserts or updates the entry of a worker. The start time of the worker stays. By primary key. */
    public static final String ANNOUNCE = """
            INSERT INTO windrow_workers (actor, name, host, pid, process, version, queues, types, slots, stuck, started_at,
                                         heartbeat_at, expires_at, min_priority)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11, $12, $13)
            ON CONFLICT (actor) DO UPDATE
               SET queues = excluded.queues, types = excluded.types, slots = excluded.slots, stuck = excluded.stuck,
                   min_priority = excluded.min_priority, heartbeat_at = excluded.heartbeat_at, expires_at = excluded.expires_at
            """;

    /**
     * Deletes entries that expired before $1. Also deletes entries of workers named $3 that expired before $2, because a worker that is started again
     * has a new entry. Scans a table that has one row for each worker.
     */
    public static final String WITHDRAW_EXPIRED = """
            DELETE FROM windrow_workers WHERE expires_at < $1 OR (expires_at < $2 AND name = $3)
            """;

    /** Deletes the entry of a worker. By primary key. */
    public static final String WITHDRAW = """
            DELETE FROM windrow_workers WHERE actor = $1
            """;

    /** Deletes the entries of a process. Scans a table that has one row for each worker. */
    public static final String WITHDRAW_PROCESS = """
            DELETE FROM windrow_workers WHERE process = $1
            """;

    /** Notifies the listeners of channel $1, with one message for each element of $2. Never in a transaction that does anything else. */
    public static final String NOTIFY = """
            SELECT pg_notify($1, message) FROM unnest($2::text[]) AS g (message)
            """;

    /** The queues, types and lowest priorities of the workers that are alive at $1. Scans a table that has one row for each worker. */
    public static final String LIVE_WORKERS = """
            SELECT queues, types, min_priority FROM windrow_workers WHERE expires_at > $1
            """;

    /**
     * The registry, oldest first, with at most 1000 jobs that each worker holds. Scans a table that has one row for each worker. Reads as many
     * entries of windrow_jobs_running as jobs are running, in their order. Without that order, a plan that is made while there are few jobs could
     * read all jobs.
     */
    public static final String READ_WORKERS = """
            SELECT w.name, w.host, w.pid, w.process, w.version, w.queues, w.types, w.slots, w.started_at,
                   w.heartbeat_at, w.expires_at, w.min_priority, coalesce(h.ids[1:1000], '{}'),
                   coalesce(h.ahead, 0)
              FROM windrow_workers w
              LEFT JOIN (SELECT worker, array_agg(id ORDER BY id) FILTER (WHERE started_at IS NOT NULL) AS ids,
                                count(*) FILTER (WHERE started_at IS NULL) AS ahead
                           FROM (SELECT id, worker, started_at FROM windrow_jobs
                                  WHERE state = 'RUNNING'
                                  ORDER BY lane, claimed_at OFFSET 0) r
                          GROUP BY worker) h ON h.worker = w.actor
             ORDER BY w.started_at, w.name, w.actor
            """;
}
