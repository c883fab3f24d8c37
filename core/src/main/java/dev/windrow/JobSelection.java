package dev.windrow;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.monitor.AuditEntry;
import dev.windrow.monitor.Monitor;
import dev.windrow.query.JobFilter;
import dev.windrow.query.JobQuery;

/**
 * All jobs that match a filter, for a listing, a search or a change. Made by {@link Windrow#jobs(JobFilter)}.
 *
 * <p>A change takes as many transactions as necessary, of at most 1000 jobs each, so that workers continue between them. It skips a job that cannot
 * be changed, or that no longer matches when its batch is read. It also skips jobs that are enqueued after the call has begun. Each transaction
 * writes an {@link AuditEntry} with the number of its jobs. If an exception or the end of the process interrupts the change, its committed part
 * remains, and the same call continues with the rest.
 *
 * <p>A retry with {@linkplain Retry#withDependents dependents} also retries jobs that the filter does not match. A dependent that cannot be retried
 * is skipped, with the jobs below it. For each 1000 jobs of the filter, the call itself retries and counts up to 1000 dependents. More dependents
 * follow later.
 *
 * <p>A deletion deletes a chain only if all its jobs match, in one transaction. {@link BulkResult#skipped} counts the ended jobs that must stay.
 *
 * <p>A preview may count a dependent twice if two of the jobs have cancelled it. A preview of a deletion treats the jobs that it has counted as deleted,
 * so that it counts the jobs on which they depend. It remembers the last 100 000 of them. If it skips jobs after that, its result is a lower bound.
 */
public interface JobSelection extends JobHandles {
    /** Returns a handle of the same jobs whose verbs check and count only. They look at each job of the filter, which takes minutes for millions. */
    @Override
    @CheckReturnValue
    JobSelection preview();

    /**
     * Returns a handle like that of {@link #preview} for a question to an operator. Its verbs return within about a second, whatever the number of
     * jobs: they stop looking after half a second, or after 100 000 jobs or index entries. The result of such a verb is a lower bound: see {@link
     * BulkResult#isAtLeast}. With {@link #withMaxJobs} the result is exact if that number is reached.
     */
    @CheckReturnValue
    JobSelection quickPreview();

    /**
     * Returns a handle of the same jobs whose verbs stop when about this many jobs were changed, default unlimited. The other jobs of a chain, which is
     * deleted as a whole, and dependents of a retry may exceed it.
     *
     * @param jobs at least 1
     * @throws InvalidRequestException if the number is less than 1
     */
    @CheckReturnValue
    JobSelection withMaxJobs(int jobs);

    /**
     * Counts the jobs. The call reads each of them, 1000 at a time. Jobs that are enqueued or deleted during the call may or may not be counted.
     * {@link Monitor#statistics} counts by state, queue and type without reading jobs.
     *
     * @throws StoreUnavailableException if the store cannot be read
     */
    @CheckReturnValue
    long count();

    /** Returns a listing of the jobs, newest first in the order of their enqueue. */
    @CheckReturnValue
    JobQuery newestFirst();

    /** Returns a listing of the jobs, oldest first in the order of their enqueue. */
    @CheckReturnValue
    JobQuery oldestFirst();
}
