package dev.windrow.sqlite.job;

import dev.windrow.Dedupe;
import dev.windrow.EventKind;
import dev.windrow.JobNotFoundException;
import dev.windrow.JobState;
import dev.windrow.limit.ConcurrencyKey;
import dev.windrow.payload.BlobRef;
import dev.windrow.sqlite.payload.MetadataSql;
import dev.windrow.sqlite.step.Waits;
import dev.windrow.sqlite.workflow.Chains;
import dev.windrow.sqlite.workflow.WorkflowEnqueues;
import dev.windrow.sqlite.workflow.WorkflowSql;
import dev.windrow.sqlite.writer.SqliteTransaction;
import dev.windrow.store.job.Enqueue;
import dev.windrow.store.job.EnqueuedJob;
import dev.windrow.store.job.JobRow;
import dev.windrow.store.job.KeyHolder;
import dev.windrow.store.sql.connection.JsonText;
import dev.windrow.store.sql.connection.Query;
import dev.windrow.store.sql.job.DedupeKey;
import dev.windrow.store.sql.payload.Blobs;
import dev.windrow.store.workflow.ParentPlaces;
import dev.windrow.store.workflow.ParentRules;
import dev.windrow.workflow.Parent;
import dev.windrow.workflow.ParentPolicy;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The verb enqueue: new jobs -> BLOCKED, SCHEDULED or PENDING; RUNNING if a worker takes the job at once ({@link DirectDispatch}). */
public final class Enqueues {
    private static final Insert<NewRow> JOBS = Insert.ofEqual(
            JobSql.INSERT_JOB,
            (values, job) -> values.add(job.id)
                    .add(job.lane)
                    .add(job.state.name())
                    .add(job.row.priority())
                    .add(job.scheduledAt)
                    .add(job.row.maxAttempts())
                    .add(job.row.timeoutMillis())
                    .add(job.open)
                    .add(job.open > 0 ? "PARENTS" : null)
                    .add(job.now)
                    .add(job.actor)
                    .add(job.row.name())
                    .add(job.row.retryPolicy())
                    .add(job.row.traceparent()));

    private static final Insert<NewRow> PAYLOADS = new Insert<>(
            JobSql.INSERT_PAYLOAD, (values, job) -> values.add(job.id).add(job.row.payload()));

    /** A job to insert, with the previous job of its chain if it has one. */
    public record NewRow(
            long id,
            long lane,
            JobState state,
            long scheduledAt,
            int open,
            long now,
            long actor,
            JobRow row,
            @Nullable Long previous) {}

    /** The jobs of a transaction that are added and not written yet. */
    public static final class NewRows {
        private final List<NewRow> jobs = new ArrayList<>();
        private final List<NewRow> payloads = new ArrayList<>();
        private final List<NewRow> ofWorkflows = new ArrayList<>();
        private final List<NewRow> ofChains = new ArrayList<>();
        /** True if some of the jobs continue a chain. */
        private boolean goOn;

        /**
         * The lanes of the jobs that a worker may take at once. Jobs with a dedupe key or a concurrency key are written earlier, and are not among
         * them.
         */
        Set<Long> lanes() {
            return jobs.stream().map(NewRow::lane).collect(Collectors.toSet());
        }

        private void clear() {
            jobs.clear();
            payloads.clear();
            ofWorkflows.clear();
            ofChains.clear();
            goOn = false;
        }
    }

    private Enqueues() {}

    /** Counts the ids that the rows need, including the workflow that they make. */
    public static int ids(List<JobRow> rows) {
        return rows.size() + (JobRow.makeWorkflow(rows) ? 1 : 0);
    }

    /** Checks and writes new jobs. Claims may take some of them at once. */
    public static List<EnqueuedJob> enqueue(SqliteTransaction tx, Enqueue enqueue, DirectDispatch handOff)
            throws SQLException {
        List<EnqueuedJob> answers = add(tx, enqueue.jobs(), check(tx, enqueue.jobs()));
        flush(tx, handOff);
        return answers;
    }

