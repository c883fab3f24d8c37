package dev.windrow.tests.engine.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobFailure;
import dev.windrow.JobRef;
import dev.windrow.JobRequest;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.RetryPolicy;
import dev.windrow.StoreUnavailableException;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.monitor.WindrowEvent;
import dev.windrow.payload.Json;
import dev.windrow.schedule.Schedule;
import dev.windrow.store.OpenStore;
import dev.windrow.store.job.Claim;
import dev.windrow.store.job.Claimed;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.Started;
import dev.windrow.store.job.Touch;
import dev.windrow.store.job.WorkerId;
import dev.windrow.store.processes.Announce;
import dev.windrow.store.processes.WorkerRow;
import dev.windrow.telemetry.WindrowMetrics;
import dev.windrow.tests.engine.EngineTest;
import dev.windrow.tests.stores.OnEachStore;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Each metric has the unit and the meaning of its name: seconds, not milliseconds; jobs, not calls; the oldest, not the newest. */
@OnEachStore
class MetricValuesTest extends EngineTest {
    private static final JobType<Json, Json> LEFT = JobType.raw("test.left");
    private static final Json NONE = new Json("{}");

    private final MeterRegistry registry = new SimpleMeterRegistry();

    private WindrowMetrics bind() {
        WindrowMetrics metrics = closing(new WindrowMetrics(windrow, time));
        metrics.bindTo(registry);
        return metrics;
    }

    private double gauge(String name, String... tags) {
        return registry.get(name).tags(tags).gauge().value();
    }

    private double seconds(String name, String... tags) {
        return registry.get(name).tags(tags).timeGauge().value(TimeUnit.SECONDS);
    }

    private Timer timer(String name, String... tags) {
        return registry.get(name).tags(tags).timer();
    }

    private double count(String name, String... tags) {
        return registry.get(name).tags(tags).counter().count();
    }

    private boolean isThere(String name, String... tags) {
        return registry.find(name).tags(tags).meter() != null;
    }

    /** Waits until the store was read. On a slow machine a scrape does not wait for that. */
    private void untilRead() {
        until(() -> {
            double unused = gauge("windrow.schedules");
            return seconds("windrow.statistics.age") == 0;
        });
    }

    private static WorkerRow worker(String name, int slots, Duration ttl, int stuck) {
        return new WorkerRow(
                new WorkerId(name, "1"),
                new WorkerRow.WorkerProcess("host", 1, null, "0.1"),
                new WorkerRow.Work(Set.of("q"), Set.of("a"), slots),
                ttl.toMillis(),
                stuck);
    }

    private static Claimed claim(OpenStore by, String worker, int jobs) {
        return by.submit(new Claim(
                        new WorkerId(worker, "1"), Set.of("default"), Set.of(ECHO.name()), jobs, LEASE.toMillis()))
                .join();
    }

