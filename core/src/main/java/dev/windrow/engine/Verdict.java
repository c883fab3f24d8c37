package dev.windrow.engine;

import dev.windrow.AttemptOutcome;
import dev.windrow.store.ClaimedJob;
import dev.windrow.store.JobRow;
import dev.windrow.store.Settle;
import dev.windrow.store.Transition;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of a job after an attempt.
 *
 * @param transition one of the holder's transitions
 * @param outcome how the attempt counts
 * @param errorCode why it failed, or null
 * @param errorDetail the short detail, or null
 * @param stackTrace the stack trace, or null
 * @param nextRunAtMillis when the job is due again, or runs out of time while it waits; null if neither
 * @param awaits the name of the event that it waits for to go on, or null
 */
record Verdict(
        Transition transition,
        AttemptOutcome outcome,
        @Nullable String errorCode,
        @Nullable String errorDetail,
        @Nullable String stackTrace,
        @Nullable Long nextRunAtMillis,
        @Nullable String awaits) {
    /** Of what awaits no event. */
    Verdict(
            Transition transition,
            AttemptOutcome outcome,
            @Nullable String errorCode,
            @Nullable String errorDetail,
            @Nullable String stackTrace,
            @Nullable Long nextRunAtMillis) {
        this(transition, outcome, errorCode, errorDetail, stackTrace, nextRunAtMillis, null);
    }

    static Verdict of(Transition transition, AttemptOutcome outcome) {
        return new Verdict(transition, outcome, null, null, null, null);
    }

    /** The settlement that records it. */
    Settle settlement(
            ClaimedJob job,
            String worker,
            Times times,
            @Nullable String result,
            @Nullable String output,
            @Nullable JobRow next,
            @Nullable String traceparent) {
        return Settle.of(job, worker, transition, outcome, times.finishedAtMillis())
                .error(errorCode, errorDetail)
                .startedAtMillis(times.startedAtMillis())
                .result(transition == Transition.COMPLETE ? result : null)
                .stackTrace(stackTrace)
                .output(output)
                .nextRunAtMillis(nextRunAtMillis)
                .next(transition == Transition.COMPLETE ? next : null)
                .awaits(awaits)
                .traceparent(traceparent)
                .build();
    }

    /**
     * When an attempt was.
     *
     * @param startedAtMillis when the handler was called, or null when it never was
     * @param finishedAtMillis when it ended
     */
    record Times(@Nullable Long startedAtMillis, long finishedAtMillis) {}
}
