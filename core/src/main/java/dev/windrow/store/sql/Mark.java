package dev.windrow.store.sql;

import dev.windrow.IncompatibleStoreException;
import dev.windrow.WindrowException;
import org.jspecify.annotations.Nullable;

/**
 * A row of the table of migrations that no code is compatible with: the queue was moved to another store, or a copy to this one is not finished.
 *
 * @param text of the row
 */
public record Mark(String text) {
    /** The version that it claims to be. */
    public static final int VERSION = 1_000_000;

    private static final String MOVED = "moved to ";
    private static final String COPY = "copy of ";

    /** The mark of a store whose queue was moved to this place. */
    public static Mark movedTo(String destination) {
        return new Mark(MOVED + destination);
    }

    /** The mark of a store to which the queue at this place is being copied. */
    public static Mark copyOf(String origin) {
        return new Mark(COPY + origin);
    }

    /** True if the queue was moved. */
    public boolean isMove() {
        return text.startsWith(MOVED);
    }

    /** The place to which the queue was moved; null if it was not. */
    public @Nullable String destination() {
        return isMove() ? text.substring(MOVED.length()) : null;
    }

    /** The failure of a move of the queue to another place as well. */
    public WindrowException movedElsewhere(String location, String destination) {
        return new WindrowException(
                "%s is closed: its queue was %s, and is not moved to %s as well, where its jobs would run once more; 'windrow reopen' takes the move back, 'copy' without --close-source makes a copy to look at"
                        .formatted(location, text, destination));
    }

    /** The failure of a move or a copy of a store that was closed with another schema. */
    public static IncompatibleStoreException closedBehind(String location, long version, int current) {
        return new IncompatibleStoreException(
                "%s has schema %d, and is closed; this program knows schema %d: take the move back first, with the program that has closed it"
                        .formatted(location, version, current));
    }

    /** The failure of every use of the store. */
    public IncompatibleStoreException refusal(String location) {
        return new IncompatibleStoreException(explanation(location));
    }

    /** The reason for which the store cannot be used. */
    public String explanation(String location) {
        return isMove()
                ? "%s is closed: its queue was %s. Use it there; 'windrow reopen' takes the move back"
                        .formatted(location, text)
                : "%s holds a %s that is not finished: 'windrow copy --resume' goes on with it"
                        .formatted(location, text);
    }
}
