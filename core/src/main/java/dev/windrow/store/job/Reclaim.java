package dev.windrow.store.job;

import dev.windrow.store.Command;
import java.util.List;

/**
 * Takes jobs back from dead workers, each guarded by (id, {@code RUNNING}, token) and by what was seen of it: the lease, and whether it
 * had started. One that is to be cancelled ends {@code CANCELLED}, whatever else was meant for it. Answers those that were taken back, with the
 * transition that was applied; none if the store could not begin in time, because what was seen is too old by then: a worker that waited for
 * the same lock has not had its chance to renew.
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

    /** A store submits it on its own threads, too, which must not wait for themselves. There are no more at once than there are reclaimers. */
    @Override
    public boolean waitsForRoom() {
        return false;
    }
}
