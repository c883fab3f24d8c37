package dev.windrow.workflow;

import dev.windrow.Retry;

/** What a job that waits for a parent does when that parent ends {@code FAILED} or {@code CANCELLED}. */
public enum ParentPolicy {
    /** Keep waiting: retrying the parent with success releases the job. The default. */
    WAIT,
    /**
     * Be {@code CANCELLED} too, in the same transaction, and so on with the jobs that wait for this one. A job that waits
     * no more is not touched. It comes back when the parent is retried together with its dependents ({@link
     * Retry#withDependents}). Such a job can be neither enqueued nor retried while the parent is {@code FAILED} or
     * {@code CANCELLED}.
     */
    CANCEL,
    /** Run anyway: any end of the parent releases the job. */
    RUN
}
