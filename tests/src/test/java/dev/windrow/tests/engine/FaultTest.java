package dev.windrow.tests.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.AttemptOutcome;
import dev.windrow.ErrorCodes;
import dev.windrow.EventKind;
import dev.windrow.JobHistory;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.OutcomeUnknownException;
import dev.windrow.StoreUnavailableException;
import dev.windrow.WindrowException;
import dev.windrow.Worker;
import dev.windrow.monitor.WindrowEvent;
import dev.windrow.payload.Json;
import dev.windrow.store.OpenStore;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.ChangeByFilter;
import dev.windrow.tests.stores.OnEachStore;
import java.sql.Connection;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** An engine on a store that fails at times. */
@OnEachStore
class FaultTest extends EngineTest {
    private static <T> CompletableFuture<T> unavailable() {
        return CompletableFuture.failedFuture(new StoreUnavailableException("the disk is full"));
    }

    private static <T> CompletableFuture<T> unknown() {
        return CompletableFuture.failedFuture(new OutcomeUnknownException("no answer in time", List.of()));
    }

    @Test
    void nothingIsClaimedBeforeTheWorkerIsInTheRegistry() {
        AtomicInteger tries = new AtomicInteger();
        AtomicInteger claims = new AtomicInteger();
        faults.claim = real -> request -> {
            claims.incrementAndGet();
            return real.apply(request);
        };
        faults.announce = real -> row -> tries.incrementAndGet() < 3 ? unavailable() : real.apply(row);
        start(worker().handle(ECHO, (input, job) -> {
            assertThat(windrow.monitor().workers()).hasSize(1);
            return input;
        }));
        until(() -> tries.get() == 1);
        JobRef<Json> job = enqueue(ECHO);
        until(() -> windrow.monitor().health().tasks().stream()
                .anyMatch(task -> task.problem() != null
                        && task.problem().contains("could not enter the registry 1 times in a row: the disk is full")));
        assertThat(claims).hasValue(0);
        runClockUntil(Duration.ofMillis(100), () -> state(job) == JobState.COMPLETED);
        assertThat(tries).hasValueGreaterThanOrEqualTo(3);
        assertThat(history(job).attempts()).hasSize(1);
        until(() -> windrow.monitor().health().isOk());
    }

    @Test
    void aSettlementThatFailsIsKeptAndRecordedLater() {
        AtomicInteger tries = new AtomicInteger();
        AtomicInteger runs = new AtomicInteger();
        faults.settle = (settlement, real) -> tries.incrementAndGet() < 4 ? unavailable() : real.apply(settlement);
        Worker worker = start(worker().handle(ECHO, (input, job) -> {
            runs.incrementAndGet();
            return input;
        }));
        JobRef<Json> job = enqueue(ECHO);
        runClockUntil(Duration.ofMillis(100), () -> state(job) == JobState.COMPLETED);
        assertThat(tries).hasValue(4);
        assertThat(runs).hasValue(1);
        until(() -> worker.totals().completed() == 1);
    }

    @Test
    void aStartIsWrittenWhileTheEndOfItsAttemptCannotBeQueued() {
        faults.settle = (settlement, real) -> unavailable();
        start(worker().handle(ECHO, (input, job) -> input));
        JobRef<Json> job = enqueue(ECHO);
        until(() -> eventsOf(job).contains(EventKind.STARTED));
        assertThat(state(job)).isEqualTo(JobState.RUNNING);
        faults.settle = (settlement, real) -> real.apply(settlement);
        runClockUntil(Duration.ofMillis(100), () -> state(job) == JobState.COMPLETED);
    }

    @Test
    void aSettlementIsKeptForLongerThanALeaseWhileItsLeaseIsRenewed() {
        AtomicInteger runs = new AtomicInteger();
        faults.settle = (settlement, real) -> unavailable();
        start(worker().handle(ECHO, (input, job) -> {
            runs.incrementAndGet();
            return input;
        }));
        JobRef<Json> job = enqueue(ECHO);
        until(() -> runs.get() == 1);
        start(open(newStore()).worker().lease(LEASE).handle(ECHO, (input, context) -> {
            runs.incrementAndGet();
            return input;
        }));
        runClock(Duration.ofMillis(500), 300);
        assertThat(state(job)).isEqualTo(JobState.RUNNING);
        faults.settle = (settlement, real) -> real.apply(settlement);
        runClockUntil(Duration.ofMillis(500), () -> state(job) == JobState.COMPLETED);
        assertThat(runs).hasValue(1);
    }

