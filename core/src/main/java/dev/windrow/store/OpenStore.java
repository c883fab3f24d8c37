package dev.windrow.store;

import dev.windrow.JobHistory;
import dev.windrow.JobInfo;
import dev.windrow.JobState;
import dev.windrow.Store;
import dev.windrow.TransactionWork;
import dev.windrow.limit.Limits;
import dev.windrow.monitor.AuditEntry;
import dev.windrow.monitor.Diagnosis;
import dev.windrow.monitor.Health;
import dev.windrow.monitor.Statistics;
import dev.windrow.monitor.Throughput;
import dev.windrow.monitor.Tracing;
import dev.windrow.monitor.WorkerInfo;
import dev.windrow.query.JobFilter;
import dev.windrow.query.JobPage;
import dev.windrow.retention.RetentionRules;
import dev.windrow.retention.SizeChange;
import dev.windrow.schedule.ScheduleRun;
import dev.windrow.store.job.ChangeByFilter;
import dev.windrow.store.job.Explanation;
import dev.windrow.store.job.Settle;
import dev.windrow.store.job.Suspect;
import dev.windrow.store.limit.KeysWithRoom;
import dev.windrow.store.monitor.DiagnoseRequest;
import dev.windrow.store.payload.PayloadPage;
import dev.windrow.store.processes.BackgroundTask;
import dev.windrow.store.processes.WorkerRow;
import dev.windrow.store.query.PageRequest;
import dev.windrow.store.query.StoredHistory;
import dev.windrow.store.retention.Expire;
import dev.windrow.store.retention.Expiry;
import dev.windrow.store.retention.Recount;
import dev.windrow.store.schedule.DueSchedules;
import dev.windrow.store.schedule.ScheduleRow;
import dev.windrow.workflow.BatchProgress;
import dev.windrow.workflow.ParentOutcome;
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
public interface OpenStore extends ChangeByFilter.Source, AutoCloseable {
    /** The place, for people: a path or a URL without secrets. */
    String location();

    /**
     * Writes a command in a transaction of the store's own, which it may share with others.
     *
     * @throws dev.windrow.InvalidRequestException not thrown, but in the future, inside {@link #inTransaction}, where waiting for it would not end
     */
    <T extends @Nullable Object> CompletableFuture<T> submit(Command<T> command);

    /**
     * Writes a command on the caller's connection, inside its open transaction. What a command refuses is undone, and the caller may
     * continue. While the transaction stays open no other process can end an attempt that it has ended. Those that wait are told after the
     * commit: at once in {@link #inTransaction}, and within a second or so where the store has to look for it.
     */
    <T extends @Nullable Object> T apply(Connection connection, Command<T> command);

    /** The durable steps of a job, in order; {@link JobHistory.Step#until} by this process's clock. */
    List<JobHistory.Step> steps(long job);

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

    /** All pauses and limits of queues, types and keys, by kind and name. */
    List<Limits> controls();

    /**
     * The schedules that are to be seen to, by the store's clock.
     *
     * @param after where the page before ended; null for the first one, which also has those to which a clock that was ahead has seen
     * @param limit how many of each kind at most
     */
    DueSchedules dueSchedules(@Nullable ScheduleRow after, int limit);

    /** All schedules, by name. */
    List<ScheduleRow> schedules();

    /** The schedule of this name. */
    Optional<ScheduleRow> schedule(String name);

    /** The outcomes of the newest due times of a schedule, the newest first, at most {@code limit}; the newest 1000 are kept. */
    List<ScheduleRun> scheduleRuns(String name, int limit);

    /** The concurrency keys that are paused or limited and have ready jobs that must not start, because a change of their limits was not brought to its end. */
    List<String> keysToAdmit();

    /**
     * The next concurrency keys with jobs in line that seem to have room.
     *
     * @param after where the page before ended; empty for the first one
     */
    KeysWithRoom keysWithRoom(String after);

    /** The longest that the jobs of one key may take to obey: without a limit where no other transaction can have locked them. */
    Duration admitTime();

    /** Parents that have ended and whose children are not all released or cancelled. */
    List<Long> unreleasedParents();

