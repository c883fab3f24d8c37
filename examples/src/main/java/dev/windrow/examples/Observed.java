package dev.windrow.examples;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;

import dev.windrow.ChainRef;
import dev.windrow.JobChain;
import dev.windrow.JobContext;
import dev.windrow.JobFailure;
import dev.windrow.JobType;
import dev.windrow.RetryPolicy;
import dev.windrow.Store;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.telemetry.WindrowMetrics;
import dev.windrow.telemetry.WindrowTracing;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Metrics and traces of one order. They show the request that takes it, the job that charges it, and the job that sends it. The charge fails once and
 * is retried. An application would have its own registry and SDK, which report to Prometheus and a collector. Here they are printed.
 */
public final class Observed {
    static final JobType<String, String> CHARGE =
            JobType.of("order.charge", String.class, String.class).withRetry(RetryPolicy.fixed(ofMillis(10)));
    static final JobType<String, String> SEND = JobType.of("order.send", String.class, String.class);
    static final JobChain<String, String> ORDER = JobChain.of(CHARGE, SEND);

    private Observed() {}

    /** The observations: the names of all spans of the order's trace, and the numbers of successful and failed attempts. */
    record Seen(List<String> spans, long succeeded, long failed) {}

    /** Runs it, with its jobs in a new file, or in the store that the argument names. */
    public static void main(String... args) throws Exception {
        System.out.println(run(Place.store(args)));
    }

    static Seen run(Store store) {
        Printer printer = new Printer();
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        String trace;
        try (OpenTelemetrySdk telemetry = OpenTelemetrySdk.builder()
                        .setTracerProvider(SdkTracerProvider.builder()
                                .addSpanProcessor(SimpleSpanProcessor.create(printer))
                                .build())
                        .build();
                Windrow windrow = Windrow.configure(store)
                        .tracing(WindrowTracing.of(telemetry).namedByType())
                        .open()) {
            new WindrowMetrics(windrow).bindTo(registry);
            Span request =
                    telemetry.getTracer("shop").spanBuilder("POST /orders").startSpan();
            trace = request.getSpanContext().getTraceId();
            // The current span is the parent of the span of the enqueue, and that is the parent of the attempts.
            ChainRef<String> order = Context.current()
                    .with(request)
                    .wrapSupplier(() -> windrow.enqueue(ORDER, "a printer"))
                    .get();
            request.end();
            try (Worker worker = windrow.worker()
                    .handle(CHARGE, Observed::charge)
                    .handle(SEND, (what, job) -> what + " is on its way")
                    .start()) {
                System.out.println(worker.name() + ": " + windrow.awaitChain(order, ofSeconds(30)));
            }
        }
        return new Seen(printer.ofTrace(trace), attempts(registry, "SUCCEEDED"), attempts(registry, "FAILED"));
    }

    private static String charge(String what, JobContext job) {
        if (job.attempt() == 1) {
            throw JobFailure.retryable("PROVIDER:BUSY", "the provider wants to be asked again");
        }
        job.continueWith(SEND.job(what));
        return "charged";
    }

    private static long attempts(SimpleMeterRegistry registry, String outcome) {
        return registry.find("windrow.attempt.run").tag("outcome", outcome).timers().stream()
                .mapToLong(timer -> timer.count())
                .sum();
    }

    /** The exporter that prints spans when they have ended, in place of a collector. */
    private static final class Printer implements SpanExporter {
        private final List<SpanData> ended = new CopyOnWriteArrayList<>();

        @Override
        public CompletableResultCode export(Collection<SpanData> spans) {
            for (SpanData span : spans) {
                ended.add(span);
                System.out.printf(
                        "span %s %-18s of %s, parent %s, links %d, %s%n",
                        span.getSpanId(),
                        span.getName(),
                        span.getTraceId(),
                        span.getParentSpanId(),
                        span.getLinks().size(),
                        span.getStatus().getStatusCode());
            }
            return CompletableResultCode.ofSuccess();
        }

        @Override
        public CompletableResultCode flush() {
            return CompletableResultCode.ofSuccess();
        }

        @Override
        public CompletableResultCode shutdown() {
            return CompletableResultCode.ofSuccess();
        }

        List<String> ofTrace(String trace) {
            return ended.stream()
                    .filter(span -> span.getTraceId().equals(trace))
                    .map(SpanData::getName)
                    .sorted()
                    .toList();
        }
    }
}
