package dev.windrow.store.transfer;

import dev.windrow.TimeSource;
import java.util.List;
import java.util.Optional;

/** The location of a queue that is copied or moved, as source or target. Each method opens a connection of its own. */
public interface CopyPlace {
    /** Returns a text that distinguishes this location from all others, the same for every path that leads to it; empty if it has no queue yet. */
    Optional<String> identity();

    /** Returns the names of the workers that are alive by the registry, oldest first; none if it has no queue yet. */
    List<String> aliveWorkers(TimeSource time);

    /**
     * Reads one snapshot of the queue; a store of an older schema is migrated. A {@linkplain #shut shut} queue can be read.
     *
     * @throws dev.windrow.StoreUnavailableException if it has no queue, or cannot be reached
     * @throws dev.windrow.IncompatibleStoreException if it has a newer schema, or holds a copy that is not finished
     */
    CopySource copySource();

    /**
     * Begins to fill the store, or continues to fill it. Creates the store if it does not exist. No program can use it from now on until it is
     * {@linkplain CopySink#open opened}. Processes that have it open can never write again. An earlier copy that fills it is ended by this.
     *
     * @param origin the source of the rows, for messages; a copy of another source is not continued
     * @param resume true to continue an interrupted copy
     * @throws dev.windrow.WindrowException if the store has a queue that is not empty, or workers run on it, and there is nothing to resume; or if
     *     the copy to resume has another source, or does not exist. Nothing was changed
     */
    CopySink copySink(String origin, boolean resume);

    /** Returns the destination of a moved queue, as given to {@link #shut}; empty if it was not shut, or does not exist. */
    Optional<String> movedTo();

    /**
     * Closes the queue in each process, from now on. Every write fails, and the queue can be opened only to copy it. Acknowledged writes are in it.
     * Durable on return. Nothing happens if it was shut for the same destination already.
     *
     * @param destination the new location of the queue, for messages
     * @throws dev.windrow.WindrowException if it was shut for another destination; nothing was changed
     */
    void shut(String destination);

    /** Undoes {@link #shut}; false if it was not shut. */
    boolean reopen();
}
