package dev.windrow.engine;

import dev.windrow.ChainHandle;
import dev.windrow.ChainRef;
import dev.windrow.Enqueued;
import dev.windrow.JobHandle;
import dev.windrow.JobHandles;
import dev.windrow.JobRef;
import dev.windrow.JobRequest;
import dev.windrow.JobSelection;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.Jobs;
import dev.windrow.Store;
import dev.windrow.TimeSource;
import dev.windrow.TransactionWork;
import dev.windrow.Windrow;
import dev.windrow.WindrowException;
import dev.windrow.Worker;
import dev.windrow.engine.job.Awaiting;
import dev.windrow.engine.job.CallersTransaction;
import dev.windrow.engine.job.Reads;
import dev.windrow.engine.job.Selection;
import dev.windrow.engine.job.Verbs;
import dev.windrow.engine.limit.LimitVerbs;
import dev.windrow.engine.monitor.EngineMonitor;
import dev.windrow.engine.monitor.FailureLog;
import dev.windrow.engine.monitor.Listeners;
import dev.windrow.engine.monitor.Traces;
import dev.windrow.engine.payload.BlobStreams;
import dev.windrow.engine.payload.Payloads;
import dev.windrow.engine.retention.DeadLetterRetries;
import dev.windrow.engine.retention.Retaining;
import dev.windrow.engine.retention.RetentionVerbs;
import dev.windrow.engine.transfer.StoreCopy;
import dev.windrow.engine.worker.EngineWorkerBuilder;
import dev.windrow.engine.worker.Hints;
import dev.windrow.engine.worker.WorkerGroup;
import dev.windrow.engine.workflow.ChainListing;
import dev.windrow.engine.workflow.WorkflowListing;
import dev.windrow.limit.KeyList;
import dev.windrow.limit.LimitHandle;
import dev.windrow.limit.LimitTarget;
import dev.windrow.limit.Limits;
import dev.windrow.monitor.DiagnoseOptions;
import dev.windrow.monitor.Diagnosis;
import dev.windrow.monitor.Monitor;
import dev.windrow.monitor.WindrowEvent;
import dev.windrow.payload.PayloadCodec;
import dev.windrow.query.JobFilter;
import dev.windrow.query.JobQuery;
import dev.windrow.retention.Cleanup;
import dev.windrow.retention.DeadLetterRetry;
import dev.windrow.retention.JobArchive;
import dev.windrow.retention.Retention;
import dev.windrow.schedule.Schedules;
import dev.windrow.step.Signalled;
import dev.windrow.store.Author;
import dev.windrow.store.OpenStore;
import dev.windrow.store.StoreEnvironment;
import dev.windrow.store.StoreProvider;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.ChangeByFilter;
import dev.windrow.store.job.ChangeResult;
import dev.windrow.store.job.Enqueue;
import dev.windrow.store.job.EnqueuedJob;
import dev.windrow.store.job.FindKeyed;
import dev.windrow.store.job.JobRow;
import dev.windrow.store.monitor.DiagnoseRequest;
import dev.windrow.store.schedule.ScheduleChange;
import dev.windrow.store.schedule.ScheduleChanged;
import dev.windrow.store.step.Signal;
import dev.windrow.transfer.QueueCopy;
import dev.windrow.validation.Bounds;
import dev.windrow.workflow.ChainFilter;
import dev.windrow.workflow.ChainQuery;
import dev.windrow.workflow.SubmittedWorkflow;
import dev.windrow.workflow.Workflow;
import dev.windrow.workflow.WorkflowFilter;
import dev.windrow.workflow.WorkflowQuery;
import dev.windrow.workflow.WorkflowStatus;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The engine behind {@link Windrow}. It is the only engine class that the API uses. */
public final class Engine implements Windrow {
    private final Parts parts;
    private final Author author;
    /** False for an instance that {@link #as} or {@link #because} returns: closing it has no effect. */
    private final boolean owner;

    private final Verbs verbs;

    /**
     * The shared state of an engine, without the author. An instance that {@link Windrow#as} returns uses the same
     * object.
     */
    private static final class Parts {
        private final OpenStore store;
        private final TimeSource time;
        private final Listeners listeners;
        private final Traces traces;
        private final BlobStreams blobs;
        private final Reads reads;
        private final Callbacks callbacks = new Callbacks();
        private final Awaiting awaiting;
        private final WorkerGroup workers;
        private final List<DeadLetterRetries> deadLetterRetries = new ArrayList<>();
        private final Lifecycle lifecycle;

