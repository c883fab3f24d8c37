package dev.windrow.store;

import dev.windrow.Rate;
import dev.windrow.Scope;
import org.jspecify.annotations.Nullable;

/** The old form of a {@link LimitChange}, which the engine's entry still makes. It goes when that says {@link LimitChange#pause} and its like. */
public final class ControlChange {
    private final LimitChange change;

    /** The verbs of a change. */
    public enum Verb {
        /** See {@link LimitChange#pause}. */
        PAUSE,
        /** See {@link LimitChange#resume}. */
        RESUME,
        /** See {@link LimitChange#limit}. */
        LIMIT,
        /** See {@link LimitChange#limitRate}. */
        RATE
    }

    /** A change; see {@link LimitChange}. */
    public ControlChange(
            Scope scope,
            Verb verb,
            String actor,
            @Nullable String reason,
            @Nullable Integer maxRunning,
            @Nullable Rate rate) {
        change = switch (verb) {
            case PAUSE -> LimitChange.pause(scope, actor, reason);
            case RESUME -> LimitChange.resume(scope, actor);
            case LIMIT -> LimitChange.limit(scope, actor, maxRunning);
            case RATE -> LimitChange.limitRate(scope, actor, rate);
        };
    }

    /** The queue, the type or the key. */
    public Scope scope() {
        return change.scope();
    }

    LimitChange change() {
        return change;
    }
}
