package dev.windrow.telemetry;

import dev.windrow.TimeSource;
import dev.windrow.Windrow;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The metrics of a {@link Windrow} for Micrometer: gauges of the whole store, and counters and timers of this process.
 * Safe for use by many threads.
 *
 * <pre>{@code
 * new WindrowMetrics(windrow).bindTo(registry);
 * }</pre>
 *
 * <p>The gauges of the store are read at most once in 10 s for all scrapes, on a separate thread. A scrape waits for
 * them for a second at most, and after that gets the previous ones. They disappear when they are two minutes old.
 * Counters and timers begin at zero when this is bound.
 *
 * <p>Tags have few values by design: states, outcomes, and the names of queues and types. The first 100 queues and the
 * first 100 types have their names, all others are {@code other}. A tag never contains a job or a text. The names of
 * all metrics are in the guide to telemetry.
 */
public final class WindrowMetrics implements MeterBinder, AutoCloseable {
    private final Windrow windrow;
    private final Numbers numbers;
    private final List<StoreGauges> gauges = new CopyOnWriteArrayList<>();
    private final List<EventMeters> meters = new CopyOnWriteArrayList<>();

    /** Creates the metrics of this Windrow, by the machine's clocks. */
    public WindrowMetrics(Windrow windrow) {
        this(windrow, TimeSource.system());
    }

    /**
     * Creates the metrics of this Windrow.
     *
     * @param time the clock for the ages of numbers: the clock of the {@link Windrow}
     */
    public WindrowMetrics(Windrow windrow, TimeSource time) {
        this.windrow = Objects.requireNonNull(windrow, "windrow");
        this.numbers = new Numbers(windrow, time, reading -> gauges.forEach(each -> each.show(reading)));
    }

    /** Registers all metrics. Waits for the first numbers of the store for a second at most. */
    @Override
    public void bindTo(MeterRegistry registry) {
        EventMeters counting = new EventMeters(registry);
        meters.add(counting);
        windrow.monitor().addListener(counting);
        StoreGauges showing = new StoreGauges(registry, numbers);
        gauges.add(showing);
        Numbers.Reading there = numbers.get();
        if (there != null) {
            showing.show(there);
        }
    }

    /**
     * Removes all metrics from the registries to which they were bound. Call it before the {@link Windrow} is closed,
     * or not at all.
     */
    @Override
    public void close() {
        numbers.close();
        meters.forEach(each -> {
            windrow.monitor().removeListener(each);
            each.close();
        });
        gauges.forEach(StoreGauges::close);
    }
}
