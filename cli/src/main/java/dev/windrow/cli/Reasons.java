package dev.windrow.cli;

import dev.windrow.cli.terminal.TerminalText;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;

/** Why a file cannot be used, in words: what the JDK says is the name of a class and once more that of the file. */
public final class Reasons {
    private Reasons() {}

    public static String of(InvalidPathException e) {
        return e.getReason();
    }

    public static String of(IOException e) {
        if (e instanceof NoSuchFileException) {
            return "there is no such file or folder";
        }
        if (e instanceof AccessDeniedException) {
            return "this user is not allowed to";
        }
        if (e instanceof FileAlreadyExistsException) {
            return "it is there already";
        }
        String reason = e instanceof FileSystemException of && of.getReason() != null ? of.getReason() : e.getMessage();
        return TerminalText.oneLine(reason == null ? e.getClass().getSimpleName() : reason);
    }
}
