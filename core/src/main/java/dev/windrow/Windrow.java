package dev.windrow;

import dev.windrow.engine.Engine;
import java.sql.Connection;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The entry: enqueues jobs, reads them, awaits them, and starts workers that run them.
 *
 * <p>Safe for use by many threads; an application has one for each store. It owns the store and closes it.
 *
 * <pre>{@code
 * try (Windrow windrow = Windrow.open(SqliteStore.at(Path.of("jobs.db")))) {
 *     windrow.enqueue(RESIZE, new Resize("cat.jpg", 200));
 * }
 * }</pre>
 */
public interface Windrow extends Jobs, AutoCloseable {
    /** The longest payload or result that stands in the row of its job, in bytes of UTF-8, unless said otherwise: 64 KiB. */
    int DEFAULT_INLINE_BYTES = 64 * 1024;

    /** The longest payload or result, in bytes, unless said otherwise: 64 MiB. */
    long DEFAULT_MAX_CONTENT_BYTES = 64L << 20;

    /**
     * Opens a store, with the codec that is on the class path.
     *
     * @throws IncompatibleStoreException if the target is no store that this code can open
     * @throws StoreUnavailableException if it cannot be opened now
     */
    static Windrow open(Store store) {
        return configure(store).open();
    }

    /** Opens a store with settings. */
    static Builder configure(Store store) {
        return Engine.configure(store);
    }

    /** Enqueues one job; durable when this returns. */
    @Override
    <I, O> Enqueued<O> enqueue(NewJob<I, O> job);

    /** Enqueues all jobs or none, in one transaction; durable when this returns. */
    @Override
    List<Enqueued<?>> enqueueAll(Collection<? extends NewJob<?, ?>> jobs);

    /** Enqueues all jobs of a workflow or none, in one transaction; durable when this returns. */
    @Override
    SubmittedWorkflow submit(Workflow workflow);

    /** All schedules, by name. */
    List<ScheduleSnapshot> schedules();

    /** The schedule of this name; nothing if there is none. */
    Optional<ScheduleSnapshot> schedule(String name);

    /**
     * What became of the newest due times of a schedule, the newest first. The newest 1000 are kept. Jobs that were made out of turn ({@link
     * Jobs#runSchedule}) are not among them.
     *
     * @param limit how many at most, 1 to 1000
     * @throws ScheduleNotFoundException if there is none of this name
     */
    List<ScheduleRun> scheduleRuns(String name, int limit);

    /**
     * Enqueues one job without waiting for the commit, but for that of a payload that is too long for its row. The stage is completed after the commit, on one thread that all
     * such stages share: what depends on it must be short, or go on elsewhere. It fails with a {@link
     * dev.windrow.WindrowException}, by the same rules as {@link #enqueue}.
     *
     * @throws InvalidRequestException at once, if the job cannot be written
     */
    <I, O> CompletionStage<Enqueued<O>> enqueueAsync(NewJob<I, O> job);

    /**
     * The writing verbs inside the caller's transaction: what they do commits and rolls back with everything else on
     * this connection, which must be to the same database. Workers of this process are woken after the commit.
     *
     * <p>On SQLite the transaction should begin with {@code BEGIN IMMEDIATE}: one that begins by reading cannot write any more when
     * somebody else has written since. {@link #inTransaction} does that, and waits for its turn.
     */
    Jobs on(Connection connection);

