package dev.windrow;

/** A job did not end within the time that the caller wanted to wait. The job itself goes on. */
public final class AwaitTimeoutException extends WindrowException {
    private static final long serialVersionUID = 1L;

    /** The message names the job, its state and the time waited. */
    public AwaitTimeoutException(String message) {
        super(message);
    }
}
