package dev.windrow.store.schedule;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The schedules that need work.
 *
 * @param nowMillis the store's clock at the time of the query
 * @param due the schedules whose due time has come, by due time and id
 * @param ahead schedules that were last handled by a clock more than a minute ahead of the present one, which was set back. If there are many, some
 *     are left out
 * @param nextMillis when the next schedule is due after that; null if none is
 */
public record DueSchedules(
        long nowMillis,
        List<ScheduleRow> due,
        List<ScheduleRow> ahead,
        @Nullable Long nextMillis) {
    /** The allowed lead of a clock over the one that was read before. Clocks of several machines never agree exactly. */
    public static final long TOLERANCE_MILLIS = 60_000;
}
