package dev.windrow.sqlite.query;

import dev.windrow.sqlite.job.JobSql;

/**
 * The statements of listings: one for each access path and direction, the jobs that belong to one job, and the check of the rest of a filter. Written
 * like the statements in {@link JobSql}.
 */
public final class ListSql {
    private ListSql() {}

    // ---- ids below ?1, newest first, at most ?2; one statement for each access path ---------------------------------

    /** All jobs. By primary key. */
    public static final String LIST_ALL = """
            SELECT id FROM windrow_jobs WHERE id < ?1 ORDER BY id DESC LIMIT ?2
            """;

    /** The jobs of the lanes in ?4 (a JSON array), no lower than ?3. Reads each lane by windrow_jobs_lane, and sorts the jobs that it finds. */
    public static final String LIST_LANES = """
            SELECT j.id
              FROM json_each(?4) w
             CROSS JOIN windrow_jobs j INDEXED BY windrow_jobs_lane ON j.lane = w.value AND j.id < ?1 AND j.id >= ?3
             ORDER BY j.id DESC LIMIT ?2
            """;

    /** The jobs with one tag. By windrow_tags_tag. */
    public static final String LIST_TAG = """
            SELECT job_id FROM windrow_tags WHERE tag = ?3 AND job_id < ?1 ORDER BY job_id DESC LIMIT ?2
            """;

    /** The jobs with one dedupe key. By windrow_jobs_dedupe. */
    public static final String LIST_DEDUPE_KEY = """
            SELECT id FROM windrow_jobs WHERE dedupe_key = ?3 AND id < ?1 ORDER BY id DESC LIMIT ?2
            """;

    /** The jobs of one workflow. By windrow_jobs_workflow. */
    public static final String LIST_WORKFLOW = """
            SELECT id FROM windrow_jobs WHERE workflow_id = ?3 AND id < ?1 ORDER BY id DESC LIMIT ?2
            """;

    /** The failed jobs. By windrow_jobs_failed. */
    public static final String LIST_FAILED = """
            SELECT id FROM windrow_jobs WHERE state = 'FAILED' AND id < ?1 ORDER BY id DESC LIMIT ?2
            """;

    /** The failed jobs with one error code. By windrow_jobs_failed_code. */
    public static final String LIST_FAILED_CODE = """
            SELECT id FROM windrow_jobs WHERE state = 'FAILED' AND error_code = ?3 AND id < ?1
             ORDER BY id DESC LIMIT ?2
            """;

    /** The cancelled jobs. By windrow_jobs_cancelled. */
    public static final String LIST_CANCELLED = """
            SELECT id FROM windrow_jobs WHERE state = 'CANCELLED' AND id < ?1 ORDER BY id DESC LIMIT ?2
            """;

    /** The blocked jobs. By windrow_jobs_blocked. */
    public static final String LIST_BLOCKED = """
            SELECT id FROM windrow_jobs WHERE state = 'BLOCKED' AND id < ?1 ORDER BY id DESC LIMIT ?2
            """;

    /** The scheduled jobs. Sorts the entries of windrow_jobs_due, which covers the query. */
    public static final String LIST_SCHEDULED = """
            SELECT id FROM windrow_jobs INDEXED BY windrow_jobs_due WHERE state = 'SCHEDULED' AND id < ?1
             ORDER BY id DESC LIMIT ?2
            """;

    /** The pending jobs. Sorts the entries of windrow_jobs_claim and windrow_permits_waiting, which cover the query. */
    public static final String LIST_PENDING = """
            SELECT id FROM windrow_jobs INDEXED BY windrow_jobs_claim WHERE state = 'PENDING' AND waits_for_permit = 0 AND id < ?1
             UNION ALL
            SELECT job_id FROM windrow_permits INDEXED BY windrow_permits_waiting WHERE granted = 0 AND job_id < ?1
             ORDER BY 1 DESC LIMIT ?2
            """;

    /** The running jobs. Sorts the entries of windrow_jobs_lease, one for each running job. */
    public static final String LIST_RUNNING = """
            SELECT id FROM windrow_jobs INDEXED BY windrow_jobs_lease WHERE state = 'RUNNING' AND id < ?1
             ORDER BY id DESC LIMIT ?2
            """;

    // ---- ids above ?1, oldest first, at most ?2; one statement for each access path ---------------------------------

    /** All jobs. By primary key. */
    public static final String LIST_ALL_UP = """
            SELECT id FROM windrow_jobs WHERE id > ?1 ORDER BY id LIMIT ?2
            """;

