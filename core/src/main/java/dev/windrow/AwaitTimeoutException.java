package dev.windrow;

/** Thrown if a job does not end within the timeout of the caller. The job is unchanged and continues. */
public final class AwaitTimeoutException extends WindrowException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception. The message has the job, the time waited and the text of its {@link Explanation}.
     */
    public AwaitTimeoutException(String message) {
        super(message);
    }
}
