package dev.windrow.tests.engine.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.AttemptOutcome;
import dev.windrow.BulkResult;
import dev.windrow.EventKind;
import dev.windrow.JobFailure;
import dev.windrow.JobHistory;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.monitor.WindrowEvent;
import dev.windrow.payload.Json;
import dev.windrow.query.JobFilter;
import dev.windrow.store.OpenStore;
import dev.windrow.store.job.Claim;
import dev.windrow.store.job.WorkerId;
import dev.windrow.tests.engine.EngineTest;
import dev.windrow.tests.stores.OnEachStore;
import java.sql.Connection;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Cancel requests for running jobs, from this process and from others. */
@OnEachStore
class CancelTest extends EngineTest {
    private final CountDownLatch started = new CountDownLatch(1);
    private final CountDownLatch finish = new CountDownLatch(1);

    /** Starts a worker whose handler waits for an interrupt or for permission to finish. */
    private Worker waiting() {
        return start(worker().handle(ECHO, (input, job) -> {
            started.countDown();
            finish.await();
            return input;
        }));
    }

    private void assertCancelled(JobRef<?> job) {
        untilState(job, JobState.CANCELLED);
        assertThat(history(job).attempts())
                .extracting(JobHistory.Attempt::outcome)
                .containsExactly(AttemptOutcome.CANCELLED);
        // A start is recorded some milliseconds later, so another process may have requested the cancellation before
        // it.
        assertThat(eventsOf(job)).containsOnlyOnce(EventKind.CANCEL_REQUESTED).endsWith(EventKind.CANCELLED);
    }

    /** Waits until the start is stored. No caller waits for the commit of a start. */
    private void untilStartIsWritten(JobRef<?> job) {
        until(() -> eventsOf(job).contains(EventKind.STARTED));
    }

    @Test
    void aRunningHandlerIsInterruptedAndItsJobEndsCancelled() {
        AtomicBoolean before = new AtomicBoolean(true);
        AtomicBoolean after = new AtomicBoolean();
        AtomicBoolean stop = new AtomicBoolean();
        Worker worker = start(worker().handle(ECHO, (input, job) -> {
            before.set(job.isCancelRequested());
            started.countDown();
            try {
                finish.await();
            } catch (InterruptedException e) {
                after.set(job.isCancelRequested());
                stop.set(job.shouldStop());
                throw e;
            }
            return input;
        }));
        JobRef<Json> job = enqueue(ECHO);
        take(started);
        untilStartIsWritten(job);
        windrow.job(job).cancel();
        assertCancelled(job);
        assertThat(before).isFalse();
        assertThat(after).isTrue();
        assertThat(stop).isTrue();
        JobHistory history = history(job);
        assertThat(history.job().errorCode()).isNull();
        assertThat(history.attempts().get(0).stackTrace())
                .as("an interrupt says nothing")
                .isNull();
        JobHistory.Event asked = history.events().get(history.events().size() - 2);
        assertThat(asked.actor()).isEqualTo("api");
        until(() -> !told(WindrowEvent.AttemptEnded.class).isEmpty());
        assertThat(told(WindrowEvent.AttemptEnded.class)).singleElement().satisfies(event -> {
            assertThat(event.state()).isEqualTo(JobState.CANCELLED);
            assertThat(event.outcome()).isEqualTo(AttemptOutcome.CANCELLED);
        });
        assertThat(worker.totals().toString())
                .contains(
                        "completed=0", "failed=0", "cancelled=1", "retried=0", "snoozed=0", "parked=0", "handedBack=0");
        // The slot is free, and no interrupt is pending on its thread.
        finish.countDown();
        untilState(enqueue(ECHO), JobState.COMPLETED);
    }

