package dev.windrow.store.schedule;

import dev.windrow.InvalidRequestException;
import dev.windrow.limit.Limits;
import dev.windrow.schedule.Misfire;
import dev.windrow.schedule.Overlap;
import dev.windrow.store.job.JobRow;
import org.jspecify.annotations.Nullable;

/**
 * A schedule as it is stored. All times are in epoch milliseconds by the store's clock.
 *
 * @param id its number, never used again
 * @param definition its definition
 * @param pause since when, by whom and why it makes no jobs; null if it is not paused
 * @param nextAtMillis when it is due next; null while it is paused, or if it is never due
 * @param lastAtMillis the newest due time that was decided, or null
 * @param firedAtMillis the clock by which its next run was computed: at a run, at a change, or at a check after the clock was set back; null in one
 *     that is not stored
 * @param lastJob the job that it made last, or null
 * @param revision grows by 1 with each change and each run; an equal revision means that nothing has changed since a read
 * @param createdAtMillis when it was created
 */
public record ScheduleRow(
        long id,
        Definition definition,
        Limits.@Nullable Pause pause,
        @Nullable Long nextAtMillis,
        @Nullable Long lastAtMillis,
        @Nullable Long firedAtMillis,
        @Nullable Long lastJob,
        long revision,
        long createdAtMillis) {
    /**
     * The definition of a schedule.
     *
     * @param name its name, unique in the store
     * @param job the template of its jobs: without parents, dedupe key, time, wait, trace context and workflow; the payload is no blob
     * @param timing its due times
     * @param misfire the policy for due times that have passed
     * @param overlap the policy for a run while its last job has not ended
     */
    public record Definition(String name, JobRow job, Timing timing, Misfire misfire, Overlap overlap) {}

    /** Returns why no process will run it as defined; null if it has no problem. */
    public @Nullable String problem(long nowMillis) {
        String unreadable = timing().problem();
        if (unreadable != null) {
            return unreadable;
        }
        if (pause != null) {
            return nextAtMillis == null ? null : "is paused but has a next run";
        }
        return nextAtMillis == null && timing().next(nowMillis) != null ? "has no next run" : null;
    }

    /**
     * Returns when it is due next if it is resumed now; null if never.
     *
     * @throws InvalidRequestException if its timing cannot be read
     */
    public @Nullable Long resumedAt(long nowMillis) {
        String unreadable = timing().problem();
        if (unreadable != null) {
            throw new InvalidRequestException("schedule '%s' cannot be resumed: it %s; save it again, or remove it"
                    .formatted(name(), unreadable));
        }
        return timing().next(nowMillis);
    }

    /** Returns the due times that have passed and are not decided yet, for a change of its timing: they get no job. Null if it is not due. */
    public DueRuns.@Nullable Missed overdue(long nowMillis) {
        if (pause != null || nextAtMillis == null || nextAtMillis > nowMillis) {
            return null;
        }
        try {
            long last = timing().last(nextAtMillis, nowMillis);
            return new DueRuns.Missed(nextAtMillis, last, timing().count(nextAtMillis, last));
        } catch (InvalidRequestException e) {
            // The timing cannot be read, which is usually the reason for the change.
            return new DueRuns.Missed(nextAtMillis, nextAtMillis, null);
        }
    }

    /** Returns for how long it has been due, in milliseconds; 0 if it is not due. */
    public long overdueMillis(long nowMillis) {
        return nextAtMillis == null ? 0 : Math.max(0, nowMillis - nextAtMillis);
    }

    /** Returns its name. */
    public String name() {
        return definition.name();
    }

    /** Returns its due times. */
    public Timing timing() {
        return definition.timing();
    }
}
