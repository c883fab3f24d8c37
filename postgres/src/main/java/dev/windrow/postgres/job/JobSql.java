package dev.windrow.postgres.job;

import dev.windrow.postgres.limit.LimitSql;
import dev.windrow.postgres.limit.PermitSql;
import dev.windrow.postgres.monitor.CheckSql;
import dev.windrow.postgres.monitor.StatisticsSql;
import dev.windrow.postgres.payload.BlobSql;
import dev.windrow.postgres.query.ListSql;
import dev.windrow.postgres.query.ReadSql;
import dev.windrow.postgres.retention.RetentionSql;
import dev.windrow.postgres.schedule.ScheduleSql;
import dev.windrow.postgres.step.StepSql;
import dev.windrow.postgres.transfer.CopySql;
import dev.windrow.postgres.workflow.WorkflowSql;

/**
 * The statements by which jobs move. Each is complete and can be pasted into {@code psql} (as {@code PREPARE}). Each comment names the effect, the
 * states before and after, and the index that finds the rows. Rows are passed as arrays, one for each column. Statements for the features of only
 * some jobs are in separate classes: {@link DedupeSql}, {@link PermitSql}, {@link LimitSql}, {@link WorkflowSql}, {@link StepSql},
 * {@link ScheduleSql} and {@link BlobSql}. Statements that do not move jobs are in {@link ReadSql}, {@link ListSql}, {@link StatisticsSql},
 * {@link CheckSql}, {@link RetentionSql} and {@link CopySql}.
 *
 * <p>If a row is found by its primary key and its state is only the guard, the guard is written {@code state || '' = 'RUNNING'}. So the planner
 * cannot take the partial index of that state instead. It estimates that index as nearly empty. While a transaction stays open, the index is full of
 * dead entries, and all of them would be read.
 */
public final class JobSql {
    private JobSql() {}

    // ---- enqueue -----------------------------------------------------------------------------------------------

    /** Inserts new jobs -> SCHEDULED | PENDING that need only the columns that most jobs need, because each column costs time for each row. */
    static final String INSERT_PLAIN_JOBS = """
            WITH given AS (
              SELECT * FROM unnest($1::bigint[], $2::integer[], $3::text[], $4::integer[], $5::bigint[], $6::integer[],
                                   $7::bigint[], $8::text[], $9::integer[])
                     AS g (id, lane, state, priority, scheduled_at, max_attempts, timeout_ms, payload, created_by)),
            input AS (
              INSERT INTO windrow_inputs (job_id, created_at, timeout_ms, lane, created_by, payload)
              SELECT id, $10, timeout_ms, lane, created_by, payload FROM given)
            INSERT INTO windrow_jobs (id, scheduled_at, lane, priority, max_attempts, state)
            SELECT id, scheduled_at, lane, priority, max_attempts, state FROM given
            """;

    /**
     * The first statement of the message of {@link #ENQUEUE_ONE}. Limits its waits ($1 for a statement), and takes the advisory lock $2, which is the
     * one of the job. So another transaction can wait until this one has ended. {@code windrow.one} lets {@link #ENQUEUE_ONE} test that this statement
     * has run in its transaction. After a statement with a column of unlimited length, the driver might end the message.
     */
    static final String BEGIN_ONE = """
            SELECT set_config('lock_timeout', '50ms', true) IS NULL, set_config('statement_timeout', $1, true) IS NULL,
                   set_config('idle_in_transaction_session_timeout', $1, true) IS NULL,
                   CASE WHEN current_setting('synchronous_commit') = 'off'
                        THEN set_config('synchronous_commit', 'on', true) END IS NULL,
                   set_config('windrow.one', 'on', true) IS NULL,
                   pg_advisory_xact_lock($2)
            """;

    /**
     * Inserts the one new job $1 -> PENDING, and its change of the counters. The server commits it at the end of its message, so nothing can be checked
     * before the commit. So it inserts nothing and returns no row in these cases:
     *
     * <ul>
     *   <li>{@link #BEGIN_ONE} has not run in its transaction, because the driver or a proxy has divided the message.
     *   <li>The store is not $10, it needs a newer code version than $11, or the run of the server is not $12.
     *   <li>The time of the transaction is $13 or later, or more than $14 ms before $8.
     *   <li>The message has come late: the server's clock shows $15 or later, or the sequence of ids has reached $16.
     * </ul>
     *
     * <p>Otherwise it returns the time of the transaction, which is $9 or the server's, the scheduled time of the job, which is at least $8, and the
     * time of the transaction by the server's clock.
     */
    public static final String ENQUEUE_ONE = """
            WITH guard AS MATERIALIZED (
              SELECT t.now, greatest(t.now, $8::bigint) AS stamp
                FROM (SELECT coalesce($9::bigint, (extract(epoch FROM now()) * 1000)::bigint) AS now) t
               WHERE (SELECT store::text FROM windrow_schema WHERE version = 1) = $10::text
                 AND (SELECT min_compatible FROM windrow_schema ORDER BY version DESC LIMIT 1) <= $11::integer
                 AND (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint = $12::bigint
                 AND t.now < $13::bigint AND $8::bigint - t.now <= $14::bigint
                 AND (extract(epoch FROM clock_timestamp()) * 1000)::bigint < $15::bigint
                 AND current_setting('windrow.one', true) = 'on'
                 AND pg_sequence_last_value('windrow_ids'::regclass) < $16::bigint),
            input AS (
              INSERT INTO windrow_inputs (job_id, created_at, timeout_ms, lane, created_by, payload)
              SELECT $1::bigint, now, $5::bigint, $2::integer, $7::integer, $6::text FROM guard),
            job AS (
              INSERT INTO windrow_jobs (id, scheduled_at, lane, priority, max_attempts, state)
              SELECT $1::bigint, stamp, $2::integer, $3::integer, $4::integer, 'PENDING' FROM guard),
            counter AS (
              INSERT INTO windrow_counter_deltas (lane, n, state) SELECT $2::integer, 1, 'PENDING' FROM guard)
            SELECT now, stamp, (extract(epoch FROM now()) * 1000)::bigint FROM guard
            """;

