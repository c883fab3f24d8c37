package dev.windrow.sqlite;

import dev.windrow.Durations;
import dev.windrow.StoreUnavailableException;
import dev.windrow.WindrowException;
import dev.windrow.store.InUse;
import dev.windrow.store.SafeLogger;
import dev.windrow.store.sql.Statements;
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
 * A few threads with a read-only connection each. Reads run there and not on their callers, because a caller may be a
 * virtual thread, whose carrier SQLite's native code would hold.
 */
final class Readers implements AutoCloseable {
    private static final int THREADS = 3;
    private static final int QUEUE = 1000;
    /** How long a thread is kept without work: longer than idle workers rest, which would else make one each time. */
    private static final long KEPT_SECONDS = 60;

    private static final Logger log = SafeLogger.of(Readers.class);

    /** A read; it may use several statements and sees one state of the database. */
    interface Read<T> {
        T run(Statements statements) throws SQLException;
    }

    private static final class Reader {
        final SqliteFile.Opened database;
        final SqliteStatements statements;

        Reader(SqliteFile.Opened database) {
            this.database = database;
            this.statements = new SqliteStatements(database.connection());
        }
    }

    /** The mode of a connection. */
    interface Opening {
        SqliteFile.Opened open() throws SQLException;
    }

    private final SqliteFile file;
    private final Opening opening;
    private final long timeoutNanos;
    private final ExecutorService threads;
    /** Connections that nobody uses now; opened when needed, at most one for each thread. */
    private final ArrayBlockingQueue<Reader> idle = new ArrayBlockingQueue<>(THREADS);

    Readers(SqliteFile file, Opening opening, long timeoutNanos, String name) {
        this.file = file;
        this.opening = opening;
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
        if (Thread.currentThread().isInterrupted()) {
            // Else it would depend on how fast the read is.
            throw new StoreUnavailableException(what + " was interrupted");
        }
        Future<T> future;
        // A read that nobody waits for any more must not hold its snapshot: the log could not be cut behind it.
        InUse<SqliteFile.Opened> used = new InUse<>(SqliteFile.Opened::interrupt);
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
                throw SqliteErrors.translate(cause, what);
            }
            if (e.getCause() instanceof WindrowException cause) {
                throw cause;
            }
            throw new WindrowException(what + " failed: " + e.getCause(), e.getCause());
        }
    }

    private <T> T onThread(Read<T> read, InUse<SqliteFile.Opened> used) throws SQLException {
        file.requireSame();
        Reader reader = idle.poll();
        while (reader != null && reader.database.hasChanged()) {
            close(reader);
            reader = idle.poll();
        }
        if (reader == null) {
            reader = new Reader(opening.open());
        }
        boolean healthy = false;
        try {
            if (!used.begin(reader.database)) {
                throw new SQLException("nobody waits for the answer any more");
            }
            reader.statements.run(Sql.BEGIN_READ);
            T answer = read.run(reader.statements);
            reader.statements.run(Sql.COMMIT);
            reader.database.requireUnchanged();
            // Not after a failure: the driver may have closed the statement that met it.
            healthy = true;
            return answer;
        } catch (SQLException e) {
            reader.database.requireUnchanged(); // SQLite takes what another process writes for damage
            throw e;
        } finally {
            used.end();
            if (!healthy || threads.isShutdown() || !idle.offer(reader)) {
                close(reader);
            }
        }
    }

    private static void close(Reader reader) {
        try {
            reader.statements.close();
            reader.database.close();
        } catch (SQLException e) {
            log.warn(
                    "A reading connection could not be closed in order, and is left to the end of the process: {}",
                    e.getMessage());
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
        Reader reader;
        while ((reader = idle.poll()) != null) {
            close(reader);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
