package dev.windrow.tests.engine.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.BulkResult;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobFailure;
import dev.windrow.JobHistory;
import dev.windrow.JobRef;
import dev.windrow.JobRequest;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.OutcomeUnknownException;
import dev.windrow.Retry;
import dev.windrow.StoreUnavailableException;
import dev.windrow.TransitionRefusedException;
import dev.windrow.Windrow;
import dev.windrow.WindrowException;
import dev.windrow.Worker;
import dev.windrow.monitor.AuditEntry;
import dev.windrow.monitor.AuditFilter;
import dev.windrow.payload.Json;
import dev.windrow.query.JobFilter;
import dev.windrow.tests.engine.EngineTest;
import dev.windrow.tests.stores.OnEachStore;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Dead letters: retried and deleted, one by one and many at once, while workers run. */
@OnEachStore
class DeadLettersTest extends EngineTest {
    private static final JobType<Json, Json> WORK = JobType.raw("test.work");
    private static final JobFilter DOWN = JobFilter.inState(JobState.FAILED).withErrorCode("DEPENDENCY:DOWN");

    private final AtomicBoolean up = new AtomicBoolean();

    /** Starts a worker whose jobs fail as long as their dependency is down. One in ten has another error code. */
    private Worker startWorker(Windrow windrow) {
        return start(windrow.worker().lease(LEASE).concurrency(8).handle(WORK, (input, job) -> {
            if (input.text().endsWith("7")) {
                throw JobFailure.permanent("INVALID_INPUT:SEVEN", "no sevens");
            }
            if (!up.get()) {
                throw JobFailure.permanent("DEPENDENCY:DOWN", "nothing there");
            }
            return input;
        }));
    }

    private void failAll(int count) throws InterruptedException {
        Worker worker = startWorker(windrow);
        enqueue(count);
        assertThat(worker.awaitIdle(PATIENCE)).isTrue();
        worker.stopNow();
        assertThat(count(JobState.FAILED)).isEqualTo(count);
    }

