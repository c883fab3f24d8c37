package dev.windrow.store;

import dev.windrow.AuditEntry;
import dev.windrow.BatchProgress;
import dev.windrow.Control;
import dev.windrow.Diagnosis;
import dev.windrow.Health;
import dev.windrow.JobFilter;
import dev.windrow.JobPage;
import dev.windrow.JobQuery;
import dev.windrow.JobSnapshot;
import dev.windrow.JobState;
import dev.windrow.JobStory;
import dev.windrow.ParentOutcome;
import dev.windrow.Retention;
import dev.windrow.ScheduleRun;
import dev.windrow.Signalled;
import dev.windrow.Statistics;
import dev.windrow.Throughput;
import dev.windrow.Tracing;
import dev.windrow.TransactionWork;
import dev.windrow.Vacuumed;
import dev.windrow.WorkerSnapshot;
import java.sql.Connection;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Store} that is open: keeps jobs durably and changes them only along {@link Transition}s. Safe for use by many threads.
 *
 * <p>Writing verbs answer by futures, completed after the commit that made them durable, on a thread of the store:
 * dependents must be short and must not block. A future fails with a {@link dev.windrow.WindrowException}: the verb
 * wrote nothing, except after {@link dev.windrow.OutcomeUnknownException}. Every future ends within the store's operation
 * deadline. Reading verbs block, on any thread, and end within the store's read deadline, but for
 * {@link #diagnose}.
 */
public interface OpenStore extends AutoCloseable {
    /** The place, for people: a path or a URL without secrets. */
    String location();

    /**
     * Writes all jobs or none, in one transaction; answers in input order. They may wait for each other, in whatever order they
     * stand ({@link JobRow#parents}), but not in a circle, and belong to a workflow ({@link JobRow#workflow}).
     */
    CompletableFuture<List<EnqueuedJob>> enqueue(List<JobRow> jobs);

    /** The same on the caller's connection, inside its open transaction. */
    List<EnqueuedJob> enqueue(Connection connection, List<JobRow> jobs);

    /**
     * Takes ready jobs under a lease: highest priority first, then by scheduled time, then by id. Due jobs are promoted
     * first.
     */
    CompletableFuture<Claimed> claim(ClaimRequest request);

    /**
     * Records that an attempt's handler was called. Not waited for: it becomes durable with a following commit, and
     * changes nothing if the holder has lost the job.
     */
    void started(Started started);

    /**
     * Records what a running attempt tells of itself; false when the holder has lost the job, and nothing was written.
     * What is reported before the attempt is settled, by the same thread, is durable with the settlement at the latest.
     * Of each job the last progress and the last {@link JobStory#MAX_LOG_LINES} lines are kept.
     */
    CompletableFuture<Boolean> report(Report report);

    /**
     * Records how an attempt ended; false when the holder had lost the job, and nothing was written.
     *
     * <p>A job that somebody wants cancelled does not live on: instead of {@code RETRY_LATER}, {@code SNOOZE}, {@code
     * HAND_BACK} and {@code PARK} it takes {@code CANCEL_RUNNING}, in the same transaction. Its attempt keeps an outcome
     * that says how it failed, with code and detail; an attempt that did not fail ends {@code CANCELLED}.
     */
    CompletableFuture<Boolean> settle(Settlement settlement);

    /**
     * The same on the caller's connection, inside its open transaction. While that stays open nobody else can end the attempt: who tries
     * to finds it ended after its commit, or as it was after its rollback.
     */
    boolean settle(Connection connection, Settlement settlement);

    /**
     * Writes a durable step of a running attempt, or looks at one that waits; answers it as it stands after that, empty when the holder
     * has lost the job and nothing was written. A step of the name that is there already stays: what is answered is what counts. One that
     * waits is over when its time has come by the store's clock: a sleep is {@code DONE} then, an event {@code TIMED_OUT}, and stays so.
     *
     * <p>Fails with {@link dev.windrow.InvalidRequestException} if the name is that of a step of another kind, or the job has {@link
     * StepWrite#MAX_STEPS} already.
     */
    CompletableFuture<Optional<StepAnswer>> step(StepWrite step);

    /** The same on the caller's connection, inside its open transaction. While that stays open nobody else can end the attempt. */
    Optional<StepAnswer> step(Connection connection, StepWrite step);

    /** The durable steps of a job, in order; {@link JobStory.Step#until} by this process's clock. */
    List<JobStory.Step> steps(long job);

    /**
     * Tells a job that has not ended of an event, once for each name: what came first stays, and so does that nothing came in time. A job
     * that is parked {@linkplain Settlement#awaits awaiting} it takes {@link Transition#WAKE}; one that is parked later does so in the
     * transaction that parks it.
     *
     * <p>Fails with {@link dev.windrow.JobNotFoundException}, {@link dev.windrow.TransitionRefusedException} if the job has ended, and
     * {@link dev.windrow.InvalidRequestException} if the name is that of a step of another kind, or the job has {@link
     * StepWrite#MAX_STEPS} already.
     */
    CompletableFuture<Signalled> signal(Signal signal);

    /** The same on the caller's connection, inside its open transaction. */
    Signalled signal(Connection connection, Signal signal);

    /** Extends leases by {@code leaseMillis} from now; answers those that were lost. */
    CompletableFuture<List<Hold>> renew(List<Hold> holds, long leaseMillis);

    /**
     * The running jobs whose lease has run out, or runs further ahead than one lease (the clock stepped back): than both
     * {@code leaseMillis} and their worker's own, as far as the registry knows it. At most {@code limit}, in the order of
     * their leases.
     *
     * @param after where the page before ended; null for the first one
     */
    List<Suspect> suspects(long leaseMillis, @Nullable Suspect after, int limit);

    /**
     * The running jobs of workers of this process, as {@link WorkerRow#process} names it, whatever their leases say; at
     * most {@code limit}.
     */
    List<Suspect> heldBy(String process, int limit);

    /**
     * Takes back jobs from dead workers, each guarded by (id, {@code RUNNING}, token) and by what was seen of it: the
     * lease, and whether it had started. One that somebody wants cancelled ends {@code CANCELLED}, whatever else was meant
     * for it. Answers those that were, with the transition that was applied; none if the store could not begin within
     * {@code withinMillis}, because what was seen is too old by then: a worker that waited for the same lock has not had
     * its chance to renew.
     */
    CompletableFuture<List<Reclaim>> reclaim(List<Reclaim> reclaims, long withinMillis);

    /** An empty write transaction: proof that this process can commit. */
    CompletableFuture<Void> touch();

    /**
     * Changes jobs from outside. To cancel a running job is to leave a request with it, once; its holder is told by {@link
     * StoreSignals#cancelRequested}.
     *
     * <p>Named by id, all are changed or none. By filter, those that match and can be changed are, row by row, in transactions
     * of at most 1000 jobs; one that does not match any more when its turn comes is left out. That is done on the caller's
     * thread, the next transaction after the one before, and has ended when this returns, however long it takes. What was
     * committed stays when a later one fails, and the failure says how much that was.
     *
     * <p>A completion with {@link Change#next} writes that job in the same transaction, as a settlement with one does.
     *
     * <p>Each transaction of a change by filter, and each discard, leaves an {@link AuditEntry} if it changed anything.
     */
    CompletableFuture<ChangeResult> change(Change change);

    /**
     * The same on the caller's connection, inside its open transaction. Nobody tells the store of the caller's commit:
     * signals come when it looks.
     */
    ChangeResult change(Connection connection, Change change);

    /**
     * Does this work in one transaction on a connection of the store's own, on the caller's thread, and commits when it returns, before
     * this does. When it throws, all is rolled back and what it threw is passed on. The verbs that take a connection accept that one, and
     * whoever waits for what they have done is told at once after the commit.
     *
     * <p>Where one writes at a time, this waits for its turn as every other verb does, and for as long at most, and keeps everybody else
     * waiting until it has ended. Meanwhile the thread that is inside is refused this verb, and all verbs that would wait for the store's
     * own transactions, with an {@link dev.windrow.InvalidRequestException}; so it is where that would not wait for itself.
     *
     * @throws dev.windrow.StoreUnavailableException if it could not begin within the store's operation deadline, the thread was interrupted before
     *     it began, or it could not be committed: nothing was written
     * @throws dev.windrow.OutcomeUnknownException if nobody knows whether it was committed; with the ids of the jobs that were enqueued in it
     * @throws E what the work throws
     */
    <T extends @Nullable Object, E extends Exception> T inTransaction(TransactionWork<T, E> work) throws E;

    /** True if the calling thread is inside {@link #inTransaction}: then it must not wait for what the store does. */
    boolean isInTransaction();

    /**
     * Ends the waits that have run out of time, those first that were due first; answers how many, at most {@code limit}. A job that
     * somebody outside was to end is failed as {@code TIMEOUT:WAIT}. One whose handler {@linkplain Settlement#awaits awaits an event} takes
     * {@link Transition#WAKE}, and the event is {@code TIMED_OUT}. Each is guarded by what it waits for and by its time-out, as they are now by the store's clock. When the
     * next one is due is told by {@link StoreSignals#waitEnds}.
     */
    CompletableFuture<Integer> endWaits(int limit);

    /**
     * Says something of a queue, a type or a concurrency key; answers what is said of it now. Claims of all processes that begin
     * after that obey. One line about it is kept for good.
     *
     * <p>What concerns many ready jobs of a key is done part by part, on this thread, and has ended when this returns.
     */
    CompletableFuture<Control> control(ControlChange change);

    /** All that is said of queues, types and keys, by kind and name. */
    List<Control> controls();

    /**
     * Makes, changes or removes a schedule, or has it make a job. Each change leaves an {@link AuditEntry}; what changes nothing leaves none.
     * When it is due next is told by {@link StoreSignals#scheduleDue}, to all processes.
     *
     * <p>Fails with {@link dev.windrow.ScheduleNotFoundException} if it does not exist, but for {@link ScheduleChange.Verb#SCHEDULE}.
     */
    CompletableFuture<ScheduleChanged> schedule(ScheduleChange change);

    /** The same on the caller's connection, inside its open transaction. */
    ScheduleChanged schedule(Connection connection, ScheduleChange change);

    /**
     * The schedules that are to be seen to, by the store's clock.
     *
     * @param after where the page before ended; null for the first one, which also has those to which a clock that was ahead has seen
     * @param limit how many of each kind at most
     */
    DueSchedules dueSchedules(@Nullable ScheduleRow after, int limit);

    /**
     * Does what is due by schedules, all in one transaction: jobs are made, ready at once, with the due time as their scheduled time and {@code
     * {"schedule": name, "due": time}} in their {@code ENQUEUED} events; what became of each due time is written down, and the next one set. What
     * is not as it was read is left out ({@link Firing}), and so is a due time for which a job was made before. Of a schedule with {@link
     * dev.windrow.Overlap#SKIP} whose last job goes on, or that would make a second one, the due times get no job.
     *
     * <p>What fails, fails all of them, and nothing is written.
     */
    CompletableFuture<Fired> fire(List<Firing> firings);

    /** All schedules, by name. */
    List<ScheduleRow> schedules();

    /** The schedule of this name. */
    Optional<ScheduleRow> schedule(String name);

    /** The outcomes of the newest due times of a schedule, the newest first, at most {@code limit}; the newest 1000 are kept. */
    List<ScheduleRun> scheduleRuns(String name, int limit);

    /**
     * Looks for jobs that wait in line for a concurrency key that has room, and gives them places; and for parents that have ended and
     * whose children are not all released or cancelled, and goes on with that. Whoever makes room or ends a parent does it as a rule;
     * this is for what was left when a process died. Called now and then, on this thread; answers for how many keys and parents there was
     * something to do.
     */
    int arrange();

    /**
     * Writes a part of a payload or result that is kept apart, before its job or settlement is written, in a transaction that
     * it shares with little. Answers the number of the blob. The blob is staged until a {@link #enqueue} or {@link #settle}
     * whose text is its {@link dev.windrow.BlobRef} adopts it, once, in its own transaction; an enqueue that answers another
     * job of its dedupe key drops it. It goes when its job goes, or gets another payload.
     */
    CompletableFuture<Long> stage(BlobPart part);

    /** The same on the caller's connection, inside its open transaction. */
    long stage(Connection connection, BlobPart part);

    /**
     * Drops a blob that is staged and that nobody will adopt; nothing happens if it is not there or was adopted. Of a long one the rest is left to
     * {@link #sweepStaged}.
     */
    CompletableFuture<Void> unstage(long blob);

    /**
     * Drops blobs that belong to no job: first what {@link #expire} and {@link #unstage} have left of long ones, whenever that was, then those that were
     * staged longer ago than this and that nobody has adopted, the oldest first. A long one goes part by part; from the first one on it can neither be adopted
     * nor written on. At most {@code limit} parts go, in one transaction; answers how many, where a blob that has none left counts as
     * one: fewer than {@code limit} are the last ones.
     */
    CompletableFuture<Integer> sweepStaged(long olderThanMillis, int limit);

    /** The bytes of a part of a blob; null if there is no such part. */
    byte @Nullable [] blobPart(long blob, int position);

    /** Which of these blobs there are, staged ones included. */
    Set<Long> existingBlobs(Collection<Long> blobs);

    /** One job with all that belongs to it; a payload or result that is kept apart as its {@link dev.windrow.BlobRef}. */
    Optional<JobStory> story(long id);

    /** The number of jobs of a workflow in each state; empty if there is no such workflow. */
    Map<JobState, Long> workflow(long id);

    /** The progress of the jobs that this one waits for; empty if it does not exist. */
    Optional<BatchProgress> batch(long callback);

    /** The state and the result of a job: enough to await it, and cheaper than {@link #story}. */
    Optional<ParentOutcome> outcome(long id);

    /** Explains a job: its state, and which worker is missing for it to run. Reads the registry, and nothing that grows with the number of jobs. */
    Optional<Explanation> explain(long id);

    /** The parents of a job in declared order. */
    List<ParentOutcome> parents(long id);

    /**
     * The trace contexts of the attempts from which the next attempt of a job follows, as far as they were {@linkplain
     * Settlement#traceparent settled with one}: of its own last attempt, and of the last one of each of its first 100 parents.
     */
    List<Tracing.Origin> origins(long id);

    /** The jobs of the chain in which a job is, from its first one; the job alone if it has neither continued nor is a continuation. */
    List<JobSnapshot> chain(long id);

    /**
     * A page of the jobs that match a filter. What has no index is looked at within bounds: see {@link JobPage}.
     *
     * @param query which page
     */
    JobPage list(JobQuery query);

    /**
     * Jobs by filter, newest first.
     *
     * @param before only jobs with a smaller id; {@link Long#MAX_VALUE} for the first page
     */
    default JobPage list(JobFilter filter, long before, int limit) {
        Long after = before == Long.MAX_VALUE ? null : Long.valueOf(before);
        return list(JobQuery.of(filter).limit(limit).after(after));
    }

    /** Characters of payloads that one read has in memory, but for its last one: a megabyte or two. */
    int MOST_CHARACTERS = 1 << 20;

    /** Those of these jobs that match a filter, in their order; as many as a page of a listing may have. */
    JobPage jobs(JobFilter filter, List<Long> ids);

    /**
     * The payloads of jobs that match a filter, behind {@link JobQuery#after}, in the order of the query, whatever its limit: so many that they have
     * not much more than {@link #MOST_CHARACTERS}. What has no index is looked at within the bounds of {@link #list(JobQuery)}.
     *
     * @param most how many payloads at most, positive
     */
    PayloadPage payloads(JobQuery query, int most);

    /** The newest entries of the audit, the newest first, at most {@code limit}. */
    List<AuditEntry> audit(int limit);

    /** The numbers of the whole store. */
    Statistics statistics();

    /**
     * The number of attempts that have ended of late, and their times. Counts of other processes from the last second may be missing.
     *
     * @param window over how long times are taken; in whole minutes, {@link Throughput#SHORTEST} to {@link Throughput#LONGEST}
     */
    Throughput throughput(Duration window);

    /**
     * The number of jobs of these queues and types that keep a worker busy: those that are ready in a lane that is open, running in any
     * worker, or scheduled for a retry; and while children of some ended parent are left, which may be of these types.
     */
    long unfinished(Collection<String> queues, Collection<String> types);

    /**
     * Puts a worker into the registry, or renews its entry: the proof that somebody alive handles its types.
     */
    CompletableFuture<Void> announce(WorkerRow worker);

    /** Takes a worker out of the registry. */
    CompletableFuture<Void> withdraw(WorkerId worker);

    /** Takes the workers of a process that has ended out of the registry. */
    CompletableFuture<Void> withdrawProcess(String process);

    /** The registry, oldest worker first. */
    List<WorkerSnapshot> workers();

    /** The rules of retention: how long ended jobs are kept. */
    Retention retention();

    /** Changes one rule of retention; answers all of them. What changes something leaves an {@link AuditEntry}. */
    CompletableFuture<Retention> retain(RetentionChange change);

    /**
     * Jobs that have ended long enough ago, by the rules, and that nobody needs: no job depends on them that is not {@code COMPLETED}; a
     * chain when all its jobs are old. A page at a time; what is kept by others is passed over.
     */
    Expiry.Found expiring(Expiry.Search search);

    /**
     * Deletes such jobs, in one transaction, with all that belongs to them: those that are as they were found, and that nobody needs now.
     * Dedupe keys that hold longer than their job stay. Part of them, if there are more than fit into the time that is given; of a job with very many
     * edges only some of these. When blobs of theirs have more than {@link Expiry#BLOB_PARTS} parts, these are left to {@link #sweepStaged}: nobody owns them any more.
     * None, and all are left, if the store has other rules by now than {@link Expiry.Batch#standing()}. Adds them to the
     * pass's {@link AuditEntry}, and makes it if there is none.
     */
    CompletableFuture<Expiry.Done> expire(Expiry.Batch batch);

    /** The time that a transaction of {@link #expire} may take. Short where all other writers wait for it. */
    Duration expiryTime();

    /**
     * Deletes what belongs to no job and is older than {@link Duty} says: sums of minutes, entries of the audit, workers that are gone; and queues that
     * nothing uses. At most {@code limit} of each; returns how many in all. May wait on this thread for a part of it.
     *
     * @param asOfMillis by which clock: the store's, when the pass began, so that one that was set ahead since then makes nothing older
     */
    CompletableFuture<Long> prune(int limit, long asOfMillis);

    /**
     * Puts the sums of failures right, as far as they are not what the jobs say: a process of a version that knows no such sums may have changed failed
     * jobs. Counts first, as a reader on this thread, and then adds the difference, which others leave as it is; when somebody else has done so in
     * between, nothing. Answers for how many error codes.
     */
    CompletableFuture<Integer> recount();

    /**
     * Gives space that nothing is in back to the file system, a few milliseconds' worth, if there is enough of it. Answers how many bytes are
     * left to be given back; 0 when it is not worth it, or the database sees to that by itself.
     */
    CompletableFuture<Long> shrink();

    /**
     * Writes the whole database anew, without gaps, however long that takes; nobody else can write meanwhile. On the caller's thread.
     *
     * @throws dev.windrow.StoreUnavailableException if others have kept it from beginning, or there is no room for a copy
     */
    Vacuumed vacuum();

    /** The state of a duty that one of many processes sees to. */
    Duty.State duty(String name);

    /**
     * Takes a duty, or keeps it for another lease; false when somebody else has it, or it was done not long ago. Who has it may lose it to
     * nobody but by letting the lease run out, and must ask again before that.
     */
    CompletableFuture<Boolean> takeDuty(Duty duty);

    /** The duty is done, with this to tell, as short JSON or null; false, and nothing is written, when it was lost meanwhile. */
    CompletableFuture<Boolean> endDuty(Duty duty, @Nullable String detail);

    /** {@linkplain Store#diagnose Examines} the store; {@link #close} ends that. */
    Diagnosis diagnose(DiagnoseRequest request);

    /** The health of the store's own threads; never waits for them. */
    List<Health.Duty> duties();

    /**
     * Stops taking new operations, finishes those that were taken, releases everything. Idempotent.
     */
    @Override
    void close();
}
