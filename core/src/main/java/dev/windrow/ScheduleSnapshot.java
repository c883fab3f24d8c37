package dev.windrow;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A schedule as it is stored. It has either a cron expression and a zone, or a distance and a begin.
 *
 * @param name its name
 * @param type the type of its jobs
 * @param queue the queue of its jobs
 * @param payload the input of its jobs, or null
 * @param cron the cron expression, or null
 * @param zone the zone whose clock on the wall the expression means, or null
 * @param every the distance of its runs, or null
 * @param startsAt from when on runs are that far apart, or null
 * @param misfire what it does about due times that have passed
 * @param overlap what it does when its last job has not ended
 * @param pause since when, by whom and why it makes no jobs; null: it does
 * @param nextRuns the next three due times, the first of which may have come; none while it is paused, or if there are no more
 * @param lastRun the newest due time that was decided, whatever became of it; null: none was
 * @param lastJob the id of the job that it made last; null: none
 * @param createdAt when it was made
 * @param problem why it makes no jobs apart from a pause, such as a zone that is not known here; null: nothing is wrong with it
 */
public record ScheduleSnapshot(
        String name,
        String type,
        String queue,
        @Nullable Json payload,
        @Nullable String cron,
        @Nullable String zone,
        @Nullable Duration every,
        @Nullable Instant startsAt,
        Misfire misfire,
        Overlap overlap,
        Control.@Nullable Pause pause,
        List<Instant> nextRuns,
        @Nullable Instant lastRun,
        @Nullable Long lastJob,
        Instant createdAt,
        @Nullable String problem) {
    /** Whether it makes no jobs. */
    public boolean isPaused() {
        return pause != null;
    }

    /** The next due time; null while it is paused, or if there is none. */
    public @Nullable Instant nextRun() {
        return nextRuns.isEmpty() ? null : nextRuns.get(0);
    }
}
