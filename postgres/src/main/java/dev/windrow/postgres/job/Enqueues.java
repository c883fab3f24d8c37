package dev.windrow.postgres.job;

import dev.windrow.EventKind;
import dev.windrow.JobNotFoundException;
import dev.windrow.JobState;
import dev.windrow.payload.BlobRef;
import dev.windrow.postgres.connection.PostgresQuery;
import dev.windrow.postgres.payload.MetadataSql;
import dev.windrow.postgres.step.Waits;
import dev.windrow.postgres.workflow.WorkflowEnqueues;
import dev.windrow.postgres.workflow.WorkflowSql;
import dev.windrow.postgres.writer.Names;
import dev.windrow.postgres.writer.PostgresTransaction;
import dev.windrow.store.job.Enqueue;
import dev.windrow.store.job.EnqueuedJob;
import dev.windrow.store.job.JobRow;
import dev.windrow.store.sql.connection.Columns;
import dev.windrow.store.sql.connection.JsonText;
import dev.windrow.store.sql.limit.ConcurrencyKeys;
import dev.windrow.store.sql.payload.Blobs;
import dev.windrow.store.workflow.ParentPlaces;
import dev.windrow.store.workflow.ParentRules;
import dev.windrow.workflow.Parent;
import dev.windrow.workflow.ParentPolicy;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The verb enqueue: new jobs -> BLOCKED, SCHEDULED or PENDING, or at once RUNNING ({@link DirectDispatch}). */
public final class Enqueues {
    private static final Columns<NewRow> JOBS = new Columns<NewRow>()
            .longs(NewRow::id)
            .ints(NewRow::lane)
            .texts(job -> job.state.name())
            .ints(job -> job.row.priority())
            .longs(NewRow::scheduledAt)
            .ints(job -> job.row.maxAttempts())
            .longs(job -> job.row.timeoutMillis())
            .ints(NewRow::open)
            .texts(job -> job.row.name())
            .texts(job -> job.row.retryPolicy())
            .texts(job -> job.row.traceparent())
            .texts(job -> job.row.payload())
            .ints(NewRow::worker)
            .longs(NewRow::leaseUntil)
            .texts(job -> job.row.dedupe() == null ? null : job.row.dedupe().key())
            .texts(job ->
                    job.row.dedupe() == null ? null : job.row.dedupe().scope().name())
            .texts(job -> job.row.concurrencyKey() == null
                    ? null
                    : job.row.concurrencyKey().key())
            .ints(job -> job.row.concurrencyKey() == null ? null : ConcurrencyKeys.max(job.row.concurrencyKey()))
            .longs(NewRow::previous)
            .longs(job -> job.row.workflow())
            .longs(job -> job.row.beginsChain() ? job.id : null)
            .ints(NewRow::actor);

    private static final Columns<NewRow> PLAIN_JOBS = new Columns<NewRow>()
            .longs(NewRow::id)
            .ints(NewRow::lane)
            .texts(job -> job.state.name())
            .ints(job -> job.row.priority())
            .longs(NewRow::scheduledAt)
            .ints(job -> job.row.maxAttempts())
            .longs(job -> job.row.timeoutMillis())
            .texts(job -> job.row.payload())
            .ints(NewRow::actor);

    private static final Columns<Tag> TAGS = new Columns<Tag>().longs(Tag::job).texts(Tag::tag);

    private static final Columns<Described> METADATA =
            new Columns<Described>().longs(Described::job).texts(Described::metadata);

    private static final Columns<Edge> EDGES = new Columns<Edge>()
            .longs(Edge::child)
            .longs(Edge::parent)
            .ints(Edge::position)
            .texts(edge -> edge.declared.onFailure().name())
            .ints(edge -> edge.satisfied ? 1 : 0)
            .ints(edge -> edge.declared.chain() ? 1 : 0);

