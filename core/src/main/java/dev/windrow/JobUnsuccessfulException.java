package dev.windrow;

import org.jspecify.annotations.Nullable;

/**
 * An awaited job ended {@code FAILED} or {@code CANCELLED}. The message has its error code and detail; the exception of its handler, which
 * may have been thrown in another process, is there as text.
 */
public final class JobUnsuccessfulException extends WindrowException {
    private static final long serialVersionUID = 1L;

    private final long id;
    private final JobState state;
    private final @Nullable String errorCode;
    private final @Nullable String errorDetail;
    private final @Nullable String handlerStackTrace;

    /** Describes the end of the job. */
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

    /** The job. */
    public long id() {
        return id;
    }

    /** {@code FAILED} or {@code CANCELLED}. */
    public JobState state() {
        return state;
    }

    /** The error code of its last failed attempt, if it had one. */
    public @Nullable String errorCode() {
        return errorCode;
    }

    /** Why it ended so, at most 500 characters: the exception of its last failed attempt, or the reason of its cancellation; or null. */
    public @Nullable String errorDetail() {
        return errorDetail;
    }

    /** The stack trace of the exception that the handler threw in the job's last attempt, with its causes, as text; null if none was kept. */
    public @Nullable String handlerStackTrace() {
        return handlerStackTrace;
    }
}
