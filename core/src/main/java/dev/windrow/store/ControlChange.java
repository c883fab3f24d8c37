package dev.windrow.store;

import dev.windrow.Rate;
import dev.windrow.Scope;
import org.jspecify.annotations.Nullable;

/**
 * A change of what is said of a queue, a type or a concurrency key.
 *
 * @param scope the queue, the type or the key
 * @param verb what is said
 * @param actor who says it
 * @param reason for {@code PAUSE}: why, or null
 * @param maxRunning for {@code LIMIT}: how many may run at once; null for any number
 * @param rate for {@code RATE}: how often one may start; null for as often as there is room
 */
public record ControlChange(
        Scope scope,
        Verb verb,
        String actor,
        @Nullable String reason,
        @Nullable Integer maxRunning,
        @Nullable Rate rate) {
    /** What can be said. */
    public enum Verb {
        /** No more jobs are started; those that run go on. */
        PAUSE,
        /** Jobs are started again. */
        RESUME,
        /** How many may run at once. */
        LIMIT,
        /** How often one may start. */
        RATE
    }
}
