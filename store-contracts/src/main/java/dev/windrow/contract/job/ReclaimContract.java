package dev.windrow.contract.job;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.AttemptOutcome;
import dev.windrow.EventKind;
import dev.windrow.EventLevel;
import dev.windrow.JobHistory;
import dev.windrow.JobInfo;
import dev.windrow.JobState;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreContract;
import dev.windrow.contract.StoreDriver;
import dev.windrow.payload.Json;
import dev.windrow.store.Transition;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.LeaseToken;
import dev.windrow.store.job.Orphan;
import dev.windrow.store.job.Reclaim;
import dev.windrow.store.job.Renew;
import dev.windrow.store.job.Suspect;
import dev.windrow.store.processes.Announce;
import dev.windrow.store.processes.WorkerRow;
import dev.windrow.testkit.ManualTime;
import java.time.Duration;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The commands suspects and reclaim. */
public abstract class ReclaimContract extends StoreContract {
    private static final Duration PAST_LEASE = StoreDriver.LEASE.plusMillis(1);

    /** Creates the contract for a subclass. */
    protected ReclaimContract() {}

    private Suspect suspect(ClaimedJob job) {
        return store().suspects().stream()
                .filter(suspect -> suspect.leaseToken().equals(job.leaseToken()))
                .findFirst()
                .orElseThrow(() -> new AssertionError("job " + job.id() + " is no suspect"));
    }

    private boolean recover(Suspect suspect) {
        return store().reclaim(suspect, Transition.RETRY_LATER, AttemptOutcome.RECOVERED);
    }

    @Test
    void aRunningJobIsSuspectOnceItsLeaseHasExpired() {
        ClaimedJob job = store().running(NewRow.job().maxAttempts(7).extras(null, "fixed(3)", null));
        time.advance(StoreDriver.LEASE);
        assertThat(store().suspects()).isEmpty();
        time.advance(Duration.ofMillis(1));
        assertThat(store().suspects())
                .containsExactly(new Suspect(
                        /* leaseToken= */ job.leaseToken(),
                        /* leaseUntilMillis= */ ManualTime.START
                                .plus(StoreDriver.LEASE)
                                .toEpochMilli(),
                        /* used= */ 0,
                        /* maxAttempts= */ 7,
                        /* started= */ false,
                        /* lostBefore= */ 0,
                        /* cancelRequested= */ false,
                        /* retryPolicy= */ "fixed(3)",
                        /* type= */ "t",
                        /* worker= */ "w",
                        /* holderLeaseMillis= */ 0,
                        /* processEnded= */ false));
    }

    @Test
    void aLeaseThatEndsTooFarAheadIsSuspect() {
        ClaimedJob job = store().running(NewRow.job());
        time.stepWall(Duration.ofMillis(-1));
        assertThat(store().suspects()).extracting(Suspect::leaseToken).containsExactly(job.leaseToken());
    }

    @Test
    void onlyRunningJobsAreSuspect() {
        store().settle(store().running(NewRow.job()), Transition.COMPLETE);
        store().settle(store().running(NewRow.job()), Transition.FAIL);
        store().settle(store().running(NewRow.job()), Transition.RETRY_LATER);
        store().settle(store().running(NewRow.job()), Transition.PARK);
        store().settle(store().running(NewRow.job()), Transition.HAND_BACK);
        time.advance(Duration.ofDays(1));
        assertThat(store().suspects()).isEmpty();
    }

    /** The observer knows shorter leases only. */
    @Test
    void aLeaseWithinTheLeaseLengthOfItsWorkerIsNoSuspect() {
        Duration length = StoreDriver.LEASE.multipliedBy(10);
        ClaimedJob job = store().running(NewRow.job());
        assertThat(StoreDriver.answer(store().store().submit(new Renew(List.of(job.leaseToken()), length.toMillis()))))
                .isEmpty();
        assertThat(store().suspects()).as("of a worker unknown").hasSize(1);
        StoreDriver.answer(store().store().submit(new Announce(entry("w", length))));
        assertThat(store().suspects()).isEmpty();
        time.stepWall(Duration.ofMillis(-1));
        assertThat(store().suspects())
                .singleElement()
                .satisfies(suspect -> assertThat(suspect.holderLeaseMillis()).isEqualTo(length.toMillis()));
        time.advance(length.plusMillis(2));
        assertThat(store().suspects()).extracting(Suspect::leaseToken).containsExactly(job.leaseToken());
    }

    private static WorkerRow entry(String name, Duration lease) {
        return new WorkerRow(
                StoreDriver.worker(name),
                new WorkerRow.WorkerProcess("host", 1, null, "dev"),
                new WorkerRow.Work(Set.of("default"), Set.of("test"), 1),
                lease.toMillis(),
                0);
    }

