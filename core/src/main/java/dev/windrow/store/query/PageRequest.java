package dev.windrow.store.query;

import dev.windrow.InvalidRequestException;
import dev.windrow.query.JobFilter;
import dev.windrow.query.JobPage;
import dev.windrow.query.JobQuery;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The request for a page of the jobs that match a filter. Pages are found by the ids of jobs, which grow with the time of enqueuing. So new or
 * deleted jobs between two pages neither repeat nor hide other jobs.
 *
 * @param filter the filter
 * @param order the order of the jobs on a page, and of the pages
 * @param after the position after which the page begins: {@link JobPage#next} of another page; null for the first page
 * @param before the position before which the page ends: {@link JobPage#previous} of another page; at most one of both is given
 * @param limit the most jobs of a page, 1 to 1000, default 50
 */
public record PageRequest(
        JobFilter filter,
        Order order,
        @Nullable Long after,
        @Nullable Long before,
        int limit) {
    /** The order of jobs. */
    public enum Order {
        /** The job that was enqueued last comes first. */
        NEWEST_FIRST,
        /** The job that was enqueued first comes first. */
        OLDEST_FIRST
    }

    /**
     * Refuses impossible requests.
     *
     * @throws InvalidRequestException if the limit is out of range, or if both positions are given
     */
    public PageRequest {
        Objects.requireNonNull(filter, "filter");
        Objects.requireNonNull(order, "order");
        if (limit < 1 || limit > JobQuery.MAX_LIMIT) {
            throw new InvalidRequestException("limit %d is not allowed: 1 to %d".formatted(limit, JobQuery.MAX_LIMIT));
        }
        if (after != null && before != null) {
            throw new InvalidRequestException(
                    "a page is after or before a position, not both (%d, %d)".formatted(after, before));
        }
    }

    /** Returns the request for the first page of the jobs that match, newest first, with at most 50 jobs. */
    public static PageRequest of(JobFilter filter) {
        return new PageRequest(filter, Order.NEWEST_FIRST, null, null, JobQuery.DEFAULT_LIMIT);
    }

    /** Returns the same request with the oldest job first. */
    public PageRequest oldestFirst() {
        return new PageRequest(filter, Order.OLDEST_FIRST, after, before, limit);
    }

    /** Returns the same request for pages of at most this many jobs. */
    public PageRequest limit(int limit) {
        return new PageRequest(filter, order, after, before, limit);
    }

    /** Returns the request for the page after this position; with null for the first page. */
    public PageRequest after(@Nullable Long cursor) {
        return new PageRequest(filter, order, cursor, null, limit);
    }

    /** Returns the request for the page before this position; with null for the first page. */
    public PageRequest before(@Nullable Long cursor) {
        return new PageRequest(filter, order, null, cursor, limit);
    }
}