    /** The jobs of the lanes in ?4 (a JSON array), no higher than ?3. Reads each lane by windrow_jobs_lane, and sorts the jobs that it finds. */
    public static final String LIST_LANES_UP = """
            SELECT j.id
              FROM json_each(?4) w
             CROSS JOIN windrow_jobs j INDEXED BY windrow_jobs_lane ON j.lane = w.value AND j.id > ?1 AND j.id <= ?3
             ORDER BY j.id LIMIT ?2
            """;

    /** The jobs with one tag. By windrow_tags_tag. */
    public static final String LIST_TAG_UP = """
            SELECT job_id FROM windrow_tags WHERE tag = ?3 AND job_id > ?1 ORDER BY job_id LIMIT ?2
            """;

    /** The jobs with one dedupe key. By windrow_jobs_dedupe. */
    public static final String LIST_DEDUPE_KEY_UP = """
            SELECT id FROM windrow_jobs WHERE dedupe_key = ?3 AND id > ?1 ORDER BY id LIMIT ?2
            """;

    /** The jobs of one workflow. By windrow_jobs_workflow. */
    public static final String LIST_WORKFLOW_UP = """
            SELECT id FROM windrow_jobs WHERE workflow_id = ?3 AND id > ?1 ORDER BY id LIMIT ?2
            """;

    /** The failed jobs. By windrow_jobs_failed. */
    public static final String LIST_FAILED_UP = """
            SELECT id FROM windrow_jobs WHERE state = 'FAILED' AND id > ?1 ORDER BY id LIMIT ?2
            """;

    /** The failed jobs with one error code. By windrow_jobs_failed_code. */
    public static final String LIST_FAILED_CODE_UP = """
            SELECT id FROM windrow_jobs WHERE state = 'FAILED' AND error_code = ?3 AND id > ?1 ORDER BY id LIMIT ?2
            """;

    /** The cancelled jobs. By windrow_jobs_cancelled. */
    public static final String LIST_CANCELLED_UP = """
            SELECT id FROM windrow_jobs WHERE state = 'CANCELLED' AND id > ?1 ORDER BY id LIMIT ?2
            """;

    /** The blocked jobs. By windrow_jobs_blocked. */
    public static final String LIST_BLOCKED_UP = """
            SELECT id FROM windrow_jobs WHERE state = 'BLOCKED' AND id > ?1 ORDER BY id LIMIT ?2
            """;

    /** The scheduled jobs. Sorts the entries of windrow_jobs_due, which covers the query. */
    public static final String LIST_SCHEDULED_UP = """
            SELECT id FROM windrow_jobs INDEXED BY windrow_jobs_due WHERE state = 'SCHEDULED' AND id > ?1
             ORDER BY id LIMIT ?2
            """;

    /** The pending jobs. Sorts the entries of windrow_jobs_claim and windrow_permits_waiting, which cover the query. */
    public static final String LIST_PENDING_UP = """
            SELECT id FROM windrow_jobs INDEXED BY windrow_jobs_claim WHERE state = 'PENDING' AND waits_for_permit = 0 AND id > ?1
             UNION ALL
            SELECT job_id FROM windrow_permits INDEXED BY windrow_permits_waiting WHERE granted = 0 AND job_id > ?1
             ORDER BY 1 LIMIT ?2
            """;

    /** The running jobs. Sorts the entries of windrow_jobs_lease, one for each running job. */
    public static final String LIST_RUNNING_UP = """
            SELECT id FROM windrow_jobs INDEXED BY windrow_jobs_lease WHERE state = 'RUNNING' AND id > ?1
             ORDER BY id LIMIT ?2
            """;

    // ---- jobs that belong to one job, in either order ----------------------------------------------------------

    /** The jobs that depend on ?3, below ?1. Sorts its entries of windrow_edges_parent. */
    public static final String LIST_PARENT = """
            SELECT DISTINCT child FROM windrow_edges WHERE parent = ?3 AND child < ?1 ORDER BY child DESC LIMIT ?2
            """;

    /** The jobs that depend on ?3, above ?1, oldest first. Sorts its entries of windrow_edges_parent. */
    public static final String LIST_PARENT_UP = """
            SELECT DISTINCT child FROM windrow_edges WHERE parent = ?3 AND child > ?1 ORDER BY child LIMIT ?2
            """;

