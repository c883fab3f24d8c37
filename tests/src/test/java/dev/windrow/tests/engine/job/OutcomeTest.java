package dev.windrow.tests.engine.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.windrow.AttemptOutcome;
import dev.windrow.ErrorCodes;
import dev.windrow.EventKind;
import dev.windrow.EventLevel;
import dev.windrow.JobCancel;
import dev.windrow.JobFailure;
import dev.windrow.JobHistory;
import dev.windrow.JobRef;
import dev.windrow.JobSnooze;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.RetryPolicy;
import dev.windrow.RetryRules;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.monitor.WindrowEvent;
import dev.windrow.payload.Json;
import dev.windrow.store.OpenStore;
import dev.windrow.store.job.Claim;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.Started;
import dev.windrow.store.job.Touch;
import dev.windrow.store.job.WorkerId;
import dev.windrow.tests.engine.EngineTest;
import dev.windrow.tests.stores.OnEachStore;
import java.io.UncheckedIOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The outcomes that handlers request, and the retry rules of types for failures. */
@OnEachStore
class OutcomeTest extends EngineTest {
    // ---- runs and events --------------------------------------------------------------------------------------------

    @Test
    void attemptsAfterARetryAreOfTheNextRun() {
        Windrow quiet = closing(Windrow.configure(newStore())
                .time(time)
                .random(new Random(42))
                .events(EventLevel.OUTCOMES)
                .open());
        AtomicInteger calls = new AtomicInteger();
        start(quiet.worker().lease(LEASE).handle(ECHO, (input, job) -> {
            job.progress(0.5, "half");
            if (calls.incrementAndGet() <= 2) {
                throw new IllegalStateException("not yet");
            }
            return input;
        }));
        JobRef<Json> job = quiet.enqueue(ECHO.job(new Json("1")).withMaxAttempts(2));
        runClockUntil(Duration.ofSeconds(1), () -> state(job) == JobState.FAILED);
        quiet.job(job).retry();
        untilState(job, JobState.COMPLETED);
        JobHistory history = history(job);
        assertThat(history.job().run()).isEqualTo(2);
        assertThat(history.attempts())
                .extracting(JobHistory.Attempt::run, JobHistory.Attempt::attempt)
                .containsExactly(tuple(1, 1), tuple(1, 2), tuple(2, 1));
        assertThat(history.attempts()).extracting(JobHistory.Attempt::startedAt).doesNotContainNull();
        assertThat(eventsOf(job))
                .containsExactly(
                        EventKind.ENQUEUED,
                        EventKind.CLAIMED,
                        EventKind.STARTED,
                        EventKind.RETRY_SCHEDULED,
                        EventKind.CLAIMED,
                        EventKind.STARTED,
                        EventKind.FAILED,
                        EventKind.RETRIED,
                        EventKind.CLAIMED,
                        EventKind.STARTED,
                        EventKind.SUCCEEDED);
    }

    // ---- snooze -----------------------------------------------------------------------------------------------------

