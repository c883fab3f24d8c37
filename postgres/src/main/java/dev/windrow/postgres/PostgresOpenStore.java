package dev.windrow.postgres;

import dev.windrow.AuditEntry;
import dev.windrow.BatchProgress;
import dev.windrow.Control;
import dev.windrow.Diagnosis;
import dev.windrow.Health;
import dev.windrow.IncompatibleStoreException;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobFilter;
import dev.windrow.JobPage;
import dev.windrow.JobQuery;
import dev.windrow.JobSnapshot;
import dev.windrow.JobState;
import dev.windrow.JobStory;
import dev.windrow.Json;
import dev.windrow.OutcomeUnknownException;
import dev.windrow.ParentOutcome;
import dev.windrow.Retention;
import dev.windrow.ScheduleRun;
import dev.windrow.Scope;
import dev.windrow.Signalled;
import dev.windrow.Statistics;
import dev.windrow.StoreUnavailableException;
import dev.windrow.Throughput;
import dev.windrow.Tracing;
import dev.windrow.TransactionWork;
import dev.windrow.Vacuumed;
import dev.windrow.WindrowException;
import dev.windrow.WorkerSnapshot;
import dev.windrow.store.BlobPart;
import dev.windrow.store.Change;
import dev.windrow.store.ChangeByFilter;
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
import dev.windrow.store.Reclaim;
import dev.windrow.store.Report;
import dev.windrow.store.RetentionChange;
import dev.windrow.store.SafeLogger;
import dev.windrow.store.ScheduleChange;
import dev.windrow.store.ScheduleChanged;
import dev.windrow.store.ScheduleRow;
import dev.windrow.store.Settlement;
import dev.windrow.store.Signal;
import dev.windrow.store.Started;
import dev.windrow.store.StepAnswer;
import dev.windrow.store.StepWrite;
import dev.windrow.store.StoreEnvironment;
import dev.windrow.store.Suspect;
import dev.windrow.store.TransactionConnection;
import dev.windrow.store.WorkerId;
import dev.windrow.store.WorkerRow;
import dev.windrow.store.sql.Audits;
import dev.windrow.store.sql.Blobs;
import dev.windrow.store.sql.Controls;
import dev.windrow.store.sql.Diagnoses;
import dev.windrow.store.sql.Duties;
import dev.windrow.store.sql.Firings;
import dev.windrow.store.sql.Listings;
import dev.windrow.store.sql.Mark;
import dev.windrow.store.sql.Queries;
import dev.windrow.store.sql.Recounts;
import dev.windrow.store.sql.Registry;
import dev.windrow.store.sql.Retentions;
import dev.windrow.store.sql.Schedules;
import dev.windrow.store.sql.StatisticsQueries;
import dev.windrow.store.sql.Steps;
import dev.windrow.store.sql.ThroughputQueries;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** A queue in a PostgreSQL database that is open. */
final class PostgresOpenStore implements OpenStore {
    private static final Logger log = SafeLogger.of(PostgresOpenStore.class);

    private final Database database;
    private final String location;
    private final Diagnoses diagnoses;
    private final Engine engine;
    private final AtomicBoolean closed = new AtomicBoolean();

    /**
     * Opens the store, and makes the tables if they are not there.
     *
     * @param database the connections, which this closes
     */
    PostgresOpenStore(Database database, String location, StoreEnvironment environment, Line.Probe probe) {
        this.database = database;
        this.location = location;
        this.engine = Engine.start(database, location, environment, probe);
        this.diagnoses = ExaminedTables.diagnoses(database, location);
    }

    Engine engine() {
        return engine;
    }

    /** Only what is on the same line of this process waits for it; a few round trips alone take milliseconds. */
    @Override
    public Duration expiryTime() {
        return Duration.ofMillis(10);
    }

    @Override
    public String location() {
        return location;
    }

    private <T> CompletableFuture<T> submit(Line.Kind kind, Operation<T> operation) {
        // What an attempt reports is not waited for.
        InvalidRequestException refusal =
                operation instanceof Operation.Tell ? null : engine.lent().refusal(operation.what());
        if (refusal != null) {
            operation.fail(refusal);
            return operation.future;
        }
        return engine.line(kind).submit(operation).future;
    }

    @Override
    public boolean isInTransaction() {
        return engine.lent().isInside();
    }

