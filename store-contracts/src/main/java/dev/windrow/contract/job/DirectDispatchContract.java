package dev.windrow.contract.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.EventKind;
import dev.windrow.JobInfo;
import dev.windrow.JobState;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreContract;
import dev.windrow.contract.StoreDriver;
import dev.windrow.store.Transition;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.Claim;
import dev.windrow.store.job.Claimed;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.WaitingClaim;
import dev.windrow.workflow.ParentPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Jobs that become ready while a worker has free slots: they are claimed in the transaction that makes them ready. */
public abstract class DirectDispatchContract extends StoreContract {
    /** Creates the contract for a subclass. */
    protected DirectDispatchContract() {}

    private CompletableFuture<Claimed> offer(Claim request) {
        CompletableFuture<Claimed> answer = new CompletableFuture<>();
        store().hints().offer(new WaitingClaim(request, answer));
        return answer;
    }

    private CompletableFuture<Claimed> offer(int limit) {
        return offer(StoreDriver.request(limit));
    }

    private static List<Long> ids(CompletableFuture<Claimed> answer) {
        return StoreDriver.answer(answer).jobs().stream().map(ClaimedJob::id).toList();
    }

    @Test
    void aNewJobIsClaimedLikeAnyOther() {
        CompletableFuture<Claimed> answer = offer(5);
        long id = store().enqueue(NewRow.job()
                .payload("[1]")
                .name("n")
                .maxAttempts(7)
                .extras(9L, null, null)
                .priority(3));

        List<ClaimedJob> jobs = StoreDriver.answer(answer).jobs();
        assertThat(jobs).singleElement().satisfies(job -> {
            assertThat(job.id()).isEqualTo(id);
            assertThat(job.token()).isEqualTo(1);
            assertThat(job.queue()).isEqualTo("q");
            assertThat(job.type()).isEqualTo("t");
            assertThat(job.name()).isEqualTo("n");
            assertThat(job.payload()).isEqualTo("[1]");
            assertThat(job.used()).isZero();
            assertThat(job.maxAttempts()).isEqualTo(7);
            assertThat(job.timeoutMillis()).isEqualTo(9);
            assertThat(job.scheduledAtMillis()).isEqualTo(time.millis());
            assertThat(job.claimedAtMillis()).isEqualTo(time.millis());
        });
        JobInfo snapshot = store().job(id);
        assertThat(snapshot.state()).isEqualTo(JobState.RUNNING);
        assertThat(snapshot.worker()).isEqualTo("w");
        assertThat(snapshot.priority()).isEqualTo(3);
        assertThat(store().events(id)).containsExactly(EventKind.ENQUEUED, EventKind.CLAIMED);
        assertThat(store().count(JobState.PENDING)).isZero();
        assertThat(store().count(JobState.RUNNING)).isEqualTo(1);
        assertThat(store().claim(1)).isEmpty();
        assertThat(store().complete(jobs.get(0))).isTrue();
        assertThat(store().state(id)).isEqualTo(JobState.COMPLETED);
    }

    @Test
    void aDispatchedJobHasTheLeaseOfItsClaim() {
        CompletableFuture<Claimed> answer = offer(1);
        long id = store().enqueue(NewRow.job());
        assertThat(ids(answer)).containsExactly(id);
        assertThat(store().suspects()).isEmpty();
        time.advance(StoreDriver.LEASE.plusMillis(1));
        assertThat(store().suspects()).singleElement().satisfies(suspect -> {
            assertThat(suspect.leaseToken().id()).isEqualTo(id);
            assertThat(suspect.leaseToken().token()).isEqualTo(1);
        });
    }

    @Test
    void dispatchedJobsAreNotNotified() {
        CompletableFuture<Claimed> answer = offer(2);
        long id = store().enqueue(NewRow.job());
        assertThat(ids(answer)).containsExactly(id);
        // Hints come in the order of the transactions. A hint of the first one would come before this.
        store().enqueue(NewRow.of("q", "other"));
        store().hints().awaitHint("q", "other");
        assertThat(store().hints().rings()).doesNotContain("q/t");
    }

    @Test
    void theBestJobsAreDispatchedAndTheOthersWait() {
        CompletableFuture<Claimed> answer = offer(2);
        List<Long> ids = store().enqueueAll(
                        NewRow.job(),
                        NewRow.job().priority(1),
                        NewRow.job().priority(-1),
                        NewRow.job().priority(2));
        assertThat(ids(answer)).containsExactly(ids.get(3), ids.get(1));
        store().hints().awaitHint("q", "t");
        assertThat(store().claim(5)).extracting(ClaimedJob::id).containsExactly(ids.get(0), ids.get(2));
    }