    /** A job that is to be inserted. With a worker, it is claimed by that worker. With a previous job, it follows that one in its chain. */
    public record NewRow(
            long id,
            int lane,
            JobState state,
            long scheduledAt,
            int open,
            int actor,
            JobRow row,
            @Nullable Integer worker,
            @Nullable Long leaseUntil,
            @Nullable Long previous) {
        ClaimCursors.Place place() {
            return new ClaimCursors.Place(-row.priority(), scheduledAt, id);
        }

        /** True if the job needs only the columns that most jobs need. */
        private boolean isPlain() {
            return worker == null && previous == null && open == 0 && Enqueues.isPlain(row);
        }

        NewRow givenTo(int holder, long until) {
            return new NewRow(
                    /* id= */ id,
                    /* lane= */ lane,
                    /* state= */ JobState.RUNNING,
                    /* scheduledAt= */ scheduledAt,
                    /* open= */ open,
                    /* actor= */ actor,
                    /* row= */ row,
                    /* worker= */ holder,
                    /* leaseUntil= */ until,
                    /* previous= */ previous);
        }
    }

    /** True if a job of this row needs only the columns that most jobs need. */
    static boolean isPlain(JobRow row) {
        return row.name() == null
                && row.retryPolicy() == null
                && row.traceparent() == null
                && row.dedupe() == null
                && row.concurrencyKey() == null
                && row.workflow() == null
                && !row.beginsChain()
                && row.waitMillis() == null;
    }

    private record Tag(long job, String tag) {}

    private record Described(long job, String metadata) {}

    private record Edge(long child, int position, long parent, Parent declared, boolean satisfied) {}

    /** The jobs of a transaction that are added and not written yet. */
    private final List<NewRow> jobs = new ArrayList<>();

    private final List<Tag> tags = new ArrayList<>();
    private final List<Described> metadata = new ArrayList<>();
    private final List<Edge> edges = new ArrayList<>();
    private final PostgresTransaction tx;

    public Enqueues(PostgresTransaction tx) {
        this.tx = tx;
    }

    /** Checks and writes new jobs in a caller's transaction, where no claim takes part. */
    public static List<EnqueuedJob> enqueue(PostgresTransaction tx, Enqueue enqueue) throws SQLException {
        Enqueues rows = new Enqueues(tx);
        List<EnqueuedJob> answers = rows.checkAndAdd(enqueue);
        rows.flush(DirectDispatch.NONE);
        return answers;
    }

    /** Checks and adds new jobs. {@link #flush} writes them. */
    public List<EnqueuedJob> checkAndAdd(Enqueue enqueue) throws SQLException {
        return WorkflowEnqueues.add(tx, this, enqueue.jobs(), check(tx, enqueue.jobs()));
    }

    /** Adds the names that the rows use. */
    public static void names(Names.Used used, List<JobRow> rows) {
        for (JobRow row : rows) {
            used.actor(row.actor());
            used.lane(row.queue(), row.type());
        }
    }

    /**
     * Makes all checks that may refuse the jobs, before anything of this call is written. Locks the parents.
     *
     * @return the states of all parents by id
     */
    public static Map<Long, JobState> check(PostgresTransaction tx, List<JobRow> rows) throws SQLException {
        Blobs.requireStaged(tx, rows);
        Set<Long> parents = new LinkedHashSet<>();
        Set<Long> chains = new LinkedHashSet<>();
        for (JobRow row : rows) {
            for (Parent parent : row.parents()) {
                if (parent.id() >= 0) {
                    (parent.chain() ? chains : parents).add(parent.id());
                }
            }
        }
        if (ParentPlaces.areNamed(rows)) {
            ParentPlaces unused = ParentPlaces.of(rows);
        }
        Map<Long, JobState> states = states(tx, parents);
        if (!chains.isEmpty()) {
            states.putAll(tx.chains.resolve(chains));
        }
        ParentRules.check(rows, states, tx.chains::end);
        return states;
    }

