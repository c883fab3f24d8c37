package dev.windrow;

import java.util.List;
import java.util.Objects;

/**
 * What an examination of a store has found. Immutable.
 *
 * @param checks each check that was made, in the order in which they were
 */
public record Diagnosis(List<Check> checks) {
    /** What a check came to. */
    public enum Result {
        /** All is as it should be. */
        OK,
        /** Nothing is wrong with the store, but somebody may want to know. */
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
     */
    public record Check(String name, Result result, String detail) {
        /** Refuses a check that says nothing. */
        public Check {
            Objects.requireNonNull(name, "name");
            Objects.requireNonNull(result, "result");
            Objects.requireNonNull(detail, "detail");
        }

        /** Whether nothing is wrong; there may be a note. */
        public boolean isOk() {
            return result != Result.FAILED;
        }
    }

    /** Copies the list. */
    public Diagnosis {
        checks = List.copyOf(checks);
    }

    /** Whether no check has failed. */
    public boolean isOk() {
        return checks.stream().allMatch(Check::isOk);
    }

    /** The names of the checks that have failed. */
    public List<String> failed() {
        return checks.stream().filter(check -> !check.isOk()).map(Check::name).toList();
    }
}
