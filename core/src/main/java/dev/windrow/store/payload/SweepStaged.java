package dev.windrow.store.payload;

import dev.windrow.store.Command;
import dev.windrow.store.Weight;
import dev.windrow.store.retention.Expire;

/**
 * Deletes blobs that belong to no job. First come the rests of long blobs that {@link Expire} and {@link Unstage} have left, of any age. Then come
 * staged blobs of at least the given age that no job has adopted, the oldest first. A long blob is deleted part by part. From the first deleted part
 * on, no job can adopt it, and no part can be added. Returns the number of deleted parts. A blob without parts counts as one. A result below {@code
 * limit} means that none are left.
 *
 * @param olderThanMillis the least time since they were staged
 * @param limit the number of parts at most
 */
public record SweepStaged(long olderThanMillis, int limit) implements Command<Long> {
    @Override
    public Phase phase() {
        return Phase.BLOB;
    }

    @Override
    public String what() {
        return "sweeping blobs";
    }

    @Override
    public int weight() {
        return 1 + Weight.ofBytes((long) limit * Stage.MAX_BYTES);
    }
}
