package dev.windrow.cli;

/** Thrown for wrong usage: exit status 2. The message names the word and the allowed values. */
public final class UsageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public UsageException(String message) {
        super(message);
    }
}
