package dev.windrow.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.Dedupe;
import dev.windrow.JobFilter;
import dev.windrow.JobState;
import dev.windrow.store.BlobPart;
import dev.windrow.store.Change;
import dev.windrow.store.ClaimedJob;
import dev.windrow.store.EnqueuedJob;
import dev.windrow.store.Transition;
import dev.windrow.testkit.NewRow;
import dev.windrow.testkit.StoreDriver;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Transactions between whose looks and writes another one commits. */
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
    void aThrottledJobDoesNotStartBesideARetryThatCommitsMeanwhile() {
        NewRow row = NewRow.job().dedupe(Dedupe.key("k").throttle(Duration.ofMinutes(1)));
        long holder = store.enqueue(row);
        ClaimedJob failing = store.claimOne();
        assertThat(store.settle(failing, Transition.FAIL)).isTrue();
        time.advance(Duration.ofMinutes(2));
        AtomicReference<CompletableFuture<List<EnqueuedJob>>> later = new AtomicReference<>();
        disturbance.of(Operation.Modify.class).beforeCommit(session -> {
            later.set(store.store().enqueue(List.of(row.row())));
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
    void aRetryIsRefusedWhenAThrottledJobHasTakenTheKeyMeanwhile() {
        NewRow row = NewRow.job().dedupe(Dedupe.key("k").throttle(Duration.ofMinutes(1)));
        long holder = store.enqueue(row);
        assertThat(store.settle(store.claimOne(), Transition.FAIL)).isTrue();
        time.advance(Duration.ofMinutes(2));
        AtomicReference<CompletableFuture<?>> retry = new AtomicReference<>();
        disturbance.of(Operation.Enqueue.class).beforeCommit(session -> {
            retry.set(store.store().change(StoreDriver.change(Change.Verb.RETRY, List.of(holder))));
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
        long blob = StoreDriver.answer(store.store().stage(BlobPart.first(part, null)));
        time.advance(Duration.ofDays(2));
        try (StoreDriver other = open(new Disturbance())) {
            disturbance
                    .of(Operation.Keep.class)
                    .beforeCommit(session -> assertThat(
                                    StoreDriver.answer(other.store().sweepStaged(0, 10)))
                            .isZero());
            assertThat(StoreDriver.answer(store.store().stage(BlobPart.further(blob, 1, part, null))))
                    .isEqualTo(blob);
            assertThat(StoreDriver.answer(other.store().sweepStaged(0, 10))).isPositive();
        }
        assertThat(tables.one("SELECT count(*) FROM windrow_blob_chunks")).isEqualTo("0");
    }
}
