package dev.windrow;

import org.jspecify.annotations.Nullable;

/** The root of everything that Windrow's verbs throw. The message says what failed, why, and what to do. */
public class WindrowException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** An error without a cause. */
    public WindrowException(String message) {
        super(message);
    }

    /** An error with a cause. */
    public WindrowException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
