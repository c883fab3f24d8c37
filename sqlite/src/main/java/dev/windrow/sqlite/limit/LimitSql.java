package dev.windrow.sqlite.limit;

import dev.windrow.sqlite.job.JobSql;

/**
 * The statements of pauses and limits (paused, how many jobs at once, how many in a time), and of claims that limits concern. Written like the
 * statements in {@link JobSql}.
 */
public final class LimitSql {
    private LimitSql() {}

    // ---- claims that limits and rates concern ------------------------------------------------------------------

    /** The limit and the rate of queue or type ?2 (its kind: ?1), if it has one. By primary key. */
    static final String READ_LIMIT = """
            SELECT max_running, rate_count, rate_millis, rate_burst, next_start FROM windrow_limits
             WHERE kind = ?1 AND name = ?2 AND (max_running IS NOT NULL OR rate_count IS NOT NULL)
            """;

    /** The number of jobs of queue ?1 or of type ?2 that ran when this transaction began. By windrow_lanes' unique index, or windrow_lanes_type. */
    public static final String COUNT_RUNNING = """
            SELECT coalesce(sum(c.n), 0)
              FROM (SELECT id FROM windrow_lanes INDEXED BY sqlite_autoindex_windrow_lanes_1 WHERE queue = ?1
                    UNION ALL
                    SELECT id FROM windrow_lanes INDEXED BY windrow_lanes_type WHERE type = ?2) l
             CROSS JOIN windrow_counters c ON c.lane = l.id AND c.state = 'RUNNING'
            """;

    /** The open lanes of queue ?1 or of type ?2 in which jobs are ready. By windrow_lanes' unique index, or windrow_lanes_type. */
    public static final String READY_OF = """
            SELECT l.id
              FROM (SELECT id, paused_at FROM windrow_lanes INDEXED BY sqlite_autoindex_windrow_lanes_1 WHERE queue = ?1
                    UNION ALL
                    SELECT id, paused_at FROM windrow_lanes INDEXED BY windrow_lanes_type WHERE type = ?2) l
             WHERE l.paused_at IS NULL
               AND EXISTS (SELECT 1 FROM windrow_jobs j WHERE j.lane = l.id AND j.state = 'PENDING' AND j.waits_for_permit = 0)
            """;

    /** The best ?2 ready jobs of priority ?3 or more in lane ?1, in claim order. By windrow_jobs_claim. */
    public static final String CANDIDATES = """
            SELECT id, priority, scheduled_at FROM windrow_jobs
             WHERE lane = ?1 AND state = 'PENDING' AND waits_for_permit = 0 AND priority >= ?3
             ORDER BY priority DESC, scheduled_at, id LIMIT ?2
            """;

    /** The jobs in ?1 (a JSON array), with the columns of {@link JobSql#NEXT_JOBS}. By primary key. */
    public static final String CHOSEN_JOBS = """
            SELECT j.id, j.token + 1, j.lane, j.priority, j.scheduled_at, j.used, j.max_attempts, j.timeout_ms, j.name, j.retry_policy,
                   j.traceparent, p.payload, j.dedupe_key, j.concurrency_key, j.dedupe_type, j.run,
                   CASE WHEN j.timeout_ms IS NOT NULL OR j.name IS NOT NULL OR j.retry_policy IS NOT NULL OR j.traceparent IS NOT NULL
                             OR j.dedupe_key IS NOT NULL OR j.concurrency_key IS NOT NULL THEN 0
                        WHEN j.token = 0 AND j.priority = 0 AND j.used = 0 AND j.run = 1 THEN j.max_attempts
                        ELSE -1 END
              FROM windrow_jobs j
              LEFT JOIN windrow_payloads p ON p.job_id = j.id
             WHERE j.id IN (SELECT value FROM json_each(?1))
            """;

    /** Sets the time of the next start that a rate allows. By primary key. */
    static final String SET_NEXT_START = """
            UPDATE windrow_limits SET next_start = ?3 WHERE kind = ?1 AND name = ?2
            """;

