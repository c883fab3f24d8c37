package dev.windrow.sqlite.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.windrow.IncompatibleStoreException;
import dev.windrow.WindrowException;
import dev.windrow.contract.Lives;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.monitor.Diagnosis.Check;
import dev.windrow.sqlite.Durability;
import dev.windrow.sqlite.SqliteStore;
import dev.windrow.sqlite.Stores;
import dev.windrow.sqlite.TestDatabase;
import dev.windrow.sqlite.connection.SqliteFile;
import dev.windrow.sqlite.processes.ChildProcess;
import dev.windrow.sqlite.processes.OpenProbe;
import dev.windrow.store.StoreProvider;
import dev.windrow.store.Transition;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.sql.connection.Scripts;
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
                    .containsExactly("1|1|schema.sql", "2|2|schema.sql");
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

    /** The events that the rows of a new file tell, as rows of the old file. */
    private static final String FIRST_SCHEMA = """
            INSERT INTO windrow_attempts SELECT job_id, token, attempt, run, worker, started_at, finished_at, outcome, error_code, error_detail
              FROM n.windrow_attempts;
            INSERT INTO windrow_attempts SELECT id, token, used, run, worker, started_at, finished_at, 'SUCCEEDED', NULL, NULL
              FROM n.windrow_jobs j
             WHERE state = 'COMPLETED' AND worker IS NOT NULL
               AND NOT EXISTS (SELECT 1 FROM n.windrow_attempts t WHERE t.job_id = j.id AND t.token = j.token);
            INSERT INTO windrow_events SELECT * FROM n.windrow_events;
            INSERT INTO windrow_events SELECT id, -1009, created_at, 'ENQUEUED', created_by, 0, NULL FROM n.windrow_jobs
             WHERE id NOT IN (SELECT job_id FROM n.windrow_events WHERE event = 'ENQUEUED');
            INSERT INTO windrow_events SELECT job_id, 10 * token - 1008, claimed_at, 'CLAIMED', worker, token, NULL FROM n.windrow_attempts;
            INSERT INTO windrow_events SELECT job_id, 10 * token - 1007, started_at, 'STARTED', worker, token, NULL FROM n.windrow_attempts
             WHERE started_at IS NOT NULL;
            INSERT OR IGNORE INTO windrow_events SELECT id, 10 * token - 1008, claimed_at, 'CLAIMED', worker, token, NULL FROM n.windrow_jobs
             WHERE worker IS NOT NULL;
            INSERT OR IGNORE INTO windrow_events SELECT id, 10 * token - 1007, started_at, 'STARTED', worker, token, NULL FROM n.windrow_jobs
             WHERE worker IS NOT NULL AND started_at IS NOT NULL;
            INSERT INTO windrow_events SELECT id, token + 900000, finished_at, 'SUCCEEDED', worker, token, NULL FROM n.windrow_jobs
             WHERE state = 'COMPLETED' AND worker IS NOT NULL
               AND id NOT IN (SELECT job_id FROM n.windrow_events WHERE event = 'SUCCEEDED');
            UPDATE windrow_jobs SET worker = NULL WHERE state <> 'RUNNING';
            UPDATE windrow_jobs SET cancel_requested = 1, wake_at = 1 WHERE state = 'COMPLETED';
            DELETE FROM windrow_events WHERE event = 'CLAIMED' AND job_id IN (SELECT id FROM windrow_jobs WHERE state = 'FAILED' AND token = 1);
            """;

    /** Writes the jobs of a file to a file of the first schema. */
    private static void writeFirstSchema(Path from, Path to) throws Exception {
        try (TestDatabase database = TestDatabase.open(to)) {
            database.execute("PRAGMA journal_mode = WAL");
            database.execute(
                    "CREATE TABLE windrow_schema (version INTEGER PRIMARY KEY, min_compatible INTEGER NOT NULL, name TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT");
            database.execute("INSERT INTO windrow_schema VALUES (1, 1, '001-queue.sql', 0)");
            String script = Files.readString(
                    Path.of(MigrationsTest.class.getResource("001-queue.sql").toURI()));
            for (String statement : Scripts.statements(script)) {
                database.execute(statement);
            }
            database.execute("PRAGMA foreign_keys = OFF");
            database.execute("ATTACH '" + from + "' AS n");
            for (String table : database.rows("SELECT name FROM main.sqlite_schema WHERE type = 'table'")) {
                if (!table.matches("windrow_(schema|attempts|events)")) {
                    String columns = String.join(
                            ", ", database.rows("SELECT name FROM pragma_table_info('" + table + "', 'main')"));
                    database.execute("INSERT OR REPLACE INTO main.%1$s (%2$s) SELECT %2$s FROM n.%1$s"
                            .formatted(table, columns));
                }
            }
            for (String statement : Scripts.statements(FIRST_SCHEMA)) {
                database.execute(statement);
            }
            database.execute("DETACH n");
        }
    }

    private static List<String> schema(Path file) throws Exception {
        try (TestDatabase database = TestDatabase.open(file)) {
            List<String> all = new ArrayList<>(database.rows(
                    "SELECT sql FROM sqlite_schema WHERE type <> 'table' AND sql IS NOT NULL ORDER BY name"));
            all.addAll(
                    database.rows(
                            "SELECT s.name, c.name, c.type, c.\"notnull\", c.pk FROM sqlite_schema s JOIN pragma_table_info(s.name) c WHERE s.type = 'table' ORDER BY 1, 2"));
            return all;
        }
    }

    @Test
    void aFileOfTheFirstSchemaIsMigratedWithAllItsHistory() throws Exception {
        Path now = folder.resolve("now.db");
        Path old = folder.resolve("old.db");
        ManualTime time = new ManualTime();
        Lives lives;
        List<String> histories;
        try (StoreDriver driver = new StoreDriver(SqliteStore.at(now), time)) {
            lives = new Lives(driver);
            histories = lives.histories(driver);
        }
        writeFirstSchema(now, old);
        SqliteStore reading = SqliteStore.configure(old).readOnly().build();
        assertThat(catchThrowable(() -> new StoreDriver(reading, time).close()))
                .isInstanceOf(IncompatibleStoreException.class)
                .hasMessageContaining("has schema 1, and this Windrow reads schema 2");
        try (StoreDriver driver = new StoreDriver(SqliteStore.at(old), time)) {
            assertThat(lives.histories(driver)).isEqualTo(histories);
            assertThat(driver.diagnose().checks()).allMatch(Check::isOk);
            assertThat(driver.settle(lives.running, Transition.CANCEL_RUNNING)).isTrue();
            assertThat(driver.claim(10)).extracting(ClaimedJob::id).contains(lives.ready);
            assertThat(driver.diagnose().checks()).allMatch(Check::isOk);
        }
        assertThat(schema(old)).isEqualTo(schema(now));
        try (TestDatabase database = TestDatabase.open(old)) {
            assertThat(database.rows("SELECT version, min_compatible, name FROM windrow_schema"))
                    .containsExactly("1|1|001-queue.sql", "2|2|002-told-events.sql");
            assertThat(database.rows("PRAGMA foreign_key_check")).isEmpty();
        }
    }

    @Test
    void aFileOfAnotherSnapshotIsRefusedAndStaysUnchanged() throws Exception {
        Path later = folder.resolve("later.db");
        Stores.open(later).close();
        try (TestDatabase database = TestDatabase.open(later)) {
            database.execute("DELETE FROM windrow_schema WHERE version = 2");
        }
        Path earlier = folder.resolve("earlier.db");
        writeFirstSchema(later, earlier);
        try (TestDatabase database = TestDatabase.open(earlier)) {
            database.execute("DROP INDEX windrow_jobs_failed_at");
        }
        for (Path file : List.of(earlier, later)) {
            byte[] before = Files.readAllBytes(file);
            assertThat(catchThrowable(() -> Stores.open(file).close()))
                    .isInstanceOf(IncompatibleStoreException.class)
                    .hasMessageContaining(file + " has the tables of a snapshot that cannot be migrated");
            assertThat(Files.readAllBytes(file)).isEqualTo(before);
        }
    }

    @Test
    void anUnfinishedCopyIntoAFileOfTheFirstSchemaIsNotResumed() throws Exception {
        Path now = folder.resolve("now.db");
        Stores.open(now).close();
        Path old = folder.resolve("old.db");
        writeFirstSchema(now, old);
        try (TestDatabase database = TestDatabase.open(old)) {
            database.execute(
                    "INSERT INTO windrow_schema VALUES (1000000, 1000000, 'copy of elsewhere', 0), (999999, 999999, 'compared', 0)");
        }
        assertThat(catchThrowable(() -> StoreProvider.copyPlace(SqliteStore.at(old))
                        .copySink("elsewhere", true)
                        .close()))
                .isInstanceOf(IncompatibleStoreException.class)
                .hasMessageContaining("has schema 1, and a copy to it has not finished; this program knows schema 2");
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
                "003-later.sql", 2, () -> "-- More.\nALTER TABLE windrow_jobs ADD COLUMN later TEXT;\n"));
        SqliteFile opening = new SqliteFile(file, Durability.FULL, 1000);
        try (SqliteFile.Opened database = opening.openWriter()) {
            Migrations.apply(database, file.toString(), 7, scripts);
            Migrations.apply(database, file.toString(), 8, scripts);
        }
        try (TestDatabase database = TestDatabase.open(file)) {
            assertThat(database.rows("SELECT version, min_compatible, name FROM windrow_schema"))
                    .containsExactly("1|1|schema.sql", "2|2|schema.sql", "3|2|003-later.sql");
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
