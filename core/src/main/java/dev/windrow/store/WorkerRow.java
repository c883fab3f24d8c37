package dev.windrow.store;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A worker in the registry.
 *
 * @param id the worker
 * @param host the machine's name
 * @param pid the process
 * @param process names the process so that others on its machine can tell whether it still exists; null: they cannot
 * @param version the version of this library
 * @param queues the queues that it serves
 * @param types the types that it handles, aliases included
 * @param slots how many jobs it runs at once
 * @param ttlMillis how long the entry counts as alive without being renewed
 * @param stuck how many of its handlers have not ended though they were told to
 */
public record WorkerRow(
        WorkerId id,
        String host,
        long pid,
        @Nullable String process,
        String version,
        Set<String> queues,
        Set<String> types,
        int slots,
        long ttlMillis,
        int stuck) {}
