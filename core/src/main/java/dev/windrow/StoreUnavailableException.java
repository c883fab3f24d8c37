package dev.windrow;

import org.jspecify.annotations.Nullable;

/** The store cannot take work now: it is closed, full, read-only, locked for too long or failing. Nothing was written. */
public final class StoreUnavailableException extends WindrowException {
    private static final long serialVersionUID = 1L;

    /** The message says what is wrong with the store and what to do. */
    public StoreUnavailableException(String message) {
        super(message);
    }

    /** The same, with the failure of the database. */
    public StoreUnavailableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
