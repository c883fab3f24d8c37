package dev.windrow.engine.job;

import dev.windrow.TimeSource;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** The threads of this process that wait for a job to end. */
public final class Waiters {
    private final ConcurrentHashMap<Long, Set<Waiter>> byJob = new ConcurrentHashMap<>();

    /**
     * Notifies the waiters of a job that has ended. A thread of the store calls it for every such job; without waiters it
     * costs almost nothing.
     */
    public void finished(long id) {
        if (byJob.isEmpty()) {
            return;
        }
        Set<Waiter> waiters = byJob.get(id);
        if (waiters != null) {
            waiters.forEach(Waiter::signal);
        }
    }

    Waiter register(long id, TimeSource time) {
        Waiter waiter = new Waiter(id, time);
        byJob.compute(id, (job, others) -> {
            Set<Waiter> waiters = others == null ? ConcurrentHashMap.newKeySet() : others;
            waiters.add(waiter);
            return waiters;
        });
        return waiter;
    }

    /** One wait for one job. */
    final class Waiter implements AutoCloseable {
        private final long id;
        private final TimeSource time;
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition signalled = lock.newCondition();
        // Guarded by lock.
        private boolean finished;

        private Waiter(long id, TimeSource time) {
            this.id = id;
            this.time = time;
        }

        private void signal() {
            lock.lock();
            try {
                finished = true;
                signalled.signalAll();
            } finally {
                lock.unlock();
            }
        }

        /** Waits for the hint, until the deadline at most; consumes the hint. */
        void await(long deadlineNanos) throws InterruptedException {
            lock.lockInterruptibly();
            try {
                while (!finished && time.nanoTime() - deadlineNanos < 0) {
                    time.awaitUntil(lock, signalled, deadlineNanos);
                }
                finished = false;
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void close() {
            byJob.computeIfPresent(id, (job, waiters) -> {
                waiters.remove(this);
                return waiters.isEmpty() ? null : waiters;
            });
        }
    }
}
