package dev.windrow.sqlite;

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
import dev.windrow.TimeSource;
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
import dev.windrow.store.Repeats;
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
import dev.windrow.store.Visibility;
import dev.windrow.store.WorkerId;
import dev.windrow.store.WorkerRow;
import dev.windrow.store.sql.Audits;
import dev.windrow.store.sql.Blobs;
import dev.windrow.store.sql.Controls;
import dev.windrow.store.sql.Diagnoses;
import dev.windrow.store.sql.Duties;
import dev.windrow.store.sql.Firings;
import dev.windrow.store.sql.JsonText;
import dev.windrow.store.sql.Listings;
import dev.windrow.store.sql.Queries;
import dev.windrow.store.sql.Query;
import dev.windrow.store.sql.Recounts;
import dev.windrow.store.sql.Registry;
import dev.windrow.store.sql.Retentions;
import dev.windrow.store.sql.Schedules;
import dev.windrow.store.sql.Statements;
import dev.windrow.store.sql.StatisticsQueries;
import dev.windrow.store.sql.Steps;
import dev.windrow.store.sql.ThroughputQueries;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.sqlite.SQLiteConnection;

/** A queue in an SQLite file that is open: the writer, the readers, and what hears of other processes. */
final class SqliteOpenStore implements OpenStore {
    private static final Duration READ_TIMEOUT = Duration.ofSeconds(5);

    private static final Logger log = SafeLogger.of(SqliteOpenStore.class);

    private final SqliteFile file;
    private final TimeSource time;
    private final Names names;
    private final Listings listings;
    private final Diagnoses diagnoses;
    private final Readers readers;
    /** The parts that write; null if the store only reads. */
    private final @Nullable Writing writing;

    private final AtomicBoolean closed = new AtomicBoolean();
    /** The last lane that the look for unused lanes has found in this pass of retention; 0 at its beginning. */
    private volatile long lanesLookedAt;

    private record Writing(
            StoreEnvironment environment,
            Neighbours neighbours,
            Doorbell bell,
            Writer writer,
            CallerTransactions callers,
            LentTransactions lent,
            Visibility visibility,
            Repeats unrecorded) {}

    private SqliteOpenStore(
            SqliteFile file,
            Duration operationTimeout,
            TimeSource time,
            Names names,
            Readers.Opening opening,
            @Nullable Writing writing) {
        this.file = file;
        this.time = time;
        this.names = names;
        this.listings = ListedLanes.listings(names);
        this.diagnoses = ExaminedFile.diagnoses(file, operationTimeout);
        this.readers = new Readers(
                file,
                opening,
                READ_TIMEOUT.toNanos(),
                String.valueOf(file.path().getFileName()));
        this.writing = writing;
    }

    /** Opens a file that is there to read it, and writes nothing. */
    static SqliteOpenStore reading(SqliteStore store, TimeSource time) {
        SqliteFile file = store.file();
        if (!Files.exists(file.path())) {
            throw new StoreUnavailableException("reading %s failed: there is no such file".formatted(file.path()));
        }
        file.checkReadable("reading " + file.path());
        Copies.check(file.realPath());
        try (SqliteFile.Opened database = file.openExaminer()) {
            Migrations.requireReadable(database, file.path().toString());
            file.identify();
        } catch (SQLException e) {
            throw SqliteErrors.translate(e, "reading " + file.path());
        }
        return new SqliteOpenStore(file, store.operationTimeout, time, new Names(), file::openExaminer, null);
    }

    /** Opens a file, and makes it if it is not there. */
    static SqliteOpenStore writing(SqliteStore store, StoreEnvironment environment) {
        SqliteFile file = store.file();
        Neighbours neighbours = Neighbours.join(file.checkPlace());
        boolean done = false;
        try {
            SqliteOpenStore open = writing(store, file, environment, neighbours);
            done = true;
            return open;
        } finally {
            if (!done) {
                neighbours.close();
            }
        }
    }

