package dev.windrow.store.sql.connection;

import dev.windrow.Durations;
import dev.windrow.StoreUnavailableException;
import dev.windrow.WindrowException;
import dev.windrow.store.SafeLogger;
import java.sql.SQLException;
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
 * A few threads for reads, with a connection for each running read. Callers wait for their reads, at most for the read timeout.
 *
 * @param <S> the statements of a connection
 * @param <C> a connection
 */
public final class ReadPool<S extends Statements, C> implements AutoCloseable {
    /** The number of threads, and the most connections in use. */
    public static final int THREADS = 3;

    private static final int QUEUE = 1000;
    /**
     * The time for which a thread is kept without work. It is longer than the idle wait of workers. With a shorter time each poll would start a new
     * thread.
     */
    private static final long KEPT_SECONDS = 60;

    private static final Logger log = SafeLogger.of(ReadPool.class);

    /** A read; it may use several statements and sees one snapshot of the database. */
    public interface Read<S extends Statements, T> {
        /** Reads with the statements of the connection. */
        T run(S statements) throws SQLException;
    }

    /** The connections of a store for reads. */
    public interface Connections<S extends Statements, C> {
        /** Runs a read in a transaction of its own. Its connection is in use until the read ends. A stop of the connection ends the read. */
        <T> T run(Read<S, T> read, InUse<C> used) throws SQLException;

        /** Ends the work of a connection, from another thread. */
        void stop(C connection);

        /** Returns the exception for the caller of a read that failed. */
        WindrowException translate(SQLException e, String what);
    }

    private final Connections<S, C> connections;
    private final long timeoutNanos;
    private final ExecutorService threads;

    /** Creates a pool without connections. */
    public ReadPool(Connections<S, C> connections, long timeoutNanos, String name) {
        this.connections = connections;
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
    public <T> T read(String what, Read<S, T> read) {
        if (Thread.currentThread().isInterrupted()) {
            // Without this check the result would depend on the speed of the read.
            throw new StoreUnavailableException(what + " was interrupted");
        }
        Future<T> future;
        // An abandoned read must not keep its snapshot, because dead rows could not be removed.
        InUse<C> used = new InUse<>(connections::stop);
        try {
            future = threads.submit(() -> connections.run(read, used));
        } catch (RejectedExecutionException e) {
            throw new StoreUnavailableException(
                    what + " failed: " + (isClosed() ? "the store is closed" : "too many reads are waiting"), e);
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
                throw connections.translate(cause, what);
            }
            if (e.getCause() instanceof WindrowException cause) {
                throw cause;
            }
            throw new WindrowException(what + " failed: " + e.getCause(), e.getCause());
        }
    }

    /** True if no more reads begin. */
    public boolean isClosed() {
        return threads.isShutdown();
    }

    /** Waits for the running reads, at most for the read timeout. */
    @Override
    public void close() {
        threads.shutdown();
        try {
            if (!threads.awaitTermination(timeoutNanos, TimeUnit.NANOSECONDS)) {
                log.warn(
                        "A read has not ended within the read timeout while the store was closed; its thread and its connection stay open");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
