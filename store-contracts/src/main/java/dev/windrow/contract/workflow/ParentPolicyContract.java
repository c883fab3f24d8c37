package dev.windrow.contract.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.AttemptOutcome;
import dev.windrow.Dedupe;
import dev.windrow.EventKind;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobHistory;
import dev.windrow.JobState;
import dev.windrow.TransitionRefusedException;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreContract;
import dev.windrow.contract.StoreDriver;
import dev.windrow.monitor.AuditEntry;
import dev.windrow.payload.Json;
import dev.windrow.query.JobFilter;
import dev.windrow.store.Transition;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.Change.Verb;
import dev.windrow.store.job.ChangeByFilter;
import dev.windrow.store.job.ChangeResult;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.Enqueue;
import dev.windrow.store.job.Suspect;
import dev.windrow.store.job.Touch;
import dev.windrow.store.limit.KeyLimits;
import dev.windrow.workflow.ParentPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The effects of the end of a parent on the jobs that wait for it, by their policies: at once, in batches, and when the parent is retried. */
public abstract class ParentPolicyContract extends StoreContract {
    /** Creates the contract for a subclass. */
    protected ParentPolicyContract() {}

    /** A way in which a parent ends. */
    enum End {
        /** Its handler returned. */
        COMPLETE(JobState.COMPLETED),
        /** Its handler failed for the last time. */
        FAIL(JobState.FAILED),
        /** Its worker died with the last attempt. */
        CRASH(JobState.FAILED),
        /** It is cancelled while it runs. */
        CANCEL_RUNNING(JobState.CANCELLED),
        /** It is cancelled before it runs. */
        CANCEL(JobState.CANCELLED),
        /** It is completed from outside. */
        COMPLETE_EXTERNALLY(JobState.COMPLETED),
        /** It is failed from outside. */
        FAIL_EXTERNALLY(JobState.FAILED);

        private final JobState state;

        End(JobState state) {
            this.state = state;
        }
    }

    private static NewRow child() {
        return NewRow.of("q", "child");
    }

    private long after(ParentPolicy policy, Long... parents) {
        return store().enqueue(child().afterAll(Arrays.asList(parents), policy));
    }

    private List<ClaimedJob> claimChildren(int limit) {
        return store().claim(StoreDriver.request("w", Set.of("q"), Set.of("child"), limit))
                .jobs();
    }

    private void end(long parent, End end) {
        switch (end) {
            case COMPLETE -> store().complete(store().claimOne());
            case FAIL -> store().settle(store().claimOne(), Transition.FAIL);
            case CANCEL_RUNNING -> store().settle(store().claimOne(), Transition.CANCEL_RUNNING);
            case CRASH -> {
                store().start(store().claimOne());
                time.advance(StoreDriver.LEASE.plusMillis(1));
                Suspect suspect = store().suspects().get(0);
                assertThat(store().reclaim(suspect, Transition.FAIL, AttemptOutcome.RECOVERED))
                        .isTrue();
            }
            case CANCEL -> store().change(Verb.CANCEL, parent);
            case COMPLETE_EXTERNALLY -> store().change(Verb.COMPLETE, parent);
            case FAIL_EXTERNALLY -> store().change(Verb.FAIL, parent);
        }
        assertThat(store().state(parent)).isEqualTo(end.state);
    }

    private ChangeResult retry(boolean withDependents, boolean dryRun, Long... ids) {
        return StoreDriver.answer(ChangeByFilter.run(
                store().store(),
                Change.byId(Verb.RETRY, List.of(ids), "operator")
                        .dryRun(dryRun)
                        .withDependents(withDependents)
                        .build()));
    }

    private ChangeResult retryAll(JobFilter filter, boolean dryRun) {
        return StoreDriver.answer(ChangeByFilter.run(
                store().store(),
                Change.byFilter(Verb.RETRY, filter, "operator")
                        .dryRun(dryRun)
                        .withDependents(true)
                        .build()));
    }

    private void complete(long id) {
        ClaimedJob job = store().claimOne();
        assertThat(job.id()).isEqualTo(id);
        assertThat(store().complete(job)).isTrue();
    }

    private void failed(long id) {
        ClaimedJob job = store().claimOne();
        assertThat(job.id()).isEqualTo(id);
        assertThat(store().settle(job, Transition.FAIL)).isTrue();
    }

    private List<JobState> states(Long... ids) {
        return Arrays.stream(ids).map(id -> store().state(id)).toList();
    }

