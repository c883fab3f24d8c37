package dev.windrow.limit;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The pause and the limits of a queue, a type or a concurrency key. They are stored, hold for all processes and for jobs that are enqueued later.
 * Jobs that they keep from starting wait in their order, and other jobs pass them.
 *
 * @param target the queue, the type or the key
 * @param pause since when, by whom and why none of its jobs is started; null: they are
 * @param maxRunning how many of its jobs may run at once, in all processes together; null: any number
 * @param rate how often one of its jobs may start; null: as often as there is room
 */
public record Limits(
        LimitTarget target,
        @Nullable Pause pause,
        @Nullable Integer maxRunning,
        @Nullable Rate rate) {
    /**
     * A pause.
     *
     * @param at since when
     * @param by who asked for it
     * @param reason why, or null
     */
    public record Pause(Instant at, String by, @Nullable String reason) {}

    /** True if none of its jobs is started. */
    public boolean isPaused() {
        return pause != null;
    }
}