    @Test
    void gaugesReportTheNumbersOfTheStore() {
        windrow.enqueue(LEFT.job(NONE).withExternalCompletion(Duration.ofDays(1)));
        windrow.schedules().save(Schedule.every("late", Duration.ofMinutes(1), LEFT.job(NONE)));
        windrow.schedules().save(Schedule.every("paused", Duration.ofMinutes(1), LEFT.job(NONE)));
        windrow.schedules().pause("paused");
        OpenStore other = openBareStore();
        other.submit(new Announce(worker("well", 5, Duration.ofHours(1), 2))).join();
        other.submit(new Announce(worker("gone", 70, Duration.ofSeconds(10), 30)))
                .join();
        enqueue(ECHO);
        enqueue(ECHO);
        ClaimedJob running = claim(other, "well", 1).jobs().get(0);
        other.submit(new Started(running.leaseToken(), "well", running.claimedAtMillis()))
                .join();
        // The start is durable once the touch is.
        other.submit(new Touch()).join();
        time.advance(Duration.ofSeconds(100));
        assertThat(claim(other, "well", 1).jobs()).as("claimed ahead").hasSize(1);
        windrow.enqueue(LEFT.job(NONE).withQueue("slow"));
        time.advance(Duration.ofSeconds(100));
        windrow.enqueueAll(Collections.nCopies(2, LEFT.job(NONE).withQueue("slow")));
        List<JobRef<Json>> failed = List.of(enqueue(LEFT), enqueue(LEFT), enqueue(LEFT));
        failed.forEach(job -> windrow.job(job).fail("TEST:CODE"));
        windrow.queue("slow").pause("enough");
        time.advance(Duration.ofSeconds(100));

        WindrowMetrics metrics = bind();
        untilRead();
        assertThat(gauge("windrow.waits")).isEqualTo(1);
        assertThat(gauge("windrow.schedules")).isEqualTo(2);
        assertThat(gauge("windrow.schedules.paused")).isEqualTo(1);
        assertThat(seconds("windrow.schedules.overdue")).isEqualTo(300 - 60);
        assertThat(seconds("windrow.running.oldest")).isEqualTo(300);
        assertThat(gauge("windrow.workers")).isEqualTo(1);
        assertThat(gauge("windrow.workers.slots")).isEqualTo(5);
        assertThat(gauge("windrow.workers.busy")).isEqualTo(1);
        assertThat(gauge("windrow.workers.stuck")).isEqualTo(2);
        assertThat(seconds("windrow.queue.lag", "queue", "slow")).isEqualTo(200);
        assertThat(seconds("windrow.queue.lag", "queue", "default")).isZero();
        assertThat(gauge("windrow.queue.paused", "queue", "slow")).isEqualTo(1);
        assertThat(gauge("windrow.queue.paused", "queue", "default")).isZero();
        assertThat(gauge("windrow.jobs", "queue", "slow", "state", "PENDING")).isEqualTo(3);
        assertThat(gauge("windrow.type.jobs", "type", "test.left", "state", "FAILED"))
                .isEqualTo(3);
        assertThat(gauge("windrow.jobs.unhandled", "type", "test.left")).isEqualTo(3);
        assertThat(gauge("windrow.jobs.failed", "code", "TEST:CODE")).isEqualTo(3);
        assertThat(gauge("windrow.health")).isEqualTo(1);
        assertThat(gauge("windrow.health.failing")).isZero();

        failed.forEach(job -> windrow.job(job).retry());
        time.advance(Duration.ofSeconds(11));
        untilRead();
        assertThat(gauge("windrow.jobs.failed", "code", "TEST:CODE"))
                .as("what is not there any more")
                .isZero();
        time.advance(Duration.ofSeconds(7));
        assertThat(seconds("windrow.statistics.age")).isEqualTo(7);
        assertThat(registry.getMeters()).isNotEmpty();
        metrics.close();
        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    void queuesBeyondTheHundredthReportTheirWorstLagAndTheirSumOfJobs() {
        List<JobRequest<?, ?>> jobs = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            jobs.add(LEFT.job(NONE).withQueue("q" + i));
        }
        windrow.enqueueAll(jobs);
        bind();
        untilRead();
        assertThat(isThere("windrow.queue.lag", "queue", "other"))
                .as("a hundred have their names")
                .isFalse();
        for (int i = 0; i < 3; i++) {
            time.advance(Duration.ofSeconds(100));
            windrow.enqueue(LEFT.job(NONE).withQueue("more" + i));
        }
        time.advance(Duration.ofSeconds(100));
        untilRead();
        assertThat(seconds("windrow.queue.lag", "queue", "other")).isEqualTo(300);
        assertThat(gauge("windrow.jobs", "queue", "other", "state", "PENDING")).isEqualTo(3);
        assertThat(seconds("windrow.queue.lag", "queue", "q99")).isEqualTo(400);
    }

