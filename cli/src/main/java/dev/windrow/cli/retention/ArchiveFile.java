package dev.windrow.cli.retention;

import dev.windrow.JobHistory;
import dev.windrow.cli.FailedException;
import dev.windrow.cli.Reasons;
import dev.windrow.cli.database.OwnFiles;
import dev.windrow.cli.terminal.TerminalText;
import dev.windrow.cli.terminal.Values;
import dev.windrow.retention.JobArchive;
import dev.windrow.wire.JobJson;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A file of jobs, a line each, to which jobs are appended before they are deleted. They are on the disk before the
 * deletion begins.
 */
final class ArchiveFile implements JobArchive, AutoCloseable {
    private final FileChannel channel;
    private long jobs;

    /** Appends at the position of the channel. */
    ArchiveFile(FileChannel channel) {
        this.channel = channel;
    }

    /** Opens the file, to append to it, and creates a missing one. A relative name refers to the folder. */
    static ArchiveFile open(Path folder, String name, OwnFiles own) {
        try {
            Path path = folder.resolve(Values.path("--archive", name, "the path of a file"));
            if (Files.isDirectory(path)) {
                throw unusable(name, "it is a folder", null);
            }
            // Closing any descriptor of a database releases SQLite's locks on it, and the text would damage it.
            if (Files.exists(path)
                    && own.keys().contains(OwnFiles.key(path, Files.readAttributes(path, BasicFileAttributes.class)))) {
                throw unusable(name, "it is the database itself", null);
            }
            boolean isNew = Files.notExists(path);
            FileChannel channel = FileChannel.open(
                    path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
            ArchiveFile file = new ArchiveFile(channel);
            boolean done = false;
            try {
                if (!isAlone(channel)) {
                    throw unusable(name, "another process appends to it", null);
                }
                if (isNew) {
                    forceName(path);
                }
                file.goToEnd();
                done = true;
            } finally {
                if (!done) {
                    channel.close();
                }
            }
            return file;
        } catch (IOException e) {
            throw unusable(name, Reasons.of(e), e);
        } catch (InvalidPathException e) {
            throw unusable(name, Reasons.of(e), e);
        }
    }

    /**
     * Locks the file; returns false if another process has the lock. Two processes would overwrite each other's
     * lines, of jobs that are then deleted. The locked byte is behind any possible content, because on some systems a
     * lock prevents reading. The lock lasts until the channel is closed.
     */
    private static boolean isAlone(FileChannel channel) throws IOException {
        return channel.tryLock(Long.MAX_VALUE - 1, 1, false) != null;
    }

    /** Makes the name of a new file durable. Systems that cannot open a folder do so by themselves. */
    private static void forceName(Path path) throws IOException {
        Path folder = path.toAbsolutePath().getParent();
        if (folder != null && Files.getFileStore(folder).supportsFileAttributeView("posix")) {
            try (FileChannel names = FileChannel.open(folder, StandardOpenOption.READ)) {
                names.force(true);
            } catch (AccessDeniedException mayOnlyWrite) {
                // Then the system writes the name at some time. The archive can be used anyway.
                return;
            }
        }
    }

    private static FailedException unusable(String name, String why, @Nullable Exception cause) {
        return new FailedException(
                "cannot write '%s' (--archive): %s; nothing was deleted".formatted(TerminalText.oneLine(name), why),
                cause);
    }

    /** Moves to the end of the file. Ends a line that a crash has cut, so that it does not damage the next one. */
    private void goToEnd() throws IOException {
        long size = channel.size();
        channel.position(size);
        ByteBuffer last = ByteBuffer.allocate(1);
        if (size > 0 && channel.read(last, size - 1) == 1 && last.get(0) != '\n') {
            write("\n");
        }
    }

    @Override
    public void archive(List<JobHistory> histories) throws IOException {
        long begin = channel.position();
        boolean done = false;
        try {
            for (JobHistory history : histories) {
                // Stored JSON may have line ends between its values, where a space means the same.
                write(JobJson.line(history) + "\n");
            }
            channel.force(true);
            done = true;
        } finally {
            if (!done) {
                // A full disk may have left half a line.
                channel.truncate(begin);
            }
        }
        jobs += histories.size();
    }

    private void write(String text) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
        while (bytes.hasRemaining()) {
            int unused = channel.write(bytes);
        }
    }

    /** The number of jobs that this process has appended. */
    long jobs() {
        return jobs;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
