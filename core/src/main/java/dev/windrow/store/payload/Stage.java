package dev.windrow.store.payload;

import dev.windrow.store.Command;
import dev.windrow.store.Weight;
import dev.windrow.store.job.Enqueue;
import dev.windrow.store.job.Settle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Writes a part of a payload or result that is kept apart, before its job or settlement, in a transaction that it shares with little; answers the
 * number of the blob. The blob is staged until an {@link Enqueue} or a {@link Settle} whose text is its {@link dev.windrow.payload.BlobRef} adopts it, once,
 * in its own transaction; an enqueue that answers another job of its dedupe key drops it. It goes when its job goes, or gets another payload. Parts of a blob may be on their way at the same time, but for the first one, whose
 * answer is the number of the blob, and the last one.
 */
public final class Stage implements Command<Long> {
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

    private Stage(@Nullable Long blob, int position, byte[] content, @Nullable Whole whole) {
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
    public static Stage first(byte[] content, @Nullable Whole whole) {
        return new Stage(null, 0, content, whole);
    }

    /**
     * A further part.
     *
     * @param blob what the store answered to the first one
     * @param position how many parts come before it
     * @param content not copied: not to be changed any more; an empty one is not kept
     * @param whole the whole blob if this is the last part, or null
     */
    public static Stage further(long blob, int position, byte[] content, @Nullable Whole whole) {
        return new Stage(blob, position, content, whole);
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