    /**
     * Does this work in one transaction on a connection of the store's own: rows of the application's tables, in the same database, and
     * the verbs of {@link #on}, all or nothing.
     *
     * <pre>{@code
     * JobRef<Thumbnail> job = windrow.inTransaction(connection -> {
     *     pictures.insert(connection, cat);
     *     return windrow.on(connection).enqueue(RESIZE, cat).ref();
     * });
     * }</pre>
     *
     * <p>It runs on this thread. When it returns, the transaction is committed, which is as durable as any verb, and workers are told of its
     * jobs at once. When it throws, all is rolled back, and what it threw is thrown here; if the rollback fails too, that is suppressed in it.
     *
     * <p>On SQLite it takes the write lock before the callback is called ({@code BEGIN IMMEDIATE}), in its turn among the writers of this process
     * and of all others on the file, so that nothing in it ever fails because the database is busy. All of them wait until it has ended, those that renew
     * leases included: keep it short, and wait for nobody in it. On PostgreSQL it has the isolation {@code READ COMMITTED}; a wait for a lock ends as a
     * wait to begin does, and five such transactions of a process run at once.
     *
     * <p>Until it has ended, this thread may write by the given connection alone: this method and all other verbs that write are
     * refused, because on SQLite they would wait for the very transaction that calls them. Reads see what was committed before.
     *
     * @return what the work returned
     * @throws StoreUnavailableException if it could not begin within the operation timeout of the store (10 s unless configured), the thread
     *     was interrupted before it began, or the commit was refused (such as by a full disk): nothing was written
     * @throws OutcomeUnknownException if the disk or the connection failed during the commit, and nobody knows whether it stands; with the
     *     ids of the jobs that were enqueued in it
     * @throws InvalidRequestException if this thread is inside such a transaction already
     * @throws WindrowException if the commit was refused for another reason, such as a deferred constraint: nothing was written
     * @throws E what the work throws
     */
    <T extends @Nullable Object, E extends Exception> T inTransaction(TransactionWork<T, E> work) throws E;

    /** A worker, to be given handlers and started. */
    Worker.Builder worker();

    /**
     * Waits until a job has ended, wherever it runs, and returns its result.
     *
     * @param timeout 0 or more; with 0 it looks once
     * @return the decoded result; null when the job has none
     * @throws InvalidRequestException if the timeout is negative
     * @throws AwaitTimeoutException if it has not ended within this time; it goes on
     * @throws JobUnsuccessfulException if it ended {@code FAILED} or {@code CANCELLED}
     * @throws JobNotFoundException if it does not exist (any more)
     * @throws WindrowException if the result does not fit the type, or the thread is interrupted
     */
    <O> @Nullable O await(JobRef<O> job, Duration timeout);

    /**
     * Waits until the chain in which a job is has ended, wherever it runs, and returns the result of its last job.
     *
     * @param job any job of the chain
     * @param last the type of the job that ends it
     * @param timeout 0 or more; with 0 it looks once
     * @return the decoded result; null when that job has none
     * @throws InvalidRequestException if the timeout is negative
     * @throws AwaitTimeoutException if it has not ended within this time; it goes on
     * @throws JobUnsuccessfulException if its last job ended {@code FAILED} or {@code CANCELLED}
     * @throws JobNotFoundException if the job does not exist (any more)
     * @throws WindrowException if the result does not fit the type, or the thread is interrupted
     */
    <O> @Nullable O awaitChain(JobRef<?> job, JobType<?, O> last, Duration timeout);

    /**
     * The chain in which a job is, from its first job on; the job alone if it has neither gone on nor is what another one went on with.
     *
     * @throws JobNotFoundException if it does not exist
     */
    List<JobSnapshot> chain(JobRef<?> job);

    /**
     * One job with its attempts and its event log, or nothing if it does not exist. A payload or result of more than 1 MiB, or
     * that is no JSON, or that cannot be read, is not loaded: in its place stands a {@link BlobRef}, and {@link #payload}
     * and {@link #result} read it.
     */
    Optional<JobStory> find(long id);

    /** The payload of a job as a stream, of whatever length and type; nothing if there is no such job, or it has none. */
    Optional<Content> payload(long id);

    /** The result of a job as a stream, of whatever length and type; nothing if there is no such job, or it has none. */
    Optional<Content> result(long id);

    /**
     * Jobs by filter, newest first. The first page of {@link #list(JobQuery)}, or the one after a cursor.
     *
     * @param after {@link JobPage#next} of the page before, or null for the first page
     * @param limit how many at most, 1 to 1000
     * @throws InvalidRequestException if the limit is out of range
     */
    JobPage list(JobFilter filter, @Nullable Long after, int limit);

    /**
     * A page of the jobs that match a filter, in either order. Reads one snapshot and keeps nobody waiting. What is found by an index
     * fills the page; a filter without one (a name, a dedupe key, a priority, a time) is checked job by job, for at most some ten
     * thousand jobs in one call: then the page is short, or empty, and {@link JobPage#next} says where to go on.
     */
    JobPage list(JobQuery query);

    /** Searches the payloads of up to 10 000 jobs: see {@link #search(JobQuery, PayloadMatch, int)}. */
    JobMatches search(JobQuery query, PayloadMatch match);

