package dev.windrow.workflow;

import dev.windrow.JobState;

/**
 * How far the jobs are that another one waits for: of a batch, seen from its callback.
 *
 * @param callback the job that waits for them
 * @param state its state
 * @param jobs how many jobs it depends on
 * @param ended how many of them it waits for no longer: of a batch, those that have ended. One that is retried after that counts on
 * @param unsuccessful how many of them are {@code FAILED} or {@code CANCELLED} now
 */
public record BatchProgress(long callback, JobState state, long jobs, long ended, long unsuccessful) {
    /** Whether it waits for none of them any more: the callback runs, or may. */
    public boolean isFinished() {
        return ended == jobs;
    }

    /** From 0 to 1; 1 for a batch of no jobs. */
    public double fraction() {
        return jobs == 0 ? 1 : (double) ended / jobs;
    }
}
