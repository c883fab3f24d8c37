package dev.windrow.postgres.schedule;

import dev.windrow.postgres.job.JobSql;

/** The statements of schedules and their runs. By primary key unless the comment names an index. They follow the rules of {@link JobSql}. */
public final class ScheduleSql {
    private ScheduleSql() {}

    /** The schedule named $1, locked. By its unique index of names. */
    public static final String LOCK_SCHEDULE = """
            SELECT s.*, (SELECT a.name FROM windrow_actors a WHERE a.id = s.paused_by) AS pauser
              FROM windrow_schedules s WHERE s.name = $1 FOR UPDATE OF s
            """;

    /** Inserts a new schedule, unless one of this name exists. */
    public static final String INSERT_SCHEDULE = """
            INSERT INTO windrow_schedules (
                   id, name, queue, type, payload, job_name, priority, max_attempts, timeout_ms, retry_policy, tags, concurrency_key,
                   concurrency_limit, cron, zone, every_ms, starts_at, misfire, overlap, next_at, changed_at, created_at, fired_at, created_by, metadata)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $21, $21, $22, $23)
            ON CONFLICT (name) DO NOTHING
            """;

    /** Updates the definition of a schedule. */
    public static final String UPDATE_SCHEDULE = """
            UPDATE windrow_schedules
               SET queue = $3, type = $4, payload = $5, job_name = $6, priority = $7, max_attempts = $8, timeout_ms = $9, retry_policy = $10,
                   tags = $11, metadata = $23, concurrency_key = $12, concurrency_limit = $13, cron = $14, zone = $15, every_ms = $16, starts_at = $17,
                   misfire = $18, overlap = $19, next_at = $20, fired_at = $22, revision = revision + 1, changed_at = $21
             WHERE id = $1 AND name || '' = $2
            """;

    public static final String PAUSE_SCHEDULE = """
            UPDATE windrow_schedules
               SET paused_at = coalesce(paused_at, $2), paused_by = $3, pause_reason = $4, next_at = NULL, revision = revision + 1,
                   changed_at = $2
             WHERE id = $1
            """;

    public static final String RESUME_SCHEDULE = """
            UPDATE windrow_schedules
               SET paused_at = NULL, paused_by = NULL, pause_reason = NULL, next_at = $3, fired_at = $2, revision = revision + 1,
                   changed_at = $2
             WHERE id = $1
            """;

    /** Deletes a schedule with its runs. */
    public static final String REMOVE_SCHEDULE = """
            WITH runs AS (DELETE FROM windrow_schedule_runs WHERE schedule_id = $1)
            DELETE FROM windrow_schedules WHERE id = $1
            """;

    /** Records a job that the schedule has made outside of its times. */
    public static final String RAN_SCHEDULE = """
            UPDATE windrow_schedules SET last_job = $2, revision = revision + 1 WHERE id = $1
            """;

    /**
     * The schedules $1 that are unchanged since they were read, at revisions $2, locked. Leaves out schedules that another transaction runs or
     * changes.
     */
    static final String LOCK_SCHEDULES_AS_READ = """
            SELECT s.id
              FROM unnest($1::bigint[], $2::bigint[]) AS f (id, revision)
              JOIN windrow_schedules s ON s.id = f.id
             WHERE s.revision = f.revision AND s.paused_at IS NULL
             ORDER BY s.id FOR UPDATE OF s SKIP LOCKED
            """;

    /** Records the runs of schedules: their next and last times, and their last jobs. */
    static final String CHANGED_SCHEDULES = """
            UPDATE windrow_schedules s
               SET next_at = f.next_at, last_at = f.last_at, last_job = f.last_job, fired_at = $6, revision = s.revision + 1
              FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[])
                   AS f (id, revision, next_at, last_at, last_job)
             WHERE s.id = f.id AND s.revision = f.revision
            """;

