package dev.windrow.store.payload;

import dev.windrow.store.Command;

/**
 * Deletes a staged blob that no job will adopt. Nothing happens if it does not exist or was adopted. The rest of a long blob is left to {@link
 * SweepStaged}.
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
