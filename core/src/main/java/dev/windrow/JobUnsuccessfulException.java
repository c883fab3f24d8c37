package dev.windrow;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if an awaited job ended {@code FAILED} or {@code CANCELLED}. The message has the job's error code and detail. The handler may have thrown
 * its exception in another process, so this has it as text.
 */
public final class JobUnsuccessfulException extends WindrowException {
    private static final long serialVersionUID = 1L;

    private final long id;
    private final JobState state;
    private final @Nullable String errorCode;
    private final @Nullable String errorDetail;
    private final @Nullable String handlerStackTrace;

    /** Creates the exception for the end of a job. */
    public JobUnsuccessfulException(
            long id,
            JobState state,
            @Nullable String errorCode,
            @Nullable String errorDetail,
            @Nullable String handlerStackTrace) {
        super("job %d ended %s%s%s"
                .formatted(
                        id,
                        state,
                        errorCode == null ? "" : " (" + errorCode + ")",
                        errorDetail == null ? "" : ": " + errorDetail));
        this.id = id;
        this.state = state;
        this.errorCode = errorCode;
        this.errorDetail = errorDetail;
        this.handlerStackTrace = handlerStackTrace;
    }

    /** Returns the id of the job. */
    public long id() {
        return id;
    }

    /** Returns the state: {@code FAILED} or {@code CANCELLED}. */
    public JobState state() {
        return state;
    }

    /** Returns the error code of the last failed attempt, or null. */
    public @Nullable String errorCode() {
        return errorCode;
    }

    /**
     * Returns the reason of the end, at most 500 characters: the exception of the last failed attempt, or the reason of the cancellation; or null.
     */
    public @Nullable String errorDetail() {
        return errorDetail;
    }

    /** Returns the stack trace of the exception that the handler threw in the job's last attempt, with its causes, as text. Null if none was kept. */
    public @Nullable String handlerStackTrace() {
        return handlerStackTrace;
    }
}
