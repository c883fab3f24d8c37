package dev.windrow.sqlite.writer;

import dev.windrow.sqlite.limit.LimitSql;

/** The statements of transactions, ids, and the numbers of names. Written like the statements in {@link dev.windrow.sqlite.job.JobSql}. */
public final class TransactionSql {
    private TransactionSql() {}

    /** The begin of a write transaction. It takes the write lock at once, because a deferred transaction that upgrades later can only fail. */
    public static final String BEGIN = "BEGIN IMMEDIATE";

    /** The begin of a read that sees one state of the database throughout. */
    public static final String BEGIN_READ = "BEGIN";

    public static final String COMMIT = "COMMIT";

    public static final String ROLLBACK = "ROLLBACK";

    /** The savepoint for a verb inside a caller's transaction. */
    public static final String SAVEPOINT = "SAVEPOINT windrow_verb";

    public static final String RELEASE_SAVEPOINT = "RELEASE windrow_verb";

    public static final String ROLLBACK_TO_SAVEPOINT = "ROLLBACK TO windrow_verb";

    /**
     * The first statement of a write transaction. Takes ?1 ids from ?3 on, and stores its time ?2. Returns the first id, the latest time of any
     * transaction, and the number of deleted lanes. By primary key.
     */
    public static final String TAKE_IDS = """
            UPDATE windrow_ids
               SET next = max(next, ?3) + ?1, last_stamp = max(last_stamp, ?2)
             WHERE one = 1
            RETURNING next - ?1, last_stamp, lanes_deleted
            """;

    /** The next id. By primary key. */
    public static final String NEXT_ID = """
            SELECT next FROM windrow_ids WHERE one = 1
            """;

    /** Raises the next id to ?1 at least. By primary key. */
    public static final String KEEP_ID_FLOOR = """
            UPDATE windrow_ids SET next = max(next, ?1) WHERE one = 1
            """;

    public static final String INSERT_ACTOR = """
            INSERT INTO windrow_actors (name, instance) VALUES (?1, ?2) ON CONFLICT (name, instance) DO NOTHING
            """;

    /** The number of an actor. By the unique name and instance. */
    public static final String FIND_ACTOR = """
            SELECT id FROM windrow_actors WHERE name = ?1 AND instance = ?2
            """;

    /**
     * Adds a lane, paused and limited like its queue and its type; see {@link LimitSql#LIMIT_LANES}. Numbers grow, because the newest lane is never
     * deleted. By primary keys.
     */
    public static final String INSERT_LANE = """
            INSERT INTO windrow_lanes (queue, type, paused_at, paused_by, pause_reason, limited)
            SELECT ?1, ?2, coalesce(q.paused_at, t.paused_at),
                   CASE WHEN q.paused_at IS NULL THEN t.paused_by ELSE q.paused_by END,
                   CASE WHEN q.paused_at IS NULL THEN t.pause_reason ELSE q.pause_reason END,
                   q.max_running IS NOT NULL OR q.rate_count IS NOT NULL
                   OR t.max_running IS NOT NULL OR t.rate_count IS NOT NULL
              FROM (SELECT 1)
              LEFT JOIN windrow_limits q ON q.kind = 'QUEUE' AND q.name = ?1
              LEFT JOIN windrow_limits t ON t.kind = 'TYPE' AND t.name = ?2
            RETURNING id
            """;

    /** A row with the number of deleted lanes, and after it the lanes above ?1, or all lanes if that number is not ?2. By primary keys. */
    public static final String NEW_LANES = """
            SELECT lanes_deleted, NULL, NULL FROM windrow_ids WHERE one = 1
            UNION ALL
            SELECT id, queue, type FROM windrow_lanes
             WHERE id > CASE (SELECT lanes_deleted FROM windrow_ids WHERE one = 1) WHEN ?2 THEN ?1 ELSE 0 END
            """;
}
