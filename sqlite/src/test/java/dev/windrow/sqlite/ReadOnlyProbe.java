package dev.windrow.sqlite;

import dev.windrow.WindrowException;
import dev.windrow.engine.Windrow;
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
        examine("file", file);
        Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("r-xr-xr-x"));
        attempt("folder", closed.resolve("other.db"));
        attempt("both", file);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        examine("folder", file);
        backUp("folder", file, Path.of(arguments[0], "copy.db"));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("-w-------"));
        examine("secret", file);
        try (var names = Files.list(closed)) {
            System.out.println(
                    "files: " + names.map(name -> name.getFileName().toString()).toList());
        }
        Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        try (StoreDriver store = Stores.open(file)) {
            // Others keep it open: what there is to read is there already, and nothing is made.
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r--r--r--"));
            examine("open", file);
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
            System.exit(store.claim(5).size() == 1 ? 0 : 3);
        }
    }

    private static void examine(String what, Path file) {
        try (SqliteStore store = SqliteStore.at(file)) {
            System.out.println("examine " + what + ": ok "
                    + Windrow.diagnose(store, false, null, check -> {}).isOk());
        } catch (WindrowException e) {
            System.out.println("examine " + what + ": " + e.getMessage());
        }
    }

    private static void backUp(String what, Path file, Path copy) {
        try (SqliteStore store = SqliteStore.at(file)) {
            System.out.println("back up " + what + ": " + store.backup(copy));
        } catch (WindrowException e) {
            System.out.println("back up " + what + ": " + e.getMessage());
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
