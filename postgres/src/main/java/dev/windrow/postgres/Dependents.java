package dev.windrow.postgres;

import dev.windrow.EventKind;
import dev.windrow.JobState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What the end of a parent does to its children: BLOCKED -> PENDING or SCHEDULED. Edges are satisfied where they were
 * not, and exactly those are subtracted, in the transaction that ends the parent.
 */
final class Dependents {
    private static final Columns<Map.Entry<Long, Integer>> COUNTS =
            new Columns<Map.Entry<Long, Integer>>().longs(Map.Entry::getKey).ints(Map.Entry::getValue);

    private static final Columns<Released> RELEASED = new Columns<Released>()
            .longs(Released::id)
            .texts(child -> child.to.name())
            .longs(Released::scheduledAt);

    private record Released(
            long id,
            int lane,
            int priority,
            long token,
            JobState to,
            long scheduledAt,
            @Nullable String key) {}

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
        if (!satisfied.isEmpty()) {
            release(
                    tx,
                    subtract(tx, satisfied).stream()
                            .sorted(Comparator.comparingLong(Released::id))
                            .toList());
        }
    }

    private static void satisfy(
            WriteTransaction tx, List<Long> parents, boolean completed, Map<Long, Integer> satisfied)
            throws SQLException {
        if (parents.isEmpty()) {
            return;
        }
        try (ResultSet children = tx.statements
                .get(Sql.SATISFY_EDGES)
                .ids(1, parents)
                .set(2, completed)
                .rows()) {
            while (children.next()) {
                satisfied.merge(children.getLong(1), 1, Integer::sum);
            }
        }
    }

    /** Answers the children that wait for nobody any more. */
    private static List<Released> subtract(WriteTransaction tx, Map<Long, Integer> satisfied) throws SQLException {
        Query query = tx.statements.get(Sql.SUBTRACT_PARENTS);
        COUNTS.bind(query, 1, List.copyOf(satisfied.entrySet()));
        List<Released> free = new ArrayList<>();
        try (ResultSet rows = query.rows()) {
            while (rows.next()) {
                // A child that was cancelled meanwhile keeps its count true, so that a retry knows what is open.
                if (rows.getInt(2) > 0 || !rows.getString(3).equals(JobState.BLOCKED.name())) {
                    continue;
                }
                long due = rows.getLong(6);
                JobState to = due > Math.max(tx.now, tx.stamp) ? JobState.SCHEDULED : JobState.PENDING;
                free.add(new Released(
                        rows.getLong(1),
                        rows.getInt(4),
                        rows.getInt(5),
                        rows.getLong(7),
                        to,
                        to == JobState.SCHEDULED ? due : tx.stamp,
                        rows.getString(8)));
            }
        }
        return free;
    }

    private static void release(WriteTransaction tx, List<Released> children) throws SQLException {
        if (children.isEmpty()) {
            return;
        }
        Query release = tx.statements.get(Sql.RELEASE);
        RELEASED.bind(release, 1, children);
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
                            ? new Marks.Place(-child.priority, child.scheduledAt, child.id)
                            : null);
            if (child.to == JobState.SCHEDULED) {
                tx.dueAt(child.scheduledAt);
            }
            tx.event(child.id, tx.now, EventKind.RELEASED, tx.names.actor("system"), child.token, null);
        }
    }
}
