package dev.windrow.postgres;

/**
 * The statements by which jobs move, each readable whole and pasteable into {@code psql} (as {@code PREPARE}). Each says what it does, from
 * which state to which, and by which index it finds its rows. Rows come in as arrays, one for each column.
 *
 * <p>Where a row is found by its primary key and its state is only the guard, the guard is written {@code state || '' = 'RUNNING'}: so that
 * the planner cannot take the partial index of that state instead. It thinks that one nearly empty, and while somebody's transaction stays
 * open it is full of dead entries, all of which would be read.
 */
final class Sql {
    private Sql() {}

    // ---- transactions -------------------------------------------------------------------------------------------

    /**
     * First statement on a connection: its isolation, and which history the server's log belongs to, another one after a standby was promoted.
     * The numbers of transactions mean something only within one. Null on a standby, which only reads.
     */
    static final String CONNECTED = """
            SELECT current_setting('transaction_isolation'),
                   CASE WHEN NOT pg_is_in_recovery() THEN substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END
            """;

    /**
     * First statement of a transaction of this store's own: reads the server's clock once for all of it, and bounds its waits
     * ($1 for a lock, $2 for a statement, both as PostgreSQL writes durations). Plans do not depend on statistics, which are always stale where
     * jobs come and go: each statement has an index that it is meant to use. A commit is on the disk when it is
     * acknowledged, whatever the server's default. If the transaction is going to write ($3), answers its number, by which its outcome can
     * be asked for if the answer to the commit is lost. Answers which lanes limits or rates concern: none, as a rule; and whether the queue is the one
     * that was opened, which {@link Standing} judges: from here to the end of the transaction nobody can begin to fill the tables with another one.
     */
    static final String BEGIN_WORK = """
            SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint,
                   set_config('lock_timeout', $1, true), set_config('statement_timeout', $2, true),
                   set_config('idle_in_transaction_session_timeout', $2, true),
                   set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true),
                   set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
                   set_config('jit', 'off', true),
                   CASE WHEN current_setting('synchronous_commit') = 'off'
                        THEN set_config('synchronous_commit', 'on', true) END,
                   CASE WHEN $3::boolean THEN pg_current_xact_id()::text END,
                   ARRAY(SELECT id FROM windrow_lanes WHERE governed),
                   (SELECT store::text FROM windrow_schema WHERE version = 1),
                   (SELECT min_compatible FROM windrow_schema ORDER BY version DESC LIMIT 1)
            """;

    /**
     * First statement of a transaction that a caller is lent: bounds its waits for locks ($1) and nothing else, and as with every other a commit is
     * on the disk when it is acknowledged.
     */
    static final String BEGIN_LENT = """
            SELECT set_config('lock_timeout', $1, true),
                   CASE WHEN current_setting('synchronous_commit') = 'off'
                        THEN set_config('synchronous_commit', 'on', true) END
            """;

    /** Fails in a transaction in which a statement has failed. */
    static final String STILL_GOOD = "SELECT 1";

    static final String COMMIT = "COMMIT";

    /** Plans are made anew from here on: those that were made while the tables were nearly empty do not suit full ones. */
    static final String DISCARD_PLANS = "DISCARD PLANS";

    /** The server's clock. */
    static final String NOW = """
            SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint
            """;

    /**
     * Whether transaction $1 stands: {@code committed}, {@code aborted}, {@code in progress}, or null if it is too old; and whether it has
     * written something about job $2, by the primary keys. A server that crashes may give a number that it has not
     * logged once more: what is committed under it is another transaction then.
     */
    static final String STATUS_OF_TRANSACTION = """
            SELECT pg_xact_status($1::text::xid8),
                   EXISTS (SELECT 1 FROM windrow_events WHERE job_id = $2 AND xmin = $1::text::xid8::xid)
                   OR EXISTS (SELECT 1 FROM windrow_log_lines WHERE job_id = $2 AND xmin = $1::text::xid8::xid)
                   OR EXISTS (SELECT 1 FROM windrow_progress WHERE job_id = $2 AND xmin = $1::text::xid8::xid)
                   OR EXISTS (SELECT 1 FROM windrow_steps WHERE job_id = $2 AND xmin = $1::text::xid8::xid)
            """;

    /** Takes $1 blocks of ids; answers the first id of each. Not undone by a rollback. */
    static final String TAKE_IDS = """
            SELECT nextval('windrow_ids') FROM generate_series(1, $1::integer)
            """;

    // ---- names: each in a transaction of its own, so that nobody waits for another's new name ----------------------

    /** First statement of a transaction that gives numbers to names: bounds its waits ($1 for a statement). */
    static final String BOUND_WAITS = """
            SELECT set_config('lock_timeout', '50ms', true), set_config('statement_timeout', $1, true),
                   set_config('idle_in_transaction_session_timeout', $1, true)
            """;

    static final String ADD_ACTORS = """
            INSERT INTO windrow_actors (name) SELECT unnest($1::text[]) ON CONFLICT (name) DO NOTHING
            """;

    /** By the unique name. */
    static final String FIND_ACTORS = """
            SELECT id, name FROM windrow_actors WHERE name = ANY ($1::text[])
            """;

    static final String ADD_LANES = """
            INSERT INTO windrow_lanes (queue, type) SELECT * FROM unnest($1::text[], $2::text[])
            ON CONFLICT (queue, type) DO NOTHING
            """;

    /** All lanes: a table as small as there are queues and types. */
    static final String READ_LANES = """
            SELECT id, queue, type FROM windrow_lanes
            """;

    // ---- enqueue ------------------------------------------------------------------------------------------------

    /**
     * The parents $1, locked until the end of the transaction before their states are believed: else a parent could end between this
     * look and the insert, and its child would wait for ever. In order of their ids, so that two enqueues cannot
     * deadlock; shared, so that they need not wait for each other. By primary key.
     */
    static final String PARENT_STATES = """
            SELECT id, state FROM windrow_jobs WHERE id = ANY ($1::bigint[]) ORDER BY id FOR SHARE
            """;

    /** New jobs -> SCHEDULED | PENDING that have nothing that most jobs have not: each column costs each row. */
    static final String INSERT_PLAIN_JOBS = """
            WITH given AS (
              SELECT * FROM unnest($1::bigint[], $2::integer[], $3::text[], $4::integer[], $5::bigint[], $6::integer[],
                                   $7::bigint[], $8::text[])
                     AS g (id, lane, state, priority, scheduled_at, max_attempts, timeout_ms, payload)),
            input AS (
              INSERT INTO windrow_inputs (job_id, created_at, timeout_ms, lane, payload)
              SELECT id, $9, timeout_ms, lane, payload FROM given)
            INSERT INTO windrow_jobs (id, scheduled_at, lane, priority, max_attempts, state)
            SELECT id, scheduled_at, lane, priority, max_attempts, state FROM given
            """;

    /**
     * Any new jobs -> BLOCKED | SCHEDULED | PENDING, or, with a worker and its lease, RUNNING: enqueue and claim in one. A job may be
     * behind a previous one in its chain, which is found by primary key, and has the key that the whole chain holds.
     */
    static final String INSERT_JOBS = """
            WITH given AS (
              SELECT * FROM unnest($1::bigint[], $2::integer[], $3::text[], $4::integer[], $5::bigint[], $6::integer[],
                                   $7::bigint[], $8::integer[], $9::text[], $10::text[], $11::text[], $12::text[],
                                   $13::integer[], $14::bigint[], $15::text[], $16::text[], $17::text[], $18::integer[],
                                   $19::bigint[], $20::bigint[])
                     AS g (id, lane, state, priority, scheduled_at, max_attempts, timeout_ms, open_parents, name,
                           retry_policy, traceparent, payload, worker, lease_until, dedupe_key, dedupe_scope,
                           concurrency_key, concurrency_most, previous, workflow_id)),
            input AS (
              INSERT INTO windrow_inputs (job_id, created_at, timeout_ms, lane, name, retry_policy, traceparent, payload,
                                          dedupe_key, dedupe_scope, dedupe_type, chain_id, chain_index, workflow_id)
              SELECT g.id, $21, g.timeout_ms, g.lane, g.name, g.retry_policy, coalesce(g.traceparent, p.traceparent),
                     g.payload, coalesce(g.dedupe_key, k.dedupe_key), coalesce(g.dedupe_scope, k.dedupe_scope),
                     k.dedupe_type, coalesce(p.chain_id, p.job_id), coalesce(p.chain_index + 1, 0),
                     coalesce(g.workflow_id, p.workflow_id)
                FROM given g
                LEFT JOIN LATERAL (SELECT * FROM windrow_inputs p WHERE p.job_id = g.previous OFFSET 0) p ON true
                LEFT JOIN LATERAL (
                     SELECT p.dedupe_key, p.dedupe_scope, coalesce(p.dedupe_type, l.type) AS dedupe_type
                       FROM windrow_lanes l WHERE l.id = p.lane AND p.dedupe_scope = 'UNFINISHED' OFFSET 0) k ON true)
            INSERT INTO windrow_jobs (id, scheduled_at, token, lease_until, claimed_at, lane, priority, max_attempts, worker,
                                      open_parents, state, waiting_for, held, concurrency_key, concurrency_most)
            SELECT id, scheduled_at, CASE WHEN worker IS NULL THEN 0 ELSE 1 END, lease_until,
                   CASE WHEN worker IS NULL THEN NULL ELSE $21 END, lane, priority, max_attempts, worker, open_parents, state,
                   CASE WHEN open_parents > 0 THEN 'PARENTS' END, state = 'PENDING' AND concurrency_key IS NOT NULL,
                   concurrency_key, concurrency_most
              FROM given
            """;

    static final String INSERT_TAGS = """
            INSERT INTO windrow_tags (job_id, tag) SELECT * FROM unnest($1::bigint[], $2::text[])
            """;

    static final String INSERT_EDGES = """
            INSERT INTO windrow_edges (child, parent, position, policy, satisfied, chain)
            SELECT child, parent, position, policy, satisfied = 1, chain = 1
              FROM unnest($1::bigint[], $2::bigint[], $3::integer[], $4::text[], $5::integer[], $6::integer[])
                   AS g (child, parent, position, policy, satisfied, chain)
            """;

    /**
     * Last statement of a transaction that wrote: the attempts that ended ($1 to $9), the events ($10 to $15, in order) and what changed in the
     * counters ($16 to $19). Answers the transaction's number.
     */
    static final String RECORD = """
            WITH attempts AS (
              INSERT INTO windrow_attempts (job_id, token, started_at, finished_at, attempt, worker, outcome, error_code,
                                            error_detail)
              SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::integer[], $6::integer[],
                                   $7::text[], $8::text[], $9::text[])),
            events AS (
              INSERT INTO windrow_events (job_id, at, token, actor, event, detail)
              SELECT job_id, at, token, actor, event, detail
                FROM unnest($10::bigint[], $11::bigint[], $12::bigint[], $13::integer[], $14::text[], $15::text[])
                     WITH ORDINALITY AS g (job_id, at, token, actor, event, detail, n)
               ORDER BY n),
            counters AS (
              INSERT INTO windrow_counter_deltas (lane, attempt, n, state)
              SELECT * FROM unnest($16::integer[], $17::integer[], $18::bigint[], $19::text[]))
            SELECT pg_current_xact_id()::text
            """;

