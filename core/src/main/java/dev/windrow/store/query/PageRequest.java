package dev.windrow.store.query;

import dev.windrow.InvalidRequestException;
import dev.windrow.query.JobFilter;
import dev.windrow.query.JobPage;
import dev.windrow.query.JobQuery;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Asks for a page of the jobs that match a filter. Pages are found by the ids of jobs, which grow with the time at which they were
 * enqueued, so that jobs which come and go meanwhile neither repeat others nor hide them.
 *
 * @param filter which jobs
 * @param order the order of the jobs on a page, and of the pages
 * @param after the page behind this place: {@link JobPage#next} of another page; null for the first page
 * @param before the page in front of this place: {@link JobPage#previous} of another page; at most one of both is given
 * @param limit the most jobs of a page, 1 to 1000, default 50
 */
public record PageRequest(
        JobFilter filter,
        Order order,
        @Nullable Long after,
        @Nullable Long before,
        int limit) {
    /** In which order jobs come. */
    public enum Order {
        /** The job that was enqueued last comes first. */
        NEWEST_FIRST,
        /** The job that was enqueued first comes first. */
        OLDEST_FIRST
    }

    /**
     * Refuses what no page can be.
     *
     * @throws InvalidRequestException if the limit is out of range, or if both places are given
     */
    public PageRequest {
        Objects.requireNonNull(filter, "filter");
        Objects.requireNonNull(order, "order");
        if (limit < 1 || limit > JobQuery.MAX_LIMIT) {
            throw new InvalidRequestException(
                    "limit %d is not allowed; allowed: 1 to %d".formatted(limit, JobQuery.MAX_LIMIT));
        }
        if (after != null && before != null) {
            throw new InvalidRequestException(
                    "a page is after or before a position, not both (%d, %d)".formatted(after, before));
        }
    }

    /** The first page of the jobs that match, newest first, with at most 50 jobs. */
    public static PageRequest of(JobFilter filter) {
        return new PageRequest(filter, Order.NEWEST_FIRST, null, null, JobQuery.DEFAULT_LIMIT);
    }

    /** The same query, the oldest job first. */
    public PageRequest oldestFirst() {
        return new PageRequest(filter, Order.OLDEST_FIRST, after, before, limit);
    }

    /** The same query for pages of at most this many jobs. */
    public PageRequest limit(int limit) {
        return new PageRequest(filter, order, after, before, limit);
    }

    /** The page behind this place, or the first one with null. */
    public PageRequest after(@Nullable Long cursor) {
        return new PageRequest(filter, order, cursor, null, limit);
    }

    /** The page in front of this place, or the first one with null. */
    public PageRequest before(@Nullable Long cursor) {
        return new PageRequest(filter, order, null, cursor, limit);
    }
}
