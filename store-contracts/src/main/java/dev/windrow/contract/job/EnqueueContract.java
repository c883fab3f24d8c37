package dev.windrow.contract.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.EventKind;
import dev.windrow.JobHistory;
import dev.windrow.JobInfo;
import dev.windrow.JobNotFoundException;
import dev.windrow.JobState;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreContract;
import dev.windrow.contract.StoreDriver;
import dev.windrow.payload.Json;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.Enqueue;
import dev.windrow.store.job.EnqueuedJob;
import dev.windrow.testkit.ManualTime;
import dev.windrow.workflow.ParentPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The command enqueue. */
public abstract class EnqueueContract extends StoreContract {
    /** Creates the contract for a subclass. */
    protected EnqueueContract() {}

    @Test
    void aBulkReturnsGrowingIdsInInputOrder() {
        List<NewRow> rows = new ArrayList<>();
        for (int i = 0; i < 1500; i++) {
            rows.add(NewRow.job().name("n" + i));
        }
        List<Long> ids = store().enqueueAll(rows);
        assertThat(ids).hasSize(1500).isSorted().doesNotHaveDuplicates().allMatch(id -> id > 0);
        assertThat(store().job(ids.get(0)).name()).isEqualTo("n0");
        assertThat(store().job(ids.get(1499)).name()).isEqualTo("n1499");
    }

    @Test
    void aBulkIsWrittenWhollyOrNotAtAll() {
        long parent = store().enqueue(NewRow.job());
        Throwable refused = failure(store().store()
                .submit(new Enqueue(List.of(
                        NewRow.job().row(),
                        NewRow.job().after(parent, ParentPolicy.WAIT).row(),
                        NewRow.job()
                                .after(parent + 1_000_000, ParentPolicy.WAIT)
                                .row()))));
        assertThat(refused)
                .isInstanceOf(JobNotFoundException.class)
                .hasMessageContaining(Long.toString(parent + 1_000_000));
        assertThat(all(store().store(), dev.windrow.query.JobFilter.ALL)).hasSize(1);
    }

