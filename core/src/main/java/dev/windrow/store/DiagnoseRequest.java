package dev.windrow.store;

import dev.windrow.InvalidRequestException;
import dev.windrow.TimeSource;
import java.time.Duration;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How a store is to be examined.
 *
 * @param time by which leases are judged and times are measured
 * @param quick leave out what makes the check of the database's own structure slow: comparing each index with its table
 * @param begins told the name of each check when it begins, on a thread of the store
 * @param only the names of the checks that are wanted; empty: all
 * @param budget how long all of it may take, at least 0: a check that reads everything is stopped when its share is used up, and says so;
 *     null: as long as it takes
 */
public record DiagnoseRequest(
        TimeSource time,
        boolean quick,
        Consumer<String> begins,
        Set<String> only,
        @Nullable Duration budget) {
    /** Copies the names. */
    public DiagnoseRequest {
        only = Set.copyOf(only);
        if (budget != null && budget.isNegative()) {
            throw new InvalidRequestException("budget %s of a diagnosis is not allowed: 0 or more".formatted(budget));
        }
    }

    /** For all checks, however long they take. */
    public DiagnoseRequest(TimeSource time, boolean quick, Consumer<String> begins) {
        this(time, quick, begins, Set.of(), null);
    }

    /** The same within a time. */
    public DiagnoseRequest within(@Nullable Duration budget) {
        return new DiagnoseRequest(time, quick, begins, only, budget);
    }

    /** Whether a check is wanted. */
    public boolean wants(String check) {
        return only.isEmpty() || only.contains(check);
    }
}
