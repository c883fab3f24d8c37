package dev.windrow.sqlite;

import dev.windrow.EventKind;
import dev.windrow.JobState;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the end of a parent does to its children: BLOCKED -> PENDING or SCHEDULED. Edges are satisfied where they were
 * not, and exactly those are subtracted, in the transaction that ends the parent.
 */
final class Dependents {
    private Dependents() {}

    static void release(WriteTransaction tx, Map<Long, JobState> ended) throws SQLException {
        if (ended.isEmpty()) {
            return;
        }
        List<Long> completed = new ArrayList<>();
        List<Long> unsuccessful = new ArrayList<>();
        ended.forEach((id, state) -> (state == JobState.COMPLETED ? completed : unsuccessful).add(id));
        Map<Long, Integer> satisfied = new TreeMap<>();
        satisfy(tx, completed, true, satisfied);
        satisfy(tx, unsuccessful, false, satisfied);
        for (Map.Entry<Long, Integer> child : satisfied.entrySet()) {
            subtract(tx, child.getKey(), child.getValue());
        }
        if (!satisfied.isEmpty()) {
            tx.flushEvents();
        }
    }

    private static void satisfy(
            WriteTransaction tx, List<Long> parents, boolean completed, Map<Long, Integer> satisfied)
            throws SQLException {
        if (parents.isEmpty()) {
            return;
        }
        List<long[]> edges = new ArrayList<>();
        PreparedStatement query = tx.statements.get(Sql.OPEN_EDGES);
        query.setString(1, JsonText.array(parents));
        query.setInt(2, completed ? 1 : 0);
        try (ResultSet rows = query.executeQuery()) {
            while (rows.next()) {
                edges.add(new long[] {rows.getLong(1), rows.getLong(2)});
            }
        }
        if (edges.isEmpty()) {
            return;
        }
        PreparedStatement update = tx.statements.get(Sql.SATISFY_EDGE);
        for (long[] edge : edges) {
            update.setLong(1, edge[0]);
            update.setLong(2, edge[1]);
            update.addBatch();
        }
        int[] counts = update.executeBatch();
        for (int i = 0; i < counts.length; i++) {
            if (counts[i] == 1) {
                satisfied.merge(edges.get(i)[0], 1, Integer::sum);
            }
        }
    }

    private static void subtract(WriteTransaction tx, long child, int count) throws SQLException {
        PreparedStatement update = tx.statements.get(Sql.SUBTRACT_PARENTS);
        update.setLong(1, child);
        update.setInt(2, count);
        long lane;
        long scheduledAt;
        long token;
        String key;
        try (ResultSet row = update.executeQuery()) {
            // A child that was cancelled meanwhile keeps its count true, so that a retry knows what is open.
            if (!row.next() || row.getInt(1) > 0 || !row.getString(2).equals(JobState.BLOCKED.name())) {
                return;
            }
            lane = row.getLong(3);
            scheduledAt = row.getLong(4);
            token = row.getLong(5);
            key = row.getString(6);
        }
        JobState to = scheduledAt > Math.max(tx.now, tx.stamp()) ? JobState.SCHEDULED : JobState.PENDING;
        PreparedStatement release = tx.statements.get(Sql.RELEASE);
        release.setLong(1, child);
        release.setString(2, to.name());
        release.setLong(3, to == JobState.SCHEDULED ? scheduledAt : tx.stamp());
        if (release.executeUpdate() == 1) {
            tx.moved(child, lane, key, JobState.BLOCKED, to);
            tx.event(child, tx.now, EventKind.RELEASED, tx.names.actor("system"), token, null);
        }
    }
}
