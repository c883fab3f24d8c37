package dev.windrow.sqlite;

import dev.windrow.Explanation;
import dev.windrow.IncompatibleStoreException;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobHistory;
import dev.windrow.JobInfo;
import dev.windrow.JobState;
import dev.windrow.StoreUnavailableException;
import dev.windrow.TimeSource;
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
import dev.windrow.sqlite.connection.LibraryGuard;
import dev.windrow.sqlite.connection.Readers;
import dev.windrow.sqlite.connection.SqliteErrors;
import dev.windrow.sqlite.connection.SqliteFile;
import dev.windrow.sqlite.connection.SqliteStatements;
import dev.windrow.sqlite.job.JobReads;
import dev.windrow.sqlite.job.JobSql;
import dev.windrow.sqlite.limit.KeyPermits;
import dev.windrow.sqlite.monitor.ExaminedFile;
import dev.windrow.sqlite.processes.PeerChanges;
import dev.windrow.sqlite.processes.PeerProcesses;
import dev.windrow.sqlite.processes.PeerWatch;
import dev.windrow.sqlite.processes.Workers;
import dev.windrow.sqlite.query.ReadSql;
import dev.windrow.sqlite.retention.FreePages;
import dev.windrow.sqlite.retention.Removals;
import dev.windrow.sqlite.schema.Migrations;
import dev.windrow.sqlite.schema.SchemaGuard;
import dev.windrow.sqlite.workflow.Dependents;
import dev.windrow.sqlite.writer.CallerTransactions;
import dev.windrow.sqlite.writer.IdFloor;
import dev.windrow.sqlite.writer.ManagedTransactions;
import dev.windrow.sqlite.writer.Names;
import dev.windrow.sqlite.writer.OwnCommand;
import dev.windrow.sqlite.writer.SqliteTransaction;
import dev.windrow.sqlite.writer.TransactionSql;
import dev.windrow.sqlite.writer.Writer;
import dev.windrow.store.Command;
import dev.windrow.store.LogThrottle;
import dev.windrow.store.OpenStore;
import dev.windrow.store.SafeLogger;
import dev.windrow.store.StoreEnvironment;
import dev.windrow.store.job.ChangeByFilter;
import dev.windrow.store.job.Claim;
import dev.windrow.store.job.FindKeyed;
import dev.windrow.store.job.Report;
import dev.windrow.store.job.Suspect;
import dev.windrow.store.limit.KeysWithRoom;
import dev.windrow.store.monitor.DiagnoseRequest;
import dev.windrow.store.payload.PayloadPage;
import dev.windrow.store.processes.BackgroundTask;
import dev.windrow.store.query.PageRequest;
import dev.windrow.store.query.StoredHistory;
import dev.windrow.store.retention.Expiry;
import dev.windrow.store.retention.Prune;
import dev.windrow.store.retention.Recount;
import dev.windrow.store.schedule.DueSchedules;
import dev.windrow.store.schedule.ScheduleRow;
import dev.windrow.store.sql.connection.JsonText;
import dev.windrow.store.sql.connection.Query;
import dev.windrow.store.sql.connection.Statement;
import dev.windrow.store.sql.job.Audits;
import dev.windrow.store.sql.job.SuspectRows;
import dev.windrow.store.sql.limit.KeyLists;
import dev.windrow.store.sql.limit.StoredLimits;
import dev.windrow.store.sql.monitor.Diagnoses;
import dev.windrow.store.sql.monitor.Explanations;
import dev.windrow.store.sql.monitor.StatisticsQueries;
import dev.windrow.store.sql.monitor.Suggestions;
import dev.windrow.store.sql.monitor.ThroughputQueries;
import dev.windrow.store.sql.payload.Blobs;
import dev.windrow.store.sql.payload.StoredMetadata;
import dev.windrow.store.sql.processes.Leaders;
import dev.windrow.store.sql.query.Listings;
import dev.windrow.store.sql.query.Queries;
import dev.windrow.store.sql.retention.Recounts;
import dev.windrow.store.sql.retention.Retentions;
import dev.windrow.store.sql.schedule.ScheduleTable;
import dev.windrow.store.sql.step.Steps;
import dev.windrow.store.sql.workflow.StoredChains;
import dev.windrow.store.sql.workflow.StoredWorkflows;
import dev.windrow.store.sql.writer.Submission;
import dev.windrow.store.sql.writer.TransactionConnection;
import dev.windrow.store.sql.writer.Visibility;
import dev.windrow.workflow.BatchProgress;
import dev.windrow.workflow.ChainFilter;
import dev.windrow.workflow.ChainInfo;
import dev.windrow.workflow.ChainPage;
import dev.windrow.workflow.ParentOutcome;
import dev.windrow.workflow.WorkflowFilter;
import dev.windrow.workflow.WorkflowPage;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.sqlite.SQLiteConnection;

