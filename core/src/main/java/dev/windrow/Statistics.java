package dev.windrow;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How the store stands: counts, what runs longest, what fails.
 *
 * @param states how many jobs are in each state; all seven present
 * @param types the same for each type
 * @param queues the same for each queue, with its lag
 * @param oldestRunning the running jobs that were claimed first, at most 10
 * @param retries how many attempts with each number above 1 have ended, for each type
 * @param failures the error codes of jobs that are {@code FAILED} now, most frequent first, at most 20; from sums that are written with the jobs,
 *     so that they are exact and cost the same however many jobs have failed
 * @param unserved queues with ready jobs that no live worker serves
 * @param unhandled types with ready jobs that no live worker handles; where a live worker serves the queue of a job, no such worker
 * @param waits the jobs that wait for somebody outside and have a time-out
 * @param schedules the schedules
 * @param stuck live workers with slots whose handlers have not ended though they were told to
 */
public record Statistics(
        Map<JobState, Long> states,
        List<OfType> types,
        List<OfQueue> queues,
        List<Running> oldestRunning,
        List<Retries> retries,
        List<Failures> failures,
        List<Unserved> unserved,
        List<Unhandled> unhandled,
        Waits waits,
        Schedules schedules,
        List<Stuck> stuck) {
    /**
     * Jobs that wait for somebody outside and have a time-out.
     *
     * @param count how many
     * @param nextAt when the first of them runs out of time; null when there is none
     */
    public record Waits(long count, @Nullable Instant nextAt) {}

    /**
     * Schedules.
     *
     * @param count how many
     * @param paused how many of them are paused
     * @param overdueMillis for how long the one has been due that has waited longest; null when none is due
     */
    public record Schedules(
            long count, long paused, @Nullable Long overdueMillis) {}

    /**
     * Counts of one type.
     *
     * @param type its name
     * @param states all seven states
     */
    public record OfType(String type, Map<JobState, Long> states) {}

    /**
     * Counts of one queue.
     *
     * @param queue its name
     * @param paused whether all of it is paused
     * @param states all seven states
     * @param lagMillis how long its oldest ready job has waited; null when none is ready
     */
    public record OfQueue(
            String queue,
            boolean paused,
            Map<JobState, Long> states,
            @Nullable Long lagMillis) {}

    /**
     * A running job.
     *
     * @param id the job
     * @param type its type
     * @param worker who runs it
     * @param startedAt when it was started, or claimed if the start is not recorded yet
     * @param heartbeatAt when its lease was last renewed
     */
    public record Running(long id, String type, String worker, Instant startedAt, Instant heartbeatAt) {}

    /**
     * Ended attempts of one number.
     *
     * @param type the type
     * @param attempt the number, from 2
     * @param count how many
     */
    public record Retries(String type, int attempt, long count) {}

    /**
     * Failed jobs of one error code.
     *
     * @param errorCode the code; {@code UNKNOWN:NONE} of jobs that have none
     * @param count how many are {@code FAILED} now
     * @param firstAt when a job failed for good with this code for the first time, be it there or not
     * @param lastAt when one did for the last time
     * @param sampleJob the newest of the jobs that are {@code FAILED} with this code; null if the last one has just gone
     */
    public record Failures(
            String errorCode,
            long count,
            Instant firstAt,
            Instant lastAt,
            @Nullable Long sampleJob) {}

    /**
     * Ready jobs of a queue that no live worker serves.
     *
     * @param queue the queue
     * @param count how many
     */
    public record Unserved(String queue, long count) {}

    /**
     * Ready jobs of a type that no live worker handles.
     *
     * @param type the type
     * @param count how many
     */
    public record Unhandled(String type, long count) {}

    /**
     * A worker with handlers that have ignored their interrupts and go on.
     *
     * @param worker its name
     * @param slots how many
     */
    public record Stuck(String worker, int slots) {}
}
