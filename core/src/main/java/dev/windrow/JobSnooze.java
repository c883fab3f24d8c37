package dev.windrow;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.validation.Bounds;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Thrown by a handler that asks for a later call, because something it needs is not ready yet. The attempt does not count and is no failure. It ends
 * {@link AttemptOutcome#SNOOZED}. The number of snoozes of a job is not limited. Each of them stores an attempt and three events. A handler that
 * waits for something that may never come has to end by itself.
 *
 * <pre>{@code
 * throw JobSnooze.after(Duration.ofMinutes(5));
 * }</pre>
 */
@CheckReturnValue
public final class JobSnooze extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final @Nullable Duration delay;
    private final @Nullable Instant until;

    private JobSnooze(String message, @Nullable Duration delay, @Nullable Instant until) {
        // The handler throws it deliberately, so a stack trace is of no use.
        super(message, null, false, false);
        this.delay = delay;
        this.until = until;
    }

    /**
     * Returns an exception that runs the job again after this time.
     *
     * @param delay 0 to 3650 days after the end of the attempt
     * @throws InvalidRequestException if the delay is out of range
     */
    public static JobSnooze after(Duration delay) {
        Bounds.delay("snooze", delay);
        return new JobSnooze("again after " + Durations.text(delay), delay, null);
    }

    /**
     * Returns an exception that runs the job again at this time, or at once if the time has passed.
     *
     * @throws InvalidRequestException if the time is after the year 9999
     */
    public static JobSnooze until(Instant time) {
        Bounds.instant("snooze until", time);
        return new JobSnooze("again at " + time, null, time);
    }

    /** Returns the delay after the end of the attempt; null if a time was given. */
    public @Nullable Duration delay() {
        return delay;
    }

    /** Returns the time of the next call; null if a delay was given. */
    public @Nullable Instant until() {
        return until;
    }
}
