package dev.windrow.tests.engine;

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
import dev.windrow.StoreUnavailableException;
import dev.windrow.Throughput;
import dev.windrow.Tracing;
import dev.windrow.TransactionWork;
import dev.windrow.Vacuumed;
import dev.windrow.WorkerSnapshot;
import dev.windrow.store.BlobPart;
import dev.windrow.store.Change;
import dev.windrow.store.ChangeResult;
import dev.windrow.store.ClaimRequest;
import dev.windrow.store.Claimed;
import dev.windrow.store.ControlChange;
import dev.windrow.store.DiagnoseRequest;
import dev.windrow.store.DueSchedules;
import dev.windrow.store.Duty;
import dev.windrow.store.EnqueuedJob;
import dev.windrow.store.Expiry;
import dev.windrow.store.Explanation;
import dev.windrow.store.Fired;
import dev.windrow.store.Firing;
import dev.windrow.store.Hold;
import dev.windrow.store.JobRow;
import dev.windrow.store.OpenStore;
import dev.windrow.store.PayloadPage;
import dev.windrow.store.Reclaim;
import dev.windrow.store.Report;
import dev.windrow.store.RetentionChange;
import dev.windrow.store.ScheduleChange;
import dev.windrow.store.ScheduleChanged;
import dev.windrow.store.ScheduleRow;
import dev.windrow.store.Settlement;
import dev.windrow.store.Signal;
import dev.windrow.store.Started;
import dev.windrow.store.StepAnswer;
import dev.windrow.store.StepWrite;
import dev.windrow.store.Store;
import dev.windrow.store.StoreEnvironment;
import dev.windrow.store.StoreSignals;
import dev.windrow.store.Suspect;
import dev.windrow.store.Taker;
import dev.windrow.store.WorkerId;
import dev.windrow.store.WorkerRow;
import java.sql.Connection;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A real store with faults put in between it and the engine: each verb that tests make fail is a function that is given
 * the real one.
 */
final class FaultyStore implements Store, OpenStore {
    private static final UnaryOperator<Function<ClaimRequest, CompletableFuture<Claimed>>> REAL_CLAIM =
            UnaryOperator.identity();

    private final Store place;
    private @Nullable OpenStore opened;

    volatile boolean deaf;
    /** Whether nothing but outcomes can be read of a job. */
    volatile boolean unreadable;
    /** How often somebody looked for dead leases. */
    final AtomicInteger looks = new AtomicInteger();
    /** How often somebody only proved that it can write. */
    final AtomicInteger touches = new AtomicInteger();

    volatile BiFunction<Settlement, Function<Settlement, CompletableFuture<Boolean>>, CompletableFuture<Boolean>>
            settle = (settlement, real) -> real.apply(settlement);
    volatile UnaryOperator<Function<ClaimRequest, CompletableFuture<Claimed>>> claim = REAL_CLAIM;
    /** Whether jobs are handed to workers past {@link #claim} although a test disturbs that one. */
    volatile boolean handsOffPastClaim;

    volatile UnaryOperator<Function<BlobPart, CompletableFuture<Long>>> stage = real -> real;
    volatile UnaryOperator<BiFunction<Long, Integer, byte @Nullable []>> blobPart = real -> real;
    volatile UnaryOperator<Function<List<JobRow>, CompletableFuture<List<EnqueuedJob>>>> enqueue = real -> real;
    volatile UnaryOperator<Function<Change, CompletableFuture<ChangeResult>>> change = real -> real;
    volatile UnaryOperator<Function<Report, CompletableFuture<Boolean>>> report = real -> real;
    volatile UnaryOperator<Supplier<Statistics>> statistics = real -> real;
    volatile UnaryOperator<Function<StepWrite, CompletableFuture<Optional<StepAnswer>>>> step = real -> real;
    volatile UnaryOperator<Function<List<Hold>, CompletableFuture<List<Hold>>>> renew = real -> real;

    volatile UnaryOperator<Function<Expiry.Batch, CompletableFuture<Expiry.Done>>> expire = real -> real;
    volatile UnaryOperator<Duration> expiryTime = real -> real;
    volatile UnaryOperator<Function<Expiry.Search, Expiry.Found>> expiring = real -> real;
    volatile UnaryOperator<Supplier<CompletableFuture<Integer>>> recount = real -> real;
    volatile UnaryOperator<Supplier<CompletableFuture<Long>>> shrink = real -> real;

    volatile UnaryOperator<BiFunction<Long, Integer, CompletableFuture<Integer>>> sweepStaged = real -> real;

    volatile UnaryOperator<Function<WorkerRow, CompletableFuture<Void>>> announce = real -> real;

    /** Sees who leaves the registry, before it does. */
    volatile Consumer<String> withdraw = worker -> {};

    FaultyStore(Store store) {
        this.place = store;
    }

    private OpenStore store() {
        return Objects.requireNonNull(opened, "not open");
    }

    private void unreadable() {
        if (unreadable) {
            throw new StoreUnavailableException("too many readers");
        }
    }

