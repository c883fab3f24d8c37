package dev.windrow.sqlite;

/**
 * The statements of what is said of queues, types and concurrency keys (paused, so many at once, so many in a time), and of claims where that
 * concerns them. Written like those in {@link Sql}.
 */
final class ControlSql {
    private ControlSql() {}

    // ---- claims where limits and rates concern them ------------------------------------------------------------

    /** The lanes that limits or rates concern: none, as a rule. By windrow_lanes_governed. */
    static final String GOVERNED_LANES = """
            SELECT id FROM windrow_lanes WHERE governed = 1
            """;

    /** The limits and rates: a scan of a table as small as there are queues and types of which something is said. */
    static final String READ_LIMITS = """
            SELECT kind, name, max_running, rate_count, rate_millis, rate_burst, next_start
              FROM windrow_controls
             WHERE kind <> 'KEY' AND (max_running IS NOT NULL OR rate_count IS NOT NULL)
            """;

    /** How many jobs lane ?1 had in state ?2 when this transaction began; by primary key. */
    static final String COUNTER = """
            SELECT n FROM windrow_counters WHERE lane = ?1 AND state = ?2
            """;

    /** The best ?2 ready jobs of lane ?1, in claim order. By windrow_jobs_claim. */
    static final String CANDIDATES = """
            SELECT id, priority, scheduled_at FROM windrow_jobs
             WHERE lane = ?1 AND state = 'PENDING' AND held = 0
             ORDER BY priority DESC, scheduled_at, id LIMIT ?2
            """;

    /** PENDING -> RUNNING: the jobs in ?1 (a JSON array). By primary key. */
    static final String CLAIM_THESE = """
            UPDATE windrow_jobs
               SET state = 'RUNNING', token = token + 1, worker = ?2, lease_until = ?3, claimed_at = ?4, started_at = NULL
             WHERE id IN (SELECT value FROM json_each(?1)) AND state = 'PENDING'
            RETURNING id, token, lane, priority, scheduled_at, used, max_attempts, timeout_ms, name, retry_policy,
                      traceparent,
                      (SELECT payload FROM windrow_payloads p WHERE p.job_id = windrow_jobs.id), dedupe_key,
                      concurrency_key, dedupe_type
            """;

    /** When the next start is due by a rate; by primary key. */
    static final String SET_NEXT_START = """
            UPDATE windrow_controls SET next_start = ?3 WHERE kind = ?1 AND name = ?2
            """;

    /** Whether a job waits in the lanes in ?1 (a JSON array) that are not paused. By windrow_jobs_claim, one step a lane. */
    static final String IS_WAITED_FOR = """
            SELECT EXISTS (SELECT 1
                             FROM json_each(?1) w
                            CROSS JOIN windrow_lanes l ON l.id = w.value
                            WHERE l.paused_at IS NULL
                              AND EXISTS (SELECT 1 FROM windrow_jobs h
                                           WHERE h.lane = l.id AND h.state = 'PENDING' AND h.held = 0))
            """;

    // ---- controls ----------------------------------------------------------------------------------------------

    /** All that is said of queues and types; see {@link #READ_LIMITS}. */
    static final String READ_CONTROLS = """
            SELECT c.kind, c.name, c.paused_at, a.name, c.pause_reason, c.max_running, c.rate_count, c.rate_millis,
                   c.rate_burst
              FROM windrow_controls c
              LEFT JOIN windrow_actors a ON a.id = c.paused_by
             ORDER BY c.kind, c.name
            """;

    /** By primary key. */
    static final String PAUSE = """
            INSERT INTO windrow_controls (kind, name, paused_at, paused_by, pause_reason) VALUES (?1, ?2, ?3, ?4, ?5)
            ON CONFLICT (kind, name) DO UPDATE
               SET paused_at = coalesce(paused_at, excluded.paused_at), paused_by = excluded.paused_by,
                   pause_reason = excluded.pause_reason
            """;

    /** By primary key. */
    static final String RESUME = """
            UPDATE windrow_controls SET paused_at = NULL, paused_by = NULL, pause_reason = NULL
             WHERE kind = ?1 AND name = ?2
            """;

    /** By primary key. */
    static final String LIMIT = """
            INSERT INTO windrow_controls (kind, name, max_running) VALUES (?1, ?2, ?3)
            ON CONFLICT (kind, name) DO UPDATE SET max_running = excluded.max_running
            """;

    /** What was due by another rate is no longer. By primary key. */
    static final String LIMIT_RATE = """
            INSERT INTO windrow_controls (kind, name, rate_count, rate_millis, rate_burst) VALUES (?1, ?2, ?3, ?4, ?5)
            ON CONFLICT (kind, name) DO UPDATE
               SET rate_count = excluded.rate_count, rate_millis = excluded.rate_millis,
                   rate_burst = excluded.rate_burst, next_start = NULL
            """;

    /** Of which nothing is said any more; by primary key. */
    static final String FORGET_CONTROL = """
            DELETE FROM windrow_controls
             WHERE kind = ?1 AND name = ?2 AND paused_at IS NULL AND max_running IS NULL AND rate_count IS NULL
            """;

    /** The lanes repeat what is said of their queues and types: all of them, or lane ?1. A table as small as there are of these. */
    static final String OBEY = """
            UPDATE windrow_lanes
               SET (paused_at, paused_by, pause_reason) = (
                     SELECT c.paused_at, c.paused_by, c.pause_reason FROM windrow_controls c
                      WHERE c.paused_at IS NOT NULL
                        AND c.name = CASE c.kind WHEN 'QUEUE' THEN windrow_lanes.queue WHEN 'TYPE' THEN windrow_lanes.type END
                      ORDER BY c.kind LIMIT 1),
                   governed = EXISTS (
                     SELECT 1 FROM windrow_controls c
                      WHERE (c.max_running IS NOT NULL OR c.rate_count IS NOT NULL)
                        AND c.name = CASE c.kind WHEN 'QUEUE' THEN windrow_lanes.queue WHEN 'TYPE' THEN windrow_lanes.type END)
             WHERE ?1 IS NULL OR id = ?1
            """;
}
