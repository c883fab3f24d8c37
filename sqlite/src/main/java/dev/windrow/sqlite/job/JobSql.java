package dev.windrow.sqlite.job;

import dev.windrow.sqlite.limit.LimitSql;
import dev.windrow.sqlite.limit.PermitSql;
import dev.windrow.sqlite.monitor.CheckSql;
import dev.windrow.sqlite.monitor.StatisticsSql;
import dev.windrow.sqlite.payload.BlobSql;
import dev.windrow.sqlite.query.ListSql;
import dev.windrow.sqlite.query.ReadSql;
import dev.windrow.sqlite.retention.RetentionSql;
import dev.windrow.sqlite.schedule.ScheduleSql;
import dev.windrow.sqlite.step.StepSql;
import dev.windrow.sqlite.transfer.CopySql;
import dev.windrow.sqlite.workflow.WorkflowSql;

/**
 * The statements by which jobs move, each readable whole and pasteable into {@code sqlite3}. Each comment names the effect, the states before and
 * after, and the index that finds the rows. The statements for rows that only some jobs have are in {@link DedupeSql}, {@link PermitSql}, {@link
 * LimitSql}, {@link WorkflowSql}, {@link StepSql}, {@link ScheduleSql} and {@link BlobSql}. The statements that do not move jobs are in {@link
 * ReadSql}, {@link ListSql}, {@link StatisticsSql}, {@link CheckSql}, {@link RetentionSql} and {@link CopySql}.
 */
public final class JobSql {
    private JobSql() {}

    // ---- enqueue -----------------------------------------------------------------------------------------------

    /** New job -> BLOCKED | SCHEDULED | PENDING. */
    static final String INSERT_JOB = """
            INSERT INTO windrow_jobs (id, lane, state, priority, scheduled_at, max_attempts, timeout_ms, open_parents,
                                      waiting_for, created_at, created_by, name, retry_policy, traceparent)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
            """;

    /** New job -> BLOCKED | SCHEDULED | PENDING, after job ?14 in its chain, by actor ?15, with the key that the whole chain holds. By primary key. */
    public static final String INSERT_NEXT_JOB = """
            INSERT INTO windrow_jobs (id, lane, state, priority, scheduled_at, max_attempts, timeout_ms, open_parents,
                                      waiting_for, created_at, created_by, name, retry_policy, traceparent, chain_id,
                                      chain_index, workflow_id, dedupe_key, dedupe_scope, dedupe_type)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?15, ?11, ?12,
                    coalesce(?13, (SELECT p.traceparent FROM windrow_jobs p WHERE p.id = ?14)),
                    (SELECT coalesce(p.chain_id, p.id) FROM windrow_jobs p WHERE p.id = ?14),
                    (SELECT p.chain_index + 1 FROM windrow_jobs p WHERE p.id = ?14),
                    (SELECT p.workflow_id FROM windrow_jobs p WHERE p.id = ?14),
                    (SELECT p.dedupe_key FROM windrow_jobs p WHERE p.id = ?14 AND p.dedupe_scope = 'UNFINISHED'),
                    (SELECT p.dedupe_scope FROM windrow_jobs p WHERE p.id = ?14 AND p.dedupe_scope = 'UNFINISHED'),
                    (SELECT coalesce(p.dedupe_type, l.type)
                       FROM windrow_jobs p CROSS JOIN windrow_lanes l ON l.id = p.lane
                      WHERE p.id = ?14 AND p.dedupe_scope = 'UNFINISHED'))
            """;

    /** The scheduled time of the last job that waits in lane ?1 with priority ?2. One step into windrow_jobs_claim. */
    public static final String LAST_READY = """
            SELECT max(scheduled_at) FROM windrow_jobs
             WHERE lane = ?1 AND state = 'PENDING' AND waits_for_permit = 0 AND priority = ?2
            """;

    /** New job -> RUNNING: enqueue and claim in one, for a worker that waits for jobs and has no other job to take first. */
    static final String INSERT_RUNNING = """
            INSERT INTO windrow_jobs (id, lane, state, priority, scheduled_at, max_attempts, timeout_ms, created_at,
                                      created_by, name, retry_policy, traceparent, token, worker, lease_until, claimed_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)
            """;

    static final String INSERT_PAYLOAD = """
            INSERT INTO windrow_payloads (job_id, payload) VALUES (?1, ?2)
            """;

    static final String INSERT_TAG = """
            INSERT INTO windrow_tags (job_id, tag) VALUES (?1, ?2)
            """;

