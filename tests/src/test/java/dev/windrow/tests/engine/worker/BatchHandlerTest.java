package dev.windrow.tests.engine.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.AttemptOutcome;
import dev.windrow.BatchHandler;
import dev.windrow.BatchItem;
import dev.windrow.ErrorCodes;
import dev.windrow.EventKind;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobContext;
import dev.windrow.JobFailure;
import dev.windrow.JobHistory;
import dev.windrow.JobRef;
import dev.windrow.JobRequest;
import dev.windrow.JobSnooze;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.Middleware;
import dev.windrow.RetryPolicy;
import dev.windrow.StoreUnavailableException;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.monitor.Tracing;
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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Handlers that take several jobs in one call. */
@OnEachStore
class BatchHandlerTest extends EngineTest {
    private static final JobType<Json, Json> WRITE =
            JobType.raw("test.write").withRetry(RetryPolicy.fixed(Duration.ofMinutes(1)));
    private static final JobType<Json, @Nullable Void> SEND = JobType.of("test.send", Json.class);
    private static final Duration LONG = Duration.ofSeconds(10);

    private final List<List<Long>> calls = new CopyOnWriteArrayList<>();
    private final CountDownLatch started = new CountDownLatch(1);
    private final CountDownLatch finish = new CountDownLatch(1);

    /** Records the jobs of a call. */
    private void called(List<? extends BatchItem<?, ?>> jobs) {
        calls.add(jobs.stream().map(job -> job.job().id()).toList());
        started.countDown();
    }

    private void echo(List<BatchItem<Json, Json>> jobs) {
        called(jobs);
        jobs.forEach(job -> job.complete(job.input()));
    }

