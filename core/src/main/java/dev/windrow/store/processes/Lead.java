package dev.windrow.store.processes;

import dev.windrow.store.Command;

/**
 * Takes a background task, or keeps it for another lease. Returns false if another process has it, or if it was done recently. The holder loses it
 * only when the lease ends, and must renew before that.
 *
 * @param task the task and its future holder
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
