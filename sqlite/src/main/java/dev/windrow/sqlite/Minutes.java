package dev.windrow.sqlite;

import dev.windrow.AttemptOutcome;
import dev.windrow.store.ClaimedJob;
import dev.windrow.store.Settlement;
import dev.windrow.store.ThroughputSums;
import dev.windrow.store.sql.JsonText;
import dev.windrow.store.sql.Query;
import dev.windrow.store.sql.Statements;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Sums per minute and lane: how many attempts ended, how long jobs waited and ran. Kept in memory by the writer and
 * added to the table with the next commit once a second has passed, so that their cost does not depend on the number
 * of jobs. What is in memory when a process dies is missing from these sums; nothing else depends on them.
 */
final class Minutes {
    /** Doubling bins: the last one holds everything from 2^22 ms (70 minutes) on. */
    static final int BINS = ThroughputSums.BINS;

    private static final long FLUSH_NANOS = 1_000_000_000L;

    private record Key(long minute, long lane) {}

    private static final class Sums {
        long succeeded;
        long failed;
        long waitMillis;
        long runMillis;
        long waitMax;
        long runMax;
        final long[] waitBins = new long[BINS];
        final long[] runBins = new long[BINS];
    }

    /** One transaction's additions. */
    final class Samples {
        private record Sample(Key key, boolean succeeded, boolean failed, long waited, long ran) {}

        private final List<Sample> samples = new ArrayList<>();

        void ended(ClaimedJob job, Settlement s) {
            if (s.startedAtMillis() == null) {
                return;
            }
            boolean succeeded = s.outcome() == AttemptOutcome.SUCCEEDED;
            boolean failed = s.outcome() == AttemptOutcome.FAILED || s.outcome() == AttemptOutcome.TIMEOUT;
            samples.add(new Sample(
                    new Key(Math.floorDiv(s.finishedAtMillis(), 60_000L), job.lane()),
                    succeeded,
                    failed,
                    Math.max(0, s.startedAtMillis() - job.scheduledAtMillis()),
                    Math.max(0, s.finishedAtMillis() - s.startedAtMillis())));
        }

        void committed() {
            for (Sample sample : samples) {
                Sums sums = pending.computeIfAbsent(sample.key, k -> new Sums());
                sums.succeeded += sample.succeeded ? 1 : 0;
                sums.failed += sample.failed ? 1 : 0;
                sums.waitMillis += sample.waited;
                sums.runMillis += sample.ran;
                sums.waitMax = Math.max(sums.waitMax, sample.waited);
                sums.runMax = Math.max(sums.runMax, sample.ran);
                sums.waitBins[bin(sample.waited)]++;
                sums.runBins[bin(sample.ran)]++;
            }
        }
    }

    // Used by the writer thread only.
    private final Map<Key, Sums> pending = new HashMap<>();
    private long lastFlush;
    private boolean flushing;

    static int bin(long millis) {
        return Math.min(BINS - 1, Long.SIZE - Long.numberOfLeadingZeros(millis));
    }

    /** Whether there is something to write. */
    boolean isPending() {
        return !pending.isEmpty();
    }

    /** Adds the sums to the table if a second has passed since the last time, or when told to. */
    void flush(Statements statements, long nanoTime, boolean now) throws SQLException {
        flushing = !pending.isEmpty() && (now || nanoTime - lastFlush >= FLUSH_NANOS);
        if (!flushing) {
            return;
        }
        lastFlush = nanoTime;
        for (Map.Entry<Key, Sums> entry : pending.entrySet()) {
            add(statements, entry.getKey(), entry.getValue());
        }
    }

    void committed() {
        if (flushing) {
            pending.clear();
            flushing = false;
        }
    }

    private static void add(Statements statements, Key key, Sums sums) throws SQLException {
        long[] totals = {sums.succeeded, sums.failed, sums.waitMillis, sums.runMillis};
        long[] waitBins = sums.waitBins.clone();
        long[] runBins = sums.runBins.clone();
        long waitMax = sums.waitMax;
        long runMax = sums.runMax;
        try (ResultSet row = statements
                .get(Sql.READ_MINUTE)
                .set(1, key.minute)
                .set(2, key.lane)
                .rows()) {
            if (row.next()) {
                for (int i = 0; i < totals.length; i++) {
                    totals[i] += row.getLong(i + 1);
                }
                addBins(waitBins, row.getString(5));
                addBins(runBins, row.getString(6));
                waitMax = Math.max(waitMax, row.getLong(7));
                runMax = Math.max(runMax, row.getLong(8));
            }
        }
        Query write = statements.get(Sql.WRITE_MINUTE);
        write.set(1, key.minute).set(2, key.lane);
        for (int i = 0; i < totals.length; i++) {
            write.set(3 + i, totals[i]);
        }
        write.set(7, text(waitBins))
                .set(8, text(runBins))
                .set(9, waitMax)
                .set(10, runMax)
                .update();
    }

    private static void addBins(long[] bins, String stored) {
        List<Long> counts = JsonText.readNumbers(stored);
        for (int i = 0; i < bins.length; i++) {
            bins[i] += counts.get(i);
        }
    }

    private static String text(long[] bins) {
        return Arrays.stream(bins).mapToObj(Long::toString).collect(Collectors.joining(",", "[", "]"));
    }
}
