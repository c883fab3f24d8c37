package dev.windrow.postgres.retention;

import dev.windrow.postgres.job.JobSql;

/**
 * The statements that find and delete jobs that ended long ago, and the statements of background tasks. As in {@link JobSql}, each statement is
 * complete and can be pasted. OFFSET 0 and LIMIT keep the planner from joining the selected rows in another way.
 */
public final class RetentionSql {
    private RetentionSql() {}

    // ---- rules -------------------------------------------------------------------------------------------------

    /** All rules. Scans a table that has one row for each state and type with a rule. */
    public static final String READ_RETENTION = """
            SELECT state, type, keep_ms FROM windrow_retention
            """;

    /** All rules, locked until the end of the transaction for a change of one rule. */
    public static final String LOCK_RETENTION = """
            SELECT state, type, keep_ms FROM windrow_retention ORDER BY state, type FOR UPDATE
            """;

    /** Sets the rule for state $1 and type $2: keep for $3. */
    public static final String RETAIN = """
            INSERT INTO windrow_retention (state, type, keep_ms) VALUES ($1, $2, $3)
            ON CONFLICT (state, type) DO UPDATE SET keep_ms = excluded.keep_ms
            """;

    /** Deletes the rule for state $1 and type $2. By primary key. */
    public static final String FORGET_RETENTION = """
            DELETE FROM windrow_retention WHERE state = $1 AND type = $2
            """;

    // ---- candidates --------------------------------------------------------------------------------------------

    /** The next FAILED jobs after id $1. By windrow_jobs_failed_id, windrow_inputs_pkey. */
    public static final String NEXT_FAILED = """
            SELECT j.id, j.lane, j.state, j.finished_at, i.created_at, i.chain_id
              FROM (SELECT * FROM windrow_jobs WHERE state = 'FAILED' AND id > $1 ORDER BY id LIMIT $2::integer) j
             CROSS JOIN LATERAL (SELECT i.created_at, i.chain_id FROM windrow_inputs i WHERE i.job_id = j.id OFFSET 0) i
            """;

    /** The next CANCELLED jobs after id $1. By windrow_jobs_cancelled, windrow_inputs_pkey. */
    public static final String NEXT_CANCELLED = """
            SELECT j.id, j.lane, j.state, j.finished_at, i.created_at, i.chain_id
              FROM (SELECT * FROM windrow_jobs WHERE state = 'CANCELLED' AND id > $1 ORDER BY id LIMIT $2::integer) j
             CROSS JOIN LATERAL (SELECT i.created_at, i.chain_id FROM windrow_inputs i WHERE i.job_id = j.id OFFSET 0) i
            """;

    /** The next jobs of lane $3 in any state after id $1, nearly in the order of their creation. By windrow_inputs_lane, windrow_jobs_pkey. */
    public static final String NEXT_OF_LANE = """
            SELECT i.job_id, i.lane, j.state, j.finished_at, i.created_at, i.chain_id
              FROM (SELECT * FROM windrow_inputs
                     WHERE (lane, job_id) > ($3::integer, $1) ORDER BY lane, job_id LIMIT $2::integer) i
             CROSS JOIN LATERAL (SELECT j.state, j.finished_at FROM windrow_jobs j WHERE j.id = i.job_id OFFSET 0) j
             WHERE i.lane = $3::integer
            """;

    /** The jobs of the chains that begin with the jobs $1 and have more than one job. By windrow_inputs_chain, windrow_jobs_pkey. */
    public static final String CHAINS = """
            SELECT w.id, f.id, f.lane, f.state, f.finished_at, 0
              FROM unnest($1::bigint[]) AS w (id)
             CROSS JOIN LATERAL (SELECT 1 FROM windrow_inputs n WHERE n.chain_id = w.id AND n.chain_index > 0 LIMIT 1) n
             CROSS JOIN LATERAL (SELECT f.* FROM windrow_jobs f WHERE f.id = w.id OFFSET 0) f
            UNION ALL
            SELECT w.id, j.id, j.lane, j.state, j.finished_at, n.chain_index
              FROM unnest($1::bigint[]) AS w (id)
             CROSS JOIN LATERAL (SELECT n.job_id, n.chain_index FROM windrow_inputs n
                                  WHERE n.chain_id = w.id AND n.chain_index > 0 OFFSET 0) n
             CROSS JOIN LATERAL (SELECT j.* FROM windrow_jobs j WHERE j.id = n.job_id OFFSET 0) j
            """;

