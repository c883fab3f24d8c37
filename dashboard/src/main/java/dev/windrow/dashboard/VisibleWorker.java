package dev.windrow.dashboard;

import dev.windrow.Windrow;
import dev.windrow.monitor.WorkerInfo;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The part of a worker of several queues that a sender sees. A worker handles its types in all of its queues, so their names are left out.
 *
 * @param whole the worker
 * @param queues the visible queues
 * @param running the running jobs in these queues
 */
record VisibleWorker(
        WorkerInfo whole,
        @Override List<String> queues,
        @Override List<Long> running) implements WorkerInfo {
    static WorkerInfo of(Access access, Windrow windrow, WorkerInfo worker) {
        return new VisibleWorker(
                worker,
                worker.queues().stream().filter(access::sees).toList(),
                worker.running().stream()
                        .filter(job -> Visible.sees(access, windrow, job))
                        .toList());
    }

    /** Returns the worker without its types and its running jobs, of which there may be thousands. */
    static WorkerInfo brief(WorkerInfo worker) {
        return new VisibleWorker(worker, worker.queues(), List.of());
    }

    @Override
    public String name() {
        return whole.name();
    }

    @Override
    public String host() {
        return whole.host();
    }

    @Override
    public long pid() {
        return whole.pid();
    }

    @Override
    public @Nullable String process() {
        return whole.process();
    }

    @Override
    public String version() {
        return whole.version();
    }

    @Override
    public List<String> types() {
        return List.of();
    }

    @Override
    public int minPriority() {
        return whole.minPriority();
    }

    @Override
    public int slots() {
        return whole.slots();
    }

    @Override
    public long claimedAhead() {
        return whole.claimedAhead();
    }

    @Override
    public Instant startedAt() {
        return whole.startedAt();
    }

    @Override
    public Instant heartbeatAt() {
        return whole.heartbeatAt();
    }

    @Override
    public boolean alive() {
        return whole.alive();
    }

    @Override
    public int busy() {
        return whole.busy();
    }

    @Override
    public boolean holdsJobs() {
        return whole.holdsJobs();
    }
}