        Parts(EngineBuilder builder) {
            this.time = builder.time;
            PayloadCodec codec = builder.codec == null ? Payloads.discover() : builder.codec;
            this.listeners = new Listeners(builder.listeners, time);
            Hints hints = new Hints();
            hints.onCommit((operations, nanos) ->
                    listeners.tell(() -> new WindrowEvent.TransactionCommitted(operations, Duration.ofNanos(nanos))));
            this.store = open(builder.store, new StoreEnvironment(time, builder.events, hints));
            this.blobs = new BlobStreams(store, builder.inlineBytes, builder.maxContentBytes, builder.blobFiles);
            Payloads payloads = new Payloads(codec, blobs);
            this.reads = new Reads(store, payloads);
            this.traces = new Traces(builder.tracing, store, time);
            this.awaiting = new Awaiting(store, hints.waiters(), payloads, time);
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
                            reads::find,
                            blobs::deleteFiles);
            this.workers = new WorkerGroup(
                    new EngineContext(
                            /* store= */ store,
                            /* time= */ time,
                            /* random= */ builder.random,
                            /* payloads= */ payloads,
                            /* listeners= */ listeners,
                            /* callbacks= */ callbacks,
                            /* traces= */ traces,
                            /* failures= */ new FailureLog(time, listeners),
                            /* metadataInLogs= */ builder.metadataInLogs),
                    hints,
                    retaining);
            for (DeadLetterRetry deadLetterRetry : builder.deadLetterRetries) {
                DeadLetterRetries reviving = new DeadLetterRetries(deadLetterRetry, store, time);
                deadLetterRetries.add(reviving);
                reviving.start();
            }
            this.lifecycle = new Lifecycle(store, workers, deadLetterRetries, listeners, callbacks);
        }

