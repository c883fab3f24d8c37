package dev.windrow.store.job;

import dev.windrow.AttemptOutcome;
import dev.windrow.store.Transition;
import org.jspecify.annotations.Nullable;

/**
 * A running job of a dead worker, and its next state.
 *
 * @param suspect the job as it was read
 * @param transition {@code FAIL}, {@code CANCEL_RUNNING}, {@code RETRY_LATER}
 * @param outcome {@code RECOVERED} or {@code LOST}
 * @param nextRunAtMillis when it is due again, for {@code RETRY_LATER}
 * @param actor the actor that reclaims it
 */
public record Orphan(
        Suspect suspect,
        Transition transition,
        AttemptOutcome outcome,
        @Nullable Long nextRunAtMillis,
        String actor) {
    /** Returns the same for a job that has a request to cancel. */
    public Orphan cancelled() {
        return new Orphan(suspect, Transition.CANCEL_RUNNING, outcome, null, actor);
    }
}
