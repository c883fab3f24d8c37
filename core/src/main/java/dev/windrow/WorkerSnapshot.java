package dev.windrow;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A worker in the registry, at one moment.
 *
 * @param name its name
 * @param host its machine's name
 * @param pid its process
 * @param process names the process so that others on its machine can tell whether it still exists; null: they cannot
 * @param version the version of this library that it runs
 * @param queues the queues that it serves
 * @param types the types that it handles, aliases included
 * @param slots how many jobs it runs at once
 * @param running the jobs that it holds, at most 1000
 * @param startedAt since when it is registered
 * @param heartbeatAt when it last renewed its entry
 * @param alive whether its entry has been renewed in time
 */
public record WorkerSnapshot(
        String name,
        String host,
        long pid,
        @Nullable String process,
        String version,
        List<String> queues,
        List<String> types,
        int slots,
        List<Long> running,
        Instant startedAt,
        Instant heartbeatAt,
        boolean alive) {}
