package dev.windrow.store.sql.transfer;

import dev.windrow.IncompatibleStoreException;
import dev.windrow.StoreUnavailableException;
import dev.windrow.WindrowException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A row of the table of migrations that makes the store incompatible with every program. It means that the queue was moved to another store, or that
 * a copy to this store is not finished.
 *
 * @param text the text of the row
 */
public record MovedMarker(String text) {
    /** The version in the row. */
    public static final int VERSION = 1_000_000;

    /** The version in the row of a copy whose rows so far were compared. Schemas have lower ones. */
    public static final int COMPARED = 999_999;

    private static final String MOVED = "moved to ";
    private static final String COPY = "copy of ";

    /** Returns the marker of a store whose queue was moved to this location. */
    public static MovedMarker movedTo(String destination) {
        return new MovedMarker(MOVED + destination);
    }

    /** Returns the marker of a store to which the queue at this location is being copied. */
    public static MovedMarker copyOf(String origin) {
        return new MovedMarker(COPY + origin);
    }

    /** True if the queue was moved. */
    public boolean isMove() {
        return text.startsWith(MOVED);
    }

    /** Returns the location to which the queue was moved; null if it was not moved. */
    public @Nullable String destination() {
        return isMove() ? text.substring(MOVED.length()) : null;
    }

    /**
     * Returns true if the queue must be closed for this destination, false if it is closed for it already.
     *
     * @throws WindrowException if it was moved to another destination, or holds a copy
     */
    public static boolean closes(@Nullable MovedMarker marker, String location, String destination) {
        if (marker != null && !destination.equals(marker.destination())) {
            throw new WindrowException(
                    "%s is closed: its queue was %s, and cannot be moved to %s as well, because its jobs would run twice; 'windrow reopen' undoes the move, 'copy' without --close-source makes a copy for reading"
                            .formatted(location, marker.text, destination));
        }
        return marker == null;
    }

    /**
     * Returns true if the queue was moved.
     *
     * @throws IncompatibleStoreException if the store holds a copy
     */
    public static boolean wasMoved(@Nullable MovedMarker marker, String location) {
        if (marker != null && !marker.isMove()) {
            throw marker.refusal(location);
        }
        return marker != null;
    }

    /**
     * Returns true if a copy continues an interrupted one in the store, false if it begins.
     *
     * @param resume true if the caller wants to continue an interrupted copy
     */
    public static boolean resumes(@Nullable MovedMarker marker, String location, String origin, boolean resume) {
        if (marker == null) {
            if (resume) {
                throw new WindrowException("%s holds no unfinished copy: nothing to resume".formatted(location));
            }
            return false;
        }
        if (marker.isMove() || !resume) {
            throw marker.refusal(location);
        }
        if (!marker.equals(copyOf(origin))) {
            throw new WindrowException("%s holds a %s that is not finished, and cannot continue it with a copy of %s"
                    .formatted(location, marker.text, origin));
        }
        return true;
    }

    /** Refuses a store that has a marker. */
    public static void requireNone(@Nullable MovedMarker marker, String location) {
        if (marker != null) {
            throw marker.refusal(location);
        }
    }

    /** Refuses to copy to a store that is used, or on which workers run. */
    public static void requireEmpty(String location, boolean isUsed, List<String> workers) {
        if (isUsed) {
            throw new WindrowException(
                    "%s is not empty: a queue can be copied only to an empty store; nothing was changed"
                            .formatted(location));
        }
        if (!workers.isEmpty()) {
            throw new WindrowException("workers run on the target %s (%s): stop them first"
                    .formatted(location, String.join(", ", workers)));
        }
    }

    /** Refuses to continue a copy whose marker does not exist any more. */
    public void requireSame(@Nullable MovedMarker marker, String location) {
        if (!equals(marker)) {
            throw new WindrowException(
                    "another process has finished the copy in %s: nothing to resume".formatted(location));
        }
    }

    /** Refuses a move or a copy of a store that was closed with another schema. */
    public static void requireClosedWith(int current, long version, String location) {
        if (version != current) {
            throw new IncompatibleStoreException(
                    "%s has schema %d, and is closed; this program knows schema %d: undo the move first, with the program that closed it"
                            .formatted(location, version, current));
        }
    }

    /** Refuses to continue a copy into a store with another schema. */
    public static void requireBegunWith(int current, long version, String location) {
        if (version != current) {
            throw new IncompatibleStoreException(
                    "%s has schema %d, and a copy to it has not finished; this program knows schema %d: finish the copy with the program that began it, or copy to another place"
                            .formatted(location, version, current));
        }
    }

    /** Returns the failure of a move or a copy of a store without a queue. */
    public static StoreUnavailableException noQueue(String location) {
        return new StoreUnavailableException("no queue exists in " + location);
    }

    /** Returns the failure of a copy whose target another copy has taken over. */
    public static WindrowException takenOver(String location) {
        return new WindrowException(
                "another copy continues to fill %s, or has finished it: this one has ended".formatted(location));
    }

    /** Returns the failure of every use of the store. */
    public IncompatibleStoreException refusal(String location) {
        return new IncompatibleStoreException(explanation(location));
    }

    /** Returns the reason for which the store cannot be used. */
    public String explanation(String location) {
        return isMove()
                ? "%s is closed: its queue was %s. Use it there; 'windrow reopen' undoes the move"
                        .formatted(location, text)
                : "%s holds a %s that is not finished: 'windrow copy --resume' continues it".formatted(location, text);
    }
}
