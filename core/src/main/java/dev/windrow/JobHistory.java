package dev.windrow;

import dev.windrow.limit.ConcurrencyKey;
import dev.windrow.payload.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One job with all its data: the job, its attempts and its events, read in one transaction. */
public interface JobHistory {
    /** The job itself. */
    JobInfo job();

    /** The job's payload, or null. */
    @Nullable Json payload();

    /** The job's result, or null. */
    @Nullable Json result();

    /** The time limit of each attempt; null for that of the worker. */
    @Nullable Duration timeout();

    /** The job's retry policy; null for that of its type. */
    @Nullable RetryPolicy retryPolicy();

    /** The job's concurrency key with its own limit, or null. See {@link JobInfo#concurrencyKey} for its text. */
    @Nullable ConcurrencyKey concurrencyKey();

    /** The time in which the job waits for its completion from outside; null for a job that workers run. */
    @Nullable Duration externalCompletion();

    /** The job's attempts in order, a running one included: the first {@link #FIRST_ATTEMPTS} and at least the last {@link #LAST_ATTEMPTS}. */
    List<Attempt> attempts();

    /** The job's event log, in order. */
    List<Event> events();

    /** The last lines that the job's handlers have logged, in order, at most {@link #MAX_LOG_LINES}. */
    List<LogLine> log();

    /** The number of earlier log lines, which were dropped. */
    long droppedLines();

    /**
     * The number of attempts that were removed between the first and the last ones. In the event log, {@link EventKind#TRIMMED} replaces their
     * entries.
     */
    long attemptsLeftOut();

    /** The job's durable steps and the events that it has received, in the order in which they appeared. */
    List<Step> steps();

    /** The maximum number of kept log lines of a job: 200. */
    int MAX_LOG_LINES = 200;

    /** The number of a job's first attempts that are kept, with their events: 5. */
    int FIRST_ATTEMPTS = 5;

    /**
     * The minimum number of a job's last attempts that are kept, with their events: 50. Older attempts are removed sixteen at a time. All
     * {@link AttemptOutcome#LOST} attempts, whose worker died before the handler was called, are kept: there are few, and they are counted.
     */
    int LAST_ATTEMPTS = 50;

    /** The stack trace of the last attempt that has one, or null. */
    default @Nullable String stackTrace() {
        for (int i = attempts().size() - 1; i >= 0; i--) {
            if (attempts().get(i).stackTrace() != null) {
                return attempts().get(i).stackTrace();
            }
        }
        return null;
    }

    /**
     * A line that a handler has logged.
     *
     * @param at the time of the call
     * @param level the severity
     * @param message one line of text
     */
    record LogLine(Instant at, LogLevel level, String message) {}

    /** One attempt. */
    interface Attempt {
        /** The number of the attempt within its run, from 1. An attempt that does not count has the same number as the next one. */
        int attempt();

        /** The job's {@linkplain JobInfo#run run} to which the attempt belongs, from 1. */
        int run();

        /** The fencing token under which the attempt ran. */
        long token();

        /** The worker that ran the attempt. */
        String worker();

        /** The outcome of the attempt; null while it runs. */
        @Nullable AttemptOutcome outcome();

        /** The error code of the attempt's failure, or null. */
        @Nullable String errorCode();

        /** The short detail of the attempt's failure, or null. */
        @Nullable String errorDetail();

        /** The time at which the handler was called; null if it was not called. */
        @Nullable Instant startedAt();

        /** The time of the attempt's end; null while it runs. */
        @Nullable Instant finishedAt();

        /** The text that the handler kept with {@link JobContext#output}, or null. */
        @Nullable String output();

        /** The stack trace of the attempt's failure, or null. */
        @Nullable String stackTrace();
    }

    /** The kinds of durable steps. */
    enum StepKind {
        /** Work: {@link JobContext#step}, {@link JobContext#stepVoid} or {@link JobContext#stepInTransaction}. */
        STEP,
        /** A sleep: {@link JobContext#sleep}. */
        SLEEP,
        /**
         * An event: {@link JobContext#awaitEvent}, or a {@linkplain JobHandle#signal(String, Object) signal} that came before a handler awaited it.
         */
        EVENT
    }

    /** The states of a durable step. */
    enum StepState {
        /** The sleep is not over, or the event has not come. */
        WAITING,
        /** The work is done, the sleep is over, or the event has come. */
        DONE,
        /** The event did not come in time. A later signal does not count. */
        TIMED_OUT
    }

    /** One durable step. */
    interface Step {
        /** The step's name, unique within the job. */
        String name();

        /** The step's kind. */
        StepKind kind();

        /** The step's state. */
        StepState state();

        /** The result of the work, or the payload of the event; or null. */
        @Nullable Json result();

        /** The end of the sleep, or the deadline of the event. Null for work, and for an event that came before a wait for it. */
        @Nullable Instant until();

        /** The time at which the step began. For an event that came before a wait for it, the time at which it came. */
        Instant startedAt();

        /** The time at which the step was done, or was found to be over; null while it waits. */
        @Nullable Instant finishedAt();

        /** The sender of an event that has come. Null for other steps. */
        @Nullable String actor();
    }

    /**
     * One entry of the event log.
     *
     * @param at the time of the event
     * @param event the kind of the event
     * @param actor the author of the change: a worker, {@code system}, or an operator
     * @param detail short JSON, or null
     */
    record Event(
            Instant at,
            EventKind event,
            String actor,
            @Nullable Json detail) {}
}
