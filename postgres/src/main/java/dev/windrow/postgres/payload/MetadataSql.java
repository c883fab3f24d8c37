package dev.windrow.postgres.payload;

import dev.windrow.postgres.job.JobSql;

/** The statements of the metadata of jobs. By primary key. They follow the rules of {@link JobSql}. */
public final class MetadataSql {
    private MetadataSql() {}

    /** The metadata of new jobs. */
    public static final String INSERT_METADATA = """
            INSERT INTO windrow_metadata (job_id, metadata) SELECT * FROM unnest($1::bigint[], $2::text[])
            """;

    public static final String READ_METADATA = """
            SELECT metadata FROM windrow_metadata WHERE job_id = $1
            """;

    /** Writes the metadata of job $1 in place of earlier ones. The job is locked. */
    public static final String WRITE_METADATA = """
            INSERT INTO windrow_metadata (job_id, metadata) VALUES ($1, $2)
            ON CONFLICT (job_id) DO UPDATE SET metadata = excluded.metadata
            """;

    public static final String DELETE_METADATA = """
            DELETE FROM windrow_metadata WHERE job_id = $1
            """;

    /** Deletes the event of job $1 about a change of its metadata in the attempt $2 by the actor $3. By primary key. */
    public static final String DELETE_METADATA_EVENT = """
            DELETE FROM windrow_events WHERE job_id = $1 AND token = $2 AND actor = $3 AND event = 'METADATA_CHANGED'
            """;
}
