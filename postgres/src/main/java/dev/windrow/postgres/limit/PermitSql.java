package dev.windrow.postgres.limit;

import dev.windrow.postgres.job.JobSql;

/**
 * The statements of permits of concurrency keys. They follow the rules of {@link JobSql}. {@code granted::integer} keeps the planner from the partial
 * indexes of {@code windrow_permits}, like {@code state || ''} in that class.
 */
public final class PermitSql {
    private PermitSql() {}

    /** Sets another key, or none, for a waiting job without a permit. By primary key. */
    public static final String KEEP_CONCURRENCY_KEY = """
            UPDATE windrow_jobs SET concurrency_key = $2, concurrency_limit = $3, waits_for_permit = false WHERE id = $1
            """;

    /** Sets priority $2 and limit $3 of the permit of a waiting job that keeps its key. By primary keys. */
    public static final String CHANGE_PERMIT = """
            WITH permit AS (UPDATE windrow_permits SET priority = $2, concurrency_limit = $3 WHERE job_id = $1)
            UPDATE windrow_jobs SET concurrency_limit = $3 WHERE id = $1
            """;

    /**
     * Adds jobs that have become ready to the waiting jobs of their keys, in this order, so that they cannot be claimed. Returns them. Jobs that have
     * kept their permits stay unchanged. By primary keys.
     */
    public static final String JOIN_KEY = """
            WITH joined AS (
              INSERT INTO windrow_permits (job_id, position, priority, concurrency_limit, key)
              SELECT j.id, (SELECT nextval('windrow_permit_numbers')) + g.n, j.priority, j.concurrency_limit, j.concurrency_key
                FROM unnest($1::bigint[]) WITH ORDINALITY AS g (id, n)
               CROSS JOIN LATERAL (SELECT * FROM windrow_jobs j WHERE j.id = g.id OFFSET 0) j
               WHERE j.state = 'PENDING' AND j.concurrency_key IS NOT NULL
              ON CONFLICT (job_id) DO NOTHING
              RETURNING job_id),
            waits_for_permit AS (
              UPDATE windrow_jobs j SET waits_for_permit = true
               WHERE j.id = ANY (ARRAY(SELECT job_id FROM joined)) AND NOT j.waits_for_permit)
            SELECT job_id FROM joined
            """;

    /** Deletes the permits of the jobs $1. A job that continues later ($2) keeps its permit in a sequence. By primary key. */
    public static final String LEAVE = """
            DELETE FROM windrow_permits t USING unnest($1::bigint[], $2::integer[]) AS g (id, goes_on)
             WHERE t.job_id = g.id AND (g.goes_on = 0 OR t.concurrency_limit IS DISTINCT FROM 0)
            """;

    /** The lanes and positions of the jobs $1 that can be claimed. By primary key. */
    public static final String READY_PERMITS = """
            SELECT id, lane, priority, scheduled_at FROM windrow_jobs
             WHERE id = ANY ($1::bigint[]) AND state || '' = 'PENDING' AND NOT waits_for_permit
            """;

    /** The keys $1 whose lock no other transaction has. Locks them to the end of the transaction. $2 is a number of this store. */
    public static final String TRY_KEYS = """
            SELECT g.key FROM unnest($1::text[]) AS g (key) WHERE pg_try_advisory_xact_lock(hashtextextended(g.key, $2))
            """;

    /**
     * The pauses and limits of the keys $1, whether jobs wait, the most permits that the first one allows, and the number of granted permits. The
     * count ends where it no longer matters. By the primary key of the limits, windrow_permits_waiting, windrow_permits_granted.
     */
    public static final String READ_KEYS = """
            SELECT g.key, c.paused_at IS NOT NULL, c.max_running, c.rate_count, c.rate_millis, c.rate_burst, c.next_start,
                   c.wakes_at, h.job_id IS NOT NULL, CASE WHEN h.concurrency_limit IS NOT NULL THEN greatest(h.concurrency_limit, 1) END,
                   (SELECT count(*)
                      FROM (SELECT 1 FROM windrow_permits p WHERE p.key = g.key AND p.granted
                             LIMIT greatest(c.max_running, h.concurrency_limit, 1) + 1000) p)
              FROM unnest($1::text[]) AS g (key)
              LEFT JOIN LATERAL (
                   SELECT * FROM windrow_limits c WHERE c.kind = 'KEY' AND c.name = g.key OFFSET 0) c ON true
              LEFT JOIN LATERAL (
                   SELECT t.job_id, t.concurrency_limit FROM windrow_permits t WHERE t.key = g.key AND NOT t.granted
                    ORDER BY -t.priority, t.position LIMIT 1) h ON true
            """;

