package dev.windrow.store.schedule;

import dev.windrow.store.Command;
import dev.windrow.store.StoreHints;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes, changes or removes a schedule, or has it make a job. Each change leaves an {@link dev.windrow.monitor.AuditEntry}; none if nothing changes. {@link
 * StoreHints#scheduleDue} tells all processes when it is due next.
 *
 * <p>Fails with {@link dev.windrow.schedule.ScheduleNotFoundException} if it does not exist, but for {@link Verb#SCHEDULE}.
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
        @Nullable String reason) implements Command<ScheduleChanged> {
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