    @Test
    void anUnknownOutcomeThatWasAppliedCountsAsRecorded() {
        AtomicInteger tries = new AtomicInteger();
        faults.settle = (settlement, real) -> tries.incrementAndGet() == 1
                ? real.apply(settlement).thenCompose(applied -> unknown())
                : real.apply(settlement);
        Worker worker = start(worker().handle(ECHO, (input, job) -> input));
        JobRef<Json> job = enqueue(ECHO);
        runClockUntil(Duration.ofMillis(100), () -> worker.totals().completed() == 1);
        assertThat(tries).hasValue(2);
        assertThat(state(job)).isEqualTo(JobState.COMPLETED);
        until(() -> told(WindrowEvent.AttemptEnded.class).size() == 1);
        assertThat(told(WindrowEvent.AttemptLost.class)).isEmpty();
    }

    @Test
    void anUnknownOutcomeThatWasNotAppliedIsTriedAgain() {
        AtomicInteger tries = new AtomicInteger();
        faults.settle = (settlement, real) -> tries.incrementAndGet() == 1 ? unknown() : real.apply(settlement);
        Worker worker = start(worker().handle(ECHO, (input, job) -> input));
        JobRef<Json> job = enqueue(ECHO);
        runClockUntil(Duration.ofMillis(100), () -> worker.totals().completed() == 1);
        assertThat(state(job)).isEqualTo(JobState.COMPLETED);
    }

    @Test
    void anUnknownOutcomeOfALostJobIsReportedAsLost() {
        AtomicInteger tries = new AtomicInteger();
        OpenStore other = openBareStore();
        faults.settle = (settlement, real) -> {
            if (tries.incrementAndGet() > 1) {
                return real.apply(settlement);
            }
            return ChangeByFilter.run(
                            other,
                            Change.of(
                                    Change.Verb.COMPLETE,
                                    List.of(settlement.job().id()),
                                    "operator"))
                    .thenCompose(done -> unknown());
        };
        Worker worker = start(worker().handle(ECHO, (input, job) -> input));
        JobRef<Json> job = enqueue(ECHO);
        runClockUntil(
                Duration.ofMillis(100),
                () -> !told(WindrowEvent.AttemptLost.class).isEmpty());
        assertThat(worker.totals().completed()).isZero();
        assertThat(history(job).attempts())
                .extracting(JobHistory.Attempt::outcome)
                .containsExactly(AttemptOutcome.SUPERSEDED);
        assertThat(told(WindrowEvent.AttemptEnded.class)).isEmpty();
    }

    @Test
    void aSettlementThatTheStoreRejectsIsRecordedWithoutItsTexts() {
        faults.settle = (settlement, real) -> settlement.output() != null || settlement.result() != null
                ? CompletableFuture.failedFuture(new WindrowException("odd text"))
                : real.apply(settlement);
        AtomicInteger runs = new AtomicInteger();
        start(worker().handle(ECHO, (input, job) -> {
            runs.incrementAndGet();
            job.output("odd");
            return input;
        }));
        JobRef<Json> job = enqueue(ECHO);
        runClockUntil(Duration.ofMillis(100), () -> state(job) == JobState.FAILED);
        assertThat(history(job).job().errorCode()).isEqualTo(ErrorCodes.INVALID_RESULT);
        assertThat(runs).hasValue(1);
    }

    @Test
    void aSettlementKeepsItsResultThroughManyOutages() {
        AtomicInteger tries = new AtomicInteger();
        faults.settle = (settlement, real) -> switch (tries.incrementAndGet()) {
            case 1, 2, 3, 4 -> CompletableFuture.failedFuture(new StoreUnavailableException("the server is down"));
            case 5, 6 -> CompletableFuture.failedFuture(new WindrowException("the pool cannot log"));
            default -> real.apply(settlement);
        };
        start(worker().handle(ECHO, (input, job) -> input));
        JobRef<Json> job = enqueue(ECHO);
        runClockUntil(Duration.ofMillis(100), () -> state(job).isFinished());
        assertThat(state(job)).isEqualTo(JobState.COMPLETED);
    }

    /** Failure class 14. */
    @Test
    void noFurtherJobStartsWhileTooManyEndsAreNotRecorded() throws Exception {
        CompletableFuture<Void> gate = new CompletableFuture<>();
        AtomicInteger held = new AtomicInteger();
        AtomicInteger runs = new AtomicInteger();
        faults.settle = (settlement, real) -> {
            held.incrementAndGet();
            return gate.thenCompose(open -> real.apply(settlement));
        };
        Worker worker = start(worker().concurrency(2).handle(ECHO, (input, job) -> {
            runs.incrementAndGet();
            return input;
        }));
        windrow.enqueueAll(Collections.nCopies(100, ECHO.job(new Json("1"))));
        until(() -> held.get() >= 4);
        runClock(Duration.ofSeconds(1), 10);
        // Two for each slot, and the jobs that the two slots had started when the bound was reached.
        assertThat(runs.get()).isBetween(4, 6);
        assertThat(windrow.monitor().statistics().states()).containsEntry(JobState.COMPLETED, 0L);
        faults.settle = (settlement, real) -> real.apply(settlement);
        gate.complete(null);
        until(() -> worker.awaitIdle(Duration.ZERO));
        assertThat(runs).hasValue(100);
        assertThat(worker.totals().completed()).isEqualTo(100);
    }

