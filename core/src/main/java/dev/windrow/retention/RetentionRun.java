package dev.windrow.retention;

import dev.windrow.payload.Json;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The last pass of retention that a process with workers has done, as its task.
 *
 * @param at when it was done, by this process's clock
 * @param result how many jobs it deleted, by state, and how many it kept for others: {@code
 *     {"COMPLETED":120,"FAILED":0,"CANCELLED":3,"kept":1}}; null when it is not known
 */
public record RetentionRun(Instant at, @Nullable Json result) {}
