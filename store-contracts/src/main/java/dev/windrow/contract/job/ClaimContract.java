package dev.windrow.contract.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.Dedupe;
import dev.windrow.EventKind;
import dev.windrow.JobInfo;
import dev.windrow.JobState;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreContract;
import dev.windrow.contract.StoreDriver;
import dev.windrow.limit.ConcurrencyKey;
import dev.windrow.limit.LimitTarget;
import dev.windrow.store.Transition;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.ChangeByFilter;
import dev.windrow.store.job.Claimed;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.Enqueue;
import dev.windrow.store.job.WaitingClaim;
import dev.windrow.store.limit.LimitChange;
import dev.windrow.workflow.ParentPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The command claim. */
public abstract class ClaimContract extends StoreContract {
    /** Creates the contract for a subclass. */
    protected ClaimContract() {}

    @Test
    void aClaimedJobIsRunningUnderALease() {
        long id = store().enqueue(NewRow.job().payload("[1]").name("n").maxAttempts(5));
        ClaimedJob job = store().claimOne();
        assertThat(job.id()).isEqualTo(id);
        assertThat(job.token()).isEqualTo(1);
        assertThat(job.queue()).isEqualTo("q");
        assertThat(job.type()).isEqualTo("t");
        assertThat(job.name()).isEqualTo("n");
        assertThat(job.payload()).isEqualTo("[1]");
        assertThat(job.used()).isZero();
        assertThat(job.attempt()).isEqualTo(1);
        assertThat(job.maxAttempts()).isEqualTo(5);
        assertThat(job.timeoutMillis()).isNull();
        assertThat(job.scheduledAtMillis()).isEqualTo(time.millis());
        assertThat(job.claimedAtMillis()).isEqualTo(time.millis());
        JobInfo snapshot = store().job(id);
        assertThat(snapshot.state()).isEqualTo(JobState.RUNNING);
        assertThat(snapshot.worker()).isEqualTo("w");
        assertThat(snapshot.attempt()).isEqualTo(1);
        assertThat(store().events(id)).containsExactly(EventKind.ENQUEUED, EventKind.CLAIMED);
        assertThat(store().claim(1)).isEmpty();
    }

    @Test
    void thePriorityComesFirstThenTheTimeThenTheId() {
        long low = store().enqueue(NewRow.job().priority(-1));
        time.advance(Duration.ofSeconds(1));
        List<Long> same = store().enqueueAll(NewRow.job(), NewRow.job());
        long high = store().enqueue(NewRow.job().priority(3));
        time.advance(Duration.ofSeconds(1));
        List<Long> later = store().enqueueAll(NewRow.job(), NewRow.job().priority(3));
        assertThat(store().claim(10))
                .extracting(ClaimedJob::id)
                .containsExactly(high, later.get(1), same.get(0), same.get(1), later.get(0), low);
    }

