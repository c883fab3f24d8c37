package dev.windrow.tests.telemetry;

import dev.windrow.JobFailure;
import dev.windrow.JobRef;
import dev.windrow.JobType;
import dev.windrow.RetryPolicy;
import dev.windrow.Windrow;
import dev.windrow.monitor.WindrowEvent;
import dev.windrow.payload.Json;
import dev.windrow.payload.Metadata;
import dev.windrow.telemetry.WindrowTracing;
import dev.windrow.tests.stores.Target;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/** A process that logs at every point where Windrow calls it: in a handler, after the commit, in a listener. */
public final class ContextLogger {
    private static final Logger log = LoggerFactory.getLogger(ContextLogger.class);
    private static final JobType<Json, Json> WORK = JobType.raw("work");

    private ContextLogger() {}

    /** Runs jobs. Arguments: the place of the jobs, and whether they are traced. */
    public static void main(String... args) throws Exception {
        OpenTelemetrySdk telemetry = OpenTelemetrySdk.builder()
                .setTracerProvider(SdkTracerProvider.builder()
                        .addSpanProcessor(SimpleSpanProcessor.create(InMemorySpanExporter.create()))
                        .build())
                .build();
        Windrow.Builder builder = Windrow.configure(Target.of(args[0]).newStore())
                .metadataInLogs("customer", "missing")
                .listener(event -> {
                    if (event instanceof WindrowEvent.AttemptEnded ended) {
                        log.info("told {}", ended.outcome());
                    }
                });
        if (args[1].equals("traced")) {
            builder.tracing(WindrowTracing.of(telemetry));
        }
        try (Windrow windrow = builder.open()) {
            JobRef<Json> job = windrow.enqueue(WORK.job(new Json("1"))
                    .withRetry(RetryPolicy.fixed(Duration.ofMillis(1)))
                    .withMetadata(Metadata.none().with("customer", "4\n2").with("secret", "s"))
                    .withTraceparent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"));
            try (var worker = windrow.worker()
                    .name("w")
                    .concurrency(1)
                    .handle(WORK, (input, context) -> {
                        log.info("handles {}", context.attempt());
                        // The next handler must not see this entry.
                        MDC.put("left", "behind");
                        if (context.attempt() == 1) {
                            throw JobFailure.retryable("TRY:AGAIN", null);
                        }
                        context.afterCommit(() -> log.info("after the commit"));
                        return input;
                    })
                    .start()) {
                windrow.await(job, Duration.ofSeconds(60));
                log.info("{} is done", worker.name());
            }
        }
        System.out.println("END");
    }
}
