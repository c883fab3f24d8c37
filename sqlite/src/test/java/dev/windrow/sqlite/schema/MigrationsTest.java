package dev.windrow.sqlite.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.windrow.IncompatibleStoreException;
import dev.windrow.WindrowException;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.sqlite.Durability;
import dev.windrow.sqlite.SqliteStore;
import dev.windrow.sqlite.Stores;
import dev.windrow.sqlite.TestDatabase;
import dev.windrow.sqlite.connection.SqliteFile;
import dev.windrow.sqlite.processes.ChildProcess;
import dev.windrow.sqlite.processes.OpenProbe;
import dev.windrow.store.Transition;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.testkit.ManualTime;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The migration of a file to its schema, and the schemas that are refused. */
@Tag("once") // on one JDK: SQLite runs the scripts
class MigrationsTest {
    @TempDir
    Path folder;

    private static void assertMigratedOnce(Path file) throws Exception {
        try (TestDatabase database = TestDatabase.open(file)) {
            assertThat(database.rows("SELECT version, min_compatible, name FROM windrow_schema"))
                    .containsExactly("1|1|001-jobs.sql");
            assertThat(database.one("SELECT count(*) FROM windrow_ids")).isEqualTo("1");
            assertThat(database.one("PRAGMA integrity_check")).isEqualTo("ok");
        }
    }

    /** Failure class 23. */
    @Test
    void oneOfEightStoresThatOpenANewFileAtOnceMigratesIt() throws Exception {
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
    void oneOfFourProcessesThatOpenANewFileAtOnceMigratesItAndAllRun() throws Exception {
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
            assertThat(database.one("SELECT count(*) FROM windrow_attempt_view"))
                    .isEqualTo("" + 4 * OpenProbe.JOBS);
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
    void anUnusableNewerSchemaIsRefusedAndTheFileIsUnchanged() throws Exception {
        Path file = withSchema(Migrations.CURRENT + 1, Migrations.CURRENT + 1);
        byte[] before = Files.readAllBytes(file);
        assertThat(catchThrowable(() -> Stores.open(file).close()))
                .isInstanceOf(IncompatibleStoreException.class)
                .hasMessageContaining(file.toString())
                .hasMessageContaining("schema " + (Migrations.CURRENT + 1))
                .hasMessageContaining("knows schema " + Migrations.CURRENT);
        assertThat(Files.readAllBytes(file)).isEqualTo(before);
        assertThat(folder.toFile().list()).containsExactly("jobs.db");
    }

    @Test
    void aFileOfAnotherFirstScriptIsRefusedByEachWayToOpenItAndStaysUnchanged() throws Exception {
        Path file = folder.resolve("jobs.db");
        Stores.open(file).close();
        try (TestDatabase database = TestDatabase.open(file)) {
            database.execute("UPDATE windrow_schema SET name = '001-queue.sql'");
        }
        byte[] before = Files.readAllBytes(file);
        SqliteStore reading = SqliteStore.configure(file).readOnly().build();
        List<Throwable> refusals = List.of(
                catchThrowable(() -> Stores.open(file).close()),
                catchThrowable(() -> new StoreDriver(reading, new ManualTime()).close()));
        for (Throwable refusal : refusals) {
            assertThat(refusal)
                    .isInstanceOf(IncompatibleStoreException.class)
                    .hasMessage(
                            "%s was created by 001-queue.sql of an earlier snapshot, and this Windrow reads the tables of 001-jobs.sql only. Nothing was changed. Finish the jobs with that snapshot, or name another file",
                            file);
        }
        assertThat(Files.readAllBytes(file)).isEqualTo(before);
        assertThat(folder.toFile().list()).containsExactly("jobs.db");
    }

    @Test
    void aCompatibleNewerSchemaIsOpened() throws Exception {
        Path file = withSchema(Migrations.CURRENT + 1, 1);
        try (StoreDriver store = Stores.open(file)) {
            assertThat(store.enqueue(NewRow.job())).isPositive();
        }
        try (TestDatabase database = TestDatabase.open(file)) {
            assertThat(database.one("SELECT max(version) FROM windrow_schema"))
                    .isEqualTo("" + (Migrations.CURRENT + 1));
        }
    }

    @Test
    void aFailedMigrationChangesNothing() throws Exception {
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

    /** Covers a file of an older program, with a job that is ready, one that has failed, and one that is due later. */
    @Test
    void aFileOfAnOlderSchemaIsMigratedWithAllItsRows() throws Exception {
        Path file = folder.resolve("jobs.db");
        long ready;
        long failed;
        long late;
        try (StoreDriver store = Stores.open(file)) {
            failed = store.enqueue(NewRow.job().maxAttempts(1));
            store.settle(store.claimOne(), Transition.FAIL);
            ready = store.enqueue(NewRow.job().payload("{\"old\":true}"));
            late = store.enqueue(NewRow.job().delay(Duration.ofDays(1)));
        }
        List<Migrations.Script> scripts = new ArrayList<>(Migrations.SCRIPTS);
        scripts.add(new Migrations.Script(
                "002-later.sql", 1, () -> "-- More.\nALTER TABLE windrow_jobs ADD COLUMN later TEXT;\n"));
        SqliteFile opening = new SqliteFile(file, Durability.FULL, 1000);
        try (SqliteFile.Opened database = opening.openWriter()) {
            Migrations.apply(database, file.toString(), 7, scripts);
            Migrations.apply(database, file.toString(), 8, scripts);
        }
        try (TestDatabase database = TestDatabase.open(file)) {
            assertThat(database.rows("SELECT version, min_compatible, name FROM windrow_schema"))
                    .containsExactly("1|1|001-jobs.sql", "2|1|002-later.sql");
            assertThat(database.rows("SELECT id, state, later FROM windrow_jobs"))
                    .containsExactly(failed + "|FAILED|null", ready + "|PENDING|null", late + "|SCHEDULED|null");
            assertThat(database.one("PRAGMA integrity_check")).isEqualTo("ok");
        }
        try (StoreDriver store = Stores.open(file)) {
            ClaimedJob job = store.claimOne();
            assertThat(job.id()).isEqualTo(ready);
            assertThat(job.payload()).isEqualTo("{\"old\":true}");
            assertThat(store.complete(job)).isTrue();
            assertThat(store.history(failed).attempts()).hasSize(1);
        }
    }

    @Test
    void theTablesOfAnApplicationStayUnchanged() throws Exception {
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
    void aStoreMayBeOpenedTwice() {
        SqliteStore store = SqliteStore.at(folder.resolve("jobs.db"));
        try (StoreDriver one = new StoreDriver(store, new ManualTime());
                StoreDriver other = new StoreDriver(store, one.time())) {
            long first = one.enqueue(NewRow.job());
            assertThat(other.enqueue(NewRow.job())).isGreaterThan(first);
        }
    }
}
