package dev.windrow.sqlite.workflow;

import dev.windrow.sqlite.job.JobSql;

/**
 * The statements of workflows: chains, edges from parents to children, and the release or cancelling of children when a parent ends. Written like the statements in
 * {@link JobSql}.
 */
public final class WorkflowSql {
    private WorkflowSql() {}

    // ---- chains ------------------------------------------------------------------------------------------------

    public static final String INSERT_EDGE = """
            INSERT INTO windrow_edges (child, position, parent, policy, satisfied, chain) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            """;

    /** Moves the edges of jobs that wait for the end of the chain from job ?1 to its next job ?2. By windrow_edges_parent. */
    static final String MOVE_CHAIN_EDGES = """
            UPDATE windrow_edges SET parent = ?2 WHERE parent = ?1 AND chain = 1 AND satisfied = 0
            """;

    /** Copies the unfinished retry of the dependents of ?1 to ?2, because they wait for the end of the chain. By the primary key of the releases. */
    static final String MOVE_CHAIN_RETRY = """
            INSERT INTO windrow_releases (parent, state, after, actor, reason)
            SELECT ?2, 'RETRIED', after, actor, reason FROM windrow_releases WHERE parent = ?1 AND state = 'RETRIED'
            """;

    /** A row if job ?1 waits for its own end, directly or through other jobs. By the primary key of the edges. */
    static final String WAITS_FOR_ITSELF = """
            WITH RECURSIVE up (id) AS (
              SELECT parent FROM windrow_edges WHERE child = ?1 AND satisfied = 0
               UNION
              SELECT e.parent FROM up CROSS JOIN windrow_edges e ON e.child = up.id WHERE e.satisfied = 0)
            SELECT 1 FROM up WHERE id = ?1 LIMIT 1
            """;

    /**
     * The last job of the chain of job ?1. None if the first job was deleted: then retention is about to delete the rest, and the last job may also
     * be deleted. By primary key and windrow_jobs_chain.
     */
    static final String LAST_OF_CHAIN = """
            SELECT coalesce((SELECT n.id FROM windrow_jobs n
                              WHERE n.chain_id = coalesce(j.chain_id, j.id) AND n.chain_index > 0
                              ORDER BY n.chain_index DESC LIMIT 1), j.id)
              FROM windrow_jobs j
             CROSS JOIN windrow_jobs f ON f.id = coalesce(j.chain_id, j.id)
             WHERE j.id = ?1
            """;

    /** The jobs of the chains of the jobs in ?1 (a JSON array), with the first job of each. By primary key and windrow_jobs_chain. */
    public static final String CHAIN_MEMBERS = """
            WITH firsts (id) AS (
              SELECT DISTINCT coalesce(j.chain_id, j.id) FROM json_each(?1) w CROSS JOIN windrow_jobs j ON j.id = w.value)
            SELECT f.id, j.id FROM firsts f CROSS JOIN windrow_jobs j ON j.id = f.id
             UNION ALL
            SELECT f.id, n.id FROM firsts f CROSS JOIN windrow_jobs n ON n.chain_id = f.id AND n.chain_index > 0
            """;

    /** The jobs of the chain of job ?1, from the first one. By primary key and windrow_jobs_chain. */
    public static final String READ_CHAIN = """
            SELECT id FROM (SELECT coalesce(chain_id, id) AS id FROM windrow_jobs WHERE id = ?1)
             UNION ALL
            SELECT id FROM (SELECT n.id FROM windrow_jobs n
                             WHERE n.chain_id = (SELECT coalesce(chain_id, id) FROM windrow_jobs WHERE id = ?1)
                               AND n.chain_index > 0
                             ORDER BY n.chain_index)
            """;