    @Test
    void theOrderHoldsAcrossTheLanesOfAWorker() {
        List<Long> ids = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            time.advance(Duration.ofMillis(1));
            ids.add(store().enqueue(NewRow.of("q" + i % 3, "t" + i % 2)));
        }
        List<Long> claimed = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            store().claim(StoreDriver.request("w", Set.of("q0", "q1", "q2"), Set.of("t0", "t1"), 3))
                    .jobs()
                    .forEach(job -> claimed.add(job.id()));
        }
        assertThat(claimed).isEqualTo(ids);
    }

    @Test
    void aClaimedJobHasEachOfItsRareValues() {
        assertThat(rareValues()).containsExactlyElementsOf(RARE);
        StoreDriver.answer(store().store().submit(LimitChange.limit(LimitTarget.queue("q"), "anna", 100)));
        assertThat(rareValues()).as("by a claim that a limit concerns").containsExactlyElementsOf(RARE);
    }

    private static final List<List<Object>> RARE = List.of(
            List.of("-", "-", "-", "-", "-", "-"),
            List.of(7L, "-", "-", "-", "-", "-"),
            List.of("-", "report", "-", "-", "-", "-"),
            List.of("-", "-", "fixed(3)", "-", "-", "-"),
            List.of("-", "-", "-", "00-1-2-01", "-", "-"),
            List.of("-", "-", "-", "-", "key", "-"),
            List.of("-", "-", "-", "-", "-", "shared"));

    /** Claims jobs that have one rare value each. Returns time limit, name, retry policy, traceparent, dedupe key and concurrency key of each. */
    private List<List<Object>> rareValues() {
        store().enqueue(NewRow.job());
        store().enqueue(NewRow.job().extras(7L, null, null));
        store().enqueue(NewRow.job().name("report"));
        store().enqueue(NewRow.job().extras(null, "fixed(3)", null));
        store().enqueue(NewRow.job().extras(null, null, "00-1-2-01"));
        store().enqueue(NewRow.job().dedupe(Dedupe.key("key")));
        store().enqueue(NewRow.job().concurrencyKey(ConcurrencyKey.of("shared")));
        List<List<Object>> values = new ArrayList<>();
        for (ClaimedJob job : store().claim(10)) {
            values.add(Stream.of(
                            job.timeoutMillis(),
                            job.name(),
                            job.retryPolicy(),
                            job.traceparent(),
                            job.dedupeKey(),
                            job.concurrencyKey())
                    .map(value -> value == null ? "-" : (Object) value)
                    .toList());
            assertThat(store().complete(job)).isTrue();
        }
        return values;
    }

    @Test
    void aClaimReadsOnlyItsQueuesAndTypes() {
        store().enqueueAll(
                        NewRow.of("other", "t").priority(9),
                        NewRow.of("q", "unknown").priority(9));
        long mine = store().enqueue(NewRow.job());
        assertThat(store().claim(10)).extracting(ClaimedJob::id).containsExactly(mine);
        assertThat(store().claim(StoreDriver.request("w", Set.of(), Set.of("t"), 1))
                        .jobs())
                .isEmpty();
        assertThat(store().claim(StoreDriver.request("w", Set.of("other"), Set.of("unknown"), 1))
                        .jobs())
                .isEmpty();
        assertThat(store().claim(StoreDriver.request("w", Set.of("other"), Set.of("t"), 1))
                        .jobs())
                .hasSize(1);
    }

    @Test
    void aTypeWithoutAHandlerDelaysNoOtherType() {
        List<NewRow> rows = new ArrayList<>(Collections.nCopies(3000, NewRow.of("q", "unknown")));
        rows.add(NewRow.job());
        List<Long> ids = store().enqueueAll(rows);
        assertThat(store().claim(1)).extracting(ClaimedJob::id).containsExactly(ids.get(3000));
        assertThat(store().count(JobState.PENDING)).isEqualTo(3000);
    }

    @Test
    void aClaimTakesNoMoreThanItsLimit() {
        List<Long> ids = store().enqueueAll(Collections.nCopies(10, NewRow.job()));
        assertThat(store().claim(3)).extracting(ClaimedJob::id).isEqualTo(ids.subList(0, 3));
        assertThat(store().claim(100)).extracting(ClaimedJob::id).isEqualTo(ids.subList(3, 10));
    }

    @Test
    void theTokenGrowsWithEachClaimAndTheAttemptWithEachFailure() {
        long id = store().enqueue(NewRow.job().maxAttempts(10));
        ClaimedJob first = store().claimOne();
        store().settle(first, Transition.HAND_BACK);
        ClaimedJob second = store().claimOne();
        store().settle(second, Transition.RETRY_LATER);
        time.advance(Duration.ofMinutes(2));
        ClaimedJob third = store().claimOne();
        assertThat(List.of(first, second, third)).extracting(ClaimedJob::id).containsOnly(id);
        assertThat(List.of(first, second, third)).extracting(ClaimedJob::token).containsExactly(1L, 2L, 3L);
        assertThat(List.of(first, second, third))
                .extracting(ClaimedJob::attempt)
                .containsExactly(1, 1, 2);
    }

    @Test
    void aClaimReturnsTheNextDueTime() {
        assertThat(store().claim(StoreDriver.request(1)).nextDueMillis()).isNull();
        store().enqueueAll(
                        NewRow.job().delay(Duration.ofSeconds(20)), NewRow.job().delay(Duration.ofSeconds(10)));
        long due = time.millis() + 10_000;
        assertThat(store().claim(StoreDriver.request(1)).nextDueMillis()).isEqualTo(due);
        time.advance(Duration.ofSeconds(10));
        Claimed claimed = store().claim(StoreDriver.request(10));
        assertThat(claimed.jobs()).hasSize(1);
        assertThat(claimed.nextDueMillis()).isEqualTo(due + 10_000);
    }

    @Test
    void dueJobsArePromotedInRoundsOfAtMostAThousand() {
        store().enqueueAll(Collections.nCopies(2500, NewRow.job().delay(Duration.ofSeconds(1))));
        time.advance(Duration.ofSeconds(1));
        Claimed first = store().claim(StoreDriver.request(1000));
        assertThat(first.jobs()).hasSize(1000);
        assertThat(store().count(JobState.SCHEDULED)).isEqualTo(1500);
        assertThat(first.nextDueMillis()).as("a claimer comes again at once").isLessThanOrEqualTo(time.millis());
        assertThat(store().claim(1000)).hasSize(1000);
        assertThat(store().claim(1000)).hasSize(500);
    }

    @Test
    void aRetryIsOrderedByItsDueTime() {
        ClaimedJob retried = store().running(NewRow.job());
        store().settle(retried, Transition.RETRY_LATER);
        time.advance(Duration.ofSeconds(30));
        long before = store().enqueue(NewRow.job());
        time.advance(Duration.ofSeconds(31));
        long after = store().enqueue(NewRow.job());
        assertThat(store().claim(10)).extracting(ClaimedJob::id).containsExactly(before, retried.id(), after);
    }

    @Test
    void aClaimFindsJobsEnqueuedJustBefore() {
        for (int round = 0; round < 50; round++) {
            CompletableFuture<?> enqueued = store().store()
                    .submit(new Enqueue(List.of(NewRow.of("q", "t" + round).row())));
            CompletableFuture<Claimed> claimed =
                    store().store().submit(StoreDriver.request("w", Set.of("q"), Set.of("t" + round), 5));
            Object unused = StoreDriver.answer(enqueued);
            assertThat(StoreDriver.answer(claimed).jobs()).hasSize(1);
        }
    }

    @Test
    void aLaneThatAnotherProcessAddedIsFound() {
        StoreDriver other = open();
        long parent = store().enqueue(NewRow.of("q", "first"));
        other.enqueue(NewRow.of("q", "theirs"));
        store().enqueue(NewRow.of("q", "mine").after(parent, ParentPolicy.WAIT));
        assertThat(store().claim(StoreDriver.request("w", Set.of("q"), Set.of("theirs"), 1))
                        .jobs())
                .hasSize(1);
    }

    @Test
    void aJobIsClaimedByOneWorkerOnly() {
        int jobs = 2000;
        List<Long> ids = store().enqueueAll(Collections.nCopies(jobs, NewRow.job()));
        StoreDriver other = open();
        List<Callable<List<ClaimedJob>>> tasks = new ArrayList<>();
        for (int thread = 0; thread < 8; thread++) {
            StoreDriver driver = thread % 2 == 0 ? store() : other;
            String worker = "w" + thread;
            int limit = 1 + thread * 3;
            tasks.add(() -> {
                List<ClaimedJob> mine = new ArrayList<>();
                List<ClaimedJob> more;
                do {
                    more = driver.claim(StoreDriver.request(worker, Set.of("q"), Set.of("t"), limit))
                            .jobs();
                    mine.addAll(more);
                } while (!more.isEmpty());
                return mine;
            });
        }
        List<ClaimedJob> claimed = new ArrayList<>();
        together(tasks).forEach(claimed::addAll);
        assertThat(claimed).extracting(ClaimedJob::id).containsExactlyInAnyOrderElementsOf(ids);
        assertThat(claimed).allMatch(job -> job.token() == 1);
    }

    @Test
    void aJobClaimedDuringItsCancellationIsCancelledOrHasARequest() {
        for (int round = 0; round < 60; round++) {
            long id = store().enqueue(NewRow.job());
            List<Boolean> won = together(List.of(
                    () -> !store().claim(1).isEmpty(),
                    () -> failure(ChangeByFilter.run(
                                    store().store(), Change.of(Change.Verb.CANCEL, List.of(id), "operator")))
                            == null));
            assertThat(won.get(1)).isTrue();
            assertThat(store().state(id)).isEqualTo(won.get(0) ? JobState.RUNNING : JobState.CANCELLED);
            assertThat(store().events(id)).endsWith(won.get(0) ? EventKind.CANCEL_REQUESTED : EventKind.CANCELLED);
        }
    }

    private Claimed urgent(int minPriority, Set<String> queues, int limit) {
        return store().claim(StoreDriver.from(minPriority, StoreDriver.request("w", queues, Set.of("t", "u"), limit)));
    }

    @Test
    void aWorkerLeavesJobsBelowItsMinimumPriority() {
        List<Long> ids = store().enqueueAll(
                        NewRow.job().priority(9),
                        NewRow.job().priority(10),
                        NewRow.job(),
                        NewRow.job().priority(11),
                        NewRow.job().priority(10));
        assertThat(urgent(10, Set.of("q"), 2).jobs())
                .extracting(ClaimedJob::id)
                .containsExactly(ids.get(3), ids.get(1));
        Claimed last = urgent(10, Set.of("q"), 5);
        assertThat(last.jobs()).extracting(ClaimedJob::id).containsExactly(ids.get(4));
        assertThat(last.nextDueMillis()).as("nothing to look for again").isNull();
        assertThat(urgent(10, Set.of("q"), 5).jobs()).isEmpty();
        assertThat(store().claim(5)).extracting(ClaimedJob::id).containsExactly(ids.get(0), ids.get(2));
    }

    @Test
    void aClaimFromSeveralLanesLeavesTheLowerJobsOfEach() {
        List<Long> ids = store().enqueueAll(
                        NewRow.of("a", "t").priority(10),
                        NewRow.of("a", "t").priority(9),
                        NewRow.of("b", "t").priority(9),
                        NewRow.of("b", "t").priority(10));
        assertThat(urgent(10, Set.of("a", "b"), 10).jobs())
                .extracting(ClaimedJob::id)
                .containsExactly(ids.get(0), ids.get(3));
        assertThat(urgent(10, Set.of("a", "b"), 10).jobs()).isEmpty();
    }

    /** The waiting claim is in the transaction of the enqueue. It must not keep the notification from other workers. */
    @Test
    void aJobBelowTheMinimumPriorityOfAClaimIsNotifiedToOthers() {
        store().hints().forget();
        CompletableFuture<Claimed> urgent = new CompletableFuture<>();
        store().hints().offer(new WaitingClaim(StoreDriver.from(1, StoreDriver.request(5)), urgent));
        store().enqueue(NewRow.job());
        assertThat(StoreDriver.answer(urgent).jobs()).isEmpty();
        // The same thread notifies of one transaction before it begins the next.
        store().enqueue(NewRow.of("other", "t"));
        assertThat(store().hints().rings()).contains("q/t");
    }

    @Test
    void theMinimumPriorityHoldsInEachLaneOfAWorker() {
        List<NewRow> rows = new ArrayList<>(Collections.nCopies(50, NewRow.of("low", "t")));
        for (int i = 0; i < 40; i++) {
            rows.add(NewRow.of("q" + i, i % 2 == 0 ? "t" : "u").priority(i % 3));
        }
        List<Long> ids = store().enqueueAll(rows);
        Set<String> queues = new HashSet<>(Set.of("low"));
        for (int i = 0; i < 40; i++) {
            queues.add("q" + i);
        }
        List<Long> claimed = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            urgent(2, queues, 4).jobs().forEach(job -> claimed.add(job.id()));
        }
        List<Long> expected = new ArrayList<>();
        for (int i = 2; i < 40; i += 3) {
            expected.add(ids.get(50 + i));
        }
        assertThat(claimed).isEqualTo(expected);
        assertThat(urgent(2, queues, 1).jobs()).isEmpty();
        assertThat(urgent(1, queues, 100).jobs()).hasSize(13);
        assertThat(urgent(Short.MIN_VALUE, queues, 1000).jobs()).hasSize(64);
    }
}
