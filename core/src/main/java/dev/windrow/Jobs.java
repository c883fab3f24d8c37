package dev.windrow;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.payload.Json;
import dev.windrow.schedule.Schedules;
import dev.windrow.workflow.SubmittedWorkflow;
import dev.windrow.workflow.Workflow;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The verbs that also work inside a caller's transaction. {@link Windrow} runs each verb in a transaction of its own: the change is durable when the
 * verb returns. {@link Windrow#on} returns the same verbs inside the caller's transaction: their changes commit and roll back with everything else on
 * that connection. Reads always see committed data.
 *
 * <p>A verb that fails throws a {@link WindrowException} and writes nothing:
 *
 * <ul>
 *   <li>{@link InvalidRequestException}: a value is not allowed.
 *   <li>{@link JobNotFoundException}: a job does not exist.
 *   <li>{@link TransitionRefusedException}: the state of a job does not allow the change.
 *   <li>{@link ChangedMeanwhileException}: a job is not at the version that the caller expects ({@link JobHandle#ifVersion}, {@link #jobsIfVersion}).
 *   <li>{@link StoreUnavailableException}: the store takes no work.
 * </ul>
 *
 * <p>One exception does not say that nothing was written: after {@link OutcomeUnknownException}, when a deadline passed during the commit, the change
 * may have been committed.
 */
public interface Jobs {
    /** Enqueues a job with the defaults of its type. */
    default <I extends @Nullable Object, O extends @Nullable Object> Enqueued<O> enqueue(
            JobType<I, O> type, @Nullable I input) {
        return enqueue(type.job(input));
    }

    /** Enqueues a job of a type without input. */
    default <O extends @Nullable Object> Enqueued<O> enqueue(JobType<@Nullable Void, O> type) {
        return enqueue(type.job());
    }

    /** Enqueues a job. */
    <I extends @Nullable Object, O extends @Nullable Object> Enqueued<O> enqueue(JobRequest<I, O> request);

    /** Enqueues the first job of a chain, with the defaults of its type. Options: {@link JobChain#job}. */
    default <I extends @Nullable Object, O extends @Nullable Object> ChainRef<O> enqueue(
            JobChain<I, O> chain, @Nullable I input) {
        return chain.ref(enqueue(chain.job(input)).id());
    }

    /** Enqueues the first job of a chain whose first type has no input. */
    default <O extends @Nullable Object> ChainRef<O> enqueue(JobChain<@Nullable Void, O> chain) {
        return enqueue(chain, null);
    }

    /** Enqueues all of the jobs or none, in one transaction. The results are in the order of the requests. */
    List<Enqueued<?>> enqueueAll(Collection<? extends JobRequest<?, ?>> requests);

    /** Enqueues a job for each input, all of them or none, in one transaction. The results are in the order of the inputs. */
    default <I extends @Nullable Object, O extends @Nullable Object> List<Enqueued<O>> enqueueAll(
            JobType<I, O> type, Collection<? extends I> inputs) {
        return enqueueAll(type.jobs(inputs)).stream()
                .map(job -> Enqueued.of(type, job.id(), job.state(), job.deduplicated()))
                .toList();
    }

    /**
     * Enqueues the jobs of a workflow in one transaction: all of them or none. Each job runs when the jobs on which it depends have ended. If an
     * existing job holds the dedupe key of a node, that job represents the node. The other nodes depend on it, and it does not become part of the
     * workflow.
     *
     * @throws InvalidRequestException if the workflow has no jobs or its dependencies form a cycle. Also if a node depends twice on one job, or
     *     belongs to another workflow
     * @throws JobNotFoundException if a stored job on which a node depends does not exist
     */
    SubmittedWorkflow submit(Workflow workflow);

    /**
     * Enqueues a batch in one transaction: jobs, and a callback that runs when all of them have ended, with or without success. The callback reads
     * their outcomes with {@link JobContext#parents}. Without jobs the callback runs at once. {@link JobHandle#batch} of the callback returns the
     * progress.
     *
     * @param jobs at most 50 000
     * @return the callback
     */
    default <O extends @Nullable Object> Enqueued<O> enqueueBatch(
            Collection<? extends JobRequest<?, ?>> jobs, JobRequest<?, O> callback) {
        Workflow workflow = new Workflow();
        Workflow.Batch<O> batch = workflow.batch(jobs, callback);
        return submit(workflow).job(batch);
    }

    /** Returns a handle for a job. Each verb of the handle reads the job when it is called. */
    @CheckReturnValue
    <O extends @Nullable Object> JobHandle<O> job(JobRef<O> job);

    /** Returns a handle for the job with this id. Its result is read as JSON. */
    @CheckReturnValue
    default JobHandle<@Nullable Json> job(long id) {
        return job(JobRef.raw(id));
    }

    /**
     * Returns a handle for the newest job of this type that was enqueued with this dedupe key, so that the caller need not store ids. The type's
     * aliases count. The job may have ended or given up the key. If the key belongs to a whole chain ({@link Dedupe#unfinished}), the type is the type of its
     * first job, and the newest job is the last one so far.
     *
     * <p>Each verb of the handle searches for the job when it is called, and then reads or changes the job that it found. So it never changes a job
     * that was enqueued with the key in the meantime. In a caller's transaction a verb that writes also finds the jobs of that transaction.
     *
     * @throws InvalidRequestException if the key is not allowed as a {@linkplain Dedupe#key dedupe key}
     */
    @CheckReturnValue
    <O extends @Nullable Object> JobHandle<O> job(JobType<?, O> type, String dedupeKey);

    /** Returns a handle for a chain. Each verb of the handle reads the chain when it is called. */
    @CheckReturnValue
    <O extends @Nullable Object> ChainHandle<O> chain(ChainRef<O> chain);

    /** Returns a handle for the chain of the job with this id. Its result is read as JSON. */
    @CheckReturnValue
    default ChainHandle<@Nullable Json> chain(long id) {
        return chain(ChainRef.raw(id));
    }

    /** Returns a handle for several jobs. Its verbs change them in one transaction: all of them or none. */
    @CheckReturnValue
    JobHandles jobs(Collection<? extends JobRef<?>> jobs);

    /**
     * Returns a handle for several jobs whose changes are made only if each job is at its version: {@link JobInfo#version}, as the caller has read it.
     * The versions are checked in the transaction of the change. If at least one job is at another version, nothing is written, and the verb throws a
     * {@link ChangedMeanwhileException} with all such jobs. A preview checks the versions as well.
     *
     * @param versions the version of each job, 0 or more
     * @throws InvalidRequestException if a version is negative
     */
    @CheckReturnValue
    JobHandles jobsIfVersion(Map<? extends JobRef<?>, Long> versions);

    /** Returns the schedules, which enqueue jobs repeatedly. */
    @CheckReturnValue
    Schedules schedules();
}
