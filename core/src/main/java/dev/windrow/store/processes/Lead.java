package dev.windrow.store.processes;

import dev.windrow.store.Command;

/**
 * Takes a background task, or keeps it for another lease; false when another process has it, or it was done not long ago. The holder loses it only by letting
 * the lease run out, and must ask again before that.
 *
 * @param task the task and who takes it
 */
public record Lead(BackgroundTask task) implements Command<Boolean> {
    @Override
    public Phase phase() {
        return Phase.UPKEEP;
    }

    @Override
    public String what() {
        return "taking the background task " + task.name();
    }
}