    /**
     * The jobs of $1 that are still needed. A job is needed if a child outside of $1 and $2 is not COMPLETED. It is needed while its end or its retry is not
     * yet applied to its children. It is also needed if it will come back with a retried parent. By windrow_edges_parent, windrow_jobs_pkey,
     * windrow_releases_pkey, windrow_edges_pkey.
     */
    public static final String NEEDED = """
            SELECT w.id
              FROM unnest($1::bigint[]) AS w (id)
             CROSS JOIN LATERAL (
                   SELECT 1
                     FROM (SELECT e.child
                             FROM windrow_edges e
                            WHERE e.parent = w.id
                              AND e.child <> ALL ($1::bigint[])
                              AND e.child NOT IN (SELECT unnest($2::bigint[]))
                           OFFSET 0) e
                    CROSS JOIN LATERAL (SELECT c.state FROM windrow_jobs c WHERE c.id = e.child OFFSET 0) c
                    WHERE c.state <> 'COMPLETED'
                    LIMIT 1) n
            UNION
            SELECT r.parent FROM windrow_releases r WHERE r.parent = ANY ($1::bigint[])
            UNION
            SELECT e.child
              FROM (SELECT e.child, e.parent FROM windrow_edges e WHERE e.child = ANY ($1::bigint[]) AND e.cancelled OFFSET 0) e
             CROSS JOIN LATERAL (
                   SELECT 1 FROM windrow_releases r WHERE r.parent = e.parent AND r.state = 'RETRIED' OFFSET 0) r
            """;

    /** The children of the jobs $1. By windrow_edges_parent. */
    public static final String CHILDREN = """
            SELECT e.child
              FROM unnest($1::bigint[]) AS w (id)
             CROSS JOIN LATERAL (SELECT e.child FROM windrow_edges e WHERE e.parent = w.id OFFSET 0) e
            """;

    // ---- deletion ----------------------------------------------------------------------------------------------

    /**
     * The states of the jobs $1, and their dedupe keys. Locks the jobs, so that no new job depends on them. Leaves out jobs that another transaction
     * has locked. By primary keys.
     */
    public static final String LOCK_EXPIRING = """
            SELECT j.id, j.lane, j.state, j.finished_at, i.dedupe_key, i.dedupe_type, j.error_code
              FROM windrow_jobs j
              LEFT JOIN LATERAL (
                   SELECT i.dedupe_key, i.dedupe_type FROM windrow_inputs i WHERE i.job_id = j.id OFFSET 0) i ON true
             WHERE j.id = ANY ($1::bigint[])
             ORDER BY j.id
               FOR UPDATE OF j SKIP LOCKED
            """;

    /** The numbers of edges of the jobs $1 to children and to parents, each counted up to $2. By windrow_edges_parent, windrow_edges_pkey. */
    public static final String COUNT_EDGES = """
            SELECT w.id, c.n, p.n
              FROM unnest($1::bigint[]) AS w (id)
             CROSS JOIN LATERAL (SELECT count(*)::integer AS n
                                   FROM (SELECT 1 FROM windrow_edges e WHERE e.parent = w.id LIMIT $2::integer) e) c
             CROSS JOIN LATERAL (SELECT count(*)::integer AS n
                                   FROM (SELECT 1 FROM windrow_edges e WHERE e.child = w.id LIMIT $2::integer) e) p
             WHERE c.n > 0 OR p.n > 0
            """;

    /** Up to $2 edges of job $1 to children outside of $3, and the states of these children. By windrow_edges_parent, windrow_jobs_pkey. */
    public static final String EDGES_TO_CHILDREN = """
            SELECT e.child, e.position, e.satisfied, c.state
              FROM (SELECT e.child, e.position, e.satisfied FROM windrow_edges e
                     WHERE e.parent <= $1 AND (e.parent, e.child) >= ($1, 0) AND e.child <> ALL ($3::bigint[])
                     ORDER BY e.parent, e.child LIMIT $2::integer) e
             CROSS JOIN LATERAL (SELECT c.state FROM windrow_jobs c WHERE c.id = e.child OFFSET 0) c
            """;

    /** Up to $2 edges of job $1 to its parents. By windrow_edges_pkey. */
    public static final String EDGES_TO_PARENTS = """
            SELECT e.child, e.position, e.satisfied, 'COMPLETED'
              FROM windrow_edges e WHERE e.child = $1 ORDER BY e.child, e.position LIMIT $2::integer
            """;

