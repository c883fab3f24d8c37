package dev.windrow.postgres.monitor;

import dev.windrow.postgres.job.JobSql;
import dev.windrow.postgres.query.ReadSql;

/**
 * The statements of a diagnosis. They follow the rules of {@link JobSql}. Each reads all rows that it checks, as an intended scan under the server's
 * own settings, and returns the errors.
 */
public final class CheckSql {
    private CheckSql() {}

    // ---- transactions of a check -------------------------------------------------------------------------------

    /** The first statement of a check whose statements must be consistent. They all see one snapshot. Nothing can be written. */
    public static final String BEGIN_SNAPSHOT = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY";

    /** The first statement of a check of one statement. Nothing can be written. */
    static final String BEGIN_LOOK = "SET TRANSACTION ISOLATION LEVEL READ COMMITTED READ ONLY";

    /** Removes the time limits of a check. But a lock that another session holds is waited for at most $1, in the duration format of PostgreSQL. */
    public static final String NO_DEADLINE = """
            SELECT set_config('lock_timeout', $1, true), set_config('statement_timeout', '0', true),
                   set_config('idle_in_transaction_session_timeout', '0', true),
                   CASE WHEN current_setting('transaction_timeout', true) IS NOT NULL THEN set_config('transaction_timeout', '0', true) END
            """;

    /**
     * Limits the next statement of a check to $1, in the duration format of PostgreSQL. JIT is off, because the server does not interrupt a
     * compilation.
     */
    static final String BOUND = """
            SELECT set_config('statement_timeout', $1, true), set_config('jit', 'off', true)
            """;

    /** Sets the settings under which {@link ReadSql} is planned before parameter values are known. $1 is the lock timeout. */
    static final String BEGIN_READ = """
            SELECT set_config('lock_timeout', $1, true), set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true),
                   set_config('jit', 'off', true)
            """;

    // ---- the server and the tables -----------------------------------------------------------------------------

    /** The settings of the server for commits and dead rows, as set for all sessions of this user, not for this one. */
    static final String SETTINGS = """
            SELECT name, reset_val FROM pg_settings
             WHERE name IN ('server_version', 'fsync', 'full_page_writes', 'synchronous_commit',
                            'default_transaction_isolation', 'autovacuum', 'track_counts')
             UNION ALL
            SELECT 'in_recovery', CASE WHEN pg_is_in_recovery() THEN 'on' ELSE 'off' END
            """;

    /** The indexes of this store's tables: their numbers, their names, and whether they are valid, ready and live. */
    static final String INDEXES = """
            SELECT c.oid::bigint, c.relname, x.indisvalid AND x.indisready AND x.indislive
              FROM unnest(ARRAY[to_regclass('windrow_schema'), to_regclass('windrow_actors'), to_regclass('windrow_lanes'),
                                to_regclass('windrow_jobs'), to_regclass('windrow_inputs'), to_regclass('windrow_results'),
                                to_regclass('windrow_tags'), to_regclass('windrow_metadata'), to_regclass('windrow_attempts'),
                                to_regclass('windrow_attempt_texts'), to_regclass('windrow_events'),
                                to_regclass('windrow_edges'), to_regclass('windrow_dedupe'),
                                to_regclass('windrow_counters'), to_regclass('windrow_retry_counters'),
                                to_regclass('windrow_counter_deltas'), to_regclass('windrow_throughput'),
                                to_regclass('windrow_workers'), to_regclass('windrow_progress'),
                                to_regclass('windrow_log_lines'), to_regclass('windrow_limits'),
                                to_regclass('windrow_audit'), to_regclass('windrow_audit_jobs'),
                                to_regclass('windrow_permits'), to_regclass('windrow_blobs'),
                                to_regclass('windrow_blob_chunks'), to_regclass('windrow_releases'),
                                to_regclass('windrow_schedules'), to_regclass('windrow_schedule_runs'),
                                to_regclass('windrow_steps'),
                                to_regclass('windrow_failures'), to_regclass('windrow_failure_deltas'),
                                to_regclass('windrow_retention'), to_regclass('windrow_leaders')]) AS t (oid)
              JOIN pg_index x ON x.indrelid = t.oid
              JOIN pg_class c ON c.oid = x.indexrelid
             ORDER BY c.relname
            """;