    /** True if some rows have parents or payloads that have to be checked before anything is written. */
    public static boolean areChecked(List<JobRow> rows) {
        for (JobRow row : rows) {
            if (!row.parents().isEmpty() || BlobRef.of(row.payload()) != null) {
                return true;
            }
        }
        return false;
    }

    /**
     * Checks everything that may be refused, before anything of this call is written.
     *
     * @return the states of all parents by id
     */
    public static Map<Long, JobState> check(SqliteTransaction tx, List<JobRow> rows) throws SQLException {
        List<Long> parents = new ArrayList<>();
        for (JobRow row : rows) {
            for (Parent parent : row.parents()) {
                if (parent.id() >= 0) {
                    parents.add(parent.chain() ? Chains.resolve(tx, parent.id()) : parent.id());
                }
            }
        }
        if (ParentPlaces.areNamed(rows)) {
            ParentPlaces unused = ParentPlaces.of(rows);
        }
        Blobs.requireStaged(tx, rows);
        Map<Long, JobState> states = new HashMap<>();
        states(tx, parents).forEach((id, state) -> {
            if (state == null) {
                throw new JobNotFoundException("parent", id);
            }
            states.put(id, state);
        });
        ParentRules.check(rows, states, tx.chainEnds::of);
        return states;
    }

    /** Reads the states of these jobs. The state of a job that does not exist is null. */
    public static Map<Long, @Nullable JobState> states(SqliteTransaction tx, Collection<Long> ids) throws SQLException {
        Map<Long, @Nullable JobState> states = new HashMap<>();
        if (ids.isEmpty()) {
            return states;
        }
        try (ResultSet result =
                tx.statements().get(WorkflowSql.PARENT_STATES).ids(1, ids).rows()) {
            while (result.next()) {
                String state = result.getString(2);
                states.put(result.getLong(1), state == null ? null : JobState.valueOf(state));
            }
        }
        return states;
    }

    /** Adds the rows to the batches of the transaction; {@link #flush} writes them. */
    public static List<EnqueuedJob> add(SqliteTransaction tx, List<JobRow> rows, Map<Long, JobState> parentStates)
            throws SQLException {
        if (ParentPlaces.areNamed(rows) || JobRow.areOfWorkflows(rows)) {
            return WorkflowEnqueues.add(tx, rows, parentStates);
        }
        List<EnqueuedJob> answers = new ArrayList<>(rows.size());
        for (JobRow row : rows) {
            answers.add(addOne(tx, row, parentStates));
        }
        return answers;
    }

    /** Adds a row whose parents have ids. */
    public static EnqueuedJob addOne(SqliteTransaction tx, JobRow row, Map<Long, JobState> parentStates)
            throws SQLException {
        EnqueuedJob answer = add(tx, row, parentStates);
        if (answer.deduplicated()) {
            Blobs.drop(tx, row.payload());
        }
        return answer;
    }

    private static EnqueuedJob add(SqliteTransaction tx, JobRow row, Map<Long, JobState> parentStates)
            throws SQLException {
        Dedupe dedupe = row.dedupe();
        return dedupe == null
                ? collect(tx, tx.nextId(), row, runAt(tx, row), parentStates, null)
                : add(tx, row, dedupe, parentStates);
    }

    /** Adds a job with a dedupe key, or returns the holder of the key in its place. */
    private static EnqueuedJob add(SqliteTransaction tx, JobRow row, Dedupe dedupe, Map<Long, JobState> parentStates)
            throws SQLException {
        Keys.Held held = Keys.read(tx, row.type(), dedupe.key());
        if (held != null && held.holder().state() == null && !tx.newRows.jobs.isEmpty()) {
            // The holder may be a job of this transaction that is not written yet.
            flush(tx, DirectDispatch.NONE);
            held = Keys.read(tx, row.type(), dedupe.key());
        }
        KeyHolder holder = held == null ? null : held.holder();
        KeyHolder.Verdict verdict = holder == null ? KeyHolder.Verdict.TAKE : holder.verdict(dedupe, tx.now());
        return switch (verdict) {
            case KEEP -> {
                KeyHolder kept = Objects.requireNonNull(holder);
                yield new EnqueuedJob(kept.job(), kept.reportedState(), true);
            }
            case CHANGE -> Replaces.replace(tx, Objects.requireNonNull(held), row, dueAt(tx, row, dedupe, holder));
            case TAKE -> {
                long id = tx.nextId();
                long due = dueAt(tx, row, dedupe, holder);
                Keys.take(
                        tx,
                        new DedupeKey(new DedupeKey.Name(row.type(), dedupe.key()), id),
                        held,
                        dedupe.scope(),
                        KeyHolder.expiresAtMillis(dedupe, due, tx.now()));
                yield collect(tx, id, row, due, parentStates, null);
            }
        };
    }

