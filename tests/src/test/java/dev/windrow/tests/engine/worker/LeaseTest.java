package dev.windrow.tests.engine.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.AttemptOutcome;
import dev.windrow.ErrorCodes;
import dev.windrow.EventKind;
import dev.windrow.JobHistory;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.RetryPolicy;
import dev.windrow.StoreUnavailableException;
import dev.windrow.TimeSource;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.monitor.WindrowEvent;
import dev.windrow.payload.Json;
import dev.windrow.store.OpenStore;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.Claim;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.Started;
import dev.windrow.store.job.Touch;
import dev.windrow.store.job.WorkerId;
import dev.windrow.tests.engine.EngineTest;
import dev.windrow.tests.engine.FaultyStore;
import dev.windrow.tests.stores.OnEachStore;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** Leases: dead workers, zombies, and clocks that step. */
@OnEachStore
class LeaseTest extends EngineTest {
    private static final JobType<Json, Json> WORK = ECHO.withRetry(RetryPolicy.fixed(Duration.ofSeconds(2)));

    /** Claims a job in the part of another process, which then dies. Its store stays open, so its file locks do not matter. */
    private ClaimedJob claimAndDie(OpenStore process, boolean started) throws Exception {
        List<ClaimedJob> jobs = process.submit(new Claim(
                        new WorkerId("dead", "1"), Set.of("default"), Set.of(ECHO.name()), 1, LEASE.toMillis()))
                .get(60, TimeUnit.SECONDS)
                .jobs();
        assertThat(jobs).hasSize(1);
        if (started) {
            process.submit(new Started(jobs.get(0).leaseToken(), "dead", time.millis()))
                    .join();
            process.submit(new Touch()).get(60, TimeUnit.SECONDS);
        }
        return jobs.get(0);
    }

    /** The clock of the test. It fails once at the point where a worker takes over the jobs that it has claimed. */
    private final class FailingClock implements TimeSource {
        final AtomicBoolean fails = new AtomicBoolean();

        @Override
        public Instant now() {
            return time.now();
        }

        @Override
        public long nanoTime() {
            if (StackWalker.getInstance()
                            .walk(frames -> frames.skip(1)
                                    .findFirst()
                                    .filter(frame -> frame.getMethodName().equals("answered"))
                                    .isPresent())
                    && fails.compareAndSet(true, false)) {
                throw new OutOfMemoryError("told to fail");
            }
            return time.nanoTime();
        }

        @Override
        public void awaitUntil(ReentrantLock lock, Condition condition, long deadlineNanos)
                throws InterruptedException {
            time.awaitUntil(lock, condition, deadlineNanos);
        }
    }

    @Test
    void claimedJobsThatReachNoSlotAreReclaimedAndFreeTheirCapacity() {
        FailingClock clock = new FailingClock();
        Windrow engine = closing(
                Windrow.configure(newStore()).time(clock).random(new Random(42)).open());
        Worker worker = start(engine.worker().concurrency(1).lease(LEASE).handle(WORK, (input, context) -> input));
        assertThat(engine.await(engine.enqueue(WORK, new Json("1")), PATIENCE)).isNotNull();
        until(() -> engine.monitor().health().isOk());
        int enqueued = 1;
        JobRef<Json> dropped;
        do {
            // The failure may hit the answer to a concurrent claim that found nothing. Then the test repeats it.
            clock.fails.set(true);
            JobRef<Json> hit = engine.enqueue(WORK, new Json("2"));
            until(() -> !clock.fails.get());
            JobRef<Json> next = engine.enqueue(WORK, new Json("3"));
            until(() -> state(next) == JobState.COMPLETED);
            enqueued += 2;
            dropped = hit;
        } while (state(dropped) == JobState.COMPLETED && enqueued < 20);
        JobRef<Json> reclaimed = dropped;
        assertThat(state(reclaimed)).isEqualTo(JobState.RUNNING);
        runClockUntil(Duration.ofMillis(500), () -> state(reclaimed) == JobState.COMPLETED);
        long all = enqueued;
        // The worker counts an end after its commit, which the state shows at once.
        until(() -> worker.totals().completed() == all);
    }

