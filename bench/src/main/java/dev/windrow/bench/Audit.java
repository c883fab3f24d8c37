package dev.windrow.bench;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Counts the rows that the work must have left in a database. A figure without its complete work is not valid. */
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

    private static final String ATTEMPTS = """
            SELECT count(*) FROM windrow_attempt_view WHERE outcome = 'SUCCEEDED' AND token = 1
            """;

    /** Counts the jobs with the whole trail and no other events. */
    private static final String WHOLE_TRAILS = """
            SELECT count(*)
              FROM (SELECT 1 FROM windrow_event_view GROUP BY job_id
                    HAVING count(*) = 4 AND count(*) FILTER (WHERE event = 'ENQUEUED') = 1
                       AND count(*) FILTER (WHERE event = 'CLAIMED') = 1 AND count(*) FILTER (WHERE event = 'STARTED') = 1
                       AND count(*) FILTER (WHERE event = 'SUCCEEDED') = 1) AS trails
            """;

    private static final String EVENTS = """
            SELECT count(*) FROM windrow_event_view
            """;

    private static final String IN_STATE = """
            SELECT count(*) FROM windrow_jobs WHERE state = '%s'
            """;

    /** The statements that differ between the two databases. */
    enum Dialect {
        SQLITE(
                "SELECT count(*) FROM windrow_payloads",
                "SELECT coalesce(sum(n), 0) FROM windrow_counters WHERE state = '%s'",
                "SELECT count(*) FROM pragma_foreign_key_check"),
        /** The counters are sums and deltas that are not added to them yet. The schema declares no references. */
        POSTGRES("SELECT count(*) FROM windrow_inputs", """
                SELECT coalesce(sum(n), 0)
                  FROM (SELECT state, n FROM windrow_counters UNION ALL SELECT state, n FROM windrow_counter_deltas) AS c
                 WHERE state = '%s'
                """, """
                SELECT count(*)
                  FROM (SELECT job_id FROM windrow_inputs UNION ALL SELECT job_id FROM windrow_attempts
                         UNION ALL SELECT job_id FROM windrow_events) AS r
                  LEFT JOIN windrow_jobs j ON j.id = r.job_id
                 WHERE j.id IS NULL
                """);

        private final String payloads;
        private final String counted;
        private final String brokenReferences;

        Dialect(String payloads, String counted, String brokenReferences) {
            this.payloads = payloads;
            this.counted = counted;
            this.brokenReferences = brokenReferences;
        }

        /** Returns the statement that reads the counters of completed jobs. */
        String completed() {
            return counted.formatted("COMPLETED");
        }

        private String pending() {
            return counted.formatted("PENDING");
        }
    }

    private Audit() {}

    /** Checks that all jobs succeeded at their first attempt, with attempt and trail. */
    static void completed(Database database, long jobs) throws SQLException {
        check(
                database,
                new Expected(JOBS, jobs),
                new Expected(COMPLETED, jobs),
                new Expected(database.dialect().payloads, jobs),
                new Expected(ATTEMPTS, jobs),
                new Expected(WHOLE_TRAILS, jobs),
                new Expected(EVENTS, 4 * jobs),
                new Expected(database.dialect().completed(), jobs),
                new Expected(database.dialect().brokenReferences, 0));
    }

    /** Checks that all jobs wait for a worker. */
    static void pending(Database database, long jobs) throws SQLException {
        check(
                database,
                new Expected(JOBS, jobs),
                new Expected(PENDING, jobs),
                new Expected(database.dialect().payloads, jobs),
                new Expected(ATTEMPTS, 0),
                new Expected(EVENTS, jobs),
                new Expected(database.dialect().pending(), jobs),
                new Expected(database.dialect().brokenReferences, 0));
    }

    /** The numbers of jobs in each of four states; no other states exist. */
    record States(long completed, long scheduled, long blocked, long pending) {}

    /** Checks only the states, because the trails of many millions of jobs take long. */
    static void states(Database database, States states) throws SQLException {
        check(
                database,
                new Expected(JOBS, states.completed + states.scheduled + states.blocked + states.pending),
                new Expected(IN_STATE.formatted("COMPLETED"), states.completed),
                new Expected(IN_STATE.formatted("SCHEDULED"), states.scheduled),
                new Expected(IN_STATE.formatted("BLOCKED"), states.blocked),
                new Expected(IN_STATE.formatted("PENDING"), states.pending),
                new Expected(database.dialect().completed(), states.completed),
                new Expected(database.dialect().pending(), states.pending));
    }

    /** Returns how many jobs each worker has run, in ascending order. */
    static List<Long> shares(Database database) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "SELECT count(*) AS n FROM windrow_attempt_view GROUP BY worker ORDER BY n")) {
            List<Long> shares = new ArrayList<>();
            while (rows.next()) {
                shares.add(rows.getLong(1));
            }
            return shares;
        }
    }

    private record Expected(String sql, long count) {}

    private static void check(Database database, Expected... all) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            for (Expected expected : all) {
                long counted = number(statement, expected.sql);
                if (counted != expected.count) {
                    throw new BenchException("the work is not complete: %d instead of %d by%n%s"
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