    private static SqliteOpenStore writing(
            SqliteStore store, SqliteFile file, StoreEnvironment environment, Neighbours neighbours) {
        long operationNanos = store.operationTimeout.toNanos();
        Names names = new Names();
        SqliteFile.Opened database = file.openWriter();
        Standing standing;
        try {
            Migrations.apply(
                    database, file.path().toString(), environment.time().now().toEpochMilli());
            try (SqliteStatements statements = new SqliteStatements(database.connection())) {
                file.identify();
                standing = Standing.of(file, statements);
                names.refresh(statements);
            }
        } catch (SQLException e) {
            throw closing(database, SqliteErrors.translate(e, "opening " + file.path()));
        } catch (RuntimeException e) {
            throw closing(database, e);
        }
        String name = String.valueOf(file.path().getFileName());
        AtomicReference<@Nullable Writer> refusing = new AtomicReference<>();
        Elsewhere elsewhere = new Elsewhere(file, names, environment.signals(), why -> refuse(refusing, why));
        Doorbell bell = new Doorbell(neighbours, elsewhere, name, store.safetyLook);
        Writer writer = new Writer(
                file,
                database,
                standing,
                neighbours,
                bell,
                names,
                environment.time(),
                environment.signals(),
                operationNanos,
                store.probe,
                name);
        refusing.set(writer);
        SqliteOpenStore open = new SqliteOpenStore(
                file,
                store.operationTimeout,
                environment.time(),
                names,
                file::openReader,
                new Writing(
                        environment,
                        neighbours,
                        bell,
                        writer,
                        new CallerTransactions(file, standing, names, neighbours.idFloor(), environment.time()),
                        new LentTransactions(file, neighbours, writer, operationNanos),
                        new Visibility(name, SQLiteConnection.class),
                        new Repeats(environment.time())));
        writer.start();
        bell.start();
        return open;
    }

    /** The database is no longer one that this code may write. */
    private static void refuse(AtomicReference<@Nullable Writer> writer, IncompatibleStoreException why) {
        Writer refusing = writer.get();
        if (refusing != null) {
            refusing.refuse(why);
        }
    }

    private static <E extends RuntimeException> E closing(SqliteFile.Opened database, E e) {
        try {
            database.close();
        } catch (SQLException closing) {
            e.addSuppressed(closing);
        }
        return e;
    }

    private Writing writing() {
        if (writing == null) {
            throw readOnly();
        }
        return writing;
    }

    private StoreUnavailableException readOnly() {
        return new StoreUnavailableException(
                "the store %s is for reading only: nothing can be changed in it".formatted(file.path()));
    }

    /** All who write wait for it: measured beside enqueues. */
    @Override
    public Duration expiryTime() {
        return Duration.ofMillis(1);
    }

    @Override
    public String location() {
        return file.path().toString();
    }

    private <T> CompletableFuture<T> submit(Operation<T> operation) {
        Writing opened = writing;
        if (opened == null) {
            operation.fail(readOnly());
            return operation.future;
        }
        InvalidRequestException refusal = opened.lent.refusal(operation::what);
        if (refusal == null) {
            return opened.writer.submit(operation).future;
        }
        if (operation instanceof Operation.Tell) {
            // What an attempt reports is not waited for, and neither is room for it, which only the turn can make.
            return opened.writer.submitNow(operation).future;
        }
        operation.fail(refusal);
        return operation.future;
    }

    @Override
    public <T extends @Nullable Object, E extends Exception> T inTransaction(TransactionWork<T, E> work) throws E {
        return writing().lent.run(work);
    }

    @Override
    public boolean isInTransaction() {
        Writing opened = writing;
        return opened != null && opened.neighbours.isLentToThisThread();
    }

    /** Has this done when what the caller's transaction wrote is visible: at once after the commit of one that was lent. */
    private static void whenVisible(Writing opened, Connection connection, BooleanSupplier isVisible, Runnable ring) {
        TransactionConnection lent = lentBehind(connection);
        if (lent == null) {
            opened.visibility.watch(connection, isVisible, ring);
        } else {
            lent.afterCommit(() -> opened.visibility.ring(isVisible, ring));
        }
    }

    /** Has the writer go on with the children that a caller's transaction has left, once it has committed. */
    private void goOnWhenVisible(Writing opened, Connection connection, Set<Long> parents) {
        if (!parents.isEmpty()) {
            whenVisible(
                    opened,
                    connection,
                    () -> readers.read(
                            "looking for children that are left",
                            statements ->
                                    !Dependents.unfinished(statements, parents).isEmpty()),
                    () -> opened.writer.goOn(parents));
        }
    }

