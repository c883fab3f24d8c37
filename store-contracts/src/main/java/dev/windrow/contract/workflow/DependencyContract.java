package dev.windrow.contract.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.Dedupe;
import dev.windrow.EventKind;
import dev.windrow.JobInfo;
import dev.windrow.JobNotFoundException;
import dev.windrow.JobState;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreContract;
import dev.windrow.contract.StoreDriver;
import dev.windrow.store.Transition;
import dev.windrow.store.job.Change.Verb;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.Enqueue;
import dev.windrow.testkit.ManualTime;
import dev.windrow.workflow.ParentOutcome;
import dev.windrow.workflow.ParentPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Jobs that wait for other jobs. */
public abstract class DependencyContract extends StoreContract {
    /** Creates the contract for a subclass. */
    protected DependencyContract() {}

    private ClaimedJob parent() {
        return store().running(NewRow.job());
    }

    private long child(ParentPolicy policy, ClaimedJob... parents) {
        NewRow row = NewRow.of("q", "child");
        for (ClaimedJob parent : parents) {
            row = row.after(parent.id(), policy);
        }
        return store().enqueue(row);
    }

    private List<ClaimedJob> claimChildren(int limit) {
        return store().claim(StoreDriver.request("w", Set.of("q"), Set.of("child"), limit))
                .jobs();
    }

    @Test
    void aDelayedChildWaitsForItsTimeBehindAJobOfAClockAhead() {
        time.stepWall(Duration.ofHours(1));
        store().enqueue(NewRow.of("q", "ahead"));
        time.stepWall(Duration.ofHours(-1));
        ClaimedJob parent = parent();
        long child = store().enqueue(NewRow.of("q", "child")
                .after(parent.id(), ParentPolicy.WAIT)
                .delay(Duration.ofMinutes(30)));
        store().complete(parent);
        assertThat(store().state(child)).isEqualTo(JobState.SCHEDULED);
        assertThat(store().job(child).scheduledAt()).isEqualTo(ManualTime.START.plus(Duration.ofMinutes(30)));
    }

    @Test
    void aChildWithoutADelayRunsAtOnceAlthoughAClockAheadEnqueuedIt() {
        ClaimedJob parent = parent();
        long retried = child(ParentPolicy.WAIT, parent);
        store().change(Verb.CANCEL, retried);
        long replaced = store().enqueue(NewRow.of("q", "child")
                .after(parent.id(), ParentPolicy.WAIT)
                .dedupe(Dedupe.key("k")));
        time.stepWall(Duration.ofHours(1));
        long enqueued = child(ParentPolicy.WAIT, parent);
        store().change(Verb.RETRY, retried);
        store().enqueue(NewRow.of("q", "child").dedupe(Dedupe.key("k").replace()));
        time.stepWall(Duration.ofHours(-1));
        store().complete(parent);
        assertThat(List.of(enqueued, retried, replaced))
                .allSatisfy(child -> assertThat(store().state(child)).isEqualTo(JobState.PENDING));
    }

    @Test
    void aChildWaitsForAllItsParents() {
        ClaimedJob first = parent();
        ClaimedJob second = parent();
        long child = child(ParentPolicy.WAIT, first, second);
        assertThat(store().state(child)).isEqualTo(JobState.BLOCKED);
        time.advance(Duration.ofSeconds(1));
        store().complete(first);
        assertThat(store().state(child)).isEqualTo(JobState.BLOCKED);
        time.advance(Duration.ofSeconds(1));
        store().hints().forget();
        store().complete(second);
        assertThat(store().state(child)).isEqualTo(JobState.PENDING);
        assertThat(store().job(child).scheduledAt()).isEqualTo(time.now());
        assertThat(store().events(child)).containsExactly(EventKind.ENQUEUED, EventKind.RELEASED);
        store().hints().awaitHint("q", "child");
        assertThat(claimChildren(5)).extracting(ClaimedJob::id).containsExactly(child);
    }

