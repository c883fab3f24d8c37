package dev.windrow.sqlite.monitor;

/**
 * The statements that count jobs and retries, sum up minutes and hours, and write the audit. Written like the statements in {@link
 * dev.windrow.sqlite.job.JobSql}.
 */
public final class CounterSql {
    private CounterSql() {}

    /** Records a change of jobs, or of another thing. */
    public static final String INSERT_AUDIT = """
            INSERT INTO windrow_audit (at, actor, action, jobs, detail, reason) VALUES (?1, ?2, ?3, ?4, ?5, ?6) RETURNING id
            """;

    /** Records a job of an entry. */
    public static final String INSERT_AUDIT_JOBS = """
            INSERT INTO windrow_audit_jobs (audit_id, job_id, state_before, state_after) VALUES (?1, ?2, ?3, ?4)
            """;

    /** Records the jobs in ?2 (a JSON array) of the entry ?1, which does not change them. By primary key. */
    public static final String INSERT_REVEALED_JOBS = """
            INSERT INTO windrow_audit_jobs (audit_id, job_id, state_before, state_after)
            SELECT ?1, j.id, j.state, j.state FROM json_each(?2) w CROSS JOIN windrow_jobs j ON j.id = w.value
            """;

    /** Removes the patches of the metadata of the jobs in ?1 (a JSON array) from the audit. By windrow_audit_jobs_job, primary key. */
    public static final String REDACT_METADATA = """
            UPDATE windrow_audit SET detail = '{"metadata":"(removed)"}'
             WHERE id IN (SELECT a.audit_id FROM json_each(?1) w CROSS JOIN windrow_audit_jobs a ON a.job_id = w.value)
               AND +action = 'MERGE_METADATA'
            """;

    public static final String ADD_COUNTER = """
            INSERT INTO windrow_counters (lane, state, n) VALUES (?1, ?2, ?3)
            ON CONFLICT (lane, state) DO UPDATE SET n = n + excluded.n
            """;

    public static final String ADD_RETRY_COUNTER = """
            INSERT INTO windrow_retry_counters (lane, attempt, n) VALUES (?1, ?2, ?3)
            ON CONFLICT (lane, attempt) DO UPDATE SET n = n + excluded.n
            """;

    public static final String READ_SUMS = """
            SELECT succeeded, failed, wait_ms, run_ms, wait_bins, run_bins, wait_max, run_max FROM windrow_throughput
             WHERE length = ?1 AND minute = ?2 AND lane = ?3
            """;

    /** Writes the sums of a minute or an hour, unless the lane is deleted. By primary keys. */
    public static final String WRITE_SUMS = """
            INSERT INTO windrow_throughput (succeeded, failed, wait_ms, run_ms, wait_bins, run_bins, wait_max, run_max,
                                            length, minute, lane)
            SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, id FROM windrow_lanes WHERE id = ?11
            ON CONFLICT (length, minute, lane) DO UPDATE
               SET succeeded = excluded.succeeded, failed = excluded.failed, wait_ms = excluded.wait_ms,
                   run_ms = excluded.run_ms, wait_bins = excluded.wait_bins, run_bins = excluded.run_bins,
                   wait_max = excluded.wait_max, run_max = excluded.run_max
            """;

    /** The time of an entry. By primary key. */
    public static final String READ_AUDIT_TIME = """
            SELECT at FROM windrow_audit WHERE id = ?1
            """;

    /** The newest ?1 entries from ?2 and before ?3, after the entry ?5 of the time ?4, by windrow_audit_at. */
    public static final String READ_AUDIT = """
            SELECT u.id, u.at, u.action, a.name, u.jobs, u.detail, u.reason
              FROM windrow_audit u CROSS JOIN windrow_actors a ON a.id = u.actor
             WHERE u.at >= ?2 AND u.at < ?3 AND (u.at < ?4 OR u.id < ?5)
             ORDER BY u.at DESC, u.id DESC LIMIT ?1
            """;

    /** The newest ?1 entries of the verb ?6 from ?2 and before ?3, after the entry ?5 of the time ?4, by windrow_audit_action. */
    public static final String READ_AUDIT_OF_ACTION = """
            SELECT u.id, u.at, u.action, a.name, u.jobs, u.detail, u.reason
              FROM windrow_audit u CROSS JOIN windrow_actors a ON a.id = u.actor
             WHERE u.action = ?6 AND u.at >= ?2 AND u.at < ?3 AND (u.at < ?4 OR u.id < ?5)
             ORDER BY u.at DESC, u.id DESC LIMIT ?1
            """;

    /**
     * The newest ?1 entries of the actor ?7 from ?2 and before ?3, after the entry ?5 of the time ?4, and of the verb ?6 if it is not null. By
     * windrow_audit_actor.
     */
    public static final String READ_AUDIT_OF_ACTOR = """
            SELECT u.id, u.at, u.action, a.name, u.jobs, u.detail, u.reason
              FROM windrow_actors a CROSS JOIN windrow_audit u ON u.actor = a.id
             WHERE a.name = ?7 AND a.instance = ''
               AND u.at >= ?2 AND u.at < ?3 AND (u.at < ?4 OR u.id < ?5) AND (?6 IS NULL OR u.action = ?6)
             ORDER BY u.at DESC, u.id DESC LIMIT ?1
            """;

