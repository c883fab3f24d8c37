package dev.windrow.store.limit;

import dev.windrow.store.Command;
import java.util.List;

/**
 * Grants permits of concurrency keys to the first waiting jobs, and takes back permits that a new limit does not allow. A key with many jobs is done
 * in batches; the result is false if more batches are needed.
 *
 * @param keys the keys
 * @param changed true if their limits have changed, so that the limits apply to ready jobs, too
 * @param tries how many tries came before
 */
public record Admit(List<String> keys, boolean changed, int tries) implements Command<Boolean> {
    /** Copies the list. */
    public Admit {
        keys = List.copyOf(keys);
    }

    /** Creates the command for the first try. */
    public Admit(List<String> keys, boolean changed) {
        this(keys, changed, 0);
    }

    @Override
    public Phase phase() {
        return Phase.ADMIT;
    }

    @Override
    public String what() {
        return "admitting jobs of " + keys.size() + " concurrency keys";
    }

    @Override
    public int weight() {
        return Math.max(1, keys.size());
    }

    /** False, because a store also submits it on its own threads, which must not wait for themselves. */
    @Override
    public boolean waitsForRoom() {
        return false;
    }
}
