package dev.windrow.postgres;

import dev.windrow.Durations;
import dev.windrow.StoreUnavailableException;
import dev.windrow.WindrowException;
import dev.windrow.store.InUse;
import dev.windrow.store.SafeLogger;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;

/**
 * A few threads for reads, with a connection for each read. Reads run there and not on their callers, so
 * that they end in time whatever the server does, and never need more connections than there are threads.
 */
final class Readers implements AutoCloseable {
    private static final int THREADS = 3;
    private static final int QUEUE = 1000;
    /**
     * One state of the database throughout, for a limited time. A plan that is made while a table is nearly empty, where
     * reading all of it is cheapest, is kept while it fills: it shall use an index all the same.
     */
    private static final String BEGIN_READ =
            "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY; SET LOCAL statement_timeout = %d; SET LOCAL enable_seqscan = off; SET LOCAL jit = off";

    /** How long a thread is kept without work: longer than idle workers rest, which would else make one each time. */
    private static final long KEPT_SECONDS = 60;

    private static final Logger log = SafeLogger.of(Readers.class);

    /** A read; it may use several statements and sees one state of the database. */
    interface Read<T> {
        T run(PostgresStatements statements) throws SQLException;
    }

    private final Database database;
    private final long timeoutNanos;
    private final ExecutorService threads;

    Readers(Database database, long timeoutNanos, String name) {
        this.database = database;
        this.timeoutNanos = timeoutNanos;
        AtomicInteger number = new AtomicInteger();
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                THREADS, THREADS, KEPT_SECONDS, TimeUnit.SECONDS, new ArrayBlockingQueue<>(QUEUE), task -> {
                    Thread thread = new Thread(task, "windrow-reader-" + name + "-" + number.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
        pool.allowCoreThreadTimeOut(true);
        this.threads = pool;
    }

    /** Runs a read in a transaction of its own and waits for it. */
    <T> T read(String what, Read<T> read) {
        Future<T> future;
        // A read that nobody waits for any more must not hold its snapshot: what is dead since could not be removed.
        InUse<Session> used = new InUse<>(Session::abort);
        try {
            future = threads.submit(() -> onThread(read, used));
        } catch (RejectedExecutionException e) {
            throw new StoreUnavailableException(
                    what + " failed: " + (threads.isShutdown() ? "the store is closed" : "too many reads are waiting"),
                    e);
        }
        try {
            return future.get(timeoutNanos, TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            future.cancel(false);
            used.stop();
            throw new StoreUnavailableException(
                    "%s took longer than %s".formatted(what, Durations.text(Duration.ofNanos(timeoutNanos))), e);
        } catch (InterruptedException e) {
            future.cancel(false);
            used.stop();
            Thread.currentThread().interrupt();
            throw new StoreUnavailableException(what + " was interrupted", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof SQLException cause) {
                throw PostgresErrors.translate(cause, what);
            }
            if (e.getCause() instanceof WindrowException cause) {
                throw cause;
            }
            throw new WindrowException(what + " failed: " + e.getCause(), e.getCause());
        }
    }

    private <T> T onThread(Read<T> read, InUse<Session> used) throws SQLException {
        try {
            return inTransaction(read, used);
        } catch (SQLException e) {
            // A pool may have kept a connection that is gone. Nothing was written: once more costs nothing.
            if (!PostgresErrors.isConnectionGone(e) && !database.losesStatements(e)) {
                throw e;
            }
            database.sessions().endFree();
            return inTransaction(read, used);
        }
    }

    private <T> T inTransaction(Read<T> read, InUse<Session> used) throws SQLException {
        Session session = database.sessions().take(this);
        if (!used.begin(session)) {
            database.sessions().giveBack(session, this);
            throw new SQLException("its time was over before it had a connection");
        }
        boolean healthy = false;
        try {
            try (Statement begin = session.connection().createStatement()) {
                begin.execute(BEGIN_READ.formatted(TimeUnit.NANOSECONDS.toMillis(timeoutNanos)));
            }
            T answer = read.run(session.statements());
            session.commit();
            healthy = true;
            return answer;
        } finally {
            used.end();
            if (healthy) {
                database.sessions().giveBack(session, this);
            } else {
                database.sessions().end(session);
            }
        }
    }

    @Override
    public void close() {
        threads.shutdown();
        boolean interrupted = false;
        try {
            if (!threads.awaitTermination(timeoutNanos, TimeUnit.NANOSECONDS)) {
                log.warn("A read has not ended within its time; it is left behind, and its connection is not closed");
            }
        } catch (InterruptedException e) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
