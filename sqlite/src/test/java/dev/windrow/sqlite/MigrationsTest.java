package dev.windrow.sqlite;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.windrow.IncompatibleStoreException;
import dev.windrow.JobState;
import dev.windrow.WindrowException;
import dev.windrow.store.Change;
import dev.windrow.store.ClaimedJob;
import dev.windrow.testkit.ManualTime;
import dev.windrow.testkit.NewRow;
import dev.windrow.testkit.StoreDriver;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
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

/** How a file gets its schema, and which schemas are refused. */
@Tag("once") // on one JDK: SQLite runs the scripts
class MigrationsTest {
    @TempDir
    Path folder;

    private static void assertMigratedOnce(Path file) throws Exception {
        try (TestDatabase database = TestDatabase.open(file)) {
            assertThat(database.rows("SELECT version, min_compatible, name FROM windrow_schema"))
                    .containsExactly(
                            "1|1|001-queue.sql",
                            "2|1|002-under-fire.sql",
                            "3|3|003-governance.sql",
                            "4|4|004-workflows.sql",
                            "5|5|005-schedules.sql",
                            "6|6|006-steps.sql",
                            "7|7|007-observe.sql",
                            "8|8|008-longest.sql");
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
    void aNewerSchemaThatStillFitsIsOpened() throws Exception {
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

    private static List<String> script(String name) throws IOException {
        try (InputStream in = requireNonNull(Migrations.class.getResourceAsStream("migrations/" + name))) {
            return Migrations.statements(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    /** As schema 2 has it: a job that is ready, one that has failed, one that is due later, and the trail of the second. */
    private static final List<String> OF_SCHEMA_2 = List.of(
            "INSERT INTO windrow_actors (id, name) VALUES (1, 'w')",
            "INSERT INTO windrow_lanes (id, queue, type) VALUES (1, 'q', 't')",
            "UPDATE windrow_ids SET next = 100, last_stamp = 1000",
            """
            INSERT INTO windrow_jobs (id, lane, state, scheduled_at, token, used, max_attempts, created_at, finished_at,
                                      claimed_at, error_code)
            VALUES (1, 1, 'PENDING', 1000, 0, 0, 3, 1000, NULL, NULL, NULL),
                   (2, 1, 'FAILED', 1000, 1, 1, 1, 1000, 1002, 1001, 'TEST:OLD'),
                   (3, 1, 'SCHEDULED', 99999999999999, 0, 0, 3, 1000, NULL, NULL, NULL)
            """,
            "INSERT INTO windrow_payloads VALUES (1, '{\"old\":true}')",
            "INSERT INTO windrow_attempts VALUES (2, 1, 1, 1, 1001, 1002, 'FAILED', 'TEST:OLD', 'then')",
            "INSERT INTO windrow_events VALUES (2, 50, 1000, 'ENQUEUED', 1, 0, NULL), (2, 51, 1002, 'FAILED', 1, 1, NULL)",
            "INSERT INTO windrow_counters VALUES (1, 'PENDING', 1), (1, 'FAILED', 1), (1, 'SCHEDULED', 1)");

    @Test
    void aFileOfAnOlderSchemaIsMigratedWithAllThatIsInIt() throws Exception {
        Path file = folder.resolve("jobs.db");
        try (TestDatabase database = TestDatabase.open(file)) {
            database.execute(
                    "CREATE TABLE windrow_schema (version INTEGER PRIMARY KEY, min_compatible INTEGER NOT NULL,"
                            + " name TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT");
            int version = 0;
            for (String name : List.of("001-queue.sql", "002-under-fire.sql")) {
                for (String statement : script(name)) {
                    database.execute(statement);
                }
                database.execute("INSERT INTO windrow_schema VALUES (%d, 1, '%s', 0)".formatted(++version, name));
            }
            for (String statement : OF_SCHEMA_2) {
                database.execute(statement);
            }
        }
        try (StoreDriver store = Stores.open(file)) {
            ClaimedJob job = store.claimOne();
            assertThat(job.id()).isEqualTo(1);
            assertThat(job.payload()).isEqualTo("{\"old\":true}");
            assertThat(store.complete(job)).isTrue();
            assertThat(store.story(2).attempts()).hasSize(1);
            store.change(Change.Verb.RETRY, 2L);
            assertThat(store.claimOne().id()).isEqualTo(2);
            assertThat(store.state(3)).isEqualTo(JobState.SCHEDULED);
            assertThat(store.enqueue(NewRow.job())).isGreaterThanOrEqualTo(100);
            assertThat(store.diagnose().failed()).isEmpty();
        }
        assertMigratedOnce(file);
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
    void aStoreMayBeOpenedTwice() {
        SqliteStore store = SqliteStore.at(folder.resolve("jobs.db"));
        try (StoreDriver one = new StoreDriver(store, new ManualTime());
                StoreDriver other = new StoreDriver(store, one.time())) {
            long first = one.enqueue(NewRow.job());
            assertThat(other.enqueue(NewRow.job())).isGreaterThan(first);
        }
    }
}
