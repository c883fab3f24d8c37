package dev.windrow.engine.worker;

import dev.windrow.store.SafeLogger;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * A place for one running job, with its own thread. The thread runs job after job as long as there are any, then parks
 * until it is woken. Whoever has taken the slot from the idle ones, and nobody else, wakes it.
 */
final class Slot {
    private static final Logger log = SafeLogger.of(Slot.class);

    /** Between two tries to go on without memory. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** What a slot works for. */
    interface Work {
        /** The next job to run; null when there is none for now. */
        @Nullable Attempt next();

        /** Runs a job to its end. Whatever the handler throws stays inside. */
        void run(Attempt attempt, Slot slot);

        /** Running a job failed by an error of ours: its end was perhaps not recorded. */
        void abandon(Attempt attempt);

        /** The slot has nothing to do: it may be woken from now on. */
        void idle(Slot slot);
    }

    private final String name;
    private final int index;
    private final Work work;
    private final Thread thread;

    private volatile boolean started;
    private volatile boolean awake;
    private volatile boolean retired;
    private volatile @Nullable Attempt current;

    Slot(String worker, int index, Work work) {
        this.name = worker + "/" + (index + 1);
        this.index = index;
        this.work = work;
        this.thread = SlotThreads.unstarted(name, this::live);
    }

    /** The worker's name with the slot's number: {@code host-4711-1/3}. */
    String name() {
        return name;
    }

    int index() {
        return index;
    }

    /** The job that it runs, or null. */
    @Nullable Attempt current() {
        return current;
    }

    /** Lets its thread go on, or begin. Called by the one who has taken it from the idle slots. */
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

    /** Lets its thread end as soon as it is not running a job. */
    void retire() {
        retired = true;
        LockSupport.unpark(thread);
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
                // Not even a line could be logged, or it is not among the idle ones: it looks again whether there is a
                // job.
                awake = true;
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    private void workOff() {
        while (!retired) {
            try {
                Attempt attempt = work.next();
                if (attempt == null) {
                    break;
                }
                current = attempt;
                try {
                    work.run(attempt, this);
                } catch (Throwable e) {
                    work.abandon(attempt);
                    log.error("Slot {} met an unexpected error in {}; its lease runs out", name, attempt, e);
                } finally {
                    current = null;
                }
            } catch (Throwable e) {
                // Nothing of a handler or a job gets here.
                log.error("Slot {} met an unexpected error and goes on", name, e);
            }
        }
        if (!retired) {
            work.idle(this);
        }
    }
}
