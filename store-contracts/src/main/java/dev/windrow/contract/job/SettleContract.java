package dev.windrow.contract.job;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.windrow.AttemptOutcome;
import dev.windrow.EventKind;
import dev.windrow.JobHistory;
import dev.windrow.JobInfo;
import dev.windrow.JobState;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreContract;
import dev.windrow.contract.StoreDriver;
import dev.windrow.monitor.Tracing;
import dev.windrow.payload.Json;
import dev.windrow.store.Transition;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.Enqueue;
import dev.windrow.store.job.EnqueuedJob;
import dev.windrow.store.job.Settle;
import dev.windrow.store.job.Started;
import dev.windrow.testkit.ManualTime;
import dev.windrow.workflow.ParentPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The commands started and settle. */
public abstract class SettleContract extends StoreContract {
    /** Creates the contract for a subclass. */
    protected SettleContract() {}

    @Test
    void aSuccessLeavesOneAttemptAndFourEvents() {
        ClaimedJob job = store().running(NewRow.job());
        time.advance(Duration.ofMillis(250));
        assertThat(store().complete(job)).isTrue();
        JobHistory history = store().history(job.id());
        assertThat(history.job().state()).isEqualTo(JobState.COMPLETED);
        assertThat(history.job().attempt()).isEqualTo(1);
        assertThat(history.job().finishedAt()).isEqualTo(time.now());
        assertThat(history.job().startedAt()).isEqualTo(ManualTime.START);
        assertThat(history.job().worker()).isNull();
        assertThat(history.result()).isEqualTo(new Json("{\"by\":" + job.id() + "}"));
        assertThat(history.attempts()).hasSize(1);
        assertThat(history.attempts().get(0))
                .extracting(
                        JobHistory.Attempt::attempt,
                        JobHistory.Attempt::token,
                        JobHistory.Attempt::worker,
                        JobHistory.Attempt::outcome,
                        JobHistory.Attempt::errorCode,
                        JobHistory.Attempt::errorDetail,
                        JobHistory.Attempt::startedAt,
                        JobHistory.Attempt::finishedAt,
                        JobHistory.Attempt::output,
                        JobHistory.Attempt::stackTrace)
                .containsExactly(
                        1, 1L, "w", AttemptOutcome.SUCCEEDED, null, null, ManualTime.START, time.now(), null, null);
        assertThat(store().events(job.id()))
                .containsExactly(EventKind.ENQUEUED, EventKind.CLAIMED, EventKind.STARTED, EventKind.SUCCEEDED);
        store().hints().awaitEnded(job.id(), JobState.COMPLETED);
    }

    @Test
    void equalCompletionsThatShareACommitAreAppliedExceptThoseOfLostJobs() {
        store().enqueueAll(Collections.nCopies(60, NewRow.job()));
        List<ClaimedJob> jobs = store().claim(60);
        assertThat(jobs).hasSize(60);
        long outside = jobs.get(20).id();
        long cancelled = jobs.get(30).id();
        store().change(Change.Verb.COMPLETE, outside);
        store().change(Change.Verb.CANCEL, cancelled);

        // While the store writes these, the settlements gather in its queue, and share a commit.
        CompletableFuture<List<EnqueuedJob>> others = store().store()
                .submit(new Enqueue(
                        Collections.nCopies(3000, NewRow.of("q", "other").row())));
        List<CompletableFuture<Boolean>> answers = new ArrayList<>();
        for (ClaimedJob job : jobs) {
            answers.add(store().store().submit(withoutResult(job)));
        }
        answers.add(store().store().submit(withoutResult(jobs.get(40))));
        List<Boolean> applied = answers.stream().map(CompletableFuture::join).toList();

        for (int i = 0; i < 60; i++) {
            assertThat(applied.get(i)).as("job %d of 60", i).isEqualTo(i != 20);
        }
        assertThat(applied.get(60)).as("the second settlement of one attempt").isFalse();
        assertThat(others.join()).hasSize(3000);
        assertThat(store().count(JobState.COMPLETED)).isEqualTo(60);
        assertThat(store().count(JobState.RUNNING)).isZero();
        for (ClaimedJob job : jobs) {
            assertThat(store().events(job.id())).containsOnlyOnce(EventKind.SUCCEEDED);
            assertThat(store().history(job.id()).attempts()).hasSize(1);
        }
    }

