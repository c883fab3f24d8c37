package dev.windrow.monitor;

import dev.windrow.JobState;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The statistics of a store: counts, the longest runs, the failures. */
public interface Statistics {
    /** The number of jobs in each state. All seven states are present. */
    Map<JobState, Long> states();

    /** The same for each type. */
    List<OfType> types();

    /** The same for each queue, with its lag. */
    List<OfQueue> queues();

    /** The running jobs with the oldest heartbeats, at most 20. Of jobs with equal heartbeats, the one that was claimed first comes first. */
    List<Running> oldestRunning();

    /** The earliest start of a job that runs now; null if none runs. */
    @Nullable Instant runningSince();

    /** The number of ended attempts of each type, by attempt number from 2. */
    List<Retries> retries();

    /**
     * The number of unfinished jobs of each type with failed attempts, by the number of the attempt that runs or is next. At most 100 000 jobs are
     * counted, those with the most attempts first.
     */
    List<Retries> liveRetries();

    /**
     * The error codes of jobs that are {@code FAILED} now, most frequent first: the 20 most frequent ones, and the 20 most frequent ones of the last 24
     * hours. The counts come from sums that are written with the jobs. So they are exact, and their cost does not depend on the number of failed jobs.
     */
    List<Failures> failures();

    /**
     * The time since which the trends of {@link #failures} are whole: the beginning of their first hour. If more than 10 000 jobs have failed since
     * then, with any code, only the newest are counted, and this is the millisecond after the newest other one. Null if no job is {@code FAILED}.
     */
    @Nullable Instant trendSince();

    /** The queues with ready jobs that no live worker serves. */
    List<Unserved> unserved();

    /** The types with ready jobs that no live worker handles. If live workers serve the queue of a job, only those are considered. */
    List<Unhandled> unhandled();

    /** The jobs that wait for an event or their external completion and have a timeout. */
    Waits waits();

    /** The counts of schedules. */
    ScheduleCounts schedules();

    /** The live workers with handlers that have not ended after their interrupt. */
    List<Stuck> stuck();

    /**
     * The jobs that wait for an event or their external completion and have a timeout.
     *
     * @param count the number of jobs
     * @param nextAt the time of the first timeout; null if no job waits
     */
    record Waits(long count, @Nullable Instant nextAt) {}

    /**
     * The counts of schedules.
     *
     * @param count the number of schedules
     * @param paused the number of paused schedules
     * @param overdueMillis the time since the earliest due time that is not decided yet; null if no schedule is due
     */
    record ScheduleCounts(long count, long paused, @Nullable Long overdueMillis) {}

    /**
     * The counts of one type.
     *
     * @param type the name of the type
     * @param states the number of jobs in each of the seven states
     */
    record OfType(String type, Map<JobState, Long> states) {}

    /**
     * The counts of one queue.
     *
     * @param queue the name of the queue
     * @param paused true if the whole queue is paused
     * @param states the number of jobs in each of the seven states
     * @param lagMillis the time for which its oldest ready job has waited; null if no job is ready
     */
    record OfQueue(
            String queue,
            boolean paused,
            Map<JobState, Long> states,
            @Nullable Long lagMillis) {}

    /**
     * A running job.
     *
     * @param id the id of the job
     * @param type the type of the job
     * @param worker the worker that runs it
     * @param startedAt the time of its start, or of its claim if the start is not recorded yet
     * @param heartbeatAt the time of the last renewal of its lease, or of its claim if there was none or the worker is no longer registered
     */
    record Running(long id, String type, String worker, Instant startedAt, Instant heartbeatAt) {}

    /**
     * The ended attempts or the unfinished jobs of one type with one attempt number.
     *
     * @param type the type
     * @param attempt the attempt number, from 2
     * @param count the number of attempts or jobs
     */
    record Retries(String type, int attempt, long count) {}

    /**
     * The failed jobs with one error code.
     *
     * @param errorCode the code; {@code UNKNOWN:NONE} for jobs that have none
     * @param count the number of jobs that are {@code FAILED} now
     * @param firstAt the time at which a job failed for good with this code for the first time, even if that job was deleted
     * @param lastAt the time at which a job failed for good with this code for the last time
     * @param sampleJob the newest of the jobs that are {@code FAILED} with this code; null if the last one was deleted or retried a moment ago
     * @param trend the last 24 hours of UTC, the oldest first, the current one last
     */
    record Failures(
            String errorCode,
            long count,
            Instant firstAt,
            Instant lastAt,
            @Nullable Long sampleJob,
            List<Hour> trend) {}

    /**
     * The jobs that failed for good with one error code in one hour, and are {@code FAILED} now.
     *
     * @param from the beginning of the hour
     * @param count the number of jobs; null if the hour ended before {@link #trendSince}. If the hour only began before, there may be more jobs
     */
    record Hour(Instant from, @Nullable Long count) {}

    /**
     * The ready jobs of a queue that no live worker serves.
     *
     * @param queue the queue
     * @param count the number of jobs
     */
    record Unserved(String queue, long count) {}

    /**
     * Ready jobs of one type that no live worker handles.
     *
     * @param type the name of the type
     * @param count the number of ready jobs
     * @param similar a type that a live worker handles and whose name differs only by case, or null
     */
    record Unhandled(String type, long count, @Nullable String similar) {}

    /**
     * A worker with handlers that have ignored their interrupts and continue.
     *
     * @param worker the name of the worker
     * @param slots the number of these handlers
     */
    record Stuck(String worker, int slots) {}
}
