package dev.windrow.store.transfer;

/** The store that is copied: one snapshot of it, and the numbers that it has assigned. */
public interface CopySource extends CopyReader {
    /** Returns a number greater than each number that the store has assigned to a job, a workflow, a schedule, an event or a blob. */
    long nextNumber();

    /** Returns the latest {@code scheduled_at} that it has assigned to a job that became ready at once, as far as it matters to existing jobs. */
    long lastStamp();

    /** True if jobs were written since, as far as the store can detect it in a moment. It never overlooks a new job, a claim or an end. It overlooks a start. */
    boolean hasChanged();
}
