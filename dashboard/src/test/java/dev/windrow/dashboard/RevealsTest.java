package dev.windrow.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.OutcomeUnknownException;
import dev.windrow.StoreUnavailableException;
import dev.windrow.dashboard.Reveals.Reveal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** When a reveal has an entry in the audit, and which jobs the entry names. */
class RevealsTest {
    private final AtomicLong now = new AtomicLong();
    private final Reveals reveals = new Reveals(now::get);
    private final List<List<Long>> written = new CopyOnWriteArrayList<>();

    private void reveal(String actor, Long... jobs) {
        reveals.record(actor, Reveal.of(List.of(jobs), Map.of()), written::add);
    }

    private void query(String query) {
        reveals.record("alice", new Reveal(List.of(), Map.of("list", "schedules"), query, false), written::add);
    }

    private void advance(Duration time) {
        now.addAndGet(time.toNanos());
    }

    @Test
    void anActorHasOneEntryForAJobWithinTenMinutes() {
        reveal("alice", 1L);
        advance(Reveals.AGAIN.minusNanos(1));
        reveal("alice", 1L);
        assertThat(written).containsExactly(List.of(1L));
        reveal("bob", 1L);
        assertThat(written).hasSize(2);
        advance(Duration.ofNanos(1));
        reveal("alice", 1L);
        assertThat(written).containsExactly(List.of(1L), List.of(1L), List.of(1L));
    }

    @Test
    void anEntryNamesOnlyJobsThatTheActorHasNotReadLately() {
        reveal("alice", 1L, 2L);
        reveal("alice", 2L, 3L, 1L, 3L);
        reveal("alice");
        assertThat(written).containsExactly(List.of(1L, 2L), List.of(3L));
    }

    @Test
    void aListWithoutJobsHasAnEntryForEachQuery() {
        query("a");
        query("a");
        query("b");
        assertThat(written).containsExactly(List.of(), List.of());
    }

    @Test
    void eachExportHasAnEntry() {
        Reveal export = new Reveal(List.of(), Map.of("list", "export"), null, true);
        reveals.record("alice", export, written::add);
        reveals.record("alice", export, written::add);
        assertThat(written).containsExactly(List.of(), List.of());
    }

    @Test
    void theOldestReadsAreForgottenWhenThereAreTooMany() {
        LongStream.rangeClosed(1, Reveals.MOST + 1).forEach(job -> reveal("alice", job));
        written.clear();
        reveal("alice", Reveals.MOST + 1L);
        reveal("alice", 2L);
        assertThat(written).isEmpty();
        reveal("alice", 1L);
        assertThat(written).containsExactly(List.of(1L));
    }

    @Test
    void aReadWhoseEntryFailedIsRefusedAndRecordedAtTheNextTry() {
        Reveal job = Reveal.of(List.of(1L), Map.of());
        assertThatThrownBy(() -> reveals.record("alice", job, jobs -> {
                    throw new OutcomeUnknownException("the disk failed", List.of());
                }))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("could not be written to the audit");
        assertThatThrownBy(() -> reveals.record("alice", job, jobs -> {
                    throw new IllegalStateException("a bug");
                }))
                .isInstanceOf(IllegalStateException.class);
        reveal("alice", 1L);
        assertThat(written).containsExactly(List.of(1L));
    }

    @Test
    void aReadWaitsForTheEntryOfAnotherOneAndWritesItsOwnIfThatFails() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<Void> end = new CompletableFuture<>();
        CompletableFuture<Void> first =
                CompletableFuture.runAsync(() -> reveals.record("alice", Reveal.of(List.of(1L), Map.of()), jobs -> {
                    begun.countDown();
                    end.join();
                }));
        begun.await();
        CompletableFuture<Void> second = new CompletableFuture<>();
        Thread reader = new Thread(() -> {
            try {
                reveal("alice", 1L, 2L);
                second.complete(null);
            } catch (StoreUnavailableException e) {
                second.completeExceptionally(e);
            }
        });
        reader.start();
        while (written.isEmpty()) {
            Thread.onSpinWait();
        }
        assertThat(written).as("its own part").containsExactly(List.of(2L));
        assertThat(second).isNotDone();
        end.completeExceptionally(new StoreUnavailableException("the store is closed"));
        assertThat(second).succeedsWithin(Duration.ofSeconds(10));
        assertThat(first).failsWithin(Duration.ofSeconds(10));
        assertThat(written).containsExactly(List.of(2L), List.of(1L));
        reveal("alice", 1L);
        assertThat(written).hasSize(2);
    }
}
