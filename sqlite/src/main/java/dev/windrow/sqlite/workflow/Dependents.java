package dev.windrow.sqlite.workflow;

import dev.windrow.EventKind;
import dev.windrow.JobState;
import dev.windrow.sqlite.job.Changes;
import dev.windrow.sqlite.job.DedupeSql;
import dev.windrow.sqlite.job.Enqueues;
import dev.windrow.sqlite.job.Keys;
import dev.windrow.sqlite.step.Waits;
import dev.windrow.sqlite.writer.SqliteTransaction;
import dev.windrow.store.Author;
import dev.windrow.store.job.Change;
import dev.windrow.store.sql.connection.JsonText;
import dev.windrow.store.sql.connection.Query;
import dev.windrow.store.sql.connection.Rows;
import dev.windrow.store.sql.connection.Statements;
import dev.windrow.store.sql.job.Audits;
import dev.windrow.store.sql.job.ChangedRow;
import dev.windrow.store.sql.job.DedupeKey;
import dev.windrow.store.sql.workflow.RetriedDependents;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Releases or cancels the children of an ended parent: BLOCKED -> PENDING or SCHEDULED, or CANCELLED, and then the children of the cancelled ones.
 * The transaction that ends the parent satisfies its open edges, and subtracts exactly these from the children's counts of open parents.
 *
 * <p>One transaction does so for at most {@link #PART} children of a parent. The rest is stored in {@code windrow_releases}, and done in later
 * transactions. Until then the state of the parent does not change: a retry first finishes the release.
 *
 * <p>A retry with dependents stores the dependents that it does not retry itself in the same way. If the parent ends before they are retried, its end
 * leaves all children until the last dependent is retried. If the end was no success, it leaves them until the retry is void.
 */
public final class Dependents {
    /** The most children of one parent that one transaction changes. */
    public static final int PART = 1000;
    /** The most children of all parents together that one transaction changes, approximately. */
    private static final int MOST = 3 * PART;
    /** The number of levels below an ended parent on which one transaction cancels children. */
    private static final int DEPTH = 100;
    /** The state in the row of a parent that was retried with its dependents. */
    private static final String RETRIED = "RETRIED";

    private final SqliteTransaction tx;
    /** The parents whose other children this transaction has left to later ones. */
    private final Set<Long> left = new LinkedHashSet<>();
    /** The dependents that this transaction has retried for earlier retries, by the actors of those retries. */
    private final Map<Author, List<ChangedRow>> back = new LinkedHashMap<>();

    private int touched;

    public Dependents(SqliteTransaction tx) {
        this.tx = tx;
    }

    private record Edge(long parent, long child, int position, boolean satisfies) {}

    /**
     * A parent with children that are left to later transactions.
     *
     * @param state the state in which it ended; null if it was retried with its dependents
     * @param author the author of its retry
     */
    private record Unfinished(
            long parent,
            @Nullable JobState state,
            long after,
            @Nullable Author author) {
        /** Returns the state in the row. */
        private String text() {
            return state == null ? RETRIED : state.name();
        }
    }

    public static void release(SqliteTransaction tx, Map<Long, JobState> ended) throws SQLException {
        tx.dependents.release(ended);
    }

    /** Returns the parents with children that are left, to be processed after the commit. */
    public Set<Long> left() {
        return left;
    }

    private void release(Map<Long, JobState> ended) throws SQLException {
        Map<Long, JobState> parents = mayHaveChildren(ended.keySet()) ? ended : Map.of();
        for (int depth = 0; !parents.isEmpty(); depth++) {
            if (depth == DEPTH || touched >= MOST) {
                leave(parents);
                return;
            }
            Map<Long, JobState> cancelled = new TreeMap<>();
            release(parents, true, cancelled);
            release(parents, false, cancelled);
            parents = cancelled;
        }
    }

    /** False if no job from the first to the last of these has children. So many jobs without children cost one statement. For one job it is true. */
    private boolean mayHaveChildren(Set<Long> jobs) throws SQLException {
        return jobs.size() == 1
                || (!jobs.isEmpty()
                        && tx.statements()
                                .get(WorkflowSql.CHILDREN_BETWEEN)
                                .set(1, Collections.min(jobs))
                                .set(2, Collections.max(jobs))
                                .exists());
    }

    private void release(Map<Long, JobState> ended, boolean completed, Map<Long, JobState> cancelled)
            throws SQLException {
        Map<Long, JobState> parents = new TreeMap<>();
        ended.forEach((id, state) -> {
            if ((state == JobState.COMPLETED) == completed) {
                parents.put(id, state);
            }
        });
        if (parents.isEmpty()) {
            return;
        }
        Query query = tx.statements().get(WorkflowSql.OPEN_EDGES);
        query.ids(1, parents.keySet()).set(2, completed ? 1 : 0).set(3, MOST);
        List<Edge> found = edges(query);
        if (found.isEmpty()) {
            return;
        }
        Set<Long> comingBack =
                retried(found.stream().map(Edge::parent).distinct().toList());
        List<Edge> edges = new ArrayList<>(found.size());
        Map<Long, Integer> counts = new HashMap<>();
        Map<Long, JobState> more = new TreeMap<>();
        for (Edge edge : found) {
            if (counts.merge(edge.parent, 1, Integer::sum) <= PART && !comingBack.contains(edge.parent)) {
                edges.add(edge);
            } else {
                more.put(edge.parent, Objects.requireNonNull(parents.get(edge.parent)));
            }
        }
        apply(edges, parents, cancelled);
        leave(found.size() == MOST ? parents : more);
    }

    /** Returns the parents among these whose dependents are still to be retried. */
    private Set<Long> retried(Collection<Long> parents) throws SQLException {
        Query query = tx.statements().get(WorkflowSql.RETRIES_OF);
        query.ids(1, parents);
        return new HashSet<>(parents(query));
    }

    private static List<Edge> edges(Query query) throws SQLException {
        return query.list(rows -> new Edge(rows.getLong(1), rows.getLong(2), rows.getInt(3), rows.getInt(4) != 0));
    }

    /** Leaves the other children of these parents to later transactions. */
    private void leave(Map<Long, JobState> parents) throws SQLException {
        Query leave = tx.statements().get(WorkflowSql.LEAVE_CHILDREN);
        for (Map.Entry<Long, JobState> parent : parents.entrySet()) {
            leave.set(1, parent.getKey()).set(2, parent.getValue().name());
            if (leave.update() == 1) {
                left.add(parent.getKey());
            }
        }
    }

    /** Leaves the other dependents of these jobs, which this author has retried, to later transactions. */
    public void leaveDependents(Collection<Long> retried, Author author) throws SQLException {
        Query leave = tx.statements().get(WorkflowSql.LEAVE_DEPENDENTS);
        leave.ids(1, retried).set(2, tx.names.actor(author.actor())).set(3, author.reason());
        left.addAll(parents(leave));
    }

    /** Moves the unfinished retry of dependents from a job to the next one of its chain, because they wait for the end of the chain. */
    void moveRetry(long job, long next) throws SQLException {
        if (tx.statements()
                        .get(WorkflowSql.MOVE_CHAIN_RETRY)
                        .set(1, job)
                        .set(2, next)
                        .update()
                == 1) {
            left.add(next);
        }
    }

    private void apply(List<Edge> edges, Map<Long, JobState> parents, Map<Long, JobState> cancelled)
            throws SQLException {
        touched += edges.size();
        for (Map.Entry<Long, Integer> child : satisfy(edges).entrySet()) {
            subtract(child.getKey(), child.getValue());
        }
        List<DedupeKey> keys = new ArrayList<>();
        for (Edge edge : edges) {
            if (!edge.satisfies && cancel(edge, Objects.requireNonNull(parents.get(edge.parent)), keys)) {
                cancelled.put(edge.child, JobState.CANCELLED);
            }
        }
        if (!edges.isEmpty()) {
            tx.flushEvents();
        }
        Keys.giveUp(tx, DedupeSql.KEY_ENDED, keys);
    }

    private Map<Long, Integer> satisfy(List<Edge> edges) throws SQLException {
        Map<Long, Integer> satisfied = new TreeMap<>();
        List<Edge> satisfying = edges.stream().filter(Edge::satisfies).toList();
        if (satisfying.isEmpty()) {
            return satisfied;
        }
        Query update = tx.statements().get(WorkflowSql.SATISFY_EDGE);
        for (Edge edge : satisfying) {
            update.set(1, edge.child).set(2, edge.position).add();
        }
        boolean[] changed = update.batch();
        for (int i = 0; i < changed.length; i++) {
            if (changed[i]) {
                satisfied.merge(satisfying.get(i).child, 1, Integer::sum);
            }
        }
        return satisfied;
    }

    private void subtract(long child, int count) throws SQLException {
        Query update = tx.statements().get(WorkflowSql.SUBTRACT_PARENTS);
        update.set(1, child).set(2, count).set(3, tx.now());
        long lane;
        Long due;
        long token;
        String key;
        Long waitMillis;
        try (ResultSet row = update.rows()) {
            // A cancelled child keeps the right count, so that a retry knows its open parents.
            if (!row.next() || row.getInt(1) > 0 || !row.getString(2).equals(JobState.BLOCKED.name())) {
                return;
            }
            lane = row.getLong(3);
            due = Rows.longOrNull(row, 4);
            token = row.getLong(5);
            key = row.getString(6);
            waitMillis = Rows.longOrNull(row, 7);
        }
        if (waitMillis != null) {
            Waits.afterParents(tx, child, token, waitMillis);
            return;
        }
        JobState to = due == null ? JobState.PENDING : JobState.SCHEDULED;
        if (tx.statements()
                        .get(WorkflowSql.RELEASE)
                        .set(1, child)
                        .set(2, to.name())
                        .set(3, due == null ? tx.stamp() : due)
                        .update()
                == 1) {
            tx.moved(child, lane, key, JobState.BLOCKED, to);
            tx.event(child, tx.now(), EventKind.RELEASED, tx.names.actor("system"), token, null);
        }
    }

    /** Cancels a child that waits. True if it was cancelled. */
    private boolean cancel(Edge edge, JobState state, List<DedupeKey> keys) throws SQLException {
        Query update = tx.statements().get(WorkflowSql.CANCEL_CHILD);
        update.set(1, edge.child).set(2, tx.now());
        boolean cancels;
        long lane = 0;
        long token = 0;
        DedupeKey dedupeKey = null;
        String concurrencyKey = null;
        try (ResultSet row = update.rows()) {
            cancels = row.next();
            if (cancels) {
                lane = row.getLong(1);
                token = row.getLong(2);
                dedupeKey = DedupeKey.of(tx, lane, row.getString(5), row.getString(3), edge.child);
                concurrencyKey = row.getString(4);
            }
        }
        tx.statements()
                .get(WorkflowSql.MARK_EDGE)
                .set(1, edge.child)
                .set(2, edge.position)
                .set(3, cancels ? 1 : 0)
                .update();
        if (!cancels) {
            return false;
        }
        tx.moved(edge.child, lane, concurrencyKey, JobState.BLOCKED, JobState.CANCELLED);
        tx.event(
                edge.child,
                tx.now(),
                EventKind.CANCELLED,
                tx.names.actor("system"),
                token,
                JsonText.object("reason", "parent %d %s".formatted(edge.parent, state)));
        tx.notices().finished(edge.child, JobState.CANCELLED);
        if (dedupeKey != null) {
            keys.add(dedupeKey);
        }
        return true;
    }

    /** Processes a batch of the children that these parents have left. True if there are more. */
    public boolean release(Collection<Long> parents) throws SQLException {
        boolean more = false;
        for (long parent : parents) {
            if (touched >= MOST) {
                left.add(parent);
                more = true;
            } else {
                more |= releaseMore(parent);
            }
        }
        for (Map.Entry<Author, List<ChangedRow>> each : back.entrySet()) {
            Audits.add(tx, Change.retryDependents(List.of(), each.getKey()), each.getValue());
        }
        back.clear();
        return more;
    }

    /** Processes the next children of one parent. True if there are more. */
    private boolean releaseMore(long parent) throws SQLException {
        Unfinished unfinished = read(parent);
        if (unfinished == null) {
            return false; // another process was faster
        }
        JobState state = unfinished.state;
        if (state == null) {
            bringBack(unfinished, Objects.requireNonNull(unfinished.author));
            // The parent may have ended since its retry.
            left.add(parent);
            return true;
        }
        Query query = tx.statements().get(WorkflowSql.NEXT_OPEN_EDGES);
        query.set(1, parent)
                .set(2, state == JobState.COMPLETED ? 1 : 0)
                .set(3, PART)
                .set(4, unfinished.after);
        List<Edge> edges = edges(query);
        Map<Long, JobState> cancelled = new TreeMap<>();
        apply(edges, Map.of(parent, state), cancelled);
        release(cancelled);
        if (edges.size() < PART) {
            end(unfinished);
            return false;
        }
        move(unfinished, edges.get(PART - 1).child);
        left.add(parent);
        return true;
    }

    private @Nullable Unfinished read(long parent) throws SQLException {
        try (ResultSet row =
                tx.statements().get(WorkflowSql.READ_RELEASE).set(1, parent).rows()) {
            if (!row.next()) {
                return null;
            }
            String state = row.getString(1);
            return state.equals(RETRIED)
                    ? new Unfinished(parent, null, row.getLong(2), new Author(row.getString(3), row.getString(4)))
                    : new Unfinished(parent, JobState.valueOf(state), row.getLong(2), null);
        }
    }

    /**
     * Retries the next dependents of a parent that was retried, and some of their own dependents. If the parent has ended without success again, they
     * stay cancelled until its next retry.
     */
    private void bringBack(Unfinished retry, Author author) throws SQLException {
        JobState now = Enqueues.states(tx, Set.of(retry.parent)).get(retry.parent);
        if (now == null || now == JobState.FAILED || now == JobState.CANCELLED) {
            end(retry);
            return;
        }
        RetriedDependents.Cancelled cancelled = RetriedDependents.cancelledBy(tx, retry.parent, retry.after, PART);
        List<ChangedRow> brought = Changes.bringBack(tx, author, cancelled.ids());
        touched += brought.size();
        if (!brought.isEmpty()) {
            back.computeIfAbsent(author, each -> new ArrayList<>()).addAll(brought);
        }
        if (cancelled.all()) {
            end(retry);
        } else {
            move(retry, cancelled.ids().get(cancelled.ids().size() - 1) + 1);
        }
    }

    private void end(Unfinished unfinished) throws SQLException {
        tx.statements()
                .get(WorkflowSql.END_RELEASE)
                .set(1, unfinished.parent)
                .set(2, unfinished.text())
                .update();
    }

    private void move(Unfinished unfinished, long after) throws SQLException {
        tx.statements()
                .get(WorkflowSql.MOVE_RELEASE)
                .set(1, unfinished.parent)
                .set(2, unfinished.text())
                .set(3, after)
                .update();
    }

    /** Processes all children that the ends of these jobs have left. True if there were any. */
    public boolean finish(Collection<Long> parents) throws SQLException {
        List<Long> unfinished = unfinished(tx.statements(), parents);
        for (long parent : unfinished) {
            while (releaseMore(parent)) {
                left.remove(parent);
            }
        }
        return !unfinished.isEmpty();
    }

    /** Returns some of the parents with children that any process has left. */
    public static List<Long> unfinished(Statements statements) throws SQLException {
        Query query = statements.get(WorkflowSql.RELEASES);
        query.set(1, PART);
        return parents(query);
    }

    /** Returns the parents among these with children that are left. */
    public static List<Long> unfinished(Statements statements, Collection<Long> of) throws SQLException {
        Query query = statements.get(WorkflowSql.RELEASES_OF);
        query.ids(1, of);
        return parents(query);
    }

    private static List<Long> parents(Query query) throws SQLException {
        return query.list(rows -> rows.getLong(1));
    }
}
