package dev.windrow;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.monitor.AuditEntry;
import dev.windrow.monitor.Monitor;
import dev.windrow.query.JobFilter;
import dev.windrow.query.JobQuery;

/**
 * All jobs that match a filter: to be listed, searched or changed. Made by {@link Windrow#jobs(JobFilter)}.
 *
 * <p>A change takes the jobs in as many transactions as necessary, at most 1000 jobs each, so that workers continue meanwhile. It skips a job that
 * cannot be changed, or that no longer matches when its turn comes, and jobs that are enqueued after the call has begun. Each transaction leaves an
 * {@link AuditEntry} with the number of jobs. If an exception or the end of the process interrupts the change, its committed part remains, and the
 * same call continues with the rest.
 *
 * <p>A retry with {@linkplain Retry#withDependents dependents} also retries jobs that the filter does not match. A dependent that cannot be retried is
 * skipped, with the jobs below it. Of each thousand jobs of the filter, a thousand dependents are retried with the call and counted, and more follow.
 *
 * <p>A preview may count a dependent twice that two of the jobs have cancelled. It does not see that a job could be discarded after another one that
 * depends on it.
 */
public interface JobSelection extends JobHandles {
    @Override
    @CheckReturnValue
    JobSelection preview();

    /**
     * Counts the jobs. Reads each of them, a thousand at a time; other jobs may come and go meanwhile. {@link Monitor#statistics} counts by state, queue and
     * type without reading jobs.
     *
     * @throws StoreUnavailableException if the store cannot be read
     */
    @CheckReturnValue
    long count();

    /** Returns a listing of the jobs, the one that was enqueued last first. */
    @CheckReturnValue
    JobQuery newestFirst();

    /** Returns a listing of the jobs, the one that was enqueued first first. */
    @CheckReturnValue
    JobQuery oldestFirst();
}
