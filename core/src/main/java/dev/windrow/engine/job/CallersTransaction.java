package dev.windrow.engine.job;

import dev.windrow.engine.payload.BlobStreams;
import dev.windrow.step.Signalled;
import dev.windrow.store.OpenStore;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.ChangeResult;
import dev.windrow.store.job.Enqueue;
import dev.windrow.store.job.EnqueuedJob;
import dev.windrow.store.job.FindKeyed;
import dev.windrow.store.job.JobRow;
import dev.windrow.store.payload.Stage;
import dev.windrow.store.schedule.ScheduleChange;
import dev.windrow.store.schedule.ScheduleChanged;
import dev.windrow.store.step.Signal;
import java.sql.Connection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The target that writes each verb in the caller's transaction.
 *
 * @param store the store of the jobs
 * @param connection the caller's connection
 */
public record CallersTransaction(OpenStore store, Connection connection) implements Verbs.Target, BlobStreams.Target {
    @Override
    public BlobStreams.Target blobs() {
        return this;
    }

    @Override
    public CompletableFuture<Long> stage(Stage part) {
        return CompletableFuture.completedFuture(store.apply(connection, part));
    }

    @Override
    public void drop(long blob) {
        // The caller may roll back. If the caller commits, a sweep deletes the blob.
    }

    @Override
    public List<EnqueuedJob> enqueue(List<JobRow> rows) {
        return store.apply(connection, new Enqueue(rows));
    }

    @Override
    public Optional<Long> find(FindKeyed keyed) {
        return store.apply(connection, keyed);
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