    @Override
    public <T extends @Nullable Object, E extends Exception> T inTransaction(TransactionWork<T, E> work) throws E {
        return engine.lent().run(work);
    }

    @Override
    public CompletableFuture<List<EnqueuedJob>> enqueue(List<JobRow> jobs) {
        if (jobs.isEmpty()) {
            return CompletableFuture.completedFuture(List.of());
        }
        Operation.Enqueue enqueue = new Operation.Enqueue(List.copyOf(jobs));
        return submit(
                enqueue.hasDedupeKeys ? Line.Kind.KEYED : enqueue.hasParents() ? Line.Kind.PATIENT : Line.Kind.WORK,
                enqueue);
    }

    @Override
    public List<EnqueuedJob> enqueue(Connection connection, List<JobRow> jobs) {
        AtomicReference<@Nullable PostgresTransaction> done = new AtomicReference<>();
        List<EnqueuedJob> enqueued = inCallersTransaction(
                connection,
                "enqueuing " + jobs.size() + " jobs",
                Enqueues.ids(jobs),
                tx -> {
                    Enqueues rows = new Enqueues(tx);
                    List<EnqueuedJob> answers = WorkflowEnqueues.add(tx, rows, jobs, Enqueues.check(tx, jobs));
                    rows.flush(HandOff.NONE);
                    done.set(tx);
                    return answers;
                },
                used -> Enqueues.names(used, jobs));
        TransactionConnection lent = Engine.lentBehind(connection);
        if (lent != null) {
            lent.enqueued(enqueued.stream()
                    .filter(job -> !job.deduplicated())
                    .map(EnqueuedJob::id)
                    .toList());
        }
        OptionalLong last = enqueued.stream()
                .filter(job -> !job.deduplicated())
                .mapToLong(EnqueuedJob::id)
                .max();
        PostgresTransaction tx = Objects.requireNonNull(done.get());
        if (last.isPresent()) {
            engine.ringWhenVisible(connection, last.getAsLong(), tx);
        } else {
            engine.ringWhenCommitted(connection, tx);
        }
        return enqueued;
    }

    @Override
    public ChangeResult change(Connection connection, Change change) {
        List<Long> ids = change.ids();
        if (ids == null) {
            throw new InvalidRequestException("a change by filter is not possible inside a caller's transaction");
        }
        if (!change.dryRun()) {
            requireNewestState(connection, "changing jobs");
        }
        AtomicReference<@Nullable PostgresTransaction> done = new AtomicReference<>();
        ChangeResult result = inCallersTransaction(
                connection,
                "changing jobs",
                change.next() == null ? 0 : 1,
                tx -> {
                    done.set(tx);
                    return Changes.apply(tx, change, ids, true, false);
                },
                used -> new Operation.Modify(change, ids, true).names(used));
        TransactionConnection lent = Engine.lentBehind(connection);
        Long next = result.next();
        if (lent != null && next != null) {
            lent.enqueued(List.of(next));
        }
        engine.ringWhenCommitted(connection, Objects.requireNonNull(done.get()));
        return result;
    }

    @Override
    public boolean settle(Connection connection, Settlement settlement) {
        requireNewestState(connection, "settling job " + settlement.job().id());
        JobRow next = settlement.next();
        AtomicReference<@Nullable PostgresTransaction> done = new AtomicReference<>();
        boolean applied = inCallersTransaction(
                connection,
                "settling job " + settlement.job().id(),
                next == null ? 0 : 1,
                tx -> {
                    done.set(tx);
                    return Settles.settle(tx, engine.minutes(), List.of(settlement), Set.of())[0];
                },
                used -> new Operation.Settle(settlement).names(used));
        if (applied) {
            engine.ringWhenCommitted(connection, Objects.requireNonNull(done.get()));
        }
        return applied;
    }

    /** A transaction that ends a job has to see the jobs that began to wait for it since the transaction began. */
    private static void requireNewestState(Connection connection, String what) {
        try {
            if (!connection.isClosed()
                    && connection.getTransactionIsolation() > Connection.TRANSACTION_READ_COMMITTED) {
                throw new InvalidRequestException(what
                        + " is possible in a transaction of isolation READ COMMITTED only: a stricter one does not see"
                        + " jobs that have begun to wait since it began; call setTransactionIsolation before its first"
                        + " statement, or use inTransaction");
            }
        } catch (SQLException e) {
            throw PostgresErrors.translate(e, what);
        }
    }

