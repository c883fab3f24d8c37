package dev.windrow;

import java.util.List;

/**
 * The result of a change of jobs.
 *
 * @param count the number of jobs that were changed, or that a preview would change. It includes running jobs whose cancellation was requested
 * @param ids the ids of at most 100 of these jobs
 */
public record BulkResult(long count, List<Long> ids) {
    /** Copies the list. */
    public BulkResult {
        ids = List.copyOf(ids);
    }
}
