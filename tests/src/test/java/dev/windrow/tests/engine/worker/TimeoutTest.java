package dev.windrow.tests.engine.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.AttemptOutcome;
import dev.windrow.ErrorCodes;
import dev.windrow.EventKind;
import dev.windrow.Handler;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobHistory;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.RetryPolicy;
import dev.windrow.WindrowException;
import dev.windrow.Worker;
import dev.windrow.monitor.Statistics;
import dev.windrow.monitor.WindrowEvent;
import dev.windrow.payload.Json;
import dev.windrow.store.job.Change;
import dev.windrow.tests.engine.EngineTest;
import dev.windrow.tests.stores.OnEachStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Deadlines, and handlers that exceed them. */
@OnEachStore
class TimeoutTest extends EngineTest {
    private static final JobType<Json, Json> SLOW =
            JobType.raw("test.slow").withTimeout(Duration.ofSeconds(20)).withRetry(RetryPolicy.fixed(Duration.ZERO));

    /** Waits and ignores every interrupt, as a handler in a native call or a bad loop does. */
    private static void ignoringInterrupts(CountDownLatch until) {
        boolean done = false;
        while (!done) {
            try {
                until.await();
                done = true;
            } catch (InterruptedException e) {
                // Ignored on purpose.
            }
        }
    }