    private static long dueAt(SqliteTransaction tx, JobRow row, Dedupe dedupe, @Nullable KeyHolder holder) {
        Long due = KeyHolder.dueMillis(dedupe, holder, tx.now());
        return due == null ? runAt(tx, row) : due;
    }

    private static long runAt(SqliteTransaction tx, JobRow row) {
        return row.runAtMillis() != null
                ? row.runAtMillis()
                : row.delayMillis() != null ? Math.addExact(tx.now(), row.delayMillis()) : tx.now();
    }

    /** Adds the next job of a chain, whose previous job ends in this transaction. */
    public static void addNext(
            SqliteTransaction tx, long id, JobRow row, Map<Long, JobState> parentStates, long previous)
            throws SQLException {
        collect(tx, id, row, runAt(tx, row), parentStates, previous);
    }

    /** Adds a job to the rows that {@link #flush} writes. */
    private static EnqueuedJob collect(
            SqliteTransaction tx,
            long id,
            JobRow row,
            long runAt,
            Map<Long, JobState> parentStates,
            @Nullable Long previous)
            throws SQLException {
        long lane = tx.lane(row.queue(), row.type());
        int open = 0;
        for (Parent parent : row.parents()) {
            open += isSatisfied(tx, parent, parentStates) ? 0 : 1;
        }
        boolean later = runAt > tx.now();
        Long due = row.scheduled() == null ? null : row.scheduled().dueMillis();
        JobState state =
                open > 0 || row.waitMillis() != null ? JobState.BLOCKED : later ? JobState.SCHEDULED : JobState.PENDING;

        // A waiting job without a time of its own has the time of its enqueue.
        long at = later
                ? runAt
                : due != null ? due : state == JobState.BLOCKED ? tx.now() : tx.stamp(lane, row.priority());
        NewRow added = new NewRow(
                /* id= */ id,
                /* lane= */ lane,
                /* state= */ state,
                /* scheduledAt= */ at,
                /* open= */ open,
                /* now= */ tx.now(),
                /* actor= */ tx.names.actor(row.actor()),
                /* row= */ row,
                /* previous= */ previous);
        tx.newRows.jobs.add(added);
        tx.newRows.goOn |= previous != null;
        if (row.payload() != null) {
            tx.newRows.payloads.add(added);
        }
        if (row.workflow() != null) {
            tx.newRows.ofWorkflows.add(added);
        }
        if (row.beginsChain() && previous == null) {
            tx.newRows.ofChains.add(added);
        }
        addTagsAndMetadata(tx, id, row);
        for (int i = 0; i < row.parents().size(); i++) {
            Parent parent = row.parents().get(i);
            Query edge = tx.statements().get(WorkflowSql.INSERT_EDGE);
            edge.set(1, id)
                    .set(2, i)
                    .set(3, tx.chainEnds.of(parent))
                    .set(4, parent.onFailure().name())
                    .set(5, isSatisfied(tx, parent, parentStates) ? 1 : 0)
                    .set(6, parent.chain() ? 1 : 0)
                    .add();
        }
        String detail = detail(row, previous);
        if (detail != null) {
            tx.event(id, tx.now(), EventKind.ENQUEUED, added.actor, 0, detail);
        }
        return new EnqueuedJob(id, state, false);
    }

    /** Returns the origin of a new job, if it was not enqueued by a call: its schedule or the previous job of its chain. */
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

