package dev.windrow.sqlite.writer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.windrow.Enqueued;
import dev.windrow.EventKind;
import dev.windrow.IncompatibleStoreException;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.OutcomeUnknownException;
import dev.windrow.StoreUnavailableException;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.monitor.Health;
import dev.windrow.sqlite.Hooks;
import dev.windrow.sqlite.SqliteStore;
import dev.windrow.sqlite.Stores;
import dev.windrow.sqlite.TestDatabase;
import dev.windrow.store.Command;
import dev.windrow.store.Transition;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.Enqueue;
import dev.windrow.store.job.EnqueuedJob;
import dev.windrow.store.job.Started;
import dev.windrow.store.job.Touch;
import dev.windrow.store.sql.writer.Batch;
import dev.windrow.store.sql.writer.Submission;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A caller that waits for its commit, and comes alone, writes on its own thread. */
class WriteHereTest {
    private static final Duration PATIENT = Duration.ofSeconds(60);

    @TempDir
    Path folder;

    private final Threads threads = new Threads();
    private final List<Thread> started = new ArrayList<>();
    private CompletableFuture<Long> last = new CompletableFuture<>();

    @AfterEach
    void end() throws InterruptedException {
        threads.goesOn.release(1000);
        for (Thread thread : started) {
            thread.join(60_000);
        }
    }

    /** Records the thread of each commit, and holds those of threads named {@code held}. */
    private static final class Threads implements Writer.Probe {
        final List<String> committing = new CopyOnWriteArrayList<>();
        final AtomicInteger jobs = new AtomicInteger();
        final List<String> rollingBack = new CopyOnWriteArrayList<>();
        final AtomicInteger startsOfCallers = new AtomicInteger();
        /** The largest batch of a caller, and the threads that have completed what callers have committed. */
        final AtomicInteger largest = new AtomicInteger();

        final Set<String> completing = ConcurrentHashMap.newKeySet();
        final Semaphore arrived = new Semaphore(0);
        final Semaphore goesOn = new Semaphore(0);

        @Override
        public void committing(Batch batch) throws SQLException {
            String name = Thread.currentThread().getName();
            committing.add(name.startsWith("windrow-writer") ? "writer" : name);
            jobs.addAndGet(batch.submissions().size());
            if (name.equals("caller") && batch.has(Started.class)) {
                startsOfCallers.incrementAndGet();
            }
            if (name.equals("caller")) {
                largest.accumulateAndGet(batch.submissions().size(), Math::max);
                for (Submission<?> submission : batch.submissions()) {
                    CompletableFuture<?> unused = submission
                            .future()
                            .thenRun(() -> completing.add(Thread.currentThread().getName()));
                }
            }
            if (name.equals("held")) {
                arrived.release();
                goesOn.acquireUninterruptibly();
            } else if (name.equals("failing")) {
                throw new OutOfMemoryError("told to fail");
            } else if (name.equals("interrupted")) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void rollingBack() {
            rollingBack.add(Thread.currentThread().getName());
        }

        String last() {
            return committing.get(committing.size() - 1);
        }
    }

    private StoreDriver open(Duration timeout) {
        return Stores.open(folder.resolve("jobs.db"), timeout, threads);
    }

    private static Command<List<EnqueuedJob>> job() {
        return new Enqueue(List.of(NewRow.job().row()));
    }

