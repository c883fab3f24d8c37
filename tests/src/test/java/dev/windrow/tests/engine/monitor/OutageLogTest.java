package dev.windrow.tests.engine.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobFailure;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.OutcomeUnknownException;
import dev.windrow.RetryPolicy;
import dev.windrow.Store;
import dev.windrow.StoreUnavailableException;
import dev.windrow.Windrow;
import dev.windrow.monitor.WindrowEvent;
import dev.windrow.payload.Json;
import dev.windrow.postgres.PostgresStore;
import dev.windrow.sqlite.SqliteStore;
import dev.windrow.tests.engine.EngineTest;
import dev.windrow.tests.stores.OnEachStore;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** An outage logs a few lines, however many jobs it concerns and however long it lasts. */
@OnEachStore
class OutageLogTest extends EngineTest {
    /** Returns the lines that were logged during the work. */
    private static List<String> logged(Runnable work) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PrintStream before = System.err;
        System.setErr(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        try {
            work.run();
        } finally {
            System.setErr(before);
        }
        return bytes.toString(StandardCharsets.UTF_8).lines().toList();
    }

    /** Waits until this many attempts have ended. The events of ends come after the log lines. */
    private void untilEnded(int attempts) {
        until(() -> events.stream()
                        .filter(WindrowEvent.AttemptEnded.class::isInstance)
                        .count()
                == attempts);
    }

    private static List<String> with(List<String> lines, String text) {
        return lines.stream().filter(line -> line.contains(text)).toList();
    }

    @Test
    void aFailedAttemptLogsAWarningWithItsCauseAndADeadJobAnErrorWithARemedy() {
        start(worker().handle(ECHO, (input, job) -> {
            throw new IllegalStateException("disk full");
        }));
        List<String> lines = logged(() -> {
            JobRef<Json> job = windrow.enqueue(
                    ECHO.job(new Json("1")).withMaxAttempts(2).withRetry(RetryPolicy.fixed(Duration.ofSeconds(3))));
            untilState(job, JobState.SCHEDULED);
            runClockUntil(Duration.ofSeconds(1), () -> state(job) == JobState.FAILED);
            untilEnded(2);
        });
        String why = "failed as INTERNAL:EXCEPTION: java.lang.IllegalStateException: disk full.";
        assertThat(with(lines, "WARN"))
                .singleElement()
                .asString()
                .contains("Job 1 (test.echo): attempt 1 of 2 " + why + " It is retried in 3s, at ");
        assertThat(with(lines, "ERROR"))
                .singleElement()
                .asString()
                .contains("Job 1 (test.echo): attempt 2 of 2 " + why + " The job is FAILED", "'windrow retry 1'");
        assertThat(with(lines, "at dev.windrow.tests.engine.monitor.OutageLogTest"))
                .hasSizeGreaterThanOrEqualTo(2);
    }

    @Test
    void aStormOfFailuresLogsTenLinesAMinuteForEachType() {
        start(worker().handle(ECHO, (input, job) -> {
            throw JobFailure.permanent("DEPENDENCY:DOWN", "no answer");
        }));
        List<String> lines = logged(() -> {
            List<JobRef<Json>> jobs = new ArrayList<>();
            for (int i = 0; i < 25; i++) {
                jobs.add(enqueue(ECHO));
            }
            untilEnded(25);
            assertThat(jobs).allMatch(job -> state(job) == JobState.FAILED);
            time.advance(Duration.ofMinutes(2));
            enqueue(ECHO);
            untilEnded(26);
        });
        assertThat(with(lines, "failed as DEPENDENCY:DOWN: no answer"))
                .hasSize(11)
                .last()
                .asString()
                .contains("(15 more such lines were left out within 2m)");
        assertThat(with(lines, "\tat ")).isEmpty();
    }

