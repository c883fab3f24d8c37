package dev.windrow;

import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The writing verbs. {@code Windrow} implements them in transactions of its own: what a verb did is durable when it
 * returns. {@code windrow.on(connection)} implements the same verbs inside the caller's transaction: what a verb did
 * commits and rolls back with everything else on that connection.
 *
 * <p>All verbs throw a {@link WindrowException} and write nothing when a value is not allowed ({@link
 * InvalidRequestException}), a job does not exist ({@link JobNotFoundException}), a change is not possible ({@link
 * TransitionRefusedException}) or the store takes no work ({@link StoreUnavailableException}); {@link
 * OutcomeUnknownException} when a deadline passed during the commit.
 */
public interface Jobs {
    /** Enqueues one job with its type's defaults. */
    default <I, O> Enqueued<O> enqueue(JobType<I, O> type, @Nullable I input) {
        return enqueue(type.job(input));
    }

    /** Enqueues one job. */
    <I, O> Enqueued<O> enqueue(NewJob<I, O> job);

    /** Enqueues all of them or none, in one transaction; the answers are in input order. */
    List<Enqueued<?>> enqueueAll(Collection<? extends NewJob<?, ?>> jobs);

    /**
     * Enqueues the jobs of a workflow, each to run when those that it waits for are done: all of them or none, in one transaction. Where an
     * existing job holds the dedupe key of one of them, it stands for that one: the others wait for it, and it does not become
     * part of the workflow.
     *
     * @throws InvalidRequestException if it has no jobs, or if jobs wait for each other in a circle, twice for the same one, or for a
     *     step of another workflow
     * @throws JobNotFoundException if a stored job that one waits for does not exist
     */
    SubmittedWorkflow submit(Workflow workflow);

    /**
     * Cancels jobs that have not ended: all of them or none. Those that wait are {@code CANCELLED} at once. Those that
     * are {@code RUNNING} are asked to: their handlers are told and interrupted, wherever they run, and they end {@code
     * CANCELLED} unless they have done their work first. They do not run again either way. To ask twice is to ask once.
     *
     * @throws TransitionRefusedException if one of them has ended
     */
    void cancel(Collection<? extends JobRef<?>> jobs);

    /**
     * Puts jobs that are {@code FAILED} or {@code CANCELLED} back to work with a full budget of attempts, their history
     * and their durable steps kept: all of them or none.
     *
     * @param maxAttempts the new budget, 1 to 1000, or null to keep the job's own
     * @throws TransitionRefusedException if one of them has not ended so, another job holds its dedupe key, or one of its
     *     parents has ended so that it would have been cancelled ({@link ParentPolicy#CANCEL})
     */
    void retry(Collection<? extends JobRef<?>> jobs, @Nullable Integer maxAttempts);

    /**
     * The same, and with them the jobs that were cancelled because one of them ended without success ({@link
     * ParentPolicy#CANCEL}), and so on with those below: they wait again, with their own budgets. Jobs that somebody cancelled
     * stay as they are, and so do those that another parent has cancelled too, until it is retried as well.
     *
     * <p>A thousand dependents come back with the call. More of them follow in other transactions, in this process or in another one with a
     * worker. A dependent that follows stays cancelled if another job holds its dedupe key. All that follow stay cancelled if their parent
     * ends without success before.
     *
     * @param maxAttempts the new budget of the jobs that are named, 1 to 1000, or null to keep each job's own
     * @param dryRun only count, all dependents
     * @return the jobs that the call has retried, with the dependents that came back with it
     * @throws TransitionRefusedException as {@link #retry} does, of the dependents that come back with the call as well
     */
    Changed retryWithDependents(Collection<? extends JobRef<?>> jobs, @Nullable Integer maxAttempts, boolean dryRun);

    /**
     * {@linkplain #retry Retries} jobs from their start: their durable steps are forgotten, and the events that they were told of. What the
     * steps did outside the database is not undone, and has the same {@linkplain JobContext#idempotencyKey keys} when it is done again.
     *
     * @param maxAttempts the new budget, 1 to 1000, or null to keep the job's own
     * @throws TransitionRefusedException as {@link #retry} does
     */
    void retryFromStart(Collection<? extends JobRef<?>> jobs, @Nullable Integer maxAttempts);

    /**
     * Tells a job that has not ended, in whatever state it is, of an event that its handler {@linkplain JobContext#awaitEvent awaits} or
     * is going to. If it waits for it, it is {@code PENDING} now, and workers are told. Of each name the first signal counts, so to send
     * one twice is harmless: the answer says which it was. So it does if the handler has waited for it in vain.
     *
     * @param name 1 to 200 characters, no control characters; not that of a step of another kind
     * @param payload what the event brings, JSON of at most 1 MiB by the codec; or null
     * @throws TransitionRefusedException if the job has ended
     * @throws JobNotFoundException if it does not exist
     * @throws InvalidRequestException if the name or the payload is not allowed, or the job has 10 000 steps and signals already
     */
    Signalled signal(JobRef<?> job, String name, @Nullable Object payload);

