package dev.windrow.tests.engine.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.AttemptOutcome;
import dev.windrow.ErrorCodes;
import dev.windrow.EventKind;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobContext;
import dev.windrow.JobFailure;
import dev.windrow.JobHistory;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.RetryPolicy;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.monitor.WindrowEvent;
import dev.windrow.payload.Json;
import dev.windrow.tests.engine.EngineTest;
import dev.windrow.tests.stores.OnEachStore;
import dev.windrow.workflow.ParentOutcome;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** The handling of jobs that run to their end. */
@OnEachStore
class RunTest extends EngineTest {
    record Resize(String file, int width) {}

    record Thumbnail(String file, long bytes) {}

    static final JobType<Resize, Thumbnail> RESIZE = JobType.of("image.resize", Resize.class, Thumbnail.class);

    @Test
    void aJobRunsOnceAndLeavesItsResultItsAttemptAndItsEvents() {
        JobRef<Thumbnail> job = windrow.enqueue(RESIZE, new Resize("cat.jpg", 200));
        AtomicReference<JobContext> context = new AtomicReference<>();
        Worker worker = start(worker().name("w1").handle(RESIZE, (resize, c) -> {
            context.set(c);
            c.output("made " + resize.file());
            return new Thumbnail(resize.file(), resize.width() * 10L);
        }));

        assertThat(windrow.await(job, PATIENCE)).isEqualTo(new Thumbnail("cat.jpg", 2000));
        JobHistory history = history(job);
        assertThat(history.job().state()).isEqualTo(JobState.COMPLETED);
        assertThat(history.result()).isEqualTo(new Json("{\"file\":\"cat.jpg\",\"bytes\":2000}"));
        assertThat(history.attempts()).singleElement().satisfies(attempt -> {
            assertThat(attempt.outcome()).isEqualTo(AttemptOutcome.SUCCEEDED);
            assertThat(attempt.attempt()).isEqualTo(1);
            assertThat(attempt.worker()).isEqualTo("w1");
            assertThat(attempt.output()).isEqualTo("made cat.jpg");
            assertThat(attempt.startedAt()).isNotNull();
        });
        assertThat(eventsOf(job))
                .containsExactly(EventKind.ENQUEUED, EventKind.CLAIMED, EventKind.STARTED, EventKind.SUCCEEDED);
        assertThat(context.get().id()).isEqualTo(job.id());
        assertThat(context.get().worker()).isIn("w1/1", "w1/2"); // either of the two slots
        assertThat(context.get().attempt()).isEqualTo(1);
        assertThat(context.get().maxAttempts()).isEqualTo(3);
        assertThat(context.get().type()).isEqualTo("image.resize");
        assertThat(context.get().queue()).isEqualTo("default");
        assertThat(context.get().deadline()).isEqualTo(time.now().plus(Duration.ofHours(1)));
        until(() -> worker.totals().completed() == 1);
        assertThat(worker.totals().failed()).isZero();
    }

    @Test
    void aLongJobAmongShortOnesHoldsNoOther() {
        CountDownLatch end = new CountDownLatch(1);
        // Only the clock of the machine measures handlers, and wakes the slots behind a long one.
        Windrow timed = closing(Windrow.open(newStore()));
        start(timed.worker().lease(LEASE).concurrency(2).handle(ECHO, (input, job) -> {
            if (input.text().equals("2")) {
                take(end);
            }
            return input;
        }));
        try {
            timed.enqueueAll(Collections.nCopies(200, ECHO.job(new Json("1"))));
            until(() -> timed.monitor().statistics().states().getOrDefault(JobState.COMPLETED, 0L) == 200);

            List<JobRef<Json>> jobs =
                    timed.enqueueAll(List.of(ECHO.job(new Json("2")), ECHO.job(new Json("1")))).stream()
                            .map(job -> ECHO.ref(job.id()))
                            .toList();
            untilState(jobs.get(1), JobState.COMPLETED);
            assertThat(state(jobs.get(0))).isEqualTo(JobState.RUNNING);
        } finally {
            end.countDown();
        }
    }

