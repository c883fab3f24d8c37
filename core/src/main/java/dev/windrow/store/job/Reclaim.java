package dev.windrow.store.job;

import dev.windrow.store.Command;
import java.util.List;

/**
 * Reclaims jobs from dead workers. Each job is guarded by (id, {@code RUNNING}, token) and by two values that were read: the lease, and whether the
 * handler had started. A job with a request to cancel ends {@code CANCELLED} instead of its intended transition. Returns the jobs that were
 * reclaimed, with the transition that was applied. Returns none if the store could not begin in time, because the values are too old by then. A
 * worker that waited for the same lock has had no chance to renew.
 *
 * @param orphans the jobs
 * @param withinMillis how long it may wait in the store
 */
public record Reclaim(List<Orphan> orphans, long withinMillis) implements Command<List<Orphan>> {
    /** Copies the list. */
    public Reclaim {
        orphans = List.copyOf(orphans);
    }

    @Override
    public Phase phase() {
        return Phase.RECLAIM;
    }

    @Override
    public String what() {
        return "reclaiming " + orphans.size() + " jobs";
    }

    @Override
    public int weight() {
        return Math.max(1, orphans.size());
    }

    /**
     * False, because a store also submits it on its own threads, which must not wait for themselves. There are at most as many at once as there are
     * reclaimers.
     */
    @Override
    public boolean waitsForRoom() {
        return false;
    }
}
