package dev.windrow.schedule;

import dev.windrow.RetryPolicy;
import dev.windrow.limit.ConcurrencyKey;
import dev.windrow.limit.Limits;
import dev.windrow.payload.Json;
import dev.windrow.payload.Metadata;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A stored schedule. It has either a cron expression and a zone, or an interval and a start. */
public interface ScheduleInfo {
    /** The name of the schedule. */
    String name();

    /** The type of its jobs. */
    String type();

    /** The queue of its jobs. */
    String queue();

    /** The input of its jobs, or null. */
    @Nullable Json payload();

    /** The label of its jobs, or null. */
    @Nullable String jobName();

    /** The priority of its jobs. */
    int priority();

    /** The maximum number of attempts of each job. */
    int maxAttempts();

    /** The time limit of each attempt, or null for the default of the worker. */
    @Nullable Duration timeout();

    /** The retry policy of its jobs, or null for that of their type. Also null if the stored text is not readable: then the jobs use that one, too. */
    @Nullable RetryPolicy retryPolicy();

    /** The concurrency key of its jobs, or null. */
    @Nullable ConcurrencyKey concurrencyKey();

    /** The tags of its jobs. */
    List<String> tags();

    /** The metadata of its jobs. */
    Metadata metadata();

    /** The cron expression, or null. */
    @Nullable String cron();

    /** The zone of the expression's local times, or null. */
    @Nullable String zone();

    /** The interval between its runs, or null. */
    @Nullable Duration every();

    /** The time from which the intervals are counted, or null. */
    @Nullable Instant startsAt();

    /** The policy for missed due times. */
    Misfire misfire();

    /** The policy for due times at which its last job has not ended. */
    Overlap overlap();

    /** The pause, with its time, its actor and its reason; null if the schedule is not paused. */
    Limits.@Nullable Pause pause();

    /** The next three due times, the first of which may have passed. Empty while the schedule is paused, or if it has no more due times. */
    List<Instant> nextRuns();

    /** The newest due time that was decided, with any outcome; null if none was. */
    @Nullable Instant lastRun();

    /** The id of the job that it has enqueued last, or null. */
    @Nullable Long lastJob();

    /** The time at which the schedule was created. */
    Instant createdAt();

    /** The reason why it enqueues no jobs, other than a pause, such as a zone that is not known here; null if there is no problem. */
    @Nullable String problem();

    /** True if the schedule is paused and enqueues no jobs. */
    default boolean isPaused() {
        return pause() != null;
    }

    /** Returns the next due time; null while the schedule is paused, or if it has no more due times. */
    default @Nullable Instant nextRun() {
        return nextRuns().isEmpty() ? null : nextRuns().get(0);
    }
}
