package dev.windrow.store.limit;

import dev.windrow.OutcomeUnknownException;
import dev.windrow.StoreUnavailableException;
import dev.windrow.WindrowException;
import dev.windrow.limit.LimitTarget;
import dev.windrow.limit.Limits;
import dev.windrow.store.OpenStore;
import dev.windrow.store.job.Release;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** The work on many jobs that changed limits and ended jobs make necessary. It runs one transaction after the other, on the caller's thread. */
public final class KeyLimits {
    /** The number of keys that are admitted in one transaction: some milliseconds of work. */
    private static final int KEYS = 50;

    private KeyLimits() {}

    /**
     * Changes pauses and limits. For a key, the change ends when the limits also apply to its jobs that were ready, batch by batch. Another
     * transaction may have locked some of these jobs. Then the change gives up after {@link OpenStore#admitTime}.
     */
    public static CompletableFuture<Limits> change(OpenStore store, LimitChange change) {
        CompletableFuture<Limits> changed = store.submit(change);
        if (change.target().kind() != LimitTarget.Kind.KEY) {
            return changed;
        }
        try {
            changed.get();
            return admit(store, List.of(change.target().name()), true)
                    ? changed
                    : CompletableFuture.failedFuture(
                            new StoreUnavailableException(
                                    change.what()
                                            + " was written and applies to new jobs; but another transaction has locked some jobs that were ready before: repeat the change when that transaction has ended"));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return CompletableFuture.failedFuture(new OutcomeUnknownException(
                    change.what() + " has an unknown outcome: interrupted while it was written", List.of()));
        } catch (ExecutionException e) {
            return CompletableFuture.failedFuture(e.getCause());
        }
    }

    /** Admits jobs of keys, batch by batch; false if the time was not enough for all. */
    private static boolean admit(OpenStore store, List<String> keys, boolean changed)
            throws InterruptedException, ExecutionException {
        long nanos = store.admitTime().toNanos();
        long begin = System.nanoTime();
        while (!store.submit(new Admit(keys, changed)).get()) {
            if (System.nanoTime() - begin > nanos) {
                return false;
            }
        }
        return true;
    }

    /**
     * Grants free permits of concurrency keys, takes permits back above changed limits, and releases the children of parents that have ended. Usually
     * the process that freed a permit, changed a limit or ended a parent has done this itself, but it may have died before. Returns the number of
     * keys and parents that needed work.
     */
    public static int admit(OpenStore store) {
        int needed = 0;
        try {
            for (String key : store.keysToAdmit()) {
                needed++;
                boolean unused = admit(store, List.of(key), true);
            }
            String after = "";
            while (after != null) {
                KeysWithRoom page = store.keysWithRoom(after);
                needed += page.keys().size();
                for (int i = 0; i < page.keys().size(); i += KEYS) {
                    List<String> some = page.keys()
                            .subList(i, Math.min(i + KEYS, page.keys().size()));
                    boolean unused = admit(store, some, false);
                }
                after = page.next();
            }
            List<Long> parents = store.unreleasedParents();
            needed += parents.size();
            if (!parents.isEmpty()) {
                // The store submits further commands for the rest.
                Void unused = store.submit(new Release(parents)).get();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof WindrowException known) {
                throw known;
            }
            throw new WindrowException("admitting jobs of concurrency keys failed: " + e.getCause(), e.getCause());
        }
        return needed;
    }
}