    // ---- policies ---------------------------------------------------------------------------------------------------

    @Test
    void eachChildFollowsItsPolicyForEveryEndOfItsParent() {
        for (End end : End.values()) {
            obeys(end);
        }
    }

    private void obeys(End end) {
        long parent = store().enqueue(NewRow.job().maxAttempts(1));
        long waits = after(ParentPolicy.WAIT, parent);
        long stops = after(ParentPolicy.CANCEL, parent);
        long runs = after(ParentPolicy.RUN, parent);
        long below = after(ParentPolicy.CANCEL, stops);
        store().hints().forget();
        end(parent, end);
        if (end.state == JobState.COMPLETED) {
            assertThat(states(waits, stops, runs, below))
                    .containsExactly(JobState.PENDING, JobState.PENDING, JobState.PENDING, JobState.BLOCKED);
            claimChildren(10).forEach(store()::complete);
            claimChildren(10).forEach(store()::complete);
            return;
        }
        assertThat(states(waits, stops, runs, below))
                .containsExactly(JobState.BLOCKED, JobState.CANCELLED, JobState.PENDING, JobState.CANCELLED);
        store().hints().awaitEnded(stops, JobState.CANCELLED);
        store().hints().awaitEnded(below, JobState.CANCELLED);
        assertThat(store().events(stops)).containsExactly(EventKind.ENQUEUED, EventKind.CANCELLED);
        assertThat(lastDetail(stops)).isEqualTo(new Json("{\"reason\":\"parent %d %s\"}".formatted(parent, end.state)));
        assertThat(lastDetail(below)).isEqualTo(new Json("{\"reason\":\"parent %d CANCELLED\"}".formatted(stops)));
        assertThat(store().job(stops).finishedAt()).isEqualTo(time.now());
        List<ClaimedJob> released = claimChildren(10);
        assertThat(released).extracting(ClaimedJob::id).containsExactly(runs);
        released.forEach(store()::complete);
    }

    private @Nullable Json lastDetail(long id) {
        List<JobHistory.Event> events = store().history(id).events();
        return events.get(events.size() - 1).detail();
    }

    @Test
    void aCancelledChildAppliesThePoliciesOfItsOwnChildren() {
        long parent = store().enqueue(NewRow.job());
        long stops = after(ParentPolicy.CANCEL, parent);
        long waits = after(ParentPolicy.WAIT, stops);
        long runs = after(ParentPolicy.RUN, stops);
        failed(parent);
        assertThat(states(stops, waits, runs)).containsExactly(JobState.CANCELLED, JobState.BLOCKED, JobState.PENDING);
    }

    @Test
    void aChildThatNoLongerWaitsIsNotChanged() {
        long parent = store().enqueue(NewRow.job());
        long outside = after(ParentPolicy.CANCEL, parent);
        long byHand = after(ParentPolicy.CANCEL, parent);
        store().change(Verb.COMPLETE, outside);
        store().change(Verb.CANCEL, byHand);
        failed(parent);
        assertThat(states(outside, byHand)).containsExactly(JobState.COMPLETED, JobState.CANCELLED);
        assertThat(store().events(byHand)).containsOnlyOnce(EventKind.CANCELLED);
        assertThat(retry(true, false, parent).ids())
                .as("an operator's cancellation stays")
                .containsExactly(parent);
        assertThat(store().state(byHand)).isEqualTo(JobState.CANCELLED);
    }

    @Test
    void anAttemptThatDoesNotEndTheParentCancelsNoChild() {
        long parent = store().enqueue(NewRow.job());
        long child = after(ParentPolicy.CANCEL, parent);
        store().settle(store().claimOne(), Transition.RETRY_LATER);
        assertThat(store().state(child)).isEqualTo(JobState.BLOCKED);
        time.advance(Duration.ofMinutes(2));
        complete(parent);
        assertThat(store().state(child)).isEqualTo(JobState.PENDING);
    }

    @Test
    void aChildThatWouldBeCancelledAtOnceIsRefused() {
        for (End end : List.of(End.FAIL, End.CANCEL)) {
            long parent = store().enqueue(NewRow.job());
            end(parent, end);
            refused(parent, end);
        }
        assertThat(all(store().store(), JobFilter.ALL)).hasSize(2);
    }

    private void refused(long parent, End end) {
        List<NewRow> rows = List.of(NewRow.of("q", "other"), child().after(parent, ParentPolicy.CANCEL));
        assertThat(failure(store().store()
                        .submit(new Enqueue(rows.stream().map(NewRow::row).toList()))))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageStartingWith("parent %d is %s already".formatted(parent, end.state));
    }