    @Test
    void aCompletedParentBlocksNoChild() {
        ClaimedJob parent = parent();
        store().complete(parent);
        assertThat(store().state(child(ParentPolicy.WAIT, parent))).isEqualTo(JobState.PENDING);
        assertThat(store().state(child(ParentPolicy.RUN, parent))).isEqualTo(JobState.PENDING);
    }

    @Test
    void aFailedParentBlocksChildrenThatWaitForItsSuccess() {
        ClaimedJob parent = parent();
        store().settle(parent, Transition.FAIL);
        long waits = child(ParentPolicy.WAIT, parent);
        long runs = child(ParentPolicy.RUN, parent);
        assertThat(store().state(waits)).isEqualTo(JobState.BLOCKED);
        assertThat(store().state(runs)).isEqualTo(JobState.PENDING);
    }

    @Test
    void aFailedParentReleasesChildrenWithPolicyRun() {
        ClaimedJob parent = parent();
        long waits = child(ParentPolicy.WAIT, parent);
        long runs = child(ParentPolicy.RUN, parent);
        store().settle(parent, Transition.FAIL);
        assertThat(store().state(waits)).isEqualTo(JobState.BLOCKED);
        assertThat(store().state(runs)).isEqualTo(JobState.PENDING);
    }

    @Test
    void aCancelledParentReleasesChildrenWithPolicyRun() {
        long parent = store().enqueue(NewRow.job());
        long waits = store().enqueue(NewRow.of("q", "child").after(parent, ParentPolicy.WAIT));
        long runs = store().enqueue(NewRow.of("q", "child").after(parent, ParentPolicy.RUN));
        store().change(Verb.CANCEL, parent);
        assertThat(store().state(waits)).isEqualTo(JobState.BLOCKED);
        assertThat(store().state(runs)).isEqualTo(JobState.PENDING);
    }

    @Test
    void aSuccessfulRetryOfAParentReleasesItsWaitingChildren() {
        ClaimedJob parent = parent();
        long waits = child(ParentPolicy.WAIT, parent);
        store().settle(parent, Transition.FAIL);
        store().change(Verb.RETRY, parent.id());
        assertThat(store().state(waits)).isEqualTo(JobState.BLOCKED);
        store().complete(store().claimOne());
        assertThat(store().state(waits)).isEqualTo(JobState.PENDING);
    }

    @Test
    void aSatisfiedEdgeNeverReopens() {
        ClaimedJob parent = parent();
        ClaimedJob other = parent();
        long child = child(ParentPolicy.RUN, parent, other);
        store().settle(parent, Transition.FAIL);
        store().change(Verb.RETRY, parent.id());
        ClaimedJob again = store().claimOne();
        store().settle(other, Transition.FAIL);
        assertThat(store().state(child)).isEqualTo(JobState.PENDING);
        store().complete(again);
        assertThat(store().state(child)).isEqualTo(JobState.PENDING);
        assertThat(store().events(child)).containsOnlyOnce(EventKind.RELEASED);
    }

    @Test
    void aParentThatEndsTwiceCountsOnce() {
        ClaimedJob parent = parent();
        ClaimedJob other = parent();
        long child = child(ParentPolicy.RUN, parent, other);
        store().settle(parent, Transition.FAIL);
        store().change(Verb.RETRY, parent.id());
        store().complete(store().claimOne());
        assertThat(store().state(child)).isEqualTo(JobState.BLOCKED);
        store().complete(other);
        assertThat(store().state(child)).isEqualTo(JobState.PENDING);
    }

    @Test
    void anAttemptThatDoesNotEndTheParentReleasesNoChild() {
        ClaimedJob parent = parent();
        long child = child(ParentPolicy.RUN, parent);
        store().settle(parent, Transition.RETRY_LATER);
        assertThat(store().state(child)).isEqualTo(JobState.BLOCKED);
        time.advance(Duration.ofMinutes(2));
        store().settle(store().claimOne(), Transition.HAND_BACK);
        assertThat(store().state(child)).isEqualTo(JobState.BLOCKED);
    }

