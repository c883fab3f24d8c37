package dev.windrow.store.job;

import org.jspecify.annotations.Nullable;

/**
 * A running job whose lease looks wrong by the wall clock. It is reclaimed only after it was unchanged for a while by the observer's monotonic clock.
 *
 * @param leaseToken the job and token
 * @param leaseUntilMillis the lease as read
 * @param used attempts that count before this one
 * @param maxAttempts how many attempts at most
 * @param started true if the handler was called in this attempt
 * @param lostBefore how often it was lost before it started
 * @param cancelRequested true if there is a request to cancel it
 * @param retryPolicy its own retry policy in stored form, or null
 * @param type the job's type
 * @param worker the worker that holds it
 * @param holderLeaseMillis how long that worker's leases are, by its entry in the registry; 0 when it has none
 * @param processEnded true if its worker's process is known to have ended
 */
public record Suspect(
        LeaseToken leaseToken,
        long leaseUntilMillis,
        int used,
        int maxAttempts,
        boolean started,
        int lostBefore,
        boolean cancelRequested,
        @Nullable String retryPolicy,
        String type,
        String worker,
        long holderLeaseMillis,
        boolean processEnded) {
    /** Returns in words why the worker has lost the job. */
    public String whyLost() {
        return "worker " + worker + " was dead; " + (processEnded ? "its process has ended" : "its lease ran out");
    }
}
