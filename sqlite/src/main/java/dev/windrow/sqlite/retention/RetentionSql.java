package dev.windrow.sqlite.retention;

import dev.windrow.sqlite.job.JobSql;

/** The statements that find and delete the jobs that have ended long ago, and those of background tasks. Like {@link JobSql}, each statement is whole and can be pasted. */
public final class RetentionSql {
    private RetentionSql() {}

    // ---- rules -------------------------------------------------------------------------------------------------

    /** All rules. A table as small as there are states and types. */
    public static final String READ_RETENTION = """
            SELECT state, type, keep_ms FROM windrow_retention
            """;

    /** The rule for state ?1 and type ?2: keep for ?3. */
    public static final String RETAIN = """
            INSERT INTO windrow_retention (state, type, keep_ms) VALUES (?1, ?2, ?3)
            ON CONFLICT (state, type) DO UPDATE SET keep_ms = excluded.keep_ms
            """;

    /** No rule for state ?1 and type ?2. By primary key. */
    public static final String FORGET_RETENTION = """
            DELETE FROM windrow_retention WHERE state = ?1 AND type = ?2
            """;

    // ---- candidates --------------------------------------------------------------------------------------------

    /** The next jobs that have FAILED, behind ?1. By windrow_jobs_failed. */
    public static final String NEXT_FAILED = """
            SELECT id, lane, state, finished_at, created_at, chain_id FROM windrow_jobs INDEXED BY windrow_jobs_failed
             WHERE state = 'FAILED' AND id > ?1
             ORDER BY id LIMIT ?2
            """;

    /** The next jobs that are CANCELLED, behind ?1. By windrow_jobs_cancelled. */
    public static final String NEXT_CANCELLED = """
            SELECT id, lane, state, finished_at, created_at, chain_id FROM windrow_jobs INDEXED BY windrow_jobs_cancelled
             WHERE state = 'CANCELLED' AND id > ?1
             ORDER BY id LIMIT ?2
            """;

    /** The next jobs of lane ?3 in whatever state, behind ?1, in the order in which they were created. By windrow_jobs_lane. */
    public static final String NEXT_OF_LANE = """
            SELECT id, lane, state, finished_at, created_at, chain_id FROM windrow_jobs INDEXED BY windrow_jobs_lane
             WHERE lane = ?3 AND id > ?1
             ORDER BY id LIMIT ?2
            """;

    /** The chains that begin with the jobs in ?1 (a JSON array), and have gone on. By windrow_jobs_chain, primary key. */
    public static final String CHAINS = """
            SELECT w.value, f.id, f.lane, f.state, f.finished_at, 0
              FROM json_each(?1) w
             CROSS JOIN windrow_jobs f ON f.id = w.value
             WHERE EXISTS (SELECT 1 FROM windrow_jobs n WHERE n.chain_id = w.value AND n.chain_index > 0)
            UNION ALL
            SELECT w.value, j.id, j.lane, j.state, j.finished_at, j.chain_index
              FROM json_each(?1) w
             CROSS JOIN windrow_jobs j ON j.chain_id = w.value AND j.chain_index > 0
            """;

    /**
     * Those of the jobs in ?1 (a JSON array) that others need: a job outside of ?1 depends on it and is not COMPLETED, or its end is still
     * being told to those that do; and those that are still to come back with a parent. By windrow_edges_parent, primary keys.
     */
    public static final String NEEDED = """
            SELECT w.value
              FROM json_each(?1) w
             WHERE EXISTS (SELECT 1 FROM windrow_edges e
                            CROSS JOIN windrow_jobs c ON c.id = e.child
                            WHERE e.parent = w.value AND c.state <> 'COMPLETED'
                              AND e.child NOT IN (SELECT value FROM json_each(?1)))
                OR EXISTS (SELECT 1 FROM windrow_releases r WHERE r.parent = w.value)
                OR EXISTS (SELECT 1 FROM windrow_edges e
                            CROSS JOIN windrow_releases r ON r.parent = e.parent AND r.state = 'RETRIED'
                            WHERE e.child = w.value AND e.cancelled = 1)
            """;

