package dev.windrow.dashboard;

import dev.windrow.JobState;
import dev.windrow.monitor.Statistics;
import dev.windrow.monitor.WorkerInfo;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongPredicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The statistics of the queues that a sender sees. Counts by type, error code and attempt are of all queues, so they are left out. */
final class VisibleStatistics implements Statistics {
    private final Statistics all;
    private final Access access;
    private final Set<String> workers;
    private final LongPredicate seesJob;

    VisibleStatistics(Statistics all, Access access, List<WorkerInfo> workers, LongPredicate seesJob) {
        this.all = all;
        this.access = access;
        this.workers =
                Visible.workers(access, workers).stream().map(WorkerInfo::name).collect(Collectors.toSet());
        this.seesJob = seesJob;
    }

    @Override
    public Map<JobState, Long> states() {
        Map<JobState, Long> states = new EnumMap<>(JobState.class);
        for (JobState state : JobState.values()) {
            states.put(
                    state,
                    queues().stream()
                            .mapToLong(queue -> queue.states().getOrDefault(state, 0L))
                            .sum());
        }
        return states;
    }

    @Override
    public List<OfType> types() {
        return List.of();
    }

    @Override
    public List<OfQueue> queues() {
        return all.queues().stream().filter(queue -> access.sees(queue.queue())).toList();
    }

    @Override
    public List<Running> oldestRunning() {
        return all.oldestRunning().stream()
                .filter(running -> seesJob.test(running.id()))
                .toList();
    }

    @Override
    public @Nullable Instant runningSince() {
        return null;
    }

    @Override
    public List<Retries> retries() {
        return List.of();
    }

    @Override
    public List<Retries> liveRetries() {
        return List.of();
    }

    @Override
    public List<Failures> failures() {
        return List.of();
    }

    @Override
    public @Nullable Instant trendSince() {
        return null;
    }

    @Override
    public List<Unserved> unserved() {
        return all.unserved().stream()
                .filter(queue -> access.sees(queue.queue()))
                .toList();
    }

    @Override
    public List<Unhandled> unhandled() {
        return List.of();
    }

    @Override
    public Waits waits() {
        return new Waits(0, null);
    }

    @Override
    public ScheduleCounts schedules() {
        return new ScheduleCounts(0, 0, null);
    }

    @Override
    public List<Stuck> stuck() {
        return all.stuck().stream()
                .filter(stuck -> workers.contains(stuck.worker()))
                .toList();
    }
}
