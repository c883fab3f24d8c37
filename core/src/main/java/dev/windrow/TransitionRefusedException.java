package dev.windrow;

/** A job is not in a state from which the asked change is possible. Nothing was written. */
public final class TransitionRefusedException extends WindrowException {
    private static final long serialVersionUID = 1L;

    /** The message names the job, its state and what is possible. */
    public TransitionRefusedException(String message) {
        super(message);
    }
}