    private void enqueue(int count) {
        List<JobRequest<Json, Json>> jobs = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            jobs.add(WORK.job(new Json(Integer.toString(i))));
        }
        windrow.enqueueAll(jobs);
    }

    private long count(JobState state) {
        return windrow.monitor().statistics().states().get(state);
    }

    private long audited() {
        return windrow.monitor().audit(AuditFilter.ALL).limit(1000).page().entries().stream()
                .filter(entry -> entry.action().equals("RETRY"))
                .mapToLong(AuditEntry::changed)
                .sum();
    }

    private long retried() {
        return Long.parseLong(target.rows("SELECT count(*) FROM windrow_events WHERE event = 'RETRIED'")
                .get(0));
    }

    @Test
    void manyJobsAreRetriedByTheirErrorCodeWhileWorkersRun() throws Exception {
        int jobs = 3000;
        failAll(jobs);
        assertThat(windrow.jobs(DOWN).count()).isEqualTo(jobs * 9L / 10);
        up.set(true);
        Worker worker = startWorker(windrow);
        CompletableFuture<BulkResult> retry =
                onItsOwnThread(() -> windrow.jobs(DOWN).retry());
        // Jobs that are enqueued during the retry run during it.
        enqueue(500);
        BulkResult changed = retry.join();
        assertThat(changed.count()).isEqualTo(jobs * 9L / 10);
        assertThat(worker.awaitIdle(PATIENCE)).isTrue();
        assertThat(count(JobState.COMPLETED)).isEqualTo(jobs * 9L / 10 + 450);
        assertThat(count(JobState.FAILED)).isEqualTo(jobs / 10 + 50L);
        assertThat(audited()).isEqualTo(changed.count());
        assertThat(retried()).isEqualTo(changed.count());
        assertThat(windrow.monitor()
                        .audit(AuditFilter.ALL)
                        .limit(1)
                        .page()
                        .entries()
                        .get(0)
                        .detail())
                .isEqualTo(new Json("{\"state\":\"FAILED\",\"errorCode\":\"DEPENDENCY:DOWN\"}"));
        assertThat(windrow.jobs(DOWN).retry().count()).isZero();
    }

    @Test
    void aBulkRetryThatIsCutShortReportsItsProgressAndContinuesWhenRepeated() throws Exception {
        int jobs = 3000;
        failAll(jobs);
        Windrow other = open(newStore());
        CompletableFuture<BulkResult> retry =
                onItsOwnThread(() -> other.jobs(DOWN).retry(Retry.attempts(7)));
        until(() -> audited() > 0 || retry.isDone());
        other.close();
        long before = audited();
        assertThat(retried()).isEqualTo(before);
        if (before < jobs * 9L / 10) {
            assertThatThrownBy(retry::join)
                    .cause()
                    .isInstanceOf(WindrowException.class)
                    .hasMessageContaining(before + " jobs were changed before");
        }
        assertThat(windrow.jobs(DOWN).retry(Retry.attempts(7)).count()).isEqualTo(jobs * 9L / 10 - before);
        assertThat(audited()).isEqualTo(jobs * 9L / 10);
        assertThat(retried()).isEqualTo(jobs * 9L / 10);
        assertThat(count(JobState.PENDING)).isEqualTo(jobs * 9L / 10);
    }

    @Test
    void anInterruptedBulkRetryHasAnUnknownOutcomeAndCanBeRepeated() throws Exception {
        failAll(20);
        // Interrupts the caller while a batch is written. The gate keeps the answer back until the caller waits for
        // it.
        CompletableFuture<Void> gate = new CompletableFuture<>();
        faults.change = real -> change -> {
            Thread.currentThread().interrupt();
            return gate.thenCompose(open -> real.apply(change));
        };
        try {
            assertThatThrownBy(() -> windrow.jobs(DOWN).retry()).isInstanceOf(OutcomeUnknownException.class);
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
        } finally {
            Thread.interrupted();
        }
        gate.complete(null);
        faults.change = real -> real;
        windrow.jobs(DOWN).retry();
        assertThat(count(JobState.PENDING)).isEqualTo(18);
        assertThat(retried()).isEqualTo(18);
    }

    @Test
    void failedJobsAreFoundWithTheirStackTracesAndDeleted() {
        start(worker().handle(ECHO, (input, job) -> {
            throw JobFailure.permanent("TEST:BROKEN", "it broke").causedBy(new IllegalStateException("the cause"));
        }));
        JobRef<Json> job = enqueue(ECHO);
        untilState(job, JobState.FAILED);
        JobHistory history = history(job);
        assertThat(history.stackTrace()).contains("the cause", "DeadLettersTest");
        windrow.job(job).delete();
        assertThat(windrow.job(job).exists()).isFalse();
        assertThat(windrow.monitor().audit(AuditFilter.ALL).limit(10).page().entries())
                .singleElement()
                .satisfies(entry -> {
                    assertThat(entry.action()).isEqualTo("DELETE");
                    assertThat(entry.actor()).isEqualTo("api");
                    assertThat(entry.reason()).isNull();
                });
        JobRef<Json> running = enqueue(WORK);
        assertThatThrownBy(() -> windrow.job(running).delete()).isInstanceOf(TransitionRefusedException.class);
        assertThatThrownBy(() ->
                        windrow.monitor().audit(AuditFilter.ALL).limit(0).page().entries())
                .isInstanceOf(InvalidRequestException.class);
        assertThatThrownBy(() -> windrow.monitor()
                        .audit(AuditFilter.ALL)
                        .limit(1001)
                        .page()
                        .entries())
                .isInstanceOf(InvalidRequestException.class);
    }

    @Test
    void aDeletionAndItsEntryCommitWithTheCallersTransaction() throws Exception {
        JobRef<Json> job = enqueue(WORK);
        JobRef<Json> later = windrow.enqueue(WORK.job(new Json("1")).withDelay(Duration.ofDays(1)));
        windrow.job(job).cancel();
        try (Connection connection = target.begin()) {
            windrow.on(connection).job(job).delete();
            connection.rollback();
            assertThat(state(job)).isEqualTo(JobState.CANCELLED);
            assertThat(windrow.monitor().audit(AuditFilter.ALL).limit(10).page().entries())
                    .extracting(AuditEntry::action)
                    .containsExactly("CANCEL");
            windrow.on(connection).job(job).delete();
            windrow.on(connection).job(later).trigger();
            connection.commit();
        }
        assertThat(windrow.job(job).exists()).isFalse();
        assertThat(windrow.monitor().audit(AuditFilter.ALL).limit(10).page().entries())
                .extracting(AuditEntry::action)
                .containsExactly("TRIGGER", "DELETE", "CANCEL");
        assertThat(state(later)).isEqualTo(JobState.PENDING);
    }

    @Test
    void olderJobsAreDeletedByFilter() throws Exception {
        failAll(20);
        time.advance(Duration.ofDays(8));
        up.set(false);
        failAllAgain();
        JobFilter old =
                JobFilter.inState(JobState.FAILED).withFinishedBefore(time.now().minus(Duration.ofDays(7)));
        assertThat(windrow.jobs(old).preview().delete().count()).isEqualTo(20);
        assertThat(windrow.jobs(old).delete().count()).isEqualTo(20);
        assertThat(count(JobState.FAILED)).isEqualTo(10);
        assertThatThrownBy(() -> {
                    windrow.close();
                    windrow.jobs(old).delete();
                })
                .isInstanceOf(StoreUnavailableException.class);
    }

    private void failAllAgain() throws InterruptedException {
        Worker worker = startWorker(windrow);
        enqueue(10);
        assertThat(worker.awaitIdle(PATIENCE)).isTrue();
        worker.stopNow();
    }
}
