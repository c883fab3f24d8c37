package dev.windrow.postgres.query;

/**
 * The statements of listings: one for each access path and direction, the statements for the relatives of one job, and the check of the rest of a
 * filter. They follow the rules of {@link ReadSql}.
 */
public final class ListSql {
    private ListSql() {}

    // ---- ids below $1, newest first, at most $2; one statement for each access path ---------------------------------
    // If an index begins with another column, the statement asks for a range of all of its columns, in their order. It
    // does not ask for equality in this first column. With an equality the server may estimate too many entries. Then
    // it walks another index in the order of ids until it has found enough, and reads all rows if the matching ones are
    // few or old.

    /** All jobs. By primary key. */
    public static final String LIST_ALL = """
            SELECT id FROM windrow_jobs WHERE id < $1 ORDER BY id DESC LIMIT $2
            """;

    /**
     * The jobs of the lanes $4 with ids of at least $3. By windrow_inputs_lane for each lane. Sorts the entries in that range. A comparison of rows
     * would not end there: it ends only with the lane. With a plain equality and limit the server could walk the primary key for each lane instead.
     */
    public static final String LIST_LANES = """
            SELECT n.job_id
              FROM unnest($4::integer[]) w (lane)
             CROSS JOIN LATERAL (
                   SELECT i.job_id FROM windrow_inputs i
                    WHERE i.lane = ANY (ARRAY[w.lane]) AND i.job_id >= $3 AND i.job_id < $1
                    ORDER BY i.lane DESC, i.job_id DESC LIMIT (SELECT $2::bigint)) n
             ORDER BY n.job_id DESC LIMIT $2
            """;

    /** The jobs with one tag. By windrow_tags_tag. */
    public static final String LIST_TAG = """
            SELECT job_id FROM windrow_tags WHERE tag >= $3 AND (tag, job_id) < ($3, $1)
             ORDER BY tag DESC, job_id DESC LIMIT $2
            """;

    /** The jobs with one dedupe key. By windrow_inputs_dedupe. */
    public static final String LIST_DEDUPE_KEY = """
            SELECT job_id FROM windrow_inputs WHERE dedupe_key >= $3 AND (dedupe_key, job_id) < ($3, $1)
             ORDER BY dedupe_key DESC, job_id DESC LIMIT $2
            """;

    /** The jobs of one workflow. By windrow_inputs_workflow. */
    public static final String LIST_WORKFLOW = """
            SELECT job_id FROM windrow_inputs
             WHERE workflow_id >= $3::bigint AND (workflow_id, job_id) < ($3::bigint, $1)
             ORDER BY workflow_id DESC, job_id DESC LIMIT $2
            """;

    /** The failed jobs. By windrow_jobs_failed_id. */
    public static final String LIST_FAILED = """
            SELECT id FROM windrow_jobs WHERE state = 'FAILED' AND id < $1 ORDER BY id DESC LIMIT $2
            """;

    /** The failed jobs with one error code. By windrow_jobs_failed. */
    public static final String LIST_FAILED_CODE = """
            SELECT id FROM windrow_jobs WHERE state = 'FAILED' AND error_code >= $3 AND (error_code, id) < ($3, $1)
             ORDER BY error_code DESC, id DESC LIMIT $2
            """;

    /** The cancelled jobs. By windrow_jobs_cancelled. */
    public static final String LIST_CANCELLED = """
            SELECT id FROM windrow_jobs WHERE state = 'CANCELLED' AND id < $1 ORDER BY id DESC LIMIT $2
            """;

    /** The blocked jobs. By windrow_jobs_blocked. */
    public static final String LIST_BLOCKED = """
            SELECT id FROM windrow_jobs WHERE state = 'BLOCKED' AND id < $1 ORDER BY id DESC LIMIT $2
            """;

    /** The running jobs. Sorts the entries of windrow_jobs_running: no more than the slots of all workers. */
    public static final String LIST_RUNNING = """
            SELECT s.id
              FROM (SELECT id FROM windrow_jobs WHERE state = 'RUNNING' OFFSET 0) s
             WHERE s.id < $1
             ORDER BY s.id DESC LIMIT $2
            """;