    /**
     * One row if $1, with its schema, is a valid index that saves little: its table has at most 32 pages. Also if it saves nothing by the statistics of
     * the planner: the table has at most one row, or the condition of the index holds for no row.
     */
    static final String IS_INDEX_OF_LITTLE = """
            SELECT 1
              FROM pg_index x
              JOIN pg_class t ON t.oid = x.indrelid
              JOIN pg_class i ON i.oid = x.indexrelid
             WHERE x.indexrelid = to_regclass($1) AND x.indisvalid
               AND (pg_relation_size(t.oid) <= 32 * current_setting('block_size')::integer
                    OR t.reltuples BETWEEN 0 AND 1 OR (x.indpred IS NOT NULL AND i.reltuples = 0))
            """;

    /** The indexes that do not exist any more. */
    static final String MISSING_INDEXES = """
            SELECT name
              FROM unnest(ARRAY['windrow_schema_pkey', 'windrow_actors_pkey', 'windrow_actors_name_instance_key',
                                'windrow_lanes_pkey', 'windrow_lanes_queue_type_key', 'windrow_jobs_pkey',
                                'windrow_jobs_claim', 'windrow_jobs_due', 'windrow_jobs_running', 'windrow_jobs_blocked',
                                'windrow_jobs_wake', 'windrow_jobs_retrying',
                                'windrow_jobs_failed', 'windrow_jobs_failed_id', 'windrow_jobs_failed_at', 'windrow_jobs_cancelled',
                                'windrow_inputs_pkey', 'windrow_inputs_lane', 'windrow_inputs_chain',
                                'windrow_inputs_workflow', 'windrow_inputs_dedupe',
                                'windrow_results_pkey', 'windrow_tags_pkey', 'windrow_tags_tag', 'windrow_metadata_pkey', 'windrow_attempts_pkey',
                                'windrow_attempt_texts_pkey', 'windrow_events_pkey', 'windrow_edges_pkey',
                                'windrow_edges_parent', 'windrow_dedupe_pkey', 'windrow_lanes_limited',
                                'windrow_limits_pkey', 'windrow_limits_wake', 'windrow_permits_pkey', 'windrow_permits_waiting',
                                'windrow_permits_granted', 'windrow_audit_pkey', 'windrow_audit_at', 'windrow_audit_action',
                                'windrow_audit_actor', 'windrow_audit_jobs_pkey', 'windrow_audit_jobs_job',
                                'windrow_counters_pkey', 'windrow_retry_counters_pkey', 'windrow_throughput_pkey',
                                'windrow_workers_pkey', 'windrow_progress_pkey', 'windrow_log_lines_pkey',
                                'windrow_blobs_pkey', 'windrow_blobs_job', 'windrow_blobs_staged',
                                'windrow_blob_chunks_pkey', 'windrow_releases_pkey',
                                'windrow_schedules_pkey', 'windrow_schedules_name_key', 'windrow_schedules_next',
                                'windrow_schedules_fired', 'windrow_schedule_runs_pkey',
                                'windrow_steps_pkey', 'windrow_steps_position',
                                'windrow_failures_pkey', 'windrow_retention_pkey',
                                'windrow_leaders_pkey']) AS g (name)
             WHERE to_regclass(name) IS NULL
            """;

    /** Adds the functions of amcheck to the search path until the end of the transaction. Returns a row if they are installed. */
    static final String USE_AMCHECK = """
            SELECT set_config('search_path', quote_ident(n.nspname), true)
              FROM pg_extension e
              JOIN pg_namespace n ON n.oid = e.extnamespace
             WHERE e.extname = 'amcheck'
            """;

    /** Checks index $1. Fails if the index is damaged, or, if $2 is true, if a row of its table is not in it. Blocks no writer. */
    static final String CHECK_INDEX = """
            SELECT bt_index_check($1::oid::regclass, $2)
            """;

    /** The number of pages of this database whose checksum was wrong when they were read; null if there are no checksums. */
    static final String CHECKSUM_FAILURES = """
            SELECT checksum_failures FROM pg_stat_database WHERE datname = current_database()
            """;