    /** Failure class 4. */
    @Test
    void aJobWhoseWorkerDiedRunsAgainAndTheCrashCountsAsOneAttempt() throws Exception {
        JobRef<Json> job = enqueue(WORK);
        claimAndDie(openBareStore(), true);
        AtomicInteger attempt = new AtomicInteger();
        start(worker().handle(WORK, (input, context) -> {
            attempt.set(context.attempt());
            return input;
        }));
        runClock(Duration.ofSeconds(1), 29);
        assertThat(state(job)).isEqualTo(JobState.RUNNING);
        runClockUntil(Duration.ofMillis(500), () -> state(job) == JobState.COMPLETED);
        assertThat(attempt).hasValue(2);
        JobHistory history = history(job);
        assertThat(history.attempts())
                .extracting(JobHistory.Attempt::outcome)
                .containsExactly(AttemptOutcome.RECOVERED, AttemptOutcome.SUCCEEDED);
        assertThat(history.attempts().get(0).worker()).isEqualTo("dead");
        assertThat(history.attempts().get(0).errorCode()).isEqualTo(ErrorCodes.INTERNAL_CRASHED);
        assertThat(history(job).events())
                .filteredOn(event -> event.event() == EventKind.RECOVERED || event.event() == EventKind.RETRY_SCHEDULED)
                .hasSize(2)
                .allSatisfy(event -> {
                    assertThat(event.actor()).isEqualTo("system");
                    assertThat(String.valueOf(event.detail())).contains("\"worker\":\"dead\"");
                });
        assertThat(Duration.between(
                        history.job().createdAt(), history.attempts().get(1).startedAt()))
                .isLessThan(LEASE.multipliedBy(2).plusSeconds(4));
        assertThat(told(WindrowEvent.JobsReclaimed.class)).containsExactly(new WindrowEvent.JobsReclaimed(1));
    }

    @Test
    void aJobLostBeforeItsHandlerWasCalledRunsAgainWithAFullBudget() throws Exception {
        JobRef<Json> job = enqueue(WORK);
        claimAndDie(openBareStore(), false);
        AtomicInteger attempt = new AtomicInteger();
        start(worker().handle(WORK, (input, context) -> {
            attempt.set(context.attempt());
            return input;
        }));
        runClockUntil(Duration.ofMillis(500), () -> state(job) == JobState.COMPLETED);
        assertThat(attempt).hasValue(1);
        assertThat(history(job).attempts())
                .extracting(JobHistory.Attempt::outcome)
                .containsExactly(AttemptOutcome.LOST, AttemptOutcome.SUCCEEDED);
    }

    @Test
    void aCrashWithNoAttemptLeftFailsTheJob() throws Exception {
        JobRef<Json> job = windrow.enqueue(WORK.job(new Json("1")).withMaxAttempts(1));
        claimAndDie(openBareStore(), true);
        start(worker().handle(WORK, (input, context) -> input));
        runClockUntil(Duration.ofSeconds(1), () -> state(job) == JobState.FAILED);
        assertThat(history(job).job().errorCode()).isEqualTo(ErrorCodes.INTERNAL_CRASHED);
    }

