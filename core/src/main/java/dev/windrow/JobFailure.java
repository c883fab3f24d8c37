package dev.windrow;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.validation.Bounds;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Thrown by a handler to describe the failure of its attempt. Any other exception fails the attempt as {@code INTERNAL:EXCEPTION}, and the job's
 * {@link RetryPolicy} decides about the next one. The attempt keeps the code and the detail. It keeps a stack trace only if there is a
 * {@linkplain #causedBy cause}.
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

    /** Returns a retryable failure without a detail; see {@link #retryable(String, String)}. */
    public static JobFailure retryable(String code) {
        return retryable(code, null);
    }

    /**
     * Returns a retryable failure. The retry policy sets the time of the next attempt, unless {@link RetryRules} decide differently.
     *
     * @param code {@code CATEGORY:SUBCATEGORY}; see {@link ErrorCodes}
     * @param detail a text for humans. Null, such as the message of an exception without one, for no detail
     * @throws InvalidRequestException if the code does not have this form
     */
    public static JobFailure retryable(String code, @Nullable String detail) {
        return new JobFailure(code, detail, true, null, null, null);
    }

    /** Returns a failure that is retried after this delay, without a detail; see {@link #retryAfter(String, String, Duration)}. */
    public static JobFailure retryAfter(String code, Duration delay) {
        return retryAfter(code, null, delay);
    }

    /**
     * Returns a failure that is retried after this delay. It counts as an attempt.
     *
     * @param delay 0 or more
     * @throws InvalidRequestException if the delay is negative, or the code is not {@code CATEGORY:SUBCATEGORY}
     */
    public static JobFailure retryAfter(String code, @Nullable String detail, Duration delay) {
        if (delay.isNegative()) {
            throw new InvalidRequestException(
                    "retry delay %s is not allowed: 0s or more".formatted(Durations.text(delay)));
        }
        return new JobFailure(code, detail, true, delay, null, null);
    }

    /** Returns a failure that is retried at this time, without a detail; see {@link #retryAt(String, String, Instant)}. */
    public static JobFailure retryAt(String code, Instant time) {
        return retryAt(code, null, time);
    }

    /**
     * Returns a failure that is retried at this time, or at once if the time has passed. It counts as an attempt.
     *
     * @throws InvalidRequestException if the time is after the year 9999, or the code is not {@code CATEGORY:SUBCATEGORY}
     */
    public static JobFailure retryAt(String code, @Nullable String detail, Instant time) {
        return new JobFailure(code, detail, true, null, Bounds.instant("retry at", time), null);
    }

    /** Returns a failure that is not retried, without a detail; see {@link #permanent(String, String)}. */
    public static JobFailure permanent(String code) {
        return permanent(code, null);
    }

    /**
     * Returns a failure that another attempt would not fix: the job ends {@code FAILED} at once.
     *
     * @param code {@code CATEGORY:SUBCATEGORY}; see {@link ErrorCodes}
     * @param detail a text for humans. Null, such as the message of an exception without one, for no detail
     * @throws InvalidRequestException if the code does not have this form
     */
    public static JobFailure permanent(String code, @Nullable String detail) {
        return new JobFailure(code, detail, false, null, null, null);
    }

    /** Returns this failure with the exception that caused it. The attempt keeps that exception's stack trace. */
    public JobFailure causedBy(Throwable cause) {
        return new JobFailure(code, getMessage(), retryable, retryAfter, retryAt, cause);
    }

    /** Returns the error code, {@code CATEGORY:SUBCATEGORY}. */
    public String code() {
        return code;
    }

    /** True if the failure is retryable. */
    public boolean isRetryable() {
        return retryable;
    }

    /** Returns the delay before the next attempt, or null. */
    public @Nullable Duration retryAfter() {
        return retryAfter;
    }

    /** Returns the time of the next attempt, or null. */
    public @Nullable Instant retryAt() {
        return retryAt;
    }
}
