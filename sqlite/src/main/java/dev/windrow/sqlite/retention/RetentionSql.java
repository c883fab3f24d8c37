package dev.windrow.sqlite.retention;

import dev.windrow.sqlite.job.JobSql;

/**
 * The statements that find and delete jobs that ended long ago, and the statements of background tasks. As in {@link JobSql}, each statement is whole
 * and can be pasted.
 */
public final class RetentionSql {
    private RetentionSql() {}

    // ---- rules -------------------------------------------------------------------------------------------------

    /** All rules. A small table with a row for each state and type that has a rule. */
    public static final String READ_RETENTION = """
            SELECT state, type, keep_ms FROM windrow_retention
            """;

    /** Sets the rule for state ?1 and type ?2: keep for ?3. */
    public static final String RETAIN = """
            INSERT INTO windrow_retention (state, type, keep_ms) VALUES (?1, ?2, ?3)
            ON CONFLICT (state, type) DO UPDATE SET keep_ms = excluded.keep_ms
            """;

    /** Deletes the rule for state ?1 and type ?2. By primary key. */
    public static final String FORGET_RETENTION = """
            DELETE FROM windrow_retention WHERE state = ?1 AND type = ?2
            """;

    // ---- candidates --------------------------------------------------------------------------------------------

    /** The next FAILED jobs after ?1. By windrow_jobs_failed. */
    public static final String NEXT_FAILED = """
            SELECT id, lane, state, finished_at, created_at, chain_id FROM windrow_jobs INDEXED BY windrow_jobs_failed
             WHERE state = 'FAILED' AND id > ?1
             ORDER BY id LIMIT ?2
            """;

    /** The next CANCELLED jobs after ?1. By windrow_jobs_cancelled. */
    public static final String NEXT_CANCELLED = """
            SELECT id, lane, state, finished_at, created_at, chain_id FROM windrow_jobs INDEXED BY windrow_jobs_cancelled
             WHERE state = 'CANCELLED' AND id > ?1
             ORDER BY id LIMIT ?2
            """;

    /** The next jobs of lane ?3 in any state, after ?1, in the order in which they were created. By windrow_jobs_lane. */
    public static final String NEXT_OF_LANE = """
            SELECT id, lane, state, finished_at, created_at, chain_id FROM windrow_jobs INDEXED BY windrow_jobs_lane
             WHERE lane = ?3 AND id > ?1
             ORDER BY id LIMIT ?2
            """;

    /** The jobs of the chains that begin with the jobs in ?1 (a JSON array) and have a second job. By windrow_jobs_chain, primary key. */
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
     * The jobs in ?1 (a JSON array) that must be kept. A job outside of ?1 and ?2 (a JSON array) depends on it and is not COMPLETED, or the release of
     * its children is not finished. Or it is still to be retried with a parent. By windrow_edges_parent, primary keys.
     */
    public static final String NEEDED = """
            SELECT w.value
              FROM json_each(?1) w
             WHERE EXISTS (SELECT 1 FROM windrow_edges e
                            CROSS JOIN windrow_jobs c ON c.id = e.child
                            WHERE e.parent = w.value AND c.state <> 'COMPLETED'
                              AND e.child NOT IN (SELECT value FROM json_each(?1))
                              AND e.child NOT IN (SELECT value FROM json_each(?2)))
                OR EXISTS (SELECT 1 FROM windrow_releases r WHERE r.parent = w.value)
                OR EXISTS (SELECT 1 FROM windrow_edges e
                            CROSS JOIN windrow_releases r ON r.parent = e.parent AND r.state = 'RETRIED'
                            WHERE e.child = w.value AND e.cancelled = 1)
            """;

    /** The children of the jobs in ?1 (a JSON array). By windrow_edges_parent. */
    public static final String CHILDREN = """
            SELECT e.child FROM json_each(?1) w CROSS JOIN windrow_edges e ON e.parent = w.value
            """;

    // ---- deletion ----------------------------------------------------------------------------------------------

