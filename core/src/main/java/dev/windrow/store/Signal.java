package dev.windrow.store;

import org.jspecify.annotations.Nullable;

/**
 * What somebody outside tells a job.
 *
 * @param job the job
 * @param name the name of the event
 * @param payload JSON text, or null
 * @param actor who tells it
 */
public record Signal(long job, String name, @Nullable String payload, String actor) {}
