package dev.windrow.monitor;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How fast work goes: how many attempts have ended of late, how long jobs waited before them, and how long they ran. From sums that
 * are kept per minute, so that it costs the same however many jobs there are. They are written about once a second; what was in the memory of a
 * process that was killed is missing.
 *
 * @param window over how long the times are taken: whole minutes, of which the present one is the last
 * @param all of all types
 * @param types the same for each type of which an attempt has ended within the window or the last 24 hours, by name
 */
public record Throughput(Duration window, Ends all, List<OfType> types) {
    /** The shortest window. */
    public static final Duration SHORTEST = Duration.ofMinutes(1);
    /** The longest window: what is added up when somebody asks must not take seconds. */
    public static final Duration LONGEST = Duration.ofDays(7);

    /**
     * One type.
     *
     * @param type its name
     * @param ends its attempts
     */
    public record OfType(String type, Ends ends) {}

    /** Attempts that have ended. */
    public interface Ends {
        /** The number of those within the window that succeeded. */
        long succeeded();

        /** The number of those within the window that failed or timed out, tried again or not. */
        long failed();

        /** The times for which their jobs had been due when they started. */
        Times waited();

        /** The times for which they ran, however they ended. */
        Times ran();

        /** The last 60 minutes, the oldest first, the present one last. */
        List<Point> minutes();

        /** The last 24 hours of UTC, the oldest first, the present one last. */
        List<Point> hours();
    }

    /**
     * Times. The mean is exact. The percentiles are interpolated within bins that double (below 1 ms, 2 ms, 4 ms, ... 70 minutes, and
     * longer). A percentile is in the right bin, hence off by a factor of two at worst up to 70 minutes. One that is
     * longer is reported as 140 minutes at most. No percentile is longer than the longest time.
     */
    public interface Times {
        /** Their number; attempts that ended before they were started are not counted. */
        long count();

        /** The mean; null when there are none, as are the others. */
        @Nullable Long meanMillis();

        /** The median: half of them took no longer. */
        @Nullable Long p50Millis();

        /** The time than which nine of ten took no longer. */
        @Nullable Long p90Millis();

        /** The time than which nineteen of twenty took no longer. */
        @Nullable Long p95Millis();

        /** The time than which ninety-nine of a hundred took no longer. */
        @Nullable Long p99Millis();
    }

    /**
     * What has ended in a minute, or an hour.
     *
     * @param from when it began
     * @param succeeded attempts that succeeded
     * @param failed attempts that failed or timed out
     */
    public record Point(Instant from, long succeeded, long failed) {}
}
