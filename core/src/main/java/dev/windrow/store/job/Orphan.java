package dev.windrow.store.job;

import dev.windrow.AttemptOutcome;
import dev.windrow.store.Transition;
import org.jspecify.annotations.Nullable;

/**
 * A running job of a worker that is gone, and what becomes of it.
 *
 * @param suspect the job as it was seen
 * @param transition {@code FAIL}, {@code CANCEL_RUNNING}, {@code RETRY_LATER}
 * @param outcome {@code RECOVERED} or {@code LOST}
 * @param nextRunAtMillis when it is due again, for {@code RETRY_LATER}
 * @param actor who takes it back
 */
public record Orphan(
        Suspect suspect,
        Transition transition,
        AttemptOutcome outcome,
        @Nullable Long nextRunAtMillis,
        String actor) {
    /** The same for a job that somebody wants cancelled. */
    public Orphan cancelled() {
        return new Orphan(suspect, Transition.CANCEL_RUNNING, outcome, null, actor);
    }
}