    /**
     * Deletes edges between COMPLETED jobs: the edges at the positions $2 of the children $1. One of the two jobs of each is deleted. By
     * windrow_edges_pkey.
     */
    public static final String FORGET_EDGES = """
            DELETE FROM windrow_edges e USING unnest($1::bigint[], $2::integer[]) AS g (child, position)
             WHERE e.child = g.child AND e.position = g.position
            """;

    /** Lowers the number of open parents of the COMPLETED jobs $1 by 1 for each time that a job is listed. By windrow_jobs_pkey. */
    public static final String FORGET_OPEN_EDGES = """
            UPDATE windrow_jobs j SET open_parents = j.open_parents - g.n
              FROM (SELECT w.id, count(*) AS n FROM unnest($1::bigint[]) AS w (id) GROUP BY w.id ORDER BY w.id) g
             WHERE j.id = g.id
            """;

    /** The number of parts of all blobs of the jobs $1. By windrow_blobs_job. */
    static final String COUNT_PARTS = """
            SELECT coalesce(sum((b.bytes + 262143) / 262144), 0)::bigint
              FROM windrow_blobs b WHERE b.job_id = ANY ($1::bigint[]) AND b.file IS NULL
            """;

    /**
     * Takes the blobs in parts away from the jobs $1, which are deleted without them. The blobs then belong to no job, are incomplete, and are swept
     * first. By windrow_blobs_job.
     */
    static final String LEAVE_BLOBS = """
            UPDATE windrow_blobs SET job_id = NULL, kind = NULL, bytes = NULL, sha256 = NULL, created_at = 0
             WHERE job_id = ANY ($1::bigint[]) AND file IS NULL
            """;

    /**
     * COMPLETED | FAILED | CANCELLED ($2), ended at $3 -> deleted: the jobs $1, which were locked and checked before, with all their rows. Returns
     * the number of deleted jobs, and the files of their blobs. By primary keys, windrow_edges_parent, windrow_blobs_job.
     */
    public static final String EXPIRE = """
            WITH gone AS (
              DELETE FROM windrow_jobs j
               USING unnest($1::bigint[], $2::text[], $3::bigint[]) AS g (id, state, finished_at)
               WHERE j.id = g.id AND j.state || '' = g.state AND j.finished_at = g.finished_at
              RETURNING j.id),
            inputs AS (DELETE FROM windrow_inputs WHERE job_id = ANY ($1::bigint[])),
            results AS (DELETE FROM windrow_results WHERE job_id = ANY ($1::bigint[])),
            tags AS (DELETE FROM windrow_tags WHERE job_id = ANY ($1::bigint[])),
            metadata AS (DELETE FROM windrow_metadata WHERE job_id = ANY ($1::bigint[])),
            attempts AS (DELETE FROM windrow_attempts WHERE job_id = ANY ($1::bigint[])),
            texts AS (DELETE FROM windrow_attempt_texts WHERE job_id = ANY ($1::bigint[])),
            events AS (DELETE FROM windrow_events WHERE job_id = ANY ($1::bigint[])),
            parents AS (DELETE FROM windrow_edges WHERE child = ANY ($1::bigint[])),
            children AS (DELETE FROM windrow_edges WHERE parent = ANY ($1::bigint[]) AND child <> ALL ($1::bigint[])),
            progress AS (DELETE FROM windrow_progress WHERE job_id = ANY ($1::bigint[])),
            log AS (DELETE FROM windrow_log_lines WHERE job_id = ANY ($1::bigint[])),
            steps AS (DELETE FROM windrow_steps WHERE job_id = ANY ($1::bigint[])),
            turns AS (DELETE FROM windrow_permits WHERE job_id = ANY ($1::bigint[])),
            blobs AS (DELETE FROM windrow_blobs WHERE job_id = ANY ($1::bigint[]) RETURNING id, file),
            chunks AS (DELETE FROM windrow_blob_chunks WHERE blob_id IN (SELECT id FROM blobs))
            SELECT (SELECT count(*) FROM gone), (SELECT array_agg(file) FROM blobs WHERE file IS NOT NULL)
            """;

    /** Deletes the dedupe windows of deleted jobs that have ended at $1. A window that is still open stays without its job. By primary key. */
    public static final String EXPIRE_KEYS = """
            DELETE FROM windrow_dedupe d USING unnest($2::text[], $3::text[], $4::bigint[]) AS g (type, key, job_id)
             WHERE d.type = g.type AND d.key = g.key AND d.job_id = g.job_id AND d.scope = 'WINDOW' AND d.expires_at <= $1
            """;

