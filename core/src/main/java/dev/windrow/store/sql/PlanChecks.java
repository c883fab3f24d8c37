package dev.windrow.store.sql;

import dev.windrow.Diagnosis;
import dev.windrow.TimeSource;
import dev.windrow.store.CheckBudget;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the plans of the statements by which jobs move and are found: without one of its indexes a claim reads the whole table. Tries those
 * that only read, for how long they take.
 */
public final class PlanChecks {
    /** No query is tried for more than this part of all the time that there is. */
    private static final int PART_OF_BUDGET = 6;

    /** The database, which plans and runs statements. */
    public interface Database {
        /** Returns how a statement would be run, line by line. */
        String plan(OperationalQuery query) throws SQLException;

        /** Returns the index that a plan should use and does not; null if there is none. */
        @Nullable String missing(OperationalQuery query, String plan) throws SQLException;

        /** True if this keeps any statement from being planned, and says nothing of this one. */
        boolean isOfAll(SQLException e);

        /** Goes on after a statement that could not be planned. */
        void afterRefusal(SQLException e) throws SQLException;

        /** Gets ready for a query to be run. */
        void begin(OperationalQuery query) throws SQLException;

        /** Gets ready for what there is to be read. */
        void beginSample() throws SQLException;

        /** Returns one of the tags of a job, or nothing if it has none. */
        String tag(long job) throws SQLException;

        /** True if this comes of a time that is over. */
        boolean isStopped(Exception e);

        /** Goes on after a query that has failed, unless its thread is interrupted. */
        void afterFailure(Exception e) throws SQLException;
    }

    private final Database database;
    private final Statements statements;
    private final CheckBudget budget;
    private final TimeSource time;
    private final List<Diagnosis.Query> queries = new ArrayList<>();

    /** Checks of one use. */
    public PlanChecks(Database database, Statements statements, CheckBudget budget, TimeSource time) {
        this.database = database;
        this.statements = statements;
        this.budget = budget;
        this.time = time;
    }

    /** The queries that {@link #plans} has looked at. */
    public List<Diagnosis.Query> queries() {
        return queries;
    }

    /**
     * Looks at all plans, then at how long queries take.
     *
     * @param now by which the queries are tried
     */
    public Finding plans(List<OperationalQuery> all, long now) throws SQLException {
        Findings findings = new Findings();
        Findings unknown = new Findings();
        Map<OperationalQuery, String> plans = new HashMap<>();
        Map<OperationalQuery, String> refused = new HashMap<>();
        for (OperationalQuery query : all) {
            try {
                String plan = database.plan(query);
                plans.put(query, plan);
                String missing = database.missing(query, plan);
                if (missing != null) {
                    findings.add("%s: does not use %s".formatted(query.name(), missing));
                }
            } catch (SQLException e) {
                // A statement that names its index cannot be prepared without it. Of what is damaged other checks tell.
                refused.put(query, String.valueOf(e.getMessage()));
                (database.isOfAll(e) ? unknown : findings).add(query.name() + ": " + e.getMessage());
                database.afterRefusal(e);
            }
        }
        // Half of the time at most: the rest is for what compares rows.
        budget.beginShare(2);
        OperationalQuery.Sample sample = sample(now);
        for (OperationalQuery query : all) {
            String why = refused.get(query);
            queries.add(
                    why == null
                            ? answered(query, plans.getOrDefault(query, ""), sample)
                            : new Diagnosis.Query(query.name(), "", null, why));
        }
        return findings.isEmpty() && !unknown.isEmpty()
                ? Finding.note("not known of: " + unknown)
                : Finding.failedIfAny(findings, "%d statements use their indexes".formatted(all.size()));
    }

    /** Null if there is nothing to try queries with, or no time. */
    private OperationalQuery.@Nullable Sample sample(long now) throws SQLException {
        if (budget.isOver()) {
            return null;
        }
        try {
            database.beginSample();
            return OperationalQuery.Sample.read(statements, now, database::tag);
        } catch (SQLException | RuntimeException e) {
            database.afterFailure(e);
            return null;
        }
    }

    private Diagnosis.Query answered(OperationalQuery query, String plan, OperationalQuery.@Nullable Sample sample)
            throws SQLException {
        if (query.values() == null) {
            return new Diagnosis.Query(query.name(), plan, null, "it writes");
        }
        if (sample == null || budget.isOver()) {
            return new Diagnosis.Query(
                    query.name(),
                    plan,
                    null,
                    budget.isOver() ? "not tried: no time was left" : "not tried: what there is could not be read");
        }
        List<Object[]> runs = query.values().of(sample);
        budget.beginStep(PART_OF_BUDGET);
        long start = time.nanoTime();
        try {
            database.begin(query);
            Query statement = statements.get(query.sql());
            // Once for it to be prepared and what it reads to be in memory; of two times the shorter one, for what else
            // goes on.
            OperationalQuery.run(statement, runs);
            Duration first = Duration.ofNanos(time.nanoTime() - start);
            start = time.nanoTime();
            OperationalQuery.run(statement, runs);
            Duration second = Duration.ofNanos(time.nanoTime() - start);
            return new Diagnosis.Query(query.name(), plan, first.compareTo(second) < 0 ? first : second, null);
        } catch (SQLException | RuntimeException e) {
            // What is damaged is named by the checks of what is in the tables.
            String why = database.isStopped(e)
                    ? "stopped after %d ms"
                            .formatted(Duration.ofNanos(time.nanoTime() - start).toMillis())
                    : "failed: " + e.getMessage();
            database.afterFailure(e);
            return new Diagnosis.Query(query.name(), plan, null, why);
        } finally {
            budget.endStep();
        }
    }
}
