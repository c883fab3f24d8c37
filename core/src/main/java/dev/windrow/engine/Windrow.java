package dev.windrow.engine;

import dev.windrow.AuditEntry;
import dev.windrow.BatchProgress;
import dev.windrow.Changed;
import dev.windrow.CleanedUp;
import dev.windrow.Cleanup;
import dev.windrow.CleanupFailedException;
import dev.windrow.Content;
import dev.windrow.ContentLostException;
import dev.windrow.Control;
import dev.windrow.Diagnosis;
import dev.windrow.Durations;
import dev.windrow.Enqueued;
import dev.windrow.Health;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobArchive;
import dev.windrow.JobFilter;
import dev.windrow.JobMatches;
import dev.windrow.JobNotFoundException;
import dev.windrow.JobPage;
import dev.windrow.JobQuery;
import dev.windrow.JobRef;
import dev.windrow.JobSnapshot;
import dev.windrow.JobState;
import dev.windrow.JobStory;
import dev.windrow.JobType;
import dev.windrow.Jobs;
import dev.windrow.Json;
import dev.windrow.LastRetention;
import dev.windrow.NewJob;
import dev.windrow.PayloadCodec;
import dev.windrow.PayloadMatch;
import dev.windrow.Rate;
import dev.windrow.Retention;
import dev.windrow.Reviver;
import dev.windrow.Schedule;
import dev.windrow.ScheduleNotFoundException;
import dev.windrow.ScheduleRun;
import dev.windrow.ScheduleSnapshot;
import dev.windrow.Scope;
import dev.windrow.Signalled;
import dev.windrow.Statistics;
import dev.windrow.StoreUnavailableException;
import dev.windrow.SubmittedWorkflow;
import dev.windrow.Throughput;
import dev.windrow.TimeSource;
import dev.windrow.Tracing;
import dev.windrow.TransactionWork;
import dev.windrow.Vacuumed;
import dev.windrow.WindrowEvent;
import dev.windrow.WindrowException;
import dev.windrow.WindrowListener;
import dev.windrow.WorkerSnapshot;
import dev.windrow.Workflow;
import dev.windrow.WorkflowStatus;
import dev.windrow.store.BlobFiles;
import dev.windrow.store.Change;
import dev.windrow.store.ChangeByFilter;
import dev.windrow.store.ChangeResult;
import dev.windrow.store.ControlChange;
import dev.windrow.store.DiagnoseRequest;
import dev.windrow.store.Duty;
import dev.windrow.store.Enqueue;
import dev.windrow.store.EnqueuedJob;
import dev.windrow.store.JobRow;
import dev.windrow.store.KeyLimits;
import dev.windrow.store.OpenStore;
import dev.windrow.store.RetentionChange;
import dev.windrow.store.ScheduleChange;
import dev.windrow.store.ScheduleChanged;
import dev.windrow.store.Signal;
import dev.windrow.store.Store;
import dev.windrow.store.StoreEnvironment;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
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
public final class Windrow implements Jobs, AutoCloseable {
    private static final String DEFAULT_ACTOR = "api";
    private static final int MOST_RUNNING = 1_000_000;
    /** What {@link #find} loads. */
    private static final long LOADED_BYTES = 1 << 20;

    /** The longest payload or result that stands in the row of its job, in bytes of UTF-8, unless said otherwise: 64 KiB. */
    public static final int DEFAULT_INLINE_BYTES = 64 * 1024;
    /** The longest payload or result, in bytes, unless said otherwise: 64 MiB. */
    public static final long DEFAULT_MAX_CONTENT_BYTES = 64L << 20;

    private final OpenStore store;
    private final TimeSource time;
    private final Listeners listeners;
    private final Traces traces;
    private final Blobs blobs;
    private final Payloads payloads;
    private final String actor;
    private final Verbs verbs;
    private final Callbacks callbacks = new Callbacks();
    private final Awaiting awaiting;
    private final Workers workers;
    private final List<Reviving> revivers = new ArrayList<>();

    private final ReentrantLock closing = new ReentrantLock();
    // Guarded by closing.
    private boolean closed;

    /** Guards what happens at the end of the JVM: closing may take long, and does not hold it meanwhile. */
    private final ReentrantLock atShutdown = new ReentrantLock();
    // Guarded by atShutdown.
    private @Nullable Shutdown shutdown;
    // Guarded by atShutdown.
    private boolean ended;

    private Windrow(Builder builder) {
        this.time = builder.time;
        this.actor = builder.actor;
        PayloadCodec codec = builder.codec == null ? Payloads.discover() : builder.codec;
        this.listeners = new Listeners(builder.listeners, time);
        Signals signals = new Signals();
        signals.onCommit((operations, nanos) ->
                listeners.tell(() -> new WindrowEvent.TransactionCommitted(operations, Duration.ofNanos(nanos))));
        this.store = open(builder.store, new StoreEnvironment(time, signals));
        this.blobs = new Blobs(store, builder.inlineBytes, builder.maxContentBytes, builder.blobFiles);
        this.payloads = new Payloads(codec, blobs);
        this.traces = new Traces(builder.tracing, store, time);
        this.verbs = new Verbs(new OwnTransactions(), payloads, actor, traces);
        this.awaiting = new Awaiting(store, signals.waiters(), payloads, time);
        Duration every = builder.retentionEvery;
        JobArchive archive = builder.archive;
        Retaining retaining = every == null
                ? null
                : new Retaining(
                        store,
                        time,
                        builder.random,
                        every,
                        archive == null ? Cleanup.BY_THE_RULES : Cleanup.BY_THE_RULES.withArchive(archive),
                        this::find,
                        blobs::deleteFiles);
        this.workers = new Workers(
                new Surroundings(
                        store,
                        time,
                        builder.random,
                        payloads,
                        listeners,
                        callbacks,
                        traces,
                        new FailureLog(time, listeners)),
                signals,
                retaining);
        for (Reviver reviver : builder.revivers) {
            Reviving reviving = new Reviving(reviver, store, time);
            revivers.add(reviving);
            reviving.start();
        }
    }

