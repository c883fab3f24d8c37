package dev.windrow.store.monitor;

import dev.windrow.TimeSource;
import dev.windrow.monitor.DiagnoseOptions;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The request for a diagnosis.
 *
 * @param time the clock that leases are compared with and durations are measured by
 * @param options the checks, and the time for them
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

    /** True if the request includes a check. */
    public boolean wants(String check) {
        return options.checks().isEmpty() || options.checks().contains(check);
    }
}
