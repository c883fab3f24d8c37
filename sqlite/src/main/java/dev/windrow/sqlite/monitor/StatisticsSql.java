package dev.windrow.sqlite.monitor;

import dev.windrow.sqlite.job.JobSql;

/**
 * The statements of the sums for operators: failures by code, and the attempts that ended in each minute and hour. Written like the statements in
 * {@link JobSql}.
 */
public final class StatisticsSql {
    private StatisticsSql() {}

    // ---- failures by code: in the transactions that move jobs --------------------------------------------------

    /**
     * Adds ?2, which may be negative, to the number of FAILED jobs with code ?1 ('' for none). If jobs have failed now, ?3 is the first time and ?4
     * the last time; else both are null. By primary key.
     */
    public static final String ADD_FAILURES = """
            INSERT INTO windrow_failures (error_code, n, first_at, last_at) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (error_code) DO UPDATE
               SET n = n + excluded.n,
                   first_at = coalesce(min(first_at, excluded.first_at), first_at, excluded.first_at),
                   last_at = coalesce(max(last_at, excluded.last_at), last_at, excluded.last_at)
            """;

    /**
     * The 20 codes with the most FAILED jobs and the codes ?1, a JSON array, and the newest job of each. Scans a small table with a row for each stored
     * code. One step through windrow_jobs_failed_code for each code that is returned.
     */
    public static final String FAILURES = """
            SELECT f.error_code, f.n, f.first_at, f.last_at,
                   CASE f.error_code
                     WHEN '' THEN (SELECT max(j.id) FROM windrow_jobs j WHERE j.state = 'FAILED' AND j.error_code IS NULL)
                     ELSE (SELECT max(j.id) FROM windrow_jobs j WHERE j.state = 'FAILED' AND j.error_code = f.error_code) END
              FROM windrow_failures f
             WHERE f.n > 0
               AND f.error_code IN (
                   SELECT w.value FROM json_each(?1) w
                    UNION
                   SELECT most.error_code
                     FROM (SELECT error_code FROM windrow_failures WHERE n > 0 ORDER BY n DESC, error_code LIMIT 20) most)
             ORDER BY f.n DESC, f.error_code
            """;

    /**
     * The newest ?2 jobs that failed at ?1 or later and are FAILED now, counted by code ('' for none) and by hour from ?1 on, with the first time. Walks
     * windrow_jobs_failed_at, which covers the query.
     */
    public static final String FAILURE_TREND = """
            SELECT coalesce(f.error_code, ''), (f.finished_at - ?1) / 3600000, count(*), min(f.finished_at)
              FROM (SELECT error_code, finished_at FROM windrow_jobs INDEXED BY windrow_jobs_failed_at
                     WHERE state = 'FAILED' AND finished_at >= ?1
                     ORDER BY finished_at DESC LIMIT ?2) f
             GROUP BY 1, 2
            """;

    /** Deletes codes with which no job is FAILED and none has failed since ?1. Scans a small table with a row for each code. */
    public static final String FORGET_FAILURES = """
            DELETE FROM windrow_failures WHERE n = 0 AND coalesce(last_at, 0) < ?1
            """;

    // ---- minutes and hours -------------------------------------------------------------------------------------

    /**
     * The attempts that ended in the periods of ?1 minutes (1 or 60) that begin in the minutes ?2 to ?3, for each type and period; of the type ?4 and
     * the queue ?5, unless they are null. The bins of a period are its JSON arrays, one after the other. By primary key.
     */
    public static final String THROUGHPUT = """
            SELECT l.type, m.minute, sum(m.succeeded), sum(m.failed),
                   sum(m.wait_ms), max(m.wait_max), group_concat(m.wait_bins, ''),
                   sum(m.run_ms), max(m.run_max), group_concat(m.run_bins, '')
              FROM windrow_throughput m CROSS JOIN windrow_lanes l ON l.id = m.lane
             WHERE m.length = ?1 AND m.minute >= ?2 AND m.minute <= ?3
               AND (?4 IS NULL OR l.type = ?4) AND (?5 IS NULL OR l.queue = ?5)
             GROUP BY l.type, m.minute
            """;

    // ---- diagnosis: scans by purpose ---------------------------------------------------------------------------

    /** Codes whose sums differ from the counts of jobs, with both numbers. Walks windrow_jobs_failed_code, and scans the table of the sums. */
    public static final String WRONG_FAILURES = """
            SELECT coalesce(f.error_code, c.error_code), coalesce(f.n, 0), coalesce(c.n, 0)
              FROM windrow_failures f
              FULL JOIN (SELECT coalesce(error_code, '') AS error_code, count(*) AS n
                           FROM windrow_jobs INDEXED BY windrow_jobs_failed_code WHERE state = 'FAILED' GROUP BY 1) c ON c.error_code = f.error_code
             WHERE coalesce(f.n, 0) <> coalesce(c.n, 0)
            """;
}
