package dev.windrow.postgres.query;

import dev.windrow.postgres.job.Sql;

/**
 * The statements that only read, written like those in {@link Sql}. What several rows of different tables are to agree on is one
 * statement, or several in one snapshot.
 *
 * <p>OFFSET 0 keeps the planner from joining what is selected there in another way, or from walking another index. It must
 * not choose by statistics: a plan that it makes while the tables are nearly empty, where reading all of them is cheapest, is
 * kept while they fill.
 */
public final class ReadSql {
    private ReadSql() {}

    /** All that is said of queues, types and keys, or that of $2 (its kind: $1): a scan of a table as small as there are of these. */
    public static final String READ_LIMITS = """
            SELECT c.kind, c.name, c.paused_at, a.name, c.pause_reason, c.max_running, c.rate_count, c.rate_millis,
                   c.rate_burst
              FROM windrow_limits c
              LEFT JOIN windrow_actors a ON a.id = c.paused_by
             WHERE $1::text IS NULL OR c.kind = $1::text AND c.name = $2::text
             ORDER BY c.kind, c.name
            """;

    // ---- schedules ---------------------------------------------------------------------------------------------

    /** All schedules, with who has paused them: a scan of a table as small as there are of these. */
    public static final String READ_SCHEDULES = """
            SELECT s.*, a.name AS pauser FROM windrow_schedules s LEFT JOIN windrow_actors a ON a.id = s.paused_by
             ORDER BY s.name
            """;

    /** The schedule named $1. By its unique index of names. */
    public static final String READ_SCHEDULE = """
            SELECT s.*, a.name AS pauser FROM windrow_schedules s LEFT JOIN windrow_actors a ON a.id = s.paused_by
             WHERE s.name = $1
            """;

    /** Those that are due at $1, behind ($2, $3). By windrow_schedules_next. */
    public static final String DUE_SCHEDULES = """
            SELECT s.*, NULL AS pauser FROM windrow_schedules s
             WHERE s.paused_at IS NULL AND s.next_at <= $1 AND (s.next_at, s.id) > ($2::bigint, $3::bigint)
             ORDER BY s.next_at, s.id LIMIT $4::integer
            """;

    /** Those that were seen to by a clock that was beyond $1. By windrow_schedules_fired. */
    public static final String AHEAD_SCHEDULES = """
            SELECT s.*, NULL AS pauser FROM windrow_schedules s
             WHERE s.paused_at IS NULL AND s.fired_at > $1
             ORDER BY s.fired_at LIMIT $2::integer
            """;

    /** When the next one is due after $1. By windrow_schedules_next. */
    public static final String NEXT_SCHEDULE = """
            SELECT min(next_at) FROM windrow_schedules WHERE paused_at IS NULL AND next_at > $1
            """;

    /** How many there are, how many are paused, and when the first one that is not was or is due; walks the table. */
    public static final String COUNT_SCHEDULES = """
            SELECT count(*), count(paused_at), min(next_at) FILTER (WHERE paused_at IS NULL) FROM windrow_schedules
            """;

    /** The newest runs of the schedule named $1. By its unique index of names and primary key. */
    public static final String READ_RUNS = """
            SELECT r.due_at, r.until_at, r.runs, r.fired_at, r.outcome, r.job_id
              FROM windrow_schedule_runs r
             WHERE r.schedule_id = (SELECT s.id FROM windrow_schedules s WHERE s.name = $1)
             ORDER BY r.due_at DESC LIMIT $2::integer
            """;

    // ---- single jobs -------------------------------------------------------------------------------------------

