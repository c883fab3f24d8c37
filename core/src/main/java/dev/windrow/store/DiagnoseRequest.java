package dev.windrow.store;

import dev.windrow.TimeSource;
import java.util.Set;
import java.util.function.Consumer;

/**
 * How a store is to be examined.
 *
 * @param time by which leases are judged
 * @param quick leave out what makes the check of the database's own structure slow: comparing each index with its table
 * @param begins told the name of each check when it begins, on a thread of the store
 * @param only the names of the checks that are wanted; empty: all
 */
public record DiagnoseRequest(TimeSource time, boolean quick, Consumer<String> begins, Set<String> only) {
    /** Copies the names. */
    public DiagnoseRequest {
        only = Set.copyOf(only);
    }

    /** For all checks. */
    public DiagnoseRequest(TimeSource time, boolean quick, Consumer<String> begins) {
        this(time, quick, begins, Set.of());
    }

    /** Whether a check is wanted. */
    public boolean wants(String check) {
        return only.isEmpty() || only.contains(check);
    }
}
