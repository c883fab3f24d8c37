package dev.windrow;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.validation.Bounds;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Thrown by a handler that wants to be called again later: what it waits for is not there yet. No attempt is burned, and
 * nothing has failed; the attempt ends {@link AttemptOutcome#SNOOZED}. How often a job may snooze is not limited, and each
 * time leaves an attempt and three events with it: a handler that waits for what may never come has to end by itself.
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
        // Said on purpose: where it was said is of no use to anybody.
        super(message, null, false, false);
        this.delay = delay;
        this.until = until;
    }

    /**
     * Again after this long.
     *
     * @throws InvalidRequestException if it is negative, or more than 3650 days
     */
    public static JobSnooze after(Duration delay) {
        Bounds.delay("snooze", delay);
        return new JobSnooze("again after " + Durations.text(delay), delay, null);
    }

    /**
     * Again at this time; at once if it is past.
     *
     * @throws InvalidRequestException if it is after the year 9999
     */
    public static JobSnooze until(Instant time) {
        Bounds.instant("snooze until", time);
        return new JobSnooze("again at " + time, null, time);
    }

    /** For how long, from the end of the attempt; null when a time was given. */
    public @Nullable Duration delay() {
        return delay;
    }

    /** Until when; null when a delay was given. */
    public @Nullable Instant until() {
        return until;
    }
}
