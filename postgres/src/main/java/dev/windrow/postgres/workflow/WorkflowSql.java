package dev.windrow.postgres.workflow;

import dev.windrow.postgres.job.JobSql;

/**
 * The statements of workflows: chains, edges from parents to children, and the effect of a parent's end on its children. They follow the rules of
 * {@link JobSql}.
 */
public final class WorkflowSql {
    private WorkflowSql() {}

    // ---- chains ------------------------------------------------------------------------------------------------

    /**
     * The states of the parents $1. Locks them until the end of the transaction before it reads the states. Without the lock a parent could end
     * between this query and the insert, and its child would wait forever. In order of ids, so that two enqueues cannot deadlock. The locks are
     * shared, so that enqueues need not wait for each other. Each row is locked by a separate subquery. If a row has changed, the server checks its
     * condition again, and a list of 50,000 ids would make that slow. By primary key.
     */
    public static final String PARENT_STATES = """
            SELECT j.id, j.state
              FROM (SELECT id FROM unnest($1::bigint[]) AS u (id) ORDER BY id) g
             CROSS JOIN LATERAL (SELECT j.id, j.state FROM windrow_jobs j WHERE j.id = g.id FOR SHARE) j
            """;

    public static final String INSERT_EDGES = """
            INSERT INTO windrow_edges (child, parent, position, policy, satisfied, chain)
            SELECT child, parent, position, policy, satisfied = 1, chain = 1
              FROM unnest($1::bigint[], $2::bigint[], $3::integer[], $4::text[], $5::integer[], $6::integer[])
                   AS g (child, parent, position, policy, satisfied, chain)
            """;

    /** Moves the edges of children that wait for the end of a chain from its former last job $1 to its new one $2. By windrow_edges_parent. */
    static final String MOVE_CHAIN_EDGES = """
            UPDATE windrow_edges SET parent = ($2::bigint[])[array_position($1::bigint[], parent)]
             WHERE parent = ANY ($1::bigint[]) AND chain AND NOT satisfied
            """;

    /**
     * Moves dependents that are still to come back from the jobs $1 to the jobs $2, if they wait for the end of the chains. By windrow_releases_pkey.
     */
    static final String MOVE_CHAIN_RETRIES = """
            INSERT INTO windrow_releases (parent, state, after, actor, reason)
            SELECT g.next, 'RETRIED', r.after, r.actor, r.reason
              FROM unnest($1::bigint[], $2::bigint[]) AS g (job, next)
             CROSS JOIN LATERAL (
                   SELECT r.after, r.actor, r.reason FROM windrow_releases r WHERE r.parent = g.job AND r.state = 'RETRIED' OFFSET 0) r
            RETURNING parent
            """;

    /**
     * Takes the lock of a search for cycles until the end of the transaction. Two chains that are continued at once could wait for each other.
     * Neither statement would see the edges that the other transaction has moved. $1 is a number of this store.
     */
    static final String LOCK_CYCLES = """
            SELECT 1 FROM pg_advisory_xact_lock($1)
            """;

    /** Tries to take the lock of a search for cycles. False if another transaction has it. */
    static final String TRY_CYCLES = """
            SELECT pg_try_advisory_xact_lock($1)
            """;

    /** One row if job $1 waits for its own end, directly or through other jobs. By the primary key of the edges. */
    static final String WAITS_FOR_ITSELF = """
            WITH RECURSIVE up (id) AS (
              SELECT parent FROM windrow_edges WHERE child = $1 AND NOT satisfied
               UNION
              SELECT e.parent
                FROM up
               CROSS JOIN LATERAL (
                     SELECT parent FROM windrow_edges e WHERE e.child = up.id AND NOT e.satisfied OFFSET 0) e)
            SELECT 1 FROM up WHERE id = $1 LIMIT 1
            """;

