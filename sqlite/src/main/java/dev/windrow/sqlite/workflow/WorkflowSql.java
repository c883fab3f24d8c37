package dev.windrow.sqlite.workflow;

import dev.windrow.sqlite.job.JobSql;

/**
 * The statements of workflows: chains, edges from parents to children, and what becomes of children when a parent ends. Written like those in
 * {@link JobSql}.
 */
public final class WorkflowSql {
    private WorkflowSql() {}

    // ---- chains ------------------------------------------------------------------------------------------------

    public static final String INSERT_EDGE = """
            INSERT INTO windrow_edges (child, position, parent, policy, satisfied, chain) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            """;

    /** Whoever waits for the end of the chain that goes on from ?1 with ?2 waits for that one now. By windrow_edges_parent. */
    static final String MOVE_CHAIN_EDGES = """
            UPDATE windrow_edges SET parent = ?2 WHERE parent = ?1 AND chain = 1 AND satisfied = 0
            """;

    /**
     * The dependents of ?1 that are still to come back are those of ?2 now, as far as they wait for the end of the chain. By the primary key of the
     * releases.
     */
    static final String MOVE_CHAIN_RETRY = """
            INSERT INTO windrow_releases (parent, state, after, actor)
            SELECT ?2, 'RETRIED', after, actor FROM windrow_releases WHERE parent = ?1 AND state = 'RETRIED'
            """;

    /** Whether job ?1 waits for its own end, by whomever it waits for. By the primary key of the edges. */
    static final String WAITS_FOR_ITSELF = """
            WITH RECURSIVE up (id) AS (
              SELECT parent FROM windrow_edges WHERE child = ?1 AND satisfied = 0
               UNION
              SELECT e.parent FROM up CROSS JOIN windrow_edges e ON e.child = up.id WHERE e.satisfied = 0)
            SELECT 1 FROM up WHERE id = ?1 LIMIT 1
            """;

    /**
     * The last job of the chain in which job ?1 is; none if the first one is gone: then retention is about to delete the rest, and its last one may
     * be gone as well. By primary key and windrow_jobs_chain.
     */
    static final String LAST_OF_CHAIN = """
            SELECT coalesce((SELECT n.id FROM windrow_jobs n
                              WHERE n.chain_id = coalesce(j.chain_id, j.id) AND n.chain_index > 0
                              ORDER BY n.chain_index DESC LIMIT 1), j.id)
              FROM windrow_jobs j
             CROSS JOIN windrow_jobs f ON f.id = coalesce(j.chain_id, j.id)
             WHERE j.id = ?1
            """;

    /** The jobs of the chain in which job ?1 is, from the first one. By primary key and windrow_jobs_chain. */
    public static final String READ_CHAIN = """
            SELECT id FROM (SELECT coalesce(chain_id, id) AS id FROM windrow_jobs WHERE id = ?1)
             UNION ALL
            SELECT id FROM (SELECT n.id FROM windrow_jobs n
                             WHERE n.chain_id = (SELECT coalesce(chain_id, id) FROM windrow_jobs WHERE id = ?1)
                               AND n.chain_index > 0
                             ORDER BY n.chain_index)
            """;

    /** The states of parents, ?1 a JSON array of ids; a missing one has a null state. By primary key. */
    public static final String PARENT_STATES = """
            SELECT p.value, j.state FROM json_each(?1) p LEFT JOIN windrow_jobs j ON j.id = p.value
            """;

    /** A new job belongs to workflow ?2. By primary key. */
    public static final String KEEP_WORKFLOW = """
            UPDATE windrow_jobs SET workflow_id = ?2 WHERE id = ?1
            """;

    // ---- dependencies ------------------------------------------------------------------------------------------

    /**
     * At most ?3 of the open edges below ended parents in ?1 (a JSON array) that their end concerns; ?2 = 1 if they completed. By
     * windrow_edges_parent.
     */
    public static final String OPEN_EDGES = """
            SELECT e.parent, e.child, e.position, ?2 = 1 OR e.policy = 'RUN'
              FROM json_each(?1) p
             CROSS JOIN windrow_edges e ON e.parent = p.value
             WHERE e.satisfied = 0 AND (?2 = 1 OR (e.policy <> 'WAIT' AND e.cancelled = 0))
             LIMIT ?3
            """;

    /** The same below one parent ?1, in the order of the children, from child ?4 on. By windrow_edges_parent. */
    static final String NEXT_OPEN_EDGES = """
            SELECT e.parent, e.child, e.position, ?2 = 1 OR e.policy = 'RUN'
              FROM windrow_edges e
             WHERE e.parent = ?1 AND e.child >= ?4 AND e.satisfied = 0 AND (?2 = 1 OR (e.policy <> 'WAIT' AND e.cancelled = 0))
             ORDER BY e.child LIMIT ?3
            """;

    /** An edge is satisfied once and for all. By primary key. */
    static final String SATISFY_EDGE = """
            UPDATE windrow_edges SET satisfied = 1, cancelled = 0 WHERE child = ?1 AND position = ?2 AND satisfied = 0
            """;

