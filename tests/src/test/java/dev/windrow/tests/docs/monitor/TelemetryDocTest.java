package dev.windrow.tests.docs.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.windrow.JobFailure;
import dev.windrow.JobRef;
import dev.windrow.JobType;
import dev.windrow.Windrow;
import dev.windrow.payload.Json;
import dev.windrow.tests.docs.Docs;
import dev.windrow.tests.stores.OnEachStore;
import dev.windrow.tests.stores.StoreKind;
import dev.windrow.tests.stores.Target;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** Compiles and runs the code of docs/how-to/telemetry.md. */
@OnEachStore
class TelemetryDocTest {
    private static final String CODE = "tests/src/test/java/dev/windrow/tests/docs/monitor/TelemetrySnippet.java";
    private static final JobType<Json, Json> WORK = JobType.raw("work");
    private static final JobType<Json, Json> MORE = JobType.raw("more");

    @Parameter
    StoreKind kind;

    @TempDir
    Path folder;

    @Test
    void javaSnippetsAreCompiledCode() {
        assertThat(Docs.blocks("java", "docs/how-to/telemetry.md"))
                .isEqualTo(Docs.regions(CODE))
                .hasSize(3);
    }

    @Test
    void metricsAreBound() throws Exception {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        try (Target target = kind.emptyTarget(folder);
                Windrow windrow = TelemetrySnippet.open(target.newStore(), OpenTelemetry.noop(), registry)) {
            windrow.enqueue(WORK, new Json("1"));
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> registry.get("windrow.jobs.enqueued").counter().count() == 1);
        }
    }

    @Test
    void aCustomTracingSeesAllCallsAndAListenerSeesFailures() throws Exception {
        List<String> heard = new CopyOnWriteArrayList<>();
        List<String> called = new CopyOnWriteArrayList<>();
        TelemetrySnippet.Tracer tracer = name -> {
            heard.add(name);
            return new TelemetrySnippet.Context() {
                @Override
                public String traceparent() {
                    return "trace of " + name;
                }

                @Override
                public void end(String how) {
                    heard.add(name + ": " + how);
                }
            };
        };
        try (Target target = kind.emptyTarget(folder);
                Windrow windrow = Windrow.configure(target.newStore())
                        .tracing(TelemetrySnippet.tracing(tracer))
                        .open()) {
            TelemetrySnippet.listen(windrow, called::add);
            JobRef<Json> job = windrow.enqueue(WORK.job(new Json("1")).withMaxAttempts(1));
            JobRef<Json> after = windrow.enqueue(MORE.job(new Json("1")).withParents(job));
            try (var worker = windrow.worker()
                    .handle(WORK, (input, context) -> {
                        if (input.text().equals("2")) {
                            throw JobFailure.permanent("TOO:MUCH", null);
                        }
                        return input;
                    })
                    .handle(MORE, (input, context) -> input)
                    .start()) {
                assertThat(worker.name()).isNotEmpty();
                assertThat(windrow.await(after, Duration.ofSeconds(60))).isNotNull();
                JobRef<Json> failing = windrow.enqueue(WORK.job(new Json("2")).withMaxAttempts(1));
                // On a slow machine the pager may also be called for other events.
                await().atMost(Duration.ofSeconds(60))
                        .until(() -> called.stream().anyMatch(line -> line.startsWith("job ")));
                assertThat(called.stream().filter(line -> line.startsWith("job ")))
                        .containsExactly("job " + failing.id() + " of type work has failed: TOO:MUCH");
            }
            assertThat(heard)
                    .contains(
                            "enqueue work: wrote 1",
                            "run work after 0: SUCCEEDED",
                            "run more after 1: SUCCEEDED",
                            "run work after 0: FAILED");
            assertThat(windrow.job(after).history().job().traceparent()).isEqualTo("trace of enqueue more");
        }
    }
}
