package dev.windrow.store.job;

import dev.windrow.store.Command;
import dev.windrow.store.processes.WorkerRow;

/**
 * Removes the workers of a process that has ended from the registry.
 *
 * @param process the process, as {@link WorkerRow#process} names it
 */
public record WithdrawProcess(String process) implements Command<Void> {
    @Override
    public Phase phase() {
        return Phase.REGISTRY;
    }

    @Override
    public String what() {
        return "withdrawing the workers of process " + process;
    }

    @Override
    public boolean waitsForRoom() {
        return false;
    }
}
