package dev.windrow.store.sql.workflow;

import dev.windrow.JobState;
import dev.windrow.store.sql.connection.Query;
import dev.windrow.store.sql.connection.Statement;
import dev.windrow.store.sql.writer.WriteTransaction;
import dev.windrow.store.workflow.ParentRules;
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

/**
 * The jobs that a retry with dependents makes ready again. It finds the jobs that the end of a parent has cancelled, and parents that still prevent a
 * retry.
 */
public final class RetriedDependents {
    private final Map<Long, List<Parent>> forbidding;

    private record Parent(long id, JobState state) {}

    private RetriedDependents(Map<Long, List<Parent>> forbidding) {
        this.forbidding = forbidding;
    }

    /** Reads the parents of these jobs as they are in the transaction. A parent that ends later finds the jobs in their new state. */
    public static RetriedDependents of(WriteTransaction tx, Collection<Long> jobs) throws SQLException {
        Map<Long, List<Parent>> forbidding = new HashMap<>();
        try (ResultSet rows =
                tx.statements().get(Statement.FORBIDDING_PARENTS).ids(1, jobs).rows()) {
            while (rows.next()) {
                forbidding
                        .computeIfAbsent(rows.getLong(1), job -> new ArrayList<>())
                        .add(new Parent(rows.getLong(2), JobState.valueOf(rows.getString(3))));
            }
        }
        return new RetriedDependents(forbidding);
    }

    /** Returns why a job cannot be retried while its parents have their present states; null if it can. Parents that are retried too do not count. */
    public @Nullable String refusal(long job, Set<Long> comingBack) {
        for (Parent parent : forbidding.getOrDefault(job, List.of())) {
            if (!comingBack.contains(parent.id)) {
                return ParentRules.refusal(job, parent.id, parent.state);
            }
        }
        return null;
    }

    /**
     * The jobs that were cancelled because a parent ended without success.
     *
     * @param ids the jobs, each once, in the order of their ids
     * @param all false if there may be more
     */
    public record Cancelled(List<Long> ids, boolean all) {}

    /** Returns the jobs that were cancelled because one of these ended without success, at most {@code max}. */
    public static Cancelled cancelledBy(WriteTransaction tx, Collection<Long> parents, int max) throws SQLException {
        return cancelled(
                tx.statements()
                        .get(Statement.CANCELLED_CHILDREN)
                        .ids(1, parents)
                        .set(2, max),
                max);
    }

    /** Returns the jobs that were cancelled because this one ended without success, from this child on, at most {@code max}. */
    public static Cancelled cancelledBy(WriteTransaction tx, long parent, long from, int max) throws SQLException {
        return cancelled(
                tx.statements()
                        .get(Statement.NEXT_CANCELLED_CHILDREN)
                        .set(1, parent)
                        .set(2, from)
                        .set(3, max),
                max);
    }

    private static Cancelled cancelled(Query query, int max) throws SQLException {
        Set<Long> children = new TreeSet<>();
        int edges = 0;
        try (ResultSet rows = query.rows()) {
            for (; rows.next(); edges++) {
                children.add(rows.getLong(1));
            }
        }
        return new Cancelled(List.copyOf(children), edges < max);
    }
}