    private static @Nullable TransactionConnection lentBehind(Connection connection) {
        try {
            return TransactionConnection.behind(connection);
        } catch (SQLException e) {
            log.debug("What is behind a connection is not known", e);
            return null;
        }
    }

    @Override
    public CompletableFuture<List<EnqueuedJob>> enqueue(List<JobRow> jobs) {
        if (jobs.isEmpty()) {
            return CompletableFuture.completedFuture(List.of());
        }
        return submit(new Operation.Enqueue(List.copyOf(jobs)));
    }

    @Override
    public List<EnqueuedJob> enqueue(Connection connection, List<JobRow> jobs) {
        Writing opened = writing();
        List<EnqueuedJob> enqueued =
                opened.callers.run(connection, "enqueuing " + jobs.size() + " jobs", Enqueues.ids(jobs) + 1, tx -> {
                    if (Enqueues.withKeys(jobs)) {
                        // A transaction that has not written yet takes the write lock now: what a key is
                        // decided by must not be read in a state that may be old.
                        tx.stamp();
                    }
                    List<EnqueuedJob> answers = Enqueues.add(tx, jobs, Enqueues.check(tx, jobs));
                    Enqueues.flush(tx, HandOff.NONE);
                    return answers;
                });
        TransactionConnection lent = lentBehind(connection);
        if (lent != null) {
            lent.enqueued(enqueued.stream()
                    .filter(job -> !job.deduplicated())
                    .map(EnqueuedJob::id)
                    .toList());
        }
        long last = enqueued.stream()
                .filter(job -> !job.deduplicated())
                .mapToLong(EnqueuedJob::id)
                .max()
                .orElse(0);
        if (last > 0) {
            Set<Names.Lane> lanes = new HashSet<>();
            jobs.forEach(job -> lanes.add(new Names.Lane(job.queue(), job.type())));
            whenVisible(opened, connection, () -> isVisible(readers, last), () -> {
                long now = opened.environment.time().now().toEpochMilli();
                for (JobRow job : jobs) {
                    if (job.waitMillis() != null) {
                        opened.environment.signals().waitEnds(now + job.waitMillis());
                    }
                }
                ring(opened, lanes);
            });
        }
        return enqueued;
    }

    private static void ring(Writing opened, Collection<Names.Lane> lanes) {
        lanes.forEach(lane -> opened.environment.signals().ready(lane.queue(), lane.type()));
        if (opened.neighbours.others() > 0) {
            opened.neighbours.ring();
        }
    }

    private static boolean hasEnded(Readers readers, Hold hold) {
        return readers.read("looking for an attempt", statements -> {
            return statements
                            .get(WorkflowSql.ATTEMPT_HAS_ENDED)
                            .set(1, hold.id())
                            .set(2, hold.token())
                            .oneOrNull()
                    != null;
        });
    }

    private static boolean isVisible(Readers readers, long id) {
        return readers.read(
                "looking for a job",
                statements -> Queries.outcome(statements, id).isPresent());
    }

    @Override
    public CompletableFuture<Claimed> claim(ClaimRequest request) {
        return submit(new Operation.Claim(request));
    }

    @Override
    public void started(Started started) {
        submit(new Operation.Start(started)).exceptionally(e -> {
            starts(started, e);
            return null;
        });
    }

    /** It is said by the end of the attempt as well. */
    private void starts(Started started, Throwable e) {
        Writing now = writing;
        if (now != null) {
            now.unrecorded.tell(more -> log.warn(
                    "The start of job {} is not recorded, and will be with its end: {}{}",
                    started.hold().id(),
                    e.getMessage(),
                    more));
        }
    }

    @Override
    public CompletableFuture<Boolean> report(Report report) {
        return submit(new Operation.Tell(report));
    }

    @Override
    public CompletableFuture<Boolean> settle(Settlement settlement) {
        return submit(new Operation.Settle(settlement));
    }

    @Override
    public CompletableFuture<Optional<StepAnswer>> step(StepWrite step) {
        return submit(new Operation.Step(step));
    }

    @Override
    public Optional<StepAnswer> step(Connection connection, StepWrite step) {
        return writing().callers.run(connection, "writing step '" + step.name() + "'", 1, tx -> {
            // As for the end of an attempt.
            tx.stamp();
            return Settles.writeStep(tx, step);
        });
    }

