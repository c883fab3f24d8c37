package dev.windrow.tests.engine;

import dev.windrow.EventLevel;
import dev.windrow.Explanation;
import dev.windrow.JobHistory;
import dev.windrow.JobInfo;
import dev.windrow.JobState;
import dev.windrow.Store;
import dev.windrow.StoreUnavailableException;
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
import dev.windrow.store.Command;
import dev.windrow.store.OpenStore;
import dev.windrow.store.StoreEnvironment;
import dev.windrow.store.StoreHints;
import dev.windrow.store.StoreProvider;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.ChangeByFilter;
import dev.windrow.store.job.ChangeResult;
import dev.windrow.store.job.Claim;
import dev.windrow.store.job.Claimed;
import dev.windrow.store.job.Enqueue;
import dev.windrow.store.job.EnqueuedJob;
import dev.windrow.store.job.FindKeyed;
import dev.windrow.store.job.JobRow;
import dev.windrow.store.job.LeaseToken;
import dev.windrow.store.job.Renew;
import dev.windrow.store.job.Report;
import dev.windrow.store.job.Settle;
import dev.windrow.store.job.Started;
import dev.windrow.store.job.Suspect;
import dev.windrow.store.job.Touch;
import dev.windrow.store.job.WaitingClaim;
import dev.windrow.store.job.Withdraw;
import dev.windrow.store.limit.KeysWithRoom;
import dev.windrow.store.monitor.DiagnoseRequest;
import dev.windrow.store.monitor.RecordReveal;
import dev.windrow.store.payload.PayloadPage;
import dev.windrow.store.payload.Stage;
import dev.windrow.store.payload.SweepStaged;
import dev.windrow.store.processes.Announce;
import dev.windrow.store.processes.BackgroundTask;
import dev.windrow.store.processes.WorkerRow;
import dev.windrow.store.query.PageRequest;
import dev.windrow.store.query.StoredHistory;
import dev.windrow.store.retention.Expire;
import dev.windrow.store.retention.Expiry;
import dev.windrow.store.retention.Recount;
import dev.windrow.store.retention.Shrink;
import dev.windrow.store.schedule.DueSchedules;
import dev.windrow.store.schedule.ScheduleRow;
import dev.windrow.store.step.StepAnswer;
import dev.windrow.store.step.StepWrite;
import dev.windrow.store.transfer.CopyPlace;
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

/** A real store with faults between it and the engine. Each verb that tests disturb is a function that gets the real verb. */
public final class FaultyStore extends StoreProvider implements OpenStore {
    private static final UnaryOperator<Function<Claim, CompletableFuture<Claimed>>> REAL_CLAIM =
            UnaryOperator.identity();

    private final Store place;
    private @Nullable OpenStore opened;

    public volatile boolean deaf;
    /** True if only the outcomes of jobs can be read. */
    public volatile boolean unreadable;
    /** The number of searches for expired leases. */
    public final AtomicInteger looks = new AtomicInteger();
    /** The number of touches, which prove that the store can be written. */
    public final AtomicInteger touches = new AtomicInteger();

    public volatile BiFunction<Settle, Function<Settle, CompletableFuture<Boolean>>, CompletableFuture<Boolean>>
            settle = (settlement, real) -> real.apply(settlement);
    public volatile UnaryOperator<Function<Claim, CompletableFuture<Claimed>>> claim = REAL_CLAIM;
    /** True if jobs may be dispatched directly to workers, although a test disturbs {@link #claim}. */
    public volatile boolean handsOffPastClaim;

    public volatile UnaryOperator<Function<Stage, CompletableFuture<Long>>> stage = real -> real;
    public volatile UnaryOperator<BiFunction<Long, Integer, byte @Nullable []>> blobPart = real -> real;
    public volatile UnaryOperator<Function<List<JobRow>, CompletableFuture<List<EnqueuedJob>>>> enqueue = real -> real;
    public volatile UnaryOperator<Function<Change, CompletableFuture<ChangeResult>>> change = real -> real;
    public volatile UnaryOperator<Function<RecordReveal, CompletableFuture<Void>>> reveal = real -> real;
    public volatile UnaryOperator<Function<Report, CompletableFuture<Boolean>>> report = real -> real;
    public volatile UnaryOperator<Function<Started, CompletableFuture<Void>>> start = real -> real;
    public volatile UnaryOperator<Supplier<Statistics>> statistics = real -> real;
    public volatile UnaryOperator<Function<StepWrite, CompletableFuture<Optional<StepAnswer>>>> step = real -> real;
    public volatile UnaryOperator<Function<List<LeaseToken>, CompletableFuture<List<LeaseToken>>>> renew = real -> real;