    /** With a result, its row would show a second completion. */
    private Settle withoutResult(ClaimedJob job) {
        return Settle.of(job, "w", Transition.COMPLETE, AttemptOutcome.SUCCEEDED, time.millis())
                .startedAtMillis(job.claimedAtMillis())
                .build();
    }

    @Test
    void theStartIsLoggedOnceInItsOwnOrTheSettlementsCommit() {
        List<Long> ids = new ArrayList<>();
        for (int round = 0; round < 100; round++) {
            ClaimedJob job = store().running(NewRow.job());
            if (round % 2 == 0) {
                store().start(job);
                assertThat(store().job(job.id()).startedAt()).isEqualTo(time.now());
                assertThat(store().settle(job, Transition.COMPLETE)).isTrue();
            } else {
                assertThat(store().complete(job)).isTrue();
            }
            ids.add(job.id());
        }
        assertThat(ids)
                .allSatisfy(id -> assertThat(store().events(id))
                        .containsExactly(
                                EventKind.ENQUEUED, EventKind.CLAIMED, EventKind.STARTED, EventKind.SUCCEEDED));
    }

    @Test
    void theStartOfALostHolderLeavesNoTrace() {
        ClaimedJob lost = store().running(NewRow.job());
        store().settle(lost, Transition.HAND_BACK);
        store().claimOne();
        JobHistory before = store().history(lost.id());
        store().start(lost);
        assertThat(store().complete(lost)).isFalse();
        assertThat(store().history(lost.id())).isEqualTo(before);
    }

    @Test
    void anAttemptThatNeverStartedHasNoStart() {
        ClaimedJob job = store().running(NewRow.job());
        Settle settlement = Settle.of(job, "w", Transition.FAIL, AttemptOutcome.FAILED, time.millis())
                .error("INVALID_INPUT:PAYLOAD", null)
                .build();
        assertThat(StoreDriver.answer(store().store().submit(settlement))).isTrue();
        assertThat(store().history(job.id()).attempts())
                .singleElement()
                .satisfies(attempt -> assertThat(attempt.startedAt()).isNull());
        assertThat(store().events(job.id())).containsExactly(EventKind.ENQUEUED, EventKind.CLAIMED, EventKind.FAILED);
    }

    private static Settle traced(Settle s, String traceparent) {
        return Settle.of(s.job(), s.worker(), s.transition(), s.outcome(), s.finishedAtMillis())
                .error(s.errorCode(), s.errorDetail())
                .startedAtMillis(s.startedAtMillis())
                .result(s.result())
                .stackTrace(s.stackTrace())
                .output(s.output())
                .nextRunAtMillis(s.nextRunAtMillis())
                .next(s.next())
                .awaits(s.awaits())
                .traceparent(traceparent)
                .build();
    }