    @Test
    void aChildOfACompletedParentIsAccepted() {
        long parent = store().enqueue(NewRow.job());
        complete(parent);
        assertThat(store().state(after(ParentPolicy.CANCEL, parent))).isEqualTo(JobState.PENDING);
    }

    @Test
    void aCancelledChildReleasesItsDedupeKeyAndItsPermit() {
        long parent = store().enqueue(NewRow.job());
        Dedupe key = Dedupe.key("k");
        long child = store().enqueue(child().dedupe(key).after(parent, ParentPolicy.CANCEL));
        failed(parent);
        assertThat(store().state(child)).isEqualTo(JobState.CANCELLED);
        assertThat(store().enqueue(child().dedupe(key))).as("the key is free").isNotEqualTo(child);
        assertThatThrownBy(() -> retry(true, false, parent))
                .isInstanceOf(TransitionRefusedException.class)
                .hasMessageContaining("job %d cannot be retried: job".formatted(child));
        assertThat(store().state(parent)).isEqualTo(JobState.FAILED);
        assertThat(retryAll(JobFilter.inState(JobState.FAILED), false).ids())
                .as("left out in bulk")
                .containsExactly(parent);
        assertThat(store().state(child)).isEqualTo(JobState.CANCELLED);
    }

    @Test
    void twoParentsThatEndAtOnceCancelAChildOnce() {
        StoreDriver other = open();
        for (int round = 0; round < 40; round++) {
            ClaimedJob first = store().running(NewRow.job());
            ClaimedJob second = store().running(NewRow.job());
            long child = store().enqueue(
                            child().after(first.id(), ParentPolicy.CANCEL).after(second.id(), ParentPolicy.CANCEL));
            long below = after(ParentPolicy.RUN, child);
            StoreDriver driver = round % 2 == 0 ? store() : other;
            Transition last = round % 3 == 0 ? Transition.COMPLETE : Transition.FAIL;
            assertThat(together(
                            List.of(() -> store().settle(first, Transition.FAIL), () -> driver.settle(second, last))))
                    .containsExactly(true, true);
            assertThat(store().state(child)).isEqualTo(JobState.CANCELLED);
            assertThat(store().events(child)).containsExactly(EventKind.ENQUEUED, EventKind.CANCELLED);
            assertThat(store().state(below)).isEqualTo(JobState.PENDING);
        }
    }

    @Test
    void aChildEnqueuedWhileItsParentFailsIsRefusedOrCancelled() {
        StoreDriver other = open();
        for (int round = 0; round < 40; round++) {
            ClaimedJob parent = store().running(NewRow.job());
            StoreDriver driver = round % 2 == 0 ? store() : other;
            List<Callable<Long>> race = List.of(
                    () -> {
                        try {
                            return driver.enqueue(child().after(parent.id(), ParentPolicy.CANCEL));
                        } catch (InvalidRequestException e) {
                            return -1L;
                        }
                    },
                    () -> {
                        store().settle(parent, Transition.FAIL);
                        return 0L;
                    });
            long child = together(race).get(0);
            if (child >= 0) {
                assertThat(store().state(child)).isEqualTo(JobState.CANCELLED);
            }
        }
    }

    // ---- retry ------------------------------------------------------------------------------------------------------

    @Test
    void aRetriedParentReleasesWaitingChildrenAndChangesNoOthers() {
        long parent = store().enqueue(NewRow.job());
        long waits = after(ParentPolicy.WAIT, parent);
        long stops = after(ParentPolicy.CANCEL, parent);
        long runs = after(ParentPolicy.RUN, parent);
        failed(parent);
        assertThat(states(waits, stops, runs)).containsExactly(JobState.BLOCKED, JobState.CANCELLED, JobState.PENDING);
        claimChildren(1).forEach(store()::complete);
        store().change(Verb.RETRY, parent);
        complete(parent);
        assertThat(claimChildren(10)).extracting(ClaimedJob::id).containsExactly(waits);
        assertThat(states(stops, runs)).containsExactly(JobState.CANCELLED, JobState.COMPLETED);
        assertThat(store().events(stops)).containsExactly(EventKind.ENQUEUED, EventKind.CANCELLED);
        assertThat(store().events(runs)).containsOnlyOnce(EventKind.RELEASED);
    }