    /**
     * Grants permits to the first $2 waiting jobs of the keys $1, of which $3 permits are granted. The own limit of each job must allow it. Leaves
     * out jobs that another transaction has locked or changed. Returns the positions of the jobs, which can be claimed now, and nulls for jobs that
     * were left out. Changes a job and its permit together, because another transaction may have changed both since they were read. By
     * windrow_permits_waiting and primary keys.
     */
    public static final String GIVE_PERMITS = """
            WITH line AS (
              SELECT t.job_id, g.key,
                     bool_and(t.concurrency_limit IS NULL OR g.places + t.n <= greatest(t.concurrency_limit, 1)) OVER (PARTITION BY g.key ORDER BY t.n) AS may
                FROM unnest($1::text[], $2::integer[], $3::integer[]) AS g (key, room, places)
               CROSS JOIN LATERAL (
                     SELECT t.job_id, t.concurrency_limit, row_number() OVER (ORDER BY -t.priority, t.position) AS n
                       FROM windrow_permits t WHERE t.key = g.key AND NOT t.granted
                      ORDER BY -t.priority, t.position LIMIT g.room) t),
            free AS (
              SELECT j.id FROM windrow_jobs j
               WHERE j.id = ANY (ARRAY(SELECT job_id FROM line WHERE may)) AND j.state || '' = 'PENDING' AND j.waits_for_permit
                 FOR NO KEY UPDATE SKIP LOCKED),
            granted AS (
              UPDATE windrow_permits t SET granted = true
               WHERE t.job_id = ANY (ARRAY(SELECT id FROM free)) AND t.granted::integer = 0
              RETURNING t.job_id),
            released AS (
              UPDATE windrow_jobs j SET waits_for_permit = false WHERE j.id = ANY (ARRAY(SELECT job_id FROM granted))
              RETURNING j.id, j.lane, j.priority, j.scheduled_at)
            SELECT r.id, r.lane, r.priority, r.scheduled_at, l.key
              FROM line l
              LEFT JOIN released r ON r.id = l.job_id
             WHERE l.may
            """;

    /** Up to $2 jobs of key $1 that have a permit and are not claimed, the last ones first. By windrow_permits_granted. */
    public static final String PERMITTED_READY = """
            SELECT t.job_id
              FROM windrow_permits t
             CROSS JOIN LATERAL (SELECT j.state FROM windrow_jobs j WHERE j.id = t.job_id OFFSET 0) j
             WHERE t.key = $1 AND t.granted AND j.state = 'PENDING'
             ORDER BY -t.priority DESC, t.position DESC LIMIT $2::integer
            """;

    /** The number of jobs of key $1 that have a permit and are not claimed, up to $2. By windrow_permits_granted. */
    public static final String COUNT_PERMITTED_READY = """
            SELECT count(*)
              FROM (SELECT 1
                      FROM windrow_permits t
                     CROSS JOIN LATERAL (SELECT j.state FROM windrow_jobs j WHERE j.id = t.job_id OFFSET 0) j
                     WHERE t.key = $1 AND t.granted AND j.state = 'PENDING'
                     LIMIT $2::integer) r
            """;