    /**
     * The columns of snapshots of the jobs $1, newest first, with the progress of the last attempt, tags, parents in declared
     * order and at most 1000 children. All by primary keys and windrow_edges_parent.
     */
    public static final String READ_JOBS = """
            SELECT j.id, l.type, l.queue, i.name, j.state, j.priority, j.used, j.max_attempts, j.error_code,
                   j.error_detail, i.created_at, j.scheduled_at, j.started_at, j.finished_at, a.name, i.chain_id,
                   i.chain_index, i.traceparent, j.token, g.at, g.fraction, g.message, i.dedupe_key,
                   j.concurrency_key, j.held, i.workflow_id, j.waiting_for, j.wake_at,
                   ARRAY(SELECT t.tag FROM windrow_tags t WHERE t.job_id = j.id ORDER BY t.tag),
                   d.parents, d.states, d.policies, k.children, k.states, k.policies
              FROM windrow_jobs j
             CROSS JOIN LATERAL (SELECT * FROM windrow_inputs i WHERE i.job_id = j.id OFFSET 0) i
              JOIN windrow_lanes l ON l.id = j.lane
              LEFT JOIN windrow_actors a ON a.id = j.worker
              LEFT JOIN LATERAL (
                   SELECT * FROM windrow_progress g WHERE g.job_id = j.id AND g.token = j.token OFFSET 0) g ON true
             CROSS JOIN LATERAL (
                   SELECT array_agg(o.parent) AS parents, array_agg(o.state) AS states, array_agg(o.policy) AS policies
                     FROM (SELECT e.parent, (SELECT p.state FROM windrow_jobs p WHERE p.id = e.parent) AS state, e.policy
                             FROM windrow_edges e
                            WHERE e.child = j.id
                            ORDER BY e.position) o) d
             CROSS JOIN LATERAL (
                   SELECT array_agg(o.child) AS children, array_agg(o.state) AS states, array_agg(o.policy) AS policies
                     FROM (SELECT f.child, (SELECT c.state FROM windrow_jobs c WHERE c.id = f.child) AS state, f.policy
                             FROM (SELECT e.child, e.policy
                                     FROM (SELECT * FROM windrow_edges e WHERE e.parent = j.id OFFSET 0) e
                                    ORDER BY e.child LIMIT 1000) f) o) k
             WHERE j.id = ANY ($1::bigint[])
             ORDER BY j.id DESC
            """;

    /**
     * The trace contexts that job $1 and its first 100 parents were settled with last; null: none. By the primary keys of edges and of
     * attempts' texts.
     */
    public static final String READ_ORIGINS = """
            SELECT 'ATTEMPT', $1::bigint,
                   (SELECT x.text FROM windrow_attempt_texts x
                     WHERE x.job_id = $1 AND x.kind = 'TRACE' ORDER BY x.token DESC LIMIT 1)
             UNION ALL
            SELECT 'PARENT', e.parent,
                   (SELECT x.text FROM windrow_attempt_texts x
                     WHERE x.job_id = e.parent AND x.kind = 'TRACE' ORDER BY x.token DESC LIMIT 1)
              FROM windrow_edges e
             WHERE e.child = $1 AND e.position < 100
            """;

    /** The jobs of the chain in which job $1 is, from the first one. By windrow_inputs_pkey and windrow_inputs_chain. */
    public static final String READ_CHAIN = """
            SELECT id
              FROM (SELECT coalesce(i.chain_id, i.job_id) AS id, 0 AS place FROM windrow_inputs i WHERE i.job_id = $1
                     UNION ALL
                    SELECT n.job_id, n.chain_index
                      FROM (SELECT coalesce(i.chain_id, i.job_id) AS id FROM windrow_inputs i WHERE i.job_id = $1) r
                     CROSS JOIN LATERAL (SELECT * FROM windrow_inputs n
                                          WHERE n.chain_id = r.id AND n.chain_index > 0 OFFSET 0) n) c
             ORDER BY place
            """;

    /** How many jobs of workflow $1 are in which state. By windrow_inputs_workflow and primary key. */
    public static final String WORKFLOW_STATES = """
            SELECT j.state, count(*)
              FROM (SELECT job_id FROM windrow_inputs WHERE workflow_id = $1 OFFSET 0) i
             CROSS JOIN LATERAL (SELECT state FROM windrow_jobs j WHERE j.id = i.job_id OFFSET 0) j
             GROUP BY j.state
            """;

    /** The state of job $1, how many parents it has, how many of them it waits for no longer, and how many have not ended well. By primary keys. */
    public static final String BATCH = """
            SELECT j.state, e.parents, e.satisfied, e.unsuccessful
              FROM windrow_jobs j
             CROSS JOIN LATERAL (
                   SELECT count(*) AS parents, count(*) FILTER (WHERE e.satisfied) AS satisfied,
                          count(*) FILTER (WHERE (SELECT p.state FROM windrow_jobs p WHERE p.id = e.parent)
                                                 IN ('FAILED', 'CANCELLED')) AS unsuccessful
                     FROM windrow_edges e
                    WHERE e.child = j.id) e
             WHERE j.id = $1
            """;