    /**
     * Makes jobs that are {@code SCHEDULED} due now, whatever time they wait for: all of them or none. A handler that {@linkplain
     * JobContext#sleep sleeps} finds out that its time has not come, and goes on sleeping.
     *
     * @throws TransitionRefusedException if one of them is not waiting for a time
     */
    void trigger(Collection<? extends JobRef<?>> jobs);

    /**
     * Completes a job that has not ended, in whatever state it is, without its handler: for work that was done elsewhere. What depends
     * on it goes on. If it is {@code RUNNING}, its attempt ends {@link AttemptOutcome#SUPERSEDED}, its handler is told and
     * interrupted, and whatever that one returns changes nothing.
     *
     * @param result the result, written as a handler's would be; or null
     * @throws TransitionRefusedException if it has ended
     * @throws InvalidRequestException if the result cannot be encoded, or is too long
     */
    <O> void complete(JobRef<O> job, @Nullable O result);

    /**
     * {@linkplain #complete(JobRef, Object) Completes} a job, and goes on with another one in the same chain: that one is enqueued in the
     * transaction that completes the job, by the rules of {@link JobContext#continueWith}. So of two who answer one goes on, and whoever is
     * refused has enqueued nothing. If the job is {@code RUNNING} and somebody wants it cancelled, what it goes on with is {@code
     * CANCELLED}.
     *
     * @param result the result, written as a handler's would be; or null
     * @param next what the chain goes on with
     * @return the job that goes on
     * @throws TransitionRefusedException if the job has ended
     * @throws JobNotFoundException if it does not exist, or a job that the next one depends on
     * @throws InvalidRequestException if the result or the next job's input cannot be encoded, or is too long; if the next job has a
     *     dedupe key, or would wait for the end of its own chain
     */
    <O, N> JobRef<N> complete(JobRef<O> job, @Nullable O result, NewJob<?, N> next);

    /**
     * Fails a job that has not ended, in whatever state it is, without its handler and without another attempt; see {@link
     * #complete}. What depends on it goes by its {@link ParentPolicy}.
     *
     * @param errorCode {@code CATEGORY:SUBCATEGORY}; see {@link ErrorCodes}
     * @param detail for people, cut to {@link ErrorCodes#MAX_DETAIL} characters; or null
     * @throws TransitionRefusedException if it has ended
     * @throws InvalidRequestException if the code has another shape
     */
    void fail(JobRef<?> job, String errorCode, @Nullable String detail);

    /**
     * Deletes jobs that are {@code FAILED} or {@code CANCELLED} with all that belongs to them, payload, attempts and event
     * log: all of them or none. What is left is one {@link AuditEntry}.
     *
     * @throws TransitionRefusedException if one of them has not ended so, or if another job depends on it that has not ended,
     *     or that would wait for it again after a retry
     */
    void discard(Collection<? extends JobRef<?>> jobs);

    /**
     * Keeps a schedule: from now on any process with a worker makes its jobs, each due time exactly once. A schedule of that name is
     * changed to be like this one; if it is so already, nothing happens, so that an application may call this at each of its starts. A change of
     * its cron expression, zone, distance or {@linkplain Schedule#withStartsAt start} moves its next run to the first one after now, and runs that were due by then count as
     * missed; a change of anything else does not. So a start should be an instant, not the time of the call. One that is paused stays so. An {@link AuditEntry} is left if something has
     * changed.
     *
     * @return as it is stored
     * @throws InvalidRequestException if the job's input cannot be encoded, or is too long to stand in a row
     */
    ScheduleSnapshot schedule(Schedule schedule);

    /**
     * Stops a schedule from making jobs, in all processes, until it is resumed. Jobs that it has made go on. To pause again is to give another
     * reason.
     *
     * @param reason for people, 1 to 200 characters, or null
     * @return as it is now
     * @throws ScheduleNotFoundException if there is none of this name
     */
    ScheduleSnapshot pauseSchedule(String name, @Nullable String reason);

    /**
     * Has a schedule make jobs again, from its first run after now on: what was due during the pause is left out. Nothing happens if it is not
     * paused.
     *
     * @return as it is now
     * @throws ScheduleNotFoundException if there is none of this name
     */
    ScheduleSnapshot resumeSchedule(String name);

    /**
     * Removes a schedule and what is remembered of its runs. Jobs that it has made stay.
     *
     * @throws ScheduleNotFoundException if there is none of this name
     */
    void removeSchedule(String name);

    /**
     * Has a schedule make one job now, whether it is paused or not, and whatever it does about overlaps. Its next run stays where it is.
     *
     * @return the job
     * @throws ScheduleNotFoundException if there is none of this name
     */
    JobRef<Json> runSchedule(String name);
}