    /**
     * Looks for jobs by what is in their payloads. No index knows that: payloads are read, a hundred at a time, and looked at here, and
     * {@link JobMatches#next} says where another call goes on. Payloads that are kept apart are read up to 1 MiB each and 64 MiB in
     * one call; longer ones, bytes, and those that are lost are skipped and counted.
     *
     * @param query which jobs are looked at, in which order, where to begin ({@link JobQuery#after}), and how many are wanted at
     *     most; its filter names a state, type, queue, tag, workflow, chain or parent
     * @param match what their payloads have to be like
     * @param look how many payloads to look at, 1 to 100 000
     * @throws InvalidRequestException if the filter names none of these, {@code look} is out of range, or the query is for a
     *     page before a place
     */
    JobMatches search(JobQuery query, PayloadMatch match, int look);

    /**
     * How a workflow stands; nothing if there is none with this id, or all its jobs were discarded. Its jobs are those of {@link
     * JobFilter#workflow}: for listings, and to {@linkplain #cancelAll cancel}, {@linkplain #retryAll retry} or {@linkplain #discardAll
     * discard} the whole.
     */
    Optional<WorkflowStatus> workflow(long id);

    /**
     * How many of the jobs that another one waits for have ended: of a batch, seen from its callback.
     *
     * @throws JobNotFoundException if the callback does not exist (any more)
     */
    BatchProgress batch(JobRef<?> callback);

    /** The numbers of the whole store. */
    Statistics statistics();

    /** How many attempts have ended of late, and how long jobs waited and ran, over the last hour: see {@link #throughput(Duration)}. */
    Throughput throughput();

    /**
     * How many attempts have ended of late, of each type and in all, minute by minute for an hour and hour by hour for a day, and percentiles of how
     * long jobs waited and ran. Reads a row for each minute and each pair of a queue and a type within the window and the day, not the jobs.
     *
     * @param window over how long the percentiles are taken, in whole minutes; {@link Throughput#SHORTEST} to {@link Throughput#LONGEST}
     * @throws InvalidRequestException if the window is shorter or longer
     */
    Throughput throughput(Duration window);

    /** The workers in the registry, of all processes, the oldest first. */
    List<WorkerSnapshot> workers();

    /**
     * Examines the whole store: whether it is whole, whether its parts agree, and whether jobs get on. Changes nothing and
     * holds up nobody, but reads everything: on a large store this takes minutes.
     *
     * @throws StoreUnavailableException if the thread is interrupted, or this is closed meanwhile
     */
    Diagnosis diagnose();

    /**
     * The same within a time, whatever the size of the store: a check that would read for longer than its share is stopped, and then has a
     * note that says so, unless it has found something before. What takes a moment is always done.
     *
     * @param budget how long all of it may take, about: 0 or more; with 0 nothing that reads everything is begun
     * @throws InvalidRequestException if it is negative
     * @throws StoreUnavailableException if the thread is interrupted, or this is closed meanwhile
     */
    Diagnosis diagnose(Duration budget);

    /**
     * The same for a store that was not opened: it is neither opened nor made nor migrated, so that one that cannot be
     * opened can be examined too.
     *
     * @param quick leave out what makes it slow: comparing each index with its table
     * @param begins told the name of each check when it begins, on a thread of the store
     * @throws StoreUnavailableException if there is none, or the thread is interrupted
     */
    static Diagnosis diagnose(Store store, boolean quick, Consumer<String> begins) {
        return Engine.diagnose(store, quick, begins);
    }

    /**
     * The same within a time.
     *
     * @param budget how long all of it may take, about: 0 or more; null: as long as it takes
     * @throws InvalidRequestException if it is negative
     */
    static Diagnosis diagnose(Store store, boolean quick, @Nullable Duration budget, Consumer<String> begins) {
        return Engine.diagnose(store, quick, budget, begins);
    }

    /**
     * Examines a store that is not open by some checks alone, such as {@code schema}, which takes a moment: for probes. The others are
     * not in the diagnosis.
     *
     * @param only the names of the checks
     */
    static Diagnosis diagnose(Store store, Set<String> only) {
        return Engine.diagnose(store, only);
    }