    /** What a job was given and what came of it, either of them null if there is none; by primary keys. */
    public static final String READ_PAYLOAD_AND_RESULT = """
            SELECT i.payload, r.result
              FROM windrow_inputs i
              LEFT JOIN windrow_results r ON r.job_id = $1
             WHERE i.job_id = $1
            """;

    /** In order of the fence; by primary keys. */
    public static final String READ_ATTEMPTS = """
            SELECT t.attempt, t.token, a.name, t.outcome, t.error_code, t.error_detail, t.started_at, t.finished_at,
                   (SELECT x.text FROM windrow_attempt_texts x
                     WHERE x.job_id = t.job_id AND x.token = t.token AND x.kind = 'OUTPUT'),
                   (SELECT x.text FROM windrow_attempt_texts x
                     WHERE x.job_id = t.job_id AND x.token = t.token AND x.kind = 'STACK_TRACE')
              FROM windrow_attempts t
              JOIN windrow_actors a ON a.id = t.worker
             WHERE t.job_id = $1
             ORDER BY t.token
            """;

    /** In order of their numbers; by primary key. */
    public static final String READ_EVENTS = """
            SELECT e.at, e.event, a.name, e.detail
              FROM windrow_events e
              JOIN windrow_actors a ON a.id = e.actor
             WHERE e.job_id = $1
             ORDER BY e.seq
            """;

    /** How many attempts of a job have gone; by primary key. */
    public static final String ATTEMPTS_LEFT_OUT = """
            SELECT (detail::json ->> 'attempts')::bigint FROM windrow_events WHERE job_id = $1 AND event = 'TRIMMED'
            """;

    /** In order of their numbers, which begin at 1; by primary key. */
    public static final String READ_LOG = """
            SELECT seq, at, level, message FROM windrow_log_lines WHERE job_id = $1 ORDER BY seq
            """;

    /** All durable steps of a job, in order. By windrow_steps_position. */
    public static final String READ_STEPS = """
            SELECT s.name, s.kind, s.state, s.result, s.until_at, s.started_at, s.finished_at, a.name
              FROM windrow_steps s
              LEFT JOIN windrow_actors a ON a.id = s.actor
             WHERE s.job_id + 0 = $1
             ORDER BY s.position
            """;

    /** How one job stands. By primary keys. */
    public static final String READ_OUTCOME = """
            SELECT j.id, l.type, i.name, j.state, j.error_code, r.result
              FROM windrow_jobs j
              JOIN windrow_inputs i ON i.job_id = $1
              JOIN windrow_lanes l ON l.id = j.lane
              LEFT JOIN windrow_results r ON r.job_id = $1
             WHERE j.id = $1
            """;

    /** How the parents of $1 stand, in declared order. By primary keys. */
    public static final String READ_PARENTS = """
            SELECT j.id, l.type, i.name, j.state, j.error_code, r.result
              FROM windrow_edges e
             CROSS JOIN LATERAL (SELECT * FROM windrow_jobs j WHERE j.id = e.parent OFFSET 0) j
             CROSS JOIN LATERAL (SELECT * FROM windrow_inputs i WHERE i.job_id = e.parent OFFSET 0) i
              JOIN windrow_lanes l ON l.id = j.lane
              LEFT JOIN LATERAL (SELECT * FROM windrow_results r WHERE r.job_id = e.parent OFFSET 0) r ON true
             WHERE e.child = $1
             ORDER BY e.position
            """;

    /** Which of these blobs there are. By primary key. */
    public static final String EXISTING_BLOBS = """
            SELECT b.id FROM unnest($1::bigint[]) AS w (id)
             CROSS JOIN LATERAL (SELECT id FROM windrow_blobs WHERE id = w.id OFFSET 0) b
            """;

    /** A part of a blob. By primary key. */
    public static final String READ_CHUNK = """
            SELECT content FROM windrow_blob_chunks WHERE blob_id = $1 AND position = $2
            """;