    public volatile UnaryOperator<Function<Expire, CompletableFuture<Expiry.Done>>> expire = real -> real;
    public volatile UnaryOperator<Duration> expiryTime = real -> real;
    public volatile UnaryOperator<Function<Expiry.Search, Expiry.Found>> expiring = real -> real;
    public volatile UnaryOperator<Supplier<Recount>> wrongFailureSums = real -> real;
    public volatile UnaryOperator<Supplier<CompletableFuture<Long>>> shrink = real -> real;

    public volatile UnaryOperator<BiFunction<Long, Integer, CompletableFuture<Long>>> sweepStaged = real -> real;

    volatile UnaryOperator<Function<WorkerRow, CompletableFuture<Void>>> announce = real -> real;

    /** A callback that gets each worker's name before the worker leaves the registry. */
    public volatile Consumer<String> withdraw = worker -> {};

    public FaultyStore(Store store) {
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
        StoreHints hints = environment.hints();
        EventLevel level = environment.events();
        opened = StoreProvider.open(place, new StoreEnvironment(environment.time(), level, new StoreHints() {
            @Override
            public void ready(String queue, String type) {
                if (!deaf) {
                    hints.ready(queue, type);
                }
            }

            @Override
            public @Nullable WaitingClaim waitingClaim(String queue, String type) {
                return deaf || (claim != REAL_CLAIM && !handsOffPastClaim) ? null : hints.waitingClaim(queue, type);
            }

            @Override
            public void due(long atMillis) {
                if (!deaf) {
                    hints.due(atMillis);
                }
            }

            @Override
            public void cancelRequested(LeaseToken leaseToken) {
                if (!deaf) {
                    hints.cancelRequested(leaseToken);
                }
            }

            @Override
            public void finished(long id, JobState state) {
                if (!deaf) {
                    hints.finished(id, state);
                }
            }

            @Override
            public void waitEnds(long atMillis) {
                if (!deaf) {
                    hints.waitEnds(atMillis);
                }
            }

            @Override
            public void scheduleDue(long atMillis) {}

            @Override
            public void superseded(@Nullable LeaseToken leaseToken) {
                if (!deaf) {
                    hints.superseded(leaseToken);
                }
            }
        }));
        return this;
    }

    @Override
    @SuppressWarnings("unchecked") // each disturbance returns the type of its command
    public <T extends @Nullable Object> CompletableFuture<T> submit(Command<T> command) {
        return (CompletableFuture<T>) disturbed(command);
    }

    private CompletableFuture<?> disturbed(Command<?> command) {
        OpenStore real = store();
        if (command instanceof Settle end) {
            return settle.apply(end, real::submit);
        } else if (command instanceof Claim wish) {
            return claim.apply(real::submit).apply(wish);
        } else if (command instanceof Report news) {
            return report.apply(real::submit).apply(news);
        } else if (command instanceof Started call) {
            return start.apply(real::submit).apply(call);
        } else if (command instanceof StepWrite write) {
            return step.apply(real::submit).apply(write);
        } else if (command instanceof Renew wish) {
            return renew.apply(leaseTokens -> real.submit(new Renew(leaseTokens, wish.leaseMillis())))
                    .apply(wish.leaseTokens());
        } else if (command instanceof Enqueue jobs) {
            return enqueue.apply(rows -> real.submit(new Enqueue(rows))).apply(jobs.jobs());
        } else if (command instanceof Change wish) {
            return change.apply(real::submit).apply(wish);
        } else if (command instanceof RecordReveal shown) {
            return reveal.apply(real::submit).apply(shown);
        } else if (command instanceof Stage part) {
            return stage.apply(real::submit).apply(part);
        } else if (command instanceof SweepStaged sweep) {
            return sweepStaged
                    .apply((age, limit) -> real.submit(new SweepStaged(age, limit)))
                    .apply(sweep.olderThanMillis(), sweep.limit());
        } else if (command instanceof Expire batch) {
            return expire.apply(real::submit).apply(batch);
        } else if (command instanceof Shrink) {
            return shrink.apply(() -> real.submit(new Shrink())).get();
        } else if (command instanceof Announce entry) {
            return announce.apply(row -> real.submit(new Announce(row))).apply(entry.worker());
        } else if (command instanceof Withdraw leaving) {
            withdraw.accept(leaving.worker().name());
        } else if (command instanceof Touch) {
            touches.incrementAndGet();
        }
        return real.submit(command);
    }

    @Override
    public <T extends @Nullable Object> T apply(Connection connection, Command<T> command) {
        return store().apply(connection, command);
    }

    @Override
    public long newestJob() {
        return store().newestJob();
    }