/** A queue in an SQLite file that is open: the writer, the readers, and the watch for changes by peer processes. */
final class SqliteOpenStore implements OpenStore {
    private static final Duration READ_TIMEOUT = Duration.ofSeconds(5);

    private static final Logger log = SafeLogger.of(SqliteOpenStore.class);

    private final SqliteFile file;
    private final TimeSource time;
    private final Names names;
    private final Diagnoses diagnoses;
    private final Readers readers;
    /** The parts that write; null if the store only reads. */
    private final @Nullable Running running;

    private final AtomicBoolean closed = new AtomicBoolean();
    /** The last unused lane that the scan has found in this pass of retention; 0 at the beginning of a pass. */
    private volatile long lanesLookedAt;

    private record Running(
            StoreEnvironment environment,
            PeerProcesses peers,
            PeerWatch notifier,
            Writer writer,
            CallerTransactions callers,
            ManagedTransactions managed,
            Visibility visibility,
            LogThrottle unrecorded) {}

    private SqliteOpenStore(
            SqliteFile file,
            Duration operationTimeout,
            TimeSource time,
            Names names,
            Readers.Opening opening,
            @Nullable Running running) {
        this.file = file;
        this.time = time;
        this.names = names;
        this.diagnoses = ExaminedFile.diagnoses(file, operationTimeout);
        this.readers = new Readers(file, opening, READ_TIMEOUT.toNanos(), file.name());
        this.running = running;
    }

    /** Opens an existing file for reading, and writes nothing. */
    static SqliteOpenStore reading(SqliteStore store, TimeSource time) {
        SqliteFile file = store.file();
        if (!Files.exists(file.path())) {
            throw new StoreUnavailableException("reading %s failed: the file does not exist".formatted(file.path()));
        }
        file.checkReadable("reading " + file.path());
        LibraryGuard.check(file.realPath());
        try (SqliteFile.Opened database = file.openExaminer()) {
            Migrations.requireReadable(database, file.location());
            file.identify();
        } catch (SQLException e) {
            throw SqliteErrors.translate(e, "reading " + file.path());
        }
        return new SqliteOpenStore(file, store.operationTimeout, time, new Names(), file::openExaminer, null);
    }

    /** Opens a file, and creates it if it does not exist. */
    static SqliteOpenStore writing(SqliteStore store, StoreEnvironment environment) {
        SqliteFile file = store.file();
        PeerProcesses peers = PeerProcesses.join(file.checkPlace());
        boolean done = false;
        try {
            SqliteOpenStore open = writing(store, file, environment, peers);
            done = true;
            return open;
        } finally {
            if (!done) {
                peers.close();
            }
        }
    }

