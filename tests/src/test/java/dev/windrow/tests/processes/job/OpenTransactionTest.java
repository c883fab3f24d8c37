package dev.windrow.tests.processes.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.windrow.AttemptOutcome;
import dev.windrow.JobHistory;
import dev.windrow.JobRef;
import dev.windrow.JobRequest;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.tests.Once;
import dev.windrow.tests.stores.Target;
import dev.windrow.testserver.PostgresServer;
import java.sql.Connection;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Transactions of an application that stay open on PostgreSQL while other transactions write. On a SQLite file, a transaction that has written blocks
 * all other writers. Tests of locks cover that.
 */
@Once
class OpenTransactionTest {
    private static final int OTHERS = 5000;
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private static final JobType<String, String> OTHER = JobType.of("test.other", String.class, String.class);
    private static final JobType<String, String> HOLD = JobType.of("test.hold", String.class, String.class);
    private static final JobType<String, String> NEW = JobType.of("test.new", String.class, String.class);

    private final Map<Long, CountDownLatch> started = new ConcurrentHashMap<>();
    private final Map<Long, CountDownLatch> finish = new ConcurrentHashMap<>();
    private Target target;
    private Windrow windrow;

    @BeforeEach
    void open() {
        target = Target.newSchema(PostgresServer.shared());
        windrow = Windrow.open(target.newStore());
    }

    @AfterEach
    void close() throws Exception {
        finish.values().forEach(CountDownLatch::countDown);
        windrow.close();
        target.close();
    }

    private static CountDownLatch latch(Map<Long, CountDownLatch> latches, long job) {
        return latches.computeIfAbsent(job, id -> new CountDownLatch(1));
    }

    private Worker worker(Windrow engine, Duration lease) {
        return engine.worker()
                .concurrency(6)
                .lease(lease)
                .drainTimeout(Duration.ZERO)
                .handle(OTHER, (input, job) -> input)
                .handle(NEW, (input, job) -> input)
                .handle(HOLD, (input, job) -> {
                    latch(started, job.id()).countDown();
                    latch(finish, job.id()).await();
                    return "by attempt " + job.attempt();
                })
                .start();
    }

    private JobRef<String> running() throws InterruptedException {
        JobRef<String> job = windrow.enqueue(HOLD, "x");
        assertThat(latch(started, job.id()).await(PATIENCE.toSeconds(), java.util.concurrent.TimeUnit.SECONDS))
                .isTrue();
        return job;
    }

    private static void until(Callable<Boolean> condition) {
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(20)).until(condition);
    }

    private JobState state(JobRef<?> job) {
        return windrow.job(job).history().job().state();
    }

    private void enqueueOthers(int count) {
        JobRequest<String, String> job = OTHER.job("x");
        for (int i = 0; i < count; i += 1000) {
            windrow.enqueueAll(Collections.nCopies(Math.min(1000, count - i), job));
        }
    }

    private long completed() {
        return windrow.monitor().statistics().states().get(JobState.COMPLETED);
    }

    @ParameterizedTest(name = "committed: {0}")
    @ValueSource(booleans = {true, false})
    void jobs_held_by_open_transactions_delay_no_other_job(boolean committed) throws Exception {
        worker(windrow, Duration.ofSeconds(30));
        JobRef<String> cancelled = running();
        JobRef<String> parent = running();
        JobRef<String> sibling = windrow.enqueue(HOLD.job("x").withParents(parent));
        JobRef<String> child;
        JobRef<String> first;
        try (Connection cancels = target.begin();
                Connection enqueuesChild = target.begin();
                Connection enqueuesFirst = target.begin()) {
            windrow.on(cancels).job(cancelled).cancel();
            child = windrow.on(enqueuesChild).enqueue(HOLD.job("x").withParents(parent));
            first = windrow.on(enqueuesFirst).enqueue(NEW, "x");
            enqueueOthers(OTHERS);
            until(() -> completed() == OTHERS);
            // The parent's end has to wait for the child that is not there yet; nobody waits behind it.
            latch(finish, parent.id()).countDown();
            JobRef<String> second = windrow.enqueue(NEW, "x");
            enqueueOthers(1000);
            until(() -> completed() == OTHERS + 1001);
            assertThat(state(second)).isEqualTo(JobState.COMPLETED);
            assertThat(state(parent)).isEqualTo(JobState.RUNNING);
            assertThat(state(cancelled)).isEqualTo(JobState.RUNNING);
            for (Connection connection : List.of(cancels, enqueuesChild, enqueuesFirst)) {
                if (committed) {
                    connection.commit();
                } else {
                    connection.rollback();
                }
            }
        }
        until(() -> state(parent) == JobState.COMPLETED);
        latch(finish, sibling.id()).countDown();
        until(() -> state(sibling) == JobState.COMPLETED);
        if (committed) {
            until(() -> state(cancelled) == JobState.CANCELLED);
            until(() -> state(first) == JobState.COMPLETED);
            latch(finish, child.id()).countDown();
            until(() -> state(child) == JobState.COMPLETED);
        } else {
            assertThat(windrow.job(first).exists()).isFalse();
            assertThat(windrow.job(child).exists()).isFalse();
            latch(finish, cancelled.id()).countDown();
            until(() -> state(cancelled) == JobState.COMPLETED);
        }
        for (JobRef<?> job : List.of(cancelled, parent, sibling)) {
            assertThat(windrow.job(job).history().attempts()).hasSize(1);
        }
        assertThat(windrow.monitor().diagnose().checks()).allMatch(check -> check.isOk());
    }

    /** Failure class 13. */
    @Test
    void a_transaction_that_locks_a_running_job_beyond_its_lease_costs_no_worker_the_job() throws Exception {
        Duration lease = Duration.ofSeconds(1);
        worker(windrow, lease);
        JobRef<String> job = running();
        try (Windrow other = Windrow.open(target.newStore())) {
            worker(other, lease);
            try (Connection connection = target.begin()) {
                windrow.on(connection).job(job).cancel();
                until(() -> leaseUntil(job) + 2 * lease.toMillis() < System.currentTimeMillis());
                connection.rollback();
            }
            for (int renewals = 0; renewals < 6; renewals++) {
                long before = leaseUntil(job);
                until(() -> leaseUntil(job) != before);
            }
            latch(finish, job.id()).countDown();
            assertThat(windrow.await(job, PATIENCE)).isEqualTo("by attempt 1");
            assertThat(windrow.job(job).history().attempts())
                    .extracting(JobHistory.Attempt::outcome)
                    .containsExactly(AttemptOutcome.SUCCEEDED);
        }
    }

    private long leaseUntil(JobRef<?> job) {
        return Long.parseLong(target.rows("SELECT coalesce(lease_until, 0) FROM windrow_jobs WHERE id = " + job.id())
                .get(0));
    }
}
