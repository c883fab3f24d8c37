package dev.windrow.postgres.payload;

import dev.windrow.postgres.job.JobSql;

/**
 * The statements of long payloads and results, which are stored in chunks. By primary key unless the comment names an index. They follow the rules of
 * {@link JobSql}.
 */
public final class BlobSql {
    private BlobSql() {}

    /** Stages a new blob with its first chunk. Sets length and hash if that chunk is complete. Returns the number of the blob. */
    public static final String STAGE = """
            WITH blob AS (INSERT INTO windrow_blobs (bytes, sha256, created_at) VALUES ($1, $2, $3) RETURNING id),
            chunk AS (INSERT INTO windrow_blob_chunks (blob_id, position, content) SELECT id, 0, $4 FROM blob)
            SELECT id FROM blob
            """;

    /** Adds a chunk to a staged blob. The blob cannot be swept before this commits. */
    public static final String STAGE_PART = """
            INSERT INTO windrow_blob_chunks (blob_id, position, content)
            SELECT id, $2, $3 FROM windrow_blobs WHERE id = $1 AND job_id IS NULL AND created_at > 0 FOR SHARE
            """;

    /** Completes a staged blob, if no part of it was dropped yet. */
    public static final String STAGE_WHOLE = """
            UPDATE windrow_blobs SET bytes = $2, sha256 = $3, file = $4 WHERE id = $1 AND job_id IS NULL AND created_at > 0
            """;

    /** The number of these blobs that are staged and complete. The condition is written so that the server does not read all staged blobs. */
    public static final String COUNT_STAGED = """
            SELECT count(*) FROM windrow_blobs WHERE id = ANY ($1) AND coalesce(job_id, 0) = 0 AND sha256 IS NOT NULL
            """;

    /** Staged -> the payload or the result of job $2. Guarded, because a blob has one owner only. */
    public static final String ADOPT_BLOB = """
            UPDATE windrow_blobs SET job_id = $2, kind = $3 WHERE id = $1 AND job_id IS NULL AND sha256 IS NOT NULL
            """;

    /** Gives up a blob that no job will adopt. It is incomplete, cannot grow, and is swept first. */
    public static final String UNSTAGE = """
            UPDATE windrow_blobs SET bytes = NULL, sha256 = NULL, created_at = 0 WHERE id = $1 AND job_id IS NULL
            """;

    /** Deletes the first $2 remaining parts of a blob that no job will adopt. By windrow_blob_chunks_pkey. */
    public static final String DROP_CHUNKS = """
            DELETE FROM windrow_blob_chunks
             WHERE blob_id = $1
               AND position <= (SELECT max(c.position)
                                  FROM (SELECT position FROM windrow_blob_chunks
                                         WHERE blob_id = $1 ORDER BY blob_id, position LIMIT $2::integer) c)
            """;

    /** Deletes a blob that no job will adopt, after its parts are deleted. */
    public static final String DROP_BLOB = """
            DELETE FROM windrow_blobs WHERE id = $1 AND job_id IS NULL
            """;

    /**
     * Up to $2 blobs that were staged before $1, oldest first, locked. Blobs with dropped parts come before all others. Leaves out blobs that another
     * transaction drops. By windrow_blobs_staged.
     */
    public static final String SWEEP_STAGED = """
            SELECT id FROM windrow_blobs WHERE job_id IS NULL AND created_at < $1
             ORDER BY created_at LIMIT $2::integer FOR UPDATE SKIP LOCKED
            """;

    /** The blobs of this list that exist. By primary key. */
    public static final String EXISTING_BLOBS = """
            SELECT b.id FROM unnest($1::bigint[]) AS w (id)
             CROSS JOIN LATERAL (SELECT id FROM windrow_blobs WHERE id = w.id OFFSET 0) b
            """;

    /** One part of a blob. By primary key. */
    public static final String READ_CHUNK = """
            SELECT content FROM windrow_blob_chunks WHERE blob_id = $1 AND position = $2
            """;
}
