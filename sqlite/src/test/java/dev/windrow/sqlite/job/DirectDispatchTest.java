package dev.windrow.sqlite.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.EventKind;
import dev.windrow.JobState;
import dev.windrow.StoreUnavailableException;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.sqlite.Stores;
import dev.windrow.sqlite.TestDatabase;
import dev.windrow.sqlite.writer.Writer;
import dev.windrow.store.job.Claimed;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.WaitingClaim;
import dev.windrow.store.sql.writer.Batch;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/** Direct dispatch in cases that only this store allows tests to cause: transactions that fail, and lanes that are paused. */
class DirectDispatchTest {
    private static final Duration PATIENT = Duration.ofSeconds(60);

    @TempDir
    Path folder;

    /** Fails one transaction right before its commit. */
    private static final class FailOnce implements Writer.Probe {
        private final AtomicReference<@Nullable SQLException> next = new AtomicReference<>();

        @Override
        public void committing(Batch batch) throws SQLException {
            SQLException failure = next.getAndSet(null);
            if (failure != null) {
                throw failure;
            }
        }
    }

    private static CompletableFuture<Claimed> offer(StoreDriver store) {
        CompletableFuture<Claimed> answer = new CompletableFuture<>();
        store.hints().offer(new WaitingClaim(StoreDriver.request(5), answer));
        return answer;
    }

    @Test
    void aWaitingClaimSurvivesAFailedTransaction() {
        FailOnce probe = new FailOnce();
        try (StoreDriver store = Stores.open(folder.resolve("jobs.db"), PATIENT, probe)) {
            CompletableFuture<Claimed> answer = offer(store);
            probe.next.set(new SQLException("told to fail"));
            long id = store.enqueue(NewRow.job());

            assertThat(StoreDriver.answer(answer).jobs())
                    .extracting(ClaimedJob::id)
                    .containsExactly(id);
            assertThat(store.events(id)).containsExactly(EventKind.ENQUEUED, EventKind.CLAIMED);
            assertThat(store.count(JobState.RUNNING)).isEqualTo(1);
            assertThat(store.count(JobState.PENDING)).isZero();
        }
    }

    @Test
    void aFullStoreFailsTheWaitingClaim() {
        FailOnce probe = new FailOnce();
        try (StoreDriver store = Stores.open(folder.resolve("jobs.db"), PATIENT, probe)) {
            CompletableFuture<Claimed> answer = offer(store);
            probe.next.set(new SQLiteException("told to be full", SQLiteErrorCode.SQLITE_FULL));

            assertThatThrownBy(() -> store.enqueue(NewRow.job())).isInstanceOf(StoreUnavailableException.class);
            assertThatThrownBy(() -> {
                        Object unused = StoreDriver.answer(answer);
                    })
                    .isInstanceOf(StoreUnavailableException.class);
            assertThat(store.count(JobState.RUNNING)).isZero();
            assertThat(store.claim(5)).isEmpty();
        }
    }

    @Test
    void aClosedLaneDispatchesNothingDirectly() throws Exception {
        try (StoreDriver store = Stores.open(folder.resolve("jobs.db"));
                TestDatabase other = TestDatabase.open(folder.resolve("jobs.db"))) {
            assertThat(store.complete(store.running(NewRow.job()))).isTrue();
            other.execute("UPDATE windrow_lanes SET paused_at = 1");
            CompletableFuture<Claimed> answer = offer(store);
            long id = store.enqueue(NewRow.job());

            assertThat(StoreDriver.answer(answer).jobs()).isEmpty();
            assertThat(store.state(id)).isEqualTo(JobState.PENDING);
        }
    }
}
