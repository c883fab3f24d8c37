package dev.windrow.sqlite.monitor;

import dev.windrow.sqlite.job.JobSql;

/**
 * The statements of the diagnosis. Each scans, by purpose, all the rows that it checks, and returns the wrong ones. Written like the statements in
 * {@link JobSql}.
 */
public final class CheckSql {
    private CheckSql() {}

    /** A check of the pages, the rows and the indexes of the whole file, with at most 100 findings. */
    static final String CHECK_INTEGRITY = "PRAGMA integrity_check(100)";

    /** The same check, without comparing each index with its table. */
    static final String CHECK_INTEGRITY_QUICKLY = "PRAGMA quick_check(100)";

    /** Rows that refer to a missing row. */
    static final String CHECK_FOREIGN_KEYS = "PRAGMA foreign_key_check";

    static final String JOURNAL_MODE = "PRAGMA journal_mode";

    static final String AUTO_VACUUM = "PRAGMA auto_vacuum";

    static final String PAGE_SIZE = "PRAGMA page_size";

    /**
     * Rows of missing jobs, and dedupe keys that no statement will release. Such a key was held until the start or the end of a job that has started,
     * has ended or was deleted. Scans the tables, each job by primary key.
     */
    public static final String ORPHANS = """
            SELECT 'payload' AS kind, p.job_id, NULL AS state FROM windrow_payloads p
             WHERE NOT EXISTS (SELECT 1 FROM windrow_jobs j WHERE j.id = p.job_id)
            UNION ALL
            SELECT 'result', r.job_id, NULL FROM windrow_results r
             WHERE NOT EXISTS (SELECT 1 FROM windrow_jobs j WHERE j.id = r.job_id)
            UNION ALL
            SELECT 'tag', t.job_id, NULL FROM windrow_tags t
             WHERE NOT EXISTS (SELECT 1 FROM windrow_jobs j WHERE j.id = t.job_id)
            UNION ALL
            SELECT 'metadata', m.job_id, NULL FROM windrow_metadata m
             WHERE NOT EXISTS (SELECT 1 FROM windrow_jobs j WHERE j.id = m.job_id)
            UNION ALL
            SELECT 'attempt', a.job_id, NULL FROM windrow_attempts a
             WHERE NOT EXISTS (SELECT 1 FROM windrow_jobs j WHERE j.id = a.job_id)
            UNION ALL
            SELECT 'text of an attempt', x.job_id, NULL FROM windrow_attempt_texts x NOT INDEXED
             WHERE NOT EXISTS (SELECT 1 FROM windrow_attempts a WHERE a.job_id = x.job_id AND a.token = x.token)
            UNION ALL
            SELECT 'event', e.job_id, NULL FROM windrow_events e
             WHERE NOT EXISTS (SELECT 1 FROM windrow_jobs j WHERE j.id = e.job_id)
            UNION ALL
            SELECT 'edge', d.child, NULL FROM windrow_edges d
             WHERE NOT EXISTS (SELECT 1 FROM windrow_jobs j WHERE j.id = d.child)
            UNION ALL
            SELECT 'edge to a parent', d.parent, NULL FROM windrow_edges d
             WHERE NOT EXISTS (SELECT 1 FROM windrow_jobs j WHERE j.id = d.parent)
            UNION ALL
            SELECT 'progress', g.job_id, NULL FROM windrow_progress g
             WHERE NOT EXISTS (SELECT 1 FROM windrow_jobs j WHERE j.id = g.job_id)
            UNION ALL
            SELECT 'log line', o.job_id, NULL FROM windrow_log_lines o
             WHERE NOT EXISTS (SELECT 1 FROM windrow_jobs j WHERE j.id = o.job_id)
            UNION ALL
            SELECT 'step', s.job_id, NULL FROM windrow_steps s
             WHERE NOT EXISTS (SELECT 1 FROM windrow_jobs j WHERE j.id = s.job_id)
            UNION ALL
            SELECT 'dedupe key', k.job_id, j.state FROM windrow_dedupe k LEFT JOIN windrow_jobs j ON j.id = k.job_id
             WHERE k.scope IN ('UNTIL_STARTED', 'UNFINISHED')
               AND (coalesce(j.state, 'COMPLETED') IN ('COMPLETED', 'FAILED', 'CANCELLED')
                    OR (k.scope = 'UNTIL_STARTED' AND j.state = 'RUNNING'))
            """;

