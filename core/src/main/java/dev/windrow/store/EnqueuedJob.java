package dev.windrow.store;

import dev.windrow.JobState;

/**
 * The answer to one enqueued row.
 *
 * @param id the job's id
 * @param state the state that it was written in
 * @param deduplicated whether an existing job stands for it
 */
public record EnqueuedJob(long id, JobState state, boolean deduplicated) {}