    /** The tables whose rows are updated again and again: the row counts of the server, their sizes, and whether their rows wait for compaction. */
    static final String HOT_TABLES = """
            SELECT s.relname, s.n_live_tup, s.n_dead_tup, pg_total_relation_size(s.relid),
                   s.relid IN (to_regclass('windrow_counter_deltas'), to_regclass('windrow_failure_deltas'))
              FROM unnest(ARRAY[to_regclass('windrow_jobs'), to_regclass('windrow_counter_deltas'),
                                to_regclass('windrow_counters'), to_regclass('windrow_throughput'),
                                to_regclass('windrow_workers'), to_regclass('windrow_progress'),
                                to_regclass('windrow_log_lines'), to_regclass('windrow_edges'),
                                to_regclass('windrow_failures'), to_regclass('windrow_failure_deltas'),
                                to_regclass('windrow_retention'), to_regclass('windrow_leaders')])
                   WITH ORDINALITY AS t (oid, n)
              JOIN pg_stat_user_tables s ON s.relid = t.oid
             ORDER BY t.n
            """;

    /**
     * The transactions of this database that are older than $1 milliseconds and keep vacuum from removing dead rows. They are transactions of
     * sessions, as far as this user may see them, and prepared ones.
     */
    static final String OLD_TRANSACTIONS = """
            SELECT 'session ' || a.pid, coalesce(nullif(a.application_name, ''), 'unnamed'), coalesce(a.state, 'unknown'),
                   (extract(epoch FROM clock_timestamp() - a.xact_start) * 1000)::bigint AS age
              FROM pg_stat_activity a
             WHERE a.datname = current_database() AND a.pid <> pg_backend_pid()
               AND a.backend_type <> 'autovacuum worker' AND a.leader_pid IS NULL
               AND (a.backend_xid IS NOT NULL OR a.backend_xmin IS NOT NULL)
               AND a.xact_start < clock_timestamp() - $1 * interval '1 millisecond'
             UNION ALL
            SELECT 'prepared transaction ' || quote_literal(p.gid), p.owner::text, 'prepared',
                   (extract(epoch FROM clock_timestamp() - p.prepared) * 1000)::bigint
              FROM pg_prepared_xacts p
             WHERE p.database = current_database() AND p.prepared < clock_timestamp() - $1 * interval '1 millisecond'
             ORDER BY age DESC
            """;

    /** The sessions that use this store's tables and have waited for a lock for more than $1 milliseconds, and the sessions that block them. */
    static final String WAITING_LOCKS = """
            SELECT w.pid, coalesce(nullif(a.application_name, ''), 'unnamed'),
                   (extract(epoch FROM clock_timestamp() - w.waitstart) * 1000)::bigint AS waited,
                   array_to_string(pg_blocking_pids(w.pid), ', ')
              FROM pg_locks w
              JOIN pg_stat_activity a ON a.pid = w.pid
             WHERE NOT w.granted AND w.waitstart < clock_timestamp() - $1 * interval '1 millisecond'
               AND a.datname = current_database()
               AND EXISTS (SELECT 1 FROM pg_locks h
                            WHERE h.pid = w.pid AND h.database = a.datid
                              AND h.relation = ANY (ARRAY[to_regclass('windrow_jobs'), to_regclass('windrow_inputs'),
                                                          to_regclass('windrow_edges'), to_regclass('windrow_lanes'),
                                                          to_regclass('windrow_counters'), to_regclass('windrow_throughput'),
                                                          to_regclass('windrow_workers')]::oid[]))
             ORDER BY waited DESC
            """;

    /** One tag of job $1, as a sample for a search. By primary key. */
    public static final String SAMPLE_TAG = """
            SELECT tag FROM windrow_tags WHERE job_id = $1 ORDER BY tag LIMIT 1
            """;

    /**
     * The largest numbers in use, and the last numbers of the sequences: for jobs in blocks of 100. Needs only USAGE of the sequences. By primary
     * keys.
     */
    static final String NUMBERS = """
            SELECT 'job', coalesce((SELECT max(job_id) FROM windrow_inputs), 0),
                   coalesce(pg_sequence_last_value(to_regclass('windrow_ids')) + 99, 0)
             UNION ALL
            SELECT 'lane', coalesce((SELECT max(id) FROM windrow_lanes), 0),
                   coalesce(pg_sequence_last_value(pg_get_serial_sequence('windrow_lanes', 'id')::regclass), 0)
             UNION ALL
            SELECT 'actor', coalesce((SELECT max(id) FROM windrow_actors), 0),
                   coalesce(pg_sequence_last_value(pg_get_serial_sequence('windrow_actors', 'id')::regclass), 0)
            """;

    // ---- broken references -------------------------------------------------------------------------------------

