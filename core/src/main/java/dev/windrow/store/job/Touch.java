package dev.windrow.store.job;

import dev.windrow.store.Command;

/** Writes without an effect, to prove that this process can commit. */
public record Touch() implements Command<Void> {
    @Override
    public Phase phase() {
        return Phase.REGISTRY;
    }

    @Override
    public String what() {
        return "touching the store";
    }

    @Override
    public boolean waitsForRoom() {
        return false;
    }
}