    /** A clock of a test measures runs of no time, and nothing would wake the slots behind a long one. */
    @Test
    void withAClockThatStandsStillSlotsWakeEachOther() {
        CountDownLatch both = new CountDownLatch(2);
        start(worker().handle(ECHO, (input, job) -> {
            if (input.text().equals("2")) {
                both.countDown();
                take(both);
            }
            return input;
        }));
        windrow.enqueueAll(Collections.nCopies(50, ECHO.job(new Json("1"))));
        until(() -> windrow.monitor().statistics().states().getOrDefault(JobState.COMPLETED, 0L) == 50);

        windrow.enqueueAll(Collections.nCopies(2, ECHO.job(new Json("2"))));
        until(() -> windrow.monitor().statistics().states().getOrDefault(JobState.COMPLETED, 0L) == 52);
    }

    @Test
    void theEndOfAnAttemptRecordsItsStart() {
        CompletableFuture<Void> start = new CompletableFuture<>(); // it stays in the queue
        faults.start = real -> started -> start;
        start(worker().handle(RESIZE, (resize, c) -> new Thumbnail(resize.file(), 1)));
        JobRef<Thumbnail> job = windrow.enqueue(RESIZE, new Resize("cat.jpg", 200));

        assertThat(windrow.await(job, PATIENCE)).isEqualTo(new Thumbnail("cat.jpg", 1));
        until(start::isDone);
        assertThat(eventsOf(job))
                .containsExactly(EventKind.ENQUEUED, EventKind.CLAIMED, EventKind.STARTED, EventKind.SUCCEEDED);
        assertThat(history(job).attempts())
                .singleElement()
                .satisfies(attempt -> assertThat(attempt.startedAt()).isNotNull());
    }

    @Test
    void aJobForAnIdleWorkerNeedsNoSeparateClaim() {
        Set<Long> claimed = ConcurrentHashMap.newKeySet();
        faults.handsOffPastClaim = true;
        faults.claim = real -> request -> real.apply(request).thenApply(answer -> {
            answer.jobs().forEach(job -> claimed.add(job.id()));
            return answer;
        });
        start(worker().handle(ECHO, (input, job) -> input));
        List<Long> handedOff = new ArrayList<>();
        // A concurrent claim may find the job, so not each job is dispatched directly.
        for (int i = 0; i < 20; i++) {
            JobRef<Json> job = enqueue(ECHO);
            until(() -> state(job) == JobState.COMPLETED);
            assertThat(eventsOf(job))
                    .containsExactly(EventKind.ENQUEUED, EventKind.CLAIMED, EventKind.STARTED, EventKind.SUCCEEDED);
            if (!claimed.contains(job.id())) {
                handedOff.add(job.id());
            }
        }
        assertThat(handedOff).isNotEmpty();
    }

    @Test
    void aClockSetForwardRunsAScheduledJobLongBeforeTheNextPoll() {
        Worker worker = start(worker().poll(Duration.ofMinutes(1)).handle(ECHO, (input, job) -> input));
        windrow.enqueue(ECHO.job(new Json("1")).withDelay(Duration.ofHours(1)));
        // The worker knows the due time by now, and waits.
        runClock(Duration.ofSeconds(6), 1);
        time.stepWallUnnoticed(Duration.ofHours(1));
        runClock(Duration.ofSeconds(5), 1);
        until(() -> worker.totals().completed() == 1);
    }

    @Test
    void aWorkerThatIsIdleIsWokenByAnEnqueue() throws Exception {
        Worker worker = start(worker().handle(ECHO, (input, job) -> input));
        assertThat(worker.awaitIdle(PATIENCE)).isTrue();
        // The clock does not move, so no poll comes.
        for (int i = 0; i < 20; i++) {
            JobRef<Json> job = windrow.enqueue(ECHO, new Json(Integer.toString(i)));
            assertThat(windrow.await(job, PATIENCE)).isEqualTo(new Json(Integer.toString(i)));
        }
    }