    // ---- deletion ----------------------------------------------------------------------------------------------

    /** What the jobs in ?1 (a JSON array), and the keys that they were enqueued with. By primary keys. */
    public static final String READ_EXPIRING = """
            SELECT j.id, j.lane, j.state, j.finished_at, j.dedupe_key,
                   coalesce(j.dedupe_type, (SELECT l.type FROM windrow_lanes l WHERE l.id = j.lane)), j.error_code
              FROM json_each(?1) w
             CROSS JOIN windrow_jobs j ON j.id = w.value
            """;

    /** The number of edges that the jobs in ?1 (a JSON array) have to children and to parents, each counted up to ?2. By windrow_edges_parent, primary key. */
    public static final String COUNT_EDGES = """
            SELECT w.value,
                   (SELECT count(*) FROM (SELECT 1 FROM windrow_edges e WHERE e.parent = w.value LIMIT ?2)),
                   (SELECT count(*) FROM (SELECT 1 FROM windrow_edges e WHERE e.child = w.value LIMIT ?2))
              FROM json_each(?1) w
            """;

    /** Some (?2) of the edges of job ?1 to children that are not in ?3 (a JSON array), and how these are. By windrow_edges_parent, primary keys. */
    public static final String EDGES_TO_CHILDREN = """
            SELECT e.child, e.position, e.satisfied, c.state
              FROM windrow_edges e
             CROSS JOIN windrow_jobs c ON c.id = e.child
             WHERE e.parent = ?1 AND e.child NOT IN (SELECT value FROM json_each(?3))
             LIMIT ?2
            """;

    /** Some (?2) of the edges of job ?1 to its parents. By primary key. */
    public static final String EDGES_TO_PARENTS = """
            SELECT e.child, e.position, e.satisfied, 'COMPLETED' FROM windrow_edges e WHERE e.child = ?1 LIMIT ?2
            """;

    /** The edge at ?2 of COMPLETED job ?1, of which one job goes. By primary key. */
    public static final String FORGET_EDGE = """
            DELETE FROM windrow_edges WHERE child = ?1 AND position = ?2
            """;

    /** COMPLETED job ?1 no longer counts a parent that was open. By primary key. */
    public static final String FORGET_OPEN_EDGE = """
            UPDATE windrow_jobs SET open_parents = open_parents - 1 WHERE id = ?1
            """;

    /** The blobs of the jobs in ?1 (a JSON array): their files, and of those in parts how many these are. By windrow_blobs_job. */
    static final String EXPIRING_BLOBS = """
            SELECT b.file, (b.bytes + 262143) / 262144 FROM json_each(?1) w CROSS JOIN windrow_blobs b ON b.job_id = w.value
            """;

    /** The blobs in parts of the jobs in ?1 (a JSON array), which go without them -> of no job, not whole, the first to be swept. By windrow_blobs_job. */
    static final String LEAVE_BLOBS = """
            UPDATE windrow_blobs SET job_id = NULL, kind = NULL, bytes = NULL, sha256 = NULL, created_at = 0
             WHERE job_id IN (SELECT value FROM json_each(?1)) AND file IS NULL
            """;

    /** COMPLETED children no longer count parents in ?1 (a JSON array), which go. By windrow_edges_parent. */
    public static final String FORGET_PARENTS = """
            UPDATE windrow_jobs
               SET open_parents = open_parents - (SELECT count(*) FROM windrow_edges e
                                                   WHERE e.child = windrow_jobs.id AND e.satisfied = 0
                                                     AND e.parent IN (SELECT value FROM json_each(?1)))
             WHERE id IN (SELECT e.child FROM json_each(?1) w
                           CROSS JOIN windrow_edges e ON e.parent = w.value
                           WHERE e.satisfied = 0)
            """;

    /** COMPLETED | FAILED | CANCELLED (?2), ended at ?3 -> gone, with all that belongs to it (ON DELETE CASCADE). By primary key. */
    public static final String EXPIRE = """
            DELETE FROM windrow_jobs WHERE id = ?1 AND state = ?2 AND finished_at = ?3
            """;

