package dev.windrow.store.sql.job;

import dev.windrow.TransitionRefusedException;
import dev.windrow.store.job.Change;
import dev.windrow.store.sql.connection.Statement;
import dev.windrow.store.sql.connection.Statements;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The jobs that must stay when others are deleted, by the rules of retention. A job stays while another job needs it, unless that one is deleted with
 * it. A chain is deleted as a whole: without its last job it would count as completed, and without its first job it could not be found.
 */
public final class Deletions {
    private Deletions() {}

    /** Returns these jobs, then the other jobs of their chains. */
    public static List<Long> withChains(Statements statements, List<Long> jobs) throws SQLException {
        Set<Long> all = new LinkedHashSet<>(jobs);
        chains(statements, jobs).values().forEach(all::addAll);
        return List.copyOf(all);
    }

    /**
     * Returns the jobs among these that may be deleted together. Their rows are locked, so that no other transaction lets a job depend on them. A dry
     * run returns only the jobs that the change names: the others of their chains are counted in their own batch. It treats the jobs that batches
     * before have counted ({@link Change#gone}) as deleted.
     *
     * @param strict true to throw if one must stay
     */
    public static List<ChangedRow> unneeded(Statements statements, Change change, List<ChangedRow> rows, boolean strict)
            throws SQLException {
        Set<Long> given = new HashSet<>(rows.stream().map(ChangedRow::id).toList());
        Map<Long, Long> roots = new TreeMap<>();
        for (Map.Entry<Long, List<Long>> chain : chains(statements, given).entrySet()) {
            List<Long> others = new ArrayList<>(chain.getValue());
            others.removeAll(given);
            if (others.isEmpty()) {
                chain.getValue().forEach(job -> roots.put(job, chain.getKey()));
            } else if (strict) {
                chain.getValue().retainAll(given);
                throw new TransitionRefusedException(
                        "job %d cannot be deleted without job %d: they are in one chain, which is deleted as a whole"
                                .formatted(chain.getValue().get(0), others.get(0)));
            }
        }
        while (!roots.isEmpty()) {
            List<Long> needed = needed(statements, roots.keySet(), List.of());
            if (!needed.isEmpty() && !change.gone().isEmpty()) {
                needed = needed(statements, roots.keySet(), children(statements, needed, change.gone()));
            }
            if (needed.isEmpty()) {
                break;
            }
            if (strict) {
                throw new TransitionRefusedException(reason(statements, needed.get(0), roots.keySet()));
            }
            Set<Long> kept = new HashSet<>(needed.stream().map(roots::get).toList());
            roots.values().removeIf(kept::contains);
        }
        Set<Long> counted = change.dryRun() ? Set.copyOf(change.named()) : given;
        return rows.stream()
                .filter(row -> roots.containsKey(row.id()) && counted.contains(row.id()))
                .toList();
    }

    private static List<Long> needed(Statements statements, Collection<Long> jobs, Collection<Long> gone)
            throws SQLException {
        return statements.get(Statement.NEEDED).ids(1, jobs).ids(2, gone).longs();
    }

    /** Returns the children of these jobs that are gone. */
    private static Set<Long> children(Statements statements, List<Long> jobs, Set<Long> gone) throws SQLException {
        Set<Long> children = new HashSet<>();
        try (ResultSet rows = statements.get(Statement.CHILDREN).ids(1, jobs).manyRows()) {
            while (rows.next()) {
                if (gone.contains(rows.getLong(1))) {
                    children.add(rows.getLong(1));
                }
            }
        }
        return children;
    }

    /** Returns the jobs among these that keep their parents while they exist: the ones that are not {@code COMPLETED} and depend on another job. */
    public static List<Long> keepingParents(Statements statements, List<ChangedRow> rows) throws SQLException {
        List<Long> keeping = new ArrayList<>();
        List<Long> unsuccessful = ChangedRow.endedWithoutSuccess(rows);
        if (!unsuccessful.isEmpty()) {
            try (ResultSet edges = statements
                    .get(Statement.COUNT_EDGES)
                    .ids(1, unsuccessful)
                    .set(2, 1)
                    .rows()) {
                while (edges.next()) {
                    if (edges.getInt(3) > 0) {
                        keeping.add(edges.getLong(1));
                    }
                }
            }
        }
        return keeping;
    }

    private static String reason(Statements statements, long job, Collection<Long> going) throws SQLException {
        Long child = statements
                .get(Statement.NEEDING_CHILD)
                .set(1, job)
                .ids(2, going)
                .oneOrNull();
        return child == null
                ? "job %d cannot be deleted yet: its end, or the retry of its parent, is still being applied to its dependents"
                        .formatted(job)
                : "job %d cannot be deleted: job %d depends on it and is not COMPLETED".formatted(job, child);
    }

    /** Returns the jobs of the chains of these jobs, by the first job of each. A single job is a chain of one. */
    private static Map<Long, List<Long>> chains(Statements statements, Collection<Long> jobs) throws SQLException {
        Map<Long, List<Long>> chains = new HashMap<>();
        try (ResultSet rows =
                statements.get(Statement.CHAIN_MEMBERS).ids(1, jobs).rows()) {
            while (rows.next()) {
                chains.computeIfAbsent(rows.getLong(1), root -> new ArrayList<>())
                        .add(rows.getLong(2));
            }
        }
        return chains;
    }
}