    /** Records that a retention pass has begun to delete. */
    public static final String INSERT_PASS = """
            INSERT INTO windrow_audit (at, jobs, actor, action, detail, reason) VALUES ($1, $3, $2, 'EXPIRE', $4, $5) RETURNING id
            """;

    /** Adds to the record of a pass. By primary key. */
    public static final String GROW_PASS = """
            UPDATE windrow_audit SET jobs = jobs + $2, detail = $3 WHERE id = $1
            """;

    // ---- rows without a job ------------------------------------------------------------------------------------

    /** Deletes at most $2 sums of minutes and hours that begin before minute $1. By primary key. */
    public static final String EXPIRE_THROUGHPUT = """
            DELETE FROM windrow_throughput
             WHERE (length, minute, lane) IN (SELECT length, minute, lane FROM windrow_throughput
                                               WHERE length IN (1, 60) AND minute < $1 LIMIT $2::integer)
            """;

    /** Deletes at most $2 audit entries from before $1, if they are the oldest ones, with their jobs. In the order of the primary key. */
    public static final String EXPIRE_AUDIT = """
            WITH old AS MATERIALIZED (
              SELECT id FROM (SELECT id, at FROM windrow_audit ORDER BY id LIMIT $2::integer) o WHERE at < $1),
            jobs AS (DELETE FROM windrow_audit_jobs WHERE audit_id IN (SELECT id FROM old))
            DELETE FROM windrow_audit WHERE id IN (SELECT id FROM old)
            """;

    /** Deletes workers whose registration expired before $1. Scans a table that has one row for each worker. */
    public static final String EXPIRE_WORKERS = """
            DELETE FROM windrow_workers WHERE expires_at < $1
            """;

    /**
     * Deletes at most $2 unused lanes that were last used before $1. An unused lane has no jobs, sums of attempts or schedules, and no pause or limit
     * for its queue. The newest lane of a type stays, and takes over the retry counts of the deleted ones. Locks the lanes, so that no transaction
     * uses one of them before the deletion. Returns the number of deleted lanes. Scans the lanes, and if some are unused, the sums of attempts.
     */
    static final String DELETE_LANES = """
            WITH newest AS MATERIALIZED (
              SELECT type, max(id) AS id FROM windrow_lanes GROUP BY type),
            unused AS MATERIALIZED (
              SELECT l.id, n.id AS newest
                FROM windrow_lanes l
                JOIN newest n ON n.type = l.type
               WHERE l.used_at < $1 AND l.id < n.id
                 AND NOT EXISTS (SELECT 1 FROM windrow_inputs i WHERE i.lane = l.id)
                 AND NOT EXISTS (SELECT 1 FROM windrow_counters c WHERE c.lane = l.id AND c.n <> 0)
                 AND NOT EXISTS (SELECT 1 FROM windrow_limits c WHERE c.kind = 'QUEUE' AND c.name = l.queue)
                 AND NOT EXISTS (SELECT 1 FROM windrow_schedules s WHERE s.queue = l.queue AND s.type = l.type)),
            idle AS MATERIALIZED (
              SELECT l.id, u.newest
                FROM unused u
                JOIN windrow_lanes l ON l.id = u.id AND l.used_at < $1
               WHERE l.id <> ALL (ARRAY(SELECT DISTINCT m.lane FROM windrow_throughput m))
                 AND l.id <> ALL (ARRAY(SELECT d.lane FROM windrow_counter_deltas d))
               ORDER BY l.id LIMIT $2::integer
                 FOR UPDATE OF l SKIP LOCKED),
            handed_over AS (
              INSERT INTO windrow_retry_counters (lane, attempt, n)
              SELECT idle.newest, r.attempt, sum(r.n)
                FROM idle JOIN windrow_retry_counters r ON r.lane = idle.id
               GROUP BY idle.newest, r.attempt
              ON CONFLICT (lane, attempt) DO UPDATE SET n = windrow_retry_counters.n + excluded.n),
            retries AS (DELETE FROM windrow_retry_counters WHERE lane = ANY (ARRAY(SELECT id FROM idle))),
            counters AS (DELETE FROM windrow_counters WHERE lane = ANY (ARRAY(SELECT id FROM idle))),
            gone AS (DELETE FROM windrow_lanes WHERE id = ANY (ARRAY(SELECT id FROM idle)) RETURNING id)
            SELECT count(*) FROM gone
            """;

    // ---- sums of failures --------------------------------------------------------------------------------------

