package dev.windrow;

import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Where all time comes from: a wall clock for what is stored, a monotonic one for measuring, and waiting by the latter.
 * Tests drive another implementation by hand. Safe for use by many threads.
 */
public interface TimeSource {
    /** The wall clock; it may step either way. */
    Instant now();

    /** The monotonic clock in nanoseconds, from an arbitrary origin; see {@link System#nanoTime()}. */
    long nanoTime();

    /**
     * Waits until the condition is signalled or {@link #nanoTime()} reaches the deadline; may return early for no
     * reason. The caller holds the lock to which the condition belongs.
     *
     * @throws InterruptedException if the thread is interrupted
     */
    void awaitUntil(ReentrantLock lock, Condition condition, long deadlineNanos) throws InterruptedException;

    /** The machine's clocks. */
    static TimeSource system() {
        return SystemTime.INSTANCE;
    }

    /** The machine's clocks. */
    enum SystemTime implements TimeSource {
        /** The only instance. */
        INSTANCE;

        @Override
        public Instant now() {
            return Instant.now();
        }

        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        @SuppressWarnings("WaitNotInLoop") // The contract allows an early return: the caller loops.
        public void awaitUntil(ReentrantLock lock, Condition condition, long deadlineNanos)
                throws InterruptedException {
            long nanos = deadlineNanos - System.nanoTime();
            if (nanos > 0) {
                condition.await(nanos, TimeUnit.NANOSECONDS);
            }
        }
    }
}
