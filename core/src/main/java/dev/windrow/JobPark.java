package dev.windrow;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.validation.Bounds;
import java.time.Duration;

/**
 * Thrown by a handler whose job is completed or failed by the application ({@link JobHandle#complete}, {@link JobHandle#fail(String, String)}). The
 * attempt does not count and is no failure. It ends {@link AttemptOutcome#PARKED}. Until the job ends it is {@code BLOCKED}, also across restarts of
 * all processes, and holds no slot, no lease and no thread.
 *
 * <p>The caller that ends the job needs the job's {@linkplain JobContext#id() id}. That caller may be faster than the handler: a job that was ended
 * before it is parked stays ended.
 *
 * <pre>{@code
 * throw JobPark.forAtMost(Duration.ofDays(3));
 * }</pre>
 */
@CheckReturnValue
public final class JobPark extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Duration timeout;

    private JobPark(Duration timeout) {
        // The handler throws it deliberately, so a stack trace is of no use.
        super("waits for at most " + Durations.text(timeout), null, false, false);
        this.timeout = timeout;
    }

    /**
     * Returns an exception that parks the job until it is completed externally, at most for this time after the end of the attempt. After it the job
     * is {@code FAILED} as {@link ErrorCodes#TIMEOUT_WAIT}.
     *
     * @param timeout 1 ms to 3650 days
     * @throws InvalidRequestException if the timeout is out of range
     */
    public static JobPark forAtMost(Duration timeout) {
        return new JobPark(Bounds.positive("park", timeout));
    }

    /** Returns the maximum wait after the end of the attempt. */
    public Duration timeout() {
        return timeout;
    }
}
