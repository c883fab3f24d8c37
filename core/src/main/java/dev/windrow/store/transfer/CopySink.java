package dev.windrow.store.transfer;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A store that is being filled from another one. Until it is {@linkplain #open opened} nobody else can use it, whatever becomes of this
 * process. Not safe for use by more than one thread at a time.
 */
public interface CopySink extends AutoCloseable {
    /** The tables as they are now, over a connection of their own. They may be read while others are written. */
    CopyReader read();

    /**
     * Whether all that is here was compared with the source by the last copy; that it was is forgotten by this, because what is written next was
     * not.
     */
    boolean takeCompared();

    /** All that is here was compared with the source. */
    void markCompared();

    /** A text as this store keeps it: one that cannot hold every character tells so here, and the copy is compared with that. */
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
     * Everything is there: sees to it that no number is given again, and that rows belong together; then opens the store for everybody, all
     * of it durable.
     *
     * @param nextNumber what {@link CopySource#nextNumber} of the source says
     * @param lastStamp what {@link CopySource#lastStamp} of the source says
     * @throws dev.windrow.WindrowException if rows do not belong together; the store stays closed
     */
    void open(long nextNumber, long lastStamp);

    /** Releases everything. A store that was not opened can be filled on. */
    @Override
    void close();
}
