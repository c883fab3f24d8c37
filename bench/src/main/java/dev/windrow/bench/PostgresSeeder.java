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
                                      worker, state)
            SELECT i, at + i, 1, at + i + 1, at + i + 2, at + i + 3, lane, 1, 3, actor, 'COMPLETED'
              FROM (SELECT ?::bigint AS at, ?::integer AS lane, ?::integer AS actor) g, generate_series(1, ?::bigint) i
            """;

    private static final String INPUTS = """
            INSERT INTO windrow_inputs (job_id, created_at, lane, created_by, payload)
            SELECT i, at + i, lane, actor, payload
              FROM (SELECT ?::bigint AS at, ?::integer AS lane, ?::integer AS actor, ?::text AS payload) g, generate_series(1, ?::bigint) i
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
            run(connection, JOBS, created, lane, actor, count);
            run(connection, INPUTS, created, lane, actor, payload, count);
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
