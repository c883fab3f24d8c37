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
 * The schedules of a store, by name. Any process with a worker makes their jobs, each due time exactly once. Made by {@link Jobs#schedules}.
 * Safe for use by many threads, unless made in a caller's transaction. The writing verbs throw the exceptions that {@link Jobs} names.
 */
public interface Schedules {
    /**
     * Saves a schedule: creates it, or changes the one of the same name to be equal. Saving an equal schedule has no effect, so that an application may
     * save its schedules at each start. A change of the cron expression, zone, interval or {@linkplain Schedule#withStartsAt start} moves the next run to
     * the first one after now, and runs that were due before count as missed. So a start should be a fixed instant, not the time of the call. A paused schedule stays paused. A
     * change leaves an {@link AuditEntry}.
     *
     * @return the schedule as it is stored
     * @throws InvalidRequestException if the job's input cannot be encoded, or is too long for a row
     */
    ScheduleInfo save(Schedule schedule);

    /** Pauses a schedule without a reason; see {@link #pause(String, String)}. */
    ScheduleInfo pause(String name);

    /**
     * Stops a schedule from making jobs, in all processes, until it is resumed. Jobs that it has made are not affected. A second pause replaces the
     * reason.
     *
     * @param reason for people, 1 to 200 characters
     * @return the schedule as it is stored
     * @throws ScheduleNotFoundException if there is no schedule of this name
     */
    ScheduleInfo pause(String name, String reason);

    /**
     * Resumes a paused schedule from its first run after now: runs that were due during the pause are skipped. Has no effect on one that is not paused.
     *
     * @return the schedule as it is stored
     * @throws ScheduleNotFoundException if there is no schedule of this name
     */
    ScheduleInfo resume(String name);

    /**
     * Removes a schedule and the record of its runs. Jobs that it has made remain.
     *
     * @throws ScheduleNotFoundException if there is no schedule of this name
     */
    void remove(String name);

    /**
     * Makes one job of a schedule now, even if it is paused, and whatever its {@link Overlap} is. The next run stays where it is.
     *
     * @return the job
     * @throws ScheduleNotFoundException if there is no schedule of this name
     */
    JobRef<@Nullable Json> run(String name);

    /** Reads the schedule of this name; empty if there is none. */
    Optional<ScheduleInfo> find(String name);

    /** Reads all schedules, by name. */
    List<ScheduleInfo> list();

    /**
     * Reads the outcomes of the newest due times of a schedule, the newest first. The newest 1000 are kept. Jobs that were made by {@link #run} are not
     * among them.
     *
     * @param limit the most outcomes, 1 to 1000
     * @throws ScheduleNotFoundException if there is no schedule of this name
     */
    List<ScheduleRun> runs(String name, int limit);
}
