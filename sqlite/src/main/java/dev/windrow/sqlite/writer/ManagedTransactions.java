package dev.windrow.sqlite.writer;

import dev.windrow.Durations;
import dev.windrow.InvalidRequestException;
import dev.windrow.OutcomeUnknownException;
import dev.windrow.StoreUnavailableException;
import dev.windrow.TransactionWork;
import dev.windrow.WindrowException;
import dev.windrow.sqlite.connection.SqliteErrors;
import dev.windrow.sqlite.connection.SqliteFile;
import dev.windrow.sqlite.processes.PeerProcesses;
import dev.windrow.store.SafeLogger;
import dev.windrow.store.sql.writer.Submission;
import dev.windrow.store.sql.writer.TransactionConnection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Transactions of callers, each on a connection of its own. A callback may leave state behind, such as a result that it did not read to the end,
 * which would keep a snapshot. That state does not reach the next transaction.
 *
 * <p>The writer waits at the fair file lock for them, and then gives its turn to the caller's thread. That thread cannot wait there itself. The
 * kernel's locks have no timeout, and an interrupt during the wait would close the lock file for the whole process.
 */
public final class ManagedTransactions {
    /** The most connections at once, each with its files. One of them writes, and the next ones are already open when their turn comes. */
    static final int MOST = 32;

    private static final String WHAT = "a transaction";

    private static final Logger log = SafeLogger.of(ManagedTransactions.class);

    private final SqliteFile file;
    private final PeerProcesses peers;
    private final Writer writer;
    private final long timeoutNanos;
    private final Semaphore places = new Semaphore(MOST, true);

    public ManagedTransactions(SqliteFile file, PeerProcesses peers, Writer writer, long timeoutNanos) {
        this.file = file;
        this.peers = peers;
        this.writer = writer;
        this.timeoutNanos = timeoutNanos;
    }

    /** Returns the reason why the calling thread must not wait for the writer: it would wait for its own transaction. Null as a rule. */
    @Nullable public InvalidRequestException refusal(Supplier<String> what) {
        return peers.isManagedByThisThread()
                ? new InvalidRequestException(
                        "%s is not possible inside inTransaction of this or another queue in %s: use on(connection) with the callback's connection, or do it after the transaction"
                                .formatted(what.get(), file.path()))
                : null;
    }

    public <T extends @Nullable Object, E extends Exception> T run(TransactionWork<T, E> work) throws E {
        InvalidRequestException refusal = refusal(() -> WHAT);
        if (refusal != null) {
            throw refusal;
        }
        takePlace();
        try {
            return onItsConnection(work);
        } finally {
            places.release();
        }
    }

    private void takePlace() {
        boolean taken;
        try {
            taken = places.tryAcquire(timeoutNanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw interrupted(e);
        }
        if (!taken) {
            throw new StoreUnavailableException(
                    "%s could not begin within %s: %d other transactions of this process have not ended; shorten them"
                            .formatted(WHAT, Durations.text(Duration.ofNanos(timeoutNanos)), MOST));
        }
    }

    private static StoreUnavailableException interrupted(InterruptedException e) {
        return new StoreUnavailableException(WHAT + " was interrupted while it waited for its turn", e);
    }

    private <T extends @Nullable Object, E extends Exception> T onItsConnection(TransactionWork<T, E> work) throws E {
        SqliteFile.Opened database = open();
        try {
            BeginManaged managed = new BeginManaged(Thread.currentThread().getName());
            Submission<Void> wish = new Submission<>(managed);
            try {
                writer.submitManaged(wish);
                awaitTurn(wish);
                begin(database, wish);
                peers.managedByThisThread();
                return TransactionConnection.run(database.connection(), work, new Ending(database));
            } finally {
                peers.givenBackByThisThread();
                managed.giveBack();
            }
        } finally {
            close(database);
        }
    }

    /** Opens the connection. This comes before the turn, because it needs no lock. */
    private SqliteFile.Opened open() {
        try {
            return file.openManaged();
        } catch (SQLException e) {
            throw SqliteErrors.translate(e, "opening a connection for " + WHAT);
        }
    }

    private static void awaitTurn(Submission<Void> wish) {
        try {
            Void unused = wish.future().get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw interrupted(e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof WindrowException known) {
                throw known;
            }
            throw new WindrowException(WHAT + " failed: " + e.getCause(), e.getCause());
        }
    }

    /** Takes the write lock in the time that is left. A connection that does not use the fair file lock may hold it. */
    private void begin(SqliteFile.Opened database, Submission<Void> wish) {
        try {
            long left = timeoutNanos - (System.nanoTime() - wish.since());
            database.connection().setBusyTimeout((int) Math.max(1, TimeUnit.NANOSECONDS.toMillis(left)));
            // By the settings of the connection this executes BEGIN IMMEDIATE.
            database.connection().setAutoCommit(false);
        } catch (SQLException e) {
            if (SqliteErrors.isBusy(e)) {
                throw new StoreUnavailableException(
                        "%s could not begin within %s: the write lock is held by %s"
                                .formatted(WHAT, Durations.text(Duration.ofNanos(timeoutNanos)), peers.holders()),
                        e);
            }
            throw SqliteErrors.translate(e, WHAT);
        }
    }

    /** The end of such a transaction. */
    private record Ending(SqliteFile.Opened database) implements TransactionConnection.End {
        @Override
        public void commit(List<Long> ids) {
            try {
                // Not commit(), which would begin the next transaction, and take the lock again.
                database.connection().setAutoCommit(true);
            } catch (SQLException e) {
                undo();
                if (SqliteErrors.mayHaveCommitted(e)) {
                    throw new OutcomeUnknownException(
                            WHAT
                                    + " has an unknown outcome: the disk failed during the commit; it may have been written",
                            ids);
                }
                throw SqliteErrors.translate(e, "committing " + WHAT);
            }
        }

        private void undo() {
            try {
                rollback();
            } catch (SQLException e) {
                // SQLite rolls back by itself on some errors (full, I/O). Then nothing is left to roll back.
                log.debug("Rollback: {}", e.getMessage());
            }
        }

        @Override
        public void rollback() throws SQLException {
            database.execute(TransactionSql.ROLLBACK);
        }
    }

    private static void close(SqliteFile.Opened database) {
        try {
            database.close();
        } catch (SQLException e) {
            log.debug("Closing the connection of a managed transaction: {}", e.getMessage());
        }
    }
}
