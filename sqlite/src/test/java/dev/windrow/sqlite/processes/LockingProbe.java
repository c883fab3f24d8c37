package dev.windrow.sqlite.processes;

import dev.windrow.sqlite.TestDatabase;
import java.nio.file.Path;

/** Another program that uses the file. It holds SQLite's write lock, and prints that, until its input ends. */
final class LockingProbe {
    private LockingProbe() {}

    public static void main(String[] arguments) throws Exception {
        try (TestDatabase database = TestDatabase.open(Path.of(arguments[0]))) {
            database.execute("BEGIN IMMEDIATE");
            System.out.println("inside");
            while (System.in.read() >= 0) {
                Thread.onSpinWait();
            }
        }
    }
}