    @Test
    void suspectsAreListedPageByPage() {
        store().enqueueAll(Collections.nCopies(20, NewRow.job()));
        store().claim(12);
        time.advance(Duration.ofMillis(5));
        store().claim(8);
        time.advance(PAST_LEASE);
        Set<LeaseToken> seen = new HashSet<>();
        Suspect last = null;
        for (int size : new int[] {7, 7, 6, 0}) {
            List<Suspect> page = store().store().suspects(StoreDriver.LEASE.toMillis(), last, 7);
            assertThat(page).hasSize(size);
            page.forEach(suspect -> assertThat(seen.add(suspect.leaseToken())).isTrue());
            last = page.isEmpty() ? last : page.get(size - 1);
        }
        assertThat(seen).hasSize(20);
    }

    @Test
    void aCrashAfterTheStartCountsAsAnAttempt() {
        ClaimedJob job = store().running(NewRow.job());
        store().start(job);
        time.advance(PAST_LEASE);
        Suspect suspect = suspect(job);
        assertThat(suspect.started()).isTrue();
        assertThat(recover(suspect)).isTrue();
        JobInfo snapshot = store().job(job.id());
        assertThat(snapshot.state()).isEqualTo(JobState.SCHEDULED);
        assertThat(snapshot.attempt()).isEqualTo(1);
        assertThat(snapshot.errorCode()).isEqualTo("INTERNAL:CRASHED");
        assertThat(snapshot.worker()).isNull();
        assertThat(store().outcomes(job.id())).containsExactly(AttemptOutcome.RECOVERED);
        assertThat(store().events(job.id()))
                .containsExactly(
                        EventKind.ENQUEUED,
                        EventKind.CLAIMED,
                        EventKind.STARTED,
                        EventKind.RECOVERED,
                        EventKind.RETRY_SCHEDULED);
        time.advance(Duration.ofMinutes(2));
        assertThat(store().claimOne().attempt()).isEqualTo(2);
    }

    @Test
    void theEventsOfACrashNameTheReclaimerAndTheDeadWorker() {
        ClaimedJob job = store().running(NewRow.job());
        store().start(job);
        time.advance(PAST_LEASE);
        assertThat(recover(suspect(job))).isTrue();
        JobHistory history = store().history(job.id());
        assertThat(history.attempts())
                .singleElement()
                .satisfies(attempt -> assertThat(attempt.worker()).isEqualTo("w"));
        List<JobHistory.Event> events = history.events().subList(3, 5);
        assertThat(events).extracting(JobHistory.Event::actor).containsOnly("reclaimer");
        assertThat(events.get(0).detail()).isEqualTo(new Json("{\"worker\":\"w\",\"outcome\":\"RECOVERED\"}"));
        assertThat(requireNonNull(events.get(1).detail()).text())
                .startsWith("{\"attempt\":1,\"run\":1,\"delay\":60000,\"code\":\"INTERNAL:CRASHED\",\"due\":\"")
                .endsWith("\",\"worker\":\"w\"}");
    }

    /** The reclaimer decides before the store applies its decision. */
    @Test
    void aJobThatIsDueBeforeItsReclaimIsAppliedHasNoDelay() {
        ClaimedJob job = store().running(NewRow.job());
        time.advance(PAST_LEASE);
        Orphan reclaim = new Orphan(
                suspect(job), Transition.RETRY_LATER, AttemptOutcome.RECOVERED, time.millis() - 5, "reclaimer");
        assertThat(StoreDriver.answer(store().store().submit(new Reclaim(List.of(reclaim), StoreDriver.WITHIN_MILLIS))))
                .containsExactly(reclaim);
        assertThat(requireNonNull(store().history(job.id()).events().get(3).detail())
                        .text())
                .startsWith("{\"attempt\":1,\"run\":1,\"delay\":0,\"code\":\"INTERNAL:CRASHED\",\"due\":\"");
    }

    /** The level of events must not change what a crash counts. */
    @Test
    void aStartCountsAtEachLevelOfEvents() {
        StoreDriver quiet = open(EventLevel.OUTCOMES);
        ClaimedJob job = quiet.running(NewRow.job());
        quiet.start(job);
        time.advance(PAST_LEASE);
        Suspect suspect = suspect(job);
        assertThat(suspect.started()).isTrue();
        assertThat(recover(suspect)).isTrue();
        assertThat(store().job(job.id()).attempt()).isEqualTo(1);
        assertThat(store().events(job.id()))
                .containsExactly(
                        EventKind.ENQUEUED,
                        EventKind.CLAIMED,
                        EventKind.STARTED,
                        EventKind.RECOVERED,
                        EventKind.RETRY_SCHEDULED);
    }

