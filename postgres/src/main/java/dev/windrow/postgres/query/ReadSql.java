package dev.windrow.postgres.query;

import dev.windrow.postgres.job.JobSql;
import dev.windrow.postgres.monitor.CounterSql;

/**
 * The statements that only read. They follow the rules of {@link JobSql}. If several rows of different tables must be consistent, they are read by
 * one statement, or by several in one snapshot.
 *
 * <p>OFFSET 0 keeps the planner from joining the selected rows in another way, or from walking another index. The planner must not choose by
 * statistics. A plan that it makes while the tables are nearly empty scans them, because that is cheapest, and is kept while they fill.
 */
public final class ReadSql {
    private ReadSql() {}

    // ---- single jobs -------------------------------------------------------------------------------------------

    /**
     * The columns of the jobs $1, newest first, with the progress of the last attempt, metadata, the number of the last event, tags, parents in declared order and at most 1000 children. All
     * by primary keys and windrow_edges_parent.
     */
    public static final String READ_JOBS = """
            SELECT j.id, l.type, l.queue, i.name, j.state, j.priority, j.used, j.max_attempts, j.error_code,
                   j.error_detail, i.created_at, j.scheduled_at, j.started_at, j.finished_at, a.name, i.chain_id,
                   i.chain_index, i.traceparent, j.token, g.at, g.fraction, g.message, i.dedupe_key,
                   j.concurrency_key, j.waits_for_permit, i.workflow_id, j.waiting_for, j.wake_at,
                   (SELECT m.metadata FROM windrow_metadata m WHERE m.job_id = j.id), j.run,
                   (SELECT e.seq FROM windrow_events e WHERE e.job_id = j.id ORDER BY e.job_id DESC, e.seq DESC LIMIT 1),
                   ARRAY(SELECT t.tag FROM windrow_tags t WHERE t.job_id = j.id ORDER BY t.tag),
                   d.parents, d.states, d.policies, k.children, k.states, k.policies
              FROM windrow_jobs j
             CROSS JOIN LATERAL (SELECT * FROM windrow_inputs i WHERE i.job_id = j.id OFFSET 0) i
              JOIN windrow_lanes l ON l.id = j.lane
              LEFT JOIN windrow_actors a ON a.id = j.worker AND j.state = 'RUNNING'
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
     * The trace contexts of the last settlements of job $1 and its first 100 parents; null if there is none. By the primary keys of edges and of
     * attempt texts.
     */
    public static final String READ_LINKS = """
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

    /** The jobs of the chains of the jobs $1, with the first job of each. By windrow_inputs_pkey and windrow_inputs_chain. */
    public static final String CHAIN_MEMBERS = """
            WITH firsts AS (
              SELECT DISTINCT coalesce(i.chain_id, i.job_id) AS id FROM windrow_inputs i WHERE i.job_id = ANY ($1::bigint[]))
            SELECT f.id, j.job_id
              FROM firsts f
             CROSS JOIN LATERAL (SELECT j.job_id FROM windrow_inputs j WHERE j.job_id = f.id OFFSET 0) j
             UNION ALL
            SELECT f.id, n.job_id
              FROM firsts f
             CROSS JOIN LATERAL (SELECT n.job_id FROM windrow_inputs n
                                  WHERE n.chain_id = f.id AND n.chain_index > 0 OFFSET 0) n
            """;

    /** The jobs of the chain of job $1, from the first one on. By windrow_inputs_pkey and windrow_inputs_chain. */
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

    /** The number of jobs of workflow $1 in each state. By windrow_inputs_workflow and primary key. */
    public static final String WORKFLOW_STATES = """
            SELECT j.state, count(*)
              FROM (SELECT job_id FROM windrow_inputs WHERE workflow_id = $1 OFFSET 0) i
             CROSS JOIN LATERAL (SELECT state FROM windrow_jobs j WHERE j.id = i.job_id OFFSET 0) j
             GROUP BY j.state
            """;

