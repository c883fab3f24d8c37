package dev.windrow;

import com.google.errorprone.annotations.CheckReturnValue;

/**
 * Thrown by a handler that finds that its job is not wanted any more: the job ends {@code CANCELLED}, whatever is left of its
 * attempts. The reason is kept with the attempt and in the event log.
 *
 * <pre>{@code
 * throw JobCancel.because("the order was withdrawn");
 * }</pre>
 */
@CheckReturnValue
public final class JobCancel extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String reason;

    private JobCancel(String reason) {
        // Said on purpose: where it was said is of no use to anybody.
        super(reason, null, false, false);
        this.reason = reason;
    }

    /**
     * The job is to be cancelled.
     *
     * @param reason for people; cut to {@link ErrorCodes#MAX_DETAIL} characters
     */
    public static JobCancel because(String reason) {
        return new JobCancel(reason);
    }

    /** Why. */
    public String reason() {
        return reason;
    }
}
