package dev.windrow.tests.engine.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.AwaitTimeoutException;
import dev.windrow.BulkResult;
import dev.windrow.ChainRef;
import dev.windrow.Enqueued;
import dev.windrow.Explanation;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobFailure;
import dev.windrow.JobInfo;
import dev.windrow.JobNotFoundException;
import dev.windrow.JobRef;
import dev.windrow.JobRequest;
import dev.windrow.JobSelection;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.JobUnsuccessfulException;
import dev.windrow.OutcomeUnknownException;
import dev.windrow.Retry;
import dev.windrow.TransitionRefusedException;
import dev.windrow.Windrow;
import dev.windrow.WindrowException;
import dev.windrow.Worker;
import dev.windrow.monitor.WindrowEvent;
import dev.windrow.payload.Json;
import dev.windrow.query.JobFilter;
import dev.windrow.query.JobPage;
import dev.windrow.query.JobQuery;
import dev.windrow.tests.engine.EngineTest;
import dev.windrow.tests.stores.OnEachStore;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** The verbs of {@code Windrow}, and the wait for a job's result. */
@OnEachStore
class VerbsTest extends EngineTest {
    private static final Duration FOREVER = Duration.ofDays(9999);

    record Order(String id, int amount) {}

    private static final JobType<Order, List<String>> ORDER = JobType.of(
            "order.pay",
            new dev.windrow.payload.TypeRef<Order>() {},
            new dev.windrow.payload.TypeRef<List<String>>() {});

    // ---- enqueue ----------------------------------------------------------------------------------------------------

    @Test
    void aNegativeTimeToWaitIsRefused() {
        JobRef<Json> job = enqueue(ECHO);
        Duration negative = Duration.ofMinutes(-5);
        Worker worker = start(worker().queue("idle").handle(ECHO, (input, context) -> input));
        for (ThrowingCallable wait : List.<ThrowingCallable>of(
                () -> windrow.await(job, negative),
                () -> windrow.awaitChain(ChainRef.raw(job.id()), negative),
                () -> worker.awaitIdle(negative))) {
            assertThatThrownBy(wait)
                    .isInstanceOf(InvalidRequestException.class)
                    .hasMessage("timeout -5m is not allowed: 0s or more");
        }
        assertThatThrownBy(() -> worker.stop(negative))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessage("drain -5m is not allowed: 0s or more");
    }

    @Test
    void anEnqueuedJobIsStoredWhenTheVerbReturns() {
        Enqueued<List<String>> enqueued = windrow.enqueue(ORDER.job(new Order("o-1", 3))
                .withPriority(7)
                .withName("Order 1")
                .withTags("b", "a")
                .withMaxAttempts(5)
                .withQueue("money"));
        assertThat(enqueued.state()).isEqualTo(JobState.PENDING);
        assertThat(enqueued.deduplicated()).isFalse();
        JobInfo job = history(enqueued).job();
        assertThat(job.type()).isEqualTo("order.pay");
        assertThat(job.queue()).isEqualTo("money");
        assertThat(job.priority()).isEqualTo(7);
        assertThat(job.name()).isEqualTo("Order 1");
        assertThat(job.tags()).containsExactly("a", "b");
        assertThat(job.maxAttempts()).isEqualTo(5);
        assertThat(history(enqueued).payload()).isEqualTo(new Json("{\"id\":\"o-1\",\"amount\":3}"));
        assertThat(history(enqueued).events().get(0).actor()).isEqualTo("api");
    }

    @Test
    void delaysAndPastInstantsDecideTheFirstState() {
        assertThat(windrow.enqueue(ECHO.job(new Json("1")).withDelay(Duration.ofSeconds(1)))
                        .state())
                .isEqualTo(JobState.SCHEDULED);
        assertThat(windrow.enqueue(ECHO.job(new Json("1")).withDelay(Duration.ZERO))
                        .state())
                .isEqualTo(JobState.PENDING);
        assertThat(windrow.enqueue(ECHO.job(new Json("1")).withRunAt(Instant.EPOCH))
                        .state())
                .isEqualTo(JobState.PENDING);
        assertThat(windrow.enqueue(ECHO.job(new Json("1")).withRunAt(time.now().plusSeconds(9)))
                        .state())
                .isEqualTo(JobState.SCHEDULED);
        JobRef<Json> parent = enqueue(ECHO);
        assertThat(windrow.enqueue(ECHO.job(new Json("1")).withParents(parent)).state())
                .isEqualTo(JobState.BLOCKED);
    }

