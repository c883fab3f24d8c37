package dev.windrow;

import java.util.List;

/**
 * The result of a change of jobs.
 *
 * @param count the number of jobs that were changed, or that a preview would change. It includes running jobs whose cancellation was requested
 * @param ids the ids of at most 100 of these jobs
 * @param skipped the number of jobs that match a filter and could not be changed, because of other jobs: a job that needs them, a chain that does not
 *     match as a whole, or the holder of their dedupe key. 0 for named jobs, of which all are changed or none
 */
public record BulkResult(long count, List<Long> ids, long skipped) {
    /** Creates the result of a change that has skipped no job. */
    public BulkResult(long count, List<Long> ids) {
        this(count, ids, 0);
    }

    /** Copies the list. */
    public BulkResult {
        ids = List.copyOf(ids);
    }
}
