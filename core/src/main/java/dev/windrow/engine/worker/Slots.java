package dev.windrow.engine.worker;

import dev.windrow.engine.Loop;
import dev.windrow.store.SafeLogger;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The slots of a worker and the jobs that are ready for them, in claim order. A slot that has finished a job takes the
 * next one itself. A slot that finds no job becomes idle. Idle slots are woken last in, first out.
 */
final class Slots implements Slot.Work {
    /** The time after which idle slots are woken if no slot has taken a ready job. */
    static final long WATCH_NANOS = RunTimes.SHORT_NANOS;

    private static final Logger log = SafeLogger.of(Slots.class);

    private final String worker;
    private final int size;
    /** The class loader of the thread that starts the worker, for its handlers. */
    private final @Nullable ClassLoader loader = Thread.currentThread().getContextClassLoader();

    private final BooleanSupplier mayStart;
    private final IntSupplier ahead;
    private final IntPredicate oneSlotSuffices;
    private final Runnable wanting;
    private final Runnable watching;
    private final BiConsumer<Call, Slot> runner;
    private final Consumer<Call> abandoned;
    private final Runnable changed;

    private final ConcurrentLinkedQueue<Call> ready = new ConcurrentLinkedQueue<>();
    private final AtomicInteger readyCount = new AtomicInteger();
    private final ConcurrentLinkedDeque<Slot> idle = new ConcurrentLinkedDeque<>();

    /** True from the first job that a slot took without waking another, until {@link #watch} finds no need. */
    private volatile boolean watched;
    // Used by the thread that calls watch.
    private boolean counted;
    private int readyBefore;
    private long countsAt;

    private final ReentrantLock lock = new ReentrantLock();
    // Written under the lock; read without.
    private final List<Slot> all = new CopyOnWriteArrayList<>();
    /**
     * The slots that were replaced and still run their last job. Written under the lock, at most two for each index.
     */
    private final List<Slot> givenUp = new CopyOnWriteArrayList<>();
    // Guarded by lock.
    private final int[] replaced;
    private volatile int made;
    private volatile boolean open = true;

    /**
     * Creates the slots of a worker.
     *
     * @param mayStart true if a further job may be started now; called before each job
     * @param ahead how many jobs should be ready beyond the running ones
     * @param oneSlotSuffices true if one slot can soon run this many jobs
     * @param wanting called by a slot that has few ready jobs left, to claim more
     * @param watching called by a slot that wakes no other, or failed to, to have {@link #watch} called
     * @param runner runs one job to its end
     * @param abandoned takes a job whose run failed by an internal error
     * @param changed called when a slot has become idle
     */
    Slots(
            Settings settings,
            BooleanSupplier mayStart,
            IntSupplier ahead,
            IntPredicate oneSlotSuffices,
            Runnable wanting,
            Runnable watching,
            BiConsumer<Call, Slot> runner,
            Consumer<Call> abandoned,
            Runnable changed) {
        this.worker = settings.name();
        this.size = settings.concurrency();
        this.mayStart = mayStart;
        this.ahead = ahead;
        this.oneSlotSuffices = oneSlotSuffices;
        this.wanting = wanting;
        this.watching = watching;
        this.runner = runner;
        this.abandoned = abandoned;
        this.changed = changed;
        this.replaced = new int[size];
    }

    // ---- called by slots --------------------------------------------------------------------------------------------

    @Override
    public @Nullable Call next() {
        if (!open) {
            return null;
        }
        Call call = mayStart.getAsBoolean() ? ready.poll() : null;
        if (call == null) {
            wanting.run();
            return null;
        }
        int left = readyCount.decrementAndGet();
        if (!open) {
            // The slots were closed after the first check. The stopping thread takes back claimed jobs, but only jobs
            // that have not begun.
            return null;
        }
        try {
            if (left > 0) {
                wakeNext(call, left);
            }
            if (left <= ahead.getAsInt() / 2) {
                wanting.run();
            }
        } catch (Throwable e) {
            // For example, the system has no thread for another slot. The job of this slot must not be lost with it.
            log.error("Worker {} could not wake a slot or claim; it continues with fewer slots", worker, e);
            watched = false;
            wakeLater();
        }
        return call;
    }

    /**
     * Wakes the next slot if the ready jobs need it. So the thread that delivers many jobs need not wake many slots. A
     * job may be longer than those before it. So slots are watched if none is woken. The calls of batch handlers are not
     * measured.
     */
    private void wakeNext(Call taken, int ready) {
        if (taken instanceof BatchCall || !oneSlotSuffices.test(ready)) {
            wake();
        } else if (!watched) {
            watched = true;
            watching.run();
        }
    }