    /**
     * How the background duties of this process are: which of them does not get on, why, and since when. Never waits for
     * them or for the store: made for a probe that asks every few seconds.
     */
    Health health();

    /**
     * Cancels every job of the filter that has not ended: those that wait at once, those that run when their handlers have
     * heeded it; see {@link Jobs#cancel}.
     *
     * <p>This and the other changes by filter take the jobs one by one, in as many transactions as it takes, at most 1000 jobs
     * each, so that workers get on in between. What cannot be changed, or does not match any more when its turn comes, is left
     * out, and so are jobs that are enqueued after the call has begun. Each transaction leaves an {@link AuditEntry} with the
     * number of jobs that it changed. When this is cut short by an exception or by the end of the process, what was committed
     * stays: the same call again goes on with what is left.
     *
     * @param dryRun only count
     */
    Changed cancelAll(JobFilter filter, boolean dryRun);

    /**
     * Puts every job of the filter that is {@code FAILED} or {@code CANCELLED} back to work; see {@link Jobs#retry} and {@link
     * #cancelAll}.
     *
     * @param maxAttempts the new budget of each, 1 to 1000, or null to keep its own
     * @param dryRun only count
     */
    Changed retryAll(JobFilter filter, @Nullable Integer maxAttempts, boolean dryRun);

    /**
     * The same, and with each job those that were cancelled because it ended without success, whether the filter matches them or
     * not; see {@link Jobs#retryWithDependents}. One of them that cannot be retried is left out, with what is below it. Of each thousand jobs
     * of the filter, a thousand dependents come back with the call and are counted; more follow.
     *
     * @param maxAttempts the new budget of each job of the filter, 1 to 1000, or null to keep its own
     * @param dryRun only count; a job that two others of the filter have cancelled may be counted twice
     */
    Changed retryAllWithDependents(JobFilter filter, @Nullable Integer maxAttempts, boolean dryRun);

    /**
     * Puts every job of the filter that is {@code FAILED} or {@code CANCELLED} back to work from its start; see {@link
     * Jobs#retryFromStart} and {@link #cancelAll}.
     *
     * @param maxAttempts the new budget of each, 1 to 1000, or null to keep its own
     * @param dryRun only count
     */
    Changed retryAllFromStart(JobFilter filter, @Nullable Integer maxAttempts, boolean dryRun);

    /**
     * Makes every job of the filter that is {@code SCHEDULED} due now; see {@link Jobs#trigger} and {@link #cancelAll}.
     *
     * @param dryRun only count
     */
    Changed triggerAll(JobFilter filter, boolean dryRun);

    /**
     * Deletes every job of the filter that is {@code FAILED} or {@code CANCELLED} and on which no job depends that may still
     * need it; see {@link Jobs#discard} and {@link #cancelAll}.
     *
     * @param dryRun only count; it does not see that a job would be free to go once another one is gone that depends on it and
     *     comes in a transaction before
     */
    Changed discardAll(JobFilter filter, boolean dryRun);

    /**
     * Starts no more jobs of a queue or a type, in any process, until it is resumed. Those that run go on. Pausing a queue and
     * pausing a type are two things: a job starts when neither holds it back. To pause again is to give another reason. On PostgreSQL, claims and
     * enqueues that are under way when this returns may still start what they have found.
     *
     * @param reason for people, 1 to 200 characters, or null
     * @return what is said of the queue or type now
     */
    Control pause(Scope scope, @Nullable String reason);

    /** Starts jobs of a queue or a type again; nothing happens if it is not paused. */
    Control resume(Scope scope);

    /**
     * Limits how many jobs of a queue or a type run at once, in all processes together. What runs already goes on, also
     * beyond a new limit. A place is free when its job has ended, or when the lease of a worker that is gone has. On PostgreSQL, claims and
     * enqueues that are under way when this returns may still start what they have found.
     *
     * @param maxRunning 1 to 1 000 000, or null for no limit
     */
    Control limit(Scope scope, @Nullable Integer maxRunning);

    /**
     * Limits how often a job of a queue or a type starts, in all processes together. An attempt counts as started when a worker
     * claims it. On PostgreSQL, claims and
     * enqueues that are under way when this returns may still start what they have found.
     *
     * @param rate how often, or null for no limit
     */
    Control limitRate(Scope scope, @Nullable Rate rate);