    /** The columns of the jobs in ?1 (a JSON array) that a deletion needs, with the dedupe keys of their enqueues. By primary keys. */
    public static final String READ_EXPIRING = """
            SELECT j.id, j.lane, j.state, j.finished_at, j.dedupe_key,
                   coalesce(j.dedupe_type, (SELECT l.type FROM windrow_lanes l WHERE l.id = j.lane)), j.error_code
              FROM json_each(?1) w
             CROSS JOIN windrow_jobs j ON j.id = w.value
            """;

    /**
     * The number of edges that the jobs in ?1 (a JSON array) have to children and to parents, each counted up to ?2. By windrow_edges_parent, primary
     * key.
     */
    public static final String COUNT_EDGES = """
            SELECT w.value,
                   (SELECT count(*) FROM (SELECT 1 FROM windrow_edges e WHERE e.parent = w.value LIMIT ?2)),
                   (SELECT count(*) FROM (SELECT 1 FROM windrow_edges e WHERE e.child = w.value LIMIT ?2))
              FROM json_each(?1) w
            """;

    /**
     * Edges of job ?1 to children that are not in ?3 (a JSON array), with the states of the children, at most ?2. By windrow_edges_parent, primary
     * keys.
     */
    public static final String EDGES_TO_CHILDREN = """
            SELECT e.child, e.position, e.satisfied, c.state
              FROM windrow_edges e
             CROSS JOIN windrow_jobs c ON c.id = e.child
             WHERE e.parent = ?1 AND e.child NOT IN (SELECT value FROM json_each(?3))
             LIMIT ?2
            """;

    /** Edges of job ?1 to its parents, at most ?2. By primary key. */
    public static final String EDGES_TO_PARENTS = """
            SELECT e.child, e.position, e.satisfied, 'COMPLETED' FROM windrow_edges e WHERE e.child = ?1 LIMIT ?2
            """;

    /** Deletes the edge at ?2 of COMPLETED job ?1, because one of the edge's jobs is deleted. By primary key. */
    public static final String FORGET_EDGE = """
            DELETE FROM windrow_edges WHERE child = ?1 AND position = ?2
            """;

    /** Removes an open parent from the count of COMPLETED job ?1. By primary key. */
    public static final String FORGET_OPEN_EDGE = """
            UPDATE windrow_jobs SET open_parents = open_parents - 1 WHERE id = ?1
            """;

    /** The blobs of the jobs in ?1 (a JSON array): the file, or for a blob in chunks their number. By windrow_blobs_job. */
    static final String EXPIRING_BLOBS = """
            SELECT b.file, (b.bytes + 262143) / 262144 FROM json_each(?1) w CROSS JOIN windrow_blobs b ON b.job_id = w.value
            """;

    /**
     * The blobs in chunks of the jobs in ?1 (a JSON array) -> blobs of no job, incomplete, the first to be swept. The jobs are deleted without them.
     * By windrow_blobs_job.
     */
    static final String LEAVE_BLOBS = """
            UPDATE windrow_blobs SET job_id = NULL, kind = NULL, bytes = NULL, sha256 = NULL, created_at = 0
             WHERE job_id IN (SELECT value FROM json_each(?1)) AND file IS NULL
            """;

    /** Removes the parents in ?1 (a JSON array), which are deleted, from the counts of COMPLETED children. By windrow_edges_parent. */
    public static final String FORGET_PARENTS = """
            UPDATE windrow_jobs
               SET open_parents = open_parents - (SELECT count(*) FROM windrow_edges e
                                                   WHERE e.child = windrow_jobs.id AND e.satisfied = 0
                                                     AND e.parent IN (SELECT value FROM json_each(?1)))
             WHERE id IN (SELECT e.child FROM json_each(?1) w
                           CROSS JOIN windrow_edges e ON e.parent = w.value
                           WHERE e.satisfied = 0)
            """;

    /** COMPLETED | FAILED | CANCELLED (?2), ended at ?3 -> deleted, with all rows that belong to it (ON DELETE CASCADE). By primary key. */
    public static final String EXPIRE = """
            DELETE FROM windrow_jobs WHERE id = ?1 AND state = ?2 AND finished_at = ?3
            """;

