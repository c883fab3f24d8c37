package dev.windrow.postgres;

import dev.windrow.store.CheckBudget;
import dev.windrow.store.sql.OperationalQuery;
import dev.windrow.store.sql.PlanChecks;
import dev.windrow.store.sql.Rows;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Plans of the server. An index that was dropped, or is not valid, is in none of them. The way to list jobs is left to the server, which reads a
 * small table by the index that it likes.
 */
final class Plans implements PlanChecks.Database {
    /** The answer of the server when a lock was not to be had in time. */
    private static final String LOCKED = "55P03";

    /** Makes each name one that its session has not: what has failed stays prepared there. */
    private static final AtomicLong NUMBER = new AtomicLong();

    private static final Pattern PARAMETER = Pattern.compile("\\$([0-9]+)");

    private final Connection connection;
    private final Tables tables;
    private final PostgresStatements statements;
    private final String lockWait;
    /** True if the transaction that is under way has the settings of statements that work, false if of those that read; null if there is none. */
    private @Nullable Boolean works;
    /** The time to wait for a transaction that has a table for itself. */
    private String lockTimeout;

    /**
     * Of one use.
     *
     * @param connection not in a transaction; in one afterwards that has written nothing
     * @param lockWait how long a statement waits for a lock at most, as PostgreSQL writes durations
     */
    Plans(Connection connection, Tables tables, PostgresStatements statements, CheckBudget budget, String lockWait) {
        this.connection = connection;
        this.tables = tables;
        this.statements = statements;
        this.lockWait = lockWait;
        this.lockTimeout = budget.isLimited() ? "200ms" : lockWait;
    }

    @Override
    public String plan(OperationalQuery query) throws SQLException {
        begin(query);
        return String.join("\n", plan(connection, tables, query.sql()));
    }

    @Override
    public @Nullable String missing(OperationalQuery query, String plan) throws SQLException {
        List<String> indexes = query.indexes();
        return indexes.isEmpty()
                        || indexes.stream().anyMatch(index -> isIn(plan, tables.name(index)))
                        || isOfNothing(indexes.get(0))
                ? null
                : tables.name(indexes.get(0));
    }

    @Override
    public boolean isOfAll(SQLException e) {
        return LOCKED.equals(e.getSQLState());
    }

    @Override
    public void afterRefusal(SQLException e) throws SQLException {
        afterFailure(e);
    }

    /** Each statement runs under the settings that it has at work, whatever the statistics say. */
    @Override
    public void begin(OperationalQuery query) throws SQLException {
        begin(OperationalQueries.works(query));
    }

    @Override
    public void beginSample() throws SQLException {
        begin(false);
    }

    /** Begins a transaction that may not write, under the settings of such statements; does nothing if it is under way. */
    private void begin(boolean work) throws SQLException {
        if (works != null && works == work) {
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
        PostgresQuery settings = work
                ? statements.get(Sql.BEGIN_WORK).set(1, lockTimeout).set(2, "0").set(3, false)
                : statements.get(CheckSql.BEGIN_READ).set(1, lockTimeout);
        try (ResultSet row = settings.rows()) {
            row.next();
        }
        works = work;
    }

    @Override
    public String tag(long job) throws SQLException {
        List<String> tags =
                statements.get(ReadSql.READ_JOBS).ids(1, List.of(job)).find(row -> Rows.texts(row, JobReads.TAGS));
        return tags == null || tags.isEmpty() ? "" : tags.get(0);
    }

    @Override
    public boolean isStopped(Exception e) {
        return Examination.isStopped(e);
    }

    /** The transaction is of no more use; and a caller that ends the examination would not want the others to be tried. */
    @Override
    public void afterFailure(Exception e) throws SQLException {
        works = null;
        if (e instanceof SQLException sql && LOCKED.equals(sql.getSQLState())) {
            // It is known by now: the others that want the same table need not wait as long.
            lockTimeout = "10ms";
        }
        if (Thread.currentThread().isInterrupted()) {
            throw new SQLException("interrupted", e);
        }
    }

    /** True if the server was free to choose another index: where it knows that there is nothing to read, all cost the same. */
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
     * Returns how the server would run a statement, line by line. It is prepared there, its parameters stay open and their types are
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