    /**
     * The scheduled jobs. Sorts the entries of windrow_jobs_due. A backward walk of the primary key would read all jobs if the scheduled ones are few
     * or old.
     */
    public static final String LIST_SCHEDULED = """
            SELECT s.id
              FROM (SELECT id FROM windrow_jobs WHERE state = 'SCHEDULED' OFFSET 0) s
             WHERE s.id < $1
             ORDER BY s.id DESC LIMIT $2
            """;

    /** The pending jobs. Sorts the entries of windrow_jobs_claim and windrow_permits_waiting, for the same reason as {@link #LIST_SCHEDULED}. */
    public static final String LIST_PENDING = """
            SELECT s.id
              FROM (SELECT p.id FROM (SELECT id FROM windrow_jobs WHERE state = 'PENDING' AND NOT waits_for_permit OFFSET 0) p
                     UNION ALL
                    SELECT h.job_id FROM (SELECT job_id FROM windrow_permits WHERE NOT granted OFFSET 0) h) s
             WHERE s.id < $1
             ORDER BY s.id DESC LIMIT $2
            """;

    // ---- ids above $1, oldest first, at most $2; one statement for each access path ---------------------------------

    /** All jobs. By primary key. */
    public static final String LIST_ALL_UP = """
            SELECT id FROM windrow_jobs WHERE id > $1 ORDER BY id LIMIT $2
            """;

    /** The jobs of the lanes $4 with ids of at most $3. By windrow_inputs_lane for each lane, as {@link #LIST_LANES}. */
    public static final String LIST_LANES_UP = """
            SELECT n.job_id
              FROM unnest($4::integer[]) w (lane)
             CROSS JOIN LATERAL (
                   SELECT i.job_id FROM windrow_inputs i
                    WHERE i.lane = ANY (ARRAY[w.lane]) AND i.job_id <= $3 AND i.job_id > $1
                    ORDER BY i.lane, i.job_id LIMIT (SELECT $2::bigint)) n
             ORDER BY n.job_id LIMIT $2
            """;

    /** The jobs with one tag. By windrow_tags_tag. */
    public static final String LIST_TAG_UP = """
            SELECT job_id FROM windrow_tags WHERE tag <= $3 AND (tag, job_id) > ($3, $1) ORDER BY tag, job_id LIMIT $2
            """;

    /** The jobs with one dedupe key. By windrow_inputs_dedupe. */
    public static final String LIST_DEDUPE_KEY_UP = """
            SELECT job_id FROM windrow_inputs WHERE dedupe_key <= $3 AND (dedupe_key, job_id) > ($3, $1)
             ORDER BY dedupe_key, job_id LIMIT $2
            """;

    /** The jobs of one workflow. By windrow_inputs_workflow. */
    public static final String LIST_WORKFLOW_UP = """
            SELECT job_id FROM windrow_inputs
             WHERE workflow_id <= $3::bigint AND (workflow_id, job_id) > ($3::bigint, $1)
             ORDER BY workflow_id, job_id LIMIT $2
            """;

    /** The failed jobs. By windrow_jobs_failed_id. */
    public static final String LIST_FAILED_UP = """
            SELECT id FROM windrow_jobs WHERE state = 'FAILED' AND id > $1 ORDER BY id LIMIT $2
            """;

    /** The failed jobs with one error code. By windrow_jobs_failed. */
    public static final String LIST_FAILED_CODE_UP = """
            SELECT id FROM windrow_jobs WHERE state = 'FAILED' AND error_code <= $3 AND (error_code, id) > ($3, $1)
             ORDER BY error_code, id LIMIT $2
            """;

    /** The cancelled jobs. By windrow_jobs_cancelled. */
    public static final String LIST_CANCELLED_UP = """
            SELECT id FROM windrow_jobs WHERE state = 'CANCELLED' AND id > $1 ORDER BY id LIMIT $2
            """;

    /** The blocked jobs. By windrow_jobs_blocked. */
    public static final String LIST_BLOCKED_UP = """
            SELECT id FROM windrow_jobs WHERE state = 'BLOCKED' AND id > $1 ORDER BY id LIMIT $2
            """;

    /** The running jobs. Sorts the entries of windrow_jobs_running, as {@link #LIST_RUNNING}. */
    public static final String LIST_RUNNING_UP = """
            SELECT s.id
              FROM (SELECT id FROM windrow_jobs WHERE state = 'RUNNING' OFFSET 0) s
             WHERE s.id > $1
             ORDER BY s.id LIMIT $2
            """;

