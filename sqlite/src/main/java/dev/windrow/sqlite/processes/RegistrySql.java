package dev.windrow.sqlite.processes;

/** The statements of the registry of workers. Written like those in {@link dev.windrow.sqlite.job.JobSql}. */
public final class RegistrySql {
    private RegistrySql() {}

    /** By primary key. The time at which the worker started stays. */
    public static final String ANNOUNCE = """
            INSERT INTO windrow_workers (actor, name, host, pid, process, version, queues, types, slots, stuck, started_at,
                                         heartbeat_at, expires_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?11, ?12)
            ON CONFLICT (actor) DO UPDATE
               SET queues = excluded.queues, types = excluded.types, slots = excluded.slots, stuck = excluded.stuck,
                   heartbeat_at = excluded.heartbeat_at, expires_at = excluded.expires_at
            """;

    /**
     * Entries that ended before ?1, and before ?2 those of workers named ?3: a worker that is started again has a new entry.
     * A scan of a table as small as there are workers.
     */
    public static final String WITHDRAW_EXPIRED = """
            DELETE FROM windrow_workers WHERE expires_at < ?1 OR (expires_at < ?2 AND name = ?3)
            """;

    /** By primary key. */
    public static final String WITHDRAW = """
            DELETE FROM windrow_workers WHERE actor = ?1
            """;

    /** A scan of a table as small as there are workers. */
    public static final String WITHDRAW_PROCESS = """
            DELETE FROM windrow_workers WHERE process = ?1
            """;

    /** A scan of a table as small as there are workers. */
    public static final String READ_WORKERS = """
            SELECT w.name, w.host, w.pid, w.process, w.version, w.queues, w.types, w.slots, w.started_at,
                   w.heartbeat_at, w.expires_at, w.actor
              FROM windrow_workers w
             ORDER BY w.started_at, w.name, w.actor
            """;

    /** Who holds what, and whether its handler was called; reads as many entries of windrow_jobs_lease as are running. */
    public static final String READ_HELD = """
            SELECT j.worker, j.id, j.started_at IS NOT NULL FROM windrow_jobs j INDEXED BY windrow_jobs_lease
             WHERE j.state = 'RUNNING'
            """;

    /** The queues and types of the live workers, at ?1, as JSON arrays: a scan of a table as small as there are workers. */
    public static final String LIVE_WORKERS = """
            SELECT queues, types FROM windrow_workers WHERE expires_at > ?1
            """;
}
