package dev.windrow;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.monitor.AuditEntry;
import dev.windrow.payload.BlobRef;
import dev.windrow.payload.Content;
import dev.windrow.payload.Json;
import dev.windrow.payload.Metadata;
import dev.windrow.step.Signalled;
import dev.windrow.workflow.BatchProgress;
import dev.windrow.workflow.ParentPolicy;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The handle of one stored job: reads the job and changes it. Made by {@link Jobs#job(JobRef)} and {@link
 * Jobs#job(JobType, String)}. Safe for use by many threads, unless it was made in a
 * caller's transaction. Reads see committed data. Each change writes an {@link AuditEntry}. The verbs throw the exceptions that {@link Jobs} names.
 *
 * @param <O> the type of the job's result
 */
public interface JobHandle<O extends @Nullable Object> {
    /**
     * Returns the reference to the job. A handle that was made with a dedupe key searches for the job at each call.
     *
     * @throws JobNotFoundException if no job of the type was enqueued with the dedupe key
     */
    JobRef<O> ref();

    /**
     * Returns a handle whose changes are made only if the job is at this version: {@link JobInfo#version}, as the caller has read it. The version is
     * checked in the transaction of the change. If it is another one, nothing is written, and the verb throws a {@link ChangedMeanwhileException}.
     * Reads are as before, and {@link #chain} returns a handle that expects no version. A change raises the version, so a second change needs a new
     * handle.
     *
     * @param version 0 or more
     * @throws InvalidRequestException if the version is negative
     */
    @CheckReturnValue
    JobHandle<O> ifVersion(long version);

    /** True if the job exists: false after a deletion, or after retention has deleted it. */
    boolean exists();

    /**
     * Reads the job without its attempts and events.
     *
     * @throws JobNotFoundException if it does not exist
     */
    @CheckReturnValue
    JobInfo info();

    /**
     * Reads the job with its attempts, events, steps and parents. A {@link BlobRef} represents a payload or a result that is longer than 1 MiB, is
     * not JSON, or cannot be read. {@link #payload} and {@link #result} read it.
     *
     * @throws JobNotFoundException if it does not exist
     */
    @CheckReturnValue
    JobHistory history();

    /**
     * Reads why the job does not run, or what it is doing. The cost does not grow with the number of jobs.
     *
     * @throws JobNotFoundException if it does not exist
     */
    @CheckReturnValue
    Explanation explain();

    /** Returns a handle for the chain to which the job belongs. A job that is in no chain is a chain of one. */
    @CheckReturnValue
    ChainHandle<@Nullable Json> chain();

    /**
     * Counts the jobs on which this one depends, and how many of them have ended: the progress of a batch, if this job is its callback.
     *
     * @throws JobNotFoundException if it does not exist
     */
    BatchProgress batch();

    /**
     * Opens the payload, of any length and any type. Returns an empty value if the job has none.
     *
     * @throws JobNotFoundException if it does not exist
     */
    Optional<Content> payload();

    /**
     * Opens the result, of any length and any type. Returns an empty value if the job has none.
     *
     * @throws JobNotFoundException if it does not exist
     */
    Optional<Content> result();

    /**
     * Cancels the job if it has not ended. A waiting job is {@code CANCELLED} at once. The handler of a {@code RUNNING} job is interrupted, in any
     * process, and {@link JobContext#isCancelRequested} is true. That job ends {@code CANCELLED} unless its handler completes first. It does not run
     * again either way. A second call has no effect.
     *
     * @throws TransitionRefusedException if the job has ended
     */
    void cancel();

    /** Retries the job with {@link Retry#keepingAttempts()}; see {@link #retry(Retry)}. */
    default void retry() {
        BulkResult unused = retry(Retry.keepingAttempts());
    }

    /**
     * Makes a job that is {@code FAILED} or {@code CANCELLED} ready again, with a full number of attempts. Its history is kept.
     *
     * @return the retried job, and its dependents if they were requested
     * @throws TransitionRefusedException if the job is in another state, or another job holds its dedupe key. Also if the state of a parent would
     *     cancel the job again ({@link ParentPolicy#CANCEL})
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
     * Deletes an ended job with all that belongs to it: payload, result, attempts, events, log, tags, metadata, progress and steps. An
     * {@link AuditEntry} without this content remains. A dedupe key of a {@code COMPLETED} job stays if its scope is longer than the job: its window has
     * not ended, or it is held forever.
     *
     * @throws TransitionRefusedException if the job has not ended. Also if a job that depends on it is not {@code COMPLETED}, because a retry of that job
     *     needs its result. Also if its chain has other jobs: delete these together ({@link Jobs#jobs}), or select the chain
     *     ({@link dev.windrow.query.JobFilter#withChain})
     */
    void delete();

    /**
     * Changes the metadata of the job, in any state, by a JSON merge patch: {@link Metadata#merge}. A null of the patch removes a name. A running
     * handler that reads its metadata again sees the change. Writes an {@link AuditEntry}.
     *
     * @throws JobNotFoundException if it does not exist
     * @throws InvalidRequestException if the metadata become too long or have too many names
     */
    void mergeMetadata(Metadata patch);

    /** Completes the job without a result; see {@link #complete(Object)}. */
    void complete();

    /**
     * Completes a job that has not ended, without its handler: for work that was done outside of Windrow. Its dependents are released. A running
     * attempt ends {@link AttemptOutcome#SUPERSEDED}: its handler is interrupted, and the handler's result is ignored.
     *
     * @param result the result, stored like the result of a handler
     * @throws TransitionRefusedException if the job has ended
     * @throws InvalidRequestException if the result cannot be encoded, or is too long
     */
    void complete(O result);

    /** Completes the job without a result and continues its chain; see {@link #completeWith(Object, JobRequest)}. */
    <N extends @Nullable Object> JobRef<N> completeWith(JobRequest<?, N> next);

    /**
     * {@linkplain #complete(Object) Completes} the job and continues its chain with another job. The next job is enqueued in the same transaction, by
     * the rules of {@link JobContext#continueWith}. If two callers do so at once, one of them wins, and the other one has enqueued nothing. If
     * cancellation of the running job was requested, the next job is {@code CANCELLED}.
     *
     * @param result the result, stored like the result of a handler
     * @return the next job of the chain
     * @throws TransitionRefusedException if the job has ended
     * @throws JobNotFoundException if the job, or a job on which the next one depends, does not exist
     * @throws InvalidRequestException if the result or the input of the next job cannot be encoded or is too long. Also if the next job has a dedupe
     *     key, or would wait for the end of its own chain. Also if the type of the {@linkplain #ref reference} {@linkplain JobType#withNext declares}
     *     the types that may follow, and the next job has another one
     */
    <N extends @Nullable Object> JobRef<N> completeWith(O result, JobRequest<?, N> next);

    /** Fails the job with an error code and no detail; see {@link #fail(String, String)}. */
    void fail(String errorCode);

    /**
     * Fails a job that has not ended, without its handler and without another attempt; see {@link #complete(Object)}. Its dependents follow their
     * {@link ParentPolicy}.
     *
     * @param errorCode {@code CATEGORY:SUBCATEGORY}; see {@link ErrorCodes}
     * @param detail a text for humans, cut to {@link ErrorCodes#MAX_DETAIL} characters
     * @throws TransitionRefusedException if the job has ended
     * @throws InvalidRequestException if the code does not have this form
     */
    void fail(String errorCode, String detail);

    /** Sends the job an event without a payload; see {@link #signal(String, Object)}. */
    Signalled signal(String event);

    /**
     * Sends an event to a job that has not ended. If its handler {@linkplain JobContext#awaitEvent awaits} the event, the job becomes
     * {@code PENDING}, and workers are notified. Only the first signal of each name counts, so that a second one has no effect. A signal does not
     * count either if the handler's wait has timed out. {@link Signalled#kept} of the returned value says if this signal counts.
     *
     * @param event 1 to 200 characters, no control characters; not the name of a step of another kind
     * @param payload the payload of the event: JSON of at most 1 MiB by the codec
     * @throws TransitionRefusedException if the job has ended
     * @throws JobNotFoundException if it does not exist
     * @throws InvalidRequestException if the name or the payload is not allowed, or the job has 10 000 steps and signals already
     */
    Signalled signal(String event, Object payload);
}