    @Test
    void anAttemptIsLinkedToThePreviousOneAndToItsParentsLastAttempts() {
        ClaimedJob parent = store().running(NewRow.job());
        long untraced = store().enqueue(NewRow.job());
        long child = store().enqueue(
                        NewRow.job().after(parent.id(), ParentPolicy.WAIT).after(untraced, ParentPolicy.WAIT));
        assertThat(store().store().links(child)).isEmpty();
        assertThat(StoreDriver.answer(
                        store().store().submit(traced(store().settlement(parent, Transition.RETRY_LATER), "00-first"))))
                .isTrue();
        assertThat(store().store().links(parent.id()))
                .containsExactly(new Tracing.Link(Tracing.Link.Kind.ATTEMPT, parent.id(), "00-first"));
        assertThat(store().complete(store().claimOne())).isTrue();
        time.advance(Duration.ofHours(1));
        ClaimedJob again = store().claimOne();
        assertThat(again.id()).isEqualTo(parent.id());
        assertThat(StoreDriver.answer(
                        store().store().submit(traced(store().settlement(again, Transition.COMPLETE), "00-second"))))
                .isTrue();
        assertThat(store().store().links(child))
                .containsExactly(new Tracing.Link(Tracing.Link.Kind.PARENT, parent.id(), "00-second"));
        assertThat(StoreDriver.answer(store().store()
                        .submit(traced(store().settlement(store().claimOne(), Transition.RETRY_LATER), "00-third"))))
                .isTrue();
        assertThat(store().store().links(child))
                .containsExactly(
                        new Tracing.Link(Tracing.Link.Kind.ATTEMPT, child, "00-third"),
                        new Tracing.Link(Tracing.Link.Kind.PARENT, parent.id(), "00-second"));
        assertThat(store().store().links(4711)).isEmpty();
    }

    /** Failure class 2. */
    @Test
    void aZombieNeverSettlesALaterAttempt() {
        ClaimedJob zombie = store().running(NewRow.job());
        store().settle(zombie, Transition.HAND_BACK);
        ClaimedJob holder = store().claimOne();
        JobHistory before = store().history(zombie.id());
        for (Transition transition : Transition.values()) {
            if (transition.guard() == Transition.Guard.HOLDER) {
                assertThat(store().settle(zombie, transition)).isFalse();
            }
        }
        assertThat(store().history(zombie.id())).isEqualTo(before);
        assertThat(store().hints().ended(zombie.id())).isEmpty();
        assertThat(store().settle(holder, Transition.COMPLETE)).isTrue();
    }

    @Test
    void anAttemptIsSettledOnce() {
        ClaimedJob job = store().running(NewRow.job());
        assertThat(store().settle(job, Transition.COMPLETE)).isTrue();
        JobHistory before = store().history(job.id());
        assertThat(store().settle(job, Transition.COMPLETE)).isFalse();
        assertThat(store().settle(job, Transition.FAIL)).isFalse();
        assertThat(store().history(job.id())).isEqualTo(before);
    }

    @Test
    void exactlyOneOfTwoSettlementsOfAnAttemptWins() {
        StoreDriver other = open();
        for (int round = 0; round < 60; round++) {
            ClaimedJob job = store().running(NewRow.job());
            StoreDriver second = round % 2 == 0 ? store() : other;
            List<Boolean> won = together(
                    List.of(() -> store().settle(job, Transition.COMPLETE), () -> second.settle(job, Transition.FAIL)));
            assertThat(won).containsExactlyInAnyOrder(true, false);
            assertThat(store().state(job.id())).isEqualTo(won.get(0) ? JobState.COMPLETED : JobState.FAILED);
            assertThat(store().history(job.id()).attempts()).hasSize(1);
        }
    }

    @Test
    void aSettlementNeedsTheTokenBesidesTheId() {
        long id = store().enqueue(NewRow.job());
        ClaimedJob job = store().claimOne();
        store().settle(job, Transition.HAND_BACK);
        JobHistory before = store().history(id);
        assertThat(store().settle(job, Transition.COMPLETE)).isFalse();
        assertThat(store().history(id)).isEqualTo(before);
    }

    @Test
    void aFailureIsStoredWithItsCodeDetailAndStackTrace() {
        ClaimedJob job = store().running(NewRow.job());
        assertThat(store().settle(job, Transition.FAIL)).isTrue();
        JobHistory history = store().history(job.id());
        assertThat(history.job().state()).isEqualTo(JobState.FAILED);
        assertThat(history.job().errorCode()).isEqualTo("TEST:FAILED");
        assertThat(history.job().errorDetail()).isEqualTo("it failed");
        assertThat(history.attempts()).singleElement().satisfies(attempt -> {
            assertThat(attempt.outcome()).isEqualTo(AttemptOutcome.FAILED);
            assertThat(attempt.errorCode()).isEqualTo("TEST:FAILED");
            assertThat(attempt.errorDetail()).isEqualTo("it failed");
            assertThat(attempt.stackTrace()).isEqualTo("at line 1");
        });
        store().hints().awaitEnded(job.id(), JobState.FAILED);
    }