    /**
     * The chain of job ?1: its id, the first job's type and creation (null if that is deleted), and the last job's id, type, state, index and end. By
     * primary key and windrow_jobs_chain.
     */
    public static final String CHAIN = """
            SELECT c.id, k.type, f.created_at, n.id, l.type, n.state, n.chain_index, n.finished_at
              FROM (SELECT coalesce(chain_id, id) AS id FROM windrow_jobs WHERE id = ?1) c
             CROSS JOIN windrow_jobs n
                ON n.id = coalesce((SELECT x.id FROM windrow_jobs x
                                     WHERE x.chain_id = c.id ORDER BY x.chain_index DESC LIMIT 1), c.id)
             CROSS JOIN windrow_lanes l ON l.id = n.lane
              LEFT JOIN windrow_jobs f ON f.id = c.id
              LEFT JOIN windrow_lanes k ON k.id = f.lane
            """;

    /**
     * The chains with ids below ?1 that have more than one job or were declared, newest first, at most ?2, each as in {@link #CHAIN}. Steps from id to
     * id in windrow_jobs_chain, whatever the number of their jobs.
     */
    public static final String LIST_CHAINS = """
            WITH RECURSIVE chains (id) AS (
              SELECT max(chain_id) FROM windrow_jobs INDEXED BY windrow_jobs_chain WHERE chain_id < ?1
               UNION ALL
              SELECT (SELECT max(n.chain_id) FROM windrow_jobs n INDEXED BY windrow_jobs_chain WHERE n.chain_id < c.id)
                FROM chains c
               WHERE c.id IS NOT NULL
               LIMIT ?2)
            SELECT c.id, k.type, f.created_at, n.id, l.type, n.state, n.chain_index, n.finished_at
              FROM chains c
             CROSS JOIN windrow_jobs n
                ON n.id = (SELECT x.id FROM windrow_jobs x INDEXED BY windrow_jobs_chain
                            WHERE x.chain_id = c.id ORDER BY x.chain_index DESC LIMIT 1)
             CROSS JOIN windrow_lanes l ON l.id = n.lane
              LEFT JOIN windrow_jobs f ON f.id = c.id
              LEFT JOIN windrow_lanes k ON k.id = f.lane
             ORDER BY c.id DESC
            """;

    /**
     * The workflows with ids below ?1, newest first, at most ?2: the first job's type, name and creation, and the states of the newest ?3 jobs. Steps
     * from id to id in windrow_jobs_workflow. Reads at most ?3 jobs of each workflow, by the same index.
     */
    public static final String LIST_WORKFLOWS = """
            WITH RECURSIVE workflows (id) AS (
              SELECT max(workflow_id) FROM windrow_jobs INDEXED BY windrow_jobs_workflow WHERE workflow_id < ?1
               UNION ALL
              SELECT (SELECT max(n.workflow_id) FROM windrow_jobs n INDEXED BY windrow_jobs_workflow
                       WHERE n.workflow_id < w.id)
                FROM workflows w
               WHERE w.id IS NOT NULL
               LIMIT ?2)
            SELECT w.id, l.type, f.name, f.created_at,
                   (SELECT group_concat(s.state || ' ' || s.n)
                      FROM (SELECT c.state, count(*) AS n
                              FROM (SELECT x.state FROM windrow_jobs x INDEXED BY windrow_jobs_workflow
                                     WHERE x.workflow_id = w.id ORDER BY x.id DESC LIMIT ?3) c
                             GROUP BY c.state) s)
              FROM workflows w
             CROSS JOIN windrow_jobs f
                ON f.id = (SELECT y.id FROM windrow_jobs y INDEXED BY windrow_jobs_workflow
                            WHERE y.workflow_id = w.id ORDER BY y.id LIMIT 1)
             CROSS JOIN windrow_lanes l ON l.id = f.lane
             ORDER BY w.id DESC
            """;

    /** Makes a new job the first one of a declared chain. By primary key. */
    public static final String KEEP_CHAIN = """
            UPDATE windrow_jobs SET chain_id = id WHERE id = ?1
            """;

    /** The states of parents, ?1 a JSON array of ids. A missing parent has a null state. By primary key. */
    public static final String PARENT_STATES = """
            SELECT p.value, j.state FROM json_each(?1) p LEFT JOIN windrow_jobs j ON j.id = p.value
            """;

