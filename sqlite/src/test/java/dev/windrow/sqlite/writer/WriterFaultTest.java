package dev.windrow.sqlite.writer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.windrow.EventLevel;
import dev.windrow.JobState;
import dev.windrow.StoreUnavailableException;
import dev.windrow.TimeSource;
import dev.windrow.WindrowException;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.monitor.Health;
import dev.windrow.sqlite.Hooks;
import dev.windrow.sqlite.SqliteStore;
import dev.windrow.sqlite.Stores;
import dev.windrow.sqlite.TestDatabase;
import dev.windrow.store.OpenStore;
import dev.windrow.store.StoreEnvironment;
import dev.windrow.store.StoreHints;
import dev.windrow.store.StoreProvider;
import dev.windrow.store.job.Claimed;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.Enqueue;
import dev.windrow.store.job.EnqueuedJob;
import dev.windrow.store.job.LeaseToken;
import dev.windrow.store.job.Touch;
import dev.windrow.store.job.WaitingClaim;
import dev.windrow.store.sql.writer.Batch;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Errors in the midst of the writer's transaction: nothing is written twice, no caller waits forever, and the writer continues. */
class WriterFaultTest {
    private static final Duration PATIENT = Duration.ofSeconds(60);

    @TempDir
    Path folder;

    private static Throwable failure(CompletableFuture<?> future) {
        return catchThrowable(() -> {
            Object unused = StoreDriver.answer(future);
        });
    }

    private static CompletableFuture<List<EnqueuedJob>> enqueue(StoreDriver store) {
        return store.store().submit(new Enqueue(List.of(NewRow.job().row())));
    }

