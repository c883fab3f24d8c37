package dev.windrow.engine.worker;

import dev.windrow.TimeSource;
import dev.windrow.WindrowException;
import dev.windrow.engine.Answers;
import dev.windrow.store.SafeLogger;
import dev.windrow.store.job.Withdraw;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;

/**
 * The stop of a worker, on a separate thread, in this order:
 * <ol>
 *   <li>claim nothing more;
 *   <li>hand back jobs that are not started;
 *   <li>let handlers continue until the deadline;
 *   <li>interrupt the handlers;
 *   <li>hand back jobs that have not ended;
 *   <li>wait until all of this is recorded;
 *   <li>leave the registry;
 *   <li>stop renewing.
 * </ol>
 */
public final class Stopping {
    /** The time that handlers have to end after the interrupt. */
    public static final Duration GRACE = Duration.ofSeconds(2);
    /** The time to wait for the last settlements, longer than the store takes to complete one. */
    public static final Duration RECORDING = Duration.ofSeconds(15);

    private static final long LOOK_NANOS = Duration.ofSeconds(1).toNanos();

    private static final Logger log = SafeLogger.of(Stopping.class);

    private final EngineWorker worker;
    private final Runnable onEnd;
    private final TimeSource time;
    private final AtomicBoolean begun = new AtomicBoolean();
    private final CountDownLatch ended = new CountDownLatch(1);

    private final ReentrantLock lock = new ReentrantLock();
    // Written under the lock. The deadline only becomes earlier, and the flag only becomes true.
    private volatile long drainUntilNanos;
    private volatile boolean atOnce;

    Stopping(EngineWorker worker, Runnable onEnd) {
        this.worker = worker;
        this.onEnd = onEnd;
        this.time = worker.context().time();
    }

    boolean hasBegun() {
        return begun.get();
    }

    /** Begins the stop, or shortens a stop that has begun; waits for the end. */
    void stop(Duration drain, boolean now) {
        begin(drain, now);
        awaitEnd();
    }

    /** Begins the stop, or shortens a stop that has begun. */
    void begin(Duration drain, boolean now) {
        long until = time.nanoTime() + Math.max(0, drain.toNanos());
        lock.lock();
        try {
            if (!begun.get() || until - drainUntilNanos < 0) {
                drainUntilNanos = until;
            }
            atOnce |= now;
            if (!begun.get()) {
                Thread thread = new Thread(this::run, "windrow-stop-" + worker.name());
                thread.setDaemon(true);
                // The system may have no thread left. Then nothing has begun, and the next call tries again.
                thread.start();
                begun.set(true);
            }
        } finally {
            lock.unlock();
        }
        worker.claims().changed();
    }

    /** Waits for the end, independent of its caller. */
    void join() throws InterruptedException {
        ended.await();
    }

    private void awaitEnd() {
        boolean interrupted = false;
        while (true) {
            try {
                ended.await();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
                hurry();
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void hurry() {
        lock.lock();
        try {
            atOnce = true;
        } finally {
            lock.unlock();
        }
        worker.claims().changed();
    }

    private void run() {
        try {
            log.info("Worker {} stops", worker.name());
            giveUpWork();
            record();
        } catch (Throwable e) {
            log.error("Worker {} could not stop in order; the leases that it holds run out", worker.name(), e);
        } finally {
            worker.endLoops();
            onEnd.run();
            ended.countDown();
            log.info("Worker {} has stopped: {}", worker.name(), worker.totals());
        }
    }

    private void giveUpWork() {
        Slots slots = worker.slots();
        worker.claimer().close();
        slots.close();
        while (true) {
            worker.handBackReady();
            worker.endExiting();
            // A claim in flight may still bring jobs.
            BooleanSupplier over = () -> worker.claimer().isQuiet() && worker.hasEndedAll();
            long until = drainUntilNanos;
            // A handler may call System.exit during the drain. No signal reports that, so the loop checks once a
            // second.
            long look = Math.min(until - time.nanoTime(), LOOK_NANOS);
            await(
                    () -> atOnce || slots.readyCount() > 0 || drainUntilNanos != until || over.getAsBoolean(),
                    time.nanoTime() + look);
            worker.handBackReady();
            if (over.getAsBoolean()) {
                return;
            }
            if (atOnce || time.nanoTime() - drainUntilNanos >= 0) {
                break;
            }
        }
        worker.interruptRunning();
        if (!atOnce) {
            await(() -> atOnce || worker.hasEndedAll(), time.nanoTime() + GRACE.toNanos());
        }
        // A claim that is still in flight would take the jobs that are handed back.
        await(() -> atOnce || worker.claimer().isQuiet(), time.nanoTime() + RECORDING.toNanos());
        worker.endExiting();
        worker.handBackRunning(atOnce);
    }

    private void record() {
        long until = time.nanoTime() + RECORDING.toNanos();
        await(() -> worker.claimer().isQuiet(), until);
        worker.handBackReady();
        if (!await(
                () -> worker.settler().unacknowledged() == 0 && worker.claims().isEmpty(), until)) {
            log.error(
                    "Worker {} ends with {} settlements that the store has not recorded: these jobs will be reclaimed",
                    worker.name(),
                    worker.settler().unacknowledged());
        }
        // Nothing is left to renew, and a renewal after this would write the entry again.
        worker.endRenewing();
        try {
            Answers.get(worker.context().store(), new Withdraw(worker.settings().id()));
        } catch (WindrowException e) {
            log.warn("Worker {} could not leave the registry; its entry expires", worker.name(), e);
        }
    }

    private boolean await(BooleanSupplier condition, long deadlineNanos) {
        while (true) {
            try {
                return worker.claims().await(condition, deadlineNanos);
            } catch (InterruptedException e) {
                // No code has a reason to interrupt this thread.
                log.debug("Stopping was interrupted and continues");
            }
        }
    }
}
