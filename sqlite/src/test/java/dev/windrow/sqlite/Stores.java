package dev.windrow.sqlite;

import dev.windrow.contract.StoreDriver;
import dev.windrow.sqlite.connection.SqliteFile;
import dev.windrow.sqlite.writer.Writer;
import dev.windrow.store.sql.writer.Batch;
import dev.windrow.testkit.ManualTime;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/** Stores for tests that examine more than the interface. */
public final class Stores {
    private Stores() {}

    /** Opens a started store on the file. */
    public static StoreDriver open(Path file) {
        return new StoreDriver(SqliteStore.at(file), new ManualTime());
    }

    /** Opens a started store that often polls for commits of other processes. */
    public static StoreDriver openAttentive(Path file) {
        return new StoreDriver(
                SqliteStore.configure(file).safetyLook(Duration.ofMillis(100)).build(), new ManualTime());
    }

    /** Opens a started store with this operation timeout, whose transactions the probe observes. */
    public static StoreDriver open(Path file, Duration timeout, Writer.Probe probe) {
        return new StoreDriver(
                SqliteStore.configure(file)
                        .operationTimeout(timeout)
                        .probe(probe)
                        .build(),
                new ManualTime());
    }

    public static void await(CountDownLatch latch) throws SQLException {
        try {
            if (!latch.await(60, TimeUnit.SECONDS)) {
                throw new SQLException("nobody opened the gate within a minute");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SQLException("interrupted", e);
        }
    }

    /** Counts transactions, and holds one of them at a gate. */
    public static final class Gate implements Writer.Probe {
        public final AtomicInteger transactions = new AtomicInteger();
        public final AtomicInteger operations = new AtomicInteger();
        public final Semaphore arrived = new Semaphore(0);
        private final boolean atCommit;
        private volatile Predicate<Batch> holds = batch -> false;
        private volatile CountDownLatch gate = new CountDownLatch(0);

        /** Makes a gate at the beginning of a transaction, or right before its commit. */
        public Gate(boolean atCommit) {
            this.atCommit = atCommit;
        }

        /** Makes the next transaction wait inside, from now on. */
        public void close() {
            gate = new CountDownLatch(1);
            holds = batch -> true;
        }

        public void open() {
            holds = batch -> false;
            gate.countDown();
        }

        /** Waits until a transaction has arrived at the gate. */
        public void awaitArrival() throws InterruptedException {
            if (!arrived.tryAcquire(60, TimeUnit.SECONDS)) {
                throw new AssertionError("no transaction came within a minute");
            }
        }

        @Override
        public void began(SqliteFile.Opened database, Batch batch) throws SQLException {
            transactions.incrementAndGet();
            operations.addAndGet(batch.submissions().size());
            if (!atCommit) {
                hold(batch);
            }
        }

        @Override
        public void committing(Batch batch) throws SQLException {
            if (atCommit) {
                hold(batch);
            }
        }

        private void hold(Batch batch) throws SQLException {
            if (holds.test(batch)) {
                arrived.release();
                await(gate);
            }
        }
    }
}
