package dev.windrow.contract.job;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.windrow.AttemptOutcome;
import dev.windrow.EventKind;
import dev.windrow.JobHistory;
import dev.windrow.JobInfo;
import dev.windrow.JobNotFoundException;
import dev.windrow.JobState;
import dev.windrow.TransitionRefusedException;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreContract;
import dev.windrow.contract.StoreDriver;
import dev.windrow.payload.Json;
import dev.windrow.query.JobFilter;
import dev.windrow.store.Transition;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.Change.Verb;
import dev.windrow.store.job.ChangeByFilter;
import dev.windrow.store.job.ChangeResult;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.Renew;
import dev.windrow.workflow.ParentPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The command change: changes of jobs from outside, not by their holders. */
public abstract class ChangeContract extends StoreContract {
    /** Creates the contract for a subclass. */
    protected ChangeContract() {}

    private Throwable refusal(Verb verb, Long... ids) {
        return failure(ChangeByFilter.run(store().store(), StoreDriver.change(verb, Arrays.asList(ids))));
    }

    private long failed() {
        ClaimedJob job = store().running(NewRow.job());
        store().settle(job, Transition.FAIL);
        return job.id();
    }

    @Test
    void aJobThatHasNotStartedIsCancelled() {
        long pending = store().enqueue(NewRow.job());
        long scheduled = store().enqueue(NewRow.job().delay(Duration.ofHours(1)));
        long blocked = store().enqueue(NewRow.job().after(pending, ParentPolicy.WAIT));
        ChangeResult result = store().change(Verb.CANCEL, pending, scheduled, blocked);
        assertThat(result.count()).isEqualTo(3);
        assertThat(result.ids()).containsExactlyInAnyOrder(pending, scheduled, blocked);
        for (long id : List.of(pending, scheduled, blocked)) {
            JobHistory history = store().history(id);
            assertThat(history.job().state()).isEqualTo(JobState.CANCELLED);
            assertThat(history.job().finishedAt()).isEqualTo(time.now());
            assertThat(history.attempts()).isEmpty();
            assertThat(history.events().get(1).event()).isEqualTo(EventKind.CANCELLED);
            assertThat(history.events().get(1).actor()).isEqualTo("operator");
            store().hints().awaitEnded(id, JobState.CANCELLED);
        }
        assertThat(store().claim(1)).isEmpty();
        time.advance(Duration.ofHours(2));
        assertThat(store().claim(1)).isEmpty();
    }

    @Test
    void jobsNamedByIdAreChangedAllOrNone() {
        long pending = store().enqueue(NewRow.job().priority(-1));
        ClaimedJob running = store().running(NewRow.job());
        ClaimedJob done = store().running(NewRow.job());
        store().complete(done);
        assertThat(refusal(Verb.CANCEL, pending, running.id(), done.id()))
                .isInstanceOf(TransitionRefusedException.class)
                .hasMessageContaining(Long.toString(done.id()))
                .hasMessageContaining("COMPLETED")
                .hasMessageContaining("only from BLOCKED, SCHEDULED, PENDING, RUNNING");
        assertThat(store().state(pending)).isEqualTo(JobState.PENDING);
        assertThat(store().events(pending)).containsExactly(EventKind.ENQUEUED);
        assertThat(store().events(running.id())).containsExactly(EventKind.ENQUEUED, EventKind.CLAIMED);
    }

    @Test
    void aJobThatDoesNotExistRefusesTheWholeChange() {
        long pending = store().enqueue(NewRow.job());
        assertThat(refusal(Verb.CANCEL, pending, 1L << 40))
                .isInstanceOf(JobNotFoundException.class)
                .hasMessageContaining(Long.toString(1L << 40));
        assertThat(store().state(pending)).isEqualTo(JobState.PENDING);
    }

    @Test
    void aJobNamedTwiceIsChangedOnce() {
        long pending = store().enqueue(NewRow.job());
        assertThat(store().change(Verb.CANCEL, pending, pending).count()).isEqualTo(1);
        assertThat(store().events(pending)).containsExactly(EventKind.ENQUEUED, EventKind.CANCELLED);
    }

    @Test
    void aChangeOfNoJobsHasNoEffect() {
        assertThat(store().change(Verb.CANCEL)).isEqualTo(new ChangeResult(0, List.of()));
    }

