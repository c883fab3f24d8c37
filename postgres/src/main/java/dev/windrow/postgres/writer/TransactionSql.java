package dev.windrow.postgres.writer;

import dev.windrow.postgres.schema.SchemaGuard;

/** The statements of connections, transactions, ids, and the numbers of names. Written like those in {@link dev.windrow.postgres.job.JobSql}. */
public final class TransactionSql {
    private TransactionSql() {}

    /**
     * First statement on a connection: its isolation, whether the server is a standby, which only reads, and in which run of it this is: when it was started,
     * in microseconds since 1970.
     */
    public static final String CONNECTED = """
            SELECT current_setting('transaction_isolation'), pg_is_in_recovery(),
                   (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint
            """;

    /**
     * The history that the server's log belongs to, another one after a standby was promoted. The numbers of transactions mean something only within one.
     * Not on a standby; servers that keep their log elsewhere may have no such function.
     */
    public static final String TIMELINE = """
            SELECT substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)
            """;

    /**
     * First statement of a transaction of this store's own: reads the server's clock once for all of it, and bounds its waits
     * ($1 for a lock, $2 for a statement, both as PostgreSQL writes durations). Plans depend on statistics as little as possible, which are always stale where
     * jobs come and go: each statement has an index that it is meant to use. A row costs ten times what a page of an index costs; by the server's
     * defaults, a four-hundredth. With the defaults, reading all of 300 jobs is cheaper than ten look-ups, and thousands of jobs may come while such a
     * plan is in use. Hash and merge joins are off, because they read a table whole where few parents have all children; so are parallel workers,
     * which seem to pay where a row costs so much. A commit is on the disk when it is
     * acknowledged, whatever the server's default. If the transaction is going to write ($3), answers its number, by which its outcome can
     * be asked for if the answer to the commit is lost. Answers which lanes limits or rates concern: none, as a rule; whether the queue is the one
     * that was opened, which {@link SchemaGuard} judges: from here to the end of the transaction nobody can begin to fill the tables with another one; and the run of
     * the server, which a proxy may have changed for another one since the transaction before. Answers the highest number of a lane, by which a process sees that it does not know all lanes.
     */
    public static final String BEGIN_WORK = """
            SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint,
                   set_config('lock_timeout', $1, true), set_config('statement_timeout', $2, true),
                   set_config('idle_in_transaction_session_timeout', $2, true),
                   set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true),
                   set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
                   set_config('random_page_cost', '0.1', true), set_config('cpu_tuple_cost', '1', true),
                   set_config('max_parallel_workers_per_gather', '0', true), set_config('jit', 'off', true),
                   CASE WHEN current_setting('synchronous_commit') = 'off'
                        THEN set_config('synchronous_commit', 'on', true) END,
                   CASE WHEN $3::boolean THEN pg_current_xact_id()::text END,
                   ARRAY(SELECT id FROM windrow_lanes WHERE limited),
                   (SELECT store::text FROM windrow_schema WHERE version = 1),
                   (SELECT min_compatible FROM windrow_schema ORDER BY version DESC LIMIT 1),
                   (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint,
                   (SELECT max(id) FROM windrow_lanes)
            """;

    /**
     * First statement of a transaction that the store manages for a caller: bounds its waits for locks ($1) and nothing else, and as with every other a commit is
     * on the disk when it is acknowledged.
     */
    public static final String BEGIN_MANAGED = """
            SELECT set_config('lock_timeout', $1, true),
                   CASE WHEN current_setting('synchronous_commit') = 'off'
                        THEN set_config('synchronous_commit', 'on', true) END
            """;

    /** Fails in a transaction in which a statement has failed. */
    public static final String STILL_GOOD = "SELECT 1";

    public static final String COMMIT = "COMMIT";

    /** Plans are made anew from here on: those that were made while the tables were nearly empty do not suit full ones. */
    public static final String DISCARD_PLANS = "DISCARD PLANS";

    /** The server's clock. */
    public static final String NOW = """
            SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint
            """;

    /**
     * Whether transaction $1 stands: {@code committed}, {@code aborted}, {@code in progress}, or null if it is too old; and whether it has
     * written something about job $2, by the primary keys. A server that crashes may give a number that it has not
     * logged once more: what is committed under it is another transaction then.
     */
    public static final String STATUS_OF_TRANSACTION = """
            SELECT pg_xact_status($1::text::xid8),
                   EXISTS (SELECT 1 FROM windrow_events WHERE job_id = $2 AND xmin = $1::text::xid8::xid)
                   OR EXISTS (SELECT 1 FROM windrow_log_lines WHERE job_id = $2 AND xmin = $1::text::xid8::xid)
                   OR EXISTS (SELECT 1 FROM windrow_progress WHERE job_id = $2 AND xmin = $1::text::xid8::xid)
                   OR EXISTS (SELECT 1 FROM windrow_steps WHERE job_id = $2 AND xmin = $1::text::xid8::xid)
            """;

    /** Takes $1 blocks of ids; answers the first id of each. Not undone by a rollback. */
    public static final String TAKE_IDS = """
            SELECT nextval('windrow_ids') FROM generate_series(1, $1::integer)
            """;

    /**
     * First statement of a transaction that gives numbers to names: bounds its waits ($1 for a statement). Names that others' commits rely on are on the disk
     * before them.
     */
    public static final String BOUND_WAITS = """
            SELECT set_config('lock_timeout', '50ms', true), set_config('statement_timeout', $1, true),
                   set_config('idle_in_transaction_session_timeout', $1, true),
                   CASE WHEN current_setting('synchronous_commit') = 'off'
                        THEN set_config('synchronous_commit', 'on', true) END
            """;

    public static final String ADD_ACTORS = """
            INSERT INTO windrow_actors (name, instance) SELECT * FROM unnest($1::text[], $2::text[])
            ON CONFLICT (name, instance) DO NOTHING
            """;

    /** By the unique name and instance; with the run of the server. */
    public static final String FIND_ACTORS = """
            SELECT a.id, a.name, a.instance, (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint
              FROM unnest($1::text[], $2::text[]) AS g (name, instance)
              JOIN windrow_actors a ON a.name = g.name AND a.instance = g.instance
            """;

    /** New lanes, and the time of use of known ones: $3, or the server's. By the unique (queue, type). */
    public static final String ADD_LANES = """
            INSERT INTO windrow_lanes AS l (queue, type, used_at)
            SELECT g.queue, g.type, coalesce($3::bigint, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
              FROM unnest($1::text[], $2::text[]) AS g (queue, type)
            ON CONFLICT (queue, type) DO UPDATE SET used_at = greatest(l.used_at, excluded.used_at)
            """;

    /** All lanes: a table as small as there are queues and types; with the run of the server. */
    public static final String READ_LANES = """
            SELECT id, queue, type, (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint, used_at
              FROM windrow_lanes
            """;
}