    @Test
    void aHandlerThatFinishesInSpiteOfTheRequestCompletesItsJob() {
        start(worker().handle(ECHO, (input, job) -> {
            started.countDown();
            try {
                finish.await();
            } catch (InterruptedException e) {
                // The handler continues, because it is nearly done.
            }
            return new Json("\"done\"");
        }));
        JobRef<Json> job = enqueue(ECHO);
        take(started);
        untilStartIsWritten(job);
        windrow.job(job).cancel();
        untilState(job, JobState.COMPLETED);
        assertThat(history(job).result()).isEqualTo(new Json("\"done\""));
        assertThat(eventsOf(job)).endsWith(EventKind.CANCEL_REQUESTED, EventKind.SUCCEEDED);
    }

    @Test
    void anyExceptionAfterTheRequestCancelsTheJobInsteadOfFailingIt() {
        start(worker().handle(ECHO, (input, job) -> {
            started.countDown();
            try {
                finish.await();
            } catch (InterruptedException e) {
                throw JobFailure.permanent("RESOURCE:BROKEN", "while cleaning up");
            }
            return input;
        }));
        JobRef<Json> job = windrow.enqueue(ECHO.job(new Json("1")).withMaxAttempts(1));
        take(started);
        untilStartIsWritten(job);
        windrow.job(job).cancel();
        assertCancelled(job);
        assertThat(history(job).job().errorCode()).isNull();
        assertThat(history(job).attempts().get(0).stackTrace()).contains("while cleaning up");
    }

    @Test
    void aFailureBeforeTheRequestArrivesCountsOnlyWhenNoAttemptIsLeft() {
        faults.deaf = true;
        CountDownLatch both = new CountDownLatch(2);
        start(worker().poll(Duration.ofMillis(10)).handle(ECHO, (input, job) -> {
            both.countDown();
            finish.await();
            throw JobFailure.retryable("TEST:FAILED", "it failed");
        }));
        JobRef<Json> last = windrow.enqueue(ECHO.job(new Json("1")).withMaxAttempts(1));
        JobRef<Json> first = windrow.enqueue(ECHO.job(new Json("2")).withMaxAttempts(5));
        runClockUntil(Duration.ofMillis(10), () -> both.getCount() == 0);
        windrow.jobs(List.of(last, first)).cancel();
        finish.countDown();
        untilState(last, JobState.FAILED);
        untilState(first, JobState.CANCELLED);
        assertThat(history(first).attempts())
                .extracting(JobHistory.Attempt::outcome)
                .containsExactly(AttemptOutcome.FAILED);
        assertThat(history(first).job().errorCode()).isEqualTo("TEST:FAILED");
    }

    @Test
    void aJobThatIsClaimedAndNotStartedIsCancelledWithoutBeingRun() throws Exception {
        AtomicBoolean hold = new AtomicBoolean();
        AtomicInteger runs = new AtomicInteger();
        closing(finish::countDown);
        Worker worker = start(worker().concurrency(1).handle(ECHO, (input, job) -> {
            runs.incrementAndGet();
            if (hold.get()) {
                started.countDown();
                finish.await();
            }
            return input;
        }));
        // Short handlers cause a prefetch.
        windrow.enqueueAll(Collections.nCopies(200, ECHO.job(new Json("1"))));
        assertThat(worker.awaitIdle(PATIENCE)).isTrue();
        hold.set(true);
        windrow.enqueueAll(Collections.nCopies(20, ECHO.job(new Json("1"))));
        take(started);
        until(() -> windrow.monitor().statistics().states().get(JobState.RUNNING) > 5);
        List<JobRef<?>> claimed =
                windrow.jobs(JobFilter.inState(JobState.RUNNING)).newestFirst().limit(100).page().jobs().stream()
                        .filter(job -> job.startedAt() == null)
                        .<JobRef<?>>map(job -> ECHO.ref(job.id()))
                        .toList();
        // The running job, which is the oldest one, may not have recorded its start yet.
        List<JobRef<?>> ready = claimed.subList(0, 4);
        windrow.jobs(ready).cancel();
        for (JobRef<?> job : ready) {
            assertCancelled(job);
            assertThat(history(job).attempts().get(0).startedAt()).isNull();
            assertThat(eventsOf(job)).doesNotContain(EventKind.STARTED);
        }
        hold.set(false);
        finish.countDown();
        assertThat(worker.awaitIdle(PATIENCE)).isTrue();
        assertThat(runs).hasValue(200 + 20 - 4);
    }

