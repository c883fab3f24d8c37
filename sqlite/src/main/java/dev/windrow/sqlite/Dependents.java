package dev.windrow.sqlite;

import dev.windrow.EventKind;
import dev.windrow.JobState;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

/**
 * What the end of a parent does to its children: BLOCKED -> PENDING or SCHEDULED, or CANCELLED, and so on with theirs. Edges are
 * satisfied where they were not, and exactly those are subtracted, in the transaction that ends the parent.
 *
 * <p>That of at most {@link #PART} children of a parent; the rest is left in {@code windrow_releases}, and done in transactions that
 * follow. Until then the parent stays as it ended: a retry finishes first what its end has left.
 */
final class Dependents {
    /** Children of one parent that one transaction touches at most. */
    static final int PART = 1000;
    /** Children that one transaction touches at most, of all parents together, roughly. */
    private static final int MOST = 3 * PART;
    /** How far below an ended parent it follows those that are cancelled. */
    private static final int DEPTH = 100;

    private final WriteTransaction tx;
    /** Parents of which this transaction has left children. */
    private final Set<Long> left = new LinkedHashSet<>();

    private int touched;

    Dependents(WriteTransaction tx) {
        this.tx = tx;
    }

    private record Edge(long parent, long child, int position, boolean satisfies) {}

    static void release(WriteTransaction tx, Map<Long, JobState> ended) throws SQLException {
        tx.dependents.release(ended);
    }

    /** The parents of which children are left, to be dealt with after the commit. */
    Set<Long> left() {
        return left;
    }

    private void release(Map<Long, JobState> ended) throws SQLException {
        Map<Long, JobState> parents = ended;
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
        PreparedStatement query = tx.statements.get(WorkflowSql.OPEN_EDGES);
        query.setString(1, JsonText.array(parents.keySet()));
        query.setInt(2, completed ? 1 : 0);
        query.setInt(3, MOST);
        List<Edge> found = edges(query);
        if (found.isEmpty()) {
            return;
        }
        List<Edge> edges = new ArrayList<>(found.size());
        Map<Long, Integer> counts = new HashMap<>();
        Map<Long, JobState> more = new TreeMap<>();
        for (Edge edge : found) {
            if (counts.merge(edge.parent, 1, Integer::sum) <= PART) {
                edges.add(edge);
            } else {
                more.put(edge.parent, Objects.requireNonNull(parents.get(edge.parent)));
            }
        }
        apply(edges, parents, cancelled);
        leave(found.size() == MOST ? parents : more);
    }

    private static List<Edge> edges(PreparedStatement query) throws SQLException {
        List<Edge> edges = new ArrayList<>();
        try (ResultSet rows = query.executeQuery()) {
            while (rows.next()) {
                edges.add(new Edge(rows.getLong(1), rows.getLong(2), rows.getInt(3), rows.getInt(4) != 0));
            }
        }
        return edges;
    }

    /** What is left of these is done later. */
    private void leave(Map<Long, JobState> parents) throws SQLException {
        PreparedStatement leave = tx.statements.get(WorkflowSql.LEAVE_CHILDREN);
        for (Map.Entry<Long, JobState> parent : parents.entrySet()) {
            leave.setLong(1, parent.getKey());
            leave.setString(2, parent.getValue().name());
            if (leave.executeUpdate() == 1) {
                left.add(parent.getKey());
            }
        }
    }

    private void apply(List<Edge> edges, Map<Long, JobState> parents, Map<Long, JobState> cancelled)
            throws SQLException {
        touched += edges.size();
        for (Map.Entry<Long, Integer> child : satisfy(edges).entrySet()) {
            subtract(child.getKey(), child.getValue());
        }
        List<Keys.Key> keys = new ArrayList<>();
        for (Edge edge : edges) {
            if (!edge.satisfies && cancel(edge, Objects.requireNonNull(parents.get(edge.parent)), keys)) {
                cancelled.put(edge.child, JobState.CANCELLED);
            }
        }
        if (!edges.isEmpty()) {
            tx.flushEvents();
        }
        Keys.giveUp(tx, KeySql.KEY_ENDED, keys);
    }

    private Map<Long, Integer> satisfy(List<Edge> edges) throws SQLException {
        Map<Long, Integer> satisfied = new TreeMap<>();
        List<Edge> satisfying = edges.stream().filter(Edge::satisfies).toList();
        if (satisfying.isEmpty()) {
            return satisfied;
        }
        PreparedStatement update = tx.statements.get(WorkflowSql.SATISFY_EDGE);
        for (Edge edge : satisfying) {
            update.setLong(1, edge.child);
            update.setInt(2, edge.position);
            update.addBatch();
        }
        int[] counts = update.executeBatch();
        for (int i = 0; i < counts.length; i++) {
            if (counts[i] == 1) {
                satisfied.merge(satisfying.get(i).child, 1, Integer::sum);
            }
        }
        return satisfied;
    }

