package dev.windrow.postgres.job;

/**
 * The statements of dedupe keys, which keep a second job of the same kind out, and of concurrency keys, whose jobs take turns. Written like
 * those in {@link Sql}. {@code placed::integer}, like {@code state || ''} there, keeps the planner from the partial indexes of {@code windrow_permits}.
 */
public final class KeySql {
    private KeySql() {}

    // ---- dedupe keys: all by the primary key (type, key) -------------------------------------------------------

    /** Who holds the keys $2 of the types $1, and how these jobs stand. Locks nothing. By the primary keys. */
    public static final String KEY_HOLDERS = """
            SELECT d.type, d.key, d.job_id, d.scope, d.expires_at, j.state, j.waiting_for, j.scheduled_at, j.claimed_at,
                   coalesce(i.chain_index, 0)
              FROM unnest($1::text[], $2::text[]) AS g (type, key)
             CROSS JOIN LATERAL (
                   SELECT * FROM windrow_dedupe d WHERE d.type = g.type AND d.key = g.key OFFSET 0) d
              LEFT JOIN LATERAL (SELECT * FROM windrow_jobs j WHERE j.id = d.job_id OFFSET 0) j ON true
              LEFT JOIN LATERAL (SELECT i.chain_index FROM windrow_inputs i WHERE i.job_id = d.job_id OFFSET 0) i ON true
            """;

    /**
     * The jobs $3 take keys that were seen to be free; answers which. One that another transaction has taken and not committed is waited
     * for; one that is held is not touched, and not locked.
     */
    static final String TAKE_KEYS = """
            INSERT INTO windrow_dedupe (type, key, job_id, scope, expires_at)
            SELECT type, key, job_id, scope, expires_at
              FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::bigint[])
                   AS g (type, key, job_id, scope, expires_at)
            ON CONFLICT (type, key) DO NOTHING
            RETURNING type, key
            """;

    /** The jobs $3 take keys from the jobs $6, which were seen to hold them no longer. By primary key. */
    static final String TAKE_OVER_KEYS = """
            UPDATE windrow_dedupe d SET job_id = g.job_id, scope = g.scope, expires_at = g.expires_at
              FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[])
                   AS g (type, key, job_id, scope, expires_at, holder)
             WHERE d.type = g.type AND d.key = g.key AND d.job_id = g.holder
            RETURNING d.type, d.key
            """;

    /** Claims: what is held until the start is given up. By primary key. */
    static final String KEYS_STARTED = """
            DELETE FROM windrow_dedupe d USING unnest($1::text[], $2::text[], $3::bigint[]) AS g (type, key, job_id)
             WHERE d.type = g.type AND d.key = g.key AND d.job_id = g.job_id AND d.scope = 'UNTIL_STARTED'
            """;

    /** The ends of jobs: what is held until then is given up. By primary key. */
    public static final String KEYS_ENDED = """
            DELETE FROM windrow_dedupe d USING unnest($1::text[], $2::text[], $3::bigint[]) AS g (type, key, job_id)
             WHERE d.type = g.type AND d.key = g.key AND d.job_id = g.job_id
               AND d.scope IN ('UNTIL_STARTED', 'UNFINISHED')
            """;

    /** The jobs $3 go on with the jobs $4: what is held while a chain is unfinished moves along. By primary key. */
    static final String MOVE_KEYS = """
            UPDATE windrow_dedupe d SET job_id = g.next
              FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) AS g (type, key, job_id, next)
             WHERE d.type = g.type AND d.key = g.key AND d.job_id = g.job_id AND d.scope = 'UNFINISHED'
            """;

    /** Keys are given up whatever the scope. By primary key. */
    static final String KEYS_GONE = """
            DELETE FROM windrow_dedupe d USING unnest($1::text[], $2::text[], $3::bigint[]) AS g (type, key, job_id)
             WHERE d.type = g.type AND d.key = g.key AND d.job_id = g.job_id
            """;

    /**
     * The holder of a key that is about to be changed, or from which a throttled key is taken: locked before it is believed that it waits, or that it
     * has ended. By primary key.
     */
    static final String LOCK_HOLDER = """
            SELECT state, waiting_for, lane, token, scheduled_at, concurrency_key
              FROM windrow_jobs WHERE id = $1 FOR NO KEY UPDATE
            """;

    /**
     * BLOCKED stays, SCHEDULED | PENDING -> SCHEDULED | PENDING ($3): a later enqueue with its key says anew what is to be done, and when; null:
     * it has no time of its own. By primary keys, guarded by the state as read.
     */
    static final String REPLACE = """
            UPDATE windrow_jobs
               SET state = $3, priority = $4, max_attempts = $6, used = 0,
                   scheduled_at = coalesce($5, (SELECT i.created_at FROM windrow_inputs i WHERE i.job_id = windrow_jobs.id))
             WHERE id = $1 AND state = $2
            """;