    @Test
    void aRefusedChangeHarmsNoOtherOperationOfItsCommit() {
        ClaimedJob ended = store().running(NewRow.job());
        store().complete(ended);
        List<Long> ids = store().enqueueAll(Collections.nCopies(100, NewRow.job()));
        List<java.util.concurrent.CompletableFuture<ChangeResult>> good = new ArrayList<>();
        List<java.util.concurrent.CompletableFuture<ChangeResult>> bad = new ArrayList<>();
        for (long id : ids) {
            good.add(ChangeByFilter.run(store().store(), StoreDriver.change(Verb.CANCEL, List.of(id))));
            bad.add(ChangeByFilter.run(store().store(), StoreDriver.change(Verb.CANCEL, List.of(ended.id()))));
        }
        good.forEach(future -> assertThat(StoreDriver.answer(future).count()).isEqualTo(1));
        bad.forEach(future -> assertThat(failure(future)).isInstanceOf(TransitionRefusedException.class));
    }

    @Test
    void aRetryKeepsTokenAndHistoryAndGivesAFullBudget() {
        ClaimedJob job = store().running(NewRow.job().maxAttempts(1));
        store().complete(job);
        ClaimedJob other = store().running(NewRow.job().maxAttempts(1));
        store().settle(other, Transition.FAIL);
        assertThat(refusal(Verb.RETRY, job.id())).isInstanceOf(TransitionRefusedException.class);
        time.advance(Duration.ofMinutes(1));
        assertThat(store().change(Verb.RETRY, other.id()).count()).isEqualTo(1);
        JobHistory history = store().history(other.id());
        assertThat(history.job().state()).isEqualTo(JobState.PENDING);
        assertThat(history.job().attempt()).isZero();
        assertThat(history.job().maxAttempts()).isEqualTo(1);
        assertThat(history.job().finishedAt()).isNull();
        assertThat(history.job().scheduledAt()).isEqualTo(time.now());
        assertThat(history.attempts()).hasSize(1);
        assertThat(store().events(other.id())).endsWith(EventKind.FAILED, EventKind.RETRIED);
        ClaimedJob again = store().claimOne();
        assertThat(again.token()).isEqualTo(other.token() + 1);
        assertThat(again.attempt()).isEqualTo(1);
        assertThat(store().settle(other, Transition.COMPLETE)).isFalse();
        assertThat(store().settle(again, Transition.COMPLETE)).isTrue();
        assertThat(store().outcomes(other.id())).containsExactly(AttemptOutcome.FAILED, AttemptOutcome.SUCCEEDED);
    }

    @Test
    void eachRetryBeginsANewRun() {
        ClaimedJob job = store().running(NewRow.job().maxAttempts(2));
        assertThat(store().settle(job, Transition.RETRY_LATER)).isTrue();
        time.advance(Duration.ofMinutes(2));
        assertThat(store().settle(store().claimOne(), Transition.FAIL)).isTrue();
        store().change(Verb.RETRY, job.id());
        assertThat(store().job(job.id()).run()).isEqualTo(2);
        ClaimedJob again = store().claimOne();
        assertThat(again.run()).isEqualTo(2);
        store().change(Verb.FAIL, again.id());
        store().change(Verb.RETRY, job.id());
        assertThat(store().complete(store().claimOne())).isTrue();
        JobHistory history = store().history(job.id());
        assertThat(history.job().run()).isEqualTo(3);
        assertThat(history.attempts())
                .extracting(JobHistory.Attempt::run, JobHistory.Attempt::attempt, JobHistory.Attempt::outcome)
                .containsExactly(
                        tuple(1, 1, AttemptOutcome.FAILED),
                        tuple(1, 2, AttemptOutcome.FAILED),
                        tuple(2, 1, AttemptOutcome.SUPERSEDED),
                        tuple(3, 1, AttemptOutcome.SUCCEEDED));
        assertThat(history.events())
                .filteredOn(event -> event.event() == EventKind.RETRIED)
                .extracting(JobHistory.Event::detail)
                .containsExactly(new Json("{\"run\":2}"), new Json("{\"run\":3}"));
        assertThat(history.events())
                .filteredOn(event -> event.event() == EventKind.FAILED)
                .last()
                .extracting(event -> requireNonNull(event.detail()).text())
                .asString()
                .startsWith("{\"attempt\":1,\"run\":2,\"code\":");
    }