    /** A window that is over at ?1 goes with its job; what holds on, holds on without it. By primary key. */
    public static final String EXPIRE_KEY = """
            DELETE FROM windrow_dedupe WHERE type = ?2 AND key = ?3 AND job_id = ?4 AND scope = 'WINDOW' AND expires_at <= ?1
            """;

    /** A pass of retention has begun to delete. */
    public static final String INSERT_PASS = """
            INSERT INTO windrow_audit (at, actor, action, jobs, detail) VALUES (?1, ?2, 'EXPIRE', ?3, ?4)
            RETURNING id
            """;

    /** The pass goes on. By primary key. */
    public static final String GROW_PASS = """
            UPDATE windrow_audit SET jobs = jobs + ?2, detail = ?3 WHERE id = ?1
            """;

    // ---- what is no job ----------------------------------------------------------------------------------------

    /** Sums of minutes before ?1, at most ?2. In the order of the primary key. */
    public static final String EXPIRE_MINUTES = """
            DELETE FROM windrow_minutes
             WHERE (minute, lane) IN (SELECT minute, lane FROM windrow_minutes WHERE minute < ?1 ORDER BY minute, lane LIMIT ?2)
            """;

    /** Entries of the audit from before ?1, at most ?2, as far as they are the oldest ones. In the order of the primary key. */
    public static final String EXPIRE_AUDIT = """
            DELETE FROM windrow_audit
             WHERE id IN (SELECT id FROM (SELECT id, at FROM windrow_audit ORDER BY id LIMIT ?2) WHERE at < ?1)
            """;

    /** Workers that were alive until ?1 at the latest. A table as small as there are workers. */
    public static final String EXPIRE_WORKERS = """
            DELETE FROM windrow_workers WHERE expires_at < ?1
            """;

    // ---- lanes -------------------------------------------------------------------------------------------------

    /**
     * At most ?1 lanes behind lane ?2 and up to ?3 that nothing uses: without jobs and sums of minutes, of a queue without pause or limit. Not the newest lane, so that its
     * number is not given again, and not the last lane of a type that has counted retries. Reads the lanes between, in the order of the primary key.
     */
    public static final String IDLE_LANES = """
            SELECT l.id FROM windrow_lanes l NOT INDEXED
             WHERE l.id > ?2 AND l.id <= ?3
               AND l.id < (SELECT max(id) FROM windrow_lanes)
               AND NOT EXISTS (SELECT 1 FROM windrow_jobs j WHERE j.lane = l.id)
               AND NOT EXISTS (SELECT 1 FROM windrow_minutes m WHERE m.lane = l.id)
               AND NOT EXISTS (SELECT 1 FROM windrow_counters c WHERE c.lane = l.id AND c.n <> 0)
               AND NOT EXISTS (SELECT 1 FROM windrow_limits c WHERE c.kind = 'QUEUE' AND c.name = l.queue)
               AND (NOT EXISTS (SELECT 1 FROM windrow_retry_counters r WHERE r.lane = l.id)
                    OR EXISTS (SELECT 1 FROM windrow_lanes o WHERE o.type = l.type AND o.id <> l.id))
             ORDER BY l.id
             LIMIT ?1
            """;

    /** Another lane of the same type takes over the retries that lane ?1 has counted. By primary keys and windrow_lanes_type. */
    static final String HAND_OVER_RETRIES = """
            INSERT INTO windrow_retry_counters (lane, attempt, n)
            SELECT (SELECT max(o.id) FROM windrow_lanes o
                     WHERE o.type = (SELECT l.type FROM windrow_lanes l WHERE l.id = ?1) AND o.id <> ?1),
                   r.attempt, r.n
              FROM windrow_retry_counters r
             WHERE r.lane = ?1
            ON CONFLICT (lane, attempt) DO UPDATE SET n = n + excluded.n
            """;

