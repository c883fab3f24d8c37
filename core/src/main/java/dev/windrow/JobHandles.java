package dev.windrow;

import com.google.errorprone.annotations.CheckReturnValue;

/**
 * Several jobs that are changed together. Safe for use by many threads, unless made in a caller's transaction.
 *
 * <p>Named jobs ({@link Jobs#jobs}) are changed in one transaction: all of them, or none and an exception. The jobs of a filter ({@link
 * JobSelection}) are changed in parts, and those that cannot be changed are skipped.
 */
public interface JobHandles {
    /** Returns the same jobs with verbs that check and count as they would, and change nothing. */
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

    /** Deletes the jobs; see {@link JobHandle#discard}. */
    BulkResult discard();
}