    private static SqliteOpenStore writing(
            SqliteStore store, SqliteFile file, StoreEnvironment environment, PeerProcesses peers) {
        long operationNanos = store.operationTimeout.toNanos();
        Names names = new Names();
        IdFloor idFloor = peers.idFloor(file.tables());
        SqliteFile.Opened database = file.openWriter();
        SchemaGuard guard;
        try {
            Migrations.apply(database, file.location(), environment.time().now().toEpochMilli());
            try (SqliteStatements statements = database.statements()) {
                file.identify();
                guard = SchemaGuard.of(file, statements);
                names.refresh(statements);
            }
        } catch (SQLException e) {
            throw closing(database, SqliteErrors.translate(e, "opening " + file.path()));
        } catch (RuntimeException e) {
            throw closing(database, e);
        }
        String name = file.name();
        AtomicReference<@Nullable Writer> refusing = new AtomicReference<>();
        PeerChanges peerChanges = new PeerChanges(file, names, environment.hints(), why -> refuse(refusing, why));
        PeerWatch notifier = new PeerWatch(peers, peerChanges, name, store.safetyLook);
        Writer writer = new Writer(
                file, database, guard, peers, notifier, idFloor, names, environment, operationNanos, store.probe, name);
        refusing.set(writer);
        SqliteOpenStore open = new SqliteOpenStore(
                file,
                store.operationTimeout,
                environment.time(),
                names,
                file::openReader,
                new Running(
                        /* environment= */ environment,
                        /* peers= */ peers,
                        /* notifier= */ notifier,
                        /* writer= */ writer,
                        /* callers= */ new CallerTransactions(file, guard, names, idFloor, environment),
                        /* managed= */ new ManagedTransactions(file, peers, writer, operationNanos),
                        /* visibility= */ new Visibility(name, SQLiteConnection.class),
                        /* unrecorded= */ new LogThrottle(environment.time())));
        writer.start();
        notifier.start();
        return open;
    }

    /** Refuses all further writes, because this code may no longer write the database. */
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

    private Running running() {
        if (running == null) {
            throw readOnly();
        }
        return running;
    }

    private StoreUnavailableException readOnly() {
        return new StoreUnavailableException(
                "the store %s is read-only: open it without readOnly() to change it".formatted(file.location()));
    }

    /** Short, because all writers wait for it. The value was measured with concurrent enqueues. */
    @Override
    public Duration expiryTime() {
        return Duration.ofMillis(1);
    }

    @Override
    public String location() {
        return file.location();
    }

    @Override
    @SuppressWarnings("unchecked") // the result of a Prune is a Long
    public <T extends @Nullable Object> CompletableFuture<T> submit(Command<T> command) {
        return command instanceof Prune prune ? (CompletableFuture<T>) prune(prune) : write(command, false);
    }

    @Override
    public <T extends @Nullable Object> CompletableFuture<T> submitAndWait(Command<T> command) {
        return command instanceof Prune ? submit(command) : write(command, true);
    }

    private <T extends @Nullable Object> CompletableFuture<T> write(Command<T> command, boolean callerWaits) {
        Submission<T> submission = new Submission<>(command);
        Running opened = running;
        InvalidRequestException refusal = opened == null ? null : opened.managed.refusal(command::what);
        if (opened == null) {
            submission.fail(readOnly());
        } else if (refusal == null) {
            if (!callerWaits || !opened.writer.writeHere(submission)) {
                opened.writer.submit(submission);
            }
        } else if (command instanceof Report) {
            // No caller waits for a report, and no caller waits for free space in the queue, which only the managed
            // transaction can make.
            opened.writer.submitNow(submission);
        } else {
            submission.fail(refusal);
        }
        return submission.future();
    }

    @Override
    public <T extends @Nullable Object> T apply(Connection connection, Command<T> command) {
        Running opened = running();
        CallerTransactions.Applied<T> applied = opened.callers.apply(connection, command);
        TransactionConnection managed = managedBehind(connection);
        if (managed != null) {
            managed.enqueued(command.newJobs(applied.answer()));
        }
        SqliteTransaction.Aftermath aftermath = applied.aftermath();
        if (!aftermath.isEmpty()) {
            Runnable afterwards = () -> afterCommit(opened, aftermath);
            if (managed == null) {
                opened.visibility.watch(connection, () -> isCommitted(aftermath), afterwards);
            } else {
                managed.afterCommit(() -> opened.visibility.notice(() -> isCommitted(aftermath), afterwards));
            }
        }
        return applied.answer();
    }

