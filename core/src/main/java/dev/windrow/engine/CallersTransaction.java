package dev.windrow.engine;

import dev.windrow.Signalled;
import dev.windrow.store.Change;
import dev.windrow.store.ChangeResult;
import dev.windrow.store.Enqueue;
import dev.windrow.store.EnqueuedJob;
import dev.windrow.store.JobRow;
import dev.windrow.store.OpenStore;
import dev.windrow.store.ScheduleChange;
import dev.windrow.store.ScheduleChanged;
import dev.windrow.store.Signal;
import dev.windrow.store.Stage;
import java.sql.Connection;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Every verb inside the caller's transaction.
 *
 * @param store where jobs are kept
 * @param connection the caller's
 */
record CallersTransaction(OpenStore store, Connection connection) implements Verbs.Target, Blobs.Target {
    @Override
    public Blobs.Target blobs() {
        return this;
    }

    @Override
    public CompletableFuture<Long> stage(Stage part) {
        return CompletableFuture.completedFuture(store.apply(connection, part));
    }

    @Override
    public void drop(long blob) {
        // The caller may roll back. If not, it is swept.
    }

    @Override
    public List<EnqueuedJob> enqueue(List<JobRow> rows) {
        return store.apply(connection, new Enqueue(rows));
    }

    @Override
    public ChangeResult change(Change change) {
        return store.apply(connection, change);
    }

    @Override
    public ScheduleChanged schedule(ScheduleChange change) {
        return store.apply(connection, change);
    }

    @Override
    public Signalled signal(Signal signal) {
        return store.apply(connection, signal);
    }
}
