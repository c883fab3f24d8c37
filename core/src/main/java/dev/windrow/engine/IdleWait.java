package dev.windrow.engine;

import dev.windrow.TimeSource;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Lets a thread wait for a while, by the given clock. */
public final class IdleWait {
    private final TimeSource time;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition never = lock.newCondition();

    public IdleWait(TimeSource time) {
        this.time = time;
    }

    /** Waits for this many nanoseconds. */
    public void take(long nanos) throws InterruptedException {
        long end = time.nanoTime() + nanos;
        lock.lockInterruptibly();
        try {
            while (time.nanoTime() - end < 0) {
                time.awaitUntil(lock, never, end);
            }
        } finally {
            lock.unlock();
        }
    }
}
