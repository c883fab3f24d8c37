package dev.windrow.payload;

import dev.windrow.WindrowException;

/**
 * Thrown if a payload or a result that is stored separately is missing, in part or whole, or has a wrong hash. Its job was deleted, or the database
 * was damaged.
 */
public final class ContentLostException extends WindrowException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception. The message names the missing content. */
    public ContentLostException(String message) {
        super(message);
    }
}