    @Test
    void aRetryOfAParentRetriesItsDependentsAtEveryDepth() {
        long parent = store().enqueue(NewRow.job());
        long stops = after(ParentPolicy.CANCEL, parent);
        long below = after(ParentPolicy.CANCEL, stops);
        long runs = after(ParentPolicy.RUN, below);
        failed(parent);
        claimChildren(10).forEach(store()::complete);
        assertThat(retry(true, true, parent)).isEqualTo(new ChangeResult(3, List.of(parent, stops, below)));
        assertThat(store().state(parent)).as("a dry run does nothing").isEqualTo(JobState.FAILED);
        assertThat(retry(true, false, parent)).isEqualTo(new ChangeResult(3, List.of(parent, stops, below)));
        assertThat(states(parent, stops, below, runs))
                .containsExactly(JobState.PENDING, JobState.BLOCKED, JobState.BLOCKED, JobState.COMPLETED);
        assertThat(store().events(below)).containsExactly(EventKind.ENQUEUED, EventKind.CANCELLED, EventKind.RETRIED);
        complete(parent);
        for (long next : List.of(stops, below)) {
            List<ClaimedJob> ready = claimChildren(10);
            assertThat(ready).extracting(ClaimedJob::id).containsExactly(next);
            store().complete(ready.get(0));
        }
        assertThat(store().events(runs)).containsOnlyOnce(EventKind.RELEASED);
    }

    @Test
    void aParentThatFailsAgainCancelsItsDependentsAgain() {
        long parent = store().enqueue(NewRow.job());
        long stops = after(ParentPolicy.CANCEL, parent);
        for (int round = 0; round < 3; round++) {
            failed(parent);
            assertThat(store().state(stops)).isEqualTo(JobState.CANCELLED);
            retry(true, false, parent);
            assertThat(store().state(stops)).isEqualTo(JobState.BLOCKED);
        }
        complete(parent);
        assertThat(store().state(stops)).isEqualTo(JobState.PENDING);
    }

    @Test
    void aDependentSkippedByOneRetryIsRetriedByALaterOne() {
        long parent = store().enqueue(NewRow.job());
        long stops = after(ParentPolicy.CANCEL, parent);
        failed(parent);
        store().change(Verb.RETRY, parent);
        failed(parent);
        assertThat(store().state(stops)).isEqualTo(JobState.CANCELLED);
        assertThat(retry(true, false, parent).ids()).containsExactly(parent, stops);
    }

    @Test
    void aChildOfTwoFailedParentsIsRetriedWithTheSecond() {
        long first = store().enqueue(NewRow.job());
        long second = store().enqueue(NewRow.job());
        long child = after(ParentPolicy.CANCEL, first, second);
        failed(first);
        failed(second);
        assertThat(retry(true, false, first).ids()).containsExactly(first);
        assertThat(store().state(child)).isEqualTo(JobState.CANCELLED);
        assertThat(retry(true, false, second).ids()).containsExactly(second, child);
        complete(first);
        assertThat(store().state(child)).isEqualTo(JobState.BLOCKED);
        complete(second);
        assertThat(store().state(child)).isEqualTo(JobState.PENDING);
    }

    @Test
    void aChildOfTwoFailedParentsIsRetriedWhenBothAreRetriedAtOnce() {
        long first = store().enqueue(NewRow.job());
        long second = store().enqueue(NewRow.job());
        long between = after(ParentPolicy.CANCEL, second);
        long child = after(ParentPolicy.CANCEL, first, between);
        failed(first);
        failed(second);
        assertThat(states(between, child)).containsExactly(JobState.CANCELLED, JobState.CANCELLED);
        assertThat(retry(true, false, first, second).ids()).containsExactly(first, second, between, child);
        assertThat(states(between, child)).containsExactly(JobState.BLOCKED, JobState.BLOCKED);
    }

    @Test
    void aCancelledChildCannotBeRetriedBeforeItsParent() {
        long parent = store().enqueue(NewRow.job());
        long stops = after(ParentPolicy.CANCEL, parent);
        failed(parent);
        assertThatThrownBy(() -> store().change(Verb.RETRY, stops))
                .isInstanceOf(TransitionRefusedException.class)
                .hasMessageStartingWith(
                        "job %d cannot be retried: its parent, job %d, is FAILED".formatted(stops, parent));
        assertThat(retryAll(JobFilter.inState(JobState.CANCELLED), false).count())
                .as("left out in bulk")
                .isZero();
        assertThat(retry(false, false, stops, parent).ids()).containsExactly(parent, stops);
        assertThat(states(parent, stops)).containsExactly(JobState.PENDING, JobState.BLOCKED);
        complete(parent);
        assertThat(store().state(stops)).isEqualTo(JobState.PENDING);
    }

