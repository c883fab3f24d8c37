package dev.windrow.testkit;

import dev.windrow.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A clock that moves only when a test moves it. It starts at {@link #START}. Each move wakes the threads that wait by it. Safe for use by many
 * threads.
 */
public final class ManualTime implements TimeSource {
    /** The start of the wall clock: 2026-01-01T00:00:00Z. */
    public static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private record Clocks(Instant wall, long nanos) {}

    // Each wait is one of its own, also if two threads wait on the same condition. So this is no record.
    private final class Waiter {
        private final ReentrantLock lock;
        private final Condition condition;

        Waiter(ReentrantLock lock, Condition condition) {
            this.lock = lock;
            this.condition = condition;
        }

        private void wake() {
            // A waiter that was found may not wait yet. It holds the lock until it does.
            lock.lock();
            try {
                condition.signalAll();
                waiters.remove(this);
            } finally {
                lock.unlock();
            }
        }
    }

    private final ReentrantLock moving = new ReentrantLock();
    private volatile Clocks clocks = new Clocks(START, 0);
    private final List<Waiter> waiters = new CopyOnWriteArrayList<>();

    /** Creates a clock at {@link #START}. */
    public ManualTime() {}

    @Override
    public Instant now() {
        return clocks.wall();
    }

    @Override
    public long nanoTime() {
        return clocks.nanos();
    }

    /** Returns the wall clock in epoch milliseconds. */
    public long millis() {
        return now().toEpochMilli();
    }

    /**
     * Moves both clocks forward and wakes all waiters. The caller must hold no lock that a waiter waits with.
     *
     * @throws IllegalArgumentException if the time is negative
     */
    public void advance(Duration time) {
        if (time.isNegative()) {
            throw new IllegalArgumentException("time does not run backwards: " + time + "; see stepWall");
        }
        move(time, time.toNanos());
        wake();
    }

    /** Steps the wall clock alone, forwards or backwards, as an administrator or a time server does; wakes all waiters. */
    public void stepWall(Duration step) {
        move(step, 0);
        wake();
    }

    /** Steps the wall clock without waking a waiter. This simulates a machine that was suspended or whose clock was set. */
    public void stepWallUnnoticed(Duration step) {
        move(step, 0);
    }

    /** Returns how many threads wait by this clock now. A thread that was woken by a move counts again when it waits again. */
    public int waiting() {
        return waiters.size();
    }

    private void move(Duration wall, long nanos) {
        moving.lock();
        try {
            clocks = new Clocks(clocks.wall().plus(wall), clocks.nanos() + nanos);
        } finally {
            moving.unlock();
        }
    }

    private void wake() {
        waiters.forEach(Waiter::wake);
    }

    @Override
    @SuppressWarnings("WaitNotInLoop") // The contract allows an early return: the caller loops.
    public void awaitUntil(ReentrantLock lock, Condition condition, long deadlineNanos) throws InterruptedException {
        Waiter waiter = new Waiter(lock, condition);
        waiters.add(waiter);
        try {
            if (deadlineNanos - nanoTime() > 0) {
                condition.await();
            }
        } finally {
            waiters.remove(waiter);
        }
    }
}
