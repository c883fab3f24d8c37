package dev.windrow;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.validation.Bounds;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Thrown by a handler to say how its attempt failed. Any other exception fails the attempt as {@code
 * INTERNAL:EXCEPTION} and is retried by the job's {@link RetryPolicy}. Code and detail are what is kept of it, and a
 * stack trace only when it {@linkplain #causedBy passes on} an exception.
 */
@CheckReturnValue
public final class JobFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String code;
    private final boolean retryable;
    private final @Nullable Duration retryAfter;
    private final @Nullable Instant retryAt;

    private JobFailure(
            String code,
            @Nullable String detail,
            boolean retryable,
            @Nullable Duration retryAfter,
            @Nullable Instant retryAt,
            @Nullable Throwable cause) {
        super(detail, cause);
        this.code = ErrorCodes.check(code);
        this.retryable = retryable;
        this.retryAfter = retryAfter;
        this.retryAt = retryAt;
    }

    /** A failure worth another attempt, without a detail; see {@link #retryable(String, String)}. */
    public static JobFailure retryable(String code) {
        return retryable(code, null);
    }

    /**
     * A failure worth another attempt, at a time that the retry policy chooses, unless {@link RetryRules} decide otherwise.
     *
     * @param code {@code CATEGORY:SUBCATEGORY}; see {@link ErrorCodes}
     * @param detail for people; null, as of an exception without a message: none
     * @throws InvalidRequestException if the code has another form
     */
    public static JobFailure retryable(String code, @Nullable String detail) {
        return new JobFailure(code, detail, true, null, null, null);
    }

    /** A failure worth another attempt after this delay, without a detail; see {@link #retryAfter(String, String, Duration)}. */
    public static JobFailure retryAfter(String code, Duration delay) {
        return retryAfter(code, null, delay);
    }

    /** A failure worth another attempt after this delay; it still counts as an attempt. */
    public static JobFailure retryAfter(String code, @Nullable String detail, Duration delay) {
        if (delay.isNegative()) {
            throw new InvalidRequestException(
                    "retry delay %s is not allowed: 0s or more".formatted(Durations.text(delay)));
        }
        return new JobFailure(code, detail, true, delay, null, null);
    }

    /** A failure worth another attempt at this time, without a detail; see {@link #retryAt(String, String, Instant)}. */
    public static JobFailure retryAt(String code, Instant time) {
        return retryAt(code, null, time);
    }

    /**
     * A failure worth another attempt at this time, at once if it is past; it still counts as an attempt.
     *
     * @throws InvalidRequestException if the time is after the year 9999
     */
    public static JobFailure retryAt(String code, @Nullable String detail, Instant time) {
        return new JobFailure(code, detail, true, null, Bounds.instant("retry at", time), null);
    }

    /** A failure that another attempt would not fix, without a detail; see {@link #permanent(String, String)}. */
    public static JobFailure permanent(String code) {
        return permanent(code, null);
    }

    /**
     * A failure that another attempt would not fix: the job ends {@code FAILED} at once.
     *
     * @param code {@code CATEGORY:SUBCATEGORY}; see {@link ErrorCodes}
     * @param detail for people; null, as of an exception without a message: none
     * @throws InvalidRequestException if the code has another form
     */
    public static JobFailure permanent(String code, @Nullable String detail) {
        return new JobFailure(code, detail, false, null, null, null);
    }

    /** The same failure with the exception that led to it; its stack trace is kept with the attempt. */
    public JobFailure causedBy(Throwable cause) {
        return new JobFailure(code, getMessage(), retryable, retryAfter, retryAt, cause);
    }

    /** The error code, {@code CATEGORY:SUBCATEGORY}. */
    public String code() {
        return code;
    }

    /** Whether another attempt is wanted. */
    public boolean isRetryable() {
        return retryable;
    }

    /** The delay that the handler asked for, or null. */
    public @Nullable Duration retryAfter() {
        return retryAfter;
    }

    /** The time that the handler asked for, or null. */
    public @Nullable Instant retryAt() {
        return retryAt;
    }
}
