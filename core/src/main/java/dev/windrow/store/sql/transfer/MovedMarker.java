package dev.windrow.store.sql.transfer;

import dev.windrow.IncompatibleStoreException;
import dev.windrow.StoreUnavailableException;
import dev.windrow.WindrowException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A row of the table of migrations that no code is compatible with: the queue was moved to another store, or a copy to this one is not finished.
 *
 * @param text of the row
 */
public record MovedMarker(String text) {
    /** The version that it claims to be. */
    public static final int VERSION = 1_000_000;

    private static final String MOVED = "moved to ";
    private static final String COPY = "copy of ";

    /** The marker of a store whose queue was moved to this place. */
    public static MovedMarker movedTo(String destination) {
        return new MovedMarker(MOVED + destination);
    }

    /** The marker of a store to which the queue at this place is being copied. */
    public static MovedMarker copyOf(String origin) {
        return new MovedMarker(COPY + origin);
    }

    /** True if the queue was moved. */
    public boolean isMove() {
        return text.startsWith(MOVED);
    }

    /** The place to which the queue was moved; null if it was not. */
    public @Nullable String destination() {
        return isMove() ? text.substring(MOVED.length()) : null;
    }

    /** Returns true if the queue is to be closed for this destination, false if it is closed for it; refuses one that was moved elsewhere. */
    public static boolean closes(@Nullable MovedMarker marker, String location, String destination) {
        if (marker != null && !destination.equals(marker.destination())) {
            throw new WindrowException(
                    "%s is closed: its queue was %s, and is not moved to %s as well, where its jobs would run once more; 'windrow reopen' takes the move back, 'copy' without --close-source makes a copy to look at"
                            .formatted(location, marker.text, destination));
        }
        return marker == null;
    }

    /** Returns true if the queue was moved; refuses a store that holds a copy. */
    public static boolean wasMoved(@Nullable MovedMarker marker, String location) {
        if (marker != null && !marker.isMove()) {
            throw marker.refusal(location);
        }
        return marker != null;
    }

    /**
     * Returns true if a copy goes on with what is in the store, false if it begins.
     *
     * @param resume whether it is to go on
     */
    public static boolean resumes(@Nullable MovedMarker marker, String location, String origin, boolean resume) {
        if (marker == null) {
            if (resume) {
                throw new WindrowException("there is no unfinished copy in %s: nothing to resume".formatted(location));
            }
            return false;
        }
        if (marker.isMove() || !resume) {
            throw marker.refusal(location);
        }
        if (!marker.equals(copyOf(origin))) {
            throw new WindrowException("%s holds a %s that is not finished, and cannot go on with one of %s"
                    .formatted(location, marker.text, origin));
        }
        return true;
    }

    /** Refuses a store that bears a marker. */
    public static void requireNone(@Nullable MovedMarker marker, String location) {
        if (marker != null) {
            throw marker.refusal(location);
        }
    }

    /** Refuses to copy to a store that is used, or at which workers are at work. */
    public static void requireEmpty(String location, boolean isUsed, List<String> workers) {
        if (isUsed) {
            throw new WindrowException(
                    "%s is not empty: a queue is copied to a store that has none; nothing was changed"
                            .formatted(location));
        }
        if (!workers.isEmpty()) {
            throw new WindrowException("workers are at work on the target %s (%s): stop them first"
                    .formatted(location, String.join(", ", workers)));
        }
    }

    /** Refuses to go on with a copy whose marker is no longer there. */
    public void requireSame(@Nullable MovedMarker marker, String location) {
        if (!equals(marker)) {
            throw new WindrowException("the copy in %s was finished meanwhile: nothing to resume".formatted(location));
        }
    }

    /** Refuses a move or a copy of a store that was closed with another schema. */
    public static void requireClosedWith(int current, long version, String location) {
        if (version != current) {
            throw new IncompatibleStoreException(
                    "%s has schema %d, and is closed; this program knows schema %d: take the move back first, with the program that has closed it"
                            .formatted(location, version, current));
        }
    }

    /** The failure of a move or a copy of a store that has none. */
    public static StoreUnavailableException noQueue(String location) {
        return new StoreUnavailableException("there is no queue in " + location);
    }

    /** The failure of a copy whose target another copy has taken over. */
    public static WindrowException takenOver(String location) {
        return new WindrowException(
                "another copy goes on with %s, or has finished it: this one has ended".formatted(location));
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
