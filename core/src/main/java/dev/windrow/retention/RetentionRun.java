package dev.windrow.retention;

import dev.windrow.payload.Json;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The last pass of retention that a process with workers has made as its background task.
 *
 * @param at the time of the pass, by this process's clock
 * @param result the number of deleted jobs by state, and the number of jobs that were kept for other jobs:
 *     {@code {"COMPLETED":120,"FAILED":0,"CANCELLED":3,"kept":1}}; null if it is not known
 */
public record RetentionRun(Instant at, @Nullable Json result) {}