    /** The jobs $1 whose chains have not ended. By primary keys and windrow_inputs_chain. */
    static final String OPEN_CHAINS = """
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

    /** Records the outcomes of due times, at $7. Does not overwrite runs for which jobs were made. Returns the number of recorded jobs. */
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

    /** Deletes all but the newest $2 runs of schedule $1. */
    public static final String PRUNE_RUNS = """
            DELETE FROM windrow_schedule_runs
             WHERE schedule_id = $1
               AND due_at < (SELECT due_at FROM windrow_schedule_runs WHERE schedule_id = $1
                              ORDER BY due_at DESC LIMIT 1 OFFSET $2::integer - 1)
            """;

    /** Deletes missed runs after $2, because the clock was set back to $2 and they will come again. */
    public static final String DROP_MISSED_RUNS = """
            DELETE FROM windrow_schedule_runs WHERE schedule_id = $1 AND due_at > $2 AND outcome <> 'ENQUEUED'
            """;

    /** Shortens a row of consecutive missed due times that ends after $2 to $2, because the clock was set back. */
    public static final String CUT_MISSED_RUNS = """
            UPDATE windrow_schedule_runs SET until_at = $2, runs = NULL
             WHERE schedule_id = $1 AND due_at <= $2 AND until_at > $2 AND outcome <> 'ENQUEUED'
            """;

    /** The number of kept runs of schedule $1, and the first due time. */
    public static final String COUNT_RUNS = """
            SELECT count(*), min(due_at) FROM windrow_schedule_runs WHERE schedule_id = $1
            """;

    /** All schedules, and the actors that have paused them. Scans a table that has one row for each schedule. */
    public static final String READ_SCHEDULES = """
            SELECT s.*, a.name AS pauser FROM windrow_schedules s LEFT JOIN windrow_actors a ON a.id = s.paused_by
             ORDER BY s.name
            """;

    /** The schedule named $1. By its unique index of names. */
    public static final String READ_SCHEDULE = """
            SELECT s.*, a.name AS pauser FROM windrow_schedules s LEFT JOIN windrow_actors a ON a.id = s.paused_by
             WHERE s.name = $1
            """;

    /** The schedules that are due at $1, after ($2, $3). By windrow_schedules_next. */
    public static final String DUE_SCHEDULES = """
            SELECT s.*, NULL AS pauser FROM windrow_schedules s
             WHERE s.paused_at IS NULL AND s.next_at <= $1 AND (s.next_at, s.id) > ($2::bigint, $3::bigint)
             ORDER BY s.next_at, s.id LIMIT $4::integer
            """;

    /** The schedules that last ran by a clock that was ahead of $1. By windrow_schedules_fired. */
    public static final String AHEAD_SCHEDULES = """
            SELECT s.*, NULL AS pauser FROM windrow_schedules s
             WHERE s.paused_at IS NULL AND s.fired_at > $1
             ORDER BY s.fired_at LIMIT $2::integer
            """;

    /** The next due time after $1. By windrow_schedules_next. */
    public static final String NEXT_SCHEDULE = """
            SELECT min(next_at) FROM windrow_schedules WHERE paused_at IS NULL AND next_at > $1
            """;

    /** The number of schedules, the number of paused ones, and the first due time of the others. Walks the table. */
    public static final String COUNT_SCHEDULES = """
            SELECT count(*), count(paused_at), min(next_at) FILTER (WHERE paused_at IS NULL) FROM windrow_schedules
            """;

    /** The newest runs of the schedule named $1. By its unique index of names and primary key. */
    public static final String READ_RUNS = """
            SELECT r.due_at, r.until_at, r.runs, r.fired_at, r.outcome, r.job_id
              FROM windrow_schedule_runs r
             WHERE r.schedule_id = (SELECT s.id FROM windrow_schedules s WHERE s.name = $1)
             ORDER BY r.due_at DESC LIMIT $2::integer
            """;
}
