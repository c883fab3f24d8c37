package dev.windrow.store.limit;

import dev.windrow.store.Command;
import java.util.List;

/**
 * Grants permits of concurrency keys to the first waiting jobs, and takes permits back that a new limit does not allow. Of a key with many
 * jobs a part is done; the answer is false if there is more to do.
 *
 * @param keys the keys
 * @param changed true if their limits have changed, so that jobs that are ready must obey
 * @param tries how often this was tried before
 */
public record Admit(List<String> keys, boolean changed, int tries) implements Command<Boolean> {
    /** Copies the list. */
    public Admit {
        keys = List.copyOf(keys);
    }

    /** For the first time. */
    public Admit(List<String> keys, boolean changed) {
        this(keys, changed, 0);
    }

    @Override
    public Phase phase() {
        return Phase.ADMIT;
    }

    @Override
    public String what() {
        return "arranging " + keys.size() + " concurrency keys";
    }

    @Override
    public int weight() {
        return Math.max(1, keys.size());
    }

    /** A store submits it on its own threads, too, which must not wait for themselves. */
    @Override
    public boolean waitsForRoom() {
        return false;
    }
}
