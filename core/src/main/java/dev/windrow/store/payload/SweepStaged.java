package dev.windrow.store.payload;

import dev.windrow.store.Command;
import dev.windrow.store.Weight;
import dev.windrow.store.retention.Expire;

/**
 * Drops blobs that belong to no job: first what {@link Expire} and {@link Unstage} have left of long ones, whenever that was, then those
 * that were staged longer ago than this and that no job has adopted, the oldest first. A long one goes part by part; from the first one on it can
 * neither be adopted nor written on. Answers the number of parts, where a blob that has none left counts as one: fewer than {@code limit} are the
 * last ones.
 *
 * @param olderThanMillis how long ago they were staged at least
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
