package dev.windrow.sqlite.writer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.windrow.AttemptOutcome;
import dev.windrow.ChangedMeanwhileException;
import dev.windrow.EventKind;
import dev.windrow.JobState;
import dev.windrow.OutcomeUnknownException;
import dev.windrow.StoreUnavailableException;
import dev.windrow.WindrowException;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreContract;
import dev.windrow.contract.StoreDriver;
import dev.windrow.sqlite.Stores;
import dev.windrow.sqlite.TestDatabase;
import dev.windrow.sqlite.processes.PeerProcesses;
import dev.windrow.store.Author;
import dev.windrow.store.Transition;
import dev.windrow.store.job.ChangeByFilter;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.Enqueue;
import dev.windrow.store.job.EnqueuedJob;
import dev.windrow.store.job.JobRow;
import dev.windrow.store.job.LeaseToken;
import dev.windrow.store.job.Orphan;
import dev.windrow.store.job.Reclaim;
import dev.windrow.store.job.Renew;
import dev.windrow.store.job.Started;
import dev.windrow.store.job.Suspect;
import dev.windrow.store.job.Touch;
import dev.windrow.store.sql.writer.CommandQueue;
import dev.windrow.store.step.Signal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commit pipeline: shared commits, back-pressure, deadlines, the end. */
class WriterTest {
    private static final Duration PATIENT = Duration.ofSeconds(60);

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

    /** Makes the writer wait in a transaction until the gate is opened; returns that transaction's answer. */
    private static CompletableFuture<?> hold(StoreDriver store, Stores.Gate gate) throws InterruptedException {
        gate.close();
        CompletableFuture<?> first = store.store().submit(new Touch());
        gate.awaitArrival();
        return first;
    }

    private static boolean awaits(CountDownLatch latch) {
        try {
            return latch.await(60, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void operationsThatArriveDuringACommitShareTheNextOne() throws Exception {
        Stores.Gate gate = new Stores.Gate(false);
        try (StoreDriver store = Stores.open(folder.resolve("jobs.db"), PATIENT, gate);
                TestDatabase other = TestDatabase.open(folder.resolve("jobs.db"))) {
            CompletableFuture<?> first = hold(store, gate);
            String before = other.one("PRAGMA data_version");
            List<CompletableFuture<List<EnqueuedJob>>> enqueued = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                enqueued.add(enqueue(store, NewRow.job()));
            }
            assertThat(other.one("PRAGMA data_version")).isEqualTo(before);
            gate.open();
            Object unused = StoreDriver.answer(first);
            enqueued.forEach(future -> assertThat(StoreDriver.answer(future)).hasSize(1));
            assertThat(gate.transactions).hasValue(2);
            assertThat(gate.operations).hasValue(301);
        }
    }

    @Test
    void aTransactionHasAtMostThreeThousandRowsUnlessOneOperationHasMore() throws Exception {
        Stores.Gate gate = new Stores.Gate(false);
        try (StoreDriver store = Stores.open(folder.resolve("jobs.db"), PATIENT, gate)) {
            CompletableFuture<?> first = hold(store, gate);
            List<JobRow> rows = Collections.nCopies(1200, NewRow.job().row());
            List<CompletableFuture<List<EnqueuedJob>>> enqueued = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                enqueued.add(store.store().submit(new Enqueue(rows)));
            }
            enqueued.add(store.store()
                    .submit(new Enqueue(Collections.nCopies(4000, NewRow.job().row()))));
            gate.open();
            Object unused = StoreDriver.answer(first);
            enqueued.forEach(StoreDriver::answer);
            assertThat(gate.transactions).as("1 + 1200 * 2 + 1200 * 2 + 4000").hasValue(4);
        }
    }

    @Test
    void longPayloadsAndResultsCountAsSeveralRows() throws Exception {
        Stores.Gate gate = new Stores.Gate(false);
        try (StoreDriver store = Stores.open(folder.resolve("jobs.db"), PATIENT, gate)) {
            CompletableFuture<?> first = hold(store, gate);
            String megabyte = "\"" + "x".repeat(1024 * 1024) + "\"";
            List<CompletableFuture<List<EnqueuedJob>>> enqueued = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                enqueued.add(enqueue(store, NewRow.job().payload(megabyte)));
            }
            gate.open();
            Object unused = StoreDriver.answer(first);
            enqueued.forEach(StoreDriver::answer);
            assertThat(gate.transactions).as("1 + 2 jobs + 2 jobs").hasValue(3);
        }
    }

