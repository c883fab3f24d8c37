package dev.windrow;

import dev.windrow.workflow.ParentPolicy;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A job as it was when it was read. Times are by the store's clock, in milliseconds. */
public interface JobInfo {
    /** The job's id. */
    long id();

    /** The type's name. */
    String type();

    /** The queue. */
    String queue();

    /** The name for people, or null. */
    @Nullable String name();

    /** The state. */
    JobState state();

    /** The priority: a higher one runs first. */
    int priority();

    /** The attempt that runs now, or the number of attempts that count when none runs. */
    int attempt();

    /** The number of attempts at most. */
    int maxAttempts();

    /** The code of the last failed attempt; null once completed. */
    @Nullable String errorCode();

    /** Its short detail, or null. */
    @Nullable String errorDetail();

    /** The time of its enqueue. */
    Instant createdAt();

    /** The time at which it was or is due. */
    Instant scheduledAt();

    /** The start of its last attempt, or null. */
    @Nullable Instant startedAt();

    /** The time of its end, or null. */
    @Nullable Instant finishedAt();

    /** The worker that runs it now, or null. */
    @Nullable String worker();

    /** The first job of its chain; its own id when it is a chain of one. */
    long chainId();

    /** Its place in the chain, from 0. */
    int chainIndex();

    /** Its parents in declared order. */
    List<Dependency> dependsOn();

    /** The jobs that wait or waited for it, by id, with what they do when it ends without success; at most the first 1000. */
    List<Dependency> dependents();

    /** Its tags, sorted. */
    List<String> tags();

    /** Its dedupe key, or the one that its chain holds, whether it still holds it or not; or null. */
    @Nullable String dedupeKey();

    /** The key that it shares with other jobs, or null. */
    @Nullable String concurrencyKey();

    /** True if it is ready and waits for a permit of its concurrency key. */
    boolean waitsForPermit();

    /** The thing that it waits for while it is {@code BLOCKED}, or null. */
    @Nullable Waiting waitingFor();

    /** The time at which its wait for an event runs out, or null. */
    @Nullable Instant wakeAt();

    /** The trace context, or null. */
    @Nullable String traceparent();

    /** The progress that its last attempt has told, or null. */
    @Nullable Progress progress();

    /** The workflow that it belongs to, or null. */
    @Nullable Long workflow();

    /** What a job can wait for while it is {@code BLOCKED}. */
    enum Waiting {
        /** Jobs that it depends on. */
        PARENTS,
        /** Whatever completes or fails it externally, or tells it of the event that its handler awaits. */
        EVENT
    }

    /**
     * How far an attempt says it is.
     *
     * @param fraction 0 to 1, or null when it has not said
     * @param message for people, or null
     * @param at when it said so
     */
    record Progress(@Nullable Double fraction, @Nullable String message, Instant at) {}

    /**
     * One dependency of a job, seen from one of its ends.
     *
     * @param id the other end: the parent, or the job that depends on this one
     * @param state its state when it was read
     * @param onFailure what the dependent job does when its parent ends without success
     */
    record Dependency(long id, JobState state, ParentPolicy onFailure) {}
}