    /**
     * Brings the sequence of ids to $1, so that the server refuses each later {@link #ENQUEUE_ONE} with this limit. Takes at most $2 blocks of ids.
     * Takes at least 64, because a commit waits for the disk only if its transaction has logged something, and the server logs a sequence every 33rd
     * time. Returns one row, so that no fetch size cuts it short.
     */
    static final String RAISE_IDS = """
            SELECT max(nextval('windrow_ids')) FROM generate_series(1, $2::integer) AS g (i)
             WHERE g.i <= 64 OR pg_sequence_last_value('windrow_ids'::regclass) < $1::bigint
            """;

    /**
     * The run of the server, the identity of the store, true if the job $1 was enqueued, and true if the sequence of ids has reached $2. By primary
     * key.
     */
    public static final String IS_ENQUEUED = """
            SELECT (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint,
                   (SELECT store::text FROM windrow_schema WHERE version = 1),
                   (SELECT created_at FROM windrow_inputs WHERE job_id = $1) IS NOT NULL,
                   pg_sequence_last_value('windrow_ids'::regclass) >= $2::bigint
            """;

    /**
     * Inserts any new jobs -> BLOCKED | SCHEDULED | PENDING, or, with a worker and its lease, RUNNING: enqueue and claim in one. A job may follow a
     * previous one in its chain, which is found by primary key. Then it has the key that the whole chain holds.
     */
    static final String INSERT_JOBS = """
            WITH given AS (
              SELECT * FROM unnest($1::bigint[], $2::integer[], $3::text[], $4::integer[], $5::bigint[], $6::integer[],
                                   $7::bigint[], $8::integer[], $9::text[], $10::text[], $11::text[], $12::text[],
                                   $13::integer[], $14::bigint[], $15::text[], $16::text[], $17::text[], $18::integer[],
                                   $19::bigint[], $20::bigint[], $21::bigint[], $22::integer[])
                     AS g (id, lane, state, priority, scheduled_at, max_attempts, timeout_ms, open_parents, name,
                           retry_policy, traceparent, payload, worker, lease_until, dedupe_key, dedupe_scope,
                           concurrency_key, concurrency_limit, previous, workflow_id, chain_id, created_by)),
            input AS (
              INSERT INTO windrow_inputs (job_id, created_at, timeout_ms, lane, created_by, name, retry_policy, traceparent,
                                          payload, dedupe_key, dedupe_scope, dedupe_type, chain_id, chain_index, workflow_id)
              SELECT g.id, $23, g.timeout_ms, g.lane, g.created_by, g.name, g.retry_policy, coalesce(g.traceparent, p.traceparent),
                     g.payload, coalesce(g.dedupe_key, k.dedupe_key), coalesce(g.dedupe_scope, k.dedupe_scope),
                     k.dedupe_type, coalesce(p.chain_id, p.job_id, g.chain_id), coalesce(p.chain_index + 1, 0),
                     coalesce(g.workflow_id, p.workflow_id)
                FROM given g
                LEFT JOIN LATERAL (SELECT * FROM windrow_inputs p WHERE p.job_id = g.previous OFFSET 0) p ON true
                LEFT JOIN LATERAL (
                     SELECT p.dedupe_key, p.dedupe_scope, coalesce(p.dedupe_type, l.type) AS dedupe_type
                       FROM windrow_lanes l WHERE l.id = p.lane AND p.dedupe_scope = 'UNFINISHED' OFFSET 0) k ON true)
            INSERT INTO windrow_jobs (id, scheduled_at, token, lease_until, claimed_at, lane, priority, max_attempts, worker,
                                      open_parents, state, waiting_for, waits_for_permit, concurrency_key, concurrency_limit)
            SELECT id, scheduled_at, CASE WHEN worker IS NULL THEN 0 ELSE 1 END, lease_until,
                   CASE WHEN worker IS NULL THEN NULL ELSE $23 END, lane, priority, max_attempts, worker, open_parents, state,
                   CASE WHEN open_parents > 0 THEN 'PARENTS' END, state = 'PENDING' AND concurrency_key IS NOT NULL,
                   concurrency_key, concurrency_limit
              FROM given
            """;

    /** The scheduled time of the last waiting job in lane $1 with priority -$2. One step into windrow_jobs_claim. */
    public static final String LAST_READY = """
            SELECT scheduled_at FROM windrow_jobs
             WHERE lane = $1 AND state = 'PENDING' AND NOT waits_for_permit AND -priority = $2
             ORDER BY scheduled_at DESC LIMIT 1
            """;

    static final String INSERT_TAGS = """
            INSERT INTO windrow_tags (job_id, tag) SELECT * FROM unnest($1::bigint[], $2::text[])
            """;

    /**
     * The last statement of a transaction that wrote. Inserts the ended attempts ($1 to $11), the events ($12 to $17, in order) and the changes of the
     * counters ($18 to $21). Returns the number of the transaction.
     */
    public static final String RECORD = """
            WITH attempts AS (
              INSERT INTO windrow_attempts (job_id, token, claimed_at, started_at, finished_at, attempt, worker, outcome,
                                            error_code, error_detail, run)
              SELECT id, token, claimed_at, started_at, finished_at, attempt, worker, outcome, error_code, error_detail, run
                FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::integer[], $6::integer[],
                            $7::text[], $8::text[], $9::text[], $10::integer[], $11::bigint[])
                     AS g (id, token, started_at, finished_at, attempt, worker, outcome, error_code, error_detail, run,
                           claimed_at)),
            events AS (
              INSERT INTO windrow_events (job_id, at, token, actor, event, detail)
              SELECT job_id, at, token, actor, event, detail
                FROM unnest($12::bigint[], $13::bigint[], $14::bigint[], $15::integer[], $16::text[], $17::text[])
                     WITH ORDINALITY AS g (job_id, at, token, actor, event, detail, n)
               ORDER BY n),
            counters AS (
              INSERT INTO windrow_counter_deltas (lane, attempt, n, state)
              SELECT * FROM unnest($18::integer[], $19::integer[], $20::bigint[], $21::text[]))
            SELECT pg_current_xact_id()::text
            """;

    // ---- claim -------------------------------------------------------------------------------------------------

