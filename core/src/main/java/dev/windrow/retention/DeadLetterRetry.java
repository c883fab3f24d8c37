package dev.windrow.retention;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.Durations;
import dev.windrow.InvalidRequestException;
import dev.windrow.validation.Bounds;
import java.time.Duration;
import java.util.Set;

/**
 * Retries jobs that have failed for good, for reasons that pass by themselves: a service that was down for longer than the attempts
 * lasted. A failed job with one of the codes gets a full budget of attempts again when it has been {@code FAILED} for a while, again
 * and again, until it is too old. Any number of processes may have the same one: a job is not retried more often for that.
 *
 * @param errorCodes the codes of the last failures that are worth it, such as {@code DEPENDENCY:MAIL}; at least one
 * @param after how long after its failure a job is retried, 1 s to 3650 days
 * @param until how long after it was enqueued a job is retried for the last time, at least as long as {@code after}, at most 3650 days
 */
@CheckReturnValue
public record DeadLetterRetry(Set<String> errorCodes, Duration after, Duration until) {
    private static final Duration SHORTEST = Duration.ofSeconds(1);

    /** Checks the values. */
    public DeadLetterRetry {
        errorCodes = Set.copyOf(errorCodes);
        if (errorCodes.isEmpty()) {
            throw new InvalidRequestException("an automatic retry needs an error code: it does not retry everything");
        }
        errorCodes.forEach(code -> Bounds.text("error code", code, 200));
        Bounds.positive("delay of an automatic retry", after);
        if (after.compareTo(SHORTEST) < 0) {
            throw new InvalidRequestException(
                    "delay of an automatic retry %s is not allowed: at least 1s".formatted(Durations.text(after)));
        }
        Bounds.positive("end of automatic retries", until);
        if (until.compareTo(after) < 0) {
            throw new InvalidRequestException(
                    "end of automatic retries %s is not allowed: at least %s, the time after which it is"
                            .formatted(Durations.text(until), Durations.text(after)));
        }
    }

    /**
     * A quarter of an hour after each failure, for a day.
     *
     * @throws InvalidRequestException if there is no code, or one is empty or longer than 200 characters
     */
    public static DeadLetterRetry of(String... errorCodes) {
        return new DeadLetterRetry(Set.of(errorCodes), Duration.ofMinutes(15), Duration.ofDays(1));
    }

    /** The same with another time after each failure. */
    public DeadLetterRetry withAfter(Duration after) {
        return new DeadLetterRetry(errorCodes, after, until);
    }

    /** The same with another time after the enqueue. */
    public DeadLetterRetry withUntil(Duration until) {
        return new DeadLetterRetry(errorCodes, after, until);
    }
}
