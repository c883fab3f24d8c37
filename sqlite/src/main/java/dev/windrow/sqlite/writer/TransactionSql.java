package dev.windrow.sqlite.writer;

import dev.windrow.sqlite.limit.LimitSql;

/** The statements of transactions, ids, and the numbers of names. Written like those in {@link dev.windrow.sqlite.job.JobSql}. */
public final class TransactionSql {
    private TransactionSql() {}

    /** Takes the write lock up front: a deferred transaction that upgrades later can only fail. */
    public static final String BEGIN = "BEGIN IMMEDIATE";

    /** A read that sees one state of the database throughout. */
    public static final String BEGIN_READ = "BEGIN";

    public static final String COMMIT = "COMMIT";

    public static final String ROLLBACK = "ROLLBACK";

    /** A verb inside a caller's transaction. */
    public static final String SAVEPOINT = "SAVEPOINT windrow_verb";

    public static final String RELEASE_SAVEPOINT = "RELEASE windrow_verb";

    public static final String ROLLBACK_TO_SAVEPOINT = "ROLLBACK TO windrow_verb";

    /**
     * First statement of a write transaction: takes ?1 ids from ?3 on, and answers the latest time ?2 that one has had, and how many lanes were
     * deleted. By primary key.
     */
    public static final String TAKE_IDS = """
            UPDATE windrow_ids
               SET next = max(next, ?3) + ?1, last_stamp = max(last_stamp, ?2)
             WHERE one = 1
            RETURNING next - ?1, last_stamp, lanes_deleted
            """;

    /** By primary key. */
    public static final String NEXT_ID = """
            SELECT next FROM windrow_ids WHERE one = 1
            """;

    /** No id below ?1 is given again. By primary key. */
    public static final String KEEP_ID_FLOOR = """
            UPDATE windrow_ids SET next = max(next, ?1) WHERE one = 1
            """;

    public static final String INSERT_ACTOR = """
            INSERT INTO windrow_actors (name, instance) VALUES (?1, ?2) ON CONFLICT (name, instance) DO NOTHING
            """;

    /** By the unique name and instance. */
    public static final String FIND_ACTOR = """
            SELECT id FROM windrow_actors WHERE name = ?1 AND instance = ?2
            """;

    /**
     * A new lane is paused and limited as its queue and its type are; see {@link LimitSql#LIMIT_LANES}. Numbers grow: the newest lane is never
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

    /**
     * A row with the number of lanes that were deleted, and behind it the lanes above ?1, or all if that number is not ?2. By primary keys.
     */
    public static final String NEW_LANES = """
            SELECT lanes_deleted, NULL, NULL FROM windrow_ids WHERE one = 1
            UNION ALL
            SELECT id, queue, type FROM windrow_lanes
             WHERE id > CASE (SELECT lanes_deleted FROM windrow_ids WHERE one = 1) WHEN ?2 THEN ?1 ELSE 0 END
            """;
}
