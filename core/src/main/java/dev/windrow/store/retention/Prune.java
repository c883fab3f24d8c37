package dev.windrow.store.retention;

import dev.windrow.store.Command;
import dev.windrow.store.processes.BackgroundTask;

/**
 * Deletes old rows that belong to no job: sums of minutes and hours, entries of the audit, and ended workers. {@link BackgroundTask} has the ages.
 * Deletes also queues that no job uses. Returns the number of rows in all.
 *
 * @param limit the number of each at most
 * @param asOfMillis the store's clock when the pass began, so that a clock that was set ahead later makes no row older
 */
public record Prune(int limit, long asOfMillis) implements Command<Long> {
    @Override
    public Phase phase() {
        return Phase.UPKEEP;
    }

    @Override
    public String what() {
        return "deleting old rows that belong to no job";
    }

    @Override
    public int weight() {
        return Math.max(1, limit);
    }
}
