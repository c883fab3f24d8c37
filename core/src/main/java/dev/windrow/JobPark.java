package dev.windrow;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.validation.Bounds;
import java.time.Duration;

/**
 * Thrown by a handler whose job goes on elsewhere: the application completes or fails it ({@link JobHandle#complete}, {@link
 * JobHandle#fail(String, String)}). No attempt is burned, and nothing has failed; the attempt ends {@link AttemptOutcome#PARKED}. Until then the job
 * is {@code BLOCKED}, whatever restarts, and holds neither a slot nor a lease nor a thread.
 *
 * <p>Whoever is to end the job has to know its {@linkplain JobContext#id() id}. They may be faster than the handler: a job that was
 * ended before it is parked stays ended.
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
        // Said on purpose: where it was said is of no use to anybody.
        super("waits for at most " + Durations.text(timeout), null, false, false);
        this.timeout = timeout;
    }

    /**
     * Until the job is completed externally, and for this long from the end of the attempt: then it is {@code FAILED} as {@link
     * ErrorCodes#TIMEOUT_WAIT}.
     *
     * @param timeout 1 ms to 3650 days
     * @throws InvalidRequestException if it is not
     */
    public static JobPark forAtMost(Duration timeout) {
        return new JobPark(Bounds.positive("park", timeout));
    }

    /** How long it waits at most, from the end of the attempt. */
    public Duration timeout() {
        return timeout;
    }
}
