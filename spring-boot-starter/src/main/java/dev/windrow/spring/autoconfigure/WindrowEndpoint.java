package dev.windrow.spring.autoconfigure;

import dev.windrow.JobState;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.monitor.Health.Task;
import dev.windrow.monitor.Statistics;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/** The endpoint {@code windrow} of the actuator: an overview of the jobs, without any payload. It changes nothing. */
@Endpoint(id = "windrow")
public final class WindrowEndpoint {
    private final Windrow windrow;
    private final ObjectProvider<WindrowWorkerLifecycle> worker;

    WindrowEndpoint(Windrow windrow, ObjectProvider<WindrowWorkerLifecycle> worker) {
        this.windrow = windrow;
        this.worker = worker;
    }

    /** Returns the numbers of jobs, the queues, the workers, the schedules and the problems. */
    @ReadOperation
    public Map<String, @Nullable Object> windrow() {
        Statistics statistics = windrow.monitor().statistics();
        Map<String, @Nullable Object> answer = new LinkedHashMap<>();
        answer.put("location", windrow.location());
        answer.put("problems", problems());
        answer.put("jobs", byName(statistics.states()));
        answer.put(
                "queues",
                statistics.queues().stream().map(WindrowEndpoint::queue).toList());
        answer.put("worker", worker());
        answer.put(
                "workers",
                windrow.monitor().workers().stream()
                        .map(info -> Map.of("name", info.name(), "queues", List.copyOf(info.queues())))
                        .toList());
        answer.put("schedules", schedules(statistics.schedules()));
        answer.put(
                "unhandledTypes",
                statistics.unhandled().stream()
                        .map(type -> Map.of("type", type.type(), "count", type.count()))
                        .toList());
        answer.put(
                "failures",
                statistics.failures().stream()
                        .map(failure -> Map.of("errorCode", failure.errorCode(), "count", failure.count()))
                        .toList());
        return answer;
    }

    private List<Map<String, Object>> problems() {
        List<Map<String, Object>> problems = new ArrayList<>();
        for (Task task : windrow.monitor().health().tasks()) {
            String problem = task.problem();
            if (problem != null) {
                problems.add(Map.of("task", task.name(), "problem", problem));
            }
        }
        return problems;
    }

    private static Map<String, Long> byName(Map<JobState, Long> states) {
        Map<String, Long> counts = new LinkedHashMap<>();
        states.forEach((state, count) -> counts.put(state.name(), count));
        return counts;
    }

    private static Map<String, @Nullable Object> queue(Statistics.OfQueue queue) {
        Map<String, @Nullable Object> part = new LinkedHashMap<>();
        part.put("queue", queue.queue());
        part.put("paused", queue.paused());
        part.put("lagMillis", queue.lagMillis());
        part.put("jobs", byName(queue.states()));
        return part;
    }

    /** Returns the worker of this process; null if it has none. */
    private @Nullable Map<String, Object> worker() {
        WindrowWorkerLifecycle lifecycle = worker.getIfAvailable();
        Worker running = lifecycle == null ? null : lifecycle.worker();
        if (running == null) {
            return null;
        }
        Worker.Totals totals = running.totals();
        Map<String, Object> part = new LinkedHashMap<>();
        part.put("name", running.name());
        part.put("queues", running.queues().stream().sorted().toList());
        part.put("types", running.types().stream().sorted().toList());
        part.put("completed", totals.completed());
        part.put("failed", totals.failed());
        part.put("retried", totals.retried());
        return part;
    }

    private static Map<String, @Nullable Object> schedules(Statistics.ScheduleCounts counts) {
        Map<String, @Nullable Object> part = new LinkedHashMap<>();
        part.put("count", counts.count());
        part.put("paused", counts.paused());
        part.put("overdueMillis", counts.overdueMillis());
        return part;
    }
}
