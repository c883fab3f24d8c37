package dev.windrow.sqlite.query;

import dev.windrow.sqlite.job.JobSql;

/** The statements that only read jobs, and the sums over jobs that need no scan. Written like the statements in {@link JobSql}. */
public final class ReadSql {
    private ReadSql() {}

    // ---- reads -------------------------------------------------------------------------------------------------

    /** The columns of a job, with the progress of its last attempt and the number of its last event. By primary keys. */
    public static final String READ_JOB = """
            SELECT j.id, l.type, l.queue, j.name, j.state, j.priority, j.used, j.max_attempts, j.error_code,
                   j.error_detail, j.created_at, j.scheduled_at, j.started_at, j.finished_at, a.name, j.chain_id,
                   j.chain_index, j.traceparent, j.token, p.at, p.fraction, p.message, j.dedupe_key,
                   j.concurrency_key, j.waits_for_permit, j.workflow_id, j.waiting_for, j.wake_at, m.metadata,
                   j.run, (SELECT e.seq FROM windrow_events e WHERE e.job_id = j.id ORDER BY e.seq DESC LIMIT 1)
              FROM windrow_jobs j
              JOIN windrow_lanes l ON l.id = j.lane
              LEFT JOIN windrow_metadata m ON m.job_id = j.id
              LEFT JOIN windrow_actors a ON a.id = j.worker AND j.state = 'RUNNING'
              LEFT JOIN windrow_progress p ON p.job_id = j.id AND p.token = j.token
             WHERE j.id = ?1
            """;

    /**
     * The payload and the result of a job, null if it has none, and its options: time limit, retry policy, concurrency key and limit, and the time for
     * its completion from outside. By primary keys.
     */
    public static final String READ_DETAILS = """
            SELECT (SELECT payload FROM windrow_payloads WHERE job_id = ?1),
                   (SELECT result FROM windrow_results WHERE job_id = ?1),
                   timeout_ms, retry_policy, concurrency_key, concurrency_limit, wait_ms
              FROM windrow_jobs WHERE id = ?1
            """;

    public static final String READ_TAGS = """
            SELECT tag FROM windrow_tags WHERE job_id = ?1 ORDER BY tag
            """;

    /** The parents of a job, in declared order. By primary key. */
    public static final String READ_DEPENDS_ON = """
            SELECT e.parent, p.state, e.policy FROM windrow_edges e JOIN windrow_jobs p ON p.id = e.parent
             WHERE e.child = ?1 ORDER BY e.position
            """;

    /** The first 1000 jobs that depend on a job, ordered by id. By windrow_edges_parent and primary key. */
    public static final String READ_DEPENDENTS = """
            SELECT e.child, c.state, e.policy FROM windrow_edges e CROSS JOIN windrow_jobs c ON c.id = e.child
             WHERE e.parent = ?1 ORDER BY e.child LIMIT 1000
            """;

    /** The number of jobs of workflow ?1 in each state. By windrow_jobs_workflow. */
    public static final String WORKFLOW_STATES = """
            SELECT state, count(*) FROM windrow_jobs WHERE workflow_id = ?1 GROUP BY state
            """;

    /**
     * The state of job ?1, the number of its parents, the number of satisfied ones, and the number that failed or were cancelled. By primary keys.
     */
    public static final String BATCH = """
            SELECT j.state, count(e.child), total(e.satisfied), total(p.state = 'FAILED' OR p.state = 'CANCELLED')
              FROM windrow_jobs j
              LEFT JOIN windrow_edges e ON e.child = j.id
              LEFT JOIN windrow_jobs p ON p.id = e.parent
             WHERE j.id = ?1
             GROUP BY j.id
            """;

