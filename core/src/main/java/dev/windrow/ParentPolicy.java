package dev.windrow;

/** What a job that waits for a parent does when that parent ends {@code FAILED} or {@code CANCELLED}. */
public enum ParentPolicy {
    /** Keep waiting: retrying the parent with success releases the job. The default. */
    WAIT,
    /** Run anyway: any end of the parent releases the job. */
    RUN
}
