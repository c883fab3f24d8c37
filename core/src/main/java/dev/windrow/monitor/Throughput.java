package dev.windrow.monitor;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The throughput of a store: how many attempts have ended, how long their jobs waited before them, and how long they ran. It is computed from sums
 * for each minute and each hour, so its cost does not depend on the number of jobs. The sums are written about once a second. Values in the memory of
 * a killed process are missing.
 *
 * @param window the time over which waiting and running times are computed: whole minutes, the current one last
 * @param all the attempts of all types that match the filter
 * @param types the attempts of each type of which one has ended within the window or the last 24 hours, by name
 */
public record Throughput(Duration window, Ends all, List<OfType> types) {
    /** The shortest window: 1 minute. */
    public static final Duration SHORTEST = Duration.ofMinutes(1);
    /** The longest window: 7 days. A longer one would take seconds to add up. */
    public static final Duration LONGEST = Duration.ofDays(7);

    /**
     * The attempts of one type.
     *
     * @param type the name of the type
     * @param ends its attempts
     */
    public record OfType(String type, Ends ends) {}

    /** The attempts that have ended. */
    public interface Ends {
        /** The number of attempts within the window that succeeded. */
        long succeeded();

        /** The number of attempts within the window that failed or timed out, with or without a retry. */
        long failed();

        /** The times between the due time of their jobs and their start. */
        Times waited();

        /** The times for which they ran, with any outcome. */
        Times ran();

        /** The last 60 minutes, the oldest first, the current one last. */
        List<Point> minutes();

        /** The last 24 hours of UTC, the oldest first, the current one last. */
        List<Point> hours();
    }

    /**
     * Statistics of durations. The mean is exact. The percentiles are interpolated within bins that double: below 1 ms, 2 ms, 4 ms, and so on to 70
     * minutes, and longer. A percentile is in the right bin, so up to 70 minutes its error is at most a factor of two. A longer one is reported as
     * 140 minutes at most. No percentile is longer than the longest duration, and those of a single duration are exact.
     */
    public interface Times {
        /** The number of durations. Attempts that ended before they were started are not counted. */
        long count();

        /** The mean; null if there are no durations, like the other values. */
        @Nullable Long meanMillis();

        /** The median: half of the durations are not longer. */
        @Nullable Long p50Millis();

        /** The 90th percentile: nine of ten durations are not longer. */
        @Nullable Long p90Millis();

        /** The 95th percentile: nineteen of twenty durations are not longer. */
        @Nullable Long p95Millis();

        /** The 99th percentile: ninety-nine of a hundred durations are not longer. */
        @Nullable Long p99Millis();
    }

    /**
     * The attempts that have ended in a minute, or in an hour.
     *
     * @param from the beginning of the minute or the hour
     * @param succeeded the number of attempts that succeeded
     * @param failed the number of attempts that failed or timed out
     * @param waited the times between the due time of their jobs and their start
     * @param ran the times for which they ran, with any outcome
     */
    public record Point(Instant from, long succeeded, long failed, Times waited, Times ran) {}
}
