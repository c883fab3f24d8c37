package dev.windrow.cli.database;

import dev.windrow.cli.FailedException;
import dev.windrow.cli.terminal.TerminalText;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A file whose first line is a password. */
public final class PasswordFile {
    /** The environment variable that names it. */
    public static final String VARIABLE = "WINDROW_DB_PASSWORD_FILE";

    /** The limit of a password's length, so that an endless file is refused. */
    private static final int LONGEST = 4096;

    private static final Set<PosixFilePermission> OF_OTHERS = Set.of(
            PosixFilePermission.GROUP_READ,
            PosixFilePermission.GROUP_WRITE,
            PosixFilePermission.OTHERS_READ,
            PosixFilePermission.OTHERS_WRITE);

    private PasswordFile() {}

    /** Reads the password. A relative name refers to the folder. */
    public static String read(Path folder, String name, String origin, Consumer<String> warnings) {
        try {
            Path file = folder.resolve(name);
            if (Files.isDirectory(file)) {
                throw unusable(name, origin, "it is a folder", null);
            }
            byte[] start;
            try (InputStream in = Files.newInputStream(file)) {
                start = in.readNBytes(LONGEST);
            }
            String password = firstLine(name, origin, start);
            if (isOpenToOthers(file)) {
                warnings.accept("other users can read or write '%s' (%s): restrict it with chmod 600"
                        .formatted(TerminalText.oneLine(name), origin));
            }
            return password;
        } catch (NoSuchFileException e) {
            throw unusable(name, origin, "the file does not exist", e);
        } catch (AccessDeniedException e) {
            throw unusable(name, origin, "permission denied", e);
        } catch (CharacterCodingException e) {
            throw unusable(name, origin, "its first line is not UTF-8", null);
        } catch (IOException | InvalidPathException e) {
            throw unusable(name, origin, TerminalText.oneLine(String.valueOf(e.getMessage())), e);
        }
    }

    private static String firstLine(String name, String origin, byte[] start) throws CharacterCodingException {
        int end = 0;
        while (end < start.length && start[end] != '\n') {
            end++;
        }
        if (end == LONGEST) {
            throw unusable(name, origin, "its first line is longer than %d bytes".formatted(LONGEST - 1), null);
        }
        if (end > 0 && start[end - 1] == '\r') {
            end--;
        }
        if (end == 0) {
            throw unusable(name, origin, "its first line is empty", null);
        }
        return StandardCharsets.UTF_8
                .newDecoder()
                .decode(ByteBuffer.wrap(start, 0, end))
                .toString();
    }

    /** True if other users may read or write the file; false if the file system has no such permissions. */
    private static boolean isOpenToOthers(Path file) throws IOException {
        try {
            return Files.getPosixFilePermissions(file).stream().anyMatch(OF_OTHERS::contains);
        } catch (UnsupportedOperationException e) {
            return false;
        }
    }

    private static FailedException unusable(String name, String origin, String why, @Nullable Exception cause) {
        return new FailedException(
                "cannot read a password from '%s' (%s): %s".formatted(TerminalText.oneLine(name), origin, why), cause);
    }
}
