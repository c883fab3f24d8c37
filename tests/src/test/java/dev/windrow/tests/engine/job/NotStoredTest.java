package dev.windrow.tests.engine.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.ErrorCodes;
import dev.windrow.JobState;
import dev.windrow.StoreUnavailableException;
import dev.windrow.Windrow;
import dev.windrow.payload.Json;
import dev.windrow.telemetry.WindrowTracing;
import dev.windrow.tests.engine.EngineTest;
import dev.windrow.tests.engine.FaultyStore;
import dev.windrow.tests.stores.OnEachStore;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A trace distinguishes a result that could not be written from a job that was ended externally. */
@OnEachStore
class NotStoredTest extends EngineTest {
    private final InMemorySpanExporter spans = InMemorySpanExporter.create();

    private List<SpanData> runs() {
        return spans.getFinishedSpanItems().stream()
                .filter(span -> span.getKind() == SpanKind.CONSUMER)
                .toList();
    }

    @Test
    void aResultThatCannotBeWrittenIsNotReportedAsLost() {
        FaultyStore broken = new FaultyStore(newStore());
        OpenTelemetrySdk telemetry = OpenTelemetrySdk.builder()
                .setTracerProvider(SdkTracerProvider.builder()
                        .addSpanProcessor(SimpleSpanProcessor.create(spans))
                        .build())
                .build();
        Windrow traced = closing(Windrow.configure(broken)
                .time(time)
                .tracing(WindrowTracing.of(telemetry))
                .open());
        broken.stage =
                real -> part -> CompletableFuture.failedFuture(new StoreUnavailableException("the disk is full"));
        var job = traced.enqueue(ECHO, new Json("1"));
        start(traced.worker()
                .lease(LEASE)
                .handle(ECHO, (input, context) -> new Json("\"" + "x".repeat(Windrow.DEFAULT_INLINE_BYTES) + "\"")));
        runClockUntil(Duration.ofSeconds(2), () -> !runs().isEmpty());
        assertThat(runs().get(0).getAttributes().get(AttributeKey.stringKey("error.type")))
                .isEqualTo(ErrorCodes.NOT_STORED);
        assertThat(runs().get(0).getStatus().getDescription()).contains("the disk is full");
        broken.stage = real -> real;
        runClockUntil(Duration.ofSeconds(2), () -> state(job) == JobState.COMPLETED);
        until(() -> runs().size() == 2);
        assertThat(runs().get(1).getAttributes().get(AttributeKey.stringKey("error.type")))
                .isNull();
    }
}
