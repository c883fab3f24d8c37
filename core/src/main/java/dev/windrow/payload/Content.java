package dev.windrow.payload;

import dev.windrow.JobType;
import dev.windrow.StoreUnavailableException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Bytes that are read as a stream. As the input or output of a {@link JobType}, they need not fit into memory and need not be JSON.
 *
 * <pre>{@code
 * static final JobType<Content, Content> PACK = JobType.of("archive.pack", Content.class, Content.class);
 * }</pre>
 *
 * <p>The content of a new job is read during the enqueue. The content that a handler returns is read after the return. Only a few parts of it are in
 * memory at once. The content that a handler or {@code await} gets is read from the store when the stream is read. That is possible while its job
 * exists and its {@code Windrow} is open.
 */
public interface Content {
    /** Returns the number of bytes; null if it is known only after reading. */
    @Nullable Long size();

    /** Returns the SHA-256 of the bytes, 64 small hexadecimal digits; null if it is not known. */
    @Nullable String sha256();

    /**
     * Opens a new stream from the first byte on. The caller closes it. Each stream is for one thread at a time. Several may be open at once.
     *
     * @throws IOException if the content cannot be read
     * @throws ContentLostException by the stream, if a store has lost a part of the content, or its hash is wrong
     * @throws StoreUnavailableException by the stream, if a store cannot be read now
     */
    InputStream open() throws IOException;

    /** Opens a stream. Called once for each stream. */
    @FunctionalInterface
    interface Source {
        /**
         * Returns a new stream from the first byte on.
         *
         * @throws IOException if the content cannot be read
         */
        InputStream open() throws IOException;
    }

    /** Returns a content of these bytes, which are copied. */
    static Content of(byte[] bytes) {
        byte[] copy = bytes.clone();
        return of((long) copy.length, () -> new ByteArrayInputStream(copy));
    }

    /**
     * Returns a content of the bytes of this file at the time of the read. Do not use the file of a SQLite store, because closing it drops SQLite's
     * locks.
     */
    static Content of(Path file) {
        Objects.requireNonNull(file, "file");
        return of(null, () -> Files.newInputStream(file));
    }

    /** Returns a content of the bytes of a source. Its length is not known before the read. */
    static Content of(Source source) {
        return of(null, source);
    }

    private static Content of(@Nullable Long size, Source source) {
        Objects.requireNonNull(source, "source");
        return new Content() {
            @Override
            public @Nullable Long size() {
                return size;
            }

            @Override
            public @Nullable String sha256() {
                return null;
            }

            @Override
            public InputStream open() throws IOException {
                return source.open();
            }
        };
    }
}
