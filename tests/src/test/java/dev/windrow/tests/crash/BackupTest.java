package dev.windrow.tests.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.windrow.InvalidRequestException;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.StoreUnavailableException;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.monitor.DiagnoseOptions;
import dev.windrow.monitor.Diagnosis;
import dev.windrow.payload.Json;
import dev.windrow.sqlite.SqliteStore;
import dev.windrow.tests.Once;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A backup at full load holds every acknowledged job, and it is a usable store. A failed backup leaves no file. */
@Once
class BackupTest {
    private static final JobType<Json, Json> ECHO = JobType.raw("backup.echo");
    private static final JobType<Json, Json> PATIENT = JobType.raw("backup.patient");
    private static final Json INPUT = new Json("{\"text\":\"" + "x".repeat(200) + "\"}");
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    Path folder;

    private static void assertIsWell(Path file) {
        SqliteStore store = SqliteStore.at(file);

        Diagnosis diagnosis = Windrow.diagnose(store, DiagnoseOptions.ALL);
        // The worker that ran jobs during the backup does not run here.
        assertThat(diagnosis.failed()).isSubsetOf("leases");
    }

    private List<String> names() throws IOException {
        try (var files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void aBackupAtFullLoadHoldsEveryAcknowledgedJobAndAWorkerRunsOnIt() throws Exception {
        Path file = folder.resolve("jobs.db");
        Path copy = folder.resolve("copy.db");
        Set<Long> acknowledged = new ConcurrentSkipListSet<>();
        Set<Long> before;
        AtomicBoolean stop = new AtomicBoolean();
        CountDownLatch runs = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        List<Thread> load = new ArrayList<>();
        SqliteStore store = SqliteStore.at(file);
        try (Windrow windrow = Windrow.open(store);
                Worker worker = windrow.worker()
                        .concurrency(4)
                        // The copy's lease of the running job counts for a lease and a half.
                        .lease(Duration.ofSeconds(2))
                        .handle(ECHO, (input, job) -> input)
                        .handle(PATIENT, (input, job) -> {
                            runs.countDown();
                            go.await();
                            return input;
                        })
                        .start()) {
            JobRef<Json> running = windrow.enqueue(PATIENT, INPUT);
            for (int i = 0; i < 3; i++) {
                load.add(new Thread(() -> {
                    while (!stop.get()) {
                        acknowledged.add(windrow.enqueue(ECHO, INPUT).id());
                    }
                }));
            }
            load.forEach(Thread::start);
            await().atMost(PATIENCE).until(() -> acknowledged.size() > 2000);
            assertThat(runs.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            before = Set.copyOf(acknowledged);
            long bytes = store.backup(copy);
            stop.set(true);
            for (Thread thread : load) {
                thread.join();
            }
            go.countDown();
            assertThat(bytes).isEqualTo(Files.size(copy));
            assertThat(windrow.await(running, PATIENCE)).isEqualTo(INPUT);
            assertThat(worker.name()).isNotEmpty();
        }
        assertIsWell(copy);
        assertThat(names()).containsExactly("copy.db", "jobs.db");

        // The first file is deleted, and the copy replaces it.
        Files.delete(file);
        Files.move(copy, file);
        try (Windrow windrow = Windrow.open(SqliteStore.at(file))) {
            before.forEach(
                    id -> assertThat(windrow.job(id).exists()).as("job %d", id).isTrue());
            try (Worker worker = windrow.worker()
                    .lease(Duration.ofSeconds(2))
                    .concurrency(4)
                    .handle(ECHO, (input, job) -> input)
                    .handle(PATIENT, (input, job) -> input)
                    .start()) {
                await().atMost(PATIENCE)
                        .until(() -> windrow.monitor().statistics().states().getOrDefault(JobState.COMPLETED, 0L)
                                == windrow.monitor().statistics().states().values().stream()
                                        .mapToLong(n -> n)
                                        .sum());
                assertThat(worker.totals().completed())
                        .as("what ran is taken back")
                        .isPositive();
            }
        }
        assertIsWell(file);
    }

    @Test
    void aBackupOverwritesNoFileAndAFailedOneLeavesNothing() throws Exception {
        Path file = folder.resolve("jobs.db");
        SqliteStore none = SqliteStore.at(file);

        assertThatThrownBy(() -> none.backup(folder.resolve("copy.db")))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("the database does not exist");

        SqliteStore store = SqliteStore.at(file);
        try (Windrow windrow = Windrow.open(store)) {
            windrow.enqueue(ECHO, INPUT);
            Files.writeString(folder.resolve("mine"), "mine");
            Files.writeString(folder.resolve("other-wal"), "of another one");
            assertThatThrownBy(() -> store.backup(folder.resolve("mine")))
                    .isInstanceOf(InvalidRequestException.class)
                    .hasMessageContaining("mine exists");
            assertThatThrownBy(() -> store.backup(folder.resolve("other")))
                    .isInstanceOf(InvalidRequestException.class)
                    .hasMessageContaining("other-wal exists");
            assertThatThrownBy(() -> store.backup(file))
                    .isInstanceOf(InvalidRequestException.class)
                    .hasMessageContaining("jobs.db exists");
            assertThatThrownBy(() -> store.backup(folder.resolve("nowhere/copy.db")))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("nowhere does not exist");
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> store.backup(folder.resolve("copy.db")))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("interrupted");
            assertThat(Thread.interrupted()).isTrue();
            assertThat(store.backup(folder.resolve("copy.db"))).isPositive();
        }
        assertThat(Files.readString(folder.resolve("mine"))).isEqualTo("mine");
        assertThat(names()).containsExactly("copy.db", "jobs.db", "mine", "other-wal");
    }

    /** The backup may have ended before its interrupt. Then it reports success. */
    @Test
    void anInterruptedBackupIsReportedAsCompleteOrLeavesNothing() throws Exception {
        Path file = folder.resolve("jobs.db");
        SqliteStore store = SqliteStore.at(file);
        try (Windrow windrow = Windrow.open(store)) {
            for (int i = 0; i < 4; i++) {
                windrow.enqueue(ECHO, new Json("\"" + "x".repeat(3_000_000) + "\""));
            }
            for (int round = 0; round < 8; round++) {
                // Each round waits for a later moment: at once, after the begin, after some megabytes, after the file
                // has its name.
                int moment = round % 4;
                Path copy = folder.resolve("copy" + round + ".db");
                CompletableFuture<Long> answer = new CompletableFuture<>();
                AtomicBoolean stillInterrupted = new AtomicBoolean();
                Thread thread = new Thread(() -> {
                    try {
                        answer.complete(store.backup(copy));
                    } catch (RuntimeException e) {
                        answer.completeExceptionally(e);
                    }
                    stillInterrupted.set(Thread.interrupted());
                });
                thread.start();
                await().atMost(PATIENCE)
                        .pollInterval(Duration.ofMillis(1))
                        .until(() -> answer.isDone()
                                || switch (moment) {
                                    case 0 -> true;
                                    case 1 -> !parts().isEmpty();
                                    case 2 -> parts().stream().anyMatch(part -> sizeOf(part) > 4_000_000);
                                    default -> Files.exists(copy);
                                });
                boolean named = Files.exists(copy);
                thread.interrupt();
                thread.join();
                if (answer.isCompletedExceptionally()) {
                    assertThatThrownBy(answer::get)
                            .hasCauseInstanceOf(StoreUnavailableException.class)
                            .hasMessageContaining("interrupted");
                    assertThat(named).as("it had its name").isFalse();
                    assertThat(names()).doesNotContain(copy.getFileName().toString());
                    assertThat(stillInterrupted).isTrue();
                } else {
                    assertThat(answer.get()).isEqualTo(Files.size(copy));
                    assertIsWell(copy);
                    Files.delete(copy);
                }
                assertThat(parts()).isEmpty();
            }
            assertThat(windrow.enqueue(ECHO, INPUT).state()).isEqualTo(JobState.PENDING);
        }
        assertThat(names()).containsExactly("jobs.db");
    }

    private List<Path> parts() throws IOException {
        return names().stream()
                .filter(name -> name.endsWith(".part"))
                .map(folder::resolve)
                .toList();
    }

    private static long sizeOf(Path part) {
        try {
            return Files.size(part);
        } catch (IOException e) {
            // The backup has renamed the file since.
            return Long.MAX_VALUE;
        }
    }

    /** The remaining file does not have the name of a backup, and it blocks no later backup. */
    @Test
    void aKilledBackupLeavesNoFileOfItsName() throws Exception {
        Path file = folder.resolve("jobs.db");
        try (Windrow windrow = Windrow.open(SqliteStore.at(file))) {
            for (int i = 0; i < 6; i++) {
                windrow.enqueue(ECHO, new Json("\"" + "x".repeat(5_000_000) + "\""));
            }
        }
        Path copy = folder.resolve("copy.db");
        Process process = new ProcessBuilder(
                        System.getProperty("windrow.root") + "/windrow",
                        "backup",
                        copy.toString(),
                        "--db",
                        file.toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(1))
                .until(() -> !parts().isEmpty() || !process.isAlive());
        assertThat(!parts().isEmpty() || Files.exists(copy)).as("it had begun").isTrue();
        // An ended process has no such files, and its process number may be reused.
        if (process.isAlive()) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        if (Files.exists(copy)) {
            assertIsWell(copy);
            Files.delete(copy);
        }
        SqliteStore store = SqliteStore.at(file);

        assertThat(store.backup(copy)).isEqualTo(Files.size(copy));

        assertIsWell(copy);
        assertIsWell(file);
    }

    @Test
    void aFullDiskLeavesNoPartialBackup() throws Exception {
        Path file = folder.resolve("jobs.db");
        try (Windrow windrow = Windrow.open(SqliteStore.at(file))) {
            windrow.enqueue(ECHO, new Json("\"" + "x".repeat(6_000_000) + "\""));
        }
        try (SmallDisk disk = new SmallDisk(folder, 4)) {
            SmallDisk.Outcome outcome = disk.run(
                    System.getProperty("windrow.root") + "/windrow",
                    "backup",
                    disk.path("copy.db").toString(),
                    "--db",
                    file.toString());
            assertThat(outcome.status()).as(outcome.text()).isEqualTo(1);
            assertThat(outcome.text()).contains("copy.db failed", "full");
            assertThat(disk.run("ls", "-A", disk.path("").toString()).text()).isEmpty();
        }
    }
}
