package dev.windrow.tests.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import dev.windrow.JobRef;
import dev.windrow.JobType;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.payload.Json;
import dev.windrow.sqlite.SqliteStore;
import dev.windrow.telemetry.WindrowTracing;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Spans reach a collector over OpenTelemetry's own protocol, on each store. */
class OtlpTest {
    private static final JobType<Json, Json> WORK = JobType.raw("work");

    @TempDir
    Path folder;

    @Test
    void aCollectorReceivesTheSpansOfAJob() throws Exception {
        List<String> received = new CopyOnWriteArrayList<>();
        HttpServer collector = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        collector.createContext("/v1/traces", exchange -> {
            // The texts in Protocol Buffers are readable.
            received.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.ISO_8859_1));
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        collector.start();
        OtlpHttpSpanExporter exporter = OtlpHttpSpanExporter.builder()
                .setEndpoint("http://127.0.0.1:" + collector.getAddress().getPort() + "/v1/traces")
                .build();
        try (OpenTelemetrySdk telemetry = OpenTelemetrySdk.builder()
                        .setTracerProvider(SdkTracerProvider.builder()
                                .addSpanProcessor(SimpleSpanProcessor.create(exporter))
                                .build())
                        .build();
                Windrow windrow = Windrow.configure(SqliteStore.at(folder.resolve("jobs.db")))
                        .tracing(WindrowTracing.of(telemetry))
                        .open();
                Worker worker =
                        windrow.worker().handle(WORK, (input, job) -> input).start()) {
            JobRef<Json> job = windrow.enqueue(WORK, new Json("1"));
            assertThat(windrow.await(job, Duration.ofSeconds(60)))
                    .as(worker.name())
                    .isNotNull();
            await().atMost(Duration.ofSeconds(60))
                    .untilAsserted(() -> assertThat(String.join("\n", received))
                            .contains(
                                    "enqueue default",
                                    "run default",
                                    "messaging.destination.name",
                                    "windrow.job.type"));
        } finally {
            collector.stop(0);
        }
    }
}