    private OpenStore open(Store place, StoreEnvironment environment) {
        boolean opened = false;
        try {
            OpenStore open = place.open(environment);
            opened = true;
            return open;
        } finally {
            if (!opened) {
                listeners.close();
                callbacks.close();
            }
        }
    }

    /**
     * Opens a store, with the codec that is on the class path.
     *
     * @throws dev.windrow.IncompatibleStoreException if the target is no store that this code can open
     * @throws dev.windrow.StoreUnavailableException if it cannot be opened now
     */
    public static Windrow open(Store store) {
        return configure(store).open();
    }

    /** Opens a store with settings. */
    public static Builder configure(Store store) {
        return new Builder(store);
    }

    /** Settings of a {@link Windrow}. Not safe for use by many threads. */
    public static final class Builder {
        private final Store store;
        private final List<WindrowListener> listeners = new ArrayList<>();
        private @Nullable Tracing tracing;
        private @Nullable PayloadCodec codec;
        private TimeSource time = TimeSource.system();
        private RandomGenerator random = new Random();
        private String actor = DEFAULT_ACTOR;
        private final List<Reviver> revivers = new ArrayList<>();
        private int inlineBytes = DEFAULT_INLINE_BYTES;
        private long maxContentBytes = DEFAULT_MAX_CONTENT_BYTES;
        private @Nullable BlobFiles blobFiles;
        private @Nullable Duration retentionEvery = Duration.ofHours(1);
        private @Nullable JobArchive archive;
        private @Nullable Duration shutdownDrain;

        private Builder(Store store) {
            this.store = store;
        }

        /** How payloads and results are written; the one found by {@link java.util.ServiceLoader} by default. */
        public Builder codec(PayloadCodec codec) {
            this.codec = codec;
            return this;
        }

        /**
         * The longest payload or result that stands in the row of its job, in bytes of UTF-8: 0 to 1 MiB, {@value
         * #DEFAULT_INLINE_BYTES} by default. A longer one is written in parts before the job or the settlement is, and read
         * only where it is needed. Processes on one store need not agree.
         */
        public Builder inlineBytes(int bytes) {
            if (bytes < 0 || bytes > 1 << 20) {
                throw new InvalidRequestException("inline bytes %d are not allowed: 0 to %d".formatted(bytes, 1 << 20));
            }
            this.inlineBytes = bytes;
            return this;
        }

        /**
         * The longest payload or result, in bytes: 1 KiB to 1 TiB, {@value #DEFAULT_MAX_CONTENT_BYTES} by default. A longer
         * payload is refused and nothing is written; a job whose result is longer fails without another attempt, because its
         * work was done.
         */
        public Builder maxContentBytes(long bytes) {
            if (bytes < 1 << 10 || bytes > 1L << 40) {
                throw new InvalidRequestException(
                        "max content bytes %d are not allowed: %d to %d".formatted(bytes, 1 << 10, 1L << 40));
            }
            this.maxContentBytes = bytes;
            return this;
        }

        /**
         * Where payloads and results go that are too long for their rows: such as {@link dev.windrow.store.BlobFolder#at}; into
         * the database by default. What was written before stays where it is, and is read from there. All processes on the
         * store that need them have to be told of the files; a job whose payload a worker cannot reach fails there, and is
         * retried. A backup of the database does not have the files.
         */
        public Builder blobFiles(BlobFiles files) {
            this.blobFiles = files;
            return this;
        }

        /** Where time comes from; the machine's clocks by default. */
        public Builder time(TimeSource time) {
            this.time = time;
            return this;
        }

        /** Where the jitter of retry delays comes from; used by many threads at once. */
        public Builder random(RandomGenerator random) {
            this.random = random;
            return this;
        }

        /**
         * Adds somebody who hears what happens in this process. All listeners are called on one thread, in the order of
         * the events; when they fall behind by 100 000 events, further ones are dropped and their number is logged.
         */
        public Builder listener(WindrowListener listener) {
            listeners.add(listener);
            return this;
        }

        /** Who follows jobs from where they are enqueued to where they run; nobody by default. */
        public Builder tracing(Tracing tracing) {
            this.tracing = Objects.requireNonNull(tracing, "tracing");
            return this;
        }

        /** Who the event log says enqueued, cancelled or retried, 1 to 200 characters; {@code api} by default. */
        public Builder actor(String actor) {
            this.actor = Names.check("actor", actor);
            return this;
        }

        /** Adds somebody who retries jobs that have failed for good; nobody does by default. Called as often as there are rules. */
        public Builder reviver(Reviver reviver) {
            revivers.add(reviver);
            return this;
        }

        /**
         * How often a pass of {@linkplain Windrow#retention retention} is due: 1 s to 7 days, an hour by default. One process does it
         * for all that have workers; of different times the shortest one counts.
         *
         * @throws InvalidRequestException if it is out of range
         */
        public Builder retentionEvery(Duration every) {
            if (every.compareTo(Duration.ofSeconds(1)) < 0 || every.compareTo(Duration.ofDays(7)) > 0) {
                throw new InvalidRequestException("time between passes of retention %s is not allowed: 1s to 7d"
                        .formatted(Durations.text(every)));
            }
            this.retentionEvery = every;
            return this;
        }

