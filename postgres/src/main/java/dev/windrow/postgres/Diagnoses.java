package dev.windrow.postgres;

import dev.windrow.Diagnosis;
import dev.windrow.StoreUnavailableException;
import dev.windrow.WindrowException;
import dev.windrow.store.DiagnoseRequest;
import dev.windrow.store.SafeLogger;
import java.sql.SQLException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** Examines the tables on a thread and a connection of its own, for as long as that takes. */
final class Diagnoses implements AutoCloseable {
    /** How long a close waits for an examination that it has interrupted. */
    private static final long PATIENCE_SECONDS = 5;

    private static final Logger log = SafeLogger.of(Diagnoses.class);

    private final Database database;
    private final String location;
    private final ThreadPoolExecutor thread;
    /** The connection in use, for those who interrupt it; null between two. */
    private volatile @Nullable Session session;

    Diagnoses(Database database, String location) {
        this.database = database;
        this.location = location;
        this.thread = new ThreadPoolExecutor(1, 1, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
            Thread made = new Thread(task, "windrow-doctor-" + database.tables().schema());
            made.setDaemon(true);
            return made;
        });
        thread.allowCoreThreadTimeOut(true);
    }

    Diagnosis diagnose(DiagnoseRequest request) {
        Future<Diagnosis> future;
        try {
            future = thread.submit(() -> examine(request));
        } catch (RejectedExecutionException e) {
            throw new StoreUnavailableException("examining " + location + " failed: the store is closed", e);
        }
        try {
            return future.get();
        } catch (InterruptedException e) {
            future.cancel(true);
            stop();
            Thread.currentThread().interrupt();
            throw new StoreUnavailableException("examining " + location + " was interrupted", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof WindrowException cause) {
                throw cause;
            }
            throw new WindrowException("examining " + location + " failed: " + e.getCause(), e.getCause());
        }
    }

    private Diagnosis examine(DiagnoseRequest request) {
        try (Session open = database.borrowPatient()) {
            session = open;
            return new Examination(open.connection(), database.tables(), request, location, Examination.LOCK_WAIT)
                    .run();
        } catch (SQLException e) {
            throw PostgresErrors.translate(e, "examining " + location);
        } finally {
            session = null;
        }
    }

    /** Ends the statement that runs now, and the examination with it. */
    private void stop() {
        Session open = session;
        if (open != null) {
            open.abort();
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
        stop();
        try {
            if (!thread.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                log.warn("An examination has not ended within {} s; it is left behind", PATIENCE_SECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
