package dev.windrow.store.job;

import dev.windrow.JobState;
import dev.windrow.payload.Json;
import dev.windrow.workflow.ParentOutcome;
import org.jspecify.annotations.Nullable;

/** A parent's outcome as it is stored. */
public record ParentOutcomeRow(
        long id,
        String type,
        @Nullable String name,
        JobState state,
        @Nullable String errorCode,
        @Nullable Json result) implements ParentOutcome {}