    // ---- dedupe keys: all by the primary key (type, key) ------------------------------------------------------------

    /** Who holds the keys $2 of the types $1, and how these jobs stand. Locks nothing. By the primary keys. */
    static final String KEY_HOLDERS = """
            SELECT d.type, d.key, d.job_id, d.scope, d.expires_at, j.state, j.waiting_for, j.scheduled_at, j.claimed_at,
                   coalesce(i.chain_index, 0)
              FROM unnest($1::text[], $2::text[]) AS g (type, key)
             CROSS JOIN LATERAL (
                   SELECT * FROM windrow_dedupe d WHERE d.type = g.type AND d.key = g.key OFFSET 0) d
              LEFT JOIN LATERAL (SELECT * FROM windrow_jobs j WHERE j.id = d.job_id OFFSET 0) j ON true
              LEFT JOIN LATERAL (SELECT i.chain_index FROM windrow_inputs i WHERE i.job_id = d.job_id OFFSET 0) i ON true
            """;

    /**
     * The jobs $3 take keys that were seen to be free; answers which. One that another transaction has taken and not committed is waited
     * for; one that is held is not touched, and not locked.
     */
    static final String TAKE_KEYS = """
            INSERT INTO windrow_dedupe (type, key, job_id, scope, expires_at)
            SELECT type, key, job_id, scope, expires_at
              FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::bigint[])
                   AS g (type, key, job_id, scope, expires_at)
            ON CONFLICT (type, key) DO NOTHING
            RETURNING type, key
            """;

    /** The jobs $3 take keys from the jobs $6, which were seen to hold them no longer. By primary key. */
    static final String TAKE_OVER_KEYS = """
            UPDATE windrow_dedupe d SET job_id = g.job_id, scope = g.scope, expires_at = g.expires_at
              FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[])
                   AS g (type, key, job_id, scope, expires_at, holder)
             WHERE d.type = g.type AND d.key = g.key AND d.job_id = g.holder
            RETURNING d.type, d.key
            """;

    /** Claims: what is held until the start is given up. By primary key. */
    static final String KEYS_STARTED = """
            DELETE FROM windrow_dedupe d USING unnest($1::text[], $2::text[], $3::bigint[]) AS g (type, key, job_id)
             WHERE d.type = g.type AND d.key = g.key AND d.job_id = g.job_id AND d.scope = 'UNTIL_STARTED'
            """;

    /** The ends of jobs: what is held until then is given up. By primary key. */
    static final String KEYS_ENDED = """
            DELETE FROM windrow_dedupe d USING unnest($1::text[], $2::text[], $3::bigint[]) AS g (type, key, job_id)
             WHERE d.type = g.type AND d.key = g.key AND d.job_id = g.job_id
               AND d.scope IN ('UNTIL_STARTED', 'UNFINISHED')
            """;

    /** The jobs $3 go on with the jobs $4: what is held while a chain is unfinished moves along. By primary key. */
    static final String MOVE_KEYS = """
            UPDATE windrow_dedupe d SET job_id = g.next
              FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) AS g (type, key, job_id, next)
             WHERE d.type = g.type AND d.key = g.key AND d.job_id = g.job_id AND d.scope = 'UNFINISHED'
            """;

    /** Keys are given up whatever the scope. By primary key. */
    static final String KEYS_GONE = """
            DELETE FROM windrow_dedupe d USING unnest($1::text[], $2::text[], $3::bigint[]) AS g (type, key, job_id)
             WHERE d.type = g.type AND d.key = g.key AND d.job_id = g.job_id
            """;

    /**
     * The holder of a key that is about to be changed, or from which a throttled key is taken: locked before it is believed that it waits, or that it
     * has ended. By primary key.
     */
    static final String LOCK_HOLDER = """
            SELECT state, waiting_for, lane, token, scheduled_at, concurrency_key
              FROM windrow_jobs WHERE id = $1 FOR NO KEY UPDATE
            """;

    /**
     * BLOCKED stays, SCHEDULED | PENDING -> SCHEDULED | PENDING ($3): a later enqueue with its key says anew what is to be done. By
     * primary key, guarded by the state as read.
     */
    static final String REPLACE = """
            UPDATE windrow_jobs SET state = $3, priority = $4, scheduled_at = $5, max_attempts = $6, used = 0
             WHERE id = $1 AND state = $2
            """;

    /** What goes with it, and the blob that its payload was in. By primary keys and windrow_blobs_job. */
    static final String REPLACE_INPUT = """
            WITH old AS (DELETE FROM windrow_blobs WHERE job_id = $1 AND kind = 'PAYLOAD' RETURNING id),
            chunks AS (DELETE FROM windrow_blob_chunks WHERE blob_id IN (SELECT id FROM old))
            UPDATE windrow_inputs SET payload = $2, timeout_ms = $3, name = $4, retry_policy = $5, traceparent = $6
             WHERE job_id = $1
            """;

    /** By primary key. */
    static final String DELETE_TAGS = """
            DELETE FROM windrow_tags WHERE job_id = $1
            """;

    // ---- claim --------------------------------------------------------------------------------------------------

    /** When the next scheduled job is due, or the next one that the rate of its key keeps back. By windrow_jobs_due, windrow_controls_wake. */
    static final String NEXT_DUE = """
            SELECT least((SELECT min(scheduled_at) FROM windrow_jobs WHERE state = 'SCHEDULED'),
                         (SELECT min(wakes_at) FROM windrow_controls WHERE wakes_at IS NOT NULL))
            """;

    /**
     * SCHEDULED -> PENDING: what is due at $1, at most $2. Leaves out what somebody else is changing. One with a key is not to be claimed
     * yet; but one of a sequence may have kept its place. By windrow_jobs_due.
     */
    static final String PROMOTE = """
            UPDATE windrow_jobs
               SET state = 'PENDING', held = concurrency_key IS NOT NULL AND concurrency_most IS DISTINCT FROM 0
             WHERE id IN (SELECT id FROM windrow_jobs
                           WHERE state = 'SCHEDULED' AND scheduled_at <= $1
                           ORDER BY scheduled_at LIMIT $2::integer
                             FOR NO KEY UPDATE SKIP LOCKED)
               AND state || '' = 'SCHEDULED'
            RETURNING id, lane, priority, scheduled_at, concurrency_key
            """;

    /**
     * The lanes of queues $1 and types $2 that are neither paused nor governed by limits, and whether jobs wait there behind the marks $3 to $6,
     * locked or not. By windrow_jobs_claim, one step a lane.
     */
    static final String OPEN_LANES = """
            SELECT l.id,
                   EXISTS (SELECT 1 FROM windrow_jobs h
                            WHERE h.lane = l.id AND h.state = 'PENDING' AND NOT h.held
                              AND (-h.priority, h.scheduled_at, h.id)
                                  > (coalesce(m.rank, -2147483648), coalesce(m.at, -1), coalesce(m.id, -1)))
              FROM windrow_lanes l
              LEFT JOIN unnest($3::integer[], $4::integer[], $5::bigint[], $6::bigint[]) AS m (lane, rank, at, id)
                     ON m.lane = l.id
             WHERE l.queue = ANY ($1::text[]) AND l.type = ANY ($2::text[]) AND l.paused_at IS NULL AND NOT l.governed
            """;

    /**
     * PENDING -> RUNNING: the best $8 jobs of the lanes of queues $1 and types $2 that are neither paused nor governed by limits, at $3, for worker $9
     * until $10. Reads and locks at most $8 entries at the head of each lane by windrow_jobs_claim, behind that lane's mark ($4
     * to $7), and leaves out what somebody else has locked; what is locked and not taken is let go at the commit. The array and the
     * OFFSET keep the plan from being a join over a whole index when it is made while the tables are nearly empty.
     *
     * <p>A job is locked as it is by then, and its input is read as it was when the statement began. Only a job with a dedupe key can have
     * got another input in between: {@link #CLAIMED_INPUTS} reads those.
     */
    static final String CLAIM = """
            WITH head AS (
              SELECT j.id
                FROM windrow_lanes l
                LEFT JOIN unnest($4::integer[], $5::integer[], $6::bigint[], $7::bigint[]) AS m (lane, rank, at, id)
                       ON m.lane = l.id
               CROSS JOIN LATERAL (
                     SELECT h.id, h.priority, h.scheduled_at
                       FROM windrow_jobs h
                      WHERE h.lane = l.id AND h.state = 'PENDING' AND NOT h.held
                        AND (-h.priority, h.scheduled_at, h.id)
                            > (coalesce(m.rank, -2147483648), coalesce(m.at, -1), coalesce(m.id, -1))
                      ORDER BY -h.priority, h.scheduled_at, h.id LIMIT $8::integer
                        FOR NO KEY UPDATE SKIP LOCKED) j
               WHERE l.queue = ANY ($1::text[]) AND l.type = ANY ($2::text[]) AND l.paused_at IS NULL AND NOT l.governed
               ORDER BY -j.priority, j.scheduled_at, j.id LIMIT $8::integer),
            claimed AS (
              UPDATE windrow_jobs j
                 SET state = 'RUNNING', token = j.token + 1, worker = $9, lease_until = $10, claimed_at = $3,
                     started_at = NULL
               WHERE j.id = ANY (ARRAY(SELECT id FROM head)) AND j.state = 'PENDING'
              RETURNING j.id, j.token, j.lane, j.priority, j.scheduled_at, j.used, j.max_attempts, j.concurrency_key)
            SELECT c.id, c.token, c.lane, c.priority, c.scheduled_at, c.used, c.max_attempts, i.timeout_ms, i.name,
                   i.retry_policy, i.traceparent, CASE WHEN i.dedupe_key IS NULL THEN i.payload END, i.dedupe_key,
                   c.concurrency_key, i.dedupe_type
              FROM claimed c
             CROSS JOIN LATERAL (SELECT * FROM windrow_inputs i WHERE i.job_id = c.id OFFSET 0) i
             ORDER BY -c.priority, c.scheduled_at, c.id
            """;

    /** What the jobs $1, just claimed, are to do: nothing changes it any more. By primary key. */
    static final String CLAIMED_INPUTS = """
            SELECT job_id, name, payload, timeout_ms, retry_policy, traceparent
              FROM windrow_inputs WHERE job_id = ANY ($1::bigint[])
            """;

    // ---- claims where limits and rates concern them ----------------------------------------------------------------

    /** The lanes that limits or rates concern: none, as a rule. */
    static final String GOVERNED_LANES = """
            SELECT id FROM windrow_lanes WHERE governed
            """;

    /** The lanes of queues $1 and types $2 that are not paused. A table as small as there are of these. */
    static final String LANES_NOT_PAUSED = """
            SELECT id, queue, type FROM windrow_lanes
             WHERE queue = ANY ($1::text[]) AND type = ANY ($2::text[]) AND paused_at IS NULL
            """;

