package dev.windrow.step;

import dev.windrow.JobHandle;
import dev.windrow.JobState;

/**
 * The result of {@link JobHandle#signal(String, Object)}.
 *
 * @param state the job's state after the signal: {@code PENDING} if the job waited for it
 * @param kept true if the handler gets this signal. False if an earlier signal of the same name was kept, or the handler's wait has timed out
 */
public record Signalled(JobState state, boolean kept) {}
