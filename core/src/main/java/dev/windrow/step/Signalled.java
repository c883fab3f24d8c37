package dev.windrow.step;

import dev.windrow.JobHandle;
import dev.windrow.JobState;

/**
 * The answer to {@link JobHandle#signal(String, Object)}.
 *
 * @param state the job's state after it: {@code PENDING} if it was what the job waited for
 * @param kept whether the job will see this one; false if an earlier signal of the name stands, or the job has waited for it in vain
 */
public record Signalled(JobState state, boolean kept) {}
