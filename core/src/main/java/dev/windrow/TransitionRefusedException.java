package dev.windrow;

/** Thrown if the state of a job does not allow the requested change. Nothing was written. */
public final class TransitionRefusedException extends WindrowException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception. The message has the job, its state and the possible changes. */
    public TransitionRefusedException(String message) {
        super(message);
    }
}
