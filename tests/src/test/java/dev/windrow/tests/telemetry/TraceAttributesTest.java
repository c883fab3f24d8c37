package dev.windrow.tests.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.tuple;

import dev.windrow.JobContext;
import dev.windrow.JobFailure;
import dev.windrow.JobRef;
import dev.windrow.JobRequest;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.RetryPolicy;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.monitor.Tracing;
import dev.windrow.payload.Json;
import dev.windrow.payload.Metadata;
import dev.windrow.telemetry.WindrowTracing;
import dev.windrow.tests.stores.OnEachStore;
import dev.windrow.workflow.ParentPolicy;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.baggage.Baggage;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.data.HistogramPointData;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.testing.exporter.InMemoryMetricReader;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The attributes of spans and measurements, for every outcome of a job. */
@OnEachStore
class TraceAttributesTest extends TelemetryTest {
    private static final JobType<Json, Json> FIRST = JobType.raw("step.first");
    private static final JobType<Json, Json> NEXT = JobType.raw("step.next");
    private static final Json NONE = new Json("{}");
    private static final AttributeKey<String> ERROR = AttributeKey.stringKey("error.type");
    private static final AttributeKey<String> OUTCOME = AttributeKey.stringKey("windrow.job.outcome");

    private final InMemorySpanExporter spans = InMemorySpanExporter.create();
    private final InMemoryMetricReader meters = InMemoryMetricReader.create();

    private final OpenTelemetrySdk telemetry = OpenTelemetrySdk.builder()
            .setTracerProvider(SdkTracerProvider.builder()
                    .addSpanProcessor(SimpleSpanProcessor.create(spans))
                    .addSpanProcessor(new Parents())
                    .build())
            .setMeterProvider(
                    SdkMeterProvider.builder().registerMetricReader(meters).build())
            .build();

    /** The baggage of the parent context of each span. */
    private final List<Baggage> baggage = new CopyOnWriteArrayList<>();

    /** A processor that records the baggage. */
    private final class Parents implements SpanProcessor {
        @Override
        public void onStart(Context parent, ReadWriteSpan span) {
            baggage.add(Baggage.fromContext(parent));
        }

        @Override
        public boolean isStartRequired() {
            return true;
        }

        @Override
        public void onEnd(ReadableSpan span) {}

        @Override
        public boolean isEndRequired() {
            return false;
        }
    }

    private Windrow traced(Tracing tracing) {
        return closing(Windrow.configure(target.newStore()).tracing(tracing).open());
    }

    private Windrow traced() {
        return traced(WindrowTracing.of(telemetry));
    }

    private List<SpanData> named(String name) {
        return spans.getFinishedSpanItems().stream()
                .filter(span -> span.getName().equals(name))
                .toList();
    }