    /**
     * The rows of jobs that do not exist, and dedupe keys that will never be given up. Such a key is held until the start or the end of a job that
     * has started, has ended or was deleted.
     */
    public static final String ORPHANS = """
            SELECT 'input' AS kind, i.job_id, NULL::text AS state FROM windrow_inputs i
             WHERE NOT EXISTS (SELECT 1 FROM windrow_jobs j WHERE j.id = i.job_id)
            UNION ALL
            SELECT 'permit', u.job_id, NULL FROM windrow_permits u
             WHERE NOT EXISTS (SELECT 1 FROM windrow_jobs j WHERE j.id = u.job_id)
            UNION ALL
            SELECT 'result', r.job_id, NULL FROM windrow_results r
             WHERE NOT EXISTS (SELECT 1 FROM windrow_jobs j WHERE j.id = r.job_id)
            UNION ALL
            SELECT 'tag', t.job_id, NULL FROM windrow_tags t
             WHERE NOT EXISTS (SELECT 1 FROM windrow_jobs j WHERE j.id = t.job_id)
            UNION ALL
            SELECT 'metadata', m.job_id, NULL FROM windrow_metadata m
             WHERE NOT EXISTS (SELECT 1 FROM windrow_jobs j WHERE j.id = m.job_id)
            UNION ALL
            SELECT 'attempt', a.job_id, NULL FROM windrow_attempts a
             WHERE NOT EXISTS (SELECT 1 FROM windrow_jobs j WHERE j.id = a.job_id)
            UNION ALL
            SELECT 'text of an attempt', x.job_id, NULL FROM windrow_attempt_texts x
             WHERE NOT EXISTS (SELECT 1 FROM windrow_attempts a WHERE a.job_id = x.job_id AND a.token = x.token)
            UNION ALL
            SELECT 'event', e.job_id, NULL FROM windrow_events e
             WHERE NOT EXISTS (SELECT 1 FROM windrow_jobs j WHERE j.id = e.job_id)
            UNION ALL
            SELECT 'edge', d.child, NULL FROM windrow_edges d
             WHERE NOT EXISTS (SELECT 1 FROM windrow_jobs j WHERE j.id = d.child)
            UNION ALL
            SELECT 'edge to a parent', d.parent, NULL FROM windrow_edges d
             WHERE NOT EXISTS (SELECT 1 FROM windrow_jobs j WHERE j.id = d.parent)
            UNION ALL
            SELECT 'progress', g.job_id, NULL FROM windrow_progress g
             WHERE NOT EXISTS (SELECT 1 FROM windrow_jobs j WHERE j.id = g.job_id)
            UNION ALL
            SELECT 'log line', o.job_id, NULL FROM windrow_log_lines o
             WHERE NOT EXISTS (SELECT 1 FROM windrow_jobs j WHERE j.id = o.job_id)
            UNION ALL
            SELECT 'step', s.job_id, NULL FROM windrow_steps s
             WHERE NOT EXISTS (SELECT 1 FROM windrow_jobs j WHERE j.id = s.job_id)
            UNION ALL
            SELECT 'audit row', q.job_id, 'without its entry' FROM windrow_audit_jobs q
             WHERE NOT EXISTS (SELECT 1 FROM windrow_audit u WHERE u.id = q.audit_id)
            UNION ALL
            SELECT 'dedupe key', k.job_id, j.state FROM windrow_dedupe k LEFT JOIN windrow_jobs j ON j.id = k.job_id
             WHERE k.scope IN ('UNTIL_STARTED', 'UNFINISHED')
               AND (coalesce(j.state, 'COMPLETED') IN ('COMPLETED', 'FAILED', 'CANCELLED')
                    OR (k.scope = 'UNTIL_STARTED' AND j.state = 'RUNNING'))
            """;

