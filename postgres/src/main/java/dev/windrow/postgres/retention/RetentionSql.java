package dev.windrow.postgres.retention;

import dev.windrow.postgres.job.JobSql;

/**
 * The statements that find and delete the jobs that have ended long ago, and those of background tasks. Like {@link JobSql}, each statement is whole and can be
 * pasted; OFFSET 0 and LIMIT keep the planner from joining what is selected there in another way.
 */
public final class RetentionSql {
    private RetentionSql() {}

    // ---- rules -------------------------------------------------------------------------------------------------

    /** All rules. A table as small as there are states and types. */
    public static final String READ_RETENTION = """
            SELECT state, type, keep_ms FROM windrow_retention
            """;

    /** The same, locked for a change of one, until the end of the transaction. */
    public static final String LOCK_RETENTION = """
            SELECT state, type, keep_ms FROM windrow_retention ORDER BY state, type FOR UPDATE
            """;

    /** The rule for state $1 and type $2: keep for $3. */
    public static final String RETAIN = """
            INSERT INTO windrow_retention (state, type, keep_ms) VALUES ($1, $2, $3)
            ON CONFLICT (state, type) DO UPDATE SET keep_ms = excluded.keep_ms
            """;

    /** No rule for state $1 and type $2. By primary key. */
    public static final String FORGET_RETENTION = """
            DELETE FROM windrow_retention WHERE state = $1 AND type = $2
            """;

    // ---- candidates --------------------------------------------------------------------------------------------

    /** The next jobs that have FAILED, behind $1. By windrow_jobs_failed_id, windrow_inputs_pkey. */
    public static final String NEXT_FAILED = """
            SELECT j.id, j.lane, j.state, j.finished_at, i.created_at, i.chain_id
              FROM (SELECT * FROM windrow_jobs WHERE state = 'FAILED' AND id > $1 ORDER BY id LIMIT $2::integer) j
             CROSS JOIN LATERAL (SELECT i.created_at, i.chain_id FROM windrow_inputs i WHERE i.job_id = j.id OFFSET 0) i
            """;

    /** The next jobs that are CANCELLED, behind $1. By windrow_jobs_cancelled, windrow_inputs_pkey. */
    public static final String NEXT_CANCELLED = """
            SELECT j.id, j.lane, j.state, j.finished_at, i.created_at, i.chain_id
              FROM (SELECT * FROM windrow_jobs WHERE state = 'CANCELLED' AND id > $1 ORDER BY id LIMIT $2::integer) j
             CROSS JOIN LATERAL (SELECT i.created_at, i.chain_id FROM windrow_inputs i WHERE i.job_id = j.id OFFSET 0) i
            """;

    /** The next jobs of lane $3 in whatever state, behind $1, nearly in the order in which they were created. By windrow_inputs_lane, windrow_jobs_pkey. */
    public static final String NEXT_OF_LANE = """
            SELECT i.job_id, i.lane, j.state, j.finished_at, i.created_at, i.chain_id
              FROM (SELECT * FROM windrow_inputs
                     WHERE (lane, job_id) > ($3::integer, $1) ORDER BY lane, job_id LIMIT $2::integer) i
             CROSS JOIN LATERAL (SELECT j.state, j.finished_at FROM windrow_jobs j WHERE j.id = i.job_id OFFSET 0) j
             WHERE i.lane = $3::integer
            """;

