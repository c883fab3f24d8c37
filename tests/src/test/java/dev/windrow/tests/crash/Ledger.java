package dev.windrow.tests.crash;

import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A file to which many processes append lines of words. Each line is one call, so lines of killed processes are complete or missing, and they are in
 * the order of writing. Each line is on the disk when its write returns.
 */
final class Ledger implements AutoCloseable {
    /** A stream and not a channel, because an interrupt of a handler during a write closes a channel. */
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

    /** Reads the words of each line. */
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
