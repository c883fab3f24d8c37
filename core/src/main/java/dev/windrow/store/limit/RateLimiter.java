package dev.windrow.store.limit;

import dev.windrow.limit.Rate;

/**
 * The arithmetic of a {@link Rate}, for stores (GCRA). A store keeps only the time at which the next start is due. Due times are in microseconds, the
 * clock in milliseconds since 1970.
 */
public final class RateLimiter {
    /** The lateness of a start that does not delay the following ones. Claims are not exact in time. */
    private static final long LATENESS_MICROS = 20_000;

    /**
     * The tolerance for differences between clocks. A start delays the next one by at most the time of a burst. A next start that is due later than
     * this and the tolerance means that the clock was set back. Then one may start at once, and the rate holds from there.
     */
    private static final long CLOCKS_MICROS = 1_000_000;

    private final Rate rate;
    private final long perMicros;
    private final long now;
    private long due;

    private RateLimiter(Rate rate, long dueMicros, long nowMillis) {
        this.rate = rate;
        this.perMicros = rate.per().toMillis() * 1000;
        this.now = nowMillis * 1000;
        long earliest = now - Math.min(LATENESS_MICROS, Math.max(0, spacing(1) - 2));
        boolean setBack = dueMicros > now + spacing(rate.burst()) + CLOCKS_MICROS;
        this.due = setBack ? now + spacing(rate.burst() - 1L) : Math.max(dueMicros, earliest);
    }

    /**
     * Returns the state of a rate at a time.
     *
     * @param dueMicros the value of {@link #dueMicros} after the last start; 0 before the first
     */
    public static RateLimiter at(Rate rate, long dueMicros, long nowMillis) {
        return new RateLimiter(rate, dueMicros, nowMillis);
    }

    /** Returns the time that this many starts take. It is rounded up, so that a start never takes less than its share of the rate. */
    private long spacing(long starts) {
        return -Math.floorDiv(-starts * perMicros, rate.count());
    }

    /** Returns how many may start now. */
    public int allowed() {
        long room = now + spacing(rate.burst() - 1L) - due;
        return room < 0 ? 0 : (int) Math.min(rate.burst(), room * rate.count() / perMicros + 1);
    }

    /** Starts this many now, at most {@link #allowed}. */
    public void start(int starts) {
        if (starts < 0 || starts > allowed()) {
            throw new IllegalArgumentException(starts + " starts at once are not allowed: at most " + allowed());
        }
        due += spacing(starts);
    }

    /** Returns when the next start is due. The store keeps this value. */
    public long dueMicros() {
        return due;
    }

    /** Returns the first moment at which one may start, in milliseconds since 1970. */
    public long opensAtMillis() {
        return Math.floorDiv(due - spacing(rate.burst() - 1L) + 999, 1000);
    }
}