    /** What is said of queues and types, by kind and name; what nothing is said of is not there. */
    List<Control> controls();

    /**
     * What was done to many jobs at once, and to jobs that are gone; the newest first.
     *
     * @param limit how many entries at most, 1 to 1000
     */
    List<AuditEntry> audit(int limit);

    /** How long jobs are kept that have ended: the rules of the store, which all processes and the command line go by. */
    Retention retention();

    /** The last pass of retention that workers have done; nothing if there was none. Passes by {@link #cleanup} do not count. */
    Optional<LastRetention> lastRetention();

    /**
     * Makes a rule: jobs that have ended in this state are kept for this long at least, of whatever type unless there is a rule for that.
     * Counts for all processes on the store, and for a pass that is under way from its next transaction on; ages that a {@link #cleanup} was asked for stay. Leaves
     * an {@link AuditEntry}.
     *
     * @param state {@code COMPLETED}, {@code FAILED} or {@code CANCELLED}
     * @param keep 0 to 36500 days after {@link JobSnapshot#finishedAt}; null: for ever
     * @return all rules
     */
    Retention retain(JobState state, @Nullable Duration keep);

    /**
     * The same for jobs of one type.
     *
     * @param keep 0 to 36500 days after {@link JobSnapshot#finishedAt}; null: for ever
     */
    Retention retain(JobState state, String type, @Nullable Duration keep);

    /**
     * Forgets a rule: for a type that of the state counts again, and for a state that of {@link Retention#DEFAULT}.
     *
     * @param type null: the rule of the state
     * @return all rules
     */
    Retention retainByDefault(JobState state, @Nullable String type);

    /**
     * One pass of retention, on this thread, however long it takes: deletes the jobs that have ended long ago, by the {@linkplain #retention
     * rules} or by other ages, with all that belongs to them, and then old sums of minutes and entries of the audit. Workers of a process do
     * the same once an hour without being asked; it does no harm when several are at it.
     *
     * <p>What stays, however old: a job on which another one depends that is not {@code COMPLETED}, so that this can be retried and still
     * finds it; the jobs of a chain until all of them may go; and dedupe keys whose scope outlasts their job.
     *
     * <p>It deletes in many transactions of some milliseconds each, and rests after each of them for twice as long. It may end at any time: by
     * an exception, an interrupt, the end of the process; what was committed stays, and the next pass goes on. It leaves one {@link AuditEntry}, which
     * grows as it goes on.
     *
     * @throws CleanupFailedException if the archive fails, the thread is interrupted, or the store fails; with what was deleted before
     * @throws StoreUnavailableException if a dry run fails, which deletes nothing
     */
    CleanedUp cleanup(Cleanup cleanup);

    /**
     * Writes the whole database anew, so that it takes up no more room than it needs, however long that takes: for quiet hours, since nobody
     * else can write meanwhile. On PostgreSQL, vacuums and analyzes the tables, which holds nobody up.
     *
     * @throws StoreUnavailableException if others have kept it from beginning, or there is no room for a copy
     */
    Vacuumed vacuum();

    /**
     * Adds somebody who hears what happens in this process, from now on; see {@link Builder#listener}. One that is there already is not
     * added once more.
     */
    void addListener(WindrowListener listener);

    /** Tells this one nothing more; an event that is being told to it may still come to its end. Nothing happens if it is not there. */
    void removeListener(WindrowListener listener);

    /** Where the store is, for people: a path or a URL without secrets. */
    String location();

    /** Closes this when the JVM ends, with a drain of 25 s; see {@link #closeOnShutdown(Duration)}. */
    Windrow closeOnShutdown();

    /**
     * Closes this when the JVM ends: by SIGTERM, SIGINT or SIGHUP, by {@code System.exit}, or because its last thread that is no daemon has
     * ended. The workers claim nothing more, running handlers have until the drain is over, and then 2 s after an interrupt; the other jobs
     * are handed back, which does not count as an attempt. Then the store is closed. Nothing of this happens when the process is killed
     * (SIGKILL) or halts.
     *
     * <p>Of this drain and a worker's own drain timeout the shorter one counts. The JVM waits for the drain and 20 s more at most, whatever
     * the store does. The attempt of a handler that calls {@code System.exit} itself fails as {@link ErrorCodes#INTERNAL_CRASHED}
     * and counts, because it would end the next process as well.
     *
     * <p>One shutdown hook is registered, and removed when this is closed; a further call replaces the drain.
     *
     * @param drain how long running handlers may go on: 0 to 1 day, default 25 s; shorter by some seconds than what the process is given
     *     before it is killed
     * @return this
     * @throws InvalidRequestException if the drain is out of range
     * @throws StoreUnavailableException if this is closed, or the JVM is ending, which closes this
     */
    Windrow closeOnShutdown(Duration drain);