    @Override
    public OpenStore open(StoreEnvironment environment) {
        StoreSignals signals = environment.signals();
        opened = place.open(new StoreEnvironment(environment.time(), new StoreSignals() {
            @Override
            public void ready(String queue, String type) {
                if (!deaf) {
                    signals.ready(queue, type);
                }
            }

            @Override
            public @Nullable Taker taker(String queue, String type) {
                return deaf || (claim != REAL_CLAIM && !handsOffPastClaim) ? null : signals.taker(queue, type);
            }

            @Override
            public void due(long atMillis) {
                if (!deaf) {
                    signals.due(atMillis);
                }
            }

            @Override
            public void cancelRequested(Hold hold) {
                if (!deaf) {
                    signals.cancelRequested(hold);
                }
            }

            @Override
            public void finished(long id, JobState state) {
                if (!deaf) {
                    signals.finished(id, state);
                }
            }

            @Override
            public void waitEnds(long atMillis) {
                if (!deaf) {
                    signals.waitEnds(atMillis);
                }
            }

            @Override
            public void scheduleDue(long atMillis) {}

            @Override
            public void superseded(@Nullable Hold hold) {
                if (!deaf) {
                    signals.superseded(hold);
                }
            }
        }));
        return this;
    }

    @Override
    public CompletableFuture<Boolean> report(Report report) {
        return this.report.apply(store()::report).apply(report);
    }

    @Override
    public CompletableFuture<Boolean> settle(Settlement settlement) {
        return settle.apply(settlement, store()::settle);
    }

    @Override
    public CompletableFuture<Claimed> claim(ClaimRequest request) {
        return claim.apply(store()::claim).apply(request);
    }

    @Override
    public <T extends @Nullable Object, E extends Exception> T inTransaction(TransactionWork<T, E> work) throws E {
        return store().inTransaction(work);
    }

    @Override
    public boolean isInTransaction() {
        return store().isInTransaction();
    }

    @Override
    public CompletableFuture<Long> stage(BlobPart part) {
        return stage.apply(store()::stage).apply(part);
    }

    @Override
    public long stage(Connection connection, BlobPart part) {
        return store().stage(connection, part);
    }

    @Override
    public CompletableFuture<Void> unstage(long blob) {
        return store().unstage(blob);
    }

    @Override
    public CompletableFuture<Integer> sweepStaged(long olderThanMillis, int limit) {
        return sweepStaged.apply(store()::sweepStaged).apply(olderThanMillis, limit);
    }

    @Override
    public byte @Nullable [] blobPart(long blob, int position) {
        return blobPart.apply(store()::blobPart).apply(blob, position);
    }

    @Override
    public Set<Long> existingBlobs(Collection<Long> blobs) {
        return store().existingBlobs(blobs);
    }

    @Override
    public CompletableFuture<Control> control(ControlChange change) {
        return store().control(change);
    }

    @Override
    public Retention retention() {
        return store().retention();
    }

    @Override
    public CompletableFuture<Retention> retain(RetentionChange change) {
        return store().retain(change);
    }

    @Override
    public Expiry.Found expiring(Expiry.Search search) {
        return expiring.apply(store()::expiring).apply(search);
    }

    @Override
    public CompletableFuture<Expiry.Done> expire(Expiry.Batch batch) {
        return expire.apply(store()::expire).apply(batch);
    }

    @Override
    public CompletableFuture<Integer> recount() {
        return recount.apply(store()::recount).get();
    }

    @Override
    public CompletableFuture<Long> prune(int limit, long asOfMillis) {
        return store().prune(limit, asOfMillis);
    }

    @Override
    public CompletableFuture<Long> shrink() {
        return shrink.apply(store()::shrink).get();
    }

    @Override
    public Vacuumed vacuum() {
        return store().vacuum();
    }

    @Override
    public Duty.State duty(String name) {
        return store().duty(name);
    }

    @Override
    public CompletableFuture<Boolean> takeDuty(Duty duty) {
        return store().takeDuty(duty);
    }

    @Override
    public CompletableFuture<Boolean> endDuty(Duty duty, @Nullable String detail) {
        return store().endDuty(duty, detail);
    }

    @Override
    public CompletableFuture<Integer> endWaits(int limit) {
        return store().endWaits(limit);
    }

    @Override
    public CompletableFuture<ScheduleChanged> schedule(ScheduleChange change) {
        return store().schedule(change);
    }

    @Override
    public ScheduleChanged schedule(Connection connection, ScheduleChange change) {
        return store().schedule(connection, change);
    }

    @Override
    public DueSchedules dueSchedules(@Nullable ScheduleRow after, int limit) {
        return store().dueSchedules(after, limit);
    }

    @Override
    public CompletableFuture<Fired> fire(List<Firing> firings) {
        return store().fire(firings);
    }

    @Override
    public List<ScheduleRow> schedules() {
        return store().schedules();
    }

    @Override
    public Optional<ScheduleRow> schedule(String name) {
        return store().schedule(name);
    }

