package dev.windrow.sqlite;

import dev.windrow.Diagnosis;
import dev.windrow.TimeSource;
import dev.windrow.sqlite.OperationalQueries.Operation;
import dev.windrow.sqlite.OperationalQueries.Sample;
import dev.windrow.store.CheckBudget;
import dev.windrow.store.sql.Finding;
import dev.windrow.store.sql.Findings;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Whether the statements by which jobs move and are found still use their indexes: one that was dropped, or statistics
 * that mislead SQLite, make a claim read the whole table. And how long those take that only read.
 */
final class PlanChecks {
    /** No query is tried for more than this part of all the time that there is. */
    private static final int PART_OF_BUDGET = 6;

    private final SqliteFile.Opened database;
    private final SqliteStatements statements;
    private final CheckBudget budget;
    private final TimeSource time;
    private final List<Diagnosis.Query> queries = new ArrayList<>();

    PlanChecks(SqliteFile.Opened database, SqliteStatements statements, CheckBudget budget, TimeSource time) {
        this.database = database;
        this.statements = statements;
        this.budget = budget;
        this.time = time;
    }

    /** What {@link #plans} has looked at. */
    List<Diagnosis.Query> queries() {
        return queries;
    }

    /** In a snapshot, which may be another one afterwards. */
    Finding plans() throws SQLException {
        Findings findings = new Findings();
        Findings unknown = new Findings();
        Map<Operation, String> plans = new HashMap<>();
        Map<Operation, String> refused = new HashMap<>();
        for (Operation operation : OperationalQueries.ALL) {
            try {
                String plan = plan(operation.sql());
                plans.put(operation, plan);
                if (operation.index() != null && !plan.contains(operation.index())) {
                    findings.add("%s: does not use %s"
                            .formatted(operation.name(), operation.index().replaceFirst(" \\(.*", "")));
                }
            } catch (SQLException e) {
                // A statement that names its index cannot be prepared without it. Of what is damaged other checks tell.
                refused.put(operation, String.valueOf(e.getMessage()));
                (SqliteErrors.isStoreWide(e) ? unknown : findings).add(operation.name() + ": " + e.getMessage());
            }
        }
        // Half of the time at most: the rest is for what compares rows.
        budget.beginShare(2);
        Sample sample = sample();
        for (Operation operation : OperationalQueries.ALL) {
            String why = refused.get(operation);
            queries.add(
                    why == null
                            ? answered(operation, plans.getOrDefault(operation, ""), sample)
                            : new Diagnosis.Query(operation.name(), "", null, why));
        }
        return findings.isEmpty() && !unknown.isEmpty()
                ? Finding.note("not known of: " + unknown)
                : Finding.failedIfAny(
                        findings, "%d statements use their indexes".formatted(OperationalQueries.ALL.size()));
    }

    /** Null if there is nothing to try queries with, or no time. */
    private @Nullable Sample sample() throws SQLException {
        if (budget.isOver()) {
            return null;
        }
        try {
            return Sample.read(statements, time.now().toEpochMilli());
        } catch (SQLException | RuntimeException e) {
            afterFailure(e);
            return null;
        }
    }

    /**
     * Begins another snapshot: after some errors the first one cannot be ended otherwise, and the driver has closed statements. Whoever ends
     * the examination ends one statement, and would not want the others to be tried.
     */
    private void afterFailure(Exception e) throws SQLException {
        statements.forget();
        if (Thread.currentThread().isInterrupted()) {
            throw new SQLException("interrupted", e);
        }
        statements.run(Sql.ROLLBACK);
        statements.run(Sql.BEGIN_READ);
    }

    /** How SQLite would run a statement: a line for each step, two characters further in than the one that it is a part of. */
    private String plan(String sql) throws SQLException {
        StringBuilder plan = new StringBuilder();
        Map<Integer, Integer> depths = new HashMap<>();
        try (Statement statement = database.connection().createStatement();
                ResultSet steps = statement.executeQuery("EXPLAIN QUERY PLAN " + sql)) {
            while (steps.next()) {
                int depth = depths.getOrDefault(steps.getInt(2), -1) + 1;
                depths.put(steps.getInt(1), depth);
                plan.append(plan.isEmpty() ? "" : "\n")
                        .append("  ".repeat(depth))
                        .append(steps.getString(4));
            }
        }
        return plan.toString();
    }

    private Diagnosis.Query answered(Operation operation, String plan, @Nullable Sample sample) throws SQLException {
        if (operation.values() == null) {
            return new Diagnosis.Query(operation.name(), plan, null, "it writes");
        }
        if (sample == null || budget.isOver()) {
            return new Diagnosis.Query(
                    operation.name(),
                    plan,
                    null,
                    budget.isOver() ? "not tried: no time was left" : "not tried: what there is could not be read");
        }
        List<Object[]> runs = operation.values().of(sample);
        budget.beginStep(PART_OF_BUDGET);
        long start = time.nanoTime();
        try {
            // Once for what it reads to be in memory; of two times the shorter one, for what else goes on.
            OperationalQueries.run(statements, operation, runs);
            Duration first = Duration.ofNanos(time.nanoTime() - start);
            start = time.nanoTime();
            OperationalQueries.run(statements, operation, runs);
            Duration second = Duration.ofNanos(time.nanoTime() - start);
            return new Diagnosis.Query(operation.name(), plan, first.compareTo(second) < 0 ? first : second, null);
        } catch (SQLException | RuntimeException e) {
            // What is damaged is named by the checks of what is in the tables.
            String why = budget.isOver() && SqliteErrors.isInterrupt(e)
                    ? "stopped after %d ms"
                            .formatted(Duration.ofNanos(time.nanoTime() - start).toMillis())
                    : "failed: " + e.getMessage();
            afterFailure(e);
            return new Diagnosis.Query(operation.name(), plan, null, why);
        } finally {
            budget.endStep();
        }
    }
}
