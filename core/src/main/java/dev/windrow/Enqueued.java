package dev.windrow;

/**
 * What an enqueue did. Durable when it is returned by a verb of {@code Windrow}; committed with the caller's transaction
 * when it is returned by a verb on a connection.
 *
 * @param ref the job
 * @param state its state when it was written: {@code PENDING}, {@code SCHEDULED} or {@code BLOCKED}; that of an existing job
 *     when it was looked at, and {@code COMPLETED} when that has been deleted since
 * @param deduplicated whether an existing job with the same {@linkplain Dedupe key} stands for this one
 * @param <O> the type of the job's result
 */
public record Enqueued<O>(JobRef<O> ref, JobState state, boolean deduplicated) {}
