package dev.windrow.sqlite.job;

/**
 * The statements of dedupe keys, which keep a second job of the same kind out. Written like those in {@link JobSql}.
 */
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
}
