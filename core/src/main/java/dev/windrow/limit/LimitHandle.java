package dev.windrow.limit;

import dev.windrow.InvalidRequestException;
import dev.windrow.Windrow;

/**
 * The handle of the pause and the limits of a queue, a job type or a concurrency key. They are stored, and apply to all processes and to later
 * enqueues. Made by {@link Windrow#queue}, {@link Windrow#type} or {@link Windrow#key}. Safe for use by many threads.
 *
 * <p>Each verb returns the pause and the limits after the change. Running jobs are not affected. On PostgreSQL, claims and enqueues that are under
 * way when a verb returns may still start the jobs that they have found.
 */
public interface LimitHandle {
    /** Pauses without a reason; see {@link #pause(String)}. */
    Limits pause();

    /**
     * Pauses: no process starts one of the jobs until {@link #resume}. The pause of a queue and the pause of a type are independent: a job starts
     * when neither is paused. A second pause replaces the reason.
     *
     * @param reason a text for humans, 1 to 500 characters
     */
    Limits pause(String reason);

    /** Ends the pause. Has no effect if there is none. */
    Limits resume();

    /**
     * Limits how many of the jobs run at once, in all processes together. The end of a job frees its place. The job of a dead worker frees it when its
     * lease has expired, or earlier if the end of its process is known.
     *
     * @param maxRunning 1 to 1 000 000
     * @throws InvalidRequestException if the number is out of range
     */
    Limits limit(int maxRunning);

    /** Removes the limit of running jobs. */
    Limits removeLimit();

    /** Limits how often one of the jobs starts, in all processes together. An attempt starts when a worker claims it. */
    Limits limitRate(Rate rate);

    /** Removes the limit of the rate. */
    Limits removeRateLimit();

    /** Reads the pause and the limits. */
    Limits limits();
}