    /**
     * Takes permits of key $2 back from the jobs $1 that no other transaction has locked, so that they wait again. Returns their number. By primary
     * keys.
     */
    public static final String TAKE_PERMITS = """
            WITH free AS (
              SELECT j.id FROM windrow_jobs j
               WHERE j.id = ANY ($1::bigint[]) AND j.state || '' = 'PENDING' AND NOT j.waits_for_permit
                 FOR NO KEY UPDATE SKIP LOCKED),
            granted AS (
              UPDATE windrow_permits t SET granted = false
               WHERE t.job_id = ANY (ARRAY(SELECT id FROM free)) AND t.key || '' = $2 AND t.granted::integer = 1
              RETURNING t.job_id),
            waits_for_permit AS (
              UPDATE windrow_jobs j SET waits_for_permit = true WHERE j.id = ANY (ARRAY(SELECT job_id FROM granted)))
            SELECT count(*) FROM granted
            """;

    /** The lane of the first waiting job of key $1. By windrow_permits_waiting. */
    public static final String FIRST_WAITING = """
            SELECT j.lane
              FROM (SELECT t.job_id FROM windrow_permits t WHERE t.key = $1 AND NOT t.granted
                     ORDER BY -t.priority, t.position LIMIT 1) t
             CROSS JOIN LATERAL (SELECT j.lane FROM windrow_jobs j WHERE j.id = t.job_id OFFSET 0) j
            """;

    /** Records when the rate of key $1 is checked again, and when its next start is due. */
    public static final String WAKE_KEY = """
            UPDATE windrow_limits SET wakes_at = $2, next_start = coalesce($3, next_start)
             WHERE kind = 'KEY' AND name = $1
            """;

    /** The keys whose rates are to be checked at $1. By windrow_limits_wake. */
    public static final String DUE_KEYS = """
            SELECT name FROM windrow_limits WHERE wakes_at <= $1
            """;

    /**
     * The keys that are paused, or have more permits than their limit, and have jobs with a permit that are not claimed. By the primary key of the
     * limits and windrow_permits_granted. Reads each key until one such job is found.
     */
    public static final String UNFINISHED_KEYS = """
            SELECT c.name FROM windrow_limits c
             WHERE c.kind = 'KEY'
               AND (c.paused_at IS NOT NULL
                    OR c.max_running IS NOT NULL
                   AND (SELECT count(*) FROM windrow_permits p WHERE p.key = c.name AND p.granted) > c.max_running)
               AND (SELECT t.job_id FROM windrow_permits t
                     CROSS JOIN LATERAL (SELECT j.state FROM windrow_jobs j WHERE j.id = t.job_id OFFSET 0) j
                     WHERE t.key = c.name AND t.granted AND j.state = 'PENDING'
                     ORDER BY -t.priority, t.position LIMIT 1) IS NOT NULL
            """;

    /**
     * The first $2 keys after $1 with waiting jobs. The second column is true if the key has a free permit for the first of them at $3. It is false
     * if a check of the key's rate is due soon. A check that is too far ahead is ignored, because the clock was set back. One step through
     * windrow_permits_waiting for each key, and a read of its permits.
     */
    public static final String WAITING_KEYS = """
            WITH RECURSIVE keys (key) AS (
              SELECT (SELECT t.key FROM windrow_permits t WHERE NOT t.granted AND t.key > $1 ORDER BY t.key LIMIT 1)
              UNION ALL
              SELECT (SELECT t.key FROM windrow_permits t WHERE NOT t.granted AND t.key > k.key ORDER BY t.key LIMIT 1)
                FROM keys k WHERE k.key IS NOT NULL)
            SELECT k.key,
                   c.paused_at IS NULL AND (c.wakes_at IS NULL OR c.wakes_at > $3 + c.rate_millis / c.rate_count + 2000)
                   AND (SELECT count(*) FROM windrow_permits p WHERE p.key = k.key AND p.granted)
                       < least(coalesce(c.max_running, 1000000),
                               (SELECT coalesce(greatest(h.concurrency_limit, CASE WHEN h.concurrency_limit IS NULL THEN NULL ELSE 1 END), 1000000)
                                  FROM windrow_permits h WHERE h.key = k.key AND NOT h.granted
                                 ORDER BY -h.priority, h.position LIMIT 1))
              FROM keys k
              LEFT JOIN LATERAL (
                   SELECT * FROM windrow_limits c WHERE c.kind = 'KEY' AND c.name = k.key OFFSET 0) c ON true
             WHERE k.key IS NOT NULL
             LIMIT $2::integer
            """;

