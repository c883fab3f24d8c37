package dev.windrow.bench;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Counts in a file what the work should have left there. A figure whose work was not done is none. */
final class Audit {
    private static final String JOBS = """
            SELECT count(*) FROM windrow_jobs
            """;

    private static final String COMPLETED = """
            SELECT count(*) FROM windrow_jobs WHERE state = 'COMPLETED' AND token = 1 AND used = 1
            """;

    private static final String PENDING = """
            SELECT count(*) FROM windrow_jobs WHERE state = 'PENDING' AND token = 0 AND used = 0
            """;

    private static final String PAYLOADS = """
            SELECT count(*) FROM windrow_payloads
            """;

    private static final String ATTEMPTS = """
            SELECT count(*) FROM windrow_attempts WHERE outcome = 'SUCCEEDED' AND token = 1
            """;

    /** Jobs with the whole trail and nothing else; walks the events, which are clustered by job. */
    private static final String WHOLE_TRAILS = """
            SELECT count(*)
              FROM (SELECT 1 FROM windrow_events GROUP BY job_id
                    HAVING count(*) = 4 AND sum(event = 'ENQUEUED') = 1 AND sum(event = 'CLAIMED') = 1
                       AND sum(event = 'STARTED') = 1 AND sum(event = 'SUCCEEDED') = 1)
            """;

    private static final String EVENTS = """
            SELECT count(*) FROM windrow_events
            """;

    static final String COUNTED = """
            SELECT coalesce(sum(n), 0) FROM windrow_counters WHERE state = 'COMPLETED'
            """;

    private static final String COUNTED_PENDING = """
            SELECT coalesce(sum(n), 0) FROM windrow_counters WHERE state = 'PENDING'
            """;

    private static final String IN_STATE = """
            SELECT count(*) FROM windrow_jobs WHERE state = '%s'
            """;

    private static final String BROKEN_REFERENCES = """
            SELECT count(*) FROM pragma_foreign_key_check
            """;

    private Audit() {}

    /** All jobs ended well at their first attempt, with attempt and trail. */
    static void completed(Path file, long jobs) throws SQLException {
        check(
                file,
                new Expected(JOBS, jobs),
                new Expected(COMPLETED, jobs),
                new Expected(PAYLOADS, jobs),
                new Expected(ATTEMPTS, jobs),
                new Expected(WHOLE_TRAILS, jobs),
                new Expected(EVENTS, 4 * jobs),
                new Expected(COUNTED, jobs),
                new Expected(BROKEN_REFERENCES, 0));
    }

    /** All jobs wait for a worker. */
    static void pending(Path file, long jobs) throws SQLException {
        check(
                file,
                new Expected(JOBS, jobs),
                new Expected(PENDING, jobs),
                new Expected(PAYLOADS, jobs),
                new Expected(ATTEMPTS, 0),
                new Expected(EVENTS, jobs),
                new Expected(COUNTED_PENDING, jobs),
                new Expected(BROKEN_REFERENCES, 0));
    }

    /** How many jobs there are in each of four states, and no others. */
    record States(long completed, long scheduled, long blocked, long pending) {}

    /** Counts states alone, because the trails of many millions take long. */
    static void states(Path file, States states) throws SQLException {
        check(
                file,
                new Expected(JOBS, states.completed + states.scheduled + states.blocked + states.pending),
                new Expected(IN_STATE.formatted("COMPLETED"), states.completed),
                new Expected(IN_STATE.formatted("SCHEDULED"), states.scheduled),
                new Expected(IN_STATE.formatted("BLOCKED"), states.blocked),
                new Expected(IN_STATE.formatted("PENDING"), states.pending),
                new Expected(COUNTED, states.completed),
                new Expected(COUNTED_PENDING, states.pending));
    }

    /** How many jobs each worker has run, least first. */
    static List<Long> shares(Path file) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "SELECT count(*) AS n FROM windrow_attempts GROUP BY worker ORDER BY n")) {
            List<Long> shares = new ArrayList<>();
            while (rows.next()) {
                shares.add(rows.getLong(1));
            }
            return shares;
        }
    }

    private record Expected(String sql, long count) {}

    private static void check(Path file, Expected... all) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            for (Expected expected : all) {
                long counted = number(statement, expected.sql);
                if (counted != expected.count) {
                    throw new BenchException("the work was not done as it should: %d instead of %d by%n%s"
                            .formatted(counted, expected.count, expected.sql.strip()));
                }
            }
        }
    }

    static long number(Statement statement, String sql) throws SQLException {
        try (ResultSet rows = statement.executeQuery(sql)) {
            return rows.next() ? rows.getLong(1) : -1;
        }
    }
}
