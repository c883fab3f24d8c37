package dev.windrow.contract.processes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.windrow.StoreUnavailableException;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreContract;
import dev.windrow.contract.StoreDriver;
import dev.windrow.limit.ConcurrencyKey;
import dev.windrow.monitor.Diagnosis;
import dev.windrow.monitor.Statistics;
import dev.windrow.monitor.WorkerInfo;
import dev.windrow.store.job.Claim;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.Enqueue;
import dev.windrow.store.job.Renew;
import dev.windrow.store.job.Suspect;
import dev.windrow.store.job.Touch;
import dev.windrow.store.job.Withdraw;
import dev.windrow.store.job.WorkerId;
import dev.windrow.store.processes.Announce;
import dev.windrow.store.processes.WorkerRow;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The registry of workers, and the lifecycle of the store itself. */
public abstract class RegistryContract extends StoreContract {
    /** Creates the contract for a subclass. */
    protected RegistryContract() {}

    private void announce(String name, String... types) {
        announce(name, Set.of("q"), types);
    }

    private void announce(String name, Set<String> queues, String... types) {
        announce(name, queues, Duration.ofSeconds(10), types);
    }

    private void announce(String name, Set<String> queues, Duration ttl, String... types) {
        Object unused = StoreDriver.answer(store().store()
                .submit(new Announce(new WorkerRow(
                        StoreDriver.worker(name),
                        new WorkerRow.WorkerProcess("host", 4711, "here/4711", "0.1"),
                        new WorkerRow.Work(queues, Set.of(types), 4),
                        ttl.toMillis(),
                        0))));
    }

    private void announceFrom(int minPriority, String name) {
        Object unused = StoreDriver.answer(store().store()
                .submit(new Announce(new WorkerRow(
                        StoreDriver.worker(name),
                        new WorkerRow.WorkerProcess("host", 4711, "here/4711", "0.1"),
                        new WorkerRow.Work(Set.of("q"), Set.of("a"), 4, minPriority),
                        10_000,
                        0))));
    }

    private String handlers() {
        return store().diagnose().checks().stream()
                .filter(check -> check.name().equals("handlers"))
                .map(Diagnosis.Check::detail)
                .findFirst()
                .orElseThrow();
    }

    private List<Statistics.Unserved> unserved() {
        return store().store().statistics().unserved();
    }

    private List<Statistics.Unhandled> unhandled() {
        return store().store().statistics().unhandled();
    }

    @Test
    void aTypeWithoutALiveHandlerIsNamed() {
        store().enqueueAll(NewRow.of("q", "a"), NewRow.of("q", "a"), NewRow.of("q", "b"));
        assertThat(unhandled())
                .containsExactly(new Statistics.Unhandled("a", 2, null), new Statistics.Unhandled("b", 1, null));
        announce("w1", "a", "old.a");
        assertThat(unhandled()).containsExactly(new Statistics.Unhandled("b", 1, null));
        announce("w2", "b");
        assertThat(unhandled()).isEmpty();
    }

    @Test
    void aHandledTypeOfOtherCaseIsNamed() {
        store().enqueue(NewRow.of("q", "sendmail"));
        announce("w1", "sendMail", "SEND");
        assertThat(unhandled()).containsExactly(new Statistics.Unhandled("sendmail", 1, "sendMail"));
        assertThat(store().diagnose().checks())
                .filteredOn(check -> check.name().equals("handlers"))
                .extracting(Diagnosis.Check::detail)
                .asString()
                .contains("1 ready of type sendmail (a live worker handles sendMail)");
        announce("w2", "sendmail");
        assertThat(unhandled()).isEmpty();
    }

    @Test
    void aQueueThatNoLiveWorkerServesIsNamed() {
        store().enqueueAll(NewRow.of("images", "a"), NewRow.of("q", "a"), NewRow.of("q", "b"));
        assertThat(unserved()).containsExactly(new Statistics.Unserved("q", 2), new Statistics.Unserved("images", 1));
        announce("w1", "a", "b");
        assertThat(unserved()).containsExactly(new Statistics.Unserved("images", 1));
        assertThat(unhandled()).as("it is the queue that is missing").isEmpty();
        announce("w2", Set.of("images", "mail"), "a");
        assertThat(unserved()).isEmpty();
        time.advance(Duration.ofSeconds(11));
        assertThat(unserved()).hasSize(2);
    }

    @Test
    void onlyWorkersOfItsQueueHandleAType() {
        store().enqueue(NewRow.of("images", "a"));
        announce("w1", "a");
        announce("w2", Set.of("images"), "b");
        assertThat(unserved()).isEmpty();
        assertThat(unhandled()).containsExactly(new Statistics.Unhandled("a", 1, null));
    }

    @Test
    void jobsThatAreNotReadyNeedNoWorker() {
        store().enqueue(NewRow.job().delay(Duration.ofDays(1)));
        store().running(NewRow.job());
        assertThat(unserved()).isEmpty();
    }

