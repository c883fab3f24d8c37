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
 * The check of the query plans of the statements by which jobs move and are found. Without one of its indexes a claim reads the whole table. The
 * check also measures how long the statements take that only read.
 */
final class PlanChecks {
    /** The fraction of the whole time that a test run may take at most: one sixth. */
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

    /** Checks all plans, then measures how long queries take. */
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
                // A statement that names its index cannot be prepared without it. Other checks report damage.
                refused.put(query, String.valueOf(e.getMessage()));
                (store.isOfAll(e) ? unknown : findings).add(query.name() + ": " + e.getMessage());
                store.recover(e);
            }
        }
        // Half of the time at most. The rest is for the checks that compare rows.
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
                ? Finding.note("plans not known: " + unknown)
                : Finding.failedIfAny(findings, "%d statements use their indexes".formatted(all.size()));
    }

    /** Reads sample values for the queries; null if there are none, or no time is left. */
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
                    budget.isOver() ? "not tried: no time was left" : "not tried: the sample values could not be read");
        }
        List<Object[]> runs = query.values().of(sample);
        budget.beginStep(PART_OF_BUDGET);
        long start = time.nanoTime();
        try {
            store.begin(query);
            Query statement = statements.get(query.sql());
            // The first run prepares the statement and loads the data into memory. The shorter of both times counts,
            // because other work on the machine can delay a run.
            OperationalQuery.run(statement, runs);
            Duration first = Duration.ofNanos(time.nanoTime() - start);
            start = time.nanoTime();
            OperationalQuery.run(statement, runs);
            Duration second = Duration.ofNanos(time.nanoTime() - start);
            return new Diagnosis.Query(query.name(), plan, first.compareTo(second) < 0 ? first : second, null);
        } catch (SQLException | RuntimeException e) {
            // The checks of the tables report damage.
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
