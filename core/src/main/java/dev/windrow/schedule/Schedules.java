package dev.windrow.schedule;

import dev.windrow.InvalidRequestException;
import dev.windrow.JobRef;
import dev.windrow.Jobs;
import dev.windrow.monitor.AuditEntry;
import dev.windrow.payload.Json;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The schedules of a store, by name. Any process with a worker enqueues their jobs, for each due time exactly once. Made by {@link Jobs#schedules}.
 * Safe for use by many threads, unless made in a caller's transaction. The writing verbs throw the exceptions that {@link Jobs} names.
 */
public interface Schedules {
    /**
     * Saves a schedule: creates it, or changes the one with the same name to be equal. Saving an equal schedule has no effect, so an application may
     * save its schedules at each start. A paused schedule stays paused. A change writes an {@link AuditEntry}.
     *
     * <p>A change of the cron expression, zone, interval or {@linkplain Schedule#withStartsAt start} moves the next run to the first one after now.
     * Earlier due times that were not decided count as missed. So a start should be a fixed instant, not the time of the call.
     *
     * @return the stored schedule
     * @throws InvalidRequestException if the job's input cannot be encoded, or is too long for a row
     */
    ScheduleInfo save(Schedule schedule);

    /** Pauses a schedule without a reason; see {@link #pause(String, String)}. */
    ScheduleInfo pause(String name);

    /**
     * Pauses a schedule: no process enqueues its jobs until it is resumed. Jobs that it has enqueued are not affected. A second pause replaces the
     * reason.
     *
     * @param reason a text for humans, 1 to 500 characters
     * @return the stored schedule
     * @throws ScheduleNotFoundException if there is no schedule with this name
     */
    ScheduleInfo pause(String name, String reason);

    /**
     * Resumes a paused schedule at its first run after now. Due times during the pause are skipped. Has no effect on a schedule that is not paused.
     *
     * @return the stored schedule
     * @throws ScheduleNotFoundException if there is no schedule with this name
     */
    ScheduleInfo resume(String name);

    /**
     * Removes a schedule and the record of its runs. Jobs that it has enqueued remain.
     *
     * @throws ScheduleNotFoundException if there is no schedule with this name
     */
    void remove(String name);

    /**
     * Enqueues one job of a schedule now, even if the schedule is paused, and for any {@link Overlap}. The next run does not change. With {@link
     * Overlap#SKIP}, due times are skipped until this job has ended. If an earlier job of the schedule has not ended now, they are skipped until that
     * one has ended, even if this job runs longer.
     *
     * @return the job
     * @throws ScheduleNotFoundException if there is no schedule with this name
     */
    JobRef<@Nullable Json> run(String name);

    /** Reads the schedule with this name; empty if there is none. */
    Optional<ScheduleInfo> find(String name);

    /** Reads all schedules, by name. */
    List<ScheduleInfo> list();

    /**
     * Reads the outcomes of the newest due times of a schedule, the newest first. The newest 1000 are kept. They do not contain the jobs of
     * {@link #run}.
     *
     * @param limit the maximum number of outcomes, 1 to 1000
     * @throws ScheduleNotFoundException if there is no schedule with this name
     * @throws InvalidRequestException if the limit is out of range
     */
    List<ScheduleRun> runs(String name, int limit);
}
