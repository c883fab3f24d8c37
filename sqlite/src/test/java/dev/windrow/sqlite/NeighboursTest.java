package dev.windrow.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.windrow.Health;
import dev.windrow.IncompatibleStoreException;
import dev.windrow.JobState;
import dev.windrow.StoreUnavailableException;
import dev.windrow.store.EnqueuedJob;
import dev.windrow.testkit.NewRow;
import dev.windrow.testkit.StoreDriver;
import java.io.BufferedReader;
import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.WatchService;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Several processes, stores or copies of the library on one file. */
class NeighboursTest {
    @TempDir
    Path folder;

    private Path file;

    @BeforeEach
    void name() {
        file = folder.resolve("jobs.db");
    }

    private List<String> beside() throws Exception {
        try (var files = Files.list(folder)) {
            return files.map(path -> path.getFileName().toString()).sorted().toList();
        }
    }

    private static void signal(Process process, String name) throws Exception {
        assertThat(new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                        .start()
                        .waitFor())
                .isZero();
    }

    // ---- coming and going -------------------------------------------------------------------------------------------

    @Test
    void theLastStoreToCloseLeavesNothingBesideTheFile() throws Exception {
        StoreDriver first = Stores.open(file);
        StoreDriver second = Stores.open(file);
        first.enqueue(NewRow.job());
        first.close();
        assertThat(beside()).contains("jobs.db-windrow");
        second.close();
        assertThat(beside()).containsExactly("jobs.db");
    }

    @Test
    void whatAKilledProcessLeftIsUsedOnAndRemovedInTheEnd() throws Exception {
        Process killed = ChildProcess.start(HoldingProbe.class, file);
        try (BufferedReader lines = killed.inputReader()) {
            assertThat(lines.readLine()).isEqualTo("inside");
        } finally {
            killed.destroyForcibly().waitFor();
        }
        assertThat(beside()).contains("jobs.db-windrow");
        try (StoreDriver store = Stores.open(file)) {
            store.enqueue(NewRow.job());
            assertThat(store.count(JobState.PENDING)).isEqualTo(1);
        }
        assertThat(beside()).containsExactly("jobs.db");
    }

