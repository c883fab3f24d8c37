package dev.windrow.postgres.step;

import dev.windrow.postgres.job.JobSql;

/** The statements of durable steps, and of waits for external completion. They follow the rules of {@link JobSql}. */
public final class StepSql {
    private StepSql() {}

    // ---- durable steps: their job is locked --------------------------------------------------------------------

    /** Adds a step after the last one of its job, unless one of its name exists, or $11 steps exist. By windrow_steps_position. */
    public static final String INSERT_STEP = """
            INSERT INTO windrow_steps (job_id, name, position, kind, state, result, until_at, token, started_at,
                                       finished_at, actor)
            SELECT $1, $2, l.position + 1, $3, $4, $5, $6, $7, $8, $9, $10
              FROM (SELECT coalesce(max(position), 0) AS position FROM windrow_steps WHERE job_id + 0 = $1) l
             WHERE l.position < $11
            ON CONFLICT (job_id, name) DO NOTHING
            """;

    /** The step of a name. By primary keys. */
    public static final String READ_STEP = """
            SELECT s.name, s.kind, s.state, s.result, s.until_at, s.started_at, s.finished_at,
                   (SELECT a.name FROM windrow_actors a WHERE a.id = s.actor)
              FROM windrow_steps s
             WHERE s.job_id = $1 AND s.name = $2
            """;

    /** WAITING -> DONE | TIMED_OUT ($3): its time is over, and stays so. By primary key. */
    public static final String END_STEP = """
            UPDATE windrow_steps SET state = $3, finished_at = $4
             WHERE job_id = $1 AND name = $2 AND state = 'WAITING'
            """;

    /** An event, WAITING -> DONE: it has come. By primary key. */
    public static final String ARRIVE = """
            UPDATE windrow_steps SET state = 'DONE', result = $3, finished_at = $4, actor = $5
             WHERE job_id = $1 AND name = $2 AND kind = 'EVENT' AND state = 'WAITING' AND until_at > $4
            """;

    /** The events of a job that have not come by $2, WAITING -> TIMED_OUT. By primary key. */
    public static final String TIME_OUT_EVENTS = """
            UPDATE windrow_steps SET state = 'TIMED_OUT', finished_at = $2
             WHERE job_id = $1 AND kind = 'EVENT' AND state = 'WAITING' AND until_at <= $2
            """;

    /** Deletes the steps of jobs that are retried from their start. By primary key. */
    public static final String FORGET_STEPS = """
            DELETE FROM windrow_steps WHERE job_id = ANY ($1::bigint[])
            """;

    /** The data of a job that a signal needs, and at last the time until which it awaits an event. Locks the job. By primary key. */
    public static final String READ_FOR_SIGNAL = """
            SELECT state, lane, token, concurrency_key, CASE wake_state WHEN 'PENDING' THEN wake_at END,
                   started_at IS NOT NULL
              FROM windrow_jobs WHERE id = $1
               FOR NO KEY UPDATE
            """;

    /** The data of a job that a signal needs, unless another transaction has locked it. Locks the job. */
    public static final String READ_FREE_FOR_SIGNAL = """
            SELECT state, lane, token, concurrency_key, CASE wake_state WHEN 'PENDING' THEN wake_at END,
                   started_at IS NOT NULL
              FROM windrow_jobs WHERE id = $1
               FOR NO KEY UPDATE SKIP LOCKED
            """;

    /** BLOCKED, just parked: awaits event $2, if that has not come and has not timed out. By primary keys. */
    public static final String AWAIT = """
            UPDATE windrow_jobs j SET wake_at = s.until_at, wake_state = 'PENDING'
              FROM windrow_steps s
             WHERE j.id = $1 AND j.state || '' = 'BLOCKED'
               AND s.job_id = $1 AND s.name = $2 AND s.kind = 'EVENT' AND s.state = 'WAITING'
            RETURNING j.wake_at
            """;

    /** BLOCKED -> PENDING: the awaited event has come, or its time is over. By primary key. */
    public static final String WAKE = """
            UPDATE windrow_jobs
               SET state = 'PENDING', scheduled_at = $2, waiting_for = NULL, wake_at = NULL, wake_state = NULL
             WHERE id = $1 AND state || '' = 'BLOCKED' AND waiting_for = 'EVENT'
            RETURNING priority
            """;

    // ---- external completion ----------------------------------------------------------------------------

    /** Stores how long the new jobs $1 wait for external completion ($2) after their parents have ended. By primary key. */
    static final String KEEP_WAITS = """
            UPDATE windrow_jobs j SET wait_ms = g.wait_ms
              FROM unnest($1::bigint[], $2::bigint[]) AS g (id, wait_ms)
             WHERE j.id = g.id
            """;

    /** BLOCKED, with no open parent: the jobs $1 wait until $2 for external completion. By primary key. */
    static final String BEGIN_WAITS = """
            UPDATE windrow_jobs j SET waiting_for = 'EVENT', wake_at = g.until, wake_state = 'FAILED'
              FROM unnest($1::bigint[], $2::bigint[]) AS g (id, until)
             WHERE j.id = g.id AND j.state || '' = 'BLOCKED' AND j.open_parents = 0
            """;

    /** The first $2 waits that have timed out at $1, and whether each is for an event. By windrow_jobs_wake. */
    public static final String DUE_WAITS = """
            SELECT id, wake_state = 'PENDING' FROM windrow_jobs
             WHERE wake_at <= $1 AND wake_state IN ('FAILED', 'PENDING') AND state || '' = 'BLOCKED'
             ORDER BY wake_at LIMIT $2::integer
            """;

    /** The time at which the next wait times out. By windrow_jobs_wake. */
    public static final String NEXT_WAIT = """
            SELECT min(wake_at) FROM windrow_jobs WHERE wake_at IS NOT NULL
            """;

    /** All durable steps of a job, in order. By windrow_steps_position. */
    public static final String READ_STEPS = """
            SELECT s.name, s.kind, s.state, s.result, s.until_at, s.started_at, s.finished_at, a.name
              FROM windrow_steps s
              LEFT JOIN windrow_actors a ON a.id = s.actor
             WHERE s.job_id + 0 = $1
             ORDER BY s.position
            """;

    /** The number of jobs that wait until a time, and the time at which the first one times out. Walks windrow_jobs_wake. */
    public static final String COUNT_WAITS = """
            SELECT count(*), min(wake_at) FROM windrow_jobs WHERE wake_at IS NOT NULL
            """;
}