    /**
     * The last jobs of the chains of the jobs $1. Leaves out chains whose first job is deleted, because retention is about to delete the others, and
     * the last one may be deleted as well. By windrow_inputs_pkey and windrow_inputs_chain.
     */
    static final String LAST_OF_CHAINS = """
            SELECT w.id, coalesce(n.job_id, w.id)
              FROM unnest($1::bigint[]) AS w (id)
             CROSS JOIN LATERAL (SELECT * FROM windrow_inputs i WHERE i.job_id = w.id OFFSET 0) i
             CROSS JOIN LATERAL (SELECT 1 FROM windrow_inputs f WHERE f.job_id = coalesce(i.chain_id, i.job_id) OFFSET 0) f
              LEFT JOIN LATERAL (
                   SELECT n.job_id FROM windrow_inputs n
                    WHERE n.chain_id = coalesce(i.chain_id, i.job_id) AND n.chain_index > 0
                    ORDER BY n.chain_index DESC LIMIT 1) n ON true
            """;

    /**
     * The chain of job $1: its id, the first job's type and creation (null if that is deleted), and the last job's id, type, state, index and end. By
     * primary keys and windrow_inputs_chain.
     */
    public static final String CHAIN = """
            SELECT c.id, f.type, f.created_at, n.job_id, l.type, j.state, n.chain_index, j.finished_at
              FROM (SELECT coalesce(i.chain_id, i.job_id) AS id FROM windrow_inputs i WHERE i.job_id = $1 OFFSET 0) c
              LEFT JOIN LATERAL (
                   SELECT x.job_id FROM windrow_inputs x
                    WHERE x.chain_id = c.id ORDER BY x.chain_index DESC LIMIT 1) e ON true
             CROSS JOIN LATERAL (SELECT * FROM windrow_inputs n WHERE n.job_id = coalesce(e.job_id, c.id) OFFSET 0) n
             CROSS JOIN LATERAL (SELECT * FROM windrow_jobs j WHERE j.id = n.job_id OFFSET 0) j
              JOIN windrow_lanes l ON l.id = j.lane
              LEFT JOIN LATERAL (
                   SELECT k.type, i.created_at FROM windrow_inputs i JOIN windrow_lanes k ON k.id = i.lane
                    WHERE i.job_id = c.id OFFSET 0) f ON true
            """;

    /**
     * The chains with ids below $1 that have more than one job or were declared, newest first, at most $2, each as in {@link #CHAIN}. Steps from id to
     * id in windrow_inputs_chain, whatever the number of their jobs. By primary keys.
     */
    public static final String LIST_CHAINS = """
            WITH RECURSIVE chains (id) AS (
              (SELECT i.chain_id FROM windrow_inputs i
                WHERE i.chain_id < $1 ORDER BY i.chain_id DESC, i.chain_index DESC LIMIT 1)
               UNION ALL
              SELECT n.chain_id
                FROM chains c
               CROSS JOIN LATERAL (
                     SELECT i.chain_id FROM windrow_inputs i
                      WHERE i.chain_id < c.id ORDER BY i.chain_id DESC, i.chain_index DESC LIMIT 1) n)
            SELECT c.id, f.type, f.created_at, n.job_id, l.type, j.state, n.chain_index, j.finished_at
              FROM (SELECT id FROM chains LIMIT $2) c
             CROSS JOIN LATERAL (
                   SELECT x.job_id, x.chain_index FROM windrow_inputs x
                    WHERE x.chain_id = c.id ORDER BY x.chain_index DESC LIMIT 1) n
             CROSS JOIN LATERAL (SELECT * FROM windrow_jobs j WHERE j.id = n.job_id OFFSET 0) j
              JOIN windrow_lanes l ON l.id = j.lane
              LEFT JOIN LATERAL (
                   SELECT k.type, i.created_at FROM windrow_inputs i JOIN windrow_lanes k ON k.id = i.lane
                    WHERE i.job_id = c.id OFFSET 0) f ON true
             ORDER BY c.id DESC
            """;

    // ---- workflows ---------------------------------------------------------------------------------------------