    @Test
    void storesThatComeAndGoAtOnceAlwaysFindEachOther() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            List<Future<Integer>> futures = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                futures.add(threads.submit(() -> {
                    ChildProcess.Outcome outcome = ChildProcess.run(ComeAndGoProbe.class, file);
                    assertThat(outcome.text()).isEmpty();
                    return outcome.status();
                }));
            }
            for (Future<Integer> future : futures) {
                assertThat(future.get(120, TimeUnit.SECONDS)).isZero();
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(beside()).containsExactly("jobs.db");
        try (StoreDriver store = Stores.open(file)) {
            assertThat(store.count(JobState.PENDING)).isEqualTo(2L * ComeAndGoProbe.ROUNDS);
        }
    }

    // ---- turns ------------------------------------------------------------------------------------------------------

    /** Failure classes 6 and 9. */
    @Test
    void aProcessThatIsStoppedInsideATransactionIsNamedAndWaitedFor() throws Exception {
        Process holder = ChildProcess.start(HoldingProbe.class, file);
        try (BufferedReader lines = holder.inputReader();
                StoreDriver store = openSoon(lines)) {
            signal(holder, "STOP");
            assertNamesHolder(store, holder);
            holder.outputWriter().append("go on\n").flush();
            signal(holder, "CONT");
            assertThat(lines.readLine()).isEqualTo("enqueued");
            store.enqueue(NewRow.job());
            assertThat(store.count(JobState.PENDING)).isEqualTo(2);
            assertThat(store.store().duties()).allMatch(Health.Duty::isOk);
        } finally {
            holder.destroyForcibly().waitFor();
        }
    }

    /** Failure classes 6 and 9. */
    @Test
    void aProcessThatIsKilledInsideATransactionLeavesNothingOfIt() throws Exception {
        Process holder = ChildProcess.start(HoldingProbe.class, file);
        try (BufferedReader lines = holder.inputReader();
                StoreDriver store = openSoon(lines)) {
            signal(holder, "STOP");
            assertNamesHolder(store, holder);
            holder.destroyForcibly().waitFor();
            store.enqueue(NewRow.job());
            assertThat(store.count(JobState.PENDING)).isEqualTo(1);
        } finally {
            holder.destroyForcibly().waitFor();
        }
    }

    private StoreDriver openSoon(BufferedReader lines) throws Exception {
        assertThat(lines.readLine()).isEqualTo("inside");
        return Stores.open(file, Duration.ofMillis(500), Writer.Probe.NONE);
    }

    /** What cannot be begun is withdrawn in time, and the one in the way is named as long as it is. */
    private static void assertNamesHolder(StoreDriver store, Process holder) {
        CompletableFuture<List<EnqueuedJob>> refused =
                store.store().enqueue(List.of(NewRow.job().row()));
        assertThat(catchThrowable(() -> refused.get(60, TimeUnit.SECONDS)))
                .hasCauseInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("withdrawn");
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(store.store().duties())
                        .anySatisfy(duty -> assertThat(duty.problem())
                                .contains("waits for the write lock")
                                .contains("process " + holder.pid() + " (")));
    }

    @Test
    void aForeignConnectionThatHoldsTheLockIsNamed() throws Exception {
        try (StoreDriver store = Stores.open(file, Duration.ofMillis(500), Writer.Probe.NONE);
                TestDatabase foreign = TestDatabase.open(file)) {
            foreign.execute("BEGIN IMMEDIATE");
            CompletableFuture<Void> touched = store.store().touch();
            assertThat(catchThrowable(() -> touched.get(60, TimeUnit.SECONDS)))
                    .hasCauseInstanceOf(StoreUnavailableException.class);
            foreign.execute("ROLLBACK");
            store.enqueue(NewRow.job());
        }
    }

    @Test
    void aLineOfTheKernelsLocksNamesItsHolder() {
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
    void whatAnotherProcessEnqueuesIsHeardOf() throws Exception {
        try (StoreDriver store = Stores.open(file)) {
            ChildProcess.Outcome other = ChildProcess.run(EnqueueProbe.class, file);
            assertThat(other.status()).as(other.text()).isZero();
            Awaitility.await()
                    .atMost(Duration.ofMinutes(1))
                    .until(() -> store.signals().rings().contains(EnqueueProbe.LANE)
                            && store.signals().due() == EnqueueProbe.DUE);
        }
    }

    /** Failure class 10. */
    @Test
    void aBellThatCannotBeWatchedIsPolled() throws Exception {
        try (StoreDriver store = Stores.open(file)) {
            Neighbours neighbours = Neighbours.join(file.toRealPath());
            StoreDriver.Signals heard = new StoreDriver.Signals();
            Elsewhere elsewhere =
                    new Elsewhere(new SqliteFile(file, Durability.FULL, 10_000), new Names(), heard, version -> {});
            try (Doorbell bell = new Doorbell(neighbours, elsewhere, "test", null)) {
                bell.start();
                store.enqueue(NewRow.of("heard", "test.heard"));
                neighbours.ring();
                Awaitility.await()
                        .atMost(Duration.ofMinutes(1))
                        .until(() -> heard.rings().contains("heard/test.heard"));
                assertThat(bell.duty().isOk()).isTrue();
            } finally {
                neighbours.close();
            }
        }
    }

    /** Failure class 10. */
    @Test
    void aWatchThatDoesNotTellIsFoundOutAndTheBellIsPolled() throws Exception {
        try (StoreDriver store = Stores.open(file)) {
            Neighbours neighbours = Neighbours.join(file.toRealPath());
            StoreDriver.Signals heard = new StoreDriver.Signals();
            Elsewhere elsewhere =
                    new Elsewhere(new SqliteFile(file, Durability.FULL, 10_000), new Names(), heard, version -> {});
            // It watches nothing.
            WatchService deaf = folder.getFileSystem().newWatchService();
            try (Doorbell bell = new Doorbell(neighbours, elsewhere, "test", deaf)) {
                bell.start();
                assertThat(bell.isPolled()).isFalse();
                neighbours.ring();
                Awaitility.await().atMost(Duration.ofMinutes(1)).until(bell::isPolled);
                store.enqueue(NewRow.of("heard", "test.heard"));
                neighbours.ring();
                Awaitility.await()
                        .atMost(Duration.ofMinutes(1))
                        .until(() -> heard.rings().contains("heard/test.heard"));
                assertThat(bell.duty().isOk()).isTrue();
            } finally {
                neighbours.close();
            }
        }
    }

    /** A process that cannot look is ill, says so, and goes on trying. */
    @Test
    void aBellThatCannotLookIsNamed() throws Exception {
        try (StoreDriver store = Stores.open(file)) {
            store.enqueue(NewRow.job());
            Neighbours neighbours = Neighbours.join(file.toRealPath());
            Elsewhere elsewhere = new Elsewhere(
                    new SqliteFile(folder.resolve("missing/none.db"), Durability.FULL, 10_000),
                    new Names(),
                    new StoreDriver.Signals(),
                    version -> {});
            try (Doorbell bell = new Doorbell(neighbours, elsewhere, "test")) {
                bell.start();
                neighbours.ring();
                Awaitility.await()
                        .atMost(Duration.ofMinutes(1))
                        .until(() -> !bell.duty().isOk());
                assertThat(bell.duty().problem()).startsWith("fails: ");
            } finally {
                neighbours.close();
            }
        }
    }

    // ---- what is refused --------------------------------------------------------------------------------------------

    @Test
    void networkFileSystemsAreToldFromDisks() {
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
    void aSecondCopyOfTheLibraryInOneJvmIsRefused() throws Exception {
        List<URL> urls = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            urls.add(Path.of(entry).toUri().toURL());
        }
        try (StoreDriver store = Stores.open(file);
                URLClassLoader copy =
                        new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            var probe = copy.loadClass(EnqueueProbe.class.getName()).getDeclaredMethod("main", String[].class);
            probe.setAccessible(true);
            assertThatThrownBy(() -> probe.invoke(null, (Object) new String[] {file.toString()}))
                    .cause()
                    .hasMessageContaining("another copy of this library")
                    .hasMessageContaining(file.toString());
            store.enqueue(NewRow.job());
            assertThat(store.count(JobState.PENDING)).isEqualTo(1);
        }
        Stores.open(file).close();
    }

    @Test
    void aSecondCopyOfSqliteThatHasTheFileOpenIsRefused() throws Exception {
        Stores.open(file).close();
        List<URL> urls = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            if (entry.contains("sqlite-jdbc") || entry.contains("slf4j")) {
                urls.add(Path.of(entry).toUri().toURL());
            }
        }
        try (URLClassLoader copy = new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            var driver = (java.sql.Driver)
                    copy.loadClass("org.sqlite.JDBC").getDeclaredConstructor().newInstance();
            try (Connection other = driver.connect("jdbc:sqlite:" + file, new java.util.Properties());
                    var statement = other.createStatement()) {
                statement.executeQuery("SELECT count(*) FROM windrow_jobs").close();
                assertThatThrownBy(() -> Stores.open(file).close())
                        .isInstanceOf(IncompatibleStoreException.class)
                        .hasMessageContaining("another copy of SQLite");
            } finally {
                DriverManager.deregisterDriver(driver);
            }
        }
        // The other copy is still loaded, but has nothing to do with this file any more.
        Stores.open(file).close();
    }

    @Test
    void aStoreStopsWritingWhenTheFileIsMigratedBeyondWhatItKnows() throws Exception {
        try (StoreDriver store = Stores.open(file);
                TestDatabase newer = TestDatabase.open(file)) {
            store.enqueue(NewRow.job());
            newer.execute("INSERT INTO windrow_schema (version, min_compatible, name, applied_at)"
                    + " VALUES (99, 98, 'far-later.sql', 0)");
            Awaitility.await()
                    .atMost(Duration.ofMinutes(1))
                    .untilAsserted(() -> assertThat(
                                    catchThrowable(() -> store.store().touch().get(60, TimeUnit.SECONDS)))
                            .hasCauseInstanceOf(IncompatibleStoreException.class)
                            .hasMessageContaining("newer Windrow (schema 98; this one knows "));
        }
    }
}