    /**
     * The due time of the next scheduled job, among those at $1 or later ({@link DueCursor}). Also the next time at which the rate of a key is
     * checked again. By windrow_jobs_due, windrow_limits_wake.
     */
    public static final String NEXT_DUE = """
            SELECT (SELECT min(scheduled_at) FROM windrow_jobs WHERE state = 'SCHEDULED' AND scheduled_at >= $1),
                   (SELECT min(wakes_at) FROM windrow_limits WHERE wakes_at IS NOT NULL)
            """;

    /**
     * SCHEDULED -> PENDING: at most $2 jobs that are due from $3 to $1. Leaves out jobs that another transaction has locked. A job with a key cannot
     * be claimed yet, but a job of a sequence may have kept its position. By windrow_jobs_due.
     */
    public static final String PROMOTE = """
            UPDATE windrow_jobs
               SET state = 'PENDING', waits_for_permit = concurrency_key IS NOT NULL AND concurrency_limit IS DISTINCT FROM 0
             WHERE id IN (SELECT id FROM windrow_jobs
                           WHERE state = 'SCHEDULED' AND scheduled_at >= $3 AND scheduled_at <= $1
                           ORDER BY scheduled_at LIMIT $2::integer
                             FOR NO KEY UPDATE SKIP LOCKED)
               AND state || '' = 'SCHEDULED'
            RETURNING id, lane, priority, scheduled_at, concurrency_key
            """;

    /**
     * The lanes with ready jobs, locked or not, in the runs of lanes from $1 to $2. In the first lane of each run only jobs after the cursor $3 to $5
     * count. Steps by windrow_jobs_claim from one lane with ready jobs to the next one. Also returns the lanes $6, by primary key, with false in the
     * second column. Leaves out paused lanes. The third column is true if the lane is limited. The fourth one is the highest priority that is ready.
     */
    public static final String WAITING_LANES = """
            WITH RECURSIVE ready AS (
              SELECT j.lane, r.last, j.priority
                FROM unnest($1::integer[], $2::integer[], $3::integer[], $4::bigint[], $5::bigint[])
                     AS r (lane, last, rank, at, id)
               CROSS JOIN LATERAL (
                     SELECT h.lane, h.priority FROM windrow_jobs h
                      WHERE (h.lane, -h.priority, h.scheduled_at, h.id) > (r.lane, r.rank, r.at, r.id)
                        AND h.lane <= r.last AND h.state = 'PENDING' AND NOT h.waits_for_permit
                      ORDER BY h.lane, -h.priority, h.scheduled_at, h.id LIMIT 1) j
               UNION ALL
              SELECT j.lane, r.last, j.priority
                FROM ready r
               CROSS JOIN LATERAL (
                     SELECT h.lane, h.priority FROM windrow_jobs h
                      WHERE h.lane > r.lane AND h.lane <= r.last AND h.state = 'PENDING' AND NOT h.waits_for_permit
                      ORDER BY h.lane, -h.priority, h.scheduled_at, h.id LIMIT 1) j)
            SELECT r.lane, true, l.limited, r.priority
              FROM ready r
             CROSS JOIN LATERAL (
                   SELECT l.limited FROM windrow_lanes l WHERE l.id = r.lane AND l.paused_at IS NULL OFFSET 0) l
             UNION ALL
            SELECT l.id, false, l.limited, NULL FROM windrow_lanes l WHERE l.id = ANY ($6::integer[]) AND l.paused_at IS NULL
            """;

    /**
     * PENDING -> RUNNING: the first $8 jobs of priority -$11 or more in claim order, for worker $9. The lease begins at $3, or with the transaction
     * if $3 is null, and lasts $10 ms. The jobs are from lanes of queues $1 and types $2 that are neither paused nor limited. In each lane it reads
     * and locks at most $8 entries of windrow_jobs_claim after the lane's cursor ($4 to $7). Leaves out jobs that another transaction has locked. So
     * it is for claims from one lane, as far as this process knows. With several lanes it would lock as many jobs in each of them. The array and the
     * OFFSET prevent a plan that joins a whole index, which the planner would make while the tables are nearly empty.
     *
     * <p>The statement locks the current row of a job, but reads its input as it was when the statement began. Only a job with a dedupe key can have
     * got another input in between. {@link #CLAIMED_INPUTS} reads those inputs.
     *
     * <p>The last column is the number of the transaction. It is read once, and only if a job was claimed, because it costs a number.
     */
    public static final String CLAIM = """
            WITH head AS (
              SELECT j.id
                FROM windrow_lanes l
                LEFT JOIN unnest($4::integer[], $5::integer[], $6::bigint[], $7::bigint[]) AS m (lane, rank, at, id)
                       ON m.lane = l.id
               CROSS JOIN LATERAL (
                     SELECT h.id, h.priority, h.scheduled_at
                       FROM windrow_jobs h
                      WHERE h.lane = l.id AND h.state = 'PENDING' AND NOT h.waits_for_permit
                        AND (-h.priority, h.scheduled_at, h.id)
                            > (coalesce(m.rank, -2147483648), coalesce(m.at, -1), coalesce(m.id, -1))
                        AND -h.priority <= $11::integer
                      ORDER BY -h.priority, h.scheduled_at, h.id LIMIT $8::integer
                        FOR NO KEY UPDATE SKIP LOCKED) j
               WHERE l.queue = ANY ($1::text[]) AND l.type = ANY ($2::text[]) AND l.paused_at IS NULL AND NOT l.limited
               ORDER BY -j.priority, j.scheduled_at, j.id LIMIT $8::integer),
            claimed AS (
              UPDATE windrow_jobs j
                 SET state = 'RUNNING', token = j.token + 1, worker = $9, started_at = NULL,
                     lease_until = coalesce($3::bigint, (extract(epoch FROM now()) * 1000)::bigint) + $10::bigint,
                     claimed_at = coalesce($3::bigint, (extract(epoch FROM now()) * 1000)::bigint)
               WHERE j.id = ANY (ARRAY(SELECT id FROM head)) AND j.state = 'PENDING'
              RETURNING j.id, j.token, j.lane, j.priority, j.scheduled_at, j.used, j.max_attempts, j.concurrency_key, j.run)
            SELECT c.id, c.token, c.lane, c.priority, c.scheduled_at, c.used, c.max_attempts, i.timeout_ms, i.name,
                   i.retry_policy, i.traceparent, CASE WHEN i.dedupe_key IS NULL THEN i.payload END, i.dedupe_key,
                   c.concurrency_key, i.dedupe_type, c.run, (SELECT pg_current_xact_id()::text)
              FROM claimed c
             CROSS JOIN LATERAL (SELECT * FROM windrow_inputs i WHERE i.job_id = c.id OFFSET 0) i
             ORDER BY -c.priority, c.scheduled_at, c.id
            """;

