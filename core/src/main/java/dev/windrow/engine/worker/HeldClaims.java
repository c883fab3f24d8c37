package dev.windrow.engine.worker;

import dev.windrow.TimeSource;
import dev.windrow.store.job.LeaseToken;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The claims of a worker: every job from its claim until the store has acknowledged its end. The worker renews all of
 * them.
 *
 * <p>Many threads change it without a lock. The lock is only for threads that wait for a change, which is rare.
 */
final class HeldClaims {
    private final TimeSource time;
    private final Map<LeaseToken, Attempt> held = new ConcurrentHashMap<>();
    private final AtomicLong taken = new AtomicLong();
    private final AtomicInteger watchers = new AtomicInteger();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    HeldClaims(TimeSource time) {
        this.time = time;
    }

    void add(Attempt attempt) {
        taken.incrementAndGet();
        held.put(attempt.leaseToken(), attempt);
    }

    /** Returns the number of claims so far. If it has changed between two times, the worker had work in between. */
    long taken() {
        return taken.get();
    }

    void remove(Attempt attempt) {
        held.remove(attempt.leaseToken(), attempt);
        changed();
    }

    @Nullable Attempt get(LeaseToken leaseToken) {
        return held.get(leaseToken);
    }

    Collection<Attempt> all() {
        return held.values();
    }

    boolean isEmpty() {
        return held.isEmpty();
    }

    /** Wakes the threads that wait in {@link #await}, because their conditions may have changed. */
    void changed() {
        if (watchers.get() > 0) {
            lock.lock();
            try {
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    /** Waits until the condition holds or the deadline has passed; returns true if it holds. */
    boolean await(BooleanSupplier condition, long deadlineNanos) throws InterruptedException {
        watchers.incrementAndGet();
        lock.lock();
        try {
            while (!condition.getAsBoolean()) {
                if (time.nanoTime() - deadlineNanos >= 0) {
                    return false;
                }
                time.awaitUntil(lock, changed, deadlineNanos);
            }
            return true;
        } finally {
            lock.unlock();
            watchers.decrementAndGet();
        }
    }
}
