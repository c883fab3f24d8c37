package dev.windrow;

import java.util.List;

/**
 * The result of a change of jobs.
 *
 * @param count the number of jobs that were changed, or that a preview would change. It includes running jobs whose cancellation was requested
 * @param ids the ids of at most 100 of these jobs
 * @param skipped the number of jobs that match a filter and could not be changed, because of other jobs: a job that needs them, a chain that does not
 *     match as a whole, or the holder of their dedupe key. 0 for named jobs, of which all are changed or none
 * @param extent whether the numbers are exact
 */
public record BulkResult(long count, List<Long> ids, long skipped, Extent extent) {
    private static final int SAMPLE = 20;

    /** The meaning of the numbers. */
    public enum Extent {
        /** All jobs were looked at. */
        EXACT,
        /** A {@linkplain JobSelection#quickPreview quick preview} has not looked at all jobs, or a preview of a very large deletion has skipped too many. */
        AT_LEAST
    }

    /** Creates an exact result. */
    public BulkResult(long count, List<Long> ids, long skipped) {
        this(count, ids, skipped, Extent.EXACT);
    }

    /** Creates the exact result of a change that has skipped no job. */
    public BulkResult(long count, List<Long> ids) {
        this(count, ids, 0);
    }

    /** Copies the list. */
    public BulkResult {
        ids = List.copyOf(ids);
    }

    /** True if the numbers are lower bounds: {@link Extent#AT_LEAST}. */
    public boolean isAtLeast() {
        return extent == Extent.AT_LEAST;
    }

    /** Returns the first 20 of the {@link #ids}, for a question to an operator. */
    public List<Long> sampleIds() {
        return ids.subList(0, Math.min(SAMPLE, ids.size()));
    }
}