    /** The scheduled jobs. Sorts the entries of windrow_jobs_due, as {@link #LIST_SCHEDULED}. */
    public static final String LIST_SCHEDULED_UP = """
            SELECT s.id
              FROM (SELECT id FROM windrow_jobs WHERE state = 'SCHEDULED' OFFSET 0) s
             WHERE s.id > $1
             ORDER BY s.id LIMIT $2
            """;

    /** The pending jobs. Sorts the entries of windrow_jobs_claim and windrow_permits_waiting, as {@link #LIST_PENDING}. */
    public static final String LIST_PENDING_UP = """
            SELECT s.id
              FROM (SELECT p.id FROM (SELECT id FROM windrow_jobs WHERE state = 'PENDING' AND NOT waits_for_permit OFFSET 0) p
                     UNION ALL
                    SELECT h.job_id FROM (SELECT job_id FROM windrow_permits WHERE NOT granted OFFSET 0) h) s
             WHERE s.id > $1
             ORDER BY s.id LIMIT $2
            """;

    // ---- relatives of one job, in either order -----------------------------------------------------------------

    /** The children of job $3 below $1, newest first. By windrow_edges_parent. */
    public static final String LIST_PARENT = """
            SELECT child FROM windrow_edges
             WHERE parent >= $3::bigint AND (parent, child) < ($3::bigint, $1)
             GROUP BY parent, child
             ORDER BY parent DESC, child DESC LIMIT $2
            """;

    /** The children of job $3 above $1, oldest first. By windrow_edges_parent. */
    public static final String LIST_PARENT_UP = """
            SELECT child FROM windrow_edges
             WHERE parent <= $3::bigint AND (parent, child) > ($3::bigint, $1)
             GROUP BY parent, child
             ORDER BY parent, child LIMIT $2
            """;

    /**
     * Job $3 and the later jobs of its chain below $1, newest first. By windrow_jobs_pkey. Sorts the entries of the chain in windrow_inputs_chain.
     */
    public static final String LIST_CHAIN = """
            SELECT c.id
              FROM (SELECT j.id FROM windrow_jobs j WHERE j.id = $3::bigint
                     UNION
                    SELECT n.job_id FROM (SELECT job_id FROM windrow_inputs
                                           WHERE chain_id = $3::bigint AND chain_index > 0 OFFSET 0) n) c
             WHERE c.id < $1
             ORDER BY c.id DESC LIMIT $2
            """;

    /**
     * Job $3 and the later jobs of its chain above $1, oldest first. By windrow_jobs_pkey. Sorts the entries of the chain in windrow_inputs_chain.
     */
    public static final String LIST_CHAIN_UP = """
            SELECT c.id
              FROM (SELECT j.id FROM windrow_jobs j WHERE j.id = $3::bigint
                     UNION
                    SELECT n.job_id FROM (SELECT job_id FROM windrow_inputs
                                           WHERE chain_id = $3::bigint AND chain_index > 0 OFFSET 0) n) c
             WHERE c.id > $1
             ORDER BY c.id LIMIT $2
            """;

    // ---- failed jobs of several error codes --------------------------------------------------------------------

    /**
     * The first $2 codes of failed jobs that begin with $1. Steps from code to code in windrow_jobs_failed. The sums of failures have these codes,
     * too, but a listing must not miss jobs while a sum waits for its correction.
     */
    public static final String FAILED_CODES = """
            WITH RECURSIVE codes (code) AS (
              (SELECT j.error_code FROM windrow_jobs j WHERE j.state = 'FAILED' AND j.error_code >= $1
                ORDER BY j.error_code, j.id LIMIT 1)
               UNION ALL
              SELECT s.error_code
                FROM codes k
               CROSS JOIN LATERAL (
                     SELECT j.error_code FROM windrow_jobs j WHERE j.state = 'FAILED' AND j.error_code > k.code
                      ORDER BY j.error_code, j.id LIMIT 1) s
               WHERE starts_with(k.code, $1))
            SELECT code FROM codes WHERE starts_with(code, $1) LIMIT $2
            """;

