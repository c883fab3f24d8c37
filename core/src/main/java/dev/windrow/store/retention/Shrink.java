package dev.windrow.store.retention;

import dev.windrow.store.Command;

/**
 * Returns unused space to the file system, if there is enough of it. It works for a few milliseconds. The result is the number of bytes that remain
 * to be returned. It is 0 when that is not worthwhile, or the database does it by itself.
 */
public record Shrink() implements Command<Long> {
    @Override
    public Phase phase() {
        return Phase.UPKEEP;
    }

    @Override
    public String what() {
        return "returning free pages to the file system";
    }
}