    /**
     * The workflows with ids below $1, newest first, at most $2: the first job's type, name and creation, and the states of the newest $3 jobs. Steps
     * from id to id in windrow_inputs_workflow. Reads at most $3 jobs of each workflow, by the same index and windrow_jobs_pkey. The id is a range,
     * because with an equality the server may walk the primary key.
     */
    public static final String LIST_WORKFLOWS = """
            WITH RECURSIVE workflows (id) AS (
              (SELECT i.workflow_id FROM windrow_inputs i
                WHERE i.workflow_id < $1 ORDER BY i.workflow_id DESC, i.job_id DESC LIMIT 1)
               UNION ALL
              SELECT n.workflow_id
                FROM workflows w
               CROSS JOIN LATERAL (
                     SELECT i.workflow_id FROM windrow_inputs i
                      WHERE i.workflow_id < w.id ORDER BY i.workflow_id DESC, i.job_id DESC LIMIT 1) n)
            SELECT w.id, l.type, f.name, f.created_at,
                   (SELECT string_agg(s.state || ' ' || s.n, ',')
                      FROM (SELECT j.state, count(*) AS n
                              FROM (SELECT i.job_id FROM windrow_inputs i
                                     WHERE i.workflow_id >= w.id AND i.workflow_id <= w.id
                                     ORDER BY i.workflow_id DESC, i.job_id DESC LIMIT $3) i
                             CROSS JOIN LATERAL (SELECT j.state FROM windrow_jobs j WHERE j.id = i.job_id OFFSET 0) j
                             GROUP BY j.state) s)
              FROM (SELECT id FROM workflows LIMIT $2) w
             CROSS JOIN LATERAL (
                   SELECT i.lane, i.name, i.created_at FROM windrow_inputs i
                    WHERE i.workflow_id >= w.id AND i.workflow_id <= w.id
                    ORDER BY i.workflow_id, i.job_id LIMIT 1) f
              JOIN windrow_lanes l ON l.id = f.lane
             ORDER BY w.id DESC
            """;

    // ---- dependencies ------------------------------------------------------------------------------------------

    /**
     * The jobs of $1 with open edges below them, or with unreleased children. Sent with the statement that ends or locks these jobs: it begins after
     * that one, and so sees the edges of a transaction for which that one has waited. No later transaction can add an edge below a locked job, so that
     * {@link #SATISFY_EDGES} has nothing to do for the other jobs. By windrow_edges_parent, windrow_releases_pkey.
     */
    public static final String HAVE_CHILDREN = """
            SELECT g.id
              FROM unnest($1::bigint[]) AS g (id)
             CROSS JOIN LATERAL (
                   (SELECT 1 FROM windrow_edges e WHERE e.parent = g.id AND NOT e.satisfied LIMIT 1)
                    UNION ALL
                   (SELECT 1 FROM windrow_releases r WHERE r.parent = g.id LIMIT 1)) o
            """;