    @Test
    void aCrashBeforeTheStartCountsNoAttempt() {
        ClaimedJob job = store().running(NewRow.job());
        time.advance(PAST_LEASE);
        for (int lost = 0; lost < 3; lost++) {
            Suspect suspect = suspect(job);
            assertThat(suspect.started()).isFalse();
            assertThat(suspect.lostBefore()).isEqualTo(lost);
            assertThat(store().reclaim(suspect, Transition.RETRY_LATER, AttemptOutcome.LOST))
                    .isTrue();
            assertThat(store().job(job.id()).attempt()).isZero();
            time.advance(Duration.ofMinutes(2));
            job = store().claimOne();
            assertThat(job.attempt()).isEqualTo(1);
            time.advance(PAST_LEASE);
        }
        assertThat(store().outcomes(job.id()))
                .containsExactly(AttemptOutcome.LOST, AttemptOutcome.LOST, AttemptOutcome.LOST);
        assertThat(store().job(job.id()).errorCode()).isNull();
    }

    @Test
    void theStartOfAnEarlierAttemptDoesNotCountForThisOne() {
        ClaimedJob job = store().running(NewRow.job());
        store().start(job);
        store().settle(job, Transition.HAND_BACK);
        ClaimedJob again = store().claimOne();
        time.advance(PAST_LEASE);
        assertThat(suspect(again).started()).isFalse();
    }

    @Test
    void aCrashWithoutAnAttemptLeftFailsTheJob() {
        ClaimedJob job = store().running(NewRow.job().maxAttempts(1));
        store().start(job);
        time.advance(PAST_LEASE);
        assertThat(store().reclaim(suspect(job), Transition.FAIL, AttemptOutcome.RECOVERED))
                .isTrue();
        assertThat(store().state(job.id())).isEqualTo(JobState.FAILED);
        assertThat(store().events(job.id())).endsWith(EventKind.RECOVERED, EventKind.FAILED);
        store().hints().awaitEnded(job.id(), JobState.FAILED);
    }

    @Test
    void aJobOfADeadWorkerWithACancelRequestIsCancelled() {
        for (Transition meant : List.of(Transition.CANCEL_RUNNING, Transition.RETRY_LATER, Transition.FAIL)) {
            ClaimedJob job = store().running(NewRow.job());
            store().start(job);
            time.advance(PAST_LEASE);
            Suspect before = suspect(job);
            assertThat(before.cancelRequested()).isFalse();
            store().change(Change.Verb.CANCEL, job.id());
            assertThat(suspect(job).cancelRequested()).isTrue();
            // The request comes after the reclaimer has read the suspects, and before it reclaims.
            assertThat(store().reclaim(before, meant, AttemptOutcome.RECOVERED)).isTrue();
            assertThat(store().state(job.id())).isEqualTo(JobState.CANCELLED);
            assertThat(store().outcomes(job.id())).containsExactly(AttemptOutcome.RECOVERED);
            assertThat(store().events(job.id()))
                    .endsWith(EventKind.CANCEL_REQUESTED, EventKind.RECOVERED, EventKind.CANCELLED);
            store().hints().awaitEnded(job.id(), JobState.CANCELLED);
        }
    }

    @Test
    void aJobReclaimedDuringItsCancellationNeverRunsAgain() {
        StoreDriver other = open();
        for (int round = 0; round < 30; round++) {
            ClaimedJob job = store().running(NewRow.job());
            time.advance(PAST_LEASE);
            Suspect suspect = suspect(job);
            StoreDriver second = round % 2 == 0 ? store() : other;
            List<Boolean> answers = together(List.of(
                    () -> recover(suspect),
                    () -> second.change(Change.Verb.CANCEL, job.id()).count() == 1));
            assertThat(answers).containsExactly(true, true);
            assertThat(store().state(job.id())).isEqualTo(JobState.CANCELLED);
            assertThat(store().outcomes(job.id())).containsExactly(AttemptOutcome.RECOVERED);
        }
    }

    /** Failure class 1. */
    @Test
    void aReclaimNeverOverwritesAJobThatHasSinceEnded() {
        ClaimedJob job = store().running(NewRow.job());
        time.advance(PAST_LEASE);
        Suspect suspect = suspect(job);
        assertThat(store().settle(job, Transition.COMPLETE)).isTrue();
        JobHistory before = store().history(job.id());
        assertThat(recover(suspect)).isFalse();
        assertThat(store().reclaim(suspect, Transition.FAIL, AttemptOutcome.RECOVERED))
                .isFalse();
        assertThat(store().history(job.id())).isEqualTo(before);
    }

