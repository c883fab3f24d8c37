package dev.windrow.sqlite;

import dev.windrow.JobFilter;
import dev.windrow.JobPage;
import dev.windrow.JobSnapshot;
import dev.windrow.JobState;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Jobs by filter, newest first. A filter goes in by its most selective part, which has an index, and checks the rest row
 * by row.
 */
final class Listings {
    /** Candidates that are read at once while a filter is checked row by row. */
    private static final int CHUNK = 500;

    private Listings() {}

    static JobPage list(Statements statements, Names names, JobFilter filter, long before, int limit)
            throws SQLException {
        List<JobSnapshot> page = new ArrayList<>();
        walk(statements, names, filter, before, job -> {
            page.add(job);
            return page.size() <= limit;
        });
        if (page.size() > limit) {
            page.remove(limit);
            return new JobPage(page, page.get(limit - 1).id());
        }
        return new JobPage(page, null);
    }

    /** The ids of all jobs that match. */
    static List<Long> ids(Statements statements, Names names, JobFilter filter) throws SQLException {
        List<Long> ids = new ArrayList<>();
        walk(statements, names, filter, Long.MAX_VALUE, job -> {
            ids.add(job.id());
            return true;
        });
        ids.sort(Comparator.naturalOrder());
        return ids;
    }

    private interface Visitor {
        /** Takes a job; false to stop. */
        boolean visit(JobSnapshot job);
    }

    /** Visits the matching jobs, newest first. */
    private static void walk(Statements statements, Names names, JobFilter filter, long before, Visitor visitor)
            throws SQLException {
        names.refresh(statements);
        long below = before;
        while (true) {
            List<Long> candidates = candidates(statements, names, filter, below);
            for (long id : candidates) {
                JobSnapshot job = Queries.snapshot(statements, id);
                if (job != null && matches(job, filter) && !visitor.visit(job)) {
                    return;
                }
                if (job != null && isFarOlder(job, filter)) {
                    return;
                }
            }
            if (candidates.size() < CHUNK) {
                return;
            }
            below = candidates.get(candidates.size() - 1);
        }
    }

    /** Ids grow with time but for the clock's steps: a day of slack ends a walk that went past the wanted time. */
    private static boolean isFarOlder(JobSnapshot job, JobFilter filter) {
        return filter.createdAfter() != null
                && job.createdAt().isBefore(filter.createdAfter().minusSeconds(86_400));
    }

    private static List<Long> candidates(Statements statements, Names names, JobFilter filter, long below)
            throws SQLException {
        if (filter.tag() != null) {
            return ids(statements, Sql.LIST_TAG, below, filter.tag());
        }
        if (filter.errorCode() != null && filter.state() == JobState.FAILED) {
            return ids(statements, Sql.LIST_FAILED_CODE, below, filter.errorCode());
        }
        JobState state = filter.state();
        if (state != null && state != JobState.COMPLETED) {
            String sql = switch (state) {
                case BLOCKED -> Sql.LIST_BLOCKED;
                case SCHEDULED -> Sql.LIST_SCHEDULED;
                case PENDING -> Sql.LIST_PENDING;
                case RUNNING -> Sql.LIST_RUNNING;
                case FAILED -> Sql.LIST_FAILED;
                case CANCELLED -> Sql.LIST_CANCELLED;
                case COMPLETED -> throw new IllegalStateException("COMPLETED has no listing of its own");
            };
            return ids(statements, sql, below, null);
        }
        if (filter.type() != null || filter.queue() != null) {
            List<Long> merged = new ArrayList<>();
            for (long lane : names.lanes(
                    filter.queue() == null ? null : Set.of(filter.queue()),
                    filter.type() == null ? null : Set.of(filter.type()))) {
                merged.addAll(ids(statements, Sql.LIST_LANE, below, lane));
            }
            merged.sort(Comparator.reverseOrder());
            return merged.size() > CHUNK ? merged.subList(0, CHUNK) : merged;
        }
        return ids(statements, Sql.LIST_ALL, below, null);
    }

    private static List<Long> ids(Statements statements, String sql, long below, @Nullable Object key)
            throws SQLException {
        PreparedStatement query = statements.get(sql);
        query.setLong(1, below);
        query.setInt(2, CHUNK);
        if (key != null) {
            query.setObject(3, key);
        }
        List<Long> ids = new ArrayList<>();
        try (ResultSet rows = query.executeQuery()) {
            while (rows.next()) {
                ids.add(rows.getLong(1));
            }
        }
        return ids;
    }

    private static boolean matches(JobSnapshot job, JobFilter filter) {
        return (filter.state() == null || filter.state() == job.state())
                && (filter.type() == null || filter.type().equals(job.type()))
                && (filter.queue() == null || filter.queue().equals(job.queue()))
                && (filter.tag() == null || job.tags().contains(filter.tag()))
                && (filter.errorCode() == null || filter.errorCode().equals(job.errorCode()))
                && (filter.createdAfter() == null || !job.createdAt().isBefore(filter.createdAfter()));
    }
}
