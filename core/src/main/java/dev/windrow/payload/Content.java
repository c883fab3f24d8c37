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
 * Bytes that are read as a stream: the input or output of a {@link JobType} whose payloads or results need not fit into memory,
 * and which need not be JSON.
 *
 * <pre>{@code
 * static final JobType<Content, Content> PACK = JobType.of("archive.pack", Content.class, Content.class);
 * }</pre>
 *
 * <p>What a job is enqueued with is read when it is enqueued, and what a handler returns is read after it has returned; nothing
 * of either is kept in memory but a few parts. What a handler or {@code await} is given reads from the store while it is read,
 * and can be while its job is there and its {@code Windrow} is open.
 */
public interface Content {
    /** How many bytes there are; null when that is known only after reading. */
    @Nullable Long size();

    /** The SHA-256 of the bytes, 64 small hexadecimal digits; null when it is not known. */
    @Nullable String sha256();

    /**
     * A new stream from the first byte on, for the caller to close. Each stream is for one thread at a time; there may be
     * several.
     *
     * @throws IOException if it cannot be read
     * @throws ContentLostException by the stream, if a store has lost some of it, or its hash is another one
     * @throws StoreUnavailableException by the stream, if a store cannot be read now
     */
    InputStream open() throws IOException;

    /** Opens a stream; called once for each. */
    @FunctionalInterface
    interface Source {
        /** A new stream from the first byte on. */
        InputStream open() throws IOException;
    }

    /** These bytes, which are copied. */
    static Content of(byte[] bytes) {
        byte[] copy = bytes.clone();
        return of((long) copy.length, () -> new ByteArrayInputStream(copy));
    }

    /** The bytes of this file, as they are when it is read. Never the file of a SQLite store: closing it drops SQLite's locks. */
    static Content of(Path file) {
        Objects.requireNonNull(file, "file");
        return of(null, () -> Files.newInputStream(file));
    }

    /** Whatever the source gives, of a length that is not known before. */
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
