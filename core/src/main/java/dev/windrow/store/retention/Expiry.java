package dev.windrow.store.retention;

import dev.windrow.JobState;
import dev.windrow.retention.RetentionRules;
import dev.windrow.store.OpenStore;
import dev.windrow.store.payload.Stage;
import dev.windrow.store.payload.SweepStaged;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The questions and answers of finding and deleting jobs that have ended long ago; see {@link OpenStore#expiring} and {@link Expire}. */
public final class Expiry {
    /** Jobs of one chain that go in one transaction at most: about as many as fit into the time that one is to take. */
    public static final int PART = 50;

    /** The number of parts of long payloads and results ({@link Stage}) go in the transaction of their jobs at most; if there are more, all are left to {@link SweepStaged}. */
    public static final int BLOB_PARTS = 16;

    /** Jobs that one step of a search looks at. A process takes fewer ids at once, within which they are not in the order of time. */
    public static final int CHUNK = 2000;

    /** Edges that go in one transaction at most, as far as they may go before their job. */
    public static final int EDGES = 250;

    private Expiry() {}

    /**
     * A job as it was found: it goes only if it is so still.
     *
     * @param id the job
     * @param state its final state
     * @param finishedAtMillis the time of its end, by the store's clock
     */
    public record Job(long id, JobState state, long finishedAtMillis) {}

    /**
     * Jobs that go together: one alone, or a chain.
     *
     * @param root the first job of the chain, which may be gone; of a job alone its id
     * @param jobs at least one; of a chain all that are left, in its order
     */
    public record Unit(long root, List<Job> jobs) {
        /** Copies the list. */
        public Unit {
            jobs = List.copyOf(jobs);
        }

        /**
         * The same in parts for a transaction each, to be deleted in this order. The last job of a chain goes with the first ones. It is the only
         * one that can still change, since all others are {@code COMPLETED}; when it is gone, no caller can retry it, and when the
         * first job is gone, none can begin to wait for the chain. So a chain whose first job exists is whole.
         *
         * @param max jobs of a part at most, from 2
         */
        public List<Unit> parts(int max) {
            int size = jobs.size();
            if (size <= max) {
                return List.of(this);
            }
            List<Job> first = new ArrayList<>(jobs.subList(0, max - 1));
            first.add(jobs.get(size - 1));
            List<Unit> parts = new ArrayList<>(List.of(new Unit(root, first)));
            for (int i = max - 1; i < size - 1; i += max) {
                parts.add(new Unit(root, jobs.subList(i, Math.min(size - 1, i + max))));
            }
            return parts;
        }
    }

    /**
     * The place where a search continues.
     *
     * @param nowMillis the store's clock when the search began: by it all that is found is old
     * @param state the state of the jobs that are looked at
     * @param lane of {@code COMPLETED} ones: the lane
     * @param after the search continues behind this job
     */
    public record Place(long nowMillis, JobState state, long lane, long after) {}

    /**
     * A search.
     *
     * @param rules the rules by which jobs are kept
     * @param type only jobs of this type; null: of all
     * @param from the place where the page before ended; null for the first one
     */
    public record Search(
            RetentionRules rules,
            @Nullable String type,
            @Nullable Place from) {}

    /**
     * A page of a search.
     *
     * @param units the jobs that may go; children before their parents, as far as both are in the page
     * @param kept the number of jobs that are old enough but are kept by others
     * @param next the place where the next page begins; null: this was the last one
     */
    public record Found(
            List<Unit> units, int kept, @Nullable Place next) {}

    /**
     * The deleted part of a batch.
     *
     * @param jobs the numbers of deleted jobs, by state
     * @param files the files of blobs that nothing refers to any more, now that this is committed
     * @param parts whether blobs were left to {@link SweepStaged}, to go in parts
     * @param audit the pass's entry in the audit; null while it has deleted nothing
     */
    public record Deleted(
            Map<JobState, Long> jobs,
            List<String> files,
            boolean parts,
            @Nullable Long audit) {}

    /**
     * The result of a batch.
     *
     * @param deleted the jobs that were deleted, and what goes with them
     * @param left the units that were not dealt with for want of time, in their order. One with very many edges may have lost some of them, and
     *     is first
     * @param kept the number of jobs of the others that exist and were not deleted, because they have changed or another job needs them; not those that another
     *     process has deleted
     * @param nanos the time that this took in the transaction
     * @param pauseNanos the shortest pause before the next batch, because long reads hold up the store's write-back; 0 as a rule
     */
    public record Done(Deleted deleted, List<Unit> left, int kept, long nanos, long pauseNanos) {
        /** Nothing was done, and is to be tried again after this pause. */
        public static Done later(Expire batch, long pauseNanos) {
            Deleted nothing = new Deleted(Map.of(), List.of(), false, batch.audit());
            return new Done(nothing, batch.units(), 0, 0, pauseNanos);
        }
    }
}
