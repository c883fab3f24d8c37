package dev.windrow.store.processes;

import dev.windrow.store.Command;

/**
 * Writes a worker into the registry, or renews its entry. The entry proves that a live process handles its types.
 *
 * @param worker the entry
 */
public record Announce(WorkerRow worker) implements Command<Void> {
    @Override
    public Phase phase() {
        return Phase.REGISTRY;
    }

    @Override
    public String what() {
        return "announcing worker " + worker.id().name();
    }

    @Override
    public boolean waitsForRoom() {
        return false;
    }
}