    /** Locks parents and reads their states. Throws if one does not exist. */
    static Map<Long, JobState> states(PostgresTransaction tx, Set<Long> parents) throws SQLException {
        Map<Long, JobState> states = lockedStates(tx, parents);
        for (long parent : parents) {
            if (!states.containsKey(parent)) {
                throw new JobNotFoundException("parent", parent);
            }
        }
        return states;
    }

    /** Locks the jobs of this set that exist, and reads their states. */
    public static Map<Long, JobState> lockedStates(PostgresTransaction tx, Set<Long> jobs) throws SQLException {
        Map<Long, JobState> states = new HashMap<>();
        if (!jobs.isEmpty()) {
            try (ResultSet result =
                    tx.statements().get(WorkflowSql.PARENT_STATES).ids(1, jobs).rows()) {
                while (result.next()) {
                    states.put(result.getLong(1), JobState.valueOf(result.getString(2)));
                }
            }
        }
        return states;
    }

    /** True if some of the rows have parents or payloads that must be checked before anything is written. */
    public static boolean areChecked(List<JobRow> rows) {
        for (JobRow row : rows) {
            // The jobs of a workflow do not share their queries for keys with the jobs of other calls.
            if (!row.parents().isEmpty() || BlobRef.of(row.payload()) != null || row.workflow() != null) {
                return true;
            }
        }
        return false;
    }

    /** Returns how many ids the rows need: one each, and one for the workflow that they make. */
    public static int ids(List<JobRow> rows) {
        return rows.size() + (JobRow.makeWorkflow(rows) ? 1 : 0);
    }

    /** Adds the rows, which have no dedupe keys. {@link #flush} writes them. */
    public List<EnqueuedJob> add(List<JobRow> rows, Map<Long, JobState> parentStates) throws SQLException {
        List<EnqueuedJob> answers = new ArrayList<>(rows.size());
        for (JobRow row : rows) {
            answers.add(insert(tx.nextId(), row, runAt(row), parentStates));
        }
        return answers;
    }

    /** Returns the time at which a job is to run, by its own parameters. */
    public long runAt(JobRow row) {
        return row.runAtMillis() != null
                ? row.runAtMillis()
                : row.delayMillis() != null ? Math.addExact(tx.now(), row.delayMillis()) : tx.now();
    }

    public EnqueuedJob insert(long id, JobRow row, long runAt, Map<Long, JobState> parentStates) throws SQLException {
        return insert(id, row, runAt, parentStates, null);
    }

    /** Adds a job that may follow a previous one in its chain. */
    public EnqueuedJob insert(
            long id, JobRow row, long runAt, Map<Long, JobState> parentStates, @Nullable Long previous)
            throws SQLException {
        int open = 0;
        for (int i = 0; i < row.parents().size(); i++) {
            Parent parent = row.parents().get(i);
            long waitsFor = tx.chains.end(parent);
            boolean satisfied = isSatisfied(parent, parentStates.get(waitsFor));
            open += satisfied ? 0 : 1;
            edges.add(new Edge(id, i, waitsFor, parent, satisfied));
        }
        boolean later = runAt > tx.now();
        Long due = row.scheduled() == null ? null : row.scheduled().dueMillis();
        JobState state =
                open > 0 || row.waitMillis() != null ? JobState.BLOCKED : later ? JobState.SCHEDULED : JobState.PENDING;
        int lane = tx.names.lane(row.queue(), row.type());
        int actor = (int) tx.actor(row.actor());
        jobs.add(new NewRow(
                /* id= */ id,
                /* lane= */ lane,
                /* state= */ state,
                /* scheduledAt= */
                // Without a time of its own, a waiting job has the time of its enqueue.
                later
                        ? runAt
                        : due != null ? due : state == JobState.BLOCKED ? tx.now() : tx.stamp(lane, row.priority()),
                /* open= */ open,
                /* actor= */ actor,
                /* row= */ row,
                /* worker= */ null,
                /* leaseUntil= */ null,
                /* previous= */ previous));
        addTagsAndMetadata(id, row);
        String detail = detail(row, previous);
        tx.wroteInput(id);
        if (detail != null) {
            tx.event(id, tx.now(), EventKind.ENQUEUED, actor, 0, detail);
        }
        return new EnqueuedJob(id, state, false);
    }