    @Test
    void aRequestFromAnotherProcessReachesTheHandler() {
        Windrow other = open(newStore());
        waiting();
        JobRef<Json> job = enqueue(ECHO);
        take(started);
        other.job(job).cancel();
        assertCancelled(job);
    }

    @Test
    void aRequestInACallersTransactionReachesTheHandlerAfterTheCommit() throws Exception {
        waiting();
        JobRef<Json> job = enqueue(ECHO);
        take(started);
        try (Connection connection = target.begin()) {
            windrow.on(connection).job(job).cancel();
            connection.commit();
        }
        assertCancelled(job);
    }

    @Test
    void cancellingTwiceHasTheEffectOfOnce() {
        AtomicInteger interrupts = new AtomicInteger();
        start(worker().handle(ECHO, (input, job) -> {
            started.countDown();
            try {
                finish.await();
            } catch (InterruptedException e) {
                interrupts.incrementAndGet();
            }
            try {
                finish.await();
            } catch (InterruptedException e) {
                interrupts.incrementAndGet();
            }
            return input;
        }));
        JobRef<Json> job = enqueue(ECHO);
        take(started);
        windrow.jobs(List.of(job, job)).cancel();
        until(() -> interrupts.get() == 1);
        windrow.job(job).cancel();
        assertThat(windrow.jobs(JobFilter.inState(JobState.RUNNING)).cancel())
                .isEqualTo(new BulkResult(1, List.of(job.id())));
        finish.countDown();
        untilState(job, JobState.COMPLETED);
        assertThat(interrupts).hasValue(1);
        assertThat(eventsOf(job)).containsOnlyOnce(EventKind.CANCEL_REQUESTED);
    }

    @Test
    void aFilterCancelsWaitingJobsAndRequestsCancellationOfRunningOnes() {
        waiting();
        JobRef<Json> running = enqueue(ECHO);
        take(started);
        JobType<Json, Json> nobodys = JobType.raw("test.nobodys");
        JobRef<Json> pending = enqueue(nobodys);
        JobRef<Json> later = windrow.enqueue(ECHO.job(new Json("1")).withDelay(Duration.ofHours(1)));
        JobRef<Json> blocked = windrow.enqueue(nobodys.job(new Json("1")).withParents(running));
        List<Long> ids = List.of(running.id(), pending.id(), later.id(), blocked.id());
        assertThat(windrow.jobs(JobFilter.ALL).preview().cancel()).isEqualTo(new BulkResult(4, ids));
        assertThat(windrow.jobs(JobFilter.ALL).quickPreview().cancel()).isEqualTo(new BulkResult(4, ids));
        assertThat(state(pending)).isEqualTo(JobState.PENDING);
        assertThat(windrow.jobs(JobFilter.ALL).cancel()).isEqualTo(new BulkResult(4, ids));
        for (JobRef<Json> job : List.of(pending, later, blocked)) {
            assertThat(state(job)).isEqualTo(JobState.CANCELLED);
        }
        assertCancelled(running);
        assertThat(windrow.jobs(JobFilter.ALL).cancel().count()).isZero();
    }