    /**
     * Satisfies the open edges below the ended parents $1. An edge is satisfied once only. Covers children from $3 on, at most $4 of each parent and
     * $5 in all; $2 is true if the parents completed. Returns these edges, including edges that another transaction has just satisfied, and the edges
     * over which children are to be cancelled. Includes edges of cancelled children, because another transaction may be bringing one back. Locks the
     * children before their edges, in order of ids, as every change of them does. Returns retried parents whose dependents are still to come back,
     * each with child 0, and does not touch their edges. By windrow_releases_pkey, windrow_edges_parent, windrow_jobs_pkey, windrow_edges_pkey.
     *
     * <p>The children of a parent are compared as (parent, child), not by parent = id, here and in other statements that read them in order. Only
     * windrow_edges_parent has that order. With parent = id the server may read the edges of all parents in order of children by windrow_edges_pkey, if
     * its statistics say that most of them have one parent.
     */
    public static final String SATISFY_EDGES = """
            WITH retried AS (
              SELECT r.parent FROM windrow_releases r WHERE r.parent = ANY ($1::bigint[]) AND r.state = 'RETRIED'),
            concerned AS (
              SELECT e.parent, e.child, e.position, $2::boolean OR e.policy = 'RUN' AS satisfies
                FROM unnest($1::bigint[]) AS g (id)
               CROSS JOIN LATERAL (
                     SELECT e.parent, e.child, e.position, e.policy FROM windrow_edges e
                      WHERE e.parent <= g.id AND (e.parent, e.child) >= (g.id, $3) AND NOT e.satisfied
                        AND ($2::boolean OR e.policy <> 'WAIT')
                      ORDER BY e.parent, e.child LIMIT $4::integer) e
               WHERE g.id NOT IN (SELECT parent FROM retried)
               LIMIT $5::integer),
            locked AS (
              SELECT c.child, c.position, c.satisfies
                FROM (SELECT child, position, satisfies FROM concerned ORDER BY child) c
               CROSS JOIN LATERAL (SELECT 1 FROM windrow_jobs j WHERE j.id = c.child FOR NO KEY UPDATE) j),
            satisfied AS (
              UPDATE windrow_edges e SET satisfied = true, cancelled = false
                FROM locked l
               WHERE e.child = l.child AND e.position = l.position AND l.satisfies AND NOT e.satisfied
              RETURNING e.child, e.position)
            SELECT c.parent, c.child, c.position, c.satisfies, (c.child, c.position) IN (SELECT child, position FROM satisfied)
              FROM concerned c
            UNION ALL
            SELECT parent, 0, 0, false, false FROM retried
            """;

    /**
     * Subtracts exactly the satisfied edges. Locks the rows in order of ids, so that two parents that end at once take turns. The second one sees the
     * subtraction of the first. A job with a time of its own, later than its enqueue, also waits for that time if it is after $3. By primary keys.
     */
    static final String SUBTRACT_PARENTS = """
            WITH counted AS (SELECT * FROM unnest($1::bigint[], $2::integer[]) AS g (id, n)),
            ordered AS (
              SELECT j.id, c.n FROM counted c JOIN windrow_jobs j ON j.id = c.id ORDER BY j.id FOR NO KEY UPDATE OF j)
            UPDATE windrow_jobs j SET open_parents = j.open_parents - o.n
              FROM ordered o
             WHERE j.id = o.id
            RETURNING j.id, j.open_parents, j.state, j.lane, j.priority,
                      CASE WHEN j.scheduled_at > $3
                             AND j.scheduled_at > (SELECT i.created_at FROM windrow_inputs i WHERE i.job_id = j.id)
                           THEN j.scheduled_at END,
                      j.token, j.concurrency_key, j.wait_ms
            """;

    /** BLOCKED -> PENDING | SCHEDULED: no parent is open any more. By primary key. */
    static final String RELEASE = """
            UPDATE windrow_jobs j SET state = g.state, waiting_for = NULL, scheduled_at = g.scheduled_at
              FROM unnest($1::bigint[], $2::text[], $3::bigint[]) AS g (id, state, scheduled_at)
             WHERE j.id = g.id AND j.state || '' = 'BLOCKED' AND j.open_parents = 0
            RETURNING j.id
            """;

    /**
     * BLOCKED -> CANCELLED: the children $1 that wait for parents, at $2. Locks all of them in order of ids, including children that do not wait. A
     * transaction that brings one of them back then sees how its parent has ended. By primary keys.
     */
    static final String CANCEL_CHILDREN = """
            WITH ordered AS (
              SELECT j.id, j.state, j.waiting_for
                FROM windrow_jobs j WHERE j.id = ANY ($1::bigint[]) ORDER BY j.id FOR NO KEY UPDATE OF j)
            UPDATE windrow_jobs j SET state = 'CANCELLED', finished_at = $2, waiting_for = NULL
              FROM ordered o
             WHERE j.id = o.id AND o.state = 'BLOCKED' AND o.waiting_for = 'PARENTS'
            RETURNING j.id, j.lane, j.token, j.concurrency_key,
                      (SELECT i.dedupe_key FROM windrow_inputs i WHERE i.job_id = j.id),
                      (SELECT i.dedupe_type FROM windrow_inputs i WHERE i.job_id = j.id)
            """;