    @Test
    void aJobBelowTheMinimumPriorityOfEachLiveWorkerIsNamed() {
        store().enqueue(NewRow.of("q", "a"));
        announceFrom(10, "w1");
        announceFrom(20, "w2");
        assertThat(store().store().workers())
                .extracting(WorkerInfo::name, WorkerInfo::minPriority)
                .containsExactly(tuple("w1", 10), tuple("w2", 20));
        assertThat(handlers()).contains("priority 0 of type a in queue 'q' (minimum 10)");
        announceFrom(0, "w2");
        assertThat(handlers()).doesNotContain("minimum");
        announceFrom(20, "w2");
        announce("w3", "a");
    }

    @Test
    void onlyReadyJobsCountAsBelowTheMinimumPriority() {
        announceFrom(10, "w1");
        ConcurrencyKey key = ConcurrencyKey.inSequence("k");
        store().enqueueAll(
                        NewRow.of("q", "a").priority(10).concurrencyKey(key),
                        NewRow.of("q", "a").priority(1).concurrencyKey(key),
                        NewRow.of("q", "a").priority(2).delay(Duration.ofDays(1)));
        assertThat(handlers()).doesNotContain("minimum");
    }

    @Test
    void aWorkerWithoutHeartbeatsIsNotAlive() {
        store().enqueue(NewRow.of("q", "a"));
        announce("w1", "a");
        time.advance(Duration.ofSeconds(9));
        assertThat(unhandled()).isEmpty();
        announce("w1", "a");
        time.advance(Duration.ofSeconds(9));
        assertThat(unhandled()).isEmpty();
        time.advance(Duration.ofSeconds(2));
        assertThat(unhandled()).hasSize(1);
    }

    @Test
    void aWorkerThatLeavesIsRemoved() {
        store().enqueue(NewRow.of("q", "a"));
        announce("w1", "a");
        Object unused = StoreDriver.answer(store().store().submit(new Withdraw(StoreDriver.worker("w1"))));
        assertThat(unhandled()).hasSize(1);
        unused = StoreDriver.answer(store().store().submit(new Withdraw(StoreDriver.worker("w1"))));
        assertThat(unhandled()).hasSize(1);
    }

    @Test
    void runningJobsAreShownInTheOrderOfTheirHeartbeats() {
        announce("w", Set.of("q"), StoreDriver.LEASE, "t");
        Instant first = time.now();
        ClaimedJob renewed = store().running(NewRow.job());
        time.advance(Duration.ofSeconds(5));
        Instant second = time.now();
        ClaimedJob silent = store().running(NewRow.job());
        time.advance(Duration.ofSeconds(5));
        Object unused = StoreDriver.answer(
                store().store().submit(new Renew(List.of(renewed.leaseToken()), StoreDriver.LEASE.toMillis())));
        Statistics statistics = store().store().statistics();
        assertThat(statistics.oldestRunning())
                .extracting(Statistics.Running::id, Statistics.Running::startedAt, Statistics.Running::heartbeatAt)
                .containsExactly(tuple(silent.id(), second, second), tuple(renewed.id(), first, time.now()));
        assertThat(statistics.runningSince()).isEqualTo(first);
    }

    @Test
    void atMost20RunningJobsAreShown() {
        store().enqueueAll(Collections.nCopies(21, NewRow.job()));
        assertThat(store().claim(21)).hasSize(21);
        assertThat(store().store().statistics().oldestRunning()).hasSize(20);
    }

    @Test
    void aRunningJobOfAWorkerThatIsNotRegisteredIsShownWithItsClaim() {
        ClaimedJob job = store().running(NewRow.job());
        Instant claimed = time.now();
        time.advance(Duration.ofSeconds(5));
        store().start(job);
        assertThat(store().store().statistics().oldestRunning())
                .extracting(Statistics.Running::heartbeatAt)
                .containsExactly(claimed);
    }

    @Test
    void aPrefetchedJobIsNotCountedAsRunning() {
        ClaimedJob first = store().running(NewRow.job());
        store().running(NewRow.job());
        store().running(NewRow.job());
        announce("w", "t");
        announce("x", "t");
        store().start(first);
        List<WorkerInfo> workers = store().store().workers();
        assertThat(workers).extracting(WorkerInfo::name).containsExactly("w", "x");
        assertThat(workers.get(0).running()).containsExactly(first.id());
        assertThat(workers.get(0).claimedAhead()).isEqualTo(2);
        assertThat(workers.get(0).busy()).isEqualTo(1);
        assertThat(workers.get(1).claimedAhead()).isZero();
        assertThat(workers.get(1).holdsJobs()).isFalse();
        store().complete(first);
        WorkerInfo after = store().store().workers().get(0);
        assertThat(after.running()).isEmpty();
        assertThat(after.holdsJobs()).as("it holds what it claimed ahead").isTrue();
    }

