package dev.windrow.schedule;

import dev.windrow.limit.Limits;
import dev.windrow.payload.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A schedule as it is stored. It has either a cron expression and a zone, or an interval and a start. */
public interface ScheduleInfo {
    /** Its name. */
    String name();

    /** The type of its jobs. */
    String type();

    /** The queue of its jobs. */
    String queue();

    /** The input of its jobs, or null. */
    @Nullable Json payload();

    /** The cron expression, or null. */
    @Nullable String cron();

    /** The zone whose clock on the wall the expression means, or null. */
    @Nullable String zone();

    /** The interval between its runs, or null. */
    @Nullable Duration every();

    /** The time from which on runs are that far apart, or null. */
    @Nullable Instant startsAt();

    /** The rule for due times that have passed. */
    Misfire misfire();

    /** The rule for a run while its last job has not ended. */
    Overlap overlap();

    /** The time, the actor and the reason of its pause; null: it makes jobs. */
    Limits.@Nullable Pause pause();

    /** The next three due times, the first of which may have come; none while it is paused, or if there are no more. */
    List<Instant> nextRuns();

    /** The newest due time that was decided, whatever became of it; null: none was. */
    @Nullable Instant lastRun();

    /** The id of the job that it made last; null: none. */
    @Nullable Long lastJob();

    /** The time at which it was made. */
    Instant createdAt();

    /** The reason for which it makes no jobs apart from a pause, such as a zone that is not known here; null: nothing is wrong with it. */
    @Nullable String problem();

    /** True if it makes no jobs. */
    default boolean isPaused() {
        return pause() != null;
    }

    /** The next due time; null while it is paused, or if there is none. */
    default @Nullable Instant nextRun() {
        return nextRuns().isEmpty() ? null : nextRuns().get(0);
    }
}