    @Test
    void attemptsAreTimedAndCountedByOutcome() {
        windrow.enqueueAll(Collections.nCopies(2, LEFT.job(NONE)));
        until(() -> told(WindrowEvent.JobsEnqueued.class).size() == 1);
        bind();
        JobRef<Json> job = windrow.enqueue(ECHO.job(NONE)
                .withQueue("mail")
                .withMaxAttempts(2)
                .withRetry(RetryPolicy.fixed(Duration.ofSeconds(5))));
        windrow.enqueueAll(Collections.nCopies(4, LEFT.job(NONE)));
        time.advance(Duration.ofSeconds(3));
        start(windrow.worker().lease(Duration.ofHours(1)).queue("mail").handle(ECHO, (input, context) -> {
            time.advance(Duration.ofSeconds(2));
            if (context.attempt() == 1) {
                throw JobFailure.retryable("TEST:AGAIN", null);
            }
            throw JobFailure.retryable("TEST:OVER", null);
        }));
        runClockUntil(Duration.ofSeconds(1), () -> state(job) == JobState.FAILED);
        String[] run = {"queue", "mail", "type", "test.echo", "outcome", "FAILED"};
        until(() -> isThere("windrow.attempt.run", run)
                && timer("windrow.attempt.run", run).count() == 2
                && isThere("windrow.attempt.failures", "code", "TEST:OVER"));
        assertThat(timer("windrow.attempt.wait", "queue", "mail", "type", "test.echo")
                        .max(TimeUnit.SECONDS))
                .as("waited for the worker to start, and for its turn afterwards")
                .isGreaterThanOrEqualTo(3);
        assertThat(timer("windrow.attempt.run", run).totalTime(TimeUnit.SECONDS))
                .isGreaterThanOrEqualTo(4);
        assertThat(count("windrow.attempt.failures", "code", "TEST:AGAIN")).isEqualTo(1);
        assertThat(count("windrow.attempt.failures", "code", "TEST:OVER")).isEqualTo(1);
        assertThat(count("windrow.attempt.retries", "type", "test.echo"))
                .as("the last one is followed by none")
                .isEqualTo(1);
        assertThat(count("windrow.jobs.enqueued"))
                .as("since it was bound, jobs and not calls")
                .isEqualTo(5);
        assertThat(isThere("windrow.attempt.lost")).isFalse();
    }

    @Test
    void aHundredTypesAndCodesAreNamedAndASuccessHasNoCode() {
        bind();
        Worker.Builder worker = windrow.worker().lease(Duration.ofHours(1)).handle(ECHO, (input, job) -> input);
        List<JobRequest<?, ?>> jobs = new ArrayList<>();
        for (int i = 0; i < 104; i++) {
            JobType<Json, Json> type = JobType.raw("test.type" + i);
            String code = "TEST:C" + i;
            worker.handle(type, (input, job) -> {
                throw JobFailure.permanent(code, null);
            });
            jobs.add(type.job(NONE));
        }
        start(worker);
        JobRef<Json> fine = enqueue(ECHO);
        untilState(fine, JobState.COMPLETED);
        windrow.enqueueAll(jobs);
        until(() -> registry.find("windrow.attempt.failures").counters().stream()
                        .mapToDouble(Counter::count)
                        .sum()
                == 104);
        assertThat(registry.find("windrow.attempt.failures").counters()).hasSize(101);
        assertThat(count("windrow.attempt.failures", "code", "other")).isEqualTo(4);
        assertThat(registry.find("windrow.attempt.run").timers()).hasSize(101);
        assertThat(timer("windrow.attempt.run", "type", "other").count()).isEqualTo(5);
        assertThat(timer("windrow.attempt.run", "outcome", "SUCCEEDED").count()).isEqualTo(1);
        assertThat(isThere("windrow.attempt.retries")).isFalse();
    }

