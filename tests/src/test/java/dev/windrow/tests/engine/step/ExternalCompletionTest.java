package dev.windrow.tests.engine.step;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.AttemptOutcome;
import dev.windrow.ChainRef;
import dev.windrow.EventKind;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobChain;
import dev.windrow.JobHistory;
import dev.windrow.JobInfo;
import dev.windrow.JobNotFoundException;
import dev.windrow.JobPark;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.JobTransaction;
import dev.windrow.JobType;
import dev.windrow.JobUnsuccessfulException;
import dev.windrow.TransitionRefusedException;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.monitor.WindrowEvent;
import dev.windrow.payload.Json;
import dev.windrow.testkit.ManualTime;
import dev.windrow.tests.engine.EngineTest;
import dev.windrow.tests.stores.OnceOnEachStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Jobs that are completed externally, by verbs of the engine or by their timeout. */
@OnceOnEachStore
class ExternalCompletionTest extends EngineTest {
    private static final JobType<Json, Json> APPROVAL = JobType.raw("test.approval");
    private static final Duration HOUR = Duration.ofHours(1);

    private JobRef<Json> waiting() {
        return windrow.enqueue(APPROVAL.job(new Json("{}")).withExternalCompletion(HOUR));
    }

    /** Starts a worker whose handlers wait for an interrupt. */
    private CountDownLatch startPatient(CountDownLatch running) {
        CountDownLatch interrupted = new CountDownLatch(1);
        start(worker().handle(ECHO, (input, job) -> {
            running.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                interrupted.countDown();
            }
            return new Json("\"late\"");
        }));
        return interrupted;
    }

    @Test
    void theHandlerOfAnExternallyCompletedJobIsInterruptedAtOnceAndChangesNothing() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch interrupted = startPatient(running);
        JobRef<Json> job = enqueue(ECHO);
        CompletableFuture<Json> awaited = onItsOwnThread(() -> windrow.await(job, PATIENCE));
        take(running);
        windrow.job(job).complete(new Json("\"outside\""));
        assertThat(awaited.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(new Json("\"outside\""));
        take(interrupted);
        until(() -> told(WindrowEvent.AttemptLost.class).size() == 1);
        JobHistory history = history(job);
        assertThat(history.job().state()).isEqualTo(JobState.COMPLETED);
        assertThat(history.result()).isEqualTo(new Json("\"outside\""));
        assertThat(history.attempts())
                .extracting(JobHistory.Attempt::outcome)
                .containsExactly(AttemptOutcome.SUPERSEDED);
        assertThat(eventsOf(job)).endsWith(EventKind.SUCCEEDED).containsOnlyOnce(EventKind.SUCCEEDED);
        assertThatThrownBy(() -> windrow.job(job).complete(null))
                .isInstanceOf(TransitionRefusedException.class)
                .hasMessageContaining(job.toString())
                .hasMessageContaining("COMPLETED");
    }

    @Test
    void aHandlerInAnotherProcessIsInterruptedAtOnceAndChangesNothing() {
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch interrupted = startPatient(running);
        Windrow other = open(newStore());
        JobRef<Json> job = enqueue(ECHO);
        take(running);
        other.job(job).fail("TEST:OUTSIDE", "x".repeat(600));
        // The clock does not move, so no renewal is due.
        take(interrupted);
        assertThat(state(job)).isEqualTo(JobState.FAILED);
        assertThat(history(job).job().errorCode()).isEqualTo("TEST:OUTSIDE");
        assertThat(history(job).job().errorDetail()).isEqualTo("x".repeat(500));
        assertThat(history(job).attempts())
                .extracting(JobHistory.Attempt::outcome)
                .containsExactly(AttemptOutcome.SUPERSEDED);
    }

    @Test
    void eitherTheHandlersEndOrTheExternalCompletionWins() throws Exception {
        Windrow other = open(newStore());
        start(worker().handle(ECHO, (input, job) -> new Json("\"inside\"")));
        JobType<Json, Json> child = JobType.raw("test.child");
        List<JobRef<Json>> parents = new ArrayList<>();
        List<JobRef<Json>> children = new ArrayList<>();
        int outside = 0;
        for (int round = 0; round < 60; round++) {
            Windrow second = round % 2 == 0 ? windrow : other;
            JobRef<Json> job = enqueue(ECHO);
            children.add(windrow.enqueue(child.job(new Json("{}")).withParents(job)));
            parents.add(job);
            boolean won = onItsOwnThread(() -> {
                        try {
                            second.job(job).complete(new Json("\"outside\""));
                            return true;
                        } catch (TransitionRefusedException e) {
                            return false;
                        }
                    })
                    .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            outside += won ? 1 : 0;
            assertThat(windrow.await(job, PATIENCE)).isEqualTo(new Json(won ? "\"outside\"" : "\"inside\""));
        }
        for (JobRef<Json> job : parents) {
            assertThat(eventsOf(job)).containsOnlyOnce(EventKind.SUCCEEDED).endsWith(EventKind.SUCCEEDED);
        }
        for (JobRef<Json> released : children) {
            until(() -> state(released) == JobState.PENDING);
            // The parent may have ended before the child was enqueued.
            assertThat(eventsOf(released))
                    .isIn(List.of(EventKind.ENQUEUED), List.of(EventKind.ENQUEUED, EventKind.RELEASED));
        }
        long superseded = parents.stream()
                .flatMap(job -> history(job).attempts().stream())
                .filter(attempt -> attempt.outcome() == AttemptOutcome.SUPERSEDED)
                .count();
        assertThat(superseded).isLessThanOrEqualTo(outside);
    }

    @Test
    void awaitReturnsAResultOfAnotherProcessWithinAFractionOfASecond() {
        JobRef<Json> job = waiting();
        AtomicReference<Thread> waiter = new AtomicReference<>();
        CompletableFuture<Json> awaited = onItsOwnThread(() -> {
            waiter.set(Thread.currentThread());
            return windrow.await(job, HOUR);
        });
        // The clock moves once. A waiter that began to wait after that would wait forever.
        until(() -> waiter.get() != null && waitsByTheClock(waiter.get()));
        open(newStore()).job(job).complete(new Json("1"));
        time.advance(Duration.ofMillis(200));
        until(awaited::isDone);
        assertThat(awaited).isCompletedWithValue(new Json("1"));
    }

    private static boolean waitsByTheClock(Thread thread) {
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(frame -> frame.getClassName().equals(ManualTime.class.getName()));
    }

    @Test
    void aHandlerParksItsJobAndTheSlotRunsAnother() {
        Worker worker = start(windrow.worker().lease(LEASE).concurrency(1).handle(ECHO, (input, job) -> {
            if (input.text().equals("1")) {
                throw JobPark.forAtMost(HOUR);
            }
            return input;
        }));
        JobRef<Json> parked = windrow.enqueue(ECHO, new Json("1"));
        untilState(parked, JobState.BLOCKED);
        assertThat(windrow.await(windrow.enqueue(ECHO, new Json("2")), PATIENCE))
                .isEqualTo(new Json("2"));
        JobInfo job = history(parked).job();
        assertThat(job.waitingFor()).isEqualTo(JobInfo.Waiting.EVENT);
        assertThat(job.wakeAt()).isEqualTo(time.now().plus(HOUR));
        assertThat(job.attempt()).as("no attempt is counted").isZero();
        assertThat(eventsOf(parked))
                .containsExactly(EventKind.ENQUEUED, EventKind.CLAIMED, EventKind.STARTED, EventKind.SNOOZED);
        until(() -> worker.totals().completed() == 1 && worker.totals().parked() == 1);
        assertThat(worker.totals().toString())
                .contains("failed=0", "cancelled=0", "retried=0", "snoozed=0", "handedBack=0");
        windrow.job(parked).complete(new Json("\"paid\""));
        assertThat(windrow.await(parked, PATIENCE)).isEqualTo(new Json("\"paid\""));
    }

    @Test
    void anyWorkerFailsAWaitThatTimesOutEvenIfItIsBusy() {
        CountDownLatch running = new CountDownLatch(1);
        AtomicBoolean go = new AtomicBoolean();
        start(windrow.worker().lease(LEASE).concurrency(1).handle(ECHO, (input, job) -> {
            running.countDown();
            until(go::get);
            return input;
        }));
        JobRef<Json> busy = enqueue(ECHO);
        take(running);
        Windrow other = open(newStore());
        JobRef<Json> job = other.enqueue(APPROVAL.job(null).withExternalCompletion(Duration.ofSeconds(10)));
        JobRef<Json> later = waiting();
        runClockUntil(Duration.ofMillis(100), () -> state(job) == JobState.FAILED);
        JobInfo ended = history(job).job();
        assertThat(ended.errorCode()).isEqualTo("TIMEOUT:WAIT");
        assertThat(ended.finishedAt()).isAfterOrEqualTo(ended.createdAt().plusSeconds(10));
        assertThat(state(later)).isEqualTo(JobState.BLOCKED);
        assertThatThrownBy(() -> windrow.await(job, PATIENCE))
                .isInstanceOf(JobUnsuccessfulException.class)
                .hasMessageContaining("TIMEOUT:WAIT");
        go.set(true);
        until(() -> state(busy) == JobState.COMPLETED);
    }

    @Test
    void aClockStepIsNoticedWithinSeconds() {
        start(worker().handle(ECHO, (input, job) -> input));
        JobRef<Json> job = waiting();
        time.stepWallUnnoticed(HOUR.plusMinutes(1));
        runClockUntil(Duration.ofMillis(100), () -> state(job) == JobState.FAILED);
        assertThat(history(job).job().errorCode()).isEqualTo("TIMEOUT:WAIT");
    }

    @Test
    void aWaitThatTimedOutWithoutWorkersFailsWhenAWorkerStarts() {
        JobRef<Json> job = waiting();
        time.advance(HOUR);
        assertThat(state(job)).isEqualTo(JobState.BLOCKED);
        start(worker().handle(ECHO, (input, context) -> input));
        untilState(job, JobState.FAILED);
    }

    @Test
    void aLongExternalResultIsABlobAndIsDroppedOnRefusal() {
        JobRef<Json> job = waiting();
        Json result = new Json("\"" + "x".repeat(600_000) + "\"");
        windrow.job(job).complete(result);
        assertThat(windrow.await(job, PATIENCE)).isEqualTo(result);
        assertThatThrownBy(() -> windrow.job(job).complete(result)).isInstanceOf(TransitionRefusedException.class);
        assertThat(windrow.monitor().diagnose().checks()).allMatch(check -> check.isOk());
        assertThatThrownBy(() -> windrow.job(job).complete(new Json("[".repeat(600) + "]".repeat(600))))
                .isInstanceOf(InvalidRequestException.class);
    }

    @Test
    void aWrongCodeOrJobChangesNothing() {
        JobRef<Json> job = waiting();
        assertThatThrownBy(() -> windrow.job(job).fail("no code"))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("no code");
        assertThatThrownBy(() -> windrow.job(JobRef.raw(4711)).fail("A:B"))
                .isInstanceOf(JobNotFoundException.class)
                .hasMessageContaining("4711");
        assertThat(eventsOf(job)).containsExactly(EventKind.ENQUEUED);
        assertThat(windrow.monitor().statistics().unhandled()).isEmpty();
    }

    @Test
    void anExternalCompletionCommitsAndRollsBackWithTheCallersTransaction() throws Exception {
        JobRef<Json> job = waiting();
        try (var connection = target.begin()) {
            windrow.on(connection).job(job).complete(new Json("1"));
            connection.rollback();
        }
        assertThat(state(job)).isEqualTo(JobState.BLOCKED);
        try (var connection = target.begin()) {
            windrow.on(connection).job(job).complete(new Json("2"));
            connection.commit();
        }
        assertThat(windrow.await(job, PATIENCE)).isEqualTo(new Json("2"));
    }

    @Test
    void anExternallyContinuedChainRunsItsNextJob() throws Exception {
        JobType<String, String> ship = JobType.of("test.ship", String.class, String.class);
        start(worker().handle(ship, (order, job) -> order + " shipped"));
        JobRef<Json> first = waiting();
        JobRef<String> next = windrow.job(first).completeWith(new Json("\"granted\""), ship.job("17"));
        assertThat(windrow.awaitChain(JobChain.of(ship, ship).ref(first.id()), PATIENCE))
                .isEqualTo("17 shipped");
        assertThat(windrow.await(next, PATIENCE)).isEqualTo("17 shipped");
        assertThat(windrow.await(first, PATIENCE)).isEqualTo(new Json("\"granted\""));
        assertThat(windrow.job(next).chain().jobs()).extracting(JobInfo::id).containsExactly(first.id(), next.id());

        JobRef<Json> second = waiting();
        try (var connection = target.begin()) {
            JobRef<String> gone = windrow.on(connection).job(second).completeWith(null, ship.job("18"));
            connection.rollback();
            assertThat(windrow.job(gone).exists()).isFalse();
        }
        assertThat(state(second)).isEqualTo(JobState.BLOCKED);
        try (var connection = target.begin()) {
            windrow.on(connection).job(second).completeWith(null, ship.job("18"));
            connection.commit();
        }
        runClockUntil(
                Duration.ofMillis(100),
                () -> windrow.job(second).chain().jobs().stream().allMatch(job -> job.state() == JobState.COMPLETED));
        assertThat(windrow.awaitChain(JobChain.of(ship, ship).ref(second.id()), PATIENCE))
                .isEqualTo("18 shipped");
    }

    @Test
    void aHandlerMayContinueTheChainOfAnotherJobInItsTransaction() {
        JobRef<Json> approval = waiting();
        start(worker().handle(ECHO, (input, job) -> {
            try (var connection = target.begin()) {
                JobTransaction transaction = job.on(connection);
                transaction
                        .job(approval)
                        .completeWith(new Json("1"), APPROVAL.job(null).withExternalCompletion(HOUR));
                transaction.complete(input);
                connection.commit();
            }
            return null;
        }));
        untilState(enqueue(ECHO), JobState.COMPLETED);
        assertThat(windrow.job(approval).chain().jobs())
                .extracting(JobInfo::state)
                .containsExactly(JobState.COMPLETED, JobState.BLOCKED);
    }

    @Test
    void theNextJobOfAChainIsCheckedBeforeWritingAndDroppedOnRefusal() {
        JobRef<Json> job = waiting();
        Json text = new Json("\"" + "x".repeat(600_000) + "\"");
        assertThatThrownBy(() ->
                        windrow.job(job).completeWith(text, APPROVAL.job(text).withDedupeKey("k")))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("dedupe key 'k'");
        assertThatThrownBy(() ->
                        windrow.job(job).completeWith(text, APPROVAL.job(new Json("[".repeat(600) + "]".repeat(600)))))
                .isInstanceOf(InvalidRequestException.class);
        assertThatThrownBy(() -> windrow.job(job)
                        .completeWith(text, APPROVAL.job(text).withChainParents(ChainRef.raw(job.id()))))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("the end of the same chain");
        assertThat(eventsOf(job)).containsExactly(EventKind.ENQUEUED);
        until(() -> target.rows("SELECT count(*) FROM windrow_blobs").equals(List.of("0")));
        JobRef<Json> next = windrow.job(job).completeWith(text, APPROVAL.job(text));
        assertThat(history(next).payload()).isEqualTo(text);
        assertThat(windrow.await(job, PATIENCE)).isEqualTo(text);
        assertThat(windrow.monitor().diagnose().checks()).allMatch(check -> check.isOk());
    }
}
