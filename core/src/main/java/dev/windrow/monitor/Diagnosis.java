package dev.windrow.monitor;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What an examination of a store has found. Immutable.
 *
 * @param checks each check that was made, in the order in which they were
 * @param queries how the queries are answered by which jobs move, are found and are counted; empty if that could not be looked at
 * @param took how long the examination has taken
 */
public record Diagnosis(List<Check> checks, List<Query> queries, Duration took) {
    /** What a check came to. */
    public enum Result {
        /** All is as it should be. */
        OK,
        /** Nothing is known to be wrong with the store, but somebody may want to know, such as that the check was not finished. */
        NOTE,
        /** Something is wrong, or could not be checked. */
        FAILED
    }

    /**
     * One look at the store.
     *
     * @param name what it is called, always the same
     * @param result what it came to
     * @param detail what was seen, for people; of many findings of one kind, how many and the first few
     * @param finished whether it has looked at all that it is about; if not, because there was no time, it is not {@link Result#OK}
     * @param remedy what to do if it has failed, for people; else null. The diagnosis itself does nothing of it
     */
    public record Check(
            String name,
            Result result,
            String detail,
            boolean finished,
            @Nullable String remedy) {
        /** One that has looked at all that it is about, and needs no remedy. */
        public Check(String name, Result result, String detail) {
            this(name, result, detail, true, null);
        }

        /** Refuses a check that says nothing. */
        public Check {
            Objects.requireNonNull(name, "name");
            Objects.requireNonNull(result, "result");
            Objects.requireNonNull(detail, "detail");
        }

        /** Whether nothing is known to be wrong; there may be a note. */
        public boolean isOk() {
            return result != Result.FAILED;
        }
    }

    /**
     * How the database answers one of the queries by which jobs move, are found and are counted.
     *
     * @param name what it is for, always the same
     * @param plan how its rows are found, in the database's own words: a line for each step, further in than the step that it is a part of;
     *     empty if the database could not say
     * @param time how long its answer took, the last row included, when what it reads had just been read; null if it was not run to its end
     * @param note why it was not, for people; null if it was
     */
    public record Query(
            String name,
            String plan,
            @Nullable Duration time,
            @Nullable String note) {
        /** Refuses a query without a name or a plan. */
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

    /** Whether no check has failed. */
    public boolean isOk() {
        return checks.stream().allMatch(Check::isOk);
    }

    /** Whether each check has looked at all that it is about. */
    public boolean isFinished() {
        return checks.stream().allMatch(Check::finished);
    }

    /** The names of the checks that have failed. */
    public List<String> failed() {
        return checks.stream().filter(check -> !check.isOk()).map(Check::name).toList();
    }
}