    @Test
    void manyJobsRunOnceEach() throws Exception {
        int count = 3000;
        AtomicInteger runs = new AtomicInteger();
        Worker worker = start(worker().concurrency(8).handle(ECHO, (input, job) -> {
            runs.incrementAndGet();
            return null;
        }));
        windrow.enqueueAll(Collections.nCopies(count, ECHO.job(new Json("1"))));
        assertThat(worker.awaitIdle(PATIENCE)).isTrue();
        assertThat(runs).hasValue(count);
        assertThat(worker.totals().completed()).isEqualTo(count);
        assertThat(windrow.monitor().statistics().states()).containsEntry(JobState.COMPLETED, (long) count);
    }

    @Test
    void noMoreJobsRunAtOnceThanSlotsExist() throws Exception {
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        CountDownLatch three = new CountDownLatch(3);
        Worker worker = start(worker().concurrency(3).handle(ECHO, (input, job) -> {
            most.accumulateAndGet(running.incrementAndGet(), Math::max);
            three.countDown();
            three.await();
            running.decrementAndGet();
            return null;
        }));
        windrow.enqueueAll(Collections.nCopies(200, ECHO.job(new Json("1"))));
        assertThat(worker.awaitIdle(PATIENCE)).isTrue();
        assertThat(most).hasValue(3);
    }

    @Test
    void higherPriorityRunsFirstThenTheEarlierJob() throws Exception {
        List<String> order = Collections.synchronizedList(new ArrayList<>());
        for (int i = 0; i < 10; i++) {
            windrow.enqueue(ECHO.job(new Json("\"low " + i + "\"")).withPriority(-1));
            windrow.enqueue(ECHO.job(new Json("\"high " + i + "\"")).withPriority(1));
        }
        Worker worker = start(worker().concurrency(1).handle(ECHO, (input, job) -> {
            order.add(input.text());
            return null;
        }));
        assertThat(worker.awaitIdle(PATIENCE)).isTrue();
        List<String> expected = new ArrayList<>();
        for (String level : List.of("high", "low")) {
            for (int i = 0; i < 10; i++) {
                expected.add("\"" + level + " " + i + "\"");
            }
        }
        assertThat(order).isEqualTo(expected);
    }

    @Test
    void aDelayedJobRunsWhenItIsDueAndNotBefore() {
        AtomicInteger runs = new AtomicInteger();
        start(worker().handle(ECHO, (input, job) -> {
            runs.incrementAndGet();
            return null;
        }));
        JobRef<Json> job = windrow.enqueue(ECHO.job(new Json("1")).withDelay(Duration.ofMinutes(10)));
        runClock(Duration.ofSeconds(59), 10);
        assertThat(runs).hasValue(0);
        assertThat(state(job)).isEqualTo(JobState.SCHEDULED);
        runClockUntil(Duration.ofSeconds(1), () -> state(job) == JobState.COMPLETED);
        Instant started = history(job).job().startedAt();
        assertThat(started).isAfterOrEqualTo(history(job).job().createdAt().plus(Duration.ofMinutes(10)));
    }

    @Test
    void aFailedAttemptIsRetriedAfterItsBackoff() {
        AtomicInteger runs = new AtomicInteger();
        JobType<Json, Json> type = ECHO.withRetry(RetryPolicy.fixed(Duration.ofMinutes(5)));
        start(worker().handle(type, (input, job) -> {
            if (runs.incrementAndGet() < 3) {
                throw new IllegalStateException("run " + runs);
            }
            return new Json("\"third time\"");
        }));
        JobRef<Json> job = enqueue(type);
        untilState(job, JobState.SCHEDULED);
        assertThat(history(job).job().errorCode()).isEqualTo(ErrorCodes.INTERNAL_EXCEPTION);
        runClock(Duration.ofSeconds(59), 5);
        assertThat(runs).hasValue(1);
        runClockUntil(Duration.ofSeconds(10), () -> runs.get() == 2 && state(job) == JobState.SCHEDULED);
        runClockUntil(Duration.ofSeconds(30), () -> state(job) == JobState.COMPLETED);
        JobHistory history = history(job);
        assertThat(history.result()).isEqualTo(new Json("\"third time\""));
        assertThat(history.job().errorCode()).isNull();
        assertThat(history.attempts())
                .extracting(JobHistory.Attempt::outcome)
                .containsExactly(AttemptOutcome.FAILED, AttemptOutcome.FAILED, AttemptOutcome.SUCCEEDED);
        assertThat(history.attempts()).extracting(JobHistory.Attempt::attempt).containsExactly(1, 2, 3);
        assertThat(history.attempts().get(0).errorDetail()).isEqualTo("java.lang.IllegalStateException: run 1");
        assertThat(history.attempts().get(0).stackTrace()).contains("RunTest");
        for (int i = 0; i < 2; i++) {
            assertThat(history.attempts().get(i + 1).startedAt())
                    .isAfterOrEqualTo(history.attempts().get(i).finishedAt().plus(Duration.ofMinutes(5)));
        }
    }