    @Override
    public List<JobStory.Step> steps(long job) {
        return readers.read("reading the steps of job " + job, statements -> Steps.read(statements, job));
    }

    @Override
    public CompletableFuture<Signalled> signal(Signal signal) {
        return submit(new Operation.Tidings(signal));
    }

    @Override
    public Signalled signal(Connection connection, Signal signal) {
        Writing opened = writing();
        List<Names.Lane> lanes = new ArrayList<>();
        Signalled signalled = opened.callers.run(connection, "signalling job " + signal.job(), 2, tx -> {
            tx.stamp();
            Signalled done = Steps.signal(tx, signal);
            tx.turns.arrange();
            lanes.addAll(tx.lanesToTell());
            return done;
        });
        if (!lanes.isEmpty()) {
            whenVisible(
                    opened,
                    connection,
                    () -> readers.read("looking for an event", statements -> hasArrived(statements, signal)),
                    () -> ring(opened, lanes));
        }
        return signalled;
    }

    private static boolean hasArrived(Statements statements, Signal signal) throws SQLException {
        JobStory.Step step = Steps.find(statements, signal.job(), signal.name());
        return step != null && step.state() == JobStory.StepState.DONE;
    }

    @Override
    public CompletableFuture<List<Hold>> renew(List<Hold> holds, long leaseMillis) {
        return submit(new Operation.Renew(List.copyOf(holds), leaseMillis));
    }

    @Override
    public List<Suspect> suspects(long leaseMillis, @Nullable Suspect after, int limit) {
        long now = time.now().toEpochMilli();
        return readers.read("looking for expired leases", statements -> {
            Query query = statements.get(Sql.SUSPECTS);
            query.set(1, now)
                    .set(2, now + leaseMillis)
                    .set(3, limit)
                    .set(4, after == null ? Long.MIN_VALUE : after.leaseUntilMillis())
                    .set(5, after == null ? Long.MIN_VALUE : after.hold().id());
            return suspects(query, false);
        });
    }

    @Override
    public List<Suspect> heldBy(String process, int limit) {
        return readers.read("looking for what a process holds", statements -> {
            Query query = statements.get(Sql.HELD_BY);
            query.set(1, process).set(2, limit);
            return suspects(query, true);
        });
    }

    private static List<Suspect> suspects(Query query, boolean processEnded) throws SQLException {
        return query.list(rows -> new Suspect(
                new Hold(rows.getLong(1), rows.getLong(2)),
                rows.getLong(3),
                rows.getInt(4),
                rows.getInt(5),
                rows.getInt(9) != 0,
                rows.getInt(10),
                rows.getInt(6) != 0,
                rows.getString(7),
                rows.getString(12),
                rows.getString(8),
                rows.getLong(11),
                processEnded));
    }

    @Override
    public CompletableFuture<List<Reclaim>> reclaim(List<Reclaim> reclaims, long withinMillis) {
        return submit(new Operation.TakeBack(List.copyOf(reclaims), withinMillis));
    }

    @Override
    public CompletableFuture<Void> touch() {
        return submit(new Operation.Registry(SqliteTransaction::stamp));
    }

    @Override
    public CompletableFuture<Void> announce(WorkerRow worker) {
        return submit(new Operation.Registry(tx -> Registry.announce(tx, worker)));
    }

    @Override
    public CompletableFuture<Void> withdraw(WorkerId worker) {
        return submit(new Operation.Registry(tx -> Registry.withdraw(tx, worker)));
    }

    @Override
    public CompletableFuture<Void> withdrawProcess(String process) {
        return submit(new Operation.Registry(tx -> Registry.withdrawProcess(tx, process)));
    }

    @Override
    public List<WorkerSnapshot> workers() {
        long now = time.now().toEpochMilli();
        return readers.read("reading the registry", statements -> Workers.read(statements, now));
    }

    @Override
    public CompletableFuture<ChangeResult> change(Change change) {
        List<Long> ids = change.ids();
        return ids == null ? changeMatching(change) : submit(new Operation.Modify(change, ids, true));
    }

    @Override
    public CompletableFuture<Integer> endWaits(int limit) {
        return submit(new Operation.Keep("ending waits", 0, tx -> Waits.end(tx, limit)))
                .thenApply(Long::intValue);
    }

