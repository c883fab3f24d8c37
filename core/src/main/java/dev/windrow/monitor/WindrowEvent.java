package dev.windrow.monitor;

import dev.windrow.AttemptOutcome;
import dev.windrow.JobState;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** An event of this process, for listeners. The durable record is the job's event log. */
public sealed interface WindrowEvent {
    /**
     * Jobs were enqueued and are durable. A worker of this process may have started them before this event.
     *
     * @param count the number of jobs in one call
     */
    record JobsEnqueued(int count) implements WindrowEvent {}

    /**
     * A handler is about to be called.
     *
     * @param id the id of the job
     * @param type the type of the job
     * @param queue the queue of the job
     * @param attempt the number of the attempt
     * @param waited the time for which the job was ready before
     */
    record AttemptStarted(long id, String type, String queue, int attempt, Duration waited) implements WindrowEvent {}

    /** The end of an attempt is durable. */
    non-sealed interface AttemptEnded extends WindrowEvent {
        /** The id of the job. */
        long id();

        /** The type of the job. */
        String type();

        /** The queue of the job. */
        String queue();

        /** The number of the attempt. */
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
     * A worker no longer holds a job that it was running: another worker has reclaimed it, or the job was ended from outside. The handler's result is
     * ignored.
     *
     * @param id the id of the job
     * @param type the type of the job
     * @param attempt the number of the attempt
     */
    record AttemptLost(long id, String type, int attempt) implements WindrowEvent {}

    /**
     * A handler has ignored its interrupt for 10 s. Its slot is replaced.
     *
     * @param id the id of the job
     * @param type the type of the job
     * @param attempt the number of the attempt
     */
    record HandlerStuck(long id, String type, int attempt) implements WindrowEvent {}

    /**
     * Jobs of dead workers were reclaimed.
     *
     * @param count the number of jobs
     */
    record JobsReclaimed(int count) implements WindrowEvent {}

    /**
     * A claim of a worker has ended.
     *
     * @param count the number of claimed jobs, which may be 0
     * @param took the duration of the claim, with its waits for other writers
     */
    record JobsClaimed(int count, Duration took) implements WindrowEvent {}

    /**
     * A claim of a worker has failed: the store is unreachable, busy or closed. The worker retries it.
     *
     * @param took the time to the failure
     */
    record ClaimFailed(Duration took) implements WindrowEvent {}

    /**
     * A transaction of the store has committed.
     *
     * @param operations the number of verbs that shared it: enqueues, claims, ends of attempts
     * @param took the duration of the transaction, without its waits for other writers
     */
    record TransactionCommitted(int operations, Duration took) implements WindrowEvent {}
}
