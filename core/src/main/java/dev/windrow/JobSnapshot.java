package dev.windrow;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A job as it was when it was read. Times are by the store's clock, in milliseconds.
 *
 * @param id the job's id
 * @param type the type's name
 * @param queue the queue
 * @param name a name for people, or null
 * @param state the state
 * @param priority higher runs first
 * @param attempt the attempt that runs now, or the number of attempts burned when none runs
 * @param maxAttempts how many there are at most
 * @param errorCode the code of the last failed attempt; null once completed
 * @param errorDetail its short detail
 * @param createdAt when it was enqueued
 * @param scheduledAt when it was or is due
 * @param startedAt when its last attempt started, or null
 * @param finishedAt when it ended, or null
 * @param worker the worker that runs it now, or null
 * @param chainId the first job of its chain; its own id when it is a chain of one
 * @param chainIndex its place in the chain, from 0
 * @param dependsOn its parents in declared order
 * @param dependents the jobs that wait or waited for it, by id, with what they do when it ends without success; at most the first
 *     1000
 * @param tags its tags, sorted
 * @param dedupeKey its dedupe key, or the one that its chain holds, whether it still holds it or not; or null
 * @param concurrencyKey the key that it shares with other jobs, or null
 * @param held whether it is ready and waits in line for its concurrency key
 * @param waitingFor what it waits for while it is {@code BLOCKED}, or null
 * @param wakeAt when its wait for an event runs out of time, or null
 * @param traceparent the trace context, or null
 * @param progress how far its last attempt said it is, or null
 * @param workflow the workflow that it belongs to, or null
 */
public record JobSnapshot(
        long id,
        String type,
        String queue,
        @Nullable String name,
        JobState state,
        int priority,
        int attempt,
        int maxAttempts,
        @Nullable String errorCode,
        @Nullable String errorDetail,
        Instant createdAt,
        Instant scheduledAt,
        @Nullable Instant startedAt,
        @Nullable Instant finishedAt,
        @Nullable String worker,
        long chainId,
        int chainIndex,
        List<Dependency> dependsOn,
        List<Dependency> dependents,
        List<String> tags,
        @Nullable String dedupeKey,
        @Nullable String concurrencyKey,
        boolean held,
        @Nullable Waiting waitingFor,
        @Nullable Instant wakeAt,
        @Nullable String traceparent,
        @Nullable Progress progress,
        @Nullable Long workflow) {
    /** Copies the lists. */
    public JobSnapshot {
        dependsOn = List.copyOf(dependsOn);
        dependents = List.copyOf(dependents);
        tags = List.copyOf(tags);
    }

    /** What a job can wait for while it is {@code BLOCKED}. */
    public enum Waiting {
        /** Jobs that it depends on. */
        PARENTS,
        /** Somebody outside who completes or fails it, or tells it of the event that its handler awaits. */
        EVENT
    }

    /**
     * How far an attempt says it is.
     *
     * @param fraction 0 to 1, or null when it has not said
     * @param message for people, or null
     * @param at when it said so
     */
    public record Progress(
            @Nullable Double fraction, @Nullable String message, Instant at) {}

    /**
     * One dependency of a job, seen from one of its ends.
     *
     * @param id the other end: the parent, or the job that depends on this one
     * @param state its state when it was read
     * @param onFailure what the dependent job does when its parent ends without success
     */
    public record Dependency(long id, JobState state, ParentPolicy onFailure) {}
}
