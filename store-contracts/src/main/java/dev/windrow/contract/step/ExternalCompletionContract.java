package dev.windrow.contract.step;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.AttemptOutcome;
import dev.windrow.Dedupe;
import dev.windrow.EventKind;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobHistory;
import dev.windrow.JobInfo;
import dev.windrow.JobState;
import dev.windrow.TransitionRefusedException;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreContract;
import dev.windrow.contract.StoreDriver;
import dev.windrow.limit.ConcurrencyKey;
import dev.windrow.payload.BlobRef;
import dev.windrow.payload.Json;
import dev.windrow.store.Transition;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.Change.Verb;
import dev.windrow.store.job.ChangeByFilter;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.Enqueue;
import dev.windrow.store.job.EnqueuedJob;
import dev.windrow.store.job.Renew;
import dev.windrow.store.job.Settle;
import dev.windrow.store.payload.Stage;
import dev.windrow.store.payload.SweepStaged;
import dev.windrow.store.payload.Unstage;
import dev.windrow.store.step.EndWaits;
import dev.windrow.workflow.ParentPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Jobs that are completed externally: while they run, while they are parked, and jobs that no worker ever runs. */
public abstract class ExternalCompletionContract extends StoreContract {
    private static final Duration HOUR = Duration.ofHours(1);

    /** Creates the contract for a subclass. */
    protected ExternalCompletionContract() {}

    private int endWaits() {
        return StoreDriver.answer(store().store().submit(new EndWaits(1000)));
    }

    private ClaimedJob parked(NewRow row, Duration timeout) {
        ClaimedJob job = store().running(row);
        store().start(job);
        assertThat(park(job, timeout)).isTrue();
        return job;
    }

    private boolean park(ClaimedJob job, Duration timeout) {
        return StoreDriver.answer(store().store()
                .submit(Settle.of(job, "w", Transition.PARK, AttemptOutcome.PARKED, time.millis())
                        .startedAtMillis(job.claimedAtMillis())
                        .nextRunAtMillis(time.millis() + timeout.toMillis())
                        .build()));
    }

    private static Change complete(long id, String result) {
        return Change.byId(Verb.COMPLETE, List.of(id), "operator")
                .result(result)
                .build();
    }

    private void assertTimedOut(long id) {
        JobInfo job = store().job(id);
        assertThat(job.state()).isEqualTo(JobState.FAILED);
        assertThat(job.errorCode()).isEqualTo("TIMEOUT:WAIT");
        assertThat(job.errorDetail()).isNotBlank();
        assertThat(job.finishedAt()).isEqualTo(time.now());
        assertThat(job.waitingFor()).isNull();
        assertThat(job.wakeAt()).isNull();
        JobHistory.Event last =
                store().history(id).events().get(store().events(id).size() - 1);
        assertThat(last.event()).isEqualTo(EventKind.FAILED);
        assertThat(last.actor()).isEqualTo("system");
    }

    // ---- parked by the handler ----------------------------------------------------------------------------------

    @Test
    void aParkedJobShowsItsWaitAndHoldsNoLease() {
        ClaimedJob job = parked(NewRow.job(), HOUR);
        JobInfo snapshot = store().job(job.id());
        assertThat(snapshot.state()).isEqualTo(JobState.BLOCKED);
        assertThat(snapshot.waitingFor()).isEqualTo(JobInfo.Waiting.EVENT);
        assertThat(snapshot.wakeAt()).isEqualTo(time.now().plus(HOUR));
        assertThat(snapshot.worker()).isNull();
        assertThat(snapshot.attempt()).as("no attempt is counted").isZero();
        assertThat(store().outcomes(job.id())).containsExactly(AttemptOutcome.PARKED);
        assertThat(store().claim(1)).isEmpty();
        assertThat(StoreDriver.answer(store().store().submit(new Renew(List.of(job.leaseToken()), 1000))))
                .containsExactly(job.leaseToken());
        store().change(Verb.COMPLETE, job.id());
    }

