package dev.windrow.store.schedule;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Schedules to see to.
 *
 * @param nowMillis the store's clock when it looked
 * @param due those whose due time has come, by that and by their ids
 * @param ahead those that were last seen to by a clock more than a minute ahead of the present one: it was set back. Not all, if they are many
 * @param nextMillis when the next one is due after that; null: none is
 */
public record DueSchedules(
        long nowMillis,
        List<ScheduleRow> due,
        List<ScheduleRow> ahead,
        @Nullable Long nextMillis) {
    /** How far a clock may be ahead of the one that was read before: clocks of several machines never agree quite. */
    public static final long TOLERANCE_MILLIS = 60_000;
}