    @Test
    void aFailureWithAnAttemptLeftIsScheduledAgain() {
        ClaimedJob job = store().running(NewRow.job());
        assertThat(store().settle(job, Transition.RETRY_LATER)).isTrue();
        JobInfo snapshot = store().job(job.id());
        assertThat(snapshot.state()).isEqualTo(JobState.SCHEDULED);
        assertThat(snapshot.attempt()).isEqualTo(1);
        assertThat(snapshot.errorCode()).isEqualTo("TEST:FAILED");
        assertThat(snapshot.scheduledAt()).isEqualTo(time.now().plusSeconds(60));
        assertThat(snapshot.finishedAt()).isNull();
        time.advance(Duration.ofSeconds(60));
        ClaimedJob again = store().claimOne();
        assertThat(again.used()).isEqualTo(1);
        assertThat(store().complete(again)).isTrue();
        assertThat(store().job(job.id()).errorCode()).isNull();
        assertThat(store().history(job.id()).attempts())
                .extracting(JobHistory.Attempt::attempt, JobHistory.Attempt::token, JobHistory.Attempt::outcome)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple(1, 1L, AttemptOutcome.FAILED),
                        org.assertj.core.groups.Tuple.tuple(2, 2L, AttemptOutcome.SUCCEEDED));
    }

    @Test
    void snoozeHandBackAndParkCountNoAttempt() {
        ClaimedJob job = store().running(NewRow.job());
        store().settle(job, Transition.SNOOZE);
        assertThat(store().job(job.id()).attempt()).isZero();
        time.advance(Duration.ofSeconds(60));
        store().settle(store().claimOne(), Transition.HAND_BACK);
        assertThat(store().job(job.id()).attempt()).isZero();
        store().settle(store().claimOne(), Transition.PARK);
        assertThat(store().job(job.id()).attempt()).isZero();
        assertThat(store().state(job.id())).isEqualTo(JobState.BLOCKED);
        assertThat(store().history(job.id()).attempts())
                .extracting(JobHistory.Attempt::attempt)
                .containsExactly(1, 1, 1);
        assertThat(store().outcomes(job.id()))
                .containsExactly(AttemptOutcome.SNOOZED, AttemptOutcome.RELEASED, AttemptOutcome.PARKED);
    }

    @Test
    void aJobHandedBackKeepsItsOrder() {
        List<Long> ids = store().enqueueAll(NewRow.job(), NewRow.job());
        ClaimedJob first = store().claimOne();
        time.advance(Duration.ofSeconds(5));
        store().settle(first, Transition.HAND_BACK);
        assertThat(store().claim(10)).extracting(ClaimedJob::id).isEqualTo(ids);
    }

    @Test
    void aCancelledAttemptEndsItsJob() {
        ClaimedJob job = store().running(NewRow.job());
        assertThat(store().settle(job, Transition.CANCEL_RUNNING)).isTrue();
        assertThat(store().state(job.id())).isEqualTo(JobState.CANCELLED);
        assertThat(store().outcomes(job.id())).containsExactly(AttemptOutcome.CANCELLED);
        assertThat(store().events(job.id())).endsWith(EventKind.CANCELLED);
        store().hints().awaitEnded(job.id(), JobState.CANCELLED);
    }

    @Test
    void aJobWithACancelRequestIsCancelledByItsSettlement() {
        for (Transition transition : Transition.values()) {
            if (transition.guard() != Transition.Guard.HOLDER) {
                continue;
            }
            ClaimedJob job = store().running(NewRow.job());
            long child = store().enqueue(NewRow.of("q", "child").after(job.id(), ParentPolicy.RUN));
            store().start(job);
            store().change(Change.Verb.CANCEL, job.id());
            assertThat(store().settle(job, transition)).as("%s", transition).isTrue();
            JobState to = requireNonNull(transition.to());
            JobState state = to.isFinished() ? to : JobState.CANCELLED;
            JobHistory history = store().history(job.id());
            assertThat(history.job().state()).as("after %s", transition).isEqualTo(state);
            assertThat(history.job().finishedAt()).isEqualTo(time.now());
            assertThat(history.job().worker()).isNull();
            EventKind event = to.isFinished() ? requireNonNull(transition.event()) : EventKind.CANCELLED;
            assertThat(store().events(job.id()))
                    .containsExactly(
                            EventKind.ENQUEUED,
                            EventKind.CLAIMED,
                            EventKind.STARTED,
                            EventKind.CANCEL_REQUESTED,
                            event);
            assertThat(store().state(child)).as("the child of %s", transition).isEqualTo(JobState.PENDING);
            store().hints().awaitEnded(job.id(), state);
            JobHistory before = store().history(job.id());
            assertThat(store().settle(job, transition)).isFalse();
            assertThat(store().history(job.id())).isEqualTo(before);
        }
        time.advance(Duration.ofHours(1));
        assertThat(store().claim(10)).isEmpty();
    }

    @Test
    void anAttemptThatFailedBeforeTheCancellationKeepsItsError() {
        ClaimedJob failed = store().running(NewRow.job());
        store().change(Change.Verb.CANCEL, failed.id());
        store().settle(failed, Transition.RETRY_LATER);
        JobHistory history = store().history(failed.id());
        assertThat(history.job().errorCode()).isEqualTo("TEST:FAILED");
        assertThat(history.attempts()).singleElement().satisfies(attempt -> {
            assertThat(attempt.outcome()).isEqualTo(AttemptOutcome.FAILED);
            assertThat(attempt.errorCode()).isEqualTo("TEST:FAILED");
            assertThat(attempt.stackTrace()).isEqualTo("at line 1");
        });
        assertThat(history.events())
                .last()
                .extracting(JobHistory.Event::detail)
                .as("it is due no more")
                .isEqualTo(new Json("{\"code\":\"TEST:FAILED\"}"));
        for (Transition transition : List.of(Transition.SNOOZE, Transition.HAND_BACK, Transition.PARK)) {
            ClaimedJob job = store().running(NewRow.job());
            store().change(Change.Verb.CANCEL, job.id());
            store().settle(job, transition);
            assertThat(store().outcomes(job.id())).containsExactly(AttemptOutcome.CANCELLED);
        }
    }

    @Test
    void theEventOfAFailureNamesAttemptRunDelayAndCode() {
        ClaimedJob job = store().running(NewRow.job());
        store().settle(job, Transition.RETRY_LATER);
        String due = store().job(job.id()).scheduledAt().toString();
        assertThat(lastEvent(job.id()))
                .isEqualTo(new JobHistory.Event(
                        time.now(),
                        EventKind.RETRY_SCHEDULED,
                        "w",
                        new Json("{\"attempt\":1,\"run\":1,\"delay\":60000,\"code\":\"TEST:FAILED\",\"due\":\"%s\"}"
                                .formatted(due.replace("Z", ".000Z")))));
        time.advance(Duration.ofMinutes(2));
        store().settle(store().claimOne(), Transition.FAIL);
        assertThat(lastEvent(job.id()))
                .isEqualTo(new JobHistory.Event(
                        time.now(),
                        EventKind.FAILED,
                        "w",
                        new Json("{\"attempt\":2,\"run\":1,\"code\":\"TEST:FAILED\"}")));
        store().change(Change.Verb.RETRY, job.id());
        store().settle(store().claimOne(), Transition.FAIL);
        assertThat(lastEvent(job.id()).detail())
                .isEqualTo(new Json("{\"attempt\":1,\"run\":2,\"code\":\"TEST:FAILED\"}"));
    }

    @Test
    void theEventOfASnoozeNamesNoDelay() {
        ClaimedJob job = store().running(NewRow.job());
        store().settle(job, Transition.SNOOZE);
        JobHistory.Event event = lastEvent(job.id());
        assertThat(event.event()).isEqualTo(EventKind.SNOOZED);
        assertThat(String.valueOf(event.detail())).contains("due").doesNotContain("delay", "attempt");
    }

    private JobHistory.Event lastEvent(long job) {
        List<JobHistory.Event> events = store().history(job).events();
        return events.get(events.size() - 1);
    }

    @Test
    void onlySettlementsOfJobsWithCancelRequestsAreChanged() {
        store().enqueueAll(Collections.nCopies(90, NewRow.job()));
        List<ClaimedJob> jobs = store().claim(90);
        ClaimedJob gone = jobs.get(0);
        store().change(Change.Verb.FAIL, gone.id());
        for (int i = 3; i < jobs.size(); i += 3) {
            store().change(Change.Verb.CANCEL, jobs.get(i).id());
        }
        List<CompletableFuture<Boolean>> answers = new ArrayList<>();
        for (int i = 0; i < jobs.size(); i++) {
            Transition transition = i % 2 == 0 ? Transition.HAND_BACK : Transition.RETRY_LATER;
            answers.add(store().store().submit(store().settlement(jobs.get(i), transition)));
        }
        for (int i = 0; i < jobs.size(); i++) {
            assertThat(StoreDriver.answer(answers.get(i))).isEqualTo(i != 0);
            JobState expected = i == 0
                    ? JobState.FAILED
                    : i % 3 == 0 ? JobState.CANCELLED : i % 2 == 0 ? JobState.PENDING : JobState.SCHEDULED;
            assertThat(store().state(jobs.get(i).id())).isEqualTo(expected);
        }
    }

    @Test
    void theOutputOfAnAttemptIsStored() {
        ClaimedJob job = store().running(NewRow.job());
        String output = "line\n".repeat(5000);
        Settle settlement = Settle.of(job, "w", Transition.COMPLETE, AttemptOutcome.SUCCEEDED, time.millis())
                .startedAtMillis(time.millis())
                .output(output)
                .build();
        assertThat(StoreDriver.answer(store().store().submit(settlement))).isTrue();
        assertThat(store().history(job.id()).attempts().get(0).output()).isEqualTo(output);
        assertThat(store().history(job.id()).result()).isNull();
    }

    @Test
    void eachOfManySettlementsInOneCommitIsAnswered() {
        store().enqueueAll(Collections.nCopies(500, NewRow.job()));
        List<ClaimedJob> jobs = store().claim(500);
        store().change(Change.Verb.COMPLETE, jobs.get(100).id(), jobs.get(200).id());
        List<CompletableFuture<Boolean>> answers = new ArrayList<>();
        for (int i = 0; i < jobs.size(); i++) {
            ClaimedJob job = jobs.get(i);
            store().started(new Started(job.leaseToken(), "w", time.millis()));
            Transition transition = i % 5 == 0 ? Transition.RETRY_LATER : Transition.COMPLETE;
            answers.add(store().store().submit(store().settlement(job, transition)));
        }
        for (int i = 0; i < jobs.size(); i++) {
            assertThat(StoreDriver.answer(answers.get(i))).isEqualTo(i != 100 && i != 200);
        }
        assertThat(store().count(JobState.COMPLETED)).isEqualTo(402);
        assertThat(store().count(JobState.SCHEDULED)).isEqualTo(98);
        assertThat(store().outcomes(jobs.get(100).id())).containsExactly(AttemptOutcome.SUPERSEDED);
    }

    @Test
    void onlyTheTransitionsOfTheHolderCanSettle() {
        ClaimedJob job = store().running(NewRow.job());
        for (Transition transition : Transition.values()) {
            if (transition.guard() != Transition.Guard.HOLDER) {
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> Settle.of(job, "w", transition, AttemptOutcome.SUCCEEDED, 0)
                                .build());
            }
        }
    }
}
