package dev.windrow.sqlite.limit;

import dev.windrow.sqlite.job.JobSql;

/** The statements of permits of concurrency keys. Written like the statements in {@link JobSql}. */
public final class PermitSql {
    private PermitSql() {}

    /** Stores the key of a new job, and how many jobs of the key may run at once. 0 means one after the other. By primary key. */
    public static final String KEEP_CONCURRENCY_KEY = """
            UPDATE windrow_jobs SET concurrency_key = ?2, concurrency_limit = ?3 WHERE id = ?1
            """;

    /** Makes a job that has become ready wait for a permit of its key, at position ?2, unless it has kept its permit. By primary keys. */
    public static final String JOIN_KEY = """
            INSERT INTO windrow_permits (job_id, key, priority, position, concurrency_limit)
            SELECT id, concurrency_key, priority, ?2, concurrency_limit
              FROM windrow_jobs
             WHERE id = ?1 AND state = 'PENDING'
            ON CONFLICT (job_id) DO NOTHING
            """;

    /** Excludes a PENDING job from claims. By primary key. */
    public static final String AWAIT_PERMIT = """
            UPDATE windrow_jobs SET waits_for_permit = 1 WHERE id = ?1 AND state = 'PENDING'
            """;

    /** Lets claims take the job when it is PENDING. By primary key. */
    public static final String HAS_PERMIT = """
            UPDATE windrow_jobs SET waits_for_permit = 0 WHERE id = ?1 AND waits_for_permit = 1
            """;

    /** Changes the priority or the limit of a waiting job, or of one with a permit. By primary key. */
    public static final String CHANGE_PERMIT = """
            UPDATE windrow_permits SET priority = ?2, concurrency_limit = ?3 WHERE job_id = ?1
            """;

    /** Deletes the permit of job ?1, granted or not. By primary key. */
    public static final String LEAVE = """
            DELETE FROM windrow_permits WHERE job_id = ?1
            """;

    /** Deletes the permit of a job that continues later, unless the key's jobs run one after the other: then it keeps the permit. By primary key. */
    public static final String LEAVE_UNLESS_IN_SEQUENCE = """
            DELETE FROM windrow_permits WHERE job_id = ?1 AND coalesce(concurrency_limit, 1) > 0
            """;

    /** The pause and limits of a key. By primary key. */
    public static final String READ_KEY = """
            SELECT paused_at IS NOT NULL, max_running, rate_count, rate_millis, rate_burst, next_start, wakes_at
              FROM windrow_limits WHERE kind = 'KEY' AND name = ?1
            """;

    /** Sets the time of the next check of a key's rate. By primary key. */
    public static final String WAKE_KEY = """
            UPDATE windrow_limits SET wakes_at = ?2 WHERE kind = 'KEY' AND name = ?1
            """;

    /** The keys whose rates are due for a check at ?1. By windrow_limits_wake. */
    public static final String DUE_KEYS = """
            SELECT name FROM windrow_limits WHERE wakes_at <= ?1
            """;

    /** Counts the granted permits of key ?1, up to ?2. By windrow_permits_granted. */
    public static final String COUNT_PERMITS = """
            SELECT count(*) FROM (SELECT 1 FROM windrow_permits WHERE key = ?1 AND granted = 1 LIMIT ?2)
            """;

    /** The first ?2 jobs that wait for a permit of key ?1. By windrow_permits_waiting. */
    public static final String WAITING = """
            SELECT t.job_id, t.concurrency_limit, j.lane
              FROM windrow_permits t
             CROSS JOIN windrow_jobs j ON j.id = t.job_id
             WHERE t.key = ?1 AND t.granted = 0
             ORDER BY t.priority DESC, t.position LIMIT ?2
            """;

    /** Grants the permit of job ?1. By primary key. */
    public static final String GIVE_PERMIT = """
            UPDATE windrow_permits SET granted = 1 WHERE job_id = ?1
            """;

    /** Takes back the permit of job ?1. By primary key. */
    public static final String TAKE_PERMIT = """
            UPDATE windrow_permits SET granted = 0 WHERE job_id = ?1
            """;

    /** Jobs of key ?1 that have a permit and are not claimed, at most ?2, the last ones first. By windrow_permits_granted. */
    public static final String PERMITTED_READY = """
            SELECT t.job_id
              FROM windrow_permits t
             CROSS JOIN windrow_jobs j ON j.id = t.job_id
             WHERE t.key = ?1 AND t.granted = 1 AND j.state = 'PENDING'
             ORDER BY t.priority, t.position DESC LIMIT ?2
            """;

    /**
     * The keys that are paused, or have more permits than their limit, and that have jobs with a permit that are not claimed. Reads the limits by
     * primary key, and the permits of each key by windrow_permits_granted until one is found.
     */
    public static final String UNFINISHED_KEYS = """
            SELECT c.name FROM windrow_limits c
             WHERE c.kind = 'KEY'
               AND (c.paused_at IS NOT NULL
                    OR c.max_running IS NOT NULL
                   AND (SELECT count(*) FROM windrow_permits p WHERE p.key = c.name AND p.granted = 1) > c.max_running)
               AND EXISTS (SELECT 1 FROM windrow_permits t CROSS JOIN windrow_jobs j ON j.id = t.job_id
                            WHERE t.key = c.name AND t.granted = 1 AND j.state = 'PENDING')
            """;

