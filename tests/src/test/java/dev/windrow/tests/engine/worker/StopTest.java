package dev.windrow.tests.engine.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.AttemptOutcome;
import dev.windrow.EventKind;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobHistory;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.StoreUnavailableException;
import dev.windrow.TimeSource;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.monitor.WindrowEvent;
import dev.windrow.payload.Json;
import dev.windrow.store.job.Touch;
import dev.windrow.testkit.ManualTime;
import dev.windrow.tests.engine.EngineTest;
import dev.windrow.tests.stores.OnEachStore;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The stop of a worker. */
@OnEachStore
class StopTest extends EngineTest {
    private static void join(CompletableFuture<?> future) {
        until(future::isDone);
        future.join();
    }

    /** Waits until a thread of the engine waits by the clock. Only the state of the thread shows that, because no event does. */
    private static void untilWaits(String thread) {
        until(() -> Thread.getAllStackTraces().entrySet().stream()
                .anyMatch(entry -> entry.getKey().getName().equals(thread)
                        && entry.getKey().getState() == Thread.State.WAITING
                        && Arrays.stream(entry.getValue())
                                .anyMatch(frame -> frame.getClassName().equals(ManualTime.class.getName()))));
    }

    /** Waits until the stop of a worker waits for its running jobs. From then on no further job may start. */
    private static void untilStopLetsJobsEnd(String worker) {
        untilWaits("windrow-stop-" + worker);
    }

    @Test
    void aGracefulStopLetsRunningJobsComplete() {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch finish = new CountDownLatch(1);
        AtomicBoolean told = new AtomicBoolean();
        Worker worker = start(worker().name("leaving").handle(ECHO, (input, job) -> {
            started.countDown();
            finish.await();
            told.set(job.shouldStop());
            return input;
        }));
        JobRef<Json> job = enqueue(ECHO);
        take(started);
        CompletableFuture<Void> stop = onItsOwnThread(() -> worker.stop(Duration.ofMinutes(1)));
        untilStopLetsJobsEnd("leaving");
        runClock(Duration.ofSeconds(1), 30);
        assertThat(stop).isNotDone();
        finish.countDown();
        join(stop);
        assertThat(told).isFalse();
        assertThat(state(job)).isEqualTo(JobState.COMPLETED);
        assertThat(worker.totals().completed()).isEqualTo(1);
    }

    /** Returns the outcomes of the job's attempts, for failure class 15. */
    private List<AttemptOutcome> outcomes(JobRef<?> job) {
        return history(job).attempts().stream().map(JobHistory.Attempt::outcome).toList();
    }

    @Test
    void aJobInterruptedByTheStopIsHandedBackWithoutCountingAnAttempt() {
        CountDownLatch started = new CountDownLatch(1);
        AtomicBoolean told = new AtomicBoolean();
        Worker worker = start(worker().name("leaving").handle(ECHO, (input, job) -> {
            started.countDown();
            try {
                new CountDownLatch(1).await();
            } finally {
                told.set(job.shouldStop());
            }
            return input;
        }));
        JobRef<Json> job = enqueue(ECHO);
        take(started);
        CompletableFuture<Void> stop = onItsOwnThread(() -> worker.stop(Duration.ofSeconds(10)));
        runClockUntil(Duration.ofSeconds(1), stop::isDone);
        assertThat(told).isTrue();
        assertThat(state(job)).isEqualTo(JobState.PENDING);
        assertThat(history(job).job().attempt()).isZero();
        // A concurrent claim at the stop may claim the job again. The worker then hands it back once more.
        assertThat(outcomes(job)).isNotEmpty().containsOnly(AttemptOutcome.RELEASED);
        assertThat(eventsOf(job)).endsWith(EventKind.RELEASED);
        assertThat(worker.totals().handedBack()).isEqualTo(outcomes(job).size());
        // The next worker runs it as attempt 1.
        AtomicInteger attempt = new AtomicInteger();
        start(worker().handle(ECHO, (input, context) -> {
            attempt.set(context.attempt());
            return input;
        }));
        untilState(job, JobState.COMPLETED);
        assertThat(attempt).hasValue(1);
    }

