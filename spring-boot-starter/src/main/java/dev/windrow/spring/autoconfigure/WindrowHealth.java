package dev.windrow.spring.autoconfigure;

import dev.windrow.Durations;
import dev.windrow.Windrow;
import dev.windrow.monitor.Health.Task;
import dev.windrow.monitor.Statistics;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The health of Windrow, for the health indicators of both versions of Spring Boot. */
final class WindrowHealth {
    private final Windrow windrow;
    private final WindrowProperties.Health settings;

    WindrowHealth(Windrow windrow, WindrowProperties.Health settings) {
        this.windrow = windrow;
        this.settings = settings;
    }

    /**
     * A result.
     *
     * @param problems what is wrong, by name; empty if all is well
     * @param details more values, by name
     */
    record Result(Map<String, Object> problems, Map<String, Object> details) {
        boolean isUp() {
            return problems.isEmpty();
        }
    }

    Result check() {
        Map<String, Object> problems = new LinkedHashMap<>();
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("location", windrow.location());
        for (Task task : windrow.monitor().health().tasks()) {
            String problem = task.problem();
            if (problem != null) {
                problems.put(task.name(), problem);
            }
        }
        Duration maxLag = settings.maxLag();
        if (maxLag != null) {
            checkLag(maxLag, problems);
        }
        if (settings.requireWorker() && windrow.monitor().workers().isEmpty()) {
            problems.put("worker", "no process has a live worker");
        }
        return new Result(problems, details);
    }

    private void checkLag(Duration maxLag, Map<String, Object> problems) {
        for (Statistics.OfQueue queue : windrow.monitor().statistics().queues()) {
            @Nullable Long lag = queue.lagMillis();
            if (lag != null && lag > maxLag.toMillis()) {
                problems.put(
                        "queue " + queue.queue(),
                        "a ready job has waited for %s, more than %s"
                                .formatted(Durations.text(Duration.ofSeconds(lag / 1000)), Durations.text(maxLag)));
            }
        }
    }
}