    @Test
    void anExternallyEndedParentReleasesItsChildren() {
        ClaimedJob first = parent();
        ClaimedJob second = parent();
        long child = child(ParentPolicy.WAIT, first, second);
        store().change(Verb.COMPLETE, first.id(), second.id());
        assertThat(store().state(child)).isEqualTo(JobState.PENDING);
        ClaimedJob third = parent();
        long runs = child(ParentPolicy.RUN, third);
        store().change(Verb.FAIL, third.id());
        assertThat(store().state(runs)).isEqualTo(JobState.PENDING);
    }

    @Test
    void aDelayedChildIsScheduledWhenItsParentsAreDone() {
        ClaimedJob parent = parent();
        long child = store().enqueue(
                        NewRow.of("q", "child").delay(Duration.ofMinutes(10)).after(parent.id(), ParentPolicy.WAIT));
        assertThat(store().state(child)).isEqualTo(JobState.BLOCKED);
        time.advance(Duration.ofMinutes(1));
        store().complete(parent);
        assertThat(store().state(child)).isEqualTo(JobState.SCHEDULED);
        assertThat(claimChildren(1)).isEmpty();
        time.advance(Duration.ofMinutes(9));
        assertThat(claimChildren(1)).extracting(ClaimedJob::id).containsExactly(child);
    }

    @Test
    void aCancelledChildStaysCancelledAndItsRetryWaitsForOpenParents() {
        ClaimedJob first = parent();
        ClaimedJob second = parent();
        long child = child(ParentPolicy.WAIT, first, second);
        store().change(Verb.CANCEL, child);
        store().complete(first);
        assertThat(store().state(child)).isEqualTo(JobState.CANCELLED);
        store().change(Verb.RETRY, child);
        assertThat(store().state(child)).isEqualTo(JobState.BLOCKED);
        store().change(Verb.CANCEL, child);
        store().complete(second);
        assertThat(store().state(child)).isEqualTo(JobState.CANCELLED);
        store().change(Verb.RETRY, child);
        assertThat(store().state(child)).isEqualTo(JobState.PENDING);
    }

    /** Failure class 18. */
    @Test
    void aMissingParentNeverCountsAsCompleted() {
        long gone = store().enqueue(NewRow.job());
        store().change(Verb.CANCEL, gone);
        store().change(Verb.DELETE, gone);
        assertThat(failure(store().store()
                        .submit(new Enqueue(List.of(
                                NewRow.job().after(gone, ParentPolicy.RUN).row())))))
                .isInstanceOf(JobNotFoundException.class)
                .hasMessageContaining(Long.toString(gone));
    }

