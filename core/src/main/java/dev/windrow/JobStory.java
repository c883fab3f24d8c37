package dev.windrow;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Everything that is known of one job: the three layers, read in one transaction.
 *
 * @param job the job itself
 * @param payload its payload, or null
 * @param result its result, or null
 * @param attempts its attempts in order, a running one included: the first {@link #FIRST_ATTEMPTS} and at least the last
 *     {@link #LAST_ATTEMPTS}
 * @param events its event log in order
 * @param log the last lines that its handlers have logged, in order, at most {@link #MAX_LOG_LINES}
 * @param droppedLines how many lines there were before them
 * @param attemptsLeftOut how many attempts there were between the first and the last that are kept; where their events were, the log
 *     has {@link EventKind#TRIMMED}
 * @param steps its durable steps, the events that it was told of included, in the order in which they appeared
 */
public record JobStory(
        JobSnapshot job,
        @Nullable Json payload,
        @Nullable Json result,
        List<Attempt> attempts,
        List<Event> events,
        List<LogLine> log,
        long droppedLines,
        long attemptsLeftOut,
        List<Step> steps) {
    /** How many lines of a job are kept: 200. */
    public static final int MAX_LOG_LINES = 200;

    /** How many of a job's first attempts are kept, with their events: 5. */
    public static final int FIRST_ATTEMPTS = 5;

    /**
     * How many of a job's last attempts are kept at least, with their events: 50. What is older goes sixteen attempts at a time. Those
     * whose worker was gone before the handler was called ({@link AttemptOutcome#LOST}) are all kept: there are few, and they are counted.
     */
    public static final int LAST_ATTEMPTS = 50;

    /** Copies the lists. */
    public JobStory {
        attempts = List.copyOf(attempts);
        events = List.copyOf(events);
        log = List.copyOf(log);
        steps = List.copyOf(steps);
    }

    /** The stack trace of the last attempt that has one, or null. */
    public @Nullable String stackTrace() {
        for (int i = attempts.size() - 1; i >= 0; i--) {
            if (attempts.get(i).stackTrace() != null) {
                return attempts.get(i).stackTrace();
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
    public record LogLine(Instant at, LogLevel level, String message) {}

    /**
     * One attempt.
     *
     * @param attempt its number as people count; attempts that burned nothing share the number of the next one
     * @param token the fencing token under which it ran
     * @param worker the worker
     * @param outcome how it ended; null while it runs
     * @param errorCode why it failed, or null
     * @param errorDetail the short detail, or null
     * @param startedAt when the handler was called; null when it never was
     * @param finishedAt when it ended; null while it runs
     * @param output the text that the handler kept, or null
     * @param stackTrace the stack trace of its failure, or null
     */
    public record Attempt(
            int attempt,
            long token,
            String worker,
            @Nullable AttemptOutcome outcome,
            @Nullable String errorCode,
            @Nullable String errorDetail,
            @Nullable Instant startedAt,
            @Nullable Instant finishedAt,
            @Nullable String output,
            @Nullable String stackTrace) {}

    /** What a durable step is. */
    public enum StepKind {
        /** Work: {@link JobContext#step} and its like. */
        STEP,
        /** {@link JobContext#sleep}. */
        SLEEP,
        /** {@link JobContext#awaitEvent}, or a {@linkplain Jobs#signal signal} that was sent before anybody waited for it. */
        EVENT
    }

    /** How a durable step stands. */
    public enum StepState {
        /** A sleep that is not over, or an event that has not come. */
        WAITING,
        /** The work is done, the sleep over, the event there. */
        DONE,
        /** The event did not come in time, and does not any more. */
        TIMED_OUT
    }

    /**
     * One durable step.
     *
     * @param name its name, unique within the job
     * @param kind what it is
     * @param state how it stands
     * @param result what the work returned, or the event brought; or null
     * @param until the end of the sleep, or of the time for the event; null for work, and for an event that nobody has waited for
     * @param startedAt when it was begun; of an event that nobody had waited for, when it came
     * @param finishedAt when it was done, or found to be over; null while it waits
     * @param actor of an event that has come: who sent it; else null
     */
    public record Step(
            String name,
            StepKind kind,
            StepState state,
            @Nullable Json result,
            @Nullable Instant until,
            Instant startedAt,
            @Nullable Instant finishedAt,
            @Nullable String actor) {}

    /**
     * One entry of the event log.
     *
     * @param at when
     * @param event what
     * @param actor who: a worker, {@code system}, or an operator
     * @param detail short JSON, or null
     */
    public record Event(
            Instant at,
            EventKind event,
            String actor,
            @Nullable Json detail) {}
}
