package dev.windrow.dashboard;

import dev.windrow.JobState;
import dev.windrow.Windrow;
import dev.windrow.limit.LimitTarget;
import dev.windrow.limit.Limits;
import dev.windrow.monitor.Health;
import dev.windrow.monitor.Monitor;
import dev.windrow.monitor.Statistics;
import dev.windrow.monitor.Throughput;
import dev.windrow.monitor.WorkerInfo;
import dev.windrow.retention.RetentionRules;
import dev.windrow.retention.RetentionRun;
import dev.windrow.wire.JsonObject;
import dev.windrow.wire.LimitJson;
import dev.windrow.wire.MonitorJson;
import dev.windrow.wire.RetentionJson;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The state of the whole store at a glance, with problems first. It is read at most once a second, however many clients poll, and less
 * often if that takes long; and again after a change by a client. Its length has a bound, whatever the number of queues and types.
 */
final class Overview {
    private static final Duration OVERDUE = Duration.ofMinutes(1);
    /** The most queues, types, and keys with a limit. Others are found by their names. */
    private static final int MOST = 200;
    /** The most problems of one kind. Others are counted. */
    private static final int MOST_PROBLEMS = 20;

    /** @param until the time at which it is too old to be used again, in nanoseconds */
    private record Snapshot(
            long at,
            long until,
            Statistics statistics,
            Throughput throughput,
            List<Limits> limits,
            RetentionRules rules,
            Optional<RetentionRun> lastRun,
            List<WorkerInfo> workers,
            Health health) {}

    private record Rendered(long at, String text) {}

    private final Windrow windrow;
    private final ReentrantLock lock = new ReentrantLock();
    // Guarded by lock.
    private @Nullable Snapshot last;
    /** The text for senders that see all queues, and the time of its snapshot: many clients poll it. */
    private volatile @Nullable Rendered rendered;

    /** The time of the last change by a client. A snapshot from before it is not used again: who makes a change wants to see it. */
    private volatile long changedAt = System.nanoTime();

    Overview(Windrow windrow) {
        this.windrow = windrow;
    }

    /** Says that a client has made a change, or has tried to. */
    void changed() {
        changedAt = System.nanoTime();
    }

    Windrow windrow() {
        return windrow;
    }

    private Snapshot snapshot() {
        lock.lock();
        try {
            Snapshot snapshot = last;
            if (snapshot == null || System.nanoTime() - snapshot.until >= 0 || snapshot.at - changedAt < 0) {
                snapshot = read();
                last = snapshot;
            }
            return snapshot;
        } finally {
            lock.unlock();
        }
    }

    /** Reads a snapshot. One that took long is used for longer, so that a store of 100,000 types, which takes a second, is not read all the time. */
    private Snapshot read() {
        long at = System.nanoTime();
        Monitor monitor = windrow.monitor();
        Statistics statistics = monitor.statistics();
        Throughput throughput = monitor.throughput();
        List<Limits> limits = windrow.limits();
        List<WorkerInfo> workers = monitor.workers();
        long took = System.nanoTime() - at;
        return new Snapshot(
                /* at= */ at,
                /* until= */ at + Math.max(TimeUnit.SECONDS.toNanos(1), 3 * took),
                /* statistics= */ statistics,
                /* throughput= */ throughput,
                /* limits= */ limits,
                /* rules= */ windrow.retention().rules(),
                /* lastRun= */ windrow.retention().lastRun(),
                /* workers= */ workers,
                /* health= */ monitor.health());
    }

    /** Returns the overview for a sender as JSON. */
    String text(Access access) {
        Snapshot snapshot = snapshot();
        if (access.queues() != null) {
            return json(snapshot, access).toString();
        }
        Rendered last = rendered;
        if (last == null || last.at != snapshot.at) {
            last = new Rendered(snapshot.at, json(snapshot, access).toString());
            rendered = last;
        }
        return last.text;
    }

    private JsonObject json(Snapshot s, Access access) {
        StatisticsPart part = part(s, access, "", MOST);
        JsonObject json = problems(s, access).json().putAll(MonitorJson.statistics(part));
        if (access.queues() == null) {
            json.putAll(MonitorJson.throughputInAll(s.throughput))
                    .put("retention", RetentionJson.summary(s.rules, s.lastRun));
        }
        return json.list("limits", part.limits(), LimitJson::limits)
                .put("queuesInAll", part.queuesInAll())
                .put("typesInAll", part.typesInAll())
                .put("keysInAll", part.keysInAll())
                .putAll(MonitorJson.workers(Visible.partsOf(
                        access,
                        windrow,
                        s.workers.stream()
                                .filter(WorkerInfo::alive)
                                .map(VisibleWorker::brief)
                                .toList())));
    }

    private StatisticsPart part(Snapshot s, Access access, String find, int most) {
        return new StatisticsPart(
                visible(access, s.statistics, s.workers), Visible.limits(access, s.limits), find, most);
    }

