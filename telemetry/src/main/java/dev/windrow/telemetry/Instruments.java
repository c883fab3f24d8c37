package dev.windrow.telemetry;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.DoubleHistogram;
import io.opentelemetry.api.metrics.LongCounter;
import io.opentelemetry.api.metrics.Meter;
import java.util.List;

/** The metrics of OpenTelemetry's conventions for messaging. */
final class Instruments {
    /** The buckets of the conventions in seconds, and longer ones, because handlers may run for an hour. */
    private static final List<Double> SECONDS =
            List.of(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 120.0, 600.0, 3600.0);

    private final DoubleHistogram process;
    private final DoubleHistogram operation;
    private final LongCounter sent;
    private final LongCounter consumed;

    Instruments(OpenTelemetry telemetry, String scope) {
        Meter meter = telemetry.getMeter(scope);
        this.process = meter.histogramBuilder(MessagingKeys.PROCESS_DURATION)
                .setUnit("s")
                .setDescription(
                        "How long attempts took, from the beginning of their slot's work to the end of the handler.")
                .setExplicitBucketBoundariesAdvice(SECONDS)
                .build();
        this.operation = meter.histogramBuilder(MessagingKeys.OPERATION_DURATION)
                .setUnit("s")
                .setDescription("How long enqueues took, their commits included.")
                .setExplicitBucketBoundariesAdvice(SECONDS)
                .build();
        this.sent = meter.counterBuilder(MessagingKeys.SENT)
                .setUnit("{message}")
                .setDescription("How many jobs callers tried to enqueue.")
                .build();
        this.consumed = meter.counterBuilder(MessagingKeys.CONSUMED)
                .setUnit("{message}")
                .setDescription("How many attempts began.")
                .build();
    }

    void enqueued(Attributes attributes, int jobs, long nanos) {
        sent.add(jobs, attributes);
        operation.record(seconds(nanos), attributes);
    }

    void began(Attributes attributes) {
        consumed.add(1, attributes);
    }

    void ran(Attributes attributes, long nanos) {
        process.record(seconds(nanos), attributes);
    }

    private static double seconds(long nanos) {
        return nanos / 1e9;
    }
}
