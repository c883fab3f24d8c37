package dev.windrow.postgres.writer;

import dev.windrow.postgres.schema.SchemaGuard;

/** The statements of connections, transactions, ids, and the numbers of names. They follow the rules of {@link dev.windrow.postgres.job.JobSql}. */
public final class TransactionSql {
    private TransactionSql() {}

    /**
     * The first statement on a connection. Reads its isolation, and whether the server is a standby, which only reads. Also reads the run of the
     * server: its start time in microseconds since 1970.
     */
    public static final String CONNECTED = """
            SELECT current_setting('transaction_isolation'), pg_is_in_recovery(),
                   (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint
            """;

    /**
     * The timeline of the server's log, which changes when a standby is promoted. The numbers of transactions are valid only within one timeline.
     * Does not work on a standby. Servers that keep their log elsewhere may not have the function.
     */
    public static final String TIMELINE = """
            SELECT substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)
            """;

    /**
     * The first statement of a transaction of the store. Reads the time at which the transaction began, which is the time of all its writes, also of
     * statements that are sent in the same message. Limits its waits ($1 for a lock, $2 for a statement, in the duration format of PostgreSQL).
     *
     * <p>Plans depend on statistics as little as possible, because statistics are always stale where jobs come and go. Each statement has an index
     * that it is meant to use. A row costs ten times as much as a page of an index. By the server's defaults it costs a four-hundredth. With the
     * defaults a scan of 300 jobs is cheaper than ten look-ups. Thousands of jobs may come while such a plan is in use. Hash and merge joins are off,
     * because they scan a whole table if few parents have all children. Parallel workers are off, because they seem to pay where a row costs so much.
     *
     * <p>A commit is on disk when it is acknowledged, even if the server's default differs. If the transaction is going to write ($3), the statement
     * returns its number. By that number its outcome can be read if the answer to the commit is lost. The statement returns the lanes with limits or
     * rates; as a rule there are none. It returns the identity of the queue, which {@link SchemaGuard} checks. From here to the end of the
     * transaction no copy can begin to fill the tables with another queue. It returns the run of the server, because a proxy may have changed the
     * server since the last transaction. It returns the highest number of a lane, by which a process notices that it does not know all lanes.
     */
    public static final String BEGIN_WORK = """
            SELECT (extract(epoch FROM now()) * 1000)::bigint,
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
     * The first statement of a managed transaction. Limits its waits for locks ($1) and nothing else. As in every transaction, a commit is on disk
     * when it is acknowledged.
     */
    public static final String BEGIN_MANAGED = """
            SELECT set_config('lock_timeout', $1, true),
                   CASE WHEN current_setting('synchronous_commit') = 'off'
                        THEN set_config('synchronous_commit', 'on', true) END
            """;

    /** A statement that fails in a transaction in which another statement has failed. */
    public static final String STILL_GOOD = "SELECT 1";

    public static final String COMMIT = "COMMIT";

    /** Drops the plans of the session, because plans that were made while the tables were nearly empty do not suit full ones. */
    public static final String DISCARD_PLANS = "DISCARD PLANS";

    /** The time of the server's clock. */
    public static final String NOW = """
            SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint
            """;

    /**
     * The status of transaction $1: {@code committed}, {@code aborted}, {@code in progress}, or null if it is too old. A commit that the statement
     * does not see yet is in progress. The second column tells whether the row of its {@link Witness} exists: of kind $2, about job or entry $3, with
     * token $4 and time $5. It is null without a witness. The third column is the run of the server. Rows are found by primary keys, an entry by
     * windrow_audit_at. If no other transaction writes the same values about the job, the number in the row is not compared.
     */
    public static final String STATUS_OF_TRANSACTION = """
            SELECT CASE WHEN pg_xact_status($1::text::xid8) = 'committed'
                         AND NOT pg_visible_in_snapshot($1::text::xid8, pg_current_snapshot())
                        THEN 'in progress' ELSE pg_xact_status($1::text::xid8) END,
                   CASE $2::text
                     WHEN 'AUDIT' THEN EXISTS (
                       SELECT 1 FROM windrow_audit WHERE id = $3::bigint AND at = $5::bigint)
                     WHEN 'COMPLETION' THEN EXISTS (
                       SELECT 1 FROM windrow_jobs WHERE id = $3 AND token = $4::bigint AND finished_at = $5)
                     WHEN 'EVENT' THEN EXISTS (
                       SELECT 1 FROM windrow_events
                        WHERE job_id = $3 AND token = $4 AND at = $5 AND xmin = $1::text::xid8::xid)
                     WHEN 'INPUT' THEN EXISTS (
                       SELECT 1 FROM windrow_inputs WHERE job_id = $3 AND created_at = $5)
                     WHEN 'CLAIM' THEN EXISTS (
                       SELECT 1 FROM windrow_jobs WHERE id = $3 AND token = $4 AND claimed_at = $5)
                     WHEN 'START' THEN EXISTS (
                       SELECT 1 FROM windrow_jobs WHERE id = $3 AND token = $4 AND started_at = $5)
                     WHEN 'STEP' THEN EXISTS (
                       SELECT 1 FROM windrow_steps
                        WHERE job_id = $3 AND (token = $4 OR finished_at = $5) AND xmin = $1::text::xid8::xid)
                     WHEN 'REPORT' THEN EXISTS (
                       SELECT 1 FROM windrow_log_lines WHERE job_id = $3 AND token = $4 AND xmin = $1::text::xid8::xid)
                       OR EXISTS (
                       SELECT 1 FROM windrow_progress WHERE job_id = $3 AND token = $4 AND xmin = $1::text::xid8::xid)
                   END,
                   (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint
            """;

    /** Takes $1 blocks of ids. Returns the first id of each. A rollback does not undo it. */
    public static final String TAKE_IDS = """
            SELECT nextval('windrow_ids') FROM generate_series(1, $1::integer)
            """;

    /**
     * The first statement of a transaction that assigns numbers to names. Limits its waits ($1 for a statement). Names are on disk before the commits
     * that rely on them.
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

    /** The numbers of actors, and the run of the server. By the unique name and instance. */
    public static final String FIND_ACTORS = """
            SELECT a.id, a.name, a.instance, (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint
              FROM unnest($1::text[], $2::text[]) AS g (name, instance)
              JOIN windrow_actors a ON a.name = g.name AND a.instance = g.instance
            """;

    /** Adds new lanes, and updates the time of use of known ones: $3, or the server's time. By the unique (queue, type). */
    public static final String ADD_LANES = """
            INSERT INTO windrow_lanes AS l (queue, type, used_at)
            SELECT g.queue, g.type, coalesce($3::bigint, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
              FROM unnest($1::text[], $2::text[]) AS g (queue, type)
            ON CONFLICT (queue, type) DO UPDATE SET used_at = greatest(l.used_at, excluded.used_at)
            """;

    /** All lanes, and the run of the server. Scans a table that has one row for each queue and type. */
    public static final String READ_LANES = """
            SELECT id, queue, type, (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint, used_at
              FROM windrow_lanes
            """;
}
