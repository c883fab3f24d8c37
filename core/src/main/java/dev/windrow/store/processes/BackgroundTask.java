package dev.windrow.store.processes;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A task that one of many processes does for all; see {@link Lead}.
 *
 * @param name which background task
 * @param holder who takes it: a name of its own for each process and each time that it starts
 * @param leaseMillis after how long without another word others may take it
 * @param everyMillis it is taken only if it was last done longer ago
 */
public record BackgroundTask(String name, String holder, long leaseMillis, long everyMillis) {
    /** The task to delete what has ended long ago. */
    public static final String RETENTION = "retention";

    /** Not a task of a process: when the sums of failures were last put right, so that of two that do it at once one does. */
    public static final String RECOUNT = "recount";

    /** How long the sums of minutes are kept. */
    public static final Duration KEEP_MINUTES = Duration.ofDays(35);

    /** How long entries of the audit are kept. */
    public static final Duration KEEP_AUDIT = Duration.ofDays(365);

    /** How long the entries of workers stay in the registry that have not renewed theirs. */
    public static final Duration KEEP_WORKERS = Duration.ofDays(1);

    /**
     * The state of a background task.
     *
     * @param nowMillis the store's clock
     * @param holder who has it; null: nobody
     * @param untilMillis the end of the lease, or null
     * @param lastMillis when it was last done; null: never
     * @param detail what came of that, as short JSON, or null
     */
    public record State(
            long nowMillis,
            @Nullable String holder,
            @Nullable Long untilMillis,
            @Nullable Long lastMillis,
            @Nullable String detail) {}
}
