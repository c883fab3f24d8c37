package dev.windrow.postgres.job;

/** The statements of dedupe keys, which prevent a second job with the same key. They follow the rules of {@link JobSql}. */
public final class DedupeSql {
    private DedupeSql() {}

    // ---- dedupe keys: all by the primary key (type, key) -------------------------------------------------------

    /** The holders of the keys $2 of the types $1, and their states. Locks nothing. By the primary keys. */
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
     * Takes keys for the jobs $3 that were free when they were read. Returns the taken keys. Waits for a transaction that has taken a key and not
     * committed. Does not change or lock a key that is held.
     */
    static final String TAKE_KEYS = """
            INSERT INTO windrow_dedupe (type, key, job_id, scope, expires_at)
            SELECT type, key, job_id, scope, expires_at
              FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::bigint[])
                   AS g (type, key, job_id, scope, expires_at)
            ON CONFLICT (type, key) DO NOTHING
            RETURNING type, key
            """;

    /** Takes keys for the jobs $3 from the jobs $6, which no longer held them when they were read. By primary key. */
    static final String TAKE_OVER_KEYS = """
            UPDATE windrow_dedupe d SET job_id = g.job_id, scope = g.scope, expires_at = g.expires_at
              FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[])
                   AS g (type, key, job_id, scope, expires_at, holder)
             WHERE d.type = g.type AND d.key = g.key AND d.job_id = g.holder
            RETURNING d.type, d.key
            """;

    /** Gives up the keys that claimed jobs hold until they start. By primary key. */
    static final String KEYS_STARTED = """
            DELETE FROM windrow_dedupe d USING unnest($1::text[], $2::text[], $3::bigint[]) AS g (type, key, job_id)
             WHERE d.type = g.type AND d.key = g.key AND d.job_id = g.job_id AND d.scope = 'UNTIL_STARTED'
            """;

    /** Gives up the keys that ended jobs hold until their end. By primary key. */
    public static final String KEYS_ENDED = """
            DELETE FROM windrow_dedupe d USING unnest($1::text[], $2::text[], $3::bigint[]) AS g (type, key, job_id)
             WHERE d.type = g.type AND d.key = g.key AND d.job_id = g.job_id
               AND d.scope IN ('UNTIL_STARTED', 'UNFINISHED')
            """;

    /** Moves the keys that a chain holds while it is unfinished from the jobs $3 to their next jobs $4. By primary key. */
    static final String MOVE_KEYS = """
            UPDATE windrow_dedupe d SET job_id = g.next
              FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) AS g (type, key, job_id, next)
             WHERE d.type = g.type AND d.key = g.key AND d.job_id = g.job_id AND d.scope = 'UNFINISHED'
            """;

    /** Gives up keys of any scope. By primary key. */
    static final String KEYS_GONE = """
            DELETE FROM windrow_dedupe d USING unnest($1::text[], $2::text[], $3::bigint[]) AS g (type, key, job_id)
             WHERE d.type = g.type AND d.key = g.key AND d.job_id = g.job_id
            """;

    /**
     * The holder of a key that is about to be replaced, or from which a throttled key is taken. Locks it, because only then is it certain that it
     * waits or has ended. By primary key.
     */
    static final String LOCK_HOLDER = """
            SELECT state, waiting_for, lane, token, scheduled_at, concurrency_key
              FROM windrow_jobs WHERE id = $1 FOR NO KEY UPDATE
            """;

    /**
     * BLOCKED stays, SCHEDULED | PENDING -> SCHEDULED | PENDING ($3): a later enqueue with the same key replaces the work and the due time. With null
     * the job has no time of its own. By primary keys, guarded by the state as read.
     */
    static final String REPLACE = """
            UPDATE windrow_jobs
               SET state = $3, priority = $4, max_attempts = $6, run = run + (used > 0)::integer, used = 0,
                   scheduled_at = coalesce($5, (SELECT i.created_at FROM windrow_inputs i WHERE i.job_id = windrow_jobs.id))
             WHERE id = $1 AND state = $2
            """;

    /** Replaces the input of the job, and deletes the blob of its payload. By primary keys and windrow_blobs_job. */
    static final String REPLACE_INPUT = """
            WITH old AS (DELETE FROM windrow_blobs WHERE job_id = $1 AND kind = 'PAYLOAD' RETURNING id),
            chunks AS (DELETE FROM windrow_blob_chunks WHERE blob_id IN (SELECT id FROM old))
            UPDATE windrow_inputs SET payload = $2, timeout_ms = $3, name = $4, retry_policy = $5, traceparent = $6
             WHERE job_id = $1
            """;

    /** Deletes the tags of a job. By primary key. */
    static final String DELETE_TAGS = """
            DELETE FROM windrow_tags WHERE job_id = $1
            """;
}
