package dev.windrow;

import org.jspecify.annotations.Nullable;

/** A value is not allowed; the message names the thing, the value and what is allowed. Nothing was written. */
public final class InvalidRequestException extends WindrowException {
    private static final long serialVersionUID = 1L;

    /** The message names the thing, the value and what is allowed. */
    public InvalidRequestException(String message) {
        super(message);
    }

    /** The same, with what made it fail. */
    public InvalidRequestException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
