package dev.windrow;

/** A job did not end within the time that the caller wanted to wait. The job stays as it is. */
public final class AwaitTimeoutException extends WindrowException {
    private static final long serialVersionUID = 1L;

    /** The message names the job, its state, its queue and the time waited, and says if no live worker serves the queue or handles the type. */
    public AwaitTimeoutException(String message) {
        super(message);
    }
}
