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
 * What a worker holds: every job from its claim until the store has acknowledged its end. All of them are renewed.
 *
 * <p>Changed by many threads without a lock; the lock is only for those who wait for a change, which is rare.
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

    /** How many jobs it has ever taken: tells whether there was work between two moments without any. */
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

    /** Wakes those who wait in {@link #await}: something that they may have asked for has changed. */
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

    /** Waits until the condition holds or the deadline has passed; returns whether it holds. */
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
