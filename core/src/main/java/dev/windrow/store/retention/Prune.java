package dev.windrow.store.retention;

import dev.windrow.store.Command;
import dev.windrow.store.processes.BackgroundTask;

/**
 * Deletes what belongs to no job and is older than {@link BackgroundTask} says: sums of minutes, entries of the audit, workers that are gone; and queues that
 * no job uses. Answers the number of rows in all.
 *
 * @param limit the number of each at most
 * @param asOfMillis the store's clock when the pass began, so that a clock that was set ahead since then makes nothing older
 */
public record Prune(int limit, long asOfMillis) implements Command<Long> {
    @Override
    public Phase phase() {
        return Phase.UPKEEP;
    }

    @Override
    public String what() {
        return "deleting old sums";
    }

    @Override
    public int weight() {
        return Math.max(1, limit);
    }
}