    /** The ended attempts of a job, ordered by token. The one that has completed the job may be in the row of the job alone. By primary keys. */
    public static final String READ_ATTEMPTS = """
            SELECT t.attempt, t.token, a.name, t.outcome, t.error_code, t.error_detail, t.started_at, t.finished_at,
                   (SELECT text FROM windrow_attempt_texts x
                     WHERE x.job_id = t.job_id AND x.token = t.token AND x.kind = 'OUTPUT'),
                   (SELECT text FROM windrow_attempt_texts x
                     WHERE x.job_id = t.job_id AND x.token = t.token AND x.kind = 'STACK_TRACE'),
                   t.run
              FROM windrow_attempts t
              JOIN windrow_actors a ON a.id = t.worker
             WHERE t.job_id = ?1
             UNION ALL
            SELECT j.used, j.token, a.name, 'SUCCEEDED', NULL, NULL, j.started_at, j.finished_at, NULL, NULL, j.run
              FROM windrow_jobs j
              JOIN windrow_actors a ON a.id = j.worker
             WHERE j.id = ?1 AND j.state = 'COMPLETED'
               AND NOT EXISTS (SELECT 1 FROM windrow_attempts t WHERE t.job_id = ?1 AND t.token = j.token)
             ORDER BY 2
            """;

    /**
     * The events of a job that are in the log, by number, after the ones that the rows of the job and of its attempts tell. Those have no number.
     * By primary keys. A job has a worker while it runs, and if a worker has completed it.
     */
    public static final String READ_EVENTS = """
            WITH attempts (token, worker, claimed_at, started_at) AS (
              SELECT token, worker, claimed_at, started_at FROM windrow_attempts WHERE job_id = ?1
               UNION ALL
              SELECT j.token, j.worker, j.claimed_at, j.started_at FROM windrow_jobs j
               WHERE j.id = ?1 AND j.worker IS NOT NULL
                 AND NOT EXISTS (SELECT 1 FROM windrow_attempts t WHERE t.job_id = ?1 AND t.token = j.token))
            SELECT log.at, log.event, a.name, log.detail, log.token, log.seq
              FROM (SELECT NULL AS seq, 0 AS token, j.created_at AS at, 'ENQUEUED' AS event, j.created_by AS actor,
                           NULL AS detail
                      FROM windrow_jobs j WHERE j.id = ?1
                       AND NOT EXISTS (SELECT 1 FROM windrow_events WHERE job_id = ?1 AND event = 'ENQUEUED')
                     UNION ALL
                    SELECT NULL, token, claimed_at, 'CLAIMED', worker, NULL FROM attempts
                     UNION ALL
                    SELECT NULL, token, started_at, 'STARTED', worker, NULL FROM attempts WHERE started_at IS NOT NULL
                     UNION ALL
                    SELECT NULL, j.token, j.finished_at, 'SUCCEEDED', j.worker, NULL FROM windrow_jobs j
                     WHERE j.id = ?1 AND j.state = 'COMPLETED' AND j.worker IS NOT NULL
                       AND NOT EXISTS (SELECT 1 FROM windrow_events WHERE job_id = ?1 AND event = 'SUCCEEDED')
                     UNION ALL
                    SELECT seq, token, at, event, actor, detail FROM windrow_events WHERE job_id = ?1) log
              JOIN windrow_actors a ON a.id = log.actor
             ORDER BY log.seq, log.token, log.event
            """;

    /** The number of the last event of each of the jobs in ?1 (a JSON array). By primary key. */
    public static final String LAST_EVENTS = """
            SELECT w.value, (SELECT e.seq FROM windrow_events e WHERE e.job_id = w.value ORDER BY e.seq DESC LIMIT 1)
              FROM json_each(?1) w
            """;

    /** The number of attempts of a job that history truncation has deleted. By primary key. */
    public static final String ATTEMPTS_LEFT_OUT = """
            SELECT json_extract(detail, '$.attempts') FROM windrow_events WHERE job_id = ?1 AND event = 'TRIMMED'
            """;

    /** The log lines of a job, ordered by number from 1. By primary key. */
    public static final String READ_LOG = """
            SELECT seq, at, level, message FROM windrow_log_lines WHERE job_id = ?1 ORDER BY seq
            """;

    /** The state, the error code and the result of one job. By primary key. */
    public static final String READ_OUTCOME = """
            SELECT j.id, l.type, j.name, j.state, j.error_code, r.result
              FROM windrow_jobs j
              JOIN windrow_lanes l ON l.id = j.lane
              LEFT JOIN windrow_results r ON r.job_id = j.id
             WHERE j.id = ?1
            """;

