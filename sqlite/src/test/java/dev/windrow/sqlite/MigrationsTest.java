package dev.windrow.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.windrow.IncompatibleStoreException;
import dev.windrow.WindrowException;
import dev.windrow.testkit.NewRow;
import dev.windrow.testkit.StoreDriver;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How a file gets its schema, and which schemas are refused. */
class MigrationsTest {
    @TempDir
    Path folder;

    private static void assertMigratedOnce(Path file) throws Exception {
        try (TestDatabase database = TestDatabase.open(file)) {
            assertThat(database.rows("SELECT version, min_compatible, name FROM windrow_schema"))
                    .containsExactly("1|1|001-queue.sql", "2|1|002-under-fire.sql", "3|3|003-governance.sql");
            assertThat(database.one("SELECT count(*) FROM windrow_ids")).isEqualTo("1");
            assertThat(database.one("PRAGMA integrity_check")).isEqualTo("ok");
        }
    }

    /** Failure class 23. */
    @Test
    void ofEightStoresThatOpenANewFileAtOnceOneMigratesIt() throws Exception {
        for (int round = 0; round < 10; round++) {
            Path file = folder.resolve("jobs" + round + ".db");
            CyclicBarrier barrier = new CyclicBarrier(8);
            ExecutorService threads = Executors.newFixedThreadPool(8);
            try {
                List<Future<Long>> futures = new ArrayList<>();
                for (int i = 0; i < 8; i++) {
                    futures.add(threads.submit(() -> {
                        barrier.await(60, TimeUnit.SECONDS);
                        try (StoreDriver store = Stores.open(file)) {
                            return store.enqueue(NewRow.job());
                        }
                    }));
                }
                List<Long> ids = new ArrayList<>();
                for (Future<Long> future : futures) {
                    ids.add(future.get(60, TimeUnit.SECONDS));
                }
                assertThat(ids).doesNotHaveDuplicates();
            } finally {
                threads.shutdownNow();
            }
            assertMigratedOnce(file);
        }
    }

    /** Failure class 23. */
    @Test
    void ofFourProcessesThatOpenANewFileAtOnceOneMigratesItAndAllWork() throws Exception {
        Path file = folder.resolve("jobs.db");
        List<Process> processes = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            processes.add(ChildProcess.start(OpenProbe.class, file, "w" + i));
        }
        for (Process process : processes) {
            ChildProcess.Outcome outcome = ChildProcess.finish(process);
            assertThat(outcome.status()).as(outcome.text()).isZero();
        }
        assertMigratedOnce(file);
        try (TestDatabase database = TestDatabase.open(file)) {
            assertThat(database.rows("SELECT state, count(*) FROM windrow_jobs GROUP BY state"))
                    .containsExactly("COMPLETED|" + 4 * OpenProbe.JOBS);
            assertThat(database.one("SELECT count(*) FROM windrow_attempts")).isEqualTo("" + 4 * OpenProbe.JOBS);
            assertThat(database.one("SELECT n FROM windrow_counters WHERE state = 'COMPLETED'"))
                    .isEqualTo("" + 4 * OpenProbe.JOBS);
        }
    }

    private Path withSchema(int version, int compatible) throws Exception {
        Path file = folder.resolve("jobs.db");
        Stores.open(file).close();
        try (TestDatabase database = TestDatabase.open(file)) {
            database.execute(
                    "INSERT INTO windrow_schema (version, min_compatible, name, applied_at) VALUES (%d, %d, 'later.sql', 0)"
                            .formatted(version, compatible));
        }
        return file;
    }

    @Test
    void aNewerSchemaThatThisCodeCannotUseIsRefusedAndTheFileLeftAsItWas() throws Exception {
        Path file = withSchema(7, 4);
        byte[] before = Files.readAllBytes(file);
        assertThat(catchThrowable(() -> Stores.open(file).close()))
                .isInstanceOf(IncompatibleStoreException.class)
                .hasMessageContaining(file.toString())
                .hasMessageContaining("schema 7")
                .hasMessageContaining("knows schema 3");
        assertThat(Files.readAllBytes(file)).isEqualTo(before);
        assertThat(folder.toFile().list()).containsExactly("jobs.db");
    }

    @Test
    void aNewerSchemaThatStillFitsIsOpened() throws Exception {
        Path file = withSchema(7, 1);
        try (StoreDriver store = Stores.open(file)) {
            assertThat(store.enqueue(NewRow.job())).isPositive();
        }
        try (TestDatabase database = TestDatabase.open(file)) {
            assertThat(database.one("SELECT max(version) FROM windrow_schema")).isEqualTo("7");
        }
    }

    @Test
    void aMigrationThatFailsLeavesNothing() throws Exception {
        Path file = folder.resolve("jobs.db");
        try (TestDatabase database = TestDatabase.open(file)) {
            database.execute("CREATE TABLE windrow_workers (something TEXT)");
        }
        assertThat(catchThrowable(() -> Stores.open(file).close()))
                .isInstanceOf(WindrowException.class)
                .hasMessageContaining("windrow_workers");
        try (TestDatabase database = TestDatabase.open(file)) {
            assertThat(database.rows("SELECT name FROM sqlite_schema WHERE type = 'table'"))
                    .containsExactly("windrow_workers");
        }
    }

    @Test
    void theTablesOfAnApplicationStayBesideOurs() throws Exception {
        Path file = folder.resolve("app.db");
        try (TestDatabase database = TestDatabase.open(file)) {
            database.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY, what TEXT)");
            database.execute("INSERT INTO orders (what) VALUES ('a book')");
        }
        try (StoreDriver store = Stores.open(file)) {
            store.enqueue(NewRow.job());
        }
        try (TestDatabase database = TestDatabase.open(file)) {
            assertThat(database.rows("SELECT what FROM orders")).containsExactly("a book");
        }
    }

    @Test
    void aStoreIsStartedOnce() {
        try (StoreDriver store = Stores.open(folder.resolve("jobs.db"))) {
            assertThat(catchThrowable(() -> new StoreDriver(store.store(), store.time())))
                    .isInstanceOf(IllegalStateException.class);
            assertThat(store.enqueue(NewRow.job())).isPositive();
        }
    }
}