    @Test
    void aHandlerThatReturnsInTheGraceAfterTheInterruptHasCompletedItsJob() {
        CountDownLatch started = new CountDownLatch(1);
        Worker worker = start(worker().handle(ECHO, (input, job) -> {
            started.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                // The handler finishes quickly instead.
            }
            return new Json("\"short\"");
        }));
        JobRef<Json> job = enqueue(ECHO);
        take(started);
        worker.stop(Duration.ZERO);
        assertThat(state(job)).isEqualTo(JobState.COMPLETED);
        assertThat(history(job).result()).isEqualTo(new Json("\"short\""));
    }

    @Test
    void aHandlerThatIgnoresTheStopIsHandedBackAndItsResultChangesNothing() {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(1);
        closing(release::countDown);
        Worker worker = start(worker().handle(ECHO, (input, job) -> {
            started.countDown();
            boolean done = false;
            while (!done) {
                try {
                    release.await();
                    done = true;
                } catch (InterruptedException e) {
                    // The handler ignores the interrupt on purpose.
                }
            }
            ended.countDown();
            return new Json("\"zombie\"");
        }));
        JobRef<Json> job = enqueue(ECHO);
        take(started);
        CompletableFuture<Void> stop = onItsOwnThread(() -> worker.stop(Duration.ofSeconds(1)));
        runClockUntil(Duration.ofMillis(500), stop::isDone);
        assertThat(state(job)).isEqualTo(JobState.PENDING);
        release.countDown();
        take(ended);
        JobRef<Json> other = enqueue(ECHO);
        start(worker().handle(ECHO, (input, context) -> input));
        untilState(other, JobState.COMPLETED);
        untilState(job, JobState.COMPLETED);
        assertThat(history(job).result()).isEqualTo(new Json("{}"));
        // A concurrent claim at the stop may have claimed the handed-back job. The worker hands it back again without
        // a start.
        assertThat(history(job).attempts())
                .filteredOn(attempt -> attempt.startedAt() != null)
                .extracting(JobHistory.Attempt::outcome)
                .containsExactly(AttemptOutcome.RELEASED, AttemptOutcome.SUCCEEDED);
    }

    /** Failure class 22. */
    @Test
    void aStopDoesNotDrainTheBacklog() {
        CountDownLatch started = new CountDownLatch(2);
        CountDownLatch finish = new CountDownLatch(1);
        AtomicInteger runs = new AtomicInteger();
        Worker worker = start(worker().name("leaving").concurrency(2).handle(ECHO, (input, job) -> {
            runs.incrementAndGet();
            started.countDown();
            finish.await();
            return input;
        }));
        List<JobRef<Json>> jobs = windrow.enqueueAll(Collections.nCopies(500, ECHO.job(new Json("1")))).stream()
                .map(enqueued -> ECHO.ref(enqueued.id()))
                .toList();
        take(started);
        CompletableFuture<Void> stop = onItsOwnThread(() -> worker.stop(Duration.ofMinutes(1)));
        untilStopLetsJobsEnd("leaving");
        finish.countDown();
        join(stop);
        assertThat(runs).hasValue(2);
        assertThat(windrow.monitor().statistics().states())
                .containsEntry(JobState.COMPLETED, 2L)
                .containsEntry(JobState.PENDING, 498L)
                .containsEntry(JobState.RUNNING, 0L);
        assertThat(history(jobs.get(499)).job().attempt()).isZero();
    }

    @Test
    void prefetchedJobsAreHandedBackUnchanged() throws Exception {
        AtomicBoolean hold = new AtomicBoolean();
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch finish = new CountDownLatch(1);
        closing(finish::countDown);
        Worker worker = start(worker().concurrency(1).handle(ECHO, (input, job) -> {
            if (hold.get()) {
                held.countDown();
                finish.await();
            }
            return input;
        }));
        // Short handlers cause a prefetch.
        windrow.enqueueAll(Collections.nCopies(200, ECHO.job(new Json("1"))));
        assertThat(worker.awaitIdle(PATIENCE)).isTrue();
        hold.set(true);
        windrow.enqueueAll(Collections.nCopies(200, ECHO.job(new Json("1"))));
        take(held);
        until(() -> windrow.monitor().statistics().states().get(JobState.RUNNING) > 1);
        CompletableFuture<Void> stop = onItsOwnThread(() -> worker.stop(Duration.ofMinutes(1)));
        until(() -> windrow.monitor().statistics().states().get(JobState.RUNNING) == 1);
        finish.countDown();
        join(stop);
        assertThat(windrow.monitor().statistics().states())
                .containsEntry(JobState.PENDING, 199L)
                .containsEntry(JobState.COMPLETED, 201L);
        assertThat(worker.totals().handedBack()).isPositive();
    }

    @Test
    void stopNowHandsJobsBackAtOnce() {
        CountDownLatch started = new CountDownLatch(1);
        Worker worker = start(worker().handle(ECHO, (input, job) -> {
            started.countDown();
            new CountDownLatch(1).await();
            return input;
        }));
        JobRef<Json> job = enqueue(ECHO);
        take(started);
        // The clock does not move, so no drain and no grace time ends.
        worker.stopNow();
        assertThat(state(job)).isEqualTo(JobState.PENDING);
        assertThat(history(job).job().attempt()).isZero();
    }

    @Test
    void stopNowHandsBackAJobThatASlotHasTakenButNotStarted() throws Exception {
        aJobBetweenTheQueueAndItsSlotIsTakenBackBy(Worker::stopNow);
    }

    @Test
    void theEndOfTheDrainHandsBackAJobThatASlotHasTakenButNotStarted() throws Exception {
        aJobBetweenTheQueueAndItsSlotIsTakenBackBy(worker -> worker.stop(Duration.ZERO));
    }

    private void aJobBetweenTheQueueAndItsSlotIsTakenBackBy(Consumer<Worker> stop) throws Exception {
        SlotClock clock = new SlotClock("leaving/1");
        Windrow engine = closing(
                Windrow.configure(newStore()).time(clock).listener(events::add).open());
        AtomicInteger runs = new AtomicInteger();
        Worker worker = start(engine.worker().name("leaving").concurrency(1).handle(ECHO, (input, job) -> {
            runs.incrementAndGet();
            return input;
        }));
        closing(clock.goOn::countDown);
        JobRef<Json> job = engine.enqueue(ECHO, new Json("1"));
        take(clock.arrived);
        // The clock does not move, so the stop waits for nothing.
        join(onItsOwnThread(() -> stop.accept(worker)));
        assertThat(state(job)).isEqualTo(JobState.PENDING);
        assertThat(history(job).job().attempt()).isZero();
        assertThat(history(job).attempts())
                .extracting(JobHistory.Attempt::outcome)
                .containsExactly(AttemptOutcome.RELEASED);
        assertThat(worker.totals().handedBack()).isEqualTo(1);
        clock.goOn.countDown();
        untilEnded(clock.slot);
        assertThat(runs).hasValue(0);
        assertThat(eventsOf(job)).doesNotContain(EventKind.STARTED);
        assertThat(told(WindrowEvent.AttemptStarted.class)).isEmpty();
    }

    private static void untilEnded(@Nullable Thread thread) throws InterruptedException {
        Objects.requireNonNull(thread).join(PATIENCE.toMillis());
        assertThat(thread.isAlive()).isFalse();
    }

    /** A clock that holds a slot at its first request for the time of day. The slot has then taken a job from the queue and is about to start it. */
    private final class SlotClock implements TimeSource {
        final CountDownLatch arrived = new CountDownLatch(1);
        final CountDownLatch goOn = new CountDownLatch(1);
        private final String name;
        volatile @Nullable Thread slot;

        SlotClock(String name) {
            this.name = name;
        }

        @Override
        public Instant now() {
            if (slot == null && Thread.currentThread().getName().equals(name)) {
                slot = Thread.currentThread();
                arrived.countDown();
                take(goOn);
            }
            return time.now();
        }

        @Override
        public long nanoTime() {
            return time.nanoTime();
        }

        @Override
        public void awaitUntil(ReentrantLock lock, Condition condition, long deadlineNanos)
                throws InterruptedException {
            time.awaitUntil(lock, condition, deadlineNanos);
        }
    }

    @Test
    void aJobClaimedByASlotDuringTheStopIsNotRun() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        AtomicReference<Thread> slot = new AtomicReference<>();
        CountDownLatch first = new CountDownLatch(1);
        CountDownLatch arrived = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        Worker worker = start(worker().name("leaving")
                .concurrency(1)
                .queue("default", 400)
                .handle(ECHO, (input, job) -> {
                    if (runs.incrementAndGet() == 201) {
                        first.await();
                    }
                    return input;
                }));
        closing(first::countDown);
        closing(goOn::countDown);
        // Short handlers cause a prefetch.
        windrow.enqueueAll(Collections.nCopies(200, ECHO.job(new Json("1"))));
        assertThat(worker.awaitIdle(PATIENCE)).isTrue();
        // From now on, a claim by a slot waits in the store. The slot has its next job at that time.
        faults.claim = real -> request -> {
            if (!Thread.currentThread().getName().equals("leaving/1")) {
                return real.apply(request);
            }
            slot.set(Thread.currentThread());
            arrived.countDown();
            take(goOn);
            return CompletableFuture.failedFuture(new StoreUnavailableException("too late"));
        };
        windrow.enqueueAll(Collections.nCopies(1500, ECHO.job(new Json("1"))));
        until(() -> runs.get() == 201);
        // The claim of these jobs has ended. No free capacity for another claim exists until the slot ends a job.
        faults.submit(new Touch()).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        untilWaits("windrow-dispatch-leaving");
        first.countDown();
        take(arrived);
        int runsBefore = runs.get();
        CompletableFuture<Void> stop = onItsOwnThread(worker::stopNow);
        until(() -> windrow.monitor().statistics().states().get(JobState.RUNNING) == 0);
        assertThat(windrow.monitor().statistics().states())
                .containsEntry(JobState.COMPLETED, (long) runsBefore)
                .containsEntry(JobState.PENDING, 1700L - runsBefore);
        // A concurrent claim may still return jobs. The stop waits for it, but not forever.
        runClockUntil(Duration.ofSeconds(1), stop::isDone);
        goOn.countDown();
        untilEnded(slot.get());
        assertThat(runs).hasValue(runsBefore);
    }

    @Test
    void aSecondStopShortensTheFirstAndBothReturn() {
        CountDownLatch started = new CountDownLatch(1);
        Worker worker = start(worker().handle(ECHO, (input, job) -> {
            started.countDown();
            new CountDownLatch(1).await();
            return input;
        }));
        JobRef<Json> job = enqueue(ECHO);
        take(started);
        CompletableFuture<Void> patient = onItsOwnThread(() -> worker.stop(Duration.ofHours(1)));
        CompletableFuture<Void> second = onItsOwnThread(worker::close);
        until(() -> time.waiting() > 0);
        assertThat(patient).isNotDone();
        worker.stopNow();
        join(patient);
        join(second);
        assertThat(state(job)).isEqualTo(JobState.PENDING);
        worker.close();
        worker.stop(Duration.ZERO);
    }

    @Test
    void aShorterDrainShortensAWaitingStop() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch told = new CountDownLatch(1);
        Worker worker = start(worker().name("hurried").handle(ECHO, (input, job) -> {
            started.countDown();
            try {
                new CountDownLatch(1).await();
            } finally {
                told.countDown();
            }
            return input;
        }));
        JobRef<Json> job = enqueue(ECHO);
        take(started);
        CompletableFuture<Void> patient = onItsOwnThread(() -> worker.stop(Duration.ofDays(1)));
        untilStopLetsJobsEnd("hurried");
        runClock(Duration.ofSeconds(1), 30);
        assertThat(told.getCount()).isEqualTo(1);
        CompletableFuture<Void> hurried = onItsOwnThread(() -> worker.stop(Duration.ofSeconds(10)));
        runClockUntil(Duration.ofSeconds(1), () -> patient.isDone() && hurried.isDone());
        take(told);
        assertThat(state(job)).isEqualTo(JobState.PENDING);
        assertThat(history(job).job().attempt()).isZero();
    }

    @Test
    void joiningWaitsForTheEndOfTheWorkerAndAnInterruptEndsOnlyTheWait() throws Exception {
        Worker worker = start(worker().handle(ECHO, (input, job) -> input));
        Thread.currentThread().interrupt();
        assertThatThrownBy(worker::join).isInstanceOf(InterruptedException.class);
        CompletableFuture<Void> joined = onItsOwnThread(() -> {
            try {
                worker.join();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        JobRef<Json> job = enqueue(ECHO);
        untilState(job, JobState.COMPLETED);
        assertThat(joined).isNotDone();
        worker.close();
        join(joined);
        worker.join();
    }

    @Test
    void closeOnShutdownIsIdempotentAndRefusedOnceClosed() {
        Windrow other = open(newStore());
        assertThat(other.closeOnShutdown().closeOnShutdown(Duration.ZERO)).isSameAs(other);
        for (Duration wrong : List.of(Duration.ofMillis(-1), Duration.ofDays(2))) {
            assertThatThrownBy(() -> other.closeOnShutdown(wrong))
                    .isInstanceOf(InvalidRequestException.class)
                    .hasMessageMatching("drain at shutdown (-1ms|2d) is not allowed: 0s to 1d");
        }
        other.close();
        other.close();
        assertThatThrownBy(other::closeOnShutdown).isInstanceOf(StoreUnavailableException.class);
    }

    @Test
    void anInterruptOfTheStopperEndsTheDrain() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        Worker worker = start(worker().handle(ECHO, (input, job) -> {
            started.countDown();
            new CountDownLatch(1).await();
            return input;
        }));
        JobRef<Json> job = enqueue(ECHO);
        take(started);
        AtomicBoolean flag = new AtomicBoolean();
        Thread stopper = new Thread(() -> {
            worker.stop(Duration.ofHours(1));
            flag.set(Thread.currentThread().isInterrupted());
        });
        stopper.start();
        stopper.interrupt();
        stopper.join(PATIENCE.toMillis());
        assertThat(flag).isTrue();
        assertThat(state(job)).isEqualTo(JobState.PENDING);
    }

    @Test
    void aWaitForIdlenessEndsWhenTheWorkerStops() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        Worker worker = start(worker().handle(ECHO, (input, job) -> {
            started.countDown();
            new CountDownLatch(1).await();
            return input;
        }));
        enqueue(ECHO);
        take(started);
        CompletableFuture<Boolean> idle = onItsOwnThread(() -> {
            try {
                return worker.awaitIdle(Duration.ofDays(1));
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        worker.stopNow();
        until(idle::isDone);
        assertThat(idle.join()).isFalse();
    }

    @Test
    void leasesAreRenewedUntilTheDrainIsOver() {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch finish = new CountDownLatch(1);
        Worker worker =
                start(worker().name("leaving").lease(Duration.ofSeconds(3)).handle(ECHO, (input, job) -> {
                    started.countDown();
                    finish.await();
                    return input;
                }));
        JobRef<Json> job = enqueue(ECHO);
        take(started);
        // Another process, which would reclaim the job as soon as its lease expires.
        var other = open(newStore());
        start(other.worker().lease(Duration.ofSeconds(3)).handle(ECHO, (input, context) -> new Json("\"twice\"")));
        CompletableFuture<Void> stop = onItsOwnThread(() -> worker.stop(Duration.ofMinutes(5)));
        untilStopLetsJobsEnd("leaving");
        runClock(Duration.ofMillis(500), 60);
        finish.countDown();
        join(stop);
        untilState(job, JobState.COMPLETED);
        assertThat(history(job).attempts()).hasSize(1);
        assertThat(history(job).result()).isEqualTo(new Json("{}"));
    }

    @Test
    void closingTheEngineStopsItsWorkersAndRefusesNewOnes() {
        var other = open(newStore());
        CountDownLatch started = new CountDownLatch(1);
        other.worker()
                .drainTimeout(Duration.ZERO)
                .handle(ECHO, (input, job) -> {
                    started.countDown();
                    new CountDownLatch(1).await();
                    return input;
                })
                .start();
        JobRef<Json> job = other.enqueue(ECHO, new Json("1"));
        take(started);
        other.close();
        other.close();
        assertThat(state(job)).isEqualTo(JobState.PENDING);
        assertThatThrownBy(() -> other.enqueue(ECHO, new Json("1"))).isInstanceOf(StoreUnavailableException.class);
        assertThatThrownBy(() ->
                        other.worker().handle(ECHO, (input, context) -> input).start())
                .isInstanceOf(StoreUnavailableException.class);
    }

    @Test
    void aStoppedWorkerHasLeftTheRegistry() {
        JobRef<Json> job = windrow.enqueue(ECHO.job(new Json("1")).withQueue("elsewhere"));
        Worker worker = start(worker().handle(ECHO, (input, context) -> input).queue("elsewhere"));
        untilState(job, JobState.COMPLETED);
        worker.stop(Duration.ZERO);
        windrow.enqueue(ECHO.job(new Json("1")).withQueue("elsewhere"));
        assertThat(windrow.monitor().statistics().unhandled())
                .anySatisfy(unhandled -> assertThat(unhandled.type()).isEqualTo(ECHO.name()));
    }

    /** A renewal after the withdrawal would add the worker's entry again. */
    @Test
    void aWorkerRenewsNothingAfterItLeavesTheRegistry() throws Exception {
        List<String> renewing = new CopyOnWriteArrayList<>();
        faults.withdraw = worker -> Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(("windrow-lease-" + worker)::equals)
                .forEach(renewing::add);
        Worker worker = start(worker().handle(ECHO, (input, job) -> input));
        windrow.await(enqueue(ECHO), PATIENCE);
        worker.stop(PATIENCE);
        assertThat(renewing).isEmpty();
        assertThat(windrow.monitor().workers()).isEmpty();
    }
}
