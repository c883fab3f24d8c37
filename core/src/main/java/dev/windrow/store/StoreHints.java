package dev.windrow.store;

import dev.windrow.JobState;
import dev.windrow.store.job.LeaseToken;
import dev.windrow.store.job.WaitingClaim;
import dev.windrow.store.step.EndWaits;
import org.jspecify.annotations.Nullable;

/**
 * Hints that a store gives after a commit of this process or another one. A hint may be lost or repeated: a slow poll backs each of them. Called on
 * the thread that commits, of the store or of a caller; implementations return at once.
 */
public interface StoreHints {
    /** Jobs of this lane may be ready, or may have a new due time. A query shows it. */
    void ready(String queue, String type);

    /**
     * Asks for a claim because jobs of this lane become ready in the transaction that the store is writing. A worker with free slots returns a claim.
     * The store applies the claim in the same transaction and completes it in every case. Do not rely on this call: a store may never ask, and asks
     * for its own transactions only. {@link #ready} follows after the commit if ready jobs may be left.
     *
     * @return null if no worker has free slots
     */
    @Nullable WaitingClaim waitingClaim(String queue, String type);

    /**
     * Reports that the next scheduled job of the store, in any lane, is due at this time, in epoch milliseconds. It is for a worker that was notified
     * of a change by another process and has not queried itself. The worker then polls at this time, and not only at its next slow poll.
     */
    void due(long atMillis);

    /** Reports a request to cancel this running job. It may be repeated until the job has ended. */
    void cancelRequested(LeaseToken leaseToken);

    /** Reports that a transaction of this process has ended a job. Other processes get no hint: an await there polls. */
    void finished(long id, JobState state);

    /** Reports that a wait in the store times out at this time, in epoch milliseconds. {@link EndWaits} ends it. */
    void waitEnds(long atMillis);

    /** Reports that a schedule of the store is due at this time, in epoch milliseconds. {@link OpenStore#dueSchedules} returns it. */
    void scheduleDue(long atMillis);

    /**
     * Reports that a transaction of this store has committed. This is not a hint: the store calls it exactly once for each commit, after it has
     * completed the futures.
     *
     * @param commands the number of commands in the transaction
     * @param nanos the duration of the transaction, without waits for a turn
     */
    default void committed(int commands, long nanos) {}

    /**
     * Reports that a running job was completed or failed from outside, and not by its holder: this claim is lost. With null, an unknown claim of any
     * process is lost.
     */
    void superseded(@Nullable LeaseToken leaseToken);
}