    /** Deletes the dedupe key of a job if its window has ended at ?1. A window that lasts longer stays without the job. By primary key. */
    public static final String EXPIRE_KEY = """
            DELETE FROM windrow_dedupe WHERE type = ?2 AND key = ?3 AND job_id = ?4 AND scope = 'WINDOW' AND expires_at <= ?1
            """;

    /** Records that a pass of retention has begun to delete. */
    public static final String INSERT_PASS = """
            INSERT INTO windrow_audit (at, actor, action, jobs, detail, reason) VALUES (?1, ?2, 'EXPIRE', ?3, ?4, ?5)
            RETURNING id
            """;

    /** Adds a batch to the entry of the pass. By primary key. */
    public static final String GROW_PASS = """
            UPDATE windrow_audit SET jobs = jobs + ?2, detail = ?3 WHERE id = ?1
            """;

    // ---- rows other than jobs ----------------------------------------------------------------------------------

    /** Deletes sums of minutes and hours that begin before minute ?1, at most ?2. By primary key. */
    public static final String EXPIRE_THROUGHPUT = """
            DELETE FROM windrow_throughput
             WHERE (length, minute, lane) IN (SELECT length, minute, lane FROM windrow_throughput
                                               WHERE length IN (1, 60) AND minute < ?1 LIMIT ?2)
            """;

    /** Deletes entries of the audit from before ?1, among the ?2 oldest ones, with their jobs. In the order of the primary key. */
    public static final String EXPIRE_AUDIT = """
            DELETE FROM windrow_audit
             WHERE id IN (SELECT id FROM (SELECT id, at FROM windrow_audit ORDER BY id LIMIT ?2) WHERE at < ?1)
            """;

    /** Deletes workers whose entries ended before ?1. A small table with a row for each worker. */
    public static final String EXPIRE_WORKERS = """
            DELETE FROM windrow_workers WHERE expires_at < ?1
            """;

    // ---- lanes -------------------------------------------------------------------------------------------------

    /**
     * Unused lanes after lane ?2 and up to ?3, at most ?1: without jobs and sums of attempts, and of a queue without a pause or limit. Not the newest
     * lane, so that its number is not used again. Not the last lane of a type that has counted retries. Reads the lanes between, in the order of the
     * primary key.
     */
    public static final String IDLE_LANES = """
            SELECT l.id FROM windrow_lanes l NOT INDEXED
             WHERE l.id > ?2 AND l.id <= ?3
               AND l.id < (SELECT max(id) FROM windrow_lanes)
               AND NOT EXISTS (SELECT 1 FROM windrow_jobs j WHERE j.lane = l.id)
               AND NOT EXISTS (SELECT 1 FROM windrow_throughput m WHERE m.lane = l.id)
               AND NOT EXISTS (SELECT 1 FROM windrow_counters c WHERE c.lane = l.id AND c.n <> 0)
               AND NOT EXISTS (SELECT 1 FROM windrow_limits c WHERE c.kind = 'QUEUE' AND c.name = l.queue)
               AND (NOT EXISTS (SELECT 1 FROM windrow_retry_counters r WHERE r.lane = l.id)
                    OR EXISTS (SELECT 1 FROM windrow_lanes o WHERE o.type = l.type AND o.id <> l.id))
             ORDER BY l.id
             LIMIT ?1
            """;

    /** Adds the retries that lane ?1 has counted to another lane of the same type. By primary keys and windrow_lanes_type. */
    static final String HAND_OVER_RETRIES = """
            INSERT INTO windrow_retry_counters (lane, attempt, n)
            SELECT (SELECT max(o.id) FROM windrow_lanes o
                     WHERE o.type = (SELECT l.type FROM windrow_lanes l WHERE l.id = ?1) AND o.id <> ?1),
                   r.attempt, r.n
              FROM windrow_retry_counters r
             WHERE r.lane = ?1
            ON CONFLICT (lane, attempt) DO UPDATE SET n = n + excluded.n
            """;

    /** Deletes the retry counters of lane ?1. By primary key. */
    static final String DELETE_RETRIES = """
            DELETE FROM windrow_retry_counters WHERE lane = ?1
            """;

