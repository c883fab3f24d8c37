package dev.windrow.tests.crash;

import dev.windrow.AttemptOutcome;
import dev.windrow.EventKind;
import dev.windrow.JobState;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * All that a database file tells of what happened, read with plain SQL.
 *
 * @param jobs its jobs
 * @param attempts the attempts that have ended
 * @param events the event log, in order
 * @param troubles what the file's own checks say is wrong: pages, foreign keys, counters
 */
record History(List<Job> jobs, List<Attempt> attempts, List<Event> events, List<String> troubles) {
    History {
        jobs = List.copyOf(jobs);
        attempts = List.copyOf(attempts);
        events = List.copyOf(events);
        troubles = List.copyOf(troubles);
    }

    /**
     * A job.
     *
     * @param name the name that its enqueuer gave it
     */
    record Job(long id, String name, JobState state, long token, int used, int maxAttempts) {}

    record Attempt(long job, long token, int attempt, String worker, AttemptOutcome outcome) {}

    record Event(long job, EventKind kind, long token) {}

    private interface Row<T> {
        T of(ResultSet row) throws SQLException;
    }

    /** Reads a file that no store of this process has open. */
    static History read(Path db) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + db)) {
            return new History(
                    rows(
                            connection,
                            "SELECT id, coalesce(name, ''), state, token, used, max_attempts FROM windrow_jobs ORDER BY id",
                            row -> new Job(
                                    row.getLong(1),
                                    row.getString(2),
                                    JobState.valueOf(row.getString(3)),
                                    row.getLong(4),
                                    row.getInt(5),
                                    row.getInt(6))),
                    rows(
                            connection,
                            """
                            SELECT t.job_id, t.token, t.attempt, a.name, t.outcome
                              FROM windrow_attempts t JOIN windrow_actors a ON a.id = t.worker
                             ORDER BY t.job_id, t.token
                            """,
                            row -> new Attempt(
                                    row.getLong(1),
                                    row.getLong(2),
                                    row.getInt(3),
                                    row.getString(4),
                                    AttemptOutcome.valueOf(row.getString(5)))),
                    rows(
                            connection,
                            "SELECT job_id, event, token FROM windrow_events ORDER BY job_id, seq",
                            row -> new Event(row.getLong(1), EventKind.valueOf(row.getString(2)), row.getLong(3))),
                    troubles(connection));
        }
    }

    /** What the file's own checks say is wrong; empty when it is whole. */
    static List<String> troubles(Connection connection) throws SQLException {
        List<String> troubles = new ArrayList<>();
        for (String answer : rows(connection, "PRAGMA integrity_check", row -> row.getString(1))) {
            if (!answer.equals("ok")) {
                troubles.add("integrity_check: " + answer);
            }
        }
        troubles.addAll(rows(
                connection,
                "SELECT \"table\", rowid, parent FROM pragma_foreign_key_check",
                row -> "foreign_key_check: row " + row.getString(2) + " of " + row.getString(1) + " has no "
                        + row.getString(3)));
        troubles.addAll(rows(
                connection,
                """
                SELECT s.lane, s.state, coalesce(c.n, 0), s.n
                  FROM (SELECT lane, state, sum(n) AS n
                          FROM (SELECT lane, state, 1 AS n FROM windrow_jobs
                                UNION ALL SELECT lane, state, 0 FROM windrow_counters)
                         GROUP BY lane, state) s
                  LEFT JOIN windrow_counters c ON c.lane = s.lane AND c.state = s.state
                 WHERE coalesce(c.n, 0) <> s.n
                """,
                row -> "counter of lane " + row.getString(1) + ", " + row.getString(2) + ": " + row.getString(3)
                        + " instead of " + row.getString(4)));
        return troubles;
    }

    private static <T> List<T> rows(Connection connection, String sql, Row<T> row) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<T> found = new ArrayList<>();
            while (rows.next()) {
                found.add(row.of(rows));
            }
            return found;
        }
    }
}
