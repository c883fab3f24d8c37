package dev.windrow.tests.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.ChainRef;
import dev.windrow.JobFailure;
import dev.windrow.JobRef;
import dev.windrow.JobRequest;
import dev.windrow.JobType;
import dev.windrow.RetryPolicy;
import dev.windrow.Windrow;
import dev.windrow.payload.Json;
import dev.windrow.schedule.Schedule;
import dev.windrow.telemetry.WindrowTracing;
import dev.windrow.tests.stores.OnEachStore;
import dev.windrow.workflow.Workflow;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A trace follows a job from the request that enqueued it through all later jobs, across processes. */
@OnEachStore
class TracesTest extends TelemetryTest {
    private static final JobType<Json, Json> FIRST = JobType.raw("step.first");
    private static final JobType<Json, Json> NEXT = JobType.raw("step.next");
    private static final JobType<Json, Json> LAST = JobType.raw("step.last");
    private static final Json NONE = new Json("{}");

    /** The exporter that receives the spans of both processes. */
    private final InMemorySpanExporter spans = InMemorySpanExporter.create();

    private final OpenTelemetrySdk telemetry = OpenTelemetrySdk.builder()
            .setTracerProvider(SdkTracerProvider.builder()
                    .addSpanProcessor(SimpleSpanProcessor.create(spans))
                    .build())
            .build();

    /** Opens a Windrow in the part of a process. One process enqueues, and another one runs. */
    private Windrow process(UnaryOperator<WindrowTracing> how) {
        return closing(Windrow.configure(target.newStore())
                .tracing(how.apply(WindrowTracing.of(telemetry)))
                .open());
    }

    private Windrow process() {
        return process(UnaryOperator.identity());
    }

    private Span request() {
        return telemetry.getTracer("test").spanBuilder("request").startSpan();
    }

    private List<SpanData> named(String name) {
        return spans.getFinishedSpanItems().stream()
                .filter(span -> span.getName().equals(name))
                .toList();
    }

    private SpanData run(JobRef<?> job, int attempt) {
        return spans.getFinishedSpanItems().stream()
                .filter(span -> span.getKind() == SpanKind.CONSUMER)
                .filter(span -> text(span, "messaging.message.id").equals(Long.toString(job.id())))
                .filter(span -> Long.valueOf(attempt)
                        .equals(span.getAttributes().get(AttributeKey.longKey("windrow.job.attempt"))))
                .findFirst()
                .orElseThrow();
    }

    private static String text(SpanData span, String key) {
        return String.valueOf(span.getAttributes().get(AttributeKey.stringKey(key)));
    }

    private static List<String> links(SpanData span, String kind) {
        return span.getLinks().stream()
                .filter(link -> kind.equals(link.getAttributes().get(AttributeKey.stringKey("windrow.link.kind"))))
                .map(link -> link.getSpanContext().getSpanId())
                .toList();
    }

    /** Returns the ids of all spans that parents and links connect with this one, in either direction, including itself. */
    private Set<String> connected(String spanId) {
        List<SpanData> all = spans.getFinishedSpanItems();
        Set<String> seen = new HashSet<>();
        Deque<String> next = new ArrayDeque<>(List.of(spanId));
        while (!next.isEmpty()) {
            String id = next.pop();
            if (seen.add(id)) {
                for (SpanData span : all) {
                    Stream.concat(
                                    Stream.of(span.getParentSpanId()),
                                    span.getLinks().stream()
                                            .map(LinkData::getSpanContext)
                                            .map(link -> link.getSpanId()))
                            .filter(id::equals)
                            .forEach(found -> next.push(span.getSpanId()));
                }
            }
        }
        return seen;
    }

    @Test
    void enqueueRunContinuationAndDependentShareOneTraceAcrossProcesses() {
        Windrow web = process();
        Windrow backend = process();
        JobRef<Json> first;
        JobRef<Json> dependent;
        Span request = request();
        try (Scope unused = request.makeCurrent()) {
            first = web.enqueue(FIRST, NONE);
            dependent = web.enqueue(LAST.job(NONE).withQueue("reports").withChainParents(ChainRef.raw(first.id())));
        } finally {
            request.end();
        }
        closing(backend.worker()
                .queue("default")
                .queue("reports")
                .handle(FIRST, (input, job) -> {
                    // A span that a handler creates is a child of its attempt.
                    telemetry
                            .getTracer("test")
                            .spanBuilder("inside")
                            .startSpan()
                            .end();
                    job.continueWith(NEXT.job(NONE));
                    return input;
                })
                .handle(NEXT, (input, job) -> input)
                .handle(LAST, (input, job) -> input)
                .start());
        assertThat(web.await(dependent, PATIENCE)).isNotNull();
        until(() -> spans.getFinishedSpanItems().size() == 7);

        SpanData run = run(first, 1);
        SpanData enqueue = named("enqueue default").get(0);
        assertThat(enqueue.getKind()).isEqualTo(SpanKind.PRODUCER);
        assertThat(enqueue.getParentSpanId()).isEqualTo(request.getSpanContext().getSpanId());
        assertThat(run.getName()).isEqualTo("run default");
        assertThat(run.getParentSpanId()).isEqualTo(enqueue.getSpanId());
        assertThat(named("inside").get(0).getParentSpanId()).isEqualTo(run.getSpanId());
        SpanData continuation = named("run default").stream()
                .filter(span -> text(span, "windrow.job.type").equals("step.next"))
                .findFirst()
                .orElseThrow();
        assertThat(continuation.getParentSpanId()).isEqualTo(run.getSpanId());
        assertThat(links(run(dependent, 1), "parent")).containsExactly(continuation.getSpanId());
        assertThat(spans.getFinishedSpanItems())
                .allMatch(span ->
                        span.getTraceId().equals(request.getSpanContext().getTraceId()));
        assertThat(connected(request.getSpanContext().getSpanId()))
                .containsExactlyInAnyOrderElementsOf(spans.getFinishedSpanItems().stream()
                        .map(SpanData::getSpanId)
                        .toList());
    }

