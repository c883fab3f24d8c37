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
 * Ends the waits of jobs that run out of time. Every process with a worker does, and whoever is first has done it. The store tells
 * when the next one is due, whichever process has begun it; until then this asks for nothing.
 */
public final class WaitTimeouts {
    /** How many one transaction ends. */
    private static final int PART = 1000;
    /** While one is due later: how often the wall clock is looked at, which nobody is told of when it is set. */
    private static final long CLOCK_LOOK_NANOS = TimeUnit.SECONDS.toNanos(5);
    /** After a look that found nothing: what is due is in others' hands, who end it now or have locked it. */
    private static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private static final Logger log = SafeLogger.of(WaitTimeouts.class);

    private final OpenStore store;
    private final TimeSource time;
    private final Loop loop;
    /** When to look, by the wall clock. At once at first: what began before this process did, nobody tells it. */
    private final AtomicLong nextMillis = new AtomicLong(Long.MIN_VALUE);
    // Used by the loop alone.
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

    /** A hint of the store. On one of its threads. */
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
        // What is told from here on may be due later than what this look finds.
        nextMillis.set(Long.MAX_VALUE);
        boolean done = false;
        try {
            int ended = Answers.get(store, new EndWaits(PART));
            done = true;
            if (ended > 0) {
                log.info(
                        "{} jobs have waited for longer than they were to, and have failed as {} or go on without their event",
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