    /**
     * The error codes whose sums, compacted or not, differ from the number of jobs. Returns how many more jobs than the sum there are, and the time
     * of the last correction. Other transactions change the sum and the jobs by the same number. Walks windrow_jobs_failed, and scans the tables of
     * the sums.
     */
    public static final String WRONG_SUMS = """
            SELECT coalesce(f.error_code, c.error_code), (coalesce(c.n, 0) - coalesce(f.n, 0))::bigint,
                   (SELECT last_at FROM windrow_leaders WHERE name = $1)
              FROM (SELECT s.error_code, sum(s.n) AS n
                      FROM (SELECT error_code, n FROM windrow_failures
                             UNION ALL
                            SELECT error_code, n FROM windrow_failure_deltas) s
                     GROUP BY s.error_code) f
              FULL JOIN (SELECT coalesce(error_code, '') AS error_code, count(*) AS n
                           FROM windrow_jobs WHERE state = 'FAILED' GROUP BY 1) c ON c.error_code = f.error_code
             WHERE coalesce(f.n, 0) <> coalesce(c.n, 0)
            """;

    /** The first and the last time of failure among the newest $2 FAILED jobs with code $1. By a range of windrow_jobs_failed. */
    public static final String FAILED_WITH_CODE = """
            SELECT min(j.finished_at), max(j.finished_at)
              FROM (SELECT finished_at FROM windrow_jobs
                     WHERE state = 'FAILED' AND error_code >= $1 AND error_code <= $1
                     ORDER BY error_code DESC, id DESC LIMIT $2::integer) j
            """;

    /** The first and the last time of failure among at most $1 FAILED jobs without a code. As a rule there are few. By windrow_jobs_failed, because of the order. */
    public static final String FAILED_WITHOUT_CODE = """
            SELECT min(j.finished_at), max(j.finished_at)
              FROM (SELECT finished_at FROM windrow_jobs
                     WHERE state = 'FAILED' AND error_code IS NULL
                     ORDER BY error_code DESC, id DESC LIMIT $1::integer) j
            """;

    /** Records a correction of the sums ($1) at $3, if the last one is still that of $2. By primary key. */
    public static final String MARK_RECOUNT = """
            INSERT INTO windrow_leaders AS d (name, last_at) VALUES ($1, $3)
            ON CONFLICT (name) DO UPDATE SET last_at = excluded.last_at WHERE d.last_at IS NOT DISTINCT FROM $2
            """;

    // ---- background tasks
    // ------------------------------------------------------------------------------------------------

    /** The state of task $1. By primary key. */
    public static final String READ_TASK = """
            SELECT holder, until_at, last_at, detail FROM windrow_leaders WHERE name = $1
            """;

    /**
     * Makes process $2 the leader of task $1 until $4, at time $3. It leads if it led before, if there was no leader, or if the leader's time is
     * over. It also leads if that time ends after $5, because a clock that was ahead has written it. A new leader also needs that the task was last
     * done at $6 or earlier. By primary key.
     */
    public static final String LEAD = """
            INSERT INTO windrow_leaders AS d (name, holder, until_at) VALUES ($1, $2, $4)
            ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until_at = excluded.until_at
             WHERE (d.holder IS NULL OR d.holder = $2 OR d.until_at <= $3 OR d.until_at > $5)
               AND (d.holder IS NOT DISTINCT FROM $2 OR d.last_at IS NULL OR d.last_at <= $6 OR d.last_at > $3)
            """;

    /** Ends the lead of $2 over task $1, if $2 still leads. By primary key. */
    public static final String RESIGN = """
            UPDATE windrow_leaders SET holder = NULL, until_at = NULL WHERE name = $1 AND holder = $2
            """;

    /** Records that task $1, which $2 still leads, was done at $3 with detail $4. By primary key. */
    public static final String END_TASK = """
            UPDATE windrow_leaders SET holder = NULL, until_at = NULL, last_at = $3, detail = $4 WHERE name = $1 AND holder = $2
            """;

    // ---- space -------------------------------------------------------------------------------------------------

    /** The tables of schema $1 whose names begin with $2, and their total sizes in bytes. From the catalog. */
    static final String TABLE_SIZES = """
            SELECT c.relname, pg_total_relation_size(c.oid)
              FROM pg_class c
              JOIN pg_namespace n ON n.oid = c.relnamespace
             WHERE n.nspname = $1 AND starts_with(c.relname::text, $2) AND c.relkind = 'r'
             ORDER BY c.relname
            """;
}
