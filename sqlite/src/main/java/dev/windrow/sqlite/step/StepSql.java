package dev.windrow.sqlite.step;

import dev.windrow.sqlite.job.JobSql;

/** The statements of durable steps, and of waits for external completion. Written like the statements in {@link JobSql}. */
public final class StepSql {
    private StepSql() {}

    // ---- durable steps -----------------------------------------------------------------------------------------

    /** Adds a step after the last one of its job, unless a step of its name exists or the job has ?11 steps. By windrow_steps_position. */
    public static final String INSERT_STEP = """
            INSERT INTO windrow_steps (job_id, name, position, kind, state, result, until_at, token, started_at,
                                       finished_at, actor)
            SELECT ?1, ?2, coalesce(max(position), 0) + 1, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10
              FROM windrow_steps WHERE job_id = ?1
            HAVING coalesce(max(position), 0) < ?11
            ON CONFLICT (job_id, name) DO NOTHING
            """;

    /** The step with a name. By primary keys. */
    public static final String READ_STEP = """
            SELECT s.name, s.kind, s.state, s.result, s.until_at, s.started_at, s.finished_at, a.name
              FROM windrow_steps s
              LEFT JOIN windrow_actors a ON a.id = s.actor
             WHERE s.job_id = ?1 AND s.name = ?2
            """;

    /** All steps of a job, in order. By windrow_steps_position. */
    public static final String READ_STEPS = """
            SELECT s.name, s.kind, s.state, s.result, s.until_at, s.started_at, s.finished_at, a.name
              FROM windrow_steps s
              LEFT JOIN windrow_actors a ON a.id = s.actor
             WHERE s.job_id = ?1
             ORDER BY s.position
            """;

    /** WAITING -> DONE | TIMED_OUT (?3): its time is over, finally. By primary key. */
    public static final String END_STEP = """
            UPDATE windrow_steps SET state = ?3, finished_at = ?4
             WHERE job_id = ?1 AND name = ?2 AND state = 'WAITING'
            """;

    /** An event, WAITING -> DONE: it has come. By primary key. */
    public static final String ARRIVE = """
            UPDATE windrow_steps SET state = 'DONE', result = ?3, finished_at = ?4, actor = ?5
             WHERE job_id = ?1 AND name = ?2 AND kind = 'EVENT' AND state = 'WAITING' AND until_at > ?4
            """;

    /** The events of a job that have not come by ?2, WAITING -> TIMED_OUT. By primary key. */
    public static final String TIME_OUT_EVENTS = """
            UPDATE windrow_steps SET state = 'TIMED_OUT', finished_at = ?2
             WHERE job_id = ?1 AND kind = 'EVENT' AND state = 'WAITING' AND until_at <= ?2
            """;

    /** Deletes the steps of a job, for a retry from the start. By primary key. */
    public static final String FORGET_STEPS = """
            DELETE FROM windrow_steps WHERE job_id = ?1
            """;

    /** The columns of a job that a signal needs. The last one is the time until which the job awaits an event. By primary key. */
    public static final String READ_FOR_SIGNAL = """
            SELECT state, lane, token, concurrency_key, CASE WHEN state = 'BLOCKED' AND wake_state = 'PENDING' THEN wake_at END,
                   started_at IS NOT NULL
              FROM windrow_jobs WHERE id = ?1
            """;

    /** BLOCKED, just parked: awaits event ?2, if the event has not come and its time is not over. By primary keys. */
    public static final String AWAIT = """
            UPDATE windrow_jobs
               SET wake_at = (SELECT until_at FROM windrow_steps WHERE job_id = ?1 AND name = ?2), wake_state = 'PENDING'
             WHERE id = ?1 AND state = 'BLOCKED'
               AND EXISTS (SELECT 1 FROM windrow_steps
                            WHERE job_id = ?1 AND name = ?2 AND kind = 'EVENT' AND state = 'WAITING')
            RETURNING wake_at
            """;

    /** BLOCKED -> PENDING: the event that it awaited has come, or its time is over. By primary key. */
    public static final String WAKE = """
            UPDATE windrow_jobs
               SET state = 'PENDING', scheduled_at = ?2, waiting_for = NULL, wake_at = NULL, wake_state = NULL
             WHERE id = ?1 AND state = 'BLOCKED' AND waiting_for = 'EVENT'
            RETURNING priority
            """;

    // ---- external completion ----------------------------------------------------------------------------

    /** Stores how long a new job waits for external completion, once its parents have ended. By primary key. */
    static final String KEEP_WAIT = """
            UPDATE windrow_jobs SET wait_ms = ?2 WHERE id = ?1
            """;

    /** BLOCKED, by no parent any more: waits until ?2 for external completion. By primary key. */
    static final String BEGIN_WAIT = """
            UPDATE windrow_jobs SET waiting_for = 'EVENT', wake_at = ?2, wake_state = 'FAILED'
             WHERE id = ?1 AND state = 'BLOCKED' AND open_parents = 0
            """;

    /** The waits that have timed out at ?1, the first ones first, at most ?2, and whether each is for an event. By windrow_jobs_wake. */
    public static final String DUE_WAITS = """
            SELECT id, wake_state = 'PENDING' FROM windrow_jobs
             WHERE state = 'BLOCKED' AND wake_at <= ?1 AND wake_state IN ('FAILED', 'PENDING')
             ORDER BY wake_at LIMIT ?2
            """;

    /** The time at which the next wait times out. By windrow_jobs_wake. */
    public static final String NEXT_WAIT = """
            SELECT min(wake_at) FROM windrow_jobs WHERE wake_at IS NOT NULL
            """;

    /** The number of jobs that wait until a time, and the first such time. Walks windrow_jobs_wake. */
    public static final String COUNT_WAITS = """
            SELECT count(*), min(wake_at) FROM windrow_jobs WHERE wake_at IS NOT NULL
            """;
}
