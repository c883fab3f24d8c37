package dev.windrow.store.job;

import dev.windrow.store.Command;
import java.util.Set;

/**
 * A worker's request for jobs. It claims ready jobs under a lease, the highest priority first, then by scheduled time, then by id. Due jobs are
 * promoted first.
 *
 * @param worker the worker
 * @param queues the queues that it serves
 * @param types the types that it handles
 * @param limit how many jobs at most, 1 to 1000
 * @param leaseMillis how long the jobs belong to the worker without a renewal
 * @param minPriority the lowest priority that the worker takes, {@link #EVERY_PRIORITY} or more
 */
public record Claim(
        WorkerId worker, Set<String> queues, Set<String> types, int limit, long leaseMillis, int minPriority)
        implements Command<Claimed> {
    /** The lowest priority of all: the minimum of workers without one. */
    public static final int EVERY_PRIORITY = Short.MIN_VALUE;

    /** Requests jobs of every priority. */
    public Claim(WorkerId worker, Set<String> queues, Set<String> types, int limit, long leaseMillis) {
        this(
                /* worker= */ worker,
                /* queues= */ queues,
                /* types= */ types,
                /* limit= */ limit,
                /* leaseMillis= */ leaseMillis,
                /* minPriority= */ EVERY_PRIORITY);
    }

    /** Copies the sets. */
    public Claim {
        queues = Set.copyOf(queues);
        types = Set.copyOf(types);
    }

    /** True if the worker leaves jobs of low priority to other workers. */
    public boolean hasMinimum() {
        return minPriority > EVERY_PRIORITY;
    }

    @Override
    public Phase phase() {
        return Phase.CLAIM;
    }

    @Override
    public String what() {
        return "claiming for worker " + worker.name();
    }

    @Override
    public int weight() {
        return limit;
    }
}