        /** Leaves retention to other processes, or to {@link Windrow#cleanup}. */
        public Builder withoutRetention() {
            this.retentionEvery = null;
            return this;
        }

        /**
         * Gets the jobs that retention deletes in this process, before they are deleted; nobody does by default. All processes with workers
         * should have one, or be {@linkplain #withoutRetention without retention}. While it throws, nothing is deleted, and {@link
         * Windrow#health} says so.
         */
        public Builder archive(JobArchive archive) {
            this.archive = archive;
            return this;
        }

        /** Closes it when the JVM ends, with a drain of 25 s; see {@link Windrow#closeOnShutdown(Duration)}. */
        public Builder closeOnShutdown() {
            return closeOnShutdown(Shutdown.DRAIN);
        }

        /**
         * Closes it when the JVM ends; see {@link Windrow#closeOnShutdown(Duration)}.
         *
         * @param drain 0 to 1 day, default 25 s
         * @throws InvalidRequestException if the drain is out of range
         */
        public Builder closeOnShutdown(Duration drain) {
            this.shutdownDrain = Shutdown.checked(drain);
            return this;
        }

        /**
         * Opens the store.
         *
         * @throws dev.windrow.IncompatibleStoreException if the target is no store that this code can open
         * @throws dev.windrow.StoreUnavailableException if it cannot be opened now
         */
        public Windrow open() {
            Windrow windrow = new Windrow(this);
            return shutdownDrain == null ? windrow : windrow.closeOnShutdown(shutdownDrain);
        }
    }

    /** Every verb in a transaction of its own, durable when the answer is here. */
    private final class OwnTransactions implements Verbs.Target {
        @Override
        public Blobs.Target blobs() {
            return blobs.ownTransactions();
        }

        @Override
        public List<EnqueuedJob> enqueue(List<JobRow> rows) {
            List<EnqueuedJob> written = Answers.get(store, new Enqueue(rows));
            listeners.tell(() -> new WindrowEvent.JobsEnqueued(rows.size()));
            return written;
        }

        @Override
        public ChangeResult change(Change change) {
            return Answers.get(ChangeByFilter.run(store, change), "changing jobs (" + change.verb() + ")");
        }

        @Override
        public ScheduleChanged schedule(ScheduleChange change) {
            ScheduleChanged changed = Answers.get(store, change);
            if (changed.job() != null) {
                listeners.tell(() -> new WindrowEvent.JobsEnqueued(1));
            }
            return changed;
        }

        @Override
        public Signalled signal(Signal signal) {
            return Answers.get(store, signal);
        }
    }

    /** Enqueues one job; durable when this returns. */
    @Override
    public <I, O> Enqueued<O> enqueue(NewJob<I, O> job) {
        return verbs.enqueue(job);
    }

    /** Enqueues all jobs or none, in one transaction; durable when this returns. */
    @Override
    public List<Enqueued<?>> enqueueAll(Collection<? extends NewJob<?, ?>> jobs) {
        return verbs.enqueueAll(jobs);
    }

    /** Enqueues all jobs of a workflow or none, in one transaction; durable when this returns. */
    @Override
    public SubmittedWorkflow submit(Workflow workflow) {
        return verbs.submit(workflow);
    }

    @Override
    public void cancel(Collection<? extends JobRef<?>> jobs) {
        verbs.cancel(jobs);
    }

    @Override
    public void retry(Collection<? extends JobRef<?>> jobs, @Nullable Integer maxAttempts) {
        verbs.retry(jobs, maxAttempts);
    }

    @Override
    public Changed retryWithDependents(
            Collection<? extends JobRef<?>> jobs, @Nullable Integer maxAttempts, boolean dryRun) {
        return verbs.retryWithDependents(jobs, maxAttempts, dryRun);
    }

    @Override
    public void retryFromStart(Collection<? extends JobRef<?>> jobs, @Nullable Integer maxAttempts) {
        verbs.retryFromStart(jobs, maxAttempts);
    }

    @Override
    public Signalled signal(JobRef<?> job, String name, @Nullable Object payload) {
        return verbs.signal(job, name, payload);
    }

    @Override
    public void trigger(Collection<? extends JobRef<?>> jobs) {
        verbs.trigger(jobs);
    }

    @Override
    public <O> void complete(JobRef<O> job, @Nullable O result) {
        verbs.complete(job, result);
    }

    @Override
    public <O, N> JobRef<N> complete(JobRef<O> job, @Nullable O result, NewJob<?, N> next) {
        return verbs.complete(job, result, next);
    }

    @Override
    public void fail(JobRef<?> job, String errorCode, @Nullable String detail) {
        verbs.fail(job, errorCode, detail);
    }

    @Override
    public void discard(Collection<? extends JobRef<?>> jobs) {
        verbs.discard(jobs);
    }

    @Override
    public ScheduleSnapshot schedule(Schedule schedule) {
        return verbs.schedule(schedule);
    }

    @Override
    public ScheduleSnapshot pauseSchedule(String name, @Nullable String reason) {
        return verbs.pauseSchedule(name, reason);
    }

    @Override
    public ScheduleSnapshot resumeSchedule(String name) {
        return verbs.resumeSchedule(name);
    }