    /**
     * The blobs of jobs that do not exist, that no payload and no result names, or whose length or parts are wrong. Also chunks without a blob, and
     * payloads and results that name a blob that does not exist. Staged blobs have no owner yet, and are not errors.
     */
    public static final String WRONG_BLOBS = """
            SELECT 'blob ' || b.id || ' is the ' || lower(b.kind) || ' of job ' || b.job_id || ', which does not name it'
              FROM windrow_blobs b
             WHERE b.job_id IS NOT NULL
               AND NOT EXISTS (SELECT 1 FROM windrow_inputs i
                                WHERE i.job_id = b.job_id AND b.kind = 'PAYLOAD'
                                  AND starts_with(i.payload, '{"windrow:blob":' || b.id || ','))
               AND NOT EXISTS (SELECT 1 FROM windrow_results r
                                WHERE r.job_id = b.job_id AND b.kind = 'RESULT'
                                  AND starts_with(r.result, '{"windrow:blob":' || b.id || ','))
            UNION ALL
            SELECT 'blob ' || b.id || ' of job ' || b.job_id || ' has ' || c.held || ' bytes and should have ' || b.bytes
              FROM windrow_blobs b
             CROSS JOIN LATERAL (SELECT coalesce(sum(length(content)), 0) AS held
                                   FROM windrow_blob_chunks WHERE blob_id = b.id) c
             WHERE b.job_id IS NOT NULL AND b.file IS NULL AND c.held <> b.bytes
            UNION ALL
            SELECT 'chunk ' || c.position || ' belongs to blob ' || c.blob_id || ', which does not exist' FROM windrow_blob_chunks c
             WHERE NOT EXISTS (SELECT 1 FROM windrow_blobs b WHERE b.id = c.blob_id)
            UNION ALL
            SELECT 'the payload of job ' || i.job_id || ' is in a blob, which does not exist' FROM windrow_inputs i
             WHERE starts_with(i.payload, '{"windrow:blob":')
               AND NOT EXISTS (SELECT 1 FROM windrow_blobs b WHERE b.job_id = i.job_id AND b.kind = 'PAYLOAD')
            UNION ALL
            SELECT 'the result of job ' || r.job_id || ' is in a blob, which does not exist' FROM windrow_results r
             WHERE starts_with(r.result, '{"windrow:blob":')
               AND NOT EXISTS (SELECT 1 FROM windrow_blobs b WHERE b.job_id = r.job_id AND b.kind = 'RESULT')
            """;

    /** The jobs that no worker can run, because their input does not exist. */
    static final String WITHOUT_INPUT = """
            SELECT j.id FROM windrow_jobs j WHERE NOT EXISTS (SELECT 1 FROM windrow_inputs i WHERE i.job_id = j.id)
            """;

    /** The schedules that do not exist but have runs, and the number of these runs. */
    static final String ORPHANED_RUNS = """
            SELECT r.schedule_id, count(*) FROM windrow_schedule_runs r
             WHERE NOT EXISTS (SELECT 1 FROM windrow_schedules s WHERE s.id = r.schedule_id)
             GROUP BY r.schedule_id ORDER BY r.schedule_id
            """;

    /** The rows that name a lane or an actor by a number that does not exist. */
    static final String UNKNOWN_NUMBERS = """
            SELECT 'job ' || j.id, 'lane ' || j.lane FROM windrow_jobs j
             WHERE NOT EXISTS (SELECT 1 FROM windrow_lanes l WHERE l.id = j.lane)
            UNION ALL
            SELECT 'the input of job ' || i.job_id, 'lane ' || i.lane FROM windrow_inputs i
             WHERE NOT EXISTS (SELECT 1 FROM windrow_lanes l WHERE l.id = i.lane)
            UNION ALL
            SELECT 'the input of job ' || i.job_id, 'actor ' || i.created_by FROM windrow_inputs i
             WHERE NOT EXISTS (SELECT 1 FROM windrow_actors a WHERE a.id = i.created_by)
            UNION ALL
            SELECT 'job ' || j.id, 'worker ' || j.worker FROM windrow_jobs j
             WHERE j.worker IS NOT NULL AND NOT EXISTS (SELECT 1 FROM windrow_actors a WHERE a.id = j.worker)
            UNION ALL
            SELECT 'job ' || j.id, 'actor ' || j.cancel_requested FROM windrow_jobs j
             WHERE j.cancel_requested <> 0 AND NOT EXISTS (SELECT 1 FROM windrow_actors a WHERE a.id = j.cancel_requested)
            UNION ALL
            SELECT 'an attempt of job ' || t.job_id, 'worker ' || t.worker FROM windrow_attempts t
             WHERE NOT EXISTS (SELECT 1 FROM windrow_actors a WHERE a.id = t.worker)
            UNION ALL
            SELECT 'an event of job ' || e.job_id, 'actor ' || e.actor FROM windrow_events e
             WHERE NOT EXISTS (SELECT 1 FROM windrow_actors a WHERE a.id = e.actor)
            UNION ALL
            SELECT 'a step of job ' || s.job_id, 'actor ' || s.actor FROM windrow_steps s
             WHERE s.actor IS NOT NULL AND NOT EXISTS (SELECT 1 FROM windrow_actors a WHERE a.id = s.actor)
            UNION ALL
            SELECT 'lane ' || l.id, 'actor ' || l.paused_by FROM windrow_lanes l
             WHERE l.paused_by IS NOT NULL AND NOT EXISTS (SELECT 1 FROM windrow_actors a WHERE a.id = l.paused_by)
            UNION ALL
            SELECT 'schedule ' || s.name, 'actor ' || n.id
              FROM windrow_schedules s CROSS JOIN LATERAL (VALUES (s.created_by), (s.paused_by)) AS n (id)
             WHERE n.id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM windrow_actors a WHERE a.id = n.id)
            UNION ALL
            SELECT 'a counter', 'lane ' || c.lane
              FROM (SELECT lane FROM windrow_counters
                     UNION
                    SELECT lane FROM windrow_counter_deltas
                     UNION
                    SELECT lane FROM windrow_retry_counters
                     UNION
                    SELECT lane FROM windrow_throughput) c
             WHERE NOT EXISTS (SELECT 1 FROM windrow_lanes l WHERE l.id = c.lane)
            """;