    /** Failure class 1. */
    @Test
    void aReclaimNeverTakesAJobFromItsNextHolder() {
        ClaimedJob job = store().running(NewRow.job());
        time.advance(PAST_LEASE);
        Suspect suspect = suspect(job);
        assertThat(store().settle(job, Transition.HAND_BACK)).isTrue();
        ClaimedJob next = store().claimOne();
        JobHistory before = store().history(job.id());
        assertThat(recover(suspect)).isFalse();
        assertThat(store().history(job.id())).isEqualTo(before);
        assertThat(store().settle(next, Transition.COMPLETE)).isTrue();
    }

    @Test
    void aLeaseRenewedAfterTheReadIsNotReclaimed() {
        ClaimedJob job = store().running(NewRow.job());
        time.advance(PAST_LEASE);
        Suspect suspect = suspect(job);
        CompletableFuture<?> renewed =
                store().store().submit(new Renew(List.of(job.leaseToken()), StoreDriver.LEASE.toMillis()));
        JobHistory before = store().history(job.id());
        assertThat(recover(suspect)).isFalse();
        Object unused = StoreDriver.answer(renewed);
        assertThat(store().history(job.id())).isEqualTo(before);
    }

    @Test
    void aStartRecordedAfterTheReadIsNotLost() {
        ClaimedJob job = store().running(NewRow.job());
        time.advance(PAST_LEASE);
        Suspect suspect = suspect(job);
        store().start(job);
        JobHistory before = store().history(job.id());
        assertThat(store().reclaim(suspect, Transition.RETRY_LATER, AttemptOutcome.LOST))
                .isFalse();
        assertThat(store().history(job.id())).isEqualTo(before);
        assertThat(suspect(job).started()).isTrue();
        assertThat(recover(suspect(job))).isTrue();
    }

    @Test
    void theOldHolderIsFencedAfterAReclaim() {
        ClaimedJob job = store().running(NewRow.job());
        time.advance(PAST_LEASE);
        assertThat(recover(suspect(job))).isTrue();
        JobHistory before = store().history(job.id());
        assertThat(store().complete(job)).isFalse();
        assertThat(StoreDriver.answer(store().store().submit(new Renew(List.of(job.leaseToken()), 1000))))
                .containsExactly(job.leaseToken());
        assertThat(store().history(job.id())).isEqualTo(before);
    }

    @Test
    void oneOfManyConcurrentReclaimsWins() {
        StoreDriver other = open();
        for (int round = 0; round < 30; round++) {
            ClaimedJob job = store().running(NewRow.of("q", "t").name("r" + round));
            time.advance(PAST_LEASE);
            Suspect suspect = suspect(job);
            List<Boolean> won = together(List.of(
                    () -> recover(suspect),
                    () -> other.reclaim(suspect, Transition.RETRY_LATER, AttemptOutcome.RECOVERED),
                    () -> recover(suspect)));
            assertThat(won).containsExactlyInAnyOrder(true, false, false);
            assertThat(store().outcomes(job.id())).containsExactly(AttemptOutcome.RECOVERED);
            store().change(Change.Verb.CANCEL, job.id());
        }
    }

    @Test
    void aReclaimReturnsTheAppliedTransitionOfEachJob() {
        ClaimedJob retried = store().running(NewRow.job());
        ClaimedJob cancelled = store().running(NewRow.job());
        ClaimedJob settled = store().running(NewRow.job());
        List<ClaimedJob> jobs = List.of(retried, cancelled, settled);
        time.advance(PAST_LEASE);
        List<Orphan> asked = jobs.stream()
                .map(job -> new Orphan(
                        suspect(job),
                        Transition.RETRY_LATER,
                        AttemptOutcome.RECOVERED,
                        time.millis() + 1000,
                        "reclaimer"))
                .toList();
        store().change(Change.Verb.CANCEL, cancelled.id());
        assertThat(store().complete(settled)).isTrue();
        assertThat(StoreDriver.answer(store().store().submit(new Reclaim(asked, StoreDriver.WITHIN_MILLIS))))
                .containsExactlyInAnyOrder(asked.get(0), asked.get(1).cancelled());
    }

    @Test
    void aJobNamedTwiceIsReclaimedOnce() {
        ClaimedJob job = store().running(NewRow.job());
        time.advance(PAST_LEASE);
        Orphan reclaim = new Orphan(
                suspect(job), Transition.RETRY_LATER, AttemptOutcome.RECOVERED, time.millis() + 1000, "reclaimer");
        assertThat(StoreDriver.answer(
                        store().store().submit(new Reclaim(List.of(reclaim, reclaim), StoreDriver.WITHIN_MILLIS))))
                .containsExactly(reclaim);
        assertThat(store().events(job.id())).containsOnlyOnce(EventKind.RECOVERED);
        assertThat(store().outcomes(job.id())).hasSize(1);
    }
}
