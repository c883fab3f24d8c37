package dev.windrow.store.monitor;

import dev.windrow.monitor.Throughput;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The sums of the numbers that a store keeps per minute and per hour. The present hour is summed from its minutes, as is the part of the window that
 * is in no whole hour. Not safe for use by several threads.
 */
public final class ThroughputSums {
    /** The number of bins. Bin i has the durations below 2^i milliseconds that no smaller bin has. The last bin has all others. */
    public static final int BINS = 24;
    /** The minutes of an hour, which are reported one by one. */
    public static final int MINUTES = 60;
    /** The number of hours that are reported one by one. */
    public static final int HOURS = 24;

    private static final long MINUTE_MILLIS = 60_000;
    private static final Throughput.Times NO_TIMES = new Percentiles(
            /* count= */ 0,
            /* meanMillis= */ null,
            /* p50Millis= */ null,
            /* p90Millis= */ null,
            /* p95Millis= */ null,
            /* p99Millis= */ null);

    /**
     * The sums of durations.
     *
     * @param millis their sum
     * @param longestMillis the longest of them; 0 when there are none
     * @param bins how many are in each bin
     */
    @SuppressWarnings("ArrayRecordComponent") // read once, where it is made
    public record Times(long millis, long longestMillis, long[] bins) {}

    /** Attempts that ended, and the durations before and during them. */
    public record Attempts(long succeeded, long failed, Times waited, Times ran) {}

    private static final class TimeSums {
        private long millis;
        private long longestMillis;
        private final long[] bins = new long[BINS];

        void add(Times times) {
            millis += times.millis;
            longestMillis = Math.max(longestMillis, times.longestMillis);
            for (int i = 0; i < BINS; i++) {
                bins[i] += times.bins[i];
            }
        }
    }

    /** The sums of a time. */
    private static final class Sum {
        private long succeeded;
        private long failed;
        private final TimeSums waited = new TimeSums();
        private final TimeSums ran = new TimeSums();

        void add(Attempts attempts) {
            succeeded += attempts.succeeded;
            failed += attempts.failed;
            waited.add(attempts.waited);
            ran.add(attempts.ran);
        }
    }

    /** The sums of a type, by first minute. Minutes and hours without attempts are absent. */
    private static final class Sums {
        private final Sum window = new Sum();
        private final Map<Long, Sum> minutes = new HashMap<>();
        private final Map<Long, Sum> hours = new HashMap<>();
    }

    private final long nowMinute;
    private final long minutes;
    private final Sums all = new Sums();
    private final Map<String, Sums> types = new TreeMap<>();

    /**
     * Creates sums without numbers.
     *
     * @param nowMillis the store's clock
     * @param window the period for durations; part of a minute counts as a whole one
     */
    public ThroughputSums(long nowMillis, Duration window) {
        nowMinute = Math.floorDiv(nowMillis, MINUTE_MILLIS);
        minutes = Math.max(1, (window.toMillis() + MINUTE_MILLIS - 1) / MINUTE_MILLIS);
    }

    /** Returns the present minute: the last minute of all periods. */
    public long lastMinute() {
        return nowMinute;
    }

    /** Returns the first minute of the window. */
    public long firstMinute() {
        return nowMinute - minutes + 1;
    }

    /** Returns the first of the minutes that are reported one by one. */
    public long firstOfMinutes() {
        return nowMinute - MINUTES + 1;
    }

    /** Returns the first minute of the hours that are reported one by one. */
    public long firstOfHours() {
        return presentHour() - (HOURS - 1) * MINUTES;
    }

    /** Returns the first minute of the last hour that is over. */
    public long lastHour() {
        return presentHour() - MINUTES;
    }

    /** Returns the first minute of the first hour that began within the window, or of the hour after the present one. */
    public long firstWholeHour() {
        return hour(firstMinute() + MINUTES - 1);
    }

    private long presentHour() {
        return hour(nowMinute);
    }

    private static long hour(long minute) {
        return Math.floorDiv(minute, MINUTES) * MINUTES;
    }

