package dev.windrow.cli;

import dev.windrow.cli.terminal.TerminalText;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;

/**
 * The reasons why a file cannot be used, in words. The JDK's messages are the name of a class and the name of the
 * file once more.
 */
public final class Reasons {
    private Reasons() {}

    public static String of(InvalidPathException e) {
        return e.getReason();
    }

    public static String of(IOException e) {
        if (e instanceof NoSuchFileException) {
            return "the file or folder does not exist";
        }
        if (e instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (e instanceof FileAlreadyExistsException) {
            return "it already exists";
        }
        String reason = e instanceof FileSystemException of && of.getReason() != null ? of.getReason() : e.getMessage();
        return TerminalText.oneLine(reason == null ? e.getClass().getSimpleName() : reason);
    }
}
