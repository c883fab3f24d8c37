package dev.windrow.store.schedule;

import org.jspecify.annotations.Nullable;

/**
 * The result of a change of a schedule.
 *
 * @param schedule the schedule as it is now; after {@link ScheduleChange.Verb#REMOVE} as it was
 * @param job the id of the job that {@link ScheduleChange.Verb#RUN} made; else null
 */
public record ScheduleChanged(
        ScheduleRow schedule, @Nullable Long job) {}
