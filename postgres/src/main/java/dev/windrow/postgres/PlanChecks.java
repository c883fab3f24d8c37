package dev.windrow.postgres;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;

/**
 * Whether the statements by which jobs move can use their indexes: without one that was dropped, or is not valid, a claim reads
 * the whole table. How jobs are listed is left to the server, which reads a small table by whatever index it likes.
 */
final class PlanChecks {
    /** Makes each name one that its session has not: what has failed stays prepared there. */
    private static final AtomicLong NUMBER = new AtomicLong();

    private static final Pattern PARAMETER = Pattern.compile("\\$([0-9]+)");

    /** A statement and the indexes, named as tables are in {@link Sql}, without one of which it reads everything. */
    private record Planned(String name, String sql, List<String> indexes) {
        Planned(String name, String sql, String... indexes) {
            this(name, sql, List.of(indexes));
        }
    }

    /** Where two are named, the statement can use either, and their sizes decide. */
    private static final List<Planned> OPERATIONS = List.of(
            new Planned("claim", Sql.CLAIM, "jobs_claim"),
            new Planned("promotion", Sql.PROMOTE, "jobs_due"),
            new Planned("next due time", Sql.NEXT_DUE, "jobs_due"),
            new Planned("requests to cancel", Sql.CANCEL_REQUESTS, "jobs_running"),
            new Planned("start", Sql.MARK_STARTED, "jobs_pkey", "jobs_running"),
            new Planned("settlement", Sql.SETTLE_COMPLETED, "jobs_pkey", "jobs_running"),
            new Planned("renewal", Sql.RENEW, "jobs_pkey", "jobs_running"),
            new Planned("release of children", Sql.SATISFY_EDGES, "edges_parent"),
            new Planned("statistics: failures", StatisticsSql.FAILURES, "jobs_failed", "jobs_failed_id"),
            new Planned("statistics: times", StatisticsSql.MINUTES, "minutes_pkey"),
            new Planned("statistics: throughput", StatisticsSql.ENDED, "minutes_pkey"));

    private PlanChecks() {}

    /** Under the settings of {@link Sql#BEGIN_WORK}, whatever the statistics say. */
    static Finding plans(Connection connection, Tables tables) throws SQLException {
        Findings findings = new Findings();
        for (Planned operation : OPERATIONS) {
            String plan = String.join("\n", plan(connection, tables, operation.sql));
            if (operation.indexes.stream().noneMatch(index -> isIn(plan, tables.name(index)))) {
                findings.add(operation.name + ": does not use " + tables.name(operation.indexes.get(0)));
            }
        }
        return Finding.failedIfAny(findings, "%d statements use their indexes".formatted(OPERATIONS.size()));
    }

    private static boolean isIn(String plan, String index) {
        return Pattern.compile("\\b" + index + "\\b").matcher(plan).find();
    }

    /**
     * How the server would run a statement, line by line. It is prepared there, its parameters stay open and their types are
     * what the server infers: null instead of them would make conditions that nothing meets, of which the plan says nothing.
     * Only under {@code plan_cache_mode = force_generic_plan} are the nulls of EXECUTE not looked at.
     */
    static List<String> plan(Connection connection, Tables tables, String sql) throws SQLException {
        List<String> lines = new ArrayList<>();
        String name = "windrow_examined_" + NUMBER.incrementAndGet();
        List<Integer> parameters = parameters(sql);
        try (Statement statement = connection.createStatement()) {
            statement.execute("PREPARE " + name + " AS " + tables.inSchema(consecutive(sql, parameters)));
            try (ResultSet rows = statement.executeQuery("EXPLAIN (COSTS OFF) EXECUTE " + name + nulls(parameters))) {
                while (rows.next()) {
                    lines.add(rows.getString(1));
                }
            }
            statement.execute("DEALLOCATE " + name);
        }
        return lines;
    }

    /** The numbers that are in use, in order. */
    private static List<Integer> parameters(String sql) {
        return PARAMETER
                .matcher(sql)
                .results()
                .map(found -> Integer.valueOf(found.group(1)))
                .distinct()
                .sorted()
                .toList();
    }

    /** Without gaps between the numbers: the server infers no type of a parameter that is not there. */
    private static String consecutive(String sql, List<Integer> parameters) {
        return PARAMETER
                .matcher(sql)
                .replaceAll(found -> "\\$" + (parameters.indexOf(Integer.valueOf(found.group(1))) + 1));
    }

    private static String nulls(List<Integer> parameters) {
        return parameters.isEmpty()
                ? ""
                : "(" + String.join(", ", Collections.nCopies(parameters.size(), "NULL")) + ")";
    }
}