    /** Adds a new job to workflow ?2. By primary key. */
    public static final String KEEP_WORKFLOW = """
            UPDATE windrow_jobs SET workflow_id = ?2 WHERE id = ?1
            """;

    // ---- dependencies ------------------------------------------------------------------------------------------

    /**
     * Open edges below ended parents in ?1 (a JSON array) that this end concerns, at most ?3. ?2 = 1 if the parents completed. By
     * windrow_edges_parent.
     */
    public static final String OPEN_EDGES = """
            SELECT e.parent, e.child, e.position, ?2 = 1 OR e.policy = 'RUN'
              FROM json_each(?1) p
             CROSS JOIN windrow_edges e ON e.parent = p.value
             WHERE e.satisfied = 0 AND (?2 = 1 OR (e.policy <> 'WAIT' AND e.cancelled = 0))
             LIMIT ?3
            """;

    /** Finds out if a job from ?1 to ?2 has children. By windrow_edges_parent. */
    public static final String CHILDREN_BETWEEN = """
            SELECT 1 FROM windrow_edges WHERE parent BETWEEN ?1 AND ?2 LIMIT 1
            """;

    /**
     * The open edges below one parent ?1 that its end concerns, at most ?3, in the order of the children from child ?4 on. By windrow_edges_parent.
     */
    static final String NEXT_OPEN_EDGES = """
            SELECT e.parent, e.child, e.position, ?2 = 1 OR e.policy = 'RUN'
              FROM windrow_edges e
             WHERE e.parent = ?1 AND e.child >= ?4 AND e.satisfied = 0 AND (?2 = 1 OR (e.policy <> 'WAIT' AND e.cancelled = 0))
             ORDER BY e.child LIMIT ?3
            """;

    /** Satisfies an edge, finally. By primary key. */
    static final String SATISFY_EDGE = """
            UPDATE windrow_edges SET satisfied = 1, cancelled = 0 WHERE child = ?1 AND position = ?2 AND satisfied = 0
            """;

    /**
     * Subtracts exactly the edges that were satisfied. A job may have a time of its own, later than its enqueue. It also waits for that time if it is
     * after ?3. By primary key.
     */
    static final String SUBTRACT_PARENTS = """
            UPDATE windrow_jobs SET open_parents = open_parents - ?2 WHERE id = ?1
            RETURNING open_parents, state, lane, CASE WHEN scheduled_at > max(created_at, ?3) THEN scheduled_at END, token,
                      concurrency_key, wait_ms
            """;

    /** BLOCKED -> PENDING | SCHEDULED (?2): no parent is open any more. By primary key. */
    static final String RELEASE = """
            UPDATE windrow_jobs SET state = ?2, waiting_for = NULL, scheduled_at = ?3
             WHERE id = ?1 AND state = 'BLOCKED' AND open_parents = 0
            """;

    /** BLOCKED -> CANCELLED: its policy is to be cancelled when a parent ends without success. By primary key. */
    static final String CANCEL_CHILD = """
            UPDATE windrow_jobs SET state = 'CANCELLED', finished_at = ?2, waiting_for = NULL
             WHERE id = ?1 AND state = 'BLOCKED' AND waiting_for = 'PARENTS'
            RETURNING lane, token, dedupe_key, concurrency_key, dedupe_type
            """;

    /** Marks an edge whose parent's end has cancelled the child (?3 = 1), or would have if another parent's end had not. By primary key. */
    static final String MARK_EDGE = """
            UPDATE windrow_edges SET cancelled = 1
             WHERE child = ?1 AND position = ?2 AND satisfied = 0
               AND (?3 = 1 OR EXISTS (SELECT 1 FROM windrow_edges o WHERE o.child = ?1 AND o.cancelled = 1))
            """;

    /** Removes the marks of a cancelled job that waits again, or runs. By primary key. */
    public static final String UNMARK_EDGES = """
            UPDATE windrow_edges SET cancelled = 0 WHERE child = ?1 AND cancelled = 1
            """;

