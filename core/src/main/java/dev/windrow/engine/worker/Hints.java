package dev.windrow.engine.worker;

import dev.windrow.JobState;
import dev.windrow.engine.job.Waiters;
import dev.windrow.store.StoreHints;
import dev.windrow.store.job.LeaseToken;
import dev.windrow.store.job.WaitingClaim;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** Passes the store's hints to the workers and to threads that await a job. Returns at once. */
public final class Hints implements StoreHints {
    private final List<EngineWorker> workers = new CopyOnWriteArrayList<>();
    private final List<ManualWorker> manualWorkers = new CopyOnWriteArrayList<>();
    private final Waiters waiters = new Waiters();
    private volatile Runnable onWork = () -> {};
    private volatile LongConsumer onWait = at -> {};
    private volatile LongConsumer onSchedule = at -> {};
    private volatile OnCommit onCommit = (commands, nanos) -> {};

    /** A callback for commits. */
    public interface OnCommit {
        void committed(int commands, long nanos);
    }

    @Override
    public void ready(String queue, String type) {
        onWork.run();
        for (EngineWorker worker : workers) {
            worker.ready(queue, type);
        }
    }

    @Override
    public @Nullable WaitingClaim waitingClaim(String queue, String type) {
        for (EngineWorker worker : workers) {
            WaitingClaim waitingClaim = worker.waitingClaim(queue, type);
            if (waitingClaim != null) {
                return waitingClaim;
            }
        }
        return null;
    }

    @Override
    public void due(long atMillis) {
        for (EngineWorker worker : workers) {
            worker.due(atMillis);
        }
    }

    @Override
    public void cancelRequested(LeaseToken leaseToken) {
        for (EngineWorker worker : workers) {
            worker.cancelRequested(leaseToken);
        }
        for (ManualWorker worker : manualWorkers) {
            worker.cancelRequested(leaseToken);
        }
    }

    @Override
    public void finished(long id, JobState state) {
        waiters.finished(id);
    }

    @Override
    public void waitEnds(long atMillis) {
        onWait.accept(atMillis);
    }

    @Override
    public void scheduleDue(long atMillis) {
        onSchedule.accept(atMillis);
    }

    @Override
    public void committed(int commands, long nanos) {
        onCommit.committed(commands, nanos);
    }

    @Override
    public void superseded(@Nullable LeaseToken leaseToken) {
        for (EngineWorker worker : workers) {
            worker.superseded(leaseToken);
        }
    }

    /** Sets the callback for the end of a wait's time. */
    void onWait(LongConsumer told) {
        onWait = told;
    }

    /** Sets the callback for a due schedule. */
    void onSchedule(LongConsumer told) {
        onSchedule = told;
    }

    /** Sets an additional callback for hints that work may exist, for any process. */
    void onWork(Runnable told) {
        onWork = told;
    }

    /** Sets the callback for each commit. */
    public void onCommit(OnCommit told) {
        onCommit = told;
    }

    List<EngineWorker> workers() {
        return workers;
    }

    /** Adds a worker that gets requests to cancel, and no other hints. */
    void add(ManualWorker worker) {
        manualWorkers.add(worker);
    }

    void remove(ManualWorker worker) {
        manualWorkers.remove(worker);
    }

    public Waiters waiters() {
        return waiters;
    }
}
