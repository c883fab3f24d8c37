package dev.windrow.store.retention;

import dev.windrow.store.Command;

/**
 * Gives unused space back to the file system, a few milliseconds' worth, if there is enough of it. Answers the bytes that are left to be given
 * back; 0 when it is not worth it, or the database does that by itself.
 */
public record Shrink() implements Command<Long> {
    @Override
    public Phase phase() {
        return Phase.UPKEEP;
    }

    @Override
    public String what() {
        return "giving back free pages";
    }
}
