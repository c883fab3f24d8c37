package dev.windrow.store.sql.monitor;

import dev.windrow.StoreUnavailableException;
import dev.windrow.WindrowException;
import dev.windrow.monitor.Diagnosis;
import dev.windrow.store.SafeLogger;
import dev.windrow.store.monitor.DiagnoseRequest;
import dev.windrow.store.sql.connection.InUse;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The examinations of a store, on a thread and a connection of their own, one after the other. An interrupt of the caller ends an examination, and
 * {@link #close} does, too. Safe for use by many threads.
 */
public final class Diagnoses implements AutoCloseable {
    /** The longest wait of a close for an examination that it has interrupted. */
    private static final long PATIENCE_SECONDS = 5;

    private static final Logger log = SafeLogger.of(Diagnoses.class);

    private final String location;
    private final Examiner examiner;
    private final ThreadPoolExecutor thread;
    /** The present examination, or the last one. */
    private volatile @Nullable InUse<Examined> current;

    private volatile boolean closed;

    /**
     * The code that opens a store.
     *
     * @param <D> the store
     */
    public interface Opener<D extends Examined> {
        /** Opens a connection. */
        D open(Examination examination) throws SQLException;
    }

    /** The code that translates an error of the database. */
    public interface Translator {
        /** Returns the exception for the caller of this operation. */
        WindrowException translate(SQLException e, String what);
    }

    private interface Examiner {
        Diagnosis examine(DiagnoseRequest request, InUse<Examined> used);
    }

    /**
     * Creates the examiner without a thread or a connection.
     *
     * @param thread the end of the thread's name
     * @param location the location of the store, for messages
     * @param checks the checks in their order
     */
    public <D extends Examined> Diagnoses(
            String thread, String location, List<Check<? super D>> checks, Opener<D> opener, Translator errors) {
        this.location = location;
        this.examiner = (request, used) -> examine(request, used, checks, opener, errors);
        this.thread = new ThreadPoolExecutor(1, 1, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
            Thread made = new Thread(task, "windrow-doctor-" + thread);
            made.setDaemon(true);
            return made;
        });
        this.thread.allowCoreThreadTimeOut(true);
    }

    /**
     * Examines the store.
     *
     * @throws StoreUnavailableException if the store is closed or cannot be reached, or the caller is interrupted
     */
    public Diagnosis diagnose(DiagnoseRequest request) {
        Future<Diagnosis> future;
        InUse<Examined> used = new InUse<>(Examined::interrupt);
        try {
            future = thread.submit(() -> {
                current = used;
                return examiner.examine(request, used);
            });
        } catch (RejectedExecutionException e) {
            throw new StoreUnavailableException("examining " + location + " failed: the store is closed", e);
        }
        try {
            return future.get();
        } catch (InterruptedException e) {
            future.cancel(true);
            used.stop();
            Thread.currentThread().interrupt();
            throw new StoreUnavailableException("examining " + location + " was interrupted", e);
        } catch (CancellationException e) {
            throw new StoreUnavailableException("examining " + location + " failed: the store is closed", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof WindrowException cause) {
                throw cause;
            }
            throw new WindrowException("examining " + location + " failed: " + e.getCause(), e.getCause());
        }
    }

    private <D extends Examined> Diagnosis examine(
            DiagnoseRequest request,
            InUse<Examined> used,
            List<Check<? super D>> checks,
            Opener<D> opener,
            Translator errors) {
        Examination examination = new Examination(request, location, () -> closed);
        try (D store = opener.open(examination)) {
            if (!used.begin(store)) {
                throw new StoreUnavailableException("examining " + location + " was interrupted");
            }
            try {
                Diagnosis diagnosis = examination.run(store, checks);
                store.requireUnchanged();
                return diagnosis;
            } finally {
                used.end();
            }
        } catch (SQLException e) {
            throw errors.translate(e, "examining " + location);
        }
    }

    @Override
    public void close() {
        closed = true;
        // The callers of examinations that have not begun get an exception as well.
        for (Runnable waiting : thread.shutdownNow()) {
            if (waiting instanceof Future<?> future) {
                future.cancel(false);
            }
        }
        InUse<Examined> used = current;
        if (used != null) {
            used.stop();
        }
        try {
            if (!thread.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                log.warn(
                        "A diagnosis has not ended within {} s while the store was closed; its thread and its connection stay open until it ends",
                        PATIENCE_SECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
