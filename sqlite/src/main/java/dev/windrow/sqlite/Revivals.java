package dev.windrow.sqlite;

import dev.windrow.JobState;
import dev.windrow.store.ParentRules;
import dev.windrow.store.sql.Query;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Jobs that are to come back: which of them the end of a parent has cancelled, and which one still keeps from it. */
final class Revivals {
    private final Map<Long, List<Parent>> forbidding;

    private record Parent(long id, JobState state) {}

    private Revivals(Map<Long, List<Parent>> forbidding) {
        this.forbidding = forbidding;
    }

    /** The parents of these jobs as they stand. */
    static Revivals of(SqliteTransaction tx, Collection<Long> jobs) throws SQLException {
        Map<Long, List<Parent>> forbidding = new HashMap<>();
        try (ResultSet rows =
                tx.statements.get(WorkflowSql.FORBIDDING_PARENTS).ids(1, jobs).rows()) {
            while (rows.next()) {
                forbidding
                        .computeIfAbsent(rows.getLong(1), job -> new ArrayList<>())
                        .add(new Parent(rows.getLong(2), JobState.valueOf(rows.getString(3))));
            }
        }
        return new Revivals(forbidding);
    }

    /** Why a job cannot come back while its parents are as they are, but for those that come back too; null if it can. */
    @Nullable String refusal(long job, Set<Long> comingBack) {
        for (Parent parent : forbidding.getOrDefault(job, List.of())) {
            if (!comingBack.contains(parent.id)) {
                return ParentRules.refusal(job, parent.id, parent.state);
            }
        }
        return null;
    }

    /**
     * Jobs that were cancelled because a parent ended without success.
     *
     * @param ids the jobs, each once, in the order of their ids
     * @param all false if there may be more
     */
    record Cancelled(List<Long> ids, boolean all) {}

    /** The jobs that were cancelled because one of these ended without success, at most so many. */
    static Cancelled cancelledBy(SqliteTransaction tx, Collection<Long> parents, int most) throws SQLException {
        Query query = tx.statements.get(WorkflowSql.CANCELLED_CHILDREN);
        query.ids(1, parents).set(2, most);
        return cancelled(query, most);
    }

    /** The jobs that were cancelled because this one ended without success, from this child on, at most so many. */
    static Cancelled cancelledBy(SqliteTransaction tx, long parent, long from, int most) throws SQLException {
        Query query = tx.statements.get(WorkflowSql.NEXT_CANCELLED_CHILDREN);
        query.set(1, parent).set(2, from).set(3, most);
        return cancelled(query, most);
    }

    private static Cancelled cancelled(Query query, int most) throws SQLException {
        Set<Long> children = new TreeSet<>();
        int edges = 0;
        try (ResultSet rows = query.rows()) {
            for (; rows.next(); edges++) {
                children.add(rows.getLong(1));
            }
        }
        return new Cancelled(List.copyOf(children), edges < most);
    }
}