    /** A row if event ?2 of job ?1 exists. By primary key. */
    public static final String HAS_EVENT = """
            SELECT 1 FROM windrow_events WHERE job_id = ?1 AND seq = ?2
            """;

    public static final String INSERT_EVENT = """
            INSERT INTO windrow_events (job_id, seq, at, event, actor, token, detail) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            """;

    // ---- claim -------------------------------------------------------------------------------------------------

    /** The due jobs, at most ?2. By windrow_jobs_due. */
    public static final String DUE_JOBS = """
            SELECT id, lane, concurrency_key FROM windrow_jobs
             WHERE state = 'SCHEDULED' AND scheduled_at <= ?1
             ORDER BY scheduled_at LIMIT ?2
            """;

    /** SCHEDULED -> PENDING. By primary key. */
    public static final String PROMOTE = """
            UPDATE windrow_jobs SET state = 'PENDING' WHERE id = ?1 AND state = 'SCHEDULED'
            """;

    /**
     * The time at which the next scheduled job is due, or the next job that the rate of its key holds back. By windrow_jobs_due, windrow_limits_wake.
     */
    public static final String NEXT_DUE = """
            SELECT min(at) FROM (SELECT min(scheduled_at) AS at FROM windrow_jobs WHERE state = 'SCHEDULED'
                                 UNION ALL
                                 SELECT min(wakes_at) FROM windrow_limits WHERE wakes_at IS NOT NULL)
            """;

    /**
     * The open lanes from number ?1 on with ready jobs, ordered by number: whether limits concern the lane, and its best job. The query steps in
     * windrow_jobs_claim from each lane with ready jobs to the next one. Lanes without ready jobs cost nothing.
     */
    public static final String READY_LANES = """
            WITH RECURSIVE head (lane) AS (
              SELECT (SELECT j.lane FROM windrow_jobs j
                       WHERE j.state = 'PENDING' AND j.waits_for_permit = 0 AND j.lane >= ?1 ORDER BY j.lane LIMIT 1)
              UNION ALL
              SELECT (SELECT j.lane FROM windrow_jobs j
                       WHERE j.state = 'PENDING' AND j.waits_for_permit = 0 AND j.lane > head.lane ORDER BY j.lane LIMIT 1)
                FROM head WHERE head.lane IS NOT NULL)
            SELECT l.id, l.limited, b.id, b.priority, b.scheduled_at
              FROM head
             CROSS JOIN windrow_lanes l ON l.id = head.lane
             CROSS JOIN windrow_jobs b
             WHERE l.paused_at IS NULL
               AND b.id = (SELECT h.id FROM windrow_jobs h
                            WHERE h.lane = l.id AND h.state = 'PENDING' AND h.waits_for_permit = 0
                            ORDER BY h.priority DESC, h.scheduled_at, h.id LIMIT 1)
            """;

    /** The state of lane ?1: open or paused, limited or not. By primary key. */
    public static final String LANE_STATE = """
            SELECT paused_at IS NULL, limited FROM windrow_lanes WHERE id = ?1
            """;

    /** The number of ready jobs in the lanes in ?1 (a JSON array) that are not paused, as of the last commit. By primary keys. */
    static final String READY = """
            SELECT coalesce(sum(c.n), 0)
              FROM json_each(?1) w
             CROSS JOIN windrow_lanes l ON l.id = w.value
             CROSS JOIN windrow_counters c ON c.lane = l.id AND c.state = 'PENDING'
             WHERE l.paused_at IS NULL
            """;