    /**
     * The newest ?1 entries about the job ?8 from ?2 and before ?3, after the entry ?5 of the time ?4, of the verb ?6 and the actor ?7 if they are not
     * null. By windrow_audit_jobs_job. Sorts the entries of one job.
     */
    public static final String READ_AUDIT_OF_JOB = """
            SELECT u.id, u.at, u.action, a.name, u.jobs, u.detail, u.reason
              FROM windrow_audit_jobs j CROSS JOIN windrow_audit u ON u.id = j.audit_id CROSS JOIN windrow_actors a ON a.id = u.actor
             WHERE j.job_id = ?8
               AND u.at >= ?2 AND u.at < ?3 AND (u.at < ?4 OR u.id < ?5) AND (?6 IS NULL OR u.action = ?6) AND (?7 IS NULL OR a.name = ?7)
             ORDER BY u.at DESC, u.id DESC LIMIT ?1
            """;

    /** The jobs of the entries in ?1 (a JSON array), by primary key. */
    public static final String READ_AUDIT_JOBS = """
            SELECT j.audit_id, j.job_id, j.state_before, j.state_after
              FROM json_each(?1) w CROSS JOIN windrow_audit_jobs j ON j.audit_id = w.value ORDER BY j.audit_id, j.job_id
            """;

    /** The counts of each lane and state. Scans a small table with a row for each lane and state. */
    public static final String COUNTERS = """
            SELECT l.id, c.state, c.n FROM windrow_lanes l CROSS JOIN windrow_counters c ON c.lane = l.id
            """;

    /** All lanes. Scans a small table with a row for each lane. */
    public static final String COUNTED_LANES = """
            SELECT id, queue, type, paused_at IS NOT NULL FROM windrow_lanes
            """;

    /** The lowest priority of the ready jobs of lane ?1. One step into windrow_jobs_claim. */
    public static final String LOWEST_READY = """
            SELECT min(priority) FROM windrow_jobs WHERE lane = ?1 AND state = 'PENDING' AND waits_for_permit = 0
            """;

    /**
     * The time since which the oldest ready job of each lane in ?1 (a JSON array) has been due. Null if the lane has no ready job. One step through
     * windrow_jobs_claim for each priority that is in use.
     */
    public static final String LANE_LAGS = """
            SELECT w.value, (
                   WITH RECURSIVE head (priority) AS (
                     SELECT max(priority) FROM windrow_jobs WHERE lane = w.value AND state = 'PENDING' AND waits_for_permit = 0
                     UNION ALL
                     SELECT (SELECT max(j.priority) FROM windrow_jobs j
                              WHERE j.lane = w.value AND j.state = 'PENDING' AND j.waits_for_permit = 0 AND j.priority < head.priority)
                       FROM head WHERE head.priority IS NOT NULL
                   )
                   SELECT min((SELECT min(j.scheduled_at) FROM windrow_jobs j
                                WHERE j.lane = w.value AND j.state = 'PENDING' AND j.waits_for_permit = 0 AND j.priority = head.priority))
                     FROM head WHERE head.priority IS NOT NULL)
              FROM json_each(?1) w
            """;

    /** The 20 running jobs with the oldest heartbeats. Reads as many entries of windrow_jobs_lease as jobs are running, twice. */
    public static final String OLDEST_RUNNING = """
            SELECT j.id, l.type, a.name, coalesce(j.started_at, j.claimed_at),
                   coalesce(j.lease_until - (w.expires_at - w.heartbeat_at), j.claimed_at) AS heartbeat,
                   (SELECT min(coalesce(r.started_at, r.claimed_at)) FROM windrow_jobs r WHERE r.state = 'RUNNING')
              FROM windrow_jobs j
              JOIN windrow_lanes l ON l.id = j.lane
              JOIN windrow_actors a ON a.id = j.worker
              LEFT JOIN windrow_workers w ON w.actor = j.worker
             WHERE j.state = 'RUNNING'
             ORDER BY heartbeat, j.claimed_at, j.id LIMIT 20
            """;

    /** The retries of each type and attempt. Scans a small table with a row for each lane and attempt. */
    public static final String RETRIES = """
            SELECT l.type, c.attempt, sum(c.n) FROM windrow_retry_counters c CROSS JOIN windrow_lanes l ON l.id = c.lane
             GROUP BY l.type, c.attempt ORDER BY l.type, c.attempt
            """;

    /**
     * The unfinished jobs with failed attempts of each type and next attempt, at most 100 000 of them. Reads as many entries of
     * windrow_jobs_retrying.
     */
    public static final String LIVE_RETRIES = """
            SELECT l.type, f.used + 1, count(*)
              FROM (SELECT used, lane FROM windrow_jobs
                     WHERE used > 0 AND finished_at IS NULL
                     ORDER BY used DESC, lane DESC LIMIT 100000) f
             CROSS JOIN windrow_lanes l ON l.id = f.lane
             GROUP BY l.type, f.used ORDER BY l.type, f.used
            """;

    /** The workers that are alive at ?1 and have handlers that do not end. Scans a small table with a row for each worker. */
    public static final String STUCK_SLOTS = """
            SELECT name, stuck FROM windrow_workers WHERE expires_at > ?1 AND stuck > 0 ORDER BY name
            """;
}
