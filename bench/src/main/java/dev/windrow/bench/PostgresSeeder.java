package dev.windrow.bench;

import dev.windrow.TimeSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Fills a new schema with jobs as if they had been enqueued and run, by SQL that generates its rows itself. All tables
 * are consistent. At the end the tables are vacuumed, as the server would do in time.
 */
final class PostgresSeeder {
    /** The number of ids by which the sequence advances with each call. */
    private static final int BLOCK = 100;

    private static final String LANE = """
            INSERT INTO windrow_lanes (queue, type) VALUES (?, ?) RETURNING id
            """;

    private static final String ACTOR = """
            INSERT INTO windrow_actors (name) VALUES (?) RETURNING id
            """;

    /** Jobs that were enqueued one millisecond after the other. */
    private static final String JOBS = """
            INSERT INTO windrow_jobs (id, scheduled_at, token, claimed_at, started_at, finished_at, lane, used, max_attempts,
                                      state)
            SELECT i, at + i, 1, at + i + 1, at + i + 2, at + i + 3, lane, 1, 3, 'COMPLETED'
              FROM (SELECT ?::bigint AS at, ?::integer AS lane) g, generate_series(1, ?::bigint) i
            """;

    private static final String INPUTS = """
            INSERT INTO windrow_inputs (job_id, created_at, lane, payload)
            SELECT i, at + i, lane, payload
              FROM (SELECT ?::bigint AS at, ?::integer AS lane, ?::text AS payload) g, generate_series(1, ?::bigint) i
            """;

    private static final String ATTEMPTS = """
            INSERT INTO windrow_attempts (job_id, token, started_at, finished_at, attempt, worker, outcome)
            SELECT i, 1, at + i + 2, at + i + 3, 1, actor, 'SUCCEEDED'
              FROM (SELECT ?::bigint AS at, ?::integer AS actor) g, generate_series(1, ?::bigint) i
            """;

    private static final String EVENTS = """
            INSERT INTO windrow_events (job_id, at, token, actor, event)
            SELECT i, at + i + n, CASE n WHEN 0 THEN 0 ELSE 1 END, actor, event
              FROM (SELECT ?::bigint AS at, ?::integer AS actor) g, generate_series(1, ?::bigint) i,
                   (VALUES (0, 'ENQUEUED'), (1, 'CLAIMED'), (2, 'STARTED'), (3, 'SUCCEEDED')) e (n, event)
             ORDER BY i, n
            """;

    private static final String COUNTER = """
            INSERT INTO windrow_counters (lane, state, n) VALUES (?, 'COMPLETED', ?)
            """;

    private static final String IDS = """
            SELECT setval('windrow_ids', ?)
            """;

    private PostgresSeeder() {}

    static void seed(Database database, int finished, String payload) throws SQLException {
        database.open().close();
        // This is far enough in the past that all jobs have ended by now.
        long created = TimeSource.system().now().toEpochMilli() - finished - 1000;
        long count = finished;
        try (Connection connection = database.connect()) {
            long lane = number(connection, LANE, Work.QUEUE, Work.NO_OP.name());
            long actor = number(connection, ACTOR, "seeder");
            run(connection, JOBS, created, lane, count);
            run(connection, INPUTS, created, lane, payload, count);
            run(connection, ATTEMPTS, created, actor, count);
            run(connection, EVENTS, created, actor, count);
            run(connection, COUNTER, lane, count);
            long unused = number(connection, IDS, 1 + BLOCK * ((count + BLOCK - 1) / BLOCK));
            try (Statement statement = connection.createStatement()) {
                for (String table : new String[] {"jobs", "inputs", "attempts", "events", "counters"}) {
                    statement.execute("VACUUM ANALYZE windrow_" + table);
                }
            }
        }
    }

    private static void run(Connection connection, String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = prepared(connection, sql, values)) {
            statement.executeUpdate();
        }
    }

    private static long number(Connection connection, String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = prepared(connection, sql, values);
                ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getLong(1);
        }
    }

    private static PreparedStatement prepared(Connection connection, String sql, Object... values) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        for (int i = 0; i < values.length; i++) {
            statement.setObject(i + 1, values[i]);
        }
        return statement;
    }
}