    @Override
    public void removeSchedule(String name) {
        verbs.removeSchedule(name);
    }

    @Override
    public JobRef<Json> runSchedule(String name) {
        return verbs.runSchedule(name);
    }

    /** All schedules, by name. */
    public List<ScheduleSnapshot> schedules() {
        return store.schedules().stream().map(Snapshots::of).toList();
    }

    /** The schedule of this name; nothing if there is none. */
    public Optional<ScheduleSnapshot> schedule(String name) {
        return store.schedule(name).map(Snapshots::of);
    }

    /**
     * What became of the newest due times of a schedule, the newest first. The newest 1000 are kept. Jobs that were made out of turn ({@link
     * Jobs#runSchedule}) are not among them.
     *
     * @param limit how many at most, 1 to 1000
     * @throws dev.windrow.ScheduleNotFoundException if there is none of this name
     */
    public List<ScheduleRun> scheduleRuns(String name, int limit) {
        int checked = checkedLimit(limit);
        if (store.schedule(name).isEmpty()) {
            throw new ScheduleNotFoundException(name);
        }
        return store.scheduleRuns(name, checked);
    }

    /**
     * Enqueues one job without waiting for the commit, but for that of a payload that is too long for its row. The stage is completed after the commit, on one thread that all
     * such stages share: what depends on it must be short, or go on elsewhere. It fails with a {@link
     * dev.windrow.WindrowException}, by the same rules as {@link #enqueue}.
     *
     * @throws InvalidRequestException at once, if the job cannot be written
     */
    public <I, O> CompletionStage<Enqueued<O>> enqueueAsync(NewJob<I, O> job) {
        Traces.Enqueue trace = traces.enqueuing(job);
        CompletableFuture<Enqueued<O>> stage = new CompletableFuture<>();
        try {
            Answers.then(
                    store.submit(new Enqueue(List.of(verbs.row(trace.traced(job))))),
                    (written, failure) -> callbacks.run(() -> {
                        if (written != null) {
                            listeners.tell(() -> new WindrowEvent.JobsEnqueued(1));
                            Enqueued<O> answer = Verbs.enqueued(job, written.get(0));
                            trace.written(answer);
                            stage.complete(answer);
                        } else {
                            WindrowException why = Answers.failure(failure, "enqueuing 1 job");
                            trace.failed(why);
                            stage.completeExceptionally(why);
                        }
                    }));
        } catch (Throwable e) {
            trace.failed(e);
            throw e;
        }
        return stage;
    }

    /**
     * The writing verbs inside the caller's transaction: what they do commits and rolls back with everything else on
     * this connection, which must be to the same database. Workers of this process are woken after the commit.
     *
     * <p>On SQLite the transaction should begin with {@code BEGIN IMMEDIATE}: one that begins by reading cannot write any more when
     * somebody else has written since. {@link #inTransaction} does that, and waits for its turn.
     */
    public Jobs on(Connection connection) {
        return new Verbs(new CallersTransaction(store, connection), payloads, actor, traces);
    }

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
     * @throws dev.windrow.StoreUnavailableException if it could not begin within the operation timeout of the store (10 s unless configured), the thread
     *     was interrupted before it began, or the commit was refused (such as by a full disk): nothing was written
     * @throws dev.windrow.OutcomeUnknownException if the disk or the connection failed during the commit, and nobody knows whether it stands; with the
     *     ids of the jobs that were enqueued in it
     * @throws InvalidRequestException if this thread is inside such a transaction already
     * @throws dev.windrow.WindrowException if the commit was refused for another reason, such as a deferred constraint: nothing was written
     * @throws E what the work throws
     */
    public <T extends @Nullable Object, E extends Exception> T inTransaction(TransactionWork<T, E> work) throws E {
        return store.inTransaction(Objects.requireNonNull(work, "work"));
    }

    /** A worker, to be given handlers and started. */
    public WorkerBuilder worker() {
        return new WorkerBuilder(workers);
    }

    /**
     * Waits until a job has ended, wherever it runs, and returns its result.
     *
     * @param timeout 0 or more; with 0 it looks once
     * @return the decoded result; null when the job has none
     * @throws InvalidRequestException if the timeout is negative
     * @throws dev.windrow.AwaitTimeoutException if it has not ended within this time; it goes on
     * @throws dev.windrow.JobUnsuccessfulException if it ended {@code FAILED} or {@code CANCELLED}
     * @throws dev.windrow.JobNotFoundException if it does not exist (any more)
     * @throws dev.windrow.WindrowException if the result does not fit the type, or the thread is interrupted
     */
    public <O> @Nullable O await(JobRef<O> job, Duration timeout) {
        return awaiting.await(job, timeout);
    }

    /**
     * Waits until the chain in which a job is has ended, wherever it runs, and returns the result of its last job.
     *
     * @param job any job of the chain
     * @param last the type of the job that ends it
     * @param timeout 0 or more; with 0 it looks once
     * @return the decoded result; null when that job has none
     * @throws InvalidRequestException if the timeout is negative
     * @throws dev.windrow.AwaitTimeoutException if it has not ended within this time; it goes on
     * @throws dev.windrow.JobUnsuccessfulException if its last job ended {@code FAILED} or {@code CANCELLED}
     * @throws dev.windrow.JobNotFoundException if the job does not exist (any more)
     * @throws dev.windrow.WindrowException if the result does not fit the type, or the thread is interrupted
     */
    public <O> @Nullable O awaitChain(JobRef<?> job, JobType<?, O> last, Duration timeout) {
        return awaiting.awaitChain(job.id(), last, timeout);
    }