    // ---- consistency of rows -----------------------------------------------------------------------------------

    /**
     * The running jobs whose lease is past at $1 or ends after $2, or whose worker has no entry that counts as alive at $1. Reads as many entries of
     * windrow_jobs_running as jobs are running.
     */
    public static final String DOUBTFUL_LEASES = """
            SELECT j.id, a.name, j.lease_until, w.expires_at
              FROM windrow_jobs j
              LEFT JOIN windrow_actors a ON a.id = j.worker
              LEFT JOIN windrow_workers w ON w.actor = j.worker
             WHERE j.state = 'RUNNING'
               AND (j.lease_until < $1 OR j.lease_until > $2 OR coalesce(w.expires_at, 0) <= $1)
             ORDER BY j.lease_until
            """;

    /**
     * The number of workers that are alive at $1, and the longest lease of all entries, including expired ones. Also the earliest start of a live
     * worker.
     */
    public static final String LIVING = """
            SELECT count(*) FILTER (WHERE expires_at > $1), max(expires_at - heartbeat_at),
                   min(started_at) FILTER (WHERE expires_at > $1)
              FROM windrow_workers
            """;

    /**
     * The number of jobs of each lane in each state: the lane, and a column for each state. Counts by both, with one scan of all jobs, and then turns
     * the few result rows into columns. Seven counts of each job would take a third longer.
     */
    public static final String COUNT_JOBS = """
            SELECT lane, coalesce(max(n) FILTER (WHERE state = 'BLOCKED'), 0), coalesce(max(n) FILTER (WHERE state = 'SCHEDULED'), 0),
                   coalesce(max(n) FILTER (WHERE state = 'PENDING'), 0), coalesce(max(n) FILTER (WHERE state = 'RUNNING'), 0),
                   coalesce(max(n) FILTER (WHERE state = 'COMPLETED'), 0), coalesce(max(n) FILTER (WHERE state = 'FAILED'), 0),
                   coalesce(max(n) FILTER (WHERE state = 'CANCELLED'), 0)
              FROM (SELECT lane, state, count(*) AS n FROM windrow_jobs GROUP BY lane, state) c
             GROUP BY lane
            """;

    /**
     * The jobs whose number of open parents differs from their open edges, or does not fit their state. An ended job keeps its number, so that a
     * retry knows which parents are open.
     */
    public static final String WRONG_OPEN_PARENTS = """
            SELECT j.id, j.state, j.open_parents, coalesce(e.n, 0)
              FROM windrow_jobs j
              LEFT JOIN (SELECT child, count(*) AS n FROM windrow_edges WHERE NOT satisfied GROUP BY child) e
                     ON e.child = j.id
             WHERE j.open_parents <> coalesce(e.n, 0)
                OR (j.state = 'BLOCKED' AND j.waiting_for = 'PARENTS' AND j.open_parents = 0)
                OR (j.state IN ('SCHEDULED', 'PENDING', 'RUNNING') AND j.open_parents <> 0)
            """;

