package dev.windrow.bench;

/**
 * The engine's own statements for a job that succeeds at once. They are copies, because the engine's statements are not
 * public. {@code BareSqlTest} checks that they are equal.
 */
final class BareSql {
    private BareSql() {}

    static final String BEGIN = "BEGIN IMMEDIATE";

    static final String COMMIT = "COMMIT";

    static final String TAKE_IDS = """
            UPDATE windrow_ids
               SET next = max(next, ?3) + ?1, last_stamp = max(last_stamp, ?2)
             WHERE one = 1
            RETURNING next - ?1, last_stamp, lanes_deleted
            """;

    static final String INSERT_ACTOR = """
            INSERT INTO windrow_actors (name, instance) VALUES (?1, ?2) ON CONFLICT (name, instance) DO NOTHING
            """;

    static final String FIND_ACTOR = """
            SELECT id FROM windrow_actors WHERE name = ?1 AND instance = ?2
            """;

    static final String INSERT_LANE = """
            INSERT INTO windrow_lanes (queue, type, paused_at, paused_by, pause_reason, limited)
            SELECT ?1, ?2, coalesce(q.paused_at, t.paused_at),
                   CASE WHEN q.paused_at IS NULL THEN t.paused_by ELSE q.paused_by END,
                   CASE WHEN q.paused_at IS NULL THEN t.pause_reason ELSE q.pause_reason END,
                   q.max_running IS NOT NULL OR q.rate_count IS NOT NULL
                   OR t.max_running IS NOT NULL OR t.rate_count IS NOT NULL
              FROM (SELECT 1)
              LEFT JOIN windrow_limits q ON q.kind = 'QUEUE' AND q.name = ?1
              LEFT JOIN windrow_limits t ON t.kind = 'TYPE' AND t.name = ?2
            RETURNING id
            """;

    static final String INSERT_JOB = """
            INSERT INTO windrow_jobs (id, lane, state, priority, scheduled_at, max_attempts, timeout_ms, open_parents,
                                      waiting_for, created_at, created_by, name, retry_policy, traceparent)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
            """;

    static final String INSERT_PAYLOAD = """
            INSERT INTO windrow_payloads (job_id, payload) VALUES (?1, ?2)
            """;

    static final String NEXT_JOBS = """
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

    static final String CLAIM = """
            UPDATE windrow_jobs
               SET state = 'RUNNING', token = token + 1, worker = ?2, lease_until = ?3, claimed_at = ?4, started_at = NULL
             WHERE id IN (SELECT value FROM json_each(?1)) AND state = 'PENDING'
            """;

    static final String NOT_HELD = """
            SELECT w.value FROM json_each(?1) w
             WHERE NOT EXISTS (SELECT 1 FROM windrow_jobs j WHERE j.id = w.value AND j.state = 'RUNNING' AND j.token = ?2)
            """;

    static final String SETTLE_ALL_COMPLETED = """
            UPDATE windrow_jobs
               SET state = 'COMPLETED', used = used + ?3, started_at = ?4, finished_at = ?5,
                   lease_until = NULL, error_code = NULL, error_detail = NULL, cancel_requested = 0
             WHERE id IN (SELECT value FROM json_each(?1)) AND state = 'RUNNING' AND token = ?2
            """;

    static final String ADD_COUNTER = """
            INSERT INTO windrow_counters (lane, state, n) VALUES (?1, ?2, ?3)
            ON CONFLICT (lane, state) DO UPDATE SET n = n + excluded.n
            """;
}
