package dev.windrow.store.sql.job;

import dev.windrow.AttemptOutcome;
import dev.windrow.store.Transition;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.JobRow;
import dev.windrow.store.job.LeaseToken;
import dev.windrow.store.job.Settle;
import dev.windrow.store.sql.connection.JsonText;
import dev.windrow.store.sql.writer.WriteTransaction;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * The end of an attempt, by its holder or because its holder is dead.
 *
 * @param job the job
 * @param token the token of the attempt
 * @param lane the lane of the job
 * @param key the dedupe key of the job
 * @param concurrencyKey the concurrency key of the job
 * @param run the run of the job
 * @param attempt its number in the run
 * @param worker the number of the actor that held the job
 * @param actor the number of the actor that ends the attempt
 * @param deadWorker the name of the worker that held the job if it is dead, or null
 * @param transition the transition of the job
 * @param outcome the outcome of the attempt
 * @param startedAt when the handler was called, by the store's clock; null if never
 * @param finishedAt when it ended, by the store's clock
 * @param result the result of the job
 * @param errorCode the code of its failure
 * @param errorDetail the detail of its failure, or another reason
 * @param stackTrace the stack trace of the failure
 * @param output the text that the handler kept
 * @param nextRunAt when the job is due again, by the store's clock
 * @param next the next job of its chain
 * @param awaits the event for which the job waits
 * @param traceparent the trace context of the attempt
 */
public record Ended(
        long job,
        long token,
        long lane,
        @Nullable DedupeKey key,
        @Nullable String concurrencyKey,
        int run,
        int attempt,
        long worker,
        long actor,
        @Nullable String deadWorker,
        Transition transition,
        AttemptOutcome outcome,
        @Nullable Long startedAt,
        long finishedAt,
        @Nullable String result,
        @Nullable String errorCode,
        @Nullable String errorDetail,
        @Nullable String stackTrace,
        @Nullable String output,
        @Nullable Long nextRunAt,
        @Nullable JobRow next,
        @Nullable String awaits,
        @Nullable String traceparent) {
    /** Returns the end that the holder records. */
    public static Ended of(WriteTransaction tx, Settle s) throws SQLException {
        ClaimedJob job = s.job();
        long worker = tx.actor(s.worker());
        return new Ended(
                /* job= */ job.id(),
                /* token= */ job.token(),
                /* lane= */ job.lane(),
                /* key= */ DedupeKey.of(tx, job.lane(), job.dedupeType(), job.dedupeKey(), job.id()),
                /* concurrencyKey= */ job.concurrencyKey(),
                /* run= */ job.run(),
                /* attempt= */ job.attempt(),
                /* worker= */ worker,
                /* actor= */ worker,
                /* deadWorker= */ null,
                /* transition= */ s.transition(),
                /* outcome= */ s.outcome(),
                /* startedAt= */ storeTime(tx, s.startedAtMillis()),
                /* finishedAt= */ tx.storeTime(s.finishedAtMillis()),
                /* result= */ s.result(),
                /* errorCode= */ s.errorCode(),
                /* errorDetail= */ s.errorDetail(),
                /* stackTrace= */ s.stackTrace(),
                /* output= */ s.output(),
                /* nextRunAt= */ storeTime(tx, s.nextRunAtMillis()),
                /* next= */ s.next(),
                /* awaits= */ s.awaits(),
                /* traceparent= */ s.traceparent());
    }

    /** Returns the store's time for a moment that this process has measured; null for null. */
    static @Nullable Long storeTime(WriteTransaction tx, @Nullable Long localMillis) {
        return localMillis == null ? null : tx.storeTime(localMillis);
    }

    /** Returns the attempt, and its job. */
    public LeaseToken leaseToken() {
        return new LeaseToken(job, token);
    }

    /** Returns the same end for a job with a request to cancel: the job does not continue. The reason of a failed attempt is kept. */
    public Ended cancelled() {
        boolean failed = errorCode != null || outcome == AttemptOutcome.RECOVERED || outcome == AttemptOutcome.LOST;
        return new Ended(
                /* job= */ job,
                /* token= */ token,
                /* lane= */ lane,
                /* key= */ key,
                /* concurrencyKey= */ concurrencyKey,
                /* run= */ run,
                /* attempt= */ attempt,
                /* worker= */ worker,
                /* actor= */ actor,
                /* deadWorker= */ deadWorker,
                /* transition= */ Transition.CANCEL_RUNNING,
                /* outcome= */ failed ? outcome : AttemptOutcome.CANCELLED,
                /* startedAt= */ startedAt,
                /* finishedAt= */ finishedAt,
                /* result= */ null,
                /* errorCode= */ errorCode,
                /* errorDetail= */ errorDetail,
                /* stackTrace= */ stackTrace,
                /* output= */ output,
                /* nextRunAt= */ null,
                /* next= */ null,
                /* awaits= */ null,
                /* traceparent= */ traceparent);
    }

    /** True if the row of the job holds the whole attempt, so that the attempt needs no row of its own: it has completed the job, and has no texts. */
    public boolean isInJobRow() {
        return isEventInJobRow() && output == null && stackTrace == null && traceparent == null;
    }

    /** True if the row of the job says all that the event of this end would say. */
    public boolean isEventInJobRow() {
        return transition == Transition.COMPLETE && eventDetail() == null;
    }

    /**
     * Returns the detail that is stored with the job. It is null without a code, because then it is a reason and no failure. The job keeps the detail
     * of its last failure.
     */
    public @Nullable String failureDetail() {
        return errorCode == null ? null : errorDetail;
    }

    /** Returns the detail of the event. */
    public @Nullable String eventDetail() {
        String reason = errorCode == null ? errorDetail : null;
        boolean retries = transition == Transition.RETRY_LATER;
        boolean fails = retries || transition == Transition.FAIL;
        if (errorCode == null && reason == null && nextRunAt == null && deadWorker == null) {
            return null;
        }
        return JsonText.object(
                "attempt",
                fails ? attempt : null,
                "run",
                fails ? run : null,
                "delay",
                retries && nextRunAt != null ? Math.max(0, nextRunAt - finishedAt) : null,
                "code",
                errorCode,
                "reason",
                reason,
                "due",
                JsonText.time(nextRunAt),
                "worker",
                deadWorker);
    }
}
