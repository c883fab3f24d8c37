package dev.windrow.tests.processes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.windrow.AttemptOutcome;
import dev.windrow.EventLevel;
import dev.windrow.JobHistory;
import dev.windrow.JobInfo;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.RetryPolicy;
import dev.windrow.TimeSource;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.store.OpenStore;
import dev.windrow.store.StoreEnvironment;
import dev.windrow.store.StoreHints;
import dev.windrow.store.StoreProvider;
import dev.windrow.store.job.Claim;
import dev.windrow.store.job.LeaseToken;
import dev.windrow.store.job.WaitingClaim;
import dev.windrow.store.job.WorkerId;
import dev.windrow.tests.Once;
import dev.windrow.tests.stores.Target;
import dev.windrow.testserver.PostgresServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A process whose clock is an hour ahead of the server's, or behind it. A SQLite file has only the clock of its processes, which run on one machine.
 */
@ParameterizedClass(name = "an hour wrong: {0}")
@ValueSource(longs = {3600, -3600})
@Once
class ServerClockTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Duration LEASE = Duration.ofSeconds(1);

    private static final JobType<String, String> ECHO = JobType.of("test.echo", String.class, String.class);
    private static final JobType<String, String> HOLD = JobType.of("test.hold", String.class, String.class);

    @Parameter
    long offsetSeconds;

    @TempDir
    Path folder;

    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private Target target;
    private TimeSource wrong;
    private Windrow windrow;

    @BeforeEach
    void open() throws Exception {
        target = Target.newSchema(PostgresServer.shared());
        open.push(target);
        wrong = new SteppedTime(Files.writeString(folder.resolve("offset"), Long.toString(offsetSeconds)));
        windrow = open(wrong);
    }

    private Windrow open(TimeSource time) {
        Windrow engine = Windrow.configure(target.newStore()).time(time).open();
        open.push(engine);
        return engine;
    }

    @AfterEach
    void close() throws Exception {
        while (!open.isEmpty()) {
            open.pop().close();
        }
    }

    private static void until(Callable<Boolean> condition) {
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(10)).until(condition);
    }

    private JobInfo job(JobRef<?> job) {
        return windrow.job(job).history().job();
    }

    /** Returns the time of the server, which runs on this machine, to the millisecond. */
    private static Instant serverNow() {
        return Instant.ofEpochMilli(System.currentTimeMillis());
    }

    @Test
    void stored_times_are_by_the_servers_clock() {
        Instant before = serverNow();
        windrow.worker()
                .handle(ECHO, (input, job) -> {
                    job.log(dev.windrow.LogLevel.INFO, "here");
                    job.progress(0.5);
                    return input;
                })
                .start();
        JobRef<String> ref = windrow.enqueue(ECHO, "x");
        windrow.await(ref, PATIENCE);
        // The log of a job is sent before its end, on another connection.
        until(() -> !windrow.job(ref).history().log().isEmpty());
        Instant after = serverNow();
        JobHistory history = windrow.job(ref).history();
        assertThat(history.job().createdAt()).isBetween(before, after);
        assertThat(history.job().scheduledAt()).isBetween(before, after);
        // This process measures these times and converts them into the server's time, which it knows to half a
        // second.
        Instant early = before.minusMillis(500);
        Instant late = after.plusMillis(500);
        assertThat(history.job().startedAt()).isBetween(early, late);
        assertThat(history.job().finishedAt()).isBetween(early, late);
        assertThat(history.attempts()).singleElement().satisfies(attempt -> {
            assertThat(attempt.startedAt()).isBetween(early, late);
            assertThat(attempt.finishedAt()).isBetween(early, late);
        });
        assertThat(history.events()).allSatisfy(event -> assertThat(event.at()).isBetween(early, late));
        assertThat(history.log())
                .singleElement()
                .satisfies(line -> assertThat(line.at()).isBetween(early, late));
        assertThat(windrow.monitor().workers()).singleElement().satisfies(worker -> {
            assertThat(worker.alive()).isTrue();
            assertThat(worker.startedAt()).isBetween(early, late);
        });
    }

    @Test
    void delayed_jobs_run_when_they_are_due_by_the_servers_clock() {
        windrow.worker()
                .poll(Duration.ofMinutes(1))
                .handle(ECHO, (input, job) -> input)
                .start();
        Instant due = serverNow().plusMillis(700);
        JobRef<String> at = windrow.enqueue(ECHO.job("x").withRunAt(due));
        JobRef<String> delayed = windrow.enqueue(ECHO.job("x").withDelay(Duration.ofMillis(700)));
        windrow.await(at, PATIENCE);
        windrow.await(delayed, PATIENCE);
        // The job was claimed by the server's clock, not before its due time.
        for (JobRef<String> ref : java.util.List.of(at, delayed)) {
            long claimed = number("SELECT claimed_at FROM windrow_jobs WHERE id = " + ref.id());
            long scheduled = number("SELECT scheduled_at FROM windrow_jobs WHERE id = " + ref.id());
            assertThat(claimed).isGreaterThanOrEqualTo(scheduled);
            assertThat(Instant.ofEpochMilli(scheduled)).isBetween(due.minusMillis(1), due.plusSeconds(60));
        }
    }

    private long number(String sql) {
        return Long.parseLong(target.rows(sql).get(0));
    }

    @Test
    void a_retry_is_due_after_its_pause() {
        JobType<String, String> type = ECHO.withRetry(RetryPolicy.fixed(Duration.ofMillis(300)));
        windrow.worker()
                .handle(type, (input, job) -> {
                    if (job.attempt() == 1) {
                        throw new IllegalStateException("not yet");
                    }
                    return input;
                })
                .start();
        JobRef<String> ref = windrow.enqueue(type, "x");
        windrow.await(ref, PATIENCE);
        JobHistory history = windrow.job(ref).history();
        assertThat(Duration.between(
                        history.attempts().get(0).finishedAt(),
                        history.attempts().get(1).startedAt()))
                .isBetween(Duration.ofMillis(300), PATIENCE);
    }

    /** Failure class 13. */
    @Test
    void no_worker_loses_a_job_to_a_process_with_another_clock() throws Exception {
        Windrow right = open(TimeSource.system());
        for (Windrow holder : new Windrow[] {windrow, right}) {
            Windrow other = holder == right ? windrow : right;
            CountDownLatch started = new CountDownLatch(1);
            CountDownLatch finish = new CountDownLatch(1);
            Worker leaseTokens = holder.worker()
                    .lease(LEASE)
                    .handle(HOLD, (input, job) -> {
                        started.countDown();
                        finish.await();
                        return "by attempt " + job.attempt();
                    })
                    .start();
            JobRef<String> ref = windrow.enqueue(HOLD, "x");
            assertThat(started.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            Worker takes = other.worker()
                    .lease(LEASE)
                    .handle(HOLD, (input, job) -> "by attempt " + job.attempt())
                    .start();
            for (int renewals = 0; renewals < 6; renewals++) {
                long before = leaseUntil(ref);
                until(() -> leaseUntil(ref) != before);
            }
            finish.countDown();
            assertThat(windrow.await(ref, PATIENCE)).isEqualTo("by attempt 1");
            leaseTokens.stopNow();
            takes.stopNow();
        }
    }

    private long leaseUntil(JobRef<?> job) {
        return number("SELECT coalesce(lease_until, 0) FROM windrow_jobs WHERE id = " + job.id());
    }

    @Test
    void a_job_of_an_unregistered_dead_worker_is_reclaimed_soon() throws Exception {
        JobRef<String> ref = windrow.enqueue(ECHO, "x");
        // No registry entry tells the lease of this worker.
        OpenStore dead = StoreProvider.open(
                target.newStore(), new StoreEnvironment(TimeSource.system(), EventLevel.ALL, new NoHints()));
        open.push(dead);
        assertThat(dead.submit(new Claim(
                                new WorkerId("dead", "1"), Set.of("default"), Set.of(ECHO.name()), 1, LEASE.toMillis()))
                        .get(60, TimeUnit.SECONDS)
                        .jobs())
                .hasSize(1);
        windrow.worker().lease(LEASE).handle(ECHO, (input, job) -> input).start();
        until(() -> job(ref).state() == JobState.COMPLETED);
        assertThat(windrow.job(ref).history().attempts())
                .extracting(JobHistory.Attempt::outcome)
                .containsExactly(AttemptOutcome.LOST, AttemptOutcome.SUCCEEDED);
    }

    private static final class NoHints implements StoreHints {
        @Override
        public void ready(String queue, String type) {}

        @Override
        public @Nullable WaitingClaim waitingClaim(String queue, String type) {
            return null;
        }

        @Override
        public void due(long atMillis) {}

        @Override
        public void cancelRequested(LeaseToken leaseToken) {}

        @Override
        public void finished(long id, JobState state) {}

        @Override
        public void waitEnds(long atMillis) {}

        @Override
        public void scheduleDue(long atMillis) {}

        @Override
        public void superseded(@Nullable LeaseToken leaseToken) {}
    }
}
