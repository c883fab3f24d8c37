package dev.windrow.store;

import dev.windrow.JobState;
import dev.windrow.store.job.LeaseToken;
import dev.windrow.store.job.WaitingClaim;
import dev.windrow.store.step.EndWaits;
import org.jspecify.annotations.Nullable;

/**
 * Hints that a store gives after a commit of this process or another one. They may be lost or doubled: a slow poll backs
 * each of them. Called on the store's threads; implementations return at once.
 */
public interface StoreHints {
    /** Jobs may be ready in this lane, or have got a time at which they will be: a look finds out. */
    void ready(String queue, String type);

    /**
     * Jobs of this lane are about to be ready, in the transaction that the store is writing. Who has room for them returns a
     * claim, which the store applies in the same transaction and answers whatever happens. It is no hint that one may
     * rely on: a store may never ask, and asks for its own transactions only. {@link #ready} follows after the commit if
     * something may be left.
     *
     * @return null if nobody has room
     */
    @Nullable WaitingClaim waitingClaim(String queue, String type);

    /**
     * The next scheduled job of the store, in whatever lane, is due at this time, in epoch milliseconds. For a worker that has just heard of a
     * change by another process and has not looked itself: it looks then, and not only at its next slow poll.
     */
    void due(long atMillis);

    /** Somebody wants this running job cancelled. May be said again and again until it has ended. */
    void cancelRequested(LeaseToken leaseToken);

    /** A job has ended, by a transaction of this process. Other processes are not told: an await there polls. */
    void finished(long id, JobState state);

    /** Some wait of the store has its time-out at this time, in epoch milliseconds; {@link EndWaits} ends it. */
    void waitEnds(long atMillis);

    /** Some schedule of the store is due at this time, in epoch milliseconds; {@link OpenStore#dueSchedules} says which. */
    void scheduleDue(long atMillis);

    /**
     * A transaction of this store's own has committed. No hint: said of each, once, after its callers have their answers.
     *
     * @param commands the number of commands that it held
     * @param nanos how long it took, from its beginning to its end, waits for a turn left out
     */
    default void committed(int commands, long nanos) {}

    /**
     * A running job was completed or failed by somebody who does not hold it: this claim is lost. With null, some claim of
     * whatever process is.
     */
    void superseded(@Nullable LeaseToken leaseToken);
}
