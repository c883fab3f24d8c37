package dev.windrow.bench;

import dev.windrow.TimeSource;
import dev.windrow.sqlite.Durability;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.function.IntToLongFunction;

/**
 * Fills a new file with jobs as if they had been enqueued and run. All tables are consistent, and {@code doctor} finds
 * no problem. The SQL generates its rows itself. Durability and foreign keys are off, because the file is useless if
 * this fails.
 */
final class Seeder {
    /** The number of jobs of a transaction. */
    private static final int CHUNK = 50_000;
    /** The distance between the ids of two jobs. Real ones have gaps, too. */
    private static final int STRIDE = 5;

    /** The queue and the type of jobs that a claim must pass. */
    static final String PAUSED_QUEUE = "paused";

    static final String OTHER_TYPE = "other";

    private static final String TAKE_IDS = """
            UPDATE windrow_ids SET next = next + ?1, last_stamp = max(last_stamp, ?2) WHERE one = 1
            """;

    /**
     * Inserts the jobs from ?1 to ?2 (exclusive), of lane ?4. The first id of all jobs is ?3. They were enqueued one
     * millisecond after the other from ?5 on, by actor ?6, who completed them.
     */
    private static final String FINISHED = """
            WITH RECURSIVE n (i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?2)
            INSERT INTO windrow_jobs (id, lane, state, scheduled_at, token, used, max_attempts, claimed_at, started_at,
                                      created_at, created_by, finished_at, worker)
            SELECT ?3 + 5 * i, ?4, 'COMPLETED', ?5 + i, 1, 1, 3, ?5 + i + 1, ?5 + i + 2, ?5 + i, ?6, ?5 + i + 3, ?6 FROM n
            """;

    private static final String SCHEDULED = """
            WITH RECURSIVE n (i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?2)
            INSERT INTO windrow_jobs (id, lane, state, scheduled_at, max_attempts, created_at, created_by)
            SELECT ?3 + 5 * i, ?4, 'SCHEDULED', ?6 + i, 3, ?5 + i, ?7 FROM n
            """;

    private static final String BLOCKED = """
            WITH RECURSIVE n (i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?2)
            INSERT INTO windrow_jobs (id, lane, state, scheduled_at, max_attempts, open_parents, waiting_for, created_at,
                                      created_by)
            SELECT ?3 + 5 * i, ?4, 'BLOCKED', ?5 + i, 3, 1, 'PARENTS', ?5 + i, ?6 FROM n
            """;

    /** Inserts an edge for each job to one of the ?5 scheduled jobs, whose ids begin with ?4. */
    private static final String EDGES = """
            WITH RECURSIVE n (i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?2)
            INSERT INTO windrow_edges (child, position, parent, policy, satisfied)
            SELECT ?3 + 5 * i, 0, ?4 + 5 * (i % ?5), 'WAIT', 0 FROM n
            """;

    private static final String PENDING = """
            WITH RECURSIVE n (i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?2)
            INSERT INTO windrow_jobs (id, lane, state, scheduled_at, max_attempts, created_at, created_by)
            SELECT ?3 + 5 * i, ?4, 'PENDING', ?5 + i, 3, ?5 + i, ?6 FROM n
            """;

    private static final String PAUSE = """
            UPDATE windrow_lanes SET paused_at = ?2, paused_by = ?3, pause_reason = 'full of jobs' WHERE id = ?1
            """;

    private static final String SAY_PAUSED = """
            INSERT INTO windrow_limits (kind, name, paused_at, paused_by, pause_reason)
            SELECT 'QUEUE', queue, paused_at, paused_by, pause_reason FROM windrow_lanes WHERE id = ?1
            """;

    private static final String PAYLOADS = """
            WITH RECURSIVE n (i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?2)
            INSERT INTO windrow_payloads (job_id, payload) SELECT ?3 + 5 * i, ?4 FROM n
            """;

    /**
     * The numbers of jobs of each kind.
     *
     * @param finished jobs that have succeeded at their first attempt
     * @param scheduled jobs that are due in a month
     * @param blocked jobs that each wait for one of the scheduled ones
     * @param pending jobs that are ready
     * @param others jobs that are ready before those and cannot be claimed with them: half of another type, half in a
     *     paused queue
     */
    record Rows(int finished, int scheduled, int blocked, int pending, int others) {
        static Rows finished(int count) {
            return new Rows(count, 0, 0, 0, 0);
        }

