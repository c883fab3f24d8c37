package dev.windrow.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** A separate folder in the temp directory. It is deleted at the end, even if a signal ends the process. */
final class Scratch implements AutoCloseable {
    private final Path folder;
    private int files;

    Scratch() throws IOException {
        folder = Files.createTempDirectory("windrow-bench-");
        Runtime.getRuntime().addShutdownHook(new Thread(this::removeQuietly, "windrow-bench-scratch"));
    }

    Path folder() {
        return folder;
    }

    /** Returns a path for a database that does not exist yet. */
    Path newFile() {
        files++;
        return folder.resolve("run-" + files + ".db");
    }

    /** Removes a database with all files whose names begin with its name. */
    static void remove(Path file) throws IOException {
        String name = Objects.requireNonNull(file.getFileName()).toString();
        try (Stream<Path> beside = Files.list(Objects.requireNonNull(file.getParent()))) {
            for (Path each : beside.filter(path -> path.getFileName().toString().startsWith(name))
                    .toList()) {
                removeTree(each);
            }
        }
    }

    private static void removeTree(Path root) throws IOException {
        List<Path> all;
        try (Stream<Path> tree = Files.walk(root)) {
            all = tree.sorted(Comparator.reverseOrder()).toList();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        for (Path each : all) {
            Files.deleteIfExists(each);
        }
    }

    private void removeQuietly() {
        try {
            removeTree(folder);
        } catch (NoSuchFileException e) {
            // Another process has removed it already.
        } catch (IOException e) {
            // The process is ending, and the operating system empties its temp directory in time.
        }
    }

    @Override
    public void close() throws IOException {
        removeTree(folder);
    }
}
