package dev.windrow.store.transfer;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A store that is being filled from another one. Until it is {@linkplain #open opened} no program can use it, even if this process ends. Not safe for
 * use by more than one thread at a time.
 */
public interface CopySink extends AutoCloseable {
    /** Reads the tables in their present state, over a connection of their own. They may be read while others are written. */
    CopyReader read();

    /** Returns true if the last copy has compared all of this store with the source, and forgets it. The next writes were not compared. */
    boolean takeCompared();

    /** Records that all of this store was compared with the source. */
    void markCompared();

    /** Returns a text as this store keeps it. A store that cannot keep every character returns a changed text, and the copy is compared with that. */
    default @Nullable String storable(@Nullable String text) {
        return text;
    }

    /**
     * Removes rows, then adds others, in one transaction. It is durable when the store is opened.
     *
     * @param removed rows of which only the keys count
     */
    void write(CopyTable table, List<@Nullable Object[]> removed, List<@Nullable Object[]> added);

    /**
     * Completes the copy and opens the store for all processes, durably. Before that it makes sure that no number is assigned again, and that the
     * rows are consistent.
     *
     * @param nextNumber the {@link CopySource#nextNumber} of the source
     * @param lastStamp the {@link CopySource#lastStamp} of the source
     * @throws dev.windrow.WindrowException if rows are not consistent; the store stays closed
     */
    void open(long nextNumber, long lastStamp);

    /** Releases everything. A later copy can continue to fill a store that was not opened. */
    @Override
    void close();
}