        Rows {
            if (blocked > 0 && scheduled == 0) {
                throw new IllegalArgumentException("blocked jobs need scheduled ones to wait for");
            }
        }

        long all() {
            return (long) finished + scheduled + blocked + pending + others;
        }
    }

    private final Connection connection;
    private final String payload;
    private final long lane;
    private final long actor;
    private final long created;
    /** The first id of the next jobs. */
    private long firstId;

    private Seeder(Connection connection, String payload, long created) throws SQLException {
        this.connection = connection;
        this.payload = payload;
        this.created = created;
        this.lane = lane(Work.QUEUE, Work.NO_OP.name());
        this.actor = BareLoop.number(connection, List.of(BareSql.INSERT_ACTOR, BareSql.FIND_ACTOR), "seeder", "");
        try (Statement statement = connection.createStatement()) {
            this.firstId = Audit.number(statement, "SELECT next FROM windrow_ids");
        }
    }

    private long lane(String queue, String type) throws SQLException {
        return BareLoop.number(connection, List.of(BareSql.INSERT_LANE), queue, type);
    }

    /**
     * Creates the file.
     *
     * @param payload the JSON text of each job
     * @return the ids of the finished jobs, in their order
     */
    static IntToLongFunction seed(Path file, Rows rows, String payload) throws SQLException {
        BareLoop.makeStore(file);
        long now = TimeSource.system().now().toEpochMilli();
        long dueLater = now + Duration.ofDays(30).toMillis();
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file)) {
            BareLoop.configure(connection, Durability.NORMAL);
            try (Statement statement = connection.createStatement()) {
                statement.execute("PRAGMA foreign_keys = OFF");
                statement.execute("PRAGMA synchronous = OFF");
            }
            connection.setAutoCommit(false);
            // This is far enough in the past that all jobs have ended by now.
            Seeder seeder = new Seeder(connection, payload, now - rows.all() - rows.others - 1000);
            seeder.run(TAKE_IDS, STRIDE * rows.all(), now);
            seeder.others(rows.others);
            long firstFinished = seeder.firstId;
            seeder.finished(rows.finished);
            long firstScheduled = seeder.firstId;
            seeder.chunks(
                    seeder.lane,
                    "SCHEDULED",
                    rows.scheduled,
                    (from, to) -> seeder.run(
                            SCHEDULED, from, to, seeder.firstId, seeder.lane, seeder.created, dueLater, seeder.actor));
            seeder.chunks(seeder.lane, "BLOCKED", rows.blocked, (from, to) -> {
                seeder.run(BLOCKED, from, to, seeder.firstId, seeder.lane, seeder.created, seeder.actor);
                seeder.run(EDGES, from, to, seeder.firstId, firstScheduled, rows.scheduled);
            });
            seeder.pending(seeder.lane, rows.pending, seeder.created);
            connection.commit();
            return i -> firstFinished + (long) STRIDE * i;
        }
    }

    private void others(int count) throws SQLException {
        if (count > 0) {
            // Claims order by time, so all of these come before the first of the others.
            pending(lane(Work.QUEUE, OTHER_TYPE), count - count / 2, created - count);
            long paused = lane(PAUSED_QUEUE, Work.NO_OP.name());
            pending(paused, count / 2, created - count);
            run(PAUSE, paused, created, actor);
            run(SAY_PAUSED, paused);
        }
    }

    private void pending(long of, int count, long since) throws SQLException {
        chunks(of, "PENDING", count, (from, to) -> run(PENDING, from, to, firstId, of, since, actor));
    }

    private void finished(int count) throws SQLException {
        chunks(lane, "COMPLETED", count, (from, to) -> {
            run(FINISHED, from, to, firstId, lane, created, actor);
        });
    }

    private interface Chunk {
        void insert(int from, int to) throws SQLException;
    }

    /** Inserts the jobs of a state, with the rows that all jobs have. */
    private void chunks(long of, String state, int count, Chunk chunk) throws SQLException {
        for (int from = 0; from < count; from += CHUNK) {
            int to = Math.min(count, from + CHUNK);
            chunk.insert(from, to);
            run(PAYLOADS, from, to, firstId, payload);
            run(BareSql.ADD_COUNTER, of, state, to - from);
            connection.commit();
        }
        firstId += (long) STRIDE * count;
    }

    private void run(String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            statement.executeUpdate();
        }
    }
}
