package dev.windrow.postgres.workflow;

import dev.windrow.postgres.job.JobSql;

/**
 * The statements of workflows: chains, edges from parents to children, and what becomes of children when a parent ends. Written like those in
 * {@link JobSql}.
 */
public final class WorkflowSql {
    private WorkflowSql() {}

    // ---- chains ------------------------------------------------------------------------------------------------

    /**
     * The parents $1, locked until the end of the transaction before their states are believed: else a parent could end between this
     * look and the insert, and its child would wait for ever. In order of their ids, so that two enqueues cannot
     * deadlock; shared, so that they need not wait for each other. Each by itself: of a row that has changed meanwhile the server checks the condition
     * again, and does not look through a list of 50,000 ids for that. By primary key.
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

    /** Whoever waits for the end of the chains that go on from $1 with $2 waits for those now. By windrow_edges_parent. */
    static final String MOVE_CHAIN_EDGES = """
            UPDATE windrow_edges e SET parent = g.next
              FROM unnest($1::bigint[], $2::bigint[]) AS g (job, next)
             WHERE e.parent = g.job AND e.chain AND NOT e.satisfied
            """;

    /**
     * The dependents of the jobs $1 that are still to come back are those of $2 now, as far as they wait for the end of the chains. By
     * windrow_releases_pkey.
     */
    static final String MOVE_CHAIN_RETRIES = """
            INSERT INTO windrow_releases (parent, state, after, actor)
            SELECT g.next, 'RETRIED', r.after, r.actor
              FROM unnest($1::bigint[], $2::bigint[]) AS g (job, next)
             CROSS JOIN LATERAL (
                   SELECT r.after, r.actor FROM windrow_releases r WHERE r.parent = g.job AND r.state = 'RETRIED' OFFSET 0) r
            RETURNING parent
            """;

    /**
     * First of a look for a cycle, held until the end of the transaction: two chains that go on at once could wait for each other, and neither
     * statement would see the edges that the other transaction has moved. $1: a number of this store's own.
     */
    static final String LOCK_CYCLES = """
            SELECT 1 FROM pg_advisory_xact_lock($1)
            """;

    /** The same without a wait; false while another transaction has it. */
    static final String TRY_CYCLES = """
            SELECT pg_try_advisory_xact_lock($1)
            """;

    /** Whether job $1 waits for its own end, by whomever it waits for. By the primary key of the edges. */
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
     * The last jobs of the chains in which the jobs $1 are; not of those whose first job is gone: then retention is about to delete the rest, and
     * the last one may be gone as well. By windrow_inputs_pkey and windrow_inputs_chain.
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

    // ---- dependencies ------------------------------------------------------------------------------------------