    /** The newest $1 entries; from the end of the primary key. */
    public static final String READ_AUDIT = """
            SELECT u.id, u.at, u.action, a.name, u.jobs, u.detail
              FROM (SELECT * FROM windrow_audit ORDER BY id DESC LIMIT $1) u
              JOIN windrow_actors a ON a.id = u.actor
             ORDER BY u.id DESC
            """;

    // ---- statistics --------------------------------------------------------------------------------------------

    /**
     * Counts of each lane and state: what was folded and what came since, in one snapshot, because a fold moves the one into the other.
     * Scans tables as small as there are lanes, and as there were transactions since the last fold. Not joined with the lanes: by the settings of a
     * read, which keep it from scanning what is large, the server may take each lane with all counts.
     */
    public static final String COUNTERS = """
            SELECT c.lane, c.state, sum(c.n)::bigint
              FROM (SELECT lane, state, n FROM windrow_counters
                     UNION ALL
                    SELECT lane, state, n FROM windrow_counter_deltas WHERE state IS NOT NULL) c
             GROUP BY c.lane, c.state
            """;

    /** All lanes. A scan of a table as small as there are lanes. */
    public static final String COUNTED_LANES = """
            SELECT id, queue, type, paused_at IS NOT NULL FROM windrow_lanes
            """;

    /**
     * Since when the oldest ready job of each of the lanes $1 has been due. One step through windrow_jobs_claim for each
     * priority that is in use: the first entry of a priority is its oldest.
     */
    public static final String LANE_LAGS = """
            SELECT w.lane, o.since
              FROM unnest($1::integer[]) AS w (lane)
             CROSS JOIN LATERAL (
                   WITH RECURSIVE head (rank, since) AS (
                     (SELECT -j.priority, j.scheduled_at FROM windrow_jobs j
                       WHERE j.lane = w.lane AND j.state = 'PENDING' AND NOT j.held
                       ORDER BY -j.priority, j.scheduled_at LIMIT 1)
                     UNION ALL
                     SELECT n.rank, n.since
                       FROM head
                      CROSS JOIN LATERAL (
                            SELECT -j.priority AS rank, j.scheduled_at AS since FROM windrow_jobs j
                             WHERE j.lane = w.lane AND j.state = 'PENDING' AND NOT j.held AND -j.priority > head.rank
                             ORDER BY -j.priority, j.scheduled_at LIMIT 1) n)
                   SELECT min(since) AS since FROM head) o
             WHERE o.since IS NOT NULL
            """;

    /** The running jobs that were claimed first; reads as many entries of windrow_jobs_running as are running. */
    public static final String OLDEST_RUNNING = """
            SELECT j.id, l.type, a.name, coalesce(j.started_at, j.claimed_at), w.heartbeat_at, j.claimed_at
              FROM (SELECT id, lane, worker, started_at, claimed_at FROM windrow_jobs
                     WHERE state = 'RUNNING'
                     ORDER BY claimed_at, id LIMIT 10) j
              JOIN windrow_lanes l ON l.id = j.lane
              JOIN windrow_actors a ON a.id = j.worker
              LEFT JOIN windrow_workers w ON w.actor = j.worker
             ORDER BY j.claimed_at, j.id
            """;

    /** Retries of each type and attempt, folded or not; scans tables as small as those of {@link #COUNTERS}. */
    public static final String RETRIES = """
            SELECT l.type, c.attempt, sum(c.n)::bigint
              FROM (SELECT lane, attempt, n FROM windrow_retry_counters
                     UNION ALL
                    SELECT lane, attempt, n FROM windrow_counter_deltas WHERE state IS NULL) c
              JOIN windrow_lanes l ON l.id = c.lane
             GROUP BY l.type, c.attempt
             ORDER BY l.type, c.attempt
            """;

    /** The queues and types of the live workers, at $1: a scan of a table as small as there are workers. */
    public static final String LIVE_WORKERS = """
            SELECT queues, types FROM windrow_workers WHERE expires_at > $1
            """;

    /** Where one job is, and how it stands. By primary keys. */
    public static final String EXPLAIN = """
            SELECT l.queue, l.type, j.state FROM windrow_jobs j JOIN windrow_lanes l ON l.id = j.lane WHERE j.id = $1
            """;