    @Test
    void aCancelledChildOfARetriedParentCanBeRetriedAlone() {
        long parent = store().enqueue(NewRow.job());
        long stops = after(ParentPolicy.CANCEL, parent);
        failed(parent);
        store().change(Verb.RETRY, parent);
        store().change(Verb.RETRY, stops);
        assertThat(store().state(stops)).isEqualTo(JobState.BLOCKED);
        failed(parent);
        assertThat(store().state(stops)).isEqualTo(JobState.CANCELLED);
    }

    @Test
    void manyAreRetriedWithTheirDependentsByFilter() {
        List<Long> parents = store().enqueueAll(Collections.nCopies(1200, NewRow.job()));
        List<NewRow> rows = new ArrayList<>();
        parents.forEach(parent -> rows.add(child().after(parent, ParentPolicy.CANCEL)));
        store().enqueueAll(rows);
        for (int part = 0; part < 2; part++) {
            List<CompletableFuture<Boolean>> settled = new ArrayList<>();
            for (ClaimedJob job : store().claim(600)) {
                settled.add(store().store().submit(store().settlement(job, Transition.FAIL)));
            }
            settled.forEach(each -> assertThat(StoreDriver.answer(each)).isTrue());
        }
        assertThat(store().count(JobState.CANCELLED)).isEqualTo(1200);
        JobFilter filter = JobFilter.inState(JobState.FAILED);
        assertThat(retryAll(filter, true).count()).isEqualTo(2400);
        assertThat(retryAll(filter, false).count()).isEqualTo(2400);
        assertThat(store().count(JobState.BLOCKED)).isEqualTo(1200);
        assertThat(store().count(JobState.PENDING)).isEqualTo(1200);
        List<AuditEntry> entries = store().audit(10);
        assertThat(entries.stream().mapToLong(AuditEntry::changed).sum()).isEqualTo(2400);
        assertThat(entries)
                .extracting(entry -> String.valueOf(entry.detail()))
                .allMatch(detail -> detail.contains("\"withDependents\":true"));
    }

    @Test
    void aNewBudgetAppliesOnlyToTheNamedJobs() {
        long parent = store().enqueue(NewRow.job().maxAttempts(1));
        long stops = store().enqueue(child().maxAttempts(2).after(parent, ParentPolicy.CANCEL));
        failed(parent);
        StoreDriver.answer(ChangeByFilter.run(
                store().store(),
                Change.byId(Verb.RETRY, List.of(parent), "operator")
                        .maxAttempts(7)
                        .withDependents(true)
                        .build()));
        assertThat(store().job(parent).maxAttempts()).isEqualTo(7);
        assertThat(store().job(stops).maxAttempts()).isEqualTo(2);
    }

    @Test
    void aParentIsNotDeletedWhileADependentCouldBeRetriedWithIt() {
        long parent = store().enqueue(NewRow.job());
        long stops = after(ParentPolicy.CANCEL, parent);
        failed(parent);
        assertThatThrownBy(() -> store().change(Verb.DELETE, parent)).isInstanceOf(TransitionRefusedException.class);
        store().change(Verb.DELETE, parent, stops);
        assertThat(store().store().history(stops)).isEmpty();
    }

    // ---- many children ---------------------------------------------------------------------------------------------

    private List<Long> many(int count, long parent, ParentPolicy policy) {
        List<Long> ids = new ArrayList<>();
        for (int left = count; left > 0; left -= 1000) {
            ids.addAll(store().enqueueAll(Collections.nCopies(Math.min(left, 1000), child().after(parent, policy))));
        }
        return ids;
    }