    /** Returns the statistics of the whole store. */
    Statistics statistics() {
        return snapshot().statistics;
    }

    /** Returns the queues with a text in their names. */
    JsonObject queues(Access access, String find, int most) {
        StatisticsPart part = part(snapshot(), access, find, most);
        return MonitorJson.queues(part)
                .list("limits", limits(part, LimitTarget.Kind.QUEUE), LimitJson::limits)
                .put("queuesInAll", part.queuesInAll());
    }

    /** Returns the types with a text in their names. */
    JsonObject types(Access access, String find, int most) {
        StatisticsPart part = part(snapshot(), access, find, most);
        return MonitorJson.types(part)
                .list("limits", limits(part, LimitTarget.Kind.TYPE), LimitJson::limits)
                .put("typesInAll", part.typesInAll());
    }

    private static List<Limits> limits(StatisticsPart part, LimitTarget.Kind kind) {
        return part.limits().stream()
                .filter(limit -> limit.target().kind() == kind)
                .toList();
    }

    Statistics visible(Access access, Statistics statistics, List<WorkerInfo> workers) {
        return access.queues() == null
                ? statistics
                : new VisibleStatistics(statistics, access, workers, id -> Visible.sees(access, windrow, id));
    }

    private StoreProblems problems(Snapshot s, Access access) {
        StoreProblems problems = new StoreProblems(MOST_PROBLEMS);
        for (Health.Task task : s.health.tasks()) {
            if (!task.isOk() && access.queues() == null) {
                problems.add("background-task", task.name(), json -> json.put("detail", task.problem()));
            }
        }
        Statistics statistics = visible(access, s.statistics, s.workers);
        addUnattended(problems, statistics, s.workers.stream().anyMatch(WorkerInfo::alive));
        for (Statistics.Stuck stuck : statistics.stuck()) {
            problems.add("stuck-handlers", stuck.worker(), json -> json.put("count", stuck.slots()));
        }
        for (WorkerInfo worker : Visible.workers(access, s.workers)) {
            if (!worker.alive() && worker.holdsJobs()) {
                problems.add("dead-worker", worker.name(), json -> json.put("heartbeatAt", worker.heartbeatAt()));
            }
        }
        Long overdue = statistics.schedules().overdueMillis();
        if (overdue != null && overdue > OVERDUE.toMillis()) {
            problems.add("overdue-schedule", null, json -> json.put("overdueMillis", overdue));
        }
        List<Limits> limits = Visible.limits(access, s.limits);
        Set<LimitTarget> full = full(limits, statistics);
        for (Limits limit : limits) {
            LimitTarget target = limit.target();
            if (limit.isPaused() || full.contains(target)) {
                problems.add(
                        limit.isPaused() ? "paused" : "full",
                        target.toString(),
                        json -> json.put("limits", LimitJson.limits(limit)));
            }
        }
        return problems;
    }

    /** Adds the queues and types with ready jobs that no live worker takes; without any live worker one problem in place of all of them. */
    private static void addUnattended(StoreProblems problems, Statistics statistics, boolean isAnyAlive) {
        List<Statistics.Unserved> unserved = statistics.unserved();
        if (!isAnyAlive && !unserved.isEmpty()) {
            long ready = unserved.stream().mapToLong(Statistics.Unserved::count).sum();
            problems.add("no-worker", null, json -> json.put("count", ready));
            return;
        }
        statistics.unhandled().stream()
                .sorted(Comparator.comparingLong(Statistics.Unhandled::count).reversed())
                .forEach(type -> problems.add(
                        "unhandled-type",
                        type.type(),
                        json -> json.put("count", type.count()).put("similar", type.similar())));
        unserved.stream()
                .sorted(Comparator.comparingLong(Statistics.Unserved::count).reversed())
                .forEach(queue ->
                        problems.add("unserved-queue", queue.queue(), json -> json.put("count", queue.count())));
    }

    /** Returns the queues and types that run as many jobs as their limits allow, while others are ready. */
    private static Set<LimitTarget> full(List<Limits> limits, Statistics statistics) {
        Map<LimitTarget, Integer> most = new HashMap<>();
        for (Limits limit : limits) {
            if (limit.maxRunning() != null) {
                most.put(limit.target(), limit.maxRunning());
            }
        }
        Set<LimitTarget> full = new HashSet<>();
        if (!most.isEmpty()) {
            statistics
                    .queues()
                    .forEach(queue -> addIfFull(LimitTarget.queue(queue.queue()), queue.states(), most, full));
            statistics.types().forEach(type -> addIfFull(LimitTarget.type(type.type()), type.states(), most, full));
        }
        return full;
    }

    private static void addIfFull(
            LimitTarget target, Map<JobState, Long> states, Map<LimitTarget, Integer> most, Set<LimitTarget> full) {
        Integer max = most.get(target);
        if (max != null
                && states.getOrDefault(JobState.RUNNING, 0L) >= max
                && states.getOrDefault(JobState.PENDING, 0L) > 0) {
            full.add(target);
        }
    }
}
