package dev.windrow.engine.worker;

import java.util.concurrent.TimeUnit;

/**
 * A cheap estimate of how long handler calls take. It decides how many jobs a worker may have claimed but not started, how
 * many may have ended without an acknowledgement, and how many slots are woken for the ready ones.
 *
 * <p>Calls are short while 95 of 100 end within {@link #SHORT_NANOS}. The share is a moving average over about the last
 * {@link #WINDOW} calls. Slots write without a lock; a lost update shifts the estimate by less than its noise.
 */
final class RunTimes {
    static final long SHORT_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    /**
     * The depth on each side of the slots while calls are short: as many jobs as the slots run in this time. A commit
     * takes a fraction of it, so that no slot waits for a commit. A process that is killed repeats no more work than
     * this.
     */
    static final long DEPTH_NANOS = TimeUnit.MILLISECONDS.toNanos(25);
    /**
     * The largest depth: two claims of the largest size, one that waits for the slots and one that the next commit
     * brings. More has no benefit.
     */
    static final int MAX_DEPTH = 2000;
    /** The divisor of the heap that gives the share for the jobs on one side of the slots. */
    static final int SHARE_OF_HEAP = 8;
    /** The smallest number of jobs for each slot, so that a slot continues while the last commit runs. */
    static final int MIN_DEPTH_PER_SLOT = 2;

    /**
     * The time in which one slot alone should run the ready jobs. If it can, no other slot is woken for them. With
     * several processes on two processors, each further thread takes the processor from the writer of another process.
     */
    static final long ALONE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private static final int WINDOW = 64;
    private static final int MIN_SAMPLES = 16;

    private final int slots;
    private final int maxDepth;
    // Begins as if every call were long, so that the depth grows only after short calls.
    private volatile double longShare = 1.0;
    private volatile double meanNanos = SHORT_NANOS;
    private volatile int samples;

    /**
     * Creates an estimate for a worker with this many slots.
     *
     * @param maxDepth the most jobs on either side of the slots, see {@link #depthOf}
     */
    RunTimes(int slots, int maxDepth) {
        this.slots = slots;
        this.maxDepth = maxDepth;
    }

    /**
     * Returns the most jobs on either side of the slots if each may have a payload or result of this length. That is
     * {@link #MAX_DEPTH}, or in a small heap the number that fills one {@link #SHARE_OF_HEAP}th of it. A character may
     * take two bytes.
     */
    static int depthOf(long heapBytes, int longestText) {
        return (int) Math.max(1, Math.min(MAX_DEPTH, heapBytes / SHARE_OF_HEAP / (2L * Math.max(1, longestText))));
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // see the class comment
    void ended(long nanos) {
        int n = Math.min(samples, WINDOW - 1) + 1;
        if (n < WINDOW) {
            // The first calls are averaged, so that the initial value has no weight.
            samples = n;
        }
        meanNanos += (nanos - meanNanos) / n;
        double share = longShare;
        boolean isLong = nanos >= SHORT_NANOS;
        // Near zero no value is written, so that the cache line stays shared between the cores.
        if (isLong || share > 1e-3) {
            longShare = share + ((isLong ? 1.0 : 0.0) - share) / n;
        }
    }

    /** True if the 95th percentile is short. */
    boolean areShort() {
        return samples >= MIN_SAMPLES && longShare < 0.05;
    }

    /** True if one slot can soon run this many jobs. */
    boolean oneSlotSuffices(int jobs) {
        return samples >= MIN_SAMPLES && jobs * meanNanos < ALONE_NANOS;
    }

    /** Returns how many jobs may be claimed beyond the free slots. */
    int ahead() {
        return areShort() ? depth() : 0;
    }

    /** Returns how many jobs may have ended without an acknowledgement before no further job is started. */
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
