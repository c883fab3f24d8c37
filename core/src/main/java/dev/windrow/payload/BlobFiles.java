package dev.windrow.payload;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.NoSuchFileException;
import java.time.Instant;
import java.util.List;

/**
 * Keeps the bytes of long payloads and results outside of the database, each in a file of its own that is written once and never
 * shared. The database keeps who owns it, its length and its hash. Used by one store alone: a file that this does not know is
 * deleted. Implementations are safe for use by many threads.
 *
 * <p>Names are of {@code a-z 0-9 -}, at most 60 characters, and never used again.
 */
public interface BlobFiles {
    /**
     * Writes a new file. It is durable when this returns; of one that failed a part may stay behind.
     *
     * @throws IOException if it cannot be written, or the content cannot be read
     */
    void write(String name, InputStream content) throws IOException;

    /**
     * The content of a file, for the caller to close.
     *
     * @throws NoSuchFileException if there is none
     * @throws IOException if it cannot be read
     */
    InputStream open(String name) throws IOException;

    /** Deletes a file; nothing happens if there is none. */
    void delete(String name) throws IOException;

    /** The names of the files that were written before this time, in no order. */
    List<String> writtenBefore(Instant time) throws IOException;
}
