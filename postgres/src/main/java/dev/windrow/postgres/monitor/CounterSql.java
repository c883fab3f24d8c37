package dev.windrow.postgres.monitor;

/**
 * The statements that compact counters, add up minutes and hours, and write and read the audit and the counts. They follow the rules of
 * {@link dev.windrow.postgres.job.JobSql}.
 */
public final class CounterSql {
    private CounterSql() {}

    /** Records a change of jobs, or of another thing. */
    public static final String INSERT_AUDIT = """
            INSERT INTO windrow_audit (at, jobs, actor, action, detail, reason) VALUES ($1, $4, $2, $3, $5, $6) RETURNING id
            """;

    /** Records the jobs of an entry. */
    public static final String INSERT_AUDIT_JOBS = """
            INSERT INTO windrow_audit_jobs (audit_id, job_id, state_before, state_after)
            SELECT $1, j.* FROM unnest($2::bigint[], $3::text[], $4::text[]) AS j
            """;

    /** Records the jobs $2 of the entry $1, which does not change them. By primary key. */
    public static final String INSERT_REVEALED_JOBS = """
            INSERT INTO windrow_audit_jobs (audit_id, job_id, state_before, state_after)
            SELECT $1, g.id, j.state, j.state
              FROM unnest($2::bigint[]) AS g (id)
             CROSS JOIN LATERAL (SELECT j.state FROM windrow_jobs j WHERE j.id = g.id OFFSET 0) j
            """;

    /** Removes the patches of the metadata of the jobs $1 from the audit. By windrow_audit_jobs_job, windrow_audit_pkey. */
    public static final String REDACT_METADATA = """
            UPDATE windrow_audit u SET detail = '{"metadata":"(removed)"}'
             WHERE u.id = ANY (ARRAY (SELECT a.audit_id FROM windrow_audit_jobs a WHERE a.job_id = ANY ($1::bigint[])))
               AND u.action || '' = 'MERGE_METADATA'
            """;

    /** Takes the lock of compaction until the end of the transaction, because one process compacts at a time. $1 is a number of this store. */
    public static final String TRY_COMPACTION = """
            SELECT pg_try_advisory_xact_lock($1)
            """;

    /** Moves the deltas of transactions into the counters. Scans a table that holds the deltas since the last compaction. */
    public static final String COMPACT_COUNTERS = """
            WITH gone AS (DELETE FROM windrow_counter_deltas RETURNING lane, attempt, n, state),
            states AS (
              INSERT INTO windrow_counters (lane, state, n)
              SELECT lane, state, sum(n) FROM gone WHERE state IS NOT NULL GROUP BY lane, state
              ON CONFLICT (lane, state) DO UPDATE SET n = windrow_counters.n + excluded.n),
            retries AS (
              INSERT INTO windrow_retry_counters (lane, attempt, n)
              SELECT lane, attempt, sum(n) FROM gone WHERE state IS NULL GROUP BY lane, attempt
              ON CONFLICT (lane, attempt) DO UPDATE SET n = windrow_retry_counters.n + excluded.n)
            SELECT count(*) FROM gone
            """;

    /** Adds sums to the minute $9 of lane $10, and before it to its hour. Two processes that add in this order, lane by lane, cannot deadlock. */
    public static final String ADD_SUMS = """
            INSERT INTO windrow_throughput (length, minute, lane, succeeded, failed, wait_ms, run_ms, wait_bins, run_bins, wait_max, run_max)
            SELECT p.length, $9::bigint - $9::bigint % p.length, $10, $1, $2, $3, $4, $5, $6, $7, $8 FROM (VALUES (60), (1)) AS p (length)
            ON CONFLICT (length, minute, lane) DO UPDATE
               SET succeeded = windrow_throughput.succeeded + excluded.succeeded,
                   failed = windrow_throughput.failed + excluded.failed,
                   wait_ms = windrow_throughput.wait_ms + excluded.wait_ms, run_ms = windrow_throughput.run_ms + excluded.run_ms,
                   wait_bins = ARRAY(SELECT a + b FROM unnest(windrow_throughput.wait_bins, excluded.wait_bins) AS s (a, b)),
                   run_bins = ARRAY(SELECT a + b FROM unnest(windrow_throughput.run_bins, excluded.run_bins) AS s (a, b)),
                   wait_max = greatest(windrow_throughput.wait_max, excluded.wait_max),
                   run_max = greatest(windrow_throughput.run_max, excluded.run_max)
            """;