    @Test
    void anEarlierJobIsNotOvertaken() {
        long first = store().enqueue(NewRow.job());
        CompletableFuture<Claimed> answer = offer(1);
        long second = store().enqueue(NewRow.job());
        assertThat(ids(answer)).containsExactly(first);
        assertThat(store().state(second)).isEqualTo(JobState.PENDING);
    }

    @Test
    void anEarlierJobOfAnotherLaneOfTheWorkerIsNotOvertaken() {
        long first = store().enqueue(NewRow.of("q2", "t"));
        CompletableFuture<Claimed> answer = offer(StoreDriver.request("w", Set.of("q", "q2"), Set.of("t"), 1));
        long second = store().enqueue(NewRow.job());
        assertThat(ids(answer)).containsExactly(first);
        assertThat(store().state(second)).isEqualTo(JobState.PENDING);
    }

    @Test
    void aDueJobIsDispatchedFirst() {
        long due = store().enqueue(NewRow.job().delay(Duration.ofSeconds(1)));
        time.advance(Duration.ofSeconds(2));
        CompletableFuture<Claimed> answer = offer(2);
        long now = store().enqueue(NewRow.job());
        assertThat(ids(answer)).containsExactly(due, now);
    }

    @Test
    void onlyReadyJobsAreDispatched() {
        CompletableFuture<Claimed> answer = offer(5);
        long parent = store().enqueue(NewRow.of("q", "parent"));
        List<Long> ids = store().enqueueAll(
                        NewRow.job().delay(Duration.ofSeconds(1)),
                        NewRow.job().after(parent, ParentPolicy.WAIT),
                        NewRow.job());
        assertThat(ids(answer)).containsExactly(ids.get(2));
        assertThat(StoreDriver.answer(answer).nextDueMillis()).isEqualTo(time.millis() + 1000);
        assertThat(store().state(ids.get(0))).isEqualTo(JobState.SCHEDULED);
        assertThat(store().state(ids.get(1))).isEqualTo(JobState.BLOCKED);
    }

    @Test
    void aChildIsDispatchedInTheTransactionOfItsLastParent() {
        long parent = store().enqueue(NewRow.of("q", "parent"));
        long child = store().enqueue(NewRow.job().after(parent, ParentPolicy.WAIT));
        ClaimedJob running = store().claim(StoreDriver.request("w", Set.of("q"), Set.of("parent"), 1))
                .jobs()
                .get(0);
        CompletableFuture<Claimed> answer = offer(5);
        assertThat(store().complete(running)).isTrue();
        assertThat(ids(answer)).containsExactly(child);
        assertThat(store().events(child)).containsExactly(EventKind.ENQUEUED, EventKind.RELEASED, EventKind.CLAIMED);
    }

    @Test
    void aRetriedJobIsDispatched() {
        ClaimedJob job = store().running(NewRow.job());
        assertThat(store().settle(job, Transition.FAIL)).isTrue();
        CompletableFuture<Claimed> answer = offer(5);
        assertThat(store().change(Change.Verb.RETRY, job.id()).ids()).containsExactly(job.id());
        assertThat(StoreDriver.answer(answer).jobs())
                .singleElement()
                .satisfies(again -> assertThat(again.token()).isEqualTo(2));
    }

    @Test
    void eachOfTwoWaitingClaimsGetsItsOwnJobs() {
        CompletableFuture<Claimed> one = offer(StoreDriver.request("one", Set.of("q"), Set.of("t"), 5));
        CompletableFuture<Claimed> two = offer(StoreDriver.request("two", Set.of("q"), Set.of("u"), 5));
        List<Long> ids = store().enqueueAll(NewRow.job(), NewRow.of("q", "u"), NewRow.of("q", "v"));
        assertThat(ids(one)).containsExactly(ids.get(0));
        assertThat(ids(two)).containsExactly(ids.get(1));
        assertThat(store().job(ids.get(1)).worker()).isEqualTo("two");
        assertThat(store().state(ids.get(2))).isEqualTo(JobState.PENDING);
    }

    @Test
    void aJobBelowTheMinimumPriorityOfAWorkerIsNotDispatchedToIt() {
        CompletableFuture<Claimed> urgent = offer(StoreDriver.from(1, StoreDriver.request(5)));
        List<Long> ids = store().enqueueAll(
                        NewRow.job(), NewRow.job().priority(1), NewRow.job().priority(2));
        assertThat(ids(urgent)).containsExactly(ids.get(2), ids.get(1));
        assertThat(store().state(ids.get(0))).isEqualTo(JobState.PENDING);
        store().hints().awaitHint("q", "t");
        urgent = offer(StoreDriver.from(1, StoreDriver.request(5)));
        store().hints().forget();
        long low = store().enqueue(NewRow.job());
        assertThat(ids(urgent)).isEmpty();
        store().hints().awaitHint("q", "t");
        assertThat(store().claim(5)).extracting(ClaimedJob::id).containsExactly(ids.get(0), low);
    }
}
