package dev.windrow.engine.worker;

import dev.windrow.store.SafeLogger;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * A place for one running job, or one batch of jobs, with its own thread. The thread runs job after job while jobs are ready, then parks
 * until it is woken. Only the thread that has taken the slot from the idle slots wakes it.
 */
final class Slot {
    private static final Logger log = SafeLogger.of(Slot.class);

    /** The time between two tries to continue without memory. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** The source of a slot's work. */
    interface Work {
        /** Returns the next work; null if none is ready. */
        @Nullable Call next();

        /** Runs jobs to their ends. Exceptions and errors of the handler are caught. */
        void run(Call call, Slot slot);

        /** Drops jobs whose run failed by an internal error; their ends were perhaps not recorded. */
        void abandon(Call call);

        /** Notifies that the slot has no work; it may be woken from now on. */
        void idle(Slot slot);
    }

    private final String name;
    private final int index;
    private final Work work;
    private final Thread thread;

    private volatile boolean started;
    private volatile boolean awake;
    private volatile boolean retired;
    private volatile @Nullable Call current;

    Slot(String worker, int index, @Nullable ClassLoader loader, Work work) {
        this.name = worker + "/" + (index + 1);
        this.index = index;
        this.work = work;
        this.thread = SlotThreads.unstarted(name, loader, this::live);
    }

    /** Returns the worker's name with the slot's number: {@code host-4711-1/3}. */
    String name() {
        return name;
    }

    int index() {
        return index;
    }

    /** Returns the work that it does, or null. */
    @Nullable Call current() {
        return current;
    }

    /** Lets its thread continue, or begin. Called by the thread that has taken it from the idle slots. */
    void wake() {
        awake = true;
        if (started) {
            LockSupport.unpark(thread);
        } else {
            started = true;
            boolean runs = false;
            try {
                thread.start();
                runs = true;
            } finally {
                started = runs;
            }
        }
    }

    /** Lets its thread end as soon as it does not run a job. */
    void retire() {
        retired = true;
        LockSupport.unpark(thread);
    }

    boolean isRetired() {
        return retired;
    }

    private void live() {
        while (!retired) {
            try {
                if (awake) {
                    awake = false;
                    workOff();
                } else {
                    LockSupport.park(this);
                    // A stray interrupt would turn every park into a spin.
                    Thread.interrupted();
                }
            } catch (Throwable e) {
                // No line could be logged, or the slot is not among the idle ones. So it checks for a job again.
                awake = true;
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    private void workOff() {
        while (!retired) {
            try {
                Call call = work.next();
                if (call == null) {
                    break;
                }
                current = call;
                try {
                    work.run(call, this);
                } catch (Throwable e) {
                    work.abandon(call);
                    log.error("Slot {} met an unexpected error in {}; its lease runs out", name, call, e);
                } finally {
                    current = null;
                }
            } catch (Throwable e) {
                // No exception of a handler or a job reaches this line.
                log.error("Slot {} met an unexpected error and continues", name, e);
            }
        }
        if (!retired) {
            work.idle(this);
        }
    }
}
