package dev.windrow.postgres.processes;

/** The statements of the registry of workers, and the notification. Written like those in {@link dev.windrow.postgres.job.JobSql}. */
public final class RegistrySql {
    private RegistrySql() {}

    /** By primary key. The time at which the worker started stays. */
    public static final String ANNOUNCE = """
            INSERT INTO windrow_workers (actor, name, host, pid, process, version, queues, types, slots, stuck, started_at,
                                         heartbeat_at, expires_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11, $12)
            ON CONFLICT (actor) DO UPDATE
               SET queues = excluded.queues, types = excluded.types, slots = excluded.slots, stuck = excluded.stuck,
                   heartbeat_at = excluded.heartbeat_at, expires_at = excluded.expires_at
            """;

    /**
     * Entries that ended before $1, and before $2 those of workers named $3: a worker that is started again has a new entry.
     * A scan of a table as small as there are workers.
     */
    public static final String WITHDRAW_EXPIRED = """
            DELETE FROM windrow_workers WHERE expires_at < $1 OR (expires_at < $2 AND name = $3)
            """;

    /** By primary key. */
    public static final String WITHDRAW = """
            DELETE FROM windrow_workers WHERE actor = $1
            """;

    /** A scan of a table as small as there are workers. */
    public static final String WITHDRAW_PROCESS = """
            DELETE FROM windrow_workers WHERE process = $1
            """;

    /** Tells those who listen to channel $1; what is told is a row of $2. Never in a transaction that does anything else. */
    public static final String NOTIFY = """
            SELECT pg_notify($1, message) FROM unnest($2::text[]) AS g (message)
            """;

    /** The queues and types of the live workers, at $1: a scan of a table as small as there are workers. */
    public static final String LIVE_WORKERS = """
            SELECT queues, types FROM windrow_workers WHERE expires_at > $1
            """;

    /**
     * The registry, oldest first, with what each worker holds, at most 1000 jobs. Scans a table as small as there are workers, and reads as
     * many entries of windrow_jobs_running as are running, in their order: else a plan that is made while there are few jobs may read all jobs.
     */
    public static final String READ_WORKERS = """
            SELECT w.name, w.host, w.pid, w.process, w.version, w.queues, w.types, w.slots, w.started_at,
                   w.heartbeat_at, w.expires_at, coalesce(h.ids[1:1000], '{}'), coalesce(h.ahead, 0)
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
