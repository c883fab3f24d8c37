package dev.windrow.store.limit;

import dev.windrow.limit.Rate;

/**
 * The arithmetic of a {@link Rate}, for stores: when the next start is due is all that they keep. Due times are in microseconds, the clock
 * in milliseconds since 1970.
 */
public final class RateLimiter {
    /** Starts that were late by less than this do not put off the ones that follow: claims come when they come. */
    private static final long LATENESS_MICROS = 20_000;

    /**
     * No start puts the next one off by more than a burst takes. If it is due later than that and this, the clock was set back since: then
     * one may start, and the rate holds from there.
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
     * How a rate stands at a time.
     *
     * @param dueMicros what {@link #dueMicros} was after the last start; 0 before the first
     */
    public static RateLimiter at(Rate rate, long dueMicros, long nowMillis) {
        return new RateLimiter(rate, dueMicros, nowMillis);
    }

    /** Rounded up: what is taken is taken whole. */
    private long spacing(long starts) {
        return -Math.floorDiv(-starts * perMicros, rate.count());
    }

    /** How many may start now. */
    public int allowed() {
        long room = now + spacing(rate.burst() - 1L) - due;
        return room < 0 ? 0 : (int) Math.min(rate.burst(), room * rate.count() / perMicros + 1);
    }

    /** So many start now, at most as many as are {@link #allowed}. */
    public void start(int starts) {
        if (starts < 0 || starts > allowed()) {
            throw new IllegalArgumentException(starts + " starts at once: allowed are " + allowed());
        }
        due += spacing(starts);
    }

    /** When the next start is due; to be kept. */
    public long dueMicros() {
        return due;
    }

    /** The first moment at which one may start, in milliseconds since 1970. */
    public long opensAtMillis() {
        return Math.floorDiv(due - spacing(rate.burst() - 1L) + 999, 1000);
    }
}
