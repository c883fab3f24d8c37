package dev.windrow.workflow;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A workflow in a listing, at the moment of the read. Times are by the store's clock, in milliseconds. */
public interface WorkflowInfo {
    /** The number of jobs of a workflow that are counted for a listing: {@value}. */
    int MAX_COUNTED = 10_000;

    /** The id of the workflow. */
    long id();

    /** The name of the type of the first job, as stored. It may be an alias. The first job is the oldest one that still exists. */
    String type();

    /** The name of the first job, a label for humans, or null. */
    @Nullable String name();

    /** The time of the first job's enqueue. */
    Instant createdAt();

    /** The number of jobs in each state, of the newest {@link #MAX_COUNTED} jobs. {@link dev.windrow.Windrow#workflow} counts all jobs. */
    WorkflowStatus status();

    /** True if the count ended at {@link #MAX_COUNTED} jobs: the workflow has this many jobs or more. */
    boolean isCapped();
}
