package dev.windrow.engine.worker;

import dev.windrow.TimeSource;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A call of a batch handler. It takes its jobs when a slot starts it. The handler's thread is interrupted once, when
 * each attempt that has not ended has a reason to stop.
 */
final class BatchCall implements Call {
    private final Gathering gathering;
    private final TimeSource time;
    private volatile List<Attempt> attempts = List.of();
    private final ReentrantLock lock = new ReentrantLock();
    // Guarded by lock.
    private @Nullable Thread thread;
    /** True if an attempt has a reason to stop. */
    private volatile boolean stopping;

    private volatile boolean interrupted;
    private volatile long interruptedNanos;

    BatchCall(Gathering gathering, TimeSource time) {
        this.gathering = gathering;
        this.time = time;
    }

    @Override
    public List<Attempt> attempts() {
        return attempts;
    }

    /** Takes the jobs that wait now. The handler will run on this thread. */
    void start() {
        attempts = gathering.take();
        onThread(Thread.currentThread());
    }

    /** Forgets the thread, which interrupts no longer reach. */
    void end() {
        onThread(null);
    }

    private void onThread(@Nullable Thread with) {
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
        interruptIfAllStop();
    }

    /** Notes that the handler has given an attempt its outcome. */
    void settled() {
        if (stopping) {
            interruptIfAllStop();
        }
    }

    private void interruptIfAllStop() {
        lock.lock();
        try {
            if (thread != null
                    && !interrupted
                    && attempts.stream().anyMatch(Attempt::isRunning)
                    && attempts.stream().allMatch(attempt -> attempt.isEnded() || attempt.reason() != null)) {
                interruptedNanos = time.nanoTime();
                interrupted = true;
                thread.interrupt();
            }
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
