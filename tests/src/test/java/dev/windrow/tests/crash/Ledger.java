package dev.windrow.tests.crash;

import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A file to which many processes append lines of words, each with one call, so that the lines of killed processes are
 * whole or missing, and in the order in which they were written. Each is on the disk when it is written.
 */
final class Ledger implements AutoCloseable {
    /** Not a channel: that is closed when a handler is interrupted while it writes. */
    private final FileOutputStream out;

    Ledger(Path file) throws IOException {
        out = new FileOutputStream(file.toFile(), true);
    }

    void write(Object... words) throws IOException {
        StringBuilder line = new StringBuilder();
        for (Object word : words) {
            line.append(line.isEmpty() ? "" : " ").append(String.valueOf(word).replace('\n', ' '));
        }
        out.write(line.append('\n').toString().getBytes(StandardCharsets.UTF_8));
        out.getFD().sync();
    }

    /** The words of each line. */
    static List<List<String>> read(Path file) throws IOException {
        if (!Files.exists(file)) {
            return List.of();
        }
        return Files.readAllLines(file).stream()
                .map(line -> List.of(line.split(" ", -1)))
                .toList();
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
