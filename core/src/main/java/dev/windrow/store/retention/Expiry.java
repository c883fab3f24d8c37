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

/** The requests and results for finding and deleting jobs that ended long ago; see {@link OpenStore#expiring} and {@link Expire}. */
public final class Expiry {
    /** The most jobs of one chain that one transaction deletes: about as many as fit into its time. */
    public static final int PART = 50;

    /**
     * The most parts of long payloads and results ({@link Stage}) that are deleted in the transaction of their jobs. If there are more, all are left
     * to {@link SweepStaged}.
     */
    public static final int BLOB_PARTS = 16;

    /** The number of jobs that one step of a search reads. A process reserves fewer ids at once, within which ids are not in the order of time. */
    public static final int CHUNK = 2000;

    /** The most edges that one transaction deletes, as far as they may be deleted before their job. */
    public static final int EDGES = 250;

    private Expiry() {}

    /**
     * A job as it was found. It is deleted only if it has not changed.
     *
     * @param id the job
     * @param state its final state
     * @param finishedAtMillis the time of its end, by the store's clock
     */
    public record Job(long id, JobState state, long finishedAtMillis) {}

    /**
     * Jobs that are deleted together: a single job, or a chain.
     *
     * @param root the first job of the chain, which may be deleted already; for a single job its id
     * @param jobs at least one; for a chain all remaining jobs, in its order
     */
    public record Unit(long root, List<Job> jobs) {
        /** Copies the list. */
        public Unit {
            jobs = List.copyOf(jobs);
        }

        /**
         * Returns the same jobs in batches, each for one transaction, to be deleted in this order. The last job of a chain is in the first batch. It
         * is the only one that can still change, since all others are {@code COMPLETED}. After its deletion no caller can retry it. After the
         * deletion of the first job no job can begin to wait for the chain. So a chain whose first job exists is complete.
         *
         * @param max jobs of a batch at most, from 2
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
     * The position where a search continues.
     *
     * @param nowMillis the store's clock when the search began; the age of the found jobs is by this time
     * @param state the state of the jobs that are read
     * @param lane the lane, for {@code COMPLETED} jobs
     * @param after the search continues after this job
     */
    public record Place(long nowMillis, JobState state, long lane, long after) {}

    /**
     * A search.
     *
     * @param rules the rules by which jobs are kept
     * @param type only jobs of this type; null for all types
     * @param from the position where the page before ended; null for the first page
     */
    public record Search(
            RetentionRules rules,
            @Nullable String type,
            @Nullable Place from) {}

    /**
     * A page of a search.
     *
     * @param units the jobs that may be deleted; children before their parents, as far as both are in the page
     * @param kept the number of jobs that are old enough but are needed by other jobs
     * @param next the position where the next page begins; null for the last page
     */
    public record Found(
            List<Unit> units, int kept, @Nullable Place next) {}

    /**
     * The deleted part of a batch.
     *
     * @param jobs the numbers of deleted jobs, by state
     * @param files the files of blobs without a reference after the commit
     * @param parts true if parts of blobs were left to {@link SweepStaged}
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
     * @param deleted the deleted jobs, and what belonged to them
     * @param left the units for which the time was too short, in their order. A unit with very many edges may have lost some of them, and is first
     * @param kept the number of the other jobs that exist and were not deleted, because they have changed or another job needs them. Jobs that
     *     another process has deleted are not counted
     * @param nanos the duration of the work in the transaction
     * @param pauseNanos the shortest pause before the next batch, because long reads delay the store's write-back; usually 0
     */
    public record Done(Deleted deleted, List<Unit> left, int kept, long nanos, long pauseNanos) {
        /** Returns the result of a batch that did nothing, to be repeated after this pause. */
        public static Done later(Expire batch, long pauseNanos) {
            Deleted nothing = new Deleted(Map.of(), List.of(), false, batch.audit());
            return new Done(nothing, batch.units(), 0, 0, pauseNanos);
        }
    }
}
