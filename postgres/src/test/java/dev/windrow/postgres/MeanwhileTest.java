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
import dev.windrow.testkit.ManualTime;
import dev.windrow.testkit.NewRow;
import dev.windrow.testkit.StoreDriver;
import dev.windrow.testserver.PostgresServer;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Transactions between whose looks and writes another one commits. */
@Execution(ExecutionMode.SAME_THREAD)
class MeanwhileTest {
    private final PostgresServer server = PostgresServer.shared();
    private final String schema = server.newSchema();
    private final ManualTime time = new ManualTime();
    private final Disturbance disturbance = new Disturbance();
    private StoreDriver store;
    private TestTables tables;

    @BeforeEach
    void open() throws SQLException {
        store = open(disturbance);
        tables = TestTables.open(server, schema);
    }

    private StoreDriver open(Line.Probe probe) {
        return new StoreDriver(
                PostgresStore.configure(server.url())
                        .schema(schema)
                        .operationTimeout(Duration.ofSeconds(60))
                        .probe(probe)
                        .build(),
                time);
    }

    @AfterEach
    void close() throws SQLException {
        tables.close();
        store.close();
    }

    /** Until somebody has ended, or waits for a lock. */
    private void awaitLock(CompletableFuture<?> answer) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(2))
                .until(() -> answer.isDone()
                        || tables.one("SELECT count(*) > 0 FROM pg_locks WHERE NOT granted")
                                .equals("t"));
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
