package dev.windrow.cli;

import org.jspecify.annotations.Nullable;

/** Thrown when the operation did not succeed: exit status 1. The message says what failed, why, and what to do. */
public final class FailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public FailedException(String message) {
        super(message);
    }

    public FailedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