    @Test
    void aSnoozedJobRunsAgainLaterWithoutCountingAnAttempt() {
        AtomicInteger runs = new AtomicInteger();
        Worker worker = start(worker().name("w").handle(ECHO.withMaxAttempts(1), (input, job) -> {
            if (runs.incrementAndGet() <= 3) {
                throw JobSnooze.after(Duration.ofMinutes(5));
            }
            return input;
        }));
        JobRef<Json> job = windrow.enqueue(ECHO.job(new Json("1")).withMaxAttempts(1));
        untilState(job, JobState.SCHEDULED);
        assertThat(history(job).job().scheduledAt()).isEqualTo(time.now().plus(Duration.ofMinutes(5)));
        assertThat(history(job).job().attempt()).isZero();
        assertThat(history(job).job().errorCode()).isNull();
        assertThat(history(job).events()).last().satisfies(event -> {
            assertThat(event.event()).isEqualTo(EventKind.SNOOZED);
            assertThat(event.actor()).isEqualTo("w");
            assertThat(String.valueOf(event.detail())).contains("\"due\":\"");
        });
        runClockUntil(Duration.ofSeconds(30), () -> state(job) == JobState.COMPLETED);
        List<JobHistory.Attempt> attempts = history(job).attempts();
        assertThat(attempts)
                .extracting(JobHistory.Attempt::outcome)
                .containsExactly(
                        AttemptOutcome.SNOOZED,
                        AttemptOutcome.SNOOZED,
                        AttemptOutcome.SNOOZED,
                        AttemptOutcome.SUCCEEDED);
        assertThat(attempts).extracting(JobHistory.Attempt::attempt).containsOnly(1);
        assertThat(attempts).extracting(JobHistory.Attempt::token).doesNotHaveDuplicates();
        assertThat(attempts).extracting(JobHistory.Attempt::stackTrace).containsOnlyNulls();
        for (int i = 1; i < attempts.size(); i++) {
            assertThat(attempts.get(i).startedAt())
                    .isAfterOrEqualTo(attempts.get(i - 1).finishedAt().plus(Duration.ofMinutes(5)));
        }
        until(() -> told(WindrowEvent.AttemptEnded.class).size() == 4);
        assertThat(worker.totals().snoozed()).isEqualTo(3);
        assertThat(worker.totals().retried()).isZero();
    }

    @Test
    void aJobSnoozesUntilATimeAndAPastTimeMeansNow() {
        AtomicInteger runs = new AtomicInteger();
        Instant before = time.now().minusSeconds(1);
        Instant later = time.now().plusSeconds(3600);
        start(worker().handle(ECHO, (input, job) -> {
            throw JobSnooze.until(runs.incrementAndGet() == 1 ? before : later);
        }));
        JobRef<Json> job = enqueue(ECHO);
        runClockUntil(Duration.ofMillis(10), () -> runs.get() == 2 && state(job) == JobState.SCHEDULED);
        assertThat(history(job).job().scheduledAt()).isEqualTo(later);
        assertThat(history(job).attempts().get(0).outcome()).isEqualTo(AttemptOutcome.SNOOZED);
    }