    /**
     * The edges that the end of their parent should have satisfied, and edges that wait for a success and were satisfied without one. Also the edges
     * over which that end should have cancelled a waiting job. (An edge that runs the child anyway stays satisfied when its parent is retried.)
     * Leaves out parents whose children are still being released.
     */
    public static final String WRONG_EDGES = """
            SELECT e.child, e.parent, p.state, e.policy, e.satisfied
              FROM windrow_edges e
              JOIN windrow_jobs p ON p.id = e.parent
              LEFT JOIN windrow_jobs c ON c.id = e.child
              LEFT JOIN (SELECT DISTINCT parent FROM windrow_releases) r ON r.parent = e.parent
             WHERE CASE WHEN e.satisfied THEN e.policy <> 'RUN' AND p.state <> 'COMPLETED'
                        ELSE r.parent IS NULL
                             AND (p.state = 'COMPLETED' OR (e.policy = 'RUN' AND p.state IN ('FAILED', 'CANCELLED'))
                                  OR (e.policy = 'CANCEL' AND p.state IN ('FAILED', 'CANCELLED') AND c.state = 'BLOCKED')) END
            """;

    /**
     * The blocked parents of blocked jobs, for a search of cycles. Begins at each job that waits for a job that is not older, and follows its
     * parents. Each cycle contains such a job, as a job that waits for a chain may be. Few other jobs are of this kind, so that little is read in
     * most stores.
     */
    public static final String WAITS = """
            WITH RECURSIVE up (id) AS (
              SELECT e.child
                FROM windrow_edges e
                JOIN windrow_jobs c ON c.id = e.child AND c.state = 'BLOCKED'
                JOIN windrow_jobs p ON p.id = e.parent AND p.state = 'BLOCKED'
               WHERE NOT e.satisfied AND e.parent >= e.child
               UNION
              SELECT e.parent
                FROM up
                JOIN windrow_edges e ON e.child = up.id
                JOIN windrow_jobs p ON p.id = e.parent AND p.state = 'BLOCKED'
               WHERE NOT e.satisfied)
            SELECT e.child, e.parent
              FROM up
              JOIN windrow_edges e ON e.child = up.id
              JOIN windrow_jobs p ON p.id = e.parent AND p.state = 'BLOCKED'
             WHERE NOT e.satisfied
            """;

    /** The parents with unreleased children whose recorded end differs from their state. A record of a retry has no end to compare. */
    public static final String WRONG_RELEASES = """
            SELECT r.parent, r.state, coalesce(p.state, 'gone')
              FROM windrow_releases r
              LEFT JOIN windrow_jobs p ON p.id = r.parent
             WHERE p.state IS DISTINCT FROM r.state AND (r.state <> 'RETRIED' OR p.id IS NULL)
            """;

    /** The jobs whose columns contradict their state. */
    public static final String CONTRADICTIONS = """
            SELECT * FROM (
                   SELECT id, state,
                          CASE WHEN state = 'RUNNING' AND worker IS NULL THEN 'has no worker'
                               WHEN state = 'RUNNING' AND lease_until IS NULL THEN 'has no lease'
                               WHEN state = 'RUNNING' AND (token = 0 OR claimed_at IS NULL) THEN 'was never claimed'
                               WHEN state NOT IN ('RUNNING', 'COMPLETED') AND worker IS NOT NULL THEN 'has a worker'
                               WHEN worker IS NOT NULL AND claimed_at IS NULL THEN 'has a worker that never claimed it'
                               WHEN state = 'COMPLETED' AND worker IS NOT NULL AND started_at IS NULL
                               THEN 'has a worker that never started it'
                               WHEN state = 'COMPLETED' AND worker IS NULL
                                    AND NOT EXISTS (SELECT 1 FROM windrow_events e
                                                     WHERE e.job_id = o.id AND e.event = 'SUCCEEDED')
                               THEN 'was completed by neither a worker nor another actor'
                               WHEN state <> 'RUNNING' AND lease_until IS NOT NULL THEN 'has a lease'
                               WHEN state IN ('COMPLETED', 'FAILED', 'CANCELLED') AND finished_at IS NULL
                               THEN 'has no time of its end'
                               WHEN state NOT IN ('COMPLETED', 'FAILED', 'CANCELLED') AND finished_at IS NOT NULL
                               THEN 'has a time of its end'
                               WHEN state = 'BLOCKED' AND waiting_for IS NULL THEN 'waits for nothing'
                               WHEN state <> 'BLOCKED' AND waiting_for IS NOT NULL THEN 'waits for ' || waiting_for
                               WHEN wake_at IS NOT NULL AND coalesce(waiting_for, '') <> 'EVENT'
                               THEN 'has a time-out and waits for no event'
                               WHEN state = 'BLOCKED' AND wake_state = 'PENDING'
                                    AND NOT EXISTS (SELECT 1 FROM windrow_steps s
                                                     WHERE s.job_id = o.id AND s.kind = 'EVENT' AND s.state = 'WAITING')
                               THEN 'waits for an event, but has no open event step'
                               WHEN used > max_attempts THEN 'has used more attempts than its maximum'
                               WHEN finished_at IS NULL
                                    AND EXISTS (SELECT 1 FROM windrow_inputs i JOIN windrow_lanes l ON l.id = i.lane
                                                 WHERE i.job_id = o.id AND i.dedupe_scope = 'UNFINISHED'
                                                   AND NOT EXISTS (SELECT 1 FROM windrow_dedupe k
                                                                    WHERE k.type = coalesce(i.dedupe_type, l.type)
                                                                      AND k.key = i.dedupe_key
                                                                      AND k.job_id = o.id))
                               THEN 'does not hold its dedupe key'
                               WHEN waits_for_permit <> EXISTS (SELECT 1 FROM windrow_permits t WHERE t.job_id = o.id AND NOT t.granted)
                               THEN 'has waits_for_permit without a waiting permit, or the reverse'
                               WHEN concurrency_key IS NOT NULL
                                    AND CASE WHEN EXISTS (SELECT 1 FROM windrow_permits t WHERE t.job_id = o.id)
                                             THEN finished_at IS NOT NULL
                                                  OR (state NOT IN ('PENDING', 'RUNNING') AND concurrency_limit IS DISTINCT FROM 0)
                                             ELSE state IN ('PENDING', 'RUNNING') END
                               THEN 'has a permit of its concurrency key that it must not have, or lacks one'
                          END AS finding
                     FROM windrow_jobs o) j
             WHERE finding IS NOT NULL
            """;