    @Test
    void aJobOfADeadWorkerWithACancelRequestIsCancelledByTheReclaim() throws Exception {
        JobRef<Json> job = enqueue(ECHO);
        OpenStore dead = openBareStore();
        assertThat(dead.submit(new Claim(
                                new WorkerId("dead", "1"), Set.of("default"), Set.of(ECHO.name()), 1, LEASE.toMillis()))
                        .get(60, TimeUnit.SECONDS)
                        .jobs())
                .hasSize(1);
        windrow.job(job).cancel();
        assertThat(state(job)).isEqualTo(JobState.RUNNING);
        AtomicInteger runs = new AtomicInteger();
        start(worker().handle(ECHO, (input, context) -> {
            runs.incrementAndGet();
            return input;
        }));
        runClockUntil(Duration.ofMillis(500), () -> state(job) == JobState.CANCELLED);
        assertThat(eventsOf(job)).endsWith(EventKind.CANCEL_REQUESTED, EventKind.RECOVERED, EventKind.CANCELLED);
        assertThat(runs).hasValue(0);
    }

    @Test
    void aStopCancelsAJobWithACancelRequestInsteadOfHandingItBack() {
        faults.deaf = true;
        Worker worker = start(worker().poll(Duration.ofMillis(10)).handle(ECHO, (input, job) -> {
            started.countDown();
            finish.await();
            return input;
        }));
        JobRef<Json> job = enqueue(ECHO);
        runClockUntil(Duration.ofMillis(10), () -> started.getCount() == 0);
        windrow.job(job).cancel();
        worker.stopNow();
        assertCancelled(job);
    }

    @Test
    void aCompletionRacingWithACancelRequestAlwaysEndsTheJob() {
        AtomicReference<CountDownLatch> gate = new AtomicReference<>(new CountDownLatch(1));
        AtomicReference<CountDownLatch> arrived = new AtomicReference<>(new CountDownLatch(1));
        start(worker().concurrency(1).handle(ECHO, (input, job) -> {
            CountDownLatch mine = gate.get();
            arrived.get().countDown();
            mine.await();
            return input;
        }));
        for (int round = 0; round < 40; round++) {
            JobRef<Json> job = enqueue(ECHO);
            take(arrived.get());
            CountDownLatch mine = gate.get();
            arrived.set(new CountDownLatch(1));
            gate.set(new CountDownLatch(1));
            if (round % 2 == 0) {
                mine.countDown();
            }
            windrow.jobs(JobFilter.inState(JobState.RUNNING)).cancel();
            mine.countDown();
            until(() -> state(job).isFinished());
            boolean cancelled = state(job) == JobState.CANCELLED;
            assertThat(state(job)).isIn(JobState.CANCELLED, JobState.COMPLETED);
            assertThat(eventsOf(job)).endsWith(cancelled ? EventKind.CANCELLED : EventKind.SUCCEEDED);
            assertThat(history(job).attempts())
                    .extracting(JobHistory.Attempt::outcome)
                    .containsExactly(cancelled ? AttemptOutcome.CANCELLED : AttemptOutcome.SUCCEEDED);
        }
    }

    @Test
    void aHandlerThatIgnoresTheRequestIsAbandonedAndItsJobCancelled() {
        closing(finish::countDown);
        start(worker().concurrency(1).handle(ECHO, (input, job) -> {
            if (input.text().equals("1")) {
                started.countDown();
                boolean done = false;
                while (!done) {
                    try {
                        finish.await();
                        done = true;
                    } catch (InterruptedException e) {
                        // The handler ignores the interrupt on purpose.
                    }
                }
            }
            return input;
        }));
        JobRef<Json> job = windrow.enqueue(ECHO, new Json("1"));
        take(started);
        untilStartIsWritten(job);
        windrow.job(job).cancel();
        JobRef<Json> next = windrow.enqueue(ECHO, new Json("2"));
        runClockUntil(
                Duration.ofSeconds(1), () -> state(job) == JobState.CANCELLED && state(next) == JobState.COMPLETED);
        until(() -> told(WindrowEvent.HandlerStuck.class).size() == 1);
        assertThat(history(job).attempts())
                .extracting(JobHistory.Attempt::outcome)
                .containsExactly(AttemptOutcome.CANCELLED);
        assertThat(eventsOf(job)).endsWith(EventKind.STUCK, EventKind.CANCELLED);
        finish.countDown();
        assertThat(history(job).result()).isNull();
    }
}
