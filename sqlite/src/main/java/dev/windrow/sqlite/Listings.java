package dev.windrow.sqlite;

import dev.windrow.JobFilter;
import dev.windrow.JobPage;
import dev.windrow.JobSnapshot;
import dev.windrow.JobState;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
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
    /** Candidates that one read has the time for: it has 5 s, and these take less than one. */
    private static final int A_READ = 10_000;

    private Listings() {}

    static JobPage list(Statements statements, Names names, JobFilter filter, long before, int limit)
            throws SQLException {
        names.refresh(statements);
        List<JobSnapshot> page = new ArrayList<>();
        long below = before;
        boolean more = true;
        while (more) {
            List<Long> candidates = candidates(statements, names, filter, below, CHUNK);
            more = visit(statements, filter, candidates, job -> {
                        page.add(job);
                        return page.size() <= limit;
                    })
                    && candidates.size() == CHUNK;
            below = more ? candidates.get(CHUNK - 1) : below;
        }
        if (page.size() > limit) {
            page.remove(limit);
            return new JobPage(page, page.get(limit - 1).id());
        }
        return new JobPage(page, null);
    }

    /**
     * Where a look for the jobs of several filters goes on.
     *
     * @param filter which of them
     * @param below only jobs with a smaller id
     */
    record Place(int filter, long below) {
        static final Place START = new Place(0, Long.MAX_VALUE);
    }

    /**
     * What a look has found.
     *
     * @param ids the jobs
     * @param next where the next look goes on; null at the end
     */
    record Found(List<Long> ids, @Nullable Place next) {}

    /** Looks for jobs that match one of the filters, among as many as one read has the time for. */
    static Found ids(Statements statements, Names names, List<JobFilter> filters, Place from) throws SQLException {
        names.refresh(statements);
        List<Long> ids = new ArrayList<>();
        Place place = from;
        int left = A_READ;
        while (left > 0 && place.filter < filters.size()) {
            JobFilter filter = filters.get(place.filter);
            List<Long> candidates = candidates(statements, names, filter, place.below, left);
            boolean more = candidates.size() == left;
            if (isWholeListing(filter)) {
                ids.addAll(candidates);
            } else {
                more &= visit(statements, filter, candidates, job -> ids.add(job.id()));
            }
            place = more
                    ? new Place(place.filter, candidates.get(candidates.size() - 1))
                    : new Place(place.filter + 1, Long.MAX_VALUE);
            left -= candidates.size();
        }
        return new Found(ids, place.filter < filters.size() ? place : null);
    }

    /** Whether all candidates match. */
    private static boolean isWholeListing(JobFilter filter) {
        JobState state = filter.state();
        return state != null
                && state != JobState.COMPLETED
                && (filter.errorCode() == null || state == JobState.FAILED)
                && filter.type() == null
                && filter.queue() == null
                && filter.tag() == null
                && filter.workflow() == null
                && filter.createdAfter() == null
                && filter.finishedBefore() == null;
    }

    private interface Visitor {
        /** Takes a job; false to stop. */
        boolean visit(JobSnapshot job);
    }

    /** Visits those of the candidates that match; false when there is nothing more to look for. */
    private static boolean visit(Statements statements, JobFilter filter, List<Long> candidates, Visitor visitor)
            throws SQLException {
        for (long id : candidates) {
            JobSnapshot job = Queries.snapshot(statements, id);
            if (job != null && matches(job, filter) && !visitor.visit(job)) {
                return false;
            }
            if (job != null && isFarOlder(job, filter)) {
                return false;
            }
        }
        return true;
    }

    /** Ids grow with time but for the clock's steps: a day of slack ends a walk that went past the wanted time. */
    private static boolean isFarOlder(JobSnapshot job, JobFilter filter) {
        return filter.createdAfter() != null
                && job.createdAt().isBefore(filter.createdAfter().minusSeconds(86_400));
    }

    /** The next ids, newest first, at most this many, among which are all that match. */
    private static List<Long> candidates(Statements statements, Names names, JobFilter filter, long below, int limit)
            throws SQLException {
        if (filter.tag() != null) {
            return ids(statements, Sql.LIST_TAG, below, limit, filter.tag());
        }
        if (filter.workflow() != null) {
            return ids(statements, Sql.LIST_WORKFLOW, below, limit, filter.workflow());
        }
        if (filter.errorCode() != null && filter.state() == JobState.FAILED) {
            return ids(statements, Sql.LIST_FAILED_CODE, below, limit, filter.errorCode());
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
            return ids(statements, sql, below, limit, null);
        }
        if (filter.type() != null || filter.queue() != null) {
            List<Long> merged = new ArrayList<>();
            for (long lane : names.lanes(
                    filter.queue() == null ? null : Set.of(filter.queue()),
                    filter.type() == null ? null : Set.of(filter.type()))) {
                merged.addAll(ids(statements, Sql.LIST_LANE, below, limit, lane));
            }
            merged.sort(Comparator.reverseOrder());
            return merged.size() > limit ? merged.subList(0, limit) : merged;
        }
        return ids(statements, Sql.LIST_ALL, below, limit, null);
    }

    private static List<Long> ids(Statements statements, String sql, long below, int limit, @Nullable Object key)
            throws SQLException {
        PreparedStatement query = statements.get(sql);
        query.setLong(1, below);
        query.setInt(2, limit);
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
                && (filter.workflow() == null || filter.workflow().equals(job.workflow()))
                && (filter.errorCode() == null || filter.errorCode().equals(job.errorCode()))
                && (filter.createdAfter() == null || !job.createdAt().isBefore(filter.createdAfter()))
                && (filter.finishedBefore() == null || isFinishedBefore(job, filter.finishedBefore()));
    }

    private static boolean isFinishedBefore(JobSnapshot job, Instant time) {
        return job.finishedAt() != null && job.finishedAt().isBefore(time);
    }
}