    @Test
    void aJobsRetryPolicyPrecedesThatOfItsType() {
        JobType<Json, Json> type = ECHO.withRetry(RetryPolicy.fixed(Duration.ofDays(1)));
        start(worker().handle(type, (input, job) -> {
            throw new IllegalStateException("no");
        }));
        JobRef<Json> job = windrow.enqueue(type.job(new Json("1")).withRetry(RetryPolicy.fixed(Duration.ofSeconds(3))));
        untilState(job, JobState.SCHEDULED);
        assertThat(history(job).job().scheduledAt()).isEqualTo(time.now().plusSeconds(3));
    }

    @Test
    void aJobWithoutAttemptsLeftFails() {
        JobType<Json, Json> type = ECHO.withMaxAttempts(2).withRetry(RetryPolicy.fixed(Duration.ZERO));
        Worker worker = start(worker().handle(type, (input, job) -> {
            throw new IllegalStateException("attempt " + job.attempt());
        }));
        JobRef<Json> job = enqueue(type);
        runClockUntil(Duration.ofMillis(10), () -> state(job) == JobState.FAILED);
        assertThat(history(job).attempts()).hasSize(2);
        assertThat(history(job).job().errorDetail()).contains("attempt 2");
        until(() -> worker.totals().failed() == 1);
        assertThat(worker.totals().retried()).isEqualTo(1);
    }

    @Test
    void aPermanentFailureIsNotRetried() {
        start(worker().handle(ECHO, (input, job) -> {
            throw JobFailure.permanent("INVALID_INPUT:FILE", "no such file");
        }));
        JobRef<Json> job = enqueue(ECHO);
        untilState(job, JobState.FAILED);
        assertThat(history(job).job().errorCode()).isEqualTo("INVALID_INPUT:FILE");
        assertThat(history(job).job().errorDetail()).isEqualTo("no such file");
        assertThat(history(job).attempts()).hasSize(1);
    }

    @Test
    void anErrorOfTheVirtualMachineFailsTheAttemptAndNotTheWorker() {
        start(worker().concurrency(1).handle(ECHO, (input, job) -> {
            switch (input.text()) {
                case "1" -> throw new StackOverflowError();
                case "2" -> throw new NoClassDefFoundError("com/example/Gone");
                case "3" -> throw new OutOfMemoryError("heap");
                default -> {
                    return input;
                }
            }
        }));
        for (String text : List.of("1", "2", "3")) {
            JobRef<Json> job = windrow.enqueue(ECHO.job(new Json(text)).withMaxAttempts(1));
            untilState(job, JobState.FAILED);
            assertThat(history(job).job().errorDetail()).contains("Error");
        }
        JobRef<Json> job = windrow.enqueue(ECHO, new Json("4"));
        assertThat(windrow.await(job, PATIENCE)).isEqualTo(new Json("4"));
    }

