package dev.windrow.store.payload;

import dev.windrow.store.Command;
import dev.windrow.store.Weight;
import dev.windrow.store.job.Enqueue;
import dev.windrow.store.job.Settle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Writes a part of a payload or result that is stored separately, before its job or settlement. Few other commands share its transaction. Returns the
 * number of the blob.
 *
 * <p>The blob is staged until a job adopts it, once. An {@link Enqueue} or a {@link Settle} with its {@link dev.windrow.payload.BlobRef} as text
 * adopts it in its own transaction. An enqueue that returns an existing job with its dedupe key drops the blob. The blob is deleted with its job, or
 * when the job gets another payload.
 *
 * <p>Parts of a blob may be submitted at the same time, except the first and the last one. The result of the first one is the number of the blob.
 */
public final class Stage implements Command<Long> {
    /** The most bytes of a part: 256 KiB. Each part but the last has this length. */
    public static final int MAX_BYTES = 256 * 1024;

    private final @Nullable Long blob;
    private final int position;
    private final byte[] content;
    private final @Nullable Whole whole;

    /**
     * The properties of a blob that are known when all of it has been read.
     *
     * @param bytes its length
     * @param sha256 its SHA-256, 64 small hexadecimal digits
     * @param file the name of the file that contains it; null if its parts contain it
     */
    public record Whole(long bytes, String sha256, @Nullable String file) {}

    private Stage(@Nullable Long blob, int position, byte[] content, @Nullable Whole whole) {
        this.blob = blob;
        this.position = position;
        this.content = Objects.requireNonNull(content, "content");
        this.whole = whole;
    }

    /**
     * Returns the first part of a blob.
     *
     * @param content not copied; must not be changed any more
     * @param whole the whole blob if this is all of it, or null
     */
    public static Stage first(byte[] content, @Nullable Whole whole) {
        return new Stage(null, 0, content, whole);
    }

    /**
     * Returns a further part.
     *
     * @param blob the result of the first part
     * @param position the number of parts before it
     * @param content not copied; must not be changed any more; an empty one is not stored
     * @param whole the whole blob if this is the last part, or null
     */
    public static Stage further(long blob, int position, byte[] content, @Nullable Whole whole) {
        return new Stage(blob, position, content, whole);
    }

    /** Returns the blob to which it belongs; null if it begins one. */
    public @Nullable Long blob() {
        return blob;
    }

    /** Returns the number of parts before it. */
    public int position() {
        return position;
    }

    /** Returns the bytes; must not be changed. */
    public byte[] content() {
        return content;
    }

    /** Returns the whole blob, for the last part; null for the others. */
    public @Nullable Whole whole() {
        return whole;
    }

    @Override
    public Phase phase() {
        return Phase.BLOB;
    }

    @Override
    public String what() {
        return "writing a part of a blob";
    }

    @Override
    public int weight() {
        return 1 + Weight.ofBytes(content.length);
    }
}
