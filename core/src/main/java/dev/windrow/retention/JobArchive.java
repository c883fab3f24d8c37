package dev.windrow.retention;

import dev.windrow.JobHistory;
import java.util.List;

/**
 * Keeps the histories of jobs elsewhere before retention deletes them. Called by one thread at a time, a batch after the other, before the
 * batch is deleted; a batch of long jobs in several parts of some megabytes.
 *
 * <p>A job may come again: when the process ends, or loses the store's answer, between the archive and the commit that deletes the job; and when it is kept
 * after all, because somebody has retried it or began to depend on it meanwhile. Of several with one id the last one counts. Within a pass a job that
 * stays as it is comes once. None is deleted that did not come.
 */
@FunctionalInterface
public interface JobArchive {
    /**
     * Stores these jobs. What it has taken is durable there when it returns.
     *
     * @param jobs as {@link dev.windrow.JobHandle#history} would answer them, at least one
     * @throws Exception if they are not stored: none of them is deleted, and the pass ends with this reason
     */
    void archive(List<JobHistory> jobs) throws Exception;
}
