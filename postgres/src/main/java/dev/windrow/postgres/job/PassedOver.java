package dev.windrow.postgres.job;

import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * The lanes with skipped rows: ready jobs that another transaction had locked. The end of that transaction need not cause a notification, because it
 * may only have read the jobs or changed nothing. So a worker polls again. The first poll comes soon, since most transactions take no longer than a
 * commit. Later polls are less frequent, since a caller's transaction may stay open for minutes. Safe for use by many threads.
 */
public final class PassedOver {
    /** The first pause, as long as a commit takes. */
    private static final long FIRST_MILLIS = 5;

    private static final long LAST_MILLIS = 100;

    /** The begin of the skipping in each lane, by the server's clock. */
    private final Map<Integer, Long> since = new ConcurrentHashMap<>();

    /** Removes lanes in which no skipped jobs wait. */
    void none(Predicate<Integer> lanes) {
        since.keySet().removeIf(lanes);
    }

    /** Notes skipped jobs in these lanes, of which there is at least one. Returns the time of the next poll. */
    long lookAgainAt(Collection<Integer> lanes, long now) {
        long pause = LAST_MILLIS;
        for (int lane : lanes) {
            long before = now - since.computeIfAbsent(lane, key -> now);
            pause = Math.min(pause, Math.max(FIRST_MILLIS, before / 2));
        }
        return now + pause;
    }
}