    /**
     * The chain in which a job is, from its first job on; the job alone if it has neither gone on nor is what another one went on with.
     *
     * @throws dev.windrow.JobNotFoundException if it does not exist
     */
    public List<JobSnapshot> chain(JobRef<?> job) {
        List<JobSnapshot> jobs = store.chain(job.id());
        if (jobs.isEmpty()) {
            throw new JobNotFoundException("job", job.id());
        }
        return jobs;
    }

    /**
     * One job with its attempts and its event log, or nothing if it does not exist. A payload or result of more than 1 MiB, or
     * that is no JSON, or that cannot be read, is not loaded: in its place stands a {@link dev.windrow.BlobRef}, and {@link #payload}
     * and {@link #result} read it.
     */
    public Optional<JobStory> find(long id) {
        return store.story(id).map(story -> story.with(shown(story.payload()), shown(story.result())));
    }

    /** A job whose payload is lost, or in a file that this process does not know of, has a story all the same. */
    private @Nullable Json shown(@Nullable Json stored) {
        return stored == null ? null : loaded(stored);
    }

    private Json loaded(Json stored) {
        try {
            Json loaded = payloads.loaded(stored, LOADED_BYTES);
            return loaded == null ? stored : loaded;
        } catch (ContentLostException | StoreUnavailableException e) {
            return stored;
        }
    }

    /** The payload of a job as a stream, of whatever length and type; nothing if there is no such job, or it has none. */
    public Optional<Content> payload(long id) {
        return store.story(id).map(JobStory::payload).map(json -> payloads.content(json.text()));
    }

    /** The result of a job as a stream, of whatever length and type; nothing if there is no such job, or it has none. */
    public Optional<Content> result(long id) {
        return store.story(id).map(JobStory::result).map(json -> payloads.content(json.text()));
    }

    /**
     * Jobs by filter, newest first. The first page of {@link #list(JobQuery)}, or the one after a cursor.
     *
     * @param after {@link JobPage#next} of the page before, or null for the first page
     * @param limit how many at most, 1 to 1000
     * @throws dev.windrow.InvalidRequestException if the limit is out of range
     */
    public JobPage list(JobFilter filter, @Nullable Long after, int limit) {
        return list(JobQuery.of(filter).limit(limit).after(after));
    }

    /**
     * A page of the jobs that match a filter, in either order. Reads one snapshot and keeps nobody waiting. What is found by an index
     * fills the page; a filter without one (a name, a dedupe key, a priority, a time) is checked job by job, for at most some ten
     * thousand jobs in one call: then the page is short, or empty, and {@link JobPage#next} says where to go on.
     */
    public JobPage list(JobQuery query) {
        return store.list(query);
    }

    /** Searches the payloads of up to 10 000 jobs: see {@link #search(JobQuery, PayloadMatch, int)}. */
    public JobMatches search(JobQuery query, PayloadMatch match) {
        return search(query, match, 10_000);
    }

    /**
     * Looks for jobs by what is in their payloads. No index knows that: payloads are read, a hundred at a time, and looked at here, and
     * {@link JobMatches#next} says where another call goes on. Payloads that are kept apart are read up to 1 MiB each and 64 MiB in
     * one call; longer ones, bytes, and those that are lost are skipped and counted.
     *
     * @param query which jobs are looked at, in which order, where to begin ({@link JobQuery#after}), and how many are wanted at
     *     most; its filter names a state, type, queue, tag, workflow, chain or parent
     * @param match what their payloads have to be like
     * @param look how many payloads to look at, 1 to 100 000
     * @throws dev.windrow.InvalidRequestException if the filter names none of these, {@code look} is out of range, or the query is for a
     *     page before a place
     */
    public JobMatches search(JobQuery query, PayloadMatch match, int look) {
        return new Search(store, this::loaded).search(query, match, look);
    }

    /**
     * How a workflow stands; nothing if there is none with this id, or all its jobs were discarded. Its jobs are those of {@link
     * JobFilter#workflow}: for listings, and to {@linkplain #cancelAll cancel}, {@linkplain #retryAll retry} or {@linkplain #discardAll
     * discard} the whole.
     */
    public Optional<WorkflowStatus> workflow(long id) {
        Map<JobState, Long> states = store.workflow(id);
        return states.isEmpty() ? Optional.empty() : Optional.of(new WorkflowStatus(id, states));
    }

    /**
     * How many of the jobs that another one waits for have ended: of a batch, seen from its callback.
     *
     * @throws dev.windrow.JobNotFoundException if the callback does not exist (any more)
     */
    public BatchProgress batch(JobRef<?> callback) {
        return store.batch(callback.id()).orElseThrow(() -> new JobNotFoundException("job", callback.id()));
    }

    /** The numbers of the whole store. */
    public Statistics statistics() {
        return store.statistics();
    }

    /** How many attempts have ended of late, and how long jobs waited and ran, over the last hour: see {@link #throughput(Duration)}. */
    public Throughput throughput() {
        return throughput(Duration.ofHours(1));
    }

    /**
     * How many attempts have ended of late, of each type and in all, minute by minute for an hour and hour by hour for a day, and percentiles of how
     * long jobs waited and ran. Reads a row for each minute and each pair of a queue and a type within the window and the day, not the jobs.
     *
     * @param window over how long the percentiles are taken, in whole minutes; {@link Throughput#SHORTEST} to {@link Throughput#LONGEST}
     * @throws InvalidRequestException if the window is shorter or longer
     */
    public Throughput throughput(Duration window) {
        if (window.compareTo(Throughput.SHORTEST) < 0 || window.compareTo(Throughput.LONGEST) > 0) {
            throw new InvalidRequestException("window of throughput %s is not allowed: %s to %s"
                    .formatted(
                            Durations.text(window),
                            Durations.text(Throughput.SHORTEST),
                            Durations.text(Throughput.LONGEST)));
        }
        return store.throughput(window);
    }