    /** How many jobs wait until a time, and when the first one is over; walks windrow_jobs_wake. */
    public static final String COUNT_WAITS = """
            SELECT count(*), min(wake_at) FROM windrow_jobs WHERE wake_at IS NOT NULL
            """;

    /** The live workers, at $1, with handlers that do not end: a scan of a table as small as there are workers. */
    public static final String STUCK_SLOTS = """
            SELECT name, stuck FROM windrow_workers WHERE expires_at > $1 AND stuck > 0 ORDER BY name
            """;

    /**
     * How many jobs keep a worker of queues $1 and types $2 busy: ready ones of open lanes, and running ones. Without those that wait for a
     * key that is paused, or whose places all belong to jobs that do not run and that this worker does not take. Scans the tables of {@link
     * #COUNTERS}, and what waits for keys.
     */
    public static final String UNFINISHED = """
            SELECT coalesce(sum(c.n), 0)::bigint
                   - (SELECT count(*)
                        FROM windrow_permits t
                       CROSS JOIN LATERAL (SELECT j.lane FROM windrow_jobs j WHERE j.id = t.job_id OFFSET 0) j
                        JOIN windrow_lanes h ON h.id = j.lane
                       WHERE NOT t.placed AND h.paused_at IS NULL
                         AND h.queue = ANY ($1::text[]) AND h.type = ANY ($2::text[])
                         AND (EXISTS (SELECT 1 FROM windrow_limits k
                                       WHERE k.kind = 'KEY' AND k.name = t.key AND k.paused_at IS NOT NULL)
                              OR (EXISTS (SELECT 1 FROM windrow_permits p WHERE p.key = t.key AND p.placed)
                                  AND NOT EXISTS (
                                      SELECT 1 FROM windrow_permits p
                                       CROSS JOIN LATERAL (
                                             SELECT q.state, q.lane FROM windrow_jobs q WHERE q.id = p.job_id OFFSET 0) q
                                        JOIN windrow_lanes m ON m.id = q.lane
                                       WHERE p.key = t.key AND p.placed
                                         AND (q.state = 'RUNNING'
                                              OR (q.state = 'PENDING' AND m.paused_at IS NULL
                                                  AND m.queue = ANY ($1::text[]) AND m.type = ANY ($2::text[])))))))
              FROM windrow_lanes l
              JOIN (SELECT lane, state, n FROM windrow_counters WHERE state IN ('PENDING', 'RUNNING')
                     UNION ALL
                    SELECT lane, state, n FROM windrow_counter_deltas WHERE state IN ('PENDING', 'RUNNING')) c
                   ON c.lane = l.id
             WHERE l.queue = ANY ($1::text[]) AND l.type = ANY ($2::text[])
               AND (c.state = 'RUNNING' OR l.paused_at IS NULL)
            """;

    /**
     * The keys that are paused, or have more places than they are limited to, and jobs that have a place and are not claimed. By the primary key of
     * the controls and windrow_permits_held, of each key until one is found.
     */
    public static final String UNFINISHED_KEYS = """
            SELECT c.name FROM windrow_limits c
             WHERE c.kind = 'KEY'
               AND (c.paused_at IS NOT NULL
                    OR c.max_running IS NOT NULL
                   AND (SELECT count(*) FROM windrow_permits p WHERE p.key = c.name AND p.placed) > c.max_running)
               AND (SELECT t.job_id FROM windrow_permits t
                     CROSS JOIN LATERAL (SELECT j.state FROM windrow_jobs j WHERE j.id = t.job_id OFFSET 0) j
                     WHERE t.key = c.name AND t.placed AND j.state = 'PENDING'
                     ORDER BY -t.priority, t.turn LIMIT 1) IS NOT NULL
            """;