    /** The names of the limits and rates of queues $1 and types $2. A table as small as there are queues and types of which something is said. */
    static final String FIND_LIMITS = """
            SELECT kind, name FROM windrow_controls
             WHERE (max_running IS NOT NULL OR rate_count IS NOT NULL)
               AND name = ANY (CASE kind WHEN 'QUEUE' THEN $1::text[] WHEN 'TYPE' THEN $2::text[] END)
            """;

    /**
     * The same, each locked until the end of the transaction, so that nobody else counts what it leaves. Leaves out what somebody else has
     * locked.
     */
    static final String LOCK_LIMITS = """
            SELECT kind, name, max_running, rate_count, rate_millis, rate_burst, next_start
              FROM windrow_controls
             WHERE (max_running IS NOT NULL OR rate_count IS NOT NULL)
               AND name = ANY (CASE kind WHEN 'QUEUE' THEN $1::text[] WHEN 'TYPE' THEN $2::text[] END)
             ORDER BY kind, name
               FOR NO KEY UPDATE SKIP LOCKED
            """;

    /** How many jobs of a queue or a type ($1, $2) run. Reads as many entries of windrow_jobs_running as are running. */
    static final String COUNT_RUNNING = """
            SELECT count(*)
              FROM windrow_jobs j
             CROSS JOIN LATERAL (SELECT l.queue, l.type FROM windrow_lanes l WHERE l.id = j.lane OFFSET 0) l
             WHERE j.state = 'RUNNING' AND CASE $1::text WHEN 'QUEUE' THEN l.queue ELSE l.type END = $2::text
            """;

    /**
     * The best ready jobs of the lanes $1, of each at most as many as $2 says, behind the marks $3 to $6, in claim order; they are locked, and
     * what somebody else has locked is left out. By windrow_jobs_claim.
     */
    static final String CANDIDATES = """
            SELECT j.id, w.lane
              FROM unnest($1::integer[], $2::integer[]) AS w (lane, most)
              LEFT JOIN unnest($3::integer[], $4::integer[], $5::bigint[], $6::bigint[]) AS m (lane, rank, at, id)
                     ON m.lane = w.lane
             CROSS JOIN LATERAL (
                   SELECT h.id, h.priority, h.scheduled_at
                     FROM windrow_jobs h
                    WHERE h.lane = w.lane AND h.state = 'PENDING' AND NOT h.held
                      AND (-h.priority, h.scheduled_at, h.id)
                          > (coalesce(m.rank, -2147483648), coalesce(m.at, -1), coalesce(m.id, -1))
                    ORDER BY -h.priority, h.scheduled_at, h.id LIMIT w.most
                      FOR NO KEY UPDATE SKIP LOCKED) j
             ORDER BY -j.priority, j.scheduled_at, j.id
            """;

    /** PENDING -> RUNNING: the jobs $1, at $2, for worker $3 until $4. By primary key. */
    static final String CLAIM_THESE = """
            WITH claimed AS (
              UPDATE windrow_jobs j
                 SET state = 'RUNNING', token = j.token + 1, worker = $3, lease_until = $4, claimed_at = $2,
                     started_at = NULL
               WHERE j.id = ANY ($1::bigint[]) AND j.state || '' = 'PENDING'
              RETURNING j.id, j.token, j.lane, j.priority, j.scheduled_at, j.used, j.max_attempts, j.concurrency_key)
            SELECT c.id, c.token, c.lane, c.priority, c.scheduled_at, c.used, c.max_attempts, i.timeout_ms, i.name,
                   i.retry_policy, i.traceparent, i.payload, i.dedupe_key, c.concurrency_key,
                   i.dedupe_type
              FROM claimed c
             CROSS JOIN LATERAL (SELECT * FROM windrow_inputs i WHERE i.job_id = c.id OFFSET 0) i
             ORDER BY -c.priority, c.scheduled_at, c.id
            """;

    /** When the next start is due by a rate. */
    static final String SET_NEXT_START = """
            UPDATE windrow_controls SET next_start = $3 WHERE kind = $1 AND name = $2
            """;

    /** Those of the lanes $1 in which a job is ready behind the marks $2 to $5, locked or not. By windrow_jobs_claim, one step a lane. */
    static final String WAITED_FOR = """
            SELECT w.lane
              FROM unnest($1::integer[]) AS w (lane)
              LEFT JOIN unnest($2::integer[], $3::integer[], $4::bigint[], $5::bigint[]) AS m (lane, rank, at, id)
                     ON m.lane = w.lane
             CROSS JOIN LATERAL (SELECT 1 FROM windrow_jobs h
                                  WHERE h.lane = w.lane AND h.state = 'PENDING' AND NOT h.held
                                    AND (-h.priority, h.scheduled_at, h.id)
                                        > (coalesce(m.rank, -2147483648), coalesce(m.at, -1), coalesce(m.id, -1))
                                  LIMIT 1) h
            """;

    // ---- controls ---------------------------------------------------------------------------------------------------

    /** What is said of queues and types changes, or a lane is added that has to obey: one transaction at a time. */
    static final String LOCK_CONTROLS = """
            SELECT 1 FROM pg_advisory_xact_lock($1)
            """;

    /** What is said of queue or type $1, $2, until the end of the transaction nobody else's to change. */
    static final String PAUSE = """
            INSERT INTO windrow_controls AS c (kind, name, paused_at, paused_by, pause_reason) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (kind, name) DO UPDATE
               SET paused_at = coalesce(c.paused_at, excluded.paused_at), paused_by = excluded.paused_by,
                   pause_reason = excluded.pause_reason
            """;

    static final String RESUME = """
            UPDATE windrow_controls SET paused_at = NULL, paused_by = NULL, pause_reason = NULL
             WHERE kind = $1 AND name = $2
            """;

    static final String LIMIT = """
            INSERT INTO windrow_controls (kind, name, max_running) VALUES ($1, $2, $3)
            ON CONFLICT (kind, name) DO UPDATE SET max_running = excluded.max_running
            """;

    /** What was due by another rate is no longer. */
    static final String LIMIT_RATE = """
            INSERT INTO windrow_controls (kind, name, rate_count, rate_millis, rate_burst) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (kind, name) DO UPDATE
               SET rate_count = excluded.rate_count, rate_millis = excluded.rate_millis,
                   rate_burst = excluded.rate_burst, next_start = NULL
            """;

    /** Of which nothing is said any more. */
    static final String FORGET_CONTROL = """
            DELETE FROM windrow_controls
             WHERE kind = $1 AND name = $2 AND paused_at IS NULL AND max_running IS NULL AND rate_count IS NULL
            """;

    /** The lanes repeat what is said of their queues and types. Only those are written that say something else so far. */
    static final String OBEY = """
            UPDATE windrow_lanes l
               SET paused_at = o.paused_at, paused_by = o.paused_by, pause_reason = o.pause_reason, governed = o.governed
              FROM (SELECT n.id, p.paused_at, p.paused_by, p.pause_reason,
                           EXISTS (SELECT 1 FROM windrow_controls c
                                    WHERE (c.max_running IS NOT NULL OR c.rate_count IS NOT NULL)
                                      AND c.name = CASE c.kind WHEN 'QUEUE' THEN n.queue WHEN 'TYPE' THEN n.type END) AS governed
                      FROM windrow_lanes n
                      LEFT JOIN LATERAL (
                           SELECT c.paused_at, c.paused_by, c.pause_reason FROM windrow_controls c
                            WHERE c.paused_at IS NOT NULL
                              AND c.name = CASE c.kind WHEN 'QUEUE' THEN n.queue WHEN 'TYPE' THEN n.type END
                            ORDER BY c.kind LIMIT 1) p ON true) o
             WHERE l.id = o.id
               AND (l.paused_at, l.paused_by, l.pause_reason, l.governed)
                   IS DISTINCT FROM (o.paused_at, o.paused_by, o.pause_reason, o.governed)
            """;

    // ---- turns: of jobs with concurrency keys
    // ----------------------------------------------------------------------

    /** A waiting job has another key, or none, and is not in its line. By primary key. */
    static final String KEEP_CONCURRENCY_KEY = """
            UPDATE windrow_jobs SET concurrency_key = $2, concurrency_most = $3, held = false WHERE id = $1
            """;

    /** A waiting job keeps its key, and in its line or its place says another priority $2 and number $3. By primary keys. */
    static final String CHANGE_TURN = """
            WITH turn AS (UPDATE windrow_turns SET priority = $2, most = $3 WHERE job_id = $1)
            UPDATE windrow_jobs SET concurrency_most = $3 WHERE id = $1
            """;

    /**
     * Jobs that have become ready join the lines of their keys, in this order, and are not to be claimed; answers which. Those that have kept
     * their places are left as they are. By primary keys.
     */
    static final String JOIN_LINE = """
            WITH joined AS (
              INSERT INTO windrow_turns (job_id, turn, priority, most, key)
              SELECT j.id, (SELECT nextval('windrow_turn_numbers')) + g.n, j.priority, j.concurrency_most, j.concurrency_key
                FROM unnest($1::bigint[]) WITH ORDINALITY AS g (id, n)
               CROSS JOIN LATERAL (SELECT * FROM windrow_jobs j WHERE j.id = g.id OFFSET 0) j
               WHERE j.state = 'PENDING' AND j.concurrency_key IS NOT NULL
              ON CONFLICT (job_id) DO NOTHING
              RETURNING job_id),
            held AS (
              UPDATE windrow_jobs j SET held = true
               WHERE j.id = ANY (ARRAY(SELECT job_id FROM joined)) AND NOT j.held)
            SELECT job_id FROM joined
            """;

    /** The jobs $1 leave; one that goes on later ($2) keeps its place in a sequence. By primary key. */
    static final String LEAVE = """
            DELETE FROM windrow_turns t USING unnest($1::bigint[], $2::integer[]) AS g (id, goes_on)
             WHERE t.job_id = g.id AND (g.goes_on = 0 OR t.most IS DISTINCT FROM 0)
            """;

    /** Where those of the jobs $1 are that can be claimed. By primary key. */
    static final String READY_PLACES = """
            SELECT id, lane, priority, scheduled_at FROM windrow_jobs
             WHERE id = ANY ($1::bigint[]) AND state || '' = 'PENDING' AND NOT held
            """;

    /** Those of the keys $1 that nobody else is arranging; $2: a number of this store's own. Held to the end of the transaction. */
    static final String TRY_KEYS = """
            SELECT g.key FROM unnest($1::text[]) AS g (key) WHERE pg_try_advisory_xact_lock(hashtextextended(g.key, $2))
            """;

    /**
     * What is said of the keys $1, whether jobs wait in their lines, how many the first one allows, and how many have a place, as far as that
     * matters. By the primary key of the controls, windrow_turns_line, windrow_turns_places.
     */
    static final String READ_KEYS = """
            SELECT g.key, c.paused_at IS NOT NULL, c.max_running, c.rate_count, c.rate_millis, c.rate_burst, c.next_start,
                   c.wakes_at, h.job_id IS NOT NULL, CASE WHEN h.most IS NOT NULL THEN greatest(h.most, 1) END,
                   (SELECT count(*)
                      FROM (SELECT 1 FROM windrow_turns p WHERE p.key = g.key AND p.placed
                             LIMIT greatest(c.max_running, h.most, 1) + 1000) p)
              FROM unnest($1::text[]) AS g (key)
              LEFT JOIN LATERAL (
                   SELECT * FROM windrow_controls c WHERE c.kind = 'KEY' AND c.name = g.key OFFSET 0) c ON true
              LEFT JOIN LATERAL (
                   SELECT t.job_id, t.most FROM windrow_turns t WHERE t.key = g.key AND NOT t.placed
                    ORDER BY -t.priority, t.turn LIMIT 1) h ON true
            """;