    /** The lanes in ?1 (a JSON array) with ready jobs. By windrow_jobs_claim, one step a lane. */
    static final String STILL_READY = """
            SELECT w.value FROM json_each(?1) w
             WHERE EXISTS (SELECT 1 FROM windrow_jobs h WHERE h.lane = w.value AND h.state = 'PENDING' AND h.waits_for_permit = 0)
            """;

    // ---- controls ----------------------------------------------------------------------------------------------

    /** All pauses and limits of queues, types and keys, or only the entry of ?2 (its kind: ?1). Scans a small table with a row for each of them. */
    public static final String READ_LIMITS = """
            SELECT c.kind, c.name, c.paused_at, a.name, c.pause_reason, c.max_running, c.rate_count, c.rate_millis,
                   c.rate_burst
              FROM windrow_limits c
              LEFT JOIN windrow_actors a ON a.id = c.paused_by
             WHERE ?1 IS NULL OR c.kind = ?1 AND c.name = ?2
             ORDER BY c.kind, c.name
            """;

    /** Pauses queue, type or key ?2 (its kind: ?1). By primary key. */
    public static final String LIMIT_PAUSE = """
            INSERT INTO windrow_limits (kind, name, paused_at, paused_by, pause_reason) VALUES (?1, ?2, ?3, ?4, ?5)
            ON CONFLICT (kind, name) DO UPDATE
               SET paused_at = coalesce(paused_at, excluded.paused_at), paused_by = excluded.paused_by,
                   pause_reason = excluded.pause_reason
            """;

    /** Resumes queue, type or key ?2 (its kind: ?1). By primary key. */
    public static final String LIMIT_RESUME = """
            UPDATE windrow_limits SET paused_at = NULL, paused_by = NULL, pause_reason = NULL
             WHERE kind = ?1 AND name = ?2
            """;

    /** Limits how many jobs of ?2 (its kind: ?1) run at once. By primary key. */
    public static final String LIMIT_RUNNING = """
            INSERT INTO windrow_limits (kind, name, max_running) VALUES (?1, ?2, ?3)
            ON CONFLICT (kind, name) DO UPDATE SET max_running = excluded.max_running
            """;

    /** Sets the rate of ?2 (its kind: ?1), and clears the next start of the former rate. By primary key. */
    public static final String LIMIT_RATE = """
            INSERT INTO windrow_limits (kind, name, rate_count, rate_millis, rate_burst) VALUES (?1, ?2, ?3, ?4, ?5)
            ON CONFLICT (kind, name) DO UPDATE
               SET rate_count = excluded.rate_count, rate_millis = excluded.rate_millis,
                   rate_burst = excluded.rate_burst, next_start = NULL
            """;

    /** Deletes an entry without a pause, a limit and a rate. By primary key. */
    public static final String LIMIT_FORGET = """
            DELETE FROM windrow_limits
             WHERE kind = ?1 AND name = ?2 AND paused_at IS NULL AND max_running IS NULL AND rate_count IS NULL
            """;

    /** Copies pauses and limits to the lanes of queue or type ?2 (its kind: ?1), from their queues and types. A scan of the lanes. */
    public static final String LIMIT_LANES = """
            UPDATE windrow_lanes
               SET (paused_at, paused_by, pause_reason) = (
                     SELECT c.paused_at, c.paused_by, c.pause_reason FROM windrow_limits c
                      WHERE c.paused_at IS NOT NULL
                        AND (c.kind = 'QUEUE' AND c.name = windrow_lanes.queue
                             OR c.kind = 'TYPE' AND c.name = windrow_lanes.type)
                      ORDER BY c.kind LIMIT 1),
                   limited = EXISTS (
                     SELECT 1 FROM windrow_limits c
                      WHERE (c.max_running IS NOT NULL OR c.rate_count IS NOT NULL)
                        AND (c.kind = 'QUEUE' AND c.name = windrow_lanes.queue
                             OR c.kind = 'TYPE' AND c.name = windrow_lanes.type))
             WHERE CASE ?1 WHEN 'QUEUE' THEN queue ELSE type END = ?2
            """;
}