    /** The time of an entry. By primary key. */
    public static final String READ_AUDIT_TIME = """
            SELECT at FROM windrow_audit WHERE id = $1
            """;

    /** The newest $1 audit entries from $2 and before $3, after the entry $5 of the time $4. By windrow_audit_at. */
    public static final String READ_AUDIT = """
            SELECT u.id, u.at, u.action, a.name, u.jobs, u.detail, u.reason
              FROM (SELECT u.* FROM windrow_audit u
                     WHERE u.at >= $2 AND u.at < $3 AND (u.at < $4 OR u.id < $5)
                     ORDER BY u.at DESC, u.id DESC LIMIT $1) u
              JOIN windrow_actors a ON a.id = u.actor
             ORDER BY u.at DESC, u.id DESC
            """;

    /** The newest $1 audit entries of the verb $6 from $2 and before $3, after the entry $5 of the time $4. By windrow_audit_action. */
    public static final String READ_AUDIT_OF_ACTION = """
            SELECT u.id, u.at, u.action, a.name, u.jobs, u.detail, u.reason
              FROM (SELECT u.* FROM windrow_audit u
                     WHERE u.action = $6 AND u.at >= $2 AND u.at < $3 AND (u.at < $4 OR u.id < $5)
                     ORDER BY u.at DESC, u.id DESC LIMIT $1) u
              JOIN windrow_actors a ON a.id = u.actor
             ORDER BY u.at DESC, u.id DESC
            """;

    /**
     * The newest $1 audit entries of the actor $7 from $2 and before $3, after the entry $5 of the time $4, and of the verb $6 if it is not
     * null. By windrow_audit_actor.
     */
    public static final String READ_AUDIT_OF_ACTOR = """
            SELECT u.id, u.at, u.action, a.name, u.jobs, u.detail, u.reason
              FROM (SELECT u.* FROM windrow_audit u
                     WHERE u.actor = (SELECT id FROM windrow_actors WHERE name = $7 AND instance = '')
                       AND u.at >= $2 AND u.at < $3 AND (u.at < $4 OR u.id < $5)
                       AND ($6::text IS NULL OR u.action = $6)
                     ORDER BY u.at DESC, u.id DESC LIMIT $1) u
              JOIN windrow_actors a ON a.id = u.actor
             ORDER BY u.at DESC, u.id DESC
            """;

    /**
     * The newest $1 audit entries about the job $8 from $2 and before $3, after the entry $5 of the time $4, of the verb $6 and the actor $7 if they
     * are not null. By windrow_audit_jobs_job, then by the ids of the entries. {@code OFFSET 0} forbids the walk over all entries by time, which the
     * planner prefers if it takes the job to have many. Sorts the entries of one job.
     */
    public static final String READ_AUDIT_OF_JOB = """
            SELECT u.id, u.at, u.action, a.name, u.jobs, u.detail, u.reason
              FROM (SELECT u.* FROM windrow_audit_jobs j
                      CROSS JOIN LATERAL (SELECT * FROM windrow_audit WHERE id = j.audit_id OFFSET 0) u
                     WHERE j.job_id = $8 AND u.at >= $2 AND u.at < $3 AND (u.at < $4 OR u.id < $5)
                       AND ($6::text IS NULL OR u.action = $6)
                       AND ($7::text IS NULL OR u.actor = (SELECT id FROM windrow_actors WHERE name = $7 AND instance = ''))
                     ORDER BY u.at DESC, u.id DESC LIMIT $1) u
              JOIN windrow_actors a ON a.id = u.actor
             ORDER BY u.at DESC, u.id DESC
            """;

    /** The jobs of the audit entries $1. By windrow_audit_jobs_pkey. */
    public static final String READ_AUDIT_JOBS = """
            SELECT audit_id, job_id, state_before, state_after
              FROM windrow_audit_jobs WHERE audit_id = ANY ($1::bigint[]) ORDER BY audit_id, job_id
            """;

    /**
     * The counts of each lane and state: compacted counters and later deltas in one snapshot, because a compaction moves the one into the other.
     * Scans tables with one row for each lane and state, and the deltas since the last compaction. Does not join the lanes. The settings of a read
     * keep the server from scanning large tables, and so it could combine each lane with all counts.
     */
    public static final String COUNTERS = """
            SELECT c.lane, c.state, sum(c.n)::bigint
              FROM (SELECT lane, state, n FROM windrow_counters
                     UNION ALL
                    SELECT lane, state, n FROM windrow_counter_deltas WHERE state IS NOT NULL) c
             GROUP BY c.lane, c.state
            """;

