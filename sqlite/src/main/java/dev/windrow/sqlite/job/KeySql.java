package dev.windrow.sqlite.job;

/**
 * The statements of dedupe keys, which keep a second job of the same kind out, and of concurrency keys, whose jobs take turns. Written like
 * those in {@link Sql}.
 */
public final class KeySql {
    private KeySql() {}

    // ---- dedupe keys: all by the primary key (type, key) -------------------------------------------------------

    /** Who holds key ?2 of type ?1, and how that job stands. By the primary keys. */
    public static final String KEY_HOLDER = """
            SELECT d.job_id, d.scope, d.expires_at, j.state, j.waiting_for, j.scheduled_at, j.claimed_at, j.lane, j.token,
                   j.concurrency_key, j.chain_index > 0
              FROM windrow_dedupe d
              LEFT JOIN windrow_jobs j ON j.id = d.job_id
             WHERE d.type = ?1 AND d.key = ?2
            """;

    /** Job ?3 takes a key that is free, or from ?6, which was seen to hold it no longer. By primary key. */
    static final String TAKE_KEY = """
            INSERT INTO windrow_dedupe (type, key, job_id, scope, expires_at) VALUES (?1, ?2, ?3, ?4, ?5)
            ON CONFLICT (type, key) DO UPDATE
               SET job_id = excluded.job_id, scope = excluded.scope, expires_at = excluded.expires_at
             WHERE job_id = ?6
            """;

    /** A new job remembers its key and the scope, for whoever ends or retries it. By primary key. */
    static final String KEEP_KEY = """
            UPDATE windrow_jobs SET dedupe_key = ?2, dedupe_scope = ?3 WHERE id = ?1
            """;

    /** A claim: what is held until the start is given up. By primary key. */
    static final String KEY_STARTED = """
            DELETE FROM windrow_dedupe WHERE type = ?1 AND key = ?2 AND job_id = ?3 AND scope = 'UNTIL_STARTED'
            """;

    /** The end of a job: what is held until then is given up. By primary key. */
    public static final String KEY_ENDED = """
            DELETE FROM windrow_dedupe
             WHERE type = ?1 AND key = ?2 AND job_id = ?3 AND (scope = 'UNTIL_STARTED' OR scope = 'UNFINISHED')
            """;

    /** Job ?3 goes on with job ?4: what is held while the chain is unfinished moves along. By primary key. */
    static final String MOVE_KEY = """
            UPDATE windrow_dedupe SET job_id = ?4 WHERE type = ?1 AND key = ?2 AND job_id = ?3 AND scope = 'UNFINISHED'
            """;

    /** A job is gone, and gives up its key whatever the scope. By primary key. */
    static final String KEY_DISCARDED = """
            DELETE FROM windrow_dedupe WHERE type = ?1 AND key = ?2 AND job_id = ?3
            """;

    /**
     * BLOCKED stays, SCHEDULED | PENDING -> SCHEDULED | PENDING (?3): a later enqueue with its key says anew what is to be done, and when; null:
     * it has no time of its own. By primary key, guarded by the state as read.
     */
    static final String REPLACE = """
            UPDATE windrow_jobs
               SET state = ?3, priority = ?4, scheduled_at = coalesce(?5, created_at), max_attempts = ?6, used = 0, timeout_ms = ?7, name = ?8,
                   retry_policy = ?9, traceparent = ?10
             WHERE id = ?1 AND state = ?2
            """;

    static final String REPLACE_PAYLOAD = """
            INSERT INTO windrow_payloads (job_id, payload) VALUES (?1, ?2)
            ON CONFLICT (job_id) DO UPDATE SET payload = excluded.payload
            """;

    /** By primary key. */
    static final String DELETE_PAYLOAD = """
            DELETE FROM windrow_payloads WHERE job_id = ?1
            """;

    /** By primary key. */
    static final String DELETE_TAGS = """
            DELETE FROM windrow_tags WHERE job_id = ?1
            """;

    // ---- turns: of jobs with concurrency keys ------------------------------------------------------------------

    /** A new job remembers its key, and how many of the key's jobs may run at once; 0: one after the other. By primary key. */
    public static final String KEEP_CONCURRENCY_KEY = """
            UPDATE windrow_jobs SET concurrency_key = ?2, concurrency_most = ?3 WHERE id = ?1
            """;

    /** A job that has become ready joins the line of its key at ?2, unless it has kept its place. By primary keys. */
    public static final String JOIN_KEY = """
            INSERT INTO windrow_permits (job_id, key, priority, turn, most)
            SELECT id, concurrency_key, priority, ?2, concurrency_most
              FROM windrow_jobs
             WHERE id = ?1 AND state = 'PENDING'
            ON CONFLICT (job_id) DO NOTHING
            """;

    /** PENDING, but not to be claimed. By primary key. */
    public static final String HOLD = """
            UPDATE windrow_jobs SET held = 1 WHERE id = ?1 AND state = 'PENDING'
            """;

