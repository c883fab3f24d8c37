package dev.windrow.engine.worker;

import dev.windrow.AttemptOutcome;
import dev.windrow.store.Transition;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.JobRow;
import dev.windrow.store.job.Settle;
import org.jspecify.annotations.Nullable;

/**
 * The consequence of an attempt for its job.
 *
 * @param transition one of the holder's transitions
 * @param outcome the outcome of the attempt
 * @param reason the reason why it failed or was cancelled
 * @param nextRunAtMillis the time when the job is due again, or when its wait ends; null if neither
 * @param awaits the name of the event that the job waits for, or null
 */
record Verdict(
        Transition transition,
        AttemptOutcome outcome,
        Reason reason,
        @Nullable Long nextRunAtMillis,
        @Nullable String awaits) {

    /**
     * The reason of a failure or of a cancellation, as far as it is known.
     *
     * @param code the code of the failure, or null
     * @param detail the short detail, or null
     * @param stackTrace the stack trace, or null
     */
    record Reason(
            @Nullable String code,
            @Nullable String detail,
            @Nullable String stackTrace) {
        static final Reason NONE = new Reason(null, null, null);
    }

    /** Returns the verdict for an attempt whose job is not due again. */
    static Verdict of(Transition transition, AttemptOutcome outcome) {
        return new Verdict(transition, outcome, Reason.NONE, null, null);
    }

    /** Returns the verdict for an attempt whose job continues at this time. */
    static Verdict snoozed(long untilMillis) {
        return new Verdict(Transition.SNOOZE, AttemptOutcome.SNOOZED, Reason.NONE, untilMillis, null);
    }

    /**
     * Returns the verdict for an attempt whose job waits until this time for an event. With null it waits for its
     * external completion.
     */
    static Verdict parked(long untilMillis, @Nullable String awaits) {
        return new Verdict(Transition.PARK, AttemptOutcome.PARKED, Reason.NONE, untilMillis, awaits);
    }

    /** Returns the settlement that records it. */
    Settle settlement(
            ClaimedJob job,
            String worker,
            Times times,
            @Nullable String result,
            @Nullable String output,
            @Nullable JobRow next,
            @Nullable String traceparent) {
        return Settle.of(job, worker, transition, outcome, times.finishedAtMillis())
                .error(reason.code, reason.detail)
                .startedAtMillis(times.startedAtMillis())
                .result(transition == Transition.COMPLETE ? result : null)
                .stackTrace(reason.stackTrace)
                .output(output)
                .nextRunAtMillis(nextRunAtMillis)
                .next(transition == Transition.COMPLETE ? next : null)
                .awaits(awaits)
                .traceparent(traceparent)
                .build();
    }

    /**
     * The times of an attempt.
     *
     * @param startedAtMillis the time when the handler was called; null if it never was
     * @param finishedAtMillis the time when the attempt ended
     */
    record Times(@Nullable Long startedAtMillis, long finishedAtMillis) {}
}
