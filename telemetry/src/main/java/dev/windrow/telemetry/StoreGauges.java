package dev.windrow.telemetry;

import dev.windrow.JobState;
import dev.windrow.monitor.Statistics;
import dev.windrow.monitor.WorkerInfo;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Shows the numbers of the whole store in one registry. A queue, type or code gets its gauges when it is first seen. If
 * it does not exist any more, its gauges are zero.
 */
final class StoreGauges {
    private final MeterRegistry registry;
    private final Numbers numbers;
    private final TagValues queues = new TagValues();
    private final TagValues types = new TagValues();
    private final TagValues codes = new TagValues();
    private final Map<Meter.Id, Meter> made = new ConcurrentHashMap<>();
    /** The gauges with tags that were created already. */
    private final Map<Cell, Boolean> cells = new ConcurrentHashMap<>();

    /** The values of the newest reading. */
    private volatile Map<Cell, Double> values = Map.of();

    /**
     * One gauge of a name.
     *
     * @param name the metric
     * @param tags the queue, type or code of the gauge
     */
    private record Cell(String name, Tags tags) {}

    StoreGauges(MeterRegistry registry, Numbers numbers) {
        this.registry = registry;
        this.numbers = numbers;
        of(
                MetricNames.WAITS,
                "Jobs that wait for an event or external completion and have a time-out",
                s -> s.waits().count());
        of(MetricNames.SCHEDULES, "Schedules", s -> s.schedules().count());
        of(
                MetricNames.SCHEDULES_PAUSED,
                "Schedules that are paused",
                s -> s.schedules().paused());
        of(
                MetricNames.WORKERS_STUCK,
                "Slots of live workers whose handlers do not end",
                s -> s.stuck().stream().mapToInt(Statistics.Stuck::slots).sum());
        seconds(
                MetricNames.SCHEDULES_OVERDUE,
                "How long the longest waiting schedule has been due; 0 if none is due",
                reading -> millis(reading.statistics().schedules().overdueMillis()));
        seconds(
                MetricNames.RUNNING_OLDEST,
                "How long the longest running job has been running; 0 if none runs",
                StoreGauges::oldestRunning);
        workers(MetricNames.WORKERS, "Live workers", worker -> 1);
        workers(MetricNames.WORKERS_SLOTS, "Slots of live workers", WorkerInfo::slots);
        workers(MetricNames.WORKERS_BUSY, "Slots of live workers that run a handler", WorkerInfo::busy);
        keep(TimeGauge.builder(MetricNames.STATISTICS_AGE, numbers::ageSeconds, TimeUnit.SECONDS)
                .description("How old the numbers of the store are")
                .register(registry));
        gauge(
                MetricNames.HEALTH,
                "1 if all background tasks of this process make progress, else 0",
                () -> numbers.health().isOk() ? 1 : 0);
        gauge(
                MetricNames.HEALTH_FAILING,
                "Background tasks of this process without progress",
                () -> numbers.health().tasks().stream()
                        .filter(task -> !task.isOk())
                        .count());
    }

    /** Creates the missing gauges, and sets all gauges to this reading. */
    void show(Numbers.Reading reading) {
        Statistics statistics = reading.statistics();
        Map<Cell, Double> next = new HashMap<>();
        for (Statistics.OfQueue queue : statistics.queues()) {
            String name = queues.of(queue.queue());
            states(next, MetricNames.JOBS, Tags.of(MetricNames.QUEUE, name), queue.states());
            Tags tags = Tags.of(MetricNames.QUEUE, name);
            next.merge(new Cell(MetricNames.QUEUE_LAG, tags), millis(queue.lagMillis()) / 1000, Math::max);
            next.merge(new Cell(MetricNames.QUEUE_PAUSED, tags), queue.paused() ? 1.0 : 0.0, Math::max);
        }
        for (Statistics.OfType type : statistics.types()) {
            states(next, MetricNames.TYPE_JOBS, Tags.of(MetricNames.TYPE, types.of(type.type())), type.states());
        }
        for (Statistics.Unhandled type : statistics.unhandled()) {
            Tags tags = Tags.of(MetricNames.TYPE, types.of(type.type()));
            next.merge(new Cell(MetricNames.UNHANDLED, tags), (double) type.count(), Double::sum);
        }
        for (Statistics.Failures failures : statistics.failures()) {
            Tags tags = Tags.of(MetricNames.CODE, codes.of(failures.errorCode()));
            next.merge(new Cell(MetricNames.FAILED, tags), (double) failures.count(), Double::sum);
        }
        values = Map.copyOf(next);
        for (Cell cell : next.keySet()) {
            if (cells.putIfAbsent(cell, true) == null) {
                make(cell);
            }
        }
    }

    private static void states(Map<Cell, Double> into, String name, Tags tags, Map<JobState, Long> states) {
        states.forEach((state, count) ->
                into.merge(new Cell(name, tags.and(MetricNames.STATE, state.name())), (double) count, Double::sum));
    }

    private void make(Cell cell) {
        boolean lag = cell.name.equals(MetricNames.QUEUE_LAG);
        Supplier<Number> value = () -> numbers.get() == null ? Double.NaN : values.getOrDefault(cell, 0.0);
        keep(
                lag
                        ? TimeGauge.builder(cell.name, value, TimeUnit.SECONDS)
                                .description(description(cell.name))
                                .tags(cell.tags)
                                .register(registry)
                        : Gauge.builder(cell.name, value)
                                .description(description(cell.name))
                                .tags(cell.tags)
                                .register(registry));
    }

    private static String description(String name) {
        return switch (name) {
            case MetricNames.JOBS -> "Jobs of each queue by their states";
            case MetricNames.TYPE_JOBS -> "Jobs of each type by their states";
            case MetricNames.QUEUE_LAG ->
                "How long the oldest ready job of each queue has waited; 0 when none is ready";
            case MetricNames.QUEUE_PAUSED -> "1 if the whole queue is paused, else 0";
            case MetricNames.UNHANDLED -> "Ready jobs of types that no live worker handles";
            default -> "Jobs that are FAILED now, by error code; of the 20 most frequent codes";
        };
    }

    private void of(String name, String description, ToDoubleFunction<Statistics> value) {
        gauge(name, description, () -> told(reading -> value.applyAsDouble(reading.statistics())));
    }

    private void workers(String name, String description, ToDoubleFunction<WorkerInfo> value) {
        gauge(
                name,
                description,
                () -> told(reading -> reading.workers().stream()
                        .filter(WorkerInfo::alive)
                        .mapToDouble(value)
                        .sum()));
    }

    private void seconds(String name, String description, ToDoubleFunction<Numbers.Reading> millis) {
        keep(TimeGauge.builder(name, () -> told(millis), TimeUnit.MILLISECONDS)
                .description(description)
                .register(registry));
    }

    private void gauge(String name, String description, Supplier<Number> value) {
        keep(Gauge.builder(name, value).description(description).register(registry));
    }

    private double told(ToDoubleFunction<Numbers.Reading> value) {
        Numbers.Reading reading = numbers.get();
        return reading == null ? Double.NaN : value.applyAsDouble(reading);
    }

    private static double oldestRunning(Numbers.Reading reading) {
        Instant since = reading.statistics().runningSince();
        return since == null
                ? 0
                : Math.max(0, Duration.between(since, reading.at()).toMillis());
    }

    private static double millis(@Nullable Long millis) {
        return millis == null ? 0 : millis;
    }

    private void keep(Meter meter) {
        made.put(meter.getId(), meter);
    }

    void close() {
        made.values().forEach(registry::remove);
    }
}