    /**
     * The newest job with dedupe key ?1 of the types ?2 (a JSON array). Of a chain that holds the key, the type of its first job counts. By
     * windrow_jobs_dedupe, from the newest entry of the key to the first one of these types.
     */
    public static final String FIND_KEYED = """
            SELECT j.id
              FROM windrow_jobs j
             CROSS JOIN windrow_lanes l ON l.id = j.lane
             WHERE j.dedupe_key = ?1 AND coalesce(j.dedupe_type, l.type) IN (SELECT value FROM json_each(?2))
             ORDER BY j.id DESC LIMIT 1
            """;

    /** The states, the error codes and the results of the parents of ?1, in declared order. By the primary keys. */
    public static final String READ_PARENTS = """
            SELECT j.id, l.type, j.name, j.state, j.error_code, r.result
              FROM windrow_edges e
              JOIN windrow_jobs j ON j.id = e.parent
              JOIN windrow_lanes l ON l.id = j.lane
              LEFT JOIN windrow_results r ON r.job_id = j.id
             WHERE e.child = ?1 ORDER BY e.position
            """;

    /**
     * The trace contexts of the last settlements of job ?1 and of its first 100 parents, null if none. By the keys of edges and of attempts' texts.
     */
    public static final String READ_LINKS = """
            SELECT 'ATTEMPT', ?1,
                   (SELECT x.text FROM windrow_attempt_texts x
                     WHERE x.job_id = ?1 AND x.kind = 'TRACE' ORDER BY x.token DESC LIMIT 1)
             UNION ALL
            SELECT 'PARENT', e.parent,
                   (SELECT x.text FROM windrow_attempt_texts x
                     WHERE x.job_id = e.parent AND x.kind = 'TRACE' ORDER BY x.token DESC LIMIT 1)
              FROM windrow_edges e
             WHERE e.child = ?1 AND e.position < 100
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
                   EXISTS (SELECT 1 FROM (SELECT e.event, e.token AS attempt FROM windrow_events e
                                           WHERE e.job_id = ?1 ORDER BY e.seq DESC LIMIT 100)
                            WHERE event = 'STUCK' AND attempt = j.token),
                   (SELECT t.outcome FROM windrow_attempts t WHERE t.job_id = ?1 ORDER BY t.token DESC LIMIT 1),
                   (SELECT s.name FROM windrow_steps s
                     WHERE s.job_id = ?1 AND s.kind = 'EVENT' AND s.state = 'WAITING' ORDER BY s.position DESC LIMIT 1),
                   j.open_parents
              FROM windrow_jobs j
              JOIN windrow_lanes l ON l.id = j.lane
              LEFT JOIN windrow_actors a ON a.id = j.worker AND j.state = 'RUNNING'
              LEFT JOIN windrow_workers w ON w.actor = j.worker AND j.state = 'RUNNING'
             WHERE j.id = ?1
            """;

    /** The first ?2 open parents of job ?1, in declared order. By primary keys. Walks the edges of the job. */
    public static final String EXPLAIN_PARENTS = """
            SELECT e.parent, p.state, e.policy FROM windrow_edges e CROSS JOIN windrow_jobs p ON p.id = e.parent
             WHERE e.child = ?1 AND e.satisfied = 0 ORDER BY e.position LIMIT ?2
            """;

    /** The pauses and limits of queue ?1, type ?2 and key ?3. By primary key. */
    public static final String EXPLAIN_LIMITS = """
            SELECT c.kind, c.name, c.paused_at, a.name, c.pause_reason, c.max_running, c.rate_count, c.rate_millis,
                   c.rate_burst, c.next_start
              FROM (VALUES ('QUEUE', ?1), ('TYPE', ?2), ('KEY', ?3)) w
             CROSS JOIN windrow_limits c ON c.kind = w.column1 AND c.name = w.column2
              LEFT JOIN windrow_actors a ON a.id = c.paused_by
            """;

    /** The first ?2 jobs with a permit of key ?1. By windrow_permits_granted. */
    public static final String EXPLAIN_HOLDERS = """
            SELECT t.job_id, j.state FROM windrow_permits t CROSS JOIN windrow_jobs j ON j.id = t.job_id
             WHERE t.key = ?1 AND t.granted = 1 ORDER BY t.priority DESC, t.position LIMIT ?2
            """;

