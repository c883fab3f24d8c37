package dev.windrow.testkit;

import dev.windrow.Durations;
import dev.windrow.InvalidRequestException;
import dev.windrow.WindrowException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The turn to run jobs: one thread at a time has it, and may take it again. So the handlers of a test never run at the same time, and no thread runs a
 * job that another one has enqueued inline.
 */
final class Turn {
    /** The longest wait: a thread that waits longer is probably awaited by the handler that runs. */
    static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Duration patience;
    private final ReentrantLock lock = new ReentrantLock(true);
    private volatile @Nullable Thread holder;

    Turn(Duration patience) {
        this.patience = patience;
    }

    /** Takes the turn, and waits for it. The caller gives it back by {@link #end}. */
    void take() {
        if (!lock.tryLock()) {
            await();
        }
        holder = Thread.currentThread();
    }

    private void await() {
        Thread before = holder;
        try {
            if (!lock.tryLock(patience.toNanos(), TimeUnit.NANOSECONDS)) {
                String waiting = Thread.currentThread().getName();
                throw new InvalidRequestException(
                        "thread '%s' has waited %s for thread '%s', which runs jobs: the threads of a test run jobs one at a time. Does a handler wait for thread '%s'? Use manual(), where an enqueue runs no job"
                                .formatted(
                                        waiting,
                                        Durations.text(patience),
                                        before == null ? "" : before.getName(),
                                        waiting));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new WindrowException("interrupted while another thread ran the jobs of a test", e);
        }
    }

    /** Gives the turn back, if this thread has not taken it several times. */
    void end() {
        if (lock.getHoldCount() == 1) {
            holder = null;
        }
        lock.unlock();
    }
}