    @Test
    void aRetryMaySetANewBudget() {
        long id = failed();
        Change change =
                Change.byId(Verb.RETRY, List.of(id), "operator").maxAttempts(42).build();
        assertThat(StoreDriver.answer(ChangeByFilter.run(store().store(), change))
                        .count())
                .isEqualTo(1);
        assertThat(store().job(id).maxAttempts()).isEqualTo(42);
    }

    @Test
    void aCancelledJobCanBeRetried() {
        long id = store().enqueue(NewRow.job());
        store().change(Verb.CANCEL, id);
        store().change(Verb.RETRY, id);
        assertThat(store().claimOne().id()).isEqualTo(id);
    }

    @Test
    void aParkedJobCanBeCancelledAndRetried() {
        ClaimedJob job = store().running(NewRow.job());
        store().settle(job, Transition.PARK);
        store().change(Verb.CANCEL, job.id());
        store().change(Verb.RETRY, job.id());
        assertThat(store().claimOne().id()).isEqualTo(job.id());
    }

    @Test
    void aParentAndItsChildAreCancelledTogetherInEitherOrder() {
        for (boolean parentFirst : new boolean[] {true, false}) {
            long parent = store().enqueue(NewRow.job());
            long child = store().enqueue(NewRow.job().after(parent, ParentPolicy.RUN));
            Long[] ids = parentFirst ? new Long[] {parent, child} : new Long[] {child, parent};
            assertThat(store().change(Verb.CANCEL, ids).ids()).containsExactly(parent, child);
            assertThat(store().state(parent)).isEqualTo(JobState.CANCELLED);
            assertThat(store().state(child)).isEqualTo(JobState.CANCELLED);
        }
    }

    @Test
    void aScheduledJobIsTriggered() {
        long later = store().enqueue(NewRow.job().delay(Duration.ofDays(1)));
        time.advance(Duration.ofSeconds(1));
        assertThat(store().change(Verb.TRIGGER, later).count()).isEqualTo(1);
        assertThat(store().events(later)).containsExactly(EventKind.ENQUEUED, EventKind.RELEASED);
        assertThat(refusal(Verb.TRIGGER, later)).isInstanceOf(TransitionRefusedException.class);
        time.advance(Duration.ofSeconds(1));
        long next = store().enqueue(NewRow.job());
        assertThat(store().claim(10)).extracting(ClaimedJob::id).containsExactly(later, next);
    }

    @Test
    void aWaitingJobIsCompletedExternally() {
        long pending = store().enqueue(NewRow.job());
        long scheduled = store().enqueue(NewRow.job().delay(Duration.ofHours(1)));
        long blocked = store().enqueue(NewRow.job().after(scheduled, ParentPolicy.WAIT));
        store().change(Verb.COMPLETE, pending, blocked, scheduled);
        for (long id : List.of(pending, scheduled, blocked)) {
            JobHistory history = store().history(id);
            assertThat(history.job().state()).isEqualTo(JobState.COMPLETED);
            assertThat(history.job().finishedAt()).isEqualTo(time.now());
            assertThat(history.result()).isEqualTo(new Json("\"outside\""));
            assertThat(history.attempts()).isEmpty();
            assertThat(store().events(id)).endsWith(EventKind.SUCCEEDED);
        }
        assertThat(store().claim(10)).isEmpty();
    }

    @Test
    void anExternalCompletionSupersedesARunningAttempt() {
        ClaimedJob job = store().running(NewRow.job());
        store().start(job);
        store().change(Verb.COMPLETE, job.id());
        JobHistory before = store().history(job.id());
        assertThat(before.job().state()).isEqualTo(JobState.COMPLETED);
        assertThat(before.job().worker()).isNull();
        assertThat(before.job().attempt()).as("no attempt is counted").isZero();
        assertThat(before.attempts()).singleElement().satisfies(attempt -> {
            assertThat(attempt.outcome()).isEqualTo(AttemptOutcome.SUPERSEDED);
            assertThat(attempt.worker()).isEqualTo("w");
            assertThat(attempt.token()).isEqualTo(job.token());
        });
        assertThat(store().settle(job, Transition.COMPLETE)).isFalse();
        assertThat(StoreDriver.answer(store().store().submit(new Renew(List.of(job.leaseToken()), 1000))))
                .containsExactly(job.leaseToken());
        assertThat(store().history(job.id())).isEqualTo(before);
    }

