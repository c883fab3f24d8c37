package dev.windrow.store.processes;

import dev.windrow.store.Command;
import org.jspecify.annotations.Nullable;

/**
 * Records that a background task is done. Returns false, and writes nothing, if the process has lost the task before.
 *
 * @param task the task and its holder
 * @param detail the work that was done, as short JSON, or null
 */
public record EndTask(BackgroundTask task, @Nullable String detail) implements Command<Boolean> {
    @Override
    public Phase phase() {
        return Phase.UPKEEP;
    }

    @Override
    public String what() {
        return "ending the background task " + task.name();
    }
}