    /** All lanes. Scans a table that has one row for each lane. */
    public static final String COUNTED_LANES = """
            SELECT id, queue, type, paused_at IS NOT NULL FROM windrow_lanes
            """;

    /** The lowest priority of the ready jobs of lane $1. One step into windrow_jobs_claim. */
    public static final String LOWEST_READY = """
            SELECT priority FROM windrow_jobs
             WHERE lane = $1 AND state = 'PENDING' AND NOT waits_for_permit
             ORDER BY -priority DESC LIMIT 1
            """;

    /**
     * The due time of the oldest ready job of each of the lanes $1. One step through windrow_jobs_claim for each priority in use, because the first
     * entry of a priority is its oldest.
     */
    public static final String LANE_LAGS = """
            SELECT w.lane, o.since
              FROM unnest($1::integer[]) AS w (lane)
             CROSS JOIN LATERAL (
                   WITH RECURSIVE head (rank, since) AS (
                     (SELECT -j.priority, j.scheduled_at FROM windrow_jobs j
                       WHERE j.lane = w.lane AND j.state = 'PENDING' AND NOT j.waits_for_permit
                       ORDER BY -j.priority, j.scheduled_at LIMIT 1)
                     UNION ALL
                     SELECT n.rank, n.since
                       FROM head
                      CROSS JOIN LATERAL (
                            SELECT -j.priority AS rank, j.scheduled_at AS since FROM windrow_jobs j
                             WHERE j.lane = w.lane AND j.state = 'PENDING' AND NOT j.waits_for_permit AND -j.priority > head.rank
                             ORDER BY -j.priority, j.scheduled_at LIMIT 1) n)
                   SELECT min(since) AS since FROM head) o
             WHERE o.since IS NOT NULL
            """;

    /** The 20 running jobs with the oldest heartbeats. Reads as many entries of windrow_jobs_running as jobs are running. */
    public static final String OLDEST_RUNNING = """
            SELECT j.id, l.type, a.name, j.started, j.heartbeat, j.since
              FROM (SELECT r.id, r.lane, r.worker, r.claimed_at, coalesce(r.started_at, r.claimed_at) AS started,
                           coalesce(r.lease_until - (w.expires_at - w.heartbeat_at), r.claimed_at) AS heartbeat,
                           min(coalesce(r.started_at, r.claimed_at)) OVER () AS since
                      FROM windrow_jobs r
                      LEFT JOIN windrow_workers w ON w.actor = r.worker
                     WHERE r.state = 'RUNNING'
                     ORDER BY heartbeat, r.claimed_at, r.id LIMIT 20) j
              JOIN windrow_lanes l ON l.id = j.lane
              JOIN windrow_actors a ON a.id = j.worker
             ORDER BY j.heartbeat, j.claimed_at, j.id
            """;

    /** The number of retries of each type and attempt, compacted or not. Scans tables that are as small as the tables of {@link #COUNTERS}. */
    public static final String RETRIES = """
            SELECT l.type, c.attempt, sum(c.n)::bigint
              FROM (SELECT lane, attempt, n FROM windrow_retry_counters
                     UNION ALL
                    SELECT lane, attempt, n FROM windrow_counter_deltas WHERE state IS NULL) c
              JOIN windrow_lanes l ON l.id = c.lane
             GROUP BY l.type, c.attempt
             ORDER BY l.type, c.attempt
            """;

    /**
     * The number of unfinished jobs with failed attempts of each type and next attempt, at most 100 000 jobs. Reads as many entries of
     * windrow_jobs_retrying.
     */
    public static final String LIVE_RETRIES = """
            SELECT l.type, f.used + 1, count(*)
              FROM (SELECT used, lane FROM windrow_jobs
                     WHERE used > 0 AND finished_at IS NULL
                     ORDER BY used DESC, lane DESC LIMIT 100000) f
              JOIN windrow_lanes l ON l.id = f.lane
             GROUP BY l.type, f.used
             ORDER BY l.type, f.used
            """;

    /** The workers that are alive at $1 and have stuck handlers. Scans a table that has one row for each worker. */
    public static final String STUCK_SLOTS = """
            SELECT name, stuck FROM windrow_workers WHERE expires_at > $1 AND stuck > 0 ORDER BY name
            """;
}
