package dev.windrow.store;

import dev.windrow.JobState;

/**
 * The answer to one enqueued row.
 *
 * @param id the job's id
 * @param state the state that it was written in, or that an existing one was found in; {@code COMPLETED} when the existing
 *     one has been deleted and its key goes on
 * @param deduplicated whether an existing job stands for it
 */
public record EnqueuedJob(long id, JobState state, boolean deduplicated) {}
