package dev.windrow.engine.worker;

import dev.windrow.TimeSource;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A call of a batch handler. It takes its jobs when a slot starts it. The handler's thread is interrupted once, when
 * each attempt that has not ended has a reason to stop.
 */
final class BatchCall implements Call {
    private final Supplier<List<Attempt>> jobs;
    private final AtomicInteger onSlots;
    private final AtomicBoolean onSlot = new AtomicBoolean();
    private final TimeSource time;
    private volatile List<Attempt> attempts = List.of();
    private final ReentrantLock lock = new ReentrantLock();
    // Guarded by lock.
    private @Nullable Thread thread;
    /** True if an attempt has a reason to stop. */
    private volatile boolean stopping;

    private volatile boolean interrupted;
    private volatile long interruptedNanos;

    /**
     * Creates a call that takes its jobs later.
     *
     * @param jobs takes the jobs that wait when the call starts, in claim order
     * @param onSlots the number of calls that occupy a slot
     */
    BatchCall(Supplier<List<Attempt>> jobs, AtomicInteger onSlots, TimeSource time) {
        this.jobs = jobs;
        this.onSlots = onSlots;
        this.time = time;
    }

    @Override
    public List<Attempt> attempts() {
        return attempts;
    }

    /** Takes the jobs that wait now. The handler will run on this thread. */
    void start() {
        onSlots.incrementAndGet();
        onSlot.set(true);
        attempts = jobs.get();
        onThread(Thread.currentThread());
    }

    /** Forgets the thread, which interrupts no longer reach. */
    void end() {
        onThread(null);
        leaveSlot();
    }

    /** Notes that the slot does not wait for this call any more: it has ended, or was given up. */
    void leaveSlot() {
        if (onSlot.compareAndSet(true, false)) {
            onSlots.decrementAndGet();
        }
    }

    /** If this is the handler's thread, forgets it for a while, and returns true. */
    boolean leaveThread() {
        lock.lock();
        try {
            boolean handlers = thread == Thread.currentThread();
            thread = handlers ? null : thread;
            return handlers;
        } finally {
            lock.unlock();
        }
    }

    /** Remembers the thread that interrupts reach. */
    void onThread(@Nullable Thread with) {
        lock.lock();
        try {
            thread = with;
        } finally {
            lock.unlock();
        }
    }

    /** Notes that an attempt has got a reason to stop. */
    void stops() {
        stopping = true;
        boolean unused = interruptIfAllStop();
    }

    /** Notes that an attempt has ended before the others. Returns true if the thread is interrupted for that. */
    boolean oneEnded() {
        return stopping && interruptIfAllStop();
    }

    private boolean interruptIfAllStop() {
        lock.lock();
        try {
            if (thread != null
                    && !interrupted
                    && attempts.stream().anyMatch(Attempt::isRunning)
                    && attempts.stream().allMatch(attempt -> attempt.isEnded() || attempt.reason() != null)) {
                interruptedNanos = time.nanoTime();
                interrupted = true;
                thread.interrupt();
                return true;
            }
            return false;
        } finally {
            lock.unlock();
        }
    }

    boolean isInterrupted() {
        return interrupted;
    }

    /** Returns the time of the interrupt by the monotonic clock. */
    long interruptedNanos() {
        return interruptedNanos;
    }

    @Override
    public String toString() {
        return "the batch " + attempts;
    }
}
