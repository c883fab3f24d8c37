package dev.windrow;

/** Thrown if a job does not end within the timeout of the caller. The job is unchanged and continues. */
public final class AwaitTimeoutException extends WindrowException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception. The message has the job, its state, its queue and the time waited. It says if no live worker serves the queue or handles
     * the type.
     */
    public AwaitTimeoutException(String message) {
        super(message);
    }
}
