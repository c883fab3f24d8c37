package dev.windrow.postgres.payload;

import dev.windrow.postgres.job.JobSql;

/**
 * The statements of long payloads and results, which are kept in chunks. By primary key unless said otherwise. Written like those in {@link JobSql}.
 */
public final class BlobSql {
    private BlobSql() {}

    /** A new blob with its first chunk, staged; with length and hash if that is all of it. Answers its number. */
    public static final String STAGE = """
            WITH blob AS (INSERT INTO windrow_blobs (bytes, sha256, created_at) VALUES ($1, $2, $3) RETURNING id),
            chunk AS (INSERT INTO windrow_blob_chunks (blob_id, position, content) SELECT id, 0, $4 FROM blob)
            SELECT id FROM blob
            """;

    /** A further chunk of a blob that is staged; nobody sweeps the blob before that is committed. */
    public static final String STAGE_PART = """
            INSERT INTO windrow_blob_chunks (blob_id, position, content)
            SELECT id, $2, $3 FROM windrow_blobs WHERE id = $1 AND job_id IS NULL AND created_at > 0 FOR SHARE
            """;

    /** All of a staged blob is written, and nothing of it is dropped yet. */
    public static final String STAGE_WHOLE = """
            UPDATE windrow_blobs SET bytes = $2, sha256 = $3, file = $4 WHERE id = $1 AND job_id IS NULL AND created_at > 0
            """;

    /** How many of these blobs are staged, and whole. Said so that it does not read all that is staged. */
    public static final String COUNT_STAGED = """
            SELECT count(*) FROM windrow_blobs WHERE id = ANY ($1) AND coalesce(job_id, 0) = 0 AND sha256 IS NOT NULL
            """;

    /** Staged -> the payload or the result of job $2: guarded, because it has one owner only. */
    public static final String ADOPT_BLOB = """
            UPDATE windrow_blobs SET job_id = $2, kind = $3 WHERE id = $1 AND job_id IS NULL AND sha256 IS NOT NULL
            """;

    /** A blob that nobody will adopt: it is not whole, nothing is added to it, and it is the first to be swept. */
    public static final String UNSTAGE = """
            UPDATE windrow_blobs SET bytes = NULL, sha256 = NULL, created_at = 0 WHERE id = $1 AND job_id IS NULL
            """;

    /** The first $2 parts that are left of a blob that nobody will adopt. By windrow_blob_chunks_pkey. */
    public static final String DROP_CHUNKS = """
            DELETE FROM windrow_blob_chunks
             WHERE blob_id = $1
               AND position <= (SELECT max(c.position)
                                  FROM (SELECT position FROM windrow_blob_chunks
                                         WHERE blob_id = $1 ORDER BY blob_id, position LIMIT $2::integer) c)
            """;

    /** A blob that nobody will adopt, when its parts are gone. */
    public static final String DROP_BLOB = """
            DELETE FROM windrow_blobs WHERE id = $1 AND job_id IS NULL
            """;

    /**
     * Blobs that were staged before $1, the oldest first, at most $2, locked; those of which something is dropped come before all others. Leaves out what
     * somebody else drops. By windrow_blobs_staged.
     */
    public static final String SWEEP_STAGED = """
            SELECT id FROM windrow_blobs WHERE job_id IS NULL AND created_at < $1
             ORDER BY created_at LIMIT $2::integer FOR UPDATE SKIP LOCKED
            """;

    /** Which of these blobs there are. By primary key. */
    public static final String EXISTING_BLOBS = """
            SELECT b.id FROM unnest($1::bigint[]) AS w (id)
             CROSS JOIN LATERAL (SELECT id FROM windrow_blobs WHERE id = w.id OFFSET 0) b
            """;

    /** A part of a blob. By primary key. */
    public static final String READ_CHUNK = """
            SELECT content FROM windrow_blob_chunks WHERE blob_id = $1 AND position = $2
            """;
}
