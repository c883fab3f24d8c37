package dev.windrow.store.sql.retention;

import dev.windrow.JobState;
import dev.windrow.store.retention.Expire;
import dev.windrow.store.retention.Expiry;
import dev.windrow.store.sql.connection.Columns;
import dev.windrow.store.sql.connection.JsonText;
import dev.windrow.store.sql.connection.Query;
import dev.windrow.store.sql.connection.Rows;
import dev.windrow.store.sql.connection.Statement;
import dev.windrow.store.sql.job.DedupeKey;
import dev.windrow.store.sql.writer.WriteTransaction;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The deletion of jobs that were found to be old, inside of a transaction for which other transactions wait. It deletes jobs that have not changed
 * since they were found, and that no other job needs, until the time is over.
 *
 * <p>A job may have tens of thousands of edges. They are deleted before it, some in each transaction, and the job with the last of them. Two kinds of
 * edges can be deleted early, because the job at the other end has ended for good. These are edges to children that are {@code COMPLETED}, and edges
 * of a {@code COMPLETED} job to its parents. The job may stay after all, because another job began to depend on it in between. Then it has lost only
 * some of its history. The edges of a {@code FAILED} or {@code CANCELLED} job to its parents are deleted with it. Until then it may be retried, and
 * gets the results of its parents.
 */
final class ExpiryBatch {
    /** The number of units that are processed together. Between two such groups the transaction may end. */
    private static final int PART = 64;
    /** The result of {@link #forgetChildren} for a job that a child needs. */
    private static final int NEEDED = -1;

    private record Edge(long child, int position, boolean satisfied) {}

    private static final Columns<Edge> EDGES =
            new Columns<Edge>().longs(Edge::child).ints(Edge::position);
    private static final Columns<Edge> CHILDREN = new Columns<Edge>().longs(Edge::child);
    private static final Columns<DedupeKey> KEYS = new Columns<DedupeKey>()
            .texts(DedupeKey::type)
            .texts(DedupeKey::key)
            .longs(DedupeKey::job);

    private final WriteTransaction tx;
    private final Retentions.Removal removal;
    private final Expire batch;
    private final long begin = System.nanoTime();

    /** The jobs that were read, in their present state. */
    private final Map<Long, Retentions.Going> rows = new HashMap<>();

    private final Map<JobState, Long> deleted = new EnumMap<>(JobState.class);
    private final List<String> files = new ArrayList<>();
    private boolean parts;
    private List<Expiry.Unit> left;
    private int kept;
    private boolean began;

    /** Creates a batch. Its time begins now. */
    ExpiryBatch(WriteTransaction tx, Retentions.Removal removal, Expire batch) {
        this.tx = tx;
        this.removal = removal;
        this.batch = batch;
        this.left = batch.units();
    }

    /** Deletes the jobs that may be deleted, until none are left or the time is over. */
    Expiry.Done run() throws SQLException {
        while (!left.isEmpty() && hasTime()) {
            if (!part(left.subList(0, Math.min(PART, left.size())))) {
                break;
            }
        }
        Long audit = audit();
        return new Expiry.Done(
                new Expiry.Deleted(Map.copyOf(deleted), List.copyOf(files), parts, audit),
                List.copyOf(left),
                kept,
                System.nanoTime() - begin,
                0);
    }

    /** True if there is time for more. The first unit is processed in any case, so that a pass makes progress. */
    private boolean hasTime() {
        return !began || System.nanoTime() - begin < batch.budgetNanos();
    }

    /** Processes the first of these; returns true if there may be time for more. */
    private boolean part(List<Expiry.Unit> units) throws SQLException {
        Map<Long, Boolean> present =
                present(units.stream().flatMap(unit -> unit.jobs().stream()).toList());
        Set<Long> unchanged = present.entrySet().stream()
                .filter(Map.Entry::getValue)
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
        Map<Long, Integer> edges = edges(unchanged);
        List<Expiry.Unit> going = new ArrayList<>();
        int taken = 0;
        int sum = 0;
        for (Expiry.Unit unit : units) {
            if (unit.jobs().stream().allMatch(job -> unchanged.contains(job.id()))) {
                int weight = weight(unit, edges);
                if (sum > 0 && sum + weight > Expiry.EDGES) {
                    break;
                }
                sum += weight;
                if (sum > Expiry.EDGES) {
                    delete(going);
                    left = left.subList(taken, left.size());
                    return alone(unit);
                }
                going.add(unit);
            } else {
                // Absent jobs were deleted by another process. They do not count as kept.
                kept += (int) unit.jobs().stream()
                        .filter(job -> present.containsKey(job.id()))
                        .count();
            }
            taken++;
        }
        delete(going);
        began = true;
        left = left.subList(taken, left.size());
        return true;
    }

