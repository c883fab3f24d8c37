package dev.windrow.sqlite.processes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.windrow.EventLevel;
import dev.windrow.IncompatibleStoreException;
import dev.windrow.JobState;
import dev.windrow.Store;
import dev.windrow.StoreUnavailableException;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.monitor.Health;
import dev.windrow.sqlite.Durability;
import dev.windrow.sqlite.Hooks;
import dev.windrow.sqlite.SqliteStore;
import dev.windrow.sqlite.Stores;
import dev.windrow.sqlite.TestDatabase;
import dev.windrow.sqlite.connection.FileSystems;
import dev.windrow.sqlite.connection.LibraryGuard;
import dev.windrow.sqlite.connection.LockHolder;
import dev.windrow.sqlite.connection.SqliteFile;
import dev.windrow.sqlite.writer.Names;
import dev.windrow.sqlite.writer.Writer;
import dev.windrow.store.OpenStore;
import dev.windrow.store.StoreEnvironment;
import dev.windrow.store.StoreHints;
import dev.windrow.store.StoreProvider;
import dev.windrow.store.job.Claim;
import dev.windrow.store.job.Claimed;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.Enqueue;
import dev.windrow.store.job.EnqueuedJob;
import dev.windrow.store.job.Touch;
import dev.windrow.store.job.WaitingClaim;
import dev.windrow.store.sql.writer.Batch;
import dev.windrow.testkit.ManualTime;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.nio.file.WatchService;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Several processes, stores or copies of the library on one file. */
@Tag("once") // on one JDK: SQLite's locks are the same
class PeerProcessesTest {
    private static final Duration SOON = Duration.ofMillis(100);
    /** The interval of a notifier that is notified or polls: without that the test fails. */
    private static final Duration NEVER = Duration.ofDays(1);

    @TempDir
    Path folder;

    private Path file;

    @BeforeEach
    void name() {
        file = folder.resolve("jobs.db");
    }

    // ---- ids -------------------------------------------------------------------------------------------------------

    /** Covers another process, and a process that starts after all others have ended. */
    @Test
    void aRolledBackIdIsNotReused() throws Exception {
        long last;
        try (StoreDriver store = Stores.open(file);
                Connection connection = TestDatabase.connect(file)) {
            connection.setAutoCommit(false);
            long rolledBack = enqueue(store, connection);
            connection.rollback();
            ChildProcess.Outcome other = ChildProcess.run(EnqueueProbe.class, file);
            assertThat(other.status()).as(other.text()).isZero();
            try (TestDatabase database = TestDatabase.open(file)) {
                assertThat(database.rows("SELECT id FROM windrow_jobs"))
                        .hasSize(2)
                        .allMatch(id -> Long.parseLong(id) > rolledBack);
            }
            enqueue(store, connection);
            last = enqueue(store, connection);
            connection.rollback();
        }
        try (StoreDriver store = Stores.open(file)) {
            assertThat(store.enqueue(NewRow.job())).isGreaterThan(last);
        }
    }

    private static long enqueue(StoreDriver store, Connection connection) {
        return store.store()
                .apply(connection, new Enqueue(List.of(NewRow.job().row())))
                .get(0)
                .id();
    }

    // ---- turns ------------------------------------------------------------------------------------------------------

    /** Failure classes 6 and 9. */
    @Test
    void aProcessStoppedInsideATransactionIsNamedAndAwaited() throws Exception {
        try (Holder holder = Holder.inside(file);
                StoreDriver store = openImpatient()) {
            holder.signal("STOP");
            assertNamesHolder(store, holder);
            holder.signal("CONT");
            holder.goOn();
            store.enqueue(NewRow.job());
            assertThat(store.count(JobState.PENDING)).isEqualTo(2);
            // The writer completes the command first.
            Awaitility.await()
                    .untilAsserted(() -> assertThat(store.store().tasks()).allMatch(Health.Task::isOk));
        }
    }

    /** Failure classes 6 and 9. */
    @Test
    void aProcessKilledInsideATransactionLeavesNoneOfItsWrites() throws Exception {
        try (Holder holder = Holder.inside(file);
                StoreDriver store = openImpatient()) {
            holder.signal("STOP");
            assertNamesHolder(store, holder);
            holder.kill();
            store.enqueue(NewRow.job());
            assertThat(store.count(JobState.PENDING)).isEqualTo(1);
        }
    }