    private CompletableFuture<ChangeResult> changeMatching(Change change) {
        ChangeByFilter.Source source = new ChangeByFilter.Source() {
            @Override
            public long newest() {
                return readers.read("finding jobs", Listings::newest);
            }

            @Override
            public ChangeByFilter.Page find(JobFilter filter, boolean ascending, @Nullable Long beyond) {
                return readers.read("finding jobs", statements -> listings.ids(statements, filter, ascending, beyond));
            }
        };
        return ChangeByFilter.run(change, source, part -> submit(new Operation.Modify(change, part, false)));
    }

    @Override
    public CompletableFuture<Control> control(ControlChange change) {
        CompletableFuture<Control> said = submit(new Operation.Govern(change));
        if (change.scope().kind() != Scope.Kind.KEY) {
            return said;
        }
        String what = "changing what is said of " + change.scope();
        try {
            said.get();
            while (arranged(change.scope().name(), true)) {
                log.debug("{} goes on: many jobs have it", change.scope());
            }
            return said;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return CompletableFuture.failedFuture(new OutcomeUnknownException(
                    what + " has an unknown outcome: interrupted while it was written", List.of()));
        } catch (ExecutionException e) {
            return CompletableFuture.failedFuture(e.getCause());
        }
    }

    /** Brings a part of the jobs of a key in line with what is said of it; answers whether there are more. */
    private boolean arranged(String key, boolean said) throws InterruptedException, ExecutionException {
        AtomicBoolean more = new AtomicBoolean();
        submit(new Operation.Registry(tx -> more.set(tx.turns.arrange(key, said))))
                .get();
        return more.get();
    }

    @Override
    public int arrange() {
        long now = time.now().toEpochMilli();
        List<String> unfinished = readers.read("looking for keys with ready jobs too many", Turns::unfinished);
        int needed = unfinished.size();
        boolean goesOn = arrange(unfinished, true);
        String after = "";
        while (after != null && goesOn) {
            String from = after;
            Turns.Stalled stalled =
                    readers.read("looking for keys with room", statements -> Turns.stalled(statements, from, now));
            needed += stalled.keys().size();
            goesOn = arrange(stalled.keys(), false);
            after = stalled.next();
        }
        return needed + (goesOn ? goOn() : 0);
    }