    /**
     * The best ?2 jobs of priority ?3 or more in the lanes in ?1 (a JSON array) that are neither paused nor limited. Reads at most ?2 entries at the
     * head of each lane by windrow_jobs_claim, because the inner query is evaluated once a lane. The caller sorts. The token is the one that CLAIM
     * gives. Each read of a column is a call into the driver, so the last column tells which ones need none. 0: none of them. -1: the columns that are
     * null for most jobs. More: also the numbers of a first claim with priority 0; the value is max_attempts.
     */
    public static final String NEXT_JOBS = """
            SELECT b.id, b.token, b.lane, b.priority, b.scheduled_at, b.used, b.max_attempts, b.timeout_ms, b.name, b.retry_policy,
                   b.traceparent, p.payload, b.dedupe_key, b.concurrency_key, b.dedupe_type, b.run,
                   CASE WHEN b.timeout_ms IS NOT NULL OR b.name IS NOT NULL OR b.retry_policy IS NOT NULL OR b.traceparent IS NOT NULL
                             OR b.dedupe_key IS NOT NULL OR b.concurrency_key IS NOT NULL THEN 0
                        WHEN b.token = 1 AND b.priority = 0 AND b.used = 0 AND b.run = 1 THEN b.max_attempts
                        ELSE -1 END
              FROM (SELECT j.id, j.token + 1 AS token, j.lane, j.priority, j.scheduled_at, j.used, j.max_attempts, j.timeout_ms,
                           j.name, j.retry_policy, j.traceparent, j.dedupe_key, j.concurrency_key, j.dedupe_type, j.run
                      FROM json_each(?1) w
                     CROSS JOIN windrow_lanes l ON l.id = w.value
                     CROSS JOIN windrow_jobs j
                     WHERE l.paused_at IS NULL AND l.limited = 0
                       AND j.id IN (SELECT h.id FROM windrow_jobs h
                                     WHERE h.lane = l.id AND h.state = 'PENDING' AND h.waits_for_permit = 0
                                       AND h.priority >= ?3
                                     ORDER BY h.priority DESC, h.scheduled_at, h.id LIMIT ?2)
                     ORDER BY j.priority DESC, j.scheduled_at, j.id LIMIT ?2) b
              LEFT JOIN windrow_payloads p ON p.job_id = b.id
            """;

    /** PENDING -> RUNNING: the jobs in ?1 (a JSON array) that the same transaction has read, with a new token. By primary key. */
    public static final String CLAIM = """
            UPDATE windrow_jobs
               SET state = 'RUNNING', token = token + 1, worker = ?2, lease_until = ?3, claimed_at = ?4, started_at = NULL
             WHERE id IN (SELECT value FROM json_each(?1)) AND state = 'PENDING'
            """;

    // ---- report: under the write lock, after STILL_HELD has returned a row -------------------------------------

    /** A row if the worker still holds the job: the guard of all its reports. By primary key. */
    static final String STILL_HELD = """
            SELECT 1 FROM windrow_jobs WHERE id = ?1 AND state = 'RUNNING' AND token = ?2
            """;

    /** Writes the last progress of a job. By primary key. */
    public static final String WRITE_PROGRESS = """
            INSERT INTO windrow_progress (job_id, token, at, fraction, message) VALUES (?1, ?2, ?3, ?4, ?5)
            ON CONFLICT (job_id) DO UPDATE
               SET token = excluded.token, at = excluded.at, fraction = excluded.fraction, message = excluded.message
            """;

    /** The number of a job's last log line. One step into the primary key. */
    public static final String LAST_LOG_LINE = """
            SELECT max(seq) FROM windrow_log_lines WHERE job_id = ?1
            """;

    public static final String INSERT_LOG_LINE = """
            INSERT INTO windrow_log_lines (job_id, token, seq, at, level, message) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            """;

    /** Deletes the log lines up to number ?2. By primary key. */
    public static final String TRIM_LOG = """
            DELETE FROM windrow_log_lines WHERE job_id = ?1 AND seq <= ?2
            """;

    // ---- settle: all by primary key, guarded by (id, RUNNING, token) -------------------------------------------

    /** RUNNING, still this token: the handler was called. */
    public static final String MARK_STARTED = """
            UPDATE windrow_jobs SET started_at = ?3 WHERE id = ?1 AND state = 'RUNNING' AND token = ?2
            """;

    /** RUNNING -> COMPLETED. The row keeps the attempt. */
    public static final String SETTLE_COMPLETED = """
            UPDATE windrow_jobs
               SET state = 'COMPLETED', used = used + ?3, started_at = ?4, finished_at = ?5,
                   lease_until = NULL, error_code = NULL, error_detail = NULL, cancel_requested = 0
             WHERE id = ?1 AND state = 'RUNNING' AND token = ?2
            """;

    /** The jobs in ?1 (a JSON array) that are not RUNNING with token ?2: a row for each that is lost, and as a rule none. By primary key. */
    public static final String NOT_HELD = """
            SELECT w.value FROM json_each(?1) w
             WHERE NOT EXISTS (SELECT 1 FROM windrow_jobs j WHERE j.id = w.value AND j.state = 'RUNNING' AND j.token = ?2)
            """;