    private static void afterCommit(Running opened, SqliteTransaction.Aftermath aftermath) {
        aftermath.tell(opened.environment.hints());
        if (aftermath.concernsOthers() && opened.peers.others() > 0) {
            opened.peers.ring();
        }
        opened.writer.release(aftermath.parents());
    }

    /**
     * True if a caller's transaction has committed. A transaction that has written no event is recognised by the ids that it has taken. After a
     * rollback another transaction may take the same ids. Then the hints are sent although nothing was written, and their receivers find nothing.
     */
    private boolean isCommitted(SqliteTransaction.Aftermath aftermath) {
        SqliteTransaction.Witness witness = aftermath.witness();
        return readers.read("looking for a commit", statements -> {
            return witness == null
                    ? statements.get(TransactionSql.NEXT_ID).one() >= aftermath.endOfIds()
                    : statements
                            .get(JobSql.HAS_EVENT)
                            .set(1, witness.job())
                            .set(2, witness.seq())
                            .exists();
        });
    }

    @Override
    public <T extends @Nullable Object, E extends Exception> T inTransaction(TransactionWork<T, E> work) throws E {
        return running().managed.run(work);
    }

    @Override
    public boolean isInTransaction() {
        Running opened = running;
        return opened != null && opened.peers.isManagedByThisThread();
    }

    private static @Nullable TransactionConnection managedBehind(Connection connection) {
        try {
            return TransactionConnection.behind(connection);
        } catch (SQLException e) {
            log.debug("A connection cannot be unwrapped; it counts as one of the caller's", e);
            return null;
        }
    }

    @Override
    public long nowMillis() {
        return time.now().toEpochMilli();
    }

    @Override
    public List<JobHistory.Step> steps(long job) {
        return readers.read("reading the steps of job " + job, statements -> Steps.read(statements, job));
    }

    @Override
    public List<Suspect> suspects(long leaseMillis, @Nullable Suspect after, int limit) {
        long now = time.now().toEpochMilli();
        return readers.read("looking for expired leases", statements -> {
            Query query = statements.get(JobSql.SUSPECTS);
            query.set(1, now)
                    .set(2, now + leaseMillis)
                    .set(3, limit)
                    .set(4, after == null ? Long.MIN_VALUE : after.leaseUntilMillis())
                    .set(5, after == null ? Long.MIN_VALUE : after.leaseToken().id());
            return SuspectRows.read(query, LongUnaryOperator.identity(), false);
        });
    }

    @Override
    public List<Suspect> heldBy(String process, int limit) {
        return readers.read("looking for the jobs that a process holds", statements -> {
            Query query = statements.get(JobSql.HELD_BY);
            query.set(1, process).set(2, limit);
            return SuspectRows.read(query, LongUnaryOperator.identity(), true);
        });
    }

    @Override
    public List<WorkerInfo> workers() {
        long now = time.now().toEpochMilli();
        return readers.read("reading the registry", statements -> Workers.read(statements, now));
    }

    @Override
    public long newestJob() {
        return readers.read("finding jobs", Listings::newest);
    }

    @Override
    public ChangeByFilter.Page matching(JobFilter filter, boolean ascending, @Nullable Long beyond, int look) {
        return readers.read("finding jobs", statements -> Listings.ids(statements, filter, ascending, beyond, look));
    }

    @Override
    public List<String> keysToAdmit() {
        return readers.read("looking for keys with too many ready jobs", KeyPermits::disobedient);
    }

    @Override
    public KeysWithRoom keysWithRoom(String after) {
        long now = time.now().toEpochMilli();
        return readers.read(
                "looking for keys with free permits", statements -> KeyPermits.withRoom(statements, after, now));
    }

    @Override
    public Duration admitTime() {
        return Duration.ofNanos(Long.MAX_VALUE);
    }

