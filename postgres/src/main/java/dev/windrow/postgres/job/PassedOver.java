package dev.windrow.postgres.job;

import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * Where claims have passed over jobs that are ready, because somebody had locked them. Whoever had need not say so when he lets them go: he may have read
 * them only, or have changed nothing. So a worker looks again, soon at first, since most transactions take no longer than a commit; and less
 * often the longer it goes on, since a caller's may stay open for minutes. Safe for use by many threads.
 */
public final class PassedOver {
    /** After the first time: as long as a commit takes. */
    private static final long FIRST_MILLIS = 5;

    private static final long LAST_MILLIS = 100;

    /** Since when, by the server's clock, by lane. */
    private final Map<Integer, Long> since = new ConcurrentHashMap<>();

    /** No job waits in these lanes that a claim could have taken. */
    void none(Predicate<Integer> lanes) {
        since.keySet().removeIf(lanes);
    }

    /** Jobs wait in these lanes, of which there is one at least; answers when to look again. */
    long lookAgainAt(Collection<Integer> lanes, long now) {
        long pause = LAST_MILLIS;
        for (int lane : lanes) {
            long before = now - since.computeIfAbsent(lane, key -> now);
            pause = Math.min(pause, Math.max(FIRST_MILLIS, before / 2));
        }
        return now + pause;
    }
}