    /** Failure class 5. */
    @Test
    void anUndecodablePayloadFailsThatJobAloneAndAtOnce() {
        JobRef<Json> poison = windrow.enqueue(JobType.raw(RESIZE.name()).job(new Json("{\"file\":\"cat.jpg\"}")));
        JobRef<Json> noJson = windrow.enqueue(JobType.raw(RESIZE.name()).job(new Json("{{{")));
        JobRef<Thumbnail> good = windrow.enqueue(RESIZE, new Resize("dog.jpg", 10));
        AtomicInteger calls = new AtomicInteger();
        start(worker().concurrency(1).handle(RESIZE, (resize, job) -> {
            calls.incrementAndGet();
            return new Thumbnail(resize.file(), 1);
        }));
        assertThat(windrow.await(good, PATIENCE)).isEqualTo(new Thumbnail("dog.jpg", 1));
        for (JobRef<Json> bad : List.of(poison, noJson)) {
            assertThat(state(bad)).isEqualTo(JobState.FAILED);
            assertThat(history(bad).job().errorCode()).isEqualTo(ErrorCodes.INVALID_PAYLOAD);
            assertThat(history(bad).attempts()).hasSize(1);
            assertThat(eventsOf(bad)).doesNotContain(EventKind.STARTED);
        }
        assertThat(calls).hasValue(1);
    }

    /** Failure class 21. */
    @Test
    void aResultThatCannotBeStoredDoesNotRunTheWorkAgain() {
        JobType<Json, Object> type = JobType.of("test.result", Json.class, Object.class);
        AtomicInteger runs = new AtomicInteger();
        start(worker().handle(type, (input, job) -> {
            runs.incrementAndGet();
            List<Object> endless = new ArrayList<>();
            endless.add(endless);
            return endless;
        }));
        JobRef<Object> job = windrow.enqueue(type, new Json("1"));
        untilState(job, JobState.FAILED);
        assertThat(history(job).job().errorCode()).isEqualTo(ErrorCodes.INVALID_RESULT);
        runClock(Duration.ofMinutes(1), 5);
        assertThat(runs).hasValue(1);
    }

    @Test
    void aJobOfAnUnknownTypeWaitsForAWorkerWithItsHandler() throws Exception {
        JobType<Json, Json> unknown = JobType.raw("test.unknown");
        JobRef<Json> waiting = windrow.enqueue(unknown.job(new Json("7")).withPriority(100));
        Worker first = start(worker().handle(ECHO, (input, job) -> input));
        JobRef<Json> known = enqueue(ECHO);
        assertThat(windrow.await(known, PATIENCE)).isNotNull();
        assertThat(first.awaitIdle(PATIENCE)).isTrue();
        assertThat(state(waiting)).isEqualTo(JobState.PENDING);
        assertThat(eventsOf(waiting)).containsExactly(EventKind.ENQUEUED);
        start(worker().handle(unknown, (input, job) -> input));
        assertThat(windrow.await(waiting, PATIENCE)).isEqualTo(new Json("7"));
    }

    @Test
    void anAliasRunsJobsStoredUnderAFormerName() {
        JobRef<Json> old = enqueue(JobType.raw("old.name"));
        AtomicReference<String> seen = new AtomicReference<>();
        start(worker().handle(JobType.raw("new.name").withAliases("old.name"), (input, job) -> {
            seen.set(job.type());
            return input;
        }));
        assertThat(windrow.await(old, PATIENCE)).isNotNull();
        assertThat(seen).hasValue("old.name");
    }

    @Test
    void aChildReadsTheResultsOfItsParentsInDeclaredOrder() {
        JobRef<Json> first = windrow.enqueue(ECHO, new Json("1"));
        JobRef<Json> second = windrow.enqueue(ECHO, new Json("2"));
        JobType<Json, String> sum = JobType.of("test.sum", Json.class, String.class);
        JobRef<String> child = windrow.enqueue(sum.job(new Json("0")).withParents(second, first));
        start(worker().handle(ECHO, (input, job) -> input).handle(sum, (input, job) -> {
            StringBuilder all = new StringBuilder();
            for (ParentOutcome parent : job.parents()) {
                all.append(parent.state()).append(job.decode(parent.result(), int.class));
            }
            return all.toString();
        }));
        assertThat(windrow.await(child, PATIENCE)).isEqualTo("COMPLETED2COMPLETED1");
    }