    /**
     * Blobs that no payload and no result names, or whose length is wrong, and chunks without a blob. Also payloads and results that name a missing
     * blob. Staged blobs belong to no job yet. Scans the tables.
     */
    public static final String WRONG_BLOBS = """
            SELECT 'blob ' || b.id || ' is the ' || lower(b.kind) || ' of job ' || b.job_id || ', which does not name it'
              FROM windrow_blobs b
             WHERE b.job_id IS NOT NULL
               AND NOT EXISTS (SELECT 1 FROM windrow_payloads p
                                WHERE p.job_id = b.job_id AND b.kind = 'PAYLOAD'
                                  AND p.payload LIKE '{"windrow:blob":' || b.id || ',%')
               AND NOT EXISTS (SELECT 1 FROM windrow_results r
                                WHERE r.job_id = b.job_id AND b.kind = 'RESULT'
                                  AND r.result LIKE '{"windrow:blob":' || b.id || ',%')
            UNION ALL
            SELECT 'blob ' || b.id || ' of job ' || b.job_id || ' has ' || b.held || ' bytes and should have ' || b.bytes
              FROM (SELECT id, job_id, bytes,
                           (SELECT coalesce(sum(length(c.content)), 0) FROM windrow_blob_chunks c WHERE c.blob_id = w.id) AS held
                      FROM windrow_blobs w WHERE w.job_id IS NOT NULL AND w.file IS NULL) b
             WHERE b.held <> b.bytes
            UNION ALL
            SELECT 'chunk ' || c.position || ' belongs to blob ' || c.blob_id || ', which does not exist' FROM windrow_blob_chunks c
             WHERE NOT EXISTS (SELECT 1 FROM windrow_blobs b WHERE b.id = c.blob_id)
            UNION ALL
            SELECT 'the payload of job ' || p.job_id || ' is in a blob, which does not exist' FROM windrow_payloads p
             WHERE p.payload LIKE '{"windrow:blob":%'
               AND NOT EXISTS (SELECT 1 FROM windrow_blobs b WHERE b.job_id = p.job_id AND b.kind = 'PAYLOAD')
            UNION ALL
            SELECT 'the result of job ' || r.job_id || ' is in a blob, which does not exist' FROM windrow_results r
             WHERE r.result LIKE '{"windrow:blob":%'
               AND NOT EXISTS (SELECT 1 FROM windrow_blobs b WHERE b.job_id = r.job_id AND b.kind = 'RESULT')
            """;

    /**
     * The running jobs whose lease has ended at ?1 or ends after ?2, or whose worker has no entry that is alive at ?1. Reads as many entries of
     * windrow_jobs_lease as jobs are running.
     */
    public static final String DOUBTFUL_LEASES = """
            SELECT j.id, a.name, j.lease_until, w.expires_at
              FROM windrow_jobs j INDEXED BY windrow_jobs_lease
              LEFT JOIN windrow_actors a ON a.id = j.worker
              LEFT JOIN windrow_workers w ON w.actor = j.worker
             WHERE j.state = 'RUNNING'
               AND (j.lease_until < ?1 OR j.lease_until > ?2 OR coalesce(w.expires_at, 0) <= ?1)
             ORDER BY j.lease_until
            """;

    /**
     * The number of workers that are alive at ?1, and the first start of one of them. Also the longest lease of all workers, including expired
     * entries.
     */
    public static final String LIVING = """
            SELECT total(expires_at > ?1), max(expires_at - heartbeat_at),
                   min(started_at) FILTER (WHERE expires_at > ?1)
              FROM windrow_workers
            """;

    /** The number of jobs of each lane in each state. In the order of windrow_jobs_lane, so that nothing is sorted. */
    public static final String COUNT_JOBS = """
            SELECT lane, sum(state = 'BLOCKED'), sum(state = 'SCHEDULED'), sum(state = 'PENDING'),
                   sum(state = 'RUNNING'), sum(state = 'COMPLETED'), sum(state = 'FAILED'), sum(state = 'CANCELLED')
              FROM windrow_jobs INDEXED BY windrow_jobs_lane
             GROUP BY lane
            """;

    /**
     * The jobs whose number of open parents differs from the number of their open edges, or contradicts their state. An ended job keeps its number,
     * so that a retry knows its open parents.
     */
    public static final String WRONG_OPEN_PARENTS = """
            SELECT id, state, open_parents, open_edges FROM (
                   SELECT j.id, j.state, j.waiting_for, j.open_parents,
                          (SELECT count(*) FROM windrow_edges e WHERE e.child = j.id AND e.satisfied = 0) AS open_edges
                     FROM windrow_jobs j)
             WHERE open_parents <> open_edges
                OR (state = 'BLOCKED' AND waiting_for = 'PARENTS' AND open_parents = 0)
                OR (state IN ('SCHEDULED', 'PENDING', 'RUNNING') AND open_parents <> 0)
            """;