    @Test
    void aMissingParentHarmsNoOtherOperationOfItsCommit() {
        List<CompletableFuture<List<EnqueuedJob>>> good = new ArrayList<>();
        List<CompletableFuture<List<EnqueuedJob>>> bad = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            good.add(store().store().submit(new Enqueue(List.of(NewRow.job().row()))));
            bad.add(store().store()
                    .submit(new Enqueue(List.of(
                            NewRow.job().row(),
                            NewRow.job().after(1L << 40, ParentPolicy.WAIT).row()))));
        }
        good.forEach(future -> assertThat(StoreDriver.answer(future)).hasSize(1));
        bad.forEach(future -> assertThat(failure(future)).isInstanceOf(JobNotFoundException.class));
        assertThat(all(store().store(), dev.windrow.query.JobFilter.ALL)).hasSize(200);
    }

    @Test
    void aPoisonRowHarmsNoOtherOperationOfItsCommit() {
        // Beyond any value that the public interface allows. Nevertheless it must fail alone.
        NewRow poison = NewRow.job().delay(Duration.ofMillis(Long.MAX_VALUE));
        List<CompletableFuture<List<EnqueuedJob>>> good = new ArrayList<>();
        List<CompletableFuture<List<EnqueuedJob>>> bad = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            good.add(store().store().submit(new Enqueue(List.of(NewRow.job().row()))));
            if (i % 50 == 0) {
                bad.add(store().store().submit(new Enqueue(List.of(NewRow.job().row(), poison.row()))));
            }
        }
        good.forEach(future -> assertThat(StoreDriver.answer(future)).hasSize(1));
        bad.forEach(future -> assertThat(failure(future)).isNotNull());
        assertThat(all(store().store(), dev.windrow.query.JobFilter.ALL)).hasSize(200);
    }

    @Test
    void nothingIsWrittenForAnEmptyBulk() {
        assertThat(StoreDriver.answer(store().store().submit(new Enqueue(List.of()))))
                .isEmpty();
    }

    @Test
    void everyFieldIsStored() {
        long id = store().enqueue(NewRow.of("mail", "welcome")
                .priority(-7)
                .maxAttempts(9)
                .tags("zebra", "ärger")
                .payload("{\"to\":\"ä\\u0000b\\ud83d\"}")
                .name("the first")
                .actor("alice")
                .extras(1234L, "fixed(5)", "00-abc"));
        JobHistory history = store().history(id);
        JobInfo job = history.job();
        assertThat(history.payload()).isEqualTo(new Json("{\"to\":\"ä\\u0000b\\ud83d\"}"));
        assertThat(history.result()).isNull();
        assertThat(history.attempts()).isEmpty();
        assertThat(job.queue()).isEqualTo("mail");
        assertThat(job.type()).isEqualTo("welcome");
        assertThat(job.name()).isEqualTo("the first");
        assertThat(job.priority()).isEqualTo(-7);
        assertThat(job.attempt()).isZero();
        assertThat(job.maxAttempts()).isEqualTo(9);
        assertThat(job.tags()).containsExactly("zebra", "ärger");
        assertThat(job.traceparent()).isEqualTo("00-abc");
        assertThat(job.createdAt()).isEqualTo(time.now());
        assertThat(job.scheduledAt()).isEqualTo(time.now());
        assertThat(job.startedAt()).isNull();
        assertThat(job.finishedAt()).isNull();
        assertThat(job.worker()).isNull();
        assertThat(job.chainId()).isEqualTo(id);
        assertThat(job.chainIndex()).isZero();
        ClaimedJob claimed = store().claim(
                        StoreDriver.request("w", java.util.Set.of("mail"), java.util.Set.of("welcome"), 1))
                .jobs()
                .get(0);
        assertThat(claimed.timeoutMillis()).isEqualTo(1234L);
        assertThat(claimed.retryPolicy()).isEqualTo("fixed(5)");
        assertThat(claimed.traceparent()).isEqualTo("00-abc");
        assertThat(claimed.payload()).isEqualTo("{\"to\":\"ä\\u0000b\\ud83d\"}");
    }

    @Test
    void theEnqueueIsLoggedWithItsActor() {
        long id = store().enqueue(NewRow.job().actor("alice"));
        assertThat(store().history(id).events()).singleElement().satisfies(event -> {
            assertThat(event.event()).isEqualTo(EventKind.ENQUEUED);
            assertThat(event.actor()).isEqualTo("alice");
            assertThat(event.at()).isEqualTo(time.now());
        });
    }

    @Test
    void aDelayedJobIsScheduled() {
        EnqueuedJob job = StoreDriver.answer(store().store()
                        .submit(new Enqueue(List.of(
                                NewRow.job().delay(Duration.ofSeconds(5)).row()))))
                .get(0);
        assertThat(job.state()).isEqualTo(JobState.SCHEDULED);
        assertThat(job.deduplicated()).isFalse();
        assertThat(store().job(job.id()).scheduledAt()).isEqualTo(time.now().plusSeconds(5));
        assertThat(store().claim(1)).isEmpty();
    }

    @Test
    void aJobDoesNotRunBeforeItsInstant() {
        long id = store().enqueue(NewRow.job().runAt(time.now().plusSeconds(60)));
        assertThat(store().state(id)).isEqualTo(JobState.SCHEDULED);
        time.advance(Duration.ofMillis(59_999));
        assertThat(store().claim(1)).isEmpty();
        time.advance(Duration.ofMillis(1));
        assertThat(store().claimOne().id()).isEqualTo(id);
    }

    @Test
    void aPastInstantAndNoDelayRunNow() {
        List<Long> ids = store().enqueueAll(
                        NewRow.job(),
                        NewRow.job().runAt(time.now().minusSeconds(3600)),
                        NewRow.job().delay(Duration.ZERO),
                        NewRow.job().delay(Duration.ofSeconds(-5)));
        assertThat(store().claim(10)).extracting(ClaimedJob::id).isEqualTo(ids);
        assertThat(ids)
                .allSatisfy(id -> assertThat(store().job(id).scheduledAt()).isEqualTo(time.now()));
    }

    @Test
    void theOrderHoldsWhenTheWallClockStepsBack() {
        List<Long> ids = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            ids.add(store().enqueue(NewRow.job()));
            time.stepWall(Duration.ofHours(-1));
        }
        assertThat(store().claim(10)).extracting(ClaimedJob::id).isEqualTo(ids);
        assertThat(store().job(ids.get(4)).scheduledAt()).isEqualTo(ManualTime.START);
        assertThat(store().job(ids.get(4)).createdAt()).isEqualTo(ManualTime.START.minus(Duration.ofHours(4)));
    }

    @Test
    void aClockThatWasAheadDelaysNoJobOfAnotherLane() {
        time.stepWall(Duration.ofHours(1));
        store().enqueue(NewRow.of("q", "ahead"));
        time.stepWall(Duration.ofHours(-1));
        long first = store().enqueue(NewRow.job());
        long delayed = store().enqueue(NewRow.job().delay(Duration.ofSeconds(1)));
        time.advance(Duration.ofSeconds(2));
        long last = store().enqueue(NewRow.job());
        assertThat(store().claim(10)).extracting(ClaimedJob::id).containsExactly(first, delayed, last);
    }

    @Test
    void idsAreNeverReusedAfterADeletion() {
        long first = store().enqueue(NewRow.job());
        store().change(Change.Verb.CANCEL, first);
        store().change(Change.Verb.DELETE, first);
        assertThat(store().store().history(first)).isEmpty();
        long second = store().enqueue(NewRow.job());
        assertThat(second).isGreaterThan(first);
        assertThat(open().enqueue(NewRow.job())).isGreaterThan(second);
    }

    @Test
    void waitingWorkersAreNotifiedAfterTheCommit() {
        store().enqueueAll(NewRow.of("a", "x"), NewRow.of("a", "x"), NewRow.of("b", "y"));
        store().hints().awaitHint("a", "x");
        store().enqueue(NewRow.of("b", "y").delay(Duration.ofSeconds(1)));
        store().hints().awaitHint("b", "y");
    }

    @Test
    void manyThreadsEnqueueAtOnceAndEachJobIsWrittenOnce() {
        List<Callable<List<Long>>> tasks = new ArrayList<>();
        StoreDriver other = open();
        for (int thread = 0; thread < 8; thread++) {
            StoreDriver driver = thread % 2 == 0 ? store() : other;
            String name = "thread" + thread;
            tasks.add(() -> {
                List<Long> ids = new ArrayList<>();
                for (int i = 0; i < 50; i++) {
                    ids.addAll(driver.enqueueAll(
                            NewRow.of(name, "a").name(name),
                            NewRow.of(name, "b").name(name)));
                }
                return ids;
            });
        }
        List<Long> ids = new ArrayList<>();
        together(tasks).forEach(ids::addAll);
        assertThat(ids).hasSize(800).doesNotHaveDuplicates();
        assertThat(all(store().store(), dev.windrow.query.JobFilter.ALL))
                .extracting(JobInfo::id)
                .containsExactlyInAnyOrderElementsOf(ids);
    }
}
