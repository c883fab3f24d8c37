package dev.windrow.sqlite;

import dev.windrow.store.CheckBudget;
import dev.windrow.store.sql.OperationalQuery;
import dev.windrow.store.sql.PlanChecks;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Plans of SQLite, which finds none for a statement whose index was dropped, or by statistics that mislead it a bad one. In a snapshot, which may
 * be another one afterwards.
 */
final class Plans implements PlanChecks.Database {
    private final SqliteFile.Opened database;
    private final SqliteStatements statements;
    private final CheckBudget budget;

    Plans(SqliteFile.Opened database, SqliteStatements statements, CheckBudget budget) {
        this.database = database;
        this.statements = statements;
        this.budget = budget;
    }

    /** A line for each step, two characters further in than the one that it is a part of. */
    @Override
    public String plan(OperationalQuery query) throws SQLException {
        StringBuilder plan = new StringBuilder();
        Map<Integer, Integer> depths = new HashMap<>();
        try (Statement statement = database.connection().createStatement();
                ResultSet steps = statement.executeQuery("EXPLAIN QUERY PLAN " + query.sql())) {
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

    @Override
    public @Nullable String missing(OperationalQuery query, String plan) {
        for (String index : query.indexes()) {
            if (!plan.contains(index)) {
                return index.replaceFirst(" \\(.*", "");
            }
        }
        return null;
    }

    @Override
    public boolean isOfAll(SQLException e) {
        return SqliteErrors.isStoreWide(e);
    }

    /** Nothing is to be done: the snapshot is as it was. */
    @Override
    public void afterRefusal(SQLException e) {}

    /** Nothing is to be done: the snapshot has begun. */
    @Override
    public void begin(OperationalQuery query) {}

    /** Nothing is to be done: the snapshot has begun. */
    @Override
    public void beginSample() {}

    @Override
    public String tag(long job) throws SQLException {
        String tag = statements.get(ReadSql.READ_TAGS).set(1, job).find(row -> row.getString(1));
        return tag == null ? "" : tag;
    }

    @Override
    public boolean isStopped(Exception e) {
        return budget.isOver() && SqliteErrors.isInterrupt(e);
    }

    /**
     * Begins another snapshot: after some errors the first one cannot be ended otherwise, and the driver has closed statements. A caller that ends
     * the examination ends one statement, and would not want the others to be tried.
     */
    @Override
    public void afterFailure(Exception e) throws SQLException {
        statements.forget();
        if (Thread.currentThread().isInterrupted()) {
            throw new SQLException("interrupted", e);
        }
        statements.run(Sql.ROLLBACK);
        statements.run(Sql.BEGIN_READ);
    }
}
