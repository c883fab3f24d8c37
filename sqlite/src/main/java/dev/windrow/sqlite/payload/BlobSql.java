package dev.windrow.sqlite.payload;

import dev.windrow.sqlite.job.JobSql;

/**
 * The statements of long payloads and results, which are kept in chunks. By primary key unless said otherwise; chunks go with their blob. Written like those in {@link JobSql}.
 */
public final class BlobSql {
    private BlobSql() {}

    /** A new blob, staged; with length and hash if its first part is all of it. */
    public static final String STAGE = """
            INSERT INTO windrow_blobs (id, bytes, sha256, created_at) VALUES (?1, ?2, ?3, ?4)
            """;

    public static final String STAGE_PART = """
            INSERT INTO windrow_blob_chunks (blob_id, position, content) VALUES (?1, ?2, ?3)
            """;

    /** All of a staged blob is written, and nothing of it is dropped yet. */
    public static final String STAGE_WHOLE = """
            UPDATE windrow_blobs SET bytes = ?2, sha256 = ?3, file = ?4 WHERE id = ?1 AND job_id IS NULL AND created_at > 0
            """;

    /** How many of these blobs are staged, and whole. */
    public static final String COUNT_STAGED = """
            SELECT count(*) FROM json_each(?1) w CROSS JOIN windrow_blobs b ON b.id = w.value
             WHERE b.job_id IS NULL AND b.sha256 IS NOT NULL
            """;

    /** Staged -> the payload or the result of job ?2: guarded, because it has one owner only. */
    public static final String ADOPT_BLOB = """
            UPDATE windrow_blobs SET job_id = ?2, kind = ?3 WHERE id = ?1 AND job_id IS NULL AND sha256 IS NOT NULL
            """;

    /** What a job that gets another payload had before. By windrow_blobs_job. */
    public static final String DELETE_PAYLOAD_BLOB = """
            DELETE FROM windrow_blobs WHERE job_id = ?1 AND kind = 'PAYLOAD'
            """;

    /** A blob that nobody will adopt: it is not whole, nothing is added to it, and it is the first to be swept. */
    public static final String UNSTAGE = """
            UPDATE windrow_blobs SET bytes = NULL, sha256 = NULL, created_at = 0 WHERE id = ?1 AND job_id IS NULL
            """;

    /** The first ?2 parts that are left of a blob that nobody will adopt. By sqlite_autoindex_windrow_blob_chunks_1. */
    public static final String DROP_CHUNKS = """
            DELETE FROM windrow_blob_chunks
             WHERE blob_id = ?1
               AND position <= (SELECT max(position)
                                  FROM (SELECT position FROM windrow_blob_chunks WHERE blob_id = ?1 ORDER BY position LIMIT ?2))
            """;

    /** A blob that nobody will adopt, when its parts are gone. */
    public static final String DROP_BLOB = """
            DELETE FROM windrow_blobs WHERE id = ?1 AND job_id IS NULL
            """;

    /** Blobs that were staged before ?1, the oldest first, at most ?2; those of which something is dropped come before all others. By windrow_blobs_job. */
    public static final String SWEEP_STAGED = """
            SELECT id FROM windrow_blobs WHERE job_id IS NULL AND created_at < ?1 ORDER BY created_at LIMIT ?2
            """;

    /** Which of these blobs there are. */
    public static final String EXISTING_BLOBS = """
            SELECT b.id FROM json_each(?1) w CROSS JOIN windrow_blobs b ON b.id = w.value
            """;

    /** By sqlite_autoindex_windrow_blob_chunks_1. */
    public static final String READ_CHUNK = """
            SELECT content FROM windrow_blob_chunks WHERE blob_id = ?1 AND position = ?2
            """;
}