    /** Deletes the counters of lane ?1. By primary key. */
    static final String DELETE_COUNTERS = """
            DELETE FROM windrow_counters WHERE lane = ?1
            """;

    /** Deletes lane ?1. By primary key. */
    static final String DELETE_LANE = """
            DELETE FROM windrow_lanes WHERE id = ?1
            """;

    /** Adds ?1 to the number of deleted lanes. Processes that have cached the lanes read them again. By primary key. */
    static final String COUNT_DELETED_LANES = """
            UPDATE windrow_ids SET lanes_deleted = lanes_deleted + ?1 WHERE one = 1 RETURNING lanes_deleted
            """;

    // ---- sums of failures --------------------------------------------------------------------------------------

    /**
     * Codes whose sums differ from the counts of jobs: the number of jobs above the sum, and the time at which the sums were last corrected. Other
     * transactions change both by the same number. Walks windrow_jobs_failed_code, and scans the table of the sums.
     */
    public static final String WRONG_SUMS = """
            SELECT b.error_code, sum(b.n), (SELECT last_at FROM windrow_leaders WHERE name = ?1)
              FROM (SELECT error_code, -n AS n FROM windrow_failures
                    UNION ALL
                    SELECT coalesce(error_code, ''), count(*) FROM windrow_jobs INDEXED BY windrow_jobs_failed_code
                      WHERE state = 'FAILED' GROUP BY error_code) b
             GROUP BY b.error_code HAVING sum(b.n) <> 0
            """;

    /** The times at which the first and the last of the newest ?2 jobs failed that are FAILED with code ?1. By windrow_jobs_failed_code. */
    public static final String FAILED_WITH_CODE = """
            SELECT min(finished_at), max(finished_at)
              FROM (SELECT finished_at FROM windrow_jobs WHERE state = 'FAILED' AND error_code = ?1 ORDER BY id DESC LIMIT ?2)
            """;

    /** The times at which the first and the last of the newest ?1 jobs failed that are FAILED without a code. By windrow_jobs_failed_code. */
    public static final String FAILED_WITHOUT_CODE = """
            SELECT min(finished_at), max(finished_at)
              FROM (SELECT finished_at FROM windrow_jobs WHERE state = 'FAILED' AND error_code IS NULL ORDER BY id DESC LIMIT ?1)
            """;

    /** Records that the sums (?1) are corrected at ?3, if they were not since ?2. By primary key. */
    public static final String MARK_RECOUNT = """
            INSERT INTO windrow_leaders (name, last_at) VALUES (?1, ?3)
            ON CONFLICT (name) DO UPDATE SET last_at = excluded.last_at WHERE last_at IS ?2
            """;

    // ---- background tasks ------------------------------------------------------------------------------------------

    /** The state of task ?1. By primary key. */
    public static final String READ_TASK = """
            SELECT holder, until_at, last_at, detail FROM windrow_leaders WHERE name = ?1
            """;

    /**
     * Makes process ?2 the leader of task ?1 until ?4, by the clock ?3. It may lead again, or the task has no leader, or the leader's time is over. A
     * time after ?5 counts as over, because a clock that was ahead has written it. A new leader also needs that the task was not done since ?6. By
     * primary key.
     */
    public static final String LEAD = """
            INSERT INTO windrow_leaders (name, holder, until_at) VALUES (?1, ?2, ?4)
            ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until_at = excluded.until_at
             WHERE (holder IS NULL OR holder = ?2 OR until_at <= ?3 OR until_at > ?5)
               AND (holder IS ?2 OR last_at IS NULL OR last_at <= ?6 OR last_at > ?3)
            """;

    /** Frees task ?1, if ?2 still leads it. By primary key. */
    public static final String RESIGN = """
            UPDATE windrow_leaders SET holder = NULL, until_at = NULL WHERE name = ?1 AND holder = ?2
            """;

    /** Records that task ?1 was done at ?3 with detail ?4, and frees it, if ?2 still leads it. By primary key. */
    public static final String END_TASK = """
            UPDATE windrow_leaders SET holder = NULL, until_at = NULL, last_at = ?3, detail = ?4 WHERE name = ?1 AND holder = ?2
            """;
}