    private void wakeLater() {
        try {
            watching.run();
        } catch (Throwable e) {
            log.debug("Worker {} could not signal its watch", worker, e);
        }
    }

    @Override
    public void abandon(Call call) {
        abandoned.accept(call);
    }

    @Override
    public void run(Call call, Slot slot) {
        runner.accept(call, slot);
    }

    @Override
    public void idle(Slot slot) {
        boolean rests = false;
        idle.push(slot);
        try {
            changed.run();
            // A job may have come between the last check and the push.
            wake();
            rests = true;
        } finally {
            if (!rests) {
                // The slot checks again, and becomes idle later.
                idle.removeFirstOccurrence(slot);
            }
        }
    }

    // ---- called by other classes ------------------------------------------------------------------------------------

    /** Accepts claimed jobs, in claim order, or batches of them: all of them, or none if it fails. */
    void deliver(List<? extends Call> calls) {
        boolean taken = false;
        readyCount.addAndGet(calls.size());
        try {
            ready.addAll(calls);
            taken = true;
        } finally {
            if (!taken) {
                readyCount.addAndGet(-calls.size());
            }
        }
    }

    /** Wakes slots for this number of delivered jobs. */
    void wake(int jobs, boolean handlersAreShort) {
        int wakes = handlersAreShort ? 1 : Math.min(jobs, size);
        for (int i = 0; i < wakes; i++) {
            wake();
        }
    }

    /** Wakes one idle slot if a job is ready for it. */
    void wake() {
        if (!open || readyCount.get() <= 0 || !mayStart.getAsBoolean()) {
            return;
        }
        Slot slot = idle.poll();
        while (slot != null && slot.isRetired()) {
            // It became idle just before it was replaced.
            slot = idle.poll();
        }
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

    /**
     * While slots are watched, wakes the idle ones each {@link #WATCH_NANOS} if as many jobs are ready as before.
     * Otherwise wakes one for which the system had no thread.
     *
     * @param now the time, by the monotonic clock
     * @return the time until the next call, which may come earlier
     */
    long watch(long now) {
        if (!watched) {
            counted = false;
            wake();
            return Loop.UNTIL_SIGNALLED;
        }
        if (!counted) {
            return count(readyCount.get(), now);
        }
        long left = countsAt - now;
        if (left > 0) {
            return left;
        }
        // Cleared before the jobs are counted. A slot that takes a job lowers their number before it reads the flag.
        watched = false;
        int ready = readyCount.get();
        if (ready <= 0 || !mayStart.getAsBoolean() || (idle.isEmpty() && made == size)) {
            counted = false;
            return Loop.UNTIL_SIGNALLED;
        }
        watched = true;
        if (ready == readyBefore) {
            wake(ready, false);
        }
        return count(ready, now);
    }

    private long count(int ready, long now) {
        counted = true;
        readyBefore = ready;
        countsAt = now + WATCH_NANOS;
        return WATCH_NANOS;
    }

    /** Returns how many jobs, or batches, are ready and not started. */
    int readyCount() {
        return readyCount.get();
    }

    /** Takes all jobs that are ready and not started away from the slots. */
    void takeReady() {
        while (ready.poll() != null) {
            readyCount.decrementAndGet();
        }
    }

    /** Starts no further job. Running jobs continue. */
    void close() {
        open = false;
    }

    /** Lets all threads end as soon as they run no job. */
    void retire() {
        lock.lock();
        try {
            open = false;
            all.forEach(Slot::retire);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the slots that were needed so far, without replaced ones. */
    List<Slot> all() {
        return all;
    }

    /** True if a slot runs a job. */
    boolean isBusy() {
        for (Slot slot : all) {
            if (slot.current() != null) {
                return true;
            }
        }
        return false;
    }

    /** Replaces a slot whose handler does not end; false if this slot was replaced before. */
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
            Slot fresh = new Slot(worker, stuck.index(), loader, this);
            all.add(fresh);
            idle.push(fresh);
        } finally {
            lock.unlock();
        }
        wake();
        return true;
    }

    /** Returns how many slots were given up and still run their last job. */
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
            Slot slot = new Slot(worker, index, loader, this);
            all.add(slot);
            made = index + 1;
            return slot;
        } finally {
            lock.unlock();
        }
    }
}