    /** Job ?3 and the later jobs of its chain, below ?1. By primary key, and sorts the chain's entries of windrow_jobs_chain. */
    public static final String LIST_CHAIN = """
            SELECT id FROM windrow_jobs WHERE id = ?3 AND id < ?1
             UNION
            SELECT id FROM windrow_jobs WHERE chain_id = ?3 AND chain_index > 0 AND id < ?1
             ORDER BY 1 DESC LIMIT ?2
            """;

    /** Job ?3 and the later jobs of its chain, above ?1, oldest first. By primary key, and sorts the chain's entries of windrow_jobs_chain. */
    public static final String LIST_CHAIN_UP = """
            SELECT id FROM windrow_jobs WHERE id = ?3 AND id > ?1
             UNION
            SELECT id FROM windrow_jobs WHERE chain_id = ?3 AND chain_index > 0 AND id > ?1
             ORDER BY 1 LIMIT ?2
            """;

    // ---- failed jobs of several error codes --------------------------------------------------------------------

    /**
     * The first ?2 codes of failed jobs that begin with ?1. Steps from code to code in windrow_jobs_failed_code. The sums of failures have these
     * codes, too, but a listing must not miss jobs while a sum waits for its correction. substr, because LIKE and GLOB would read the text as a
     * pattern.
     */
    public static final String FAILED_CODES = """
            WITH RECURSIVE codes (code) AS (
              SELECT min(j.error_code) FROM windrow_jobs j INDEXED BY windrow_jobs_failed_code
               WHERE j.state = 'FAILED' AND j.error_code >= ?1
               UNION ALL
              SELECT (SELECT min(j.error_code) FROM windrow_jobs j INDEXED BY windrow_jobs_failed_code
                       WHERE j.state = 'FAILED' AND j.error_code > k.code)
                FROM codes k
               WHERE substr(k.code, 1, length(?1)) = ?1
               LIMIT ?2)
            SELECT k.code FROM codes k WHERE substr(k.code, 1, length(?1)) = ?1
            """;

    /** For each of the codes in ?3 (a JSON array) the newest ?2 failed jobs below ?1, newest first. By windrow_jobs_failed_code for each code. */
    public static final String LIST_FAILED_CODES = """
            SELECT w.key, x.value
              FROM json_each(?3) w
             CROSS JOIN json_each((SELECT json_group_array(f.id)
                                     FROM (SELECT id FROM windrow_jobs
                                            WHERE state = 'FAILED' AND error_code = w.value AND id < ?1
                                            ORDER BY id DESC LIMIT ?2) f)) x
             ORDER BY w.key, x.value DESC
            """;

    /** For each of the codes in ?3 (a JSON array) the oldest ?2 failed jobs above ?1, oldest first. By windrow_jobs_failed_code for each code. */
    public static final String LIST_FAILED_CODES_UP = """
            SELECT w.key, x.value
              FROM json_each(?3) w
             CROSS JOIN json_each((SELECT json_group_array(f.id)
                                     FROM (SELECT id FROM windrow_jobs
                                            WHERE state = 'FAILED' AND error_code = w.value AND id > ?1
                                            ORDER BY id LIMIT ?2) f)) x
             ORDER BY w.key, x.value
            """;

    // ---- the rest ----------------------------------------------------------------------------------------------

    /** The number of jobs that a sorting listing would sort. Reads a small table with a row for each lane and state. */
    public static final String COUNT_SORTED = """
            SELECT coalesce(sum(c.n), 0) FROM windrow_counters c WHERE c.state IN ('PENDING', 'SCHEDULED')
            """;

    /** The first ?3 lanes of queue ?1 and type ?2, null for any. Reads a small table with a row for each lane. */
    public static final String LANES = """
            SELECT id FROM windrow_lanes
             WHERE (?1 IS NULL OR queue = ?1) AND (?2 IS NULL OR type = ?2)
             ORDER BY id LIMIT ?3
            """;

    /**
     * The smallest id from which on all jobs were enqueued at ?1 or later, if times grow with ids. A binary search: each step reads the first job of
     * the upper half of the range. By primary key.
     */
    public static final String FIRST_AT = """
            WITH RECURSIVE search (low, high) AS (
                SELECT 1, (SELECT coalesce(max(id), 0) + 1 FROM windrow_jobs)
                 UNION ALL
                SELECT CASE WHEN n.created_at < ?1 THEN n.id + 1 ELSE s.low END,
                       CASE WHEN n.created_at < ?1 THEN s.high ELSE s.low + (s.high - s.low) / 2 END
                  FROM search s
                 CROSS JOIN windrow_jobs n
                    ON n.id = (SELECT min(id) FROM windrow_jobs WHERE id >= s.low + (s.high - s.low) / 2)
                 WHERE s.low < s.high)
            SELECT max(low) FROM search
            """;