    /** To be claimed if it is PENDING. By primary key. */
    public static final String UNHOLD = """
            UPDATE windrow_jobs SET held = 0 WHERE id = ?1 AND held = 1
            """;

    /** A job in line, or with a place, says another priority or number. By primary key. */
    public static final String CHANGE_TURN = """
            UPDATE windrow_permits SET priority = ?2, most = ?3 WHERE job_id = ?1
            """;

    /** By primary key. */
    public static final String LEAVE = """
            DELETE FROM windrow_permits WHERE job_id = ?1
            """;

    /** The same for a job that goes on later: in a sequence it keeps its place. By primary key. */
    public static final String LEAVE_UNLESS_IN_SEQUENCE = """
            DELETE FROM windrow_permits WHERE job_id = ?1 AND coalesce(most, 1) > 0
            """;

    /** What is said of a key; by primary key. */
    public static final String READ_KEY = """
            SELECT paused_at IS NOT NULL, max_running, rate_count, rate_millis, rate_burst, next_start, wakes_at
              FROM windrow_limits WHERE kind = 'KEY' AND name = ?1
            """;

    /** When the rate of a key is to be looked at again. By primary key. */
    public static final String WAKE_KEY = """
            UPDATE windrow_limits SET wakes_at = ?2 WHERE kind = 'KEY' AND name = ?1
            """;

    /** The keys whose rates are to be looked at, at ?1. By windrow_limits_wake. */
    public static final String DUE_KEYS = """
            SELECT name FROM windrow_limits WHERE wakes_at <= ?1
            """;

    /** How many jobs of key ?1 have a place; no more than ?2 are counted. By windrow_permits_held. */
    public static final String COUNT_PERMITS = """
            SELECT count(*) FROM (SELECT 1 FROM windrow_permits WHERE key = ?1 AND placed = 1 LIMIT ?2)
            """;

    /** The first ?2 in the line of key ?1. By windrow_permits_waiting. */
    public static final String WAITING = """
            SELECT t.job_id, t.most, j.lane
              FROM windrow_permits t
             CROSS JOIN windrow_jobs j ON j.id = t.job_id
             WHERE t.key = ?1 AND t.placed = 0
             ORDER BY t.priority DESC, t.turn LIMIT ?2
            """;

    /** By primary key. */
    public static final String GIVE_PERMIT = """
            UPDATE windrow_permits SET placed = 1 WHERE job_id = ?1
            """;

    /** By primary key. */
    public static final String TAKE_PERMIT = """
            UPDATE windrow_permits SET placed = 0 WHERE job_id = ?1
            """;

    /** Jobs of key ?1 that have a place and are not claimed, at most ?2, the last ones in line first. By windrow_permits_held. */
    public static final String PERMITTED_READY = """
            SELECT t.job_id
              FROM windrow_permits t
             CROSS JOIN windrow_jobs j ON j.id = t.job_id
             WHERE t.key = ?1 AND t.placed = 1 AND j.state = 'PENDING'
             ORDER BY t.priority, t.turn DESC LIMIT ?2
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
                   AND (SELECT count(*) FROM windrow_permits p WHERE p.key = c.name AND p.placed = 1) > c.max_running)
               AND EXISTS (SELECT 1 FROM windrow_permits t CROSS JOIN windrow_jobs j ON j.id = t.job_id
                            WHERE t.key = c.name AND t.placed = 1 AND j.state = 'PENDING')
            """;

    /**
     * The first ?2 keys behind ?1 that jobs wait in line for, and whether each has room for the first one at ?3 and nobody waits for its
     * rate (or has since the clock was set back). One step through windrow_permits_waiting for
     * each key, and a look at its places.
     */
    public static final String WAITING_KEYS = """
            WITH RECURSIVE keys (key) AS (
              SELECT min(key) FROM windrow_permits WHERE placed = 0 AND key > ?1
              UNION ALL
              SELECT (SELECT min(t.key) FROM windrow_permits t WHERE t.placed = 0 AND t.key > k.key)
                FROM keys k WHERE k.key IS NOT NULL
            )
            SELECT k.key,
                   c.paused_at IS NULL AND (c.wakes_at IS NULL OR c.wakes_at > ?3 + c.rate_millis / c.rate_count + 2000)
                   AND (SELECT count(*) FROM windrow_permits p WHERE p.key = k.key AND p.placed = 1)
                       < min(coalesce(c.max_running, 1000000),
                             (SELECT coalesce(max(h.most, 1), 1000000) FROM windrow_permits h
                               WHERE h.key = k.key AND h.placed = 0
                               ORDER BY h.priority DESC, h.turn LIMIT 1))
              FROM keys k
              LEFT JOIN windrow_limits c ON c.kind = 'KEY' AND c.name = k.key
             WHERE k.key IS NOT NULL
             LIMIT ?2
            """;
}
