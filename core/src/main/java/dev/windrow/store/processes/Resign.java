package dev.windrow.store.processes;

import dev.windrow.store.Command;

/**
 * Gives a background task up that is not done, so that another process may take it at once instead of after the lease; false, and nothing is written, when it was
 * lost meanwhile.
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
        return "resigning the background task " + task.name();
    }
}
