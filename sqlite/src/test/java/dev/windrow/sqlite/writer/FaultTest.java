package dev.windrow.sqlite.writer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.windrow.IncompatibleStoreException;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobState;
import dev.windrow.StoreUnavailableException;
import dev.windrow.TimeSource;
import dev.windrow.WindrowException;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.monitor.Diagnosis.Check;
import dev.windrow.monitor.Health;
import dev.windrow.sqlite.SqliteStore;
import dev.windrow.sqlite.Stores;
import dev.windrow.sqlite.TestDatabase;
import dev.windrow.sqlite.connection.SqliteFile;
import dev.windrow.sqlite.processes.ChildProcess;
import dev.windrow.sqlite.processes.LockProbe;
import dev.windrow.sqlite.processes.ReadOnlyProbe;
import dev.windrow.store.StoreProvider;
import dev.windrow.store.Transition;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.Enqueue;
import dev.windrow.store.job.EnqueuedJob;
import dev.windrow.store.job.LeaseToken;
import dev.windrow.store.job.Renew;
import dev.windrow.store.job.Touch;
import dev.windrow.store.sql.writer.Batch;
import dev.windrow.testkit.ManualTime;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/** Faults of the file and the disk: a clear error, no loss, and work continues when the cause has ended. */
class FaultTest {
    private static final Duration SHORT = Duration.ofSeconds(1);

    @TempDir
    Path folder;

    private static Throwable failure(CompletableFuture<?> future) {
        return catchThrowable(() -> {
            Object unused = StoreDriver.answer(future);
        });
    }

    private static CompletableFuture<List<EnqueuedJob>> enqueue(StoreDriver store, NewRow row) {
        return store.store().submit(new Enqueue(List.of(row.row())));
    }

    private static Throwable opening(Path file) {
        return catchThrowable(() -> Stores.open(file).close());
    }

    @Test
    void aFileThatIsNotADatabaseIsRefusedAndUnchanged() throws Exception {
        Path file = folder.resolve("notes.txt");
        String text = "This is no database, but somebody's notes.\n".repeat(100);
        Files.writeString(file, text);
        assertThat(opening(file))
                .isInstanceOf(IncompatibleStoreException.class)
                .hasMessageContaining("notes.txt")
                .hasMessageContaining("not a SQLite database");
        assertThat(Files.readString(file)).isEqualTo(text);
        assertThat(folder.toFile().list()).containsExactly("notes.txt");
    }

    @Test
    void aFolderIsRefused() throws Exception {
        Files.createDirectory(folder.resolve("jobs"));
        assertThat(opening(folder.resolve("jobs")))
                .isInstanceOf(IncompatibleStoreException.class)
                .hasMessageContaining("it is a folder");
    }

    @Test
    void aMissingFolderIsNamedAndNotCreated() {
        assertThat(opening(folder.resolve("missing/jobs.db")))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("missing")
                .hasMessageContaining("folder does not exist");
        assertThat(folder.resolve("missing")).doesNotExist();
    }

    @Test
    void aDatabaseInMemoryIsRefused() {
        assertThat(catchThrowable(() -> SqliteStore.at(Path.of(":memory:"))))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining(":memory:")
                .hasMessageContaining("Name a file");
    }

    @Test
    void anEmptyFileBecomesAStore() throws Exception {
        Path file = Files.createFile(folder.resolve("jobs.db"));
        try (StoreDriver store = Stores.open(file)) {
            assertThat(store.enqueue(NewRow.job())).isPositive();
        }
    }

