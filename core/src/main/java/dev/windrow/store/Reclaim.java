package dev.windrow.store;

import dev.windrow.AttemptOutcome;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of a job whose worker is gone.
 *
 * @param suspect the job as it was seen
 * @param transition {@code FAIL}, {@code CANCEL_RUNNING}, {@code RETRY_LATER}
 * @param outcome {@code RECOVERED} or {@code LOST}
 * @param nextRunAtMillis when it is due again, for {@code RETRY_LATER}
 * @param actor who takes it back
 */
public record Reclaim(
        Suspect suspect,
        Transition transition,
        AttemptOutcome outcome,
        @Nullable Long nextRunAtMillis,
        String actor) {
    /** The same for a job that somebody wants cancelled. */
    public Reclaim cancelled() {
        return new Reclaim(suspect, Transition.CANCEL_RUNNING, outcome, null, actor);
    }
}
