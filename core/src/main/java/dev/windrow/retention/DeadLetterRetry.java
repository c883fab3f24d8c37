package dev.windrow.retention;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.Durations;
import dev.windrow.ErrorCodes;
import dev.windrow.InvalidRequestException;
import dev.windrow.validation.Bounds;
import java.time.Duration;
import java.util.Set;

/**
 * A rule for automatic retries of dead letters. It is for failures whose cause passes by itself, such as a service that was down for longer than the
 * attempts lasted. When a job with one of the codes has been {@code FAILED} for a time, it gets a full number of attempts again. This repeats until
 * the job is too old. Several processes may have the same rule: a job is not retried more often because of that.
 *
 * @param errorCodes the codes of the last failed attempts, such as {@code DEPENDENCY:MAIL}, or categories of codes, such as {@code DEPENDENCY:*}; at
 *     least one
 * @param after the time between the failure of a job and its retry, 1 s to 3650 days
 * @param until the time after its enqueue up to which a job is retried, at least {@code after}, at most 3650 days
 */
@CheckReturnValue
public record DeadLetterRetry(Set<String> errorCodes, Duration after, Duration until) {
    private static final Duration SHORTEST = Duration.ofSeconds(1);

    /**
     * Checks the values.
     *
     * @throws InvalidRequestException if a value is out of range
     */
    public DeadLetterRetry {
        errorCodes = Set.copyOf(errorCodes);
        if (errorCodes.isEmpty()) {
            throw new InvalidRequestException("an automatic retry needs an error code: it does not retry everything");
        }
        for (String code : errorCodes) {
            String text = Bounds.text("error code", code, 200);
            if (text.indexOf('*') >= 0) {
                String unused = ErrorCodes.checkPattern(text);
            }
        }
        Bounds.positive("delay of an automatic retry", after);
        if (after.compareTo(SHORTEST) < 0) {
            throw new InvalidRequestException(
                    "delay of an automatic retry %s is not allowed: at least 1s".formatted(Durations.text(after)));
        }
        Bounds.positive("end of automatic retries", until);
        if (until.compareTo(after) < 0) {
            throw new InvalidRequestException(
                    "end of automatic retries %s is not allowed: at least %s, the delay of a retry"
                            .formatted(Durations.text(until), Durations.text(after)));
        }
    }

    /**
     * Returns a rule that retries 15 minutes after each failure, up to one day after the enqueue.
     *
     * @throws InvalidRequestException if there is no code, or a code is empty or longer than 200 characters
     */
    public static DeadLetterRetry of(String... errorCodes) {
        return new DeadLetterRetry(Set.of(errorCodes), Duration.ofMinutes(15), Duration.ofDays(1));
    }

    /**
     * Returns this rule with another time after each failure.
     *
     * @throws InvalidRequestException if the time is out of range
     */
    public DeadLetterRetry withAfter(Duration after) {
        return new DeadLetterRetry(errorCodes, after, until);
    }

    /**
     * Returns this rule with another time after the enqueue.
     *
     * @throws InvalidRequestException if the time is out of range
     */
    public DeadLetterRetry withUntil(Duration until) {
        return new DeadLetterRetry(errorCodes, after, until);
    }
}