    @Test
    void aParkedJobIsCompletedExternally() {
        ClaimedJob job = parked(NewRow.job(), HOUR);
        long child = store().enqueue(NewRow.job().after(job.id(), ParentPolicy.WAIT));
        store().change(Verb.COMPLETE, job.id());
        JobInfo snapshot = store().job(job.id());
        assertThat(snapshot.state()).isEqualTo(JobState.COMPLETED);
        assertThat(snapshot.waitingFor()).isNull();
        assertThat(snapshot.wakeAt()).isNull();
        assertThat(store().outcomes(job.id())).containsExactly(AttemptOutcome.PARKED);
        assertThat(store().history(job.id()).result()).isEqualTo(new Json("\"outside\""));
        assertThat(store().claimOne().id()).isEqualTo(child);
        time.advance(HOUR.multipliedBy(2));
        assertThat(endWaits()).isZero();
        assertThat(store().state(job.id())).isEqualTo(JobState.COMPLETED);
    }

    @Test
    void aParkedJobThatTimesOutFailsAndItsChildrenFollowTheirPolicies() {
        ClaimedJob job = parked(NewRow.job(), HOUR);
        long waits = store().enqueue(NewRow.job().after(job.id(), ParentPolicy.WAIT));
        long runs = store().enqueue(NewRow.job().after(job.id(), ParentPolicy.RUN));
        time.advance(HOUR.minusMillis(1));
        assertThat(endWaits()).isZero();
        time.advance(Duration.ofMillis(1));
        assertThat(endWaits()).isEqualTo(1);
        assertTimedOut(job.id());
        store().hints().awaitEnded(job.id(), JobState.FAILED);
        assertThat(store().state(waits)).isEqualTo(JobState.BLOCKED);
        assertThat(store().claimOne().id()).isEqualTo(runs);
        assertThat(endWaits()).isZero();
        store().change(Verb.RETRY, job.id());
        ClaimedJob again = store().claimOne();
        assertThat(again.id()).isEqualTo(job.id());
        assertThat(store().complete(again)).isTrue();
        assertThat(store().claimOne().id()).isEqualTo(waits);
    }

    @Test
    void aJobEndedBeforeItIsParkedStaysEnded() {
        ClaimedJob job = store().running(NewRow.job());
        store().change(Verb.COMPLETE, job.id());
        assertThat(park(job, HOUR)).isFalse();
        assertThat(store().state(job.id())).isEqualTo(JobState.COMPLETED);
        assertThat(store().outcomes(job.id())).containsExactly(AttemptOutcome.SUPERSEDED);
    }

    @Test
    void aJobOfASequenceKeepsItsPermitWhileParkedAndReleasesItAtTheEnd() {
        ConcurrencyKey key = ConcurrencyKey.inSequence("k");
        ClaimedJob first = parked(NewRow.job().concurrencyKey(key), HOUR);
        long second = store().enqueue(NewRow.job().concurrencyKey(key));
        assertThat(store().claim(1)).isEmpty();
        store().change(Verb.COMPLETE, first.id());
        assertThat(store().claimOne().id()).isEqualTo(second);
        ClaimedJob third = parkedAlone(NewRow.job().concurrencyKey(ConcurrencyKey.atMost("n", 1)));
        long fourth = store().enqueue(NewRow.job().concurrencyKey(ConcurrencyKey.atMost("n", 1)));
        assertThat(store().claimOne().id()).as("a parked job takes up no room").isEqualTo(fourth);
        time.advance(HOUR);
        assertThat(endWaits()).isEqualTo(1);
        assertTimedOut(third.id());
    }

    private ClaimedJob parkedAlone(NewRow row) {
        return parked(row, HOUR);
    }

    @Test
    void aParkedJobWithACancelRequestIsCancelled() {
        ClaimedJob job = store().running(NewRow.job());
        store().change(Verb.CANCEL, job.id());
        assertThat(park(job, HOUR)).isTrue();
        assertThat(store().state(job.id())).isEqualTo(JobState.CANCELLED);
        ClaimedJob other = parked(NewRow.job(), HOUR);
        store().change(Verb.CANCEL, other.id());
        assertThat(store().job(other.id()).wakeAt()).isNull();
        time.advance(HOUR);
        assertThat(endWaits()).isZero();
    }

