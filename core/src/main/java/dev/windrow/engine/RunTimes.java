package dev.windrow.engine;

import java.util.concurrent.TimeUnit;

/**
 * A cheap answer to one question: do 95 of 100 handler calls end within {@link #SHORT_NANOS}? A moving share of the calls
 * that took longer, over about the last {@link #WINDOW}.
 *
 * <p>Slots write without a lock; a lost update shifts the share by less than its noise.
 */
final class RunTimes {
    static final long SHORT_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final int WINDOW = 64;
    private static final int MIN_SAMPLES = 16;

    // Begins as if every call were long: a prefetch must be earned.
    private volatile double longShare = 1.0;
    private volatile int samples;

    void ended(long nanos) {
        if (samples < MIN_SAMPLES) {
            warmUp(nanos);
            return;
        }
        double share = longShare;
        if (nanos >= SHORT_NANOS) {
            longShare = share + (1.0 - share) / WINDOW;
        } else if (share > 1e-3) {
            // Below that, all calls are short and there is nothing to write: the line stays shared between the cores.
            longShare = share - share / WINDOW;
        }
    }

    /** The first calls are averaged, so that the unknown beginning has no weight. */
    private void warmUp(long nanos) {
        int n = samples + 1;
        double share = longShare;
        longShare = share + ((nanos >= SHORT_NANOS ? 1.0 : 0.0) - share) / n;
        samples = n;
    }

    /** Whether the 95th percentile is short. */
    boolean areShort() {
        return samples >= MIN_SAMPLES && longShare < 0.05;
    }
}
