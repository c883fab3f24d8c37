package dev.windrow.postgres;

import dev.windrow.Explanation;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobHistory;
import dev.windrow.JobInfo;
import dev.windrow.JobState;
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
import dev.windrow.postgres.connection.Database;
import dev.windrow.postgres.connection.PostgresErrors;
import dev.windrow.postgres.connection.ServerClock;
import dev.windrow.postgres.job.JobReads;
import dev.windrow.postgres.limit.KeyPermits;
import dev.windrow.postgres.monitor.ExaminedTables;
import dev.windrow.postgres.processes.Suspects;
import dev.windrow.postgres.processes.Workers;
import dev.windrow.postgres.retention.Space;
import dev.windrow.postgres.workflow.Dependents;
import dev.windrow.postgres.writer.CallerTransactions;
import dev.windrow.postgres.writer.OwnCommand;
import dev.windrow.postgres.writer.PostgresCommands;
import dev.windrow.postgres.writer.Writer;
import dev.windrow.query.JobFilter;
import dev.windrow.query.JobPage;
import dev.windrow.retention.RetentionRules;
import dev.windrow.retention.SizeChange;
import dev.windrow.schedule.ScheduleRun;
import dev.windrow.store.Command;
import dev.windrow.store.OpenStore;
import dev.windrow.store.StoreEnvironment;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.ChangeByFilter;
import dev.windrow.store.job.Claim;
import dev.windrow.store.job.Enqueue;
import dev.windrow.store.job.FindKeyed;
import dev.windrow.store.job.Reclaim;
import dev.windrow.store.job.Report;
import dev.windrow.store.job.Suspect;
import dev.windrow.store.job.Touch;
import dev.windrow.store.limit.KeysWithRoom;
import dev.windrow.store.monitor.DiagnoseRequest;
import dev.windrow.store.payload.PayloadPage;
import dev.windrow.store.payload.Stage;
import dev.windrow.store.processes.BackgroundTask;
import dev.windrow.store.query.PageRequest;
import dev.windrow.store.query.StoredHistory;
import dev.windrow.store.retention.Expiry;
import dev.windrow.store.retention.Recount;
import dev.windrow.store.retention.Shrink;
import dev.windrow.store.schedule.DueSchedules;
import dev.windrow.store.schedule.ScheduleRow;
import dev.windrow.store.sql.connection.Statement;
import dev.windrow.store.sql.job.Audits;
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
import dev.windrow.workflow.BatchProgress;
import dev.windrow.workflow.ChainFilter;
import dev.windrow.workflow.ChainInfo;
import dev.windrow.workflow.ChainPage;
import dev.windrow.workflow.ParentOutcome;
import dev.windrow.workflow.WorkflowFilter;
import dev.windrow.workflow.WorkflowPage;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** An open queue in a PostgreSQL database. */
final class PostgresOpenStore implements OpenStore {

    private final Database database;
    private final String location;
    private final Diagnoses diagnoses;
    private final Running running;
    private final AtomicBoolean closed = new AtomicBoolean();

    /**
     * Opens the store, and creates the tables if they do not exist.
     *
     * @param database the connections, which this object closes
     */
    PostgresOpenStore(Database database, String location, StoreEnvironment environment, Writer.Probe probe) {
        this.database = database;
        this.location = location;
        this.running = Running.start(database, location, environment, probe);
        this.diagnoses = ExaminedTables.diagnoses(database, location);
    }

    Running running() {
        return running;
    }

    /**
     * Returns the time that a transaction of retention may take. Only commands of the same writer of this process wait for it. A few round trips
     * alone take milliseconds.
     */
    @Override
    public Duration expiryTime() {
        return Duration.ofMillis(10);
    }

    @Override
    public String location() {
        return location;
    }

