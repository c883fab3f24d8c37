package dev.windrow.postgres;

import dev.windrow.BlobRef;
import dev.windrow.EventKind;
import dev.windrow.JobNotFoundException;
import dev.windrow.JobState;
import dev.windrow.Parent;
import dev.windrow.ParentPolicy;
import dev.windrow.store.EnqueuedJob;
import dev.windrow.store.JobRow;
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

/** The verb enqueue: new jobs -> BLOCKED, SCHEDULED or PENDING, or at once RUNNING ({@link HandOff}). */
final class Enqueues {
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
            .ints(job -> job.row.concurrencyKey() == null ? null : Turns.most(job.row.concurrencyKey()));

    private static final Columns<Tag> TAGS = new Columns<Tag>().longs(Tag::job).texts(Tag::tag);

    private static final Columns<Edge> EDGES = new Columns<Edge>()
            .longs(Edge::child)
            .longs(edge -> edge.parent.id())
            .ints(Edge::position)
            .texts(edge -> edge.parent.onFailure().name())
            .ints(edge -> edge.satisfied ? 1 : 0);

    /** A job that is to be inserted; with a worker, into its hands. */
    record NewRow(
            long id,
            int lane,
            JobState state,
            long scheduledAt,
            int open,
            JobRow row,
            @Nullable Integer worker,
            @Nullable Long leaseUntil) {
        Marks.Place place() {
            return new Marks.Place(-row.priority(), scheduledAt, id);
        }

        NewRow givenTo(int holder, long until) {
            return new NewRow(id, lane, JobState.RUNNING, scheduledAt, open, row, holder, until);
        }
    }

    private record Tag(long job, String tag) {}

    private record Edge(long child, int position, Parent parent, boolean satisfied) {}

    /** The jobs of a transaction that are added and not written yet. */
    private final List<NewRow> jobs = new ArrayList<>();

    private final List<Tag> tags = new ArrayList<>();
    private final List<Edge> edges = new ArrayList<>();
    private final WriteTransaction tx;

    Enqueues(WriteTransaction tx) {
        this.tx = tx;
    }

    /** The names that the rows use. */
    static void names(Names.Used used, List<JobRow> rows) {
        for (JobRow row : rows) {
            used.actor(row.actor());
            used.lane(row.queue(), row.type());
        }
    }

    /**
     * Checks everything that may be refused, before anything of this call is written, and locks the parents.
     *
     * @return the states of all parents by id
     */
    static Map<Long, JobState> check(WriteTransaction tx, List<JobRow> rows) throws SQLException {
        Blobs.requireStaged(tx, rows);
        Set<Long> parents = new LinkedHashSet<>();
        for (JobRow row : rows) {
            for (Parent parent : row.parents()) {
                parents.add(parent.id());
            }
        }
        Map<Long, JobState> states = new HashMap<>();
        if (parents.isEmpty()) {
            return states;
        }
        try (ResultSet result =
                tx.statements.get(Sql.PARENT_STATES).ids(1, parents).rows()) {
            while (result.next()) {
                states.put(result.getLong(1), JobState.valueOf(result.getString(2)));
            }
        }
        for (long parent : parents) {
            if (!states.containsKey(parent)) {
                throw new JobNotFoundException("parent", parent);
            }
        }
        return states;
    }

    /** Whether some of them have parents or payloads that have to be looked at before anything is written. */
    static boolean areChecked(List<JobRow> rows) {
        for (JobRow row : rows) {
            if (!row.parents().isEmpty() || BlobRef.of(row.payload()) != null) {
                return true;
            }
        }
        return false;
    }

    /** Whether some of the jobs have a dedupe key. */
    static boolean withDedupeKeys(List<JobRow> rows) {
        for (JobRow row : rows) {
            if (row.dedupe() != null) {
                return true;
            }
        }
        return false;
    }

    /** Whether some of the jobs have a dedupe key or a concurrency key. */
    static boolean withKeys(List<JobRow> rows) {
        for (JobRow row : rows) {
            if (row.dedupe() != null || row.concurrencyKey() != null) {
                return true;
            }
        }
        return false;
    }

    /** Adds the rows, which have no dedupe keys; {@link #flush} writes them. */
    List<EnqueuedJob> add(List<JobRow> rows, Map<Long, JobState> parentStates) {
        List<EnqueuedJob> answers = new ArrayList<>(rows.size());
        for (JobRow row : rows) {
            answers.add(insert(tx.nextId(), row, runAt(row), parentStates));
        }
        return answers;
    }

    /** When a job is to run, by what it says itself. */
    long runAt(JobRow row) {
        return row.runAtMillis() != null
                ? row.runAtMillis()
                : row.delayMillis() != null ? Math.addExact(tx.now, row.delayMillis()) : tx.now;
    }

    EnqueuedJob insert(long id, JobRow row, long runAt, Map<Long, JobState> parentStates) {
        int open = 0;
        for (int i = 0; i < row.parents().size(); i++) {
            Parent parent = row.parents().get(i);
            boolean satisfied = isSatisfied(parent, parentStates);
            open += satisfied ? 0 : 1;
            edges.add(new Edge(id, i, parent, satisfied));
        }
        boolean later = runAt > tx.now;
        JobState state = open > 0 ? JobState.BLOCKED : later ? JobState.SCHEDULED : JobState.PENDING;
        jobs.add(new NewRow(
                id, tx.names.lane(row.queue(), row.type()), state, later ? runAt : tx.stamp, open, row, null, null));
        addTags(id, row);
        tx.event(id, tx.now, EventKind.ENQUEUED, tx.names.actor(row.actor()), 0, null);
        return new EnqueuedJob(id, state, false);
    }

    /** Adds the tags of a job. */
    void addTags(long id, JobRow row) {
        row.tags().forEach(tag -> tags.add(new Tag(id, tag)));
    }

    /** Whether some of the jobs that were added are not written yet. */
    boolean areUnwritten() {
        return !jobs.isEmpty();
    }

    private static boolean isSatisfied(Parent parent, Map<Long, JobState> states) {
        JobState state = states.get(parent.id());
        return state == JobState.COMPLETED
                || (state != null && state.isFinished() && parent.onFailure() == ParentPolicy.RUN);
    }

    /** Writes what was added. */
    void flush(HandOff handOff) throws SQLException {
        if (!jobs.isEmpty()) {
            flushJobs(handOff.take(tx, jobs));
            jobs.clear();
        }
        if (!tags.isEmpty()) {
            Query query = tx.statements.get(Sql.INSERT_TAGS);
            TAGS.bind(query, 1, tags);
            query.update();
            tags.clear();
        }
        if (!edges.isEmpty()) {
            Query query = tx.statements.get(Sql.INSERT_EDGES);
            EDGES.bind(query, 1, edges);
            query.update();
            edges.clear();
        }
    }

    private void flushJobs(List<NewRow> written) throws SQLException {
        Query insert = tx.statements.get(Sql.INSERT_JOBS);
        JOBS.bind(insert, 1, written);
        insert.set(19, tx.now).update();
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
        // In the order of the call, and before anybody looks who could take them.
        written.stream()
                .filter(job -> job.row.concurrencyKey() != null)
                .sorted(Comparator.comparingLong(NewRow::id))
                .forEach(job -> tx.turns.added(job.id, Objects.requireNonNull(job.row.concurrencyKey()), job.state));
        tx.turns.write();
    }
}