    /**
     * The edges that the end of their parent should have satisfied, and the edges that wait for a success and were satisfied without one. Also the
     * edges over which a waiting job should have been cancelled. An edge of policy RUN stays satisfied when its parent is retried. Parents whose
     * children are still being released are skipped.
     */
    public static final String WRONG_EDGES = """
            SELECT e.child, e.parent, p.state, e.policy, e.satisfied
              FROM windrow_edges e
             CROSS JOIN windrow_jobs p ON p.id = e.parent
             WHERE CASE e.satisfied
                   WHEN 0 THEN (p.state = 'COMPLETED' OR (e.policy = 'RUN' AND p.state IN ('FAILED', 'CANCELLED'))
                                OR (e.policy = 'CANCEL' AND p.state IN ('FAILED', 'CANCELLED')
                                    AND EXISTS (SELECT 1 FROM windrow_jobs c WHERE c.id = e.child AND c.state = 'BLOCKED')))
                               AND NOT EXISTS (SELECT 1 FROM windrow_releases r WHERE r.parent = e.parent)
                   ELSE e.policy <> 'RUN' AND p.state <> 'COMPLETED' END
            """;

    /**
     * The blocked parents of jobs that wait for a younger job, their own blocked parents, and so on. Each cycle has a job that waits for a job that
     * is no older. Without a cycle only few jobs do so, such as a job that waits for a chain. So this reads little of most stores.
     */
    public static final String WAITS = """
            WITH RECURSIVE up (id) AS (
              SELECT e.child
                FROM windrow_jobs c INDEXED BY windrow_jobs_blocked
               CROSS JOIN windrow_edges e ON e.child = c.id
               CROSS JOIN windrow_jobs p ON p.id = e.parent
               WHERE c.state = 'BLOCKED' AND p.state = 'BLOCKED' AND e.satisfied = 0 AND e.parent >= e.child
               UNION
              SELECT e.parent
                FROM up
               CROSS JOIN windrow_edges e ON e.child = up.id
               CROSS JOIN windrow_jobs p ON p.id = e.parent
               WHERE p.state = 'BLOCKED' AND e.satisfied = 0)
            SELECT e.child, e.parent
              FROM up
             CROSS JOIN windrow_edges e ON e.child = up.id
             CROSS JOIN windrow_jobs p ON p.id = e.parent
             WHERE p.state = 'BLOCKED' AND e.satisfied = 0
            """;

    /** The parents with unreleased children whose state differs from the end that is recorded there. The entry of a retry records no end. */
    public static final String WRONG_RELEASES = """
            SELECT r.parent, r.state, p.state
              FROM windrow_releases r
             CROSS JOIN windrow_jobs p ON p.id = r.parent
             WHERE p.state <> r.state AND r.state <> 'RETRIED'
            """;