    private void subtract(long child, int count) throws SQLException {
        PreparedStatement update = tx.statements.get(WorkflowSql.SUBTRACT_PARENTS);
        update.setLong(1, child);
        update.setInt(2, count);
        update.setLong(3, tx.now);
        long lane;
        Long due;
        long token;
        String key;
        Long waitMillis;
        try (ResultSet row = update.executeQuery()) {
            // A child that was cancelled meanwhile keeps its count true, so that a retry knows what is open.
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
        PreparedStatement release = tx.statements.get(WorkflowSql.RELEASE);
        release.setLong(1, child);
        release.setString(2, to.name());
        release.setLong(3, due == null ? tx.stamp() : due);
        if (release.executeUpdate() == 1) {
            tx.moved(child, lane, key, JobState.BLOCKED, to);
            tx.event(child, tx.now, EventKind.RELEASED, tx.names.actor("system"), token, null);
        }
    }

    /** Cancels a child that waits; answers whether it did. */
    private boolean cancel(Edge edge, JobState state, List<Keys.Key> keys) throws SQLException {
        PreparedStatement update = tx.statements.get(WorkflowSql.CANCEL_CHILD);
        update.setLong(1, edge.child);
        update.setLong(2, tx.now);
        boolean cancels;
        long lane = 0;
        long token = 0;
        Keys.Key dedupeKey = null;
        String concurrencyKey = null;
        try (ResultSet row = update.executeQuery()) {
            cancels = row.next();
            if (cancels) {
                lane = row.getLong(1);
                token = row.getLong(2);
                dedupeKey = Keys.Key.of(tx, lane, row.getString(5), row.getString(3), edge.child);
                concurrencyKey = row.getString(4);
            }
        }
        PreparedStatement mark = tx.statements.get(WorkflowSql.MARK_EDGE);
        mark.setLong(1, edge.child);
        mark.setInt(2, edge.position);
        mark.setInt(3, cancels ? 1 : 0);
        mark.executeUpdate();
        if (!cancels) {
            return false;
        }
        tx.moved(edge.child, lane, concurrencyKey, JobState.BLOCKED, JobState.CANCELLED);
        tx.event(
                edge.child,
                tx.now,
                EventKind.CANCELLED,
                tx.names.actor("system"),
                token,
                JsonText.object("reason", "parent %d %s".formatted(edge.parent, state)));
        tx.finished(edge.child, JobState.CANCELLED);
        if (dedupeKey != null) {
            keys.add(dedupeKey);
        }
        return true;
    }

    /** Goes on with a part of the children that these parents have left; answers whether there are more. */
    boolean goOn(Collection<Long> parents) throws SQLException {
        boolean more = false;
        for (long parent : parents) {
            if (touched >= MOST) {
                left.add(parent);
                more = true;
            } else {
                more |= goOn(parent);
            }
        }
        return more;
    }

    /** The next children of one parent; answers whether there are more. */
    private boolean goOn(long parent) throws SQLException {
        JobState state;
        long after;
        PreparedStatement read = tx.statements.get(WorkflowSql.READ_RELEASE);
        read.setLong(1, parent);
        try (ResultSet row = read.executeQuery()) {
            if (!row.next()) {
                return false; // another process was faster
            }
            state = JobState.valueOf(row.getString(1));
            after = row.getLong(2);
        }
        PreparedStatement query = tx.statements.get(WorkflowSql.NEXT_OPEN_EDGES);
        query.setLong(1, parent);
        query.setInt(2, state == JobState.COMPLETED ? 1 : 0);
        query.setInt(3, PART);
        query.setLong(4, after);
        List<Edge> edges = edges(query);
        Map<Long, JobState> cancelled = new TreeMap<>();
        apply(edges, Map.of(parent, state), cancelled);
        release(cancelled);
        if (edges.size() < PART) {
            PreparedStatement end = tx.statements.get(WorkflowSql.END_RELEASE);
            end.setLong(1, parent);
            end.executeUpdate();
            return false;
        }
        PreparedStatement move = tx.statements.get(WorkflowSql.MOVE_RELEASE);
        move.setLong(1, parent);
        move.setLong(2, edges.get(PART - 1).child);
        move.executeUpdate();
        left.add(parent);
        return true;
    }

    /** Deals with all children that the ends of these jobs have left; answers whether there were any. */
    boolean finish(Collection<Long> parents) throws SQLException {
        List<Long> unfinished = unfinished(tx.statements, parents);
        for (long parent : unfinished) {
            while (goOn(parent)) {
                left.remove(parent);
            }
        }
        return !unfinished.isEmpty();
    }

    /** Some of the parents of which children are left, whoever has left them. */
    static List<Long> unfinished(Statements statements) throws SQLException {
        PreparedStatement query = statements.get(WorkflowSql.RELEASES);
        query.setInt(1, PART);
        return parents(query);
    }

    /** Those of these parents of which children are left. */
    static List<Long> unfinished(Statements statements, Collection<Long> of) throws SQLException {
        PreparedStatement query = statements.get(WorkflowSql.RELEASES_OF);
        query.setString(1, JsonText.array(of));
        return parents(query);
    }

    private static List<Long> parents(PreparedStatement query) throws SQLException {
        List<Long> parents = new ArrayList<>();
        try (ResultSet rows = query.executeQuery()) {
            while (rows.next()) {
                parents.add(rows.getLong(1));
            }
        }
        return parents;
    }
}