    // ---- jobs without a handler ------------------------------------------------------------------------------------

    @Test
    void aJobThatWaitsForExternalCompletionIsNeverClaimed() {
        EnqueuedJob job = StoreDriver.answer(store().store()
                        .submit(new Enqueue(List.of(NewRow.job().external(HOUR).row()))))
                .get(0);
        assertThat(job.state()).isEqualTo(JobState.BLOCKED);
        JobInfo snapshot = store().job(job.id());
        assertThat(snapshot.waitingFor()).isEqualTo(JobInfo.Waiting.EVENT);
        assertThat(snapshot.wakeAt()).isEqualTo(time.now().plus(HOUR));
        assertThat(store().claim(1)).isEmpty();
        assertThat(store().store().statistics().unhandled()).isEmpty();
        store().change(Verb.FAIL, job.id());
        assertThat(store().job(job.id()).errorCode()).isEqualTo("TEST:OUTSIDE");
        assertThat(store().events(job.id())).containsExactly(EventKind.ENQUEUED, EventKind.FAILED);
    }

    @Test
    void aJobWaitsForItsParentsBeforeItsExternalCompletion() {
        ClaimedJob parent = store().running(NewRow.job());
        long job = store().enqueue(NewRow.job().external(HOUR).after(parent.id(), ParentPolicy.WAIT));
        long child = store().enqueue(NewRow.job().after(job, ParentPolicy.WAIT));
        assertThat(store().job(job).waitingFor()).isEqualTo(JobInfo.Waiting.PARENTS);
        assertThat(store().job(job).wakeAt()).isNull();
        time.advance(HOUR.multipliedBy(3));
        assertThat(endWaits()).isZero();
        store().complete(parent);
        assertThat(store().state(job)).isEqualTo(JobState.BLOCKED);
        assertThat(store().job(job).waitingFor()).isEqualTo(JobInfo.Waiting.EVENT);
        assertThat(store().job(job).wakeAt()).isEqualTo(time.now().plus(HOUR));
        assertThat(store().events(job)).containsExactly(EventKind.ENQUEUED, EventKind.RELEASED);
        assertThat(store().claim(1)).isEmpty();
        store().change(Verb.COMPLETE, job);
        assertThat(store().claimOne().id()).isEqualTo(child);
    }

    @Test
    void aJobMayBeEndedExternallyBeforeItsParents() {
        ClaimedJob parent = store().running(NewRow.job());
        long job = store().enqueue(NewRow.job().external(HOUR).after(parent.id(), ParentPolicy.WAIT));
        store().change(Verb.COMPLETE, job);
        store().complete(parent);
        assertThat(store().state(job)).isEqualTo(JobState.COMPLETED);
        time.advance(HOUR);
        assertThat(endWaits()).isZero();
    }

    @Test
    void aRetriedJobWaitsAgainForItsParentsOrItsExternalCompletion() {
        long job = store().enqueue(NewRow.job().external(HOUR));
        time.advance(HOUR);
        assertThat(endWaits()).isEqualTo(1);
        assertTimedOut(job);
        time.advance(HOUR);
        store().change(Verb.RETRY, job);
        assertThat(store().state(job)).isEqualTo(JobState.BLOCKED);
        assertThat(store().job(job).waitingFor()).isEqualTo(JobInfo.Waiting.EVENT);
        assertThat(store().job(job).wakeAt()).isEqualTo(time.now().plus(HOUR));
        assertThat(store().claim(1)).isEmpty();
        store().change(Verb.COMPLETE, job);

        ClaimedJob parent = store().running(NewRow.job());
        long other = store().enqueue(NewRow.job().external(HOUR).after(parent.id(), ParentPolicy.WAIT));
        store().change(Verb.CANCEL, other);
        store().change(Verb.RETRY, other);
        assertThat(store().job(other).waitingFor()).isEqualTo(JobInfo.Waiting.PARENTS);
        store().complete(parent);
        assertThat(store().job(other).waitingFor()).isEqualTo(JobInfo.Waiting.EVENT);
    }

