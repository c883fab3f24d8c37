package dev.windrow.postgres.schema;

/** The statements that read the schema and keep it from changing. They follow the rules of {@link dev.windrow.postgres.job.JobSql}. */
public final class SchemaSql {
    private SchemaSql() {}

    /** The oldest code version that may use the tables, the version of the tables, and the run of the server. By primary key. */
    public static final String MIN_COMPATIBLE = """
            SELECT min_compatible, version, (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint
              FROM windrow_schema ORDER BY version DESC LIMIT 1
            """;

    /**
     * The identity of the store, the oldest code version that may use it, its version, and the name of that version. Also whether the transaction
     * sees the commits of others while it runs, and the run of the server. By primary key.
     */
    public static final String STORE = """
            SELECT (SELECT store::text FROM windrow_schema WHERE version = 1), min_compatible, version, name,
                   current_setting('transaction_isolation') = 'read committed',
                   (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint
              FROM windrow_schema ORDER BY version DESC LIMIT 1
            """;

    /**
     * Locks the store against a copy until the end of the transaction. For a transaction that sees an old snapshot: it fails with a serialization
     * failure if a copy has begun to fill the store since that snapshot. By primary key.
     */
    public static final String LOCK_STORE = """
            SELECT version FROM windrow_schema WHERE version = 1 FOR SHARE
            """;
}
