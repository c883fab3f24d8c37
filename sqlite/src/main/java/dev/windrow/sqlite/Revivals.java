package dev.windrow.sqlite;

import dev.windrow.JobState;
import dev.windrow.store.ParentRules;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Jobs that are to come back: which of them the end of a parent has cancelled, and which one still keeps from it. */
final class Revivals {
    private final Map<Long, List<Parent>> forbidding;

    private record Parent(long id, JobState state) {}

    private Revivals(Map<Long, List<Parent>> forbidding) {
        this.forbidding = forbidding;
    }

    /** The parents of these jobs as they stand. */
    static Revivals of(WriteTransaction tx, Collection<Long> jobs) throws SQLException {
        Map<Long, List<Parent>> forbidding = new HashMap<>();
        PreparedStatement query = tx.statements.get(WorkflowSql.FORBIDDING_PARENTS);
        query.setString(1, JsonText.array(jobs));
        try (ResultSet rows = query.executeQuery()) {
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

    /** The jobs that were cancelled because one of these ended without success, in the order of their ids. */
    static List<Long> cancelledBy(WriteTransaction tx, Collection<Long> parents) throws SQLException {
        List<Long> children = new ArrayList<>();
        PreparedStatement query = tx.statements.get(WorkflowSql.CANCELLED_CHILDREN);
        query.setString(1, JsonText.array(parents));
        try (ResultSet rows = query.executeQuery()) {
            while (rows.next()) {
                children.add(rows.getLong(1));
            }
        }
        return children;
    }
}