    @Test
    void aJobHoldsItsDedupeKeyUntilItsExternalCompletion() {
        NewRow row = NewRow.job().external(HOUR).dedupe(Dedupe.key("k"));
        EnqueuedJob first = enqueued(row);
        EnqueuedJob second = enqueued(row);
        assertThat(second).isEqualTo(new EnqueuedJob(first.id(), JobState.BLOCKED, true));
        assertThat(enqueued(NewRow.job().dedupe(Dedupe.key("k").replace())).id())
                .as("what waits for an event is not replaced")
                .isEqualTo(first.id());
        time.advance(HOUR);
        assertThat(endWaits()).isEqualTo(1);
        assertThat(enqueued(row).deduplicated()).isFalse();
    }

    private EnqueuedJob enqueued(NewRow row) {
        return StoreDriver.answer(store().store().submit(new Enqueue(List.of(row.row()))))
                .get(0);
    }

    // ---- the end of waits ---------------------------------------------------------------------------------------

    @Test
    void theStoreNotifiesEveryProcessOfTheTimeoutOfAWait() {
        var other = open();
        Instant until = time.now().plus(HOUR);
        store().enqueue(NewRow.job().external(HOUR));
        store().hints().awaitWait(until.toEpochMilli());
        other.hints().awaitWait(until.toEpochMilli());
        Instant later = until.plus(HOUR);
        parked(NewRow.job(), HOUR.multipliedBy(2));
        time.advance(HOUR);
        assertThat(endWaits()).isEqualTo(1);
        store().hints().awaitWait(later.toEpochMilli());
    }

    @Test
    void manyWaitsAreEndedInBatchesInOrderOfTheirTimeout() {
        List<Long> late =
                store().enqueueAll(Collections.nCopies(30, NewRow.job().external(HOUR)));
        List<Long> soon =
                store().enqueueAll(Collections.nCopies(30, NewRow.job().external(HOUR.minusMinutes(1))));
        time.advance(HOUR);
        assertThat(StoreDriver.answer(store().store().submit(new EndWaits(30)))).isEqualTo(30);
        soon.forEach(id -> assertThat(store().state(id)).isEqualTo(JobState.FAILED));
        late.forEach(id -> assertThat(store().state(id)).isEqualTo(JobState.BLOCKED));
        assertThat(StoreDriver.answer(store().store().submit(new EndWaits(1000))))
                .isEqualTo(30);
        assertThat(StoreDriver.answer(store().store().submit(new EndWaits(1000))))
                .isZero();
    }

    @Test
    void twoProcessesEndEachWaitOnceAndATimelyCompletionWins() {
        var other = open();
        for (int round = 0; round < 15; round++) {
            List<Long> jobs =
                    store().enqueueAll(Collections.nCopies(20, NewRow.job().external(HOUR)));
            long contested = jobs.get(10);
            time.advance(HOUR);
            List<Integer> counts = together(List.of(
                    this::endWaits,
                    () -> StoreDriver.answer(other.store().submit(new EndWaits(1000))),
                    () -> failure(ChangeByFilter.run(store().store(), complete(contested, "1"))) == null ? 100 : 0));
            int won = counts.get(2) / 100;
            // One process has skipped the jobs that the other had locked.
            int all = counts.get(0) + counts.get(1) + endWaits();
            assertThat(all).isEqualTo(20 - won);
            assertThat(store().state(contested)).isEqualTo(won == 1 ? JobState.COMPLETED : JobState.FAILED);
            for (long id : jobs) {
                assertThat(store().events(id)).hasSize(2);
            }
        }
    }

    // ---- running jobs -------------------------------------------------------------------------------------------

    @Test
    void theHolderOfASupersededAttemptIsNotifiedInEveryProcess() {
        var other = open();
        store().enqueue(NewRow.job());
        // With its first hint, the other process listens. It is not notified of what was superseded before.
        other.hints().awaitHint("q", "t");
        ClaimedJob job = store().claimOne();
        store().change(Verb.COMPLETE, job.id());
        store().hints().awaitSuperseded(job.leaseToken());
        other.hints().awaitSuperseded(job.leaseToken());
        ClaimedJob second = store().running(NewRow.job());
        other.change(Verb.FAIL, second.id());
        store().hints().awaitSuperseded(second.leaseToken());
        assertThat(store().settle(second, Transition.RETRY_LATER)).isFalse();
    }

