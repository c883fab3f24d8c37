package dev.windrow.payload;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.NoSuchFileException;
import java.time.Instant;
import java.util.List;

/**
 * Stores the bytes of long payloads and results outside of the database. Each file is written once and never shared. The database keeps the owner,
 * the length and the hash. The storage belongs to one store: files that this store does not know are deleted. Implementations are safe for use by
 * many threads.
 *
 * <p>Names consist of {@code a-z 0-9 -}, at most 60 characters. A name is never used again.
 */
public interface BlobFiles {
    /**
     * Writes a new file. The file is durable when this returns. After a failure a part of it may remain.
     *
     * @throws IOException if the file cannot be written, or the content cannot be read
     */
    void write(String name, InputStream content) throws IOException;

    /**
     * Opens the content of a file. The caller closes the stream.
     *
     * @throws NoSuchFileException if there is no such file
     * @throws IOException if it cannot be read
     */
    InputStream open(String name) throws IOException;

    /**
     * Deletes a file. Has no effect if there is no such file.
     *
     * @throws IOException if it cannot be deleted
     */
    void delete(String name) throws IOException;

    /**
     * Returns the names of the files that were written before this time, in no order.
     *
     * @throws IOException if they cannot be listed
     */
    List<String> writtenBefore(Instant time) throws IOException;
}