    @Test
    void reclaimsClaimsAndCommitsAreCounted() {
        bind();
        OpenStore dead = openBareStore();
        windrow.enqueueAll(Collections.nCopies(7, ECHO.job(NONE)));
        assertThat(claim(dead, "dead", 7).jobs()).hasSize(7);
        faults.claim = real -> request -> {
            time.advance(Duration.ofSeconds(1));
            return real.apply(request);
        };
        start(worker().handle(ECHO, (input, job) -> input));
        runClockUntil(Duration.ofSeconds(1), () -> count("windrow.jobs.reclaimed") == 7);
        runClockUntil(Duration.ofSeconds(1), () -> summary("windrow.claim.jobs").totalAmount() == 7);
        Timer claims = timer("windrow.claim", "outcome", "SUCCEEDED");
        until(() -> claims.count() > 0);
        assertThat(claims.totalTime(TimeUnit.SECONDS)).isGreaterThanOrEqualTo((double) claims.count());
        assertThat(timer("windrow.claim", "outcome", "FAILED").count()).isZero();

        faults.claim = real -> request -> {
            time.advance(Duration.ofSeconds(1));
            return CompletableFuture.failedFuture(new StoreUnavailableException("the disk is full"));
        };
        Timer failed = timer("windrow.claim", "outcome", "FAILED");
        runClockUntil(Duration.ofSeconds(1), () -> failed.count() >= 3);
        assertThat(failed.totalTime(TimeUnit.SECONDS)).isGreaterThanOrEqualTo(3);
        runClockUntil(
                Duration.ofSeconds(1),
                () -> windrow.monitor().health().tasks().stream()
                        .anyMatch(task -> String.valueOf(task.problem()).contains("could not claim")));
        // Other tasks seem to hang while the clock runs ahead of them.
        until(() -> gauge("windrow.health.failing") == 1);
        assertThat(gauge("windrow.health")).isZero();
    }

    @Test
    void commitsAreTimedAndTheirVerbsCounted() {
        // Uses a plain store, because the store of the other tests, which fails on purpose, reports no commits.
        Windrow engine = open(newStore());
        closing(new WindrowMetrics(engine, time)).bindTo(registry);
        for (int i = 0; i < 20; i++) {
            engine.enqueue(LEFT, NONE);
        }
        until(() -> summary("windrow.commit.operations").totalAmount() >= 20);
        assertThat(timer("windrow.commit").totalTime(TimeUnit.NANOSECONDS)).isPositive();
        assertThat(summary("windrow.commit.operations").max()).isLessThanOrEqualTo(20);
    }

    private DistributionSummary summary(String name) {
        return registry.get(name).summary();
    }

    @Test
    void anUnreadableStoreIsLoggedOnceAndStaleNumbersAreDropped() {
        windrow.enqueue(LEFT, NONE);
        bind();
        untilRead();
        windrow.close();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PrintStream before = System.err;
        System.setErr(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        try {
            for (int i = 1; i <= 11; i++) {
                time.advance(Duration.ofSeconds(10));
                assertThat(gauge("windrow.jobs", "queue", "default", "state", "PENDING"))
                        .isEqualTo(1);
                assertThat(gauge("windrow.schedules")).isZero();
            }
            until(() -> bytes.toString(StandardCharsets.UTF_8).contains("cannot be read"));
            time.advance(Duration.ofSeconds(11));
            assertThat(gauge("windrow.jobs", "queue", "default", "state", "PENDING"))
                    .isNaN();
            assertThat(gauge("windrow.schedules")).isNaN();
        } finally {
            System.setErr(before);
        }
        assertThat(bytes.toString(StandardCharsets.UTF_8).lines())
                .filteredOn(line -> line.contains("The numbers of the store cannot be read"))
                .hasSize(1);
    }

    @Test
    void numbersReturnWhenTheStoreIsReachableAgain() {
        windrow.enqueue(LEFT, NONE);
        bind();
        untilRead();
        faults.statistics = real -> () -> {
            throw new StoreUnavailableException("the disk is full");
        };
        windrow.enqueue(LEFT, NONE);
        time.advance(Duration.ofSeconds(11));
        assertThat(gauge("windrow.jobs", "queue", "default", "state", "PENDING"))
                .isEqualTo(1);
        assertThat(seconds("windrow.statistics.age")).isEqualTo(11);
        faults.statistics = real -> real;
        // The next read may join the failed one that has not ended yet.
        runClockUntil(Duration.ofSeconds(11), () -> gauge("windrow.jobs", "queue", "default", "state", "PENDING") == 2);
    }

    @Test
    void closedMetricsAreNotUpdated() {
        WindrowMetrics metrics = bind();
        windrow.enqueue(LEFT, NONE);
        until(() -> count("windrow.jobs.enqueued") == 1);
        Counter counter = registry.get("windrow.jobs.enqueued").counter();
        metrics.close();
        windrow.enqueue(LEFT, NONE);
        until(() -> told(WindrowEvent.JobsEnqueued.class).size() == 2);
        assertThat(counter.count()).isEqualTo(1);
        metrics.close();
    }
}