    /**
     * Records that the end of ?1 as ?2 concerns more children than this transaction changes, if one is left. If children were left before, the
     * release begins again with the first one. By windrow_edges_parent.
     */
    static final String LEAVE_CHILDREN = """
            INSERT INTO windrow_releases (parent, state)
            SELECT e.parent, ?2 FROM windrow_edges e
             WHERE e.parent = ?1 AND e.satisfied = 0 AND (?2 = 'COMPLETED' OR (e.policy <> 'WAIT' AND e.cancelled = 0))
             LIMIT 1
                ON CONFLICT (parent, state) DO UPDATE SET after = 0
            """;

    /**
     * Records that ?2, with the reason ?3, has retried the jobs in ?1 (a JSON array) with their dependents, and that some dependents are still to be retried. By
     * windrow_edges_parent.
     */
    static final String LEAVE_DEPENDENTS = """
            INSERT INTO windrow_releases (parent, state, actor, reason)
            SELECT w.value, 'RETRIED', ?2, ?3
              FROM json_each(?1) w
             WHERE EXISTS (SELECT 1 FROM windrow_edges e WHERE e.parent = w.value AND e.cancelled = 1)
                ON CONFLICT (parent, state) DO NOTHING
            RETURNING parent
            """;

    /**
     * The row of a parent with children that are left: the state of the end, and the next child. The row of a retry with dependents comes first, with
     * its actor and reason. By primary key.
     */
    static final String READ_RELEASE = """
            SELECT r.state, r.after, (SELECT a.name FROM windrow_actors a WHERE a.id = r.actor), r.reason
              FROM windrow_releases r WHERE r.parent = ?1 ORDER BY r.state DESC LIMIT 1
            """;

    /** Records that the children below ?3 are processed. By primary key. */
    static final String MOVE_RELEASE = """
            UPDATE windrow_releases SET after = ?3 WHERE parent = ?1 AND state = ?2
            """;

    /** Deletes the row when all children are processed. By primary key. */
    static final String END_RELEASE = """
            DELETE FROM windrow_releases WHERE parent = ?1 AND state = ?2
            """;

    /** Some of the parents with children that are left. In the order of the primary key. */
    static final String RELEASES = """
            SELECT parent FROM windrow_releases ORDER BY parent LIMIT ?1
            """;

    /** The jobs in ?1 (a JSON array) that are parents with children that are left. By primary key. */
    static final String RELEASES_OF = """
            SELECT r.parent FROM json_each(?1) w CROSS JOIN windrow_releases r ON r.parent = w.value
            """;

    /** The jobs in ?1 (a JSON array) that were retried and have dependents that are still to be retried. By primary key. */
    static final String RETRIES_OF = """
            SELECT r.parent FROM json_each(?1) w CROSS JOIN windrow_releases r ON r.parent = w.value AND r.state = 'RETRIED'
            """;

    /**
     * Jobs that were cancelled because a job in ?1 (a JSON array) ended without success, at most ?2. A job comes once for each edge. By
     * windrow_edges_parent.
     */
    public static final String CANCELLED_CHILDREN = """
            SELECT e.child
              FROM json_each(?1) w
             CROSS JOIN windrow_edges e ON e.parent = w.value
             WHERE e.cancelled = 1
             LIMIT ?2
            """;

    /**
     * The jobs that were cancelled by the end of one parent ?1, at most ?3, in the order of the children from child ?2 on. By windrow_edges_parent.
     */
    public static final String NEXT_CANCELLED_CHILDREN = """
            SELECT child FROM windrow_edges
             WHERE parent = ?1 AND child >= ?2 AND cancelled = 1
             ORDER BY child LIMIT ?3
            """;

    /** The ended parents of the jobs in ?1 (a JSON array) whose end does not allow these to wait for them. By primary keys. */
    public static final String FORBIDDING_PARENTS = """
            SELECT e.child, e.parent, p.state
              FROM json_each(?1) w
             CROSS JOIN windrow_edges e ON e.child = w.value
             CROSS JOIN windrow_jobs p ON p.id = e.parent
             WHERE e.policy = 'CANCEL' AND e.satisfied = 0 AND p.state IN ('FAILED', 'CANCELLED')
            """;
}