    @Test
    void aStartWithoutOtherOperationsIsCommittedInTime() throws Exception {
        Stores.Gate gate = new Stores.Gate(false);
        try (StoreDriver store = Stores.open(folder.resolve("jobs.db"), PATIENT, gate)) {
            ClaimedJob job = store.running(NewRow.job());
            store.started(new Started(job.leaseToken(), "w", store.time().millis()));
            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> store.events(job.id()).contains(EventKind.STARTED));
        }
    }

    @Test
    void aStartSharesTheCommitOfItsSettlement() throws Exception {
        Stores.Gate gate = new Stores.Gate(false);
        try (StoreDriver store = Stores.open(folder.resolve("jobs.db"), PATIENT, gate)) {
            ClaimedJob job = store.running(NewRow.job());
            CompletableFuture<?> first = hold(store, gate);
            int before = gate.transactions.get();
            store.started(new Started(job.leaseToken(), "w", store.time().millis()));
            CompletableFuture<Boolean> settled = store.store().submit(store.settlement(job, Transition.COMPLETE));
            gate.open();
            Object unused = StoreDriver.answer(first);
            assertThat(StoreDriver.answer(settled)).isTrue();
            assertThat(gate.transactions).hasValue(before + 1);
            assertThat(store.events(job.id()))
                    .containsExactly(EventKind.ENQUEUED, EventKind.CLAIMED, EventKind.STARTED, EventKind.SUCCEEDED);
        }
    }

    @Test
    void aStartIsNotWrittenAfterTheEndOfItsAttempt() throws Exception {
        Stores.Gate gate = new Stores.Gate(false);
        try (StoreDriver store = Stores.open(folder.resolve("jobs.db"), PATIENT, gate)) {
            ClaimedJob job = store.running(NewRow.job());
            CompletableFuture<?> first = hold(store, gate);
            CompletableFuture<Void> start = store.store()
                    .submit(new Started(job.leaseToken(), "w", store.time().millis()));
            start.complete(null);
            CompletableFuture<?> second = store.store().submit(new Touch());
            gate.open();
            Object unused = StoreDriver.answer(first);
            unused = StoreDriver.answer(second);
            assertThat(store.events(job.id())).containsExactly(EventKind.ENQUEUED, EventKind.CLAIMED);
        }
    }

    @Test
    void aRenewalPrecedesTheReclaimInTheSameCommit() throws Exception {
        Stores.Gate gate = new Stores.Gate(false);
        try (StoreDriver store = Stores.open(folder.resolve("jobs.db"), PATIENT, gate)) {
            ClaimedJob job = store.running(NewRow.job());
            store.time().advance(Duration.ofMinutes(1));
            Suspect suspect = store.suspects().get(0);
            CompletableFuture<?> first = hold(store, gate);
            CompletableFuture<List<Orphan>> reclaimed = store.store()
                    .submit(new Reclaim(
                            List.of(new Orphan(
                                    suspect, Transition.RETRY_LATER, AttemptOutcome.RECOVERED, 1L, "reclaimer")),
                            60_000));
            CompletableFuture<?> renewed = store.store().submit(new Renew(List.of(job.leaseToken()), 30_000));
            gate.open();
            Object unused = StoreDriver.answer(first);
            assertThat(StoreDriver.answer(renewed)).isEqualTo(List.of());
            assertThat(StoreDriver.answer(reclaimed)).isEmpty();
            assertThat(store.state(job.id())).isEqualTo(JobState.RUNNING);
        }
    }

    /** Failure class 13: a worker that waited for the same lock has had no chance to renew. */
    @Test
    void aReclaimThatWaitedTooLongChangesNothing() throws Exception {
        Stores.Gate gate = new Stores.Gate(false);
        try (StoreDriver store = Stores.open(folder.resolve("jobs.db"), Duration.ofSeconds(60), gate)) {
            ClaimedJob job = store.running(NewRow.job());
            store.time().advance(StoreDriver.LEASE.plusSeconds(1));
            Suspect suspect = store.suspects().get(0);
            CompletableFuture<?> first = hold(store, gate);
            long since = System.nanoTime();
            CompletableFuture<List<Orphan>> reclaimed = store.store()
                    .submit(new Reclaim(
                            List.of(new Orphan(
                                    suspect, Transition.RETRY_LATER, AttemptOutcome.RECOVERED, 1L, "reclaimer")),
                            5));
            Awaitility.await()
                    .until(() ->
                            System.nanoTime() - since > Duration.ofMillis(20).toNanos());
            gate.open();
            Object unused = StoreDriver.answer(first);
            assertThat(StoreDriver.answer(reclaimed)).isEmpty();
            assertThat(store.state(job.id())).isEqualTo(JobState.RUNNING);
        }
    }

    @Test
    void aSettlementComesFirstInItsCommit() throws Exception {
        Stores.Gate gate = new Stores.Gate(false);
        try (StoreDriver store = Stores.open(folder.resolve("jobs.db"), PATIENT, gate)) {
            ClaimedJob job = store.running(NewRow.job());
            CompletableFuture<?> first = hold(store, gate);
            CompletableFuture<?> completed = ChangeByFilter.run(
                    store.store(), StoreDriver.change(dev.windrow.store.job.Change.Verb.COMPLETE, List.of(job.id())));
            CompletableFuture<Boolean> settled = store.store().submit(store.settlement(job, Transition.HAND_BACK));
            CompletableFuture<dev.windrow.store.job.Claimed> claimed =
                    store.store().submit(StoreDriver.request(1));
            gate.open();
            Object unused = StoreDriver.answer(first);
            assertThat(StoreDriver.answer(settled)).isTrue();
            unused = StoreDriver.answer(completed);
            assertThat(StoreDriver.answer(claimed).jobs()).isEmpty();
            assertThat(store.outcomes(job.id())).containsExactly(AttemptOutcome.RELEASED);
            assertThat(store.state(job.id())).isEqualTo(JobState.COMPLETED);
        }
    }

    @Test
    void ofSignalsInOneTransactionThatExpectOneVersionOneIsKept() throws Exception {
        Stores.Gate gate = new Stores.Gate(false);
        try (StoreDriver store = Stores.open(folder.resolve("jobs.db"), PATIENT, gate)) {
            long job = store.running(NewRow.job()).id();
            long version = store.job(job).version();
            CompletableFuture<?> first = hold(store, gate);
            List<CompletableFuture<?>> signals = new ArrayList<>();
            for (String name : List.of("a", "b", "c")) {
                signals.add(store.store().submit(new Signal(job, name, null, new Author("anna", null), version)));
            }
            gate.open();
            Object unused = StoreDriver.answer(first);
            assertThat(signals.stream().map(StoreContract::failure).filter(Objects::nonNull))
                    .hasSize(2)
                    .allMatch(ChangedMeanwhileException.class::isInstance);
        }
    }

    @Test
    void aFullQueueMakesItsCallersWait() throws Exception {
        Stores.Gate gate = new Stores.Gate(false);
        ExecutorService caller = Executors.newSingleThreadExecutor();
        try (StoreDriver store = Stores.open(folder.resolve("jobs.db"), PATIENT, gate)) {
            CompletableFuture<?> first = hold(store, gate);
            CompletableFuture<List<EnqueuedJob>> filling = store.store()
                    .submit(new Enqueue(Collections.nCopies(
                            CommandQueue.MAX_ROWS, NewRow.job().row())));
            Future<List<EnqueuedJob>> waiting = caller.submit(() -> StoreDriver.answer(enqueue(store, NewRow.job())));
            // The wait of the caller can only be seen by its state, because it causes no event.
            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> Thread.getAllStackTraces().entrySet().stream()
                            .anyMatch(entry -> entry.getKey().getState() == Thread.State.TIMED_WAITING
                                    && List.of(entry.getValue()).stream()
                                            .anyMatch(frame -> frame.getClassName()
                                                            .equals(Writer.class.getName())
                                                    && frame.getMethodName().equals("submit"))));
            assertThat(waiting.isDone()).isFalse();
            gate.open();
            Object unused = StoreDriver.answer(first);
            assertThat(StoreDriver.answer(filling)).hasSize(CommandQueue.MAX_ROWS);
            assertThat(waiting.get(60, TimeUnit.SECONDS)).hasSize(1);
        } finally {
            caller.shutdownNow();
        }
    }

    /** Failure class 3. */
    @Test
    void renewalsAndTouchesDoNotWaitForSpaceInAFullQueue() throws Exception {
        Stores.Gate gate = new Stores.Gate(false);
        try (StoreDriver store = Stores.open(folder.resolve("jobs.db"), PATIENT, gate)) {
            ClaimedJob job = store.running(NewRow.job());
            CompletableFuture<?> first = hold(store, gate);
            CompletableFuture<List<EnqueuedJob>> filling = store.store()
                    .submit(new Enqueue(Collections.nCopies(
                            CommandQueue.MAX_ROWS, NewRow.job().row())));
            // A command that waits for free space would block this thread here.
            CompletableFuture<List<LeaseToken>> renewed = store.store()
                    .submit(new Renew(
                            List.of(job.leaseToken()), Duration.ofMinutes(1).toMillis()));
            CompletableFuture<Void> touched = store.store().submit(new Touch());
            assertThat(renewed).isNotDone();
            gate.open();
            Object unused = StoreDriver.answer(first);
            assertThat(StoreDriver.answer(filling)).hasSize(CommandQueue.MAX_ROWS);
            assertThat(StoreDriver.answer(renewed)).isEmpty();
            unused = StoreDriver.answer(touched);
        }
    }

    @Test
    void theLogIsWrittenBackAfterWorkAndKeepsItsLengthAndTouchesDoNotCountAsWork() throws Exception {
        // Threads have the names of files, and other tests of this JVM have their own jobs.db.
        Path file = folder.resolve("resting.db");
        Path log = folder.resolve("resting.db-wal");
        try (StoreDriver store = Stores.open(file)) {
            store.enqueue(NewRow.job());
            long length = Files.size(log);
            Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> jobsWithoutLog(file, "PENDING") == 1);
            untilItRests();
            assertThat(Files.size(log)).isEqualTo(length).isPositive();

            FileTime written = Files.getLastModifiedTime(file);
            Object unused = StoreDriver.answer(store.store().submit(new Touch()));
            untilItRests();
            assertThat(Files.getLastModifiedTime(file))
                    .as("an idle process does not wake up often: each time has a cost, and so has each flush")
                    .isEqualTo(written);

            store.enqueue(NewRow.job());
            assertThat(Files.size(log))
                    .as("the next commit begins at the start")
                    .isEqualTo(length);
        }
    }

    @Test
    void theLogIsWrittenBackOnceNoReaderBlocksIt() throws Exception {
        Path file = folder.resolve("blocked.db");
        try (StoreDriver store = Stores.open(file);
                TestDatabase reader = TestDatabase.open(file);
                TestDatabase other = TestDatabase.open(file)) {
            ClaimedJob job = store.running(NewRow.job());
            reader.execute("BEGIN");
            assertThat(reader.one("SELECT count(*) FROM windrow_jobs")).isEqualTo("1");
            Object unused = StoreDriver.answer(store.store().submit(store.settlement(job, Transition.COMPLETE)));
            // The writer has written its sums, and tries to write the log back next.
            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .until(() ->
                            other.one("SELECT count(*) FROM windrow_throughput").equals("2"));
            reader.execute("COMMIT");
            Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> jobsWithoutLog(file, "COMPLETED") == 1);
        }
    }

    /** Counts the jobs of a state in the file itself, without what is only in its log. */
    private static int jobsWithoutLog(Path file, String state) {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file.toUri() + "?immutable=1");
                Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery("SELECT count(*) FROM windrow_jobs WHERE state = '" + state + "'")) {
            return row.getInt(1);
        } catch (SQLException e) {
            return 0; // The schema is in the log, too.
        }
    }

    /** Waits until the writer only waits for work. */
    private static void untilItRests() {
        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .until(() -> Thread.getAllStackTraces().keySet().stream()
                        .anyMatch(thread -> thread.getName().equals("windrow-writer-resting.db")
                                && thread.getState() == Thread.State.WAITING));
    }

    /** Failure class 6. */
    @Test
    void aWriterThatHangsAfterItsWorkIsReported() throws Exception {
        Path file = folder.resolve("jobs.db");
        Stores.Gate gate = new Stores.Gate(true);
        try (StoreDriver store = Stores.open(file, Duration.ofSeconds(1), gate)) {
            ClaimedJob job = store.running(NewRow.job());
            PeerProcesses peers = PeerProcesses.join(file.toRealPath());
            CountDownLatch goesOn = new CountDownLatch(1);
            Thread holder = new Thread(() -> {
                peers.fileLock().enter();
                try {
                    assertThat(awaits(goesOn)).isTrue();
                } finally {
                    peers.fileLock().leave();
                }
            });
            try {
                // A thread that waits while the writer works has the turn when the writer has ended its work and is
                // idle.
                gate.close();
                CompletableFuture<Boolean> settled = store.store().submit(store.settlement(job, Transition.COMPLETE));
                gate.awaitArrival();
                holder.start();
                Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> holder.getState() == Thread.State.WAITING);
                gate.open();
                Object unused = failure(settled);
                // A second after its last work the writer writes its sums.
                Awaitility.await()
                        .atMost(Duration.ofMinutes(1))
                        .untilAsserted(
                                () -> assertThat(store.store().tasks().get(0).problem())
                                        .contains("waits for the write lock"));
                goesOn.countDown();
                Awaitility.await()
                        .atMost(Duration.ofMinutes(1))
                        .until(() -> store.store().tasks().get(0).isOk());
            } finally {
                goesOn.countDown();
                holder.join(60_000);
                peers.close();
            }
        }
    }

    @Test
    void aCallerThatFindsTheQueueFullGetsAnErrorAndNothingIsWritten() throws Exception {
        Stores.Gate gate = new Stores.Gate(false);
        try (StoreDriver store = Stores.open(folder.resolve("jobs.db"), Duration.ofMillis(1200), gate)) {
            CompletableFuture<?> first = hold(store, gate);
            CompletableFuture<?> filling = store.store()
                    .submit(new Enqueue(Collections.nCopies(
                            CommandQueue.MAX_ROWS, NewRow.job().row())));
            CompletableFuture<?> late = enqueue(store, NewRow.job());
            assertThat(failure(filling))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("1200ms")
                    .hasMessageContaining("withdrawn");
            assertThat(failure(first)).isInstanceOf(OutcomeUnknownException.class);
            gate.open();
            if (failure(late) == null) {
                // It was queued when the other one was withdrawn.
                assertThat(store.count(JobState.PENDING)).isEqualTo(1);
            } else {
                assertThat(store.count(JobState.PENDING)).isZero();
            }
        }
    }

    @Test
    void anUnknownOutcomeNamesItsIds() throws Exception {
        Stores.Gate gate = new Stores.Gate(true);
        try (StoreDriver store = Stores.open(folder.resolve("jobs.db"), Duration.ofMillis(1200), gate)) {
            gate.close();
            CompletableFuture<List<EnqueuedJob>> enqueued = store.store()
                    .submit(new Enqueue(List.of(NewRow.job().row(), NewRow.job().row())));
            gate.awaitArrival();
            assertThat(failure(enqueued)).isInstanceOfSatisfying(OutcomeUnknownException.class, unknown -> {
                assertThat(unknown.ids()).hasSize(2);
                assertThat(store.store().history(unknown.ids().get(0))).isEmpty();
                gate.open();
                StoreDriver.answer(store.store().submit(new Touch()));
                assertThat(store.state(unknown.ids().get(0))).isEqualTo(JobState.PENDING);
                assertThat(store.state(unknown.ids().get(1))).isEqualTo(JobState.PENDING);
            });
        }
    }

    @Test
    void closingEndsEveryFutureAndReportsEveryLoss() throws Exception {
        Path file = folder.resolve("jobs.db");
        for (int round = 0; round < 4; round++) {
            Stores.Gate gate = new Stores.Gate(false);
            StoreDriver store = Stores.open(file, PATIENT, gate);
            CompletableFuture<?> first = hold(store, gate);
            List<CompletableFuture<List<EnqueuedJob>>> futures = Collections.synchronizedList(new ArrayList<>());
            List<Thread> callers = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                Thread caller = new Thread(() -> {
                    CompletableFuture<List<EnqueuedJob>> future;
                    do {
                        future = store.store()
                                .submit(new Enqueue(
                                        Collections.nCopies(100, NewRow.job().row())));
                        futures.add(future);
                    } while (!future.isCompletedExceptionally());
                });
                caller.start();
                callers.add(caller);
            }
            Thread closer = new Thread(store::close);
            closer.start();
            gate.open();
            closer.join(60_000);
            assertThat(closer.isAlive()).isFalse();
            for (Thread caller : callers) {
                caller.join(60_000);
                assertThat(caller.isAlive()).isFalse();
            }
            Object unused = StoreDriver.answer(first);
            List<Long> written = new ArrayList<>();
            for (CompletableFuture<List<EnqueuedJob>> future : futures) {
                assertThat(future).isDone();
                if (future.isCompletedExceptionally()) {
                    assertThat(failure(future)).isInstanceOf(StoreUnavailableException.class);
                } else {
                    future.join().forEach(job -> written.add(job.id()));
                }
            }
            try (TestDatabase database = TestDatabase.open(file)) {
                assertThat(database.rows("SELECT id FROM windrow_jobs ORDER BY id"))
                        .isEqualTo(
                                written.stream().sorted().map(String::valueOf).toList());
                database.execute("DELETE FROM windrow_jobs");
                database.execute("DELETE FROM windrow_counters");
            }
        }
    }

    /** Failure class 5. */
    @Test
    void aConstraintViolationHarmsNoOtherOperation() throws Exception {
        Stores.Gate gate = new Stores.Gate(false);
        try (StoreDriver store = Stores.open(folder.resolve("jobs.db"), PATIENT, gate);
                TestDatabase other = TestDatabase.open(folder.resolve("jobs.db"))) {
            ClaimedJob running = store.running(NewRow.job());
            other.execute("CREATE TRIGGER poison BEFORE INSERT ON windrow_payloads WHEN NEW.payload = '\"poison\"'"
                    + " BEGIN SELECT RAISE(ABORT, 'poisoned'); END");
            CompletableFuture<?> first = hold(store, gate);
            List<CompletableFuture<List<EnqueuedJob>>> good = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                good.add(enqueue(store, NewRow.job().payload("1")));
            }
            CompletableFuture<List<EnqueuedJob>> bad =
                    enqueue(store, NewRow.job().payload("\"poison\""));
            CompletableFuture<Boolean> settled = store.store().submit(store.settlement(running, Transition.COMPLETE));
            gate.open();
            Object unused = StoreDriver.answer(first);
            good.forEach(future -> assertThat(StoreDriver.answer(future)).hasSize(1));
            assertThat(StoreDriver.answer(settled)).isTrue();
            assertThat(failure(bad)).isInstanceOf(WindrowException.class).hasMessageContaining("poisoned");
            assertThat(store.count(JobState.PENDING)).isEqualTo(50);
            assertThat(store.events(running.id())).containsOnlyOnce(EventKind.SUCCEEDED);
        }
    }

    @Test
    void aThrowingListenerHarmsNoJob() {
        try (StoreDriver store = Stores.open(folder.resolve("jobs.db"))) {
            CompletableFuture<?> broken = enqueue(store, NewRow.job()).thenAccept(jobs -> {
                throw new IllegalStateException("a careless caller");
            });
            assertThat(broken).failsWithin(PATIENT);
            assertThat(store.enqueue(NewRow.job())).isPositive();
        }
    }
}