    /** Returns the origin of a new job, as the detail of its event; null if a caller has enqueued it directly. */
    private static @Nullable String detail(JobRow row, @Nullable Long previous) {
        JobRow.Scheduled scheduled = row.scheduled();
        if (scheduled == null && previous == null) {
            return null;
        }
        return JsonText.object(
                "continues",
                previous == null ? null : previous.toString(),
                "schedule",
                scheduled == null ? null : scheduled.name(),
                "due",
                scheduled == null ? null : JsonText.time(scheduled.dueMillis()));
    }

    /** Adds the tags and the metadata of a job. */
    void addTagsAndMetadata(long id, JobRow row) {
        row.tags().forEach(tag -> tags.add(new Tag(id, tag)));
        if (row.metadata() != null) {
            metadata.add(new Described(id, row.metadata()));
        }
    }

    /** True if some of the added jobs are not written yet. */
    boolean areUnwritten() {
        return !jobs.isEmpty();
    }

    private static boolean isSatisfied(Parent parent, @Nullable JobState state) {
        return state == JobState.COMPLETED
                || (state != null && state.isFinished() && parent.onFailure() == ParentPolicy.RUN);
    }

    /** Writes the added jobs. */
    public void flush(DirectDispatch handOff) throws SQLException {
        if (!jobs.isEmpty()) {
            flushJobs(handOff.take(tx, jobs));
            jobs.clear();
        }
        if (!tags.isEmpty()) {
            PostgresQuery query = tx.statements().get(JobSql.INSERT_TAGS);
            query.bind(1, TAGS, tags);
            query.update();
            tags.clear();
        }
        if (!metadata.isEmpty()) {
            PostgresQuery query = tx.statements().get(MetadataSql.INSERT_METADATA);
            query.bind(1, METADATA, metadata);
            query.update();
            metadata.clear();
        }
        if (!edges.isEmpty()) {
            PostgresQuery query = tx.statements().get(WorkflowSql.INSERT_EDGES);
            query.bind(1, EDGES, edges);
            query.update();
            edges.clear();
        }
    }

    private void flushJobs(List<NewRow> written) throws SQLException {
        List<NewRow> plain = written.stream().filter(NewRow::isPlain).toList();
        if (!plain.isEmpty()) {
            PostgresQuery insert = tx.statements().get(JobSql.INSERT_PLAIN_JOBS);
            insert.bind(1, PLAIN_JOBS, plain);
            insert.set(10, tx.now()).update();
        }
        if (plain.size() < written.size()) {
            PostgresQuery insert = tx.statements().get(JobSql.INSERT_JOBS);
            insert.bind(1, JOBS, written.stream().filter(job -> !job.isPlain()).toList());
            insert.set(23, tx.now()).update();
        }
        Waits.added(tx, written);
        for (NewRow job : written) {
            Blobs.adopt(tx, job.row.payload(), job.id, Blobs.Kind.PAYLOAD);
            if (job.row.concurrencyKey() != null && job.state == JobState.PENDING) {
                tx.enteredHeld(job.lane);
            } else {
                tx.entered(job.lane, job.state, job.state == JobState.PENDING ? job.place() : null);
            }
            if (job.state == JobState.SCHEDULED) {
                tx.dueAt(job.scheduledAt);
            }
        }
        // In the order of the call, and before claims could take them.
        written.stream()
                .filter(job -> job.row.concurrencyKey() != null)
                .sorted(Comparator.comparingLong(NewRow::id))
                .forEach(job -> tx.permits.added(job.id, Objects.requireNonNull(job.row.concurrencyKey()), job.state));
        tx.permits.write();
    }
}
