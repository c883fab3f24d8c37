package dev.windrow.store.transfer;

/** The store that is copied: one state of it, and what was given to jobs until then. */
public interface CopySource extends CopyReader {
    /** Greater than each number that the store has given to a job, a workflow, a schedule, an event or a blob. */
    long nextNumber();

    /** The latest {@code scheduled_at} that it has given to a job that runs now, as far as that matters to jobs that are there. */
    long lastStamp();

    /** True if jobs were written since, as far as the store can tell in a moment. It never overlooks one that was made. */
    boolean hasChanged();
}