    /**
     * The state of job $1, the number of its parents, and how many of them no longer block it. Also the number of parents that are FAILED or
     * CANCELLED. By primary keys.
     */
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

    /**
     * The payload and the result of a job; null if there is none; and its options: time limit, retry policy, concurrency key and limit, and the time
     * for its completion from outside. By primary keys.
     */
    public static final String READ_DETAILS = """
            SELECT i.payload, r.result, i.timeout_ms, i.retry_policy, j.concurrency_key, j.concurrency_limit, j.wait_ms
              FROM windrow_inputs i
              JOIN windrow_jobs j ON j.id = i.job_id
              LEFT JOIN windrow_results r ON r.job_id = $1
             WHERE i.job_id = $1
            """;

    /** The ended attempts of a job, in order of their tokens. The one that has completed the job may be in the row of the job alone. By primary keys. */
    public static final String READ_ATTEMPTS = """
            SELECT t.attempt, t.token, a.name, t.outcome, t.error_code, t.error_detail, t.started_at, t.finished_at,
                   (SELECT x.text FROM windrow_attempt_texts x
                     WHERE x.job_id = t.job_id AND x.token = t.token AND x.kind = 'OUTPUT'),
                   (SELECT x.text FROM windrow_attempt_texts x
                     WHERE x.job_id = t.job_id AND x.token = t.token AND x.kind = 'STACK_TRACE'),
                   t.run
              FROM windrow_attempts t
              JOIN windrow_actors a ON a.id = t.worker
             WHERE t.job_id = $1
             UNION ALL
            SELECT j.used, j.token, a.name, 'SUCCEEDED', NULL, NULL, j.started_at, j.finished_at, NULL, NULL, j.run
              FROM windrow_jobs j
              JOIN windrow_actors a ON a.id = j.worker
             WHERE j.id = $1 AND j.state || '' = 'COMPLETED'
               AND NOT EXISTS (SELECT 1 FROM windrow_attempts t WHERE t.job_id = $1 AND t.token = j.token)
             ORDER BY 2
            """;

    /**
     * The events of a job that are in the log, by number, and the ones that the rows of the job and of its attempts tell. Those have no number. By
     * primary keys. A job has a worker while it runs, and if a worker has completed it.
     */
    public static final String READ_EVENTS = """
            WITH job AS (
              SELECT j.token, j.state, j.worker, j.claimed_at, j.started_at, j.finished_at, i.created_at, i.created_by
                FROM windrow_jobs j
               CROSS JOIN LATERAL (SELECT * FROM windrow_inputs i WHERE i.job_id = j.id OFFSET 0) i
               WHERE j.id = $1),
            attempts AS (
              SELECT token, worker, claimed_at, started_at FROM windrow_attempts WHERE job_id = $1
               UNION ALL
              SELECT j.token, j.worker, j.claimed_at, j.started_at FROM job j
               WHERE j.worker IS NOT NULL
                 AND NOT EXISTS (SELECT 1 FROM windrow_attempts t WHERE t.job_id = $1 AND t.token = j.token)),
            log AS (
              SELECT seq, token, at, event, actor, detail FROM windrow_events WHERE job_id = $1)
            SELECT e.at, e.event, a.name, e.detail, e.token, e.seq
              FROM (SELECT NULL::bigint AS seq, 0 AS token, created_at AS at, 'ENQUEUED' AS event, created_by AS actor,
                           NULL::text AS detail
                      FROM job WHERE NOT EXISTS (SELECT 1 FROM log WHERE event = 'ENQUEUED')
                     UNION ALL
                    SELECT NULL, token, claimed_at, 'CLAIMED', worker, NULL FROM attempts
                     UNION ALL
                    SELECT NULL, token, started_at, 'STARTED', worker, NULL FROM attempts WHERE started_at IS NOT NULL
                     UNION ALL
                    SELECT NULL, token, finished_at, 'SUCCEEDED', worker, NULL FROM job
                     WHERE state = 'COMPLETED' AND worker IS NOT NULL
                       AND NOT EXISTS (SELECT 1 FROM log WHERE event = 'SUCCEEDED')
                     UNION ALL
                    SELECT seq, token, at, event, actor, detail FROM log) e
              JOIN windrow_actors a ON a.id = e.actor
             ORDER BY e.seq NULLS FIRST, e.token, e.event COLLATE "C"
            """;

