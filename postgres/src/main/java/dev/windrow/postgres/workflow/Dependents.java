package dev.windrow.postgres.workflow;

import dev.windrow.EventKind;
import dev.windrow.JobState;
import dev.windrow.postgres.connection.PostgresQuery;
import dev.windrow.postgres.connection.PostgresStatements;
import dev.windrow.postgres.job.Changes;
import dev.windrow.postgres.job.ClaimCursors;
import dev.windrow.postgres.job.DedupeSql;
import dev.windrow.postgres.job.Keys;
import dev.windrow.postgres.step.Waits;
import dev.windrow.postgres.writer.PostgresTransaction;
import dev.windrow.store.Author;
import dev.windrow.store.job.Change;
import dev.windrow.store.sql.connection.Columns;
import dev.windrow.store.sql.connection.JsonText;
import dev.windrow.store.sql.connection.Rows;
import dev.windrow.store.sql.job.Audits;
import dev.windrow.store.sql.job.ChangedRow;
import dev.windrow.store.sql.job.DedupeKey;
import dev.windrow.store.sql.workflow.RetriedDependents;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
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
 * The effect of a parent's end on its children: BLOCKED -> PENDING or SCHEDULED, or CANCELLED, and so on with their children. Open edges are
 * satisfied in the transaction that ends the parent. Exactly these edges are subtracted from the open parents of the children.
 *
 * <p>One transaction does so for at most {@link #PART} children of a parent. The others are left in {@code windrow_releases} for later transactions.
 * Until then the parent keeps its end: a retry first finishes the release of its children. A later transaction locks the row, and skips rows that
 * other transactions have locked.
 *
 * <p>A retry with dependents also leaves the dependents that it does not bring back itself. If the parent ends before all are back, its end leaves
 * all children. They wait until the last dependent is back, or until the retry is void because the parent did not complete.
 */
public final class Dependents {
    /** The most children of one parent that one transaction changes. */
    public static final int PART = 1000;
    /** The approximate maximum of children of all parents that one transaction changes. */
    private static final int MOST = 3 * PART;
    /** The most levels below an ended parent to which one transaction follows cancelled children. */
    private static final int DEPTH = 100;
    /** The state in the row of a parent that was retried with its dependents. */
    private static final String RETRIED = "RETRIED";

    private static final Columns<Map.Entry<Long, Integer>> COUNTS =
            new Columns<Map.Entry<Long, Integer>>().longs(Map.Entry::getKey).ints(Map.Entry::getValue);

    private static final Columns<Released> RELEASED = new Columns<Released>()
            .longs(Released::id)
            .texts(child -> child.to.name())
            .longs(Released::scheduledAt);

    private static final Columns<Marked> MARKED = new Columns<Marked>()
            .longs(marked -> marked.edge.child)
            .ints(marked -> marked.edge.position)
            .ints(marked -> marked.cancelled ? 1 : 0);

    private static final Columns<Unfinished> LEFT = new Columns<Unfinished>()
            .longs(Unfinished::parent)
            .texts(Unfinished::text)
            .longs(Unfinished::after);

    /**
     * An edge from an ended parent.
     *
     * @param applied true if this transaction has satisfied it
     */
    private record Edge(long parent, long child, int position, boolean satisfies, boolean applied) {}

    private record Marked(Edge edge, boolean cancelled) {}

    /**
     * A parent with unreleased children, and the position at which to continue.
     *
     * @param state the state in which it ended; null if it was retried with its dependents
     * @param author the author of the retry
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

    /**
     * The edges below ended parents that their end applies to.
     *
     * @param retried the parents whose dependents are still to come back; their edges are not included
     */
    private record Concerned(List<Edge> edges, Set<Long> retried) {}

    private record Released(
            long id,
            int lane,
            int priority,
            long token,
            JobState to,
            long scheduledAt,
            @Nullable String key) {}

    private final PostgresTransaction tx;
    /** The parents whose children this transaction has left to later ones. */
    private final Set<Long> left = new LinkedHashSet<>();
    /** The dependents that this transaction has brought back for earlier retries, by the actors of these retries. */
    private final Map<Author, List<ChangedRow>> back = new LinkedHashMap<>();

    private int touched;

    public Dependents(PostgresTransaction tx) {
        this.tx = tx;
    }

    /** Releases the children of jobs that have ended in this transaction. */
    public static void release(PostgresTransaction tx, Map<Long, JobState> ended) throws SQLException {
        tx.dependents.release(ended, 0);
    }

    /** Releases new children, from this id on, of jobs that ended before. */
    static void releaseNew(PostgresTransaction tx, Map<Long, JobState> ended, long from) throws SQLException {
        tx.dependents.release(ended, from);
    }

    /** Returns the parents whose remaining children are to be released after the commit. */
    public Set<Long> left() {
        return left;
    }

    private void release(Map<Long, JobState> ended, long first) throws SQLException {
        Map<Long, JobState> parents = ended;
        long from = first;
        for (int depth = 0; !parents.isEmpty(); depth++) {
            if (depth == DEPTH || touched >= MOST) {
                leave(parents, Map.of(), from);
                return;
            }
            Map<Long, JobState> cancelled = new TreeMap<>();
            release(parents, from, true, cancelled);
            release(parents, from, false, cancelled);
            parents = cancelled;
            from = 0;
        }
    }

    private void release(Map<Long, JobState> ended, long from, boolean completed, Map<Long, JobState> cancelled)
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
        Concerned concerned = satisfy(parents.keySet(), completed, from);
        if (!concerned.retried.isEmpty()) {
            Map<Long, JobState> retried = new TreeMap<>(parents);
            retried.keySet().retainAll(concerned.retried);
            leave(retried, Map.of(), from);
            parents.keySet().removeAll(concerned.retried);
        }
        List<Edge> edges = concerned.edges;
        if (edges.isEmpty()) {
            return;
        }
        Map<Long, Integer> counts = new HashMap<>();
        Map<Long, Long> last = new HashMap<>();
        for (Edge edge : edges) {
            counts.merge(edge.parent, 1, Integer::sum);
            last.merge(edge.parent, edge.child, Math::max);
        }
        apply(edges, parents, cancelled);
        if (edges.size() < MOST) {
            parents.keySet().removeIf(parent -> counts.getOrDefault(parent, 0) < PART);
        }
        leave(parents, last, from);
    }

    /** Satisfies the edges below these parents according to their end. Returns them, and the edges over which children are to be cancelled. */
    private Concerned satisfy(Collection<Long> parents, boolean completed, long after) throws SQLException {
        List<Edge> edges = new ArrayList<>();
        Set<Long> retried = new HashSet<>();
        try (ResultSet rows = tx.statements()
                .get(WorkflowSql.SATISFY_EDGES)
                .ids(1, parents)
                .set(2, completed)
                .set(3, after)
                .set(4, Integer.valueOf(PART))
                .set(5, Integer.valueOf(MOST))
                .rows()) {
            while (rows.next()) {
                if (rows.getLong(2) == 0) {
                    retried.add(rows.getLong(1));
                } else {
                    edges.add(new Edge(
                            rows.getLong(1), rows.getLong(2), rows.getInt(3), rows.getBoolean(4), rows.getBoolean(5)));
                }
            }
        }
        if (!edges.isEmpty()) {
            tx.wrote();
        }
        return new Concerned(edges, retried);
    }

    /**
     * Leaves the remaining children of these parents to later transactions. These begin at the last child that was handled, because it may have
     * another edge to the parent.
     */
    private void leave(Map<Long, JobState> parents, Map<Long, Long> last, long from) throws SQLException {
        if (parents.isEmpty()) {
            return;
        }
        PostgresQuery leave = tx.statements().get(WorkflowSql.LEAVE_CHILDREN);
        leave.bind(
                1,
                LEFT,
                parents.entrySet().stream()
                        .map(parent -> new Unfinished(
                                parent.getKey(), parent.getValue(), last.getOrDefault(parent.getKey(), from), null))
                        .toList());
        leave(leave);
    }

    private void leave(PostgresQuery leave) throws SQLException {
        try (ResultSet rows = leave.rows()) {
            while (rows.next()) {
                left.add(rows.getLong(1));
            }
        }
        tx.wrote();
    }

    /** Leaves the remaining dependents of these jobs, which this author has retried, to later transactions. */
    public void leaveDependents(Collection<Long> retried, Author author) throws SQLException {
        leave(tx.statements()
                .get(WorkflowSql.LEAVE_DEPENDENTS)
                .ids(1, retried)
                .set(2, tx.actor(author.actor()))
                .set(3, author.reason()));
    }

    /** Moves dependents of retried jobs to the next jobs of their chains, if they wait for the ends of the chains. */
    void moveRetries(Map<Long, Long> nextOf) throws SQLException {
        leave(tx.statements()
                .get(WorkflowSql.MOVE_CHAIN_RETRIES)
                .ids(1, nextOf.keySet())
                .ids(2, nextOf.values()));
    }

    private void apply(List<Edge> edges, Map<Long, JobState> parents, Map<Long, JobState> cancelled)
            throws SQLException {
        touched += edges.size();
        Map<Long, Integer> satisfied = new TreeMap<>();
        List<Edge> cancelling = new ArrayList<>();
        for (Edge edge : edges) {
            if (edge.applied) {
                satisfied.merge(edge.child, 1, Integer::sum);
            } else if (!edge.satisfies) {
                cancelling.add(edge);
            }
        }
        if (!satisfied.isEmpty()) {
            release(subtract(satisfied).stream()
                    .sorted(Comparator.comparingLong(Released::id))
                    .toList());
        }
        if (!cancelling.isEmpty()) {
            cancel(cancelling, parents, cancelled);
        }
    }

    /** Subtracts satisfied edges. Returns the children that wait for no parent any more. */
    private List<Released> subtract(Map<Long, Integer> satisfied) throws SQLException {
        PostgresQuery query = tx.statements().get(WorkflowSql.SUBTRACT_PARENTS);
        query.bind(1, COUNTS, List.copyOf(satisfied.entrySet()));
        query.set(3, tx.now());
        List<Released> free = new ArrayList<>();
        List<Waits.Wait> waits = new ArrayList<>();
        try (ResultSet rows = query.rows()) {
            while (rows.next()) {
                // A child that was cancelled before keeps a correct count, so that a retry knows which parents are
                // open.
                if (rows.getInt(2) > 0 || !rows.getString(3).equals(JobState.BLOCKED.name())) {
                    continue;
                }
                Long waitMillis = Rows.longOrNull(rows, 9);
                if (waitMillis != null) {
                    waits.add(new Waits.Wait(rows.getLong(1), waitMillis, rows.getLong(7)));
                    continue;
                }
                Long due = Rows.longOrNull(rows, 6);
                free.add(new Released(
                        /* id= */ rows.getLong(1),
                        /* lane= */ rows.getInt(4),
                        /* priority= */ rows.getInt(5),
                        /* token= */ rows.getLong(7),
                        /* to= */ due == null ? JobState.PENDING : JobState.SCHEDULED,
                        /* scheduledAt= */ due == null ? tx.stamp() : due,
                        /* key= */ rows.getString(8)));
            }
        }
        Waits.begin(tx, waits);
        return free;
    }

    private void release(List<Released> children) throws SQLException {
        if (children.isEmpty()) {
            return;
        }
        PostgresQuery release = tx.statements().get(WorkflowSql.RELEASE);
        release.bind(1, RELEASED, children);
        Set<Long> applied = new HashSet<>();
        try (ResultSet rows = release.rows()) {
            while (rows.next()) {
                applied.add(rows.getLong(1));
            }
        }
        for (Released child : children) {
            if (!applied.contains(child.id)) {
                continue;
            }
            tx.moved(
                    child.id,
                    child.key,
                    child.lane,
                    JobState.BLOCKED,
                    child.to,
                    child.to == JobState.PENDING
                            ? new ClaimCursors.Place(-child.priority, child.scheduledAt, child.id)
                            : null);
            if (child.to == JobState.SCHEDULED) {
                tx.dueAt(child.scheduledAt);
            }
            tx.event(child.id, tx.now(), EventKind.RELEASED, tx.actor("system"), child.token, null);
        }
    }

    /** Cancels the children that wait, and marks their edges. */
    private void cancel(List<Edge> edges, Map<Long, JobState> parents, Map<Long, JobState> cancelled)
            throws SQLException {
        Map<Long, Edge> byChild = new TreeMap<>();
        edges.forEach(edge -> byChild.putIfAbsent(edge.child, edge));
        Set<Long> now = new HashSet<>();
        List<DedupeKey> keys = new ArrayList<>();
        try (ResultSet rows = tx.statements()
                .get(WorkflowSql.CANCEL_CHILDREN)
                .ids(1, byChild.keySet())
                .set(2, tx.now())
                .rows()) {
            while (rows.next()) {
                long child = rows.getLong(1);
                int lane = rows.getInt(2);
                Edge edge = Objects.requireNonNull(byChild.get(child));
                now.add(child);
                cancelled.put(child, JobState.CANCELLED);
                tx.moved(child, rows.getString(4), lane, JobState.BLOCKED, JobState.CANCELLED, null);
                tx.event(
                        child,
                        tx.now(),
                        EventKind.CANCELLED,
                        tx.actor("system"),
                        rows.getLong(3),
                        JsonText.object("reason", "parent %d %s".formatted(edge.parent, parents.get(edge.parent))));
                tx.notices().finished(child, JobState.CANCELLED);
                DedupeKey key = DedupeKey.of(tx, lane, rows.getString(6), rows.getString(5), child);
                if (key != null) {
                    keys.add(key);
                }
            }
        }
        PostgresQuery mark = tx.statements().get(WorkflowSql.MARK_EDGES);
        mark.bind(
                1,
                MARKED,
                edges.stream()
                        .map(edge -> new Marked(edge, now.contains(edge.child)))
                        .toList());
        mark.update();
        tx.wrote();
        Keys.giveUp(tx, DedupeSql.KEYS_ENDED, keys);
    }

    /** Releases the next batch of the remaining children of these parents. Skips parents that another transaction is releasing. */
    public void release(Collection<Long> parents) throws SQLException {
        releaseMore(read(WorkflowSql.TAKE_RELEASES, parents));
        for (Map.Entry<Author, List<ChangedRow>> each : back.entrySet()) {
            Audits.add(tx, Change.retryDependents(List.of(), each.getKey()), each.getValue());
        }
        back.clear();
    }

    /** Releases all remaining children of these jobs. Returns true if there were any. */
    public boolean finish(Collection<Long> parents) throws SQLException {
        List<Unfinished> unfinished = read(WorkflowSql.TAKE_ALL_RELEASES, parents);
        boolean any = !unfinished.isEmpty();
        while (!unfinished.isEmpty()) {
            unfinished.forEach(each -> left.remove(each.parent));
            touched = 0;
            releaseMore(unfinished);
            unfinished = read(WorkflowSql.TAKE_ALL_RELEASES, parents);
        }
        return any;
    }

    private List<Unfinished> read(String sql, Collection<Long> parents) throws SQLException {
        List<Unfinished> unfinished = new ArrayList<>();
        try (ResultSet rows = tx.statements().get(sql).ids(1, parents).rows()) {
            while (rows.next()) {
                String state = rows.getString(2);
                String actor = rows.getString(5);
                if (actor != null) {
                    tx.learn(actor, rows.getInt(4));
                }
                unfinished.add(new Unfinished(
                        rows.getLong(1),
                        state.equals(RETRIED) ? null : JobState.valueOf(state),
                        rows.getLong(3),
                        actor == null ? null : new Author(actor, rows.getString(6))));
            }
        }
        return unfinished;
    }

    private void releaseMore(List<Unfinished> unfinished) throws SQLException {
        for (Unfinished each : unfinished) {
            if (touched >= MOST) {
                left.add(each.parent);
                continue;
            }
            tx.wrote();
            JobState state = each.state;
            if (state == null) {
                bringBack(each, Objects.requireNonNull(each.author));
                // The parent may have ended in between.
                left.add(each.parent);
                continue;
            }
            Concerned concerned = satisfy(List.of(each.parent), state == JobState.COMPLETED, each.after);
            if (!concerned.retried.isEmpty()) {
                continue; // the transaction that brings back the last dependent continues here
            }
            List<Edge> edges = concerned.edges;
            Map<Long, JobState> cancelled = new TreeMap<>();
            apply(edges, Map.of(each.parent, state), cancelled);
            release(cancelled, 0);
            if (edges.size() < PART) {
                end(each);
                left.remove(each.parent);
            } else {
                move(each, edges.stream().mapToLong(Edge::child).max().orElseThrow());
                left.add(each.parent);
            }
        }
    }

    /**
     * Brings back the next dependents of a retried parent, and some of the jobs below them. Does nothing if the parent has ended without success
     * again. Then they stay cancelled, and come back with the next retry.
     */
    private void bringBack(Unfinished retry, Author author) throws SQLException {
        if (isVoid(retry)) {
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

    private boolean isVoid(Unfinished retry) throws SQLException {
        try (ResultSet row = tx.statements()
                .get(WorkflowSql.IS_RETRY_VOID)
                .set(1, retry.parent)
                .rows()) {
            return row.next() && row.getBoolean(1);
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

    /** Reads some of the parents with unreleased children, of any process. */
    public static List<Long> unfinished(PostgresStatements statements) throws SQLException {
        return statements
                .get(WorkflowSql.RELEASES)
                .set(1, Integer.valueOf(PART))
                .list(rows -> rows.getLong(1));
    }
}