    /** Adds attempts of one of the last 60 minutes, or of a minute that is in the window and before its first whole hour. */
    public void minute(String type, long minute, Attempts attempts) {
        boolean present = minute >= presentHour();
        for (Sums sums : List.of(all, of(type))) {
            sums.minutes.computeIfAbsent(minute, key -> new Sum()).add(attempts);
            if (present) {
                sums.hours.computeIfAbsent(presentHour(), key -> new Sum()).add(attempts);
            }
            if (minute >= firstMinute() && (present || minute < firstWholeHour())) {
                sums.window.add(attempts);
            }
        }
    }

    /** Adds attempts of an hour that is over: one of the last 24 hours, or an hour within the window. It is named by its first minute. */
    public void hour(String type, long minute, Attempts attempts) {
        for (Sums sums : List.of(all, of(type))) {
            sums.hours.computeIfAbsent(minute, key -> new Sum()).add(attempts);
            if (minute >= firstWholeHour()) {
                sums.window.add(attempts);
            }
        }
    }

    private Sums of(String type) {
        return types.computeIfAbsent(type, key -> new Sums());
    }

    /** Returns the throughput from these sums. */
    public Throughput build() {
        List<Throughput.OfType> ofTypes = new ArrayList<>();
        types.forEach((type, sums) -> ofTypes.add(new Throughput.OfType(type, ends(sums))));
        return new Throughput(Duration.ofMinutes(minutes), ends(all), ofTypes);
    }

    private record Ended(
            long succeeded,
            long failed,
            Throughput.Times waited,
            Throughput.Times ran,
            List<Throughput.Point> minutes,
            List<Throughput.Point> hours)
            implements Throughput.Ends {}

    private record Percentiles(
            long count,
            @Nullable Long meanMillis,
            @Nullable Long p50Millis,
            @Nullable Long p90Millis,
            @Nullable Long p95Millis,
            @Nullable Long p99Millis)
            implements Throughput.Times {}

    private Throughput.Ends ends(Sums sums) {
        return new Ended(
                /* succeeded= */ sums.window.succeeded,
                /* failed= */ sums.window.failed,
                /* waited= */ times(sums.window.waited),
                /* ran= */ times(sums.window.ran),
                /* minutes= */ points(sums.minutes, firstOfMinutes(), MINUTES, 1),
                /* hours= */ points(sums.hours, firstOfHours(), HOURS, MINUTES));
    }

    private static List<Throughput.Point> points(Map<Long, Sum> sums, long first, int count, int length) {
        List<Throughput.Point> points = new ArrayList<>(count);
        for (long minute = first; minute < first + (long) count * length; minute += length) {
            Instant from = Instant.ofEpochMilli(minute * MINUTE_MILLIS);
            Sum sum = sums.get(minute);
            points.add(
                    sum == null
                            ? new Throughput.Point(from, 0, 0, NO_TIMES, NO_TIMES)
                            : new Throughput.Point(from, sum.succeeded, sum.failed, times(sum.waited), times(sum.ran)));
        }
        return points;
    }

    private static Throughput.Times times(TimeSums sums) {
        long count = Arrays.stream(sums.bins).sum();
        if (count == 0) {
            return NO_TIMES;
        }
        return new Percentiles(
                /* count= */ count,
                /* meanMillis= */ Math.round((double) sums.millis / count),
                /* p50Millis= */ percentile(sums, count, 0.5),
                /* p90Millis= */ percentile(sums, count, 0.9),
                /* p95Millis= */ percentile(sums, count, 0.95),
                /* p99Millis= */ percentile(sums, count, 0.99));
    }

    /**
     * Interpolates within the bin of the percentile. The bin ends at the longest duration if that is in it. The last bin has no upper bound of its
     * own. It is taken to be as wide as a further bin would be, so that a single very long duration does not move the median.
     */
    private static long percentile(TimeSums sums, long count, double share) {
        if (count == 1) {
            return sums.longestMillis; // the only one
        }
        long[] bins = sums.bins;
        double rank = share * count;
        long before = 0;
        int bin = 0;
        while (bin < bins.length - 1 && before + bins[bin] < rank) {
            before += bins[bin];
            bin++;
        }
        // Bin 0 has durations of less than a millisecond. Bin i begins at half of its upper bound.
        long lower = bin == 0 ? 0 : 1L << (bin - 1);
        long upper = Math.min(1L << bin, sums.longestMillis);
        return (long) (lower + Math.min(1, (rank - before) / bins[bin]) * (upper - lower));
    }
}