    /**
     * The first job below ?1 and no lower than ?2 that was enqueued from ?3 and before ?4 (null for any). If none exists, the first job below ?2. By
     * primary key.
     */
    public static final String SKIP = """
            SELECT coalesce((SELECT id FROM windrow_jobs
                              WHERE id < ?1 AND id >= ?2
                                AND (?3 IS NULL OR created_at >= ?3) AND (?4 IS NULL OR created_at < ?4)
                              ORDER BY id DESC LIMIT 1),
                            (SELECT max(id) FROM windrow_jobs WHERE id < ?2))
            """;

    /**
     * The first job above ?1 and no higher than ?2 that was enqueued from ?3 and before ?4 (null for any). If none exists, the first job above ?2. By
     * primary key.
     */
    public static final String SKIP_UP = """
            SELECT coalesce((SELECT id FROM windrow_jobs
                              WHERE id > ?1 AND id <= ?2
                                AND (?3 IS NULL OR created_at >= ?3) AND (?4 IS NULL OR created_at < ?4)
                              ORDER BY id LIMIT 1),
                            (SELECT min(id) FROM windrow_jobs WHERE id > ?2))
            """;

    /**
     * The jobs in ?1 that match all conditions. Null matches any job, and so does an empty array in ?2 and ?14. The conditions are one of the states
     * ?2, type ?3, queue ?4, error code ?5, name ?6 and worker ?7. Then dedupe key ?8, concurrency key ?9, workflow ?10, chain ?11, parent ?12,
     * priority ?13 and all tags ?14. The times are enqueued from ?15 and before ?16, ended from ?17 and before ?18, due from ?19 and before ?20. The
     * error code begins with ?21. By primary keys and windrow_edges_parent.
     */
    public static final String MATCH = """
            SELECT j.id
              FROM json_each(?1) w
             CROSS JOIN windrow_jobs j ON j.id = w.value
              JOIN windrow_lanes l ON l.id = j.lane
             WHERE (?2 = '[]' OR j.state IN (SELECT value FROM json_each(?2)))
               AND (?3 IS NULL OR l.type = ?3)
               AND (?4 IS NULL OR l.queue = ?4)
               AND (?5 IS NULL OR j.error_code = ?5)
               AND (?6 IS NULL OR j.name = ?6)
               AND (?7 IS NULL OR j.state = 'RUNNING' AND (SELECT a.name FROM windrow_actors a WHERE a.id = j.worker) = ?7)
               AND (?8 IS NULL OR j.dedupe_key = ?8)
               AND (?9 IS NULL OR j.concurrency_key = ?9)
               AND (?10 IS NULL OR j.workflow_id = ?10)
               AND (?11 IS NULL OR coalesce(j.chain_id, j.id) = ?11)
               AND (?12 IS NULL OR EXISTS (SELECT 1 FROM windrow_edges e WHERE e.child = j.id AND e.parent = ?12))
               AND (?13 IS NULL OR j.priority = ?13)
               AND NOT EXISTS (SELECT 1 FROM json_each(?14) x
                                WHERE NOT EXISTS (SELECT 1 FROM windrow_tags t WHERE t.job_id = j.id AND t.tag = x.value))
               AND (?15 IS NULL OR j.created_at >= ?15) AND (?16 IS NULL OR j.created_at < ?16)
               AND (?17 IS NULL OR j.finished_at >= ?17) AND (?18 IS NULL OR j.finished_at < ?18)
               AND (?19 IS NULL OR j.scheduled_at >= ?19) AND (?20 IS NULL OR j.scheduled_at < ?20)
               AND (?21 IS NULL OR substr(j.error_code, 1, length(?21)) = ?21)
            """;

    /** The payload of each of the jobs in ?1, in their order, or null. By primary key. The caller reads row by row and may stop early. */
    public static final String PAYLOADS = """
            SELECT p.payload
              FROM json_each(?1) w
              LEFT JOIN windrow_payloads p ON p.job_id = w.value
            """;

    /** The metadata of the jobs ?1, in their order, null if a job has none. By primary key. */
    public static final String METADATA = """
            SELECT m.metadata
              FROM json_each(?1) w
              LEFT JOIN windrow_metadata m ON m.job_id = w.value
            """;
}
