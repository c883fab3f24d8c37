package dev.windrow.bench;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if a measurement does not count: the file does not contain the rows that the work must have left, or the work
 * did not end.
 */
public final class BenchException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    BenchException(String message) {
        super(message);
    }

    BenchException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
