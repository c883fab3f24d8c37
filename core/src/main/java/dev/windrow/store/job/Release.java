package dev.windrow.store.job;

import dev.windrow.store.Command;
import java.util.Collection;
import java.util.List;

/**
 * Releases or cancels the next children of parents that have ended, if there were too many for one transaction. The store submits further commands
 * for the rest.
 *
 * @param parents the parents
 */
public record Release(List<Long> parents) implements Command<Void> {
    /** The number of children that one transaction releases, roughly. */
    public static final int PART = 1000;

    /** Copies the list. */
    public Release {
        parents = List.copyOf(parents);
    }

    /** Creates the command for these parents. */
    public Release(Collection<Long> parents) {
        this(List.copyOf(parents));
    }

    @Override
    public Phase phase() {
        return Phase.RELEASE;
    }

    @Override
    public String what() {
        return "releasing the children of " + parents.size() + " jobs";
    }

    @Override
    public int weight() {
        return PART;
    }

    /** False, because a store also submits it on its own threads, which must not wait for themselves. */
    @Override
    public boolean waitsForRoom() {
        return false;
    }
}