    /**
     * The first $2 in the lines of the keys $1, of which $3 have a place, get one, as far as each one's own number allows that; one that
     * somebody else has locked or changed is left out. They can be claimed; answers where, and nulls for those that were left out. A job gets
     * what its turn gets: somebody may have changed both since they were looked at. By windrow_turns_line and primary keys.
     */
    static final String GIVE_PLACES = """
            WITH line AS (
              SELECT t.job_id, g.key,
                     bool_and(t.most IS NULL OR g.places + t.n <= greatest(t.most, 1)) OVER (PARTITION BY g.key ORDER BY t.n) AS may
                FROM unnest($1::text[], $2::integer[], $3::integer[]) AS g (key, room, places)
               CROSS JOIN LATERAL (
                     SELECT t.job_id, t.most, row_number() OVER (ORDER BY -t.priority, t.turn) AS n
                       FROM windrow_turns t WHERE t.key = g.key AND NOT t.placed
                      ORDER BY -t.priority, t.turn LIMIT g.room) t),
            free AS (
              SELECT j.id FROM windrow_jobs j
               WHERE j.id = ANY (ARRAY(SELECT job_id FROM line WHERE may)) AND j.state || '' = 'PENDING' AND j.held
                 FOR NO KEY UPDATE SKIP LOCKED),
            placed AS (
              UPDATE windrow_turns t SET placed = true
               WHERE t.job_id = ANY (ARRAY(SELECT id FROM free)) AND NOT t.placed
              RETURNING t.job_id),
            released AS (
              UPDATE windrow_jobs j SET held = false WHERE j.id = ANY (ARRAY(SELECT job_id FROM placed))
              RETURNING j.id, j.lane, j.priority, j.scheduled_at)
            SELECT r.id, r.lane, r.priority, r.scheduled_at, l.key
              FROM line l
              LEFT JOIN released r ON r.id = l.job_id
             WHERE l.may
            """;

    /** Jobs of key $1 that have a place and are not claimed, at most $2, the last ones in line first. By windrow_turns_places. */
    static final String PLACED_READY = """
            SELECT t.job_id
              FROM windrow_turns t
             CROSS JOIN LATERAL (SELECT j.state FROM windrow_jobs j WHERE j.id = t.job_id OFFSET 0) j
             WHERE t.key = $1 AND t.placed AND j.state = 'PENDING'
             ORDER BY -t.priority DESC, t.turn DESC LIMIT $2::integer
            """;

    /** How many these are; no more than $2 are counted. By windrow_turns_places. */
    static final String COUNT_PLACED_READY = """
            SELECT count(*)
              FROM (SELECT 1
                      FROM windrow_turns t
                     CROSS JOIN LATERAL (SELECT j.state FROM windrow_jobs j WHERE j.id = t.job_id OFFSET 0) j
                     WHERE t.key = $1 AND t.placed AND j.state = 'PENDING'
                     LIMIT $2::integer) r
            """;

    /** Those of the jobs $1 that nobody else has locked, and that have a place of key $2, go back into its line; answers how many. By primary keys. */
    static final String TAKE_PLACES = """
            WITH free AS (
              SELECT j.id FROM windrow_jobs j
               WHERE j.id = ANY ($1::bigint[]) AND j.state || '' = 'PENDING' AND NOT j.held
                 FOR NO KEY UPDATE SKIP LOCKED),
            placed AS (
              UPDATE windrow_turns t SET placed = false
               WHERE t.job_id = ANY (ARRAY(SELECT id FROM free)) AND t.key || '' = $2 AND t.placed
              RETURNING t.job_id),
            held AS (
              UPDATE windrow_jobs j SET held = true WHERE j.id = ANY (ARRAY(SELECT job_id FROM placed)))
            SELECT count(*) FROM placed
            """;

    /** The lane of the first one in the line of key $1. By windrow_turns_line. */
    static final String FIRST_IN_LINE = """
            SELECT j.lane
              FROM (SELECT t.job_id FROM windrow_turns t WHERE t.key = $1 AND NOT t.placed
                     ORDER BY -t.priority, t.turn LIMIT 1) t
             CROSS JOIN LATERAL (SELECT j.lane FROM windrow_jobs j WHERE j.id = t.job_id OFFSET 0) j
            """;

    /** When the rate of key $1 is to be looked at again, and when its next start is due. */
    static final String WAKE_KEY = """
            UPDATE windrow_controls SET wakes_at = $2, next_start = coalesce($3, next_start)
             WHERE kind = 'KEY' AND name = $1
            """;

    /** The keys whose rates are to be looked at, at $1. By windrow_controls_wake. */
    static final String DUE_KEYS = """
            SELECT name FROM windrow_controls WHERE wakes_at <= $1
            """;

    // ---- who is in the way ----------------------------------------------------------------------------------------

    /** Those of the jobs $1 that nobody else has locked; they are locked now. By primary key. */
    static final String FREE = """
            SELECT j.id FROM windrow_jobs j
             WHERE j.id = ANY ($1::bigint[])
               FOR NO KEY UPDATE SKIP LOCKED
            """;

    /** The first $2 children that wait for each of the jobs $1, which its end touches. By windrow_edges_parent. */
    static final String WAITING_CHILDREN = """
            SELECT e.parent, e.child
              FROM unnest($1::bigint[]) AS g (id)
             CROSS JOIN LATERAL (
                   SELECT e.parent, e.child FROM windrow_edges e
                    WHERE e.parent = g.id AND NOT e.satisfied
                    ORDER BY e.child LIMIT $2::integer) e
            """;

    // ---- report ---------------------------------------------------------------------------------------------------

    /**
     * Whether the holder still is one, of jobs $1 under tokens $2: the guard of all that they report. Takes the row's lock, so that nobody ends
     * the attempt before this commit. By primary key.
     */
    static final String STILL_HELD = """
            SELECT j.id, j.token
              FROM unnest($1::bigint[], $2::bigint[]) AS g (id, token)
              JOIN windrow_jobs j ON j.id = g.id AND j.token = g.token AND j.state || '' = 'RUNNING'
             ORDER BY j.id
               FOR NO KEY UPDATE OF j
            """;

    /** The last progress of jobs; by primary key. */
    static final String WRITE_PROGRESS = """
            INSERT INTO windrow_progress (job_id, token, at, fraction, message) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (job_id) DO UPDATE
               SET token = excluded.token, at = excluded.at, fraction = excluded.fraction, message = excluded.message
            """;

    /** The number of a job's last line; one step into the primary key. */
    static final String LAST_LOG_LINE = """
            SELECT max(seq) FROM windrow_log_lines WHERE job_id = $1
            """;

    /** Lines that follow number $2. */
    static final String INSERT_LOG_LINES = """
            INSERT INTO windrow_log_lines (job_id, seq, at, token, level, message)
            SELECT $1, $2 + n, at, $3, level, message
              FROM unnest($4::bigint[], $5::text[], $6::text[]) WITH ORDINALITY AS g (at, level, message, n)
            """;

    /** Lines that are too old; by primary key. */
    static final String TRIM_LOG = """
            DELETE FROM windrow_log_lines WHERE job_id = $1 AND seq <= $2
            """;

    // ---- durable steps: their job is locked -----------------------------------------------------------------------

    /** A step follows the last one of its job, unless there is one of its name, or $11 are there. By windrow_steps_position. */
    static final String INSERT_STEP = """
            INSERT INTO windrow_steps (job_id, name, position, kind, state, result, until_at, token, started_at,
                                       finished_at, actor)
            SELECT $1, $2, l.position + 1, $3, $4, $5, $6, $7, $8, $9, $10
              FROM (SELECT coalesce(max(position), 0) AS position FROM windrow_steps WHERE job_id + 0 = $1) l
             WHERE l.position < $11
            ON CONFLICT (job_id, name) DO NOTHING
            """;

    /** The step of a name. By primary keys. */
    static final String READ_STEP = """
            SELECT s.name, s.kind, s.state, s.result, s.until_at, s.started_at, s.finished_at,
                   (SELECT a.name FROM windrow_actors a WHERE a.id = s.actor)
              FROM windrow_steps s
             WHERE s.job_id = $1 AND s.name = $2
            """;

    /** WAITING -> DONE | TIMED_OUT ($3): its time is over, for good. By primary key. */
    static final String END_STEP = """
            UPDATE windrow_steps SET state = $3, finished_at = $4
             WHERE job_id = $1 AND name = $2 AND state = 'WAITING'
            """;

    /** An event, WAITING -> DONE: it has come. By primary key. */
    static final String ARRIVE = """
            UPDATE windrow_steps SET state = 'DONE', result = $3, finished_at = $4, actor = $5
             WHERE job_id = $1 AND name = $2 AND kind = 'EVENT' AND state = 'WAITING' AND until_at > $4
            """;

    /** The events of a job that have not come by $2, WAITING -> TIMED_OUT. By primary key. */
    static final String TIME_OUT_EVENTS = """
            UPDATE windrow_steps SET state = 'TIMED_OUT', finished_at = $2
             WHERE job_id = $1 AND kind = 'EVENT' AND state = 'WAITING' AND until_at <= $2
            """;

    /** A retry of jobs from their start. By primary key. */
    static final String FORGET_STEPS = """
            DELETE FROM windrow_steps WHERE job_id = ANY ($1::bigint[])
            """;

    /** What a signal needs to know of a job, which is locked; last, until when it awaits an event. By primary key. */
    static final String READ_FOR_SIGNAL = """
            SELECT state, lane, token, concurrency_key, CASE wake_state WHEN 'PENDING' THEN wake_at END
              FROM windrow_jobs WHERE id = $1
               FOR NO KEY UPDATE
            """;

    /** The same, unless somebody else has locked it. */
    static final String READ_FREE_FOR_SIGNAL = """
            SELECT state, lane, token, concurrency_key, CASE wake_state WHEN 'PENDING' THEN wake_at END
              FROM windrow_jobs WHERE id = $1
               FOR NO KEY UPDATE SKIP LOCKED
            """;

    /** BLOCKED, just parked: awaits event $2, if that has not come and is not over. By primary keys. */
    static final String AWAIT = """
            UPDATE windrow_jobs j SET wake_at = s.until_at, wake_state = 'PENDING'
              FROM windrow_steps s
             WHERE j.id = $1 AND j.state || '' = 'BLOCKED'
               AND s.job_id = $1 AND s.name = $2 AND s.kind = 'EVENT' AND s.state = 'WAITING'
            RETURNING j.wake_at
            """;

