package dev.windrow.monitor;

import dev.windrow.JobState;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The numbers of a store: counts, the longest runs, the failures. */
public interface Statistics {
    /** The number of jobs in each state; all seven present. */
    Map<JobState, Long> states();

    /** The same for each type. */
    List<OfType> types();

    /** The same for each queue, with its lag. */
    List<OfQueue> queues();

    /** The running jobs that were claimed first, at most 10. */
    List<Running> oldestRunning();

    /** The number of ended attempts with each number above 1, for each type. */
    List<Retries> retries();

    /**
     * The error codes of jobs that are {@code FAILED} now, most frequent first, at most 20; from sums that are written with the jobs,
     * so that they are exact and cost the same however many jobs have failed.
     */
    List<Failures> failures();

    /** The queues with ready jobs that no live worker serves. */
    List<Unserved> unserved();

    /** The types with ready jobs that no live worker handles; where a live worker serves the queue of a job, no such worker. */
    List<Unhandled> unhandled();

    /** The jobs that wait for an end from outside and have a time-out. */
    Waits waits();

    /** The schedules. */
    ScheduleCounts schedules();

    /** The live workers with slots whose handlers have not ended though they were told to. */
    List<Stuck> stuck();

    /**
     * Jobs that wait for external completion and have a time-out.
     *
     * @param count how many
     * @param nextAt when the first of them runs out of time; null when there is none
     */
    record Waits(long count, @Nullable Instant nextAt) {}

    /**
     * Schedules.
     *
     * @param count how many
     * @param paused how many of them are paused
     * @param overdueMillis for how long the one has been due that has waited longest; null when none is due
     */
    record ScheduleCounts(long count, long paused, @Nullable Long overdueMillis) {}

    /**
     * Counts of one type.
     *
     * @param type its name
     * @param states all seven states
     */
    record OfType(String type, Map<JobState, Long> states) {}

    /**
     * Counts of one queue.
     *
     * @param queue its name
     * @param paused whether all of it is paused
     * @param states all seven states
     * @param lagMillis how long its oldest ready job has waited; null when none is ready
     */
    record OfQueue(
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
    record Running(long id, String type, String worker, Instant startedAt, Instant heartbeatAt) {}

    /**
     * Ended attempts of one number.
     *
     * @param type the type
     * @param attempt the number, from 2
     * @param count how many
     */
    record Retries(String type, int attempt, long count) {}

    /**
     * Failed jobs of one error code.
     *
     * @param errorCode the code; {@code UNKNOWN:NONE} of jobs that have none
     * @param count how many are {@code FAILED} now
     * @param firstAt when a job failed for good with this code for the first time, be it there or not
     * @param lastAt when one did for the last time
     * @param sampleJob the newest of the jobs that are {@code FAILED} with this code; null if the last one has just gone
     */
    record Failures(
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
    record Unserved(String queue, long count) {}

    /**
     * Ready jobs of a type that no live worker handles.
     *
     * @param type the type
     * @param count how many
     */
    record Unhandled(String type, long count) {}

    /**
     * A worker with handlers that have ignored their interrupts and go on.
     *
     * @param worker its name
     * @param slots how many
     */
    record Stuck(String worker, int slots) {}
}