    @Test
    void childrenAreReleasedOnceForEveryWayToEndTheirParent() {
        var other = open();
        for (int round = 0; round < 60; round++) {
            ClaimedJob job = store().running(NewRow.job());
            long child = store().enqueue(NewRow.job().after(job.id(), ParentPolicy.WAIT));
            var second = round % 2 == 0 ? store() : other;
            List<Boolean> won = together(List.of(
                    () -> store().complete(job),
                    () -> failure(ChangeByFilter.run(second.store(), complete(job.id(), "\"outside\""))) == null));
            assertThat(won).containsExactlyInAnyOrder(true, false);
            assertThat(store().events(job.id())).containsOnlyOnce(EventKind.SUCCEEDED);
            assertThat(store().history(job.id()).result())
                    .isEqualTo(new Json(won.get(0) ? "{\"by\":" + job.id() + "}" : "\"outside\""));
            assertThat(store().events(child)).containsExactly(EventKind.ENQUEUED, EventKind.RELEASED);
            ClaimedJob released = store().claimOne();
            assertThat(released.id()).isEqualTo(child);
            store().complete(released);
        }
    }

    @Test
    void aLongExternalResultIsAdoptedAndDeletedWithItsJob() {
        long job = store().enqueue(NewRow.job().external(HOUR));
        BlobRef blob = staged();
        StoreDriver.answer(ChangeByFilter.run(store().store(), complete(job, blob.text())));
        assertThat(requireNonNull(store().history(job).result()).text()).isEqualTo(blob.text());
        assertThat(StoreDriver.answer(store().store().submit(new SweepStaged(0, 10))))
                .isZero();
        long next = store().enqueue(NewRow.job().external(HOUR));
        assertThat(failure(ChangeByFilter.run(store().store(), complete(next, blob.text()))))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining(Long.toString(blob.id()));
        assertThat(store().state(next)).isEqualTo(JobState.BLOCKED);
        BlobRef spare = staged();
        assertThat(failure(ChangeByFilter.run(store().store(), complete(job, spare.text()))))
                .isInstanceOf(TransitionRefusedException.class);
        assertThat(StoreDriver.answer(store().store().submit(new Unstage(spare.id()))))
                .isNull();
        assertThat(store().store().existingBlobs(List.of(blob.id(), spare.id())))
                .containsExactly(blob.id());
    }

    private BlobRef staged() {
        byte[] content = "\"long\"".getBytes(java.nio.charset.StandardCharsets.UTF_8);
        String hash = "0".repeat(64);
        long id = StoreDriver.answer(
                store().store().submit(Stage.first(content, new Stage.Whole(content.length, hash, null))));
        return new BlobRef(id, BlobRef.Form.JSON, content.length, hash, null);
    }

    @Test
    void aCompletionReleasesKeyAndPermitOfItsJob() {
        ConcurrencyKey key = ConcurrencyKey.atMost("k", 1);
        ClaimedJob job = store().running(
                        NewRow.job().dedupe(Dedupe.key("d")).concurrencyKey(key).tags("x"));
        long next = store().enqueue(NewRow.job().concurrencyKey(key));
        assertThat(store().claim(1)).isEmpty();
        store().change(Verb.COMPLETE, job.id());
        assertThat(store().claimOne().id()).isEqualTo(next);
        assertThat(enqueued(NewRow.job().dedupe(Dedupe.key("d"))).deduplicated())
                .isFalse();
        List<Long> waiting = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            waiting.add(store().enqueue(NewRow.job().concurrencyKey(key)));
        }
        waiting.forEach(id -> store().change(Verb.COMPLETE, id));
        store().change(Verb.COMPLETE, next);
        assertThat(store().job(next).waitsForPermit()).isFalse();
    }
}