    @Override
    public ChangeByFilter.Page matching(JobFilter filter, boolean ascending, @Nullable Long beyond, int look) {
        return store().matching(filter, ascending, beyond, look);
    }

    @Override
    public List<String> keysToAdmit() {
        return store().keysToAdmit();
    }

    @Override
    public KeysWithRoom keysWithRoom(String after) {
        return store().keysWithRoom(after);
    }

    @Override
    public KeyList keys(int limit) {
        return store().keys(limit);
    }

    @Override
    public Duration admitTime() {
        return store().admitTime();
    }

    @Override
    public List<Long> unreleasedParents() {
        return store().unreleasedParents();
    }

    @Override
    public Recount wrongFailureSums() {
        return wrongFailureSums.apply(store()::wrongFailureSums).get();
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
    public byte @Nullable [] blobPart(long blob, int position) {
        return blobPart.apply(store()::blobPart).apply(blob, position);
    }

    @Override
    public Set<Long> existingBlobs(Collection<Long> blobs) {
        return store().existingBlobs(blobs);
    }

    @Override
    public RetentionRules retention() {
        return store().retention();
    }

    @Override
    public Expiry.Found expiring(Expiry.Search search) {
        return expiring.apply(store()::expiring).apply(search);
    }

    @Override
    public SizeChange vacuum() {
        return store().vacuum();
    }

    @Override
    public BackgroundTask.State task(String name) {
        return store().task(name);
    }

    @Override
    public DueSchedules dueSchedules(@Nullable ScheduleRow after, int limit) {
        return store().dueSchedules(after, limit);
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
    public List<Limits> controls() {
        return store().controls();
    }

    @Override
    public Metadata metadata(long job) {
        return store().metadata(job);
    }

    @Override
    public PayloadPage metadata(PageRequest query, int most) {
        return store().metadata(query, most);
    }

    @Override
    public List<JobHistory.Step> steps(long job) {
        return store().steps(job);
    }

    @Override
    public List<Suspect> heldBy(String process, int limit) {
        return store().heldBy(process, limit);
    }

    @Override
    public List<WorkerInfo> workers() {
        return store().workers();
    }

    @Override
    public Diagnosis diagnose(DiagnoseRequest request) {
        return store().diagnose(request);
    }

    @Override
    public List<Health.Task> tasks() {
        return store().tasks();
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
    public long nowMillis() {
        return store().nowMillis();
    }

    @Override
    public List<Suspect> suspects(long leaseMillis, @Nullable Suspect after, int limit) {
        looks.incrementAndGet();
        return store().suspects(leaseMillis, after, limit);
    }

    @Override
    public Optional<StoredHistory> history(long id) {
        unreadable();
        return store().history(id);
    }

    @Override
    public List<JobInfo> chain(long id) {
        return store().chain(id);
    }

    @Override
    public Optional<ChainInfo> chainInfo(long job) {
        return store().chainInfo(job);
    }

    @Override
    public WorkflowPage workflows(WorkflowFilter filter, long before, int limit) {
        return store().workflows(filter, before, limit);
    }

    @Override
    public ChainPage chains(ChainFilter filter, long before, int limit) {
        return store().chains(filter, before, limit);
    }

    @Override
    public Optional<ParentOutcome> outcome(long id) {
        return store().outcome(id);
    }

    @Override
    public Optional<Long> find(FindKeyed keyed) {
        return store().find(keyed);
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
    public List<Tracing.Link> links(long id) {
        return store().links(id);
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
    public JobPage list(PageRequest query) {
        return store().list(query);
    }

    @Override
    public JobPage jobs(JobFilter filter, List<Long> ids) {
        unreadable();
        return store().jobs(filter, ids);
    }

    @Override
    public PayloadPage payloads(PageRequest query, int most) {
        return store().payloads(query, most);
    }

    @Override
    public AuditPage audit(AuditFilter filter, @Nullable Long after, int limit) {
        return store().audit(filter, after, limit);
    }

    @Override
    public Statistics statistics() {
        return statistics.apply(store()::statistics).get();
    }

    @Override
    public Throughput throughput(Duration window, ThroughputFilter filter) {
        return store().throughput(window, filter);
    }

    @Override
    public List<String> suggest(SuggestField field, String prefix, int limit) {
        return store().suggest(field, prefix, limit);
    }

    @Override
    public long unfinished(Collection<String> queues, Collection<String> types, int minPriority) {
        return store().unfinished(queues, types, minPriority);
    }

    @Override
    public void close() {
        store().close();
    }

    @Override
    protected CopyPlace copyPlace() {
        return StoreProvider.copyPlace(place);
    }
}
