package dev.windrow.monitor;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A worker in the registry, at one moment. */
public interface WorkerInfo {
    /** Its name. */
    String name();

    /** Its machine's name. */
    String host();

    /** Its process. */
    long pid();

    /** A name of the process by which others on its machine can tell whether it still exists; null: they cannot. */
    @Nullable String process();

    /** The version of this library that it runs. */
    String version();

    /** The queues that it serves. */
    List<String> queues();

    /** The types that it handles, aliases included. */
    List<String> types();

    /** The number of jobs that it runs at once. */
    int slots();

    /** The jobs whose handlers it runs, by id, at most 1000. */
    List<Long> running();

    /** The number of jobs more that it has claimed, which wait for a slot of this worker. */
    long claimedAhead();

    /** The time of its registration. */
    Instant startedAt();

    /** The time at which it last renewed its entry. */
    Instant heartbeatAt();

    /** True if its entry has been renewed in time. */
    boolean alive();

    /**
     * How many slots run a handler, 0 to {@link #slots}. The end of one handler and the start of the next may become durable in either
     * order, so for a moment more jobs can be {@link #running} than there are slots.
     */
    default int busy() {
        return Math.min(slots(), running().size());
    }

    /** Whether it holds any job: one that it runs, or one that it has claimed ahead. */
    default boolean holdsJobs() {
        return !running().isEmpty() || claimedAhead() > 0;
    }
}
