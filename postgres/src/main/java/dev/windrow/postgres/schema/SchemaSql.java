package dev.windrow.postgres.schema;

/** The statements that read the schema and keep it from changing. Written like those in {@link dev.windrow.postgres.job.JobSql}. */
public final class SchemaSql {
    private SchemaSql() {}

    /** The oldest version of the code that may use the tables, and their own; by primary key. And the run of the server. */
    public static final String MIN_COMPATIBLE = """
            SELECT min_compatible, version, (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint
              FROM windrow_schema ORDER BY version DESC LIMIT 1
            """;

    /**
     * The identity of the store, the oldest version of the code that may use it, its own version, that one's name, whether the transaction
     * sees what is committed meanwhile, and the run of the server; by primary key.
     */
    public static final String STORE = """
            SELECT (SELECT store::text FROM windrow_schema WHERE version = 1), min_compatible, version, name,
                   current_setting('transaction_isolation') = 'read committed',
                   (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint
              FROM windrow_schema ORDER BY version DESC LIMIT 1
            """;

    /**
     * In a transaction that sees an old state: fails with a serialization failure if a copy has begun to fill the store since, and holds one off until
     * the end of the transaction; by primary key.
     */
    public static final String LOCK_STORE = """
            SELECT version FROM windrow_schema WHERE version = 1 FOR SHARE
            """;
}