    /** What goes with it, and the blob that its payload was in. By primary keys and windrow_blobs_job. */
    static final String REPLACE_INPUT = """
            WITH old AS (DELETE FROM windrow_blobs WHERE job_id = $1 AND kind = 'PAYLOAD' RETURNING id),
            chunks AS (DELETE FROM windrow_blob_chunks WHERE blob_id IN (SELECT id FROM old))
            UPDATE windrow_inputs SET payload = $2, timeout_ms = $3, name = $4, retry_policy = $5, traceparent = $6
             WHERE job_id = $1
            """;

    /** By primary key. */
    static final String DELETE_TAGS = """
            DELETE FROM windrow_tags WHERE job_id = $1
            """;

    // ---- turns: of jobs with concurrency keys ------------------------------------------------------------------

    /** A waiting job has another key, or none, and is not in its line. By primary key. */
    public static final String KEEP_CONCURRENCY_KEY = """
            UPDATE windrow_jobs SET concurrency_key = $2, concurrency_most = $3, held = false WHERE id = $1
            """;

    /** A waiting job keeps its key, and in its line or its place says another priority $2 and number $3. By primary keys. */
    public static final String CHANGE_TURN = """
            WITH turn AS (UPDATE windrow_permits SET priority = $2, most = $3 WHERE job_id = $1)
            UPDATE windrow_jobs SET concurrency_most = $3 WHERE id = $1
            """;

    /**
     * Jobs that have become ready join the lines of their keys, in this order, and are not to be claimed; answers which. Those that have kept
     * their places are left as they are. By primary keys.
     */
    public static final String JOIN_KEY = """
            WITH joined AS (
              INSERT INTO windrow_permits (job_id, turn, priority, most, key)
              SELECT j.id, (SELECT nextval('windrow_permit_numbers')) + g.n, j.priority, j.concurrency_most, j.concurrency_key
                FROM unnest($1::bigint[]) WITH ORDINALITY AS g (id, n)
               CROSS JOIN LATERAL (SELECT * FROM windrow_jobs j WHERE j.id = g.id OFFSET 0) j
               WHERE j.state = 'PENDING' AND j.concurrency_key IS NOT NULL
              ON CONFLICT (job_id) DO NOTHING
              RETURNING job_id),
            held AS (
              UPDATE windrow_jobs j SET held = true
               WHERE j.id = ANY (ARRAY(SELECT job_id FROM joined)) AND NOT j.held)
            SELECT job_id FROM joined
            """;

    /** The jobs $1 leave; one that goes on later ($2) keeps its place in a sequence. By primary key. */
    public static final String LEAVE = """
            DELETE FROM windrow_permits t USING unnest($1::bigint[], $2::integer[]) AS g (id, goes_on)
             WHERE t.job_id = g.id AND (g.goes_on = 0 OR t.most IS DISTINCT FROM 0)
            """;

    /** Where those of the jobs $1 are that can be claimed. By primary key. */
    public static final String READY_PERMITS = """
            SELECT id, lane, priority, scheduled_at FROM windrow_jobs
             WHERE id = ANY ($1::bigint[]) AND state || '' = 'PENDING' AND NOT held
            """;

    /** Those of the keys $1 that nobody else is arranging; $2: a number of this store's own. Held to the end of the transaction. */
    public static final String TRY_KEYS = """
            SELECT g.key FROM unnest($1::text[]) AS g (key) WHERE pg_try_advisory_xact_lock(hashtextextended(g.key, $2))
            """;

    /**
     * What is said of the keys $1, whether jobs wait in their lines, how many the first one allows, and how many have a place, as far as that
     * matters. By the primary key of the controls, windrow_permits_waiting, windrow_permits_held.
     */
    public static final String READ_KEYS = """
            SELECT g.key, c.paused_at IS NOT NULL, c.max_running, c.rate_count, c.rate_millis, c.rate_burst, c.next_start,
                   c.wakes_at, h.job_id IS NOT NULL, CASE WHEN h.most IS NOT NULL THEN greatest(h.most, 1) END,
                   (SELECT count(*)
                      FROM (SELECT 1 FROM windrow_permits p WHERE p.key = g.key AND p.placed
                             LIMIT greatest(c.max_running, h.most, 1) + 1000) p)
              FROM unnest($1::text[]) AS g (key)
              LEFT JOIN LATERAL (
                   SELECT * FROM windrow_limits c WHERE c.kind = 'KEY' AND c.name = g.key OFFSET 0) c ON true
              LEFT JOIN LATERAL (
                   SELECT t.job_id, t.most FROM windrow_permits t WHERE t.key = g.key AND NOT t.placed
                    ORDER BY -t.priority, t.turn LIMIT 1) h ON true
            """;

