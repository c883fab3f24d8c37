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
 * The news of a transaction beside its lanes, told after its commit. This process is told of ends, requests to cancel, claims that were lost, waits
 * and schedules; the others of all of these but the ends, and of a schedule only if it was made or changed. The lanes in which jobs have become ready
 * or due are told by the transaction of each store itself. The times are those of the store. Filled by one thread; told by any thread after that.
 */
public final class CommitNotices {
    private final Map<Long, JobState> finished = new LinkedHashMap<>();
    private final List<LeaseToken> cancelRequested = new ArrayList<>();
    private final List<LeaseToken> superseded = new ArrayList<>();
    /** The earliest time-out of the waits that have begun. */
    private long waitsUntil = Long.MAX_VALUE;
    /** The next time-out of the store, as far as the transaction has looked. */
    private long nextWait = Long.MAX_VALUE;

    private long scheduleDue = Long.MAX_VALUE;
    private long scheduleChanged = Long.MAX_VALUE;

    /** The way to other processes. */
    public interface Others {
        /** A running job is to be cancelled. */
        void cancelRequested(LeaseToken leaseToken);

        /** A running job was ended by another than its holder. */
        void superseded(LeaseToken leaseToken);

        /** A wait times out then. */
        void waitEnds(long atMillis);

        /** A schedule is due then. */
        void scheduleDue(long atMillis);
    }

    /** A job has ended. */
    public void finished(long job, JobState state) {
        finished.put(job, state);
    }

    /** A running job is to be cancelled. */
    public void cancelRequested(LeaseToken leaseToken) {
        cancelRequested.add(leaseToken);
    }

    /** A running job was ended by another than its holder. */
    public void superseded(LeaseToken leaseToken) {
        superseded.add(leaseToken);
    }

    /** A job has begun to wait until then. */
    public void waitsUntil(long atMillis) {
        waitsUntil = Math.min(waitsUntil, atMillis);
    }

    /** The next wait of the store times out then; null: there is none. */
    public void nextWait(@Nullable Long atMillis) {
        nextWait = atMillis == null ? Long.MAX_VALUE : atMillis;
    }

    /** A schedule that has made its jobs is due next then: other processes find that when they look. */
    public void scheduleDue(long atMillis) {
        scheduleDue = Math.min(scheduleDue, atMillis);
    }

    /** A schedule that was made or changed is due then: other processes have to be told. */
    public void scheduleChanged(long atMillis) {
        scheduleDue(atMillis);
        scheduleChanged = Math.min(scheduleChanged, atMillis);
    }

    /** True if there is nothing to tell. */
    public boolean isEmpty() {
        return finished.isEmpty() && scheduleDue == Long.MAX_VALUE && nextWait == Long.MAX_VALUE && !concernsOthers();
    }

    /** True if other processes may act upon it. */
    public boolean concernsOthers() {
        return !cancelRequested.isEmpty()
                || !superseded.isEmpty()
                || waitsUntil < Long.MAX_VALUE
                || scheduleChanged < Long.MAX_VALUE;
    }

    /** Tells this process after the commit. */
    public void tell(StoreHints hints, LongUnaryOperator localTime) {
        hint(hints, localTime);
        cancelRequested.forEach(hints::cancelRequested);
        superseded.forEach(hints::superseded);
    }

    /** Tells this process where to look if the transaction may not have committed: no worker hears that it has lost a job. */
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

    /** Tells other processes after the commit. */
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