    @Test
    void anotherProgramThatHoldsTheLockOfSqliteIsNamed() throws Exception {
        try (StoreDriver store = openImpatient();
                Holder holder = Holder.foreign(file)) {
            assertThat(catchThrowable(() -> store.enqueue(NewRow.job())))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageMatching(".*(held by process %d \\().*".formatted(holder.pid()));
            holder.kill();
            store.enqueue(NewRow.job());
            assertThat(store.count(JobState.PENDING)).isEqualTo(1);
        }
    }

    private StoreDriver openImpatient() {
        return Stores.open(file, Duration.ofMillis(500), Writer.Probe.NONE);
    }

    /** Checks that a command that cannot begin is withdrawn in time. The holder of the lock is named as long as it holds it. */
    private static void assertNamesHolder(StoreDriver store, Holder holder) {
        CompletableFuture<List<EnqueuedJob>> refused =
                store.store().submit(new Enqueue(List.of(NewRow.job().row())));
        assertThat(catchThrowable(() -> refused.get(60, TimeUnit.SECONDS)))
                .hasCauseInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("withdrawn");
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(store.store().tasks())
                        .anySatisfy(task -> assertThat(task.problem())
                                .contains("waits for the write lock")
                                .contains("process " + holder.pid() + " (")));
    }

    @Test
    void aForeignConnectionThatHoldsTheLockIsNamed() throws Exception {
        try (StoreDriver store = openImpatient();
                TestDatabase foreign = TestDatabase.open(file)) {
            foreign.execute("BEGIN IMMEDIATE");
            CompletableFuture<Void> touched = store.store().submit(new Touch());
            assertThat(catchThrowable(() -> touched.get(60, TimeUnit.SECONDS)))
                    .hasCauseInstanceOf(StoreUnavailableException.class);
            foreign.execute("ROLLBACK");
            store.enqueue(NewRow.job());
        }
    }

    @Test
    void theKernelsLockTableNamesTheHolder() {
        String line = "3: POSIX  ADVISORY  WRITE 4711 fd:01:1234 120 120";
        assertThat(LockHolder.holder(line, "1234", 120)).isEqualTo(4711);
        assertThat(LockHolder.holder("7: POSIX  ADVISORY  WRITE 4711 fd:01:1234 0 EOF", "1234", 120))
                .isEqualTo(4711);
        assertThat(LockHolder.holder(line, "1234", 121)).isEqualTo(-1);
        assertThat(LockHolder.holder(line, "234", 120)).isEqualTo(-1);
        assertThat(LockHolder.holder("3: -> POSIX  ADVISORY  WRITE 4711 fd:01:1234 120 120", "1234", 120))
                .isEqualTo(-1);
        assertThat(LockHolder.holder("3: POSIX  ADVISORY  READ 4711 fd:01:1234 120 120", "1234", 120))
                .isEqualTo(-1);
        assertThat(LockHolder.holder("3: FLOCK  ADVISORY  WRITE 4711 fd:01:1234 0 EOF", "1234", 120))
                .isEqualTo(-1);
        assertThat(LockHolder.holder("", "1234", 120)).isEqualTo(-1);
    }

    // ---- wake-up ----------------------------------------------------------------------------------------------------

    /** Failure class 10. */
    @Test
    void jobsOfAnotherProcessAreNotified() throws Exception {
        try (StoreDriver store = Stores.open(file)) {
            ChildProcess.Outcome other = ChildProcess.run(EnqueueProbe.class, file);
            assertThat(other.status()).as(other.text()).isZero();
            Awaitility.await()
                    .atMost(Duration.ofMinutes(1))
                    .until(() -> store.hints().rings().contains(EnqueueProbe.LANE)
                            && store.hints().due() == EnqueueProbe.DUE);
        }
    }

    // ---- shares -----------------------------------------------------------------------------------------------------

    @Test
    void aClaimLeavesOtherProcessesTheirShareAndReportsMoreJobs() throws Exception {
        try (Holder other = Holder.inside(file)) {
            other.goOn();
            try (StoreDriver store = Stores.open(file)) {
                Claim much = StoreDriver.request("w", Set.of("shared"), Set.of("t"), 1000);
                store.enqueueAll(Collections.nCopies(2000, NewRow.of("shared", "t")));
                // A quarter of the ready jobs, for two processes.
                assertShare(store.claim(much), 250, true);
                assertShare(store.claim(much), 1750 / 8, true);
                assertShare(store.claim(StoreDriver.request("w", Set.of("shared"), Set.of("t"), 9)), 9, false);
            }
        }
    }

    @Test
    void directDispatchLeavesOtherProcessesTheirShareAndReportsMoreJobs() throws Exception {
        try (Holder other = Holder.inside(file)) {
            other.goOn();
            try (StoreDriver store = Stores.open(file)) {
                CompletableFuture<Claimed> answer = new CompletableFuture<>();
                Claim much = StoreDriver.request("w", Set.of("shared"), Set.of("t"), 1000);
                store.hints().offer(new WaitingClaim(much, answer));
                store.enqueueAll(Collections.nCopies(400, NewRow.of("shared", "t")));
                // The committed jobs are new. No count of other ready jobs raises the share above the least one.
                assertShare(StoreDriver.answer(answer), 150, true);
                assertThat(store.count(JobState.PENDING)).isEqualTo(250 + 1);
            }
        }
    }

    /** Stores of one process on one file share the lock. A caller in a loop must not keep the turn from the writer of another store. */
    @Test
    void aTryLeavesTheTurnToAThreadThatWaits() throws Exception {
        Stores.open(file).close();
        PeerProcesses peers = PeerProcesses.join(file.toRealPath());
        FairFileLock turn = peers.fileLock();
        try {
            assertThat(turn.tryEnter()).isTrue();
            assertThat(turn.tryEnter()).as("while this thread has it").isFalse();
            turn.leave();
            for (int round = 0; round < 100; round++) {
                turn.enter();
                Thread waiting = new Thread(() -> {
                    turn.enter();
                    turn.leave();
                });
                waiting.start();
                Awaitility.await()
                        .pollInterval(Duration.ofMillis(1))
                        .atMost(Duration.ofMinutes(1))
                        .until(() -> waiting.getState() == Thread.State.WAITING);
                turn.leave();
                boolean entered = turn.tryEnter();
                boolean overtook = entered && waiting.isAlive() && waiting.getState() == Thread.State.WAITING;
                if (entered) {
                    turn.leave();
                }
                waiting.join(60_000);
                assertThat(overtook).isFalse();
            }
        } finally {
            peers.close();
        }
    }

    /** A caller that writes itself does not wait for a turn, and does not notify other processes. */
    @Test
    void noCallerWritesItselfWhileAnotherProcessIsThere() throws Exception {
        List<String> threads = new CopyOnWriteArrayList<>();
        Writer.Probe probe = new Writer.Probe() {
            @Override
            public void committing(Batch batch) {
                threads.add(Thread.currentThread().getName());
            }
        };
        try (StoreDriver store = Stores.open(file, Duration.ofMinutes(1), probe)) {
            try (Holder other = Holder.inside(file)) {
                other.goOn();
                Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> {
                    threads.clear();
                    store.enqueue(NewRow.job());
                    return threads.get(0).startsWith("windrow-writer");
                });
                for (int i = 0; i < 20; i++) {
                    threads.clear();
                    store.enqueue(NewRow.job());
                    assertThat(threads.get(0)).startsWith("windrow-writer");
                }
            }
        }
    }

    private static void assertShare(Claimed claimed, int jobs, boolean more) {
        assertThat(claimed.jobs()).hasSize(jobs);
        assertThat(claimed.more()).isEqualTo(more);
    }

    /** Covers many requests: jobs with the first requests may take long to end, and must not hide the others. */
    @Test
    void everyOneOfManyCancelRequestsIsNotified() throws Exception {
        try (StoreDriver store = Stores.openAttentive(file);
                TestDatabase other = TestDatabase.open(file)) {
            store.enqueueAll(Collections.nCopies(1200, NewRow.job()));
            List<ClaimedJob> jobs = new ArrayList<>(store.claim(600));
            jobs.addAll(store.claim(600));
            assertThat(jobs).hasSize(1200);
            other.execute("UPDATE windrow_jobs SET cancel_requested = 1 WHERE state = 'RUNNING'");
            jobs.forEach(job -> store.hints().awaitCancelRequest(job.leaseToken()));
        }
    }

    /** Failure class 10. */
    @Test
    void aNotifierFileThatCannotBeWatchedIsPolled() throws Exception {
        try (StoreDriver store = Stores.open(file)) {
            PeerProcesses peers = PeerProcesses.join(file.toRealPath());
            StoreDriver.Hints heard = new StoreDriver.Hints();
            PeerChanges elsewhere =
                    new PeerChanges(new SqliteFile(file, Durability.FULL, 10_000), new Names(), heard, version -> {});
            try (PeerWatch notifier = new PeerWatch(peers, elsewhere, "test", null, NEVER, NEVER)) {
                notifier.start();
                store.enqueue(NewRow.of("heard", "test.heard"));
                peers.ring();
                Awaitility.await()
                        .atMost(Duration.ofMinutes(1))
                        .until(() -> heard.rings().contains("heard/test.heard"));
                assertThat(notifier.task().isOk()).isTrue();
            } finally {
                peers.close();
            }
        }
    }

    /** Failure class 10. */
    @Test
    void aSilentFileWatchIsDetectedAndTheFileIsPolled() throws Exception {
        try (StoreDriver store = Stores.open(file)) {
            PeerProcesses peers = PeerProcesses.join(file.toRealPath());
            StoreDriver.Hints heard = new StoreDriver.Hints();
            PeerChanges elsewhere =
                    new PeerChanges(new SqliteFile(file, Durability.FULL, 10_000), new Names(), heard, version -> {});
            // It watches nothing.
            WatchService deaf = folder.getFileSystem().newWatchService();
            try (PeerWatch notifier = new PeerWatch(peers, elsewhere, "test", deaf, SOON, SOON)) {
                notifier.start();
                assertThat(notifier.isPolled()).isFalse();
                peers.ring();
                Awaitility.await().atMost(Duration.ofMinutes(1)).until(notifier::isPolled);
                store.enqueue(NewRow.of("heard", "test.heard"));
                peers.ring();
                Awaitility.await()
                        .atMost(Duration.ofMinutes(1))
                        .until(() -> heard.rings().contains("heard/test.heard"));
                assertThat(notifier.task().isOk()).isTrue();
            } finally {
                peers.close();
            }
        }
    }

    /** Checks that a process that cannot query the file is unhealthy, reports it, and retries. */
    @Test
    void aNotifierThatCannotPollIsReported() throws Exception {
        try (StoreDriver store = Stores.open(file)) {
            store.enqueue(NewRow.job());
            PeerProcesses peers = PeerProcesses.join(file.toRealPath());
            PeerChanges elsewhere = new PeerChanges(
                    new SqliteFile(folder.resolve("missing/none.db"), Durability.FULL, 10_000),
                    new Names(),
                    new StoreDriver.Hints(),
                    version -> {});
            try (PeerWatch notifier = new PeerWatch(peers, elsewhere, "test", NEVER)) {
                notifier.start();
                peers.ring();
                Awaitility.await()
                        .atMost(Duration.ofMinutes(1))
                        .until(() -> !notifier.task().isOk());
                assertThat(notifier.task().problem()).startsWith("fails: ");
            } finally {
                peers.close();
            }
        }
    }

    // ---- refusals ---------------------------------------------------------------------------------------------------

    @Test
    void networkFileSystemsAreDistinguishedFromDisks() {
        for (String type :
                List.of("nfs", "nfs4", "cifs", "smb2", "smbfs", "9p", "ceph", "fuse.sshfs", "lustre", "NFS")) {
            assertThat(FileSystems.isNetwork(type)).as(type).isTrue();
        }
        for (String type :
                List.of("ext4", "xfs", "btrfs", "tmpfs", "overlay", "apfs", "NTFS", "zfs", "virtiofs", "fuse")) {
            assertThat(FileSystems.isNetwork(type)).as(type).isFalse();
        }
    }

    /** Failure class 17: closing one copy's file would drop the locks of the other. */
    @Test
    void anApplicationsPoolIsAcceptedButASecondCopyOfSqliteOnTheFileIsRefused() throws Exception {
        ChildProcess.Outcome outcome = ChildProcess.run(LibraryGuardProbe.class, file);
        assertThat(outcome.status()).as(outcome.text()).isZero();
        assertThat(outcome.text().lines())
                .satisfiesExactly(
                        line -> assertThat(line).isEqualTo("a pool of this copy: accepted"),
                        line -> assertThat(line).isEqualTo("a pool that writes: accepted"),
                        line -> assertThat(line).isEqualTo("after that locked: true"),
                        line -> assertThat(line).isEqualTo("another copy on another file: accepted"),
                        line -> assertThat(line).isEqualTo("another copy on another file, examined: accepted"),
                        line -> assertThat(line)
                                .startsWith("a transaction of another copy: InvalidRequestException")
                                .contains("another copy of the SQLite driver"),
                        line -> assertThat(line).isEqualTo("copies 2, on this file 1"),
                        line -> assertThat(line)
                                .startsWith("another copy on this file: refused")
                                .contains(
                                        file.toString(),
                                        "2 copies of the SQLite driver",
                                        "sqlitejdbc",
                                        "open the store before the pool"),
                        line -> assertThat(line).startsWith("another copy on this file by another name: refused"),
                        line -> assertThat(line).isEqualTo("after the other copy has closed this file: accepted"),
                        line -> assertThat(line)
                                .startsWith("another copy of the library: ")
                                .contains("a second copy of this library", file.toString()),
                        line -> assertThat(line).isEqualTo("the first copy of the library: accepted"));
    }

    @Test
    void copiesOfSqliteAreFoundInTheMappedFiles() {
        List<String> mapped = List.of(
                "7f10-7f20 r--p 00000000 fe:00 11                /tmp/sqlite-3.54.1.0-a-libsqlitejdbc.so",
                "7f20-7f30 r-xp 0000c000 fe:00 11                /tmp/sqlite-3.54.1.0-a-libsqlitejdbc.so",
                "7f30-7f40 r-xp 0000c000 fe:00 12                /a b/libsqlitejdbc.so (deleted)",
                "7f40-7f50 rw-s 00000000 fe:00 13                /data/sqlitejdbc/jobs.db-shm",
                "7f50-7f60 rw-s 00008000 fe:00 13                /data/sqlitejdbc/jobs.db-shm",
                "7f60-7f70 rw-s 00000000 fe:00 13                /data/sqlitejdbc/jobs.db-shm",
                "7f70-7f80 r-xp 00000000 fe:00 14                /usr/lib/libc.so.6",
                "7f80-7f90 rw-p 00000000 00:00 0 ");
        assertThat(LibraryGuard.libraries(mapped))
                .containsExactly("/a b/libsqlitejdbc.so (deleted)", "/tmp/sqlite-3.54.1.0-a-libsqlitejdbc.so");
        assertThat(LibraryGuard.users(mapped, Path.of("/data/sqlitejdbc/jobs.db")))
                .isEqualTo(2);
        assertThat(LibraryGuard.users(mapped, Path.of("/sqlitejdbc/jobs.db"))).isZero();
    }

    @Test
    void aStoreStopsWritingWhenTheFileIsMigratedBeyondItsSchema() throws Exception {
        try (StoreDriver store = Stores.openAttentive(file);
                TestDatabase newer = TestDatabase.open(file)) {
            store.enqueue(NewRow.job());
            newer.execute("INSERT INTO windrow_schema (version, min_compatible, name, applied_at)"
                    + " VALUES (99, 98, 'far-later.sql', 0)");
            Awaitility.await()
                    .atMost(Duration.ofMinutes(1))
                    .untilAsserted(() -> assertThat(catchThrowable(
                                    () -> store.store().submit(new Touch()).get(60, TimeUnit.SECONDS)))
                            .hasCauseInstanceOf(IncompatibleStoreException.class)
                            .hasMessageContaining("newer Windrow (schema 98; this one knows "));
        }
    }

    /** An error whose {@code toString} throws, too. */
    private static final class Untold extends Error {
        private static final long serialVersionUID = 1L;

        @Override
        public String toString() {
            throw new IllegalStateException("not even this");
        }
    }

    @Test
    void theNotifierContinuesAfterAnErrorThatCannotBeReported() {
        AtomicInteger told = new AtomicInteger();
        StoreHints failing = (StoreHints) Proxy.newProxyInstance(
                StoreHints.class.getClassLoader(), new Class<?>[] {StoreHints.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("ready")
                            && Thread.currentThread().getName().startsWith("windrow-notifier-")
                            && told.incrementAndGet() == 1) {
                        throw new Untold();
                    }
                    return null;
                });
        Store store = Hooks.safetyLook(SqliteStore.configure(file), SOON).build();
        try (OpenStore listening =
                        StoreProvider.open(store, new StoreEnvironment(new ManualTime(), EventLevel.ALL, failing));
                StoreDriver other = Stores.open(file)) {
            assertThat(listening.tasks()).isNotEmpty();
            Awaitility.await()
                    .dontCatchUncaughtExceptions()
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> {
                        other.enqueue(NewRow.job());
                        return told.get() > 1;
                    });
        }
    }
}