    /** Processes the first unit that is left, which has many edges; returns true if there may be time for more. */
    private boolean alone(Expiry.Unit unit) throws SQLException {
        switch (lighten(unit)) {
            case LATER -> {
                return false;
            }
            case NEEDED -> kept += unit.jobs().size();
            case LIGHT -> delete(List.of(unit));
        }
        left = left.subList(1, left.size());
        return true;
    }

    private static int weight(Expiry.Unit unit, Map<Long, Integer> edges) {
        int sum = 0;
        for (Expiry.Job job : unit.jobs()) {
            sum += edges.getOrDefault(job.id(), 0);
        }
        return sum;
    }

    private enum Lightened {
        /** The unit may be deleted. */
        LIGHT,
        /** The unit stays. */
        NEEDED,
        /** The time is over. */
        LATER
    }

    /** Deletes the edges of a unit that may be deleted before it. */
    private Lightened lighten(Expiry.Unit unit) throws SQLException {
        Set<Long> ids = unit.jobs().stream().map(Expiry.Job::id).collect(Collectors.toSet());
        for (Expiry.Job job : unit.jobs()) {
            int gone = Expiry.EDGES;
            while (gone == Expiry.EDGES) {
                if (!hasTime()) {
                    return Lightened.LATER;
                }
                gone = forgetChildren(job.id(), ids);
                began |= gone > 0;
                if (gone == NEEDED) {
                    return Lightened.NEEDED;
                }
            }
        }
        for (Expiry.Job job : unit.jobs()) {
            int gone = job.state() == JobState.COMPLETED ? Expiry.EDGES : 0;
            while (gone == Expiry.EDGES) {
                if (!hasTime()) {
                    return Lightened.LATER;
                }
                gone = forgetParents(job.id());
                began |= gone > 0;
            }
        }
        return Lightened.LIGHT;
    }

    private void delete(List<Expiry.Unit> units) throws SQLException {
        if (units.isEmpty()) {
            return;
        }
        began = true;
        Set<Long> needed = ExpirySearch.kept(tx.statements(), units);
        List<Expiry.Job> jobs = new ArrayList<>();
        for (Expiry.Unit unit : units) {
            if (needed.contains(unit.root())) {
                kept += unit.jobs().size();
            } else {
                jobs.addAll(unit.jobs());
            }
        }
        if (!jobs.isEmpty()) {
            remove(jobs);
            jobs.forEach(job -> deleted.merge(job.state(), 1L, Long::sum));
        }
    }

    /**
     * Returns the jobs among these that exist, each with true if it has not changed since it was found. Locks their rows against other transactions.
     */
    private Map<Long, Boolean> present(List<Expiry.Job> jobs) throws SQLException {
        List<Retentions.Going> found = tx.statements()
                .get(Statement.LOCK_EXPIRING)
                .ids(1, jobs.stream().map(Expiry.Job::id).toList())
                .list(row -> new Retentions.Going(
                        /* id= */ row.getLong(1),
                        /* lane= */ row.getLong(2),
                        /* state= */ JobState.valueOf(row.getString(3)),
                        /* finishedAt= */ Rows.longOrNull(row, 4),
                        /* key= */ DedupeKey.of(tx, row.getLong(2), row.getString(6), row.getString(5), row.getLong(1)),
                        /* errorCode= */ row.getString(7)));
        found.forEach(row -> rows.put(row.id(), row));
        Map<Long, Boolean> present = new HashMap<>();
        for (Expiry.Job job : jobs) {
            Retentions.Going row = rows.get(job.id());
            if (row != null) {
                present.put(
                        job.id(),
                        row.state() == job.state()
                                && row.finishedAt() != null
                                && row.finishedAt() == job.finishedAtMillis());
            }
        }
        return present;
    }

