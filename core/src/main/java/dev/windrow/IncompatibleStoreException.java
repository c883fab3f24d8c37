package dev.windrow;

import org.jspecify.annotations.Nullable;

/** The target is not a store that this version can open: no database, or a schema newer than this code. It is left as it was. */
public final class IncompatibleStoreException extends WindrowException {
    private static final long serialVersionUID = 1L;

    /** The message names the target and both versions. */
    public IncompatibleStoreException(String message) {
        super(message);
    }

    /** The same, with what the database said. */
    public IncompatibleStoreException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