    @Test
    void manyJobsAreEnqueuedInOrderOrNotAtAll() {
        List<JobRequest<Json, Json>> jobs = new ArrayList<>();
        for (int i = 0; i < 250; i++) {
            jobs.add(ECHO.job(new Json(Integer.toString(i))));
        }
        List<Enqueued<?>> enqueued = windrow.enqueueAll(jobs);
        assertThat(enqueued).hasSize(250);
        for (int i = 0; i < 250; i++) {
            assertThat(history(enqueued.get(i)).payload()).isEqualTo(new Json(Integer.toString(i)));
        }
        jobs.add(ECHO.job(new Json("1")).withParents(ECHO.ref(99_999)));
        assertThatThrownBy(() -> windrow.enqueueAll(jobs))
                .isInstanceOf(JobNotFoundException.class)
                .hasMessageContaining("99999");
        assertThat(windrow.monitor().statistics().states()).containsEntry(JobState.PENDING, 250L);
        assertThat(windrow.enqueueAll(List.of())).isEmpty();
    }

    @Test
    void aPayloadThatCannotBeStoredIsRefusedAndNothingIsWritten() {
        JobType<Object, Void> any = JobType.of("test.any", Object.class);
        List<Object> endless = new ArrayList<>();
        endless.add(endless);
        assertThatThrownBy(() -> windrow.enqueue(any, endless))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("java.lang.Object");
        assertThatThrownBy(() -> windrow.enqueue(ECHO, new Json("[".repeat(501))))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("501");
        assertThatThrownBy(() -> windrow.enqueueAll(List.of(ECHO.job(new Json("1")), any.job(endless))))
                .isInstanceOf(InvalidRequestException.class);
        assertThatThrownBy(() -> windrow.enqueueAsync(any.job(endless))).isInstanceOf(InvalidRequestException.class);
        assertThat(windrow.jobs(JobFilter.ALL).newestFirst().limit(10).page().jobs())
                .isEmpty();
    }

