package dev.windrow.sqlite.payload;

import dev.windrow.sqlite.job.JobSql;

/**
 * The statements of long payloads and results, which are stored in chunks. By primary key, unless the comment names another index. Chunks are deleted
 * with their blob. Written like the statements in {@link JobSql}.
 */
public final class BlobSql {
    private BlobSql() {}

    /** A new blob, staged. Its length and hash are set if its first chunk is all of it. */
    public static final String STAGE = """
            INSERT INTO windrow_blobs (id, bytes, sha256, created_at) VALUES (?1, ?2, ?3, ?4)
            """;

    public static final String STAGE_PART = """
            INSERT INTO windrow_blob_chunks (blob_id, position, content) VALUES (?1, ?2, ?3)
            """;

    /** Marks a staged blob as complete, unless its deletion has begun. */
    public static final String STAGE_WHOLE = """
            UPDATE windrow_blobs SET bytes = ?2, sha256 = ?3, file = ?4 WHERE id = ?1 AND job_id IS NULL AND created_at > 0
            """;

    /** The number of these blobs that are staged and complete. */
    public static final String COUNT_STAGED = """
            SELECT count(*) FROM json_each(?1) w CROSS JOIN windrow_blobs b ON b.id = w.value
             WHERE b.job_id IS NULL AND b.sha256 IS NOT NULL
            """;

    /** Staged -> the payload or the result of job ?2. Guarded, because a blob has one owner only. */
    public static final String ADOPT_BLOB = """
            UPDATE windrow_blobs SET job_id = ?2, kind = ?3 WHERE id = ?1 AND job_id IS NULL AND sha256 IS NOT NULL
            """;

    /** Deletes the blob of the former payload of a job that gets another payload. By windrow_blobs_job. */
    public static final String DELETE_PAYLOAD_BLOB = """
            DELETE FROM windrow_blobs WHERE job_id = ?1 AND kind = 'PAYLOAD'
            """;

    /** Marks a blob that no job will adopt as incomplete. Nothing more is added to it, and it is the first to be swept. */
    public static final String UNSTAGE = """
            UPDATE windrow_blobs SET bytes = NULL, sha256 = NULL, created_at = 0 WHERE id = ?1 AND job_id IS NULL
            """;

    /** Deletes the first ?2 remaining chunks of a blob that no job will adopt. By sqlite_autoindex_windrow_blob_chunks_1. */
    public static final String DROP_CHUNKS = """
            DELETE FROM windrow_blob_chunks
             WHERE blob_id = ?1
               AND position <= (SELECT max(position)
                                  FROM (SELECT position FROM windrow_blob_chunks WHERE blob_id = ?1 ORDER BY position LIMIT ?2))
            """;

    /** Deletes a blob that no job will adopt, when its chunks are deleted. */
    public static final String DROP_BLOB = """
            DELETE FROM windrow_blobs WHERE id = ?1 AND job_id IS NULL
            """;

    /**
     * Blobs that were staged before ?1, at most ?2, the oldest first. Blobs whose deletion has begun come before all others. By windrow_blobs_job.
     */
    public static final String SWEEP_STAGED = """
            SELECT id FROM windrow_blobs WHERE job_id IS NULL AND created_at < ?1 ORDER BY created_at LIMIT ?2
            """;

    /** The blobs among these that exist. */
    public static final String EXISTING_BLOBS = """
            SELECT b.id FROM json_each(?1) w CROSS JOIN windrow_blobs b ON b.id = w.value
            """;

    /** One chunk of a blob. By sqlite_autoindex_windrow_blob_chunks_1. */
    public static final String READ_CHUNK = """
            SELECT content FROM windrow_blob_chunks WHERE blob_id = ?1 AND position = ?2
            """;
}