    @Test
    void aClaimThatFailsIsRepeated() {
        AtomicInteger tries = new AtomicInteger();
        faults.claim = real -> request -> tries.incrementAndGet() < 4 ? unavailable() : real.apply(request);
        start(worker().handle(ECHO, (input, job) -> input));
        JobRef<Json> job = enqueue(ECHO);
        runClockUntil(Duration.ofMillis(100), () -> state(job) == JobState.COMPLETED);
        assertThat(tries.get()).isGreaterThanOrEqualTo(4);
    }

    @Test
    void jobsOfAClaimWithALostAnswerRunAgainWithAFullBudget() {
        AtomicInteger tries = new AtomicInteger();
        faults.claim = real -> request ->
                tries.incrementAndGet() == 1 ? real.apply(request).thenCompose(done -> unknown()) : real.apply(request);
        JobRef<Json> job = enqueue(ECHO);
        start(worker().handle(ECHO, (input, context) -> input));
        runClockUntil(Duration.ofMillis(500), () -> state(job) == JobState.COMPLETED);
        assertThat(history(job).attempts())
                .extracting(JobHistory.Attempt::outcome)
                .containsExactly(AttemptOutcome.LOST, AttemptOutcome.SUCCEEDED);
    }

    @Test
    void aFailedRenewalIsRepeatedBeforeTheLeaseExpires() {
        AtomicInteger tries = new AtomicInteger();
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch finish = new CountDownLatch(1);
        faults.renew = real -> holds -> tries.incrementAndGet() < 4 ? unavailable() : real.apply(holds);
        start(worker().handle(ECHO, (input, job) -> {
            started.countDown();
            finish.await();
            return input;
        }));
        JobRef<Json> job = enqueue(ECHO);
        take(started);
        start(open(newStore()).worker().lease(LEASE).handle(ECHO, (input, context) -> new Json("\"twice\"")));
        runClock(Duration.ofMillis(500), 200);
        assertThat(tries.get()).isGreaterThan(4);
        finish.countDown();
        untilState(job, JobState.COMPLETED);
        assertThat(history(job).attempts()).hasSize(1);
    }

    /** Failure class 10. */
    @Test
    void thePollFindsAJobWhoseWakeUpWasLost() {
        start(worker().poll(Duration.ofSeconds(5)).handle(ECHO, (input, job) -> input));
        until(() -> time.waiting() >= 3);
        faults.deaf = true;
        JobRef<Json> job = enqueue(ECHO);
        runClockUntil(Duration.ofMillis(100), () -> state(job) == JobState.COMPLETED);
        assertThat(history(job).job().startedAt())
                // The clock runs ahead of the threads, but not as far as 30 s, the default poll of a worker.
                .isBefore(history(job).job().createdAt().plusSeconds(20));
    }

    @Test
    void aStopEndsEvenIfTheStoreAcceptsNoSettlement() {
        faults.settle = (settlement, real) -> unavailable();
        AtomicInteger runs = new AtomicInteger();
        Worker worker = start(worker().handle(ECHO, (input, job) -> {
            runs.incrementAndGet();
            return input;
        }));
        JobRef<Json> job = enqueue(ECHO);
        until(() -> runs.get() == 1);
        CompletableFuture<Void> stop = onItsOwnThread(() -> worker.stop(Duration.ZERO));
        runClockUntil(Duration.ofMillis(500), stop::isDone);
        assertThat(state(job)).isEqualTo(JobState.RUNNING);
        // Another worker reclaims the job.
        faults.settle = (settlement, real) -> real.apply(settlement);
        start(worker().handle(ECHO, (input, context) -> input));
        runClockUntil(Duration.ofMillis(500), () -> state(job) == JobState.COMPLETED);
    }

    @Test
    void anEngineContinuesAfterAnotherProcessLockedItsStore() throws Exception {
        start(worker().handle(ECHO, (input, job) -> input));
        CompletableFuture<JobRef<Json>> enqueued;
        try (Connection other = target.lockAll()) {
            enqueued = onItsOwnThread(() -> enqueue(ECHO));
            runClock(Duration.ofSeconds(1), 20);
            assertThat(enqueued).isNotDone();
            other.rollback();
        }
        JobRef<Json> job = enqueued.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        runClockUntil(Duration.ofMillis(100), () -> state(job) == JobState.COMPLETED);
    }
}