    /** Counts by how much the sums of failures differ from the jobs: a process of a version without such sums may have changed failed jobs. */
    Recount wrongFailureSums();

    /** The bytes of a part of a blob; null if there is no such part. */
    byte @Nullable [] blobPart(long blob, int position);

    /** Which of these blobs there are, staged ones included. */
    Set<Long> existingBlobs(Collection<Long> blobs);

    /** One job with all that belongs to it; a payload or result that is kept apart as its {@link dev.windrow.payload.BlobRef}. */
    Optional<StoredHistory> history(long id);

    /** The number of jobs of a workflow in each state; empty if there is no such workflow. */
    Map<JobState, Long> workflow(long id);

    /** The progress of the jobs that this one waits for; empty if it does not exist. */
    Optional<BatchProgress> batch(long callback);

    /** The state and the result of a job: enough to await it, and cheaper than {@link #history}. */
    Optional<ParentOutcome> outcome(long id);

    /** Explains a job: its state, and which worker is missing for it to run. Reads the registry, and nothing that grows with the number of jobs. */
    Optional<Explanation> explain(long id);

    /** The parents of a job in declared order. */
    List<ParentOutcome> parents(long id);

    /**
     * The trace contexts of the attempts from which the next attempt of a job follows, as far as they were {@linkplain
     * Settle#traceparent settled with one}: of its own last attempt, and of the last one of each of its first 100 parents.
     */
    List<Tracing.Link> links(long id);

    /** The jobs of the chain in which a job is, from its first one; the job alone if it has neither continued nor is a continuation. */
    List<JobInfo> chain(long id);

    /**
     * A page of the jobs that match a filter. What has no index is looked at within bounds: see {@link JobPage}.
     *
     * @param query which page
     */
    JobPage list(PageRequest query);

    /**
     * Jobs by filter, newest first.
     *
     * @param before only jobs with a smaller id; {@link Long#MAX_VALUE} for the first page
     */
    default JobPage list(JobFilter filter, long before, int limit) {
        Long after = before == Long.MAX_VALUE ? null : Long.valueOf(before);
        return list(PageRequest.of(filter).limit(limit).after(after));
    }

    /** Characters of payloads that one read has in memory, but for its last one: a megabyte or two. */
    int MAX_CHARACTERS = 1 << 20;

    /** Those of these jobs that match a filter, in their order; as many as a page of a listing may have. */
    JobPage jobs(JobFilter filter, List<Long> ids);

    /**
     * The payloads of jobs that match a filter, behind {@link PageRequest#after}, in the order of the query, whatever its limit: so many that they have
     * not much more than {@link #MAX_CHARACTERS}. What has no index is looked at within the bounds of {@link #list(PageRequest)}.
     *
     * @param max how many payloads at most, positive
     */
    PayloadPage payloads(PageRequest query, int max);

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

    /** The registry, oldest worker first. */
    List<WorkerInfo> workers();

    /** The rules of retention: how long ended jobs are kept. */
    RetentionRules retention();

    /**
     * Jobs that have ended long enough ago, by the rules, and that nobody needs: no job depends on them that is not {@code COMPLETED}; a
     * chain when all its jobs are old. A page at a time; what is kept by others is passed over.
     */
    Expiry.Found expiring(Expiry.Search search);

    /** The time that a transaction of {@link Expire} may take. Short where all other writers wait for it. */
    Duration expiryTime();

    /**
     * Writes the whole database anew, without gaps, however long that takes; nobody else can write meanwhile. On the caller's thread.
     *
     * @throws dev.windrow.StoreUnavailableException if others have kept it from beginning, or there is no room for a copy
     */
    SizeChange vacuum();

    /** The state of a background task that one of many processes sees to. */
    BackgroundTask.State task(String name);

    /** {@linkplain StoreProvider#diagnose(Store, DiagnoseRequest) Examines} the store; {@link #close} ends that. */
    Diagnosis diagnose(DiagnoseRequest request);

    /** The health of the store's own threads; never waits for them. */
    List<Health.Task> tasks();

    /**
     * Stops taking new operations, finishes those that were taken, releases everything. Idempotent.
     */
    @Override
    void close();
}