    /** Adds the tags and the metadata of a job; {@link #flush} writes them. */
    static void addTagsAndMetadata(SqliteTransaction tx, long id, JobRow row) throws SQLException {
        for (String tag : row.tags()) {
            Query insert = tx.statements().get(JobSql.INSERT_TAG);
            insert.set(1, id).set(2, tag).add();
        }
        if (row.metadata() != null) {
            Query insert = tx.statements().get(MetadataSql.INSERT_METADATA);
            insert.set(1, id).set(2, row.metadata()).add();
        }
    }

    private static boolean isSatisfied(SqliteTransaction tx, Parent parent, Map<Long, JobState> states) {
        JobState state = states.get(tx.chainEnds.of(parent));
        return state == JobState.COMPLETED
                || (state != null && state.isFinished() && parent.onFailure() == ParentPolicy.RUN);
    }

    /** Writes the added rows, the parents of foreign keys first. */
    public static void flush(SqliteTransaction tx, DirectDispatch handOff) throws SQLException {
        List<NewRow> waiting = handOff.take(tx, tx.newRows.jobs);
        if (tx.newRows.goOn) {
            JOBS.all(
                    tx.statements(),
                    waiting.stream().filter(job -> job.previous == null).toList());
            Chains.insert(
                    tx, waiting.stream().filter(job -> job.previous != null).toList());
        } else {
            JOBS.all(tx.statements(), waiting);
        }
        for (NewRow job : waiting) {
            ConcurrencyKey key = job.row.concurrencyKey();
            if (key == null) {
                tx.entered(job.lane, job.state);
            } else {
                if (job.state == JobState.PENDING) {
                    tx.enteredHeld(job.lane);
                } else {
                    tx.entered(job.lane, job.state);
                }
                tx.permits.added(job.id, job.lane, key, job.state);
            }
        }
        keepKeys(tx, waiting);
        keepWorkflows(tx);
        keepChains(tx);
        Waits.added(tx, waiting);
        PAYLOADS.all(tx.statements(), tx.newRows.payloads);
        for (NewRow job : tx.newRows.payloads) {
            Blobs.adopt(tx, job.row.payload(), job.id, Blobs.Kind.PAYLOAD);
        }
        tx.newRows.clear();
        tx.statements().get(JobSql.INSERT_TAG).batch();
        tx.statements().get(MetadataSql.INSERT_METADATA).batch();
        tx.statements().get(WorkflowSql.INSERT_EDGE).batch();
        tx.flushEvents();
    }

    /**
     * Writes the workflows of the jobs. The insert does not, because it would cost more for jobs without a workflow. Jobs that a worker has taken at
     * once are included.
     */
    private static void keepWorkflows(SqliteTransaction tx) throws SQLException {
        if (tx.newRows.ofWorkflows.isEmpty()) {
            return;
        }
        Query keep = tx.statements().get(WorkflowSql.KEEP_WORKFLOW);
        for (NewRow job : tx.newRows.ofWorkflows) {
            keep.set(1, job.id).set(2, job.row.workflow()).add();
        }
        keep.batch();
    }

    /** Writes that the jobs begin declared chains, for the same reason. */
    private static void keepChains(SqliteTransaction tx) throws SQLException {
        if (tx.newRows.ofChains.isEmpty()) {
            return;
        }
        Query keep = tx.statements().get(WorkflowSql.KEEP_CHAIN);
        for (NewRow job : tx.newRows.ofChains) {
            keep.set(1, job.id).add();
        }
        keep.batch();
    }

    /** Writes the dedupe keys of the jobs. The insert does not, because it would cost more for jobs without a key. */
    private static void keepKeys(SqliteTransaction tx, List<NewRow> jobs) throws SQLException {
        Query keep = null;
        for (NewRow job : jobs) {
            Dedupe dedupe = job.row.dedupe();
            if (dedupe != null) {
                keep = tx.statements().get(DedupeSql.KEEP_KEY);
                keep.set(1, job.id)
                        .set(2, dedupe.key())
                        .set(3, dedupe.scope().name())
                        .add();
            }
        }
        if (keep != null) {
            keep.batch();
        }
    }
}