    @Test
    void anExternalFailureSupersedesARunningAttempt() {
        ClaimedJob job = store().running(NewRow.job());
        store().change(Verb.FAIL, job.id());
        JobInfo snapshot = store().job(job.id());
        assertThat(snapshot.state()).isEqualTo(JobState.FAILED);
        assertThat(snapshot.errorCode()).isEqualTo("TEST:OUTSIDE");
        assertThat(snapshot.errorDetail()).isEqualTo("by an operator");
        assertThat(store().outcomes(job.id())).containsExactly(AttemptOutcome.SUPERSEDED);
        assertThat(store().settle(job, Transition.COMPLETE)).isFalse();
        store().change(Verb.RETRY, job.id());
        ClaimedJob again = store().claimOne();
        assertThat(again.token()).isGreaterThan(job.token() + 1);
        assertThat(store().complete(again)).isTrue();
        assertThat(store().history(job.id()).attempts()).hasSize(2);
    }

    @Test
    void anExternalCompletionAndTheHoldersNeverBothWin() {
        for (int round = 0; round < 60; round++) {
            ClaimedJob job = store().running(NewRow.job());
            List<Boolean> won =
                    together(List.of(() -> store().complete(job), () -> refusal(Verb.COMPLETE, job.id()) == null));
            assertThat(won).containsExactlyInAnyOrder(true, false);
            assertThat(store().outcomes(job.id()))
                    .containsExactly(won.get(0) ? AttemptOutcome.SUCCEEDED : AttemptOutcome.SUPERSEDED);
            assertThat(store().history(job.id()).result())
                    .isEqualTo(new Json(won.get(0) ? "{\"by\":" + job.id() + "}" : "\"outside\""));
        }
    }

    @Test
    void anEndedJobIsDeletedWithAllItsRows() {
        ClaimedJob job = store().running(NewRow.job().payload("1").tags("a").maxAttempts(5));
        store().settle(job, Transition.FAIL);
        store().change(Verb.DELETE, job.id());
        assertThat(store().store().history(job.id())).isEmpty();
        assertThat(store().store().outcome(job.id())).isEmpty();
        assertThat(store().store()
                        .list(JobFilter.ALL.withTags(List.of("a")), Long.MAX_VALUE, 10)
                        .jobs())
                .isEmpty();
        assertThat(store().count(JobState.FAILED)).isZero();
        assertThat(refusal(Verb.DELETE, job.id())).isInstanceOf(JobNotFoundException.class);
    }

    @Test
    void aParentOfAnUnfinishedJobIsNotDeleted() {
        long parent = failed();
        long child = store().enqueue(NewRow.job().after(parent, ParentPolicy.RUN));
        assertThat(store().state(child)).isEqualTo(JobState.PENDING);
        assertThat(refusal(Verb.DELETE, parent))
                .isInstanceOf(TransitionRefusedException.class)
                .hasMessageContaining(Long.toString(child));
        store().complete(store().claimOne());
        store().change(Verb.DELETE, parent);
        assertThat(store().job(child).dependsOn()).isEmpty();
    }

    /** Failure class 18. */
    @Test
    void aCancelledChildIsNotStrandedByTheDeletionOfItsParent() {
        long parent = failed();
        long child = store().enqueue(NewRow.job().after(parent, ParentPolicy.WAIT));
        store().change(Verb.CANCEL, child);
        assertThat(refusal(Verb.DELETE, parent))
                .as("a retry of the child would wait for the parent for ever, or take it for completed")
                .isInstanceOf(TransitionRefusedException.class)
                .hasMessageContaining(Long.toString(child));
        store().change(Verb.RETRY, child);
        assertThat(store().state(child)).isEqualTo(JobState.BLOCKED);
        store().change(Verb.CANCEL, child);
        assertThat(store().change(Verb.DELETE, parent, child).count()).isEqualTo(2);
        assertThat(store().store().history(parent)).isEmpty();
        assertThat(store().store().history(child)).isEmpty();
    }