    /** The jobs whose columns contradict their state. */
    public static final String CONTRADICTIONS = """
            SELECT * FROM (
                   SELECT id, state,
                          CASE WHEN state = 'RUNNING' AND worker IS NULL THEN 'has no worker'
                               WHEN state = 'RUNNING' AND lease_until IS NULL THEN 'has no lease'
                               WHEN state = 'RUNNING' AND (token = 0 OR claimed_at IS NULL) THEN 'was never claimed'
                               WHEN state NOT IN ('RUNNING', 'COMPLETED') AND worker IS NOT NULL THEN 'has a worker'
                               WHEN worker IS NOT NULL AND claimed_at IS NULL THEN 'has a worker that never claimed it'
                               WHEN state = 'COMPLETED' AND worker IS NOT NULL AND started_at IS NULL
                               THEN 'has a worker that never started it'
                               WHEN state = 'COMPLETED' AND worker IS NULL
                                    AND NOT EXISTS (SELECT 1 FROM windrow_events e
                                                     WHERE e.job_id = windrow_jobs.id AND e.event = 'SUCCEEDED')
                               THEN 'was completed by neither a worker nor another actor'
                               WHEN NOT EXISTS (SELECT 1 FROM windrow_actors a WHERE a.id = created_by)
                               THEN 'was enqueued by an unknown actor'
                               WHEN state <> 'RUNNING' AND lease_until IS NOT NULL THEN 'has a lease'
                               WHEN state IN ('COMPLETED', 'FAILED', 'CANCELLED') AND finished_at IS NULL
                               THEN 'has no time of its end'
                               WHEN state NOT IN ('COMPLETED', 'FAILED', 'CANCELLED') AND finished_at IS NOT NULL
                               THEN 'has a time of its end'
                               WHEN state = 'BLOCKED' AND waiting_for IS NULL THEN 'waits for nothing'
                               WHEN state <> 'BLOCKED' AND waiting_for IS NOT NULL THEN 'waits for ' || waiting_for
                               WHEN wake_at IS NOT NULL AND coalesce(waiting_for, '') <> 'EVENT'
                               THEN 'has a time-out and waits for no event'
                               WHEN state = 'BLOCKED' AND wake_state = 'PENDING'
                                    AND NOT EXISTS (SELECT 1 FROM windrow_steps s
                                                     WHERE s.job_id = windrow_jobs.id AND s.kind = 'EVENT' AND s.state = 'WAITING')
                               THEN 'waits for an event, but has no open event step'
                               WHEN used > max_attempts THEN 'has used more attempts than its maximum'
                               WHEN dedupe_scope = 'UNFINISHED' AND finished_at IS NULL
                                    AND NOT EXISTS (SELECT 1 FROM windrow_lanes l CROSS JOIN windrow_dedupe k
                                                     WHERE l.id = lane AND k.type = coalesce(dedupe_type, l.type) AND k.key = dedupe_key
                                                       AND k.job_id = windrow_jobs.id)
                               THEN 'does not hold its dedupe key'
                               WHEN waits_for_permit <> EXISTS (SELECT 1 FROM windrow_permits t
                                                     WHERE t.job_id = windrow_jobs.id AND t.granted = 0)
                               THEN 'has waits_for_permit without a waiting permit, or the reverse'
                               WHEN concurrency_key IS NOT NULL
                                    AND CASE WHEN EXISTS (SELECT 1 FROM windrow_permits t WHERE t.job_id = windrow_jobs.id)
                                             THEN finished_at IS NOT NULL OR (state NOT IN ('PENDING', 'RUNNING') AND concurrency_limit IS NOT 0)
                                             ELSE state IN ('PENDING', 'RUNNING') END
                               THEN 'has a permit of its concurrency key that it must not have, or lacks one'
                          END AS finding
                     FROM windrow_jobs)
             WHERE finding IS NOT NULL
            """;

    /** The lanes whose pause and limits differ from the ones of their queues and types. */
    public static final String LANES_TO_LIMIT = """
            SELECT l.queue, l.type FROM windrow_lanes l
             WHERE (l.paused_at IS NOT NULL)
                   <> EXISTS (SELECT 1 FROM windrow_limits c
                               WHERE c.paused_at IS NOT NULL
                                 AND c.name = CASE c.kind WHEN 'QUEUE' THEN l.queue WHEN 'TYPE' THEN l.type END)
                OR l.limited
                   <> EXISTS (SELECT 1 FROM windrow_limits c
                               WHERE (c.max_running IS NOT NULL OR c.rate_count IS NOT NULL)
                                 AND c.name = CASE c.kind WHEN 'QUEUE' THEN l.queue WHEN 'TYPE' THEN l.type END)
             ORDER BY l.queue, l.type
            """;

    /** The stored events that rows tell already, and the ones of a success that did not end their job. Reads all stored events. */
    public static final String WRONG_EVENTS = """
            SELECT e.job_id, j.state, e.event
              FROM windrow_events e
              CROSS JOIN windrow_jobs j ON j.id = e.job_id
             WHERE e.event IN ('CLAIMED', 'STARTED')
                OR (e.event = 'ENQUEUED' AND e.detail IS NULL)
                OR (e.event = 'SUCCEEDED' AND (j.state <> 'COMPLETED' OR j.worker IS NOT NULL))
            """;

    /**
     * The attempts that ended under a token or in a run that their job has not reached, or under a token under which it still runs. Also the ones that
     * succeeded without completing their job, or ended in another way under the token that completed it.
     */
    public static final String WRONG_ATTEMPTS = """
            SELECT t.job_id, t.token, j.state, j.token, t.run, j.run, t.outcome
              FROM windrow_attempts t CROSS JOIN windrow_jobs j ON j.id = t.job_id
             WHERE t.token > j.token OR (t.token = j.token AND j.state = 'RUNNING') OR t.run > j.run
                OR (t.outcome = 'SUCCEEDED') <> (t.token = j.token AND j.state = 'COMPLETED')
            """;

    /** The failed attempts without a stored event of their token. Their end has one, and the truncation of a history deletes both. */
    public static final String UNLOGGED_FAILURES = """
            SELECT t.job_id, t.token, t.outcome
              FROM windrow_attempts t
             WHERE t.outcome IN ('FAILED', 'TIMEOUT')
               AND NOT EXISTS (SELECT 1 FROM windrow_events e WHERE e.job_id = t.job_id AND e.token = t.token)
            """;
}