    /**
     * The first $2 in the lines of the keys $1, of which $3 have a place, get one, as far as each one's own number allows that; one that
     * somebody else has locked or changed is left out. They can be claimed; answers where, and nulls for those that were left out. A job gets
     * what its turn gets: somebody may have changed both since they were looked at. By windrow_permits_waiting and primary keys.
     */
    public static final String GIVE_PERMITS = """
            WITH line AS (
              SELECT t.job_id, g.key,
                     bool_and(t.most IS NULL OR g.places + t.n <= greatest(t.most, 1)) OVER (PARTITION BY g.key ORDER BY t.n) AS may
                FROM unnest($1::text[], $2::integer[], $3::integer[]) AS g (key, room, places)
               CROSS JOIN LATERAL (
                     SELECT t.job_id, t.most, row_number() OVER (ORDER BY -t.priority, t.turn) AS n
                       FROM windrow_permits t WHERE t.key = g.key AND NOT t.placed
                      ORDER BY -t.priority, t.turn LIMIT g.room) t),
            free AS (
              SELECT j.id FROM windrow_jobs j
               WHERE j.id = ANY (ARRAY(SELECT job_id FROM line WHERE may)) AND j.state || '' = 'PENDING' AND j.held
                 FOR NO KEY UPDATE SKIP LOCKED),
            placed AS (
              UPDATE windrow_permits t SET placed = true
               WHERE t.job_id = ANY (ARRAY(SELECT id FROM free)) AND t.placed::integer = 0
              RETURNING t.job_id),
            released AS (
              UPDATE windrow_jobs j SET held = false WHERE j.id = ANY (ARRAY(SELECT job_id FROM placed))
              RETURNING j.id, j.lane, j.priority, j.scheduled_at)
            SELECT r.id, r.lane, r.priority, r.scheduled_at, l.key
              FROM line l
              LEFT JOIN released r ON r.id = l.job_id
             WHERE l.may
            """;

    /** Jobs of key $1 that have a place and are not claimed, at most $2, the last ones in line first. By windrow_permits_held. */
    public static final String PERMITTED_READY = """
            SELECT t.job_id
              FROM windrow_permits t
             CROSS JOIN LATERAL (SELECT j.state FROM windrow_jobs j WHERE j.id = t.job_id OFFSET 0) j
             WHERE t.key = $1 AND t.placed AND j.state = 'PENDING'
             ORDER BY -t.priority DESC, t.turn DESC LIMIT $2::integer
            """;

    /** How many these are; no more than $2 are counted. By windrow_permits_held. */
    public static final String COUNT_PERMITTED_READY = """
            SELECT count(*)
              FROM (SELECT 1
                      FROM windrow_permits t
                     CROSS JOIN LATERAL (SELECT j.state FROM windrow_jobs j WHERE j.id = t.job_id OFFSET 0) j
                     WHERE t.key = $1 AND t.placed AND j.state = 'PENDING'
                     LIMIT $2::integer) r
            """;

    /** Those of the jobs $1 that nobody else has locked, and that have a place of key $2, go back into its line; answers how many. By primary keys. */
    public static final String TAKE_PERMITS = """
            WITH free AS (
              SELECT j.id FROM windrow_jobs j
               WHERE j.id = ANY ($1::bigint[]) AND j.state || '' = 'PENDING' AND NOT j.held
                 FOR NO KEY UPDATE SKIP LOCKED),
            placed AS (
              UPDATE windrow_permits t SET placed = false
               WHERE t.job_id = ANY (ARRAY(SELECT id FROM free)) AND t.key || '' = $2 AND t.placed::integer = 1
              RETURNING t.job_id),
            held AS (
              UPDATE windrow_jobs j SET held = true WHERE j.id = ANY (ARRAY(SELECT job_id FROM placed)))
            SELECT count(*) FROM placed
            """;

    /** The lane of the first one in the line of key $1. By windrow_permits_waiting. */
    public static final String FIRST_WAITING = """
            SELECT j.lane
              FROM (SELECT t.job_id FROM windrow_permits t WHERE t.key = $1 AND NOT t.placed
                     ORDER BY -t.priority, t.turn LIMIT 1) t
             CROSS JOIN LATERAL (SELECT j.lane FROM windrow_jobs j WHERE j.id = t.job_id OFFSET 0) j
            """;

    /** When the rate of key $1 is to be looked at again, and when its next start is due. */
    public static final String WAKE_KEY = """
            UPDATE windrow_limits SET wakes_at = $2, next_start = coalesce($3, next_start)
             WHERE kind = 'KEY' AND name = $1
            """;

    /** The keys whose rates are to be looked at, at $1. By windrow_limits_wake. */
    public static final String DUE_KEYS = """
            SELECT name FROM windrow_limits WHERE wakes_at <= $1
            """;
}
