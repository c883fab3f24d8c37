package dev.windrow.store;

import org.jspecify.annotations.Nullable;

/**
 * A change of a schedule.
 *
 * @param verb what is to be done
 * @param name the schedule's name
 * @param actor who does it
 * @param definition for {@code SCHEDULE}: what it is to do; else null
 * @param reason for {@code PAUSE}: why, or null
 */
public record ScheduleChange(
        Verb verb,
        String name,
        String actor,
        ScheduleRow.@Nullable Definition definition,
        @Nullable String reason) {
    /** What can be done. */
    public enum Verb {
        /**
         * It is made, or changed to be as defined. Nothing happens if it is so already. With another timing its next due time is the first one
         * after now; else that stays. One that is paused stays so.
         */
        SCHEDULE,
        /** It makes no jobs. */
        PAUSE,
        /** It makes jobs again, from the first due time after now on. */
        RESUME,
        /** It is deleted with what is remembered of its runs. Its jobs stay. */
        REMOVE,
        /** It makes a job now, whether it is paused or not. Its next due time stays. */
        RUN
    }
}