    /** For each of the codes $3 the newest $2 failed jobs below $1, newest first. By windrow_jobs_failed for each code, as {@link #LIST_FAILED_CODE}. */
    public static final String LIST_FAILED_CODES = """
            SELECT w.place - 1, n.id
              FROM unnest($3::text[]) WITH ORDINALITY w (code, place)
             CROSS JOIN LATERAL (
                   SELECT j.id FROM windrow_jobs j
                    WHERE j.state = 'FAILED' AND j.error_code >= w.code AND (j.error_code, j.id) < (w.code, $1)
                    ORDER BY j.error_code DESC, j.id DESC LIMIT (SELECT $2::bigint)) n
             ORDER BY w.place, n.id DESC
            """;

    /** For each of the codes $3 the oldest $2 failed jobs above $1, oldest first. By windrow_jobs_failed for each code. */
    public static final String LIST_FAILED_CODES_UP = """
            SELECT w.place - 1, n.id
              FROM unnest($3::text[]) WITH ORDINALITY w (code, place)
             CROSS JOIN LATERAL (
                   SELECT j.id FROM windrow_jobs j
                    WHERE j.state = 'FAILED' AND j.error_code <= w.code AND (j.error_code, j.id) > (w.code, $1)
                    ORDER BY j.error_code, j.id LIMIT (SELECT $2::bigint)) n
             ORDER BY w.place, n.id
            """;

    // ---- lanes -------------------------------------------------------------------------------------------------

    /** The first $3 lanes of queue $1 and type $2; null for any. Scans a table that has one row for each lane. */
    public static final String LANES = """
            SELECT id FROM windrow_lanes
             WHERE ($1::text IS NULL OR queue = $1) AND ($2::text IS NULL OR type = $2)
             ORDER BY id LIMIT $3
            """;

    // ---- other statements --------------------------------------------------------------------------------------

    /**
     * The number of jobs that the sorting listings would sort. Reads a table that has one row for each lane and state, and the deltas that are not
     * compacted yet.
     */
    public static final String COUNT_SORTED = """
            SELECT coalesce((SELECT sum(c.n) FROM windrow_counters c WHERE c.state IN ('PENDING', 'SCHEDULED')), 0)
                   + coalesce((SELECT sum(d.n) FROM windrow_counter_deltas d WHERE d.state IN ('PENDING', 'SCHEDULED')), 0)
            """;

    /**
     * The smallest id from which all jobs were enqueued at $1 or later, if times grow with ids. Halves the range of ids, and reads the first job of
     * the upper half. By primary key.
     */
    public static final String FIRST_AT = """
            WITH RECURSIVE search (low, high) AS (
                SELECT 1::bigint, coalesce((SELECT job_id FROM windrow_inputs WHERE job_id > 0 ORDER BY job_id DESC LIMIT 1), 0) + 1
                 UNION ALL
                SELECT CASE WHEN n.created_at < $1 THEN n.job_id + 1 ELSE s.low END,
                       CASE WHEN n.created_at < $1 THEN s.high ELSE s.low + (s.high - s.low) / 2 END
                  FROM search s
                 CROSS JOIN LATERAL (
                       SELECT i.job_id, i.created_at FROM windrow_inputs i
                        WHERE i.job_id >= s.low + (s.high - s.low) / 2
                        ORDER BY i.job_id LIMIT 1) n
                 WHERE s.low < s.high)
            SELECT max(low) FROM search
            """;

    /**
     * The first job below $1 and at or above $2 that was enqueued from $3 and before $4 (null for any). If there is none, the first job below $2. By
     * primary key.
     */
    public static final String SKIP = """
            SELECT coalesce((SELECT job_id FROM windrow_inputs
                              WHERE job_id < $1 AND job_id >= $2
                                AND ($3::bigint IS NULL OR created_at >= $3) AND ($4::bigint IS NULL OR created_at < $4)
                              ORDER BY job_id DESC LIMIT 1),
                            (SELECT job_id FROM windrow_inputs WHERE job_id < $2 ORDER BY job_id DESC LIMIT 1))
            """;