    /**
     * The first ?2 keys after ?1 with waiting jobs. The second column is true if the key has a free permit for its first job and does not wait for
     * its rate at ?3. A wait that ends too far ahead does not count, because the clock was set back. One step through windrow_permits_waiting for
     * each key, and a count of its permits.
     */
    public static final String WAITING_KEYS = """
            WITH RECURSIVE keys (key) AS (
              SELECT min(key) FROM windrow_permits WHERE granted = 0 AND key > ?1
              UNION ALL
              SELECT (SELECT min(t.key) FROM windrow_permits t WHERE t.granted = 0 AND t.key > k.key)
                FROM keys k WHERE k.key IS NOT NULL
            )
            SELECT k.key,
                   c.paused_at IS NULL AND (c.wakes_at IS NULL OR c.wakes_at > ?3 + c.rate_millis / c.rate_count + 2000)
                   AND (SELECT count(*) FROM windrow_permits p WHERE p.key = k.key AND p.granted = 1)
                       < min(coalesce(c.max_running, 1000000),
                             (SELECT coalesce(max(h.concurrency_limit, 1), 1000000) FROM windrow_permits h
                               WHERE h.key = k.key AND h.granted = 0
                               ORDER BY h.priority DESC, h.position LIMIT 1))
              FROM keys k
              LEFT JOIN windrow_limits c ON c.kind = 'KEY' AND c.name = k.key
             WHERE k.key IS NOT NULL
             LIMIT ?2
            """;

    /**
     * The first ?1 of the keys with waiting jobs, a pause or a limit, the ones with the most waiting jobs first. Finds the first ?2 keys with waiting
     * jobs by one step through windrow_permits_waiting for each, and the first ?2 keys with a pause or a limit by primary key; one more of each tells
     * if there are others. Counts the waiting jobs of each up to ?3, and the waiting jobs and permits of the returned keys up to ?4, by
     * windrow_permits_waiting and windrow_permits_granted.
     */
    public static final String LIST_KEYS = """
            WITH RECURSIVE waiting (key) AS (
              SELECT min(key) FROM windrow_permits WHERE granted = 0
              UNION ALL
              SELECT (SELECT min(t.key) FROM windrow_permits t WHERE t.granted = 0 AND t.key > k.key)
                FROM waiting k WHERE k.key IS NOT NULL
               LIMIT ?2 + 1),
            limited (key) AS MATERIALIZED (
              SELECT name FROM windrow_limits WHERE kind = 'KEY' ORDER BY name LIMIT ?2 + 1),
            counted (key, n) AS MATERIALIZED (
              SELECT k.key, (SELECT count(*) FROM (SELECT 1 FROM windrow_permits p WHERE p.key = k.key AND p.granted = 0 LIMIT ?3) p)
                FROM (SELECT w.key FROM (SELECT w.key FROM waiting w WHERE w.key IS NOT NULL LIMIT ?2) w
                       UNION
                      SELECT x.key FROM (SELECT x.key FROM limited x LIMIT ?2) x) k)
            SELECT 'KEY', k.key, c.paused_at, a.name, c.pause_reason, c.max_running, c.rate_count, c.rate_millis, c.rate_burst,
                   (SELECT count(*) FROM (SELECT 1 FROM windrow_permits p WHERE p.key = k.key AND p.granted = 0 LIMIT ?4) p) AS waiting,
                   (SELECT count(*) FROM (SELECT 1 FROM windrow_permits p WHERE p.key = k.key AND p.granted = 1 LIMIT ?4) p),
                   coalesce((SELECT coalesce(max(h.concurrency_limit, 1), 0) FROM windrow_permits h
                              WHERE h.key = k.key AND h.granted = 0 ORDER BY h.priority DESC, h.position LIMIT 1),
                            (SELECT coalesce(max(h.concurrency_limit, 1), 0) FROM windrow_permits h
                              WHERE h.key = k.key AND h.granted = 1 ORDER BY h.priority DESC, h.position LIMIT 1)),
                   (SELECT count(*) FROM counted x),
                   (SELECT count(w.key) FROM waiting w) > ?2 OR (SELECT count(*) FROM limited x) > ?2
              FROM (SELECT x.key, x.n FROM counted x ORDER BY x.n DESC, x.key LIMIT ?1) k
              LEFT JOIN windrow_limits c ON c.kind = 'KEY' AND c.name = k.key
              LEFT JOIN windrow_actors a ON a.id = c.paused_by
             ORDER BY waiting DESC, k.key
            """;

    /** The first ?2 jobs with a permit of each of the keys ?1 (a JSON array). By windrow_permits_granted and primary keys. */
    public static final String PERMIT_HOLDERS = """
            SELECT p.key, p.job_id, j.state, j.started_at
              FROM json_each(?1) k
             CROSS JOIN windrow_permits p ON p.job_id IN (
                   SELECT t.job_id FROM windrow_permits t WHERE t.key = k.value AND t.granted = 1
                    ORDER BY t.priority DESC, t.position LIMIT ?2)
             CROSS JOIN windrow_jobs j ON j.id = p.job_id
             ORDER BY p.key, p.priority DESC, p.position
            """;
}
