package dev.windrow.postgres.monitor;

import dev.windrow.postgres.job.JobSql;

/** The statements of the sums that operators read: failures by code, and ended attempts by minute and hour. They follow the rules of {@link JobSql}. */
public final class StatisticsSql {
    private StatisticsSql() {}

    // ---- failures by code --------------------------------------------------------------------------------------

    /**
     * Adds $2 to the numbers of FAILED jobs with the codes $1 ('' for none); a negative number subtracts. $3 and $4 are the first and the last time
     * of the new failures, or null. Only inserts, so that no transaction waits for another.
     */
    public static final String ADD_FAILURES = """
            INSERT INTO windrow_failure_deltas (error_code, n, first_at, last_at)
            SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[])
            """;

    /** Moves the deltas of transactions into the sums. Scans a table that holds the deltas since the last compaction. */
    public static final String COMPACT_FAILURES = """
            WITH gone AS (DELETE FROM windrow_failure_deltas RETURNING error_code, n, first_at, last_at),
            sums AS (
              INSERT INTO windrow_failures (error_code, n, first_at, last_at)
              SELECT error_code, sum(n), min(first_at), max(last_at) FROM gone GROUP BY error_code
              ON CONFLICT (error_code) DO UPDATE
                 SET n = windrow_failures.n + excluded.n,
                     first_at = least(windrow_failures.first_at, excluded.first_at),
                     last_at = greatest(windrow_failures.last_at, excluded.last_at))
            SELECT count(*) FROM gone
            """;

    /**
     * The 20 codes with the most FAILED jobs, compacted or not, and the codes $1, and the newest job of each. Scans tables with one row for each code
     * that ever occurred, and for each failure since the last compaction. One step through windrow_jobs_failed for each returned code. It asks for a
     * range of codes. With an equality the order by code would mean nothing, and the server could walk the other index of failed jobs instead.
     */
    public static final String FAILURES = """
            SELECT f.error_code, f.n, f.first_at, f.last_at,
                   CASE f.error_code
                     WHEN '' THEN (SELECT j.id FROM windrow_jobs j WHERE j.state = 'FAILED' AND j.error_code IS NULL
                                    ORDER BY j.error_code DESC, j.id DESC LIMIT 1)
                     ELSE (SELECT j.id FROM windrow_jobs j
                            WHERE j.state = 'FAILED' AND j.error_code >= f.error_code AND j.error_code <= f.error_code
                            ORDER BY j.error_code DESC, j.id DESC LIMIT 1) END
              FROM (SELECT c.error_code, sum(c.n)::bigint AS n, min(c.first_at) AS first_at, max(c.last_at) AS last_at,
                           row_number() OVER (ORDER BY sum(c.n) DESC, c.error_code) AS place
                      FROM (SELECT error_code, n, first_at, last_at FROM windrow_failures
                             UNION ALL
                            SELECT error_code, n, first_at, last_at FROM windrow_failure_deltas) c
                     GROUP BY c.error_code
                    HAVING sum(c.n) > 0) f
             WHERE f.place <= 20 OR f.error_code = ANY ($1::text[])
             ORDER BY f.n DESC, f.error_code
            """;

    /**
     * The newest $2 jobs that failed at $1 or later and are FAILED now, counted by code ('' for none) and by hour from $1 on, with the first time. By
     * windrow_jobs_failed_at.
     */
    public static final String FAILURE_TREND = """
            SELECT coalesce(f.error_code, ''), (f.finished_at - $1) / 3600000, count(*), min(f.finished_at)
              FROM (SELECT error_code, finished_at FROM windrow_jobs
                     WHERE state = 'FAILED' AND finished_at >= $1
                     ORDER BY finished_at DESC LIMIT $2) f
             GROUP BY 1, 2
            """;

    /**
     * Deletes codes with which no job is FAILED and no job has failed since $1, because they are no longer of interest. A sum of 0 can be deleted
     * although deltas remain. The next compaction then inserts it again. Scans a table that has one row for each code.
     */
    public static final String FORGET_FAILURES = """
            DELETE FROM windrow_failures WHERE n = 0 AND coalesce(last_at, 0) < $1
            """;

    // ---- minutes and hours -------------------------------------------------------------------------------------

    /**
     * The attempts that ended in the periods of $1 minutes (1 or 60) that begin in the minutes $2 to $3, for each type and period; of the type $4 and
     * the queue $5, unless they are null. The bins of a period are its arrays as texts, one after the other. By windrow_throughput_pkey.
     */
    public static final String THROUGHPUT = """
            SELECT l.type, m.minute, sum(m.succeeded)::bigint, sum(m.failed)::bigint,
                   sum(m.wait_ms)::bigint, max(m.wait_max), string_agg(m.wait_bins::text, ''),
                   sum(m.run_ms)::bigint, max(m.run_max), string_agg(m.run_bins::text, '')
              FROM (SELECT * FROM windrow_throughput WHERE length = $1 AND minute >= $2 AND minute <= $3 OFFSET 0) m
              JOIN windrow_lanes l ON l.id = m.lane
             WHERE ($4::text IS NULL OR l.type = $4) AND ($5::text IS NULL OR l.queue = $5)
             GROUP BY l.type, m.minute
            """;

    // ---- diagnosis: intended scans -----------------------------------------------------------------------------

    /** The codes whose sums differ from the number of jobs, with both numbers. Walks windrow_jobs_failed, and scans the tables of the sums. */
    public static final String WRONG_FAILURES = """
            SELECT coalesce(f.error_code, c.error_code), coalesce(f.n, 0)::bigint, coalesce(c.n, 0)
              FROM (SELECT s.error_code, sum(s.n) AS n
                      FROM (SELECT error_code, n FROM windrow_failures
                             UNION ALL
                            SELECT error_code, n FROM windrow_failure_deltas) s
                     GROUP BY s.error_code) f
              FULL JOIN (SELECT coalesce(error_code, '') AS error_code, count(*) AS n
                           FROM windrow_jobs WHERE state = 'FAILED' GROUP BY 1) c ON c.error_code = f.error_code
             WHERE coalesce(f.n, 0) <> coalesce(c.n, 0)
            """;
}