    /** Waits until this many jobs are in a state, by the counters. */
    private void awaitCount(StoreDriver driver, JobState state, long count) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (driver.count(state) != count) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("%d jobs are %s, not %d".formatted(driver.count(state), state, count));
            }
            StoreDriver.answer(driver.store().submit(new Touch()));
        }
    }

    @Test
    void manyChildrenAreReleasedInTheirOrder() {
        long parent = store().enqueue(NewRow.job());
        List<Long> children = many(2500, parent, ParentPolicy.WAIT);
        complete(parent);
        awaitCount(store(), JobState.PENDING, 2500);
        List<Long> claimed = new ArrayList<>();
        while (claimed.size() < children.size()) {
            claimChildren(500).forEach(job -> claimed.add(job.id()));
        }
        assertThat(claimed).isEqualTo(children);
    }

    @Test
    void manyChildrenWithPolicyRunAreReleasedOnceEach() {
        dealtWithOnce(ParentPolicy.RUN);
    }

    @Test
    void manyChildrenOfAFailedParentAreCancelledOnceEach() {
        dealtWithOnce(ParentPolicy.CANCEL);
    }

    private void dealtWithOnce(ParentPolicy policy) {
        long parent = store().enqueue(NewRow.job());
        List<Long> children = many(2500, parent, policy);
        failed(parent);
        awaitCount(store(), policy == ParentPolicy.RUN ? JobState.PENDING : JobState.CANCELLED, 2500);
        EventKind event = policy == ParentPolicy.RUN ? EventKind.RELEASED : EventKind.CANCELLED;
        for (int i = 0; i < children.size(); i += 97) {
            assertThat(store().events(children.get(i))).containsExactly(EventKind.ENQUEUED, event);
        }
        assertThat(store().count(JobState.BLOCKED)).isZero();
    }

    @Test
    void aCascadeOfManyCancellationsReachesEveryLevel() {
        long root = store().enqueue(NewRow.job());
        List<Long> children = many(1500, root, ParentPolicy.CANCEL);
        long wide = Objects.requireNonNull(children.get(1400));
        many(1500, wide, ParentPolicy.CANCEL);
        long last = children.get(1499);
        for (int i = 0; i < 150; i++) {
            last = after(ParentPolicy.CANCEL, last);
        }
        failed(root);
        awaitCount(store(), JobState.BLOCKED, 0);
        assertThat(store().count(JobState.CANCELLED)).isEqualTo(3150);
        assertThat(retry(true, true, root).count()).isEqualTo(3151);
        assertThat(retry(true, false, root).count()).isEqualTo(1001);
        awaitCount(store(), JobState.BLOCKED, 3150);
        complete(root);
        awaitCount(store(), JobState.PENDING, 1500);
    }

    @Test
    void aConcurrentRetryFirstFinishesTheEarlierEnd() {
        long parent = store().enqueue(NewRow.job());
        many(1500, parent, ParentPolicy.CANCEL);
        List<Long> runs = many(1500, parent, ParentPolicy.RUN);
        many(5, parent, ParentPolicy.WAIT);
        failed(parent);
        // No work that is done by now is lost or done twice.
        assertThat(retry(true, false, parent).count()).isEqualTo(1001);
        awaitCount(store(), JobState.BLOCKED, 1505);
        assertThat(store().count(JobState.PENDING)).isEqualTo(1501);
        complete(parent);
        awaitCount(store(), JobState.BLOCKED, 0);
        assertThat(store().count(JobState.PENDING)).isEqualTo(3005);
        assertThat(store().events(runs.get(1499))).containsOnlyOnce(EventKind.RELEASED);
    }

    @Test
    void anotherStoreContinuesTheWorkOfAClosedOne() {
        long parent = store().enqueue(NewRow.job());
        many(3900, parent, ParentPolicy.RUN);
        StoreDriver ending = open();
        ending.settle(ending.claimOne(), Transition.FAIL);
        ending.close();
        KeyLimits.admit(store().store());
        awaitCount(store(), JobState.PENDING, 3900);
        assertThat(KeyLimits.admit(store().store())).isZero();
    }

    @Test
    void aDiagnosisDuringTheReleaseFindsNothing() {
        long parent = store().enqueue(NewRow.job());
        many(3500, parent, ParentPolicy.CANCEL);
        failed(parent);
        assertThat(store().diagnose().checks())
                .filteredOn(check -> check.name().equals("edges"))
                .singleElement()
                .satisfies(check -> assertThat(check.isOk()).isTrue());
        awaitCount(store(), JobState.CANCELLED, 3500);
    }

    @Test
    void childrenOfManyParentsThatEndTogetherAreAllReleased() {
        List<Long> parents = store().enqueueAll(Collections.nCopies(6, NewRow.job()));
        for (long parent : parents) {
            many(1200, parent, ParentPolicy.RUN);
        }
        store().change(Verb.CANCEL, parents.toArray(Long[]::new));
        awaitCount(store(), JobState.PENDING, 7200);
    }
}