    @Test
    void theParentsAreListedInDeclaredOrder() {
        List<ClaimedJob> parents = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            parents.add(parent());
        }
        Collections.reverse(parents);
        long child = store().enqueue(NewRow.of("q", "child")
                .after(parents.get(0).id(), ParentPolicy.WAIT)
                .after(parents.get(1).id(), ParentPolicy.RUN)
                .after(parents.get(2).id(), ParentPolicy.WAIT));
        store().complete(parents.get(0));
        store().settle(parents.get(1), Transition.FAIL);
        assertThat(store().job(child).dependsOn())
                .containsExactly(
                        new JobInfo.Dependency(parents.get(0).id(), JobState.COMPLETED, ParentPolicy.WAIT),
                        new JobInfo.Dependency(parents.get(1).id(), JobState.FAILED, ParentPolicy.RUN),
                        new JobInfo.Dependency(parents.get(2).id(), JobState.RUNNING, ParentPolicy.WAIT));
        assertThat(store().store().parents(child))
                .extracting(ParentOutcome::id, ParentOutcome::state, ParentOutcome::errorCode)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple(parents.get(0).id(), JobState.COMPLETED, null),
                        org.assertj.core.groups.Tuple.tuple(parents.get(1).id(), JobState.FAILED, "TEST:FAILED"),
                        org.assertj.core.groups.Tuple.tuple(parents.get(2).id(), JobState.RUNNING, null));
        assertThat(store().job(parents.get(2).id()).dependents())
                .containsExactly(new JobInfo.Dependency(child, JobState.BLOCKED, ParentPolicy.WAIT));
    }

    @Test
    void aChildOfTwoThousandParentsIsReleasedByTheLast() {
        List<Long> ids = store().enqueueAll(Collections.nCopies(2000, NewRow.job()));
        long child = store().enqueue(NewRow.of("q", "child").afterAll(ids, ParentPolicy.WAIT));
        for (int part = 0; part < 2; part++) {
            assertThat(store().state(child)).isEqualTo(JobState.BLOCKED);
            List<CompletableFuture<Boolean>> settled = new ArrayList<>();
            for (ClaimedJob job : store().claim(1000)) {
                settled.add(store().store().submit(store().settlement(job, Transition.COMPLETE)));
            }
            settled.forEach(future -> assertThat(StoreDriver.answer(future)).isTrue());
        }
        assertThat(store().state(child)).isEqualTo(JobState.PENDING);
        assertThat(store().job(child).dependsOn()).hasSize(2000);
    }

    @Test
    void fiveHundredChildrenAreReleasedByOneParent() {
        ClaimedJob parent = parent();
        store().enqueueAll(Collections.nCopies(500, NewRow.of("q", "child").after(parent.id(), ParentPolicy.WAIT)));
        assertThat(store().count(JobState.BLOCKED)).isEqualTo(500);
        store().complete(parent);
        assertThat(store().count(JobState.BLOCKED)).isZero();
        assertThat(claimChildren(1000)).hasSize(500);
    }

    @Test
    void twoParentsSettledAtOnceNeverLeaveTheirChildBlocked() {
        StoreDriver other = open();
        for (int round = 0; round < 60; round++) {
            ClaimedJob first = parent();
            ClaimedJob second = parent();
            long child = child(ParentPolicy.WAIT, first, second);
            StoreDriver driver = round % 2 == 0 ? store() : other;
            assertThat(together(List.of(() -> store().complete(first), () -> driver.complete(second))))
                    .containsExactly(true, true);
            assertThat(store().state(child)).isEqualTo(JobState.PENDING);
        }
    }

    @Test
    void aChildEnqueuedWhileItsParentEndsIsNeverLeftBlocked() {
        StoreDriver other = open();
        for (int round = 0; round < 60; round++) {
            ClaimedJob parent = parent();
            StoreDriver driver = round % 2 == 0 ? store() : other;
            List<Callable<Long>> race =
                    List.of(() -> driver.enqueue(NewRow.of("q", "child").after(parent.id(), ParentPolicy.WAIT)), () -> {
                        store().complete(parent);
                        return 0L;
                    });
            assertThat(store().state(together(race).get(0))).isEqualTo(JobState.PENDING);
        }
    }

    @Test
    void aWorkflowRunsInTheOrderOfItsEdges() {
        List<Long> layer = store().enqueueAll(NewRow.job(), NewRow.job(), NewRow.job());
        List<List<Long>> layers = new ArrayList<>(List.of(layer));
        for (int depth = 1; depth < 5; depth++) {
            layer = store().enqueueAll(Collections.nCopies(3, NewRow.job().afterAll(layer, ParentPolicy.WAIT)));
            layers.add(layer);
        }
        for (List<Long> expected : layers) {
            List<ClaimedJob> jobs = store().claim(100);
            assertThat(jobs).extracting(ClaimedJob::id).containsExactlyInAnyOrderElementsOf(expected);
            jobs.forEach(store()::complete);
        }
        assertThat(store().count(JobState.COMPLETED)).isEqualTo(15);
    }

    @Test
    void theChildrenOfOneParentAreReleasedInOrderOfPriority() {
        ClaimedJob parent = parent();
        List<Long> ids = new ArrayList<>();
        for (int priority : new int[] {0, 5, -3, 9, 5}) {
            ids.add(store().enqueue(NewRow.of("q", "child").priority(priority).after(parent.id(), ParentPolicy.WAIT)));
        }
        store().complete(parent);
        assertThat(claimChildren(10))
                .extracting(ClaimedJob::id)
                .containsExactly(ids.get(3), ids.get(1), ids.get(4), ids.get(0), ids.get(2));
    }
}