    /** The chains that begin with the jobs $1, and have gone on. By windrow_inputs_chain, windrow_jobs_pkey. */
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
     * Those of the jobs $1 that others need: a job outside of $1 depends on it and is not COMPLETED, or its end is still being told to those
     * that do; and those that are still to come back with a parent. By windrow_edges_parent, windrow_jobs_pkey, windrow_releases_pkey,
     * windrow_edges_pkey.
     */
    public static final String NEEDED = """
            SELECT w.id
              FROM unnest($1::bigint[]) AS w (id)
             CROSS JOIN LATERAL (
                   SELECT 1
                     FROM (SELECT e.child FROM windrow_edges e WHERE e.parent = w.id AND e.child <> ALL ($1::bigint[]) OFFSET 0) e
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

    // ---- deletion ----------------------------------------------------------------------------------------------

    /**
     * The state of the jobs $1, and the keys that they were enqueued with; locked, so that no new job depends on them. Leaves out
     * those that another transaction has locked. By primary keys.
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

    /** The number of edges that the jobs $1 have to children and to parents, each counted up to $2. By windrow_edges_parent, windrow_edges_pkey. */
    public static final String COUNT_EDGES = """
            SELECT w.id, c.n, p.n
              FROM unnest($1::bigint[]) AS w (id)
             CROSS JOIN LATERAL (SELECT count(*)::integer AS n
                                   FROM (SELECT 1 FROM windrow_edges e WHERE e.parent = w.id LIMIT $2::integer) e) c
             CROSS JOIN LATERAL (SELECT count(*)::integer AS n
                                   FROM (SELECT 1 FROM windrow_edges e WHERE e.child = w.id LIMIT $2::integer) e) p
             WHERE c.n > 0 OR p.n > 0
            """;

    /** Some ($2) of the edges of job $1 to children that are not among $3, and how these are. By windrow_edges_parent, windrow_jobs_pkey. */
    public static final String EDGES_TO_CHILDREN = """
            SELECT e.child, e.position, e.satisfied, c.state
              FROM (SELECT e.child, e.position, e.satisfied FROM windrow_edges e
                     WHERE e.parent = $1 AND e.child <> ALL ($3::bigint[])
                     ORDER BY e.child LIMIT $2::integer) e
             CROSS JOIN LATERAL (SELECT c.state FROM windrow_jobs c WHERE c.id = e.child OFFSET 0) c
            """;

    /** Some ($2) of the edges of job $1 to its parents. By windrow_edges_pkey. */
    public static final String EDGES_TO_PARENTS = """
            SELECT e.child, e.position, e.satisfied, 'COMPLETED'
              FROM windrow_edges e WHERE e.child = $1 ORDER BY e.child, e.position LIMIT $2::integer
            """;

    /** The edges at $2 of COMPLETED jobs $1, of which one job goes. By windrow_edges_pkey. */
    public static final String FORGET_EDGES = """
            DELETE FROM windrow_edges e USING unnest($1::bigint[], $2::integer[]) AS g (child, position)
             WHERE e.child = g.child AND e.position = g.position
            """;

    /** COMPLETED jobs $1, each as often as it is there, no longer count a parent that was open. By windrow_jobs_pkey. */
    public static final String FORGET_OPEN_EDGES = """
            UPDATE windrow_jobs j SET open_parents = j.open_parents - g.n
              FROM (SELECT w.id, count(*) AS n FROM unnest($1::bigint[]) AS w (id) GROUP BY w.id ORDER BY w.id) g
             WHERE j.id = g.id
            """;

    /** The number of parts that the blobs of the jobs $1 have in all. By windrow_blobs_job. */
    static final String COUNT_PARTS = """
            SELECT coalesce(sum((b.bytes + 262143) / 262144), 0)::bigint
              FROM windrow_blobs b WHERE b.job_id = ANY ($1::bigint[]) AND b.file IS NULL
            """;

    /** The blobs in parts of the jobs $1, which go without them -> of no job, not whole, the first to be swept. By windrow_blobs_job. */
    static final String LEAVE_BLOBS = """
            UPDATE windrow_blobs SET job_id = NULL, kind = NULL, bytes = NULL, sha256 = NULL, created_at = 0
             WHERE job_id = ANY ($1::bigint[]) AND file IS NULL
            """;

    /**
     * COMPLETED | FAILED | CANCELLED ($2), ended at $3 -> gone: the jobs $1, which were locked and looked at before, with all that belongs to
     * them; answers how many, and the files of their blobs. By primary keys, windrow_edges_parent, windrow_blobs_job.
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

    /** Windows that are over at $1 go with their jobs; what holds on, holds on without them. By primary key. */
    public static final String EXPIRE_KEYS = """
            DELETE FROM windrow_dedupe d USING unnest($2::text[], $3::text[], $4::bigint[]) AS g (type, key, job_id)
             WHERE d.type = g.type AND d.key = g.key AND d.job_id = g.job_id AND d.scope = 'WINDOW' AND d.expires_at <= $1
            """;

    /** A pass of retention has begun to delete. */
    public static final String INSERT_PASS = """
            INSERT INTO windrow_audit (at, jobs, actor, action, detail) VALUES ($1, $3, $2, 'EXPIRE', $4) RETURNING id
            """;

    /** The pass goes on. By primary key. */
    public static final String GROW_PASS = """
            UPDATE windrow_audit SET jobs = jobs + $2, detail = $3 WHERE id = $1
            """;

    // ---- what is no job ----------------------------------------------------------------------------------------

    /** Sums of minutes before $1, at most $2. In the order of the primary key. */
    public static final String EXPIRE_MINUTES = """
            DELETE FROM windrow_minutes
             WHERE (minute, lane) IN (SELECT minute, lane FROM windrow_minutes
                                       WHERE minute < $1 ORDER BY minute, lane LIMIT $2::integer)
            """;

    /** Entries of the audit from before $1, at most $2, as far as they are the oldest ones. In the order of the primary key. */
    public static final String EXPIRE_AUDIT = """
            DELETE FROM windrow_audit
             WHERE id IN (SELECT id FROM (SELECT id, at FROM windrow_audit ORDER BY id LIMIT $2::integer) o WHERE at < $1)
            """;

    /** Workers that were alive until $1 at the latest. A table as small as there are workers. */
    public static final String EXPIRE_WORKERS = """
            DELETE FROM windrow_workers WHERE expires_at < $1
            """;

    /**
     * At most $2 lanes that were used last before $1 and that nothing uses: without jobs, sums of minutes and schedules, of a queue without pause
     * or limit. The newest lane of a type stays, and takes over the retries that the others have counted. Locks the lanes, so that none of them
     * is used anew meanwhile; answers how many are deleted. A scan of the lanes, and where some are not used, one of
     * the sums of minutes.
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
               WHERE l.id <> ALL (ARRAY(SELECT DISTINCT m.lane FROM windrow_minutes m))
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
     * Codes whose sums, compacted or not, are not what the jobs say: how many jobs more there are than the sum says, and when the sums were last put
     * right. What others do changes both by as much. Walks windrow_jobs_failed, and scans the tables of the sums.
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

    /** When the first and the last of the newest $2 jobs failed that are FAILED with code $1. By a range of windrow_jobs_failed. */
    public static final String FAILED_WITH_CODE = """
            SELECT min(j.finished_at), max(j.finished_at)
              FROM (SELECT finished_at FROM windrow_jobs
                     WHERE state = 'FAILED' AND error_code >= $1 AND error_code <= $1
                     ORDER BY error_code DESC, id DESC LIMIT $2::integer) j
            """;

    /** The same of some $1 of those without a code, of which there are few as a rule. By windrow_jobs_failed. */
    public static final String FAILED_WITHOUT_CODE = """
            SELECT min(j.finished_at), max(j.finished_at)
              FROM (SELECT finished_at FROM windrow_jobs
                     WHERE state = 'FAILED' AND error_code IS NULL LIMIT $1::integer) j
            """;

    /** The sums ($1) are put right at $3, if that was not done since $2. By primary key. */
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
     * Duty $1 is that of $2 until $4, by the clock $3: if it was before, nobody has it, or whoever had it has let the time pass, or has it
     * for longer than $5, which a clock that was ahead has written; and if it was not done since $6. By primary key.
     */
    public static final String LEAD = """
            INSERT INTO windrow_leaders AS d (name, holder, until_at) VALUES ($1, $2, $4)
            ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until_at = excluded.until_at
             WHERE (d.holder IS NULL OR d.holder = $2 OR d.until_at <= $3 OR d.until_at > $5)
               AND (d.holder IS NOT DISTINCT FROM $2 OR d.last_at IS NULL OR d.last_at <= $6 OR d.last_at > $3)
            """;

    /** Duty $1, which is still that of $2, is free. By primary key. */
    public static final String RESIGN = """
            UPDATE windrow_leaders SET holder = NULL, until_at = NULL WHERE name = $1 AND holder = $2
            """;

    /** Duty $1, which is still that of $2, is done at $3, with $4 to tell. By primary key. */
    public static final String END_TASK = """
            UPDATE windrow_leaders SET holder = NULL, until_at = NULL, last_at = $3, detail = $4 WHERE name = $1 AND holder = $2
            """;

    // ---- space -------------------------------------------------------------------------------------------------

    /** The tables of schema $1 whose names begin with $2, with how many bytes they take up in all. From the catalog. */
    static final String TABLE_SIZES = """
            SELECT c.relname, pg_total_relation_size(c.oid)
              FROM pg_class c
              JOIN pg_namespace n ON n.oid = c.relnamespace
             WHERE n.nspname = $1 AND starts_with(c.relname::text, $2) AND c.relkind = 'r'
             ORDER BY c.relname
            """;
}
