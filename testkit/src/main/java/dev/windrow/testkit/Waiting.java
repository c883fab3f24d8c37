package dev.windrow.testkit;

import dev.windrow.TimeSource;
import dev.windrow.WindrowException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** A wait for jobs that other threads run. It reads again and again. */
record Waiting(TimeSource time, Duration patience) {
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** Returns the first value that matches, or the last one when the time has passed. */
    <T> T until(Supplier<T> read, Predicate<T> matches) {
        long end = time.nanoTime() + patience.toNanos();
        while (true) {
            T value = read.get();
            if (matches.test(value) || time.nanoTime() - end >= 0) {
                return value;
            }
            pause();
        }
    }

    private void pause() {
        ReentrantLock lock = new ReentrantLock();
        Condition never = lock.newCondition();
        lock.lock();
        try {
            time.awaitUntil(lock, never, time.nanoTime() + PAUSE_NANOS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new WindrowException("interrupted while a test waited for a job", e);
        } finally {
            lock.unlock();
        }
    }
}
