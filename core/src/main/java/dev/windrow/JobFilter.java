package dev.windrow;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Which jobs a listing or a bulk change means: those that match every field that is not null.
 *
 * @param state the state
 * @param type the type's name
 * @param queue the queue
 * @param tag one of the tags
 * @param errorCode the code of the last failed attempt
 * @param createdAfter enqueued at or after this instant
 * @param finishedBefore ended before this instant: what has not ended does not match
 * @param workflow of the workflow with this id
 */
public record JobFilter(
        @Nullable JobState state,
        @Nullable String type,
        @Nullable String queue,
        @Nullable String tag,
        @Nullable String errorCode,
        @Nullable Instant createdAfter,
        @Nullable Instant finishedBefore,
        @Nullable Long workflow) {
    /** Every job. */
    public static final JobFilter ALL = new JobFilter(null, null, null, null, null, null, null, null);

    /** Of any workflow or none. */
    public JobFilter(
            @Nullable JobState state,
            @Nullable String type,
            @Nullable String queue,
            @Nullable String tag,
            @Nullable String errorCode,
            @Nullable Instant createdAfter,
            @Nullable Instant finishedBefore) {
        this(state, type, queue, tag, errorCode, createdAfter, finishedBefore, null);
    }

    /** Without a time before which jobs have ended. */
    public JobFilter(
            @Nullable JobState state,
            @Nullable String type,
            @Nullable String queue,
            @Nullable String tag,
            @Nullable String errorCode,
            @Nullable Instant createdAfter) {
        this(state, type, queue, tag, errorCode, createdAfter, null, null);
    }

    /** The jobs in this state. */
    public static JobFilter inState(JobState state) {
        return new JobFilter(state, null, null, null, null, null, null, null);
    }

    /** The jobs of a workflow. */
    public static JobFilter workflow(long workflow) {
        return ALL.withWorkflow(workflow);
    }

    /** The same filter for another state, or for any with null. */
    public JobFilter withState(@Nullable JobState state) {
        return new JobFilter(state, type, queue, tag, errorCode, createdAfter, finishedBefore, workflow);
    }

    /** The same filter for the jobs whose last failed attempt has this code. */
    public JobFilter withErrorCode(String errorCode) {
        return new JobFilter(state, type, queue, tag, errorCode, createdAfter, finishedBefore, workflow);
    }

    /** The same filter for the jobs that ended before this instant. */
    public JobFilter withFinishedBefore(Instant finishedBefore) {
        return new JobFilter(state, type, queue, tag, errorCode, createdAfter, finishedBefore, workflow);
    }

    /** The same filter for the jobs of a workflow, or of any and none with null. */
    public JobFilter withWorkflow(@Nullable Long workflow) {
        return new JobFilter(state, type, queue, tag, errorCode, createdAfter, finishedBefore, workflow);
    }
}