    /**
     * The first $1 of the keys with waiting jobs, a pause or a limit, the ones with the most waiting jobs first. Finds the first $2 keys with waiting
     * jobs by one step through windrow_permits_waiting for each, and the first $2 keys with a pause or a limit by primary key; one more of each tells
     * if there are others. Counts the waiting jobs of each up to $3, and the waiting jobs and permits of the returned keys up to $4, by
     * windrow_permits_waiting and windrow_permits_granted.
     */
    public static final String LIST_KEYS = """
            WITH RECURSIVE waiting (n, key) AS (
              SELECT 1, (SELECT t.key FROM windrow_permits t WHERE NOT t.granted AND t.key > '' ORDER BY t.key LIMIT 1)
              UNION ALL
              SELECT k.n + 1, (SELECT t.key FROM windrow_permits t WHERE NOT t.granted AND t.key > k.key ORDER BY t.key LIMIT 1)
                FROM waiting k WHERE k.key IS NOT NULL AND k.n <= $2::integer),
            limited (key) AS MATERIALIZED (
              SELECT name FROM windrow_limits WHERE kind = 'KEY' ORDER BY name LIMIT $2::integer + 1),
            counted (key, n) AS MATERIALIZED (
              SELECT k.key,
                     (SELECT count(*) FROM (SELECT 1 FROM windrow_permits p WHERE p.key = k.key AND NOT p.granted LIMIT $3::integer) p)
                FROM (SELECT w.key FROM waiting w WHERE w.key IS NOT NULL AND w.n <= $2::integer
                       UNION
                      SELECT * FROM (SELECT x.key FROM limited x ORDER BY x.key LIMIT $2::integer) x) k)
            SELECT 'KEY', k.key, c.paused_at, a.name, c.pause_reason, c.max_running, c.rate_count, c.rate_millis, c.rate_burst,
                   (SELECT count(*) FROM (SELECT 1 FROM windrow_permits p WHERE p.key = k.key AND NOT p.granted LIMIT $4::integer) p) AS waiting,
                   (SELECT count(*) FROM (SELECT 1 FROM windrow_permits p WHERE p.key = k.key AND p.granted LIMIT $4::integer) p),
                   coalesce((SELECT CASE WHEN h.concurrency_limit IS NULL THEN 0 ELSE greatest(h.concurrency_limit, 1) END
                               FROM windrow_permits h WHERE h.key = k.key AND NOT h.granted ORDER BY -h.priority, h.position LIMIT 1),
                            (SELECT CASE WHEN h.concurrency_limit IS NULL THEN 0 ELSE greatest(h.concurrency_limit, 1) END
                               FROM windrow_permits h WHERE h.key = k.key AND h.granted ORDER BY -h.priority, h.position LIMIT 1)),
                   (SELECT count(*) FROM counted x),
                   (SELECT count(w.key) FROM waiting w) > $2 OR (SELECT count(*) FROM limited x) > $2
              FROM (SELECT x.key, x.n FROM counted x ORDER BY x.n DESC, x.key LIMIT $1::integer) k
              LEFT JOIN LATERAL (
                   SELECT * FROM windrow_limits c WHERE c.kind = 'KEY' AND c.name = k.key OFFSET 0) c ON true
              LEFT JOIN LATERAL (SELECT a.name FROM windrow_actors a WHERE a.id = c.paused_by OFFSET 0) a ON true
             ORDER BY waiting DESC, k.key
            """;

    /** The first $2 jobs with a permit of each of the keys $1. By windrow_permits_granted and primary key. */
    public static final String PERMIT_HOLDERS = """
            SELECT g.key, t.job_id, j.state, j.started_at
              FROM unnest($1::text[]) AS g (key)
             CROSS JOIN LATERAL (
                   SELECT t.job_id, t.priority, t.position FROM windrow_permits t WHERE t.key = g.key AND t.granted
                    ORDER BY -t.priority, t.position LIMIT $2::integer) t
             CROSS JOIN LATERAL (SELECT j.state, j.started_at FROM windrow_jobs j WHERE j.id = t.job_id OFFSET 0) j
             ORDER BY g.key, -t.priority, t.position
            """;
}
