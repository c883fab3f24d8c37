package dev.windrow;

import org.jspecify.annotations.Nullable;

/** Thrown if the store cannot take work now: it is closed, full, read-only, locked for too long or failing. Nothing was written. */
public final class StoreUnavailableException extends WindrowException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception. The message has the problem of the store and the remedy. */
    public StoreUnavailableException(String message) {
        super(message);
    }

    /** Creates the exception with the failure of the database. */
    public StoreUnavailableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
