package dev.windrow.retention;

import dev.windrow.JobHistory;
import java.util.List;

/**
 * Stores the histories of jobs in another place before retention deletes them. Called by one thread at a time, for one batch after another, before
 * the batch is deleted. A batch of long jobs comes in several parts of some megabytes.
 *
 * <p>A job may come more than once. One case is that the process ends, or the store's outcome is unknown, between the archive and the commit that
 * deletes the job. The other case is that the job is kept because it was retried, or another job began to depend on it. Of several histories with one
 * id the last one counts. Within a pass an unchanged job comes once. No job is deleted without having come.
 */
@FunctionalInterface
public interface JobArchive {
    /**
     * Stores these jobs. They are durable in the archive when this returns.
     *
     * @param jobs the histories of the jobs, as from {@link dev.windrow.JobHandle#history}; at least one
     * @throws Exception if the jobs are not stored. None of them is deleted, and the pass ends with this reason
     */
    void archive(List<JobHistory> jobs) throws Exception;
}
