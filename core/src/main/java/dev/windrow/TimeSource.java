package dev.windrow;

import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The source of all time: a wall clock for stored times, a monotonic clock for measurements and waits. Tests use an implementation of their own. Safe
 * for use by many threads.
 */
public interface TimeSource {
    /** Returns the time of the wall clock, which may step either way. */
    Instant now();

    /** Returns the time of the monotonic clock in nanoseconds, from an arbitrary origin; see {@link System#nanoTime()}. */
    long nanoTime();

    /**
     * Waits until the condition is signalled or {@link #nanoTime()} reaches the deadline. The call may return early without a reason. The caller
     * holds the lock of the condition.
     *
     * @throws InterruptedException if the thread is interrupted
     */
    void awaitUntil(ReentrantLock lock, Condition condition, long deadlineNanos) throws InterruptedException;

    /** Returns the machine's clocks. */
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
