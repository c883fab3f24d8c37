package dev.windrow.workflow;

import dev.windrow.Retry;

/** The policy of a job that waits for a parent, for the case that the parent ends {@code FAILED} or {@code CANCELLED}. */
public enum ParentPolicy {
    /** The job continues to wait: a successful retry of the parent releases it. The default. */
    WAIT,
    /**
     * The job is {@code CANCELLED}, too, in the same transaction, and so are the jobs that wait for it with this policy. A job that no longer waits
     * is unchanged. A retry of the parent with its dependents ({@link Retry#withDependents}) makes the job wait again. The job can be neither
     * enqueued nor retried while the parent is {@code FAILED} or {@code CANCELLED}.
     */
    CANCEL,
    /** The job runs: any end of the parent releases it. */
    RUN
}
