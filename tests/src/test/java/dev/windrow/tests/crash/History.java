package dev.windrow.tests.crash;

import dev.windrow.AttemptOutcome;
import dev.windrow.EventKind;
import dev.windrow.JobState;
import dev.windrow.tests.stores.Target;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * The history in the tables of a store, read with plain SQL.
 *
 * @param jobs its jobs
 * @param attempts the attempts that have ended
 * @param events the event log, in order
 * @param troubles internal faults: damaged pages or indexes, orphaned rows, wrong counters
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
     * @param why the code and detail of its last failure, or empty
     */
    record Job(long id, String name, JobState state, long token, int used, int maxAttempts, String why) {}

    record Attempt(long job, long token, int attempt, String worker, AttemptOutcome outcome) {}

    record Event(long job, EventKind kind, long token) {}

    private interface Row<T> {
        T of(ResultSet row) throws SQLException;
    }

    /** Reads a target that no store of this process has open. */
    static History read(Target target) throws SQLException {
        try (Connection connection = target.connect()) {
            return new History(
                    rows(
                            connection,
                            target.isFile() ? """
                                      SELECT id, coalesce(name, ''), state, token, used, max_attempts,
                                             coalesce(error_code, '') || ' ' || coalesce(error_detail, '')
                                        FROM windrow_jobs
                                       ORDER BY id
                                      """ : """
                                      SELECT j.id, coalesce(i.name, ''), j.state, j.token, j.used, j.max_attempts,
                                             coalesce(j.error_code, '') || ' ' || coalesce(j.error_detail, '')
                                        FROM windrow_jobs j LEFT JOIN windrow_inputs i ON i.job_id = j.id
                                       ORDER BY j.id
                                      """,
                            row -> new Job(
                                    row.getLong(1),
                                    row.getString(2),
                                    JobState.valueOf(row.getString(3)),
                                    row.getLong(4),
                                    row.getInt(5),
                                    row.getInt(6),
                                    row.getString(7))),
                    rows(
                            connection,
                            """
                            SELECT job_id, token, attempt, worker, outcome FROM windrow_attempt_view ORDER BY job_id, token
                            """,
                            row -> new Attempt(
                                    row.getLong(1),
                                    row.getLong(2),
                                    row.getInt(3),
                                    row.getString(4),
                                    AttemptOutcome.valueOf(row.getString(5)))),
                    rows(
                            connection,
                            // Stored events have numbers. Of an attempt, a claim and a start come before them.
                            """
                            SELECT job_id, event, token FROM windrow_event_view
                             ORDER BY job_id, token, CASE event WHEN 'ENQUEUED' THEN 0 WHEN 'CLAIMED' THEN 1 WHEN 'STARTED' THEN 2
                                                                ELSE CASE WHEN seq IS NULL THEN 4 ELSE 3 END END, seq
                            """,
                            row -> new Event(row.getLong(1), EventKind.valueOf(row.getString(2)), row.getLong(3))),
                    target.isFile() ? troubles(connection) : troublesOfSchema(connection));
        }
    }

    /** The tables whose rows belong to a job. */
    private static final List<String> OF_JOBS = List.of(
            "inputs",
            "results",
            "tags",
            "attempts",
            "attempt_texts",
            "events",
            "edges",
            "progress",
            "log_lines",
            "steps");

    private static List<String> troublesOfSchema(Connection connection) throws SQLException {
        List<String> troubles = new ArrayList<>(indexesThatMiss(connection));
        for (String table : OF_JOBS) {
            String job = table.equals("edges") ? "child" : "job_id";
            troubles.addAll(rows(
                    connection,
                    "SELECT count(*) FROM windrow_%1$s t LEFT JOIN windrow_jobs j ON j.id = t.%2$s WHERE j.id IS NULL HAVING count(*) > 0"
                            .formatted(table, job),
                    row -> row.getString(1) + " rows of " + table + " have no job"));
        }
        troubles.addAll(rows(
                connection,
                "SELECT j.id FROM windrow_jobs j LEFT JOIN windrow_inputs i ON i.job_id = j.id WHERE i.job_id IS NULL",
                row -> "job " + row.getString(1) + " has no input"));
        troubles.addAll(rows(
                connection,
                """
                SELECT j.id, j.open_parents, count(e.child)
                  FROM windrow_jobs j LEFT JOIN windrow_edges e ON e.child = j.id AND NOT e.satisfied
                 GROUP BY j.id, j.open_parents HAVING j.open_parents <> count(e.child)
                """,
                row -> "job " + row.getString(1) + " says that it waits for " + row.getString(2) + " jobs, not "
                        + row.getString(3)));
        troubles.addAll(rows(
                connection,
                """
                SELECT lane, state, sum(said), sum(counted)
                  FROM (SELECT lane, state, n AS said, 0 AS counted FROM windrow_counters
                        UNION ALL SELECT lane, state, n, 0 FROM windrow_counter_deltas WHERE state IS NOT NULL
                        UNION ALL SELECT lane, state, 0, 1 FROM windrow_jobs) c
                 GROUP BY lane, state HAVING sum(said) <> sum(counted)
                """,
                row -> "counter of lane " + row.getString(1) + ", " + row.getString(2) + ": " + row.getString(3)
                        + " instead of " + row.getString(4)));
        return troubles;
    }

    /** Returns the indexes that miss rows by PostgreSQL's own check, if it is installed. */
    private static List<String> indexesThatMiss(Connection connection) throws SQLException {
        if (rows(connection, "SELECT 1 FROM pg_available_extensions WHERE name = 'amcheck'", row -> row.getInt(1))
                .isEmpty()) {
            return List.of();
        }
        try (Statement statement = connection.createStatement()) {
            statement.execute(
                    "SET client_min_messages = warning; CREATE EXTENSION IF NOT EXISTS amcheck SCHEMA public");
        }
        List<String> troubles = new ArrayList<>();
        for (String index : rows(connection, """
                SELECT c.oid::regclass::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                 WHERE n.nspname = current_schema() AND c.relkind = 'i'
                """, row -> row.getString(1))) {
            try (Statement statement = connection.createStatement()) {
                statement.execute("SELECT public.bt_index_check('" + index + "'::regclass, true)");
            } catch (SQLException e) {
                troubles.add(index + ": " + e.getMessage());
            }
        }
        return troubles;
    }

    /** Returns the faults that the file's own checks report. Empty if the file has none. */
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
