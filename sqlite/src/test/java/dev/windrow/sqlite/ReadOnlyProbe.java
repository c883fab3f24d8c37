package dev.windrow.sqlite;

import dev.windrow.WindrowException;
import dev.windrow.testkit.NewRow;
import dev.windrow.testkit.StoreDriver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** Opens stores where it may not write, and prints what it is told. Runs without root's powers. */
final class ReadOnlyProbe {
    private ReadOnlyProbe() {}

    public static void main(String[] arguments) throws IOException {
        System.setProperty("java.io.tmpdir", arguments[0]);
        Path closed = Files.createDirectory(Path.of(arguments[0], "closed"));
        Path file = closed.resolve("jobs.db");
        try (StoreDriver store = Stores.open(file)) {
            store.enqueue(NewRow.job());
        }
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r--r--r--"));
        attempt("file", file);
        Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("r-xr-xr-x"));
        attempt("folder", closed.resolve("other.db"));
        attempt("both", file);
        Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        try (StoreDriver store = Stores.open(file)) {
            System.exit(store.claim(5).size() == 1 ? 0 : 3);
        }
    }

    private static void attempt(String what, Path file) {
        try {
            Stores.open(file).close();
            System.out.println(what + ": opened");
        } catch (WindrowException e) {
            System.out.println(what + ": " + e.getClass().getSimpleName() + ": " + e.getMessage());
        }
    }
}
