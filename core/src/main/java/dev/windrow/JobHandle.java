package dev.windrow;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.monitor.AuditEntry;
import dev.windrow.payload.BlobRef;
import dev.windrow.payload.Content;
import dev.windrow.step.Signalled;
import dev.windrow.workflow.BatchProgress;
import dev.windrow.workflow.ParentPolicy;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One stored job: its verbs and what can be read of it. Made by {@link Jobs#job(JobRef)}. Safe for use by many
 * threads, unless it was made in a caller's transaction. Reads see what is committed. The verbs throw the exceptions that {@link Jobs} names.
 *
 * @param <O> the type of the job's result
 */
public interface JobHandle<O extends @Nullable Object> {
    /** Returns the reference that the handle was made with. */
    JobRef<O> ref();

    /** True if the job exists: false after it was discarded, or deleted by retention. */
    boolean exists();

    /**
     * Reads the job without its attempts and events.
     *
     * @throws JobNotFoundException if it does not exist
     */
    @CheckReturnValue
    JobInfo info();

    /**
     * Reads the job with its attempts, events, steps and parents. Payloads and results of more than 1 MiB, or that are not JSON, or that cannot be
     * read, are represented by a {@link BlobRef}; {@link #payload} and {@link #result} read them.
     *
     * @throws JobNotFoundException if it does not exist
     */
    @CheckReturnValue
    JobHistory history();

    /**
     * Reads the jobs of the chain to which the job belongs, from the first one on; the job alone if it is in no chain.
     *
     * @throws JobNotFoundException if it does not exist
     */
    List<JobInfo> chain();

    /**
     * Counts the jobs on which this one depends, and those of them that have ended: the progress of a batch, seen from its callback.
     *
     * @throws JobNotFoundException if it does not exist
     */
    BatchProgress batch();

    /**
     * Opens the payload, of whatever length and type; empty if the job has none.
     *
     * @throws JobNotFoundException if it does not exist
     */
    Optional<Content> payload();

    /**
     * Opens the result, of whatever length and type; empty if the job has none.
     *
     * @throws JobNotFoundException if it does not exist
     */
    Optional<Content> result();

    /**
     * Cancels the job if it has not ended. A waiting job is {@code CANCELLED} at once. The handler of a {@code RUNNING} job is told and interrupted,
     * in any process, and the job ends {@code CANCELLED} unless the handler has completed first. It does not run again either way. A second call has no effect.
     *
     * @throws TransitionRefusedException if the job has ended
     */
    void cancel();

    /** Retries the job with {@link Retry#keepingAttempts()}; see {@link #retry(Retry)}. */
    default void retry() {
        BulkResult unused = retry(Retry.keepingAttempts());
    }

    /**
     * Puts a job that is {@code FAILED} or {@code CANCELLED} back to work with a full number of attempts. Its history is kept.
     *
     * @return the retried job, and its dependents if they were asked for
     * @throws TransitionRefusedException if the job has not ended so, another job holds its dedupe key, or a parent has ended so that the job would be
     *     cancelled again ({@link ParentPolicy#CANCEL})
     */
    BulkResult retry(Retry how);

    /**
     * Makes a {@code SCHEDULED} job due now. A handler that {@linkplain JobContext#sleep sleeps} notices that its time has not come, and continues to
     * sleep.
     *
     * @throws TransitionRefusedException if the job is not waiting for a time
     */
    void trigger();

    /**
     * Deletes a job that is {@code FAILED} or {@code CANCELLED}, with its payload, attempts and events. An {@link AuditEntry} remains.
     *
     * @throws TransitionRefusedException if the job has not ended so, or another job depends on it that has not ended or would wait for it again after a
     *     retry
     */
    void discard();

    /** Completes the job without a result; see {@link #complete(Object)}. */
    void complete();

    /**
     * Completes a job that has not ended, without its handler: for work that was done elsewhere. Its dependents are released. A running attempt ends
     * {@link AttemptOutcome#SUPERSEDED}, its handler is told and interrupted, and the handler's result is ignored.
     *
     * @param result the result, stored as a handler's result is
     * @throws TransitionRefusedException if the job has ended
     * @throws InvalidRequestException if the result cannot be encoded, or is too long
     */
    void complete(O result);

    /** Completes the job without a result and continues its chain; see {@link #completeWith(Object, JobRequest)}. */
    <N extends @Nullable Object> JobRef<N> completeWith(JobRequest<?, N> next);

    /**
     * {@linkplain #complete(Object) Completes} the job and continues its chain with another job, which is enqueued in the same transaction by the rules of {@link
     * JobContext#continueWith}. Of two callers one wins, and the other one has enqueued nothing. If cancellation of the running job was requested, the
     * next job is {@code CANCELLED}.
     *
     * @param result the result, stored as a handler's result is
     * @return the next job of the chain
     * @throws TransitionRefusedException if the job has ended
     * @throws JobNotFoundException if the job, or a job on which the next one depends, does not exist
     * @throws InvalidRequestException if the result or the next job's input cannot be encoded or is too long, the next job has a dedupe key, or it
     *     would wait for the end of its own chain
     */
    <N extends @Nullable Object> JobRef<N> completeWith(O result, JobRequest<?, N> next);

    /** Fails the job with an error code and no detail; see {@link #fail(String, String)}. */
    void fail(String errorCode);

    /**
     * Fails a job that has not ended, without its handler and without another attempt; see {@link #complete(Object)}. Its dependents follow their {@link
     * ParentPolicy}.
     *
     * @param errorCode {@code CATEGORY:SUBCATEGORY}; see {@link ErrorCodes}
     * @param detail for people, cut to {@link ErrorCodes#MAX_DETAIL} characters
     * @throws TransitionRefusedException if the job has ended
     * @throws InvalidRequestException if the code has another form
     */
    void fail(String errorCode, String detail);

    /** Sends the job an event without a payload; see {@link #signal(String, Object)}. */
    Signalled signal(String event);

    /**
     * Sends an event to a job that has not ended. If its handler {@linkplain JobContext#awaitEvent awaits} the event, the job is {@code PENDING} and workers are notified.
     * The first signal of each name counts, so that sending one twice is harmless. The answer says whether this one counts; it does not if the
     * handler's wait has timed out.
     *
     * @param event 1 to 200 characters, no control characters; not the name of a step of another kind
     * @param payload the event's content: JSON of at most 1 MiB by the codec
     * @throws TransitionRefusedException if the job has ended
     * @throws JobNotFoundException if it does not exist
     * @throws InvalidRequestException if the name or the payload is not allowed, or the job has 10 000 steps and signals already
     */
    Signalled signal(String event, Object payload);
}