    /** BLOCKED -> PENDING: the event that it awaited has come, or its time is over. By primary key. */
    static final String WAKE = """
            UPDATE windrow_jobs
               SET state = 'PENDING', scheduled_at = $2, waiting_for = NULL, wake_at = NULL, wake_state = NULL
             WHERE id = $1 AND state || '' = 'BLOCKED' AND waiting_for = 'EVENT'
            RETURNING priority
            """;

    // ---- settle: all by primary key, guarded by (id, RUNNING, token); answer what was applied
    // ------------------------

    /** RUNNING, still this token: the handler was called. */
    static final String MARK_STARTED = """
            UPDATE windrow_jobs j SET started_at = g.at
              FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS g (id, token, at)
             WHERE j.id = g.id AND j.state || '' = 'RUNNING' AND j.token = g.token
            RETURNING j.id, j.token
            """;

    /** RUNNING -> COMPLETED. */
    static final String SETTLE_COMPLETED = """
            UPDATE windrow_jobs j
               SET state = 'COMPLETED', used = j.used + g.burned, started_at = g.started_at, finished_at = g.finished_at,
                   worker = NULL, lease_until = NULL, error_code = NULL, error_detail = NULL, cancel_requested = 0
              FROM unnest($1::bigint[], $2::bigint[], $3::integer[], $4::bigint[], $5::bigint[])
                   AS g (id, token, burned, started_at, finished_at)
             WHERE j.id = g.id AND j.state || '' = 'RUNNING' AND j.token = g.token
            RETURNING j.id, j.token
            """;

    /** RUNNING -> FAILED. */
    static final String SETTLE_FAILED = """
            UPDATE windrow_jobs j
               SET state = 'FAILED', used = j.used + g.burned, started_at = g.started_at, finished_at = g.finished_at,
                   worker = NULL, lease_until = NULL, error_code = g.error_code, error_detail = g.error_detail,
                   cancel_requested = 0
              FROM unnest($1::bigint[], $2::bigint[], $3::integer[], $4::bigint[], $5::bigint[], $6::text[], $7::text[])
                   AS g (id, token, burned, started_at, finished_at, error_code, error_detail)
             WHERE j.id = g.id AND j.state || '' = 'RUNNING' AND j.token = g.token
            RETURNING j.id, j.token
            """;

    /** RUNNING -> CANCELLED. */
    static final String SETTLE_CANCELLED = """
            UPDATE windrow_jobs j
               SET state = 'CANCELLED', used = j.used + g.burned, started_at = g.started_at, finished_at = g.finished_at,
                   worker = NULL, lease_until = NULL, error_code = coalesce(g.error_code, j.error_code),
                   error_detail = coalesce(g.error_detail, j.error_detail), cancel_requested = 0
              FROM unnest($1::bigint[], $2::bigint[], $3::integer[], $4::bigint[], $5::bigint[], $6::text[], $7::text[])
                   AS g (id, token, burned, started_at, finished_at, error_code, error_detail)
             WHERE j.id = g.id AND j.state || '' = 'RUNNING' AND j.token = g.token
            RETURNING j.id, j.token
            """;

    /** RUNNING -> SCHEDULED: a retry (burned = 1) or a snooze (0), due later. Not if somebody wants it cancelled. */
    static final String SETTLE_SCHEDULED = """
            UPDATE windrow_jobs j
               SET state = 'SCHEDULED', used = j.used + g.burned, started_at = g.started_at, finished_at = NULL,
                   worker = NULL, lease_until = NULL, error_code = coalesce(g.error_code, j.error_code),
                   error_detail = coalesce(g.error_detail, j.error_detail), scheduled_at = g.due
              FROM unnest($1::bigint[], $2::bigint[], $3::integer[], $4::bigint[], $6::text[], $7::text[], $8::bigint[])
                   AS g (id, token, burned, started_at, error_code, error_detail, due)
             WHERE j.id = g.id AND j.state || '' = 'RUNNING' AND j.token = g.token AND j.cancel_requested = 0
            RETURNING j.id, j.token
            """;

    /** RUNNING -> PENDING: handed back, at its old place in the order. Not if somebody wants it cancelled. */
    static final String SETTLE_PENDING = """
            UPDATE windrow_jobs j
               SET state = 'PENDING', used = j.used + g.burned, started_at = g.started_at, finished_at = NULL,
                   worker = NULL, lease_until = NULL
              FROM unnest($1::bigint[], $2::bigint[], $3::integer[], $4::bigint[]) AS g (id, token, burned, started_at)
             WHERE j.id = g.id AND j.state || '' = 'RUNNING' AND j.token = g.token AND j.cancel_requested = 0
            RETURNING j.id, j.token, j.priority, j.scheduled_at
            """;

    /** RUNNING -> BLOCKED: parked until an event or a time. Not if somebody wants it cancelled. */
    static final String SETTLE_BLOCKED = """
            UPDATE windrow_jobs j
               SET state = 'BLOCKED', used = j.used + g.burned, started_at = g.started_at, finished_at = NULL,
                   worker = NULL, lease_until = NULL, waiting_for = 'EVENT', wake_at = g.due,
                   wake_state = CASE WHEN g.due IS NOT NULL THEN 'FAILED' END
              FROM unnest($1::bigint[], $2::bigint[], $3::integer[], $4::bigint[], $8::bigint[])
                   AS g (id, token, burned, started_at, due)
             WHERE j.id = g.id AND j.state || '' = 'RUNNING' AND j.token = g.token AND j.cancel_requested = 0
            RETURNING j.id, j.token
            """;

    static final String INSERT_ATTEMPT_TEXTS = """
            INSERT INTO windrow_attempt_texts (job_id, token, kind, text)
            SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[])
            """;

    /**
     * Of job $1 the attempts with tokens from $2 to $3 go, with their texts and with every event of these tokens; in the place of the first one
     * of these stands an event by actor $4 that says how many, or the one that stands there grows. Attempts that were LOST are counted, and
     * stay. By the primary keys.
     */
    static final String TRIM_HISTORY = """
            WITH lost AS (
              SELECT array_agg(token) AS tokens FROM windrow_attempts
               WHERE job_id = $1 AND token BETWEEN $2 AND $3 AND outcome = 'LOST'),
            attempts AS (
              DELETE FROM windrow_attempts WHERE job_id = $1 AND token BETWEEN $2 AND $3 AND outcome <> 'LOST'
              RETURNING token),
            texts AS (
              DELETE FROM windrow_attempt_texts
               WHERE job_id = $1 AND token BETWEEN $2 AND $3
                 AND (token = ANY ((SELECT tokens FROM lost)::bigint[])) IS NOT TRUE),
            events AS (
              DELETE FROM windrow_events
               WHERE job_id = $1 AND token BETWEEN $2 AND $3
                 AND (token = ANY ((SELECT tokens FROM lost)::bigint[])) IS NOT TRUE
              RETURNING seq, at),
            gone AS (
              SELECT min(seq) AS seq, min(at) AS at, count(*) AS events,
                     (SELECT count(*) FROM attempts) AS attempts
                FROM events HAVING count(*) > 0),
            grown AS (
              UPDATE windrow_events e
                 SET detail = format('{"attempts":%s,"events":%s}', (e.detail::json ->> 'attempts')::bigint + g.attempts,
                                     (e.detail::json ->> 'events')::bigint + g.events)
                FROM gone g
               WHERE e.job_id = $1 AND e.event = 'TRIMMED'
              RETURNING e.seq)
            INSERT INTO windrow_events (job_id, seq, at, token, actor, event, detail) OVERRIDING SYSTEM VALUE
            SELECT $1, g.seq, g.at, 0, $4, 'TRIMMED', format('{"attempts":%s,"events":%s}', g.attempts, g.events)
              FROM gone g
             WHERE NOT EXISTS (SELECT 1 FROM grown)
            """;

    /** A job has at most one result; one completed again from outside replaces nothing, because COMPLETED is final. */
    static final String INSERT_RESULTS = """
            INSERT INTO windrow_results (job_id, result) SELECT * FROM unnest($1::bigint[], $2::text[])
            """;

    /** RUNNING, still this token: the lease goes on until $3. Leaves out what somebody else has locked. */
    static final String RENEW = """
            UPDATE windrow_jobs j SET lease_until = $3
             WHERE j.id IN (SELECT h.id
                              FROM unnest($1::bigint[], $2::bigint[]) AS g (id, token)
                              JOIN windrow_jobs h ON h.id = g.id AND h.token = g.token AND h.state || '' = 'RUNNING'
                               FOR NO KEY UPDATE OF h SKIP LOCKED)
               AND j.state || '' = 'RUNNING'
            RETURNING j.id, j.token
            """;

    /** Which of the jobs $1 run under the tokens $2, locked or not. By primary key. */
    static final String HELD = """
            SELECT j.id, j.token
              FROM unnest($1::bigint[], $2::bigint[]) AS g (id, token)
              JOIN windrow_jobs j ON j.id = g.id AND j.token = g.token AND j.state || '' = 'RUNNING'
            """;

    // ---- chains -------------------------------------------------------------------------------------------------

    /** Whoever waits for the end of the chains that go on from $1 with $2 waits for those now. By windrow_edges_parent. */
    static final String MOVE_CHAIN_EDGES = """
            UPDATE windrow_edges e SET parent = g.next
              FROM unnest($1::bigint[], $2::bigint[]) AS g (job, next)
             WHERE e.parent = g.job AND e.chain AND NOT e.satisfied
            """;

    /** Whether job $1 waits for its own end, by whomever it waits for. By the primary key of the edges. */
    static final String WAITS_FOR_ITSELF = """
            WITH RECURSIVE up (id) AS (
              SELECT parent FROM windrow_edges WHERE child = $1 AND NOT satisfied
               UNION
              SELECT e.parent
                FROM up
               CROSS JOIN LATERAL (
                     SELECT parent FROM windrow_edges e WHERE e.child = up.id AND NOT e.satisfied OFFSET 0) e)
            SELECT 1 FROM up WHERE id = $1 LIMIT 1
            """;

    /**
     * The last jobs of the chains in which the jobs $1 are; not of those whose first job is gone: then retention is about to delete the rest, and
     * the last one may be gone as well. By windrow_inputs_pkey and windrow_inputs_chain.
     */
    static final String LAST_OF_CHAINS = """
            SELECT w.id, coalesce(n.job_id, w.id)
              FROM unnest($1::bigint[]) AS w (id)
             CROSS JOIN LATERAL (SELECT * FROM windrow_inputs i WHERE i.job_id = w.id OFFSET 0) i
             CROSS JOIN LATERAL (SELECT 1 FROM windrow_inputs f WHERE f.job_id = coalesce(i.chain_id, i.job_id) OFFSET 0) f
              LEFT JOIN LATERAL (
                   SELECT n.job_id FROM windrow_inputs n
                    WHERE n.chain_id = coalesce(i.chain_id, i.job_id) AND n.chain_index > 0
                    ORDER BY n.chain_index DESC LIMIT 1) n ON true
            """;

    // ---- dependencies -------------------------------------------------------------------------------------------