    /** The jobs that are in one lane for claims and in another for listings. */
    static final String TWO_LANES = """
            SELECT j.id, j.lane, i.lane
              FROM windrow_jobs j
              JOIN windrow_inputs i ON i.job_id = j.id
             WHERE j.lane <> i.lane
            """;

    /** The lanes that do not repeat the pause and limits of their queues and types. */
    public static final String LANES_TO_LIMIT = """
            SELECT l.queue, l.type FROM windrow_lanes l
             WHERE (l.paused_at IS NOT NULL)
                   <> EXISTS (SELECT 1 FROM windrow_limits c
                               WHERE c.paused_at IS NOT NULL
                                 AND c.name = CASE c.kind WHEN 'QUEUE' THEN l.queue WHEN 'TYPE' THEN l.type END)
                OR l.limited
                   <> EXISTS (SELECT 1 FROM windrow_limits c
                               WHERE (c.max_running IS NOT NULL OR c.rate_count IS NOT NULL)
                                 AND c.name = CASE c.kind WHEN 'QUEUE' THEN l.queue WHEN 'TYPE' THEN l.type END)
             ORDER BY l.queue, l.type
            """;

    /** The stored events that rows tell already, and the ones of a success that did not end their job. Reads all stored events. */
    public static final String WRONG_EVENTS = """
            SELECT e.job_id, j.state, e.event
              FROM windrow_events e
              JOIN windrow_jobs j ON j.id = e.job_id
             WHERE e.event IN ('CLAIMED', 'STARTED')
                OR (e.event = 'ENQUEUED' AND e.detail IS NULL)
                OR (e.event = 'SUCCEEDED' AND (j.state <> 'COMPLETED' OR j.worker IS NOT NULL))
            """;

    /**
     * The attempts that ended under a token or in a run that their job has not reached, or under a token under which it still runs. Also the ones that
     * succeeded without completing their job, or ended in another way under the token that completed it.
     */
    public static final String WRONG_ATTEMPTS = """
            SELECT t.job_id, t.token, j.state, j.token, t.run, j.run, t.outcome
              FROM windrow_attempts t
              JOIN windrow_jobs j ON j.id = t.job_id
             WHERE t.token > j.token OR (t.token = j.token AND j.state = 'RUNNING') OR t.run > j.run
                OR (t.outcome = 'SUCCEEDED') <> (t.token = j.token AND j.state = 'COMPLETED')
            """;

    /** The failed attempts without a stored event of their token. Their end has one, and the truncation of a history deletes both. */
    public static final String UNLOGGED_FAILURES = """
            SELECT t.job_id, t.token, t.outcome
              FROM windrow_attempts t
             WHERE t.outcome IN ('FAILED', 'TIMEOUT')
               AND NOT EXISTS (SELECT 1 FROM windrow_events e WHERE e.job_id = t.job_id AND e.token = t.token)
            """;
}
