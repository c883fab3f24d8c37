package dev.windrow;

import dev.windrow.payload.Metadata;
import dev.windrow.workflow.ParentPolicy;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A job at the moment of the read. Times are by the store's clock, in milliseconds. */
public interface JobInfo {
    /** The job's id. */
    long id();

    /** The name of the job's type, as stored. It may be an alias. */
    String type();

    /** The job's queue. */
    String queue();

    /** The job's name, a label for humans, or null. */
    @Nullable String name();

    /** The job's state. */
    JobState state();

    /**
     * The version of the job: a number that grows with each change of the job, and stays the same while nothing changes. Changes are: of the state, a
     * claim, an attempt's start and end, a request to cancel, a retry, a trigger, a signal, a change of the metadata, a replacement by the dedupe key. An entry
     * in the event log about a running attempt, such as {@link EventKind#HEARTBEAT}, counts too. Progress, log lines, steps, renewed leases and
     * permits do not count. Compare versions of the same job in the same store only. See {@link JobHandle#ifVersion}.
     */
    long version();

    /** The job's priority: a higher one runs first. */
    int priority();

    /** The number of the running attempt within the job's run. If none runs, the number of the run's attempts that count. */
    int attempt();

    /**
     * The number of the job's run, from 1. Each retry of the ended job begins a new run, with all attempts available again. So does the
     * replacement of a job with failed attempts by its dedupe key.
     */
    int run();

    /** The maximum number of attempts. */
    int maxAttempts();

    /** The error code of the last failed attempt, or null. Null once the job is {@code COMPLETED}. */
    @Nullable String errorCode();

    /** The short detail of the last failed attempt, or null. */
    @Nullable String errorDetail();

    /** The time of the job's enqueue. */
    Instant createdAt();

    /** The time at which the job was or is due. */
    Instant scheduledAt();

    /** The start of the job's last attempt, or null. */
    @Nullable Instant startedAt();

    /** The time of the job's end, or null. */
    @Nullable Instant finishedAt();

    /** The worker that runs the job now, or null. */
    @Nullable String worker();

    /** The id of the first job of the chain. The job's own id when it is a chain of one. */
    long chainId();

    /** The position of the job in its chain, from 0. */
    int chainIndex();

    /** The job's parents, in declared order. */
    List<Dependency> dependsOn();

    /** The jobs that wait or waited for this job, each with its policy; ordered by id, at most the first 1000. */
    List<Dependency> dependents();

    /** The job's tags, sorted. */
    List<String> tags();

    /** The job's metadata. */
    Metadata metadata();

    /** The job's dedupe key, or the key that its chain holds; or null. The key is also returned after it was given up. */
    @Nullable String dedupeKey();

    /** The job's concurrency key, or null. */
    @Nullable String concurrencyKey();

    /** True if the job is ready and waits for a permit of its concurrency key. */
    boolean waitsForPermit();

    /** The thing for which a {@code BLOCKED} job waits, or null. */
    @Nullable Waiting waitingFor();

    /** The time at which the job's wait for an event times out, or null. */
    @Nullable Instant wakeAt();

    /** The trace context of the job's enqueue, or null. */
    @Nullable String traceparent();

    /** The last reported progress of the job's last attempt, or null. */
    @Nullable Progress progress();

    /** The id of the job's workflow, or null. */
    @Nullable Long workflow();

    /** The things for which a {@code BLOCKED} job can wait. */
    enum Waiting {
        /** The jobs on which it depends. */
        PARENTS,
        /** Its external completion or failure, or the event that its handler awaits. */
        EVENT
    }

    /**
     * The reported progress of an attempt.
     *
     * @param fraction 0 to 1, or null if the handler has reported none
     * @param message a text for humans, or null
     * @param at the time of the report
     */
    record Progress(@Nullable Double fraction, @Nullable String message, Instant at) {}

    /**
     * One dependency of a job, seen from one of its ends.
     *
     * @param id the job at the other end: the parent, or the dependent job
     * @param state its state when it was read
     * @param onFailure the policy of the dependent job for the case that its parent ends without success
     */
    record Dependency(long id, JobState state, ParentPolicy onFailure) {}
}