    /**
     * PENDING -> RUNNING from several lanes: at most $7 jobs of priority -$11 or more, for worker $8. The lease begins at $6, or with the transaction
     * if $6 is null, and lasts $9 ms. The lanes are the runs from $1 to $2, in the first lane of each after the cursor $3 to $5. Reads the first $10
     * jobs in claim order without locks, then locks one after the other until it has $7. Leaves out jobs that another transaction has locked. It locks
     * no job that it does not claim. Returns how many jobs it has read, in a row without a job if it has claimed none. If it has claimed too few and
     * has read $10, there may be more. Jobs are found by windrow_jobs_claim, in steps from one lane with ready jobs to the next one
     * ({@link #WAITING_LANES}). Only the $10 lanes with the best first jobs are read further. Rows are locked by their location (ctid). If another
     * transaction has updated a row since the statement began, the row has another location. Then it is locked but not claimed, and the next claim
     * finds it.
     */
    public static final String CLAIM_OF_SEVERAL = """
            WITH RECURSIVE ready AS (
              SELECT j.lane, j.rank, j.at, j.id, r.last
                FROM unnest($1::integer[], $2::integer[], $3::integer[], $4::bigint[], $5::bigint[])
                     AS r (lane, last, rank, at, id)
               CROSS JOIN LATERAL (
                     SELECT h.lane, -h.priority AS rank, h.scheduled_at AS at, h.id
                       FROM windrow_jobs h
                      WHERE (h.lane, -h.priority, h.scheduled_at, h.id) > (r.lane, r.rank, r.at, r.id)
                        AND h.lane <= r.last AND h.state = 'PENDING' AND NOT h.waits_for_permit
                      ORDER BY h.lane, -h.priority, h.scheduled_at, h.id LIMIT 1) j
               UNION ALL
              SELECT j.lane, j.rank, j.at, j.id, r.last
                FROM ready r
               CROSS JOIN LATERAL (
                     SELECT h.lane, -h.priority AS rank, h.scheduled_at AS at, h.id
                       FROM windrow_jobs h
                      WHERE h.lane > r.lane AND h.lane <= r.last AND h.state = 'PENDING' AND NOT h.waits_for_permit
                      ORDER BY h.lane, -h.priority, h.scheduled_at, h.id LIMIT 1) j),
            head AS MATERIALIZED (
              SELECT b.lane, j.tid
                FROM (SELECT r.lane, r.rank, r.at, r.id
                        FROM ready r
                       CROSS JOIN LATERAL (
                             SELECT 1 FROM windrow_lanes l
                              WHERE l.id = r.lane AND l.paused_at IS NULL AND NOT l.limited OFFSET 0) l
                       WHERE r.rank <= $11::integer
                       ORDER BY r.rank, r.at, r.id LIMIT $10::integer) b
               CROSS JOIN LATERAL (
                     SELECT h.ctid AS tid, h.id, h.priority, h.scheduled_at
                       FROM windrow_jobs h
                      WHERE h.lane = b.lane AND h.state = 'PENDING' AND NOT h.waits_for_permit
                        AND (-h.priority, h.scheduled_at, h.id) >= (b.rank, b.at, b.id) AND -h.priority <= $11::integer
                      ORDER BY -h.priority, h.scheduled_at, h.id LIMIT $10::integer) j
               ORDER BY -j.priority, j.scheduled_at, j.id LIMIT $10::integer),
            locked AS MATERIALIZED (
              SELECT j.tid
                FROM head
               CROSS JOIN LATERAL (
                     SELECT h.ctid AS tid FROM windrow_jobs h
                      WHERE h.ctid = head.tid AND h.lane = head.lane AND h.state || '' = 'PENDING' AND NOT h.waits_for_permit
                        FOR NO KEY UPDATE SKIP LOCKED) j
               LIMIT $7::integer),
            claimed AS (
              UPDATE windrow_jobs j
                 SET state = 'RUNNING', token = j.token + 1, worker = $8, started_at = NULL,
                     lease_until = coalesce($6::bigint, (extract(epoch FROM now()) * 1000)::bigint) + $9::bigint,
                     claimed_at = coalesce($6::bigint, (extract(epoch FROM now()) * 1000)::bigint)
               WHERE j.ctid = ANY (ARRAY(SELECT tid FROM locked)) AND j.state || '' = 'PENDING'
              RETURNING j.id, j.token, j.lane, j.priority, j.scheduled_at, j.used, j.max_attempts, j.concurrency_key, j.run)
            SELECT c.id, c.token, c.lane, c.priority, c.scheduled_at, c.used, c.max_attempts, i.timeout_ms, i.name,
                   i.retry_policy, i.traceparent, CASE WHEN i.dedupe_key IS NULL THEN i.payload END, i.dedupe_key,
                   c.concurrency_key, i.dedupe_type, c.run,
                   CASE WHEN c.id IS NOT NULL THEN (SELECT pg_current_xact_id()::text) END, looked.n
              FROM (SELECT count(*) AS n FROM head) looked
              LEFT JOIN (claimed c
                         CROSS JOIN LATERAL (SELECT * FROM windrow_inputs i WHERE i.job_id = c.id OFFSET 0) i) ON true
             ORDER BY -c.priority, c.scheduled_at, c.id
            """;

    /** The inputs of the jobs $1, which were just claimed. Nothing can change them any more. By primary key. */
    static final String CLAIMED_INPUTS = """
            SELECT job_id, name, payload, timeout_ms, retry_policy, traceparent
              FROM windrow_inputs WHERE job_id = ANY ($1::bigint[])
            """;