    /**
     * The first job above $1 and at or below $2 that was enqueued from $3 and before $4 (null for any), oldest first. If there is none, the first job
     * above $2. By primary key.
     */
    public static final String SKIP_UP = """
            SELECT coalesce((SELECT job_id FROM windrow_inputs
                              WHERE job_id > $1 AND job_id <= $2
                                AND ($3::bigint IS NULL OR created_at >= $3) AND ($4::bigint IS NULL OR created_at < $4)
                              ORDER BY job_id LIMIT 1),
                            (SELECT job_id FROM windrow_inputs WHERE job_id > $2 ORDER BY job_id LIMIT 1))
            """;

    /**
     * The jobs of $1 that match a filter: states $2, type $3, queue $4, code $5, name $6, worker $7, dedupe key $8, concurrency key $9, workflow $10,
     * chain $11. Also parent $12, priority $13 and all tags $14. They were enqueued from $15 and before $16, ended from $17 and before $18, and are
     * due from $19 and before $20. Their codes begin with $21. Null means any value ($2 and $14: empty). By primary keys.
     */
    public static final String MATCH = """
            SELECT j.id
              FROM (SELECT * FROM windrow_jobs WHERE id = ANY ($1::bigint[]) OFFSET 0) j
             CROSS JOIN LATERAL (SELECT * FROM windrow_inputs i WHERE i.job_id = j.id OFFSET 0) i
              JOIN windrow_lanes l ON l.id = j.lane
             WHERE (cardinality($2::text[]) = 0 OR j.state = ANY ($2))
               AND ($3::text IS NULL OR l.type = $3)
               AND ($4::text IS NULL OR l.queue = $4)
               AND ($5::text IS NULL OR j.error_code = $5)
               AND ($6::text IS NULL OR i.name = $6)
               AND ($7::text IS NULL OR j.state = 'RUNNING' AND (SELECT a.name FROM windrow_actors a WHERE a.id = j.worker) = $7)
               AND ($8::text IS NULL OR i.dedupe_key = $8)
               AND ($9::text IS NULL OR j.concurrency_key = $9)
               AND ($10::bigint IS NULL OR i.workflow_id = $10)
               AND ($11::bigint IS NULL OR coalesce(i.chain_id, j.id) = $11)
               AND ($12::bigint IS NULL OR EXISTS (SELECT 1 FROM (SELECT * FROM windrow_edges e WHERE e.child = j.id OFFSET 0) e
                                                    WHERE e.parent = $12))
               AND ($13::bigint IS NULL OR j.priority = $13)
               AND (cardinality($14::text[]) = 0 OR $14 <@ ARRAY(SELECT t.tag FROM windrow_tags t WHERE t.job_id = j.id))
               AND ($15::bigint IS NULL OR i.created_at >= $15) AND ($16::bigint IS NULL OR i.created_at < $16)
               AND ($17::bigint IS NULL OR j.finished_at >= $17)
               AND ($18::bigint IS NULL OR j.finished_at < $18)
               AND ($19::bigint IS NULL OR j.scheduled_at >= $19) AND ($20::bigint IS NULL OR j.scheduled_at < $20)
               AND ($21::text IS NULL OR starts_with(j.error_code, $21))
            """;

    /** The payload of each of the jobs $1, in their order, or null. Ends when the payloads before have 1 MiB or more. By primary key. */
    public static final String PAYLOADS = """
            SELECT x.payload
              FROM (SELECT p.place, p.payload,
                           sum(octet_length(p.payload)) OVER (ORDER BY p.place ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
                      FROM (SELECT w.place, (SELECT i.payload FROM windrow_inputs i WHERE i.job_id = w.id) AS payload
                              FROM unnest($1::bigint[]) WITH ORDINALITY w (id, place)
                            OFFSET 0) p) x
             WHERE coalesce(x.before, 0) < 1048576
             ORDER BY x.place
            """;

    /** The metadata of the jobs $1, in their order, null if a job has none, until they have a mebibyte. By primary key. */
    public static final String METADATA = """
            SELECT x.metadata
              FROM (SELECT p.place, p.metadata,
                           sum(octet_length(p.metadata)) OVER (ORDER BY p.place ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
                      FROM (SELECT w.place, (SELECT m.metadata FROM windrow_metadata m WHERE m.job_id = w.id) AS metadata
                              FROM unnest($1::bigint[]) WITH ORDINALITY w (id, place)
                            OFFSET 0) p) x
             WHERE coalesce(x.before, 0) < 1048576
             ORDER BY x.place
            """;
}