    /**
     * Stops all workers, each with its drain timeout (30 s by default), then closes the store. Idempotent: further
     * callers wait for the first. An interrupt hands running jobs back at once.
     *
     * @throws InvalidRequestException if this thread is inside {@link #inTransaction}, which it would wait for; nothing is closed then
     */
    @Override
    void close();

    /** Settings of a {@link Windrow}. Not safe for use by many threads. */
    interface Builder {
        /** How payloads and results are written; the one found by {@link java.util.ServiceLoader} by default. */
        Builder codec(PayloadCodec codec);

        /**
         * The longest payload or result that stands in the row of its job, in bytes of UTF-8: 0 to 1 MiB, {@value
         * #DEFAULT_INLINE_BYTES} by default. A longer one is written in parts before the job or the settlement is, and read
         * only where it is needed. Processes on one store need not agree.
         */
        Builder inlineBytes(int bytes);

        /**
         * The longest payload or result, in bytes: 1 KiB to 1 TiB, {@value #DEFAULT_MAX_CONTENT_BYTES} by default. A longer
         * payload is refused and nothing is written; a job whose result is longer fails without another attempt, because its
         * work was done.
         */
        Builder maxContentBytes(long bytes);

        /**
         * Where payloads and results go that are too long for their rows: such as {@link BlobFolder#at}; into
         * the database by default. What was written before stays where it is, and is read from there. All processes on the
         * store that need them have to be told of the files; a job whose payload a worker cannot reach fails there, and is
         * retried. A backup of the database does not have the files.
         */
        Builder blobFiles(BlobFiles files);

        /** Where time comes from; the machine's clocks by default. */
        Builder time(TimeSource time);

        /** Where the jitter of retry delays comes from; used by many threads at once. */
        Builder random(RandomGenerator random);

        /**
         * Adds somebody who hears what happens in this process. All listeners are called on one thread, in the order of
         * the events; when they fall behind by 100 000 events, further ones are dropped and their number is logged.
         */
        Builder listener(WindrowListener listener);

        /** Who follows jobs from where they are enqueued to where they run; nobody by default. */
        Builder tracing(Tracing tracing);

        /** Who the event log says enqueued, cancelled or retried, 1 to 200 characters; {@code api} by default. */
        Builder actor(String actor);

        /** Adds somebody who retries jobs that have failed for good; nobody does by default. Called as often as there are rules. */
        Builder reviver(Reviver reviver);

        /**
         * How often a pass of {@linkplain Windrow#retention retention} is due: 1 s to 7 days, an hour by default. One process does it
         * for all that have workers; of different times the shortest one counts.
         *
         * @throws InvalidRequestException if it is out of range
         */
        Builder retentionEvery(Duration every);

        /** Leaves retention to other processes, or to {@link Windrow#cleanup}. */
        Builder withoutRetention();

        /**
         * Gets the jobs that retention deletes in this process, before they are deleted; nobody does by default. All processes with workers
         * should have one, or be {@linkplain #withoutRetention without retention}. While it throws, nothing is deleted, and {@link
         * Windrow#health} says so.
         */
        Builder archive(JobArchive archive);

        /** Closes it when the JVM ends, with a drain of 25 s; see {@link Windrow#closeOnShutdown(Duration)}. */
        Builder closeOnShutdown();

        /**
         * Closes it when the JVM ends; see {@link Windrow#closeOnShutdown(Duration)}.
         *
         * @param drain 0 to 1 day, default 25 s
         * @throws InvalidRequestException if the drain is out of range
         */
        Builder closeOnShutdown(Duration drain);

        /**
         * Opens the store.
         *
         * @throws IncompatibleStoreException if the target is no store that this code can open
         * @throws StoreUnavailableException if it cannot be opened now
         */
        Windrow open();
    }
}
