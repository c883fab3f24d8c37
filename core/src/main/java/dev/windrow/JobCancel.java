package dev.windrow;

import com.google.errorprone.annotations.CheckReturnValue;

/**
 * Thrown by a handler whose job is not needed any more. The job ends {@code CANCELLED}, even if it has attempts left. The attempt and the event log
 * keep the reason.
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
        // The handler throws it deliberately, so a stack trace is of no use.
        super(reason, null, false, false);
        this.reason = reason;
    }

    /**
     * Returns an exception that cancels the job.
     *
     * @param reason a text for humans, cut to {@link ErrorCodes#MAX_DETAIL} characters
     */
    public static JobCancel because(String reason) {
        return new JobCancel(reason);
    }

    /** Returns the reason. */
    public String reason() {
        return reason;
    }
}