    /** Enqueues a job on a thread of this name. The writer's thread sleeps. */
    private CompletableFuture<Long> enqueueOn(String name, StoreDriver store) {
        CompletableFuture<Long> done = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try {
                        done.complete(StoreDriver.answer(store.store().submitAndWait(job()))
                                .get(0)
                                .id());
                    } catch (Throwable e) {
                        done.completeExceptionally(e);
                    }
                },
                name);
        started.add(thread);
        thread.start();
        return done;
    }

    /** Enqueues jobs until one is written on its caller's thread. */
    private void untilItWritesItself(StoreDriver store) throws Exception {
        long end = System.nanoTime() + PATIENT.toNanos();
        do {
            assertThat(System.nanoTime() - end).isNegative();
            Long unused = enqueueOn("caller", store).get(60, TimeUnit.SECONDS);
        } while (!threads.last().equals("caller"));
    }

    /** Holds a caller that writes itself, before its commit. */
    private void hold(StoreDriver store) throws Exception {
        untilItWritesItself(store);
        last = enqueueOn("held", store);
        assertThat(threads.arrived.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aLoneCallerThatWaitsWritesItself() throws Exception {
        try (StoreDriver store = open(PATIENT)) {
            untilItWritesItself(store);
            int before = threads.committing.size();
            for (int i = 0; i < 50; i++) {
                Long unused = enqueueOn("caller", store).get(60, TimeUnit.SECONDS);
            }
            assertThat(threads.committing.subList(before, threads.committing.size()))
                    .as("the writer's own chores may come between, on its thread")
                    .filteredOn("caller"::equals)
                    .hasSize(50);
        }
        try (TestDatabase database = TestDatabase.open(folder.resolve("jobs.db"))) {
            assertThat(Integer.parseInt(database.one("SELECT count(*) FROM windrow_jobs")))
                    .isGreaterThan(50);
        }
    }

    @Test
    void aCallerThatDoesNotWaitNeverWritesItself() throws Exception {
        try (StoreDriver store = open(PATIENT)) {
            untilItWritesItself(store);
            Object unused = StoreDriver.answer(store.store().submit(job()));
            assertThat(threads.last()).isEqualTo("writer");
        }
    }

    @Test
    void callersThatCameTogetherShareCommitsUntilEightHaveComeAlone() throws Exception {
        try (StoreDriver store = open(PATIENT)) {
            hold(store);
            List<CompletableFuture<?>> together = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                together.add(store.store().submit(job()));
            }
            int before = threads.committing.size();
            threads.goesOn.release();
            for (CompletableFuture<?> future : together) {
                Object unused = StoreDriver.answer(future);
            }
            assertThat(threads.committing.subList(before, threads.committing.size()))
                    .containsExactly("writer");
            for (int i = 0; i < 8; i++) {
                Long unused = enqueueOn("caller", store).get(60, TimeUnit.SECONDS);
                assertThat(threads.last()).isEqualTo("writer");
            }
            untilItWritesItself(store);
        }
    }

    @Test
    void whatIsQueuedMeanwhileIsWrittenByTheWriterAfterwards() throws Exception {
        try (StoreDriver store = open(PATIENT)) {
            hold(store);
            CompletableFuture<Void> queued = store.store().submit(new Touch());
            CompletableFuture<Long> other = enqueueOn("caller", store);
            Awaitility.await()
                    .atMost(PATIENT)
                    .until(() -> started.get(started.size() - 1).getState() == Thread.State.TIMED_WAITING);
            assertThat(queued).isNotDone();
            threads.goesOn.release();
            Void unused = StoreDriver.answer(queued);
            assertThat(other.get(60, TimeUnit.SECONDS)).isPositive();
            assertThat(threads.last()).isEqualTo("writer");
        }
    }

    @Test
    void theHealthNamesTheCallerThatWritesWhateverComesMeanwhile() throws Exception {
        try (StoreDriver store = open(Duration.ofSeconds(1))) {
            hold(store);
            CompletableFuture<Long> other = enqueueOn("caller", store);
            assertThat(catchThrowable(() -> other.get(60, TimeUnit.SECONDS)))
                    .hasCauseInstanceOf(StoreUnavailableException.class);
            Awaitility.await()
                    .atMost(PATIENT)
                    .until(() -> store.store().tasks().stream()
                            .anyMatch(task ->
                                    task.problem() != null && task.problem().contains("of thread 'held'")));
            threads.goesOn.release();
        }
    }

    @Test
    void closeWaitsForACallerThatWrites() throws Exception {
        StoreDriver store = open(PATIENT);
        hold(store);
        Thread closer = new Thread(store::close);
        started.add(closer);
        closer.start();
        Awaitility.await().atMost(PATIENT).until(() -> closer.getState() == Thread.State.TIMED_WAITING);
        assertThat(last).isNotDone();
        threads.goesOn.release();
        long id = last.get(60, TimeUnit.SECONDS);
        closer.join(30_000);
        assertThat(closer.isAlive()).isFalse();
        try (TestDatabase database = TestDatabase.open(folder.resolve("jobs.db"))) {
            assertThat(database.rows("SELECT id FROM windrow_jobs")).contains(String.valueOf(id));
        }
    }

    @Test
    void noCallerWritesAnIncompatibleStoreAgain() throws Exception {
        try (StoreDriver store = open(PATIENT);
                TestDatabase newer = TestDatabase.open(folder.resolve("jobs.db"))) {
            untilItWritesItself(store);
            newer.execute("INSERT INTO windrow_schema (version, min_compatible, name, applied_at)"
                    + " VALUES (10000, 10000, 'later.sql', 0)");
            for (int i = 0; i < 5; i++) {
                assertThat(catchThrowable(() -> enqueueOn("caller", store).get(60, TimeUnit.SECONDS)))
                        .hasCauseInstanceOf(IncompatibleStoreException.class);
            }
            assertThat(threads.rollingBack).filteredOn("caller"::equals).hasSize(1);
        }
    }

    @Test
    void aCallerWaitsWhileTheWriterCompletesItsFutures() throws Exception {
        try (StoreDriver store = open(PATIENT)) {
            hold(store);
            Semaphore completing = new Semaphore(0);
            Semaphore goesOn = new Semaphore(0);
            CompletableFuture<Void> touched = store.store().submit(new Touch());
            CompletableFuture<Void> after = touched.thenRun(() -> {
                completing.release();
                goesOn.acquireUninterruptibly();
            });
            threads.goesOn.release();
            assertThat(completing.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
            try {
                CompletableFuture<Long> caller = enqueueOn("caller", store);
                Awaitility.await()
                        .atMost(PATIENT)
                        .until(() -> started.get(started.size() - 1).getState() == Thread.State.TIMED_WAITING);
                assertThat(threads.last()).isEqualTo("writer");
                goesOn.release();
                assertThat(caller.get(60, TimeUnit.SECONDS)).isPositive();
            } finally {
                goesOn.release();
            }
            after.get(60, TimeUnit.SECONDS);
            assertThat(threads.last()).isEqualTo("writer");
        }
    }

    @Test
    void anErrorDuringTheCommitFailsThatCallerOnly() throws Exception {
        try (StoreDriver store = open(PATIENT)) {
            untilItWritesItself(store);
            int jobs = threads.committing.size();
            assertThat(catchThrowable(() -> enqueueOn("failing", store).get(60, TimeUnit.SECONDS)))
                    .hasRootCauseInstanceOf(OutOfMemoryError.class);
            Long unused = enqueueOn("caller", store).get(60, TimeUnit.SECONDS);
            assertThat(store.count(JobState.PENDING)).isEqualTo(jobs + 1);
            assertThat(store.store().tasks()).allMatch(Health.Task::isOk);
        }
    }

    @Test
    void aStartThatWaitsForCompanyIsWrittenByTheCaller() throws Exception {
        try (StoreDriver store = open(PATIENT)) {
            ClaimedJob job = store.running(NewRow.job());
            untilItWritesItself(store);
            // A start that the writer's thread wrote in time, on its own, is followed by another one.
            Awaitility.await().atMost(PATIENT).until(() -> {
                CompletableFuture<Void> start = store.store()
                        .submit(new Started(job.leaseToken(), "w", store.time().millis()));
                Long unused = enqueueOn("caller", store).get(60, TimeUnit.SECONDS);
                Void unusedAnswer = StoreDriver.answer(start);
                return threads.startsOfCallers.get() > 0;
            });
            assertThat(store.events(job.id())).contains(EventKind.STARTED);
            assertThat(store.settle(job, Transition.COMPLETE)).isTrue();
        }
    }

    @Test
    void manyStartsThatTheCallerWritesAreCompletedOnItsThread() throws Exception {
        try (StoreDriver store = open(PATIENT)) {
            ClaimedJob job = store.running(NewRow.job());
            untilItWritesItself(store);
            Awaitility.await().atMost(PATIENT).until(() -> {
                for (int i = 0; i < 2 * Completer.MANY; i++) {
                    CompletableFuture<Void> unused = store.store()
                            .submit(new Started(
                                    job.leaseToken(), "w", store.time().millis()));
                }
                Long unused = enqueueOn("caller", store).get(60, TimeUnit.SECONDS);
                return threads.largest.get() > Completer.MANY;
            });
            assertThat(threads.completing).containsExactly("caller");
        }
    }

    @Test
    void anInterruptBeforeOrDuringTheCommitIsKeptAndChangesNothing() throws Exception {
        try (StoreDriver store = open(PATIENT)) {
            for (boolean before : new boolean[] {true, false}) {
                untilItWritesItself(store);
                boolean[] kept = new boolean[1];
                CompletableFuture<List<EnqueuedJob>> done = new CompletableFuture<>();
                Thread thread = new Thread(
                        () -> {
                            if (before) {
                                Thread.currentThread().interrupt();
                            }
                            done.complete(store.store().submitAndWait(job()).join());
                            kept[0] = Thread.currentThread().isInterrupted();
                        },
                        "interrupted");
                started.add(thread);
                thread.start();
                assertThat(done.get(60, TimeUnit.SECONDS)).hasSize(1);
                thread.join(60_000);
                assertThat(threads.last()).isEqualTo("interrupted");
                assertThat(kept[0]).isTrue();
                // If it had closed the channel of the turns, each further try would fail, and no caller would write.
                int commits = threads.committing.size();
                Long unused = enqueueOn("caller", store).get(60, TimeUnit.SECONDS);
                assertThat(threads.committing.subList(commits, threads.committing.size()))
                        .containsExactly("caller");
            }
        }
    }

    /** An interrupt, and the watch, can end the wait for a future. They cannot end a wait inside SQLite. */
    @Test
    void aCallerLeavesTheWaitForALockToTheWriter() throws Exception {
        try (StoreDriver store = open(PATIENT);
                TestDatabase other = TestDatabase.open(folder.resolve("jobs.db"))) {
            untilItWritesItself(store);
            other.execute("BEGIN IMMEDIATE");
            CompletableFuture<Long> waiting = enqueueOn("caller", store);
            Awaitility.await()
                    .atMost(PATIENT)
                    .until(() -> started.get(started.size() - 1).getState() == Thread.State.TIMED_WAITING);
            assertThat(waiting).isNotDone();
            other.execute("ROLLBACK");
            assertThat(waiting.get(60, TimeUnit.SECONDS)).isPositive();
            assertThat(threads.last()).isEqualTo("writer");
        }
    }

    /** The engine's own threads, such as the one that stops a worker, end within the operation timeout even if the disk hangs. */
    @Test
    void noThreadOfTheEngineWritesItself() throws Exception {
        JobType<@Nullable Void, @Nullable Void> type = JobType.of("no-op");
        SqliteStore store = Hooks.probe(SqliteStore.configure(folder.resolve("jobs.db")), threads)
                .build();
        try (Windrow windrow = Windrow.open(store)) {
            Worker worker =
                    windrow.worker().handleVoid(type, (input, job) -> {}).start();
            // One job after the other, so that the stop of the worker could write itself, too.
            for (int i = 0; i < 30; i++) {
                Enqueued<@Nullable Void> unused = windrow.enqueue(type.job(null));
                worker.awaitIdle(PATIENT);
            }
            worker.close();
        }
        String application = Thread.currentThread().getName();
        assertThat(threads.committing).contains("writer", application).isSubsetOf("writer", application);
    }

    /** On a JVM without virtual threads the caller writes itself. */
    @Test
    void aVirtualThreadNeverWritesItself() throws Exception {
        try (StoreDriver store = open(PATIENT)) {
            untilItWritesItself(store);
            CompletableFuture<Boolean> isVirtual = new CompletableFuture<>();
            Runnable enqueue = () -> {
                List<EnqueuedJob> unused = StoreDriver.answer(store.store().submitAndWait(job()));
                isVirtual.complete(VirtualThreads.isCurrent());
            };
            boolean exist = Arrays.stream(Thread.class.getMethods())
                            .anyMatch(method -> method.getName().equals("startVirtualThread"))
                    && Runtime.version().feature() >= 21;
            if (exist) {
                Object unused = Thread.class
                        .getMethod("startVirtualThread", Runnable.class)
                        .invoke(null, enqueue);
            } else {
                Thread thread = new Thread(enqueue, "caller");
                started.add(thread);
                thread.start();
            }
            assertThat(isVirtual.get(60, TimeUnit.SECONDS)).isEqualTo(exist);
            assertThat(threads.last()).isEqualTo(exist ? "writer" : "caller");
        }
    }

    @Test
    void aCallerWhoseStackEndsStopsNoOther() throws Exception {
        try (StoreDriver store = open(PATIENT)) {
            untilItWritesItself(store);
            int before = Math.toIntExact(store.count(JobState.PENDING));
            List<Long> written = new CopyOnWriteArrayList<>();
            List<Throwable> failures = new CopyOnWriteArrayList<>();
            int[] calls = new int[1];
            Thread writer = Thread.getAllStackTraces().keySet().stream()
                    .filter(thread -> thread.getName().equals("windrow-writer-jobs.db"))
                    .findFirst()
                    .orElseThrow();
            Thread deep =
                    new Thread(null, () -> dive(store, writer, written, failures, calls, 0), "caller", 512 * 1024);
            started.add(deep);
            deep.start();
            deep.join(60_000);
            assertThat(deep.isAlive()).isFalse();
            assertThat(calls[0]).isEqualTo(DIVES);
            assertThat(failures).as("no stack ends in a transaction").noneMatch(ExecutionException.class::isInstance);
            assertThat(enqueueOn("caller", store).get(60, TimeUnit.SECONDS)).isPositive();
            try (TestDatabase database = TestDatabase.open(folder.resolve("jobs.db"))) {
                assertThat(database.rows("SELECT id FROM windrow_jobs"))
                        .containsAll(written.stream().map(String::valueOf).toList());
            }
            assertThat(store.count(JobState.PENDING)).isBetween(before + written.size() + 1L, before + DIVES + 1L);
            assertThat(written).isNotEmpty();
            assertThat(store.store().tasks()).allMatch(Health.Task::isOk);
        }
    }

    private static final int DIVES = 400;

    /** Enqueues at the depths at which the stack ends, and a little above. */
    private static void dive(
            StoreDriver store, Thread writer, List<Long> written, List<Throwable> failures, int[] calls, int depth) {
        try {
            if (depth < Integer.MAX_VALUE) {
                dive(store, writer, written, failures, calls, depth + 1);
            }
        } catch (StackOverflowError e) {
            // This is the depth.
        }
        if (calls[0] < DIVES) {
            calls[0]++;
            try {
                while (writer.getState() == Thread.State.RUNNABLE) {
                    Thread.onSpinWait(); // a caller writes itself while the writer sleeps
                }
                written.add(store.store()
                        .submitAndWait(job())
                        .get(60, TimeUnit.SECONDS)
                        .get(0)
                        .id());
            } catch (Throwable e) {
                failures.add(e);
            }
        }
    }

    /** Callers that come alone at the same moment: the turn goes from one to another, to the writer, and back. */
    @Test
    void manyCallersAtOnceLoseNothing() throws Exception {
        List<Long> written = new CopyOnWriteArrayList<>();
        try (StoreDriver store = open(PATIENT)) {
            for (int round = 0; round < 100; round++) {
                untilItWritesItself(store);
                List<CompletableFuture<Long>> callers = new ArrayList<>();
                for (int i = 0; i < 3; i++) {
                    callers.add(enqueueOn("caller", store));
                }
                for (CompletableFuture<Long> caller : callers) {
                    written.add(caller.get(60, TimeUnit.SECONDS));
                }
            }
            assertThat(store.store().tasks()).allMatch(Health.Task::isOk);
        }
        assertThat(written).hasSize(300).doesNotHaveDuplicates();
        try (TestDatabase database = TestDatabase.open(folder.resolve("jobs.db"))) {
            assertThat(database.rows("SELECT id FROM windrow_jobs"))
                    .hasSize(threads.jobs.get())
                    .containsAll(written.stream().map(String::valueOf).toList());
        }
    }

    /** Failure class 6. */
    @Test
    void aCallerThatHangsAtTheDiskIsReportedAndTheOthersAreWithdrawn() throws Exception {
        try (StoreDriver store = open(Duration.ofSeconds(1))) {
            hold(store);
            CompletableFuture<Long> held = last;
            CompletableFuture<Void> queued = store.store().submit(new Touch());
            assertThat(catchThrowable(() -> StoreDriver.answer(queued))).hasMessageContaining("withdrawn");
            assertThat(store.store().tasks().get(0).problem()).contains("thread 'held'", "the disk is slow or hangs");
            threads.goesOn.release();
            Awaitility.await()
                    .atMost(PATIENT)
                    .until(() -> store.store().tasks().get(0).isOk());
            assertThat(catchThrowable(() -> held.get(60, TimeUnit.SECONDS)))
                    .hasCauseInstanceOf(OutcomeUnknownException.class);
        }
    }

    @Test
    void closingWaitsForACallerThatWrites() throws Exception {
        StoreDriver store = open(PATIENT);
        hold(store);
        Thread closer = new Thread(store::close, "closer");
        started.add(closer);
        closer.start();
        Awaitility.await().atMost(PATIENT).until(() -> closer.getState() == Thread.State.TIMED_WAITING);
        int before = threads.committing.size();
        threads.goesOn.release();
        closer.join(60_000);
        assertThat(closer.isAlive()).isFalse();
        try (TestDatabase database = TestDatabase.open(folder.resolve("jobs.db"))) {
            assertThat(database.one("SELECT count(*) FROM windrow_jobs")).isEqualTo(Integer.toString(before));
        }
    }
}
