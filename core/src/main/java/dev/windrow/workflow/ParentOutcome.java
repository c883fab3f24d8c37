package dev.windrow.workflow;

import dev.windrow.JobState;
import dev.windrow.payload.Json;
import org.jspecify.annotations.Nullable;

/**
 * How a job that another one depended on ended.
 *
 * @param id the parent
 * @param type its type
 * @param name its name, or null
 * @param state its state when it was read
 * @param errorCode the error code of its last failed attempt; null when it completed
 * @param result its result; null when it has none
 */
public record ParentOutcome(
        long id,
        String type,
        @Nullable String name,
        JobState state,
        @Nullable String errorCode,
        @Nullable Json result) {}