    private SpanData only(String name) {
        until(() -> named(name).size() == 1);
        return named(name).get(0);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void namedMetadataAreAttributesOfTheSpanOfAnAttempt(boolean batch) {
        Windrow windrow = closing(Windrow.configure(target.newStore())
                .tracing(WindrowTracing.of(telemetry))
                .metadataInLogs("customer", "order", "missing", "deep")
                .open());
        windrow.enqueue(FIRST.job(new Json("1"))
                .withMetadata(Metadata.parse("{\"customer\":42,\"order\":\"A-7\",\"deep\":[1],\"secret\":1}")));
        Worker.Builder worker = windrow.worker();
        closing((batch
                        ? worker.handleBatch(
                                FIRST, 10, Duration.ZERO, jobs -> jobs.get(0).complete(NONE))
                        : worker.handle(FIRST, (input, job) -> input))
                .start());
        SpanData run = only("run default");
        Map<String, String> found = new TreeMap<>();
        run.getAttributes().forEach((key, value) -> {
            if (key.getKey().contains("metadata")) {
                found.put(key.getKey(), String.valueOf(value));
            }
        });
        assertThat(found).isEqualTo(Map.of("windrow.metadata.customer", "42", "windrow.metadata.order", "A-7"));
    }

    private static Attributes common(String operation, String type) {
        return Attributes.builder()
                .put("messaging.system", "windrow")
                .put("messaging.operation.name", operation)
                .put("messaging.operation.type", type)
                .build();
    }

    private static Attributes links(LinkData link) {
        return link.getAttributes();
    }

    private static Attributes link(String kind, JobRef<?> job) {
        return Attributes.builder()
                .put("windrow.link.kind", kind)
                .put("windrow.link.job", Long.toString(job.id()))
                .build();
    }

    private MetricData metric(String name) {
        until(() -> meters.collectAllMetrics().stream()
                .anyMatch(metric -> metric.getName().equals(name)));
        return meters.collectAllMetrics().stream()
                .filter(metric -> metric.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void eachSpanHasItsAttributes() {
        Windrow windrow = traced();
        AtomicReference<String> worker = new AtomicReference<>();
        closing(windrow.worker()
                .queue("mail")
                .handle(FIRST, (input, job) -> {
                    worker.set(job.worker());
                    return input;
                })
                .start());
        JobRef<Json> job = windrow.enqueue(FIRST.job(NONE).withQueue("mail"));
        assertThat(only("enqueue mail").getAttributes().asMap())
                .isEqualTo(common("enqueue", "send").toBuilder()
                        .put("messaging.destination.name", "mail")
                        .put("messaging.message.id", Long.toString(job.id()))
                        .put("windrow.job.type", "step.first")
                        .build()
                        .asMap());
        assertThat(only("run mail").getAttributes().asMap())
                .isEqualTo(common("run", "process").toBuilder()
                        .put("messaging.destination.name", "mail")
                        .put("messaging.message.id", Long.toString(job.id()))
                        .put("messaging.client.id", worker.get())
                        .put("windrow.job.type", "step.first")
                        .put("windrow.job.attempt", 1L)
                        .put("windrow.job.outcome", "SUCCEEDED")
                        .build()
                        .asMap());
        Map<AttributeKey<?>, Object> enqueued = measured(common("enqueue", "send"));
        Map<AttributeKey<?>, Object> ran = measured(common("run", "process"));
        assertThat(metric("messaging.client.operation.duration")
                        .getHistogramData()
                        .getPoints())
                .extracting(point -> point.getAttributes().asMap())
                .containsExactly(enqueued);
        assertThat(metric("messaging.client.sent.messages").getLongSumData().getPoints())
                .extracting(point -> point.getAttributes().asMap())
                .containsExactly(enqueued);
        assertThat(metric("messaging.process.duration").getHistogramData().getPoints())
                .extracting(point -> point.getAttributes().asMap())
                .containsExactly(ran);
        assertThat(metric("messaging.client.consumed.messages").getLongSumData().getPoints())
                .extracting(point -> point.getAttributes().asMap())
                .containsExactly(ran);
    }

    /** Returns the attributes of measurements: queue and type, and no attribute with a separate value for each job. */
    private static Map<AttributeKey<?>, Object> measured(Attributes common) {
        return common.toBuilder()
                .put("messaging.destination.name", "mail")
                .put("windrow.job.type", "step.first")
                .build()
                .asMap();
    }

    @Test
    void attributesThatABatchDoesNotShareAreOmitted() {
        Windrow windrow = traced();
        List<JobRequest<?, ?>> jobs = List.of(
                FIRST.job(NONE).withQueue("mail"),
                FIRST.job(NONE),
                NEXT.job(NONE).withQueue("mail"));
        windrow.enqueueAll(jobs);
        assertThat(only("enqueue").getAttributes().asMap())
                .isEqualTo(common("enqueue", "send").toBuilder()
                        .put("messaging.batch.message_count", 3L)
                        .build()
                        .asMap());
        windrow.enqueueAll(List.of(jobs.get(0), jobs.get(2)));
        assertThat(only("enqueue mail").getAttributes().asMap())
                .isEqualTo(common("enqueue", "send").toBuilder()
                        .put("messaging.destination.name", "mail")
                        .put("messaging.batch.message_count", 2L)
                        .build()
                        .asMap());
        assertThat(metric("messaging.client.sent.messages").getLongSumData().getPoints())
                .as("jobs, not calls")
                .extracting(point -> point.getValue())
                .containsExactlyInAnyOrder(3L, 2L);
    }

    @Test
    void aLinkNamesItsJob() {
        Windrow windrow = traced(WindrowTracing.of(telemetry).namedByType().linked());
        JobRef<Json> first = windrow.enqueue(FIRST.job(NONE).withRetry(RetryPolicy.fixed(Duration.ofMillis(1))));
        JobRef<Json> next = windrow.enqueue(NEXT.job(NONE).withParents(ParentPolicy.WAIT, List.of(first)));
        closing(windrow.worker()
                .handle(FIRST, (input, job) -> {
                    if (job.attempt() == 1) {
                        throw JobFailure.retryable("TEST:AGAIN", "once");
                    }
                    return input;
                })
                .handle(NEXT, (input, job) -> input)
                .start());
        assertThat(only("run step.next").getLinks())
                .extracting(TraceAttributesTest::links)
                .containsExactly(link("enqueue", next), link("parent", first));
        assertThat(named("run step.first").get(1).getLinks())
                .extracting(TraceAttributesTest::links)
                .containsExactly(link("enqueue", first), link("attempt", first));
        assertThat(named("run step.first"))
                .extracting(span -> span.getAttributes().get(AttributeKey.longKey("windrow.job.attempt")))
                .containsExactly(1L, 2L);
    }

    @Test
    void aFailureHasItsMessageAndATimeoutIsAFailure() {
        Windrow windrow = traced();
        closing(windrow.worker()
                .handle(FIRST, (input, job) -> {
                    throw JobFailure.permanent("TEST:GONE", "for ever");
                })
                .handle(NEXT, (input, job) -> {
                    // A handler that ends on its interrupt and gives no message.
                    assertThat(catchThrowable(() -> new CountDownLatch(1).await()))
                            .isInstanceOf(InterruptedException.class);
                    return input;
                })
                .queue("default")
                .queue("slow")
                .start());
        windrow.enqueue(FIRST, NONE);
        windrow.enqueue(NEXT.job(NONE)
                .withQueue("slow")
                .withTimeout(Duration.ofSeconds(1))
                .withMaxAttempts(1));
        SpanData failed = only("run default");
        assertThat(failed.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
        assertThat(failed.getStatus().getDescription()).contains("for ever");
        assertThat(failed.getAttributes().get(OUTCOME)).isEqualTo("FAILED");
        assertThat(failed.getEvents())
                .singleElement()
                .satisfies(event -> assertThat(event.getAttributes().get(AttributeKey.stringKey("exception.message")))
                        .contains("for ever"));
        SpanData late = only("run slow");
        assertThat(late.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
        assertThat(late.getStatus().getDescription()).isEmpty();
        assertThat(late.getAttributes().get(ERROR)).isEqualTo("TIMEOUT:EXECUTION");
        assertThat(late.getAttributes().get(OUTCOME)).isEqualTo("TIMEOUT");
        until(() -> metric("messaging.process.duration")
                        .getHistogramData()
                        .getPoints()
                        .size()
                == 2);
        assertThat(metric("messaging.process.duration").getHistogramData().getPoints())
                .extracting(point -> point.getAttributes().get(ERROR))
                .containsExactlyInAnyOrder("TEST:GONE", "TIMEOUT:EXECUTION");
    }

    @Test
    void aFailureWithoutAMessageHasNone() {
        Windrow windrow = traced();
        closing(windrow.worker()
                .handle(FIRST, (input, job) -> {
                    throw new IllegalStateException();
                })
                .start());
        windrow.enqueue(FIRST.job(NONE).withMaxAttempts(1));
        SpanData failed = only("run default");
        assertThat(failed.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
        assertThat(failed.getStatus().getDescription()).isEmpty();
        assertThat(failed.getEvents()).hasSize(1);
    }

    @Test
    void aFailedEnqueueHasItsErrorOnTheSpan() {
        Windrow windrow = traced();
        Throwable thrown = catchThrowable(() -> windrow.enqueue(NEXT.job(NONE).withParents(JobRef.raw(4711))));
        assertThat(thrown).isNotNull();
        SpanData span = only("enqueue default");
        assertThat(span.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
        assertThat(span.getStatus().getDescription()).isEqualTo(thrown.getMessage());
        assertThat(span.getAttributes().get(ERROR)).isEqualTo(thrown.getClass().getName());
        assertThat(span.getEvents())
                .singleElement()
                .satisfies(event -> assertThat(event.getName()).isEqualTo("exception"));
        assertThat(metric("messaging.client.operation.duration")
                        .getHistogramData()
                        .getPoints())
                .singleElement()
                .satisfies(point -> assertThat(point.getAttributes().get(ERROR))
                        .isEqualTo(thrown.getClass().getName()));
    }

    @Test
    void durationsAreInSeconds() {
        Windrow windrow = traced();
        long begin = System.nanoTime();
        closing(windrow.worker()
                .handle(FIRST, (input, job) -> {
                    // Longer than any other wait of this test.
                    assertThat(new CountDownLatch(1).await(200, TimeUnit.MILLISECONDS))
                            .isFalse();
                    return input;
                })
                .start());
        JobRef<Json> job = windrow.enqueue(FIRST, NONE);
        assertThat(windrow.await(job, PATIENCE)).isNotNull();
        HistogramPointData run = metric("messaging.process.duration")
                .getHistogramData()
                .getPoints()
                .iterator()
                .next();
        double elapsed = (System.nanoTime() - begin) / 1e9;
        assertThat(run.getCount()).isEqualTo(1);
        assertThat(run.getSum()).isBetween(0.2, elapsed);
        assertThat(run.getBoundaries()).startsWith(0.005, 0.01).endsWith(600.0, 3600.0);
        assertThat(run.getAttributes().get(ERROR)).isNull();
        HistogramPointData enqueue = metric("messaging.client.operation.duration")
                .getHistogramData()
                .getPoints()
                .iterator()
                .next();
        assertThat(enqueue.getSum()).isBetween(0.0, elapsed);
        assertThat(enqueue.getBoundaries()).isEqualTo(run.getBoundaries());
        assertThat(meters.collectAllMetrics())
                .extracting(measured -> measured.getName() + " in " + measured.getUnit())
                .containsExactlyInAnyOrder(
                        "messaging.process.duration in s",
                        "messaging.client.operation.duration in s",
                        "messaging.client.consumed.messages in {message}",
                        "messaging.client.sent.messages in {message}");
        assertThat(metric("messaging.client.consumed.messages").getLongSumData().getPoints())
                .singleElement()
                .satisfies(point -> assertThat(point.getValue()).isEqualTo(1));
    }

    @Test
    void aTraceContextOfALaterVersionIsReadAsFarAsKnown() {
        Windrow windrow = traced();
        closing(windrow.worker().handle(FIRST, (input, job) -> input).start());
        String ids = "-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        for (String later : List.of("01" + ids, "cc" + ids + "-what-comes-then")) {
            spans.reset();
            windrow.enqueue(FIRST.job(NONE).withTraceparent(later));
            assertThat(only("run default").getParentSpanContext())
                    .as(later)
                    .isEqualTo(SpanContext.createFromRemoteParent(
                            "0af7651916cd43dd8448eb211c80319c",
                            "b7ad6b7169203331",
                            TraceFlags.getSampled(),
                            TraceState.getDefault()));
        }
        for (String none : List.of(
                "ff" + ids,
                "nonsense",
                "00" + ids.substring(1),
                "00" + ids.toUpperCase(Locale.ROOT),
                "01" + ids + "x",
                "00" + ids + "-what-comes-then",
                "00-00000000000000000000000000000000-b7ad6b7169203331-01",
                "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01")) {
            spans.reset();
            windrow.enqueue(FIRST.job(NONE).withTraceparent(none));
            assertThat(only("run default").getParentSpanContext().isValid())
                    .as(none)
                    .isFalse();
        }
    }

    @Test
    void anUnsampledTraceStaysUnsampled() {
        Windrow windrow = traced();
        closing(windrow.worker().handle(FIRST, (input, job) -> input).start());
        String ids = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-";
        JobRef<Json> given = windrow.enqueue(FIRST.job(NONE).withTraceparent(ids + "00"));
        JobRef<Json> current;
        SpanContext unsampled = SpanContext.create(
                "0af7651916cd43dd8448eb211c80319c",
                "b7ad6b7169203331",
                TraceFlags.getDefault(),
                TraceState.getDefault());
        try (Scope unused = Span.wrap(unsampled).makeCurrent()) {
            current = windrow.enqueue(FIRST, NONE);
        }
        assertThat(windrow.job(current).history().job().traceparent())
                .matches("00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-00");
        assertThat(windrow.await(given, PATIENCE)).isNotNull();
        assertThat(windrow.await(current, PATIENCE)).isNotNull();
        windrow.enqueue(FIRST.job(NONE).withTraceparent(ids + "01"));
        assertThat(only("run default").getTraceId()).isEqualTo("0af7651916cd43dd8448eb211c80319c");
        assertThat(named("enqueue default")).as("of the first and the last").hasSize(2);
    }

    @Test
    void eachJobOfABatchHasItsSpanAndNoneIsCurrent() {
        Windrow windrow = traced();
        List<Boolean> current = new CopyOnWriteArrayList<>();
        JobRef<Json> good = windrow.enqueue(FIRST, NONE);
        JobRef<Json> bad = windrow.enqueue(FIRST, NONE);
        closing(windrow.worker()
                .handleBatch(FIRST, 10, Duration.ZERO, jobs -> {
                    current.add(Span.current().getSpanContext().isValid());
                    jobs.get(0).complete(NONE);
                    jobs.get(1).fail(JobFailure.permanent("A:B"));
                })
                .start());
        until(() -> named("run default").size() == 2);
        assertThat(current).containsExactly(false);
        assertThat(named("run default"))
                .extracting(
                        span -> span.getAttributes().get(AttributeKey.stringKey("messaging.message.id")),
                        span -> span.getAttributes().get(OUTCOME),
                        span -> span.getAttributes().get(ERROR),
                        span -> span.getParentSpanContext().isValid())
                .containsExactly(
                        tuple(Long.toString(good.id()), "SUCCEEDED", null, true),
                        tuple(Long.toString(bad.id()), "FAILED", "A:B", true));
    }

    @Test
    void withoutATraceNoContextIsStored() {
        Windrow windrow = traced(WindrowTracing.of(OpenTelemetry.noop()));
        JobRef<Json> job = windrow.enqueue(FIRST, NONE);
        assertThat(windrow.job(job).history().job().traceparent()).isNull();
        closing(windrow.worker().handle(FIRST, (input, context) -> input).start());
        assertThat(windrow.await(job, PATIENCE)).isNotNull();
    }

    @Test
    // The test leaves a scope open on purpose.
    @SuppressWarnings("MustBeClosedChecker")
    void aSpanLeftCurrentOnAThreadIsNotSeenByTheNextAttempt() {
        List<Boolean> current = new CopyOnWriteArrayList<>();
        Tracing tracing = WindrowTracing.of(telemetry);
        Windrow windrow = traced(new Tracing() {
            @Override
            public Enqueuing enqueuing(List<? extends JobRequest<?, ?>> jobs) {
                return tracing.enqueuing(jobs);
            }

            @Override
            public Running running(JobContext job, List<Link> links, Map<String, String> metadata) {
                current.add(Span.current().getSpanContext().isValid());
                return tracing.running(job, links, metadata);
            }
        });
        // A Windrow whose jobs have no context.
        Windrow untraced = closing(Windrow.open(target.newStore()));
        closing(windrow.worker()
                .concurrency(1)
                .handle(FIRST, (input, job) -> input)
                .handle(NEXT, (input, job) -> {
                    // A span and a scope that the handler never closes.
                    Span open =
                            telemetry.getTracer("test").spanBuilder("left open").startSpan();
                    var unused = Context.current()
                            .with(open)
                            .with(Baggage.builder().put("left", "open").build())
                            .makeCurrent();
                    return input;
                })
                .start());
        for (int i = 0; i < 3; i++) {
            windrow.await(windrow.enqueue(FIRST, NONE), PATIENCE);
        }
        until(() -> named("run default").size() == 3);
        assertThat(current).containsExactly(false, false, false);
        JobRef<Json> leaves = untraced.enqueue(NEXT, NONE);
        untilState(windrow, leaves, JobState.COMPLETED);
        JobRef<Json> after = untraced.enqueue(FIRST, NONE);
        untilState(windrow, after, JobState.COMPLETED);
        until(() -> named("run default").size() == 5);
        assertThat(named("run default").get(4).getParentSpanContext().isValid()).isFalse();
        windrow.await(windrow.enqueue(FIRST, NONE), PATIENCE);
        until(() -> named("run default").size() == 6);
        assertThat(baggage).allSatisfy(each -> assertThat(each.isEmpty()).isTrue());
    }
}
