package dev.windrow.store;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A part of a blob on its way into the store. Parts of a blob may be on their way at the same time, but for the first one, whose
 * answer is the number of the blob, and the last one.
 */
public final class BlobPart {
    /** The most bytes of a part, and the length of each but the last: 256 KiB. */
    public static final int MAX_BYTES = 256 * 1024;

    private final @Nullable Long blob;
    private final int position;
    private final byte[] content;
    private final @Nullable Whole whole;

    /**
     * What is known when all of a blob has been read.
     *
     * @param bytes its length
     * @param sha256 its SHA-256, 64 small hexadecimal digits
     * @param file the name of the file that it is in; null: it is in its parts
     */
    public record Whole(long bytes, String sha256, @Nullable String file) {}

    private BlobPart(@Nullable Long blob, int position, byte[] content, @Nullable Whole whole) {
        this.blob = blob;
        this.position = position;
        this.content = Objects.requireNonNull(content, "content");
        this.whole = whole;
    }

    /**
     * The first part of a blob.
     *
     * @param content not copied: not to be changed any more
     * @param whole the whole blob if this is all of it, or null
     */
    public static BlobPart first(byte[] content, @Nullable Whole whole) {
        return new BlobPart(null, 0, content, whole);
    }

    /**
     * A further part.
     *
     * @param blob what the store answered to the first one
     * @param position how many parts come before it
     * @param content not copied: not to be changed any more; an empty one is not kept
     * @param whole the whole blob if this is the last part, or null
     */
    public static BlobPart further(long blob, int position, byte[] content, @Nullable Whole whole) {
        return new BlobPart(blob, position, content, whole);
    }

    /** The blob that it belongs to; null: it begins one. */
    public @Nullable Long blob() {
        return blob;
    }

    /** How many parts come before it. */
    public int position() {
        return position;
    }

    /** The bytes; not to be changed. */
    public byte[] content() {
        return content;
    }

    /** The whole blob, with the last part; null with the others. */
    public @Nullable Whole whole() {
        return whole;
    }
}