    /**
     * Subtracts exactly the edges that were satisfied. A job that has a time of its own, later than when it was enqueued, waits for that one
     * as well, if it is after ?3. By primary key.
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

    /** BLOCKED -> CANCELLED: it was not to wait for a parent that ends so. By primary key. */
    static final String CANCEL_CHILD = """
            UPDATE windrow_jobs SET state = 'CANCELLED', finished_at = ?2, waiting_for = NULL
             WHERE id = ?1 AND state = 'BLOCKED' AND waiting_for = 'PARENTS'
            RETURNING lane, token, dedupe_key, concurrency_key, dedupe_type
            """;

    /**
     * Marks an edge whose parent's end has cancelled the child (?3 = 1), or would have if another parent's end had not. By
     * primary key.
     */
    static final String MARK_EDGE = """
            UPDATE windrow_edges SET cancelled = 1
             WHERE child = ?1 AND position = ?2 AND satisfied = 0
               AND (?3 = 1 OR EXISTS (SELECT 1 FROM windrow_edges o WHERE o.child = ?1 AND o.cancelled = 1))
            """;

    /** A job that was cancelled waits again, or runs. By primary key. */
    public static final String UNMARK_EDGES = """
            UPDATE windrow_edges SET cancelled = 0 WHERE child = ?1 AND cancelled = 1
            """;

    /**
     * The end of ?1 as ?2 concerns more children than this transaction deals with, if there is one left. Where some were left before, it is
     * gone on from the first one. By windrow_edges_parent.
     */
    static final String LEAVE_CHILDREN = """
            INSERT INTO windrow_releases (parent, state)
            SELECT e.parent, ?2 FROM windrow_edges e
             WHERE e.parent = ?1 AND e.satisfied = 0 AND (?2 = 'COMPLETED' OR (e.policy <> 'WAIT' AND e.cancelled = 0))
             LIMIT 1
                ON CONFLICT (parent, state) DO UPDATE SET after = 0
            """;

    /**
     * ?2 has retried the jobs in ?1 (a JSON array) with their dependents, and some of these are still to come back. By windrow_edges_parent.
     */
    static final String LEAVE_DEPENDENTS = """
            INSERT INTO windrow_releases (parent, state, actor)
            SELECT w.value, 'RETRIED', ?2
              FROM json_each(?1) w
             WHERE EXISTS (SELECT 1 FROM windrow_edges e WHERE e.parent = w.value AND e.cancelled = 1)
                ON CONFLICT (parent, state) DO NOTHING
            RETURNING parent
            """;

    /**
     * The row of a parent of which children are left: the state of the end, and the next child. The row of a retry with dependents comes first, with
     * its actor. By primary key.
     */
    static final String READ_RELEASE = """
            SELECT r.state, r.after, (SELECT a.name FROM windrow_actors a WHERE a.id = r.actor)
              FROM windrow_releases r WHERE r.parent = ?1 ORDER BY r.state DESC LIMIT 1
            """;

    /** The children below ?3 are done. By primary key. */
    static final String MOVE_RELEASE = """
            UPDATE windrow_releases SET after = ?3 WHERE parent = ?1 AND state = ?2
            """;

    /** All children are done. By primary key. */
    static final String END_RELEASE = """
            DELETE FROM windrow_releases WHERE parent = ?1 AND state = ?2
            """;

    /** Some of the parents of which children are left. In the order of the primary key. */
    static final String RELEASES = """
            SELECT parent FROM windrow_releases ORDER BY parent LIMIT ?1
            """;

    /** Which of the jobs in ?1 (a JSON array) are parents of which children are left. By primary key. */
    static final String RELEASES_OF = """
            SELECT r.parent FROM json_each(?1) w CROSS JOIN windrow_releases r ON r.parent = w.value
            """;

    /** Which of the jobs in ?1 (a JSON array) were retried and have dependents that are still to come back. By primary key. */
    static final String RETRIES_OF = """
            SELECT r.parent FROM json_each(?1) w CROSS JOIN windrow_releases r ON r.parent = w.value AND r.state = 'RETRIED'
            """;

    /**
     * At most ?2 of the jobs that were cancelled because one of those in ?1 (a JSON array) ended without success; one of them for each edge. By
     * windrow_edges_parent.
     */
    public static final String CANCELLED_CHILDREN = """
            SELECT e.child
              FROM json_each(?1) w
             CROSS JOIN windrow_edges e ON e.parent = w.value
             WHERE e.cancelled = 1
             LIMIT ?2
            """;

    /** The same of one parent ?1, in the order of the children, from child ?2 on, at most ?3. By windrow_edges_parent. */
    public static final String NEXT_CANCELLED_CHILDREN = """
            SELECT child FROM windrow_edges
             WHERE parent = ?1 AND child >= ?2 AND cancelled = 1
             ORDER BY child LIMIT ?3
            """;

    /** The parents of the jobs in ?1 (a JSON array) that have ended so that these must not wait for them. By primary keys. */
    public static final String FORBIDDING_PARENTS = """
            SELECT e.child, e.parent, p.state
              FROM json_each(?1) w
             CROSS JOIN windrow_edges e ON e.child = w.value
             CROSS JOIN windrow_jobs p ON p.id = e.parent
             WHERE e.policy = 'CANCEL' AND e.satisfied = 0 AND p.state IN ('FAILED', 'CANCELLED')
            """;
}