    /** RUNNING -> COMPLETED: the jobs in ?1 (a JSON array), whose attempts have equal tokens and times. The rows keep the attempts. By primary key. */
    public static final String SETTLE_ALL_COMPLETED = """
            UPDATE windrow_jobs
               SET state = 'COMPLETED', used = used + ?3, started_at = ?4, finished_at = ?5,
                   lease_until = NULL, error_code = NULL, error_detail = NULL, cancel_requested = 0
             WHERE id IN (SELECT value FROM json_each(?1)) AND state = 'RUNNING' AND token = ?2
            """;

    /** RUNNING -> FAILED. */
    public static final String SETTLE_FAILED = """
            UPDATE windrow_jobs
               SET state = 'FAILED', used = used + ?3, started_at = ?4, finished_at = ?5, worker = NULL,
                   lease_until = NULL, error_code = ?6, error_detail = ?7, cancel_requested = 0
             WHERE id = ?1 AND state = 'RUNNING' AND token = ?2
            """;

    /** RUNNING -> CANCELLED. */
    static final String SETTLE_CANCELLED = """
            UPDATE windrow_jobs
               SET state = 'CANCELLED', used = used + ?3, started_at = ?4, finished_at = ?5, worker = NULL,
                   lease_until = NULL, error_code = coalesce(?6, error_code), error_detail = coalesce(?7, error_detail),
                   cancel_requested = 0
             WHERE id = ?1 AND state = 'RUNNING' AND token = ?2
            """;

    /** RUNNING -> SCHEDULED: a retry (?3 = 1) or a snooze (?3 = 0), due at ?8. Not if cancellation was requested. */
    public static final String SETTLE_SCHEDULED = """
            UPDATE windrow_jobs
               SET state = 'SCHEDULED', used = used + ?3, started_at = ?4, finished_at = NULL, worker = NULL,
                   lease_until = NULL, error_code = coalesce(?6, error_code), error_detail = coalesce(?7, error_detail),
                   scheduled_at = ?8
             WHERE id = ?1 AND state = 'RUNNING' AND token = ?2 AND cancel_requested = 0
            """;

    /** RUNNING -> PENDING: handed back, at its old place in the order. Not if cancellation was requested. */
    static final String SETTLE_PENDING = """
            UPDATE windrow_jobs
               SET state = 'PENDING', used = used + ?3, started_at = ?4, finished_at = NULL, worker = NULL,
                   lease_until = NULL
             WHERE id = ?1 AND state = 'RUNNING' AND token = ?2 AND cancel_requested = 0
            """;

    /** RUNNING -> BLOCKED: parked until an event or ?8. Not if cancellation was requested. */
    static final String SETTLE_BLOCKED = """
            UPDATE windrow_jobs
               SET state = 'BLOCKED', used = used + ?3, started_at = ?4, finished_at = NULL, worker = NULL,
                   lease_until = NULL, waiting_for = 'EVENT', wake_at = ?8,
                   wake_state = CASE WHEN ?8 IS NOT NULL THEN 'FAILED' END
             WHERE id = ?1 AND state = 'RUNNING' AND token = ?2 AND cancel_requested = 0
            """;

    /** The last claim of the job began the attempt. */
    static final String INSERT_ATTEMPT = """
            INSERT INTO windrow_attempts (job_id, token, attempt, worker, claimed_at, started_at, finished_at, outcome,
                                          error_code, error_detail, run)
            VALUES (?1, ?2, ?3, ?4, (SELECT claimed_at FROM windrow_jobs WHERE id = ?1), ?5, ?6, ?7, ?8, ?9, ?10)
            """;

    static final String INSERT_ATTEMPT_TEXT = """
            INSERT INTO windrow_attempt_texts (job_id, token, kind, text) VALUES (?1, ?2, ?3, ?4)
            """;

    // ---- truncate: of job ?1, the attempts with tokens from ?2 to ?3. LOST attempts are counted, and stay ------

    /**
     * The number of events to delete, with the claims and starts that the attempts tell; the place of the first one, and its time. By primary
     * keys.
     */
    static final String TRIMMED_EVENTS = """
            SELECT count(*) + (SELECT count(*) + count(t.started_at) FROM windrow_attempts t
                                WHERE t.job_id = ?1 AND t.token BETWEEN ?2 AND ?3 AND t.outcome <> 'LOST'),
                   min(e.seq), min(e.at)
              FROM windrow_events e
             WHERE e.job_id = ?1 AND e.token BETWEEN ?2 AND ?3
               AND NOT EXISTS (SELECT 1 FROM windrow_attempts t
                                WHERE t.job_id = e.job_id AND t.token = e.token AND t.outcome = 'LOST')
            """;

