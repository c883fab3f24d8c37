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

/** However many jobs an outage concerns, and however long it lasts, the log says so in a few lines. */
@OnEachStore
class OutageLogTest extends EngineTest {
    /** The lines that were logged while this was done. */
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

    /** Waits until so many attempts have ended, which is told behind the log. */
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
    void aFailedAttemptIsAWarningWithItsCauseAndADeadJobAnErrorWithWhatToDo() {
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
    void aStormOfFailuresIsTenLinesAMinuteOfAType() {
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
    void tenLinesAMinuteAreOfAllWorkersOfOneWindrow() {
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

    /** An exception that throws when somebody looks at it. */
    private static final class Hostile extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new IllegalStateException("no message");
        }
    }

    @Test
    void anExceptionThatCannotBePrintedKeepsNoJobFromItsEnd() {
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
    void aFailedAttemptIsLoggedWhenItIsRecordedAndAsTheStoreHasRecordedIt() {
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
    void endsThatCannotBeRecordedForAnHourAreOneLineAMinute() {
        int jobs = 40;
        CountDownLatch begun = new CountDownLatch(jobs);
        CountDownLatch end = new CountDownLatch(1);
        AtomicInteger failed = new AtomicInteger();
        // Each of them is told once by itself when it fails first; all of them at once here.
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
        // Of 200 failures one line at once, and one for each minute that the clock has gone on, which is many on a slow
        // machine.
        int minutes = (int) Duration.ofNanos(time.nanoTime() - start).toMinutes();
        assertThat(with(lines, "could not record the end of"))
                .hasSizeBetween(1, 1 + minutes)
                .first()
                .asString()
                .contains("the disk is full");
    }

    @Test
    void aDatabaseThatIsOutOfReachIsAFewLinesHoweverManyCallsFail() throws Exception {
        Windrow impatient = open(impatientStore());
        start(impatient.worker().lease(Duration.ofHours(1)).concurrency(2).handle(ECHO, (input, job) -> input));
        JobRef<Json> before = until(() -> impatient.enqueue(ECHO, new Json("1")));
        // What was late on a slow machine is tried again, by the clock.
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
        // Of 150 calls none has a line of its own, and the clock stood still but for some seconds. For each background
        // task of the
        // engine one when it begins and one when it is over at most, and as many of the store.
        assertThat(lines.stream().filter(line -> line.contains(" WARN ") || line.contains(" ERROR ")))
                .hasSizeLessThan(15);
    }

    /** Repeats a call until the store can be used. */
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
    void aListenerThatAlwaysFailsIsOneLineAMinuteWithTheNumberOfTheOthers() {
        AtomicInteger told = new AtomicInteger();
        windrow.monitor().addListener(event -> {
            if (event instanceof WindrowEvent.JobsEnqueued) {
                told.incrementAndGet();
                throw new IllegalStateException("always");
            }
        });
        // Told behind the one that fails, when that was logged.
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
