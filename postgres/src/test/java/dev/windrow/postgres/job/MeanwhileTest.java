package dev.windrow.postgres.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.Dedupe;
import dev.windrow.JobState;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.postgres.Disturbance;
import dev.windrow.postgres.TwoTransactions;
import dev.windrow.postgres.writer.Writer;
import dev.windrow.query.JobFilter;
import dev.windrow.store.Transition;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.ChangeByFilter;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.Enqueue;
import dev.windrow.store.job.EnqueuedJob;
import dev.windrow.store.job.Settle;
import dev.windrow.store.payload.Stage;
import dev.windrow.store.payload.SweepStaged;
import dev.windrow.workflow.ParentPolicy;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Transactions between whose reads and writes another one commits. */
class MeanwhileTest extends TwoTransactions {
    private StoreDriver store;

    @BeforeEach
    void open() {
        store = open(disturbance);
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void aThrottledJobDoesNotStartBesideAConcurrentRetry() {
        NewRow row = NewRow.job().dedupe(Dedupe.key("k").throttle(Duration.ofMinutes(1)));
        long holder = store.enqueue(row);
        ClaimedJob failing = store.claimOne();
        assertThat(store.settle(failing, Transition.FAIL)).isTrue();
        time.advance(Duration.ofMinutes(2));
        AtomicReference<CompletableFuture<List<EnqueuedJob>>> later = new AtomicReference<>();
        disturbance.of(Change.class).beforeCommit(session -> {
            later.set(store.store().submit(new Enqueue(List.of(row.row()))));
            awaitLock(later.get());
        });
        store.change(Change.Verb.RETRY, holder);
        assertThat(StoreDriver.answer(later.get())).singleElement().satisfies(answer -> {
            assertThat(answer.deduplicated()).isTrue();
            assertThat(answer.id()).isEqualTo(holder);
        });
        assertThat(store.store().list(JobFilter.ALL, Long.MAX_VALUE, 10).jobs()).hasSize(1);
        assertThat(store.state(holder)).isEqualTo(JobState.PENDING);
    }

    @Test
    void aRetryIsRefusedWhenAConcurrentThrottledJobTakesTheKey() {
        NewRow row = NewRow.job().dedupe(Dedupe.key("k").throttle(Duration.ofMinutes(1)));
        long holder = store.enqueue(row);
        assertThat(store.settle(store.claimOne(), Transition.FAIL)).isTrue();
        time.advance(Duration.ofMinutes(2));
        AtomicReference<CompletableFuture<?>> retry = new AtomicReference<>();
        disturbance.of(Enqueue.class).beforeCommit(session -> {
            retry.set(ChangeByFilter.run(store.store(), StoreDriver.change(Change.Verb.RETRY, List.of(holder))));
            awaitLock(retry.get());
        });
        long next = store.enqueue(row);
        assertThat(next).isNotEqualTo(holder);
        assertThat(retry.get())
                .failsWithin(Duration.ofSeconds(60))
                .withThrowableThat()
                .withMessageContaining("job " + next + " holds its dedupe key");
        assertThat(store.state(holder)).isEqualTo(JobState.FAILED);
    }

    @Test
    void aBlobIsNotSweptWhileAPartIsAddedToIt() throws SQLException {
        byte[] part = "part".getBytes(StandardCharsets.UTF_8);
        long blob = StoreDriver.answer(store.store().submit(Stage.first(part, null)));
        time.advance(Duration.ofDays(2));
        try (StoreDriver other = open(new Disturbance())) {
            disturbance
                    .of(Stage.class)
                    .beforeCommit(session -> assertThat(
                                    StoreDriver.answer(other.store().submit(new SweepStaged(0, 10))))
                            .isZero());
            assertThat(StoreDriver.answer(store.store().submit(Stage.further(blob, 1, part, null))))
                    .isEqualTo(blob);
            assertThat(StoreDriver.answer(other.store().submit(new SweepStaged(0, 10))))
                    .isPositive();
        }
        assertThat(tables.one("SELECT count(*) FROM windrow_blob_chunks")).isEqualTo("0");
    }

    @Test
    void oneOfTwoConcurrentContinuationsThatFormACycleIsRefused() {
        long first = store.enqueue(NewRow.of("q", "a"));
        long second = store.enqueue(NewRow.of("q", "b"));
        long afterSecond = store.enqueue(NewRow.of("q", "x").afterChain(second, ParentPolicy.WAIT));
        long afterFirst = store.enqueue(NewRow.of("q", "y").afterChain(first, ParentPolicy.WAIT));
        ClaimedJob firstJob = claim("a");
        try (StoreDriver other = open(Writer.Probe.NONE)) {
            ClaimedJob secondJob = claim("b");
            AtomicReference<CompletableFuture<Boolean>> meanwhile = new AtomicReference<>();
            disturbance.of(Settle.class).beforeCommit(session -> {
                meanwhile.set(other.store()
                        .submit(StoreDriver.goingOn(
                                other.settlement(secondJob, Transition.COMPLETE),
                                NewRow.of("q", "b")
                                        .after(afterFirst, ParentPolicy.WAIT)
                                        .row())));
                awaitLock(meanwhile.get());
            });
            assertThat(StoreDriver.answer(store.store()
                            .submit(StoreDriver.goingOn(
                                    store.settlement(firstJob, Transition.COMPLETE),
                                    NewRow.of("q", "a")
                                            .after(afterSecond, ParentPolicy.WAIT)
                                            .row()))))
                    .isTrue();
            assertThat(meanwhile.get())
                    .failsWithin(Duration.ofSeconds(60))
                    .withThrowableThat()
                    .withMessageContaining("job " + second + " cannot continue with a job that depends");
            assertThat(other.settle(secondJob, Transition.COMPLETE)).isTrue();
        }
        assertThat(claim("x").id()).isEqualTo(afterSecond);
        assertThat(store.diagnose().failed()).isEmpty();
    }

    private ClaimedJob claim(String type) {
        return store.claim(StoreDriver.request("w", Set.of("q"), Set.of(type), 1))
                .jobs()
                .get(0);
    }
}
