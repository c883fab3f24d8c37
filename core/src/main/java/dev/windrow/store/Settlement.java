package dev.windrow.store;

import dev.windrow.AttemptOutcome;
import org.jspecify.annotations.Nullable;

/**
 * How an attempt ended, decided by the holder.
 *
 * @param job the claim that ends
 * @param worker the worker's name
 * @param transition one of the holder's transitions
 * @param outcome how the attempt ended
 * @param startedAtMillis when the handler was called, or null when it never was
 * @param finishedAtMillis when the attempt ended
 * @param result JSON text for {@code COMPLETE}, or the {@link dev.windrow.BlobRef} of a staged blob; or null
 * @param errorCode why it failed, or null
 * @param errorDetail the short detail, or null
 * @param stackTrace the whole stack trace, kept apart, or null
 * @param output the text that the handler kept, or null
 * @param nextRunAtMillis when the job is due again, for transitions to {@code SCHEDULED}
 * @param next for {@code COMPLETE}: the job that goes on in the same chain, written in the same transaction; or null. Without a dedupe key
 *     of its own: it has the one that its chain holds
 * @param awaits for {@code PARK}: the name of the event that the handler awaits, to go on when it comes or its time is over; null if
 *     somebody outside is to end the job
 * @param traceparent the trace context of the attempt, for those that follow from it ({@link OpenStore#origins}); or null
 */
public record Settlement(
        ClaimedJob job,
        String worker,
        Transition transition,
        AttemptOutcome outcome,
        @Nullable Long startedAtMillis,
        long finishedAtMillis,
        @Nullable String result,
        @Nullable String errorCode,
        @Nullable String errorDetail,
        @Nullable String stackTrace,
        @Nullable String output,
        @Nullable Long nextRunAtMillis,
        @Nullable JobRow next,
        @Nullable String awaits,
        @Nullable String traceparent) {
    /** Refuses transitions that are not the holder's. */
    public Settlement {
        if (transition.guard() != Transition.Guard.HOLDER) {
            throw new IllegalArgumentException(transition + " is not a transition of the holder");
        }
        if (next != null && transition != Transition.COMPLETE) {
            throw new IllegalArgumentException("a job that does not complete goes on itself, and has no next one");
        }
        if (next != null && next.dedupe() != null) {
            throw new IllegalArgumentException("a job that goes on in a chain has no dedupe key of its own");
        }
        if (awaits != null && transition != Transition.PARK) {
            throw new IllegalArgumentException("only a job that is parked awaits an event, not " + transition);
        }
    }

    /** Of an attempt that is not traced. */
    public Settlement(
            ClaimedJob job,
            String worker,
            Transition transition,
            AttemptOutcome outcome,
            @Nullable Long startedAtMillis,
            long finishedAtMillis,
            @Nullable String result,
            @Nullable String errorCode,
            @Nullable String errorDetail,
            @Nullable String stackTrace,
            @Nullable String output,
            @Nullable Long nextRunAtMillis,
            @Nullable JobRow next,
            @Nullable String awaits) {
        this(
                job,
                worker,
                transition,
                outcome,
                startedAtMillis,
                finishedAtMillis,
                result,
                errorCode,
                errorDetail,
                stackTrace,
                output,
                nextRunAtMillis,
                next,
                awaits,
                null);
    }

    /** One that awaits no event. */
    public Settlement(
            ClaimedJob job,
            String worker,
            Transition transition,
            AttemptOutcome outcome,
            @Nullable Long startedAtMillis,
            long finishedAtMillis,
            @Nullable String result,
            @Nullable String errorCode,
            @Nullable String errorDetail,
            @Nullable String stackTrace,
            @Nullable String output,
            @Nullable Long nextRunAtMillis,
            @Nullable JobRow next) {
        this(
                job,
                worker,
                transition,
                outcome,
                startedAtMillis,
                finishedAtMillis,
                result,
                errorCode,
                errorDetail,
                stackTrace,
                output,
                nextRunAtMillis,
                next,
                null);
    }

    /** Without a next job. */
    public Settlement(
            ClaimedJob job,
            String worker,
            Transition transition,
            AttemptOutcome outcome,
            @Nullable Long startedAtMillis,
            long finishedAtMillis,
            @Nullable String result,
            @Nullable String errorCode,
            @Nullable String errorDetail,
            @Nullable String stackTrace,
            @Nullable String output,
            @Nullable Long nextRunAtMillis) {
        this(
                job,
                worker,
                transition,
                outcome,
                startedAtMillis,
                finishedAtMillis,
                result,
                errorCode,
                errorDetail,
                stackTrace,
                output,
                nextRunAtMillis,
                null);
    }
}