    @Test
    void aRetryIsLinkedToTheAttemptBeforeAndAFailureHasItsError() {
        Windrow windrow = process();
        JobRef<Json> job = windrow.enqueue(FIRST.job(NONE).withRetry(RetryPolicy.fixed(Duration.ofMillis(1))));
        closing(windrow.worker()
                .handle(FIRST, (input, context) -> {
                    if (context.attempt() == 1) {
                        throw JobFailure.retryable("PROVIDER:BUSY", "later");
                    }
                    return input;
                })
                .start());
        assertThat(windrow.await(job, PATIENCE)).isNotNull();
        until(() -> spans.getFinishedSpanItems().size() == 3);
        SpanData failed = run(job, 1);
        SpanData second = run(job, 2);
        assertThat(failed.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
        assertThat(text(failed, "error.type")).isEqualTo("PROVIDER:BUSY");
        assertThat(failed.getEvents())
                .singleElement()
                .satisfies(event -> assertThat(event.getName()).isEqualTo("exception"));
        assertThat(second.getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
        assertThat(links(second, "attempt")).containsExactly(failed.getSpanId());
        assertThat(second.getParentSpanId()).isEqualTo(failed.getParentSpanId());
    }

    @Test
    void aJobThatIsSnoozedHasNotFailed() {
        Windrow windrow = process();
        JobRef<Json> job = windrow.enqueue(FIRST, NONE);
        closing(windrow.worker()
                .handle(FIRST, (input, context) -> {
                    context.sleep("a moment", Duration.ofMillis(1));
                    return input;
                })
                .start());
        assertThat(windrow.await(job, PATIENCE)).isNotNull();
        until(() -> named("run default").size() == 2);
        assertThat(named("run default"))
                .extracting(span -> text(span, "windrow.job.outcome"))
                .containsExactly("SNOOZED", "SUCCEEDED");
        assertThat(named("run default"))
                .extracting(span -> span.getStatus().getStatusCode())
                .containsOnly(StatusCode.UNSET);
        assertThat(named("run default"))
                .as("by what a sleep ends an attempt is no failure either")
                .flatExtracting(SpanData::getEvents)
                .isEmpty();
        // The attempt after the sleep belongs to the same job, so it stays in the job's trace.
        assertThat(links(named("run default").get(1), "attempt"))
                .containsExactly(named("run default").get(0).getSpanId());
        assertThat(named("run default"))
                .extracting(SpanData::getParentSpanId)
                .containsOnly(named("enqueue default").get(0).getSpanId());
    }

    @Test
    void jobsEnqueuedTogetherAreChildrenOfOneSpan() {
        Windrow windrow = process();
        List<JobRequest<?, ?>> jobs = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            jobs.add(i < 3 ? FIRST.job(NONE) : NEXT.job(NONE).withDelay(Duration.ofDays(1)));
        }
        windrow.enqueueAll(jobs);
        closing(windrow.worker().handle(FIRST, (input, context) -> input).start());
        until(() -> named("run default").size() == 3);
        assertThat(named("enqueue default")).singleElement().satisfies(span -> {
            assertThat(span.getKind()).isEqualTo(SpanKind.PRODUCER);
            assertThat(span.getAttributes().get(AttributeKey.longKey("messaging.batch.message_count")))
                    .isEqualTo(1000);
            assertThat(text(span, "messaging.message.id"))
                    .as("of a batch there is none")
                    .isEqualTo("null");
            assertThat(named("run default"))
                    .extracting(SpanData::getParentSpanId)
                    .containsOnly(span.getSpanId());
        });
    }

    @Test
    void aJobOfAScheduleStartsANewTrace() {
        Windrow windrow = process();
        windrow.schedules().save(Schedule.every("often", Duration.ofSeconds(1), FIRST.job(NONE)));
        closing(windrow.worker().handle(FIRST, (input, context) -> input).start());
        until(() -> !named("run default").isEmpty());
        windrow.schedules().remove("often");
        assertThat(named("run default").get(0).getParentSpanContext().isValid()).isFalse();
        assertThat(named("run default").get(0).getLinks()).isEmpty();
        assertThat(spans.getFinishedSpanItems()).allMatch(span -> span.getKind() == SpanKind.CONSUMER);
    }

    @Test
    void theSpanOfAnExternallyEndedAttemptIsAnError() throws Exception {
        Windrow windrow = process();
        CountDownLatch begun = new CountDownLatch(1);
        JobRef<Json> job = windrow.enqueue(FIRST, NONE);
        closing(windrow.worker()
                .handle(FIRST, (input, context) -> {
                    begun.countDown();
                    new CountDownLatch(1).await();
                    return input;
                })
                .start());
        assertThat(begun.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        windrow.job(job).complete(NONE);
        until(() -> !named("run default").isEmpty());
        assertThat(text(run(job, 1), "error.type")).isEqualTo("TAKEN_AWAY");
        assertThat(run(job, 1).getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
    }

    @Test
    void linkedAttemptsStartNewTraces() {
        Windrow windrow = process(tracing -> tracing.linked().namedByType());
        JobRef<Json> job = windrow.enqueue(FIRST, NONE);
        closing(windrow.worker().handle(FIRST, (input, context) -> input).start());
        assertThat(windrow.await(job, PATIENCE)).isNotNull();
        until(() -> spans.getFinishedSpanItems().size() == 2);
        SpanData enqueue = named("enqueue step.first").get(0);
        SpanData run = named("run step.first").get(0);
        assertThat(run.getTraceId()).isNotEqualTo(enqueue.getTraceId());
        assertThat(run.getParentSpanContext().isValid()).isFalse();
        assertThat(links(run, "enqueue")).containsExactly(enqueue.getSpanId());
    }

    @Test
    void everyEnqueuingVerbStoresTheTraceContext() throws Exception {
        Windrow windrow = process();
        Span request = request();
        List<Long> ids;
        try (Scope unused = request.makeCurrent()) {
            JobRef<Json> parked = windrow.enqueue(LAST.job(NONE).withExternalCompletion(Duration.ofDays(1)));
            List<Long> many = windrow.enqueueAll(List.of(NEXT.job(NONE), NEXT.job(NONE))).stream()
                    .map(job -> job.id())
                    .toList();
            long later = windrow.enqueueAsync(NEXT.job(NONE))
                    .toCompletableFuture()
                    .get(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                    .id();
            Workflow workflow = new Workflow();
            workflow.add(NEXT.job(NONE));
            long ofWorkflow = windrow.submit(workflow).jobs().get(0).id();
            long inCallersTransaction;
            try (Connection connection = target.begin()) {
                inCallersTransaction =
                        windrow.on(connection).enqueue(NEXT, NONE).id();
                connection.commit();
            }
            long inTransaction = windrow.inTransaction(
                    managed -> windrow.on(managed).enqueue(NEXT, NONE).id());
            long goneOn = windrow.job(parked).completeWith(NONE, NEXT.job(NONE)).id();
            ids = List.of(
                    parked.id(),
                    many.get(0),
                    many.get(1),
                    later,
                    ofWorkflow,
                    inCallersTransaction,
                    inTransaction,
                    goneOn);
        } finally {
            request.end();
        }
        String trace = request.getSpanContext().getTraceId();
        assertThat(ids)
                .extracting(id -> windrow.job(id).history().job().traceparent())
                .allSatisfy(traceparent -> assertThat(traceparent).startsWith("00-" + trace + "-"));
        assertThat(spans.getFinishedSpanItems())
                .filteredOn(span -> span.getKind() == SpanKind.PRODUCER)
                .hasSize(7)
                .allMatch(span ->
                        span.getParentSpanId().equals(request.getSpanContext().getSpanId()));
        // In a handler, the current span is that of the attempt.
        closing(windrow.worker()
                .handle(
                        FIRST,
                        (input, job) -> windrow.enqueue(NEXT.job(NONE).withQueue("inside"))
                                                .id()
                                        > 0
                                ? input
                                : null)
                .start());
        JobRef<Json> outer = windrow.enqueue(FIRST, NONE);
        assertThat(windrow.await(outer, PATIENCE)).isNotNull();
        until(() -> !named("run default").isEmpty());
        assertThat(named("enqueue inside").get(0).getParentSpanId())
                .isEqualTo(run(outer, 1).getSpanId());
    }

    @Test
    void aJobKeepsTheTraceContextOfItsCaller() {
        Windrow windrow = process();
        String own = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        JobRef<Json> job = windrow.enqueue(FIRST.job(NONE).withTraceparent(own));
        closing(windrow.worker().handle(FIRST, (input, context) -> input).start());
        assertThat(windrow.await(job, PATIENCE)).isNotNull();
        until(() -> named("run default").size() == 1);
        assertThat(run(job, 1).getParentSpanId()).isEqualTo("b7ad6b7169203331");
    }
}
