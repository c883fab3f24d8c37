package dev.windrow.schedule;

/** The policy of a schedule for a due time at which its last job, or the rest of that job's chain, has not ended. */
public enum Overlap {
    /** Enqueues the next job. The default. */
    ALLOW,
    /** Enqueues no job: the due time is skipped. */
    SKIP
}
