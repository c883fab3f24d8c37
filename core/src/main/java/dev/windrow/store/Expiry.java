package dev.windrow.store;

import dev.windrow.JobState;
import dev.windrow.Retention;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What finding and deleting jobs that have ended long ago is asked and answers; see {@link Store#expiring} and {@link Store#expire}. */
public final class Expiry {
    /** How many jobs of one chain go in one transaction at most. */
    public static final int PART = 1000;

    private Expiry() {}

    /**
     * A job as it was found: it goes only if it is so still.
     *
     * @param id the job
     * @param state how it had ended
     * @param finishedAtMillis when, by the store's clock
     */
    public record Job(long id, JobState state, long finishedAtMillis) {}

    /**
     * What goes together: a job alone, or a chain.
     *
     * @param root the first job of the chain, which may be gone; of a job alone its id
     * @param jobs at least one; of a chain all that are left, in its order
     */
    public record Unit(long root, List<Job> jobs) {
        /** Copies the list. */
        public Unit {
            jobs = List.copyOf(jobs);
        }
    }

    /**
     * Where to go on looking.
     *
     * @param nowMillis the store's clock when the search began: by it all that is found is old
     * @param state whose jobs are looked at
     * @param lane of {@code COMPLETED} ones: the lane
     * @param after behind this job
     */
    public record Place(long nowMillis, JobState state, long lane, long after) {}

    /**
     * What is looked for.
     *
     * @param rules how long jobs are kept
     * @param type only jobs of this type; null: of all
     * @param from where the page before ended; null for the first one
     */
    public record Search(
            Retention rules,
            @Nullable String type,
            @Nullable Place from) {}

    /**
     * A page of what was found.
     *
     * @param units what may go; children before their parents, as far as both are in the page
     * @param kept how many jobs are old enough but are kept by others
     * @param next where the next page begins; null: this was the last one
     */
    public record Found(
            List<Unit> units, int kept, @Nullable Place next) {}

    /**
     * What is to be deleted in one transaction, as far as it may be.
     *
     * @param units of not many more than {@link #PART} jobs in all
     * @param actor who wants it, for the audit
     * @param rules what it goes by, for the audit
     * @param audit the pass's entry in the audit; null: this is the first batch, which makes it
     * @param before what the pass has deleted before this batch
     * @param budgetNanos after this long no further units are begun
     */
    public record Batch(
            List<Unit> units,
            String actor,
            String rules,
            @Nullable Long audit,
            Map<JobState, Long> before,
            long budgetNanos) {}

    /**
     * What became of a batch.
     *
     * @param deleted how many jobs, by their states
     * @param tried how many units were dealt with, from the first on: those behind them were not begun
     * @param kept how many jobs of these were not deleted, because they have changed or somebody needs them
     * @param audit the pass's entry in the audit; null while it has deleted nothing
     * @param nanos how long that took in the transaction
     */
    public record Done(
            Map<JobState, Long> deleted,
            int tried,
            int kept,
            @Nullable Long audit,
            long nanos) {}
}
