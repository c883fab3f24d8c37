package dev.windrow.store.monitor;

import dev.windrow.monitor.Throughput;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The sums of the numbers that a store keeps per minute. Not safe for use by several threads. */
public final class ThroughputSums {
    /** The number of bins. Bin i has the durations below 2^i milliseconds that no smaller bin has. The last bin has all others. */
    public static final int BINS = 24;
    /** The number of minutes that are reported one by one. */
    public static final int MINUTES = 60;
    /** The number of hours that are reported one by one. */
    public static final int HOURS = 24;

    private static final long MINUTE_MILLIS = 60_000;

    /**
     * The sums of durations.
     *
     * @param millis their sum
     * @param longestMillis the longest of them; 0 when there are none
     * @param bins how many are in each bin; may have fewer than {@link ThroughputSums#BINS}
     */
    @SuppressWarnings("ArrayRecordComponent") // read once, where it is made
    public record Times(long millis, long longestMillis, long[] bins) {}

    private static final class TimeSums {
        private long millis;
        private long longestMillis;
        private final long[] bins = new long[BINS];

        void add(Times times) {
            millis += times.millis;
            longestMillis = Math.max(longestMillis, times.longestMillis);
            for (int i = 0; i < times.bins.length && i < BINS; i++) {
                bins[i] += times.bins[i];
            }
        }
    }

    private static final class Sums {
        private long succeeded;
        private long failed;
        private final TimeSums waited = new TimeSums();
        private final TimeSums ran = new TimeSums();
        private final long[][] minutes = new long[MINUTES][2];
        private final long[][] hours = new long[HOURS][2];
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
        return (Math.floorDiv(nowMinute, 60L) - HOURS + 1) * 60;
    }

    /** Adds the numbers of a type in a minute of the window. */
    public void add(String type, long succeeded, long failed, Times waited, Times ran) {
        for (Sums sums : List.of(all, of(type))) {
            sums.succeeded += succeeded;
            sums.failed += failed;
            sums.waited.add(waited);
            sums.ran.add(ran);
        }
    }

    /** Adds the numbers of one of the minutes that are reported one by one. */
    public void minute(String type, long minute, long succeeded, long failed) {
        int at = Math.toIntExact(minute - firstOfMinutes());
        for (Sums sums : List.of(all, of(type))) {
            sums.minutes[at][0] += succeeded;
            sums.minutes[at][1] += failed;
        }
    }

    /** Adds the numbers of one of the hours that are reported one by one. The hour is the number of minutes since 1970, divided by 60. */
    public void hour(String type, long hour, long succeeded, long failed) {
        int at = Math.toIntExact(hour - firstOfHours() / 60);
        for (Sums sums : List.of(all, of(type))) {
            sums.hours[at][0] += succeeded;
            sums.hours[at][1] += failed;
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
                /* succeeded= */ sums.succeeded,
                /* failed= */ sums.failed,
                /* waited= */ times(sums.waited),
                /* ran= */ times(sums.ran),
                /* minutes= */ points(sums.minutes, firstOfMinutes(), 1),
                /* hours= */ points(sums.hours, firstOfHours(), 60));
    }

    private static List<Throughput.Point> points(long[][] counts, long first, long step) {
        List<Throughput.Point> points = new ArrayList<>(counts.length);
        for (int i = 0; i < counts.length; i++) {
            points.add(new Throughput.Point(
                    Instant.ofEpochMilli((first + i * step) * MINUTE_MILLIS), counts[i][0], counts[i][1]));
        }
        return points;
    }

    private static Throughput.Times times(TimeSums sums) {
        long count = Arrays.stream(sums.bins).sum();
        return new Percentiles(
                /* count= */ count,
                /* meanMillis= */ count == 0 ? null : Long.valueOf(Math.round((double) sums.millis / count)),
                /* p50Millis= */ percentile(sums, count, 0.5),
                /* p90Millis= */ percentile(sums, count, 0.9),
                /* p95Millis= */ percentile(sums, count, 0.95),
                /* p99Millis= */ percentile(sums, count, 0.99));
    }

    /**
     * Interpolates within the bin of the percentile. The bin ends at the longest duration if that is in it. The last bin has no upper bound of its
     * own. It is taken to be as wide as a further bin would be, so that a single very long duration does not move the median.
     */
    private static @Nullable Long percentile(TimeSums sums, long count, double share) {
        long[] bins = sums.bins;
        if (count == 0) {
            return null;
        }
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
