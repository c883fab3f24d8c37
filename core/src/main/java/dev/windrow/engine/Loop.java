package dev.windrow.engine;

import dev.windrow.Durations;
import dev.windrow.OutcomeUnknownException;
import dev.windrow.StoreUnavailableException;
import dev.windrow.TimeSource;
import dev.windrow.monitor.Health;
import dev.windrow.store.SafeLogger;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * A background task: a named daemon thread that runs one round after another until it is stopped. Between rounds it
 * waits until it is signalled, but no longer than the round returned.
 *
 * <p>An exception or error does not end it. It logs a failed round and pauses. The pause grows from
 * {@link #FIRST_PAUSE} to {@link #LAST_PAUSE} while rounds fail, and ignores signals. An unusable store (a full disk, a
 * lock) is not an error of the task. The task logs one line when the store becomes unusable, and one line when it is
 * usable again.
 */
public final class Loop {
    static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    static final Duration LAST_PAUSE = Duration.ofSeconds(10);
    private static final long FIRST_PAUSE_NANOS = FIRST_PAUSE.toNanos();
    /** The time between two log entries of a task that keeps failing by an error of its own. */
    static final Duration LOG_INTERVAL = Duration.ofMinutes(1);
    /** The duration after which a round counts as hanging: each call of a round ends in less time. */
    static final Duration STALLED = Duration.ofSeconds(30);
    /** The return value of a round that waits for a signal. */
    public static final long UNTIL_SIGNALLED = Duration.ofHours(1).toNanos();

    private static final Logger log = SafeLogger.of(Loop.class);

    /** One round of the task. */
    public interface Round {
        /** Does the work that is due; returns how many nanoseconds the next round may wait for a signal. */
        long run() throws Exception;
    }

    private final String name;
    private final TimeSource time;
    private final Round round;
    private final Thread thread;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition wake = lock.newCondition();
    // Written under the lock. Read without it, so that callers do not take the lock if nothing changes.
    private volatile boolean signalled;
    private volatile boolean stopping;
    // Written only by the loop's thread.
    private final AtomicInteger failures = new AtomicInteger();
    private volatile long lastRoundNanos;
    private volatile boolean inRound;
    private volatile long roundNanos;
    private volatile @Nullable Throwable lastFailure;
    // Used only by the loop's thread.
    private int errors;
    private long lastLogNanos;
    private boolean outage;
    private long outageNanos;

    public Loop(String name, TimeSource time, Round round) {
        this.name = name;
        this.time = time;
        this.round = round;
        this.thread = new Thread(this::run, name);
        thread.setDaemon(true);
    }

    public Loop start() {
        lastRoundNanos = time.nanoTime();
        thread.start();
        return this;
    }

    /** Starts the next round soon. That round sees everything that the caller wrote before. */
    public void signal() {
        // A pending signal serves this caller as well, because its round has not begun to read.
        if (signalled) {
            return;
        }
        lock.lock();
        try {
            signalled = true;
            wake.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        while (!stopping) {
            long wait;
            try {
                inRound = true;
                roundNanos = time.nanoTime();
                wait = round.run();
                lastRoundNanos = time.nanoTime();
                inRound = false;
                recovered();
            } catch (Throwable e) {
                inRound = false;
                lastFailure = e;
                wait = failed(e);
            }
            try {
                boolean deaf = failures.get() > 0;
                pause(time.nanoTime() + Math.min(Math.max(0, wait), UNTIL_SIGNALLED), deaf);
            } catch (Throwable e) {
                // No memory is left to wait with the lock.
                LockSupport.parkNanos(FIRST_PAUSE_NANOS);
            }
        }
    }

    /** Logs the failure; returns how long to pause. */
    private long failed(Throwable e) {
        int inARow = failures.incrementAndGet();
        try {
            if (stopping) {
                log.debug("{} ends with a failed round", name, e);
            } else {
                report(inARow, e);
            }
        } catch (Throwable again) {
            // No memory is left to log the failure.
        }
        return pauseNanos(inARow);
    }

    private void recovered() {
        int inARow = failures.getAndSet(0);
        if (inARow == 0) {
            return;
        }
        if (outage) {
            Duration lasted = Duration.ofMillis(TimeUnit.NANOSECONDS.toMillis(time.nanoTime() - outageNanos));
            log.info("{} continues: the store could not be used for {}", name, Durations.text(lasted));
        } else {
            log.info("{} works again after {} failed rounds", name, inARow);
        }
        outage = false;
        errors = 0;
    }

    private void report(int inARow, Throwable e) {
        long now = time.nanoTime();
        if (e instanceof StoreUnavailableException || e instanceof OutcomeUnknownException) {
            log.debug("{} failed ({} times in a row)", name, inARow, e);
            if (!outage) {
                outage = true;
                outageNanos = now;
                log.warn("{} waits until the store can be used again: {}", name, e.getMessage());
            }
        } else if (errors++ == 0 || now - lastLogNanos >= LOG_INTERVAL.toNanos()) {
            lastLogNanos = now;
            log.error("{} failed ({} times in a row) and tries again", name, inARow, e);
        }
    }

    /** Returns how long to pause after this many failures in a row. */
    public static long pauseNanos(int failures) {
        int doublings = Math.min(failures - 1, 20);
        return Math.min(LAST_PAUSE.toNanos(), FIRST_PAUSE.toNanos() << doublings);
    }

    private void pause(long deadlineNanos, boolean deaf) {
        lock.lock();
        try {
            while (!stopping && (deaf || !signalled) && time.nanoTime() - deadlineNanos < 0) {
                try {
                    time.awaitUntil(lock, wake, deadlineNanos);
                } catch (InterruptedException e) {
                    // No code has a reason to interrupt this thread; stop() ends it.
                    log.debug("{} was interrupted and continues", name);
                }
            }
            signalled = false;
        } finally {
            lock.unlock();
        }
    }

    /** Ends the loop after the current round. Idempotent; does not wait. */
    public void stop() {
        lock.lock();
        try {
            stopping = true;
            wake.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Stops the loop and waits until the last round has ended. Returns false if that takes longer than the given time.
     * Returns true at once on the loop's own thread. An interrupt ends the wait and stays set.
     */
    public boolean stopAndJoin(Duration patience) {
        stop();
        if (Thread.currentThread() == thread) {
            return true;
        }
        try {
            thread.join(Math.max(1, patience.toMillis()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return !thread.isAlive();
    }

    /** True if its thread runs. */
    boolean isAlive() {
        return thread.isAlive();
    }

    /** Returns how many rounds in a row have failed. */
    int failures() {
        return failures.get();
    }

    /**
     * Returns the health of the task. It is well if its last round succeeded, and it waits or has been in a round for
     * less than {@link #STALLED}.
     */
    public Health.Task task() {
        long now = time.nanoTime();
        String problem = null;
        long since = 0;
        int inARow = failures.get();
        if (!thread.isAlive() && !stopping) {
            problem = "its thread has ended";
            since = now - lastRoundNanos;
        } else if (inARow > 0) {
            Throwable last = lastFailure;
            problem = "has failed %d times in a row: %s".formatted(inARow, last == null ? "" : SafeLogger.text(last));
            since = now - lastRoundNanos;
        } else if (inRound && now - roundNanos > STALLED.toNanos()) {
            since = now - roundNanos;
            problem = "has been in one round for %d s"
                    .formatted(Duration.ofNanos(since).toSeconds());
        }
        return new Health.Task(name, problem, Duration.ofNanos(Math.max(0, since)));
    }
}