    /** The number of the last event of each of the jobs $1. By primary key. */
    public static final String LAST_EVENTS = """
            SELECT w.id,
                   (SELECT e.seq FROM windrow_events e WHERE e.job_id = w.id ORDER BY e.job_id DESC, e.seq DESC LIMIT 1)
              FROM unnest($1::bigint[]) AS w (id)
            """;

    /** The number of deleted attempts of a job. By primary key. */
    public static final String ATTEMPTS_LEFT_OUT = """
            SELECT (detail::json ->> 'attempts')::bigint FROM windrow_events WHERE job_id = $1 AND event = 'TRIMMED'
            """;

    /** The log lines of a job, in order of their numbers, which begin at 1. By primary key. */
    public static final String READ_LOG = """
            SELECT seq, at, level, message FROM windrow_log_lines WHERE job_id = $1 ORDER BY seq
            """;

    /** The state and the result of one job. By primary keys. */
    public static final String READ_OUTCOME = """
            SELECT j.id, l.type, i.name, j.state, j.error_code, r.result
              FROM windrow_jobs j
              JOIN windrow_inputs i ON i.job_id = $1
              JOIN windrow_lanes l ON l.id = j.lane
              LEFT JOIN windrow_results r ON r.job_id = $1
             WHERE j.id = $1
            """;

    /**
     * The newest job with dedupe key $1 of the types $2. Of a chain that holds the key, the type of its first job counts. By windrow_inputs_dedupe,
     * from the last entry of the key on. Looks at 100 jobs of these types, because processes take their ids in blocks: for a second, a newer job
     * may have a smaller id. The key is a range, because with an equality the server may walk the primary key.
     */
    public static final String FIND_KEYED = """
            SELECT c.job_id
              FROM (SELECT i.job_id, i.created_at
                      FROM windrow_inputs i
                     WHERE i.dedupe_key >= $1 AND i.dedupe_key <= $1
                       AND coalesce(i.dedupe_type, (SELECT l.type FROM windrow_lanes l WHERE l.id = i.lane)) = ANY ($2::text[])
                     ORDER BY i.dedupe_key DESC, i.job_id DESC LIMIT 100) c
             ORDER BY c.created_at DESC, c.job_id DESC LIMIT 1
            """;

    /** The states and the results of the parents of $1, in declared order. By primary keys. */
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

    // ---- statistics --------------------------------------------------------------------------------------------

    /**
     * A job, its worker, the last heartbeat of its lease, whether one of its last 100 events says that its handler is stuck, the outcome of its last
     * attempt, and the event for which it waits. By primary keys and windrow_steps_position.
     */
    public static final String EXPLAIN = """
            SELECT l.queue, l.type, j.state, j.priority, j.scheduled_at, j.used, j.max_attempts, j.concurrency_key,
                   j.concurrency_limit, j.waits_for_permit, j.waiting_for, j.wake_at, j.error_code, j.finished_at, a.name,
                   j.claimed_at, j.started_at, j.lease_until,
                   coalesce(j.lease_until - (w.expires_at - w.heartbeat_at), j.claimed_at),
                   EXISTS (SELECT 1 FROM (SELECT e.event, e.token FROM windrow_events e
                                           WHERE e.job_id = $1 ORDER BY e.seq DESC LIMIT 100) e
                            WHERE e.event = 'STUCK' AND e.token = j.token),
                   (SELECT t.outcome FROM windrow_attempts t WHERE t.job_id = $1 ORDER BY t.token DESC LIMIT 1),
                   (SELECT s.name FROM windrow_steps s
                     WHERE s.job_id + 0 = $1 AND s.kind = 'EVENT' AND s.state = 'WAITING'
                     ORDER BY s.position DESC LIMIT 1),
                   j.open_parents
              FROM windrow_jobs j
              JOIN windrow_lanes l ON l.id = j.lane
              LEFT JOIN windrow_actors a ON a.id = j.worker AND j.state = 'RUNNING'
              LEFT JOIN windrow_workers w ON w.actor = j.worker AND j.state = 'RUNNING'
             WHERE j.id = $1
            """;

