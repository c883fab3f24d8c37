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
 * When a schedule is due, as it is stored: by a cron expression in a zone, or at a fixed interval from a start. The due times of both are
 * computed, never counted up, so that none drifts.
 *
 * @param cron the cron expression, or null
 * @param zone the id of its zone, or null
 * @param everyMillis the distance, or null
 * @param startsAtMillis the first due time at a fixed interval, in epoch milliseconds; null in a definition that does not say, and for cron.
 *     Stored for one that does not say: the first of its due times after 1970, so that a clock that is set back finds some
 */
public record Timing(
        @Nullable String cron,
        @Nullable String zone,
        @Nullable Long everyMillis,
        @Nullable Long startsAtMillis) {
    /** Of a longer standstill, due times of a cron expression are not counted. */
    public static final int MAX_COUNTED = 10_000;
    /** Behind what is remembered of a schedule's runs: a step of the clock back by more than this is no correction, but another time. */
    private static final long CORRECTION_MILLIS = Duration.ofDays(1).toMillis();
    /** The end of the year 9999, behind which nothing is due. */
    private static final long LAST_MILLIS =
            Instant.parse("9999-12-30T00:00:00Z").toEpochMilli();

    private static final long SECOND = 1000;

    /** The due times of a cron expression, read once for many questions. */
    private record Runs(Cron cron, ZoneId zone) {
        long after(long millis) {
            return millis >= LAST_MILLIS
                    ? Long.MAX_VALUE
                    : cron.next(Instant.ofEpochMilli(millis), zone).toEpochMilli();
        }
    }

    /** As it is stored at an instant: at a fixed interval from that, if it does not say from when on. */
    public Timing stored(long nowMillis) {
        return everyMillis == null || startsAtMillis != null
                ? this
                : startingAt(Math.floorMod(nowMillis, (long) everyMillis));
    }

    /** The start that was said, of a timing that is stored; null if none was. */
    public @Nullable Long saidStartMillis() {
        return everyMillis == null || startsAtMillis == null || startsAtMillis < everyMillis ? null : startsAtMillis;
    }

    /** The same timing with a start. */
    public Timing startingAt(long millis) {
        return new Timing(cron, zone, everyMillis, millis);
    }

    /** Whether a stored timing is what this definition says, which may leave the start open. */
    public boolean isOf(Timing stored) {
        return (startsAtMillis == null && stored.startsAtMillis != null ? startingAt(stored.startsAtMillis) : this)
                .equals(stored);
    }

    /**
     * The first due time strictly after an instant; null if there is none before the end of the year 9999.
     *
     * @throws InvalidRequestException if what is stored cannot be read
     */
    public @Nullable Long next(long afterMillis) {
        long next = everyMillis == null ? runs().after(afterMillis) : nextEven(everyMillis, afterMillis);
        return next > LAST_MILLIS ? null : Long.valueOf(next);
    }

    /** Why its due times cannot be told, such as a zone that is not known here; null if they can. */
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
     * The first due time after the clock was set back to an instant: one for which a job was made before is none any more.
     *
     * @param made the due times after the instant for which jobs were made, as far as that is remembered
     * @param forgotten the first of them, if earlier ones may be forgotten; else null
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
     * The last due time that is not after an instant.
     *
     * @param first a due time that is not after it
     */
    public long last(long first, long notAfter) {
        if (everyMillis != null) {
            return Math.max(first, nextEven(everyMillis, notAfter) - everyMillis);
        }
        return last(runs(), first, notAfter);
    }

    /** There is no way back from a time to the one before it: looks for the greatest time whose next run has come. */
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

    /** How many due times there are from the first to the last one; null if there are too many to count. */
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

    /** The newest due times from the first to the last one, at most so many, in order. */
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

    /** The due times from the first to the last one, or one more than so many. */
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
