package dev.windrow.sqlite.schedule;

import dev.windrow.sqlite.job.JobSql;

/** The statements of schedules and their runs. Written like the statements in {@link JobSql}. */
public final class ScheduleSql {
    private ScheduleSql() {}

    /** All schedules, each with the actor that has paused it. By windrow_schedules' unique index of names, in their order. */
    public static final String READ_SCHEDULES = """
            SELECT s.*, a.name AS pauser FROM windrow_schedules s LEFT JOIN windrow_actors a ON a.id = s.paused_by
             ORDER BY s.name
            """;

    /** The schedule named ?1. By its unique index of names. */
    public static final String READ_SCHEDULE = """
            SELECT s.*, a.name AS pauser FROM windrow_schedules s LEFT JOIN windrow_actors a ON a.id = s.paused_by
             WHERE s.name = ?1
            """;

    /** The schedules that are due at ?1, after (?2, ?3). By windrow_schedules_next. */
    public static final String DUE_SCHEDULES = """
            SELECT s.*, NULL AS pauser FROM windrow_schedules s
             WHERE s.paused_at IS NULL AND s.next_at <= ?1 AND (s.next_at, s.id) > (?2, ?3)
             ORDER BY s.next_at, s.id LIMIT ?4
            """;

    /** The schedules that were last handled by a clock that was ahead of ?1. By windrow_schedules_fired. */
    public static final String AHEAD_SCHEDULES = """
            SELECT s.*, NULL AS pauser FROM windrow_schedules s
             WHERE s.paused_at IS NULL AND s.fired_at > ?1
             ORDER BY s.fired_at LIMIT ?2
            """;

    /** The next due time of any schedule after ?1. By windrow_schedules_next. */
    public static final String NEXT_SCHEDULE = """
            SELECT min(next_at) FROM windrow_schedules WHERE paused_at IS NULL AND next_at > ?1
            """;

    /** The number of schedules, the number of paused ones, and the first due time of the others. Walks the table. */
    public static final String COUNT_SCHEDULES = """
            SELECT count(*), count(paused_at), min(CASE WHEN paused_at IS NULL THEN next_at END) FROM windrow_schedules
            """;

    /** A new schedule. */
    public static final String INSERT_SCHEDULE = """
            INSERT INTO windrow_schedules (
                   id, name, queue, type, payload, job_name, priority, max_attempts, timeout_ms, retry_policy, tags, concurrency_key,
                   concurrency_limit, cron, zone, every_ms, starts_at, misfire, overlap, next_at, revision, changed_at, created_at, fired_at, created_by, metadata)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, 1, ?21, ?21, ?21, ?22, ?23)
            """;

    /** Changes a schedule. By primary key. */
    public static final String UPDATE_SCHEDULE = """
            UPDATE windrow_schedules
               SET queue = ?3, type = ?4, payload = ?5, job_name = ?6, priority = ?7, max_attempts = ?8, timeout_ms = ?9, retry_policy = ?10,
                   tags = ?11, metadata = ?23, concurrency_key = ?12, concurrency_limit = ?13, cron = ?14, zone = ?15, every_ms = ?16, starts_at = ?17,
                   misfire = ?18, overlap = ?19, next_at = ?20, fired_at = ?22, revision = revision + 1, changed_at = ?21
             WHERE id = ?1 AND name = ?2
            """;

    /** Pauses a schedule. By primary key. */
    public static final String PAUSE_SCHEDULE = """
            UPDATE windrow_schedules
               SET paused_at = coalesce(paused_at, ?2), paused_by = ?3, pause_reason = ?4, next_at = NULL, revision = revision + 1,
                   changed_at = ?2
             WHERE id = ?1
            """;

    /** Resumes a schedule. By primary key. */
    public static final String RESUME_SCHEDULE = """
            UPDATE windrow_schedules
               SET paused_at = NULL, paused_by = NULL, pause_reason = NULL, next_at = ?3, fired_at = ?2, revision = revision + 1,
                   changed_at = ?2
             WHERE id = ?1
            """;

    /** Deletes a schedule, and its runs by the foreign key. By primary key. */
    public static final String REMOVE_SCHEDULE = """
            DELETE FROM windrow_schedules WHERE id = ?1
            """;

