package dev.windrow.monitor;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A worker in the registry, at the moment of the read. */
public interface WorkerInfo {
    /** The worker's name. */
    String name();

    /** The name of the worker's machine. */
    String host();

    /** The id of the worker's process. */
    long pid();

    /** A name by which other processes on the same machine can check if the worker's process still exists; null if they cannot check it. */
    @Nullable String process();

    /** The version of Windrow that the worker runs. */
    String version();

    /** The queues that the worker serves. */
    List<String> queues();

    /** The types that the worker handles, aliases included. */
    List<String> types();

    /** The lowest priority that the worker takes: -32768 to 32767. -32768 means every priority. */
    int minPriority();

    /** The number of jobs that the worker runs at once. */
    int slots();

    /** The jobs whose handlers the worker runs, by id, at most 1000. */
    List<Long> running();

    /** The number of further claimed jobs, which wait for a slot of this worker. */
    long claimedAhead();

    /** The time of the worker's registration. */
    Instant startedAt();

    /** The time at which the worker last renewed its entry. */
    Instant heartbeatAt();

    /** True if the worker has renewed its entry in time. */
    boolean alive();

    /**
     * Returns how many slots run a handler, 0 to {@link #slots}. The end of one handler and the start of the next may become durable in either order.
     * So for a moment more jobs can be {@link #running} than there are slots.
     */
    default int busy() {
        return Math.min(slots(), running().size());
    }

    /** True if the worker holds a job: a running one, or one that waits for a slot. */
    default boolean holdsJobs() {
        return !running().isEmpty() || claimedAhead() > 0;
    }
}
