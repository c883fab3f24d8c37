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
 * @param running the jobs whose handlers it runs, by id, at most 1000
 * @param claimedAhead how many more jobs it has claimed, which wait for a slot of this worker
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
        long claimedAhead,
        Instant startedAt,
        Instant heartbeatAt,
        boolean alive) {
    /**
     * How many slots run a handler, 0 to {@link #slots}. The end of one handler and the start of the next may become durable in either
     * order, so for a moment more jobs can be {@link #running} than there are slots.
     */
    public int busy() {
        return Math.min(slots, running.size());
    }

    /** Whether it holds any job: one that it runs, or one that it has claimed ahead. */
    public boolean holdsJobs() {
        return !running.isEmpty() || claimedAhead > 0;
    }
}
