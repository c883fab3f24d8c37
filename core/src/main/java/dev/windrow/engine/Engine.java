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
import dev.windrow.QueueCopy;
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
import dev.windrow.Store;
import dev.windrow.StoreUnavailableException;
import dev.windrow.SubmittedWorkflow;
import dev.windrow.Throughput;
import dev.windrow.TimeSource;
import dev.windrow.TransactionWork;
import dev.windrow.Vacuumed;
import dev.windrow.Windrow;
import dev.windrow.WindrowEvent;
import dev.windrow.WindrowException;
import dev.windrow.WindrowListener;
import dev.windrow.Worker;
import dev.windrow.WorkerSnapshot;
import dev.windrow.Workflow;
import dev.windrow.WorkflowStatus;
import dev.windrow.store.Change;
import dev.windrow.store.ChangeByFilter;
import dev.windrow.store.ChangeResult;
import dev.windrow.store.DiagnoseRequest;
import dev.windrow.store.Duty;
import dev.windrow.store.Enqueue;
import dev.windrow.store.EnqueuedJob;
import dev.windrow.store.JobRow;
import dev.windrow.store.KeyLimits;
import dev.windrow.store.LimitChange;
import dev.windrow.store.OpenStore;
import dev.windrow.store.RetentionChange;
import dev.windrow.store.ScheduleChange;
import dev.windrow.store.ScheduleChanged;
import dev.windrow.store.Signal;
import dev.windrow.store.StoreEnvironment;
import dev.windrow.store.StoreProvider;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The engine behind {@link Windrow}, and the one class of it that the API knows. */
public final class Engine implements Windrow {
    private static final int MOST_RUNNING = 1_000_000;

    /** What {@link #find} loads. */
    private static final long LOADED_BYTES = 1 << 20;

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