    @Override
    public List<ScheduleRun> scheduleRuns(String name, int limit) {
        return store().scheduleRuns(name, limit);
    }

    @Override
    public int arrange() {
        return store().arrange();
    }

    @Override
    public List<Control> controls() {
        return store().controls();
    }

    @Override
    public CompletableFuture<Optional<StepAnswer>> step(StepWrite step) {
        return this.step.apply(store()::step).apply(step);
    }

    @Override
    public Optional<StepAnswer> step(Connection connection, StepWrite step) {
        return store().step(connection, step);
    }

    @Override
    public List<JobStory.Step> steps(long job) {
        return store().steps(job);
    }

    @Override
    public CompletableFuture<Signalled> signal(Signal signal) {
        return store().signal(signal);
    }

    @Override
    public Signalled signal(Connection connection, Signal signal) {
        return store().signal(connection, signal);
    }

    @Override
    public CompletableFuture<List<Hold>> renew(List<Hold> holds, long leaseMillis) {
        return renew.apply(real -> store().renew(real, leaseMillis)).apply(holds);
    }

    @Override
    public List<Suspect> heldBy(String process, int limit) {
        return store().heldBy(process, limit);
    }

    @Override
    public CompletableFuture<Void> withdrawProcess(String process) {
        return store().withdrawProcess(process);
    }

    @Override
    public List<WorkerSnapshot> workers() {
        return store().workers();
    }

    @Override
    public Diagnosis diagnose(DiagnoseRequest request) {
        return store().diagnose(request);
    }

    @Override
    public List<Health.Duty> duties() {
        return store().duties();
    }

    @Override
    public Duration expiryTime() {
        return expiryTime.apply(store().expiryTime());
    }

    @Override
    public String location() {
        return place.location();
    }

    @Override
    public CompletableFuture<List<EnqueuedJob>> enqueue(List<JobRow> jobs) {
        return enqueue.apply(store()::enqueue).apply(jobs);
    }

    @Override
    public List<EnqueuedJob> enqueue(Connection connection, List<JobRow> jobs) {
        return store().enqueue(connection, jobs);
    }

    @Override
    public void started(Started started) {
        store().started(started);
    }

    @Override
    public List<Suspect> suspects(long leaseMillis, @Nullable Suspect after, int limit) {
        looks.incrementAndGet();
        return store().suspects(leaseMillis, after, limit);
    }

    @Override
    public CompletableFuture<List<Reclaim>> reclaim(List<Reclaim> reclaims, long withinMillis) {
        return store().reclaim(reclaims, withinMillis);
    }

    @Override
    public CompletableFuture<Void> touch() {
        touches.incrementAndGet();
        return store().touch();
    }

    @Override
    public CompletableFuture<ChangeResult> change(Change change) {
        return this.change.apply(store()::change).apply(change);
    }

    @Override
    public ChangeResult change(Connection connection, Change change) {
        return store().change(connection, change);
    }

    @Override
    public Optional<JobStory> story(long id) {
        unreadable();
        return store().story(id);
    }

    @Override
    public boolean settle(Connection connection, Settlement settlement) {
        return store().settle(connection, settlement);
    }

    @Override
    public List<JobSnapshot> chain(long id) {
        return store().chain(id);
    }

    @Override
    public Optional<ParentOutcome> outcome(long id) {
        return store().outcome(id);
    }

    @Override
    public Optional<Explanation> explain(long id) {
        unreadable();
        return store().explain(id);
    }

    @Override
    public List<ParentOutcome> parents(long id) {
        return store().parents(id);
    }

    @Override
    public List<Tracing.Origin> origins(long id) {
        return store().origins(id);
    }

    @Override
    public Map<JobState, Long> workflow(long id) {
        return store().workflow(id);
    }

    @Override
    public Optional<BatchProgress> batch(long callback) {
        return store().batch(callback);
    }

    @Override
    public JobPage list(JobQuery query) {
        return store().list(query);
    }

    @Override
    public JobPage jobs(JobFilter filter, List<Long> ids) {
        return store().jobs(filter, ids);
    }

    @Override
    public PayloadPage payloads(JobQuery query, int most) {
        return store().payloads(query, most);
    }

    @Override
    public List<AuditEntry> audit(int limit) {
        return store().audit(limit);
    }

    @Override
    public Statistics statistics() {
        return statistics.apply(store()::statistics).get();
    }

    @Override
    public Throughput throughput(Duration window) {
        return store().throughput(window);
    }

    @Override
    public long unfinished(Collection<String> queues, Collection<String> types) {
        return store().unfinished(queues, types);
    }

    @Override
    public CompletableFuture<Void> announce(WorkerRow worker) {
        return announce.apply(store()::announce).apply(worker);
    }

    @Override
    public CompletableFuture<Void> withdraw(WorkerId worker) {
        withdraw.accept(worker.name());
        return store().withdraw(worker);
    }

    @Override
    public void close() {
        store().close();
    }
}
