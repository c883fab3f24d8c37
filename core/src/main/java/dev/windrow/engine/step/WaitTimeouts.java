package dev.windrow.engine.step;

import dev.windrow.ErrorCodes;
import dev.windrow.TimeSource;
import dev.windrow.engine.Answers;
import dev.windrow.engine.EngineContext;
import dev.windrow.engine.Loop;
import dev.windrow.monitor.Health;
import dev.windrow.store.OpenStore;
import dev.windrow.store.SafeLogger;
import dev.windrow.store.step.EndWaits;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;

/**
 * Ends the waits of jobs whose time is over. Every process with a worker does this, and the first process wins. The
 * store tells when the next wait ends, including waits that other processes have begun. Until then this task makes no
 * queries.
 */
public final class WaitTimeouts {
    /** The most waits that one transaction ends. */
    private static final int PART = 1000;
    /**
     * The time between two checks of the wall clock while a wait is pending. The process is not notified when the clock
     * is set.
     */
    private static final long CLOCK_LOOK_NANOS = TimeUnit.SECONDS.toNanos(5);
    /** The time until the next try if none ended: other processes end the due waits now, or have locked them. */
    private static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private static final Logger log = SafeLogger.of(WaitTimeouts.class);

    private final OpenStore store;
    private final TimeSource time;
    private final Loop loop;
    /**
     * The time of the next try, by the wall clock. The first try is immediate, because no hint reports waits that began
     * before this process.
     */
    private final AtomicLong nextMillis = new AtomicLong(Long.MIN_VALUE);
    // Used only by the loop.
    private long idleUntilNanos;

    public WaitTimeouts(EngineContext context) {
        this.store = context.store();
        this.time = context.time();
        this.idleUntilNanos = time.nanoTime();
        this.loop = new Loop("windrow-waits", time, this::round);
    }

    public void start() {
        loop.start();
    }

    public Health.Task task() {
        return loop.task();
    }

    public void close() {
        loop.stopAndJoin(Duration.ofSeconds(5));
    }

    /** Handles a hint of the store. Called on a thread of the store. */
    public void endAt(long atMillis) {
        if (nextMillis.getAndAccumulate(atMillis, Math::min) > atMillis) {
            loop.signal();
        }
    }

    private long round() {
        long rest = idleUntilNanos - time.nanoTime();
        if (rest > 0) {
            return rest;
        }
        long due = nextMillis.get();
        long now = time.now().toEpochMilli();
        if (due > now) {
            return due == Long.MAX_VALUE
                    ? Loop.UNTIL_SIGNALLED
                    : Math.min(CLOCK_LOOK_NANOS, TimeUnit.MILLISECONDS.toNanos(due - now));
        }
        // A hint from here on may be for a later time than the waits that this try ends.
        nextMillis.set(Long.MAX_VALUE);
        boolean done = false;
        try {
            int ended = Answers.get(store, new EndWaits(PART));
            done = true;
            if (ended > 0) {
                log.info(
                        "{} jobs have waited until their timeout: they have failed as {}, or continue without their event",
                        ended,
                        ErrorCodes.TIMEOUT_WAIT);
            } else {
                idleUntilNanos = time.nanoTime() + IDLE_NANOS;
            }
        } finally {
            if (!done) {
                nextMillis.accumulateAndGet(due, Math::min);
            }
        }
        return 0;
    }
}
