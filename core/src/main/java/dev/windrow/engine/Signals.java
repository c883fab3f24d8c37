package dev.windrow.engine;

import dev.windrow.JobState;
import dev.windrow.store.StoreSignals;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Passes the store's hints on to the workers and to those who await a job. Returns at once. */
final class Signals implements StoreSignals {
    private final List<Worker> workers = new CopyOnWriteArrayList<>();
    private final Waiters waiters = new Waiters();

    @Override
    public void ready(String queue, String type) {
        for (Worker worker : workers) {
            worker.ready(queue, type);
        }
    }

    @Override
    public void finished(long id, JobState state) {
        waiters.finished(id);
    }

    List<Worker> workers() {
        return workers;
    }

    Waiters waiters() {
        return waiters;
    }
}