    @Test
    void namedQueuesReplaceTheDefaultOne() {
        JobRef<Json> usual = enqueue(ECHO);
        JobRef<Json> image = enqueue(ECHO.withQueue("images"));
        Worker named = start(worker().queue("images").handle(ECHO, (input, job) -> input));
        untilState(image, JobState.COMPLETED);
        named.close();
        assertThat(state(usual)).isEqualTo(JobState.PENDING);
        start(worker().queue("images").queue("default").handle(ECHO, (input, job) -> input));
        untilState(usual, JobState.COMPLETED);
    }

    @Test
    void aJobWithoutAPayloadHasANullInput() {
        AtomicReference<Object> seen = new AtomicReference<>("nothing yet");
        start(worker().handle(RESIZE, (resize, job) -> {
            seen.set(resize);
            return null;
        }));
        JobRef<Json> job = windrow.enqueue(JobType.raw(RESIZE.name()), null);
        assertThat(windrow.await(job, PATIENCE)).isNull();
        assertThat(seen.get()).isNull();
        assertThat(history(job).result()).isNull();
    }

    @Test
    void theFirstMiddlewareIsTheOutermost() {
        List<String> calls = Collections.synchronizedList(new ArrayList<>());
        start(worker().middleware((job, next) -> {
                    calls.add("a in");
                    Object result = next.call();
                    calls.add("a out");
                    return result;
                })
                .middleware((job, next) -> {
                    calls.add("b in " + job.type());
                    next.call();
                    return new Json("\"from b\"");
                })
                .handle(ECHO, (input, job) -> {
                    calls.add("handler");
                    return input;
                }));
        assertThat(windrow.await(enqueue(ECHO), PATIENCE)).isEqualTo(new Json("\"from b\""));
        assertThat(calls).containsExactly("a in", "b in test.echo", "handler", "a out");
    }

    @Test
    void anExceptionOfAMiddlewareCountsAsThrownByTheHandler() {
        start(worker().middleware((job, next) -> {
                    throw JobFailure.permanent("PERMISSION:TENANT", "not yours");
                })
                .handle(ECHO, (input, job) -> input));
        JobRef<Json> job = enqueue(ECHO);
        untilState(job, JobState.FAILED);
        assertThat(history(job).job().errorCode()).isEqualTo("PERMISSION:TENANT");
    }

    @Test
    void aMiddlewareThatCallsTwiceFailsTheAttempt() {
        AtomicInteger runs = new AtomicInteger();
        start(worker().middleware((job, next) -> {
                    next.call();
                    return next.call();
                })
                .handle(ECHO, (input, job) -> {
                    runs.incrementAndGet();
                    return input;
                }));
        JobRef<Json> job = windrow.enqueue(ECHO.job(new Json("1")).withMaxAttempts(1));
        untilState(job, JobState.FAILED);
        assertThat(runs).hasValue(1);
    }

    @Test
    void listenersGetEventsInOrder() {
        // The enqueuing thread reports the job after its commit. A running worker may have started the job by then.
        JobRef<Json> job = enqueue(ECHO);
        start(worker().handle(ECHO, (input, context) -> input));
        assertThat(windrow.await(job, PATIENCE)).isNotNull();
        until(() -> events.size() == 3);
        assertThat(events.get(0)).isEqualTo(new WindrowEvent.JobsEnqueued(1));
        assertThat(events.get(1)).isInstanceOfSatisfying(WindrowEvent.AttemptStarted.class, started -> {
            assertThat(started.id()).isEqualTo(job.id());
            assertThat(started.waited()).isZero();
        });
        assertThat(events.get(2)).isInstanceOfSatisfying(WindrowEvent.AttemptEnded.class, ended -> {
            assertThat(ended.outcome()).isEqualTo(AttemptOutcome.SUCCEEDED);
            assertThat(ended.state()).isEqualTo(JobState.COMPLETED);
        });
    }

