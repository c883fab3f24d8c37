package dev.windrow.postgres;

import dev.windrow.Diagnosis;
import dev.windrow.TimeSource;
import dev.windrow.postgres.OperationalQueries.Kind;
import dev.windrow.postgres.OperationalQueries.Operation;
import dev.windrow.postgres.OperationalQueries.Sample;
import dev.windrow.store.CheckBudget;
import dev.windrow.store.sql.Finding;
import dev.windrow.store.sql.Findings;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Whether the statements by which jobs move can use their indexes: without one that was dropped, or is not valid, a claim reads
 * the whole table. How jobs are listed is left to the server, which reads a small table by whatever index it likes. And how long those take
 * that only read.
 */
final class PlanChecks {
    /** No query is tried for more than this part of all the time that there is. */
    private static final int PART_OF_BUDGET = 6;

    /** What the server says when a lock was not to be had in time. */
    private static final String LOCKED = "55P03";

    /** Makes each name one that its session has not: what has failed stays prepared there. */
    private static final AtomicLong NUMBER = new AtomicLong();

    private static final Pattern PARAMETER = Pattern.compile("\\$([0-9]+)");

    private final Connection connection;
    private final Tables tables;
    private final PostgresStatements statements;
    private final CheckBudget budget;
    private final TimeSource time;
    private final String lockWait;
    private final List<Diagnosis.Query> queries = new ArrayList<>();
    /** Under whose settings the transaction is that is under way; null if there is none. */
    private @Nullable Kind begun;
    /** How long to wait for who has a table for himself. */
    private String lockTimeout;

    /**
     * Of one use.
     *
     * @param connection not in a transaction; in one afterwards that has written nothing
     * @param lockWait how long a statement waits for a lock at most, as PostgreSQL writes durations
     */
    PlanChecks(
            Connection connection,
            Tables tables,
            PostgresStatements statements,
            CheckBudget budget,
            TimeSource time,
            String lockWait) {
        this.connection = connection;
        this.tables = tables;
        this.statements = statements;
        this.budget = budget;
        this.time = time;
        this.lockWait = lockWait;
        this.lockTimeout = budget.isLimited() ? "200ms" : lockWait;
    }

    /** What {@link #plans} has looked at. */
    List<Diagnosis.Query> queries() {
        return queries;
    }

    /**
     * Each under the settings that it has at work, whatever the statistics say.
     *
     * @param now by which the queries are tried
     */
    Finding plans(long now) throws SQLException {
        Findings findings = new Findings();
        Findings unknown = new Findings();
        Map<Operation, String> plans = new HashMap<>();
        Map<Operation, String> refused = new HashMap<>();
        for (Operation operation : OperationalQueries.ALL) {
            try {
                begin(operation.kind());
                String plan = String.join("\n", plan(connection, tables, operation.sql()));
                plans.put(operation, plan);
                if (!operation.indexes().isEmpty()
                        && operation.indexes().stream().noneMatch(index -> isIn(plan, tables.name(index)))
                        && !isOfNothing(operation.indexes().get(0))) {
                    findings.add(operation.name() + ": does not use "
                            + tables.name(operation.indexes().get(0)));
                }
            } catch (SQLException e) {
                refused.put(operation, String.valueOf(e.getMessage()));
                (LOCKED.equals(e.getSQLState()) ? unknown : findings).add(operation.name() + ": " + e.getMessage());
                afterFailure(e);
            }
        }
        // Half of the time at most: the rest is for what compares rows.
        budget.beginShare(2);
        Sample sample = sample(now);
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

    /** A transaction that may not write, under the settings of such statements; nothing if it is under way. */
    private void begin(Kind kind) throws SQLException {
        if (begun == kind) {
            return;
        }
        connection.rollback();
        try (Statement first = connection.createStatement()) {
            first.execute(CheckSql.BEGIN_SNAPSHOT);
        }
        try (ResultSet row =
                statements.get(CheckSql.NO_DEADLINE).set(1, lockWait).rows()) {
            row.next();
        }
        PostgresQuery settings = kind == Kind.READ
                ? statements.get(CheckSql.BEGIN_READ).set(1, lockTimeout)
                : statements.get(Sql.BEGIN_WORK).set(1, lockTimeout).set(2, "0").set(3, false);
        try (ResultSet row = settings.rows()) {
            row.next();
        }
        begun = kind;
    }

    /** Null if there is nothing to try queries with, or no time. */
    private @Nullable Sample sample(long now) throws SQLException {
        if (budget.isOver()) {
            return null;
        }
        try {
            begin(Kind.READ);
            return Sample.read(statements, now);
        } catch (SQLException | RuntimeException e) {
            afterFailure(e);
            return null;
        }
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
        Object[] values = operation.values().of(sample);
        budget.beginStep(PART_OF_BUDGET);
        long start = time.nanoTime();
        try {
            begin(operation.kind());
            PostgresQuery query = statements.get(operation.sql());
            start = time.nanoTime();
            // Once for what it reads to be in memory; of two times the shorter one, for what else goes on.
            OperationalQueries.run(query, values);
            Duration first = Duration.ofNanos(time.nanoTime() - start);
            start = time.nanoTime();
            OperationalQueries.run(query, values);
            Duration second = Duration.ofNanos(time.nanoTime() - start);
            return new Diagnosis.Query(operation.name(), plan, first.compareTo(second) < 0 ? first : second, null);
        } catch (SQLException | RuntimeException e) {
            // What is damaged is named by the checks of what is in the tables.
            String why = Examination.isStopped(e)
                    ? "stopped after %d ms"
                            .formatted(Duration.ofNanos(time.nanoTime() - start).toMillis())
                    : "failed: " + e.getMessage();
            afterFailure(e);
            return new Diagnosis.Query(operation.name(), plan, null, why);
        } finally {
            budget.endStep();
        }
    }

    /** The transaction is of no more use; and whoever ends the examination would not want the others to be tried. */
    private void afterFailure(Exception e) throws SQLException {
        begun = null;
        if (e instanceof SQLException sql && LOCKED.equals(sql.getSQLState())) {
            // It is known by now: the others that want the same table need not wait as long.
            lockTimeout = "10ms";
        }
        if (Thread.currentThread().isInterrupted()) {
            throw new SQLException("interrupted", e);
        }
    }

    /** Whether the server was free to choose another index: where it knows that there is nothing to read, all cost the same. */
    private boolean isOfNothing(String index) throws SQLException {
        return statements
                .get(CheckSql.IS_INDEX_OF_NOTHING)
                .set(1, tables.inSchema("windrow_" + index))
                .exists();
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
        // In one message: there are many of them, and the server may be far away.
        String messages = "PREPARE %s AS %s; EXPLAIN (COSTS OFF) EXECUTE %s%s; DEALLOCATE %s"
                .formatted(name, tables.inSchema(consecutive(sql, parameters)).strip(), name, nulls(parameters), name);
        try (Statement statement = connection.createStatement()) {
            boolean answers = statement.execute(messages);
            while (!answers && statement.getUpdateCount() != -1) {
                answers = statement.getMoreResults();
            }
            try (ResultSet rows = statement.getResultSet()) {
                while (rows.next()) {
                    lines.add(rows.getString(1));
                }
            }
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
