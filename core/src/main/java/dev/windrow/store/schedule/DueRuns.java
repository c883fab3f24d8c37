package dev.windrow.store.schedule;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The runs to write for a schedule that was read. They are written only if the schedule has not changed, by its revision.
 *
 * @param schedule the schedule as it was read
 * @param dueMillis the due times that get a job each, in order
 * @param missed the earlier due times that get no job; or null
 * @param nextAtMillis when it is due next; null if never
 * @param stepBack true if the clock was set back: nothing is due, and missed due times after now come again
 */
public record DueRuns(
        ScheduleRow schedule,
        List<Long> dueMillis,
        @Nullable Missed missed,
        @Nullable Long nextAtMillis,
        boolean stepBack) {
    /**
     * A sequence of due times that get no job.
     *
     * @param fromMillis the first one
     * @param untilMillis the last one
     * @param runs the number of due times; null if there are too many to count
     */
    public record Missed(
            long fromMillis, long untilMillis, @Nullable Long runs) {}
}
