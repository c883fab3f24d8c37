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

/** The work that changed limits and ended jobs leave for many jobs: one transaction after the other, on the caller's thread. */
public final class KeyLimits {
    /** Keys that are admitted in one transaction: some milliseconds' worth. */
    private static final int KEYS = 50;

    private KeyLimits() {}

    /**
     * Changes pauses and limits. Has ended, for a key, when those of its jobs that were ready obey, part by part; a
     * store in which others may have locked some of them gives up after {@link OpenStore#admitTime}.
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
                                            + " was written, and all jobs that are enqueued obey; but some that were ready before are locked by another transaction: repeat it when that has ended"));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return CompletableFuture.failedFuture(new OutcomeUnknownException(
                    change.what() + " has an unknown outcome: interrupted while it was written", List.of()));
        } catch (ExecutionException e) {
            return CompletableFuture.failedFuture(e.getCause());
        }
    }

    /** Arranges keys, part by part; false if there was not the time for all. */
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
     * Grants free permits of concurrency keys, takes permits back above changed limits, and releases the children of parents that have ended: the process that
     * freed a permit, changed a limit or ended a parent does so as a rule, and may have died before. Returns for how many keys and parents there was
     * something to do.
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
                // The rest follows by itself.
                Void unused = store.submit(new Release(parents)).get();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof WindrowException known) {
                throw known;
            }
            throw new WindrowException("arranging concurrency keys failed: " + e.getCause(), e.getCause());
        }
        return needed;
    }
}