    // ---- locked rows -------------------------------------------------------------------------------------------

    /** Locks the jobs of $1 that no other transaction has locked, and returns them. By primary key. */
    public static final String FREE = """
            SELECT j.id FROM windrow_jobs j
             WHERE j.id = ANY ($1::bigint[])
               FOR NO KEY UPDATE SKIP LOCKED
            """;

    /**
     * The first $2 children that wait for each of the jobs $1. The end of the job updates them. By windrow_edges_parent: see
     * {@link WorkflowSql#SATISFY_EDGES}.
     */
    public static final String WAITING_CHILDREN = """
            SELECT e.parent, e.child
              FROM unnest($1::bigint[]) AS g (id)
             CROSS JOIN LATERAL (
                   SELECT e.parent, e.child FROM windrow_edges e
                    WHERE e.parent <= g.id AND (e.parent, e.child) >= (g.id, 0) AND NOT e.satisfied
                    ORDER BY e.parent, e.child LIMIT $2::integer) e
            """;

    // ---- report ------------------------------------------------------------------------------------------------

    /**
     * The jobs of $1 that still run under the tokens $2: the guard of all reports. Locks the rows, so that no transaction ends the attempt before
     * this commit. By primary key.
     */
    static final String STILL_HELD = """
            SELECT j.id, j.token
              FROM unnest($1::bigint[], $2::bigint[]) AS g (id, token)
              JOIN windrow_jobs j ON j.id = g.id AND j.token = g.token AND j.state || '' = 'RUNNING'
             ORDER BY j.id
               FOR NO KEY UPDATE OF j
            """;

    /** Writes the last progress of jobs. By primary key. */
    public static final String WRITE_PROGRESS = """
            INSERT INTO windrow_progress (job_id, token, at, fraction, message) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (job_id) DO UPDATE
               SET token = excluded.token, at = excluded.at, fraction = excluded.fraction, message = excluded.message
            """;

    /** The number of a job's last log line. One step into the primary key. */
    public static final String LAST_LOG_LINE = """
            SELECT max(seq) FROM windrow_log_lines WHERE job_id = $1
            """;

    public static final String INSERT_LOG_LINES = """
            INSERT INTO windrow_log_lines (job_id, token, seq, at, level, message)
            SELECT $1, $2, seq, at, level, message
              FROM unnest($3::bigint[], $4::bigint[], $5::text[], $6::text[]) AS g (seq, at, level, message)
            """;

    /** Deletes log lines that are too old. By primary key. */
    public static final String TRIM_LOG = """
            DELETE FROM windrow_log_lines WHERE job_id = $1 AND seq <= $2
            """;

    // ---- settle: all by primary key, guarded by (id, RUNNING, token), return the applied rows

    /** RUNNING, still this token: records that the handler was called. */
    public static final String MARK_STARTED = """
            UPDATE windrow_jobs j SET started_at = g.at
              FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS g (id, token, at)
             WHERE j.id = g.id AND j.state || '' = 'RUNNING' AND j.token = g.token
            RETURNING j.id, j.token
            """;

    /** RUNNING -> COMPLETED. The row keeps the attempt. */
    public static final String SETTLE_COMPLETED = """
            UPDATE windrow_jobs j
               SET state = 'COMPLETED', used = j.used + g.burned, started_at = g.started_at, finished_at = g.finished_at,
                   lease_until = NULL, error_code = NULL, error_detail = NULL, cancel_requested = 0
              FROM unnest($1::bigint[], $2::bigint[], $3::integer[], $4::bigint[], $5::bigint[])
                   AS g (id, token, burned, started_at, finished_at)
             WHERE j.id = g.id AND j.state || '' = 'RUNNING' AND j.token = g.token
            RETURNING j.id, j.token, j.claimed_at
            """;

    /** RUNNING -> COMPLETED as above. Inserts the results $6 of the jobs that it completes. A job has at most one, because COMPLETED is final. */
    public static final String SETTLE_WITH_RESULTS = """
            WITH ended AS (
              UPDATE windrow_jobs j
                 SET state = 'COMPLETED', used = j.used + g.burned, started_at = g.started_at, finished_at = g.finished_at,
                     lease_until = NULL, error_code = NULL, error_detail = NULL, cancel_requested = 0
                FROM unnest($1::bigint[], $2::bigint[], $3::integer[], $4::bigint[], $5::bigint[], $6::text[])
                     AS g (id, token, burned, started_at, finished_at, result)
               WHERE j.id = g.id AND j.state || '' = 'RUNNING' AND j.token = g.token
              RETURNING j.id, j.token, j.claimed_at, g.result),
            results AS (
              INSERT INTO windrow_results (job_id, result) SELECT id, result FROM ended WHERE result IS NOT NULL)
            SELECT id, token, claimed_at FROM ended
            """;

    /** RUNNING -> FAILED. */
    public static final String SETTLE_FAILED = """
            UPDATE windrow_jobs j
               SET state = 'FAILED', used = j.used + g.burned, started_at = g.started_at, finished_at = g.finished_at,
                   worker = NULL, lease_until = NULL, error_code = g.error_code, error_detail = g.error_detail,
                   cancel_requested = 0
              FROM unnest($1::bigint[], $2::bigint[], $3::integer[], $4::bigint[], $5::bigint[], $6::text[], $7::text[])
                   AS g (id, token, burned, started_at, finished_at, error_code, error_detail)
             WHERE j.id = g.id AND j.state || '' = 'RUNNING' AND j.token = g.token
            RETURNING j.id, j.token, j.claimed_at
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
            RETURNING j.id, j.token, j.claimed_at
            """;

    /** RUNNING -> SCHEDULED: a retry (burned = 1) or a snooze (0), due later. Not if cancellation was requested. */
    public static final String SETTLE_SCHEDULED = """
            UPDATE windrow_jobs j
               SET state = 'SCHEDULED', used = j.used + g.burned, started_at = g.started_at, finished_at = NULL,
                   worker = NULL, lease_until = NULL, error_code = coalesce(g.error_code, j.error_code),
                   error_detail = coalesce(g.error_detail, j.error_detail), scheduled_at = g.due
              FROM unnest($1::bigint[], $2::bigint[], $3::integer[], $4::bigint[], $6::text[], $7::text[], $8::bigint[])
                   AS g (id, token, burned, started_at, error_code, error_detail, due)
             WHERE j.id = g.id AND j.state || '' = 'RUNNING' AND j.token = g.token AND j.cancel_requested = 0
            RETURNING j.id, j.token, j.claimed_at
            """;

