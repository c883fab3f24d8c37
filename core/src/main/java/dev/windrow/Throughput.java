package dev.windrow;

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

    /**
     * Attempts that have ended.
     *
     * @param succeeded within the window
     * @param failed within the window: failed or timed out, whether or not the job was tried again
     * @param waited how long their jobs had been due when they started
     * @param ran how long they ran, however they ended
     * @param minutes the last 60 minutes, the oldest first, the present one last
     * @param hours the last 24 hours of UTC, the oldest first, the present one last
     */
    public record Ends(long succeeded, long failed, Times waited, Times ran, List<Point> minutes, List<Point> hours) {}

    /**
     * Times. The mean is exact. The percentiles are interpolated within bins that double (below 1 ms, 2 ms, 4 ms, ... 70 minutes, and
     * longer). A percentile is in the right bin, hence off by a factor of two at worst up to 70 minutes. One that is
     * longer is reported as 140 minutes at most. No percentile is longer than the longest time.
     *
     * @param count how many; attempts that ended before they were started are not counted
     * @param meanMillis the mean; null when there are none, as are the others
     * @param p50Millis half of them took no longer
     * @param p90Millis of ten nine took no longer
     * @param p95Millis of twenty nineteen took no longer
     * @param p99Millis of a hundred ninety-nine took no longer
     */
    public record Times(
            long count,
            @Nullable Long meanMillis,
            @Nullable Long p50Millis,
            @Nullable Long p90Millis,
            @Nullable Long p95Millis,
            @Nullable Long p99Millis) {}

    /**
     * What has ended in a minute, or an hour.
     *
     * @param from when it began
     * @param succeeded attempts that succeeded
     * @param failed attempts that failed or timed out
     */
    public record Point(Instant from, long succeeded, long failed) {}
}
