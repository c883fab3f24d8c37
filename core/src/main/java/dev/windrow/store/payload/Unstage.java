package dev.windrow.store.payload;

import dev.windrow.store.Command;

/**
 * Drops a blob that is staged and that no job will adopt; nothing happens if it does not exist or was adopted. Of a long one the rest is left
 * to {@link SweepStaged}.
 *
 * @param blob its number
 */
public record Unstage(long blob) implements Command<Void> {
    @Override
    public Phase phase() {
        return Phase.BLOB;
    }

    @Override
    public String what() {
        return "dropping a blob";
    }
}