    /** Arranges these keys, part by part; answers whether it was not interrupted. */
    private boolean arrange(List<String> keys, boolean said) {
        for (String key : keys) {
            try {
                while (arranged(key, said)) {
                    log.debug("Key {} has room for many jobs, or many that must not start", key);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            } catch (ExecutionException e) {
                if (e.getCause() instanceof WindrowException cause) {
                    throw cause;
                }
                throw new WindrowException("arranging key '" + key + "' failed: " + e.getCause(), e.getCause());
            }
        }
        return true;
    }

    /** Begins to go on with the children that ended parents have left: the rest follows by itself. */
    private int goOn() {
        List<Long> parents = readers.read("looking for children that are left", Dependents::unfinished);
        if (!parents.isEmpty()) {
            try {
                Void unused = submit(new Operation.Release(parents)).get();
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
        return submit(new Operation.Timetable<>(
                "changing schedule " + change.name(),
                1,
                SqliteRuns.IDS,
                tx -> Schedules.change(tx, new SqliteRuns(tx), change)));
    }

    @Override
    public ScheduleChanged schedule(Connection connection, ScheduleChange change) {
        Writing opened = writing();
        ScheduleChanged changed =
                opened.callers.run(connection, "changing schedule " + change.name(), SqliteRuns.IDS, tx -> {
                    // A transaction that has not written yet takes the write lock now: the schedule is looked at by it.
                    tx.stamp();
                    return Schedules.change(tx, new SqliteRuns(tx), change);
                });
        ScheduleRow row = changed.schedule();
        TransactionConnection lent = lentBehind(connection);
        Long job = changed.job();
        if (lent != null && job != null) {
            lent.enqueued(List.of(job));
        }
        if (change.verb() == ScheduleChange.Verb.REMOVE) {
            // No caller waits for a schedule that is gone.
            return changed;
        }
        whenVisible(opened, connection, () -> isVisible(readers, row), () -> {
            if (row.nextAtMillis() != null) {
                opened.environment.signals().scheduleDue(row.nextAtMillis());
            }
            JobRow template = row.definition().job();
            ring(opened, job == null ? List.of() : List.of(new Names.Lane(template.queue(), template.type())));
        });
        return changed;
    }

    private static boolean isVisible(Readers readers, ScheduleRow row) {
        return readers.read("looking for a schedule", statements -> {
            Optional<ScheduleRow> seen = Schedules.find(statements, row.name());
            return seen.filter(s -> s.id() == row.id() && s.revision() >= row.revision())
                    .isPresent();
        });
    }

    @Override
    public DueSchedules dueSchedules(@Nullable ScheduleRow after, int limit) {
        long now = time.now().toEpochMilli();
        return readers.read("looking for due schedules", statements -> Schedules.due(statements, now, after, limit));
    }

    @Override
    public CompletableFuture<Fired> fire(List<Firing> firings) {
        List<Firing> all = List.copyOf(firings);
        int ids = SqliteRuns.ids(all);
        return submit(new Operation.Timetable<>(
                "seeing to " + all.size() + " schedules",
                all.size() + ids / 2,
                ids,
                tx -> Firings.fire(tx, new SqliteRuns(tx), all)));
    }

    @Override
    public List<ScheduleRow> schedules() {
        return readers.read("reading schedules", Schedules::all);
    }

    @Override
    public Optional<ScheduleRow> schedule(String name) {
        return readers.read("reading a schedule", statements -> Schedules.find(statements, name));
    }

    @Override
    public List<ScheduleRun> scheduleRuns(String name, int limit) {
        return readers.read("reading the runs of a schedule", statements -> Schedules.runs(statements, name, limit));
    }

    @Override
    public List<Control> controls() {
        return readers.read("reading what is said of queues and types", Controls::read);
    }

    @Override
    public ChangeResult change(Connection connection, Change change) {
        List<Long> ids = change.ids();
        if (ids == null) {
            throw new InvalidRequestException("a change by filter is not possible inside a caller's transaction");
        }
        Writing opened = writing();
        Set<Long> left = new TreeSet<>();
        ChangeResult result =
                opened.callers.run(connection, "changing jobs", Changes.ids(change, ids.size()) + 1, tx -> {
                    ChangeResult done = Changes.apply(tx, change, ids, true);
                    left.addAll(tx.dependents.left());
                    return done;
                });
        goOnWhenVisible(opened, connection, left);
        TransactionConnection lent = lentBehind(connection);
        if (lent != null) {
            Long next = result.next();
            if (next != null) {
                lent.enqueued(List.of(next));
            }
            // Heard by this process, too, which then looks at what there is.
            // Not on this thread: an interrupt of its handler would close the file that is rung by, for the whole
            // process.
            lent.afterCommit(() -> opened.visibility.ring(() -> true, opened.neighbours::ring));
        }
        return result;
    }

    @Override
    public boolean settle(Connection connection, Settlement settlement) {
        Writing opened = writing();
        Hold hold = settlement.job().hold();
        JobRow next = settlement.next();
        int ids = 3 + (next == null ? 0 : Enqueues.ids(List.of(next)));
        List<Names.Lane> lanes = new ArrayList<>();
        Set<Long> left = new TreeSet<>();
        AtomicLong wait = new AtomicLong(Long.MAX_VALUE);
        boolean applied = opened.callers.run(connection, "settling job " + hold.id(), ids, tx -> {
            // A transaction that has not written yet takes the write lock now: the holder is looked at by it.
            tx.stamp();
            boolean done = Settles.settle(tx, List.of(settlement), Set.of())[0];
            tx.turns.arrange();
            lanes.addAll(tx.lanesToTell());
            wait.set(tx.waitToTell());
            left.addAll(tx.dependents.left());
            return done;
        });
        goOnWhenVisible(opened, connection, left);
        if (applied) {
            JobState to = Objects.requireNonNull(settlement.transition().to());
            whenVisible(opened, connection, () -> hasEnded(readers, hold), () -> {
                if (to.isFinished()) {
                    opened.environment.signals().finished(hold.id(), to);
                }
                if (wait.get() < Long.MAX_VALUE) {
                    opened.environment.signals().waitEnds(wait.get());
                }
                ring(opened, lanes);
            });
        }
        return applied;
    }

    @Override
    public CompletableFuture<Long> stage(BlobPart part) {
        return submit(
                new Operation.Keep("writing a part of a blob", part.content().length, tx -> Blobs.stage(tx, part)));
    }

    @Override
    public long stage(Connection connection, BlobPart part) {
        return writing().callers.run(connection, "writing a part of a blob", 1, tx -> Blobs.stage(tx, part));
    }

    @Override
    public CompletableFuture<Void> unstage(long blob) {
        return submit(new Operation.Keep("dropping a blob", 0, tx -> Blobs.unstage(tx, blob)))
                .thenAccept(dropped -> {});
    }

    @Override
    public CompletableFuture<Integer> sweepStaged(long olderThanMillis, int limit) {
        return submit(new Operation.Keep(
                        "sweeping blobs", limit * BlobPart.MAX_BYTES, tx -> Blobs.sweep(tx, olderThanMillis, limit)))
                .thenApply(Long::intValue);
    }

    @Override
    public byte @Nullable [] blobPart(long blob, int position) {
        return readers.read("reading a part of blob " + blob, statements -> Blobs.read(statements, blob, position))
                .orElse(null);
    }

    @Override
    public Set<Long> existingBlobs(Collection<Long> blobs) {
        return readers.read("looking for blobs", statements -> Blobs.existing(statements, blobs));
    }

    @Override
    public Optional<JobStory> story(long id) {
        return readers.read("reading job " + id, statements -> Queries.story(statements, JobReads::read, id));
    }

    @Override
    public List<JobSnapshot> chain(long id) {
        return readers.read(
                "reading the chain of job " + id, statements -> Queries.chain(statements, JobReads::read, id));
    }

    @Override
    public Map<JobState, Long> workflow(long id) {
        return readers.read("reading workflow " + id, statements -> Queries.workflow(statements, id));
    }

    @Override
    public Optional<BatchProgress> batch(long callback) {
        return readers.read(
                "reading the parents of job " + callback, statements -> Queries.batch(statements, callback));
    }

    @Override
    public Optional<ParentOutcome> outcome(long id) {
        return readers.read("reading job " + id, statements -> Queries.outcome(statements, id));
    }

    @Override
    public Optional<Explanation> explain(long id) {
        long now = time.now().toEpochMilli();
        return readers.read("explaining job " + id, statements -> Queries.explanation(statements, id, now));
    }

    @Override
    public List<ParentOutcome> parents(long id) {
        return readers.read("reading the parents of job " + id, statements -> Queries.parents(statements, id));
    }

    @Override
    public List<Tracing.Origin> origins(long id) {
        return readers.read("reading from where job " + id + " follows", statements -> Queries.origins(statements, id));
    }

    @Override
    public JobPage list(JobQuery query) {
        return readers.read("listing jobs", statements -> listings.list(statements, query));
    }

    @Override
    public List<@Nullable Json> payloads(List<Long> ids) {
        return readers.read("reading payloads", statements -> JobReads.payloads(statements, ids));
    }

    @Override
    public List<AuditEntry> audit(int limit) {
        return readers.read("reading the audit", statements -> Audits.read(statements, limit));
    }

    @Override
    public Statistics statistics() {
        long now = time.now().toEpochMilli();
        return readers.read("reading statistics", statements -> StatisticsQueries.read(statements, now));
    }

    @Override
    public Throughput throughput(Duration window) {
        long now = time.now().toEpochMilli();
        return readers.read("reading throughput", statements -> ThroughputQueries.read(statements, now, window));
    }

    @Override
    public long unfinished(Collection<String> queues, Collection<String> types) {
        return readers.read("counting unfinished jobs", statements -> {
            names.refresh(statements);
            String handled = JsonText.array(names.lanes(Set.copyOf(queues), Set.copyOf(types)));
            long unfinished = statements.get(ReadSql.UNFINISHED).set(1, handled).one();
            if (unfinished == 0) {
                Query retry = statements.get(ReadSql.RETRY_SCHEDULED);
                retry.set(1, handled);
                // Children that are left may be theirs, and are about to be ready.
                unfinished = retry.oneOrNull() == null
                                && Dependents.unfinished(statements).isEmpty()
                        ? 0
                        : 1;
            }
            return unfinished;
        });
    }

    @Override
    public Retention retention() {
        return readers.read("reading the rules of retention", Retentions::read);
    }

    @Override
    public CompletableFuture<Retention> retain(RetentionChange change) {
        return submit(new Operation.Tend<>("changing a rule of retention", 1, tx -> Retentions.change(tx, change)));
    }

    @Override
    public Expiry.Found expiring(Expiry.Search search) {
        long now = time.now().toEpochMilli();
        return readers.read(
                "looking for old jobs",
                statements -> Retentions.find(statements, Removals.lanes(statements, names), search, now));
    }

    @Override
    public CompletableFuture<Expiry.Done> expire(Expiry.Batch batch) {
        int jobs = batch.units().stream().mapToInt(unit -> unit.jobs().size()).sum();
        Writer writer = writing().writer;
        return submit(new Operation.Expire(
                jobs,
                tx -> writer.isLogLong()
                        ? Expiry.Done.later(batch, Writer.LOG_PAUSE_NANOS)
                        : Retentions.expire(tx, new Removals(tx, file.isDurable()), batch)));
    }

    @Override
    public CompletableFuture<Integer> recount() {
        Recounts.Found found = readers.read("counting failures", Recounts::find);
        return found.sums().isEmpty()
                ? CompletableFuture.completedFuture(0)
                : submit(new Operation.Tend<>("putting the sums of failures right", 1, tx -> Recounts.add(tx, found)));
    }

    @Override
    public CompletableFuture<Long> prune(int limit, long asOfMillis) {
        CompletableFuture<Long> rows =
                submit(new Operation.Tend<>("deleting old sums", limit, tx -> Retentions.prune(tx, limit, asOfMillis)));
        boolean last = rows.handle((deleted, failure) -> failure == null && deleted < limit)
                .join();
        List<Long> lanes = last ? idleLanes(limit) : List.of();
        return lanes.isEmpty()
                ? rows
                : submit(new Operation.Tend<>("deleting unused queues", limit, tx -> Removals.deleteLanes(tx, lanes)))
                        .thenCombine(rows, Long::sum);
    }

    /** The next lanes that nothing uses. Steps of one pass look at each lane once, because each look is a scan of those that are left. */
    private List<Long> idleLanes(int limit) {
        try {
            long after = lanesLookedAt;
            List<Long> idle = readers.read(
                    "looking for unused queues", statements -> Removals.idleLanes(statements, limit, after));
            lanesLookedAt = idle.size() < limit ? 0 : idle.get(limit - 1);
            return idle;
        } catch (StoreUnavailableException e) {
            log.warn(
                    "Unused queues could not be looked for, which the next pass of retention tries: {}",
                    e.getMessage());
            return List.of();
        }
    }

    @Override
    public CompletableFuture<Long> shrink() {
        return submit(new Operation.Tend<>("giving back free pages", 1, tx -> FreePages.giveBack(tx.statements())));
    }

    @Override
    public Vacuumed vacuum() {
        Writing unused = writing();
        return FreePages.vacuum(file);
    }

    @Override
    public Duty.State duty(String name) {
        long now = time.now().toEpochMilli();
        return readers.read("reading a duty", statements -> Duties.read(statements, name, now));
    }

    @Override
    public CompletableFuture<Boolean> takeDuty(Duty duty) {
        return submit(new Operation.Tend<>("taking duty " + duty.name(), 1, tx -> Duties.take(tx, duty)));
    }

    @Override
    public CompletableFuture<Boolean> endDuty(Duty duty, @Nullable String detail) {
        return submit(new Operation.Tend<>("ending duty " + duty.name(), 1, tx -> Duties.end(tx, duty, detail)));
    }

    @Override
    public Diagnosis diagnose(DiagnoseRequest request) {
        return diagnoses.diagnose(request);
    }

    @Override
    public List<Health.Duty> duties() {
        Writing opened = writing;
        return opened == null ? List.of() : List.of(opened.writer.duty(), opened.bell.duty());
    }

    @Override
    public void close() {
        diagnoses.close();
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        if (writing != null) {
            writing.bell.close();
            writing.visibility.close();
        }
        // Before the writer: the last connection to close writes the log back and removes it, and a read-only one
        // cannot.
        readers.close();
        if (writing != null) {
            writing.writer.close();
            writing.neighbours.close();
        }
    }
}