    @Override
    @SuppressWarnings("unchecked") // a Touch has no result, and the result of a Shrink is a Long
    public <T extends @Nullable Object> CompletableFuture<T> submit(Command<T> command) {
        // The submission is made first, because its age counts from now.
        Submission<T> submission = new Submission<>(command);
        if (command instanceof Touch) {
            // The touch goes through the writers that settle and that renew, because both must get through.
            return (CompletableFuture<T>) CompletableFuture.allOf(
                    submit(Writer.Kind.ALIVE, submission), submit(Writer.Kind.WORK, new Submission<>(command)));
        }
        if (command instanceof Reclaim) {
            // The reclaim waits for the renewals of this process that were submitted before.
            OwnCommand<Boolean> renewals = new OwnCommand<>("waiting for renewals", used -> {}, tx -> true);
            return submit(Writer.Kind.ALIVE, new Submission<>(renewals))
                    .thenCompose(renewed -> submit(Writer.Kind.PATIENT, submission));
        }
        if (command instanceof Shrink) {
            // The server's autovacuum does this.
            return (CompletableFuture<T>) CompletableFuture.completedFuture(0L);
        }
        // If new jobs are being enqueued, a claim joins their transaction and gets them by direct dispatch.
        boolean joins =
                command instanceof Claim && running.writer(Writer.Kind.WORK).isEnqueuing();
        return submit(joins ? Writer.Kind.WORK : PostgresCommands.writer(command), submission);
    }

    private <T extends @Nullable Object> CompletableFuture<T> submit(Writer.Kind kind, Submission<T> submission) {
        // The reports of an attempt have no caller that waits.
        InvalidRequestException refusal =
                submission.is(Report.class) ? null : running.managed().refusal(submission.what());
        if (refusal == null) {
            running.writer(kind).submit(submission);
        } else {
            submission.fail(refusal);
        }
        return submission.future();
    }

    @Override
    public <T extends @Nullable Object> T apply(Connection connection, Command<T> command) {
        requireNewestState(connection, command);
        CallerTransactions.Learn learn = () -> await(
                running.writer(Writer.Kind.ALIVE)
                        .submit(new Submission<>(new OwnCommand<>(
                                "learning names", used -> PostgresCommands.names(used, command), tx -> true)))
                        .future(),
                command.what(),
                "a new queue, type or name could not be written");
        CallerTransactions.Applied<T> applied = running.callers().apply(connection, command, learn);
        List<Long> newJobs = command.newJobs(applied.answer());
        TransactionConnection managed = Running.managedBehind(connection);
        if (managed != null) {
            managed.enqueued(newJobs);
        }
        Long last = newJobs.isEmpty() ? null : Collections.max(newJobs);
        running.afterCommit(connection, command instanceof Enqueue ? last : null, applied.tx());
        return applied.answer();
    }

    /** Requires READ COMMITTED. A transaction that ends or wakes a job must see the jobs that began to wait for it since the transaction began. */
    private static void requireNewestState(Connection connection, Command<?> command) {
        if (command instanceof Enqueue
                || command instanceof Stage
                || (command instanceof Change change && change.dryRun())) {
            return;
        }
        try {
            if (!connection.isClosed()
                    && connection.getTransactionIsolation() > Connection.TRANSACTION_READ_COMMITTED) {
                throw new InvalidRequestException(command.what()
                        + " is possible in a transaction of isolation READ COMMITTED only: a stricter one does not see"
                        + " jobs that have begun to wait since it began; call setTransactionIsolation before its first"
                        + " statement, or use inTransaction");
            }
        } catch (SQLException e) {
            throw PostgresErrors.translate(e, command.what());
        }
    }

    @Override
    public boolean isInTransaction() {
        return running.managed().isInside();
    }

    @Override
    public <T extends @Nullable Object, E extends Exception> T inTransaction(TransactionWork<T, E> work) throws E {
        return running.managed().run(work);
    }