    @Test
    void aThrowingListenerHarmsNoJob() throws Exception {
        try (var other = dev.windrow.Windrow.configure(newStore())
                .listener(event -> {
                    throw new IllegalStateException("listener");
                })
                .listener(events::add)
                .open()) {
            try (Worker worker =
                    other.worker().handle(ECHO, (input, job) -> input).start()) {
                JobRef<Json> job = other.enqueue(ECHO, new Json("1"));
                assertThat(other.await(job, PATIENCE)).isNotNull();
                assertThat(worker.awaitIdle(PATIENCE)).isTrue();
            }
            until(() -> told(WindrowEvent.AttemptEnded.class).size() == 1);
        }
    }

    @Test
    void aLimitedQueueHasNoMoreClaimedJobsThanItsLimit() throws Exception {
        AtomicInteger limited = new AtomicInteger();
        AtomicInteger maxLimited = new AtomicInteger();
        CountDownLatch both = new CountDownLatch(2);
        Worker worker =
                start(worker().concurrency(6).queue("open").queue("narrow", 2).handle(ECHO, (input, job) -> {
                    if (job.queue().equals("narrow")) {
                        maxLimited.accumulateAndGet(limited.incrementAndGet(), Math::max);
                        both.countDown();
                        both.await();
                        limited.decrementAndGet();
                    }
                    return null;
                }));
        windrow.enqueueAll(Collections.nCopies(100, ECHO.job(new Json("1")).withQueue("narrow")));
        windrow.enqueueAll(Collections.nCopies(100, ECHO.job(new Json("1")).withQueue("open")));
        assertThat(worker.awaitIdle(PATIENCE)).isTrue();
        assertThat(worker.totals().completed()).isEqualTo(200);
        assertThat(maxLimited).hasValue(2);
    }

    @Test
    void aWorkerClaimsNothingFromOtherQueues() throws Exception {
        JobRef<Json> other = windrow.enqueue(ECHO.job(new Json("1")).withQueue("other"));
        Worker worker = start(worker().handle(ECHO, (input, job) -> input));
        enqueue(ECHO);
        assertThat(worker.awaitIdle(PATIENCE)).isTrue();
        assertThat(state(other)).isEqualTo(JobState.PENDING);
    }

    @Test
    void theThreadOfAJobStartsWithoutAnInterrupt() throws Exception {
        AtomicInteger interrupted = new AtomicInteger();
        Worker worker = start(worker().concurrency(1).handle(ECHO, (input, job) -> {
            if (Thread.currentThread().isInterrupted()) {
                interrupted.incrementAndGet();
            }
            Thread.currentThread().interrupt();
            return null;
        }));
        windrow.enqueueAll(Collections.nCopies(50, ECHO.job(new Json("1"))));
        assertThat(worker.awaitIdle(PATIENCE)).isTrue();
        assertThat(worker.totals().completed()).isEqualTo(50);
        assertThat(interrupted).hasValue(0);
    }

    @Test
    void settingsOutOfRangeAreRefusedByName() {
        for (Runnable wrong : List.<Runnable>of(
                () -> worker().concurrency(0),
                () -> worker().concurrency(1001),
                () -> worker().lease(Duration.ofMillis(999)),
                () -> worker().lease(Duration.ofHours(2)),
                () -> worker().poll(Duration.ofMillis(9)),
                () -> worker().poll(Duration.ofMinutes(2)),
                () -> worker().queue("q", 0),
                () -> worker().queue("q").queue("q", 3),
                () -> worker().name(" "),
                () -> worker().defaultTimeout(Duration.ZERO),
                () -> worker().drainTimeout(Duration.ofSeconds(-1)),
                () -> worker().handle(ECHO, (i, j) -> i).handle(ECHO, (i, j) -> i),
                () -> worker().start())) {
            assertThatThrownBy(wrong::run).isInstanceOf(InvalidRequestException.class);
        }
        start(worker().name("twin").handle(ECHO, (i, j) -> i));
        assertThatThrownBy(() -> worker().name("twin").handle(ECHO, (i, j) -> i).start())
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("twin");
    }
}
