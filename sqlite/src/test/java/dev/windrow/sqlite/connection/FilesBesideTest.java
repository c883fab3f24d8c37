package dev.windrow.sqlite.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobState;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.sqlite.Stores;
import dev.windrow.sqlite.processes.ChildProcess;
import dev.windrow.sqlite.processes.ComeAndGoProbe;
import dev.windrow.sqlite.processes.Holder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files beside the database: the process that creates them, the users that may use them, and their deletion by the last process to leave. */
@Tag("once") // on one JDK: the kernel's files are the same
class FilesBesideTest {
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

    @Test
    void theLastStoreToCloseLeavesOnlyTheDatabaseFile() throws Exception {
        StoreDriver first = Stores.open(file);
        StoreDriver second = Stores.open(file);
        first.enqueue(NewRow.job());
        first.close();
        assertThat(beside()).contains("jobs.db-windrow");
        second.close();
        assertThat(beside()).containsExactly("jobs.db");
    }

    @Test
    void filesOfAKilledProcessAreReusedAndRemovedInTheEnd() throws Exception {
        Holder.inside(file).close();
        assertThat(beside()).contains("jobs.db-windrow");
        try (StoreDriver store = Stores.open(file)) {
            store.enqueue(NewRow.job());
            assertThat(store.count(JobState.PENDING)).isEqualTo(1);
        }
        assertThat(beside()).containsExactly("jobs.db");
    }

    @Test
    void storesThatOpenAndCloseAtOnceAlwaysNoticeEachOther() throws Exception {
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

    /** Covers a folder that was moved away, or deleted by a cleaner of old files. The next process creates it again. */
    @Test
    void aClosingStoreRemovesNoFilesThatOtherStoresHaveCreated() throws Exception {
        Path beside = folder.resolve("jobs.db-windrow");
        StoreDriver first = Stores.open(file);
        Files.move(beside, folder.resolve("moved"));
        try (Holder second = Holder.inside(file)) {
            Object key = key(beside.resolve("lock"));
            first.close();
            assertThat(key(beside.resolve("lock"))).isEqualTo(key);
            assertThat(beside.resolve("notifier")).exists();
            second.goOn();
            second.end();
        }
        assertThat(beside()).containsExactly("jobs.db", "moved");
    }

    private static Object key(Path path) throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
    }

    @Test
    void companionFilesAreWritableByEveryUserWhoMayWriteTheDatabase() throws Exception {
        Stores.open(file).close();
        if (System.getProperty("user.name").equals("root")) {
            Files.setAttribute(file, "unix:uid", 65534);
            Files.setAttribute(file, "unix:gid", 65534);
        }
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw----"));
        assertThat(modesBesideWithUmask("077")).containsExactly("rwxrwx---", "rw-rw----", "rw-rw----", "rw-rw----");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        assertThat(modesBesideWithUmask("000")).containsExactly("rwx------", "rw-------", "rw-------", "rw-------");
    }

    @Test
    void companionFilesOfANewDatabaseHaveItsPermissions() throws Exception {
        assertThat(modesBesideWithUmask("000")).containsExactly("rwxrwxrwx", "rw-rw-rw-", "rw-rw-rw-", "rw-rw-rw-");
        assertThat(mode(file)).isEqualTo("rw-rw-rw-");
        Files.delete(file);
        assertThat(modesBesideWithUmask("027")).containsExactly("rwxr-x---", "rw-r-----", "rw-r-----", "rw-r-----");
        assertThat(mode(file)).isEqualTo("rw-r-----");
    }

    /** Returns the permissions of the folder and the three files, made by a process with this umask. */
    private List<String> modesBesideWithUmask(String umask) throws Exception {
        Path beside = folder.resolve("jobs.db-windrow");
        try (Holder other = Holder.insideWithUmask(umask, file)) {
            List<String> modes = new ArrayList<>();
            for (Path path : List.of(
                    beside, beside.resolve("lock"), beside.resolve("notifier"), beside.resolve("windrow_ids"))) {
                modes.add(mode(path));
                for (String owner : List.of("unix:uid", "unix:gid")) {
                    assertThat(Files.getAttribute(path, owner))
                            .as("%s of %s", owner, path)
                            .isEqualTo(Files.getAttribute(file, owner));
                }
            }
            other.goOn();
            other.end();
            return modes;
        }
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }
}