    @Test
    void theLimitOfTenLinesIsSharedByAllWorkersOfOneWindrow() {
        for (String queue : List.of("a", "b")) {
            start(worker().queue(queue, 2).handle(ECHO, (input, job) -> {
                throw JobFailure.permanent("DEPENDENCY:DOWN", "no answer");
            }));
        }
        List<String> lines = logged(() -> {
            for (int i = 0; i < 12; i++) {
                windrow.enqueue(ECHO.job(new Json("1")).withQueue(i % 2 == 0 ? "a" : "b"));
            }
            untilEnded(12);
        });
        assertThat(with(lines, "failed as DEPENDENCY:DOWN: no answer")).hasSize(10);
    }

    /** An exception that throws from its own methods. */
    private static final class Hostile extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new IllegalStateException("no message");
        }
    }

    @Test
    void anExceptionThatCannotBePrintedStillEndsItsJob() {
        start(worker().handle(ECHO, (input, job) -> {
            throw new Hostile();
        }));
        List<String> lines = logged(() -> {
            windrow.enqueue(ECHO.job(new Json("1")).withMaxAttempts(1));
            untilEnded(1);
        });
        assertThat(with(lines, "ERROR"))
                .satisfiesExactly(
                        line -> assertThat(line).contains("Hostile (its message could not be read"),
                        line -> assertThat(line).contains("job 1 could not be logged: java.lang.IllegalState"));
    }

    @Test
    void aFailedAttemptIsLoggedAsTheStoreRecordedIt() {
        AtomicInteger tries = new AtomicInteger();
        faults.settle = (settlement, real) -> tries.incrementAndGet() == 1
                ? CompletableFuture.failedFuture(new StoreUnavailableException("the disk is full"))
                : real.apply(settlement);
        start(worker().handle(ECHO, (input, job) -> {
            throw new IllegalStateException("broken");
        }));
        List<String> lines = logged(() -> {
            windrow.enqueue(ECHO.job(new Json("1")).withMaxAttempts(1));
            runClockUntil(Duration.ofSeconds(1), () -> tries.get() > 1);
            untilEnded(1);
        });
        assertThat(lines.stream().filter(line -> line.contains("WARN") || line.contains("ERROR")))
                .satisfiesExactly(
                        line -> assertThat(line).contains("could not record the end"),
                        line -> assertThat(line).contains("attempt 1 of 1 failed as INTERNAL:EXCEPTION"));
    }

    @Test
    void aFailureOfALostJobIsNotLogged() {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        faults.settle = (settlement, real) -> CompletableFuture.completedFuture(false);
        start(worker().handle(ECHO, (input, job) -> {
            begun.countDown();
            take(end);
            throw new IllegalStateException("broken");
        }));
        List<String> lines = logged(() -> {
            enqueue(ECHO);
            take(begun);
            end.countDown();
            until(() -> events.stream().anyMatch(WindrowEvent.AttemptLost.class::isInstance));
        });
        assertThat(with(lines, "had lost")).hasSize(1);
        assertThat(with(lines, "failed as")).isEmpty();
    }

    @Test
    void settlementsThatFailForAnHourLogOneLineAMinute() {
        int jobs = 40;
        CountDownLatch begun = new CountDownLatch(jobs);
        CountDownLatch end = new CountDownLatch(1);
        AtomicInteger failed = new AtomicInteger();
        // The end of each attempt is logged at its first failure only. Here all of them fail at once.
        List<JobRef<Json>> refs = new ArrayList<>();
        start(windrow.worker().lease(Duration.ofHours(1)).concurrency(jobs).handle(ECHO, (input, job) -> {
            begun.countDown();
            take(end);
            return input;
        }));
        for (int i = 0; i < jobs; i++) {
            refs.add(enqueue(ECHO));
        }
        take(begun);
        long start = time.nanoTime();
        List<String> lines = logged(() -> {
            faults.settle = (settlement, real) -> {
                failed.incrementAndGet();
                return CompletableFuture.failedFuture(new StoreUnavailableException("the disk is full"));
            };
            end.countDown();
            until(() -> failed.get() >= jobs);
            runClockUntil(Duration.ofSeconds(30), () -> failed.get() >= 5 * jobs);
            faults.settle = (settlement, real) -> real.apply(settlement);
            runClockUntil(
                    Duration.ofSeconds(10), () -> refs.stream().allMatch(job -> state(job) == JobState.COMPLETED));
        });
        // 200 failures log one line at once, and one for each minute of the clock. On a slow machine the clock moves
        // many minutes.
        int minutes = (int) Duration.ofNanos(time.nanoTime() - start).toMinutes();
        assertThat(with(lines, "could not record the end of"))
                .hasSizeBetween(1, 1 + minutes)
                .first()
                .asString()
                .contains("the disk is full");
    }

    @Test
    void anUnreachableDatabaseLogsAFewLinesForAnyNumberOfFailedCalls() throws Exception {
        Windrow impatient = open(impatientStore());
        start(impatient.worker().lease(Duration.ofHours(1)).concurrency(2).handle(ECHO, (input, job) -> input));
        JobRef<Json> before = until(() -> impatient.enqueue(ECHO, new Json("1")));
        // On a slow machine, a late operation is retried by the clock.
        runClockUntil(
                Duration.ofMillis(200),
                () -> impatient.job(before).history().job().state() == JobState.COMPLETED);
        AtomicInteger failures = new AtomicInteger();
        List<String> lines = logged(() -> {
            try (Connection everything = target.lockAll()) {
                for (int round = 1; round <= 3; round++) {
                    int all = round * 50;
                    for (int i = 0; i < 50; i++) {
                        impatient.enqueueAsync(ECHO.job(new Json("2"))).whenComplete((job, failure) -> {
                            if (failure != null) {
                                failures.incrementAndGet();
                            }
                        });
                    }
                    until(() -> failures.get() == all);
                    time.advance(Duration.ofSeconds(1));
                }
                everything.rollback();
            } catch (SQLException e) {
                throw new AssertionError(e);
            }
            JobRef<Json> after = until(() -> impatient.enqueue(ECHO, new Json("3")));
            runClockUntil(
                    Duration.ofSeconds(1),
                    () -> impatient.job(after).history().job().state() == JobState.COMPLETED);
        });
        // None of the 150 calls logs its own line, and the clock moves only some seconds. Each background task of the
        // engine, and the store, logs at most one line at the begin of the outage and one at its end.
        assertThat(lines.stream().filter(line -> line.contains(" WARN ") || line.contains(" ERROR ")))
                .hasSizeLessThan(15);
    }

    /** Repeats a call until the store is usable. */
    private static <T> T until(Supplier<T> call) {
        List<T> answers = new ArrayList<>();
        until(() -> {
            try {
                answers.add(call.get());
                return true;
            } catch (StoreUnavailableException | OutcomeUnknownException e) {
                return false;
            }
        });
        return answers.get(0);
    }

    private Store impatientStore() {
        Duration timeout = Duration.ofMillis(500);
        return target.isFile()
                ? SqliteStore.configure(target.file()).operationTimeout(timeout).build()
                : PostgresStore.configure(target.place())
                        .schema(target.schema())
                        .operationTimeout(timeout)
                        .build();
    }

    @Test
    void aListenerThatAlwaysFailsLogsOneLineAMinuteWithACount() {
        AtomicInteger told = new AtomicInteger();
        windrow.monitor().addListener(event -> {
            if (event instanceof WindrowEvent.JobsEnqueued) {
                told.incrementAndGet();
                throw new IllegalStateException("always");
            }
        });
        // This listener is called after the failing one, whose failure is logged by then.
        AtomicInteger over = new AtomicInteger();
        windrow.monitor().addListener(event -> {
            if (event instanceof WindrowEvent.JobsEnqueued) {
                over.incrementAndGet();
            }
        });
        List<String> lines = logged(() -> {
            for (int i = 0; i < 20; i++) {
                enqueue(ECHO);
            }
            until(() -> over.get() == 20);
            time.advance(Duration.ofSeconds(61));
            enqueue(ECHO);
            until(() -> over.get() == 21);
        });
        assertThat(told).hasValue(21);
        assertThat(with(lines, "A listener failed on"))
                .hasSize(2)
                .last()
                .asString()
                .contains("(19 more such lines were left out within 61s");
    }
}
