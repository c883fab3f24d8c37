package dev.windrow.payload;

import dev.windrow.WindrowException;

/**
 * A payload or result that is kept apart is not there any more, in part or whole, or its hash is another one: its job was
 * discarded meanwhile, or the database was damaged.
 */
public final class ContentLostException extends WindrowException {
    private static final long serialVersionUID = 1L;

    /** With what is missing. */
    public ContentLostException(String message) {
        super(message);
    }
}
