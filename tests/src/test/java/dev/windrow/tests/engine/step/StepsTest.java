package dev.windrow.tests.engine.step;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.AttemptOutcome;
import dev.windrow.EventKind;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobContext;
import dev.windrow.JobHistory;
import dev.windrow.JobHistory.StepState;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.Retry;
import dev.windrow.RetryPolicy;
import dev.windrow.Store;
import dev.windrow.StoreUnavailableException;
import dev.windrow.TransitionRefusedException;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.payload.Content;
import dev.windrow.payload.Json;
import dev.windrow.step.Signalled;
import dev.windrow.tests.engine.EngineTest;
import dev.windrow.tests.stores.OnEachStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Handlers with durable steps: finished steps are not repeated, and handlers wait without a thread. */
@OnEachStore
class StepsTest extends EngineTest {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final JobType<Integer, String> SAGA =
            JobType.of("test.saga", Integer.class, String.class).withRetry(RetryPolicy.fixed(Duration.ofMillis(10)));

    /** The result of a step. */
    record Receipt(String number, int cents) {}

    /** The actions of handlers, in order. */
    private final List<String> done = new CopyOnWriteArrayList<>();

    @Override
    public Store newStore() {
        return target.newStoreBesideTables();
    }

    @BeforeEach
    void makeTable() throws SQLException {
        try (Connection connection = target.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE effects (job INTEGER, name VARCHAR(20))");
        }
    }

