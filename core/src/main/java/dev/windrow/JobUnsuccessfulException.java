package dev.windrow;

import org.jspecify.annotations.Nullable;

/** An awaited job ended {@code FAILED} or {@code CANCELLED}. */
public final class JobUnsuccessfulException extends WindrowException {
    private static final long serialVersionUID = 1L;

    private final long id;
    private final JobState state;
    private final @Nullable String errorCode;

    /** Describes the end of the job. */
    public JobUnsuccessfulException(long id, JobState state, @Nullable String errorCode, @Nullable String errorDetail) {
        super("job %d ended %s%s%s"
                .formatted(
                        id,
                        state,
                        errorCode == null ? "" : " (" + errorCode + ")",
                        errorDetail == null ? "" : ": " + errorDetail));
        this.id = id;
        this.state = state;
        this.errorCode = errorCode;
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
}