    /** Deletes the same events. By primary keys. */
    static final String TRIM_EVENTS = """
            DELETE FROM windrow_events
             WHERE job_id = ?1 AND token BETWEEN ?2 AND ?3
               AND NOT EXISTS (SELECT 1 FROM windrow_attempts t
                                WHERE t.job_id = windrow_events.job_id AND t.token = windrow_events.token AND t.outcome = 'LOST')
            """;

    /** Deletes the attempts, with their texts. By primary key. */
    static final String TRIM_ATTEMPTS = """
            DELETE FROM windrow_attempts WHERE job_id = ?1 AND token BETWEEN ?2 AND ?3 AND outcome <> 'LOST'
            """;

    /** Adds ?2 attempts and ?3 events to the counts in the event about the deleted history. By primary key. */
    static final String GROW_TRIMMED = """
            UPDATE windrow_events
               SET detail = json_object('attempts', json_extract(detail, '$.attempts') + ?2,
                                        'events', json_extract(detail, '$.events') + ?3)
             WHERE job_id = ?1 AND event = 'TRIMMED'
            """;

    /** Inserts the result. A job has at most one: a second external completion replaces nothing, because COMPLETED is final. */
    static final String INSERT_RESULT = """
            INSERT INTO windrow_results (job_id, result) VALUES (?1, ?2)
            """;

    /** RUNNING, still this token: extends the lease. */
    public static final String RENEW = """
            UPDATE windrow_jobs SET lease_until = ?3 WHERE id = ?1 AND state = 'RUNNING' AND token = ?2
            """;

    // ---- changes from outside: by primary key, guarded by (id, state as read) ----------------------------------

    /** The columns of a job that a change needs. */
    public static final String READ_FOR_CHANGE = """
            SELECT j.id, j.state, j.lane, j.token, j.used, j.open_parents, j.worker, j.started_at, j.cancel_requested,
                   j.priority, j.scheduled_at, j.error_code, j.finished_at, j.dedupe_key, j.dedupe_scope, j.concurrency_key,
                   j.wait_ms, CASE j.wake_state WHEN 'FAILED' THEN j.wake_at END, j.dedupe_type, j.run
              FROM json_each(?1) w
              LEFT JOIN windrow_jobs j ON j.id = w.value
             ORDER BY w.key
            """;

    /** BLOCKED | SCHEDULED | PENDING -> CANCELLED. */
    static final String CANCEL = """
            UPDATE windrow_jobs SET state = 'CANCELLED', finished_at = ?3, waiting_for = NULL, wake_at = NULL, wake_state = NULL, waits_for_permit = 0
             WHERE id = ?1 AND state = ?2
            """;

    /** RUNNING, still this token: actor ?3 requests cancellation. The state does not change, and the first request is kept. */
    public static final String REQUEST_CANCEL = """
            UPDATE windrow_jobs SET cancel_requested = ?3
             WHERE id = ?1 AND state = 'RUNNING' AND token = ?2 AND cancel_requested = 0
            """;

    /** FAILED | CANCELLED -> PENDING at ?5 | BLOCKED without a time of its own (?3), in a new run with a full budget. Token and history stay. */
    static final String RETRY = """
            UPDATE windrow_jobs
               SET state = ?3, used = 0, run = run + 1, max_attempts = coalesce(?4, max_attempts), scheduled_at = coalesce(?5, created_at),
                   finished_at = NULL, started_at = NULL, waiting_for = ?6, cancel_requested = 0
             WHERE id = ?1 AND state = ?2
            """;

    /** Any unfinished state -> COMPLETED | FAILED (?3). Token + 1 fences off a running attempt. */
    static final String FINISH_EXTERNALLY = """
            UPDATE windrow_jobs
               SET state = ?3, token = token + 1, finished_at = ?4, error_code = ?5, error_detail = ?6, worker = NULL,
                   lease_until = NULL, waiting_for = NULL, wake_at = NULL, wake_state = NULL, waits_for_permit = 0,
                   cancel_requested = 0
             WHERE id = ?1 AND state = ?2
            """;

    /** SCHEDULED -> PENDING before its time, with a scheduled time of now. */
    static final String TRIGGER = """
            UPDATE windrow_jobs SET state = 'PENDING', scheduled_at = min(scheduled_at, ?2)
             WHERE id = ?1 AND state = 'SCHEDULED'
            """;