    @Override
    public List<Long> unreleasedParents() {
        return readers.read("looking for children to release", Dependents::unfinished);
    }

    @Override
    public Recount wrongFailureSums() {
        return readers.read("counting failures", Recounts::find);
    }

    @Override
    public DueSchedules dueSchedules(@Nullable ScheduleRow after, int limit) {
        long now = time.now().toEpochMilli();
        return readers.read(
                "looking for due schedules", statements -> ScheduleTable.due(statements, now, after, limit));
    }

    @Override
    public List<ScheduleRow> schedules() {
        return readers.read("reading schedules", ScheduleTable::all);
    }

    @Override
    public Optional<ScheduleRow> schedule(String name) {
        return readers.read("reading a schedule", statements -> ScheduleTable.find(statements, name));
    }

    @Override
    public List<ScheduleRun> scheduleRuns(String name, int limit) {
        return readers.read(
                "reading the runs of a schedule", statements -> ScheduleTable.runs(statements, name, limit));
    }

    @Override
    public List<Limits> controls() {
        return readers.read("reading pauses and limits", StoredLimits::read);
    }

    @Override
    public KeyList keys(int limit) {
        return readers.read("listing concurrency keys", statements -> KeyLists.read(statements, limit));
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
    public Optional<StoredHistory> history(long id) {
        return readers.read("reading job " + id, statements -> Queries.history(statements, JobReads::read, id));
    }

    @Override
    public List<JobInfo> chain(long id) {
        return readers.read(
                "reading the chain of job " + id, statements -> Queries.chain(statements, JobReads::read, id));
    }

    @Override
    public Optional<ChainInfo> chainInfo(long job) {
        return readers.read("reading the chain of job " + job, statements -> StoredChains.chain(statements, job));
    }

    @Override
    public ChainPage chains(ChainFilter filter, long before, int limit) {
        return readers.read("listing chains", statements -> StoredChains.list(statements, filter, before, limit));
    }

    @Override
    public WorkflowPage workflows(WorkflowFilter filter, long before, int limit) {
        return readers.read("listing workflows", statements -> StoredWorkflows.list(statements, filter, before, limit));
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
    public Optional<Long> find(FindKeyed keyed) {
        return readers.read(keyed.what(), statements -> Queries.find(statements, keyed));
    }

    @Override
    public Optional<Explanation> explain(long id) {
        long now = time.now().toEpochMilli();
        return readers.read("explaining job " + id, statements -> Explanations.read(statements, id, now));
    }

    @Override
    public List<ParentOutcome> parents(long id) {
        return readers.read("reading the parents of job " + id, statements -> Queries.parents(statements, id));
    }

    @Override
    public List<Tracing.Link> links(long id) {
        return readers.read("reading from where job " + id + " follows", statements -> Queries.links(statements, id));
    }

    @Override
    public JobPage list(PageRequest query) {
        return readers.read("listing jobs", statements -> JobReads.LISTINGS.list(statements, query));
    }

    @Override
    public JobPage jobs(JobFilter filter, List<Long> ids) {
        return readers.read("reading jobs", statements -> JobReads.LISTINGS.jobs(statements, filter, ids));
    }

    @Override
    public PayloadPage payloads(PageRequest query, int max) {
        return readers.read(
                "reading payloads", statements -> Listings.texts(statements, query, max, Statement.PAYLOADS));
    }

    @Override
    public PayloadPage metadata(PageRequest query, int max) {
        return readers.read(
                "reading metadata", statements -> Listings.texts(statements, query, max, Statement.METADATA));
    }

    @Override
    public Metadata metadata(long job) {
        return readers.read("reading the metadata of job " + job, statements -> StoredMetadata.read(statements, job));
    }

    @Override
    public AuditPage audit(AuditFilter filter, @Nullable Long after, int limit) {
        return readers.read("reading the audit", statements -> Audits.read(statements, filter, after, limit));
    }

    @Override
    public Statistics statistics() {
        long now = time.now().toEpochMilli();
        return readers.read("reading statistics", statements -> StatisticsQueries.read(statements, now));
    }

    @Override
    public Throughput throughput(Duration window, ThroughputFilter filter) {
        long now = time.now().toEpochMilli();
        return readers.read(
                "reading throughput", statements -> ThroughputQueries.read(statements, now, window, filter));
    }

    @Override
    public List<String> suggest(SuggestField field, String prefix, int limit) {
        return readers.read("reading names", statements -> Suggestions.read(statements, field, prefix, limit));
    }

    @Override
    public long unfinished(Collection<String> queues, Collection<String> types, int minPriority) {
        return readers.read("counting unfinished jobs", statements -> {
            names.refresh(statements);
            String handled = JsonText.array(names.lanes(Set.copyOf(queues), Set.copyOf(types)));
            long unfinished = minPriority == Claim.EVERY_PRIORITY
                    ? statements.get(ReadSql.UNFINISHED).set(1, handled).one()
                    : statements
                            .get(ReadSql.UNFINISHED_FROM)
                            .set(1, handled)
                            .set(2, minPriority)
                            .one();
            if (unfinished == 0) {
                Query retry = statements.get(ReadSql.RETRY_SCHEDULED);
                retry.set(1, handled).set(2, minPriority);
                // Unreleased children may belong to these lanes, and become ready soon.
                unfinished = retry.oneOrNull() == null
                                && Dependents.unfinished(statements).isEmpty()
                        ? 0
                        : 1;
            }
            return unfinished;
        });
    }

    @Override
    public RetentionRules retention() {
        return readers.read("reading retention rules", Retentions::read);
    }

    @Override
    public Expiry.Found expiring(Expiry.Search search) {
        long now = time.now().toEpochMilli();
        return readers.read("looking for old jobs", statements -> Retentions.find(statements, search, now));
    }

    private CompletableFuture<Long> prune(Prune prune) {
        CompletableFuture<Long> rows = write(prune, false);
        boolean last = rows.handle((deleted, failure) -> failure == null && deleted < prune.limit())
                .join();
        List<Long> lanes = last ? idleLanes(prune.limit()) : List.of();
        return lanes.isEmpty()
                ? rows
                : write(
                                new OwnCommand<>(
                                        Command.Phase.UPKEEP,
                                        "deleting unused queues",
                                        lanes.size(),
                                        tx -> Removals.deleteLanes(tx, lanes)),
                                false)
                        .thenCombine(rows, Long::sum);
    }

    /** The next lanes that nothing uses. The steps of one pass query each lane once, because each query scans all lanes that remain. */
    private List<Long> idleLanes(int limit) {
        try {
            long after = lanesLookedAt;
            List<Long> idle = readers.read(
                    "looking for unused queues", statements -> Removals.idleLanes(statements, limit, after));
            lanesLookedAt = idle.size() < limit ? 0 : idle.get(limit - 1);
            return idle;
        } catch (StoreUnavailableException e) {
            log.warn("Unused queues could not be read and stay until the next pass of retention: {}", e.getMessage());
            return List.of();
        }
    }

    @Override
    public SizeChange vacuum() {
        Running unused = running();
        return FreePages.vacuum(file);
    }

    @Override
    public BackgroundTask.State task(String name) {
        long now = time.now().toEpochMilli();
        return readers.read("reading a background task", statements -> Leaders.read(statements, name, now));
    }

    @Override
    public Diagnosis diagnose(DiagnoseRequest request) {
        return diagnoses.diagnose(request);
    }

    @Override
    public List<Health.Task> tasks() {
        Running opened = running;
        return opened == null ? List.of() : List.of(opened.writer.task(), opened.notifier.task());
    }

    @Override
    public void close() {
        diagnoses.close();
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        if (running != null) {
            running.notifier.close();
            running.visibility.close();
        }
        // Before the writer: the last connection to close writes the log back and deletes it, and a read-only
        // connection cannot.
        readers.close();
        if (running != null) {
            running.writer.close();
            running.peers.close();
        }
    }
}