    @Test
    void aHandlerIsInterruptedAtItsDeadlineAndTheTimeoutCountsAsAnAttempt() {
        AtomicInteger interrupted = new AtomicInteger();
        CountDownLatch started = new CountDownLatch(1);
        AtomicBoolean stopSeen = new AtomicBoolean();
        start(worker().handle(SLOW, (input, job) -> {
            started.countDown();
            if (job.attempt() == 2) {
                return new Json("\"second\"");
            }
            assertThat(job.shouldStop()).isFalse();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                interrupted.incrementAndGet();
                stopSeen.set(job.shouldStop());
                throw e;
            }
            return null;
        }));
        JobRef<Json> job = enqueue(SLOW);
        take(started);
        runClock(Duration.ofSeconds(1), 19);
        assertThat(interrupted).hasValue(0);
        assertThat(state(job)).isEqualTo(JobState.RUNNING);
        runClockUntil(Duration.ofSeconds(1), () -> state(job) == JobState.COMPLETED);
        assertThat(interrupted).hasValue(1);
        assertThat(stopSeen).isTrue();
        JobHistory.Attempt first = history(job).attempts().get(0);
        assertThat(first.outcome()).isEqualTo(AttemptOutcome.TIMEOUT);
        assertThat(first.errorCode()).isEqualTo(ErrorCodes.TIMEOUT_EXECUTION);
        assertThat(first.attempt()).isEqualTo(1);
        assertThat(history(job).attempts().get(1).attempt()).isEqualTo(2);
        assertThat(history(job).events())
                .filteredOn(event -> event.event() == EventKind.RETRY_SCHEDULED)
                .singleElement()
                .satisfies(event -> assertThat(String.valueOf(event.detail()))
                        .contains("\"attempt\":1,\"run\":1,\"delay\":0,\"code\":\"TIMEOUT:EXECUTION\""));
    }

    @Test
    void aHandlerThatThrowsWhenItSeesItsDeadlineHasTimedOut() {
        AtomicBoolean interrupted = new AtomicBoolean();
        start(worker().handle(SLOW, (input, job) -> {
            time.advance(Duration.ofSeconds(20));
            // Nothing else has seen the new time yet, as a rule.
            if (job.shouldStop()) {
                interrupted.set(Thread.currentThread().isInterrupted());
                throw new IllegalStateException("stopped");
            }
            return input;
        }));
        JobRef<Json> job = windrow.enqueue(SLOW.job(new Json("1")).withMaxAttempts(1));
        untilState(job, JobState.FAILED);
        assertThat(history(job).job().errorCode()).isEqualTo(ErrorCodes.TIMEOUT_EXECUTION);
        assertThat(interrupted).isTrue();
    }

    @Test
    void aTimedOutHandlerThatReturnsNormallyHasStillTimedOut() {
        CountDownLatch started = new CountDownLatch(1);
        start(worker().handle(SLOW, (input, job) -> {
            started.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                // Swallowed. The handler continues and returns a result.
            }
            return new Json("\"too late\"");
        }));
        JobRef<Json> job = windrow.enqueue(SLOW.job(new Json("1")).withMaxAttempts(1));
        take(started);
        runClockUntil(Duration.ofSeconds(1), () -> state(job) == JobState.FAILED);
        assertThat(history(job).job().errorCode()).isEqualTo(ErrorCodes.TIMEOUT_EXECUTION);
        assertThat(history(job).result()).isNull();
    }

    /** Failure class 8. */
    @Test
    void theDeadlineIsMeasuredFromTheStartOfTheHandlerNotFromTheEnqueue() {
        JobRef<Json> job = enqueue(SLOW);
        time.advance(Duration.ofHours(5));
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch finish = new CountDownLatch(1);
        start(worker().handle(SLOW, (input, context) -> {
            assertThat(context.deadline()).isEqualTo(time.now().plusSeconds(20));
            // The clock moves from here.
            started.countDown();
            finish.await();
            return input;
        }));
        take(started);
        runClock(Duration.ofSeconds(1), 19);
        finish.countDown();
        untilState(job, JobState.COMPLETED);
        assertThat(history(job).attempts()).hasSize(1);
    }

    /** Failure class 16. */
    @Test
    void aHandlerThatNeverCompletesEndsByTheDefaultTimeout() {
        CountDownLatch started = new CountDownLatch(1);
        start(worker().defaultTimeout(Duration.ofMinutes(30)).handle(ECHO, (input, job) -> {
            started.countDown();
            new CountDownLatch(1).await();
            return null;
        }));
        JobRef<Json> job = windrow.enqueue(ECHO.job(new Json("1")).withMaxAttempts(1));
        take(started);
        runClock(Duration.ofMinutes(1), 29);
        assertThat(state(job)).isEqualTo(JobState.RUNNING);
        runClockUntil(Duration.ofSeconds(10), () -> state(job) == JobState.FAILED);
        assertThat(history(job).job().errorCode()).isEqualTo(ErrorCodes.TIMEOUT_EXECUTION);
    }

    @Test
    void aTypeAQueueAndAWorkerSetTheTimeLimitInThisOrder() {
        JobType<Json, Json> brief = JobType.raw("test.brief").withTimeout(Duration.ofMinutes(1));
        Map<Long, Duration> limits = new ConcurrentHashMap<>();
        Handler<Json, Json> handler = (input, job) -> {
            limits.put(job.id(), Duration.between(time.now(), job.deadline()));
            return input;
        };
        start(worker().queue("default")
                .queue("mail")
                .defaultTimeout(Duration.ofMinutes(30))
                .defaultTimeout("mail", Duration.ofMinutes(10))
                .handle(ECHO, handler)
                .handle(brief, handler));
        JobRef<Json> ofWorker = windrow.enqueue(ECHO.job(new Json("1")));
        JobRef<Json> ofQueue = windrow.enqueue(ECHO.job(new Json("1")).withQueue("mail"));
        JobRef<Json> ofType = windrow.enqueue(brief.job(new Json("1")).withQueue("mail"));
        JobRef<Json> ofJob =
                windrow.enqueue(brief.job(new Json("1")).withQueue("mail").withTimeout(Duration.ofMinutes(2)));
        // As another program enqueues it, which knows only the name of the type.
        JobRef<Json> ofHandler =
                windrow.enqueue(JobType.raw("test.brief").job(new Json("1")).withQueue("mail"));
        for (JobRef<Json> job : List.of(ofWorker, ofQueue, ofType, ofJob, ofHandler)) {
            windrow.await(job, PATIENCE);
        }
        assertThat(limits)
                .containsEntry(ofWorker.id(), Duration.ofMinutes(30))
                .containsEntry(ofQueue.id(), Duration.ofMinutes(10))
                .containsEntry(ofType.id(), Duration.ofMinutes(1))
                .containsEntry(ofJob.id(), Duration.ofMinutes(2))
                .containsEntry(ofHandler.id(), Duration.ofMinutes(1));
        assertThatThrownBy(() -> worker().defaultTimeout("mial", Duration.ofMinutes(1))
                        .handle(ECHO, handler)
                        .start())
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("default timeout of queue 'mial' is not allowed: the worker serves [default]");
    }

    @Test
    void aDefaultTimeoutOutOfRangeIsRefused() {
        assertThatThrownBy(() -> worker().defaultTimeout(Duration.ZERO))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessage("default timeout 0s is not allowed: 1ms to 3650d");
        assertThatThrownBy(() -> worker().defaultTimeout("mail", Duration.ZERO))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessage("default timeout of queue 'mail' 0s is not allowed: 1ms to 3650d");
        assertThatThrownBy(() -> worker().defaultTimeout("a b", Duration.ofMinutes(1)))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageStartingWith("queue 'a b' is not allowed");
    }

    @Test
    void shortAndLongDeadlinesAreKeptTogether() {
        JobType<Json, Json> brief =
                JobType.raw("test.brief").withTimeout(Duration.ofMillis(500)).withMaxAttempts(1);
        JobType<Json, Json> patient =
                JobType.raw("test.patient").withTimeout(Duration.ofHours(2)).withMaxAttempts(1);
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch both = new CountDownLatch(2);
        CountDownLatch finish = new CountDownLatch(1);
        start(worker().handle(patient, (input, job) -> {
                    started.countDown();
                    both.countDown();
                    finish.await();
                    return input;
                })
                .handle(brief, (input, job) -> {
                    both.countDown();
                    new CountDownLatch(1).await();
                    return null;
                }));
        JobRef<Json> longer = enqueue(patient);
        take(started);
        JobRef<Json> shorter = enqueue(brief);
        take(both);
        runClockUntil(Duration.ofMillis(100), () -> state(shorter) == JobState.FAILED);
        assertThat(state(longer)).isEqualTo(JobState.RUNNING);
        finish.countDown();
        untilState(longer, JobState.COMPLETED);
    }

    @Test
    void aHandlerThatIgnoresItsInterruptIsAbandonedAndItsSlotReplaced() {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        closing(release::countDown);
        Worker worker = start(worker().concurrency(1).handle(SLOW, (input, job) -> {
            if (job.attempt() == 1 && input.text().equals("1")) {
                started.countDown();
                ignoringInterrupts(release);
                return new Json("\"zombie\"");
            }
            return input;
        }));
        JobRef<Json> job = windrow.enqueue(SLOW, new Json("1"));
        take(started);
        JobRef<Json> next = windrow.enqueue(SLOW, new Json("2"));
        runClockUntil(
                Duration.ofSeconds(1), () -> state(next) == JobState.COMPLETED && state(job) == JobState.COMPLETED);
        until(() -> told(WindrowEvent.HandlerStuck.class).size() == 1);
        assertThat(told(WindrowEvent.HandlerStuck.class))
                .containsExactly(new WindrowEvent.HandlerStuck(job.id(), SLOW.name(), 1));
        assertThat(history(job).attempts().get(0).outcome()).isEqualTo(AttemptOutcome.TIMEOUT);
        assertThat(history(job).attempts().get(1).outcome()).isEqualTo(AttemptOutcome.SUCCEEDED);
        assertThat(eventsOf(job).subList(0, 5))
                .containsExactly(
                        EventKind.ENQUEUED,
                        EventKind.CLAIMED,
                        EventKind.STARTED,
                        EventKind.STUCK,
                        EventKind.RETRY_SCHEDULED);
        JobHistory.Event stuck = history(job).events().get(3);
        assertThat(stuck.actor()).isEqualTo(worker.name());
        assertThat(String.valueOf(stuck.detail())).contains("\"slot\":\"" + worker.name() + "/1\"", "\"frame\":\"");
        // The registry shows the stuck slot with the next heartbeat.
        List<Statistics.Stuck> one = List.of(new Statistics.Stuck(worker.name(), 1));
        runClockUntil(
                Duration.ofSeconds(1),
                () -> windrow.monitor().statistics().stuck().equals(one));
        // The late result of the zombie changes nothing.
        release.countDown();
        JobRef<Json> last = windrow.enqueue(SLOW, new Json("3"));
        untilState(last, JobState.COMPLETED);
        assertThat(history(job).attempts()).hasSize(2);
        assertThat(history(job).result()).isEqualTo(new Json("1"));
        runClockUntil(
                Duration.ofSeconds(1),
                () -> windrow.monitor().statistics().stuck().isEmpty());
        assertThat(eventsOf(job)).containsOnlyOnce(EventKind.STUCK);
    }

    @Test
    void aHandlerThatIgnoresTheLossOfItsJobIsAbandoned() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        closing(release::countDown);
        Worker worker = start(worker().concurrency(1)
                .defaultTimeout(Duration.ofHours(1))
                .handle(ECHO, (input, job) -> {
                    if (input.text().equals("1")) {
                        started.countDown();
                        ignoringInterrupts(release);
                    }
                    return input;
                }));
        JobRef<Json> job = windrow.enqueue(ECHO, new Json("1"));
        take(started);
        openBareStore()
                .submit(Change.of(Change.Verb.COMPLETE, List.of(job.id()), "operator"))
                .get(60, TimeUnit.SECONDS);
        JobHistory before = history(job);
        JobRef<Json> next = windrow.enqueue(ECHO, new Json("2"));
        List<Statistics.Stuck> one = List.of(new Statistics.Stuck(worker.name(), 1));
        runClockUntil(
                Duration.ofSeconds(1),
                () -> state(next) == JobState.COMPLETED
                        && windrow.monitor().statistics().stuck().equals(one));
        assertThat(told(WindrowEvent.HandlerStuck.class))
                .containsExactly(new WindrowEvent.HandlerStuck(job.id(), ECHO.name(), 1));
        assertThat(history(job))
                .as("it is no longer this worker's to write into")
                .isEqualTo(before);
    }

    @Test
    void aWorkerWhoseSlotHadToBeReplacedTwiceClaimsNoMore() {
        CountDownLatch started = new CountDownLatch(2);
        CountDownLatch release = new CountDownLatch(1);
        closing(release::countDown);
        Worker worker = start(worker().concurrency(1).handle(SLOW, (input, job) -> {
            started.countDown();
            ignoringInterrupts(release);
            return null;
        }));
        JobRef<Json> first = windrow.enqueue(SLOW.job(new Json("1")).withMaxAttempts(1));
        JobRef<Json> second = windrow.enqueue(SLOW.job(new Json("2")).withMaxAttempts(1));
        runClockUntil(Duration.ofSeconds(1), () -> state(first) == JobState.FAILED && state(second) == JobState.FAILED);
        JobRef<Json> third = windrow.enqueue(SLOW, new Json("3"));
        runClock(Duration.ofSeconds(2), 5);
        assertThat(state(third)).isEqualTo(JobState.PENDING);
        assertThatThrownBy(() -> worker.awaitIdle(PATIENCE))
                .isInstanceOf(WindrowException.class)
                .hasMessageContaining("did not end");
    }
}