    @Test
    void thousandsOfJobsOfDeadWorkersAreReclaimedTogether() throws Exception {
        windrow.enqueueAll(Collections.nCopies(2500, WORK.job(new Json("1"))));
        OpenStore process = openBareStore();
        for (int i = 0; i < 25; i++) {
            process.submit(new Claim(
                            new WorkerId("dead", "1"), Set.of("default"), Set.of(ECHO.name()), 100, LEASE.toMillis()))
                    .get(60, TimeUnit.SECONDS);
        }
        // A worker of another type, which only reclaims.
        start(worker().handle(JobType.raw("test.other"), (input, context) -> input));
        assertThat(windrow.monitor().statistics().states()).containsEntry(JobState.RUNNING, 2500L);
        // 11/6 of a lease after the last heartbeat, plus one second of measuring precision.
        runClock(Duration.ofSeconds(1), (int) LEASE.toSeconds() * 11 / 6 + 1);
        assertThat(windrow.monitor().statistics().states()).containsEntry(JobState.RUNNING, 0L);
        until(() -> told(WindrowEvent.JobsReclaimed.class).stream()
                        .mapToInt(WindrowEvent.JobsReclaimed::count)
                        .sum()
                == 2500);
    }

    /** A job whose worker has a longer lease than the local workers looks as if the clock had gone back. */
    @Test
    void aJobWithinItsLongerLeaseCausesNoWriteOfOtherProcesses() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch finish = new CountDownLatch(1);
        start(open(newStore()).worker().lease(LEASE.multipliedBy(10)).handle(WORK, (input, context) -> {
            started.countDown();
            finish.await();
            return input;
        }));
        JobRef<Json> job = enqueue(WORK);
        take(started);
        start(worker().handle(JobType.raw("test.other"), (input, context) -> input));
        runClock(Duration.ofSeconds(1), 120);
        assertThat(faults.touches).hasValue(0);
        assertThat(state(job)).isEqualTo(JobState.RUNNING);
        finish.countDown();
        untilState(job, JobState.COMPLETED);
    }

    @Test
    void anIdleReclaimerPollsHalfAsOftenUntilWorkArrives() {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch finish = new CountDownLatch(1);
        start(worker().handle(JobType.raw("test.other"), (input, context) -> input));
        runClock(Duration.ofSeconds(1), 20);
        // On a busy machine a poll comes later than the clock says, never earlier.
        assertThat(timeOfLooks(6)).as("each 10 s").isGreaterThan(Duration.ofSeconds(50));
        start(open(newStore()).worker().lease(LEASE).handle(WORK, (input, context) -> {
            started.countDown();
            finish.await();
            return input;
        }));
        int told = faults.looks.get() + 1;
        JobRef<Json> job = enqueue(WORK);
        take(started);
        until(() -> faults.looks.get() >= told);
        assertThat(timeOfLooks(12)).as("each 5 s").isBetween(Duration.ofSeconds(50), Duration.ofSeconds(100));
        finish.countDown();
        untilState(job, JobState.COMPLETED);
    }

    /** Returns the time by the clock that this many polls of the reclaimer take. */
    private Duration timeOfLooks(int count) {
        int before = faults.looks.get();
        Instant from = time.now();
        for (int i = 0; i < 1000 && faults.looks.get() - before < count; i++) {
            runClock(Duration.ofSeconds(1), 1);
        }
        return Duration.between(from, time.now());
    }

    @Test
    void aRepeatedlyLostJobCountsAttemptsInTheEnd() throws Exception {
        JobRef<Json> job = windrow.enqueue(WORK.job(new Json("1")).withMaxAttempts(1));
        OpenStore other = openBareStore();
        // A worker of another type. It reclaims, and leaves the job to the dying worker.
        start(worker().handle(JobType.raw("test.other"), (input, context) -> input));
        for (int death = 1; death <= 3; death++) {
            claimAndDie(other, false);
            int lost = death;
            runClockUntil(
                    Duration.ofSeconds(1),
                    () -> history(job).attempts().size() == lost
                            && history(job).attempts().get(lost - 1).outcome() == AttemptOutcome.LOST);
            runClock(Duration.ofSeconds(1), 1);
        }
        claimAndDie(other, false);
        runClockUntil(Duration.ofSeconds(1), () -> state(job) == JobState.FAILED);
        assertThat(history(job).attempts())
                .extracting(JobHistory.Attempt::outcome)
                .containsExactly(
                        AttemptOutcome.LOST, AttemptOutcome.LOST, AttemptOutcome.LOST, AttemptOutcome.RECOVERED);
    }

    /** Failure class 3. */
    @Test
    void aLongJobIsNeverReclaimedFromALiveWorker() {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch finish = new CountDownLatch(1);
        AtomicInteger runs = new AtomicInteger();
        start(worker().defaultTimeout(Duration.ofDays(1)).handle(WORK, (input, context) -> {
            runs.incrementAndGet();
            started.countDown();
            finish.await();
            return input;
        }));
        JobRef<Json> job = enqueue(WORK);
        take(started);
        start(open(newStore()).worker().lease(LEASE).handle(WORK, (input, context) -> {
            runs.incrementAndGet();
            return new Json("\"twice\"");
        }));
        runClock(Duration.ofSeconds(3), 200);
        finish.countDown();
        untilState(job, JobState.COMPLETED);
        assertThat(runs).hasValue(1);
        assertThat(history(job).attempts()).hasSize(1);
        assertThat(told(WindrowEvent.JobsReclaimed.class)).isEmpty();
    }

    /** Failure class 13. */
    @Test
    void aStepOfTheWallClockReclaimsNoLiveJob() {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch finish = new CountDownLatch(1);
        AtomicInteger runs = new AtomicInteger();
        start(worker().handle(WORK, (input, context) -> {
            runs.incrementAndGet();
            started.countDown();
            finish.await();
            return input;
        }));
        JobRef<Json> job = enqueue(WORK);
        take(started);
        start(open(newStore()).worker().lease(LEASE).handle(WORK, (input, context) -> {
            runs.incrementAndGet();
            return new Json("\"twice\"");
        }));
        for (Duration step : List.of(Duration.ofHours(3), Duration.ofHours(-6), Duration.ofMinutes(40))) {
            time.stepWall(step);
            runClock(Duration.ofMillis(500), 100);
        }
        assertThat(state(job)).isEqualTo(JobState.RUNNING);
        finish.countDown();
        untilState(job, JobState.COMPLETED);
        assertThat(runs).hasValue(1);
        assertThat(told(WindrowEvent.JobsReclaimed.class)).isEmpty();
    }

    @Test
    void aDeadWorkersJobIsFoundEvenAfterTheClockHasSteppedBack() throws Exception {
        JobRef<Json> job = enqueue(WORK);
        claimAndDie(openBareStore(), true);
        time.stepWall(Duration.ofMinutes(-5));
        start(worker().handle(WORK, (input, context) -> input));
        runClockUntil(Duration.ofSeconds(1), () -> state(job) == JobState.COMPLETED);
    }

    @Test
    void aJobEndedExternallyIsLostToItsHandler() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(1);
        AtomicBoolean told = new AtomicBoolean();
        Worker worker = start(worker().handle(WORK, (input, context) -> {
            started.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                told.set(context.shouldStop());
            }
            ended.countDown();
            return new Json("\"from the handler\"");
        }));
        JobRef<Json> job = enqueue(WORK);
        take(started);
        openBareStore()
                .submit(Change.byId(Change.Verb.COMPLETE, List.of(job.id()), "operator")
                        .result("\"from outside\"")
                        .build())
                .get(60, TimeUnit.SECONDS);
        runClockUntil(Duration.ofSeconds(1), () -> ended.getCount() == 0);
        assertThat(told).isTrue();
        JobRef<Json> next = windrow.enqueue(JobType.raw("test.none"), new Json("1"));
        assertThat(state(next)).isEqualTo(JobState.PENDING);
        assertThat(history(job).result()).isEqualTo(new Json("\"from outside\""));
        assertThat(history(job).attempts())
                .extracting(JobHistory.Attempt::outcome)
                .containsExactly(AttemptOutcome.SUPERSEDED);
        until(() -> told(WindrowEvent.AttemptLost.class).size() == 1);
        assertThat(worker.totals().completed()).isZero();
    }

    /** Failure classes 1 and 2. */
    @Test
    void aZombiesLateResultChangesNothing() {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch finish = new CountDownLatch(1);
        Worker zombie = start(worker().handle(WORK, (input, context) -> {
            started.countDown();
            boolean done = false;
            while (!done) {
                try {
                    finish.await();
                    done = true;
                } catch (InterruptedException e) {
                    // A zombie ignores the interrupt.
                }
            }
            return new Json("\"zombie\"");
        }));
        JobRef<Json> job = enqueue(WORK);
        take(started);
        // The zombie itself cannot claim the job again.
        faults.claim = real -> request -> CompletableFuture.failedFuture(new StoreUnavailableException("cut off"));
        faults.renew = real -> leaseTokens -> CompletableFuture.failedFuture(new StoreUnavailableException("cut off"));
        var other = open(newStore());
        start(other.worker().lease(LEASE).name("heir").handle(WORK, (input, context) -> new Json("\"heir\"")));
        runClockUntil(Duration.ofMillis(500), () -> state(job) == JobState.COMPLETED);
        finish.countDown();
        until(() -> !told(WindrowEvent.AttemptLost.class).isEmpty());
        assertThat(history(job).result()).isEqualTo(new Json("\"heir\""));
        assertThat(history(job).attempts())
                .extracting(JobHistory.Attempt::outcome)
                .containsExactly(AttemptOutcome.RECOVERED, AttemptOutcome.SUCCEEDED);
        assertThat(zombie.totals().completed()).isZero();
    }

    @Test
    void anEngineErrorLosesNeitherTheJobNorTheSlot() throws Exception {
        FaultyStore store = new FaultyStore(newStore());
        AtomicInteger asked = new AtomicInteger();
        RandomGenerator broken = () -> {
            if (asked.incrementAndGet() == 1) {
                throw new IllegalStateException("no more randomness");
            }
            return 0;
        };
        Windrow engine = closing(Windrow.configure(store)
                .time(time)
                .random(broken)
                .withoutRetention()
                .open());
        List<String> slots = new CopyOnWriteArrayList<>();
        start(engine.worker().name("cracked").lease(LEASE).concurrency(1).handle(ECHO, (input, context) -> {
            slots.add(context.worker());
            if (input.text().equals("1")) {
                // The failure leads to a retry delay with jitter.
                throw new IllegalArgumentException("not this one");
            }
            return input;
        }));
        JobRef<Json> job;
        JobRef<Json> next;
        ByteArrayOutputStream logged = new ByteArrayOutputStream();
        PrintStream log = System.err;
        System.setErr(new PrintStream(logged, true, StandardCharsets.UTF_8));
        try {
            job = engine.enqueue(ECHO, new Json("1"));
            next = engine.enqueue(ECHO, new Json("2"));
            // The slot survives the error.
            untilState(next, JobState.COMPLETED);
        } finally {
            System.setErr(log);
        }
        assertThat(slots).containsExactly("cracked/1", "cracked/1");
        assertThat(logged.toString(StandardCharsets.UTF_8))
                .contains("Slot cracked/1 met an unexpected error in job " + job.id() + " ")
                .contains("no more randomness");
        assertThat(state(job)).isEqualTo(JobState.RUNNING);
        // The worker of the job is alive, but it does not renew the abandoned job.
        store.claim = real -> request -> CompletableFuture.failedFuture(new StoreUnavailableException("cut off"));
        start(worker().name("heir").handle(ECHO, (input, context) -> new Json("\"heir\"")));
        runClockUntil(Duration.ofMillis(500), () -> state(job) == JobState.COMPLETED);
        assertThat(history(job).result()).isEqualTo(new Json("\"heir\""));
        assertThat(history(job).attempts())
                .extracting(JobHistory.Attempt::outcome)
                .containsExactly(AttemptOutcome.RECOVERED, AttemptOutcome.SUCCEEDED);
    }
}
