package dev.windrow.testkit;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.InvalidRequestException;

/** The way in which {@link WindrowTest#drain(Drain)} runs jobs. Immutable. */
@CheckReturnValue
public final class Drain {
    /** The number of attempts after which a drain without a maximum fails. */
    static final int LIMIT = 10_000;

    private static final Drain READY = new Drain(false, Integer.MAX_VALUE, false);

    private final boolean scheduled;
    private final int max;
    private final boolean rethrow;

    private Drain(boolean scheduled, int max, boolean rethrow) {
        this.scheduled = scheduled;
        this.max = max;
        this.rethrow = rethrow;
    }

    /** Returns the default: runs the ready jobs, and the jobs that become ready by that. Jobs that are due later stay. */
    public static Drain ready() {
        return READY;
    }

    /**
     * Returns this drain with scheduled jobs: when no job is ready, the clock moves to the time at which the next one is due. So retries, delayed jobs
     * and sleeping jobs run, too. Schedules and waits for events do not prolong the drain; see {@link WindrowTest#drainSkippingTime}.
     */
    public Drain withScheduled() {
        return new Drain(true, max, rethrow);
    }

    /**
     * Returns this drain with a maximum number of attempts, after which it ends. A call of a batch handler that has begun is completed. Without a
     * maximum a drain fails after 10 000 attempts.
     *
     * @param attempts 1 or more
     * @throws InvalidRequestException if the number is less than 1
     */
    public Drain withMax(int attempts) {
        if (attempts < 1) {
            throw new InvalidRequestException("max %d is not allowed: 1 or more".formatted(attempts));
        }
        return new Drain(scheduled, attempts, rethrow);
    }

    /**
     * Returns this drain with rethrown exceptions: the first exception of a handler ends the drain, which throws it when the end of the attempt is
     * recorded. Exceptions that are no failures, such as {@link dev.windrow.JobSnooze}, are not thrown. An {@link AssertionError} of a handler is
     * thrown in any case.
     */
    public Drain withRethrow() {
        return new Drain(scheduled, max, true);
    }

    boolean isScheduled() {
        return scheduled;
    }

    int max() {
        return max;
    }

    boolean isRethrowing() {
        return rethrow;
    }
}