    @Test
    void twoWorkersOfOneNameAreSeparateEntries() {
        WorkerId one = new WorkerId("mailer", "1");
        WorkerId two = new WorkerId("mailer", "2");
        announce(one, "here/1");
        announce(two, "here/2");
        List<Long> ids = store().enqueueAll(NewRow.job(), NewRow.job());
        List<ClaimedJob> first = store().claim(request(one)).jobs();
        List<ClaimedJob> second = store().claim(request(two)).jobs();
        first.forEach(store()::start);
        second.forEach(store()::start);
        assertThat(store().store().workers())
                .extracting(WorkerInfo::name, WorkerInfo::process, WorkerInfo::running)
                .containsExactlyInAnyOrder(
                        tuple("mailer", "here/1", List.of(ids.get(0))), tuple("mailer", "here/2", List.of(ids.get(1))));
        assertThat(store().store().heldBy("here/1", 10))
                .as("what another worker of this name holds is not its own")
                .extracting(suspect -> suspect.leaseToken().id(), Suspect::worker)
                .containsExactly(tuple(ids.get(0), "mailer"));
        assertThat(store().job(ids.get(1)).worker()).isEqualTo("mailer");
        Object unused = StoreDriver.answer(store().store().submit(new Withdraw(one)));
        assertThat(store().store().workers()).extracting(WorkerInfo::process).containsExactly("here/2");
    }

    @Test
    void theEntryOfADeadWorkerIsRemovedSoonAfterOneOfItsNameStarts() {
        WorkerId again = new WorkerId("mailer", "2");
        announce(new WorkerId("mailer", "1"), "here/1");
        announce(new WorkerId("reporter", "1"), "here/1");
        time.advance(Duration.ofMinutes(10));
        announce(again, "here/2");
        assertThat(processes()).containsExactly("here/1", "here/1", "here/2");
        time.advance(Duration.ofSeconds(11));
        announce(again, "here/2");
        assertThat(processes()).as("the reporter was not started again").containsExactly("here/1", "here/2");
    }

    private List<@Nullable String> processes() {
        return store().store().workers().stream().map(WorkerInfo::process).toList();
    }

    private void announce(WorkerId id, String process) {
        WorkerRow row = new WorkerRow(
                id,
                new WorkerRow.WorkerProcess("host", 1, process, "0.1"),
                new WorkerRow.Work(Set.of("q"), Set.of("t"), 4),
                10_000,
                0);
        Object unused = StoreDriver.answer(store().store().submit(new Announce(row)));
    }

    private static Claim request(WorkerId worker) {
        return new Claim(worker, Set.of("q"), Set.of("t"), 1, StoreDriver.LEASE.toMillis());
    }

    @Test
    void workersWithStuckHandlersAreNamed() {
        WorkerRow well = new WorkerRow(
                StoreDriver.worker("well"),
                new WorkerRow.WorkerProcess("host", 1, "here/1", "0.1"),
                new WorkerRow.Work(Set.of("q"), Set.of("a"), 4),
                10_000,
                0);
        Object unused = StoreDriver.answer(store().store().submit(new Announce(well)));
        announceStuck(0);
        assertThat(store().store().statistics().stuck()).isEmpty();
        announceStuck(3);
        assertThat(store().store().statistics().stuck()).containsExactly(new Statistics.Stuck("ill", 3));
        announceStuck(1);
        assertThat(store().store().statistics().stuck()).containsExactly(new Statistics.Stuck("ill", 1));
        time.advance(Duration.ofSeconds(11));
        assertThat(store().store().statistics().stuck()).as("of those alive").isEmpty();
    }

    private void announceStuck(int slots) {
        WorkerRow row = new WorkerRow(
                StoreDriver.worker("ill"),
                new WorkerRow.WorkerProcess("host", 2, "here/2", "0.1"),
                new WorkerRow.Work(Set.of("q"), Set.of("a"), 4),
                10_000,
                slots);
        Object unused = StoreDriver.answer(store().store().submit(new Announce(row)));
    }

    @Test
    void aTouchCommitsNothingAndSucceeds() {
        Object unused = StoreDriver.answer(store().store().submit(new Touch()));
    }

    @Test
    void aClosedStoreRefusesEveryVerb() {
        long id = store().enqueue(NewRow.job());
        StoreDriver other = open();
        other.close();
        other.close();
        List<CompletableFuture<?>> writes = List.of(
                other.store().submit(new Touch()),
                other.store().submit(new Enqueue(List.of(NewRow.job().row()))),
                other.store().submit(StoreDriver.request(1)),
                other.store().submit(new Withdraw(StoreDriver.worker("w"))));
        for (CompletableFuture<?> write : writes) {
            assertThat(failure(write)).isInstanceOf(StoreUnavailableException.class);
        }
        assertThat(org.assertj.core.api.Assertions.catchThrowable(
                        () -> other.store().history(id)))
                .isInstanceOf(StoreUnavailableException.class);
        assertThat(store().claimOne().id()).isEqualTo(id);
    }

    @Test
    void jobsSurviveClosingAndOpening() {
        StoreDriver other = open();
        long id = other.enqueue(NewRow.job().payload("7"));
        other.close();
        assertThat(open().history(id).payload()).isNotNull();
        assertThat(store().claimOne().payload()).isEqualTo("7");
    }

    @Test
    void theStoreReportsItsLocation() {
        assertThat(store().store().location()).isNotBlank();
    }
}
