package dev.windrow.store.job;

import dev.windrow.store.Command;

/**
 * Removes a worker from the registry.
 *
 * @param worker the worker
 */
public record Withdraw(WorkerId worker) implements Command<Void> {
    @Override
    public Phase phase() {
        return Phase.REGISTRY;
    }

    @Override
    public String what() {
        return "withdrawing worker " + worker.name();
    }

    @Override
    public boolean waitsForRoom() {
        return false;
    }
}
