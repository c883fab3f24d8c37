package dev.windrow.engine.worker;

import dev.windrow.store.SafeLogger;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The slots of a worker and the jobs that are ready for them, in claim order. A slot that has finished a job takes the
 * next one itself. A slot that finds none goes to the idle ones, last in first out, and is woken from there.
 */
final class Slots implements Slot.Work {
    private static final Logger log = SafeLogger.of(Slots.class);

    private final String worker;
    private final int size;
    private final BooleanSupplier mayStart;
    private final IntSupplier ahead;
    private final Runnable wanting;
    private final BiConsumer<Attempt, Slot> runner;
    private final Consumer<Attempt> abandoned;
    private final Runnable changed;

    private final ConcurrentLinkedQueue<Attempt> ready = new ConcurrentLinkedQueue<>();
    private final AtomicInteger readyCount = new AtomicInteger();
    private final ConcurrentLinkedDeque<Slot> idle = new ConcurrentLinkedDeque<>();

    private final ReentrantLock lock = new ReentrantLock();
    // Written under lock; read without.
    private final List<Slot> all = new CopyOnWriteArrayList<>();
    /** Those that were replaced and run their last job still. Written under lock, at most two for each place. */
    private final List<Slot> givenUp = new CopyOnWriteArrayList<>();
    // Guarded by lock.
    private final int[] replaced;
    private volatile int made;
    private volatile boolean open = true;

    /**
     * @param mayStart whether a further job may be started now; asked before each one
     * @param ahead how many jobs should be ready beyond those that run
     * @param wanting called by a slot that has little left to take: the place to claim more
     * @param runner runs one job to its end
     * @param abandoned takes a job whose run failed by an error of ours
     * @param changed called when a slot has become idle
     */
    Slots(
            Settings settings,
            BooleanSupplier mayStart,
            IntSupplier ahead,
            Runnable wanting,
            BiConsumer<Attempt, Slot> runner,
            Consumer<Attempt> abandoned,
            Runnable changed) {
        this.worker = settings.name();
        this.size = settings.concurrency();
        this.mayStart = mayStart;
        this.ahead = ahead;
        this.wanting = wanting;
        this.runner = runner;
        this.abandoned = abandoned;
        this.changed = changed;
        this.replaced = new int[size];
    }

    // ---- called by slots --------------------------------------------------------------------------------------------

    @Override
    public @Nullable Attempt next() {
        if (!open) {
            return null;
        }
        Attempt attempt = mayStart.getAsBoolean() ? ready.poll() : null;
        if (attempt == null) {
            wanting.run();
            return null;
        }
        int left = readyCount.decrementAndGet();
        if (!open) {
            // Closed since the first look: whoever stops takes back what is in hand, but only what has not begun.
            return null;
        }
        try {
            if (left > 0) {
                // Each slot wakes the next one: the thread that delivers many jobs need not wake many slots.
                wake();
            }
            if (left <= ahead.getAsInt() / 2) {
                wanting.run();
            }
        } catch (Throwable e) {
            // No thread for another slot, say. The job that is in hand here must not be lost with it.
            log.error("Worker {} could not wake a slot or claim; it goes on with fewer", worker, e);
        }
        return attempt;
    }

    @Override
    public void abandon(Attempt attempt) {
        abandoned.accept(attempt);
    }

    @Override
    public void run(Attempt attempt, Slot slot) {
        runner.accept(attempt, slot);
    }

    @Override
    public void idle(Slot slot) {
        boolean rests = false;
        idle.push(slot);
        try {
            changed.run();
            // A job may have come between the last look and the push.
            wake();
            rests = true;
        } finally {
            if (!rests) {
                // It looks again, and comes back.
                idle.removeFirstOccurrence(slot);
            }
        }
    }

    // ---- called by others -------------------------------------------------------------------------------------------

    /** Takes claimed jobs, in claim order: all of them, or none when it fails. Called on the store's thread. */
    void deliver(List<Attempt> attempts) {
        boolean taken = false;
        readyCount.addAndGet(attempts.size());
        try {
            ready.addAll(attempts);
            taken = true;
        } finally {
            if (!taken) {
                readyCount.addAndGet(-attempts.size());
            }
        }
    }

    /** Wakes slots for as many jobs that were delivered. */
    void wake(int jobs, boolean handlersAreShort) {
        int wakes = handlersAreShort ? 1 : Math.min(jobs, size);
        for (int i = 0; i < wakes; i++) {
            wake();
        }
    }

    /** Wakes one idle slot if there is a job for it. */
    void wake() {
        if (!open || readyCount.get() <= 0 || !mayStart.getAsBoolean()) {
            return;
        }
        Slot slot = idle.poll();
        if (slot == null && made < size) {
            slot = make();
        }
        if (slot != null) {
            boolean woken = false;
            try {
                slot.wake();
                woken = true;
            } finally {
                if (!woken) {
                    idle.push(slot);
                }
            }
        }
    }

    /** How many jobs are ready and not started. */
    int readyCount() {
        return readyCount.get();
    }

    /** Takes all jobs that are ready and not started away from the slots. */
    List<Attempt> takeReady() {
        List<Attempt> taken = new ArrayList<>();
        Attempt attempt;
        while ((attempt = ready.poll()) != null) {
            readyCount.decrementAndGet();
            taken.add(attempt);
        }
        return taken;
    }

    /** Starts no further job. Running ones go on. */
    void close() {
        open = false;
    }

    /** Lets all threads end as soon as they run nothing. */
    void retire() {
        lock.lock();
        try {
            open = false;
            all.forEach(Slot::retire);
        } finally {
            lock.unlock();
        }
    }

    /** The slots that were needed so far, replaced ones left out. */
    List<Slot> all() {
        return all;
    }

    /** Whether some slot runs a job. */
    boolean isBusy() {
        for (Slot slot : all) {
            if (slot.current() != null) {
                return true;
            }
        }
        return false;
    }

    /** Gives up a slot whose handler does not end, for a new one; false if that was done here before. */
    boolean replace(Slot stuck) {
        lock.lock();
        try {
            all.remove(stuck);
            givenUp.add(stuck);
            stuck.retire();
            if (replaced[stuck.index()]++ > 0) {
                return false;
            }
            if (!open) {
                return true;
            }
            Slot fresh = new Slot(worker, stuck.index(), this);
            all.add(fresh);
            idle.push(fresh);
        } finally {
            lock.unlock();
        }
        wake();
        return true;
    }

    /** How many slots were given up and still run their last job. */
    int stuck() {
        int count = 0;
        for (Slot slot : givenUp) {
            count += slot.current() == null ? 0 : 1;
        }
        return count;
    }

    private @Nullable Slot make() {
        lock.lock();
        try {
            if (made >= size || !open) {
                return null;
            }
            int index = made;
            Slot slot = new Slot(worker, index, this);
            all.add(slot);
            made = index + 1;
            return slot;
        } finally {
            lock.unlock();
        }
    }
}