    /** The first $2 open parents of job $1, in declared order. By primary keys. Walks the edges of the job. */
    public static final String EXPLAIN_PARENTS = """
            SELECT e.parent, (SELECT p.state FROM windrow_jobs p WHERE p.id = e.parent), e.policy
              FROM (SELECT e.parent, e.policy, e.position FROM windrow_edges e
                     WHERE e.child = $1 AND NOT e.satisfied ORDER BY e.position LIMIT $2) e
             ORDER BY e.position
            """;

    /** The pauses and limits of queue $1, type $2 and key $3. By primary key. */
    public static final String EXPLAIN_LIMITS = """
            SELECT c.kind, c.name, c.paused_at, a.name, c.pause_reason, c.max_running, c.rate_count, c.rate_millis,
                   c.rate_burst, c.next_start
              FROM windrow_limits c
              LEFT JOIN windrow_actors a ON a.id = c.paused_by
             WHERE c.kind = 'QUEUE' AND c.name = $1 OR c.kind = 'TYPE' AND c.name = $2 OR c.kind = 'KEY' AND c.name = $3
            """;

    /**
     * The number of running jobs of queue $1 or type $2, one of which is null. Counts up to 10 000, or to the limit. By windrow_jobs_running. Skips
     * the entries that claims have found to be dead.
     */
    public static final String EXPLAIN_RUNNING = """
            WITH c AS MATERIALIZED (
              SELECT coalesce(running_since, 0) AS since, max_running FROM windrow_limits
               WHERE kind = CASE WHEN $1::text IS NULL THEN 'TYPE' ELSE 'QUEUE' END AND name = coalesce($1::text, $2::text))
            SELECT count(*)
              FROM (SELECT 1
                      FROM c
                     CROSS JOIN windrow_lanes l
                     CROSS JOIN LATERAL (SELECT 1 FROM windrow_jobs j
                                          WHERE j.lane = l.id AND j.state = 'RUNNING' AND j.claimed_at >= c.since OFFSET 0) j
                     WHERE l.queue = $1::text OR l.type = $2::text
                     LIMIT (SELECT greatest(10000, max_running) FROM c)) r
            """;

    /** The first $2 jobs with a permit of key $1. By windrow_permits_granted. */
    public static final String EXPLAIN_HOLDERS = """
            SELECT t.job_id, (SELECT j.state FROM windrow_jobs j WHERE j.id = t.job_id)
              FROM (SELECT job_id, priority, position FROM windrow_permits
                     WHERE key = $1 AND granted ORDER BY -priority, position LIMIT $2) t
             ORDER BY -t.priority, t.position
            """;

    /**
     * The number of ready jobs in the open lanes of queue $1 that are claimed before the job with priority $2, due time $3 and id $4. Counts up to $5,
     * in at most 1000 lanes. By windrow_jobs_claim, from the job to the front, because dead entries may be at the front.
     */
    public static final String EXPLAIN_BEFORE = """
            SELECT count(*)
              FROM (SELECT 1
                      FROM (SELECT id FROM windrow_lanes WHERE queue = $1 AND paused_at IS NULL LIMIT 1000) l
                     CROSS JOIN LATERAL (
                           SELECT 1 FROM windrow_jobs j
                            WHERE j.lane = l.id AND j.state = 'PENDING' AND NOT j.waits_for_permit
                              AND (-j.priority, j.scheduled_at, j.id) < (-$2::integer, $3::bigint, $4::bigint)
                            ORDER BY -j.priority DESC, j.scheduled_at DESC, j.id DESC LIMIT $5) j
                     LIMIT $5) b
            """;