    /**
     * The blobs of job ?1 with more than 4 MiB in parts -> blobs of no job, incomplete, the first to be swept. The job is deleted or gets another
     * payload. By windrow_blobs_job.
     */
    static final String LEAVE_LONG_BLOBS = """
            UPDATE windrow_blobs SET job_id = NULL, kind = NULL, bytes = NULL, sha256 = NULL, created_at = 0
             WHERE job_id = ?1 AND file IS NULL AND bytes > 4194304
            """;

    /** COMPLETED | FAILED | CANCELLED -> deleted, with all rows that belong to it (ON DELETE CASCADE). */
    static final String DELETE = """
            DELETE FROM windrow_jobs WHERE id = ?1 AND state = ?2
            """;

    /** A job outside of ?2 (a JSON array) that depends on ?1 and is not COMPLETED. By windrow_edges_parent, primary key. */
    public static final String NEEDING_CHILD = """
            SELECT e.child FROM windrow_edges e CROSS JOIN windrow_jobs c ON c.id = e.child
             WHERE e.parent = ?1 AND c.state <> 'COMPLETED' AND e.child NOT IN (SELECT value FROM json_each(?2))
             LIMIT 1
            """;

    /** Counts a running job that was ended by an actor that did not hold it. By primary key. */
    public static final String COUNT_SUPERSEDED = """
            UPDATE windrow_ids SET superseded = superseded + 1 WHERE one = 1
            """;

    /** The number of running jobs that were ended externally. By primary key. */
    public static final String SUPERSEDED = """
            SELECT superseded FROM windrow_ids WHERE one = 1
            """;

    // ---- leases ------------------------------------------------------------------------------------------------

    /**
     * Running jobs whose lease ended before ?1 or ends after ?2. An end after ?2 is further ahead than one lease, because the clock stepped back. It
     * must also be further ahead than the leases of the job's own worker. After (?4, ?5), at most ?3. By windrow_jobs_lease.
     */
    public static final String SUSPECTS = """
            SELECT j.id, j.token, j.lease_until, j.used, j.max_attempts, j.started_at IS NOT NULL,
                   (SELECT count(*) FROM windrow_attempts t WHERE t.job_id = j.id AND t.outcome = 'LOST'),
                   j.cancel_requested <> 0, j.retry_policy, a.name, w.expires_at - w.heartbeat_at, l.type
              FROM windrow_jobs j INDEXED BY windrow_jobs_lease
              JOIN windrow_lanes l ON l.id = j.lane
              JOIN windrow_actors a ON a.id = j.worker
              LEFT JOIN windrow_workers w ON w.actor = j.worker
             WHERE j.state = 'RUNNING' AND (j.lease_until, j.id) > (?4, ?5)
               AND (j.lease_until < ?1 OR j.lease_until > ?2)
               AND (j.lease_until < ?1 OR j.lease_until > ?1 + coalesce(w.expires_at - w.heartbeat_at, 0))
             ORDER BY j.lease_until, j.id LIMIT ?3
            """;

    /** The jobs that the workers of process ?1 hold, at most ?2. Reads as many entries of windrow_jobs_lease as jobs are running. */
    public static final String HELD_BY = """
            SELECT j.id, j.token, j.lease_until, j.used, j.max_attempts, j.started_at IS NOT NULL,
                   (SELECT count(*) FROM windrow_attempts t WHERE t.job_id = j.id AND t.outcome = 'LOST'),
                   j.cancel_requested <> 0, j.retry_policy, w.name, w.expires_at - w.heartbeat_at, l.type
              FROM windrow_jobs j INDEXED BY windrow_jobs_lease
              JOIN windrow_lanes l ON l.id = j.lane
              JOIN windrow_workers w ON w.actor = j.worker
             WHERE j.state = 'RUNNING' AND w.process = ?1
             ORDER BY j.lease_until LIMIT ?2
            """;

    /** A row if a suspect is unchanged since it was read: its reclaim was decided by all these columns. By primary key. */
    static final String STILL_SUSPECT = """
            SELECT id, token, lane, started_at, worker, cancel_requested, dedupe_key, concurrency_key, dedupe_type, run
              FROM windrow_jobs
             WHERE id = ?1 AND state = 'RUNNING' AND token = ?2 AND lease_until = ?3
               AND (started_at IS NOT NULL) = ?4
            """;

    // ---- commits of other processes ----------------------------------------------------------------------------

    /** The running jobs whose cancellation was requested, at most as many as run. By windrow_jobs_cancel. */
    public static final String CANCEL_REQUESTS = """
            SELECT id, token FROM windrow_jobs WHERE state = 'RUNNING' AND cancel_requested <> 0
            """;
}