    /** The workers in the registry, of all processes, the oldest first. */
    public List<WorkerSnapshot> workers() {
        return store.workers();
    }

    /**
     * Examines the whole store: whether it is whole, whether its parts agree, and whether jobs get on. Changes nothing and
     * holds up nobody, but reads everything: on a large store this takes minutes.
     *
     * @throws dev.windrow.StoreUnavailableException if the thread is interrupted, or this is closed meanwhile
     */
    public Diagnosis diagnose() {
        return store.diagnose(new DiagnoseRequest(time, false, name -> {}));
    }

    /**
     * The same within a time, whatever the size of the store: a check that would read for longer than its share is stopped, and then has a
     * note that says so, unless it has found something before. What takes a moment is always done.
     *
     * @param budget how long all of it may take, about: 0 or more; with 0 nothing that reads everything is begun
     * @throws InvalidRequestException if it is negative
     * @throws dev.windrow.StoreUnavailableException if the thread is interrupted, or this is closed meanwhile
     */
    public Diagnosis diagnose(Duration budget) {
        return store.diagnose(new DiagnoseRequest(time, false, name -> {}).within(budget));
    }

    /**
     * The same for a store that was not opened: it is neither opened nor made nor migrated, so that one that cannot be
     * opened can be examined too.
     *
     * @param quick leave out what makes it slow: comparing each index with its table
     * @param begins told the name of each check when it begins, on a thread of the store
     * @throws dev.windrow.StoreUnavailableException if there is none, or the thread is interrupted
     */
    public static Diagnosis diagnose(Store store, boolean quick, Consumer<String> begins) {
        return diagnose(store, quick, null, begins);
    }

    /**
     * The same within a time.
     *
     * @param budget how long all of it may take, about: 0 or more; null: as long as it takes
     * @throws InvalidRequestException if it is negative
     */
    public static Diagnosis diagnose(Store store, boolean quick, @Nullable Duration budget, Consumer<String> begins) {
        return store.diagnose(new DiagnoseRequest(TimeSource.system(), quick, begins).within(budget));
    }

    /**
     * Examines a store that is not open by some checks alone, such as {@code schema}, which takes a moment: for probes. The others are
     * not in the diagnosis.
     *
     * @param only the names of the checks
     */
    public static Diagnosis diagnose(Store store, Set<String> only) {
        return store.diagnose(new DiagnoseRequest(TimeSource.system(), true, check -> {}, only, null));
    }

    /**
     * How the background duties of this process are: which of them does not get on, why, and since when. Never waits for
     * them or for the store: made for a probe that asks every few seconds.
     */
    public Health health() {
        List<Health.Duty> duties = new ArrayList<>(workers.duties());
        revivers.forEach(reviver -> duties.add(reviver.duty()));
        duties.addAll(store.duties());
        return new Health(duties);
    }

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
    public Changed cancelAll(JobFilter filter, boolean dryRun) {
        return changeAll(Change.Verb.CANCEL, filter, null, dryRun);
    }

    /**
     * Puts every job of the filter that is {@code FAILED} or {@code CANCELLED} back to work; see {@link Jobs#retry} and {@link
     * #cancelAll}.
     *
     * @param maxAttempts the new budget of each, 1 to 1000, or null to keep its own
     * @param dryRun only count
     */
    public Changed retryAll(JobFilter filter, @Nullable Integer maxAttempts, boolean dryRun) {
        return changeAll(Change.Verb.RETRY, filter, Verbs.attempts(maxAttempts), dryRun);
    }

    /**
     * The same, and with each job those that were cancelled because it ended without success, whether the filter matches them or
     * not; see {@link Jobs#retryWithDependents}. One of them that cannot be retried is left out, with what is below it. Of each thousand jobs
     * of the filter, a thousand dependents come back with the call and are counted; more follow.
     *
     * @param maxAttempts the new budget of each job of the filter, 1 to 1000, or null to keep its own
     * @param dryRun only count; a job that two others of the filter have cancelled may be counted twice
     */
    public Changed retryAllWithDependents(JobFilter filter, @Nullable Integer maxAttempts, boolean dryRun) {
        return changeAll(Change.byFilter(Change.Verb.RETRY, filter, actor)
                .maxAttempts(Verbs.attempts(maxAttempts))
                .dryRun(dryRun)
                .withDependents(true)
                .build());
    }

    /**
     * Puts every job of the filter that is {@code FAILED} or {@code CANCELLED} back to work from its start; see {@link
     * Jobs#retryFromStart} and {@link #cancelAll}.
     *
     * @param maxAttempts the new budget of each, 1 to 1000, or null to keep its own
     * @param dryRun only count
     */
    public Changed retryAllFromStart(JobFilter filter, @Nullable Integer maxAttempts, boolean dryRun) {
        return changeAll(Change.byFilter(Change.Verb.RETRY, filter, actor)
                .maxAttempts(Verbs.attempts(maxAttempts))
                .dryRun(dryRun)
                .fromStart(true)
                .build());
    }