    /**
     * The number of jobs that keep a worker of queues $1 and types $2 busy: ready jobs of lanes that are not paused, and running jobs. Leaves out
     * jobs that wait for a paused key. Also leaves out jobs that wait for a key if no holder of its permits runs and this worker takes none of the
     * holders. Scans the tables of {@link CounterSql#COUNTERS}, and the jobs that wait for keys.
     */
    public static final String UNFINISHED = """
            SELECT coalesce(sum(c.n), 0)::bigint
                   - (SELECT count(*)
                        FROM windrow_permits t
                       CROSS JOIN LATERAL (SELECT j.lane FROM windrow_jobs j WHERE j.id = t.job_id OFFSET 0) j
                        JOIN windrow_lanes h ON h.id = j.lane
                       WHERE NOT t.granted AND h.paused_at IS NULL
                         AND h.queue = ANY ($1::text[]) AND h.type = ANY ($2::text[])
                         AND (EXISTS (SELECT 1 FROM windrow_limits k
                                       WHERE k.kind = 'KEY' AND k.name = t.key AND k.paused_at IS NOT NULL)
                              OR (EXISTS (SELECT 1 FROM windrow_permits p WHERE p.key = t.key AND p.granted)
                                  AND NOT EXISTS (
                                      SELECT 1 FROM windrow_permits p
                                       CROSS JOIN LATERAL (
                                             SELECT q.state, q.lane FROM windrow_jobs q WHERE q.id = p.job_id OFFSET 0) q
                                        JOIN windrow_lanes m ON m.id = q.lane
                                       WHERE p.key = t.key AND p.granted
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
     * The same for jobs of priority $3 or more, which the counters do not tell apart. It finds out if there is one: 1 or 0. By windrow_jobs_claim, one
     * step a lane. Reads the running jobs of the lanes by windrow_jobs_running, and scans the jobs that wait for keys.
     */
    public static final String UNFINISHED_FROM = """
            WITH served AS MATERIALIZED (
              SELECT id, paused_at FROM windrow_lanes WHERE queue = ANY ($1::text[]) AND type = ANY ($2::text[]))
            SELECT (EXISTS (SELECT 1 FROM served l
                             CROSS JOIN LATERAL (
                                   SELECT j.priority FROM windrow_jobs j
                                    WHERE j.lane = l.id AND j.state = 'PENDING' AND NOT j.waits_for_permit
                                    ORDER BY -j.priority, j.scheduled_at, j.id LIMIT 1) j
                             WHERE l.paused_at IS NULL AND j.priority >= $3::integer)
                    OR EXISTS (SELECT 1 FROM served l
                                CROSS JOIN LATERAL (
                                      SELECT j.priority FROM windrow_jobs j
                                       WHERE j.lane = l.id AND j.state = 'RUNNING' AND j.priority >= $3::integer
                                       ORDER BY j.claimed_at LIMIT 1) j)
                    OR EXISTS (SELECT 1
                                 FROM windrow_permits t
                                CROSS JOIN LATERAL (SELECT j.lane FROM windrow_jobs j WHERE j.id = t.job_id OFFSET 0) j
                                 JOIN served h ON h.id = j.lane
                                CROSS JOIN LATERAL (
                                      SELECT count(*) AS n,
                                             bool_or(q.state = 'RUNNING'
                                                     OR (q.state = 'PENDING' AND q.priority >= $3::integer
                                                         AND EXISTS (SELECT 1 FROM served m
                                                                      WHERE m.id = q.lane AND m.paused_at IS NULL))) AS ends
                                        FROM windrow_permits p
                                       CROSS JOIN LATERAL (
                                             SELECT q.state, q.lane, q.priority
                                               FROM windrow_jobs q WHERE q.id = p.job_id OFFSET 0) q
                                       WHERE p.key = t.key AND p.granted OFFSET 0) p
                                WHERE NOT t.granted AND t.priority >= $3::integer AND h.paused_at IS NULL
                                  AND NOT EXISTS (SELECT 1 FROM windrow_limits k
                                                   WHERE k.kind = 'KEY' AND k.name = t.key AND k.paused_at IS NOT NULL)
                                  AND (p.n = 0 OR p.ends)))::integer
            """;

    /** One job of queues $1 and types $2, of priority $3 or more, that is scheduled for a retry. Walks windrow_jobs_due until it finds one. */
    public static final String RETRY_SCHEDULED = """
            SELECT id FROM windrow_jobs
             WHERE state = 'SCHEDULED' AND used > 0 AND priority >= $3::integer
               AND lane = ANY (ARRAY(SELECT l.id FROM windrow_lanes l
                                      WHERE l.queue = ANY ($1::text[]) AND l.type = ANY ($2::text[])))
             ORDER BY scheduled_at LIMIT 1
            """;

    // ---- names that begin with a text: starts_with, because LIKE would read the text as a pattern --------------

    /** The first $2 types that begin with $1, in order. Scans a table that has one row for each queue and type. */
    public static final String SUGGEST_TYPES = """
            SELECT DISTINCT type FROM windrow_lanes WHERE starts_with(type, $1) ORDER BY type LIMIT $2
            """;

    /** The same for queues. Steps from name to name in the unique index of windrow_lanes. */
    public static final String SUGGEST_QUEUES = """
            WITH RECURSIVE names (name) AS (
              (SELECT t.queue FROM windrow_lanes t WHERE t.queue >= $1 ORDER BY t.queue, t.type LIMIT 1)
               UNION ALL
              SELECT s.queue
                FROM names n
               CROSS JOIN LATERAL (
                     SELECT t.queue FROM windrow_lanes t WHERE t.queue > n.name ORDER BY t.queue, t.type LIMIT 1) s
               WHERE starts_with(n.name, $1))
            SELECT name FROM names WHERE starts_with(name, $1) LIMIT $2
            """;

    /** The same for tags, in windrow_tags_tag. The cost does not depend on the number of jobs. */
    public static final String SUGGEST_TAGS = """
            WITH RECURSIVE names (name) AS (
              (SELECT t.tag FROM windrow_tags t WHERE t.tag >= $1 ORDER BY t.tag, t.job_id LIMIT 1)
               UNION ALL
              SELECT s.tag
                FROM names n
               CROSS JOIN LATERAL (
                     SELECT t.tag FROM windrow_tags t WHERE t.tag > n.name ORDER BY t.tag, t.job_id LIMIT 1) s
               WHERE starts_with(n.name, $1))
            SELECT name FROM names WHERE starts_with(name, $1) LIMIT $2
            """;

    /** The same for the error codes of FAILED jobs. Scans tables with one row for each code, and for each failure since the last compaction. */
    public static final String SUGGEST_CODES = """
            SELECT c.error_code
              FROM (SELECT error_code, n FROM windrow_failures
                     UNION ALL
                    SELECT error_code, n FROM windrow_failure_deltas) c
             WHERE starts_with(c.error_code, $1) AND c.error_code <> ''
             GROUP BY c.error_code
            HAVING sum(c.n) > 0
             ORDER BY c.error_code LIMIT $2
            """;

    /** The same for workers. Scans a table that has one row for each worker. */
    public static final String SUGGEST_WORKERS = """
            SELECT DISTINCT name FROM windrow_workers WHERE starts_with(name, $1) ORDER BY name LIMIT $2
            """;

    /** The same for schedules. By the unique index of their names. */
    public static final String SUGGEST_SCHEDULES = """
            SELECT name FROM windrow_schedules WHERE name >= $1 AND starts_with(name, $1) ORDER BY name LIMIT $2
            """;
}
