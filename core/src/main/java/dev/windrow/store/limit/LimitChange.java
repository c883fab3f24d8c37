package dev.windrow.store.limit;

import dev.windrow.limit.LimitTarget;
import dev.windrow.limit.Limits;
import dev.windrow.limit.Rate;
import dev.windrow.store.Command;
import org.jspecify.annotations.Nullable;

/**
 * Changes the pause, the limit or the rate of a queue, a type or a concurrency key. Returns the pause and the limits after the change. It applies to
 * claims of all processes that begin later. Each change writes an {@link dev.windrow.monitor.AuditEntry} that is kept for a year. For a key with many
 * ready jobs it applies at once to a batch only. {@link KeyLimits#change} applies it to the rest.
 *
 * @param target the queue, the type or the key
 * @param verb the change
 * @param actor the author of the change
 * @param reason why, or null
 * @param maxRunning for {@code LIMIT}: how many may run at once; null for no limit
 * @param rate for {@code RATE}: how often one may start; null for no limit
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
     * Returns the change that starts no more jobs. Running jobs continue.
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

    /** Returns the change that starts jobs again. */
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
     * Returns the change that limits how many jobs run at once.
     *
     * @param maxRunning how many; null for no limit
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
     * Returns the change that limits how often a job starts.
     *
     * @param rate how often; null for no limit
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

    /** Returns this change with a reason. */
    public LimitChange withReason(@Nullable String why) {
        return new LimitChange(
                /* target= */ target,
                /* verb= */ verb,
                /* actor= */ actor,
                /* reason= */ why,
                /* maxRunning= */ maxRunning,
                /* rate= */ rate);
    }

    /** The kinds of changes. */
    public enum Verb {
        /** Starts no more jobs. Running jobs continue. */
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
