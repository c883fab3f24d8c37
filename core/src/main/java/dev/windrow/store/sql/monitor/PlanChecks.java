package dev.windrow.store.sql.monitor;

import dev.windrow.TimeSource;
import dev.windrow.monitor.Diagnosis;
import dev.windrow.store.sql.connection.Query;
import dev.windrow.store.sql.connection.Statements;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the plans of the statements by which jobs move and are found: without one of its indexes a claim reads the whole table. Tries those
 * that only read, for how long they take.
 */
final class PlanChecks {
    /** No query is tried for more than this part of all the time that there is. */
    private static final int PART_OF_BUDGET = 6;

    private final Examined store;
    private final Statements statements;
    private final Findings findings;
    private final CheckBudget budget;
    private final TimeSource time;

    private PlanChecks(Examined store, Statements statements, Findings findings) {
        this.store = store;
        this.statements = statements;
        this.findings = findings;
        this.budget = store.examination().budget();
        this.time = store.examination().request().time();
    }

    /** Looks at all plans, then at how long queries take. */
    static Finding plans(Examined store, Findings findings) throws SQLException {
        long now = store.now();
        return store.planning(statements -> new PlanChecks(store, statements, findings).plans(now));
    }

    private Finding plans(long now) throws SQLException {
        List<OperationalQuery> all = store.queries();
        Findings unknown = new Findings();
        Map<OperationalQuery, String> plans = new HashMap<>();
        Map<OperationalQuery, String> refused = new HashMap<>();
        for (OperationalQuery query : all) {
            try {
                String plan = store.plan(query);
                plans.put(query, plan);
                String missing = store.missing(query, plan);
                if (missing != null) {
                    findings.add("%s: does not use %s".formatted(query.name(), missing));
                }
            } catch (SQLException e) {
                // A statement that names its index cannot be prepared without it. Of what is damaged other checks tell.
                refused.put(query, String.valueOf(e.getMessage()));
                (store.isOfAll(e) ? unknown : findings).add(query.name() + ": " + e.getMessage());
                store.recover(e);
            }
        }
        // Half of the time at most: the rest is for what compares rows.
        budget.beginShare(2);
        OperationalQuery.Sample sample = sample(now);
        for (OperationalQuery query : all) {
            String why = refused.get(query);
            findings.answered(
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
            store.begin(null);
            return OperationalQuery.Sample.read(statements, now);
        } catch (SQLException | RuntimeException e) {
            store.recover(e);
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
            store.begin(query);
            Query statement = statements.get(query.sql());
            // Once for it to be prepared and what it reads to be in memory.
            // Of two times the shorter one counts, for what else goes on.
            OperationalQuery.run(statement, runs);
            Duration first = Duration.ofNanos(time.nanoTime() - start);
            start = time.nanoTime();
            OperationalQuery.run(statement, runs);
            Duration second = Duration.ofNanos(time.nanoTime() - start);
            return new Diagnosis.Query(query.name(), plan, first.compareTo(second) < 0 ? first : second, null);
        } catch (SQLException | RuntimeException e) {
            // What is damaged is named by the checks of what is in the tables.
            String why = Examination.isStopped(store, e)
                    ? "stopped after %d ms"
                            .formatted(Duration.ofNanos(time.nanoTime() - start).toMillis())
                    : "failed: " + e.getMessage();
            store.recover(e);
            return new Diagnosis.Query(query.name(), plan, null, why);
        } finally {
            budget.endStep();
        }
    }
}
