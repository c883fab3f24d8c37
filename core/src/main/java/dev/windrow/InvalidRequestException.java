package dev.windrow;

import org.jspecify.annotations.Nullable;

/** Thrown if a value is not allowed. The message has the option, the value and the allowed range. Nothing was written. */
public final class InvalidRequestException extends WindrowException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception. The message has the option, the value and the allowed range. */
    public InvalidRequestException(String message) {
        super(message);
    }

    /** Creates the exception with its cause. */
    public InvalidRequestException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
