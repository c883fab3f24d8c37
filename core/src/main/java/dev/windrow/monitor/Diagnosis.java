package dev.windrow.monitor;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The result of an examination of a store. Immutable.
 *
 * @param checks the checks, in the order in which they were made
 * @param queries the plans and times of the queries that move, find and count jobs; empty if they could not be examined
 * @param took the duration of the examination
 */
public record Diagnosis(List<Check> checks, List<Query> queries, Duration took) {
    /** The result of a check. */
    public enum Result {
        /** The check has found no problem. */
        OK,
        /** The check has found no problem, but has a note for the operator, for example that it was not finished. */
        NOTE,
        /** The check has found a problem, or could not be made. */
        FAILED
    }

    /**
     * One check of the store.
     *
     * @param name the constant name of the check
     * @param result the result
     * @param detail the findings, for humans. For many findings of one kind, their number and the first few
     * @param finished true if the check has examined everything. A check that ran out of time is not {@link Result#OK}
     * @param remedy the remedy of a failed check, for humans; else null. The diagnosis itself changes nothing
     */
    public record Check(
            String name,
            Result result,
            String detail,
            boolean finished,
            @Nullable String remedy) {
        /** Creates a finished check without a remedy. */
        public Check(String name, Result result, String detail) {
            this(name, result, detail, true, null);
        }

        /** Refuses null. */
        public Check {
            Objects.requireNonNull(name, "name");
            Objects.requireNonNull(result, "result");
            Objects.requireNonNull(detail, "detail");
        }

        /** True if the check has found no problem. It may have a note. */
        public boolean isOk() {
            return result != Result.FAILED;
        }
    }

    /**
     * The plan and the time of one of the queries that move, find and count jobs.
     *
     * @param name the constant name of the query
     * @param plan the query plan in the database's own words: a line for each step, indented below the step that contains it. Empty if the database
     *     returned none
     * @param time the time to the last row, when the rows had just been read; null if the query was not run to its end
     * @param note the reason why it was not, for humans; null if it was
     */
    public record Query(
            String name,
            String plan,
            @Nullable Duration time,
            @Nullable String note) {
        /** Refuses null. */
        public Query {
            Objects.requireNonNull(name, "name");
            Objects.requireNonNull(plan, "plan");
        }
    }

    /** Copies the lists. */
    public Diagnosis {
        checks = List.copyOf(checks);
        queries = List.copyOf(queries);
        Objects.requireNonNull(took, "took");
    }

    /** True if no check has failed. */
    public boolean isOk() {
        return checks.stream().allMatch(Check::isOk);
    }

    /** True if every check has examined everything. */
    public boolean isFinished() {
        return checks.stream().allMatch(Check::finished);
    }

    /** Returns the names of the failed checks. */
    public List<String> failed() {
        return checks.stream().filter(check -> !check.isOk()).map(Check::name).toList();
    }
}
