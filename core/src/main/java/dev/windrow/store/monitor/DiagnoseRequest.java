package dev.windrow.store.monitor;

import dev.windrow.TimeSource;
import dev.windrow.monitor.DiagnoseOptions;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The request of a diagnosis: which checks, and how long.
 *
 * @param time by which leases are judged and times are measured
 * @param options which checks, and how long
 */
public record DiagnoseRequest(TimeSource time, DiagnoseOptions options) {
    /** See {@link DiagnoseOptions#withoutIndexes}. */
    public boolean quick() {
        return options.isQuick();
    }

    /** See {@link DiagnoseOptions#withProgress}. */
    public Consumer<String> begins() {
        return options.progress();
    }

    /** See {@link DiagnoseOptions#withBudget}. */
    public @Nullable Duration budget() {
        return options.budget();
    }

    /** True if a check is wanted. */
    public boolean wants(String check) {
        return options.checks().isEmpty() || options.checks().contains(check);
    }
}
