package dev.windrow.postgres.limit;

import dev.windrow.postgres.job.JobSql;

/** The statements of pauses and limits (maximum of running jobs, rate), and of claims from limited lanes. They follow the rules of {@link JobSql}. */
public final class LimitSql {
    private LimitSql() {}

    // ---- claims from limited lanes -----------------------------------------------------------------------------

    /** The lanes with limits or rates. As a rule there are none. */
    public static final String LIMITED_LANES = """
            SELECT id FROM windrow_lanes WHERE limited
            """;

    /**
     * The names of the limits and rates of queues $1 and types $2. Scans a table that has one row for each queue, type and key with a pause or
     * limits.
     */
    static final String FIND_LIMITS = """
            SELECT kind, name FROM windrow_limits
             WHERE (max_running IS NOT NULL OR rate_count IS NOT NULL)
               AND name = ANY (CASE kind WHEN 'QUEUE' THEN $1::text[] WHEN 'TYPE' THEN $2::text[] END)
            """;

    /**
     * The limits and rates of queues $1 and types $2. Locks each until the end of the transaction, so that no other transaction counts its free
     * slots. Leaves out rows that another transaction has locked.
     */
    static final String LOCK_LIMITS = """
            SELECT kind, name, max_running, rate_count, rate_millis, rate_burst, next_start, running_since
              FROM windrow_limits
             WHERE (max_running IS NOT NULL OR rate_count IS NOT NULL)
               AND name = ANY (CASE kind WHEN 'QUEUE' THEN $1::text[] WHEN 'TYPE' THEN $2::text[] END)
             ORDER BY kind, name
               FOR NO KEY UPDATE SKIP LOCKED
            """;

    /**
     * The number of running jobs of a queue or a type ($1, $2) that were claimed at $3 or later. Also the time of the first of these claims. By
     * windrow_jobs_running. Reads the entries of the running jobs, and the dead entries since $3.
     */
    static final String COUNT_RUNNING = """
            SELECT count(*), min(j.claimed_at)
              FROM windrow_lanes l
             CROSS JOIN LATERAL (SELECT h.claimed_at FROM windrow_jobs h
                                  WHERE h.lane = l.id AND h.state = 'RUNNING' AND h.claimed_at >= $3 OFFSET 0) j
             WHERE CASE $1::text WHEN 'QUEUE' THEN l.queue ELSE l.type END = $2::text
            """;

    /** Records that no running job of the queue or type $1, $2 was claimed before $3. */
    static final String SET_RUNNING_SINCE = """
            UPDATE windrow_limits SET running_since = $3 WHERE kind = $1 AND name = $2
            """;

    /**
     * The first ready jobs of priority -$6 or more of the lanes $1 in claim order, locked or not. Returns at most $2 jobs of each lane, after its
     * cursor $3 to $5. By windrow_jobs_claim.
     */
    static final String CANDIDATES = """
            SELECT j.id, w.lane
              FROM unnest($1::integer[], $2::integer[], $3::integer[], $4::bigint[], $5::bigint[])
                   AS w (lane, most, rank, at, id)
             CROSS JOIN LATERAL (
                   SELECT h.id, h.priority, h.scheduled_at
                     FROM windrow_jobs h
                    WHERE h.lane = w.lane AND h.state = 'PENDING' AND NOT h.waits_for_permit
                      AND (-h.priority, h.scheduled_at, h.id) > (w.rank, w.at, w.id) AND -h.priority <= $6::integer
                    ORDER BY -h.priority, h.scheduled_at, h.id LIMIT w.most) j
             ORDER BY -j.priority, j.scheduled_at, j.id
            """;

    /**
     * The jobs $1 of the lanes $2 that are ready, each locked until the end of the transaction. Leaves out jobs that another transaction has locked.
     * By primary key.
     */
    static final String LOCK_READY = """
            SELECT j.id
              FROM unnest($1::bigint[], $2::integer[]) AS g (id, lane)
             CROSS JOIN LATERAL (
                   SELECT h.id FROM windrow_jobs h
                    WHERE h.id = g.id AND h.lane = g.lane AND h.state || '' = 'PENDING' AND NOT h.waits_for_permit
                      FOR NO KEY UPDATE SKIP LOCKED) j
            """;

