package dev.windrow.limit;

import dev.windrow.InvalidRequestException;
import dev.windrow.Windrow;

/**
 * The pause and the limits of a queue, a job type or a concurrency key. They are stored, hold for all processes and for jobs that are enqueued later. Made
 * by {@link Windrow#queue}, {@link Windrow#type} or {@link Windrow#key}; safe for use by many threads.
 *
 * <p>Each verb returns the pause and the limits as they are then. Jobs that run already are not affected. On PostgreSQL, claims and enqueues that are under way when a verb returns
 * may still start the jobs that they have found.
 */
public interface LimitHandle {
    /** Pauses without a reason; see {@link #pause(String)}. */
    Limits pause();

    /**
     * Starts no more jobs, in any process, until {@link #resume}. Pausing a queue and pausing a type are independent: a job starts when neither is
     * paused. A second pause replaces the reason.
     *
     * @param reason for people, 1 to 200 characters
     */
    Limits pause(String reason);

    /** Starts jobs again. Has no effect if they are not paused. */
    Limits resume();

    /**
     * Limits how many of the jobs run at once, in all processes together. A job that has ended makes room, and so does one whose worker is gone when its
     * lease has run out.
     *
     * @param maxRunning 1 to 1 000 000
     * @throws InvalidRequestException if it is out of range
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