    /**
     * The number of ready jobs in the open lanes of queue ?1 that are claimed before the job with priority ?2, due time ?3 and id ?4. Counts up to ?5,
     * in at most 1000 lanes. By windrow_jobs_claim.
     */
    public static final String EXPLAIN_BEFORE = """
            WITH lanes (id) AS MATERIALIZED (
              SELECT id FROM windrow_lanes INDEXED BY sqlite_autoindex_windrow_lanes_1
               WHERE queue = ?1 AND paused_at IS NULL LIMIT 1000)
            SELECT count(*)
              FROM (SELECT 1 FROM lanes l CROSS JOIN windrow_jobs j
                     WHERE j.lane = l.id AND j.state = 'PENDING' AND j.waits_for_permit = 0 AND j.priority > ?2
                    UNION ALL
                    SELECT 1 FROM lanes l CROSS JOIN windrow_jobs j
                     WHERE j.lane = l.id AND j.state = 'PENDING' AND j.waits_for_permit = 0 AND j.priority = ?2
                       AND (j.scheduled_at, j.id) < (?3, ?4)
                     LIMIT ?5)
            """;

    /**
     * The number of jobs that keep a worker of the lanes ?1 (a JSON array) busy: ready jobs of open lanes, and running jobs. A job that waits for a
     * permit does not count if its key is paused. It also does not count if all permits of its key belong to jobs that do not run and that this
     * worker does not take. By the primary key of the counters. Walks the jobs that wait for permits.
     */
    public static final String UNFINISHED = """
            SELECT coalesce((SELECT sum(c.n) FROM json_each(?1) w
                               CROSS JOIN windrow_lanes l ON l.id = w.value AND l.paused_at IS NULL
                               CROSS JOIN windrow_counters c ON c.lane = l.id AND c.state = 'PENDING'), 0)
                 - (SELECT count(*)
                      FROM windrow_permits t
                     CROSS JOIN windrow_jobs j ON j.id = t.job_id
                     CROSS JOIN windrow_lanes l ON l.id = j.lane AND l.paused_at IS NULL
                     WHERE t.granted = 0 AND l.id IN (SELECT value FROM json_each(?1))
                       AND (EXISTS (SELECT 1 FROM windrow_limits c
                                     WHERE c.kind = 'KEY' AND c.name = t.key AND c.paused_at IS NOT NULL)
                            OR (EXISTS (SELECT 1 FROM windrow_permits p WHERE p.key = t.key AND p.granted = 1)
                                AND NOT EXISTS (SELECT 1 FROM windrow_permits p
                                                 CROSS JOIN windrow_jobs q ON q.id = p.job_id
                                                 CROSS JOIN windrow_lanes m ON m.id = q.lane
                                                 WHERE p.key = t.key AND p.granted = 1
                                                   AND (q.state = 'RUNNING'
                                                        OR (q.state = 'PENDING' AND m.paused_at IS NULL
                                                            AND m.id IN (SELECT value FROM json_each(?1))))))))
                 + coalesce((SELECT sum(c.n) FROM json_each(?1) w
                               CROSS JOIN windrow_counters c ON c.lane = w.value AND c.state = 'RUNNING'), 0)
            """;

    /**
     * The same for jobs of priority ?2 or more, which the counters do not tell apart. It finds out if there is one: positive or 0. By
     * windrow_jobs_claim, one step a lane. Reads the running jobs by windrow_jobs_lease, and walks the jobs that wait for permits.
     */
    public static final String UNFINISHED_FROM = """
            SELECT EXISTS (SELECT 1 FROM json_each(?1) w
                            CROSS JOIN windrow_lanes l ON l.id = w.value AND l.paused_at IS NULL
                            CROSS JOIN windrow_jobs j
                            WHERE j.lane = l.id AND j.state = 'PENDING' AND j.waits_for_permit = 0 AND j.priority >= ?2)
                OR EXISTS (SELECT 1 FROM windrow_jobs j INDEXED BY windrow_jobs_lease
                            WHERE j.state = 'RUNNING' AND j.priority >= ?2 AND j.lane IN (SELECT value FROM json_each(?1)))
                OR EXISTS (SELECT 1
                             FROM windrow_permits t
                            CROSS JOIN windrow_jobs j ON j.id = t.job_id
                            CROSS JOIN windrow_lanes l ON l.id = j.lane AND l.paused_at IS NULL
                            WHERE t.granted = 0 AND t.priority >= ?2 AND l.id IN (SELECT value FROM json_each(?1))
                              AND NOT EXISTS (SELECT 1 FROM windrow_limits c
                                               WHERE c.kind = 'KEY' AND c.name = t.key AND c.paused_at IS NOT NULL)
                              AND (NOT EXISTS (SELECT 1 FROM windrow_permits p WHERE p.key = t.key AND p.granted = 1)
                                   OR EXISTS (SELECT 1 FROM windrow_permits p
                                               CROSS JOIN windrow_jobs q ON q.id = p.job_id
                                               CROSS JOIN windrow_lanes m ON m.id = q.lane
                                               WHERE p.key = t.key AND p.granted = 1
                                                 AND (q.state = 'RUNNING'
                                                      OR (q.state = 'PENDING' AND q.priority >= ?2 AND m.paused_at IS NULL
                                                          AND m.id IN (SELECT value FROM json_each(?1)))))))
            """;