    /**
     * PENDING -> RUNNING: the jobs $1, which {@link #LOCK_READY} has locked, at $2, for worker $3 until $4. By primary key. The last column is the
     * number of the transaction.
     */
    public static final String CLAIM_THESE = """
            WITH claimed AS (
              UPDATE windrow_jobs j
                 SET state = 'RUNNING', token = j.token + 1, worker = $3, lease_until = $4, claimed_at = $2,
                     started_at = NULL
               WHERE j.id = ANY ($1::bigint[]) AND j.state || '' = 'PENDING'
              RETURNING j.id, j.token, j.lane, j.priority, j.scheduled_at, j.used, j.max_attempts, j.concurrency_key, j.run)
            SELECT c.id, c.token, c.lane, c.priority, c.scheduled_at, c.used, c.max_attempts, i.timeout_ms, i.name,
                   i.retry_policy, i.traceparent, i.payload, i.dedupe_key, c.concurrency_key,
                   i.dedupe_type, c.run, (SELECT pg_current_xact_id()::text)
              FROM claimed c
             CROSS JOIN LATERAL (SELECT * FROM windrow_inputs i WHERE i.job_id = c.id OFFSET 0) i
             ORDER BY -c.priority, c.scheduled_at, c.id
            """;

    /** Records the time of the next start by a rate. */
    static final String SET_NEXT_START = """
            UPDATE windrow_limits SET next_start = $3 WHERE kind = $1 AND name = $2
            """;

    // ---- changes of pauses and limits --------------------------------------------------------------------------

    /**
     * Takes the lock of changes of pauses and limits of queues and types, and of new lanes that must follow them. One transaction has it at a time.
     */
    public static final String LOCK_LIMIT_CHANGES = """
            SELECT 1 FROM pg_advisory_xact_lock($1)
            """;

    /** Sets the pause of queue or type $1, $2. No other transaction can change its row until the end of this one. */
    public static final String LIMIT_PAUSE = """
            INSERT INTO windrow_limits AS c (kind, name, paused_at, paused_by, pause_reason) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (kind, name) DO UPDATE
               SET paused_at = coalesce(c.paused_at, excluded.paused_at), paused_by = excluded.paused_by,
                   pause_reason = excluded.pause_reason
            """;

    public static final String LIMIT_RESUME = """
            UPDATE windrow_limits SET paused_at = NULL, paused_by = NULL, pause_reason = NULL
             WHERE kind = $1 AND name = $2
            """;

    /** Sets the maximum of running jobs. Clears the start of the count, because claims have not kept it while there was no limit. */
    public static final String LIMIT_RUNNING = """
            INSERT INTO windrow_limits (kind, name, max_running) VALUES ($1, $2, $3)
            ON CONFLICT (kind, name) DO UPDATE SET max_running = excluded.max_running, running_since = NULL
            """;

    /** Sets a rate. Clears the next start, which was computed by another rate. */
    public static final String LIMIT_RATE = """
            INSERT INTO windrow_limits (kind, name, rate_count, rate_millis, rate_burst) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (kind, name) DO UPDATE
               SET rate_count = excluded.rate_count, rate_millis = excluded.rate_millis,
                   rate_burst = excluded.rate_burst, next_start = NULL
            """;

    /** Deletes the row of a queue or type without a pause and limits. */
    public static final String LIMIT_FORGET = """
            DELETE FROM windrow_limits
             WHERE kind = $1 AND name = $2 AND paused_at IS NULL AND max_running IS NULL AND rate_count IS NULL
            """;

    /** Copies the pause and limits of queues and types to their lanes. Writes only lanes that differ. */
    public static final String LIMIT_LANES = """
            UPDATE windrow_lanes l
               SET paused_at = o.paused_at, paused_by = o.paused_by, pause_reason = o.pause_reason, limited = o.limited
              FROM (SELECT n.id, p.paused_at, p.paused_by, p.pause_reason,
                           EXISTS (SELECT 1 FROM windrow_limits c
                                    WHERE (c.max_running IS NOT NULL OR c.rate_count IS NOT NULL)
                                      AND (c.kind, c.name) IN (('QUEUE', n.queue), ('TYPE', n.type))) AS limited
                      FROM windrow_lanes n
                      LEFT JOIN LATERAL (
                           SELECT c.paused_at, c.paused_by, c.pause_reason FROM windrow_limits c
                            WHERE c.paused_at IS NOT NULL
                              AND (c.kind, c.name) IN (('QUEUE', n.queue), ('TYPE', n.type))
                            ORDER BY c.kind LIMIT 1) p ON true
                     WHERE n.queue = ANY ($1::text[]) OR n.type = ANY ($2::text[])) o
             WHERE l.id = o.id
               AND (l.paused_at, l.paused_by, l.pause_reason, l.limited)
                   IS DISTINCT FROM (o.paused_at, o.paused_by, o.pause_reason, o.limited)
            """;

    /** All pauses and limits of queues, types and keys, or only $2 of kind $1. Scans a table that has one row for each of these. */
    public static final String READ_LIMITS = """
            SELECT c.kind, c.name, c.paused_at, a.name, c.pause_reason, c.max_running, c.rate_count, c.rate_millis,
                   c.rate_burst
              FROM windrow_limits c
              LEFT JOIN windrow_actors a ON a.id = c.paused_by
             WHERE $1::text IS NULL OR c.kind = $1::text AND c.name = $2::text
             ORDER BY c.kind, c.name
            """;
}
