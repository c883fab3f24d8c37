package dev.windrow.store.schedule;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is to be done for a schedule that was read: written only if it is as it was then, by its revision.
 *
 * @param schedule as it was read
 * @param dueMillis the due times that get a job each, in order
 * @param missed due times before those that get none; or null
 * @param nextAtMillis when it is due next; null: never
 * @param stepBack the clock was set back: nothing is due, and what was missed after now is to come again
 */
public record DueRuns(
        ScheduleRow schedule,
        List<Long> dueMillis,
        @Nullable Missed missed,
        @Nullable Long nextAtMillis,
        boolean stepBack) {
    /**
     * Due times in a row of which nothing comes.
     *
     * @param fromMillis the first one
     * @param untilMillis the last one
     * @param runs how many they are; null: too many to count
     */
    public record Missed(
            long fromMillis, long untilMillis, @Nullable Long runs) {}
}