    @Test
    void aSnoozeOfAJobWithACancelRequestCancelsIt() {
        CountDownLatch running = new CountDownLatch(1);
        start(worker().handle(ECHO, (input, job) -> {
            running.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                throw JobSnooze.after(Duration.ofSeconds(1));
            }
            return null;
        }));
        JobRef<Json> job = enqueue(ECHO);
        take(running);
        windrow.job(job).cancel();
        untilState(job, JobState.CANCELLED);
        assertThat(history(job).attempts()).singleElement().satisfies(attempt -> {
            assertThat(attempt.outcome()).isEqualTo(AttemptOutcome.CANCELLED);
            assertThat(attempt.stackTrace()).isNull();
        });
    }

    @Test
    void theStoreCancelsASnoozedJobWhoseCancelRequestHasNotReachedItsWorker() {
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        start(worker().handle(ECHO, (input, job) -> {
            running.countDown();
            take(go);
            throw JobSnooze.after(Duration.ofSeconds(1));
        }));
        JobRef<Json> job = enqueue(ECHO);
        take(running);
        faults.deaf = true;
        Windrow other = open(newStore());
        other.job(job).cancel();
        go.countDown();
        untilState(job, JobState.CANCELLED);
        assertThat(eventsOf(job)).doesNotContain(EventKind.SNOOZED).endsWith(EventKind.CANCELLED);
    }

    @Test
    void aStoppingWorkerObeysItsHandlersAndHandsOtherJobsBack() {
        JobType<Json, Json> snoozing = JobType.raw("test.snoozing");
        JobType<Json, Json> cancelling = JobType.raw("test.cancelling");
        CountDownLatch running = new CountDownLatch(3);
        Worker worker = start(worker().concurrency(3)
                .handle(snoozing, (input, job) -> {
                    waitForInterrupt(running);
                    throw JobSnooze.after(Duration.ofHours(1));
                })
                .handle(cancelling, (input, job) -> {
                    waitForInterrupt(running);
                    throw JobCancel.because("not wanted");
                })
                .handle(ECHO, (input, job) -> {
                    waitForInterrupt(running);
                    throw JobFailure.permanent("TEST:NO", "no");
                }));
        JobRef<Json> snoozed = enqueue(snoozing);
        JobRef<Json> cancelled = enqueue(cancelling);
        JobRef<Json> failing = enqueue(ECHO);
        take(running);
        worker.stop(Duration.ZERO);
        assertThat(state(snoozed)).isEqualTo(JobState.SCHEDULED);
        assertThat(state(cancelled)).isEqualTo(JobState.CANCELLED);
        assertThat(state(failing)).isEqualTo(JobState.PENDING);
    }

    private static void waitForInterrupt(CountDownLatch running) {
        running.countDown();
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            // The part under test follows the interrupt.
        }
    }

    @Test
    void aSnoozeAfterTheDeadlineIsATimeout() {
        CountDownLatch running = new CountDownLatch(1);
        JobType<Json, Json> type = ECHO.withTimeout(Duration.ofSeconds(5)).withMaxAttempts(1);
        start(worker().handle(type, (input, job) -> {
            waitForInterrupt(running);
            throw JobSnooze.after(Duration.ofSeconds(1));
        }));
        JobRef<Json> job = enqueue(type);
        take(running);
        runClockUntil(Duration.ofSeconds(1), () -> state(job) == JobState.FAILED);
        assertThat(history(job).job().errorCode()).isEqualTo(ErrorCodes.TIMEOUT_EXECUTION);
    }

    // ---- cancel -----------------------------------------------------------------------------------------------------

    @Test
    void aHandlerCancelsItsJobWithAReason() {
        AtomicInteger runs = new AtomicInteger();
        JobType<Json, Json> type = ECHO.withRetry(RetryPolicy.fixed(Duration.ZERO));
        Worker worker = start(worker().name("w").handle(type, (input, job) -> {
            if (runs.incrementAndGet() == 1) {
                throw JobFailure.retryable("DEPENDENCY:DOWN", "the first failure");
            }
            throw JobCancel.because("the order was withdrawn");
        }));
        JobRef<Json> job = enqueue(type);
        runClockUntil(Duration.ofMillis(10), () -> state(job) == JobState.CANCELLED);
        JobHistory history = history(job);
        assertThat(history.attempts()).hasSize(2).last().satisfies(attempt -> {
            assertThat(attempt.outcome()).isEqualTo(AttemptOutcome.CANCELLED);
            assertThat(attempt.errorCode()).isNull();
            assertThat(attempt.errorDetail()).isEqualTo("the order was withdrawn");
            assertThat(attempt.stackTrace()).isNull();
        });
        assertThat(history.events()).last().satisfies(event -> {
            assertThat(event.event()).isEqualTo(EventKind.CANCELLED);
            assertThat(event.actor()).isEqualTo("w");
            assertThat(event.detail()).isEqualTo(new Json("{\"reason\":\"the order was withdrawn\"}"));
        });
        assertThat(history.job().errorCode()).as("of the last failed attempt").isEqualTo("DEPENDENCY:DOWN");
        assertThat(history.job().errorDetail()).isEqualTo("the first failure");
        until(() -> worker.totals().cancelled() == 1);
    }

    @Test
    void aHandlerWithACancelRequestMayGiveAReason() {
        CountDownLatch running = new CountDownLatch(1);
        start(worker().handle(ECHO, (input, job) -> {
            waitForInterrupt(running);
            throw JobCancel.because("at line 7");
        }));
        JobRef<Json> job = enqueue(ECHO);
        take(running);
        windrow.job(job).cancel();
        untilState(job, JobState.CANCELLED);
        assertThat(history(job).attempts().get(0).errorDetail()).isEqualTo("at line 7");
    }

    // ---- retries ----------------------------------------------------------------------------------------------------

    @Test
    void aFailureMayNameTheTimeOfTheNextAttempt() {
        start(worker().handle(ECHO, (input, job) -> {
            throw JobFailure.retryAt(
                    "RESOURCE:QUOTA", "until tomorrow", time.now().plusSeconds(86_400));
        }));
        JobRef<Json> job = enqueue(ECHO);
        untilState(job, JobState.SCHEDULED);
        assertThat(history(job).job().scheduledAt()).isEqualTo(time.now().plusSeconds(86_400));
        assertThat(history(job).job().attempt()).isEqualTo(1);
        assertThat(history(job).job().errorCode()).isEqualTo("RESOURCE:QUOTA");
    }

    @Test
    void failuresFollowTheRetryRulesOfTheirType() {
        JobType<Json, Json> type = ECHO.withRetry(RetryRules.of(RetryPolicy.fixed(Duration.ofMinutes(1)))
                .code(SocketTimeoutException.class, "DEPENDENCY:TIMEOUT")
                .never(IllegalArgumentException.class)
                .retry("DEPENDENCY:*", RetryPolicy.custom((used, random) -> Duration.ofMinutes(10L * used))));
        start(worker().handle(type, (input, job) -> {
            switch (input.text()) {
                case "1" -> throw new UncheckedIOException(new SocketTimeoutException("too late"));
                case "2" -> throw new NumberFormatException("no number");
                default -> throw new IllegalStateException("whatever");
            }
        }));
        JobRef<Json> timeout = windrow.enqueue(type, new Json("1"));
        JobRef<Json> wrong = windrow.enqueue(type, new Json("2"));
        JobRef<Json> other = windrow.enqueue(type, new Json("3"));
        untilState(timeout, JobState.SCHEDULED);
        untilState(wrong, JobState.FAILED);
        untilState(other, JobState.SCHEDULED);
        assertThat(history(timeout).job().errorCode()).isEqualTo("DEPENDENCY:TIMEOUT");
        assertThat(history(timeout).job().scheduledAt()).isEqualTo(time.now().plus(Duration.ofMinutes(10)));
        assertThat(history(wrong).job().errorCode()).isEqualTo(ErrorCodes.INTERNAL_EXCEPTION);
        assertThat(history(wrong).attempts()).hasSize(1);
        assertThat(history(other).job().scheduledAt()).isEqualTo(time.now().plus(Duration.ofMinutes(1)));
    }

    @Test
    void aJobOfADeadWorkerFollowsTheRetryRulesOfItsType() throws Exception {
        JobType<Json, Json> never = JobType.raw("test.once")
                .withRetry(RetryRules.of(RetryPolicy.DEFAULT).never(ErrorCodes.INTERNAL_CRASHED));
        JobType<Json, Json> slow = JobType.raw("test.slow").withRetry(RetryPolicy.fixed(Duration.ofDays(1)));
        JobRef<Json> once = enqueue(never);
        JobRef<Json> later = enqueue(slow);
        OpenStore process = openBareStore();
        for (ClaimedJob job : process.submit(new Claim(
                        new WorkerId("dead", "1"),
                        Set.of("default"),
                        Set.of(never.name(), slow.name()),
                        2,
                        LEASE.toMillis()))
                .get(60, TimeUnit.SECONDS)
                .jobs()) {
            process.submit(new Started(job.leaseToken(), "dead", time.millis())).join();
        }
        process.submit(new Touch()).get(60, TimeUnit.SECONDS);
        start(worker().handle(never, (input, job) -> input).handle(slow, (input, job) -> input));
        runClockUntil(
                Duration.ofSeconds(1), () -> state(once) == JobState.FAILED && state(later) == JobState.SCHEDULED);
        assertThat(history(once).job().errorCode()).isEqualTo(ErrorCodes.INTERNAL_CRASHED);
        assertThat(history(once).attempts())
                .extracting(JobHistory.Attempt::outcome)
                .containsExactly(AttemptOutcome.RECOVERED);
        assertThat(history(later).job().scheduledAt())
                .isAfter(history(later).job().createdAt().plus(Duration.ofDays(1)));
    }
}