    @Test
    void anAsynchronousEnqueueCompletesAfterTheCommitAndNotOnTheStoresThread() throws Exception {
        AtomicReference<String> thread = new AtomicReference<>();
        Enqueued<Json> enqueued = windrow.enqueueAsync(ECHO.job(new Json("1")))
                .whenComplete(
                        (done, failure) -> thread.set(Thread.currentThread().getName()))
                .toCompletableFuture()
                .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(state(enqueued)).isEqualTo(JobState.PENDING);
        assertThat(kind.tasks()).noneMatch(prefix -> thread.get().startsWith(prefix));
        until(() -> told(WindrowEvent.JobsEnqueued.class).size() == 1);
        CompletableFuture<Enqueued<Json>> failing = windrow.enqueueAsync(
                        ECHO.job(new Json("1")).withParents(ECHO.ref(99_999)))
                .toCompletableFuture();
        assertThatThrownBy(() -> failing.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .hasCauseInstanceOf(JobNotFoundException.class);
    }

    @Test
    void aJobOfTheCallersTransactionCommitsAndRollsBackWithIt() throws Exception {
        Windrow real = closing(Windrow.open(newStore()));
        real.worker().handle(ECHO, (input, job) -> input).start();
        JobRef<Json> kept;
        try (Connection connection = target.begin()) {
            JobRef<Json> dropped = real.on(connection).enqueue(ECHO, new Json("1"));
            connection.rollback();
            assertThat(real.job(dropped).exists()).isFalse();
            kept = real.on(connection).enqueue(ECHO, new Json("2"));
            assertThat(real.job(kept).exists()).isFalse();
            connection.commit();
        }
        assertThat(real.await(kept, PATIENCE)).isEqualTo(new Json("2"));
    }

    @Test
    void anInterruptedVerbThrowsOutcomeUnknownAndKeepsTheInterruptFlag() {
        // Without the gate, the answer could exist before the caller waits for it.
        CompletableFuture<Void> gate = new CompletableFuture<>();
        faults.enqueue = real -> jobs -> gate.thenCompose(open -> real.apply(jobs));
        Thread.currentThread().interrupt();
        try {
            assertThatThrownBy(() -> enqueue(ECHO))
                    .isInstanceOf(OutcomeUnknownException.class)
                    .hasMessageContaining("it may or may not be written");
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
        } finally {
            Thread.interrupted();
        }
        gate.complete(null);
        until(() -> windrow.jobs(JobFilter.ALL)
                        .newestFirst()
                        .limit(10)
                        .page()
                        .jobs()
                        .size()
                == 1);
    }

    // ---- changes ----------------------------------------------------------------------------------------------------

    @Test
    void cancelledJobsCanBeRetriedAllOrNone() {
        JobRef<Json> one = enqueue(ECHO);
        JobRef<Json> two = enqueue(ECHO);
        windrow.job(one).cancel();
        assertThat(state(one)).isEqualTo(JobState.CANCELLED);
        assertThatThrownBy(() -> windrow.jobs(List.of(two, one)).cancel())
                .isInstanceOf(TransitionRefusedException.class)
                .hasMessageContaining(one.toString());
        assertThat(state(two)).isEqualTo(JobState.PENDING);
        assertThatThrownBy(() -> windrow.jobs(List.of(two, ECHO.ref(99_999))).cancel())
                .isInstanceOf(JobNotFoundException.class);
        windrow.job(one).retry(Retry.attempts(7));
        assertThat(state(one)).isEqualTo(JobState.PENDING);
        assertThat(history(one).job().maxAttempts()).isEqualTo(7);
        assertThatThrownBy(() -> windrow.job(one).retry(Retry.attempts(0))).isInstanceOf(InvalidRequestException.class);
        windrow.jobs(List.of()).cancel();
    }

    @Test
    void aFilterChangesEveryJobThatItCan() {
        for (int i = 0; i < 5; i++) {
            enqueue(ECHO);
        }
        JobRef<Json> other = enqueue(JobType.raw("test.other"));
        JobFilter filter = JobFilter.ALL.withType(ECHO.name());
        BulkResult dry = windrow.jobs(filter).preview().cancel();
        assertThat(dry.count()).isEqualTo(5);
        assertThat(windrow.monitor().statistics().states()).containsEntry(JobState.PENDING, 6L);
        assertThat(windrow.jobs(filter).cancel()).isEqualTo(dry);
        assertThat(state(other)).isEqualTo(JobState.PENDING);
        assertThat(windrow.jobs(filter).cancel().count()).isZero();
        assertThat(windrow.jobs(JobFilter.inState(JobState.CANCELLED))
                        .retry(Retry.attempts(2))
                        .count())
                .isEqualTo(5);
        assertThat(windrow.monitor().statistics().states()).containsEntry(JobState.PENDING, 6L);
    }

    @Test
    void aFilterChangesAtMostTheAllowedNumberOfJobs() {
        for (int i = 0; i < 5; i++) {
            enqueue(ECHO);
        }
        JobSelection three = windrow.jobs(JobFilter.ALL).withMaxJobs(3);
        assertThat(three.preview().cancel().count()).isEqualTo(3);
        assertThat(windrow.jobs(JobFilter.ALL).preview().withMaxJobs(3).cancel().count())
                .isEqualTo(3);
        assertThat(windrow.monitor().statistics().states()).containsEntry(JobState.PENDING, 5L);
        assertThat(three.cancel().count()).isEqualTo(3);
        assertThat(three.delete().count()).isEqualTo(3);
        assertThat(windrow.monitor().statistics().states()).containsEntry(JobState.PENDING, 2L);
        assertThatThrownBy(() -> three.withMaxJobs(0))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessage("max jobs 0 is not allowed: 1 to 2147483647");
    }

    @Test
    void aListingHasPagesNewestFirst() {
        for (int i = 0; i < 5; i++) {
            enqueue(ECHO);
        }
        List<Long> ids = new ArrayList<>();
        JobQuery query = windrow.jobs(JobFilter.ALL).newestFirst().limit(2);
        JobPage page = query.page();
        page.jobs().forEach(job -> ids.add(job.id()));
        while (page.next() != null) {
            page = query.after(page.next()).page();
            page.jobs().forEach(job -> ids.add(job.id()));
        }
        assertThat(ids).hasSize(5).isSortedAccordingTo((a, b) -> Long.compare(b, a));
        assertThatThrownBy(
                        () -> windrow.jobs(JobFilter.ALL).newestFirst().limit(0).page())
                .isInstanceOf(InvalidRequestException.class);
        assertThatThrownBy(() ->
                        windrow.jobs(JobFilter.ALL).newestFirst().limit(1001).page())
                .isInstanceOf(InvalidRequestException.class);
    }

    // ---- await ------------------------------------------------------------------------------------------------------

    @Test
    void aResultIsAwaitedInItsGenericType() {
        start(worker().handle(ORDER, (order, job) -> List.of(order.id(), Integer.toString(order.amount()))));
        JobRef<List<String>> job = windrow.enqueue(ORDER, new Order("o", 5));
        assertThat(windrow.await(job, FOREVER)).containsExactly("o", "5");
        assertThat(windrow.await(job, Duration.ZERO)).containsExactly("o", "5");
    }

    @Test
    void aFailedJobIsAwaitedAsAnExceptionWithItsCode() {
        start(worker().handle(ECHO, (input, job) -> {
            throw JobFailure.permanent("DEPENDENCY:GONE", "nothing there");
        }));
        JobRef<Json> job = enqueue(ECHO);
        assertThatThrownBy(() -> windrow.await(job, FOREVER))
                .isInstanceOfSatisfying(JobUnsuccessfulException.class, e -> {
                    assertThat(e.id()).isEqualTo(job.id());
                    assertThat(e.state()).isEqualTo(JobState.FAILED);
                    assertThat(e.errorCode()).isEqualTo("DEPENDENCY:GONE");
                    assertThat(e.errorDetail()).isEqualTo("nothing there");
                    assertThat(e.handlerStackTrace()).isNull();
                    assertThat(e).hasMessage("job %d ended FAILED (DEPENDENCY:GONE): nothing there", job.id());
                });
    }

    @Test
    void aFailedJobIsAwaitedAsAnExceptionWithItsHandlersException() {
        start(worker().handle(ECHO, (input, job) -> {
            throw new IllegalStateException("disk full", new ArithmeticException("below"));
        }));
        JobRef<Json> job = windrow.enqueue(ECHO.job(new Json("1")).withMaxAttempts(1));
        assertThatThrownBy(() -> windrow.await(job, FOREVER))
                .hasMessageContaining("(INTERNAL:EXCEPTION): java.lang.IllegalStateException: disk full")
                .isInstanceOfSatisfying(
                        JobUnsuccessfulException.class,
                        e -> assertThat(e.handlerStackTrace())
                                .contains("disk full", "Caused by: java.lang.ArithmeticException: below"));
    }

    @Test
    void awaitReportsOutcomeOrTimeoutEvenIfTheJobCannotBeRead() {
        start(worker().handle(ECHO, (input, job) -> {
            throw JobFailure.permanent("DEPENDENCY:GONE", "nothing there");
        }));
        JobRef<Json> failed = enqueue(ECHO);
        untilState(failed, JobState.FAILED);
        JobRef<Json> later = windrow.enqueue(ECHO.job(new Json("1")).withDelay(Duration.ofDays(1)));
        faults.unreadable = true;
        assertThatThrownBy(() -> windrow.await(failed, FOREVER))
                .isInstanceOf(JobUnsuccessfulException.class)
                .hasMessage("job %d ended FAILED (DEPENDENCY:GONE)", failed.id());
        assertThatThrownBy(() -> windrow.await(later, Duration.ZERO))
                .isInstanceOf(AwaitTimeoutException.class)
                .hasMessageContaining("it is SCHEDULED");
        faults.unreadable = false;
    }

    /** A class with private fields, of which the codec sees none. */
    static final class Hidden {
        @SuppressWarnings("UnusedVariable") // the field is unused on purpose
        private final String file = "cat.jpg";
    }

    @Test
    void anInputOrResultThatWouldBeStoredEmptyIsRefusedAndNothingIsWritten() {
        JobType<Hidden, Void> input = JobType.of("test.input", Hidden.class);
        JobType<String, Hidden> result = JobType.of("test.result", String.class, Hidden.class);
        for (ThrowingCallable refused : List.<ThrowingCallable>of(
                () -> windrow.enqueue(input, new Hidden()),
                () -> windrow.enqueueAll(List.of(ECHO.job(null), input.job(new Hidden()))),
                () -> worker().handle(input, (hidden, job) -> null))) {
            assertThatThrownBy(refused)
                    .isInstanceOf(InvalidRequestException.class)
                    .hasMessageContaining(
                            "input of job type 'test.input': " + Hidden.class.getName() + " would be stored as {}");
        }
        for (ThrowingCallable refused : List.<ThrowingCallable>of(
                () -> windrow.enqueue(result, "x"), () -> worker().handle(result, (text, job) -> new Hidden()))) {
            assertThatThrownBy(refused)
                    .isInstanceOf(InvalidRequestException.class)
                    .hasMessageContaining("result of job type 'test.result'");
        }
        assertThat(windrow.jobs(JobFilter.ALL).newestFirst().limit(10).page().jobs())
                .isEmpty();
    }

    @Test
    void aCancelledJobIsAwaitedAsAnException() {
        JobRef<Json> job = enqueue(ECHO);
        CompletableFuture<Json> waiting = onItsOwnThread(() -> windrow.await(job, FOREVER));
        windrow.job(job).cancel();
        assertThatThrownBy(() -> waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .cause()
                .isInstanceOfSatisfying(
                        JobUnsuccessfulException.class,
                        e -> assertThat(e.state()).isEqualTo(JobState.CANCELLED));
    }

    @Test
    void aWaitThatTimesOutLeavesTheJobUnchanged() {
        JobRef<Json> job = enqueue(ECHO);
        CompletableFuture<Json> waiting = onItsOwnThread(() -> windrow.await(job, Duration.ofMinutes(1)));
        runClock(Duration.ofSeconds(5), 11);
        assertThat(waiting).isNotDone();
        runClockUntil(Duration.ofSeconds(1), waiting::isDone);
        assertThatThrownBy(waiting::join)
                .cause()
                .isInstanceOf(AwaitTimeoutException.class)
                .hasMessageContaining(job.toString())
                .hasMessageContaining(
                        "it is PENDING: no live worker serves queue 'default' (windrow work --queue default)");
        assertThat(state(job)).isEqualTo(JobState.PENDING);
        assertThatThrownBy(() -> windrow.await(job, Duration.ZERO)).isInstanceOf(AwaitTimeoutException.class);
    }

    @Test
    void aJobIsExplainedByItsHandle() {
        JobRef<Json> job = enqueue(ECHO);
        Explanation explanation = windrow.job(job).explain();
        assertThat(explanation.id()).isEqualTo(job.id());
        assertThat(explanation.state()).isEqualTo(JobState.PENDING);
        assertThat(explanation.reasons())
                .extracting(Explanation.Reason::kind)
                .containsExactly(Explanation.Kind.QUEUE_NOT_SERVED, Explanation.Kind.TYPE_NOT_HANDLED);
        assertThatThrownBy(() -> windrow.job(JobRef.raw(job.id() + 1)).explain())
                .isInstanceOf(JobNotFoundException.class);
    }

    @Test
    void aJobThatDoesNotExistCannotBeAwaited() {
        assertThatThrownBy(() -> windrow.await(ECHO.ref(99_999), FOREVER)).isInstanceOf(JobNotFoundException.class);
    }

    @Test
    void aJobThatEndsInAnotherProcessIsAwaitedByPolling() {
        JobRef<Json> job = enqueue(ECHO);
        CompletableFuture<Json> waiting = onItsOwnThread(() -> windrow.await(job, FOREVER));
        faults.deaf = true;
        Windrow other = open(newStore());
        start(other.worker().handle(ECHO, (input, context) -> input));
        runClockUntil(Duration.ofMillis(50), waiting::isDone);
        assertThat(waiting.join()).isEqualTo(new Json("{}"));
    }

    @Test
    void aResultThatDoesNotFitItsTypeThrowsAClearError() {
        start(worker().handle(ECHO, (input, job) -> new Json("\"no list\"")));
        JobRef<Json> job = enqueue(ECHO);
        assertThat(windrow.await(job, FOREVER)).isEqualTo(new Json("\"no list\""));
        assertThatThrownBy(() -> windrow.await(ORDER.ref(job.id()), FOREVER))
                .isInstanceOf(WindrowException.class)
                .hasMessageContaining("does not fit");
    }

    @Test
    void anInterruptedWaitEndsAndKeepsTheInterruptFlag() throws Exception {
        JobRef<Json> job = enqueue(ECHO);
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        AtomicReference<Boolean> flag = new AtomicReference<>();
        Thread waiter = new Thread(() -> {
            try {
                windrow.await(job, FOREVER);
            } catch (WindrowException e) {
                thrown.set(e);
                flag.set(Thread.currentThread().isInterrupted());
            }
        });
        waiter.start();
        waiter.interrupt();
        waiter.join(PATIENCE.toMillis());
        assertThat(thrown.get()).isInstanceOf(WindrowException.class).isNotInstanceOf(OutcomeUnknownException.class);
        assertThat(flag.get()).isTrue();
    }
}