    /**
     * Satisfies the open edges below ended parents $1, once and for all, of children from $3 on, at most $4 of each parent and $5 in
     * all; $2: whether they completed. Answers them, those that somebody else has satisfied meanwhile, and those whose children are to be
     * cancelled: also of children that are cancelled, for somebody may be bringing one back. By windrow_edges_parent.
     */
    static final String SATISFY_EDGES = """
            WITH concerned AS (
              SELECT e.parent, e.child, e.position, $2::boolean OR e.policy = 'RUN' AS satisfies
                FROM unnest($1::bigint[]) AS g (id)
               CROSS JOIN LATERAL (
                     SELECT e.parent, e.child, e.position, e.policy FROM windrow_edges e
                      WHERE e.parent = g.id AND e.child >= $3 AND NOT e.satisfied
                        AND ($2::boolean OR e.policy <> 'WAIT')
                      ORDER BY e.child LIMIT $4::integer) e
               LIMIT $5::integer),
            satisfied AS (
              UPDATE windrow_edges e SET satisfied = true, cancelled = false
                FROM concerned c
               WHERE e.child = c.child AND e.position = c.position AND c.satisfies AND NOT e.satisfied
              RETURNING e.child, e.position)
            SELECT c.parent, c.child, c.position, c.satisfies, s.child IS NOT NULL
              FROM concerned c
              LEFT JOIN satisfied s ON s.child = c.child AND s.position = c.position
            """;

    /**
     * Subtracts exactly the edges that were satisfied. The rows' locks, taken in order of ids, make two parents that end at once take
     * turns: the second one sees what the first has subtracted. By primary key.
     */
    static final String SUBTRACT_PARENTS = """
            WITH counted AS (SELECT * FROM unnest($1::bigint[], $2::integer[]) AS g (id, n)),
            ordered AS (
              SELECT j.id, c.n FROM counted c JOIN windrow_jobs j ON j.id = c.id ORDER BY j.id FOR NO KEY UPDATE OF j)
            UPDATE windrow_jobs j SET open_parents = j.open_parents - o.n
              FROM ordered o
             WHERE j.id = o.id
            RETURNING j.id, j.open_parents, j.state, j.lane, j.priority, j.scheduled_at, j.token, j.concurrency_key, j.wait_ms
            """;

    /** BLOCKED -> PENDING | SCHEDULED: no parent is open any more. By primary key. */
    static final String RELEASE = """
            UPDATE windrow_jobs j SET state = g.state, waiting_for = NULL, scheduled_at = g.scheduled_at
              FROM unnest($1::bigint[], $2::text[], $3::bigint[]) AS g (id, state, scheduled_at)
             WHERE j.id = g.id AND j.state || '' = 'BLOCKED' AND j.open_parents = 0
            RETURNING j.id
            """;

    /**
     * BLOCKED -> CANCELLED, of the children $1 that wait for parents, at $2. All are locked, in order of ids, those that do not wait as
     * well: who brings one of them back meanwhile sees how its parent has ended. By primary keys.
     */
    static final String CANCEL_CHILDREN = """
            WITH ordered AS (
              SELECT j.id, j.state, j.waiting_for
                FROM windrow_jobs j WHERE j.id = ANY ($1::bigint[]) ORDER BY j.id FOR NO KEY UPDATE OF j)
            UPDATE windrow_jobs j SET state = 'CANCELLED', finished_at = $2, waiting_for = NULL
              FROM ordered o
             WHERE j.id = o.id AND o.state = 'BLOCKED' AND o.waiting_for = 'PARENTS'
            RETURNING j.id, j.lane, j.token, j.concurrency_key,
                      (SELECT i.dedupe_key FROM windrow_inputs i WHERE i.job_id = j.id),
                      (SELECT i.dedupe_type FROM windrow_inputs i WHERE i.job_id = j.id)
            """;

    /**
     * Marks edges (children $1, positions $2) whose parents' ends have cancelled the child ($3 = 1), or would have if another parent's
     * end had not. By primary key.
     */
    static final String MARK_EDGES = """
            UPDATE windrow_edges e SET cancelled = true
              FROM unnest($1::bigint[], $2::integer[], $3::integer[]) AS g (child, position, cancelled)
             WHERE e.child = g.child AND e.position = g.position AND NOT e.satisfied AND NOT e.cancelled
               AND (g.cancelled = 1 OR EXISTS (SELECT 1 FROM windrow_edges o WHERE o.child = g.child AND o.cancelled OFFSET 0))
            """;

    /** Jobs $1 that were cancelled wait again, or run. By primary key. */
    static final String UNMARK_EDGES = """
            UPDATE windrow_edges SET cancelled = false WHERE child = ANY ($1::bigint[]) AND cancelled
            """;

    /**
     * The ends of the jobs $1, as $2, concern more children than this transaction deals with, from $3 on; answers of which of them there
     * are any left. Where some were left before, it is gone on from the first of both. By windrow_edges_parent.
     */
    static final String LEAVE_CHILDREN = """
            INSERT INTO windrow_releases AS r (parent, state, after)
            SELECT g.id, g.state, g.after
              FROM unnest($1::bigint[], $2::text[], $3::bigint[]) AS g (id, state, after)
             WHERE EXISTS (SELECT 1 FROM windrow_edges e
                            WHERE e.parent = g.id AND e.child >= g.after AND NOT e.satisfied
                              AND (g.state = 'COMPLETED' OR e.policy <> 'WAIT'))
             ORDER BY g.id
                ON CONFLICT (parent) DO UPDATE SET after = least(r.after, excluded.after)
            RETURNING r.parent
            """;

    /** How those of the jobs $1 ended of which children are left, and where to go on; not of those with which somebody goes on. By primary key. */
    static final String TAKE_RELEASES = """
            SELECT parent, state, after FROM windrow_releases
             WHERE parent = ANY ($1::bigint[]) ORDER BY parent FOR UPDATE SKIP LOCKED
            """;

    /** The same, waiting for whoever goes on with them. By primary key. */
    static final String TAKE_ALL_RELEASES = """
            SELECT parent, state, after FROM windrow_releases
             WHERE parent = ANY ($1::bigint[]) ORDER BY parent FOR UPDATE
            """;

    /** The children below $2 are done. By primary key. */
    static final String MOVE_RELEASE = """
            UPDATE windrow_releases SET after = $2 WHERE parent = $1
            """;

    /** All children are done. By primary key. */
    static final String END_RELEASE = """
            DELETE FROM windrow_releases WHERE parent = $1
            """;

    /** The jobs that were cancelled because one of the jobs $1 ended without success. By windrow_edges_parent. */
    static final String CANCELLED_CHILDREN = """
            SELECT DISTINCT e.child FROM windrow_edges e
             WHERE e.parent = ANY ($1::bigint[]) AND e.cancelled
             ORDER BY e.child
            """;

    /** The parents of the jobs $1 that have ended so that these must not wait for them. By primary keys. */
    static final String FORBIDDING_PARENTS = """
            SELECT e.child, e.parent, p.state
              FROM windrow_edges e
             CROSS JOIN LATERAL (SELECT p.state FROM windrow_jobs p WHERE p.id = e.parent OFFSET 0) p
             WHERE e.child = ANY ($1::bigint[]) AND e.policy = 'CANCEL' AND NOT e.satisfied
               AND p.state IN ('FAILED', 'CANCELLED')
            """;

    // ---- changes from outside: by primary key, guarded by (id, state as read) --------------------------------------

    /** What a change needs to know of jobs; they are locked, in order of their ids. */
    static final String READ_FOR_CHANGE = """
            SELECT j.id, j.state, j.lane, j.token, j.used, j.max_attempts, j.open_parents, j.worker, j.started_at,
                   j.cancel_requested, j.priority, j.scheduled_at, j.error_code, j.finished_at, i.dedupe_key,
                   i.dedupe_scope, j.concurrency_key, j.wait_ms,
                   CASE j.wake_state WHEN 'FAILED' THEN j.wake_at END, i.dedupe_type
              FROM windrow_jobs j
              LEFT JOIN LATERAL (
                   SELECT i.dedupe_key, i.dedupe_scope, i.dedupe_type
                     FROM windrow_inputs i WHERE i.job_id = j.id OFFSET 0) i ON true
             WHERE j.id = ANY ($1::bigint[])
             ORDER BY j.id
               FOR UPDATE OF j
            """;

    /** The same of those that nobody else has locked. */
    static final String READ_FREE_FOR_CHANGE = """
            SELECT j.id, j.state, j.lane, j.token, j.used, j.max_attempts, j.open_parents, j.worker, j.started_at,
                   j.cancel_requested, j.priority, j.scheduled_at, j.error_code, j.finished_at, i.dedupe_key,
                   i.dedupe_scope, j.concurrency_key, j.wait_ms,
                   CASE j.wake_state WHEN 'FAILED' THEN j.wake_at END, i.dedupe_type
              FROM windrow_jobs j
              LEFT JOIN LATERAL (
                   SELECT i.dedupe_key, i.dedupe_scope, i.dedupe_type
                     FROM windrow_inputs i WHERE i.job_id = j.id OFFSET 0) i ON true
             WHERE j.id = ANY ($1::bigint[])
             ORDER BY j.id
               FOR UPDATE OF j SKIP LOCKED
            """;

    /** BLOCKED | SCHEDULED | PENDING -> CANCELLED. */
    static final String CANCEL = """
            UPDATE windrow_jobs SET state = 'CANCELLED', finished_at = $3, waiting_for = NULL, wake_at = NULL, wake_state = NULL, held = false
             WHERE id = $1 AND state = $2
            """;

    /** RUNNING, still this token: $3 wants it cancelled. No state changes, and the first one who asks stands. */
    static final String REQUEST_CANCEL = """
            UPDATE windrow_jobs SET cancel_requested = $3
             WHERE id = $1 AND state || '' = 'RUNNING' AND token = $2 AND cancel_requested = 0
            """;

    /** FAILED | CANCELLED -> PENDING | BLOCKED ($3), with a full budget; token and history stay. */
    static final String RETRY = """
            UPDATE windrow_jobs
               SET state = $3, used = 0, max_attempts = coalesce($4, max_attempts), scheduled_at = $5,
                   finished_at = NULL, started_at = NULL, waiting_for = $6, cancel_requested = 0
             WHERE id = $1 AND state = $2
            """;

    /** Any unfinished state -> COMPLETED | FAILED ($3); token + 1 fences a running attempt off. */
    static final String FINISH_OUTSIDE = """
            UPDATE windrow_jobs
               SET state = $3, token = token + 1, finished_at = $4, error_code = $5, error_detail = $6, worker = NULL,
                   lease_until = NULL, waiting_for = NULL, wake_at = NULL, wake_state = NULL, held = false,
                   cancel_requested = 0
             WHERE id = $1 AND state = $2
            """;

    /** SCHEDULED -> PENDING before its time: as if it were due now. */
    static final String TRIGGER = """
            UPDATE windrow_jobs SET state = 'PENDING', scheduled_at = least(scheduled_at, $2)
             WHERE id = $1 AND state || '' = 'SCHEDULED'
            """;

