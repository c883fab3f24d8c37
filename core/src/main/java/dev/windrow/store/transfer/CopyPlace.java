package dev.windrow.store.transfer;

import dev.windrow.TimeSource;
import java.util.List;
import java.util.Optional;

/** The place of a queue that is copied or moved, from here or to here. Each verb takes a connection for its own time. */
public interface CopyPlace {
    /** Tells this place from all others, by whatever way it is reached; empty if there is no queue yet. */
    Optional<String> identity();

    /** The names of the workers that are alive by the registry, oldest first; none if there is no queue yet. */
    List<String> aliveWorkers(TimeSource time);

    /**
     * Reads one state of the queue; a store of an older schema is migrated. One that is {@linkplain #shut shut} can be read.
     *
     * @throws dev.windrow.StoreUnavailableException if there is no queue, or it cannot be reached
     * @throws dev.windrow.IncompatibleStoreException if it has a newer schema, or holds a copy that is not finished
     */
    CopySource copySource();

    /**
     * Begins to fill the store, or goes on with it; makes the store if it is not there. From now on nobody can use it until it is {@linkplain
     * CopySink#open opened}; who has it open already writes nothing more, ever. Whoever fills it until now has ended with that.
     *
     * @param origin where the rows come from, for people, and so that nobody goes on with those of another store
     * @param resume whether to go on with what an interrupted copy has left
     * @throws dev.windrow.WindrowException if there is a queue that is not empty, or workers are at work on it, and nothing to resume; or if what is to be resumed is a
     *     copy of something else, or none. Nothing was changed
     */
    CopySink copySink(String origin, boolean resume);

    /** The place to which the queue has gone, as {@link #shut} was told; empty if it was not shut, or there is none. */
    Optional<String> movedTo();

    /**
     * Refuses the queue to everybody, from now on and in each process: whatever writes to it fails, and nobody can open it but to copy it. What was
     * acknowledged before is there. Durable on return; nothing happens if it was shut for the same destination already.
     *
     * @param destination where the queue has gone, for people
     * @throws dev.windrow.WindrowException if it was shut for another destination; nothing was changed
     */
    void shut(String destination);

    /** Takes {@link #shut} back; false if it was not. */
    boolean reopen();
}
