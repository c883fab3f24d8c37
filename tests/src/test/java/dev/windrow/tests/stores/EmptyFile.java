package dev.windrow.tests.stores;

import dev.windrow.Windrow;
import dev.windrow.sqlite.SqliteStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file with the empty tables of a store. It is made once and copied, because making the tables takes 30 ms. */
final class EmptyFile {
    private static final byte[] BYTES = make();

    private EmptyFile() {}

    private static byte[] make() {
        try {
            Path folder = Files.createTempDirectory("windrow-empty-");
            Path file = folder.resolve("jobs.db");
            Windrow.open(SqliteStore.at(file)).close();
            byte[] bytes = Files.readAllBytes(file);
            Files.delete(file);
            Files.delete(folder);
            return bytes;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Target copy(Path file) {
        try {
            Files.write(file, BYTES);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Target.fileOfOneProcess(file);
    }
}
