package dev.windrow;

import com.google.errorprone.annotations.CheckReturnValue;

/**
 * The handle of several jobs that are changed together. Safe for use by many threads, unless it was made in a caller's transaction.
 *
 * <p>Jobs that the caller names ({@link Jobs#jobs}) are changed in one transaction: all of them, or none and an exception. The jobs of a filter
 * ({@link JobSelection}) are changed in batches, and jobs that cannot be changed are skipped.
 */
public interface JobHandles {
    /** Returns a handle of the same jobs whose verbs check and count only. They return the result that the change would have, and change nothing. */
    @CheckReturnValue
    JobHandles preview();

    /** Cancels the jobs; see {@link JobHandle#cancel}. */
    BulkResult cancel();

    /** Retries the jobs with {@link Retry#keepingAttempts()}. */
    default BulkResult retry() {
        return retry(Retry.keepingAttempts());
    }

    /** Retries the jobs; see {@link JobHandle#retry(Retry)}. */
    BulkResult retry(Retry how);

    /** Makes the jobs due now; see {@link JobHandle#trigger}. */
    BulkResult trigger();

    /** Deletes the jobs; see {@link JobHandle#delete}. */
    BulkResult delete();
}