    /** RUNNING -> PENDING: handed back, at its old position in the order. Not if cancellation was requested. */
    static final String SETTLE_PENDING = """
            UPDATE windrow_jobs j
               SET state = 'PENDING', used = j.used + g.burned, started_at = g.started_at, finished_at = NULL,
                   worker = NULL, lease_until = NULL
              FROM unnest($1::bigint[], $2::bigint[], $3::integer[], $4::bigint[]) AS g (id, token, burned, started_at)
             WHERE j.id = g.id AND j.state || '' = 'RUNNING' AND j.token = g.token AND j.cancel_requested = 0
            RETURNING j.id, j.token, j.claimed_at, j.priority, j.scheduled_at
            """;

    /** RUNNING -> BLOCKED: parked until an event or a time. Not if cancellation was requested. */
    static final String SETTLE_BLOCKED = """
            UPDATE windrow_jobs j
               SET state = 'BLOCKED', used = j.used + g.burned, started_at = g.started_at, finished_at = NULL,
                   worker = NULL, lease_until = NULL, waiting_for = 'EVENT', wake_at = g.due,
                   wake_state = CASE WHEN g.due IS NOT NULL THEN 'FAILED' END
              FROM unnest($1::bigint[], $2::bigint[], $3::integer[], $4::bigint[], $8::bigint[])
                   AS g (id, token, burned, started_at, due)
             WHERE j.id = g.id AND j.state || '' = 'RUNNING' AND j.token = g.token AND j.cancel_requested = 0
            RETURNING j.id, j.token, j.claimed_at
            """;

    static final String INSERT_ATTEMPT_TEXTS = """
            INSERT INTO windrow_attempt_texts (job_id, token, kind, text)
            SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[])
            """;

