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
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The state of the whole store at a glance, with problems first. It is read at most once a second, however many clients poll. */
final class Overview {
    private static final Duration OVERDUE = Duration.ofMinutes(1);

    private record Snapshot(
            long at,
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

    Overview(Windrow windrow) {
        this.windrow = windrow;
    }

    Windrow windrow() {
        return windrow;
    }

    private Snapshot snapshot() {
        lock.lock();
        try {
            Snapshot snapshot = last;
            if (snapshot == null || System.nanoTime() - snapshot.at >= TimeUnit.SECONDS.toNanos(1)) {
                Monitor monitor = windrow.monitor();
                snapshot = new Snapshot(
                        /* at= */ System.nanoTime(),
                        /* statistics= */ monitor.statistics(),
                        /* throughput= */ monitor.throughput(),
                        /* limits= */ windrow.limits(),
                        /* rules= */ windrow.retention().rules(),
                        /* lastRun= */ windrow.retention().lastRun(),
                        /* workers= */ monitor.workers(),
                        /* health= */ monitor.health());
                last = snapshot;
            }
            return snapshot;
        } finally {
            lock.unlock();
        }
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
        JsonObject json = new JsonObject().put("problems", problems(s, access));
        if (access.queues() == null) {
            json.putAll(MonitorJson.statistics(s.statistics))
                    .putAll(MonitorJson.throughputInAll(s.throughput))
                    .list("limits", s.limits, LimitJson::limits)
                    .put("retention", RetentionJson.summary(s.rules, s.lastRun));
        } else {
            json.putAll(MonitorJson.statistics(visible(access, s.statistics, s.workers)))
                    .list("limits", Visible.limits(access, s.limits), LimitJson::limits);
        }
        return json.putAll(MonitorJson.workers(Visible.partsOf(
                access, windrow, s.workers.stream().filter(WorkerInfo::alive).toList())));
    }

    Statistics visible(Access access, Statistics statistics, List<WorkerInfo> workers) {
        return access.queues() == null
                ? statistics
                : new VisibleStatistics(statistics, access, workers, id -> Visible.sees(access, windrow, id));
    }

    private List<JsonObject> problems(Snapshot s, Access access) {
        List<JsonObject> problems = new ArrayList<>();
        for (Health.Task task : s.health.tasks()) {
            if (!task.isOk() && access.queues() == null) {
                problems.add(problem("background-task", task.name()).put("detail", task.problem()));
            }
        }
        Statistics statistics = visible(access, s.statistics, s.workers);
        for (Statistics.Unhandled type : statistics.unhandled()) {
            problems.add(problem("unhandled-type", type.type())
                    .put("count", type.count())
                    .put("similar", type.similar()));
        }
        for (Statistics.Unserved queue : statistics.unserved()) {
            problems.add(problem("unserved-queue", queue.queue()).put("count", queue.count()));
        }
        for (Statistics.Stuck stuck : statistics.stuck()) {
            problems.add(problem("stuck-handlers", stuck.worker()).put("count", stuck.slots()));
        }
        for (WorkerInfo worker : Visible.workers(access, s.workers)) {
            if (!worker.alive() && worker.holdsJobs()) {
                problems.add(problem("dead-worker", worker.name()).put("heartbeatAt", worker.heartbeatAt()));
            }
        }
        Long overdue = statistics.schedules().overdueMillis();
        if (overdue != null && overdue > OVERDUE.toMillis()) {
            problems.add(problem("overdue-schedule", null).put("overdueMillis", overdue));
        }
        for (Limits limits : Visible.limits(access, s.limits)) {
            if (limits.isPaused()) {
                problems.add(problem("paused", limits.target().toString()).put("limits", LimitJson.limits(limits)));
            } else if (isFull(limits, statistics)) {
                problems.add(problem("full", limits.target().toString()).put("limits", LimitJson.limits(limits)));
            }
        }
        return problems;
    }

    private static JsonObject problem(String word, @Nullable String subject) {
        return new JsonObject().put("problem", word).put("subject", subject);
    }

    /** True if a queue or a type runs as many jobs as its limit allows, while others are ready. */
    private static boolean isFull(Limits limits, Statistics statistics) {
        Integer max = limits.maxRunning();
        LimitTarget target = limits.target();
        return max != null
                && (target.kind() == LimitTarget.Kind.QUEUE
                        ? statistics.queues().stream()
                                .anyMatch(queue -> queue.queue().equals(target.name())
                                        && queue.states().getOrDefault(JobState.RUNNING, 0L) >= max
                                        && queue.states().getOrDefault(JobState.PENDING, 0L) > 0)
                        : statistics.types().stream()
                                .anyMatch(type -> target.kind() == LimitTarget.Kind.TYPE
                                        && type.type().equals(target.name())
                                        && type.states().getOrDefault(JobState.RUNNING, 0L) >= max
                                        && type.states().getOrDefault(JobState.PENDING, 0L) > 0));
    }
}
