package dev.windrow.workflow;

import dev.windrow.JobState;
import dev.windrow.payload.Json;
import org.jspecify.annotations.Nullable;

/** The outcome of a job on which another job depended. */
public interface ParentOutcome {
    /** The parent's id. */
    long id();

    /** The parent's type. */
    String type();

    /** The parent's name, or null. */
    @Nullable String name();

    /** The parent's state when it was read. */
    JobState state();

    /** The error code of the parent's last failed attempt, or null. Null if the parent is {@code COMPLETED}. */
    @Nullable String errorCode();

    /** The parent's result; null if it has none. */
    @Nullable Json result();
}