    private List<JobRef<Json>> enqueue(int count) {
        List<JobRequest<Json, Json>> requests = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            requests.add(WRITE.job(new Json(Integer.toString(i))));
        }
        return windrow.enqueueAll(requests).stream()
                .map(job -> WRITE.ref(job.id()))
                .toList();
    }

    private static List<Long> ids(List<? extends JobRef<?>> jobs) {
        return jobs.stream().map(JobRef::id).toList();
    }

    private Worker batches(int max, Duration linger, BatchHandler<Json, Json> handler) {
        return start(worker().concurrency(1).handleBatch(WRITE, max, linger, handler));
    }

    /** A handler that waits for permission, or for an interrupt. */
    private void waiting(List<BatchItem<Json, Json>> jobs) throws InterruptedException {
        called(jobs);
        finish.await();
        jobs.forEach(job -> job.complete(job.input()));
    }

    private static void untilWaiting(String thread) {
        until(() -> Thread.getAllStackTraces().keySet().stream()
                .anyMatch(each -> each.getName().equals(thread) && each.getState() == Thread.State.WAITING));
    }

    private List<AttemptOutcome> outcomes(JobRef<?> job) {
        return history(job).attempts().stream().map(JobHistory.Attempt::outcome).toList();
    }

    @Test
    void jobsThatWaitAreHandledInOneCallOnOneSlot() {
        List<JobRef<Json>> jobs = enqueue(30);
        Worker worker = batches(100, Duration.ZERO, this::echo);
        for (int i = 0; i < 30; i++) {
            assertThat(windrow.await(jobs.get(i), PATIENCE)).isEqualTo(new Json(Integer.toString(i)));
        }
        assertThat(calls).containsExactly(ids(jobs));
        assertThat(eventsOf(jobs.get(7)))
                .containsExactly(EventKind.ENQUEUED, EventKind.CLAIMED, EventKind.STARTED, EventKind.SUCCEEDED);
        assertThat(history(jobs.get(7)).attempts())
                .singleElement()
                .satisfies(attempt -> assertThat(attempt.attempt()).isEqualTo(1));
        until(() -> worker.totals().completed() == 30);
        assertThat(told(WindrowEvent.AttemptStarted.class)).hasSize(30);
    }

    @Test
    void noCallHasMoreThanTheMostJobs() {
        List<JobRef<Json>> jobs = enqueue(25);
        batches(10, Duration.ZERO, this::echo);
        jobs.forEach(job -> untilState(job, JobState.COMPLETED));
        assertThat(calls)
                .hasSizeGreaterThanOrEqualTo(3)
                .allSatisfy(call -> assertThat(call).hasSizeLessThanOrEqualTo(10));
        assertThat(calls.stream().flatMap(List::stream)).containsExactlyElementsOf(ids(jobs));
    }

    @Test
    void jobsThatAreClaimedTogetherForTwoSlotsAreHandledInTwoCalls() {
        List<JobRef<Json>> jobs = enqueue(20);
        start(worker().concurrency(2).handleBatch(WRITE, 10, Duration.ZERO, this::echo));
        jobs.forEach(job -> untilState(job, JobState.COMPLETED));
        assertThat(calls).allSatisfy(call -> assertThat(call).hasSizeLessThanOrEqualTo(10));
        assertThat(calls.stream().flatMap(List::stream)).containsExactlyInAnyOrderElementsOf(ids(jobs));
    }

    @Test
    void aBatchWaitsForFurtherJobsUntilItIsFullOrItsFirstJobHasWaited() {
        batches(3, LONG, this::echo);
        JobRef<Json> first = enqueue(1).get(0);
        untilState(first, JobState.RUNNING);
        runClock(Duration.ofSeconds(1), 6);
        JobRef<Json> second = enqueue(1).get(0);
        untilState(second, JobState.RUNNING);
        runClock(Duration.ofSeconds(1), 3);
        assertThat(calls).as("the first one has waited for 9 s").isEmpty();
        runClockUntil(Duration.ofSeconds(1), () -> state(second) == JobState.COMPLETED);
        assertThat(calls).containsExactly(List.of(first.id(), second.id()));
        List<JobRef<Json>> three = enqueue(3);
        three.forEach(job -> untilState(job, JobState.COMPLETED));
        assertThat(calls).hasSize(2).last().isEqualTo(ids(three));
    }

    @Test
    void aJobThatIsCancelledWhileItWaitsDoesNotStartTheCallOfTheOthers() {
        batches(3, LONG, this::echo);
        JobRef<Json> first = enqueue(1).get(0);
        untilState(first, JobState.RUNNING);
        runClock(Duration.ofSeconds(1), 6);
        JobRef<Json> second = enqueue(1).get(0);
        untilState(second, JobState.RUNNING);
        windrow.job(first).cancel();
        untilState(first, JobState.CANCELLED);
        runClock(Duration.ofSeconds(1), 9);
        assertThat(calls).as("the second one has waited for 9 s").isEmpty();
        runClockUntil(Duration.ofSeconds(1), () -> state(second) == JobState.COMPLETED);
        assertThat(calls).containsExactly(List.of(second.id()));
    }

    /** Enqueues two jobs, one after the other. The worker claims the second one when it has put the first one, which is returned, into its batch. */
    private JobRef<Json> enqueueAndGather() {
        JobRef<Json> job = enqueue(1).get(0);
        untilState(job, JobState.RUNNING);
        untilState(enqueue(1).get(0), JobState.RUNNING);
        return job;
    }

    @Test
    void aCallThatWaitsForASlotIsMadeOnce() {
        CountDownLatch finishSecond = new CountDownLatch(1);
        batches(10, LONG, batch -> {
            called(batch);
            (calls.size() == 1 ? finish : finishSecond).await();
            batch.forEach(job -> job.complete(job.input()));
        });
        enqueue(1);
        runClockUntil(Duration.ofSeconds(1), () -> calls.size() == 1);
        JobRef<Json> due = enqueueAndGather();
        runClock(Duration.ofSeconds(1), 12);
        // The call of that job waits for the slot. The next job joins it.
        JobRef<Json> joins = enqueueAndGather();
        finish.countDown();
        until(() -> calls.size() == 2);
        assertThat(calls.get(1)).contains(due.id(), joins.id());
        JobRef<Json> last = enqueueAndGather();
        finishSecond.countDown();
        untilState(joins, JobState.COMPLETED);
        runClock(Duration.ofSeconds(1), 9);
        assertThat(calls).as("the last job has waited for 9 s").hasSize(2);
        runClockUntil(Duration.ofSeconds(1), () -> state(last) == JobState.COMPLETED);
    }

    @Test
    void aBatchFillsUpWhileAllSlotsAreBusy() {
        batches(100, Duration.ZERO, this::waiting);
        JobRef<Json> first = enqueue(1).get(0);
        take(started);
        List<JobRef<Json>> others = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            others.addAll(enqueue(1));
        }
        others.forEach(job -> untilState(job, JobState.RUNNING));
        finish.countDown();
        others.forEach(job -> untilState(job, JobState.COMPLETED));
        assertThat(calls).containsExactly(List.of(first.id()), ids(others));
    }

    @Test
    void eachJobHasItsOwnOutcome() {
        List<JobRef<Json>> jobs = enqueue(6);
        batches(10, Duration.ZERO, batch -> {
            if (calls.isEmpty()) {
                called(batch);
                batch.get(0).complete(new Json("\"good\""));
                batch.get(1).fail(JobFailure.permanent("PROVIDER:REFUSED", "no"));
                batch.get(2).fail(new IllegalStateException("again"));
                batch.get(3).fail(JobSnooze.after(Duration.ofMinutes(5)));
                batch.get(4).job().continueWith(ECHO.job(new Json("4")));
                batch.get(4).complete(new Json("\"and on\""));
            }
        });
        untilState(jobs.get(0), JobState.COMPLETED);
        assertThat(history(jobs.get(0)).result()).isEqualTo(new Json("\"good\""));
        untilState(jobs.get(1), JobState.FAILED);
        assertThat(history(jobs.get(1)).job().errorCode()).isEqualTo("PROVIDER:REFUSED");
        untilState(jobs.get(2), JobState.SCHEDULED);
        assertThat(history(jobs.get(2)).job().errorCode()).isEqualTo(ErrorCodes.INTERNAL_EXCEPTION);
        untilState(jobs.get(3), JobState.SCHEDULED);
        assertThat(outcomes(jobs.get(3))).containsExactly(AttemptOutcome.SNOOZED);
        untilState(jobs.get(4), JobState.COMPLETED);
        assertThat(windrow.job(jobs.get(4)).chain().jobs()).hasSize(2);
        untilState(jobs.get(5), JobState.SCHEDULED);
        assertThat(history(jobs.get(5)).job().errorCode())
                .as("the handler forgot it")
                .isEqualTo(ErrorCodes.NO_OUTCOME);
    }

    @Test
    void jobsWithoutAResultAreCompletedByTheReturnOfTheHandler() {
        AtomicReference<Throwable> refused = new AtomicReference<>();
        List<JobRef<@Nullable Void>> jobs = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            jobs.add(windrow.enqueue(SEND, new Json("1")));
        }
        start(worker().handleBatch(SEND, 10, Duration.ZERO, batch -> {
            called(batch);
            batch.get(0).complete();
            batch.get(1).fail(JobFailure.permanent("A:B"));
            try {
                batch.get(1).complete();
            } catch (InvalidRequestException e) {
                refused.set(e);
            }
        }));
        untilState(jobs.get(0), JobState.COMPLETED);
        untilState(jobs.get(1), JobState.FAILED);
        untilState(jobs.get(2), JobState.COMPLETED);
        assertThat(refused.get())
                .hasMessage(
                        "job %d (test.send, attempt 1) has an outcome already",
                        jobs.get(1).id());
    }

    @Test
    void aJobThatWasEndedInATransactionNeedsNoOtherOutcome() {
        List<JobRef<Json>> jobs = enqueue(2);
        Worker worker = batches(10, Duration.ZERO, batch -> {
            called(batch);
            for (BatchItem<Json, Json> item : batch) {
                windrow.inTransaction(connection -> {
                    item.job().on(connection).complete(item.input());
                    return item;
                });
            }
        });
        for (int i = 0; i < 2; i++) {
            assertThat(windrow.await(jobs.get(i), PATIENCE)).isEqualTo(new Json(Integer.toString(i)));
        }
        until(() -> told(WindrowEvent.AttemptEnded.class).size() == 2);
        assertThat(worker.totals().completed()).isEqualTo(2);
        assertThat(told(WindrowEvent.AttemptLost.class)).isEmpty();
    }

    @Test
    void anExceptionOfTheHandlerFailsTheJobsWithoutAnOutcome() {
        List<JobRef<Json>> jobs = enqueue(2);
        JobRef<Json> once = WRITE.ref(
                windrow.enqueue(WRITE.job(new Json("2")).withMaxAttempts(1)).id());
        batches(10, Duration.ZERO, batch -> {
            batch.get(0).complete(batch.get(0).input());
            assertThatThrownBy(() -> batch.get(1).complete())
                    .isInstanceOf(InvalidRequestException.class)
                    .hasMessageContaining("needs a result");
            Exception none = null;
            assertThatThrownBy(() -> batch.get(1).fail(none)).isInstanceOf(NullPointerException.class);
            assertThatThrownBy(() -> batch.get(1).job().sleep("a", Duration.ofDays(1)))
                    .isInstanceOf(InvalidRequestException.class)
                    .hasMessageContaining("is in a batch");
            throw JobFailure.retryable("PROVIDER:DOWN", "503");
        });
        untilState(jobs.get(0), JobState.COMPLETED);
        untilState(jobs.get(1), JobState.SCHEDULED);
        untilState(once, JobState.FAILED);
        assertThat(List.of(jobs.get(1), once))
                .allSatisfy(job -> assertThat(history(job).job().errorCode()).isEqualTo("PROVIDER:DOWN"));
    }

    @Test
    void aJobWhosePayloadCannotBeDecodedFailsAlone() {
        JobType<Integer, Integer> number = JobType.of("test.number", Integer.class, Integer.class);
        JobRef<Json> bad = windrow.enqueue(JobType.raw("test.number"), new Json("{}"));
        JobRef<Integer> good = windrow.enqueue(number, 7);
        start(worker().concurrency(1).handleBatch(number, 10, Duration.ZERO, batch -> {
            called(batch);
            batch.forEach(job -> job.complete(job.input() + 1));
        }));
        assertThat(windrow.await(good, PATIENCE)).isEqualTo(8);
        untilState(bad, JobState.FAILED);
        assertThat(history(bad).job().errorCode()).isEqualTo(ErrorCodes.INVALID_PAYLOAD);
        assertThat(calls).containsExactly(List.of(good.id()));
    }

    @Test
    void theHandlerIsInterruptedOnlyWhenAllItsJobsAreToStop() {
        List<JobRef<Json>> jobs = enqueue(3);
        CountDownLatch cancelled = new CountDownLatch(1);
        AtomicBoolean interrupted = new AtomicBoolean();
        batches(10, Duration.ZERO, batch -> {
            called(batch);
            batch.get(2).complete(batch.get(2).input());
            while (!batch.get(0).job().isCancelRequested()) {
                Thread.onSpinWait();
            }
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
            assertThat(batch.get(1).job().shouldStop()).isFalse();
            cancelled.countDown();
            try {
                finish.await();
            } catch (InterruptedException e) {
                interrupted.set(true);
                throw e;
            }
        });
        take(started);
        untilState(jobs.get(2), JobState.COMPLETED);
        windrow.job(jobs.get(0)).cancel();
        take(cancelled);
        runClock(Duration.ofSeconds(5), 4);
        assertThat(state(jobs.get(0))).as("nothing has interrupted it").isEqualTo(JobState.RUNNING);
        windrow.job(jobs.get(1)).cancel();
        untilState(jobs.get(0), JobState.CANCELLED);
        untilState(jobs.get(1), JobState.CANCELLED);
        assertThat(interrupted).isTrue();
        // No interrupt is pending on the thread of the next call.
        finish.countDown();
        assertThat(state(jobs.get(2))).isEqualTo(JobState.COMPLETED);
    }

    @Test
    void anOutcomeThatLeavesOnlyCancelledJobsInterruptsTheHandler() {
        List<JobRef<Json>> jobs = enqueue(2);
        batches(10, Duration.ZERO, batch -> {
            called(batch);
            while (!batch.get(0).job().isCancelRequested()) {
                Thread.onSpinWait();
            }
            batch.get(1).complete(batch.get(1).input());
            finish.await();
        });
        take(started);
        windrow.job(jobs.get(0)).cancel();
        untilState(jobs.get(0), JobState.CANCELLED);
        untilState(jobs.get(1), JobState.COMPLETED);
    }

    /** A payload whose decoding waits. */
    record Slow(boolean waits) {
        static volatile CountDownLatch go = new CountDownLatch(0);

        Slow {
            if (waits) {
                take(go);
                throw new IllegalArgumentException("bad");
            }
        }
    }

    @Test
    void anUndecodableJobThatLeavesOnlyCancelledJobsInterruptsTheHandler() {
        Slow.go = new CountDownLatch(1);
        JobType<Slow, @Nullable Void> slow = JobType.of("test.slow", Slow.class);
        JobType<Json, Json> raw = JobType.raw("test.slow");
        JobRef<Json> good = windrow.enqueue(raw, new Json("{\"waits\":false}"));
        JobRef<Json> bad = windrow.enqueue(raw, new Json("{\"waits\":true}"));
        start(worker().concurrency(2)
                .handleBatch(slow, 10, Duration.ZERO, batch -> finish.await())
                .handle(ECHO, (input, job) -> {
                    started.countDown();
                    while (!job.isCancelRequested()) {
                        Thread.onSpinWait();
                    }
                    Slow.go.countDown();
                    return input;
                }));
        until(() -> !told(WindrowEvent.AttemptStarted.class).isEmpty());
        JobRef<Json> observer = enqueue(ECHO);
        take(started);
        windrow.job(good).cancel();
        // The worker sees the requests in their order.
        windrow.job(observer).cancel();
        untilState(good, JobState.CANCELLED);
        untilState(bad, JobState.FAILED);
    }

    /** A payload whose decoding waits, and ends well. */
    record Patient(boolean waits) {
        static volatile CountDownLatch begun = new CountDownLatch(0);
        static volatile CountDownLatch go = new CountDownLatch(0);

        Patient {
            if (waits) {
                begun.countDown();
                take(go);
            }
        }
    }

    @Test
    void aJobThatIsCancelledWhileItIsDecodedDoesNotReachTheHandler() {
        Patient.begun = new CountDownLatch(1);
        Patient.go = new CountDownLatch(1);
        JobType<Patient, @Nullable Void> patient = JobType.of("test.patient", Patient.class);
        JobType<Json, Json> raw = JobType.raw("test.patient");
        JobRef<Json> cancelled = windrow.enqueue(raw, new Json("{\"waits\":true}"));
        JobRef<Json> good = windrow.enqueue(raw, new Json("{\"waits\":false}"));
        start(worker().concurrency(2)
                .handleBatch(patient, 10, Duration.ZERO, this::called)
                .handle(ECHO, (input, job) -> {
                    started.countDown();
                    while (!job.isCancelRequested()) {
                        Thread.onSpinWait();
                    }
                    Patient.go.countDown();
                    return input;
                }));
        take(Patient.begun);
        JobRef<Json> observer = enqueue(ECHO);
        take(started);
        windrow.job(cancelled).cancel();
        // The worker sees the requests in their order.
        windrow.job(observer).cancel();
        untilState(good, JobState.COMPLETED);
        untilState(cancelled, JobState.CANCELLED);
        assertThat(calls).containsExactly(List.of(good.id()));
    }

    @Test
    void aCallThatIgnoresTheInterruptOfItsOwnOutcomeIsGivenUp() {
        List<JobRef<Json>> jobs = enqueue(2);
        CountDownLatch cancelled = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        // No renewal makes the watch look in the meantime.
        Worker worker = start(worker().lease(Duration.ofMinutes(10))
                .concurrency(1)
                .handleBatch(WRITE, 10, Duration.ZERO, batch -> {
                    called(batch);
                    while (!batch.get(0).job().isCancelRequested()) {
                        Thread.onSpinWait();
                    }
                    cancelled.countDown();
                    take(end);
                    batch.get(1).complete(batch.get(1).input());
                    if (Thread.currentThread().isInterrupted()) {
                        interrupted.countDown();
                    }
                    while (finish.getCount() > 0) {
                        Thread.onSpinWait();
                    }
                }));
        take(started);
        windrow.job(jobs.get(0)).cancel();
        take(cancelled);
        // The watch has seen the request, and no interrupt. The store does not repeat the request.
        faults.deaf = true;
        untilWaiting("windrow-watch-" + worker.name());
        runClock(Duration.ofSeconds(1), 9);
        end.countDown();
        take(interrupted);
        runClock(Duration.ofSeconds(1), 8);
        assertThat(told(WindrowEvent.HandlerStuck.class))
                .as("it was interrupted 8 s ago")
                .isEmpty();
        runClock(Duration.ofSeconds(1), 3);
        untilState(jobs.get(0), JobState.CANCELLED);
        finish.countDown();
    }

    @Test
    void anInterruptForOtherJobsDoesNotChangeAnOutcome() {
        List<JobRef<Json>> jobs = enqueue(1);
        AtomicBoolean interrupted = new AtomicBoolean();
        Json blob = new Json("\"" + "x".repeat(100_000) + "\"");
        batches(10, Duration.ZERO, batch -> {
            Thread.currentThread().interrupt();
            batch.get(0).complete(blob);
            interrupted.set(Thread.interrupted());
            finish.countDown();
        });
        take(finish);
        untilState(jobs.get(0), JobState.COMPLETED);
        assertThat(windrow.await(jobs.get(0), PATIENCE)).isEqualTo(blob);
        assertThat(interrupted).isTrue();
    }

    @Test
    void aRequestToCancelTheOtherJobsDoesNotInterruptTheWriteOfAResult() {
        Json blob = new Json("\"" + "x".repeat(100_000) + "\"");
        CountDownLatch observed = new CountDownLatch(1);
        CountDownLatch writing = new CountDownLatch(1);
        CountDownLatch written = new CountDownLatch(1);
        AtomicBoolean during = new AtomicBoolean();
        AtomicBoolean after = new AtomicBoolean();
        faults.stage = real -> part -> {
            writing.countDown();
            while (finish.getCount() > 0) {
                Thread.onSpinWait();
            }
            during.compareAndSet(false, Thread.currentThread().isInterrupted());
            written.countDown();
            return real.apply(part);
        };
        List<JobRef<Json>> jobs = enqueue(2);
        start(worker().concurrency(2)
                .handleBatch(WRITE, 10, Duration.ZERO, batch -> {
                    batch.get(0).complete(blob);
                    after.set(Thread.currentThread().isInterrupted());
                    throw new InterruptedException();
                })
                .handle(ECHO, (input, job) -> {
                    started.countDown();
                    while (!job.isCancelRequested()) {
                        Thread.onSpinWait();
                    }
                    observed.countDown();
                    return input;
                }));
        take(writing);
        JobRef<Json> observer = enqueue(ECHO);
        take(started);
        windrow.job(jobs.get(1)).cancel();
        // The worker sees the requests in their order.
        windrow.job(observer).cancel();
        take(observed);
        finish.countDown();
        take(written);
        assertThat(during).as("interrupted during the write").isFalse();
        untilState(jobs.get(1), JobState.CANCELLED);
        assertThat(windrow.await(jobs.get(0), PATIENCE)).isEqualTo(blob);
        assertThat(after).as("interrupted when the outcome was written").isTrue();
    }

    @Test
    void anInterruptThatAHandlerIgnoresDoesNotReachTheNextCall() {
        AtomicBoolean interrupted = new AtomicBoolean();
        batches(10, Duration.ZERO, batch -> {
            interrupted.compareAndSet(false, Thread.currentThread().isInterrupted());
            called(batch);
            while (calls.size() == 1
                    && (finish.getCount() > 0 || !Thread.currentThread().isInterrupted())) {
                Thread.onSpinWait();
            }
            batch.forEach(job -> job.complete(job.input()));
        });
        JobRef<Json> cancelled = enqueue(1).get(0);
        take(started);
        // Its call is ready while the first one runs.
        JobRef<Json> next = enqueueAndGather();
        windrow.job(cancelled).cancel();
        finish.countDown();
        untilState(next, JobState.COMPLETED);
        assertThat(interrupted).isFalse();
    }

    @Test
    void aJobWhoseResultCannotBeWrittenIsReclaimedAndTheOthersKeepTheirOutcomes() {
        Json blob = new Json("\"" + "x".repeat(100_000) + "\"");
        faults.stage = real -> part -> CompletableFuture.failedFuture(new StoreUnavailableException("disk full"));
        List<JobRef<Json>> jobs = enqueue(2);
        AtomicInteger call = new AtomicInteger();
        Worker worker = start(worker().lease(Duration.ofMinutes(2))
                .concurrency(1)
                .handleBatch(WRITE, 10, Duration.ZERO, batch -> {
                    boolean first = call.incrementAndGet() == 1;
                    for (BatchItem<Json, Json> job : batch) {
                        job.complete(first && job.job().id() == jobs.get(0).id() ? blob : job.input());
                    }
                }));
        try {
            runClockUntil(Duration.ofSeconds(1), () -> state(jobs.get(0)) == JobState.COMPLETED);
        } finally {
            // A worker that never forgets the job would not stop without the clock.
            CompletableFuture<Void> stop = onItsOwnThread(worker::stopNow);
            runClockUntil(Duration.ofSeconds(5), stop::isDone);
        }
        assertThat(outcomes(jobs.get(0))).containsExactly(AttemptOutcome.RECOVERED, AttemptOutcome.SUCCEEDED);
        assertThat(outcomes(jobs.get(1))).containsExactly(AttemptOutcome.SUCCEEDED);
    }

    @Test
    void aCallWithFewJobsTakesAWholeSlotFromOtherHandlers() {
        start(worker().concurrency(3)
                .handleBatch(WRITE, 10, Duration.ZERO, this::waiting)
                .handle(ECHO, (input, job) -> input));
        List<JobRef<Json>> jobs = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            jobs.addAll(enqueue(1));
            int calling = i;
            until(() -> calls.size() == calling);
        }
        List<JobRef<Json>> echoes = enqueueEchoes();
        untilState(echoes.get(0), JobState.RUNNING);
        assertThat(state(echoes.get(1)))
                .as("no slot is free, and one job may wait")
                .isEqualTo(JobState.PENDING);
        finish.countDown();
        jobs.forEach(job -> untilState(job, JobState.COMPLETED));
        echoes.forEach(job -> untilState(job, JobState.COMPLETED));
    }

    @Test
    void theSmallestTimeLimitHoldsForTheCall() {
        JobRef<Json> slow = WRITE.ref(windrow.enqueue(WRITE.job(new Json("1"))
                        .withTimeout(Duration.ofMinutes(5))
                        .withMaxAttempts(1))
                .id());
        JobRef<Json> quick = WRITE.ref(windrow.enqueue(WRITE.job(new Json("2"))
                        .withTimeout(Duration.ofSeconds(5))
                        .withMaxAttempts(1))
                .id());
        JobRef<Json> done = enqueue(1).get(0);
        batches(10, Duration.ZERO, batch -> {
            called(batch);
            batch.get(2).complete(batch.get(2).input());
            finish.await();
        });
        take(started);
        untilState(done, JobState.COMPLETED);
        runClock(Duration.ofSeconds(1), 4);
        assertThat(state(quick)).isEqualTo(JobState.RUNNING);
        runClockUntil(Duration.ofSeconds(1), () -> state(slow) == JobState.FAILED);
        untilState(quick, JobState.FAILED);
        assertThat(history(slow).job().errorCode()).isEqualTo(ErrorCodes.TIMEOUT_EXECUTION);
        assertThat(history(slow).job().errorDetail()).isEqualTo("ran longer than 5s");
        assertThat(outcomes(done)).containsExactly(AttemptOutcome.SUCCEEDED);
    }

    @Test
    void aCallThatIgnoresItsInterruptIsGivenUpWithAllItsJobs() {
        JobType<Json, Json> limited =
                WRITE.withTimeout(Duration.ofSeconds(5)).withRetry(RetryPolicy.fixed(Duration.ZERO));
        List<JobRef<Json>> jobs = enqueue(2);
        AtomicInteger call = new AtomicInteger();
        CountDownLatch late = new CountDownLatch(1);
        start(worker().concurrency(1).handleBatch(limited, 10, Duration.ZERO, batch -> {
            if (call.incrementAndGet() > 1) {
                echo(batch);
                return;
            }
            started.countDown();
            while (finish.getCount() > 0) {
                Thread.onSpinWait();
            }
            batch.forEach(job -> job.complete(new Json("\"too late\"")));
            late.countDown();
        }));
        take(started);
        runClockUntil(Duration.ofSeconds(1), () -> state(jobs.get(1)) == JobState.COMPLETED);
        untilState(jobs.get(0), JobState.COMPLETED);
        finish.countDown();
        assertThat(jobs)
                .allSatisfy(job ->
                        assertThat(outcomes(job)).containsExactly(AttemptOutcome.TIMEOUT, AttemptOutcome.SUCCEEDED));
        assertThat(history(jobs.get(0)).result()).isEqualTo(new Json("0"));
        assertThat(told(WindrowEvent.HandlerStuck.class)).hasSize(2);
        take(late);
        // A late settlement would be applied, or refused, before this job ends.
        untilState(enqueue(1).get(0), JobState.COMPLETED);
        assertThat(told(WindrowEvent.AttemptLost.class)).isEmpty();
    }

    @Test
    void aCallThatIsGivenUpLeavesItsSlotToOtherHandlers() {
        JobType<Json, Json> limited = WRITE.withTimeout(Duration.ofSeconds(5));
        CountDownLatch both = new CountDownLatch(2);
        start(worker().concurrency(2)
                .handleBatch(limited, 10, Duration.ZERO, batch -> {
                    started.countDown();
                    while (finish.getCount() > 0) {
                        Thread.onSpinWait();
                    }
                })
                .handle(ECHO, (input, job) -> {
                    both.countDown();
                    take(both);
                    return input;
                }));
        enqueue(1);
        take(started);
        runClockUntil(
                Duration.ofSeconds(1),
                () -> !told(WindrowEvent.HandlerStuck.class).isEmpty());
        JobRef<Json> one = enqueue(ECHO);
        JobRef<Json> other = enqueue(ECHO);
        untilState(one, JobState.COMPLETED);
        untilState(other, JobState.COMPLETED);
        finish.countDown();
    }

    @Test
    void aBatchThatWaitsIsHandedBackAtAStopAndCountsAsNoAttempt() {
        Worker worker = batches(10, LONG, this::echo);
        List<JobRef<Json>> jobs = enqueue(3);
        jobs.forEach(job -> untilState(job, JobState.RUNNING));
        worker.stop(Duration.ofMinutes(1));
        assertThat(calls).isEmpty();
        assertThat(jobs).allSatisfy(job -> {
            assertThat(state(job)).isEqualTo(JobState.PENDING);
            assertThat(outcomes(job)).containsExactly(AttemptOutcome.RELEASED);
        });
        batches(10, Duration.ZERO, this::echo);
        jobs.forEach(job -> untilState(job, JobState.COMPLETED));
        assertThat(history(jobs.get(0)).attempts())
                .extracting(JobHistory.Attempt::attempt)
                .containsOnly(1);
    }

    @Test
    void aStopInterruptsACallAndHandsItsJobsBack() {
        List<JobRef<Json>> jobs = enqueue(2);
        Worker worker = batches(10, Duration.ZERO, batch -> {
            batch.get(0).complete(batch.get(0).input());
            waiting(batch);
        });
        take(started);
        CompletableFuture<Void> stop = onItsOwnThread(() -> worker.stop(Duration.ofSeconds(5)));
        runClockUntil(Duration.ofSeconds(1), stop::isDone);
        assertThat(state(jobs.get(0))).isEqualTo(JobState.COMPLETED);
        assertThat(state(jobs.get(1))).isEqualTo(JobState.PENDING);
        assertThat(outcomes(jobs.get(1))).containsExactly(AttemptOutcome.RELEASED);
    }

    @Test
    void aLostJobOfABatchChangesNothingAndTheOthersContinue() {
        List<JobRef<Json>> jobs = enqueue(2);
        batches(10, Duration.ZERO, this::waiting);
        take(started);
        windrow.job(jobs.get(0)).fail("OPERATOR:DONE", "by hand");
        until(() -> !told(WindrowEvent.AttemptLost.class).isEmpty());
        finish.countDown();
        untilState(jobs.get(1), JobState.COMPLETED);
        assertThat(history(jobs.get(0)).job().errorCode()).isEqualTo("OPERATOR:DONE");
        assertThat(outcomes(jobs.get(0))).containsExactly(AttemptOutcome.SUPERSEDED);
    }

    @Test
    void afterACrashEachJobOfABatchIsReclaimedByItself() throws Exception {
        List<JobRef<Json>> jobs = enqueue(3);
        OpenStore process = openBareStore();
        List<ClaimedJob> claimed = process.submit(new Claim(
                        new WorkerId("dead", "1"), Set.of("default"), Set.of(WRITE.name()), 3, LEASE.toMillis()))
                .get(60, TimeUnit.SECONDS)
                .jobs();
        process.submit(new Started(claimed.get(0).leaseToken(), "dead", time.millis()))
                .join();
        process.submit(new Touch()).get(60, TimeUnit.SECONDS);
        windrow.job(jobs.get(2)).complete(new Json("\"by hand\""));
        batches(10, Duration.ZERO, this::echo);
        runClockUntil(Duration.ofSeconds(5), () -> state(jobs.get(0)) == JobState.COMPLETED);
        untilState(jobs.get(1), JobState.COMPLETED);
        assertThat(outcomes(jobs.get(0))).containsExactly(AttemptOutcome.RECOVERED, AttemptOutcome.SUCCEEDED);
        assertThat(outcomes(jobs.get(1))).containsExactly(AttemptOutcome.LOST, AttemptOutcome.SUCCEEDED);
        assertThat(history(jobs.get(2)).result()).isEqualTo(new Json("\"by hand\""));
    }

    @Test
    void aQueueLimitHoldsForBatchesAndOtherHandlersTogether() {
        List<JobRef<Json>> jobs = enqueue(5);
        start(worker().queue("default", 3)
                .handleBatch(WRITE, 10, Duration.ZERO, this::waiting)
                .handle(ECHO, (input, job) -> input));
        take(started);
        JobRef<Json> echo = enqueue(ECHO);
        assertThat(calls).containsExactly(ids(jobs.subList(0, 3)));
        assertThat(state(echo)).isEqualTo(JobState.PENDING);
        finish.countDown();
        jobs.forEach(job -> untilState(job, JobState.COMPLETED));
        untilState(echo, JobState.COMPLETED);
    }

    /** Short jobs of the other handlers let this worker claim ahead. Batches fill up to one call for each slot all the same. */
    @Test
    void noMoreJobsOfABatchHandlerAreClaimedThanItsSlotsTakeInOneCall() {
        start(worker().concurrency(1)
                .handleBatch(WRITE, 5, Duration.ZERO, this::waiting)
                .handle(ECHO, (input, job) -> input));
        for (int i = 0; i < 30; i++) {
            untilState(enqueue(ECHO), JobState.COMPLETED);
        }
        List<JobRef<Json>> jobs = enqueue(20);
        take(started);
        assertThat(jobs.subList(0, 5)).allSatisfy(job -> assertThat(state(job)).isEqualTo(JobState.RUNNING));
        assertThat(jobs.subList(5, 20)).allSatisfy(job -> assertThat(state(job)).isEqualTo(JobState.PENDING));
        finish.countDown();
        jobs.forEach(job -> untilState(job, JobState.COMPLETED));
    }

    @Test
    void noJobOfABatchHandlerIsClaimedWhileALongJobHasTheOnlySlot() {
        start(worker().concurrency(1)
                .handleBatch(WRITE, 5, Duration.ZERO, this::echo)
                .handle(ECHO, (input, job) -> {
                    started.countDown();
                    finish.await();
                    return input;
                }));
        JobRef<Json> echo = enqueue(ECHO);
        take(started);
        JobRef<Json> waits = enqueue(1).get(0);
        assertThat(state(waits)).isEqualTo(JobState.PENDING);
        finish.countDown();
        untilState(echo, JobState.COMPLETED);
        untilState(waits, JobState.COMPLETED);
    }

    @Test
    void jobsThatWaitForTheirCallKeepASlotFromOtherHandlers() {
        Worker worker = start(
                worker().concurrency(2).handleBatch(WRITE, 10, LONG, this::echo).handle(ECHO, (input, job) -> {
                    started.countDown();
                    finish.await();
                    return input;
                }));
        JobRef<Json> waits = enqueue(1).get(0);
        untilState(waits, JobState.RUNNING);
        List<JobRef<Json>> echoes = enqueueEchoes();
        take(started);
        assertThat(echoes).extracting(this::state).containsExactly(JobState.RUNNING, JobState.PENDING);
        finish.countDown();
        echoes.forEach(job -> untilState(job, JobState.COMPLETED));
        worker.stopNow();
    }

    /** Enqueues two jobs of the other handler, which one claim takes if two slots are free. */
    private List<JobRef<Json>> enqueueEchoes() {
        return windrow.enqueueAll(List.of(ECHO.job(new Json("1")), ECHO.job(new Json("2")))).stream()
                .map(job -> ECHO.ref(job.id()))
                .toList();
    }

    @Test
    void shortBatchesDoNotLetTheWorkerClaimAheadForOtherHandlers() {
        start(worker().concurrency(1)
                .handleBatch(WRITE, 10, Duration.ZERO, batch -> batch.forEach(job -> job.complete(job.input())))
                .handle(ECHO, (input, job) -> {
                    started.countDown();
                    finish.await();
                    return input;
                }));
        enqueue(40).forEach(job -> untilState(job, JobState.COMPLETED));
        List<JobRef<Json>> echoes = enqueueEchoes();
        take(started);
        assertThat(echoes).extracting(this::state).containsExactly(JobState.RUNNING, JobState.PENDING);
        finish.countDown();
        echoes.forEach(job -> untilState(job, JobState.COMPLETED));
    }

    @Test
    void endlessBatchesLeaveASlotToOtherHandlers() {
        enqueue(20);
        AtomicBoolean over = new AtomicBoolean();
        batchesAndEcho(over);
        JobRef<Json> echo = enqueue(ECHO);
        untilState(echo, JobState.COMPLETED);
        over.set(true);
    }

    /** Starts a worker with one slot and a batch handler that enqueues a job for each of its jobs. */
    private void batchesAndEcho(AtomicBoolean over) {
        start(worker().concurrency(1)
                .handleBatch(
                        WRITE,
                        5,
                        Duration.ZERO,
                        batch -> batch.forEach(job -> {
                            if (!over.get()) {
                                enqueue(1);
                            }
                            job.complete(job.input());
                        }))
                .handle(ECHO, (input, job) -> input));
    }

    @Test
    void endlessShortJobsLeaveASlotToBatches() {
        AtomicBoolean over = new AtomicBoolean();
        start(worker().concurrency(1)
                .handleBatch(WRITE, 5, Duration.ZERO, this::echo)
                .handle(ECHO, (input, job) -> {
                    if (!over.get()) {
                        enqueue(ECHO);
                    }
                    return input;
                }));
        for (int i = 0; i < 50; i++) {
            enqueue(ECHO);
        }
        until(() -> told(WindrowEvent.AttemptEnded.class).size() > 100);
        JobRef<Json> batched = enqueue(1).get(0);
        untilState(batched, JobState.COMPLETED);
        over.set(true);
    }

    @Test
    void middlewareAndTracingCoverEachBatch() {
        List<String> seen = new CopyOnWriteArrayList<>();
        Tracing tracing = new Tracing() {
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
                throw new AssertionError("not in a batch");
            }

            @Override
            public Running runningInBatch(JobContext job, List<Link> links, Map<String, String> metadata) {
                return new Running() {
                    @Override
                    public String traceparent() {
                        return "trace-" + job.id();
                    }

                    @Override
                    public void ended(
                            @Nullable AttemptOutcome outcome, @Nullable String errorCode, @Nullable Throwable failure) {
                        seen.add(outcome + " " + errorCode);
                    }
                };
            }
        };
        Windrow traced = closing(
                Windrow.configure(newStore()).time(time).tracing(tracing).open());
        List<JobRef<Json>> jobs = enqueue(2);
        start(traced.worker()
                .lease(LEASE)
                .concurrency(1)
                .middleware(new Middleware() {
                    @Override
                    public @Nullable Object around(JobContext job, Call next) {
                        throw new AssertionError("not for a batch");
                    }

                    @Override
                    public void aroundBatch(List<JobContext> batch, Call next) throws Exception {
                        seen.add("in " + batch.size());
                        Object unused = next.call();
                        seen.add("out");
                        throw JobFailure.permanent("A:B");
                    }
                })
                .middleware((job, next) -> next.call())
                .handleBatch(WRITE, 10, Duration.ZERO, batch -> {
                    called(batch);
                    batch.get(0).complete(batch.get(0).input());
                }));
        untilState(jobs.get(0), JobState.COMPLETED);
        untilState(jobs.get(1), JobState.FAILED);
        assertThat(seen).containsExactly("in 2", "SUCCEEDED null", "out", "FAILED A:B");
    }

    @Test
    void sizesAndWaitsOutOfRangeAreRefused() {
        Worker.Builder builder = worker();
        assertThatThrownBy(() -> builder.handleBatch(WRITE, 0, LONG, this::echo))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessage("batch size of type 'test.write' 0 is not allowed: 1 to 1000");
        assertThatThrownBy(() -> builder.handleBatch(WRITE, 1, LONG.plusMillis(1), this::echo))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessage("linger of type 'test.write' 10001ms is not allowed: 0s to 10s");
        Worker.Builder unused = builder.handleBatch(WRITE, 1, LONG, this::echo);
        assertThatThrownBy(() -> builder.handle(WRITE, (input, job) -> input))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessage("job type 'test.write' has a handler already");
    }
}
