package dev.windrow.store.sql.writer;

import dev.windrow.JobState;
import dev.windrow.store.StoreHints;
import dev.windrow.store.job.LeaseToken;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The notices of a transaction that are sent after its commit, except the lanes with ready jobs. Each store's transaction itself sends the lanes in
 * which jobs have become ready or due.
 *
 * <p>This process is notified of ends, requests to cancel, lost claims, waits and schedules. Other processes are notified of the same except ends,
 * and of a schedule only if it was created or changed. Times are by the store's clock. Filled by one thread; sent by any thread after that.
 */
public final class CommitNotices {
    private final Map<Long, JobState> finished = new LinkedHashMap<>();
    private final List<LeaseToken> cancelRequested = new ArrayList<>();
    private final List<LeaseToken> superseded = new ArrayList<>();
    /** The earliest time-out of the waits that have begun. */
    private long waitsUntil = Long.MAX_VALUE;
    /** The next time-out of the store, as far as the transaction has read it. */
    private long nextWait = Long.MAX_VALUE;

    private long scheduleDue = Long.MAX_VALUE;
    private long scheduleChanged = Long.MAX_VALUE;

    /** The sender of notices to other processes. */
    public interface Others {
        /** Sends that a running job has a request to cancel. */
        void cancelRequested(LeaseToken leaseToken);

        /** Sends that a running job was ended from outside, and not by its holder. */
        void superseded(LeaseToken leaseToken);

        /** Sends that a wait times out at this time. */
        void waitEnds(long atMillis);

        /** Sends that a schedule is due at this time. */
        void scheduleDue(long atMillis);
    }

    /** Adds that a job has ended. */
    public void finished(long job, JobState state) {
        finished.put(job, state);
    }

    /** Adds that a running job has a request to cancel. */
    public void cancelRequested(LeaseToken leaseToken) {
        cancelRequested.add(leaseToken);
    }

    /** Adds that a running job was ended from outside, and not by its holder. */
    public void superseded(LeaseToken leaseToken) {
        superseded.add(leaseToken);
    }

    /** Adds that a job has begun to wait until this time. */
    public void waitsUntil(long atMillis) {
        waitsUntil = Math.min(waitsUntil, atMillis);
    }

    /** Adds that the next wait of the store times out at this time; null without a wait. */
    public void nextWait(@Nullable Long atMillis) {
        nextWait = atMillis == null ? Long.MAX_VALUE : atMillis;
    }

    /** Adds that a schedule that has made its jobs is due next at this time. Other processes find that by their polls. */
    public void scheduleDue(long atMillis) {
        scheduleDue = Math.min(scheduleDue, atMillis);
    }

    /** Adds that a schedule that was created or changed is due at this time. Other processes must be notified. */
    public void scheduleChanged(long atMillis) {
        scheduleDue(atMillis);
        scheduleChanged = Math.min(scheduleChanged, atMillis);
    }

    /** True without notices. */
    public boolean isEmpty() {
        return finished.isEmpty() && scheduleDue == Long.MAX_VALUE && nextWait == Long.MAX_VALUE && !concernsOthers();
    }

    /** True if other processes must be notified. */
    public boolean concernsOthers() {
        return !cancelRequested.isEmpty()
                || !superseded.isEmpty()
                || waitsUntil < Long.MAX_VALUE
                || scheduleChanged < Long.MAX_VALUE;
    }

    /** Notifies this process after the commit. */
    public void tell(StoreHints hints, LongUnaryOperator localTime) {
        hint(hints, localTime);
        cancelRequested.forEach(hints::cancelRequested);
        superseded.forEach(hints::superseded);
    }

    /**
     * Notifies this process if the transaction may not have committed. It sends only hints that cause a query, so that no worker treats a claim as
     * lost by mistake.
     */
    public void tellIfCommitted(StoreHints hints, LongUnaryOperator localTime) {
        hint(hints, localTime);
        if (!superseded.isEmpty()) {
            hints.superseded(null);
        }
    }

    private void hint(StoreHints hints, LongUnaryOperator localTime) {
        finished.forEach(hints::finished);
        long wait = Math.min(waitsUntil, nextWait);
        if (wait < Long.MAX_VALUE) {
            hints.waitEnds(localTime.applyAsLong(wait));
        }
        if (scheduleDue < Long.MAX_VALUE) {
            hints.scheduleDue(localTime.applyAsLong(scheduleDue));
        }
    }

    /** Notifies other processes after the commit. */
    public void tell(Others others) {
        cancelRequested.forEach(others::cancelRequested);
        superseded.forEach(others::superseded);
        if (waitsUntil < Long.MAX_VALUE) {
            others.waitEnds(waitsUntil);
        }
        if (scheduleChanged < Long.MAX_VALUE) {
            others.scheduleDue(scheduleChanged);
        }
    }
}