    /** By primary key. */
    static final String DELETE_RETRIES = """
            DELETE FROM windrow_retry_counters WHERE lane = ?1
            """;

    /** By primary key. */
    static final String DELETE_COUNTERS = """
            DELETE FROM windrow_counters WHERE lane = ?1
            """;

    /** By primary key. */
    static final String DELETE_LANE = """
            DELETE FROM windrow_lanes WHERE id = ?1
            """;

    /** ?1 more lanes are deleted: processes that know them read the lanes anew. By primary key. */
    static final String COUNT_DELETED_LANES = """
            UPDATE windrow_ids SET lanes_deleted = lanes_deleted + ?1 WHERE one = 1 RETURNING lanes_deleted
            """;

    // ---- sums of failures --------------------------------------------------------------------------------------

    /**
     * Codes whose sums are not what the jobs say: how many jobs more there are than the sum says, and when the sums were last put right. What others
     * do changes both by as much. Walks windrow_jobs_failed_code, and scans the table of the sums.
     */
    public static final String WRONG_SUMS = """
            SELECT b.error_code, sum(b.n), (SELECT last_at FROM windrow_leaders WHERE name = ?1)
              FROM (SELECT error_code, -n AS n FROM windrow_failures
                    UNION ALL
                    SELECT coalesce(error_code, ''), count(*) FROM windrow_jobs WHERE state = 'FAILED' GROUP BY error_code) b
             GROUP BY b.error_code HAVING sum(b.n) <> 0
            """;

    /** When the first and the last of the newest ?2 jobs failed that are FAILED with code ?1. By windrow_jobs_failed_code. */
    public static final String FAILED_WITH_CODE = """
            SELECT min(finished_at), max(finished_at)
              FROM (SELECT finished_at FROM windrow_jobs WHERE state = 'FAILED' AND error_code = ?1 ORDER BY id DESC LIMIT ?2)
            """;

    /** The same of those without a code. By windrow_jobs_failed_code. */
    public static final String FAILED_WITHOUT_CODE = """
            SELECT min(finished_at), max(finished_at)
              FROM (SELECT finished_at FROM windrow_jobs WHERE state = 'FAILED' AND error_code IS NULL ORDER BY id DESC LIMIT ?1)
            """;

    /** The sums (?1) are put right at ?3, if that was not done since ?2. By primary key. */
    public static final String MARK_RECOUNT = """
            INSERT INTO windrow_leaders (name, last_at) VALUES (?1, ?3)
            ON CONFLICT (name) DO UPDATE SET last_at = excluded.last_at WHERE last_at IS ?2
            """;

    // ---- background tasks
    // ------------------------------------------------------------------------------------------------

    /** The state of task ?1. By primary key. */
    public static final String READ_TASK = """
            SELECT holder, until_at, last_at, detail FROM windrow_leaders WHERE name = ?1
            """;

    /**
     * Duty ?1 is that of ?2 until ?4, by the clock ?3: if it was before, nobody has it, or whoever had it has let the time pass, or has it
     * for longer than ?5, which a clock that was ahead has written; and if it was not done since ?6. By primary key.
     */
    public static final String LEAD = """
            INSERT INTO windrow_leaders (name, holder, until_at) VALUES (?1, ?2, ?4)
            ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until_at = excluded.until_at
             WHERE (holder IS NULL OR holder = ?2 OR until_at <= ?3 OR until_at > ?5)
               AND (holder IS ?2 OR last_at IS NULL OR last_at <= ?6 OR last_at > ?3)
            """;

    /** Duty ?1, which is still that of ?2, is free. By primary key. */
    public static final String RESIGN = """
            UPDATE windrow_leaders SET holder = NULL, until_at = NULL WHERE name = ?1 AND holder = ?2
            """;

    /** Duty ?1, which is still that of ?2, is done at ?3, with ?4 to tell. By primary key. */
    public static final String END_TASK = """
            UPDATE windrow_leaders SET holder = NULL, until_at = NULL, last_at = ?3, detail = ?4 WHERE name = ?1 AND holder = ?2
            """;
}