    /**
     * Satisfies the open edges below ended parents $1, once and for all, of children from $3 on, at most $4 of each parent and $5 in
     * all; $2: whether they completed. Answers them, those that somebody else has satisfied meanwhile, and those whose children are to be
     * cancelled: also of children that are cancelled, for somebody may be bringing one back. The children are locked before their edges, in order of ids, as by
     * every change of them. Answers the parents that were retried and have dependents that are still to come back, each with child 0, and touches none
     * of their edges. By windrow_releases_pkey, windrow_edges_parent, windrow_jobs_pkey, windrow_edges_pkey.
     */
    public static final String SATISFY_EDGES = """
            WITH retried AS (
              SELECT r.parent FROM windrow_releases r WHERE r.parent = ANY ($1::bigint[]) AND r.state = 'RETRIED'),
            concerned AS (
              SELECT e.parent, e.child, e.position, $2::boolean OR e.policy = 'RUN' AS satisfies
                FROM unnest($1::bigint[]) AS g (id)
               CROSS JOIN LATERAL (
                     SELECT e.parent, e.child, e.position, e.policy FROM windrow_edges e
                      WHERE e.parent = g.id AND e.child >= $3 AND NOT e.satisfied
                        AND ($2::boolean OR e.policy <> 'WAIT')
                      ORDER BY e.child LIMIT $4::integer) e
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
     * Subtracts exactly the edges that were satisfied. The rows' locks, taken in order of ids, make two parents that end at once take
     * turns: the second one sees what the first has subtracted. A job that has a time of its own, later than when it was enqueued, waits for
     * that one as well, if it is after $3. By primary keys.
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
     * BLOCKED -> CANCELLED, of the children $1 that wait for parents, at $2. All are locked, in order of ids, those that do not wait as
     * well: who brings one of them back meanwhile sees how its parent has ended. By primary keys.
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
     * Marks edges (children $1, positions $2) whose parents' ends have cancelled the child ($3 = 1), or would have if another parent's
     * end had not. By primary key.
     */
    static final String MARK_EDGES = """
            UPDATE windrow_edges e SET cancelled = true
              FROM unnest($1::bigint[], $2::integer[], $3::integer[]) AS g (child, position, cancelled)
             WHERE e.child = g.child AND e.position = g.position AND NOT e.satisfied AND NOT e.cancelled
               AND (g.cancelled = 1 OR EXISTS (SELECT 1 FROM windrow_edges o WHERE o.child = g.child AND o.cancelled OFFSET 0))
            """;

    /** Jobs $1 that were cancelled wait again, or run. By primary key. */
    public static final String UNMARK_EDGES = """
            UPDATE windrow_edges SET cancelled = false WHERE child = ANY ($1::bigint[]) AND cancelled
            """;

    /**
     * The ends of the jobs $1, as $2, concern more children than this transaction deals with, from $3 on; answers of which of them there
     * are any left. Where some were left before, it is gone on from the first of both. By windrow_edges_parent.
     */
    static final String LEAVE_CHILDREN = """
            INSERT INTO windrow_releases AS r (parent, state, after)
            SELECT g.id, g.state, g.after
              FROM unnest($1::bigint[], $2::text[], $3::bigint[]) AS g (id, state, after)
             WHERE EXISTS (SELECT 1 FROM windrow_edges e
                            WHERE e.parent = g.id AND e.child >= g.after AND NOT e.satisfied
                              AND (g.state = 'COMPLETED' OR e.policy <> 'WAIT'))
             ORDER BY g.id
                ON CONFLICT (parent, state) DO UPDATE SET after = least(r.after, excluded.after)
            RETURNING r.parent
            """;

    /**
     * Actor $2 has retried the jobs $1 with their dependents, and some of these are still to come back; answers of which jobs. By
     * windrow_edges_parent.
     */
    static final String LEAVE_DEPENDENTS = """
            INSERT INTO windrow_releases (parent, state, actor)
            SELECT g.id, 'RETRIED', $2::integer
              FROM unnest($1::bigint[]) AS g (id)
             WHERE EXISTS (SELECT 1 FROM windrow_edges e WHERE e.parent = g.id AND e.cancelled)
             ORDER BY g.id
                ON CONFLICT (parent, state) DO NOTHING
            RETURNING parent
            """;

    /**
     * The rows of the parents $1 of which children are left: the state of the end, and the next child. Of each parent the row of a retry with dependents
     * comes first, with its actor. Leaves out rows that another transaction has locked. By primary keys.
     */
    static final String TAKE_RELEASES = """
            SELECT r.parent, r.state, r.after, r.actor, (SELECT a.name FROM windrow_actors a WHERE a.id = r.actor)
              FROM windrow_releases r
             WHERE r.parent = ANY ($1::bigint[]) ORDER BY r.parent, r.state DESC FOR UPDATE OF r SKIP LOCKED
            """;

    /** The same, waiting for transactions that go on with them. By primary keys. */
    static final String TAKE_ALL_RELEASES = """
            SELECT r.parent, r.state, r.after, r.actor, (SELECT a.name FROM windrow_actors a WHERE a.id = r.actor)
              FROM windrow_releases r
             WHERE r.parent = ANY ($1::bigint[]) ORDER BY r.parent, r.state DESC FOR UPDATE OF r
            """;

    /** The children below $3 are done. By primary key. */
    static final String MOVE_RELEASE = """
            UPDATE windrow_releases SET after = $3 WHERE parent = $1 AND state = $2
            """;

    /** All children are done. By primary key. */
    static final String END_RELEASE = """
            DELETE FROM windrow_releases WHERE parent = $1 AND state = $2
            """;

    /** True if job $1 is gone, or has ended without success. By primary key. */
    static final String IS_RETRY_VOID = """
            SELECT coalesce((SELECT state IN ('FAILED', 'CANCELLED') FROM windrow_jobs WHERE id = $1), true)
            """;

    /**
     * At most $2 of the jobs that were cancelled because one of the jobs $1 ended without success; one of them for each edge. By
     * windrow_edges_parent.
     */
    public static final String CANCELLED_CHILDREN = """
            SELECT e.child
              FROM unnest($1::bigint[]) AS g (id)
             CROSS JOIN LATERAL (
                   SELECT e.child FROM windrow_edges e WHERE e.parent = g.id AND e.cancelled ORDER BY e.child LIMIT $2::integer) e
             LIMIT $2::integer
            """;

    /** The same of one parent $1, in the order of the children, from child $2 on, at most $3. By windrow_edges_parent. */
    public static final String NEXT_CANCELLED_CHILDREN = """
            SELECT child FROM windrow_edges
             WHERE parent = $1 AND child >= $2 AND cancelled
             ORDER BY child LIMIT $3::integer
            """;

    /** The parents of the jobs $1 that have ended so that these must not wait for them. By primary keys. */
    public static final String FORBIDDING_PARENTS = """
            SELECT e.child, e.parent, p.state
              FROM windrow_edges e
             CROSS JOIN LATERAL (SELECT p.state FROM windrow_jobs p WHERE p.id = e.parent OFFSET 0) p
             WHERE e.child = ANY ($1::bigint[]) AND e.policy = 'CANCEL' AND NOT e.satisfied
               AND p.state IN ('FAILED', 'CANCELLED')
            """;

    /**
     * Children that have ended, and do not go themselves, no longer wait for the parents $1, which go: those edges are deleted, but for those that another
     * transaction has satisfied meanwhile, and exactly those are subtracted. The children are locked first, in order of ids. By windrow_edges_parent,
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

    /** Some of the parents of which children are left. In the order of the primary key. */
    public static final String RELEASES = """
            SELECT parent FROM windrow_releases ORDER BY parent LIMIT $1::integer
            """;
}
