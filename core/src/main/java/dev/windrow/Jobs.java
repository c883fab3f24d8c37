package dev.windrow;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.payload.Json;
import dev.windrow.schedule.Schedules;
import dev.windrow.workflow.SubmittedWorkflow;
import dev.windrow.workflow.Workflow;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The verbs that also work inside a caller's transaction. {@link Windrow} implements them in transactions of its own: the effect of a verb is durable
 * when the verb returns. {@link Windrow#on} returns the same verbs inside the caller's transaction: their effect commits and rolls back with
 * everything else on that connection. Reads always see what is committed.
 *
 * <p>Every verb throws a {@link WindrowException} and writes nothing when a value is not allowed ({@link InvalidRequestException}), a job does not
 * exist ({@link JobNotFoundException}), a change is not possible ({@link TransitionRefusedException}) or the store takes no work ({@link
 * StoreUnavailableException}). {@link OutcomeUnknownException} says that a deadline passed during the commit.
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

    /** Enqueues all of the jobs or none, in one transaction. The answers are in the order of the requests. */
    List<Enqueued<?>> enqueueAll(Collection<? extends JobRequest<?, ?>> requests);

    /** Enqueues a job for each input, all of them or none, in one transaction. The answers are in the order of the inputs. */
    default <I extends @Nullable Object, O extends @Nullable Object> List<Enqueued<O>> enqueueAll(
            JobType<I, O> type, Collection<? extends I> inputs) {
        return enqueueAll(type.jobs(inputs)).stream()
                .map(job -> Enqueued.of(type, job.id(), job.state(), job.deduplicated()))
                .toList();
    }

    /**
     * Enqueues the jobs of a workflow in one transaction: all of them or none. Each runs when the jobs that it depends on have ended. A step whose
     * dedupe key is held by an existing job is represented by that job: the other jobs depend on it, and it does not become part of the workflow.
     *
     * @throws InvalidRequestException if the workflow has no jobs, its dependencies form a cycle, a step depends twice on the same job, or a step
     *     belongs to another workflow
     * @throws JobNotFoundException if a stored job that a step depends on does not exist
     */
    SubmittedWorkflow submit(Workflow workflow);

    /**
     * Enqueues a batch in one transaction: jobs, and a callback that runs when all of them have ended, with or without success. The callback reads
     * their ends with {@link JobContext#parents}. Without jobs it runs at once. {@link JobHandle#batch} of the callback tells the progress.
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

    /** Returns a handle for a job. The job is looked for when a verb of the handle is called. */
    @CheckReturnValue
    <O extends @Nullable Object> JobHandle<O> job(JobRef<O> job);

    /** Returns a handle for the job with this id, whose result is read as JSON. */
    @CheckReturnValue
    default JobHandle<@Nullable Json> job(long id) {
        return job(JobRef.raw(id));
    }

    /** Returns a handle for several jobs, which are changed in one transaction: all of them or none. */
    @CheckReturnValue
    JobHandles jobs(Collection<? extends JobRef<?>> jobs);

    /** Returns the schedules, which enqueue jobs again and again. */
    @CheckReturnValue
    Schedules schedules();
}
