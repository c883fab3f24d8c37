package dev.windrow.tests.engine.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.AttemptOutcome;
import dev.windrow.JobContext;
import dev.windrow.JobRef;
import dev.windrow.JobRequest;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.Windrow;
import dev.windrow.monitor.Tracing;
import dev.windrow.payload.Json;
import dev.windrow.tests.engine.EngineTest;
import dev.windrow.tests.stores.OnEachStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A tracing gets each enqueue and each attempt once, and its failures harm no job. */
@OnEachStore
class TracingTest extends EngineTest {
    private static final JobType<Json, Json> NEXT = JobType.raw("test.next");

    /** A tracing that fails at one of its calls. */
    private record Failing(String from, AtomicInteger calls) implements Tracing {
        private void fail(String place) {
            calls.incrementAndGet();
            if (place.equals(from)) {
                throw new IllegalStateException(place);
            }
            if ((place + ", an error").equals(from)) {
                throw new AssertionError(place);
            }
        }

        @Override
        public Enqueuing enqueuing(List<? extends JobRequest<?, ?>> jobs) {
            fail("enqueuing");
            return new Enqueuing() {
                @Override
                public String traceparent() {
                    fail("enqueued as");
                    return from.equals("too long") ? "e".repeat(201) : from.equals("empty") ? "" : "e";
                }

                @Override
                public void written(List<Long> ids) {
                    fail("written");
                }

                @Override
                public void failed(Throwable failure) {
                    fail("failed");
                }
            };
        }

        @Override
        public Running running(JobContext job, List<Link> links, Map<String, String> metadata) {
            fail("running");
            return new Running() {
                @Override
                public String traceparent() {
                    fail("runs as");
                    return "r";
                }

                @Override
                public void ended(
                        @Nullable AttemptOutcome outcome, @Nullable String errorCode, @Nullable Throwable failure) {
                    fail("ended");
                }
            };
        }
    }

    private Windrow traced(Tracing tracing) {
        return closing(Windrow.configure(newStore()).time(time).tracing(tracing).open());
    }

    @Test
    void exceptionsOfTracingHarmNoJob() {
        for (String place : List.of(
                "enqueuing",
                "enqueued as",
                "written",
                "written, an error",
                "running",
                "running, an error",
                "runs as",
                "ended",
                "ended, an error",
                "too long",
                "empty")) {
            Failing tracing = new Failing(place, new AtomicInteger());
            Windrow engine = traced(tracing);
            start(engine.worker().lease(LEASE).handle(ECHO, (input, job) -> input));
            JobRef<Json> job = engine.enqueue(ECHO, new Json("1"));
            assertThat(engine.await(job, PATIENCE)).as(place).isNotNull();
            assertThat(tracing.calls.get()).as(place).isPositive();
            engine.close();
        }
    }

    @Test
    void eachTracedAttemptEndsOnceOnItsThreadWithAnyOutcome() {
        List<String> heard = new CopyOnWriteArrayList<>();
        Windrow engine = traced(new Tracing() {
            @Override
            public Enqueuing enqueuing(List<? extends JobRequest<?, ?>> jobs) {
                return new Enqueuing() {
                    @Override
                    public @Nullable String traceparent() {
                        return null;
                    }

                    @Override
                    public void written(List<Long> ids) {}

                    @Override
                    public void failed(Throwable failure) {}
                };
            }

            @Override
            public Running running(JobContext job, List<Link> links, Map<String, String> metadata) {
                Thread thread = Thread.currentThread();
                return new Running() {
                    @Override
                    public String traceparent() {
                        return "run of " + job.id();
                    }

                    @Override
                    public void ended(
                            @Nullable AttemptOutcome outcome, @Nullable String errorCode, @Nullable Throwable failure) {
                        heard.add(job.name() + " " + outcome + " " + errorCode + " "
                                + (thread == Thread.currentThread()) + " " + job.traceparent());
                    }
                };
            }
        });
        CountDownLatch begun = new CountDownLatch(1);
        start(engine.worker()
                // The clock runs far ahead of the threads.
                .lease(Duration.ofHours(1))
                .concurrency(1)
                .handle(ECHO, (input, job) -> {
                    switch (String.valueOf(job.name())) {
                        case "late" -> {
                            begun.countDown();
                            new CountDownLatch(1).await();
                        }
                        case "wrong" -> throw new IllegalStateException("wrong");
                        case "further" ->
                            job.continueWith(NEXT.job(new Json("1")).withName("next"));
                        default -> {}
                    }
                    return input;
                })
                .handle(NEXT, (input, job) -> input));
        JobRef<Json> late = engine.enqueue(ECHO.job(new Json("1"))
                .withName("late")
                .withTimeout(Duration.ofSeconds(5))
                .withMaxAttempts(1));
        take(begun);
        runClockUntil(Duration.ofSeconds(1), () -> heard.size() == 1);
        engine.enqueue(ECHO.job(new Json("1")).withName("wrong").withMaxAttempts(1));
        JobRef<Json> further = engine.enqueue(ECHO.job(new Json("1")).withName("further"));
        until(() -> heard.size() == 4);
        assertThat(heard)
                .containsExactly(
                        "late TIMEOUT TIMEOUT:EXECUTION true null",
                        "wrong FAILED INTERNAL:EXCEPTION true null",
                        "further SUCCEEDED null true null",
                        "next SUCCEEDED null true run of " + further.id());
        until(() -> engine.job(late).history().job().state() == JobState.FAILED);
    }
}
