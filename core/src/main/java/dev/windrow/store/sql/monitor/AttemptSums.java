package dev.windrow.store.sql.monitor;

import dev.windrow.AttemptOutcome;
import dev.windrow.store.job.Settle;
import dev.windrow.store.monitor.ThroughputSums;
import dev.windrow.store.sql.connection.Query;
import dev.windrow.store.sql.connection.Rows;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;

/**
 * The attempts of a lane that have ended within a minute or an hour: their number, and how long jobs waited and ran. Not safe for use by more than
 * one thread at a time.
 */
public final class AttemptSums {
    /** The number of doubling bins. The last one holds everything from 2^22 ms (70 minutes) on. */
    private static final int BINS = ThroughputSums.BINS;

    private long succeeded;
    private long failed;
    private long waitMillis;
    private long runMillis;
    private long waitMax;
    private long runMax;
    private final long[] waitBins = new long[BINS];
    private final long[] runBins = new long[BINS];

    private static int bin(long millis) {
        return Math.min(BINS - 1, Long.SIZE - Long.numberOfLeadingZeros(millis));
    }

    /** Adds an attempt whose handler was called at this time. All its times are by the clock of this process. */
    public void add(Settle s, long startedAtMillis) {
        long waited = Math.max(0, startedAtMillis - s.job().scheduledAtMillis());
        long ran = Math.max(0, s.finishedAtMillis() - startedAtMillis);
        succeeded += s.outcome() == AttemptOutcome.SUCCEEDED ? 1 : 0;
        failed += s.outcome() == AttemptOutcome.FAILED || s.outcome() == AttemptOutcome.TIMEOUT ? 1 : 0;
        waitMillis += waited;
        runMillis += ran;
        waitMax = Math.max(waitMax, waited);
        runMax = Math.max(runMax, ran);
        waitBins[bin(waited)]++;
        runBins[bin(ran)]++;
    }

    /** Adds other sums; returns these. */
    public AttemptSums add(AttemptSums other) {
        succeeded += other.succeeded;
        failed += other.failed;
        waitMillis += other.waitMillis;
        runMillis += other.runMillis;
        waitMax = Math.max(waitMax, other.waitMax);
        runMax = Math.max(runMax, other.runMax);
        Arrays.setAll(waitBins, i -> waitBins[i] + other.waitBins[i]);
        Arrays.setAll(runBins, i -> runBins[i] + other.runBins[i]);
        return this;
    }

    /** Reads sums: succeeded, failed, both sums of durations, both bins, both longest durations. */
    public static AttemptSums read(ResultSet row) throws SQLException {
        AttemptSums sums = new AttemptSums();
        sums.succeeded = row.getLong(1);
        sums.failed = row.getLong(2);
        sums.waitMillis = row.getLong(3);
        sums.runMillis = row.getLong(4);
        List<Long> waits = Rows.longs(row, 5);
        Arrays.setAll(sums.waitBins, waits::get);
        List<Long> runs = Rows.longs(row, 6);
        Arrays.setAll(sums.runBins, runs::get);
        sums.waitMax = row.getLong(7);
        sums.runMax = row.getLong(8);
        return sums;
    }

    /** Sets the first eight parameters of a statement to the sums, in the order in which they are read. */
    public Query bind(Query statement) throws SQLException {
        return statement
                .set(1, succeeded)
                .set(2, failed)
                .set(3, waitMillis)
                .set(4, runMillis)
                .ids(5, boxed(waitBins))
                .ids(6, boxed(runBins))
                .set(7, waitMax)
                .set(8, runMax);
    }

    private static List<Long> boxed(long[] values) {
        return Arrays.stream(values).boxed().toList();
    }
}
