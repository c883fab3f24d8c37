package dev.windrow.store.processes;

import dev.windrow.store.job.Claim;
import dev.windrow.store.job.WorkerId;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A worker in the registry.
 *
 * @param id the worker
 * @param process its process
 * @param work the work that it takes
 * @param ttlMillis the time for which the entry counts as alive without a renewal
 * @param stuck the number of its handlers that ignore their interrupt
 */
public record WorkerRow(WorkerId id, WorkerProcess process, Work work, long ttlMillis, int stuck) {
    /**
     * The process of a worker.
     *
     * @param host the machine's name
     * @param pid its number on the machine
     * @param name a name by which other processes on its machine can detect its end; null if they cannot
     * @param version the version of this library
     */
    public record WorkerProcess(
            String host, long pid, @Nullable String name, String version) {}

    /**
     * The work that a worker takes.
     *
     * @param queues the queues that it serves
     * @param types the types that it handles, aliases included
     * @param slots the number of jobs that it runs at once
     * @param minPriority the lowest priority that it takes
     */
    public record Work(Set<String> queues, Set<String> types, int slots, int minPriority) {
        /** Work of every priority. */
        public Work(Set<String> queues, Set<String> types, int slots) {
            this(queues, types, slots, Claim.EVERY_PRIORITY);
        }
    }
}