    private static void effect(Connection connection, JobContext job, String name) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("INSERT INTO effects VALUES (%d, '%s')".formatted(job.id(), name));
        }
    }

    private List<String> effects() {
        return target.rows("SELECT name FROM effects ORDER BY name");
    }

    private JobRef<String> enqueueSaga() {
        return windrow.enqueue(SAGA, 1);
    }

    private String runClockUntilDone(JobRef<String> job) {
        runClockUntil(Duration.ofMillis(50), () -> state(job).isFinished());
        return windrow.await(job, PATIENCE);
    }

    private List<AttemptOutcome> outcomes(JobRef<?> job) {
        return history(job).attempts().stream().map(JobHistory.Attempt::outcome).toList();
    }

    private String does(String what) {
        done.add(what);
        return what;
    }

    // ---- work -------------------------------------------------------------------------------------------------------

    @Test
    void anAttemptContinuesAfterTheFinishedSteps() {
        start(worker().handle(SAGA, (input, job) -> {
            String a = job.step("a", String.class, () -> does("a"));
            job.stepVoid("b", () -> does("b"));
            Receipt receipt = job.step("c", Receipt.class, () -> new Receipt(does("c"), 5));
            int number = job.step("d", int.class, () -> 7);
            if (job.attempt() < 3) {
                job.stepVoid("fails", () -> {
                    does("fails");
                    throw new IllegalStateException("not yet");
                });
            }
            return a + receipt + number + job.idempotencyKey("c");
        }));
        JobRef<String> job = enqueueSaga();
        assertThat(runClockUntilDone(job)).isEqualTo("a" + new Receipt("c", 5) + 7 + "windrow-" + job.id() + "-c");
        assertThat(done).containsExactly("a", "b", "c", "fails", "fails");
        assertThat(outcomes(job))
                .containsExactly(AttemptOutcome.FAILED, AttemptOutcome.FAILED, AttemptOutcome.SUCCEEDED);
        assertThat(history(job).steps()).extracting(JobHistory.Step::name).containsExactly("a", "b", "c", "d");
        assertThat(history(job).steps().get(2).result()).isEqualTo(new Json("{\"number\":\"c\",\"cents\":5}"));
    }

    @Test
    void aRepeatedOrWrongStepNameIsRefusedAndNothingIsWritten() {
        List<String> refusals = new CopyOnWriteArrayList<>();
        start(worker().handle(SAGA, (input, job) -> {
            job.step("a", String.class, () -> does("a"));
            refusals.add(refused(() -> job.step("a", String.class, () -> does("twice"))));
            refusals.add(refused(() -> job.sleep("a", HOUR)));
            refusals.add(refused(() -> job.step("", String.class, () -> does("empty"))));
            refusals.add(refused(() -> job.step("x".repeat(201), String.class, () -> does("long"))));
            refusals.add(refused(() -> job.step(
                    "outer",
                    String.class,
                    () -> job.step("inner", String.class, () -> {
                        throw new AssertionError("not inside each other");
                    }))));
            refusals.add(refused(() -> job.step("big", String.class, () -> "x".repeat(2 << 20))));
            refusals.add(refused(() -> job.step("content", Object.class, () -> Content.of(new byte[1]))));
            refusals.add(refused(() -> job.sleep("s", Duration.ofMillis(-1))));
            refusals.add(refused(() -> job.awaitEvent("e", Duration.ZERO)));
            refusals.add(refused(() -> job.awaitEvent("e", Duration.ofSeconds(Long.MIN_VALUE))));
            refusals.add(refused(
                    () -> windrow.inTransaction(connection -> job.step("t", String.class, () -> does("t")))));
            refusals.add(refused(() -> job.idempotencyKey("\n")));
            // A failed step may be retried.
            job.stepVoid("big", () -> does("small"));
            return "done";
        }));
        JobRef<String> job = enqueueSaga();
        assertThat(runClockUntilDone(job)).isEqualTo("done");
        assertThat(done).containsExactly("a", "small");
        assertThat(refusals)
                .satisfiesExactly(
                        twice -> assertThat(twice).contains("'a'").contains("twice"),
                        sleep -> assertThat(sleep).contains("'a'").contains("twice"),
                        empty -> assertThat(empty).contains("1 to 200"),
                        longName -> assertThat(longName).contains("1 to 200"),
                        inner -> assertThat(inner).contains("'inner'").contains("'outer'"),
                        big -> assertThat(big).contains("at most 1048576"),
                        content -> assertThat(content).contains("Content"),
                        negative -> assertThat(negative).contains("0s to 3650d"),
                        zero -> assertThat(zero).contains("1ms to 3650d"),
                        huge -> assertThat(huge).contains("1ms to 3650d"),
                        inside -> assertThat(inside).contains("inside a transaction"),
                        key -> assertThat(key).contains("1 to 200"));
        assertThat(history(job).steps()).extracting(JobHistory.Step::name).containsExactly("a", "big");
    }

    private static String refused(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        AtomicReference<String> message = new AtomicReference<>("");
        assertThatThrownBy(call)
                .isInstanceOf(InvalidRequestException.class)
                .satisfies(e -> message.set(e.getMessage()));
        return message.get();
    }

    @Test
    void aStoredStepMustFitTheTypeThatTheHandlerAsksFor() {
        start(worker().handle(SAGA, (input, job) -> {
            if (job.attempt() == 1) {
                job.step("a", String.class, () -> "text");
                throw new IllegalStateException("again");
            }
            return refused(() -> job.step("a", Receipt.class, () -> new Receipt("", 0)));
        }));
        assertThat(runClockUntilDone(enqueueSaga())).contains("'a'").contains("Receipt");
    }

    @Test
    void anAttemptThatHasLostItsJobWritesNoStep() {
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        start(worker().handle(ECHO, (input, job) -> {
            running.countDown();
            try {
                job.step("a", String.class, () -> {
                    awaitCalmly(go);
                    return "late";
                });
            } catch (TransitionRefusedException e) {
                failure.set(e);
                throw e;
            }
            return input;
        }));
        JobRef<Json> job = enqueue(ECHO);
        take(running);
        openBareStore();
        windrow.job(job).complete(new Json("1"));
        go.countDown();
        until(() -> failure.get() != null);
        assertThat(failure.get()).hasMessageContaining("'a'");
        assertThat(history(job).steps()).isEmpty();
        assertThat(state(job)).isEqualTo(JobState.COMPLETED);
    }

    private static void awaitCalmly(CountDownLatch latch) {
        boolean interrupted = false;
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void anInterruptDoesNotKeepAStepThatIsDoneFromBeingWritten() {
        start(worker().handle(SAGA, (input, job) -> {
            if (job.attempt() == 1) {
                job.step("a", String.class, () -> {
                    Thread.currentThread().interrupt();
                    return does("a");
                });
                assertThat(Thread.interrupted()).isTrue();
                does("go on");
                throw new IllegalStateException("again");
            }
            return job.step("a", String.class, () -> does("again"));
        }));
        assertThat(runClockUntilDone(enqueueSaga())).isEqualTo("a");
        assertThat(done).containsExactly("a", "go on");
    }

    @Test
    void aStepWithALostAnswerIsNotRepeated() {
        AtomicInteger lost = new AtomicInteger();
        faults.step = real -> step -> lost.getAndIncrement() == 0
                ? real.apply(step)
                        .thenCompose(written ->
                                CompletableFuture.failedFuture(new StoreUnavailableException("the answer is lost")))
                : real.apply(step);
        start(worker().handle(SAGA, (input, job) -> {
            try {
                return job.step("a", String.class, () -> does("a"));
            } catch (StoreUnavailableException e) {
                return job.step("a", String.class, () -> does("again"));
            }
        }));
        assertThat(runClockUntilDone(enqueueSaga())).isEqualTo("a");
        assertThat(done).containsExactly("a");
    }

    @Test
    void aRetryKeepsTheStepsAndARetryFromTheStartDeletesThem() {
        AtomicBoolean fails = new AtomicBoolean(true);
        start(worker().handle(SAGA.withMaxAttempts(1), (input, job) -> {
            String a = job.step("a", String.class, () -> does("a"));
            if (fails.get()) {
                throw new IllegalStateException("no");
            }
            return a;
        }));
        JobRef<String> job = windrow.enqueue(SAGA.job(1).withMaxAttempts(1));
        untilState(job, JobState.FAILED);
        windrow.job(job).retry();
        until(() -> history(job).attempts().size() == 2 && state(job) == JobState.FAILED);
        assertThat(done).containsExactly("a");
        fails.set(false);
        windrow.job(job).retry(Retry.attempts(2).fromStart());
        assertThat(windrow.await(job, PATIENCE)).isEqualTo("a");
        assertThat(done).containsExactly("a", "a");
        assertThat(history(job).job().maxAttempts()).isEqualTo(2);
    }

    // ---- in transactions --------------------------------------------------------------------------------------------

    @Test
    void aStepInATransactionCommitsWithItsEffect() {
        start(worker().handle(SAGA, (input, job) -> {
            String a = job.stepInTransaction("a", String.class, connection -> {
                effect(connection, job, "a");
                return does("a");
            });
            if (job.attempt() == 1) {
                job.stepInTransaction("b", String.class, connection -> {
                    effect(connection, job, "b");
                    throw new IllegalStateException("rolled back");
                });
            }
            return a
                    + job.stepInTransaction("b", String.class, connection -> {
                        effect(connection, job, "b");
                        return does("b");
                    });
        }));
        assertThat(runClockUntilDone(enqueueSaga())).isEqualTo("ab");
        assertThat(effects()).containsExactly("a", "b");
        assertThat(done).containsExactly("a", "b");
    }

    @Test
    void aStepInTheHandlersTransactionCommitsAndRollsBackWithIt() {
        start(worker().handle(SAGA, (input, job) -> {
            try (Connection connection = target.begin()) {
                String a = job.on(connection).step("a", String.class, () -> {
                    effect(connection, job, "a");
                    return does("a");
                });
                if (job.attempt() == 1) {
                    connection.rollback();
                    throw new IllegalStateException("rolled back");
                }
                connection.commit();
                if (job.attempt() == 2) {
                    throw new IllegalStateException("committed");
                }
                return a;
            }
        }));
        assertThat(runClockUntilDone(enqueueSaga())).isEqualTo("a");
        assertThat(effects()).containsExactly("a");
        assertThat(done).containsExactly("a", "a");
    }

    // ---- sleeps -----------------------------------------------------------------------------------------------------

    @Test
    void aSleepHoldsNoSlotAndCountsNoAttempt() {
        Worker worker = start(windrow.worker()
                .lease(LEASE)
                .concurrency(1)
                .handle(SAGA, (input, job) -> {
                    job.stepVoid("before", () -> does("before"));
                    job.sleep("nap", HOUR);
                    return job.step("after", String.class, () -> does("after"));
                })
                .handle(ECHO, (input, job) -> input));
        JobRef<String> job = enqueueSaga();
        untilState(job, JobState.SCHEDULED);
        assertThat(history(job).job().scheduledAt()).isEqualTo(time.now().plus(HOUR));
        assertThat(windrow.await(enqueue(ECHO), PATIENCE)).isEqualTo(new Json("{}"));
        windrow.job(job).trigger();
        until(() -> outcomes(job).equals(List.of(AttemptOutcome.SNOOZED, AttemptOutcome.SNOOZED)));
        assertThat(history(job).job().scheduledAt())
                .as("the end is fixed")
                .isEqualTo(time.now().plus(HOUR));
        until(() -> worker.totals().snoozed() == 2);
        time.advance(HOUR);
        assertThat(runClockUntilDone(job)).isEqualTo("after");
        assertThat(done).containsExactly("before", "after");
        assertThat(history(job).job().attempt()).isEqualTo(1);
        assertThat(history(job).steps().get(1).state()).isEqualTo(StepState.DONE);
    }

    @Test
    void aHandlerThatCatchesThePauseGetsItAgainUntilItEnds() {
        start(worker().handle(SAGA, (input, job) -> {
            try {
                job.sleep("nap", HOUR);
                return "slept";
            } catch (RuntimeException e) {
                try {
                    job.stepVoid("next", () -> does("next"));
                } catch (RuntimeException again) {
                    assertThat(again).isSameAs(e);
                }
                assertThatThrownBy(() -> job.completeInTransaction(connection -> "not this either"))
                        .isSameAs(e);
                if (input == 2) {
                    throw new IllegalStateException("wrapped", e);
                }
                return "not this";
            }
        }));
        JobRef<String> returns = enqueueSaga();
        JobRef<String> wraps = windrow.enqueue(SAGA, 2);
        untilState(returns, JobState.SCHEDULED);
        untilState(wraps, JobState.SCHEDULED);
        assertThat(outcomes(returns)).containsExactly(AttemptOutcome.SNOOZED);
        assertThat(outcomes(wraps)).containsExactly(AttemptOutcome.SNOOZED);
        time.advance(HOUR);
        assertThat(runClockUntilDone(returns)).isEqualTo("slept");
        assertThat(done).isEmpty();
    }

    // ---- events -----------------------------------------------------------------------------------------------------

    private Worker startAwaiting() {
        return start(windrow.worker()
                .lease(LEASE)
                .concurrency(1)
                .handle(SAGA, (input, job) -> {
                    job.stepVoid("before", () -> does("before"));
                    Optional<Receipt> paid = job.awaitEvent("paid", Receipt.class, HOUR);
                    return paid.map(Receipt::number).orElse("nothing");
                })
                .handle(ECHO, (input, job) -> input));
    }

    @Test
    void aSignalFromAnotherProcessWakesAJobThatHoldsNothing() {
        Worker worker = startAwaiting();
        JobRef<String> job = enqueueSaga();
        untilState(job, JobState.BLOCKED);
        assertThat(history(job).job().worker()).isNull();
        assertThat(history(job).job().wakeAt()).isEqualTo(time.now().plus(HOUR));
        assertThat(windrow.await(enqueue(ECHO), PATIENCE)).isEqualTo(new Json("{}"));
        until(() -> worker.totals().parked() == 1);
        Windrow other = open(newStore());
        assertThat(other.job(job).signal("paid", new Receipt("r1", 5)))
                .isEqualTo(new Signalled(JobState.PENDING, true));
        // The clock does not move, so no poll finds the result.
        assertThat(windrow.await(job, PATIENCE)).isEqualTo("r1");
        assertThat(done).containsExactly("before");
        assertThat(outcomes(job)).containsExactly(AttemptOutcome.PARKED, AttemptOutcome.SUCCEEDED);
        assertThatThrownBy(() -> other.job(job).signal("paid")).isInstanceOf(TransitionRefusedException.class);
    }

    @Test
    void aSignalBeforeTheWaitIsKeptAndASecondOneIsNot() {
        JobRef<String> job = enqueueSaga();
        assertThat(windrow.job(job).signal("paid", new Receipt("first", 1)).kept())
                .isTrue();
        assertThat(windrow.job(job).signal("paid", new Receipt("second", 1)).kept())
                .isFalse();
        startAwaiting();
        assertThat(windrow.await(job, PATIENCE)).isEqualTo("first");
        assertThat(outcomes(job)).containsExactly(AttemptOutcome.SUCCEEDED);
    }

    @Test
    void aTimedOutEventStaysTimedOutInLaterAttempts() {
        start(worker().handle(SAGA, (input, job) -> {
            boolean came = job.awaitEvent("paid", Duration.ofSeconds(10));
            if (job.attempt() == 1) {
                assertThat(windrow.job(JobRef.raw(job.id())).signal("paid", 1).kept())
                        .isEqualTo(came);
                throw new IllegalStateException("again");
            }
            return "came: " + came;
        }));
        JobRef<String> job = enqueueSaga();
        untilState(job, JobState.BLOCKED);
        assertThat(runClockUntilDone(job)).isEqualTo("came: false");
        assertThat(eventsOf(job)).containsOnlyOnce(EventKind.RELEASED);
    }

    @Test
    void anEventWithoutItsExpectedPayloadIsAnError() {
        start(worker().handle(SAGA, (input, job) -> {
            String refusal = refused(() -> job.awaitEvent("paid", Receipt.class, HOUR));
            return refusal;
        }));
        JobRef<String> job = windrow.enqueue(SAGA.job(1).withDelay(Duration.ofSeconds(1)));
        windrow.job(job).signal("paid");
        assertThat(runClockUntilDone(job)).contains("'paid'");
        assertThatThrownBy(() -> windrow.job(enqueue(ECHO)).signal("big", "x".repeat(2 << 20)))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("1048576");
    }

    @Test
    void aSignalInTheCallersTransactionWakesAfterItsCommit() throws Exception {
        startAwaiting();
        JobRef<String> job = enqueueSaga();
        untilState(job, JobState.BLOCKED);
        try (Connection connection = target.begin()) {
            windrow.on(connection).job(job).signal("paid", new Receipt("rolled back", 1));
            connection.rollback();
        }
        assertThat(state(job)).isEqualTo(JobState.BLOCKED);
        windrow.inTransaction(
                connection -> windrow.on(connection).job(job).signal("paid", new Receipt("committed", 1)));
        assertThat(windrow.await(job, PATIENCE)).isEqualTo("committed");
    }
}
