package dev.windrow.engine.worker;

import java.util.concurrent.TimeUnit;

/**
 * A cheap estimate of how long handler calls take, and what follows from it: how many jobs a worker may have claimed but
 * not started, and ended but not acknowledged.
 *
 * <p>Calls are short while 95 of 100 end within {@link #SHORT_NANOS}: a moving share, over about the last {@link
 * #WINDOW}. Slots write without a lock; a lost update shifts the estimate by less than its noise.
 */
final class RunTimes {
    static final long SHORT_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    /**
     * While calls are short, as many jobs may be under way on either side of the slots as they run in this time. A
     * commit takes a fraction of it, so that no slot waits for one; and a process that is killed repeats no more work
     * than this.
     */
    static final long DEPTH_NANOS = TimeUnit.MILLISECONDS.toNanos(25);
    /** Two claims of the largest size: one before the slots, and room for one in the next commit. More gains nothing. */
    static final int MAX_DEPTH = 2000;
    /** The part of the heap that jobs on one side of the slots may fill. */
    static final int SHARE_OF_HEAP = 8;
    /** The least number of jobs under way for each slot, so that a slot goes on while the last commit runs. */
    static final int MIN_DEPTH_PER_SLOT = 2;

    private static final int WINDOW = 64;
    private static final int MIN_SAMPLES = 16;

    private final int slots;
    private final int maxDepth;
    // Begins as if every call were long: depth must be earned.
    private volatile double longShare = 1.0;
    private volatile double meanNanos = SHORT_NANOS;
    private volatile int samples;

    /**
     * Of a worker with so many slots.
     *
     * @param maxDepth how many jobs may be under way at most on either side of the slots, see {@link #depthOf}
     */
    RunTimes(int slots, int maxDepth) {
        this.slots = slots;
        this.maxDepth = maxDepth;
    }

    /**
     * The most jobs that may be under way where each may have a payload or result as long as this: {@link #MAX_DEPTH}, and in a small
     * heap no more than fill a {@link #SHARE_OF_HEAP}th of it. A character may take two bytes.
     */
    static int depthOf(long heapBytes, int longestText) {
        return (int) Math.max(1, Math.min(MAX_DEPTH, heapBytes / SHARE_OF_HEAP / (2L * Math.max(1, longestText))));
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // see the class comment
    void ended(long nanos) {
        int n = Math.min(samples, WINDOW - 1) + 1;
        if (n < WINDOW) {
            // The first calls are averaged, so that the unknown beginning has no weight.
            samples = n;
        }
        meanNanos += (nanos - meanNanos) / n;
        double share = longShare;
        boolean isLong = nanos >= SHORT_NANOS;
        // Near zero there is nothing to write: the line stays shared between the cores.
        if (isLong || share > 1e-3) {
            longShare = share + ((isLong ? 1.0 : 0.0) - share) / n;
        }
    }

    /** Whether the 95th percentile is short. */
    boolean areShort() {
        return samples >= MIN_SAMPLES && longShare < 0.05;
    }

    /** How many jobs may be claimed beyond the free slots. */
    int ahead() {
        return areShort() ? depth() : 0;
    }

    /** How many jobs may have ended without being acknowledged before no further one is started. */
    int behind() {
        return areShort() ? depth() : leastDepth();
    }

    private int depth() {
        double jobs = slots * (double) DEPTH_NANOS / Math.max(1.0, meanNanos);
        return Math.max(leastDepth(), (int) Math.min(maxDepth, jobs));
    }

    private int leastDepth() {
        return Math.min(Math.max(slots, maxDepth), MIN_DEPTH_PER_SLOT * slots);
    }
}