    /** A row if a job of the lanes in ?1, of priority ?2 or more, is scheduled for a retry. Scans windrow_jobs_due until it finds one. */
    public static final String RETRY_SCHEDULED = """
            SELECT 1 FROM windrow_jobs INDEXED BY windrow_jobs_due
             WHERE state = 'SCHEDULED' AND used > 0 AND priority >= ?2 AND lane IN (SELECT value FROM json_each(?1)) LIMIT 1
            """;

    // ---- names that begin with a text: substr, because LIKE and GLOB would read the text as a pattern ----------

    /** The first ?2 types that begin with ?1, in order. Steps from name to name in windrow_lanes_type. */
    public static final String SUGGEST_TYPES = """
            WITH RECURSIVE names (name) AS (
              SELECT min(t.type) FROM windrow_lanes t INDEXED BY windrow_lanes_type WHERE t.type >= ?1
               UNION ALL
              SELECT (SELECT min(t.type) FROM windrow_lanes t INDEXED BY windrow_lanes_type WHERE t.type > k.name)
                FROM names k
               WHERE substr(k.name, 1, length(?1)) = ?1
               LIMIT ?2)
            SELECT k.name FROM names k WHERE substr(k.name, 1, length(?1)) = ?1
            """;

    /** The same for queues, in the unique index of windrow_lanes. */
    public static final String SUGGEST_QUEUES = """
            WITH RECURSIVE names (name) AS (
              SELECT min(t.queue) FROM windrow_lanes t WHERE t.queue >= ?1
               UNION ALL
              SELECT (SELECT min(t.queue) FROM windrow_lanes t WHERE t.queue > k.name)
                FROM names k
               WHERE substr(k.name, 1, length(?1)) = ?1
               LIMIT ?2)
            SELECT k.name FROM names k WHERE substr(k.name, 1, length(?1)) = ?1
            """;

    /** The same for tags, in windrow_tags_tag. The cost does not depend on the number of jobs. */
    public static final String SUGGEST_TAGS = """
            WITH RECURSIVE names (name) AS (
              SELECT min(t.tag) FROM windrow_tags t INDEXED BY windrow_tags_tag WHERE t.tag >= ?1
               UNION ALL
              SELECT (SELECT min(t.tag) FROM windrow_tags t INDEXED BY windrow_tags_tag WHERE t.tag > k.name)
                FROM names k
               WHERE substr(k.name, 1, length(?1)) = ?1
               LIMIT ?2)
            SELECT k.name FROM names k WHERE substr(k.name, 1, length(?1)) = ?1
            """;

    /** The same for the error codes of FAILED jobs. By the primary key of a small table with a row for each code. */
    public static final String SUGGEST_CODES = """
            SELECT error_code FROM windrow_failures
             WHERE error_code >= ?1 AND substr(error_code, 1, length(?1)) = ?1 AND error_code <> '' AND n > 0
             ORDER BY error_code LIMIT ?2
            """;

    /** The same for workers. Scans a small table with a row for each worker. */
    public static final String SUGGEST_WORKERS = """
            SELECT DISTINCT name FROM windrow_workers WHERE substr(name, 1, length(?1)) = ?1 ORDER BY name LIMIT ?2
            """;

    /** The same for schedules. By the unique index of their names. */
    public static final String SUGGEST_SCHEDULES = """
            SELECT name FROM windrow_schedules WHERE name >= ?1 AND substr(name, 1, length(?1)) = ?1
             ORDER BY name LIMIT ?2
            """;
}