    @Test
    void aFilterChangesEachJobThatItCan() {
        long pending = store().enqueue(NewRow.job().tags("x"));
        ClaimedJob done = store().claimOne();
        store().complete(done);
        ClaimedJob running = store().running(NewRow.job().tags("x"));
        long scheduled = store().enqueue(NewRow.job().tags("x").delay(Duration.ofHours(1)));
        long untagged = store().enqueue(NewRow.job());
        Change change = Change.byFilter(Verb.CANCEL, JobFilter.ALL.withTags(List.of("x")), "operator")
                .build();
        ChangeResult result = StoreDriver.answer(ChangeByFilter.run(store().store(), change));
        assertThat(result).isEqualTo(new ChangeResult(2, List.of(running.id(), scheduled)));
        assertThat(store().state(pending)).isEqualTo(JobState.COMPLETED);
        assertThat(store().state(running.id())).isEqualTo(JobState.RUNNING);
        assertThat(store().events(running.id())).endsWith(EventKind.CANCEL_REQUESTED);
        assertThat(store().state(scheduled)).isEqualTo(JobState.CANCELLED);
        assertThat(store().state(untagged)).isEqualTo(JobState.PENDING);
    }

    @Test
    void aFilterChangesAllJobsAndReturnsAHundredIds() {
        List<Long> ids = store().enqueueAll(Collections.nCopies(2300, NewRow.job()));
        Change change = Change.byFilter(Verb.CANCEL, JobFilter.inState(JobState.PENDING), "operator")
                .build();
        ChangeResult result = StoreDriver.answer(ChangeByFilter.run(store().store(), change));
        assertThat(result.count()).isEqualTo(2300);
        assertThat(result.ids()).hasSize(100).isSubsetOf(ids).doesNotHaveDuplicates();
        assertThat(store().count(JobState.CANCELLED)).isEqualTo(2300);
    }

    @Test
    void aDryRunOnlyCounts() {
        List<Long> ids = store().enqueueAll(Collections.nCopies(3, NewRow.job()));
        Change byId = Change.byId(Verb.CANCEL, ids, "operator").dryRun(true).build();
        Change byFilter = Change.byFilter(Verb.CANCEL, JobFilter.ALL, "operator")
                .dryRun(true)
                .build();
        assertThat(StoreDriver.answer(ChangeByFilter.run(store().store(), byId)).count())
                .isEqualTo(3);
        assertThat(StoreDriver.answer(ChangeByFilter.run(store().store(), byFilter))
                        .count())
                .isEqualTo(3);
        assertThat(store().count(JobState.PENDING)).isEqualTo(3);
        assertThat(store().events(ids.get(0))).containsExactly(EventKind.ENQUEUED);
    }

    @Test
    void aDryRunCountsRunningJobsAndRequestsNoCancellation() {
        ClaimedJob job = store().running(NewRow.job());
        Change byId = Change.byId(Verb.CANCEL, List.of(job.id()), "operator")
                .dryRun(true)
                .build();
        Change byFilter = Change.byFilter(Verb.CANCEL, JobFilter.ALL, "operator")
                .dryRun(true)
                .build();
        assertThat(StoreDriver.answer(ChangeByFilter.run(store().store(), byId)))
                .isEqualTo(new ChangeResult(1, List.of(job.id())));
        assertThat(StoreDriver.answer(ChangeByFilter.run(store().store(), byFilter))
                        .count())
                .isEqualTo(1);
        assertThat(store().events(job.id())).containsExactly(EventKind.ENQUEUED, EventKind.CLAIMED);
        assertThat(store().settle(job, Transition.HAND_BACK)).isTrue();
        assertThat(store().state(job.id())).isEqualTo(JobState.PENDING);
    }

    // ---- requests to cancel running jobs ---------------------------------------------------------------------------

    @Test
    void aRunningJobWithACancelRequestRunsUntilItsHolderEndsIt() {
        ClaimedJob job = store().running(NewRow.job());
        assertThat(store().change(Verb.CANCEL, job.id())).isEqualTo(new ChangeResult(1, List.of(job.id())));
        JobHistory history = store().history(job.id());
        assertThat(history.job().state()).isEqualTo(JobState.RUNNING);
        assertThat(history.job().worker()).isEqualTo("w");
        assertThat(history.events()).last().satisfies(event -> {
            assertThat(event.event()).isEqualTo(EventKind.CANCEL_REQUESTED);
            assertThat(event.actor()).isEqualTo("operator");
            assertThat(event.at()).isEqualTo(time.now());
        });
        store().hints().awaitCancelRequest(job.leaseToken());
        assertThat(StoreDriver.answer(store().store().submit(new Renew(List.of(job.leaseToken()), 1000))))
                .as("it is still its holder's")
                .isEmpty();
        assertThat(store().settle(job, Transition.CANCEL_RUNNING)).isTrue();
        assertThat(store().state(job.id())).isEqualTo(JobState.CANCELLED);
        assertThat(store().outcomes(job.id())).containsExactly(AttemptOutcome.CANCELLED);
        assertThat(store().events(job.id())).endsWith(EventKind.CANCEL_REQUESTED, EventKind.CANCELLED);
    }

