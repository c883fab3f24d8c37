package dev.windrow;

import dev.windrow.payload.Json;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Everything that is known of one job: the three layers, read in one transaction. */
public interface JobHistory {
    /** The job itself. */
    JobInfo job();

    /** Its payload, or null. */
    @Nullable Json payload();

    /** Its result, or null. */
    @Nullable Json result();

    /**
     * Its attempts in order, a running one included: the first {@link #FIRST_ATTEMPTS} and at least the last
     * {@link #LAST_ATTEMPTS}.
     */
    List<Attempt> attempts();

    /** Its event log in order. */
    List<Event> events();

    /** The last lines that its handlers have logged, in order, at most {@link #MAX_LOG_LINES}. */
    List<LogLine> log();

    /** The number of lines before them. */
    long droppedLines();

    /**
     * The number of attempts between the first and the last that are kept; where their events were, the log has {@link
     * EventKind#TRIMMED}.
     */
    long attemptsLeftOut();

    /** Its durable steps, the events that it was told of included, in the order in which they appeared. */
    List<Step> steps();

    /** How many lines of a job are kept: 200. */
    int MAX_LOG_LINES = 200;

    /** How many of a job's first attempts are kept, with their events: 5. */
    int FIRST_ATTEMPTS = 5;

    /**
     * How many of a job's last attempts are kept at least, with their events: 50. What is older goes sixteen attempts at a time. Those
     * whose worker was gone before the handler was called ({@link AttemptOutcome#LOST}) are all kept: there are few, and they are counted.
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
     * @param at when
     * @param level how much it matters
     * @param message one line of text
     */
    record LogLine(Instant at, LogLevel level, String message) {}

    /** One attempt. */
    interface Attempt {
        /** Its number as people count; attempts that burned nothing share the number of the next one. */
        int attempt();

        /** The fencing token under which it ran. */
        long token();

        /** The worker. */
        String worker();

        /** Its outcome; null while it runs. */
        @Nullable AttemptOutcome outcome();

        /** The code of its failure, or null. */
        @Nullable String errorCode();

        /** The short detail, or null. */
        @Nullable String errorDetail();

        /** The time at which the handler was called; null when it never was. */
        @Nullable Instant startedAt();

        /** The time of its end; null while it runs. */
        @Nullable Instant finishedAt();

        /** The text that the handler kept, or null. */
        @Nullable String output();

        /** The stack trace of its failure, or null. */
        @Nullable String stackTrace();
    }

    /** What a durable step is. */
    enum StepKind {
        /** Work: {@link JobContext#step} and its like. */
        STEP,
        /** {@link JobContext#sleep}. */
        SLEEP,
        /** {@link JobContext#awaitEvent}, or a {@linkplain JobHandle#signal(String, Object) signal} that was sent before anybody waited for it. */
        EVENT
    }

    /** How a durable step stands. */
    enum StepState {
        /** A sleep that is not over, or an event that has not come. */
        WAITING,
        /** The work is done, the sleep over, the event there. */
        DONE,
        /** The event did not come in time, and does not any more. */
        TIMED_OUT
    }

    /** One durable step. */
    interface Step {
        /** Its name, unique within the job. */
        String name();

        /** Its kind. */
        StepKind kind();

        /** Its state. */
        StepState state();

        /** The result of the work, or the payload of the event; or null. */
        @Nullable Json result();

        /** The end of the sleep, or of the time for the event; null for work, and for an event that came before a wait for it. */
        @Nullable Instant until();

        /** Its begin; of an event that came before a wait for it, the time at which it came. */
        Instant startedAt();

        /** The time at which it was done, or found to be over; null while it waits. */
        @Nullable Instant finishedAt();

        /** The sender of an event that has come; else null. */
        @Nullable String actor();
    }

    /**
     * One entry of the event log.
     *
     * @param at when
     * @param event what
     * @param actor who: a worker, {@code system}, or an operator
     * @param detail short JSON, or null
     */
    record Event(
            Instant at,
            EventKind event,
            String actor,
            @Nullable Json detail) {}
}