    /**
     * Deletes the attempts of job $1 with tokens from $2 to $3, with their texts and all events of these tokens. One event by actor $4 with their
     * number, which includes the claims and starts that the attempts tell, replaces the first of these events. An earlier truncation's event is extended instead. LOST attempts are counted, and stay. By the
     * primary keys.
     */
    static final String TRIM_HISTORY = """
            WITH lost AS (
              SELECT array_agg(token) AS tokens FROM windrow_attempts
               WHERE job_id = $1 AND token BETWEEN $2 AND $3 AND outcome = 'LOST'),
            attempts AS (
              DELETE FROM windrow_attempts WHERE job_id = $1 AND token BETWEEN $2 AND $3 AND outcome <> 'LOST'
              RETURNING started_at),
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
              SELECT min(seq) AS seq, min(at) AS at,
                     count(*) + (SELECT count(*) + count(started_at) FROM attempts) AS events,
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

    /** Inserts results. A job has at most one result, and no completion from outside replaces it, because COMPLETED is final. */
    static final String INSERT_RESULTS = """
            INSERT INTO windrow_results (job_id, result) SELECT * FROM unnest($1::bigint[], $2::text[])
            """;

    /**
     * RUNNING, still this token: extends the lease until $3. Leaves out rows that another transaction has locked. By primary key with any planner
     * statistics. A join of the three tables could read all jobs for each pair, and leases would expire in that time.
     */
    public static final String RENEW = """
            UPDATE windrow_jobs j SET lease_until = $3
             WHERE j.id = ANY (ARRAY(
                   SELECT h.id
                     FROM unnest($1::bigint[], $2::bigint[]) AS g (id, token)
                    CROSS JOIN LATERAL (
                          SELECT h.id FROM windrow_jobs h
                           WHERE h.id = g.id AND h.token = g.token AND h.state || '' = 'RUNNING'
                             FOR NO KEY UPDATE SKIP LOCKED) h))
               AND j.state || '' = 'RUNNING'
            RETURNING j.id, j.token
            """;

    /** The jobs of $1 that run under the tokens $2, locked or not. By primary key. */
    public static final String HELD = """
            SELECT j.id, j.token
              FROM unnest($1::bigint[], $2::bigint[]) AS g (id, token)
              JOIN windrow_jobs j ON j.id = g.id AND j.token = g.token AND j.state || '' = 'RUNNING'
            """;

    // ---- changes from outside: by primary key, guarded by (id, state as read) ----------------------------------

    /** The data of jobs that a change needs. Locks the jobs in the order of their ids. */
    public static final String READ_FOR_CHANGE = """
            SELECT j.id, j.state, j.lane, j.token, j.used, j.open_parents, j.worker, j.started_at, j.cancel_requested,
                   j.priority, j.scheduled_at, j.error_code, j.finished_at, i.dedupe_key, i.dedupe_scope,
                   j.concurrency_key, j.wait_ms,
                   CASE j.wake_state WHEN 'FAILED' THEN j.wake_at END, i.dedupe_type, j.run
              FROM windrow_jobs j
              LEFT JOIN LATERAL (
                   SELECT i.dedupe_key, i.dedupe_scope, i.dedupe_type
                     FROM windrow_inputs i WHERE i.job_id = j.id OFFSET 0) i ON true
             WHERE j.id = ANY ($1::bigint[])
             ORDER BY j.id
               FOR UPDATE OF j
            """;

    /** The data of jobs that a change needs, only of jobs that no other transaction has locked. */
    static final String READ_FREE_FOR_CHANGE = """
            SELECT j.id, j.state, j.lane, j.token, j.used, j.open_parents, j.worker, j.started_at, j.cancel_requested,
                   j.priority, j.scheduled_at, j.error_code, j.finished_at, i.dedupe_key, i.dedupe_scope,
                   j.concurrency_key, j.wait_ms,
                   CASE j.wake_state WHEN 'FAILED' THEN j.wake_at END, i.dedupe_type, j.run
              FROM windrow_jobs j
              LEFT JOIN LATERAL (
                   SELECT i.dedupe_key, i.dedupe_scope, i.dedupe_type
                     FROM windrow_inputs i WHERE i.job_id = j.id OFFSET 0) i ON true
             WHERE j.id = ANY ($1::bigint[])
             ORDER BY j.id
               FOR UPDATE OF j SKIP LOCKED
            """;

    /** BLOCKED | SCHEDULED | PENDING ($2) -> CANCELLED: the jobs $1, which are locked. Returns the ones that were changed. By primary key. */
    static final String CANCEL = """
            UPDATE windrow_jobs j
               SET state = 'CANCELLED', finished_at = $3, waiting_for = NULL, wake_at = NULL, wake_state = NULL,
                   waits_for_permit = false
              FROM unnest($1::bigint[], $2::text[]) AS g (id, state)
             WHERE j.id = g.id AND j.state = g.state
            RETURNING j.id
            """;

    /** RUNNING, still this token: records that $3 requests cancellation. The state does not change, and the first request counts. */
    public static final String REQUEST_CANCEL = """
            UPDATE windrow_jobs SET cancel_requested = $3
             WHERE id = $1 AND state || '' = 'RUNNING' AND token = $2 AND cancel_requested = 0
            """;

    /**
     * FAILED | CANCELLED ($2) -> PENDING at $5 | BLOCKED without a time of its own ($3): the jobs $1, which are locked, in a new run with all attempts
     * available again. Token and history stay. Returns the ones that were changed. By primary keys.
     */
    static final String RETRY = """
            UPDATE windrow_jobs j
               SET state = g.after, used = 0, run = j.run + 1, max_attempts = coalesce(g.max_attempts, j.max_attempts),
                   scheduled_at = coalesce(g.scheduled_at, (SELECT i.created_at FROM windrow_inputs i WHERE i.job_id = j.id)),
                   finished_at = NULL, started_at = NULL, waiting_for = g.waiting_for, cancel_requested = 0
              FROM unnest($1::bigint[], $2::text[], $3::text[], $4::integer[], $5::bigint[], $6::text[])
                   AS g (id, state, after, max_attempts, scheduled_at, waiting_for)
             WHERE j.id = g.id AND j.state = g.state
            RETURNING j.id
            """;

    /** Any unfinished state -> COMPLETED | FAILED ($3). Token + 1 fences off a running attempt. Returns the time of the last claim, or 0. */
    static final String FINISH_EXTERNALLY = """
            UPDATE windrow_jobs
               SET state = $3, token = token + 1, finished_at = $4, error_code = $5, error_detail = $6, worker = NULL,
                   lease_until = NULL, waiting_for = NULL, wake_at = NULL, wake_state = NULL, waits_for_permit = false,
                   cancel_requested = 0
             WHERE id = $1 AND state = $2
            RETURNING coalesce(claimed_at, 0)
            """;

    /** SCHEDULED -> PENDING before their time, as if they were due now: the jobs $1, which are locked. Returns the ones that were changed. By primary key. */
    static final String TRIGGER = """
            UPDATE windrow_jobs SET state = 'PENDING', scheduled_at = least(scheduled_at, $2)
             WHERE id = ANY ($1::bigint[]) AND state || '' = 'SCHEDULED'
            RETURNING id
            """;

    /**
     * Takes blobs of more than 4 MiB in parts away from the jobs $1, which are locked and are deleted or get another payload. The blobs then belong
     * to no job, are incomplete, and are swept first. By windrow_blobs_job.
     */
    static final String LEAVE_LONG_BLOBS = """
            UPDATE windrow_blobs SET job_id = NULL, kind = NULL, bytes = NULL, sha256 = NULL, created_at = 0
             WHERE job_id = ANY ($1::bigint[]) AND file IS NULL AND bytes > 4194304
            """;

    /**
     * COMPLETED | FAILED | CANCELLED ($2) -> deleted: the jobs $1, which are locked and were checked before, with all their rows, and the keys $4 of
     * types $3. A key of a COMPLETED job stays without it until its window has ended ($5), or forever. Returns the number of deleted jobs. By primary keys, windrow_edges_parent, windrow_blobs_job.
     */
    public static final String DELETE = """
            WITH gone AS (
              DELETE FROM windrow_jobs j USING unnest($1::bigint[], $2::text[]) AS g (id, state)
               WHERE j.id = g.id AND j.state || '' = g.state
              RETURNING j.id),
            inputs AS (DELETE FROM windrow_inputs WHERE job_id = ANY ($1::bigint[])),
            results AS (DELETE FROM windrow_results WHERE job_id = ANY ($1::bigint[])),
            tags AS (DELETE FROM windrow_tags WHERE job_id = ANY ($1::bigint[])),
            metadata AS (DELETE FROM windrow_metadata WHERE job_id = ANY ($1::bigint[])),
            attempts AS (DELETE FROM windrow_attempts WHERE job_id = ANY ($1::bigint[])),
            texts AS (DELETE FROM windrow_attempt_texts WHERE job_id = ANY ($1::bigint[])),
            events AS (DELETE FROM windrow_events WHERE job_id = ANY ($1::bigint[])),
            parents AS (DELETE FROM windrow_edges WHERE child = ANY ($1::bigint[])),
            children AS (DELETE FROM windrow_edges WHERE parent = ANY ($1::bigint[]) AND child <> ALL ($1::bigint[])),
            releases AS (DELETE FROM windrow_releases WHERE parent = ANY ($1::bigint[])),
            progress AS (DELETE FROM windrow_progress WHERE job_id = ANY ($1::bigint[])),
            log AS (DELETE FROM windrow_log_lines WHERE job_id = ANY ($1::bigint[])),
            steps AS (DELETE FROM windrow_steps WHERE job_id = ANY ($1::bigint[])),
            turns AS (DELETE FROM windrow_permits WHERE job_id = ANY ($1::bigint[])),
            blobs AS (DELETE FROM windrow_blobs WHERE job_id = ANY ($1::bigint[]) RETURNING id),
            chunks AS (DELETE FROM windrow_blob_chunks WHERE blob_id IN (SELECT id FROM blobs)),
            keys AS (
              DELETE FROM windrow_dedupe d USING unnest($3::text[], $4::text[], $1::bigint[], $2::text[]) AS k (type, key, job_id, state)
               WHERE d.type = k.type AND d.key = k.key AND d.job_id = k.job_id
                 AND (k.state <> 'COMPLETED' OR (d.scope = 'WINDOW' AND d.expires_at <= $5)))
            SELECT count(*) FROM gone
            """;

    /** A job outside of $2 that depends on $1 and is not COMPLETED. By windrow_edges_parent, windrow_jobs_pkey. */
    public static final String NEEDING_CHILD = """
            SELECT c.id
              FROM (SELECT e.child FROM windrow_edges e WHERE e.parent = $1 AND e.child <> ALL ($2::bigint[]) OFFSET 0) e
             CROSS JOIN LATERAL (SELECT c.id, c.state FROM windrow_jobs c WHERE c.id = e.child OFFSET 0) c
             WHERE c.state <> 'COMPLETED'
             LIMIT 1
            """;

    // ---- leases ------------------------------------------------------------------------------------------------

    /**
     * The suspects that are still as they were seen, because the decision about them was based on that. Locks them. Leaves out jobs that another
     * transaction has locked, such as the holder that settles. By primary key.
     */
    static final String STILL_SUSPECT = """
            SELECT j.id, j.token, j.lane, j.started_at, j.worker, j.cancel_requested,
                   (SELECT i.dedupe_key FROM windrow_inputs i WHERE i.job_id = j.id), j.concurrency_key,
                   (SELECT i.dedupe_type FROM windrow_inputs i WHERE i.job_id = j.id), j.run
              FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::integer[]) AS g (id, token, lease_until, started)
              JOIN windrow_jobs j ON j.id = g.id AND j.state || '' = 'RUNNING' AND j.token = g.token
                                 AND j.lease_until = g.lease_until AND (j.started_at IS NOT NULL) = (g.started = 1)
               FOR NO KEY UPDATE OF j SKIP LOCKED
            """;

    /** The suspects that are still as they were seen, locked or not. Locks nothing. */
    static final String LOOKS_SUSPECT = """
            SELECT j.id, j.token
              FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::integer[]) AS g (id, token, lease_until, started)
              JOIN windrow_jobs j ON j.id = g.id AND j.state || '' = 'RUNNING' AND j.token = g.token
                                 AND j.lease_until = g.lease_until AND (j.started_at IS NOT NULL) = (g.started = 1)
            """;

    /** Changes no row, because no job has this number. But it fails or waits if renewals fail or wait at this table. */
    public static final String TOUCH = """
            UPDATE windrow_jobs SET lease_until = lease_until WHERE id = -1
            """;

    public static final String WAIT_A_MOMENT = """
            SELECT 1 FROM pg_sleep(0.005)
            """;

    // ---- changes of other transactions -------------------------------------------------------------------------

    /** The lanes with ready jobs that are not paused, by the counters, because the index may be full of dead entries. */
    public static final String READY_LANES = """
            SELECT l.queue, l.type
              FROM windrow_lanes l
              JOIN (SELECT c.lane, sum(c.n) AS n
                      FROM (SELECT lane, n FROM windrow_counters WHERE state = 'PENDING'
                             UNION ALL
                            SELECT lane, n FROM windrow_counter_deltas WHERE state = 'PENDING') c
                     GROUP BY c.lane) ready ON ready.lane = l.id AND ready.n > 0
             WHERE l.paused_at IS NULL
            """;

    /** The running jobs with a request to cancel. Reads as many entries of windrow_jobs_running as jobs are running. */
    public static final String CANCEL_REQUESTS = """
            SELECT id, token FROM windrow_jobs WHERE state = 'RUNNING' AND cancel_requested <> 0
            """;

    /**
     * The running jobs whose leases expired before $1, or end after $2. Such a lease ends further ahead than one lease of this worker, because the
     * clock stepped back. It must also end further ahead than a lease of its own worker. At most $3, after ($4, $5). Reads as many entries of
     * windrow_jobs_running as jobs are running, locked or not. The other columns are read by primary keys. A job is returned even if a name is
     * missing, so that it can be reclaimed.
     */
    public static final String SUSPECTS = """
            SELECT j.id, j.token, j.lease_until, j.used, j.max_attempts, j.started_at IS NOT NULL,
                   (SELECT count(*) FROM windrow_attempts t WHERE t.job_id = j.id AND t.outcome = 'LOST'),
                   j.cancel_requested <> 0, (SELECT i.retry_policy FROM windrow_inputs i WHERE i.job_id = j.id),
                   coalesce(a.name, ''), w.expires_at - w.heartbeat_at, coalesce(l.type, '')
              FROM windrow_jobs j
              LEFT JOIN windrow_lanes l ON l.id = j.lane
              LEFT JOIN windrow_actors a ON a.id = j.worker
              LEFT JOIN windrow_workers w ON w.actor = j.worker
             WHERE j.state = 'RUNNING' AND (j.lease_until, j.id) > ($4::bigint, $5::bigint)
               AND (j.lease_until < $1 OR j.lease_until > $2)
               AND (j.lease_until < $1 OR j.lease_until > $1 + coalesce(w.expires_at - w.heartbeat_at, 0))
             ORDER BY j.lease_until, j.id LIMIT $3
            """;

    /** The jobs that the workers of process $1 hold, at most $2. Reads as many entries of windrow_jobs_running as jobs are running. */
    public static final String HELD_BY = """
            SELECT j.id, j.token, j.lease_until, j.used, j.max_attempts, j.started_at IS NOT NULL,
                   (SELECT count(*) FROM windrow_attempts t WHERE t.job_id = j.id AND t.outcome = 'LOST'),
                   j.cancel_requested <> 0, (SELECT i.retry_policy FROM windrow_inputs i WHERE i.job_id = j.id), w.name,
                   w.expires_at - w.heartbeat_at, coalesce(l.type, '')
              FROM windrow_jobs j
              LEFT JOIN windrow_lanes l ON l.id = j.lane
              JOIN windrow_workers w ON w.actor = j.worker
             WHERE j.state = 'RUNNING' AND w.process = $1
             ORDER BY j.lease_until, j.id LIMIT $2
            """;
}
