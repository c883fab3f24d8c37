package dev.windrow.store.processes;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A task that one of many processes does for all; see {@link Lead}.
 *
 * @param name the background task
 * @param holder the process that leads it, by a name that is unique for each process and each start
 * @param leaseMillis how long until another process may take it without a renewal
 * @param everyMillis the least time since it was last done before it is taken again
 */
public record BackgroundTask(String name, String holder, long leaseMillis, long everyMillis) {
    /** The task that deletes jobs that ended long ago. */
    public static final String RETENTION = "retention";

    /**
     * The time of the last correction of the sums of failures. It is not a task of a process. It is stored so that only one of two simultaneous
     * corrections is made.
     */
    public static final String RECOUNT = "recount";

    /** The time for which the sums of minutes and hours are kept. */
    public static final Duration KEEP_THROUGHPUT = Duration.ofDays(35);

    /** The time for which entries of the audit are kept. */
    public static final Duration KEEP_AUDIT = Duration.ofDays(365);

    /** The time for which the registry keeps entries of workers that no longer renew them. */
    public static final Duration KEEP_WORKERS = Duration.ofDays(1);

    /**
     * The state of a background task.
     *
     * @param nowMillis the store's clock
     * @param holder the process that leads it, or null
     * @param untilMillis the end of the lease, or null
     * @param lastMillis when it was last done; null if never
     * @param detail the result of that, as short JSON, or null
     */
    public record State(
            long nowMillis,
            @Nullable String holder,
            @Nullable Long untilMillis,
            @Nullable Long lastMillis,
            @Nullable String detail) {}
}
