package dev.windrow.store.limit;

import dev.windrow.limit.LimitTarget;
import dev.windrow.limit.Limits;
import dev.windrow.limit.Rate;
import dev.windrow.store.Command;
import org.jspecify.annotations.Nullable;

/**
 * Changes the pause, the limit or the rate of a queue, a type or a concurrency key; answers the pause and the limits as they are then. Claims of all processes that begin after that
 * obey. Each change leaves an {@link dev.windrow.monitor.AuditEntry} that is kept for good. Of a key with many ready jobs
 * a part obeys at once; {@link KeyLimits#change} brings the rest to obey.
 *
 * @param target the queue, the type or the key
 * @param verb what is said
 * @param actor who says it
 * @param reason for {@code PAUSE}: why, or null
 * @param maxRunning for {@code LIMIT}: how many may run at once; null for any number
 * @param rate for {@code RATE}: how often one may start; null for as often as there is room
 */
public record LimitChange(
        LimitTarget target,
        Verb verb,
        String actor,
        @Nullable String reason,
        @Nullable Integer maxRunning,
        @Nullable Rate rate)
        implements Command<Limits> {
    /**
     * Starts no more jobs; those that run go on.
     *
     * @param reason why, or null
     */
    public static LimitChange pause(LimitTarget target, String actor, @Nullable String reason) {
        return new LimitChange(
                /* target= */ target,
                /* verb= */ Verb.PAUSE,
                /* actor= */ actor,
                /* reason= */ reason,
                /* maxRunning= */ null,
                /* rate= */ null);
    }

    /** Starts jobs again. */
    public static LimitChange resume(LimitTarget target, String actor) {
        return new LimitChange(
                /* target= */ target,
                /* verb= */ Verb.RESUME,
                /* actor= */ actor,
                /* reason= */ null,
                /* maxRunning= */ null,
                /* rate= */ null);
    }

    /**
     * Limits how many run at once.
     *
     * @param maxRunning how many; null for any number
     */
    public static LimitChange limit(LimitTarget target, String actor, @Nullable Integer maxRunning) {
        return new LimitChange(
                /* target= */ target,
                /* verb= */ Verb.LIMIT,
                /* actor= */ actor,
                /* reason= */ null,
                /* maxRunning= */ maxRunning,
                /* rate= */ null);
    }

    /**
     * Limits how often one starts.
     *
     * @param rate how often; null for as often as there is room
     */
    public static LimitChange limitRate(LimitTarget target, String actor, @Nullable Rate rate) {
        return new LimitChange(
                /* target= */ target,
                /* verb= */ Verb.RATE,
                /* actor= */ actor,
                /* reason= */ null,
                /* maxRunning= */ null,
                /* rate= */ rate);
    }

    /** The changes that there are. */
    public enum Verb {
        /** Starts no more jobs; those that run go on. */
        PAUSE,
        /** Starts jobs again. */
        RESUME,
        /** Limits how many may run at once. */
        LIMIT,
        /** Limits how often one may start. */
        RATE
    }

    @Override
    public Phase phase() {
        return Phase.LIMIT;
    }

    @Override
    public String what() {
        return "changing the limits of " + target;
    }
}