    /** Records that a schedule has made a job outside of its due times. By primary key. */
    public static final String RAN_SCHEDULE = """
            UPDATE windrow_schedules SET last_job = ?2, revision = revision + 1 WHERE id = ?1
            """;

    /** A row if a schedule is unchanged since it was read. By primary key. */
    static final String IS_SCHEDULE_AS_READ = """
            SELECT 1 FROM windrow_schedules WHERE id = ?1 AND revision = ?2 AND paused_at IS NULL
            """;

    /** Records that the due times of a schedule were handled. By primary key. */
    static final String CHANGED_SCHEDULE = """
            UPDATE windrow_schedules SET next_at = ?3, last_at = ?4, fired_at = ?5, last_job = ?6, revision = revision + 1
             WHERE id = ?1 AND revision = ?2
            """;

    /** A row if the chain of job ?1 has not ended. By primary key and windrow_jobs_chain. */
    static final String OPEN_CHAINS = """
            SELECT 1 FROM windrow_jobs l
             WHERE l.id = (SELECT coalesce((SELECT n.id FROM windrow_jobs n
                                             WHERE n.chain_id = coalesce(j.chain_id, j.id) AND n.chain_index > 0
                                             ORDER BY n.chain_index DESC LIMIT 1), j.id)
                             FROM windrow_jobs j WHERE j.id = ?1)
               AND l.state <> 'COMPLETED' AND l.state <> 'FAILED' AND l.state <> 'CANCELLED'
            """;

    /** The due times from ?2 to ?3 for which schedule ?1 has made jobs. By primary key. */
    static final String MADE_RUNS = """
            SELECT due_at FROM windrow_schedule_runs
             WHERE schedule_id = ?1 AND due_at BETWEEN ?2 AND ?3 AND outcome = 'ENQUEUED'
            """;

    /** Records the outcome of a due time. Does not replace the run of a due time for which a job was made. By primary key. */
    static final String INSERT_RUN = """
            INSERT INTO windrow_schedule_runs (schedule_id, due_at, until_at, runs, fired_at, outcome, job_id)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            ON CONFLICT (schedule_id, due_at) DO UPDATE
               SET until_at = excluded.until_at, runs = excluded.runs, fired_at = excluded.fired_at, outcome = excluded.outcome,
                   job_id = excluded.job_id
             WHERE outcome <> 'ENQUEUED'
            """;

    /** Deletes all runs of schedule ?1 but the newest ?2. By primary key. */
    public static final String PRUNE_RUNS = """
            DELETE FROM windrow_schedule_runs
             WHERE schedule_id = ?1
               AND due_at < (SELECT due_at FROM windrow_schedule_runs WHERE schedule_id = ?1
                              ORDER BY due_at DESC LIMIT 1 OFFSET ?2 - 1)
            """;

    /** Deletes the missed runs after ?2, because the clock was set back to ?2 and they will be due again. By primary key. */
    public static final String DROP_MISSED_RUNS = """
            DELETE FROM windrow_schedule_runs WHERE schedule_id = ?1 AND due_at > ?2 AND outcome <> 'ENQUEUED'
            """;

    /** Shortens a row of missed runs that begins no later than ?2 and ends after it, because the clock was set back to ?2. By primary key. */
    public static final String CUT_MISSED_RUNS = """
            UPDATE windrow_schedule_runs SET until_at = ?2, runs = NULL
             WHERE schedule_id = ?1 AND due_at <= ?2 AND until_at > ?2 AND outcome <> 'ENQUEUED'
            """;

    /** The number of stored runs of schedule ?1, and the first one. By primary key. */
    public static final String COUNT_RUNS = """
            SELECT count(*), min(due_at) FROM windrow_schedule_runs WHERE schedule_id = ?1
            """;

    /** The newest runs of the schedule named ?1. By its unique index of names and primary key. */
    public static final String READ_RUNS = """
            SELECT r.due_at, r.until_at, r.runs, r.fired_at, r.outcome, r.job_id
              FROM windrow_schedules s CROSS JOIN windrow_schedule_runs r ON r.schedule_id = s.id
             WHERE s.name = ?1 ORDER BY r.due_at DESC LIMIT ?2
            """;
}