    private <T> T inCallersTransaction(
            Connection connection, String what, int jobs, CallerTransactions.Verb<T> verb, Consumer<Names.Used> names) {
        Names.Used used = new Names.Used();
        names.accept(used);
        CallerTransactions.Learn learn = () -> await(
                engine.line(Line.Kind.ALIVE).submit(new Operation.Registry(tx -> {}, names)).future,
                what,
                "a new queue, type or name could not be written");
        return engine.callers().run(connection, what, jobs, used, learn, verb);
    }

    private void await(CompletableFuture<?> future, String what, String why) {
        try {
            Object unused = future.get(2 * database.operationNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreUnavailableException(what + " was interrupted", e);
        } catch (ExecutionException | TimeoutException e) {
            throw new StoreUnavailableException("%s failed: %s: %s".formatted(what, why, e.getMessage()), e);
        }
    }

    @Override
    public CompletableFuture<Claimed> claim(ClaimRequest request) {
        // New jobs that are on their way: the claim joins them, and has them handed over.
        boolean joins = engine.line(Line.Kind.WORK).isEnqueuing();
        return submit(joins ? Line.Kind.WORK : Line.Kind.CLAIMS, new Operation.Claim(request));
    }

    @Override
    public void started(Started started) {
        submit(Line.Kind.WORK, new Operation.Start(started)).exceptionally(e -> {
            unrecorded(started, e);
            return null;
        });
    }

    /** It is said by the end of the attempt as well. */
    private void unrecorded(Started started, Throwable e) {
        engine.unrecorded()
                .tell(more -> log.warn(
                        "The start of job {} is not recorded, and will be with its end: {}{}",
                        started.hold().id(),
                        e.getMessage(),
                        more));
    }

    @Override
    public CompletableFuture<Boolean> report(Report report) {
        return submit(Line.Kind.WORK, new Operation.Tell(report));
    }

    @Override
    public CompletableFuture<Boolean> settle(Settlement settlement) {
        return submit(Line.Kind.WORK, new Operation.Settle(settlement));
    }

    @Override
    public CompletableFuture<Optional<StepAnswer>> step(StepWrite step) {
        return submit(Line.Kind.WORK, new Operation.Step(step));
    }

    @Override
    public Optional<StepAnswer> step(Connection connection, StepWrite step) {
        String what = "writing step '" + step.name() + "'";
        requireNewestState(connection, what);
        return inCallersTransaction(connection, what, 0, tx -> Settles.writeStep(tx, step), used -> {});
    }

    @Override
    public List<JobStory.Step> steps(long job) {
        ServerClock clock = engine.shared().clock();
        return engine
                .readers()
                .read("reading the steps of job " + job, statements -> Steps.read(statements, job))
                .stream()
                .map(step -> Steps.local(step, clock::toLocal))
                .toList();
    }

    @Override
    public CompletableFuture<Signalled> signal(Signal signal) {
        return submit(Line.Kind.PATIENT, new Operation.Tidings(signal));
    }

    @Override
    public Signalled signal(Connection connection, Signal signal) {
        String what = "signalling job " + signal.job();
        requireNewestState(connection, what);
        AtomicReference<@Nullable PostgresTransaction> done = new AtomicReference<>();
        Signalled signalled = inCallersTransaction(
                connection,
                what,
                0,
                tx -> {
                    done.set(tx);
                    return Steps.signal(tx, signal);
                },
                used -> new Operation.Tidings(signal).names(used));
        engine.ringWhenCommitted(connection, Objects.requireNonNull(done.get()));
        return signalled;
    }

    @Override
    public CompletableFuture<List<Hold>> renew(List<Hold> holds, long leaseMillis) {
        return submit(Line.Kind.ALIVE, new Operation.Renew(List.copyOf(holds), leaseMillis));
    }

    /**
     * Leaves out those whose rows others have locked. Until that is over nobody can renew their leases, and then their
     * holders have to have the time for it.
     */
    @Override
    public List<Suspect> suspects(long leaseMillis, @Nullable Suspect after, int limit) {
        ServerClock clock = engine.shared().clock();
        List<Suspect> found = new ArrayList<>();
        Suspect last = after;
        while (true) {
            Suspect from = last;
            int wanted = limit - found.size();
            List<Suspect> page = engine.read(
                    "looking for expired leases",
                    (statements, now) -> Suspects.suspects(statements, clock, now, leaseMillis, from, wanted));
            Set<Long> free = free(page);
            page.stream().filter(suspect -> free.contains(suspect.hold().id())).forEach(found::add);
            if (page.size() < wanted || found.size() == limit) {
                return found;
            }
            last = page.get(wanted - 1);
        }
    }

    private Set<Long> free(List<Suspect> suspects) {
        Set<Long> ids = suspects.stream().map(suspect -> suspect.hold().id()).collect(Collectors.toSet());
        Set<Long> free = ConcurrentHashMap.newKeySet();
        if (!ids.isEmpty()) {
            await(
                    submit(Line.Kind.PATIENT, new Operation.Registry(tx -> {
                        free.clear();
                        free.addAll(Suspects.free(tx, ids));
                    })),
                    "looking for expired leases",
                    "whether others have locked rows could not be seen");
        }
        return free;
    }

    @Override
    public List<Suspect> heldBy(String process, int limit) {
        ServerClock clock = engine.shared().clock();
        return engine.readers()
                .read(
                        "looking for what a process holds",
                        statements -> Suspects.heldBy(statements, clock, process, limit));
    }

    /** Behind the renewals of this process that are on their way. */
    @Override
    public CompletableFuture<List<Reclaim>> reclaim(List<Reclaim> reclaims, long withinMillis) {
        Operation.TakeBack takeBack = new Operation.TakeBack(List.copyOf(reclaims), withinMillis);
        return submit(Line.Kind.ALIVE, new Operation.Registry(tx -> {}))
                .thenCompose(renewed -> submit(Line.Kind.PATIENT, takeBack));
    }

    /** Through the lines that settle and renew: both have to get through. */
    @Override
    public CompletableFuture<Void> touch() {
        return CompletableFuture.allOf(
                submit(Line.Kind.ALIVE, new Operation.Registry(PostgresOpenStore::touch)),
                submit(Line.Kind.WORK, new Operation.Registry(PostgresOpenStore::touch)));
    }

    private static void touch(PostgresTransaction tx) throws SQLException {
        tx.statements().get(Sql.TOUCH).update();
    }

    @Override
    public CompletableFuture<Void> announce(WorkerRow worker) {
        return submit(
                Line.Kind.ALIVE,
                new Operation.Registry(tx -> Registry.announce(tx, worker), used -> used.worker(worker.id())));
    }

    @Override
    public CompletableFuture<Void> withdraw(WorkerId worker) {
        return submit(
                Line.Kind.ALIVE,
                new Operation.Registry(tx -> Registry.withdraw(tx, worker), used -> used.worker(worker)));
    }

    @Override
    public CompletableFuture<Void> withdrawProcess(String process) {
        return submit(Line.Kind.ALIVE, new Operation.Registry(tx -> Registry.withdrawProcess(tx, process)));
    }

    @Override
    public List<WorkerSnapshot> workers() {
        return engine.read("reading the registry", Workers::read);
    }

    @Override
    public CompletableFuture<ChangeResult> change(Change change) {
        List<Long> ids = change.ids();
        return ids == null
                ? changeMatching(change)
                : submit(Line.Kind.PATIENT, new Operation.Modify(change, ids, true));
    }

    @Override
    public CompletableFuture<Integer> endWaits(int limit) {
        return submit(Line.Kind.PATIENT, new Operation.Keep("ending waits", 0, tx -> Waits.end(tx, limit)))
                .thenApply(Long::intValue);
    }

    private CompletableFuture<ChangeResult> changeMatching(Change change) {
        ChangeByFilter.Source source = new ChangeByFilter.Source() {
            @Override
            public long newest() {
                return engine.readers().read("finding jobs", Listings::newest);
            }

            @Override
            public ChangeByFilter.Page find(JobFilter filter, boolean ascending, @Nullable Long beyond) {
                return engine.readers()
                        .read(
                                "finding jobs",
                                statements -> ListedLanes.LISTINGS.ids(statements, filter, ascending, beyond));
            }
        };
        return ChangeByFilter.run(
                change, source, part -> submit(Line.Kind.PATIENT, new Operation.Modify(change, part, false)));
    }

    @Override
    public CompletableFuture<Control> control(ControlChange change) {
        CompletableFuture<Control> said = submit(Line.Kind.PATIENT, new Operation.Govern(change));
        if (change.scope().kind() != Scope.Kind.KEY) {
            return said;
        }
        String what = "changing what is said of " + change.scope();
        try {
            said.get();
            return obeys(change.scope().name())
                    ? said
                    : CompletableFuture.failedFuture(
                            new StoreUnavailableException(
                                    what
                                            + " was written, and all jobs that are enqueued obey; but some that were ready before are locked by another transaction: say it again when that has ended"));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return CompletableFuture.failedFuture(new OutcomeUnknownException(
                    what + " has an unknown outcome: interrupted while it was written", List.of()));
        } catch (ExecutionException e) {
            return CompletableFuture.failedFuture(e.getCause());
        }
    }

    /** Brings the jobs of a key in line with what is said of it, part by part; answers whether nothing is left to do in the time of an operation. */
    private boolean obeys(String key) throws InterruptedException, ExecutionException {
        long end = System.nanoTime() + database.operationNanos();
        while (!submit(Line.Kind.PATIENT, new Operation.Arrange(List.of(key), true, 0))
                .get()) {
            if (System.nanoTime() - end > 0) {
                return false;
            }
        }
        return true;
    }

    @Override
    public int arrange() {
        long now = engine.read("reading the clock", (statements, at) -> at);
        int needed = 0;
        try {
            for (String key : engine.readers().read("looking for keys with ready jobs too many", Turns::unfinished)) {
                needed++;
                boolean unused = obeys(key);
            }
            String after = "";
            while (after != null) {
                String from = after;
                Turns.Stalled stalled = engine.readers()
                        .read("looking for keys with room", statements -> Turns.stalled(statements, from, now));
                needed += stalled.keys().size();
                if (!stalled.keys().isEmpty()) {
                    // What is left then is arranged right after.
                    Boolean unused = submit(Line.Kind.PATIENT, new Operation.Arrange(stalled.keys(), false, 0))
                            .get();
                }
                after = stalled.next();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return needed;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof WindrowException cause) {
                throw cause;
            }
            throw new WindrowException("arranging keys failed: " + e.getCause(), e.getCause());
        }
        return needed + goOn();
    }

    /** Begins to go on with the children that ended parents have left: the rest follows by itself. */
    private int goOn() {
        List<Long> parents = engine.readers().read("looking for children that are left", Dependents::unfinished);
        if (!parents.isEmpty()) {
            try {
                Void unused = submit(Line.Kind.PATIENT, new Operation.Release(parents))
                        .get();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (ExecutionException e) {
                if (e.getCause() instanceof WindrowException cause) {
                    throw cause;
                }
                throw new WindrowException("going on with children failed: " + e.getCause(), e.getCause());
            }
        }
        return parents.size();
    }

    @Override
    public CompletableFuture<ScheduleChanged> schedule(ScheduleChange change) {
        return submit(
                Line.Kind.PATIENT,
                new Operation.Timetable<>(
                        "changing schedule " + change.name(),
                        change.name(),
                        1,
                        used -> PostgresRuns.names(used, change),
                        tx -> Schedules.change(tx, new PostgresRuns(tx), change)));
    }

    @Override
    public ScheduleChanged schedule(Connection connection, ScheduleChange change) {
        String what = "changing schedule " + change.name();
        requireNewestState(connection, what);
        AtomicReference<@Nullable PostgresTransaction> done = new AtomicReference<>();
        ScheduleChanged changed = inCallersTransaction(
                connection,
                what,
                1,
                tx -> {
                    done.set(tx);
                    return Schedules.change(tx, new PostgresRuns(tx), change);
                },
                used -> PostgresRuns.names(used, change));
        TransactionConnection lent = Engine.lentBehind(connection);
        Long job = changed.job();
        if (lent != null && job != null) {
            lent.enqueued(List.of(job));
        }
        engine.ringWhenCommitted(connection, Objects.requireNonNull(done.get()));
        return changed;
    }

    @Override
    public DueSchedules dueSchedules(@Nullable ScheduleRow after, int limit) {
        return engine.read(
                "looking for due schedules", (statements, now) -> Schedules.due(statements, now, after, limit));
    }

    @Override
    public CompletableFuture<Fired> fire(List<Firing> firings) {
        List<Firing> all = List.copyOf(firings);
        return submit(
                Line.Kind.PATIENT,
                new Operation.Timetable<>(
                        "seeing to " + all.size() + " schedules",
                        null,
                        PostgresRuns.ids(all),
                        used -> PostgresRuns.names(used, all),
                        tx -> Firings.fire(tx, new PostgresRuns(tx), all)));
    }

    @Override
    public List<ScheduleRow> schedules() {
        return engine.readers().read("reading schedules", Schedules::all);
    }

    @Override
    public Optional<ScheduleRow> schedule(String name) {
        return engine.readers().read("reading a schedule", statements -> Schedules.find(statements, name));
    }

    @Override
    public List<ScheduleRun> scheduleRuns(String name, int limit) {
        return engine.readers()
                .read("reading the runs of a schedule", statements -> Schedules.runs(statements, name, limit));
    }

    @Override
    public List<Control> controls() {
        return engine.readers().read("reading what is said of queues and types", Controls::read);
    }

    @Override
    public CompletableFuture<Long> stage(BlobPart part) {
        return submit(
                Line.Kind.PATIENT,
                new Operation.Keep("writing a part of a blob", part.content().length, tx -> Blobs.stage(tx, part)));
    }

    @Override
    public long stage(Connection connection, BlobPart part) {
        return inCallersTransaction(connection, "writing a part of a blob", 0, tx -> Blobs.stage(tx, part), used -> {});
    }

    @Override
    public CompletableFuture<Void> unstage(long blob) {
        return submit(Line.Kind.PATIENT, new Operation.Keep("dropping a blob", 0, tx -> Blobs.unstage(tx, blob)))
                .thenAccept(dropped -> {});
    }

    @Override
    public CompletableFuture<Integer> sweepStaged(long olderThanMillis, int limit) {
        return submit(
                        Line.Kind.PATIENT,
                        new Operation.Keep(
                                "sweeping blobs",
                                limit * BlobPart.MAX_BYTES,
                                tx -> Blobs.sweep(tx, olderThanMillis, limit)))
                .thenApply(Long::intValue);
    }

    @Override
    public byte @Nullable [] blobPart(long blob, int position) {
        return engine.readers()
                .read("reading a part of blob " + blob, statements -> Blobs.read(statements, blob, position))
                .orElse(null);
    }

    @Override
    public Set<Long> existingBlobs(Collection<Long> blobs) {
        return engine.readers().read("looking for blobs", statements -> Blobs.existing(statements, blobs));
    }

    @Override
    public Optional<JobStory> story(long id) {
        return engine.readers().read("reading job " + id, statements -> Queries.story(statements, JobReads::read, id));
    }

    @Override
    public List<JobSnapshot> chain(long id) {
        return engine.readers()
                .read("reading the chain of job " + id, statements -> Queries.chain(statements, JobReads::read, id));
    }

    @Override
    public Map<JobState, Long> workflow(long id) {
        return engine.readers().read("reading workflow " + id, statements -> Queries.workflow(statements, id));
    }

    @Override
    public Optional<BatchProgress> batch(long callback) {
        return engine.readers()
                .read("reading the parents of job " + callback, statements -> Queries.batch(statements, callback));
    }

    @Override
    public Optional<ParentOutcome> outcome(long id) {
        return engine.readers().read("reading job " + id, statements -> Queries.outcome(statements, id));
    }

    @Override
    public Optional<Explanation> explain(long id) {
        return engine.read("explaining job " + id, (statements, now) -> Queries.explanation(statements, id, now));
    }

    @Override
    public List<ParentOutcome> parents(long id) {
        return engine.readers().read("reading the parents of job " + id, statements -> Queries.parents(statements, id));
    }

    @Override
    public List<Tracing.Origin> origins(long id) {
        return engine.readers()
                .read("reading from where job " + id + " follows", statements -> Queries.origins(statements, id));
    }

    @Override
    public JobPage list(JobQuery query) {
        return engine.readers().read("listing jobs", statements -> ListedLanes.LISTINGS.list(statements, query));
    }

    @Override
    public List<@Nullable Json> payloads(List<Long> ids) {
        return engine.readers().read("reading payloads", statements -> JobReads.payloads(statements, ids));
    }

    @Override
    public List<AuditEntry> audit(int limit) {
        return engine.readers().read("reading the audit", statements -> Audits.read(statements, limit));
    }

    @Override
    public Statistics statistics() {
        return engine.read("reading statistics", StatisticsQueries::read);
    }

    @Override
    public Throughput throughput(Duration window) {
        return engine.read("reading throughput", (statements, now) -> ThroughputQueries.read(statements, now, window));
    }

    @Override
    public long unfinished(Collection<String> queues, Collection<String> types) {
        return engine.readers()
                .read("counting unfinished jobs", statements -> Workers.unfinished(statements, queues, types));
    }

    @Override
    public Retention retention() {
        return engine.readers().read("reading the rules of retention", Retentions::read);
    }

    @Override
    public CompletableFuture<Retention> retain(RetentionChange change) {
        return submit(
                Line.Kind.PATIENT,
                new Operation.Tend<>(
                        "changing a rule of retention", 1, change.actor(), tx -> Retentions.change(tx, change)));
    }

    @Override
    public Expiry.Found expiring(Expiry.Search search) {
        return engine.read(
                "looking for old jobs",
                (statements, now) -> Retentions.find(statements, Removals.lanes(statements), search, now));
    }

    @Override
    public CompletableFuture<Expiry.Done> expire(Expiry.Batch batch) {
        int jobs = batch.units().stream().mapToInt(unit -> unit.jobs().size()).sum();
        return submit(
                Line.Kind.PATIENT,
                new Operation.Tend<>(
                        "deleting old jobs",
                        jobs,
                        batch.actor(),
                        tx -> Retentions.expire(tx, new Removals(tx), batch)));
    }

    @Override
    public CompletableFuture<Integer> recount() {
        Recounts.Found found = engine.readers().read("counting failures", Recounts::find);
        return found.sums().isEmpty()
                ? CompletableFuture.completedFuture(0)
                : submit(
                        Line.Kind.PATIENT,
                        new Operation.Tend<>(
                                "putting the sums of failures right", 1, null, tx -> Recounts.add(tx, found)));
    }

    @Override
    public CompletableFuture<Long> prune(int limit, long asOfMillis) {
        return submit(
                Line.Kind.PATIENT,
                new Operation.Tend<>("deleting old sums", limit, null, tx -> Removals.prune(tx, limit, asOfMillis)));
    }

    /** The server's autovacuum does. */
    @Override
    public CompletableFuture<Long> shrink() {
        return CompletableFuture.completedFuture(0L);
    }

    @Override
    public Vacuumed vacuum() {
        try {
            return Space.vacuum(database);
        } catch (SQLException e) {
            throw PostgresErrors.translate(e, "vacuuming " + location);
        }
    }

    @Override
    public Duty.State duty(String name) {
        return engine.read("reading a duty", (statements, now) -> Duties.read(statements, name, now));
    }

    @Override
    public CompletableFuture<Boolean> takeDuty(Duty duty) {
        return submit(
                Line.Kind.PATIENT,
                new Operation.Tend<>("taking duty " + duty.name(), 1, null, tx -> Duties.take(tx, duty)));
    }

    @Override
    public CompletableFuture<Boolean> endDuty(Duty duty, @Nullable String detail) {
        return submit(
                Line.Kind.PATIENT,
                new Operation.Tend<>("ending duty " + duty.name(), 1, null, tx -> Duties.end(tx, duty, detail)));
    }

    @Override
    public Diagnosis diagnose(DiagnoseRequest request) {
        return diagnoses.diagnose(request);
    }

    @Override
    public List<Health.Duty> duties() {
        return engine.duties();
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            diagnoses.close();
            engine.close();
            database.close();
        }
    }

    /** Why a store that others have migrated is refused. */
    static IncompatibleStoreException migrated(String location, int version) {
        return new IncompatibleStoreException(
                version == Mark.VERSION
                        ? "%s was closed, because its queue was moved to another store, or one is being copied to it: nothing more is written; stop this process"
                                .formatted(location)
                        : "%s was migrated to a schema that needs a newer Windrow (schema %d; this one knows %d): nothing more is written; stop this process and start the newer version"
                                .formatted(location, version, Migrations.CURRENT));
    }
}