    @Test
    void requestingCancellationTwiceHasTheEffectOfOnce() {
        ClaimedJob job = store().running(NewRow.job());
        store().change(Verb.CANCEL, job.id());
        store().hints().awaitCancelRequest(job.leaseToken());
        store().hints().forget();
        assertThat(store().change(Verb.CANCEL, job.id(), job.id()).count()).isEqualTo(1);
        assertThat(store().events(job.id())).containsOnlyOnce(EventKind.CANCEL_REQUESTED);
        store().hints().awaitCancelRequest(job.leaseToken());
    }

    @Test
    void everyProcessIsNotifiedOfACancelRequestAndAgainOnRepetition() {
        StoreDriver other = open();
        ClaimedJob job = store().running(NewRow.job());
        store().change(Verb.CANCEL, job.id());
        other.hints().awaitCancelRequest(job.leaseToken());
        other.hints().forget();
        other.hints().awaitCancelRequest(job.leaseToken());
    }

    @Test
    void aCancelRequestEndsWithItsJobAndARetryHasNone() {
        ClaimedJob job = store().running(NewRow.job());
        store().change(Verb.CANCEL, job.id());
        store().settle(job, Transition.HAND_BACK);
        assertThat(store().state(job.id())).isEqualTo(JobState.CANCELLED);
        store().change(Verb.RETRY, job.id());
        ClaimedJob again = store().claimOne();
        assertThat(store().settle(again, Transition.HAND_BACK)).isTrue();
        assertThat(store().state(job.id())).isEqualTo(JobState.PENDING);
    }

    @Test
    void aJobWithACancelRequestCanBeEndedExternally() {
        ClaimedJob job = store().running(NewRow.job());
        store().change(Verb.CANCEL, job.id());
        store().change(Verb.COMPLETE, job.id());
        assertThat(store().state(job.id())).isEqualTo(JobState.COMPLETED);
        assertThat(store().settle(job, Transition.CANCEL_RUNNING)).isFalse();
    }

    @Test
    void aCompletionCountsBeforeAndAfterACancelRequest() {
        StoreDriver other = open();
        for (int round = 0; round < 40; round++) {
            ClaimedJob job = store().running(NewRow.job());
            StoreDriver second = round % 2 == 0 ? store() : other;
            List<Boolean> answers = together(List.of(
                    () -> store().complete(job),
                    () -> failure(ChangeByFilter.run(
                                    second.store(), StoreDriver.change(Verb.CANCEL, List.of(job.id()))))
                            == null));
            assertThat(answers.get(0)).isTrue();
            assertThat(store().state(job.id())).isEqualTo(JobState.COMPLETED);
            assertThat(store().events(job.id()).contains(EventKind.CANCEL_REQUESTED))
                    .as("asked, or refused because it had ended")
                    .isEqualTo(answers.get(1));
        }
    }

    @Test
    void aJobHandedBackDuringItsCancellationNeverRunsAgain() {
        StoreDriver other = open();
        for (int round = 0; round < 40; round++) {
            ClaimedJob job = store().running(NewRow.job());
            StoreDriver second = round % 2 == 0 ? store() : other;
            List<Boolean> answers = together(List.of(
                    () -> store().settle(job, Transition.HAND_BACK),
                    () -> second.change(Verb.CANCEL, job.id()).count() == 1));
            assertThat(answers).containsExactly(true, true);
            assertThat(store().state(job.id())).isEqualTo(JobState.CANCELLED);
            assertThat(store().events(job.id())).containsOnlyOnce(EventKind.CANCELLED);
            assertThat(store().outcomes(job.id())).hasSize(1);
        }
    }
}