        private OpenStore open(Store place, StoreEnvironment environment) {
            boolean opened = false;
            try {
                OpenStore open = StoreProvider.open(place, environment);
                opened = true;
                return open;
            } finally {
                if (!opened) {
                    listeners.close();
                    callbacks.close();
                }
            }
        }
    }

    private Engine(Parts parts, Author author, boolean owner) {
        this.parts = parts;
        this.author = author;
        this.owner = owner;
        this.verbs = new Verbs(
                new OwnTransactions(parts.store, parts.listeners, parts.blobs.ownTransactions()),
                parts.reads,
                author,
                parts.traces);
    }

    Engine(EngineBuilder builder) {
        this(new Parts(builder), new Author(builder.actor, null), true);
    }

    /** See {@link Windrow#configure}. */
    public static Windrow.Builder configure(Store store) {
        return new EngineBuilder(store);
    }

    /** See {@link Monitor#diagnose()}. */
    public static Diagnosis diagnose(Store store, DiagnoseOptions options) {
        return StoreProvider.diagnose(store, new DiagnoseRequest(TimeSource.system(), options));
    }

    /** See {@link QueueCopy#from}. */
    public static QueueCopy copy(Store source) {
        return new StoreCopy(source);
    }

    /** See {@link QueueCopy#reopen}. */
    public static boolean reopen(Store source) {
        return StoreProvider.copyPlace(source).reopen();
    }

    /** The target that writes each verb in its own transaction. The change is durable when the verb returns. */
    private record OwnTransactions(OpenStore store, Listeners listeners, BlobStreams.Target blobs)
            implements Verbs.Target {
        @Override
        public List<EnqueuedJob> enqueue(List<JobRow> rows) {
            List<EnqueuedJob> written = Answers.write(store, new Enqueue(rows));
            listeners.tell(() -> new WindrowEvent.JobsEnqueued(rows.size()));
            return written;
        }

        @Override
        public Optional<Long> find(FindKeyed keyed) {
            return store.find(keyed);
        }

        @Override
        public ChangeResult change(Change change) {
            return Answers.get(ChangeByFilter.run(store, change), "changing jobs (" + change.verb() + ")");
        }

        @Override
        public ScheduleChanged schedule(ScheduleChange change) {
            ScheduleChanged changed = Answers.write(store, change);
            if (changed.job() != null) {
                listeners.tell(() -> new WindrowEvent.JobsEnqueued(1));
            }
            return changed;
        }

        @Override
        public Signalled signal(Signal signal) {
            return Answers.write(store, signal);
        }
    }

    @Override
    public <I extends @Nullable Object, O extends @Nullable Object> Enqueued<O> enqueue(JobRequest<I, O> request) {
        return verbs.enqueue(request);
    }

    @Override
    public List<Enqueued<?>> enqueueAll(Collection<? extends JobRequest<?, ?>> requests) {
        return verbs.enqueueAll(requests);
    }

    @Override
    public SubmittedWorkflow submit(Workflow workflow) {
        return verbs.submit(workflow);
    }

    @Override
    public <O extends @Nullable Object> JobHandle<O> job(JobRef<O> job) {
        return verbs.job(job);
    }

    @Override
    public <O extends @Nullable Object> JobHandle<O> job(JobType<?, O> type, String dedupeKey) {
        return verbs.job(type, dedupeKey);
    }

    @Override
    public <O extends @Nullable Object> ChainHandle<O> chain(ChainRef<O> chain) {
        return verbs.chain(chain);
    }

    @Override
    public JobHandles jobs(Collection<? extends JobRef<?>> jobs) {
        return verbs.jobs(jobs);
    }

    @Override
    public JobHandles jobsIfVersion(Map<? extends JobRef<?>, Long> versions) {
        return verbs.jobsIfVersion(versions);
    }

    @Override
    public Schedules schedules() {
        return verbs.schedules();
    }

    @Override
    public <I extends @Nullable Object, O extends @Nullable Object> CompletionStage<Enqueued<O>> enqueueAsync(
            JobRequest<I, O> job) {
        Traces.Enqueue trace = parts.traces.enqueuing(job);
        CompletableFuture<Enqueued<O>> stage = new CompletableFuture<>();
        try {
            Answers.then(
                    parts.store.submit(new Enqueue(List.of(verbs.row(trace.traced(job))))),
                    (written, failure) -> parts.callbacks.run(() -> {
                        if (written != null) {
                            parts.listeners.tell(() -> new WindrowEvent.JobsEnqueued(1));
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

    @Override
    public Jobs on(Connection connection) {
        return new Verbs(new CallersTransaction(parts.store, connection), parts.reads, author, parts.traces);
    }

    @Override
    public Windrow as(String actor) {
        return new Engine(parts, new Author(NameRule.check("actor", actor), author.reason()), false);
    }

    @Override
    public Windrow because(String reason) {
        return new Engine(parts, new Author(author.actor(), NameRule.reason(reason)), false);
    }

    @Override
    public <T extends @Nullable Object, E extends Exception> T inTransaction(TransactionWork<T, E> work) throws E {
        return parts.store.inTransaction(Objects.requireNonNull(work, "work"));
    }

    @Override
    public Worker.Builder worker() {
        return new EngineWorkerBuilder(parts.workers);
    }

    @Override
    public <O extends @Nullable Object> O await(JobRef<O> job, Duration timeout) {
        return parts.awaiting.await(job, timeout);
    }

    @Override
    public <O extends @Nullable Object> O awaitChain(ChainRef<O> chain, Duration timeout) {
        return parts.awaiting.awaitChain(chain, timeout);
    }

    @Override
    public JobSelection jobs(JobFilter filter) {
        return new Selection(parts.reads, parts.time::nanoTime, author, Objects.requireNonNull(filter, "filter"));
    }

    @Override
    public ChainQuery chains(ChainFilter filter) {
        return new ChainListing(
                parts.store, Objects.requireNonNull(filter, "filter"), Long.MAX_VALUE, JobQuery.DEFAULT_LIMIT);
    }

    @Override
    public WorkflowQuery workflows(WorkflowFilter filter) {
        return new WorkflowListing(
                parts.store, Objects.requireNonNull(filter, "filter"), Long.MAX_VALUE, JobQuery.DEFAULT_LIMIT);
    }

    @Override
    public Optional<WorkflowStatus> workflow(long id) {
        Map<JobState, Long> states = parts.store.workflow(id);
        return states.isEmpty() ? Optional.empty() : Optional.of(new WorkflowStatus(id, states));
    }

    @Override
    public LimitHandle limit(LimitTarget target) {
        return new LimitVerbs(parts.store, author, target);
    }

    @Override
    public List<Limits> limits() {
        return parts.store.controls();
    }

    @Override
    public KeyList keys(int limit) {
        return parts.store.keys(Bounds.range("limit", limit, 1, KeyList.MAX_KEYS));
    }

    @Override
    public Retention retention() {
        return new RetentionVerbs(parts.reads, parts.blobs, parts.time, author);
    }

    @Override
    public Monitor monitor() {
        return new EngineMonitor(
                /* store= */ parts.store,
                /* time= */ parts.time,
                /* running= */ parts.workers,
                /* deadLetterRetries= */ parts.deadLetterRetries,
                /* listeners= */ parts.listeners,
                /* author= */ author);
    }

    @Override
    public String location() {
        return parts.store.location();
    }

    @Override
    public Windrow closeOnShutdown() {
        return closeOnShutdown(Shutdown.DRAIN);
    }

    @Override
    public Windrow closeOnShutdown(Duration drain) {
        parts.lifecycle.closeOnShutdown(drain);
        return this;
    }

    @Override
    public void close() {
        if (owner) {
            parts.lifecycle.close();
        }
    }
}
