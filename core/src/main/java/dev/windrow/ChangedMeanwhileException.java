package dev.windrow;

/** Thrown if a job is not at the version that the caller of {@link JobHandle#ifVersion} expects. Nothing was written. */
public final class ChangedMeanwhileException extends WindrowException {
    private static final long serialVersionUID = 1L;

    private final long id;
    private final long expected;
    private final long actual;
    private final JobState state;

    /** Creates the exception for a job with its expected version, its actual version and its state. */
    public ChangedMeanwhileException(long id, long expected, long actual, JobState state) {
        super("job %d has changed meanwhile: it is %s at version %d, not at version %d; read it again, then decide"
                .formatted(id, state, actual, expected));
        this.id = id;
        this.expected = expected;
        this.actual = actual;
        this.state = state;
    }

    /** Returns the id of the job. */
    public long id() {
        return id;
    }

    /** Returns the version that the caller expected. */
    public long expected() {
        return expected;
    }

    /** Returns the version of the job. */
    public long actual() {
        return actual;
    }

    /** Returns the state of the job. */
    public JobState state() {
        return state;
    }
}
