package dev.windrow.cli.demo;

import dev.windrow.Handler;
import dev.windrow.JobContext;
import dev.windrow.JobFailure;
import dev.windrow.cli.database.OwnFiles;
import dev.windrow.cli.terminal.TerminalText;
import java.io.IOException;
import java.net.URI;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The demo's handler for one file: digest, lines, words. */
final class DemoFile implements Handler<DemoTypes.OneFile, FileCount> {
    private final OwnFiles own;

    DemoFile(OwnFiles own) {
        this.own = own;
    }

    @Override
    public FileCount handle(DemoTypes.OneFile input, JobContext job) throws InterruptedException {
        Path file = Path.of(URI.create(input.file()));
        FileCount count;
        try {
            count = count(file);
        } catch (ClosedByInterruptException e) {
            throw new InterruptedException("the job was asked to stop");
        } catch (IOException e) {
            throw JobFailure.permanent("RESOURCE:UNREADABLE", TerminalText.oneLine(String.valueOf(e)));
        }
        if (count == null) {
            throw JobFailure.permanent("INVALID_INPUT:BINARY_FILE", "the file contains a NUL byte");
        }
        return count;
    }

    /** Counts the file. After the scan the path may have changed, to a pipe or to the database itself. */
    private @Nullable FileCount count(Path file) throws IOException {
        var attributes = Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (!attributes.isRegularFile() || own.keys().contains(OwnFiles.key(file, attributes))) {
            throw new IOException("it is not a regular file any more");
        }
        try (var channel = Files.newByteChannel(file, Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS))) {
            return FileCounter.count(channel);
        }
    }
}