    /**
     * Marks edges (children $1, positions $2) whose parents' ends have cancelled the child ($3 = 1). Also marks an edge whose parent's end would have
     * done so if another parent's end had not. By primary key.
     */
    static final String MARK_EDGES = """
            UPDATE windrow_edges e SET cancelled = true
              FROM unnest($1::bigint[], $2::integer[], $3::integer[]) AS g (child, position, cancelled)
             WHERE e.child = g.child AND e.position = g.position AND NOT e.satisfied AND NOT e.cancelled
               AND (g.cancelled = 1 OR EXISTS (SELECT 1 FROM windrow_edges o WHERE o.child = g.child AND o.cancelled OFFSET 0))
            """;

    /** Removes the marks of the jobs $1, which were cancelled and now wait again or run. By primary key. */
    public static final String UNMARK_EDGES = """
            UPDATE windrow_edges SET cancelled = false WHERE child = ANY ($1::bigint[]) AND cancelled
            """;

    /**
     * Leaves children of the jobs $1, which ended as $2, to later transactions, from child $3 on. Returns the jobs that have such children. If
     * children were left before, the smaller position counts. By windrow_edges_parent.
     */
    static final String LEAVE_CHILDREN = """
            INSERT INTO windrow_releases AS r (parent, state, after)
            SELECT g.id, g.state, g.after
              FROM unnest($1::bigint[], $2::text[], $3::bigint[]) AS g (id, state, after)
             WHERE EXISTS (SELECT 1 FROM windrow_edges e
                            WHERE e.parent <= g.id AND (e.parent, e.child) >= (g.id, g.after) AND NOT e.satisfied
                              AND (g.state = 'COMPLETED' OR e.policy <> 'WAIT') OFFSET 0)
             ORDER BY g.id
                ON CONFLICT (parent, state) DO UPDATE SET after = least(r.after, excluded.after)
            RETURNING r.parent
            """;

    /**
     * Leaves the dependents of the jobs $1, which actor $2 has retried with the reason $3, to later transactions. Returns the jobs that have dependents to bring back.
     * By windrow_edges_parent.
     */
    static final String LEAVE_DEPENDENTS = """
            INSERT INTO windrow_releases (parent, state, actor, reason)
            SELECT g.id, 'RETRIED', $2::integer, $3::text
              FROM unnest($1::bigint[]) AS g (id)
             WHERE EXISTS (SELECT 1 FROM windrow_edges e WHERE e.parent = g.id AND e.cancelled OFFSET 0)
             ORDER BY g.id
                ON CONFLICT (parent, state) DO NOTHING
            RETURNING parent
            """;

    /**
     * The rows of the parents $1 with unreleased children: the state of the end, and the next child. The row of a retry with dependents comes first
     * for each parent, with its actor and reason. Leaves out rows that another transaction has locked. By primary keys.
     */
    static final String TAKE_RELEASES = """
            SELECT r.parent, r.state, r.after, r.actor, (SELECT a.name FROM windrow_actors a WHERE a.id = r.actor), r.reason
              FROM windrow_releases r
             WHERE r.parent = ANY ($1::bigint[]) ORDER BY r.parent, r.state DESC FOR UPDATE OF r SKIP LOCKED
            """;

    /** The rows of the parents $1 with unreleased children. Waits for transactions that have locked them. By primary keys. */
    static final String TAKE_ALL_RELEASES = """
            SELECT r.parent, r.state, r.after, r.actor, (SELECT a.name FROM windrow_actors a WHERE a.id = r.actor), r.reason
              FROM windrow_releases r
             WHERE r.parent = ANY ($1::bigint[]) ORDER BY r.parent, r.state DESC FOR UPDATE OF r
            """;

