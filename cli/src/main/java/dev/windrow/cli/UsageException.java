package dev.windrow.cli;

/** The command line asks for something that cannot be meant: exit status 2. The message names the word and what is allowed. */
public final class UsageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public UsageException(String message) {
        super(message);
    }
}
