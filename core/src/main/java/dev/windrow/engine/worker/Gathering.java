package dev.windrow.engine.worker;

import dev.windrow.TimeSource;
import dev.windrow.engine.Loop;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The claimed jobs of a batch handler that wait for their call. A call is due when it is full, or when its first job
 * has waited for the linger. Then it waits for a slot, and takes the jobs that wait when the slot starts it. Waiting
 * jobs are ready, and may be taken back.
 */
final class Gathering {
    private record Waiting(Attempt attempt, long untilNanos) {}

    private final int max;
    private final long lingerNanos;
    private final AtomicInteger onSlots;
    private final Slots slots;
    private final TimeSource time;
    private final ReentrantLock lock = new ReentrantLock();
    // Guarded by lock.
    private final Deque<Waiting> waiting = new ArrayDeque<>();
    /** The calls that wait for a slot. Guarded by lock. */
    private int calls;

    /**
     * Creates a gathering without jobs.
     *
     * @param onSlots the number of its calls that occupy a slot
     */
    Gathering(Registration.OfBatch<?, ?> registration, AtomicInteger onSlots, Slots slots, TimeSource time) {
        this.onSlots = onSlots;
        this.max = registration.max();
        this.lingerNanos = registration.linger().toNanos();
        this.slots = slots;
        this.time = time;
    }

    /** Adds claimed jobs, in claim order. */
    void add(List<Attempt> attempts) {
        long until = time.nanoTime() + lingerNanos;
        lock.lock();
        try {
            attempts.forEach(attempt -> waiting.add(new Waiting(attempt, until)));
        } finally {
            lock.unlock();
        }
    }

    /** Gives the calls that are due to the slots; returns the time until the next one is due. */
    long startDue() {
        long wait = Loop.UNTIL_SIGNALLED;
        int more;
        lock.lock();
        try {
            waiting.removeIf(job -> job.attempt.isEnded());
            int due = waiting.size() / max;
            Waiting first = waiting.stream().skip((long) due * max).findFirst().orElse(null);
            if (first != null) {
                long left = first.untilNanos - time.nanoTime();
                if (left > 0) {
                    wait = left;
                } else {
                    due++;
                }
            }
            List<Call> fresh = new ArrayList<>();
            while (calls + fresh.size() < due) {
                fresh.add(new BatchCall(this::take, onSlots, time));
            }
            slots.deliver(fresh);
            more = fresh.size();
            calls += more;
        } finally {
            lock.unlock();
        }
        slots.wake(more, false);
        return wait;
    }

    /** Takes the jobs of one call, in claim order. */
    List<Attempt> take() {
        List<Attempt> taken = new ArrayList<>();
        lock.lock();
        try {
            calls--;
            @Nullable Waiting next;
            while (taken.size() < max && (next = waiting.poll()) != null) {
                if (!next.attempt.isEnded()) {
                    taken.add(next.attempt);
                }
            }
        } finally {
            lock.unlock();
        }
        return List.copyOf(taken);
    }
}
