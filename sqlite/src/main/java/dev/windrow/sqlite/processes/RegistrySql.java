package dev.windrow.sqlite.processes;

/** The statements of the registry of workers. Written like the statements in {@link dev.windrow.sqlite.job.JobSql}. */
public final class RegistrySql {
    private RegistrySql() {}

    /** Inserts or updates the entry of a worker. An update keeps the time at which the worker started. By primary key. */
    public static final String ANNOUNCE = """
            INSERT INTO windrow_workers (actor, name, host, pid, process, version, queues, types, slots, stuck, started_at,
                                         heartbeat_at, expires_at, min_priority)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?11, ?12, ?13)
            ON CONFLICT (actor) DO UPDATE
               SET queues = excluded.queues, types = excluded.types, slots = excluded.slots, stuck = excluded.stuck,
                   min_priority = excluded.min_priority, heartbeat_at = excluded.heartbeat_at, expires_at = excluded.expires_at
            """;

    /**
     * Deletes entries that ended before ?1, and entries of workers named ?3 that ended before ?2. A restarted worker has a new entry. Scans a small
     * table with a row for each worker.
     */
    public static final String WITHDRAW_EXPIRED = """
            DELETE FROM windrow_workers WHERE expires_at < ?1 OR (expires_at < ?2 AND name = ?3)
            """;

    /** Deletes the entry of worker ?1. By primary key. */
    public static final String WITHDRAW = """
            DELETE FROM windrow_workers WHERE actor = ?1
            """;

    /** Deletes the entries of process ?1. Scans a small table with a row for each worker. */
    public static final String WITHDRAW_PROCESS = """
            DELETE FROM windrow_workers WHERE process = ?1
            """;

    /** All entries. Scans a small table with a row for each worker. */
    public static final String READ_WORKERS = """
            SELECT w.name, w.host, w.pid, w.process, w.version, w.queues, w.types, w.slots, w.started_at,
                   w.heartbeat_at, w.expires_at, w.min_priority, w.actor
              FROM windrow_workers w
             ORDER BY w.started_at, w.name, w.actor
            """;

    /** The running jobs with their workers, and whether the handler was called. Reads as many entries of windrow_jobs_lease as jobs are running. */
    public static final String READ_HELD = """
            SELECT j.worker, j.id, j.started_at IS NOT NULL FROM windrow_jobs j INDEXED BY windrow_jobs_lease
             WHERE j.state = 'RUNNING'
            """;

    /** The queues, types and lowest priorities of the workers that are alive at ?1, as JSON arrays. Scans a small table with a row for each worker. */
    public static final String LIVE_WORKERS = """
            SELECT queues, types, min_priority FROM windrow_workers WHERE expires_at > ?1
            """;
}