    /**
     * Makes every job of the filter that is {@code SCHEDULED} due now; see {@link Jobs#trigger} and {@link #cancelAll}.
     *
     * @param dryRun only count
     */
    public Changed triggerAll(JobFilter filter, boolean dryRun) {
        return changeAll(Change.Verb.TRIGGER, filter, null, dryRun);
    }

    /**
     * Deletes every job of the filter that is {@code FAILED} or {@code CANCELLED} and on which no job depends that may still
     * need it; see {@link Jobs#discard} and {@link #cancelAll}.
     *
     * @param dryRun only count; it does not see that a job would be free to go once another one is gone that depends on it and
     *     comes in a transaction before
     */
    public Changed discardAll(JobFilter filter, boolean dryRun) {
        return changeAll(Change.Verb.DISCARD, filter, null, dryRun);
    }

    private Changed changeAll(Change.Verb verb, JobFilter filter, @Nullable Integer maxAttempts, boolean dryRun) {
        return changeAll(Change.byFilter(verb, filter, actor)
                .maxAttempts(maxAttempts)
                .dryRun(dryRun)
                .build());
    }

    private Changed changeAll(Change change) {
        ChangeResult result = Answers.get(ChangeByFilter.run(store, change), "changing jobs (" + change.verb() + ")");
        return new Changed(result.count(), result.ids());
    }

    /**
     * Starts no more jobs of a queue or a type, in any process, until it is resumed. Those that run go on. Pausing a queue and
     * pausing a type are two things: a job starts when neither holds it back. To pause again is to give another reason. On PostgreSQL, claims and
     * enqueues that are under way when this returns may still start what they have found.
     *
     * @param reason for people, 1 to 200 characters, or null
     * @return what is said of the queue or type now
     */
    public Control pause(Scope scope, @Nullable String reason) {
        if (reason != null) {
            Names.check("reason", reason);
        }
        return control(new ControlChange(scope, ControlChange.Verb.PAUSE, actor, reason, null, null));
    }

    /** Starts jobs of a queue or a type again; nothing happens if it is not paused. */
    public Control resume(Scope scope) {
        return control(new ControlChange(scope, ControlChange.Verb.RESUME, actor, null, null, null));
    }

    /**
     * Limits how many jobs of a queue or a type run at once, in all processes together. What runs already goes on, also
     * beyond a new limit. A place is free when its job has ended, or when the lease of a worker that is gone has. On PostgreSQL, claims and
     * enqueues that are under way when this returns may still start what they have found.
     *
     * @param maxRunning 1 to 1 000 000, or null for no limit
     */
    public Control limit(Scope scope, @Nullable Integer maxRunning) {
        if (maxRunning != null && (maxRunning < 1 || maxRunning > MOST_RUNNING)) {
            throw new InvalidRequestException("limit %d of %s is not allowed: 1 to %d; to start none, pause it"
                    .formatted(maxRunning, scope, MOST_RUNNING));
        }
        return control(new ControlChange(scope, ControlChange.Verb.LIMIT, actor, null, maxRunning, null));
    }

    /**
     * Limits how often a job of a queue or a type starts, in all processes together. An attempt counts as started when a worker
     * claims it. On PostgreSQL, claims and
     * enqueues that are under way when this returns may still start what they have found.
     *
     * @param rate how often, or null for no limit
     */
    public Control limitRate(Scope scope, @Nullable Rate rate) {
        return control(new ControlChange(scope, ControlChange.Verb.RATE, actor, null, null, rate));
    }

    private Control control(ControlChange change) {
        return Answers.get(KeyLimits.change(store, change), "changing what is said of " + change.scope());
    }

    /** What is said of queues and types, by kind and name; what nothing is said of is not there. */
    public List<Control> controls() {
        return store.controls();
    }

    /**
     * What was done to many jobs at once, and to jobs that are gone; the newest first.
     *
     * @param limit how many entries at most, 1 to 1000
     */
    public List<AuditEntry> audit(int limit) {
        return store.audit(checkedLimit(limit));
    }

    private static int checkedLimit(int limit) {
        if (limit < 1 || limit > 1000) {
            throw new InvalidRequestException("limit %d is not allowed: 1 to 1000".formatted(limit));
        }
        return limit;
    }

    /** How long jobs are kept that have ended: the rules of the store, which all processes and the command line go by. */
    public Retention retention() {
        return store.retention();
    }

    /** The last pass of retention that workers have done; nothing if there was none. Passes by {@link #cleanup} do not count. */
    public Optional<LastRetention> lastRetention() {
        Duty.State state = store.duty(Duty.RETENTION);
        Long last = state.lastMillis();
        String detail = state.detail();
        return last == null
                ? Optional.empty()
                : Optional.of(new LastRetention(
                        time.now().minusMillis(state.nowMillis() - last), detail == null ? null : new Json(detail)));
    }

    /**
     * Makes a rule: jobs that have ended in this state are kept for this long at least, of whatever type unless there is a rule for that.
     * Counts for all processes on the store, and for a pass that is under way from its next transaction on; ages that a {@link #cleanup} was asked for stay. Leaves
     * an {@link AuditEntry}.
     *
     * @param state {@code COMPLETED}, {@code FAILED} or {@code CANCELLED}
     * @param keep 0 to 36500 days after {@link JobSnapshot#finishedAt}; null: for ever
     * @return all rules
     */
    public Retention retain(JobState state, @Nullable Duration keep) {
        return retain(new Retention.Rule(state, null, keep), false);
    }