    /** Records that the children below $3 are done. By primary key. */
    static final String MOVE_RELEASE = """
            UPDATE windrow_releases SET after = $3 WHERE parent = $1 AND state = $2
            """;

    /** Deletes the row of a parent whose children are all done. By primary key. */
    static final String END_RELEASE = """
            DELETE FROM windrow_releases WHERE parent = $1 AND state = $2
            """;

    /** True if job $1 is deleted, or has ended without success. By primary key. */
    static final String IS_RETRY_VOID = """
            SELECT coalesce((SELECT state IN ('FAILED', 'CANCELLED') FROM windrow_jobs WHERE id = $1), true)
            """;

    /** Up to $2 jobs that were cancelled because one of the jobs $1 ended without success, once for each edge. By windrow_edges_parent. */
    public static final String CANCELLED_CHILDREN = """
            SELECT e.child
              FROM unnest($1::bigint[]) AS g (id)
             CROSS JOIN LATERAL (
                   SELECT e.child FROM windrow_edges e
                    WHERE e.parent <= g.id AND (e.parent, e.child) >= (g.id, 0) AND e.cancelled
                    ORDER BY e.parent, e.child LIMIT $2::integer) e
             LIMIT $2::integer
            """;

    /** Up to $3 jobs that were cancelled because parent $1 ended without success, in order of ids from $2 on. By windrow_edges_parent. */
    public static final String NEXT_CANCELLED_CHILDREN = """
            SELECT child FROM windrow_edges
             WHERE parent <= $1 AND (parent, child) >= ($1, $2) AND cancelled
             ORDER BY parent, child LIMIT $3::integer
            """;

    /** The parents of the jobs $1 whose end would cancel these jobs again. By primary keys. */
    public static final String FORBIDDING_PARENTS = """
            SELECT e.child, e.parent, p.state
              FROM windrow_edges e
             CROSS JOIN LATERAL (SELECT p.state FROM windrow_jobs p WHERE p.id = e.parent OFFSET 0) p
             WHERE e.child = ANY ($1::bigint[]) AND e.policy = 'CANCEL' AND NOT e.satisfied
               AND p.state IN ('FAILED', 'CANCELLED')
            """;

    /**
     * Deletes the open edges between the parents $1, which are deleted, and ended children that stay. Leaves out edges that another transaction has
     * satisfied in between. Subtracts exactly the deleted edges. Locks the children first, in order of ids. By windrow_edges_parent,
     * windrow_edges_pkey, windrow_jobs_pkey.
     */
    public static final String FORGET_PARENTS = """
            WITH concerned AS (
              SELECT e.child, e.position
                FROM unnest($1::bigint[]) AS w (id)
               CROSS JOIN LATERAL (SELECT e.child, e.position FROM windrow_edges e
                                    WHERE e.parent = w.id AND NOT e.satisfied OFFSET 0) e
               WHERE e.child <> ALL ($1::bigint[])),
            locked AS (
              SELECT c.child, c.position
                FROM (SELECT child, position FROM concerned ORDER BY child) c
               CROSS JOIN LATERAL (SELECT 1 FROM windrow_jobs j WHERE j.id = c.child FOR NO KEY UPDATE) j),
            forgotten AS (
              DELETE FROM windrow_edges e USING locked l
               WHERE e.child = l.child AND e.position = l.position AND NOT e.satisfied
              RETURNING e.child)
            UPDATE windrow_jobs j SET open_parents = j.open_parents - f.n
              FROM (SELECT child, count(*) AS n FROM forgotten GROUP BY child) f
             WHERE j.id = f.child
            """;

    /** Some of the parents with unreleased children. In the order of the primary key. */
    public static final String RELEASES = """
            SELECT parent FROM windrow_releases ORDER BY parent LIMIT $1::integer
            """;
}
