package dev.windrow.store.schedule;

import dev.windrow.store.Command;
import dev.windrow.store.StoreHints;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Creates, changes or removes a schedule, or runs it now. Each change writes an {@link dev.windrow.monitor.AuditEntry}, unless nothing changes.
 * {@link StoreHints#scheduleDue} notifies all processes of its next due time.
 *
 * <p>Fails with {@link dev.windrow.schedule.ScheduleNotFoundException} if it does not exist, except for {@link Verb#SCHEDULE}.
 *
 * @param verb the change
 * @param name the schedule's name
 * @param actor the author of the change
 * @param definition the definition for {@code SCHEDULE}; else null
 * @param reason why, or null
 */
public record ScheduleChange(
        Verb verb,
        String name,
        String actor,
        ScheduleRow.@Nullable Definition definition,
        @Nullable String reason) implements Command<ScheduleChanged> {
    /** The kinds of changes. */
    public enum Verb {
        /**
         * Creates the schedule, or changes it to the definition. Nothing happens if it has this definition already. With another timing its next due
         * time is the first one after now. With the same timing the next due time stays. A paused schedule stays paused.
         */
        SCHEDULE,
        /** Pauses the schedule: it makes no jobs. */
        PAUSE,
        /** Resumes the schedule: it makes jobs again, from the first due time after now on. */
        RESUME,
        /** Deletes the schedule with the record of its runs. Its jobs stay. */
        REMOVE,
        /** Makes a job now, even if the schedule is paused. Its next due time stays. */
        RUN
    }

    @Override
    public Phase phase() {
        return Phase.SCHEDULE;
    }

    @Override
    public String what() {
        return "changing schedule " + name;
    }

    @Override
    public List<Long> newJobs(ScheduleChanged answer) {
        return answer.job() == null ? List.of() : List.of(answer.job());
    }
}