    /** Returns the state of the store's writer. */
    private static Health.Task writer(StoreDriver store) {
        return store.store().tasks().stream()
                .filter(task -> task.name().startsWith("windrow-writer"))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aStartedClaimIsCompletedOnlyByItsCommit() throws Exception {
        Stores.Gate gate = new Stores.Gate(true);
        try (StoreDriver store = Stores.open(folder.resolve("jobs.db"), Duration.ofSeconds(1), gate)) {
            long id = store.enqueue(NewRow.job());
            gate.close();
            CompletableFuture<Claimed> claimed = store.store().submit(StoreDriver.request(5));
            while (!gate.arrived.tryAcquire(1, TimeUnit.SECONDS)) {
                // On a busy machine its timeout may pass before it begins.
                claimed = claimed.isDone() ? store.store().submit(StoreDriver.request(5)) : claimed;
            }
            for (int look = 0; look < 2; look++) {
                assertThat(failure(store.store().submit(new Touch())))
                        .as("the look that ends waits that last too long")
                        .isInstanceOf(StoreUnavailableException.class);
            }
            assertThat(claimed).isNotDone();
            gate.open();
            assertThat(StoreDriver.answer(claimed).jobs())
                    .extracting(ClaimedJob::id)
                    .containsExactly(id);
        }
    }

    /** The clock of the machine, which fails on the writer's thread as often as the test asks. */
    private static final class FailingClock implements TimeSource {
        final AtomicInteger failures = new AtomicInteger();

        @Override
        public Instant now() {
            boolean fails = Thread.currentThread().getName().startsWith("windrow-writer-jobs.db")
                    && failures.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
            if (fails) {
                throw new OutOfMemoryError("told to fail");
            }
            return TimeSource.system().now();
        }

        @Override
        public long nanoTime() {
            return TimeSource.system().nanoTime();
        }

        @Override
        public void awaitUntil(ReentrantLock lock, Condition condition, long deadlineNanos)
                throws InterruptedException {
            TimeSource.system().awaitUntil(lock, condition, deadlineNanos);
        }
    }

    @Test
    void anErrorRightAfterTheBeginLeavesNoTransactionOpen() throws Exception {
        Path file = folder.resolve("jobs.db");
        FailingClock clock = new FailingClock();
        try (OpenStore store = StoreProvider.open(
                        SqliteStore.at(file), new StoreEnvironment(clock, EventLevel.ALL, new StoreDriver.Hints()));
                TestDatabase other = TestDatabase.open(file)) {
            clock.failures.set(1);
            assertThat(failure(store.submit(new Enqueue(List.of(NewRow.job().row())))))
                    .isInstanceOf(WindrowException.class)
                    .hasMessageContaining("told to fail");
            assertThat(store.tasks())
                    .anyMatch(task -> String.valueOf(task.problem()).contains("told to fail"));
            other.execute("BEGIN IMMEDIATE");
            other.execute("ROLLBACK");
            assertThat(StoreDriver.answer(
                            store.submit(new Enqueue(List.of(NewRow.job().row())))))
                    .hasSize(1);
            assertThat(other.one("SELECT count(*) FROM windrow_jobs")).isEqualTo("1");
            assertThat(store.tasks()).allMatch(Health.Task::isOk);
        }
    }

    @Test
    void aTransactionThatCannotBeRolledBackLosesOnlyItsConnection() throws Exception {
        Path file = folder.resolve("jobs.db");
        AtomicInteger failures = new AtomicInteger();
        Writer.Probe probe = new Writer.Probe() {
            @Override
            public void committing(Batch batch) throws SQLException {
                if (failures.get() > 0) {
                    throw new SQLException("told to fail");
                }
            }

            @Override
            public void rollingBack() {
                if (failures.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                    throw new IllegalStateException("told not to roll back");
                }
            }
        };
        try (StoreDriver store = Stores.open(file, PATIENT, probe);
                TestDatabase other = TestDatabase.open(file)) {
            long before = store.enqueue(NewRow.job());
            failures.set(1);
            assertThat(failure(enqueue(store))).isInstanceOf(WindrowException.class);
            Awaitility.await().atMost(PATIENT).ignoreExceptions().until(() -> {
                other.execute("BEGIN IMMEDIATE");
                other.execute("ROLLBACK");
                return true;
            });
            long after = StoreDriver.answer(enqueue(store)).get(0).id();
            assertThat(after).isGreaterThan(before);
            assertThat(store.count(JobState.PENDING)).isEqualTo(2);
            other.execute("BEGIN IMMEDIATE");
            other.execute("ROLLBACK");
            assertThat(writer(store).isOk()).isTrue();
        }
    }

    /** Covers two callers that share one commit, with one job each. */
    @Test
    void anErrorAfterTheCommitRepeatsNothing() throws Exception {
        Path file = folder.resolve("jobs.db");
        Stores.Gate gate = new Stores.Gate(false);
        SqliteStore place = Hooks.probe(SqliteStore.configure(file).operationTimeout(PATIENT), gate)
                .build();
        try (OpenStore store = StoreProvider.open(
                        place, new StoreEnvironment(TimeSource.system(), EventLevel.ALL, new ThrowingHints()));
                TestDatabase other = TestDatabase.open(file)) {
            gate.close();
            CompletableFuture<?> first = store.submit(new Touch());
            gate.awaitArrival();
            List<CompletableFuture<List<EnqueuedJob>>> enqueued = List.of(
                    store.submit(new Enqueue(List.of(NewRow.job().row()))),
                    store.submit(new Enqueue(List.of(NewRow.job().row()))));
            gate.open();
            Object unused = StoreDriver.answer(first);
            for (CompletableFuture<List<EnqueuedJob>> answer : enqueued) {
                assertThat(StoreDriver.answer(answer)).hasSize(1);
            }
            unused = StoreDriver.answer(store.submit(new Touch()));
            assertThat(other.one("SELECT count(*) FROM windrow_jobs")).isEqualTo("2");
        }
    }

    /** Throws at each notification after a commit. */
    private static final class ThrowingHints implements StoreHints {
        @Override
        public void ready(String queue, String type) {}

        @Override
        public @Nullable WaitingClaim waitingClaim(String queue, String type) {
            return null;
        }

        @Override
        public void due(long atMillis) {}

        @Override
        public void cancelRequested(LeaseToken leaseToken) {}

        @Override
        public void finished(long id, JobState state) {}

        @Override
        public void waitEnds(long atMillis) {}

        @Override
        public void scheduleDue(long atMillis) {}

        @Override
        public void superseded(@Nullable LeaseToken leaseToken) {}

        @Override
        public void committed(int operations, long nanos) {
            throw new IllegalStateException("told to fail");
        }
    }
}
