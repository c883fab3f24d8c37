package dev.windrow.workflow;

import dev.windrow.JobState;

/**
 * The progress of the jobs on which another job depends: of a batch, if that job is its callback.
 *
 * @param callback the id of the job that waits for them
 * @param state the state of that job
 * @param jobs the number of jobs on which it depends
 * @param ended the number of jobs for which it no longer waits: in a batch, the jobs that have ended. A job that is retried after its end still
 *     counts
 * @param unsuccessful the number of jobs that are {@code FAILED} or {@code CANCELLED} now
 */
public record BatchProgress(long callback, JobState state, long jobs, long ended, long unsuccessful) {
    /** True if the callback waits for none of the jobs any more: it is ready, runs, or has ended. */
    public boolean isFinished() {
        return ended == jobs;
    }

    /** Returns the fraction of ended jobs, 0 to 1. It is 1 for a batch without jobs. */
    public double fraction() {
        return jobs == 0 ? 1 : (double) ended / jobs;
    }
}
