package dev.windrow.limit;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The pause and the limits of a queue, a type or a concurrency key. They are stored, and apply to all processes and to later enqueues. Jobs that they
 * hold back wait in their order. Other jobs overtake them.
 *
 * @param target the queue, the type or the key
 * @param pause the pause; null if the target is not paused
 * @param maxRunning the maximum number of its jobs that run at once, in all processes together; null: no limit
 * @param rate the limit of starts of its jobs; null: no limit
 */
public record Limits(
        LimitTarget target,
        @Nullable Pause pause,
        @Nullable Integer maxRunning,
        @Nullable Rate rate) {
    /**
     * A pause.
     *
     * @param at the beginning of the pause. A second pause does not change it
     * @param by the actor
     * @param reason the reason, or null
     */
    public record Pause(Instant at, String by, @Nullable String reason) {}

    /** True if the target is paused: none of its jobs is started. */
    public boolean isPaused() {
        return pause != null;
    }
}