    /** Counts the edges of these jobs. Edges to children and edges to parents are each counted up to {@link Expiry#EDGES} and one more. */
    private Map<Long, Integer> edges(Collection<Long> jobs) throws SQLException {
        Map<Long, Integer> edges = new HashMap<>();
        try (ResultSet found = tx.statements()
                .get(Statement.COUNT_EDGES)
                .ids(1, jobs)
                .set(2, Expiry.EDGES + 1)
                .rows()) {
            while (found.next()) {
                edges.put(found.getLong(1), found.getInt(2) + found.getInt(3));
            }
        }
        return edges;
    }

    /**
     * Deletes edges of a job to {@code COMPLETED} children that are not in {@code besides}. Returns their number, or {@link #NEEDED} if another child
     * is not {@code COMPLETED}.
     */
    private int forgetChildren(long job, Collection<Long> besides) throws SQLException {
        return forget(tx.statements()
                .get(Statement.EDGES_TO_CHILDREN)
                .set(1, job)
                .set(2, Expiry.EDGES)
                .ids(3, besides));
    }

    /** Deletes edges of a {@code COMPLETED} job to its parents; returns their number. */
    private int forgetParents(long job) throws SQLException {
        return forget(
                tx.statements().get(Statement.EDGES_TO_PARENTS).set(1, job).set(2, Expiry.EDGES));
    }

    private int forget(Query query) throws SQLException {
        List<Edge> edges = new ArrayList<>();
        try (ResultSet found = query.rows()) {
            while (found.next()) {
                if (!JobState.COMPLETED.name().equals(found.getString(4))) {
                    return NEEDED;
                }
                edges.add(new Edge(found.getLong(1), found.getInt(2), found.getBoolean(3)));
            }
        }
        List<Edge> open = edges.stream().filter(edge -> !edge.satisfied).toList();
        if (!edges.isEmpty()) {
            tx.wrote();
        }
        // Jobs are changed before their edges, as by every change of edges.
        tx.statements().get(Statement.FORGET_OPEN_EDGES).all(1, CHILDREN, open);
        tx.statements().get(Statement.FORGET_EDGES).all(1, EDGES, edges);
        return edges.size();
    }

    /** Deletes these jobs, with all that belongs to them. */
    private void remove(List<Expiry.Job> jobs) throws SQLException {
        List<Retentions.Going> going = jobs.stream()
                .map(job -> Objects.requireNonNull(rows.get(job.id())))
                .toList();
        tx.wrote();
        // Events of these jobs that the transaction has added go with them.
        tx.flushEvents();
        tx.statements()
                .get(Statement.FORGET_PARENTS)
                .ids(1, going.stream().map(Retentions.Going::id).toList())
                .update();
        Retentions.Gone gone = removal.delete(going);
        files.addAll(gone.files());
        parts |= gone.parts();
        List<DedupeKey> keys = new ArrayList<>();
        for (Retentions.Going job : going) {
            tx.left(job.lane(), job.state());
            if (job.state() == JobState.FAILED) {
                tx.noLongerFailed(job.errorCode());
            }
            if (job.key() != null) {
                keys.add(job.key());
            }
        }
        tx.statements()
                .get(Statement.EXPIRE_KEYS)
                .set(1, batch.pass().asOfMillis())
                .all(2, KEYS, keys);
    }

    /** Adds the deleted jobs to the entry of the pass, and creates it if it does not exist; returns the entry. */
    private @Nullable Long audit() throws SQLException {
        long jobs = deleted.values().stream().mapToLong(Long::longValue).sum();
        Long entry = batch.audit();
        if (jobs == 0) {
            return entry;
        }
        Map<JobState, Long> all = new EnumMap<>(JobState.class);
        all.putAll(batch.before());
        deleted.forEach((state, count) -> all.merge(state, count, Long::sum));
        String detail = JsonText.object(
                "rules",
                batch.pass().rules(),
                JobState.COMPLETED.name(),
                all.get(JobState.COMPLETED),
                JobState.FAILED.name(),
                all.get(JobState.FAILED),
                JobState.CANCELLED.name(),
                all.get(JobState.CANCELLED));
        if (entry != null
                && tx.statements()
                                .get(Statement.GROW_PASS)
                                .set(1, entry)
                                .set(2, jobs)
                                .set(3, detail)
                                .update()
                        == 1) {
            return entry;
        }
        return tx.statements()
                .get(Statement.INSERT_PASS)
                .set(1, tx.now())
                .set(2, tx.actor(batch.pass().author().actor()))
                .set(3, jobs)
                .set(4, detail)
                .set(5, batch.pass().author().reason())
                .one();
    }
}
