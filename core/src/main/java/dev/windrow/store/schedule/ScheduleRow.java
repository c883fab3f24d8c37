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
 * @param id its number, never given again
 * @param definition what it is to do
 * @param pause since when, by whom and why it makes no jobs; null: it does
 * @param nextAtMillis when it is due next; null while it is paused, or if that is never
 * @param lastAtMillis the newest due time that was decided, or null
 * @param firedAtMillis the clock by which its next run was computed: at a run, a change, or a look because the clock was set back; null in one
 *     that is not stored
 * @param lastJob the job that it made last, or null
 * @param revision grows by 1 with each change and each run: what was read is still so
 * @param createdAtMillis when it was made
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
     * What a schedule is to do.
     *
     * @param name its name, unique in the store
     * @param job what its jobs are like: without parents, dedupe key, time, wait, trace context and workflow; the payload is no blob
     * @param timing when
     * @param misfire what becomes of due times that have passed
     * @param overlap what to do when its last job has not ended
     */
    public record Definition(String name, JobRow job, Timing timing, Misfire misfire, Overlap overlap) {}

    /** Why it will not do what it is to do, whoever sees to it; null if nothing is wrong with it. */
    public @Nullable String problem(long nowMillis) {
        String unreadable = timing().problem();
        if (unreadable != null) {
            return unreadable;
        }
        if (pause != null) {
            return nextAtMillis == null ? null : "is paused, and due all the same";
        }
        return nextAtMillis == null && timing().next(nowMillis) != null ? "has no next run" : null;
    }

    /**
     * When it is due next if it is resumed now; null if it is never.
     *
     * @throws InvalidRequestException if that cannot be told
     */
    public @Nullable Long resumedAt(long nowMillis) {
        String unreadable = timing().problem();
        if (unreadable != null) {
            throw new InvalidRequestException("schedule '%s' is not resumed, because it %s; save it anew, or remove it"
                    .formatted(name(), unreadable));
        }
        return timing().next(nowMillis);
    }

    /** What has not been decided of it yet, for whoever changes what it is due by: nothing comes of that. Null: it is not due. */
    public DueRuns.@Nullable Missed overdue(long nowMillis) {
        if (pause != null || nextAtMillis == null || nextAtMillis > nowMillis) {
            return null;
        }
        try {
            long last = timing().last(nextAtMillis, nowMillis);
            return new DueRuns.Missed(nextAtMillis, last, timing().count(nextAtMillis, last));
        } catch (InvalidRequestException e) {
            // That is why it is changed, as a rule.
            return new DueRuns.Missed(nextAtMillis, nextAtMillis, null);
        }
    }

    /** For how long it has been due, in milliseconds; 0 if it is not. */
    public long overdueMillis(long nowMillis) {
        return nextAtMillis == null ? 0 : Math.max(0, nowMillis - nextAtMillis);
    }

    /** Its name. */
    public String name() {
        return definition.name();
    }

    /** When it is due. */
    public Timing timing() {
        return definition.timing();
    }
}