    /**
     * The first $2 keys behind $1 that jobs wait in line for, and whether each has room for the first one at $3 and nobody waits for its rate (or
     * has since the clock was set back). One step through windrow_permits_waiting
     * for each key, and a look at its places.
     */
    public static final String WAITING_KEYS = """
            WITH RECURSIVE keys (key) AS (
              SELECT (SELECT t.key FROM windrow_permits t WHERE NOT t.placed AND t.key > $1 ORDER BY t.key LIMIT 1)
              UNION ALL
              SELECT (SELECT t.key FROM windrow_permits t WHERE NOT t.placed AND t.key > k.key ORDER BY t.key LIMIT 1)
                FROM keys k WHERE k.key IS NOT NULL)
            SELECT k.key,
                   c.paused_at IS NULL AND (c.wakes_at IS NULL OR c.wakes_at > $3 + c.rate_millis / c.rate_count + 2000)
                   AND (SELECT count(*) FROM windrow_permits p WHERE p.key = k.key AND p.placed)
                       < least(coalesce(c.max_running, 1000000),
                               (SELECT coalesce(greatest(h.most, CASE WHEN h.most IS NULL THEN NULL ELSE 1 END), 1000000)
                                  FROM windrow_permits h WHERE h.key = k.key AND NOT h.placed
                                 ORDER BY -h.priority, h.turn LIMIT 1))
              FROM keys k
              LEFT JOIN LATERAL (
                   SELECT * FROM windrow_limits c WHERE c.kind = 'KEY' AND c.name = k.key OFFSET 0) c ON true
             WHERE k.key IS NOT NULL
             LIMIT $2::integer
            """;

    /** A job of queues $1 and types $2 that is scheduled for a retry, if any; walks windrow_jobs_due until it finds one. */
    public static final String RETRY_SCHEDULED = """
            SELECT id FROM windrow_jobs
             WHERE state = 'SCHEDULED' AND used > 0
               AND lane = ANY (ARRAY(SELECT l.id FROM windrow_lanes l
                                      WHERE l.queue = ANY ($1::text[]) AND l.type = ANY ($2::text[])))
             ORDER BY scheduled_at LIMIT 1
            """;

    // ---- leases, registry --------------------------------------------------------------------------------------

    /**
     * Leases that ran out before $1 or end after $2 (further ahead than one lease: the clock stepped back), and further ahead
     * than their own worker's leases; beyond ($4, $5), at most $3. Reads as many entries of windrow_jobs_running as are
     * running, whoever has locked them; what else is told of those in the answer by primary keys. A name that is missing keeps no job from being taken back.
     */
    public static final String SUSPECTS = """
            SELECT j.id, j.token, j.lease_until, j.used, j.max_attempts, j.started_at IS NOT NULL,
                   (SELECT count(*) FROM windrow_attempts t WHERE t.job_id = j.id AND t.outcome = 'LOST'),
                   j.cancel_requested <> 0, (SELECT i.retry_policy FROM windrow_inputs i WHERE i.job_id = j.id),
                   coalesce(a.name, ''), w.expires_at - w.heartbeat_at, coalesce(l.type, '')
              FROM windrow_jobs j
              LEFT JOIN windrow_lanes l ON l.id = j.lane
              LEFT JOIN windrow_actors a ON a.id = j.worker
              LEFT JOIN windrow_workers w ON w.actor = j.worker
             WHERE j.state = 'RUNNING' AND (j.lease_until, j.id) > ($4::bigint, $5::bigint)
               AND (j.lease_until < $1 OR j.lease_until > $2)
               AND (j.lease_until < $1 OR j.lease_until > $1 + coalesce(w.expires_at - w.heartbeat_at, 0))
             ORDER BY j.lease_until, j.id LIMIT $3
            """;

    /** What the workers of process $1 hold, at most $2; reads as many entries of windrow_jobs_running as are running. */
    public static final String HELD_BY = """
            SELECT j.id, j.token, j.lease_until, j.used, j.max_attempts, j.started_at IS NOT NULL,
                   (SELECT count(*) FROM windrow_attempts t WHERE t.job_id = j.id AND t.outcome = 'LOST'),
                   j.cancel_requested <> 0, (SELECT i.retry_policy FROM windrow_inputs i WHERE i.job_id = j.id), w.name,
                   w.expires_at - w.heartbeat_at, coalesce(l.type, '')
              FROM windrow_jobs j
              LEFT JOIN windrow_lanes l ON l.id = j.lane
              JOIN windrow_workers w ON w.actor = j.worker
             WHERE j.state = 'RUNNING' AND w.process = $1
             ORDER BY j.lease_until, j.id LIMIT $2
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

    /** Some of the parents of which children are left. In the order of the primary key. */
    public static final String RELEASES = """
            SELECT parent FROM windrow_releases ORDER BY parent LIMIT $1::integer
            """;
}