    private <T> T await(CompletableFuture<T> future, String what, String why) {
        try {
            return future.get(2 * database.operationNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreUnavailableException(what + " was interrupted", e);
        } catch (ExecutionException | TimeoutException e) {
            throw new StoreUnavailableException("%s failed: %s: %s".formatted(what, why, e.getMessage()), e);
        }
    }

    @Override
    public long nowMillis() {
        return running.shared().clock().now();
    }

    @Override
    public List<JobHistory.Step> steps(long job) {
        ServerClock clock = running.shared().clock();
        return running
                .readers()
                .read("reading the steps of job " + job, statements -> Steps.read(statements, job))
                .stream()
                .map(step -> Steps.local(step, clock::toLocal))
                .toList();
    }

    /**
     * Leaves out jobs whose rows other transactions have locked. Until these end, no worker can renew the leases. Then the holders need time to do
     * so.
     */
    @Override
    public List<Suspect> suspects(long leaseMillis, @Nullable Suspect after, int limit) {
        ServerClock clock = running.shared().clock();
        List<Suspect> found = new ArrayList<>();
        Suspect last = after;
        while (true) {
            Suspect from = last;
            int wanted = limit - found.size();
            List<Suspect> page = running.read(
                    "looking for expired leases",
                    (statements, now) -> Suspects.suspects(statements, clock, now, leaseMillis, from, wanted));
            Set<Long> free = free(page);
            page.stream()
                    .filter(suspect -> free.contains(suspect.leaseToken().id()))
                    .forEach(found::add);
            if (page.size() < wanted || found.size() == limit) {
                return found;
            }
            last = page.get(wanted - 1);
        }
    }

    private Set<Long> free(List<Suspect> suspects) {
        Set<Long> ids =
                suspects.stream().map(suspect -> suspect.leaseToken().id()).collect(Collectors.toSet());
        return ids.isEmpty()
                ? Set.of()
                : await(
                        submit(
                                Writer.Kind.PATIENT,
                                new Submission<>(new OwnCommand<>(
                                        "looking for locked rows", used -> {}, tx -> Suspects.free(tx, ids)))),
                        "looking for expired leases",
                        "it is unknown whether other transactions have locked rows");
    }

    @Override
    public List<Suspect> heldBy(String process, int limit) {
        ServerClock clock = running.shared().clock();
        return running.readers()
                .read(
                        "reading the jobs that a process holds",
                        statements -> Suspects.heldBy(statements, clock, process, limit));
    }

    @Override
    public List<WorkerInfo> workers() {
        return running.read("reading the registry", Workers::read);
    }

    @Override
    public long newestJob() {
        return running.readers().read("finding jobs", Listings::newest);
    }

    @Override
    public ChangeByFilter.Page matching(JobFilter filter, boolean ascending, @Nullable Long beyond, int look) {
        return running.readers()
                .read("finding jobs", statements -> Listings.ids(statements, filter, ascending, beyond, look));
    }

    @Override
    public List<String> keysToAdmit() {
        return running.readers().read("reading keys with too many ready jobs", KeyPermits::disobedient);
    }

    @Override
    public KeysWithRoom keysWithRoom(String after) {
        return running.read(
                "reading keys with free permits", (statements, now) -> KeyPermits.withRoom(statements, after, now));
    }

    @Override
    public Duration admitTime() {
        return Duration.ofNanos(database.operationNanos());
    }

    @Override
    public List<Long> unreleasedParents() {
        return running.readers().read("reading parents with unreleased children", Dependents::unfinished);
    }

    @Override
    public Recount wrongFailureSums() {
        return running.readers().read("counting failures", Recounts::find);
    }

    @Override
    public DueSchedules dueSchedules(@Nullable ScheduleRow after, int limit) {
        return running.read(
                "looking for due schedules", (statements, now) -> ScheduleTable.due(statements, now, after, limit));
    }

    @Override
    public List<ScheduleRow> schedules() {
        return running.readers().read("reading schedules", ScheduleTable::all);
    }

    @Override
    public Optional<ScheduleRow> schedule(String name) {
        return running.readers().read("reading a schedule", statements -> ScheduleTable.find(statements, name));
    }

    @Override
    public List<ScheduleRun> scheduleRuns(String name, int limit) {
        return running.readers()
                .read("reading the runs of a schedule", statements -> ScheduleTable.runs(statements, name, limit));
    }

    @Override
    public List<Limits> controls() {
        return running.readers().read("reading pauses and limits", StoredLimits::read);
    }

    @Override
    public KeyList keys(int limit) {
        return running.readers().read("listing concurrency keys", statements -> KeyLists.read(statements, limit));
    }

    @Override
    public byte @Nullable [] blobPart(long blob, int position) {
        return running.readers()
                .read("reading a part of blob " + blob, statements -> Blobs.read(statements, blob, position))
                .orElse(null);
    }

    @Override
    public Set<Long> existingBlobs(Collection<Long> blobs) {
        return running.readers().read("looking for blobs", statements -> Blobs.existing(statements, blobs));
    }

    @Override
    public Optional<StoredHistory> history(long id) {
        return running.readers()
                .read("reading job " + id, statements -> Queries.history(statements, JobReads::read, id));
    }

    @Override
    public List<JobInfo> chain(long id) {
        return running.readers()
                .read("reading the chain of job " + id, statements -> Queries.chain(statements, JobReads::read, id));
    }

    @Override
    public Optional<ChainInfo> chainInfo(long job) {
        return running.readers()
                .read("reading the chain of job " + job, statements -> StoredChains.chain(statements, job));
    }

    @Override
    public ChainPage chains(ChainFilter filter, long before, int limit) {
        return running.readers()
                .read("listing chains", statements -> StoredChains.list(statements, filter, before, limit));
    }

    @Override
    public WorkflowPage workflows(WorkflowFilter filter, long before, int limit) {
        return running.readers()
                .read("listing workflows", statements -> StoredWorkflows.list(statements, filter, before, limit));
    }

    @Override
    public Map<JobState, Long> workflow(long id) {
        return running.readers().read("reading workflow " + id, statements -> Queries.workflow(statements, id));
    }

    @Override
    public Optional<BatchProgress> batch(long callback) {
        return running.readers()
                .read("reading the parents of job " + callback, statements -> Queries.batch(statements, callback));
    }

    @Override
    public Optional<ParentOutcome> outcome(long id) {
        return running.readers().read("reading job " + id, statements -> Queries.outcome(statements, id));
    }

    @Override
    public Optional<Long> find(FindKeyed keyed) {
        return running.readers().read(keyed.what(), statements -> Queries.find(statements, keyed));
    }

    @Override
    public Optional<Explanation> explain(long id) {
        return running.read("explaining job " + id, (statements, now) -> Explanations.read(statements, id, now));
    }

    @Override
    public List<ParentOutcome> parents(long id) {
        return running.readers()
                .read("reading the parents of job " + id, statements -> Queries.parents(statements, id));
    }

    @Override
    public List<Tracing.Link> links(long id) {
        return running.readers()
                .read("reading from where job " + id + " follows", statements -> Queries.links(statements, id));
    }

    @Override
    public JobPage list(PageRequest query) {
        return running.readers().read("listing jobs", statements -> JobReads.LISTINGS.list(statements, query));
    }

    @Override
    public JobPage jobs(JobFilter filter, List<Long> ids) {
        return running.readers().read("reading jobs", statements -> JobReads.LISTINGS.jobs(statements, filter, ids));
    }

    @Override
    public PayloadPage payloads(PageRequest query, int max) {
        return running.readers()
                .read("reading payloads", statements -> Listings.texts(statements, query, max, Statement.PAYLOADS));
    }

    @Override
    public PayloadPage metadata(PageRequest query, int max) {
        return running.readers()
                .read("reading metadata", statements -> Listings.texts(statements, query, max, Statement.METADATA));
    }

    @Override
    public Metadata metadata(long job) {
        return running.readers()
                .read("reading the metadata of job " + job, statements -> StoredMetadata.read(statements, job));
    }

    @Override
    public AuditPage audit(AuditFilter filter, @Nullable Long after, int limit) {
        return running.readers().read("reading the audit", statements -> Audits.read(statements, filter, after, limit));
    }

    @Override
    public Statistics statistics() {
        return running.read("reading statistics", StatisticsQueries::read);
    }

    @Override
    public Throughput throughput(Duration window, ThroughputFilter filter) {
        return running.read(
                "reading throughput", (statements, now) -> ThroughputQueries.read(statements, now, window, filter));
    }

    @Override
    public List<String> suggest(SuggestField field, String prefix, int limit) {
        return running.readers()
                .read("reading names", statements -> Suggestions.read(statements, field, prefix, limit));
    }

    @Override
    public long unfinished(Collection<String> queues, Collection<String> types, int minPriority) {
        return running.readers()
                .read(
                        "counting unfinished jobs",
                        statements -> Workers.unfinished(statements, queues, types, minPriority));
    }

    @Override
    public RetentionRules retention() {
        return running.readers().read("reading retention rules", Retentions::read);
    }

    @Override
    public Expiry.Found expiring(Expiry.Search search) {
        return running.read("looking for old jobs", (statements, now) -> Retentions.find(statements, search, now));
    }

    @Override
    public SizeChange vacuum() {
        try {
            return Space.vacuum(database);
        } catch (SQLException e) {
            throw PostgresErrors.translate(e, "vacuuming " + location);
        }
    }

    @Override
    public BackgroundTask.State task(String name) {
        return running.read("reading a background task", (statements, now) -> Leaders.read(statements, name, now));
    }

    @Override
    public Diagnosis diagnose(DiagnoseRequest request) {
        return diagnoses.diagnose(request);
    }

    @Override
    public List<Health.Task> tasks() {
        return running.tasks();
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            diagnoses.close();
            running.close();
            database.close();
        }
    }
}