    /** A child that ended no longer counts a parent that is discarded. By windrow_edges_parent. */
    static final String FORGET_PARENT = """
            UPDATE windrow_jobs SET open_parents = open_parents - 1
             WHERE id IN (SELECT child FROM windrow_edges WHERE parent = $1 AND NOT satisfied)
            """;

    /**
     * The blobs of the jobs $1, which go and are locked, that have more than 4 MiB in parts -> of no job, not whole, the first to be swept. By windrow_blobs_job.
     */
    static final String LEAVE_LONG_BLOBS = """
            UPDATE windrow_blobs SET job_id = NULL, kind = NULL, bytes = NULL, sha256 = NULL, created_at = 0
             WHERE job_id = ANY ($1::bigint[]) AND file IS NULL AND bytes > 4194304
            """;

    /** FAILED | CANCELLED -> gone, with all that belongs to it, and key $4 of type $3. By primary keys, windrow_edges_parent, windrow_blobs_job. */
    static final String DISCARD = """
            WITH gone AS (DELETE FROM windrow_jobs WHERE id = $1 AND state = $2 RETURNING id),
            inputs AS (DELETE FROM windrow_inputs WHERE job_id IN (SELECT id FROM gone)),
            results AS (DELETE FROM windrow_results WHERE job_id IN (SELECT id FROM gone)),
            tags AS (DELETE FROM windrow_tags WHERE job_id IN (SELECT id FROM gone)),
            attempts AS (DELETE FROM windrow_attempts WHERE job_id IN (SELECT id FROM gone)),
            texts AS (DELETE FROM windrow_attempt_texts WHERE job_id IN (SELECT id FROM gone)),
            events AS (DELETE FROM windrow_events WHERE job_id IN (SELECT id FROM gone)),
            parents AS (DELETE FROM windrow_edges WHERE child IN (SELECT id FROM gone)),
            children AS (DELETE FROM windrow_edges WHERE parent IN (SELECT id FROM gone)),
            releases AS (DELETE FROM windrow_releases WHERE parent IN (SELECT id FROM gone)),
            progress AS (DELETE FROM windrow_progress WHERE job_id IN (SELECT id FROM gone)),
            log AS (DELETE FROM windrow_log_lines WHERE job_id IN (SELECT id FROM gone)),
            steps AS (DELETE FROM windrow_steps WHERE job_id IN (SELECT id FROM gone)),
            turns AS (DELETE FROM windrow_turns WHERE job_id IN (SELECT id FROM gone)),
            blobs AS (DELETE FROM windrow_blobs WHERE job_id IN (SELECT id FROM gone) RETURNING id),
            chunks AS (DELETE FROM windrow_blob_chunks WHERE blob_id IN (SELECT id FROM blobs)),
            keys AS (DELETE FROM windrow_dedupe WHERE type = $3 AND key = $4 AND job_id IN (SELECT id FROM gone))
            SELECT count(*) FROM gone
            """;

    /**
     * Whether a job outside of $2 depends on $1 and has not ended, or would wait for it again after a retry. By
     * windrow_edges_parent.
     */
    static final String DEPENDING_CHILD = """
            SELECT e.child FROM windrow_edges e JOIN windrow_jobs c ON c.id = e.child
             WHERE e.parent = $1
               AND (c.state NOT IN ('COMPLETED', 'FAILED', 'CANCELLED') OR (NOT e.satisfied AND c.state <> 'COMPLETED'))
               AND e.child <> ALL ($2::bigint[])
             LIMIT 1
            """;

    // ---- waits for somebody outside -------------------------------------------------------------------------------

    /** New jobs $1 say how long they wait for outside ($2), once their parents have ended. By primary key. */
    static final String KEEP_WAITS = """
            UPDATE windrow_jobs j SET wait_ms = g.wait_ms
              FROM unnest($1::bigint[], $2::bigint[]) AS g (id, wait_ms)
             WHERE j.id = g.id
            """;

    /** BLOCKED, by no parent any more: jobs $1 wait until $2 for somebody outside. By primary key. */
    static final String BEGIN_WAITS = """
            UPDATE windrow_jobs j SET waiting_for = 'EVENT', wake_at = g.until, wake_state = 'FAILED'
              FROM unnest($1::bigint[], $2::bigint[]) AS g (id, until)
             WHERE j.id = g.id AND j.state || '' = 'BLOCKED' AND j.open_parents = 0
            """;

    /** The waits that have run out of time at $1, the first ones first, at most $2; and whether for an event. By windrow_jobs_wake. */
    static final String DUE_WAITS = """
            SELECT id, wake_state = 'PENDING' FROM windrow_jobs
             WHERE wake_at <= $1 AND wake_state IN ('FAILED', 'PENDING') AND state || '' = 'BLOCKED'
             ORDER BY wake_at LIMIT $2::integer
            """;

    /** When the next wait runs out of time. By windrow_jobs_wake. */
    static final String NEXT_WAIT = """
            SELECT min(wake_at) FROM windrow_jobs WHERE wake_at IS NOT NULL
            """;

    /** What was done to many jobs at once, or to jobs that are gone. */
    static final String INSERT_AUDIT = """
            INSERT INTO windrow_audit (at, jobs, actor, action, detail) VALUES ($1, $4, $2, $3, $5)
            """;

    // ---- schedules: by primary key unless said otherwise
    // -------------------------------------------------------------

    /** The schedule named $1, locked. By its unique index of names. */
    static final String LOCK_SCHEDULE = """
            SELECT s.*, (SELECT a.name FROM windrow_actors a WHERE a.id = s.paused_by) AS pauser
              FROM windrow_schedules s WHERE s.name = $1 FOR UPDATE OF s
            """;

    /** A new schedule; none if there is one of this name. */
    static final String INSERT_SCHEDULE = """
            INSERT INTO windrow_schedules (
                   id, name, queue, type, payload, job_name, priority, max_attempts, timeout_ms, retry_policy, tags, concurrency_key,
                   concurrency_most, cron, zone, every_ms, starts_at, misfire, overlap, next_at, changed_at, created_at, fired_at, created_by)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $21, $21, $22)
            ON CONFLICT (name) DO NOTHING
            """;

    /** It is to do something else. */
    static final String UPDATE_SCHEDULE = """
            UPDATE windrow_schedules
               SET queue = $3, type = $4, payload = $5, job_name = $6, priority = $7, max_attempts = $8, timeout_ms = $9, retry_policy = $10,
                   tags = $11, concurrency_key = $12, concurrency_most = $13, cron = $14, zone = $15, every_ms = $16, starts_at = $17,
                   misfire = $18, overlap = $19, next_at = $20, fired_at = $22, revision = revision + 1, changed_at = $21
             WHERE id = $1 AND name || '' = $2
            """;

    static final String PAUSE_SCHEDULE = """
            UPDATE windrow_schedules
               SET paused_at = coalesce(paused_at, $2), paused_by = $3, pause_reason = $4, next_at = NULL, revision = revision + 1,
                   changed_at = $2
             WHERE id = $1
            """;

    static final String RESUME_SCHEDULE = """
            UPDATE windrow_schedules
               SET paused_at = NULL, paused_by = NULL, pause_reason = NULL, next_at = $3, fired_at = $2, revision = revision + 1,
                   changed_at = $2
             WHERE id = $1
            """;

    /** With its runs. */
    static final String REMOVE_SCHEDULE = """
            WITH runs AS (DELETE FROM windrow_schedule_runs WHERE schedule_id = $1)
            DELETE FROM windrow_schedules WHERE id = $1
            """;

    /** It has made a job out of turn. */
    static final String RAN_SCHEDULE = """
            UPDATE windrow_schedules SET last_job = $2, revision = revision + 1 WHERE id = $1
            """;

    /** Those of the schedules $1 that are as they were read, at revisions $2; not those that others see to or change. */
    static final String LOCK_SCHEDULES_AS_READ = """
            SELECT s.id
              FROM unnest($1::bigint[], $2::bigint[]) AS f (id, revision)
              JOIN windrow_schedules s ON s.id = f.id
             WHERE s.revision = f.revision AND s.paused_at IS NULL
             ORDER BY s.id FOR UPDATE OF s SKIP LOCKED
            """;

    /** They were seen to. */
    static final String FIRED_SCHEDULES = """
            UPDATE windrow_schedules s
               SET next_at = f.next_at, last_at = f.last_at, last_job = f.last_job, fired_at = $6, revision = s.revision + 1
              FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[])
                   AS f (id, revision, next_at, last_at, last_job)
             WHERE s.id = f.id AND s.revision = f.revision
            """;

    /** Those of the jobs $1 whose chains go on. By primary keys and windrow_inputs_chain. */
    static final String GO_ON = """
            SELECT w.id
              FROM unnest($1::bigint[]) AS w (id)
             CROSS JOIN LATERAL (SELECT * FROM windrow_inputs i WHERE i.job_id = w.id OFFSET 0) i
             CROSS JOIN LATERAL (SELECT 1 FROM windrow_inputs f WHERE f.job_id = coalesce(i.chain_id, i.job_id) OFFSET 0) f
              LEFT JOIN LATERAL (
                   SELECT n.job_id FROM windrow_inputs n
                    WHERE n.chain_id = coalesce(i.chain_id, i.job_id) AND n.chain_index > 0
                    ORDER BY n.chain_index DESC LIMIT 1) n ON true
             CROSS JOIN LATERAL (SELECT j.state FROM windrow_jobs j WHERE j.id = coalesce(n.job_id, w.id) OFFSET 0) j
             WHERE j.state NOT IN ('COMPLETED', 'FAILED', 'CANCELLED')
            """;

    /** The due times from $2 to $3 for which the schedules $1 have made jobs. */
    static final String MADE_RUNS = """
            SELECT r.schedule_id, r.due_at
              FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS f (id, from_at, to_at)
             CROSS JOIN LATERAL (
                   SELECT r.schedule_id, r.due_at, r.outcome FROM windrow_schedule_runs r
                    WHERE r.schedule_id = f.id AND r.due_at BETWEEN f.from_at AND f.to_at OFFSET 0) r
             WHERE r.outcome = 'ENQUEUED'
            """;

    /** What became of due times, at $7; not in the place of those for which jobs were made. Answers how many jobs are written down. */
    static final String INSERT_RUNS = """
            WITH written AS (
              INSERT INTO windrow_schedule_runs AS r (schedule_id, due_at, until_at, runs, job_id, outcome, fired_at)
              SELECT f.id, f.due_at, f.until_at, f.runs, f.job_id, f.outcome, $7
                FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[])
                     AS f (id, due_at, until_at, runs, job_id, outcome)
              ON CONFLICT (schedule_id, due_at) DO UPDATE
                 SET until_at = excluded.until_at, runs = excluded.runs, fired_at = excluded.fired_at, outcome = excluded.outcome,
                     job_id = excluded.job_id
               WHERE r.outcome <> 'ENQUEUED'
              RETURNING r.job_id)
            SELECT count(job_id) FROM written
            """;

    /** All but the newest $2 of schedule $1. */
    static final String PRUNE_RUNS = """
            DELETE FROM windrow_schedule_runs
             WHERE schedule_id = $1
               AND due_at < (SELECT due_at FROM windrow_schedule_runs WHERE schedule_id = $1
                              ORDER BY due_at DESC LIMIT 1 OFFSET $2::integer - 1)
            """;

