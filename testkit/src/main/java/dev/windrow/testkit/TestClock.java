package dev.windrow.testkit;

import dev.windrow.Durations;
import dev.windrow.InvalidRequestException;
import dev.windrow.engine.worker.ManualWorker;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The clock of a test. When it moves, schedules fire and waits end at their times. */
final class TestClock {
    /** The most due times of schedules and waits that one move of the clock passes. */
    private static final int MOST_DUE_TIMES = 10_000;

    private final ManualWorker worker;

    TestClock(ManualWorker worker) {
        this.worker = worker;
    }

    /** Returns the manual clock; throws if the test has another one. */
    ManualTime time() {
        if (worker.time() instanceof ManualTime time) {
            return time;
        }
        throw new InvalidRequestException(
                "the clock of this test cannot be moved: its Windrow has another source of time than ManualTime");
    }

    /** Moves the clock forward by this time. */
    void advance(Duration by) {
        if (by.isNegative()) {
            throw new InvalidRequestException("advance %s is not allowed: 0s or more".formatted(Durations.text(by)));
        }
        moveTo(time().now().plus(by));
    }

    /** Moves the clock forward, and stops at each time at which a schedule is due or a wait ends. */
    void moveTo(Instant target) {
        ManualTime time = time();
        for (int i = 0; ; i++) {
            long next = nextTick(time.millis());
            if (next > target.toEpochMilli()) {
                break;
            }
            if (i == MOST_DUE_TIMES) {
                throw new InvalidRequestException(
                        "a move of the clock to %s is not allowed: it passes more than %d due times of schedules and waits"
                                .formatted(target, MOST_DUE_TIMES));
            }
            time.advance(Duration.between(time.now(), Instant.ofEpochMilli(next)));
            worker.tick();
        }
        if (target.isAfter(time.now())) {
            time.advance(Duration.between(time.now(), target));
        }
        worker.tick();
    }

    /** Returns the time in epoch milliseconds after this one at which a schedule is due or a wait ends; {@link Long#MAX_VALUE} if none does. */
    private long nextTick(long now) {
        Long next = worker.nextTickMillis();
        return next == null || next <= now ? Long.MAX_VALUE : next;
    }

    /** Returns the time in epoch milliseconds after now at which the next scheduled job is due; {@link Long#MAX_VALUE} if none is. */
    private long nextDue(long now) {
        Long next = worker.nextDueMillis();
        return next == null || next <= now ? Long.MAX_VALUE : next;
    }

    /**
     * Returns the time at which something is due next; null if nothing is.
     *
     * @param until the last time that counts, for jobs, schedules and waits; null for jobs at any time
     */
    @Nullable Instant next(@Nullable Instant until) {
        long now = worker.time().now().toEpochMilli();
        long next = until == null ? nextDue(now) : Math.min(nextDue(now), nextTick(now));
        return next == Long.MAX_VALUE || (until != null && next > until.toEpochMilli())
                ? null
                : Instant.ofEpochMilli(next);
    }
}
