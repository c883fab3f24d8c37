package dev.windrow.store.schedule;

import dev.windrow.InvalidRequestException;
import dev.windrow.schedule.Cron;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The due times of a schedule, as they are stored: by a cron expression in a zone, or at a fixed interval from a start. The due times of both are
 * computed, never added up, so that none drifts.
 *
 * <p>A definition with an interval may leave the start open. The store then keeps the first of its due times after 1970 as the start. So the schedule
 * has due times also after a clock is set back.
 *
 * @param cron the cron expression, or null
 * @param zone the id of its zone, or null
 * @param everyMillis the interval, or null
 * @param startsAtMillis the first due time at a fixed interval, in epoch milliseconds; null for cron, and in a definition without a start
 */
public record Timing(
        @Nullable String cron,
        @Nullable String zone,
        @Nullable Long everyMillis,
        @Nullable Long startsAtMillis) {
    /** The most due times of a cron expression that are counted. After a longer outage they are not counted. */
    public static final int MAX_COUNTED = 10_000;
    /** The largest step back of a clock that counts as a correction. A larger step, beyond the recorded runs of a schedule, means another time. */
    private static final long CORRECTION_MILLIS = Duration.ofDays(1).toMillis();
    /** The end of the year 9999, after which nothing is due. */
    private static final long LAST_MILLIS =
            Instant.parse("9999-12-30T00:00:00Z").toEpochMilli();

    private static final long SECOND = 1000;

    /** The due times of a cron expression, parsed once for many calls. */
    private record Runs(Cron cron, ZoneId zone) {
        long after(long millis) {
            return millis >= LAST_MILLIS
                    ? Long.MAX_VALUE
                    : cron.next(Instant.ofEpochMilli(millis), zone).toEpochMilli();
        }
    }

    /** Returns the timing as it is stored at an instant. A fixed interval without a start is counted from that instant. */
    public Timing stored(long nowMillis) {
        return everyMillis == null || startsAtMillis != null
                ? this
                : startingAt(Math.floorMod(nowMillis, (long) everyMillis));
    }

    /** Returns the start that the definition of a stored timing has; null if it has none. */
    public @Nullable Long saidStartMillis() {
        return everyMillis == null || startsAtMillis == null || startsAtMillis < everyMillis ? null : startsAtMillis;
    }

    /** Returns the same timing with a start. */
    public Timing startingAt(long millis) {
        return new Timing(cron, zone, everyMillis, millis);
    }

    /** True if a stored timing is the timing of this definition, whose start may be open. */
    public boolean isOf(Timing stored) {
        return (startsAtMillis == null && stored.startsAtMillis != null ? startingAt(stored.startsAtMillis) : this)
                .equals(stored);
    }

    /**
     * Returns the first due time strictly after an instant; null if there is none before the end of the year 9999.
     *
     * @throws InvalidRequestException if the stored timing cannot be read
     */
    public @Nullable Long next(long afterMillis) {
        long next = everyMillis == null ? runs().after(afterMillis) : nextEven(everyMillis, afterMillis);
        return next > LAST_MILLIS ? null : Long.valueOf(next);
    }

    /** Returns why its due times cannot be computed, such as a zone that this process does not know; null if they can. */
    public @Nullable String problem() {
        try {
            Long unused = next(0);
            return null;
        } catch (InvalidRequestException e) {
            return "cannot be read: " + e.getMessage();
        }
    }

    private Runs runs() {
        try {
            return new Runs(Cron.parse(String.valueOf(cron)), ZoneId.of(String.valueOf(zone)));
        } catch (DateTimeException e) {
            throw new InvalidRequestException("zone '%s' is not known here: %s".formatted(zone, e.getMessage()), e);
        }
    }

    private long start() {
        return startsAtMillis == null ? 0 : startsAtMillis;
    }

    private long nextEven(long every, long after) {
        long start = start();
        return after < start ? start : start + (Math.floorDiv(after - start, every) + 1) * every;
    }

    /**
     * Returns the first due time after the clock was set back to an instant. Due times for which a job was made before are left out.
     *
     * @param made the due times after the instant for which jobs were made, as far as they are recorded
     * @param forgotten the first of them, if earlier ones may have been deleted from the record; else null
     */
    public @Nullable Long nextAfterStepBack(long nowMillis, Collection<Long> made, @Nullable Long forgotten) {
        Set<Long> gone = new HashSet<>(made);
        long after = forgotten != null && forgotten - nowMillis <= CORRECTION_MILLIS ? forgotten : nowMillis;
        Long next = next(after);
        while (next != null && gone.contains(next)) {
            next = next(next);
        }
        return next;
    }

    /**
     * Returns the last due time that is not after an instant.
     *
     * @param first a due time that is not after it
     */
    public long last(long first, long notAfter) {
        if (everyMillis != null) {
            return Math.max(first, nextEven(everyMillis, notAfter) - everyMillis);
        }
        return last(runs(), first, notAfter);
    }

    /**
     * Returns the last due time of a cron expression that is not after an instant. A cron expression cannot be evaluated backwards. So this searches
     * for the greatest time whose next run has come.
     */
    private static long last(Runs runs, long first, long notAfter) {
        if (runs.after(first) > notAfter) {
            return first;
        }
        long has = first;
        long hasNot = notAfter;
        for (long step = SECOND; notAfter - step > has; step *= 2) {
            if (runs.after(notAfter - step) <= notAfter) {
                has = notAfter - step;
                break;
            }
            hasNot = notAfter - step;
        }
        while (hasNot - has > SECOND) {
            long middle = has + (hasNot - has) / 2;
            if (runs.after(middle) <= notAfter) {
                has = middle;
            } else {
                hasNot = middle;
            }
        }
        return runs.after(has);
    }

    /** Returns the number of due times from the first to the last one; null if there are too many to count. */
    public @Nullable Long count(long first, long last) {
        if (everyMillis != null) {
            // The first may have been stored under another timing, and lie in between.
            return 1 + (last - first + everyMillis - 1) / everyMillis;
        }
        Runs runs = runs();
        long count = 1;
        for (long at = first; at < last; at = runs.after(at)) {
            if (++count > MAX_COUNTED) {
                return null;
            }
        }
        return count;
    }

    /** Returns the newest due times from the first to the last one, at most {@code max}, in order. */
    public List<Long> newest(long first, long last, int max) {
        List<Long> all = upTo(first, last, max);
        if (all.size() <= max) {
            return all;
        }
        Runs runs = everyMillis == null ? runs() : null;
        Deque<Long> newest = new ArrayDeque<>();
        for (long at = last; newest.size() < max; ) {
            newest.addFirst(at);
            at = runs == null ? last(first, at - 1) : last(runs, first, at - 1);
        }
        return List.copyOf(newest);
    }

    /** Returns the due times from the first to the last one, at most {@code max} + 1. */
    private List<Long> upTo(long first, long last, int max) {
        Runs runs = everyMillis == null ? runs() : null;
        List<Long> all = new ArrayList<>();
        for (long at = first; at <= last && all.size() <= max; ) {
            all.add(at);
            at = runs == null ? nextEven(everyMillis == null ? SECOND : everyMillis, at) : runs.after(at);
        }
        return all;
    }
}
