package dev.windrow;

import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The writing verbs. {@code Windrow} implements them in transactions of its own: what a verb did is durable when it
 * returns. {@code windrow.on(connection)} implements the same verbs inside the caller's transaction: what a verb did
 * commits and rolls back with everything else on that connection.
 *
 * <p>All verbs throw a {@link WindrowException} and write nothing when a value is not allowed ({@link
 * InvalidRequestException}), a job does not exist ({@link JobNotFoundException}), a change is not possible ({@link
 * TransitionRefusedException}) or the store takes no work ({@link StoreUnavailableException}); {@link
 * OutcomeUnknownException} when a deadline passed during the commit.
 */
public interface Jobs {
    /** Enqueues one job with its type's defaults. */
    default <I, O> Enqueued<O> enqueue(JobType<I, O> type, @Nullable I input) {
        return enqueue(type.job(input));
    }

    /** Enqueues one job. */
    <I, O> Enqueued<O> enqueue(NewJob<I, O> job);

    /** Enqueues all of them or none, in one transaction; the answers are in input order. */
    List<Enqueued<?>> enqueueAll(Collection<? extends NewJob<?, ?>> jobs);

    /**
     * Cancels jobs that have not ended: all of them or none. Those that wait are {@code CANCELLED} at once. Those that
     * are {@code RUNNING} are asked to: their handlers are told and interrupted, wherever they run, and they end {@code
     * CANCELLED} unless they have done their work first. They do not run again either way. To ask twice is to ask once.
     *
     * @throws TransitionRefusedException if one of them has ended
     */
    void cancel(Collection<? extends JobRef<?>> jobs);

    /**
     * Puts jobs that are {@code FAILED} or {@code CANCELLED} back to work with a full budget of attempts, their history
     * kept: all of them or none.
     *
     * @param maxAttempts the new budget, 1 to 1000, or null to keep the job's own
     * @throws TransitionRefusedException if one of them has not ended so, or another job holds its dedupe key
     */
    void retry(Collection<? extends JobRef<?>> jobs, @Nullable Integer maxAttempts);

    /**
     * Makes jobs that are {@code SCHEDULED} due now, whatever time they wait for: all of them or none.
     *
     * @throws TransitionRefusedException if one of them is not waiting for a time
     */
    void trigger(Collection<? extends JobRef<?>> jobs);

    /**
     * Deletes jobs that are {@code FAILED} or {@code CANCELLED} with all that belongs to them, payload, attempts and event
     * log: all of them or none. What is left is one {@link AuditEntry}.
     *
     * @throws TransitionRefusedException if one of them has not ended so, or if another job depends on it that has not ended,
     *     or that would wait for it again after a retry
     */
    void discard(Collection<? extends JobRef<?>> jobs);
}