    /**
     * The same for jobs of one type.
     *
     * @param keep 0 to 36500 days after {@link JobSnapshot#finishedAt}; null: for ever
     */
    public Retention retain(JobState state, String type, @Nullable Duration keep) {
        return retain(new Retention.Rule(state, Objects.requireNonNull(type), keep), false);
    }

    /**
     * Forgets a rule: for a type that of the state counts again, and for a state that of {@link Retention#DEFAULT}.
     *
     * @param type null: the rule of the state
     * @return all rules
     */
    public Retention retainByDefault(JobState state, @Nullable String type) {
        return retain(new Retention.Rule(state, type, Duration.ZERO), true);
    }

    private Retention retain(Retention.Rule rule, boolean reset) {
        return Answers.get(store, new RetentionChange(rule, reset, actor));
    }

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
     * @throws dev.windrow.CleanupFailedException if the archive fails, the thread is interrupted, or the store fails; with what was deleted before
     * @throws StoreUnavailableException if a dry run fails, which deletes nothing
     */
    public CleanedUp cleanup(Cleanup cleanup) {
        RetentionPass pass =
                new RetentionPass(store, store.retention(), cleanup, actor, this::find, blobs::deleteFiles);
        Rest rest = new Rest(time);
        try {
            long pause;
            while ((pause = pass.step()) != RetentionPass.DONE
                    && cleanup.progress().test(pass.sofar())) {
                rest.take(pause);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            if (cleanup.dryRun()) {
                throw new StoreUnavailableException("counting was interrupted", e);
            }
            throw new CleanupFailedException("the pass was interrupted", pass.sofar(), e);
        } catch (InvalidRequestException e) {
            throw e;
        } catch (WindrowException e) {
            if (cleanup.dryRun()) {
                throw e;
            }
            throw new CleanupFailedException(e.getMessage(), pass.sofar(), e);
        }
        return pass.sofar();
    }

    /**
     * Writes the whole database anew, so that it takes up no more room than it needs, however long that takes: for quiet hours, since nobody
     * else can write meanwhile. On PostgreSQL, vacuums and analyzes the tables, which holds nobody up.
     *
     * @throws dev.windrow.StoreUnavailableException if others have kept it from beginning, or there is no room for a copy
     */
    public Vacuumed vacuum() {
        return store.vacuum();
    }

    /**
     * Adds somebody who hears what happens in this process, from now on; see {@link Builder#listener}. One that is there already is not
     * added once more.
     */
    public void addListener(WindrowListener listener) {
        listeners.add(Objects.requireNonNull(listener, "listener"));
    }

    /** Tells this one nothing more; an event that is being told to it may still come to its end. Nothing happens if it is not there. */
    public void removeListener(WindrowListener listener) {
        listeners.remove(listener);
    }

    /** Where the store is, for people: a path or a URL without secrets. */
    public String location() {
        return store.location();
    }

    /** Closes this when the JVM ends, with a drain of 25 s; see {@link #closeOnShutdown(Duration)}. */
    public Windrow closeOnShutdown() {
        return closeOnShutdown(Shutdown.DRAIN);
    }

    /**
     * Closes this when the JVM ends: by SIGTERM, SIGINT or SIGHUP, by {@code System.exit}, or because its last thread that is no daemon has
     * ended. The workers claim nothing more, running handlers have until the drain is over, and then 2 s after an interrupt; the other jobs
     * are handed back, which does not count as an attempt. Then the store is closed. Nothing of this happens when the process is killed
     * (SIGKILL) or halts.
     *
     * <p>Of this drain and a worker's own drain timeout the shorter one counts. The JVM waits for the drain and 20 s more at most, whatever
     * the store does. The attempt of a handler that calls {@code System.exit} itself fails as {@link dev.windrow.ErrorCodes#INTERNAL_CRASHED}
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
    public Windrow closeOnShutdown(Duration drain) {
        Shutdown.checked(drain);
        boolean ending = false;
        atShutdown.lock();
        try {
            if (ended) {
                throw new StoreUnavailableException("closing at shutdown is not possible: this Windrow is closed");
            }
            Shutdown before = shutdown;
            shutdown = Shutdown.register(this, drain);
            if (before != null) {
                before.remove();
            }
        } catch (IllegalStateException e) {
            ending = true;
        } finally {
            atShutdown.unlock();
        }
        if (ending) {
            close();
            throw new StoreUnavailableException("the JVM is ending: this Windrow was closed");
        }
        return this;
    }

    /** Closes it with no more than this drain, also if another thread closes it already. */
    void shutDown(Duration drain) {
        try {
            workers.shutDown(drain);
        } finally {
            close();
        }
    }

    private void endShutdown() {
        atShutdown.lock();
        try {
            ended = true;
            if (shutdown != null) {
                shutdown.remove();
                shutdown = null;
            }
        } finally {
            atShutdown.unlock();
        }
    }

    /**
     * Stops all workers, each with its drain timeout (30 s by default), then closes the store. Idempotent: further
     * callers wait for the first. An interrupt hands running jobs back at once.
     *
     * @throws InvalidRequestException if this thread is inside {@link #inTransaction}, which it would wait for; nothing is closed then
     */
    @Override
    public void close() {
        if (store.isInTransaction()) {
            throw new InvalidRequestException(
                    "closing is not possible inside inTransaction: do it after the transaction");
        }
        closing.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            revivers.forEach(Reviving::close);
            workers.close();
            store.close();
            listeners.close();
            callbacks.close();
        } finally {
            // Last, so that a JVM that ends meanwhile waits for all of it.
            endShutdown();
            closing.unlock();
        }
    }
}
