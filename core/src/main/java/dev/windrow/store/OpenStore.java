package dev.windrow.store;

import dev.windrow.Explanation;
import dev.windrow.JobHistory;
import dev.windrow.JobInfo;
import dev.windrow.JobState;
import dev.windrow.Store;
import dev.windrow.TransactionWork;
import dev.windrow.limit.KeyList;
import dev.windrow.limit.Limits;
import dev.windrow.monitor.AuditFilter;
import dev.windrow.monitor.AuditPage;
import dev.windrow.monitor.Diagnosis;
import dev.windrow.monitor.Health;
import dev.windrow.monitor.Statistics;
import dev.windrow.monitor.SuggestField;
import dev.windrow.monitor.Throughput;
import dev.windrow.monitor.ThroughputFilter;
import dev.windrow.monitor.Tracing;
import dev.windrow.monitor.WorkerInfo;
import dev.windrow.payload.Metadata;
import dev.windrow.query.JobFilter;
import dev.windrow.query.JobPage;
import dev.windrow.retention.RetentionRules;
import dev.windrow.retention.SizeChange;
import dev.windrow.schedule.ScheduleRun;
import dev.windrow.store.job.ChangeByFilter;
import dev.windrow.store.job.Claim;
import dev.windrow.store.job.FindKeyed;
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
import dev.windrow.workflow.ChainFilter;
import dev.windrow.workflow.ChainInfo;
import dev.windrow.workflow.ChainPage;
import dev.windrow.workflow.ParentOutcome;
import dev.windrow.workflow.WorkflowFilter;
import dev.windrow.workflow.WorkflowPage;
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
 * A {@link Store} that is open. It stores jobs durably and changes them only along {@link Transition}s. Safe for use by many threads.
 *
 * <p>Writing methods return futures. The store completes a future on one of its threads, or on that of a caller of {@link #submitAndWait}, after the
 * commit that made the write durable. Dependents of a future must be short and must not block. A future fails with a
 * {@link dev.windrow.WindrowException}. Then the method wrote nothing, except after {@link dev.windrow.OutcomeUnknownException}. Every future ends
 * within the store's operation timeout. Reading methods block, may be called on any thread, and end within the store's read timeout. Only
 * {@link #diagnose} has no timeout.
 */
public interface OpenStore extends ChangeByFilter.Source, AutoCloseable {
    /** Returns the location for messages: a path or a URL without secrets. */
    String location();

    /** Returns the time of the store's clock, as far as this process knows it. */
    long nowMillis();

    /**
     * Writes a command in a transaction of the store. Other commands may share the transaction.
     *
     * @throws dev.windrow.InvalidRequestException inside {@link #inTransaction}, where the wait would never end; the future fails with it, and the
     *     method does not throw
     */
    <T extends @Nullable Object> CompletableFuture<T> submit(Command<T> command);

    /**
     * Writes a command like {@link #submit}, for a caller that waits for the result. The store may write it on the calling thread, if no other caller
     * comes at the same time: then the future is complete on return. That takes less time than to wake two threads. If the disk hangs, this call hangs
     * as long.
     */
    default <T extends @Nullable Object> CompletableFuture<T> submitAndWait(Command<T> command) {
        return submit(command);
    }

    /**
     * Writes a command on the caller's connection, inside its open transaction. The writes of a refused command are undone, and the caller may
     * continue. If the command ended an attempt, no other process can end that attempt while the transaction is open. Waiting callers and workers are
     * notified after the commit. In {@link #inTransaction} this happens at once. Elsewhere the store has to look for the commit, and this happens
     * within about a second.
     */
    <T extends @Nullable Object> T apply(Connection connection, Command<T> command);

    /** Returns the metadata of a job; none if it does not exist. */
    Metadata metadata(long job);

    /** Returns the durable steps of a job, in order. {@link JobHistory.Step#until} is by this process's clock. */
    List<JobHistory.Step> steps(long job);

    /**
     * Returns the running jobs whose lease has expired or is too long, in the order of their leases, at most {@code limit}. A lease is too long if it
     * ends later than a new one would, because the clock stepped back. A new one is the longer of {@code leaseMillis} and the lease time of the
     * worker in the registry.
     *
     * @param after the last job of the page before; null for the first page
     */
    List<Suspect> suspects(long leaseMillis, @Nullable Suspect after, int limit);

    /**
     * Returns the running jobs of workers of this process, as {@link WorkerRow#process} names it, at most {@code limit}. Their leases do not matter.
     */
    List<Suspect> heldBy(String process, int limit);

    /**
     * Runs the callback in one transaction on a connection of the store, on the caller's thread. When the callback returns, this method commits and
     * then returns. When the callback throws, this method rolls back and rethrows. The methods that take a connection accept this one. Callers and
     * workers that wait for the changes are notified at once after the commit.
     *
     * <p>A store with one writer at a time waits for its turn as in every other method, and with the same timeout. All other writers wait until the
     * transaction has ended. The thread inside of the transaction must not call this method, nor any method that waits for the store's own
     * transactions: they throw {@link dev.windrow.InvalidRequestException}. This is so too in a store in which the thread would not wait for itself.
     *
     * @throws dev.windrow.StoreUnavailableException if it could not begin within the store's operation timeout, the thread was interrupted before it
     *     began, or it could not be committed; nothing was written
     * @throws dev.windrow.OutcomeUnknownException if it is unknown whether it was committed; with the ids of the jobs that were enqueued in it
     * @throws E if the callback throws it
     */
    <T extends @Nullable Object, E extends Exception> T inTransaction(TransactionWork<T, E> work) throws E;

    /** True if the calling thread is inside {@link #inTransaction}. Then it must not wait for the store's own transactions. */
    boolean isInTransaction();

    /** Returns all pauses and limits of queues, types and keys, by kind and name. */
    List<Limits> controls();

    /** Returns the concurrency keys with waiting jobs, a pause or a limit, the ones with the most waiting jobs first, at most {@code limit}. */
    KeyList keys(int limit);

    /**
     * Returns the schedules that need work: they are due, or were last handled by a clock that was ahead. Due times are by the store's clock.
     *
     * @param after the last schedule of the page before; null for the first page, which also has the schedules that a clock that was ahead has
     *     handled
     * @param limit how many of each kind at most
     */
    DueSchedules dueSchedules(@Nullable ScheduleRow after, int limit);

    /** Returns all schedules, by name. */
    List<ScheduleRow> schedules();

    /** Returns the schedule of this name. */
    Optional<ScheduleRow> schedule(String name);

    /** Returns the outcomes of the newest due times of a schedule, newest first, at most {@code limit}. The store keeps the newest 1000. */
    List<ScheduleRun> scheduleRuns(String name, int limit);

    /**
     * Returns the concurrency keys that are paused or limited and have ready jobs that must not start. The cause is a change of limits that was not
     * completed.
     */
    List<String> keysToAdmit();

    /**
     * Returns the next concurrency keys with waiting jobs that seem to have free permits.
     *
     * @param after the last key of the page before; empty for the first page
     */
    KeysWithRoom keysWithRoom(String after);

    /**
     * Returns how long a change of limits may try to apply them to the ready jobs of a key. There is no limit in a store in which no other
     * transaction can have locked the jobs.
     */
    Duration admitTime();

    /** Returns the parents that have ended and whose children are not all released or cancelled. */
    List<Long> unreleasedParents();

    /** Counts the differences between the sums of failures and the jobs. A process of a version without such sums may have changed failed jobs. */
    Recount wrongFailureSums();

    /** Returns the bytes of a part of a blob; null if the part does not exist. */
    byte @Nullable [] blobPart(long blob, int position);

    /** Returns the blobs among these that exist, including staged ones. */
    Set<Long> existingBlobs(Collection<Long> blobs);

    /** Returns one job with all that belongs to it. A payload or result that is stored separately is its {@link dev.windrow.payload.BlobRef}. */
    Optional<StoredHistory> history(long id);

    /**
     * Returns a page of the workflows, newest first. Counts at most {@link dev.windrow.workflow.WorkflowInfo#MAX_COUNTED} jobs of each. A page ends
     * after about 100 000 counted jobs or 5000 workflows.
     *
     * @param before only workflows with a smaller id; {@link Long#MAX_VALUE} for the first page
     */
    WorkflowPage workflows(WorkflowFilter filter, long before, int limit);

    /** Returns the number of jobs of a workflow in each state; empty if the workflow does not exist. */
    Map<JobState, Long> workflow(long id);

    /** Returns the progress of the jobs for which this one waits; empty if it does not exist. */
    Optional<BatchProgress> batch(long callback);

    /** Returns the state and the result of a job. This is enough to await it, and cheaper than {@link #history}. */
    Optional<ParentOutcome> outcome(long id);

    /** Returns the newest job that was enqueued with a dedupe key; empty if none exists. */
    Optional<Long> find(FindKeyed keyed);

    /** Explains why a job does not run; empty if it does not exist. The cost does not grow with the number of jobs. */
    Optional<Explanation> explain(long id);

    /** Returns the parents of a job in declared order. */
    List<ParentOutcome> parents(long id);

    /**
     * Returns the trace contexts of the attempts from which the next attempt of a job follows. These are its own last attempt, and the last one of
     * each of its first 100 parents. Only attempts that were {@linkplain Settle#traceparent settled with a context} have one.
     */
    List<Tracing.Link> links(long id);

    /** Returns the jobs of the chain of a job, from its first one. The result is the job alone if it has no continuation and is none. */
    List<JobInfo> chain(long id);

    /**
     * Returns the chain of a job, which may be the job alone; empty if the job or the first job of its chain does not exist. Without the first one,
     * retention is about to delete the others, and may have deleted the last one.
     */
    Optional<ChainInfo> chainInfo(long job);

    /**
     * Returns a page of the chains with more than one job and of the declared ones, newest first. Compares at most 20 000 with the filter.
     *
     * @param before only chains with a smaller id; {@link Long#MAX_VALUE} for the first page
     */
    ChainPage chains(ChainFilter filter, long before, int limit);

    /**
     * Returns a page of the jobs that match a filter. Conditions without an index are checked within bounds: see {@link JobPage}.
     *
     * @param query the page to read
     */
    JobPage list(PageRequest query);

    /**
     * Returns jobs by filter, newest first.
     *
     * @param before only jobs with a smaller id; {@link Long#MAX_VALUE} for the first page
     */
    default JobPage list(JobFilter filter, long before, int limit) {
        Long after = before == Long.MAX_VALUE ? null : Long.valueOf(before);
        return list(PageRequest.of(filter).limit(limit).after(after));
    }

    /** The number of characters of payloads after which a read ends. The last payload may exceed it. It takes a megabyte or two of memory. */
    int MAX_CHARACTERS = 1 << 20;

    /** Returns the jobs among these that match a filter, in the given order. There may be as many ids as a page of a listing may have jobs. */
    JobPage jobs(JobFilter filter, List<Long> ids);

    /**
     * Returns the payloads of jobs that match a filter, after {@link PageRequest#after}, in the order of the query. The limit of the query is
     * ignored: the page ends at about {@link #MAX_CHARACTERS}. Conditions without an index are checked within the bounds of {@link
     * #list(PageRequest)}.
     *
     * @param max how many payloads at most, positive
     */
    PayloadPage payloads(PageRequest query, int max);

    /** Returns the metadata of jobs that match a filter, by the rules of {@link #payloads}. */
    PayloadPage metadata(PageRequest query, int max);

    /**
     * Returns a page of the matching entries of the audit, newest first.
     *
     * @param after the entry before the page; null for the first page. After an entry that does not exist the page is empty
     */
    AuditPage audit(AuditFilter filter, @Nullable Long after, int limit);

    /** Returns the numbers of the whole store. */
    Statistics statistics();

    /**
     * Returns the number of attempts that ended recently and match the filter, and their durations. Counts of other processes from the last second
     * may be missing.
     *
     * @param window the period of the totals; in whole minutes, {@link Throughput#SHORTEST} to {@link Throughput#LONGEST}
     */
    Throughput throughput(Duration window, ThroughputFilter filter);

    /**
     * Returns the first names of a field that begin with the prefix, in the order of their UTF-8 bytes.
     *
     * @param prefix the literal beginning, which can be stored; empty for all names
     * @param limit how many names at most, positive
     */
    List<String> suggest(SuggestField field, String prefix, int limit);

    /**
     * Returns the number of jobs of these queues and types that keep a worker busy. These jobs are ready in an open lane, running in any worker, or
     * scheduled for a retry. The number is positive too while some ended parent has children that are not released, because these may be of these
     * types.
     *
     * @param minPriority the lowest priority of jobs that count, {@link Claim#EVERY_PRIORITY} or more. Above that value the number of jobs is not
     *     exact, but positive if there is one
     */
    long unfinished(Collection<String> queues, Collection<String> types, int minPriority);

    /** Returns the workers of the registry, oldest first. */
    List<WorkerInfo> workers();

    /** Returns the rules of retention: how long ended jobs are kept. */
    RetentionRules retention();

    /**
     * Returns a page of the jobs that the rules allow retention to delete: they ended long enough ago and are not needed. A job is needed while a job
     * that is not {@code COMPLETED} depends on it. A chain may be deleted when all its jobs are old. Jobs that are needed are skipped.
     */
    Expiry.Found expiring(Expiry.Search search);

    /** Returns the time that a transaction of {@link Expire} may take. It is short in a store in which all other writers wait for it. */
    Duration expiryTime();

    /**
     * Rewrites the whole database without gaps, on the caller's thread. This may take very long, and no other process or thread can write at the same
     * time.
     *
     * @throws dev.windrow.StoreUnavailableException if other transactions have kept it from beginning, or the disk has no space for a copy
     */
    SizeChange vacuum();

    /** Returns the state of a background task that one of many processes leads. */
    BackgroundTask.State task(String name);

    /** {@linkplain StoreProvider#diagnose(Store, DiagnoseRequest) Examines} the store. {@link #close} ends the examination. */
    Diagnosis diagnose(DiagnoseRequest request);

    /** Returns the health of the store's own threads, without waiting for them. */
    List<Health.Task> tasks();

    /** Refuses new operations, completes the accepted ones, and releases everything. Idempotent. */
    @Override
    void close();
}
