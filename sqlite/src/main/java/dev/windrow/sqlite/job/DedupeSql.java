package dev.windrow.sqlite.job;

/** The statements of dedupe keys, which prevent a second job with the same key. Written like the statements in {@link JobSql}. */
public final class DedupeSql {
    private DedupeSql() {}

    // ---- dedupe keys: all by the primary key (type, key) -------------------------------------------------------

    /** The holder of key ?2 of type ?1, and its state. By the primary keys. */
    public static final String KEY_HOLDER = """
            SELECT d.job_id, d.scope, d.expires_at, j.state, j.waiting_for, j.scheduled_at, j.claimed_at, j.lane, j.token,
                   j.concurrency_key, j.chain_index > 0
              FROM windrow_dedupe d
              LEFT JOIN windrow_jobs j ON j.id = d.job_id
             WHERE d.type = ?1 AND d.key = ?2
            """;

    /** Gives job ?3 a key that is free, or that job ?6 no longer holds. By primary key. */
    static final String TAKE_KEY = """
            INSERT INTO windrow_dedupe (type, key, job_id, scope, expires_at) VALUES (?1, ?2, ?3, ?4, ?5)
            ON CONFLICT (type, key) DO UPDATE
               SET job_id = excluded.job_id, scope = excluded.scope, expires_at = excluded.expires_at
             WHERE job_id = ?6
            """;

    /** Stores the key and the scope in a new job, for the transactions that end or retry it. By primary key. */
    static final String KEEP_KEY = """
            UPDATE windrow_jobs SET dedupe_key = ?2, dedupe_scope = ?3 WHERE id = ?1
            """;

    /** Releases a key that is held until the start, at a claim. By primary key. */
    static final String KEY_STARTED = """
            DELETE FROM windrow_dedupe WHERE type = ?1 AND key = ?2 AND job_id = ?3 AND scope = 'UNTIL_STARTED'
            """;

    /** Releases a key that is held until the end of the job, at that end. By primary key. */
    public static final String KEY_ENDED = """
            DELETE FROM windrow_dedupe
             WHERE type = ?1 AND key = ?2 AND job_id = ?3 AND (scope = 'UNTIL_STARTED' OR scope = 'UNFINISHED')
            """;

    /** Moves a key that is held while the chain is unfinished from job ?3 to the next job ?4. By primary key. */
    static final String MOVE_KEY = """
            UPDATE windrow_dedupe SET job_id = ?4 WHERE type = ?1 AND key = ?2 AND job_id = ?3 AND scope = 'UNFINISHED'
            """;

    /**
     * Releases the key of a job that is deleted in state ?4, for any scope. The key of a COMPLETED job stays without it until its window has ended
     * (?5), or forever. By primary key.
     */
    static final String KEY_DELETED = """
            DELETE FROM windrow_dedupe
             WHERE type = ?1 AND key = ?2 AND job_id = ?3
               AND (?4 <> 'COMPLETED' OR (scope = 'WINDOW' AND expires_at <= ?5))
            """;

    /**
     * BLOCKED stays, SCHEDULED | PENDING -> SCHEDULED | PENDING (?3): a later enqueue with the same key replaces the work and its time. ?5 null: the
     * job has no time of its own. By primary key, guarded by the state as read.
     */
    static final String REPLACE = """
            UPDATE windrow_jobs
               SET state = ?3, priority = ?4, scheduled_at = coalesce(?5, created_at), max_attempts = ?6, run = run + (used > 0), used = 0,
                   timeout_ms = ?7, name = ?8, retry_policy = ?9, traceparent = ?10
             WHERE id = ?1 AND state = ?2
            """;

    static final String REPLACE_PAYLOAD = """
            INSERT INTO windrow_payloads (job_id, payload) VALUES (?1, ?2)
            ON CONFLICT (job_id) DO UPDATE SET payload = excluded.payload
            """;

    /** Deletes the payload of job ?1. By primary key. */
    static final String DELETE_PAYLOAD = """
            DELETE FROM windrow_payloads WHERE job_id = ?1
            """;

    /** Deletes the tags of job ?1. By primary key. */
    static final String DELETE_TAGS = """
            DELETE FROM windrow_tags WHERE job_id = ?1
            """;
}
