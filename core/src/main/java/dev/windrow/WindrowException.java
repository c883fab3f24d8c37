package dev.windrow;

import org.jspecify.annotations.Nullable;

/** The superclass of all exceptions of Windrow's verbs. The message says what failed, why, and what to do. */
public class WindrowException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Creates an exception without a cause. */
    public WindrowException(String message) {
        super(message);
    }

    /** Creates an exception with a cause. */
    public WindrowException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