    @Test
    void theExistenceOfAStoreIsCheckedWithoutChanges() throws Exception {
        Path file = folder.resolve("jobs.db");
        assertThat(SqliteStore.at(file).exists()).isFalse();
        assertThat(SqliteStore.at(folder.resolve("missing/jobs.db")).exists()).isFalse();
        assertThat(SqliteStore.at(Files.createFile(file)).exists()).isFalse();
        assertThat(file).isEmptyFile();
        try (TestDatabase application = TestDatabase.open(file)) {
            application.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY)");
        }
        byte[] before = Files.readAllBytes(file);
        assertThat(SqliteStore.at(file).exists()).isFalse();
        assertThat(Files.readAllBytes(file)).isEqualTo(before);
        assertThat(folder.toFile().list()).containsExactly("jobs.db");
        try (StoreDriver store = Stores.open(file)) {
            store.enqueue(NewRow.job());
            assertThat(SqliteStore.at(file).exists()).isTrue();
        }
        assertThat(SqliteStore.at(file).exists()).isTrue();
        assertThat(folder.toFile().list()).containsExactly("jobs.db");
        Path notes = Files.writeString(folder.resolve("notes.txt"), "no database ".repeat(500));
        assertThat(catchThrowable(() -> SqliteStore.at(notes).exists()))
                .isInstanceOf(IncompatibleStoreException.class)
                .hasMessageContaining("notes.txt");
        assertThat(catchThrowable(() -> SqliteStore.at(folder).exists()))
                .isInstanceOf(IncompatibleStoreException.class);
    }

    @Test
    void anUnusualFileNameIsUsedUnchanged() {
        for (String name : List.of("a b.db", "ümläut.db", "what?mode=memory.db", "50%25.db", "a#b.db", "no-suffix")) {
            try (StoreDriver store = Stores.open(folder.resolve(name))) {
                store.enqueue(NewRow.job());
            }
            assertThat(folder.resolve(name)).isNotEmptyFile();
            try (StoreDriver store = Stores.open(folder.resolve(name))) {
                assertThat(store.claim(5)).as(name).hasSize(1);
            }
        }
    }

    @Test
    void aFileThatIsReplacedUnderALiveStoreIsNotWritten() throws Exception {
        Path file = folder.resolve("jobs.db");
        Path copy = folder.resolve("backup.db");
        try (StoreDriver store = Stores.open(file)) {
            store.enqueue(NewRow.job());
            assertThat(SqliteStore.at(file).backup(copy)).isPositive();
            store.enqueue(NewRow.job());
            Files.move(copy, file, StandardCopyOption.REPLACE_EXISTING);
            assertThat(failure(enqueue(store, NewRow.job())))
                    .isInstanceOf(IncompatibleStoreException.class)
                    .hasMessageContaining("was replaced by another file");
            assertThat(catchThrowable(() -> store.count(JobState.PENDING)))
                    .hasMessageContaining("was replaced by another file");
            assertThat(store.store().tasks())
                    .anySatisfy(task -> assertThat(task.problem()).contains("was replaced by another file"));
        }
        try (StoreDriver restored = Stores.open(file)) {
            assertThat(restored.count(JobState.PENDING)).isEqualTo(1);
            assertThat(restored.diagnose().checks()).allMatch(Check::isOk);
        }
    }

    @Test
    void theLogOfAReplacedFileIsTruncatedOnceNoReaderBlocksIt() throws Exception {
        Path file = folder.resolve("jobs.db");
        Path log = folder.resolve("jobs.db-wal");
        Path copy = folder.resolve("backup.db");
        try (StoreDriver store = Stores.open(file)) {
            store.enqueue(NewRow.job());
            assertThat(SqliteStore.at(file).backup(copy)).isPositive();
            try (TestDatabase reader = TestDatabase.open(file)) {
                reader.execute("BEGIN");
                assertThat(reader.one("SELECT count(*) FROM windrow_jobs")).isEqualTo("1");
                store.enqueue(NewRow.job());
                Files.move(copy, file, StandardCopyOption.REPLACE_EXISTING);
                assertThat(failure(enqueue(store, NewRow.job()))).isInstanceOf(IncompatibleStoreException.class);
                Thread writer = Thread.getAllStackTraces().keySet().stream()
                        .filter(thread -> thread.getName().equals("windrow-writer-jobs.db"))
                        .findFirst()
                        .orElseThrow();
                // It has tried, and waits.
                Awaitility.await()
                        .atMost(Duration.ofSeconds(60))
                        .until(() -> List.of(Thread.State.WAITING, Thread.State.TIMED_WAITING)
                                .contains(writer.getState()));
                assertThat(log).isNotEmptyFile();
                reader.execute("COMMIT");
                Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> Files.size(log) == 0);
            }
        }
    }

    @Test
    void anIdleWriterRecoversFromAFailedWrite() {
        Path file = folder.resolve("jobs.db");
        AtomicBoolean fails = new AtomicBoolean(true);
        Writer.Probe full = new Writer.Probe() {
            @Override
            public void committing(Batch batch) throws SQLException {
                if (fails.getAndSet(false)) {
                    throw new SQLiteException("as if", SQLiteErrorCode.SQLITE_FULL);
                }
            }
        };
        try (StoreDriver store = Stores.open(file, Duration.ofSeconds(60), full)) {
            assertThat(failure(enqueue(store, NewRow.job()))).hasMessageContaining("full");
            assertThat(store.store().tasks())
                    .anySatisfy(task -> assertThat(task.problem()).contains("could not write"));
            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> store.store().tasks().stream().allMatch(Health.Task::isOk));
        }
    }

    /** Covers a full disk, where the space of the log may be all that is left. */
    @Test
    void theLogIsTruncatedWhileNothingCanBeWritten() throws Exception {
        Path file = folder.resolve("jobs.db");
        Path log = folder.resolve("jobs.db-wal");
        AtomicBoolean fails = new AtomicBoolean();
        Writer.Probe full = new Writer.Probe() {
            @Override
            public void committing(Batch batch) throws SQLException {
                if (fails.getAndSet(false)) {
                    throw new SQLiteException("as if", SQLiteErrorCode.SQLITE_FULL);
                }
            }
        };
        try (StoreDriver store = Stores.open(file, Duration.ofSeconds(60), full);
                TestDatabase other = TestDatabase.open(file)) {
            // The writer's own attempts change no stamp, unlike commands.
            other.execute("UPDATE windrow_ids SET last_stamp = 0");
            other.execute("CREATE TRIGGER full BEFORE UPDATE ON windrow_ids WHEN new.last_stamp = old.last_stamp"
                    + " BEGIN SELECT raise(ABORT, 'told to fail'); END");
            fails.set(true);
            assertThat(failure(store.store().submit(new Touch()))).hasMessageContaining("full");
            assertThat(fails).isFalse();
            assertThat(log).isNotEmptyFile();
            Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> Files.size(log) == 0);
            assertThat(store.store().tasks()).anyMatch(task -> !task.isOk());
            other.execute("DROP TRIGGER full");
            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> store.store().tasks().stream().allMatch(Health.Task::isOk));
        }
    }

    @Test
    void aFileDeletedUnderALiveStoreIsNoticedByItsNextPoll() throws Exception {
        Path file = folder.resolve("jobs.db");
        try (StoreDriver store = Stores.openAttentive(file)) {
            store.enqueue(NewRow.job());
            Files.delete(file);
            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> store.store().tasks().stream().anyMatch(task -> !task.isOk()));
            assertThat(failure(enqueue(store, NewRow.job())))
                    .isInstanceOf(IncompatibleStoreException.class)
                    .hasMessageContaining("was deleted");
            assertThat(file).doesNotExist();
        }
    }

    @Test
    void aDamagedFileIsNamed() throws Exception {
        Path file = folder.resolve("jobs.db");
        try (StoreDriver store = Stores.open(file)) {
            store.enqueue(NewRow.job());
        }
        byte[] content = Files.readAllBytes(file);
        for (int i = 4096; i < content.length; i++) {
            content[i] = 'x';
        }
        Files.write(file, content);
        assertThat(catchThrowable(() -> {
                    try (StoreDriver store = Stores.open(file)) {
                        store.enqueue(NewRow.job());
                    }
                }))
                .isInstanceOf(WindrowException.class)
                .hasMessageContaining("damaged");
    }

    @Test
    void aReadOnlyFolderOrFileIsNamedWithARemedy() throws Exception {
        ChildProcess.Outcome outcome = ChildProcess.unprivileged(ReadOnlyProbe.class, folder);
        assertThat(outcome.text()).contains("folder: StoreUnavailableException", "file: StoreUnavailableException");
        assertThat(outcome.status()).as(outcome.text()).isZero();
        assertThat(outcome.text()).contains("must be writable");
        assertThat(outcome.text().lines())
                .as("a file that this user may not write can be looked at, and copied")
                .contains(
                        "look at file: jobs 1",
                        "look at both: jobs 1",
                        "examine both: failed []",
                        "look at folder: jobs 1",
                        "look at open: jobs 4",
                        "examine open: failed []")
                .anyMatch(line -> line.matches("back up both: [0-9]+"))
                .anyMatch(
                        line -> line.matches("note both: write-lock: this user may not write the file.* need a copy.*"))
                .anyMatch(line -> line.matches("look at secret: .* this user may not read the file; .*"));
        assertThat(outcome.text().lines())
                .as("no file of somebody who may not write the database is in the way of those who may")
                .contains("files: [jobs.db]");
        assertThat(outcome.text().lines())
                .as("what is not in the file yet is not left out in silence")
                .anyMatch(line ->
                        line.matches("look at log: .* jobs.db-wal holds commits that are not in the file yet.*"))
                .contains("look at log-shm: jobs 4", "before: 1")
                .anyMatch(
                        line -> line.matches("meanwhile false: .* another process changed the file during the read.*"))
                .anyMatch(line -> line.matches("meanwhile true: .* another process changed the file during the read.*"))
                .contains("repeated: fine", "after: 3");
    }

    @Test
    void aReadOnlyStoreChangesNothing() throws Exception {
        Path file = folder.resolve("jobs.db");
        assertThat(catchThrowable(() -> reader(file).close())).hasMessageContaining("the file does not exist");
        assertThat(file).doesNotExist();
        try (StoreDriver store = Stores.open(file)) {
            store.enqueue(NewRow.job());
        }
        byte[] before = Files.readAllBytes(file);
        try (StoreDriver reader = reader(file)) {
            assertThat(reader.count(JobState.PENDING)).isEqualTo(1);
            assertThat(failure(enqueue(reader, NewRow.job())))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("is read-only: open it without readOnly()");
            assertThat(catchThrowable(reader.store()::vacuum))
                    .hasMessageContaining("is read-only: open it without readOnly()");
        }
        assertThat(Files.readAllBytes(file)).isEqualTo(before);
        assertThat(folder.toFile().list()).containsExactly("jobs.db");
    }

    /** Covers a log that a killed process has left. */
    @Test
    void aReadOnlyStoreLeavesTheLogUnchanged() throws Exception {
        Path file = folder.resolve("jobs.db");
        Path copy = folder.resolve("copy.db");
        Path log = folder.resolve("copy.db-wal");
        try (StoreDriver store = Stores.open(file)) {
            store.enqueue(NewRow.job());
            Files.copy(folder.resolve("jobs.db"), copy);
            Files.copy(folder.resolve("jobs.db-wal"), log);
        }
        byte[] before = Files.readAllBytes(copy);
        byte[] logBefore = Files.readAllBytes(log);
        assertThat(StoreProvider.copyPlace(SqliteStore.at(copy)).aliveWorkers(TimeSource.system()))
                .isEmpty();
        try (StoreDriver reader = reader(copy)) {
            assertThat(reader.count(JobState.PENDING)).isEqualTo(1);
        }
        assertThat(Files.readAllBytes(copy)).isEqualTo(before);
        assertThat(Files.readAllBytes(log)).isEqualTo(logBefore);
    }

    @Test
    void aReadOnlyStoreRefusesAnotherSchemaWithARemedy() throws Exception {
        Path file = folder.resolve("jobs.db");
        Stores.open(file).close();
        try (TestDatabase database = TestDatabase.open(file)) {
            database.execute("UPDATE windrow_schema SET version = -version");
        }
        assertThat(catchThrowable(() -> reader(file).close()))
                .isInstanceOf(IncompatibleStoreException.class)
                .hasMessageContaining("has schema -1")
                .hasMessageContaining("migrates the file");
        try (TestDatabase database = TestDatabase.open(file)) {
            assertThat(database.one("SELECT max(version) FROM windrow_schema")).isEqualTo("-1");
        }
    }

    private static StoreDriver reader(Path file) {
        return new StoreDriver(SqliteStore.configure(file).readOnly().build(), new ManualTime());
    }

    /** Limits the file to its present size, as a full disk does. */
    private static final class FullDisk implements Writer.Probe {
        private volatile int pages = Integer.MAX_VALUE / 2;

        @Override
        public void began(SqliteFile.Opened database, Batch batch) throws SQLException {
            database.query("PRAGMA max_page_count = " + pages);
        }
    }

    @Test
    void aFullDiskLosesNothingAndWorkContinuesWhenThereIsSpace() {
        Path file = folder.resolve("jobs.db");
        FullDisk disk = new FullDisk();
        try (StoreDriver store = Stores.open(file, Duration.ofSeconds(60), disk)) {
            ClaimedJob running = store.running(NewRow.job());
            disk.pages = 1;
            String big = "\"" + "x".repeat(20_000) + "\"";
            List<Long> written = new ArrayList<>();
            Throwable full = null;
            for (int i = 0; i < 200 && full == null; i++) {
                CompletableFuture<List<EnqueuedJob>> enqueued =
                        enqueue(store, NewRow.of("q", "big").payload(big));
                full = failure(enqueued);
                if (full == null) {
                    written.add(enqueued.join().get(0).id());
                }
            }
            assertThat(full)
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("full")
                    .hasMessageContaining("nothing was written");
            assertThat(store.store().tasks())
                    .anySatisfy(task -> assertThat(task.problem()).contains("could not write"));
            assertThat(store.state(running.id())).isEqualTo(JobState.RUNNING);
            assertThat(store.count(JobState.PENDING)).isEqualTo(written.size());
            disk.pages = Integer.MAX_VALUE / 2;
            assertThat(store.complete(running)).isTrue();
            assertThat(store.store().tasks()).allMatch(Health.Task::isOk);
            assertThat(enqueue(store, NewRow.job().payload(big))).succeedsWithin(Duration.ofSeconds(60));
            written.forEach(id -> assertThat(store.history(id).payload()).isNotNull());
        }
    }

    /** Failure class 9. */
    @Test
    void aBusyFileLosesNoAcknowledgementAndNoHeartbeat() throws Exception {
        Path file = folder.resolve("jobs.db");
        try (StoreDriver store = Stores.open(file, Duration.ofSeconds(60), Writer.Probe.NONE);
                TestDatabase other = TestDatabase.open(file)) {
            ClaimedJob acknowledged = store.running(NewRow.job());
            ClaimedJob renewed = store.running(NewRow.job());
            other.execute("BEGIN IMMEDIATE");
            CompletableFuture<Boolean> settled =
                    store.store().submit(store.settlement(acknowledged, Transition.COMPLETE));
            CompletableFuture<List<LeaseToken>> heartbeat =
                    store.store().submit(new Renew(List.of(renewed.leaseToken()), 90_000));
            // Both wait for the lock. Reads continue.
            assertThat(store.state(acknowledged.id())).isEqualTo(JobState.RUNNING);
            assertThat(settled).isNotDone();
            other.execute("COMMIT");
            assertThat(StoreDriver.answer(settled)).isTrue();
            assertThat(StoreDriver.answer(heartbeat)).isEmpty();
            assertThat(store.state(acknowledged.id())).isEqualTo(JobState.COMPLETED);
        }
    }

    @Test
    void anOperationThatWaitsTooLongForTheLockIsWithdrawnAndNeverWritten() throws Exception {
        Path file = folder.resolve("jobs.db");
        AtomicInteger transactions = new AtomicInteger();
        Writer.Probe counting = new Writer.Probe() {
            @Override
            public void began(SqliteFile.Opened database, Batch batch) {
                transactions.addAndGet(batch.submissions().size());
            }
        };
        try (StoreDriver store = Stores.open(file, SHORT, counting);
                TestDatabase other = TestDatabase.open(file)) {
            ClaimedJob running = store.running(NewRow.job());
            int before = transactions.get();
            for (int round = 0; round < 2; round++) {
                other.execute("BEGIN IMMEDIATE");
                List<CompletableFuture<?>> waiting = List.of(
                        store.store().submit(store.settlement(running, Transition.COMPLETE)),
                        enqueue(store, NewRow.job()),
                        store.store().submit(StoreDriver.request(5)),
                        store.store().submit(new Renew(List.of(running.leaseToken()), 1000)),
                        store.store().submit(new Touch()));
                for (CompletableFuture<?> future : waiting) {
                    assertThat(failure(future))
                            .as("not begun, so never an unknown outcome")
                            .isInstanceOf(StoreUnavailableException.class)
                            .hasMessageMatching(".*(locked|write lock).*");
                }
                other.execute("ROLLBACK");
                assertThat(store.store().submit(new Touch())).succeedsWithin(Duration.ofSeconds(60));
            }
            assertThat(transactions).as("only the touches were begun").hasValue(before + 2);
            assertThat(store.state(running.id())).isEqualTo(JobState.RUNNING);
            assertThat(store.count(JobState.PENDING)).isZero();
            assertThat(store.settle(running, Transition.COMPLETE)).isTrue();
        }
    }

    @Test
    void aStoreWaitingForALockClosesInTime() throws Exception {
        Path file = folder.resolve("jobs.db");
        StoreDriver store = Stores.open(file, SHORT, Writer.Probe.NONE);
        try (TestDatabase other = TestDatabase.open(file)) {
            other.execute("BEGIN IMMEDIATE");
            CompletableFuture<?> enqueued = enqueue(store, NewRow.job());
            store.close();
            assertThat(failure(enqueued)).isInstanceOf(StoreUnavailableException.class);
            other.execute("ROLLBACK");
            assertThat(other.one("SELECT count(*) FROM windrow_jobs")).isEqualTo("0");
        }
    }

    /** Failure class 17, as far as a test of the store can see it. Another test searches the sources for code that opens the file. */
    @Test
    void otherFileAccessOfTheStoreKeepsTheDatabaseLocks() throws Exception {
        Path file = folder.resolve("jobs.db");
        try (StoreDriver store = Stores.open(file);
                TestDatabase writer = TestDatabase.open(file)) {
            store.enqueue(NewRow.job());
            writer.execute("BEGIN IMMEDIATE");
            // All operations that read the file without the lock: reads, checks of a caller's connection, another
            // store.
            assertThat(store.count(JobState.PENDING)).isEqualTo(1);
            try (TestDatabase caller = TestDatabase.open(file)) {
                caller.connection().setAutoCommit(false);
                assertThat(caller.one("SELECT count(*) FROM windrow_jobs")).isEqualTo("1");
            }
            StoreDriver second = Stores.open(file);
            assertThat(second.count(JobState.PENDING)).isEqualTo(1);
            second.close();
            ChildProcess.Outcome outcome = ChildProcess.run(LockProbe.class, file);
            assertThat(outcome.text()).contains("locked: true");
            writer.execute("ROLLBACK");
            assertThat(ChildProcess.run(LockProbe.class, file).text()).contains("locked: false");
        }
    }

    /** Failure class 17. */
    @Test
    void noSourceOpensTheDatabaseFileWithTheFileClassesOfJava() throws Exception {
        Path root = Path.of(System.getProperty("windrow.root", ".."));
        List<String> offenders = new ArrayList<>();
        for (String module : List.of("core", "sqlite")) {
            try (var files = Files.walk(root.resolve(module).resolve("src/main/java"))) {
                for (Path source :
                        files.filter(path -> path.toString().endsWith(".java")).toList()) {
                    String code = Files.readString(source, StandardCharsets.UTF_8);
                    for (String opener : List.of(
                            "FileChannel",
                            "FileInputStream",
                            "FileOutputStream",
                            "RandomAccessFile",
                            "FileReader",
                            "FileWriter",
                            "Files.copy",
                            "Files.move",
                            "Files.newByteChannel",
                            "Files.newInputStream",
                            "Files.newOutputStream",
                            "Files.newBufferedReader",
                            "Files.newBufferedWriter",
                            "Files.read",
                            "Files.write",
                            "Files.lines",
                            "Files.mismatch",
                            "Files.create")) {
                        if (code.contains(opener) && !allowed(source.getFileName() + ": " + opener)) {
                            offenders.add(root.relativize(source) + ": " + opener);
                        }
                    }
                }
            }
        }
        assertThat(offenders).isEmpty();
    }

    /** True for files beside the database, and files of the kernel. Never for the database, its log or its shared memory. */
    private static boolean allowed(String use) {
        return List.of(
                        // A copy under another name, which no connection has open any more.
                        "Backups.java: FileChannel",
                        "Backups.java: Files.create",
                        "Backups.java: Files.move",
                        // A file that a caller names as the content of a job.
                        "Content.java: Files.newInputStream",
                        "BlobFolder.java: FileChannel",
                        "BlobFolder.java: Files.newInputStream",
                        "IdFloor.java: FileChannel",
                        "PeerProcesses.java: FileChannel",
                        "PeerProcesses.java: Files.read",
                        "SqliteFile.java: Files.read",
                        "Permissions.java: Files.create",
                        "Permissions.java: Files.read",
                        "FairFileLock.java: FileChannel",
                        "Processes.java: Files.read",
                        "LockHolder.java: Files.lines",
                        "Processes.java: Files.read",
                        "LibraryGuard.java: Files.lines",
                        "LibraryGuard.java: Files.read")
                .contains(use);
    }
}
