package dev.windrow;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if the target is not a store that this version can open: it is no database, its schema is newer than this version, or a snapshot before the
 * first release has created it. The target is unchanged.
 */
public final class IncompatibleStoreException extends WindrowException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception. The message has the target and both versions. */
    public IncompatibleStoreException(String message) {
        super(message);
    }

    /** Creates the exception with the failure of the database. */
    public IncompatibleStoreException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