    Engine(EngineBuilder builder) {
        this.time = builder.time;
        this.actor = builder.actor;
        PayloadCodec codec = builder.codec == null ? Payloads.discover() : builder.codec;
        this.listeners = new Listeners(builder.listeners, time);
        Hints hints = new Hints();
        hints.onCommit((operations, nanos) ->
                listeners.tell(() -> new WindrowEvent.TransactionCommitted(operations, Duration.ofNanos(nanos))));
        this.store = open(builder.store, new StoreEnvironment(time, hints));
        this.blobs = new Blobs(store, builder.inlineBytes, builder.maxContentBytes, builder.blobFiles);
        this.payloads = new Payloads(codec, blobs);
        this.traces = new Traces(builder.tracing, store, time);
        this.verbs = new Verbs(new OwnTransactions(), payloads, actor, traces);
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
                        this::find,
                        blobs::deleteFiles);
        this.workers = new Workers(
                new Surroundings(
                        /* store= */ store,
                        /* time= */ time,
                        /* random= */ builder.random,
                        /* payloads= */ payloads,
                        /* listeners= */ listeners,
                        /* callbacks= */ callbacks,
                        /* traces= */ traces,
                        /* failures= */ new FailureLog(time, listeners)),
                hints,
                retaining);
        for (Reviver reviver : builder.revivers) {
            Reviving reviving = new Reviving(reviver, store, time);
            revivers.add(reviving);
            reviving.start();
        }
    }

    /** See {@link Windrow#configure}. */
    public static Windrow.Builder configure(Store store) {
        return new EngineBuilder(store);
    }

    /** See {@link QueueCopy#from}. */
    public static QueueCopy copy(Store source) {
        return new StoreCopy(source);
    }

    /** See {@link QueueCopy#reopen}. */
    public static boolean reopen(Store source) {
        return StoreProvider.copyPlace(source).reopen();
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

    @Override
    public <I, O> Enqueued<O> enqueue(NewJob<I, O> job) {
        return verbs.enqueue(job);
    }

    @Override
    public List<Enqueued<?>> enqueueAll(Collection<? extends NewJob<?, ?>> jobs) {
        return verbs.enqueueAll(jobs);
    }

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

    @Override
    public List<ScheduleSnapshot> schedules() {
        return store.schedules().stream().map(Snapshots::of).toList();
    }

    @Override
    public Optional<ScheduleSnapshot> schedule(String name) {
        return store.schedule(name).map(Snapshots::of);
    }

    @Override
    public List<ScheduleRun> scheduleRuns(String name, int limit) {
        int checked = checkedLimit(limit);
        if (store.schedule(name).isEmpty()) {
            throw new ScheduleNotFoundException(name);
        }
        return store.scheduleRuns(name, checked);
    }

    @Override
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

    @Override
    public Jobs on(Connection connection) {
        return new Verbs(new CallersTransaction(store, connection), payloads, actor, traces);
    }

    @Override
    public <T extends @Nullable Object, E extends Exception> T inTransaction(TransactionWork<T, E> work) throws E {
        return store.inTransaction(Objects.requireNonNull(work, "work"));
    }

    @Override
    public Worker.Builder worker() {
        return new EngineWorkerBuilder(workers);
    }

    @Override
    public <O> @Nullable O await(JobRef<O> job, Duration timeout) {
        return awaiting.await(job, timeout);
    }

    @Override
    public <O> @Nullable O awaitChain(JobRef<?> job, JobType<?, O> last, Duration timeout) {
        return awaiting.awaitChain(job.id(), last, timeout);
    }

    @Override
    public List<JobSnapshot> chain(JobRef<?> job) {
        List<JobSnapshot> jobs = store.chain(job.id());
        if (jobs.isEmpty()) {
            throw new JobNotFoundException("job", job.id());
        }
        return jobs;
    }

    @Override
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

    @Override
    public Optional<Content> payload(long id) {
        return store.story(id).map(JobStory::payload).map(json -> payloads.content(json.text()));
    }

    @Override
    public Optional<Content> result(long id) {
        return store.story(id).map(JobStory::result).map(json -> payloads.content(json.text()));
    }

    @Override
    public JobPage list(JobFilter filter, @Nullable Long after, int limit) {
        return list(JobQuery.of(filter).limit(limit).after(after));
    }

    @Override
    public JobPage list(JobQuery query) {
        return store.list(query);
    }

    @Override
    public JobMatches search(JobQuery query, PayloadMatch match) {
        return search(query, match, 10_000);
    }

    @Override
    public JobMatches search(JobQuery query, PayloadMatch match, int look) {
        return new Search(store, this::loaded).search(query, match, look);
    }

    @Override
    public Optional<WorkflowStatus> workflow(long id) {
        Map<JobState, Long> states = store.workflow(id);
        return states.isEmpty() ? Optional.empty() : Optional.of(new WorkflowStatus(id, states));
    }

    @Override
    public BatchProgress batch(JobRef<?> callback) {
        return store.batch(callback.id()).orElseThrow(() -> new JobNotFoundException("job", callback.id()));
    }

    @Override
    public Statistics statistics() {
        return store.statistics();
    }

    @Override
    public Throughput throughput() {
        return throughput(Duration.ofHours(1));
    }

    @Override
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

    @Override
    public List<WorkerSnapshot> workers() {
        return store.workers();
    }

    @Override
    public Diagnosis diagnose() {
        return store.diagnose(new DiagnoseRequest(time, false, name -> {}));
    }

    @Override
    public Diagnosis diagnose(Duration budget) {
        return store.diagnose(new DiagnoseRequest(time, false, name -> {}).within(budget));
    }

    /** See {@link Windrow#diagnose(Store, boolean, Consumer)}. */
    public static Diagnosis diagnose(Store store, boolean quick, Consumer<String> begins) {
        return diagnose(store, quick, null, begins);
    }

    /** See {@link Windrow#diagnose(Store, boolean, Consumer)}. */
    public static Diagnosis diagnose(Store store, boolean quick, @Nullable Duration budget, Consumer<String> begins) {
        return StoreProvider.diagnose(store, new DiagnoseRequest(TimeSource.system(), quick, begins).within(budget));
    }

    /** See {@link Windrow#diagnose(Store, boolean, Consumer)}. */
    public static Diagnosis diagnose(Store store, Set<String> only) {
        return StoreProvider.diagnose(store, new DiagnoseRequest(TimeSource.system(), true, check -> {}, only, null));
    }

    @Override
    public Health health() {
        List<Health.Duty> duties = new ArrayList<>(workers.duties());
        revivers.forEach(reviver -> duties.add(reviver.duty()));
        duties.addAll(store.duties());
        return new Health(duties);
    }

    @Override
    public Changed cancelAll(JobFilter filter, boolean dryRun) {
        return changeAll(Change.Verb.CANCEL, filter, null, dryRun);
    }

    @Override
    public Changed retryAll(JobFilter filter, @Nullable Integer maxAttempts, boolean dryRun) {
        return changeAll(Change.Verb.RETRY, filter, Verbs.attempts(maxAttempts), dryRun);
    }

    @Override
    public Changed retryAllWithDependents(JobFilter filter, @Nullable Integer maxAttempts, boolean dryRun) {
        return changeAll(Change.byFilter(Change.Verb.RETRY, filter, actor)
                .maxAttempts(Verbs.attempts(maxAttempts))
                .dryRun(dryRun)
                .withDependents(true)
                .build());
    }

    @Override
    public Changed retryAllFromStart(JobFilter filter, @Nullable Integer maxAttempts, boolean dryRun) {
        return changeAll(Change.byFilter(Change.Verb.RETRY, filter, actor)
                .maxAttempts(Verbs.attempts(maxAttempts))
                .dryRun(dryRun)
                .fromStart(true)
                .build());
    }

    @Override
    public Changed triggerAll(JobFilter filter, boolean dryRun) {
        return changeAll(Change.Verb.TRIGGER, filter, null, dryRun);
    }

    @Override
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

    @Override
    public Control pause(Scope scope, @Nullable String reason) {
        if (reason != null) {
            Names.check("reason", reason);
        }
        return control(LimitChange.pause(scope, actor, reason));
    }

    @Override
    public Control resume(Scope scope) {
        return control(LimitChange.resume(scope, actor));
    }

    @Override
    public Control limit(Scope scope, @Nullable Integer maxRunning) {
        if (maxRunning != null && (maxRunning < 1 || maxRunning > MOST_RUNNING)) {
            throw new InvalidRequestException("limit %d of %s is not allowed: 1 to %d; to start none, pause it"
                    .formatted(maxRunning, scope, MOST_RUNNING));
        }
        return control(LimitChange.limit(scope, actor, maxRunning));
    }

    @Override
    public Control limitRate(Scope scope, @Nullable Rate rate) {
        return control(LimitChange.limitRate(scope, actor, rate));
    }

    private Control control(LimitChange change) {
        return Answers.get(KeyLimits.change(store, change), "changing what is said of " + change.scope());
    }

    @Override
    public List<Control> controls() {
        return store.controls();
    }

    @Override
    public List<AuditEntry> audit(int limit) {
        return store.audit(checkedLimit(limit));
    }

    private static int checkedLimit(int limit) {
        if (limit < 1 || limit > 1000) {
            throw new InvalidRequestException("limit %d is not allowed: 1 to 1000".formatted(limit));
        }
        return limit;
    }

    @Override
    public Retention retention() {
        return store.retention();
    }

    @Override
    public Optional<LastRetention> lastRetention() {
        Duty.State state = store.duty(Duty.RETENTION);
        Long last = state.lastMillis();
        String detail = state.detail();
        return last == null
                ? Optional.empty()
                : Optional.of(new LastRetention(
                        time.now().minusMillis(state.nowMillis() - last), detail == null ? null : new Json(detail)));
    }

    @Override
    public Retention retain(JobState state, @Nullable Duration keep) {
        return retain(new Retention.Rule(state, null, keep), false);
    }

    @Override
    public Retention retain(JobState state, String type, @Nullable Duration keep) {
        return retain(new Retention.Rule(state, Objects.requireNonNull(type), keep), false);
    }

    @Override
    public Retention retainByDefault(JobState state, @Nullable String type) {
        return retain(new Retention.Rule(state, type, Duration.ZERO), true);
    }

    private Retention retain(Retention.Rule rule, boolean reset) {
        return Answers.get(store, new RetentionChange(rule, reset, actor));
    }

    @Override
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

    @Override
    public Vacuumed vacuum() {
        return store.vacuum();
    }

    @Override
    public void addListener(WindrowListener listener) {
        listeners.add(Objects.requireNonNull(listener, "listener"));
    }

    @Override
    public void removeListener(WindrowListener listener) {
        listeners.remove(listener);
    }

    @Override
    public String location() {
        return store.location();
    }

    @Override
    public Windrow closeOnShutdown() {
        return closeOnShutdown(Shutdown.DRAIN);
    }

    @Override
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
