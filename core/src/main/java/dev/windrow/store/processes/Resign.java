package dev.windrow.store.processes;

import dev.windrow.store.Command;

/**
 * Gives up a background task that is not done, so that another process may take it at once instead of after the lease. Returns false, and writes
 * nothing, if the process has lost the task before.
 *
 * @param task the task and its holder
 */
public record Resign(BackgroundTask task) implements Command<Boolean> {
    @Override
    public Phase phase() {
        return Phase.UPKEEP;
    }

    @Override
    public String what() {
        return "giving up the background task " + task.name();
    }
}