    /** The clock was set back to $2: what was missed behind that is to come again. */
    static final String DROP_MISSED_RUNS = """
            DELETE FROM windrow_schedule_runs WHERE schedule_id = $1 AND due_at > $2 AND outcome <> 'ENQUEUED'
            """;

    /** The same of due times in a row, some of which are behind $2. */
    static final String CUT_MISSED_RUNS = """
            UPDATE windrow_schedule_runs SET until_at = $2, runs = NULL
             WHERE schedule_id = $1 AND due_at <= $2 AND until_at > $2 AND outcome <> 'ENQUEUED'
            """;

    /** How many runs of schedule $1 are kept, and the first one. */
    static final String COUNT_RUNS = """
            SELECT count(*), min(due_at) FROM windrow_schedule_runs WHERE schedule_id = $1
            """;

    // ---- blobs: by primary key unless said otherwise ---------------------------------------------------------------

    /** A new blob with its first chunk, staged; with length and hash if that is all of it. Answers its number. */
    static final String BEGIN_BLOB = """
            WITH blob AS (INSERT INTO windrow_blobs (bytes, sha256, created_at) VALUES ($1, $2, $3) RETURNING id),
            chunk AS (INSERT INTO windrow_blob_chunks (blob_id, position, content) SELECT id, 0, $4 FROM blob)
            SELECT id FROM blob
            """;

    /** A further chunk of a blob that is staged; nobody sweeps the blob before that is committed. */
    static final String INSERT_CHUNK = """
            INSERT INTO windrow_blob_chunks (blob_id, position, content)
            SELECT id, $2, $3 FROM windrow_blobs WHERE id = $1 AND job_id IS NULL AND created_at > 0 FOR SHARE
            """;

    /** All of a staged blob is written, and nothing of it is dropped yet. */
    static final String COMPLETE_BLOB = """
            UPDATE windrow_blobs SET bytes = $2, sha256 = $3, file = $4 WHERE id = $1 AND job_id IS NULL AND created_at > 0
            """;

    /** How many of these blobs are staged, and whole. Said so that it does not read all that is staged. */
    static final String COUNT_STAGED = """
            SELECT count(*) FROM windrow_blobs WHERE id = ANY ($1) AND coalesce(job_id, 0) = 0 AND sha256 IS NOT NULL
            """;

    /** Staged -> the payload or the result of job $2: guarded, because it has one owner only. */
    static final String ADOPT_BLOB = """
            UPDATE windrow_blobs SET job_id = $2, kind = $3 WHERE id = $1 AND job_id IS NULL AND sha256 IS NOT NULL
            """;

    /** A blob that nobody will adopt: it is not whole, nothing is added to it, and it is the first to be swept. */
    static final String UNSTAGE = """
            UPDATE windrow_blobs SET bytes = NULL, sha256 = NULL, created_at = 0 WHERE id = $1 AND job_id IS NULL
            """;

    /** The first $2 parts that are left of a blob that nobody will adopt. By windrow_blob_chunks_pkey. */
    static final String DROP_CHUNKS = """
            DELETE FROM windrow_blob_chunks
             WHERE blob_id = $1
               AND position <= (SELECT max(c.position)
                                  FROM (SELECT position FROM windrow_blob_chunks
                                         WHERE blob_id = $1 ORDER BY blob_id, position LIMIT $2::integer) c)
            """;

    /** A blob that nobody will adopt, when its parts are gone. */
    static final String DROP_BLOB = """
            DELETE FROM windrow_blobs WHERE id = $1 AND job_id IS NULL
            """;

    /**
     * Blobs that were staged before $1, the oldest first, at most $2, locked; those of which something is dropped come before all others. Leaves out what
     * somebody else drops. By windrow_blobs_staged.
     */
    static final String OLD_STAGED = """
            SELECT id FROM windrow_blobs WHERE job_id IS NULL AND created_at < $1
             ORDER BY created_at LIMIT $2::integer FOR UPDATE SKIP LOCKED
            """;

    // ---- leases -------------------------------------------------------------------------------------------------

    /**
     * Which suspects are still as they were seen: what becomes of them was decided by all of this. They are locked; one that somebody
     * else has locked, its settling holder for example, is none. By primary key.
     */
    static final String STILL_SUSPECT = """
            SELECT j.id, j.token, j.lane, j.started_at, j.worker, j.cancel_requested,
                   (SELECT i.dedupe_key FROM windrow_inputs i WHERE i.job_id = j.id), j.concurrency_key,
                   (SELECT i.dedupe_type FROM windrow_inputs i WHERE i.job_id = j.id)
              FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::integer[]) AS g (id, token, lease_until, started)
              JOIN windrow_jobs j ON j.id = g.id AND j.state || '' = 'RUNNING' AND j.token = g.token
                                 AND j.lease_until = g.lease_until AND (j.started_at IS NOT NULL) = (g.started = 1)
               FOR NO KEY UPDATE OF j SKIP LOCKED
            """;

    /** The same without locks, and whoever has locked them. */
    static final String LOOKS_SUSPECT = """
            SELECT j.id, j.token
              FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::integer[]) AS g (id, token, lease_until, started)
              JOIN windrow_jobs j ON j.id = g.id AND j.state || '' = 'RUNNING' AND j.token = g.token
                                 AND j.lease_until = g.lease_until AND (j.started_at IS NOT NULL) = (g.started = 1)
            """;

    /** No job has this number, so that nothing is changed; but what keeps renewals from the table keeps this from it. */
    static final String TOUCH = """
            UPDATE windrow_jobs SET lease_until = lease_until WHERE id = -1
            """;

    static final String WAIT_A_MOMENT = """
            SELECT 1 FROM pg_sleep(0.005)
            """;

    // ---- counters, registry -------------------------------------------------------------------------------------

    /** One process folds at a time; held until the end of the transaction. $1: a number of this store's own. */
    static final String TRY_FOLD = """
            SELECT pg_try_advisory_xact_lock($1)
            """;

    /** Moves what transactions have added into the counters. A scan of a table as small as what came since. */
    static final String FOLD = """
            WITH gone AS (DELETE FROM windrow_counter_deltas RETURNING lane, attempt, n, state),
            states AS (
              INSERT INTO windrow_counters (lane, state, n)
              SELECT lane, state, sum(n) FROM gone WHERE state IS NOT NULL GROUP BY lane, state
              ON CONFLICT (lane, state) DO UPDATE SET n = windrow_counters.n + excluded.n),
            retries AS (
              INSERT INTO windrow_retry_counters (lane, attempt, n)
              SELECT lane, attempt, sum(n) FROM gone WHERE state IS NULL GROUP BY lane, attempt
              ON CONFLICT (lane, attempt) DO UPDATE SET n = windrow_retry_counters.n + excluded.n)
            SELECT count(*) FROM gone
            """;

    /** Adds sums to minutes, in the order of their keys, so that two processes cannot deadlock. */
    static final String ADD_MINUTE = """
            INSERT INTO windrow_minutes (minute, lane, succeeded, failed, wait_ms, run_ms, wait_bins, run_bins)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
            ON CONFLICT (minute, lane) DO UPDATE
               SET succeeded = windrow_minutes.succeeded + excluded.succeeded,
                   failed = windrow_minutes.failed + excluded.failed,
                   wait_ms = windrow_minutes.wait_ms + excluded.wait_ms, run_ms = windrow_minutes.run_ms + excluded.run_ms,
                   wait_bins = ARRAY(SELECT a + b FROM unnest(windrow_minutes.wait_bins, excluded.wait_bins) AS s (a, b)),
                   run_bins = ARRAY(SELECT a + b FROM unnest(windrow_minutes.run_bins, excluded.run_bins) AS s (a, b))
            """;

    /** A worker that comes back under its old name is another one: all of the entry is new but the time it began. */
    static final String ANNOUNCE = """
            INSERT INTO windrow_workers AS w (name, host, pid, process, version, queues, types, slots, stuck, started_at,
                                              heartbeat_at, expires_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10, $11)
            ON CONFLICT (name) DO UPDATE
               SET started_at = CASE WHEN w.pid = excluded.pid THEN w.started_at ELSE excluded.started_at END,
                   host = excluded.host, pid = excluded.pid, process = excluded.process, version = excluded.version,
                   queues = excluded.queues, types = excluded.types, slots = excluded.slots, stuck = excluded.stuck,
                   heartbeat_at = excluded.heartbeat_at, expires_at = excluded.expires_at
            """;

    /** Entries that nobody has renewed for long; a scan of a table as small as there are workers. */
    static final String WITHDRAW_EXPIRED = """
            DELETE FROM windrow_workers WHERE expires_at < $1
            """;

    static final String WITHDRAW = """
            DELETE FROM windrow_workers WHERE name = $1
            """;

    /** A scan of a table as small as there are workers. */
    static final String WITHDRAW_PROCESS = """
            DELETE FROM windrow_workers WHERE process = $1
            """;

    // ---- what others have committed -----------------------------------------------------------------------------

    /** Tells those who listen to channel $1; what is told is a row of $2. Never in a transaction that does anything else. */
    static final String NOTIFY = """
            SELECT pg_notify($1, message) FROM unnest($2::text[]) AS g (message)
            """;

    /** The oldest version of the code that may use the tables, and their own; by primary key. */
    static final String MIN_COMPATIBLE = """
            SELECT min_compatible, version FROM windrow_schema ORDER BY version DESC LIMIT 1
            """;

    /**
     * The identity of the store, the oldest version of the code that may use it, its own version, that one's name, and whether the transaction
     * sees what is committed meanwhile; by primary key.
     */
    static final String STORE = """
            SELECT (SELECT store::text FROM windrow_schema WHERE version = 1), min_compatible, version, name,
                   current_setting('transaction_isolation') = 'read committed'
              FROM windrow_schema ORDER BY version DESC LIMIT 1
            """;

    /**
     * In a transaction that sees an old state: fails with a serialization failure if a copy has begun to fill the store since, and holds one off until
     * the end of the transaction; by primary key.
     */
    static final String HOLD_STORE = """
            SELECT version FROM windrow_schema WHERE version = 1 FOR SHARE
            """;

    /** The open lanes with ready jobs, by the counters: the index may be full of dead entries. */
    static final String READY_LANES = """
            SELECT l.queue, l.type
              FROM windrow_lanes l
              JOIN (SELECT c.lane, sum(c.n) AS n
                      FROM (SELECT lane, n FROM windrow_counters WHERE state = 'PENDING'
                             UNION ALL
                            SELECT lane, n FROM windrow_counter_deltas WHERE state = 'PENDING') c
                     GROUP BY c.lane) ready ON ready.lane = l.id AND ready.n > 0
             WHERE l.paused_at IS NULL
            """;

    /** The running jobs that somebody wants cancelled. Reads as many entries of windrow_jobs_running as are running. */
    static final String CANCEL_REQUESTS = """
            SELECT id, token FROM windrow_jobs WHERE state = 'RUNNING' AND cancel_requested <> 0
            """;
}
