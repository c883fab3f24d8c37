package dev.windrow.tests.bench;

import dev.windrow.Windrow;
import dev.windrow.sqlite.SqliteStore;
import dev.windrow.tests.stores.Target;
import dev.windrow.testserver.PostgresServer;
import dev.windrow.transfer.QueueCopy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Measures a backup and copies of a large file. The name of this class has no "Test", so a build runs it only by {@code -Dtest=CopyBench}.
 */
class CopyBench {
    private static final int JOBS = Integer.getInteger("windrow.bench.jobs", 1_000_000);

    @TempDir
    Path folder;

    private interface Step {
        void run() throws Exception;
    }

    @Test
    void aBackupAndCopies() throws Exception {
        Path large = folder.resolve("large.db");
        Windrow.open(SqliteStore.at(large)).close();
        Target file = Target.file(large);
        LargeStore.fill(file, JOBS);
        System.out.printf(Locale.ROOT, "%,d jobs, %,d MB%n", JOBS, Files.size(large) / 1_000_000);
        measure("backup", () -> SqliteStore.at(large).backup(folder.resolve("backup.db")));
        try (Target server = Target.newSchema(PostgresServer.shared())) {
            measure("copy from the file to the server", () -> copy(file, server));
            measure("copy from the server to a file", () -> copy(server, Target.file(folder.resolve("back.db"))));
        }
        measure("copy from file to file", () -> copy(file, Target.file(folder.resolve("second.db"))));
    }

    private static void copy(Target from, Target to) {
        Object unused = QueueCopy.from(from.newStore()).to(to.newStore()).run();
    }

    private static void measure(String name, Step step) throws Exception {
        long began = System.nanoTime();
        step.run();
        System.out.printf(Locale.ROOT, "%-36s %6.1f s%n", name, (System.nanoTime() - began) / 1e9);
    }
}
