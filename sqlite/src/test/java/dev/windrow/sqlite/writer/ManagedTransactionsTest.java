package dev.windrow.sqlite.writer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.windrow.InvalidRequestException;
import dev.windrow.JobState;
import dev.windrow.StoreUnavailableException;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.monitor.Health;
import dev.windrow.sqlite.Stores;
import dev.windrow.sqlite.TestDatabase;
import dev.windrow.sqlite.connection.LockHolder;
import dev.windrow.sqlite.processes.FairFileLock;
import dev.windrow.store.job.Enqueue;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Transactions on a connection of the store: turns, waits, and state that must not be left behind. */
class ManagedTransactionsTest {
    @TempDir
    Path folder;

    private Path file;
    private StoreDriver store;

    @BeforeEach
    void openStore() {
        file = folder.resolve("jobs.db");
        store = Stores.open(file);
    }

    @AfterEach
    void closeStore() {
        store.close();
    }

    private static void enqueue(StoreDriver store, Connection connection) {
        store.store().apply(connection, new Enqueue(List.of(NewRow.job().row())));
    }

    @Test
    void aTransactionThatCannotBeginInTimeNamesTheHolderOfTheLock() throws SQLException {
        try (TestDatabase other = TestDatabase.open(file);
                StoreDriver hasty = Stores.open(file, Duration.ofMillis(300), Writer.Probe.NONE)) {
            other.execute("BEGIN IMMEDIATE");
            AtomicReference<Connection> given = new AtomicReference<>();
            Throwable failure = catchThrowable(() -> hasty.store().inTransaction(connection -> {
                given.set(connection);
                return 1;
            }));
            assertThat(failure)
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("could not begin within 300ms")
                    .hasMessageContaining("write lock");
            assertThat(given).hasNullValue();
            other.execute("ROLLBACK");
            hasty.store().inTransaction(connection -> {
                enqueue(hasty, connection);
                return 1;
            });
        }
        assertThat(store.count(JobState.PENDING)).isEqualTo(1);
    }

    /** A transaction that has its turn, and keeps it until the test releases it. */
    private static final class Held implements AutoCloseable {
        private final CountDownLatch inside = new CountDownLatch(1);
        private final CountDownLatch goOn = new CountDownLatch(1);
        private final CompletableFuture<Integer> done;

        Held(StoreDriver holder) throws SQLException {
            done = CompletableFuture.supplyAsync(() -> {
                try {
                    return holder.store().inTransaction(connection -> {
                        inside.countDown();
                        Stores.await(goOn);
                        return 1;
                    });
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
            Stores.await(inside);
        }

        @Override
        public void close() {
            goOn.countDown();
            assertThat(done.join()).isEqualTo(1);
        }
    }

    @Test
    void aTransactionThatWaitsTooLongIsWithdrawnAndTheNextOneRuns() throws SQLException {
        try (StoreDriver hasty = Stores.open(file, Duration.ofMillis(300), Writer.Probe.NONE)) {
            try (Held held = new Held(hasty)) {
                assertThat(catchThrowable(() -> hasty.store().inTransaction(connection -> 1)))
                        .isInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining("was not done within 300ms");
                assertThat(hasty.store().tasks())
                        .extracting(Health.Task::problem)
                        .anyMatch(
                                problem -> problem != null && problem.contains("waits for the transaction of thread"));
            }
            assertThat(hasty.enqueue(NewRow.job())).isPositive();
            int two = hasty.store().inTransaction(connection -> 2);
            assertThat(two).isEqualTo(2);
        }
    }

    /** Covers an interrupted thread. If it waited at the fair file lock, it would close the lock file for the whole process. */
    @Test
    void anInterruptedWaitForATransactionEndsAndTheFairLockStaysUsable() throws Exception {
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        try (Held held = new Held(store)) {
            Thread waiting = new Thread(() -> {
                Thread.currentThread().interrupt();
                failure.complete(catchThrowable(() -> store.store().inTransaction(connection -> 1)));
                interrupted.complete(Thread.currentThread().isInterrupted());
            });
            waiting.start();
            assertThat(failure.get(60, TimeUnit.SECONDS))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("was interrupted");
            assertThat(interrupted.get(60, TimeUnit.SECONDS)).isTrue();
        }
        try (StoreDriver other = Stores.open(file);
                Held held = new Held(other)) {
            assertThat(LockHolder.of(folder.resolve("jobs.db-windrow/lock"), FairFileLock.MAIN))
                    .as("the turn is had through the turnstile")
                    .isNotEmpty();
        }
        store.enqueue(NewRow.job());
    }

    @Test
    void aThreadWithTheWriteLockOfOneStoreIsRefusedByAnotherOnTheFile() throws SQLException {
        try (StoreDriver other = Stores.open(file)) {
            store.store().inTransaction(connection -> {
                assertThat(catchThrowable(() -> other.store().inTransaction(inner -> 1)))
                        .isInstanceOf(InvalidRequestException.class);
                enqueue(other, connection);
                return 1;
            });
            assertThat(other.count(JobState.PENDING)).isEqualTo(1);
        }
    }

    @Test
    void aPartlyReadResultSetKeepsNoSnapshot() throws SQLException {
        for (int i = 0; i < 3; i++) {
            store.store().inTransaction(connection -> {
                Statement leftOpen = connection.createStatement();
                ResultSet rows = leftOpen.executeQuery("SELECT 1 UNION SELECT 2");
                assertThat(rows.next()).isTrue();
                enqueue(store, connection);
                return 1;
            });
            store.enqueue(NewRow.job());
        }
        assertThat(store.count(JobState.PENDING)).isEqualTo(6);
    }

    @Test
    void jobsEnqueuedEarlierAreWrittenEarlier() throws SQLException {
        Stores.Gate gate = new Stores.Gate(false);
        try (StoreDriver gated = Stores.open(file, Duration.ofSeconds(30), gate)) {
            gate.close();
            CompletableFuture<?> first =
                    gated.store().submit(new Enqueue(List.of(NewRow.job().row())));
            gate.arrived.acquireUninterruptibly();
            CompletableFuture<?> second =
                    gated.store().submit(new Enqueue(List.of(NewRow.job().row())));
            CompletableFuture<Long> seen = CompletableFuture.supplyAsync(
                    () -> gated.store().inTransaction(connection -> gated.count(JobState.PENDING)));
            gate.open();
            assertThat(seen.join()).isEqualTo(2);
            assertThat(List.of(first, second)).allMatch(CompletableFuture::isDone);
        }
    }
}
