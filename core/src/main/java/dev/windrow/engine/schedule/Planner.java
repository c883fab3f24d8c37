package dev.windrow.engine.schedule;

import dev.windrow.InvalidRequestException;
import dev.windrow.store.schedule.DueRuns;
import dev.windrow.store.schedule.DueSchedules;
import dev.windrow.store.schedule.ScheduleRow;
import dev.windrow.store.schedule.Timing;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Decides what a due schedule does: a pure function of the schedule as it was read and the time. */
final class Planner {
    /** The longest delay of a run after which a schedule that skips misfires still enqueues a job. */
    static final long PATIENCE_MILLIS = Duration.ofMinutes(1).toMillis();
    /** The most jobs that a schedule enqueues for the runs of one downtime. */
    static final int MAX_JOBS = 1000;

    private Planner() {}

    /**
     * Returns what to do now, by the store's clock.
     *
     * @throws InvalidRequestException if its timing cannot be read
     */
    static DueRuns plan(ScheduleRow schedule, long now) {
        Timing timing = schedule.timing();
        Long fired = schedule.firedAtMillis();
        if (fired != null && fired - now > DueSchedules.TOLERANCE_MILLIS) {
            return new DueRuns(schedule, List.of(), null, timing.next(now), true);
        }
        long first = Objects.requireNonNull(schedule.nextAtMillis(), "a schedule that is due has a due time");
        if (first > now) {
            throw new IllegalArgumentException("schedule %s is not due before %d".formatted(schedule.name(), first));
        }
        long last = timing.last(first, now);
        List<Long> jobs = switch (schedule.definition().misfire()) {
            case ONCE -> List.of(last);
            case SKIP -> now - last <= PATIENCE_MILLIS ? List.of(last) : List.of();
            case ALL -> timing.newest(first, last, MAX_JOBS);
        };
        return new DueRuns(schedule, jobs, missed(timing, first, last, jobs), timing.next(now), false);
    }

    private static DueRuns.@Nullable Missed missed(Timing timing, long first, long last, List<Long> jobs) {
        if (jobs.isEmpty()) {
            return new DueRuns.Missed(first, last, timing.count(first, last));
        }
        if (jobs.get(0) == first) {
            return null;
        }
        long before = timing.last(first, jobs.get(0) - 1);
        return new DueRuns.Missed(first, before, timing.count(first, before));
    }
}
