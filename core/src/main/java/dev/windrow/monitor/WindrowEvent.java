package dev.windrow.monitor;

import dev.windrow.AttemptOutcome;
import dev.windrow.JobState;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Something that happened in this process, for listeners. The durable record is the job's event log. */
public sealed interface WindrowEvent {
    /**
     * Jobs were enqueued and are durable. A worker of this process may have started them before this is told.
     *
     * @param count how many, in one call
     */
    record JobsEnqueued(int count) implements WindrowEvent {}

    /**
     * A handler is about to be called.
     *
     * @param id the job
     * @param type its type
     * @param queue its queue
     * @param attempt the attempt's number
     * @param waited how long it was ready before
     */
    record AttemptStarted(long id, String type, String queue, int attempt, Duration waited) implements WindrowEvent {}

    /** The end of an attempt is durable. */
    non-sealed interface AttemptEnded extends WindrowEvent {
        /** The job. */
        long id();

        /** The job's type. */
        String type();

        /** The job's queue. */
        String queue();

        /** The attempt's number. */
        int attempt();

        /** The outcome of the attempt. */
        AttemptOutcome outcome();

        /** The job's state after the attempt. */
        JobState state();

        /** The error code of a failed attempt, or null. */
        @Nullable String errorCode();

        /** The time for which the handler ran. */
        Duration ran();
    }

    /**
     * This worker no longer holds a job that it was running: the lease was taken over, or the job was finished from
     * outside. What its handler returns changes nothing.
     *
     * @param id the job
     * @param type its type
     * @param attempt the attempt's number
     */
    record AttemptLost(long id, String type, int attempt) implements WindrowEvent {}

    /**
     * A handler has ignored its interrupt for 10 s, whatever the reason; its slot is replaced.
     *
     * @param id the job
     * @param type its type
     * @param attempt the attempt's number
     */
    record HandlerStuck(long id, String type, int attempt) implements WindrowEvent {}

    /**
     * Jobs of dead workers were taken back.
     *
     * @param count how many
     */
    record JobsReclaimed(int count) implements WindrowEvent {}

    /**
     * A claim of a worker was answered.
     *
     * @param count how many jobs it brought; 0 if there were none
     * @param took how long the answer took, waits for a turn included
     */
    record JobsClaimed(int count, Duration took) implements WindrowEvent {}

    /**
     * A claim of a worker has failed: the store is out of reach, busy or closed. It is tried again.
     *
     * @param took how long that took
     */
    record ClaimFailed(Duration took) implements WindrowEvent {}

    /**
     * A transaction of the store's own has committed.
     *
     * @param operations how many verbs shared it: enqueues, claims, ends of attempts
     * @param took how long it took, from its beginning to its end, waits for a turn left out
     */
    record TransactionCommitted(int operations, Duration took) implements WindrowEvent {}
}
