package dev.windrow.contract.workflow;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.windrow.AttemptOutcome;
import dev.windrow.Dedupe;
import dev.windrow.EventKind;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobInfo;
import dev.windrow.JobNotFoundException;
import dev.windrow.JobState;
import dev.windrow.TransitionRefusedException;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreContract;
import dev.windrow.contract.StoreDriver;
import dev.windrow.store.Transition;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.Change.Verb;
import dev.windrow.store.job.ChangeByFilter;
import dev.windrow.store.job.ChangeResult;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.Enqueue;
import dev.windrow.store.job.EnqueuedJob;
import dev.windrow.store.job.FindKeyed;
import dev.windrow.store.job.JobRow;
import dev.windrow.store.job.Settle;
import dev.windrow.workflow.ParentOutcome;
import dev.windrow.workflow.ParentPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** Jobs that continue with other jobs. */
public abstract class ChainContract extends StoreContract {
    /** Creates the contract for a subclass. */
    protected ChainContract() {}

    private Settle goingOn(ClaimedJob job, JobRow next) {
        return StoreDriver.goingOn(store().settlement(job, Transition.COMPLETE), next);
    }

    private boolean goOn(ClaimedJob job, NewRow next) {
        return StoreDriver.answer(store().store().submit(goingOn(job, next.row())));
    }

    private List<Long> chain(long job) {
        return store().store().chain(job).stream().map(JobInfo::id).toList();
    }

    private static NewRow afterChain(ParentPolicy policy, long job) {
        return NewRow.of("q", "child").afterChain(job, policy);
    }

    private ClaimedJob claimOf(String type) {
        return store().claim(StoreDriver.request("w", Set.of("q"), Set.of(type), 1))
                .jobs()
                .get(0);
    }

    /** Completes a job and continues its chain; returns the next job, claimed. */
    private ClaimedJob next(ClaimedJob job) {
        assertThat(goOn(job, NewRow.job())).isTrue();
        return store().claimOne();
    }

    @Test
    void aJobThatContinuesCompletesAndTheNextOneFollows() {
        store().enqueue(NewRow.of("q", "first"));
        ClaimedJob first = claimOf("first");
        store().hints().forget();
        assertThat(goOn(
                        first,
                        NewRow.of("other", "second").payload("2").priority(7).tags("x")))
                .isTrue();
        assertThat(store().state(first.id())).isEqualTo(JobState.COMPLETED);
        store().hints().awaitHint("other", "second");
        List<JobInfo> chain = store().store().chain(first.id());
        assertThat(chain).extracting(JobInfo::chainIndex).containsExactly(0, 1);
        JobInfo second = chain.get(1);
        assertThat(second.chainId()).isEqualTo(first.id());
        assertThat(second.priority()).isEqualTo(7);
        assertThat(second.tags()).containsExactly("x");
        assertThat(second.state()).isEqualTo(JobState.PENDING);
        assertThat(store().events(second.id())).containsExactly(EventKind.ENQUEUED);
        assertThat(store().history(second.id()).events().get(0).detail())
                .hasToString("{\"continues\":\"" + first.id() + "\"}");
        ClaimedJob claimed = store().claim(StoreDriver.request("w", Set.of("other"), Set.of("second"), 5))
                .jobs()
                .get(0);
        assertThat(claimed.payload()).isEqualTo("2");
        countersEqualCounts(store());
    }

    @Test
    void aChainOfAnyLengthIsListedFromEachOfItsJobs() {
        List<Long> ids = new ArrayList<>();
        ClaimedJob job = store().running(NewRow.job());
        for (int i = 0; i < 12; i++) {
            ids.add(job.id());
            job = next(job);
        }
        ids.add(job.id());
        store().complete(job);
        for (long id : ids) {
            assertThat(chain(id)).isEqualTo(ids);
        }
        long alone = store().enqueue(NewRow.job());
        assertThat(chain(alone)).containsExactly(alone);
        assertThat(chain(4711_000)).isEmpty();
    }

    @Test
    void theNextJobMayBeDueLaterOrWaitForParents() {
        ClaimedJob first = store().running(NewRow.job());
        goOn(first, NewRow.job().delay(Duration.ofMinutes(5)));
        assertThat(store().state(chain(first.id()).get(1))).isEqualTo(JobState.SCHEDULED);
        store().enqueue(NewRow.of("q", "other"));
        ClaimedJob other = claimOf("other");
        ClaimedJob second = store().running(NewRow.job());
        goOn(second, NewRow.job().after(other.id(), ParentPolicy.WAIT));
        long next = chain(second.id()).get(1);
        assertThat(store().state(next)).isEqualTo(JobState.BLOCKED);
        store().complete(other);
        assertThat(store().state(next)).isEqualTo(JobState.PENDING);
    }

    @Test
    void theNextJobContinuesTheTraceOfThePreviousOne() {
        ClaimedJob first = store().running(NewRow.job().extras(null, null, "00-1-2-01"));
        ClaimedJob second = next(first);
        assertThat(second.traceparent()).isEqualTo("00-1-2-01");
    }

    @Test
    void aLostHolderContinuesNoChain() {
        ClaimedJob lost = store().running(NewRow.job());
        store().settle(lost, Transition.HAND_BACK);
        ClaimedJob holder = store().claimOne();
        assertThat(goOn(lost, NewRow.job())).isFalse();
        assertThat(chain(lost.id())).containsExactly(lost.id());
        assertThat(goOn(holder, NewRow.job())).isTrue();
        assertThat(goOn(holder, NewRow.job())).isFalse();
        assertThat(chain(lost.id())).hasSize(2);
    }

    @Test
    void oneOfManyConcurrentContinuationsWins() {
        ClaimedJob job = store().running(NewRow.job());
        List<Callable<Boolean>> tries = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            tries.add(() -> goOn(job, NewRow.job()));
        }
        assertThat(together(tries)).containsOnlyOnce(true);
        assertThat(chain(job.id())).hasSize(2);
    }

    @Test
    void aNextJobThatCannotBeWrittenLeavesTheJobUnchanged() {
        ClaimedJob job = store().running(NewRow.job());
        assertThat(failure(store().store()
                        .submit(goingOn(
                                job,
                                NewRow.job().after(4711_000, ParentPolicy.WAIT).row()))))
                .isInstanceOf(JobNotFoundException.class)
                .hasMessageContaining("4711000");
        assertThat(store().state(job.id())).isEqualTo(JobState.RUNNING);
        assertThat(store().complete(job)).isTrue();
    }

    @Test
    void onlyACompletedJobContinuesAChain() {
        ClaimedJob job = store().running(NewRow.job());
        Settle s = store().settlement(job, Transition.FAIL);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Settle.of(job, s.worker(), s.transition(), s.outcome(), s.finishedAtMillis())
                        .error("TEST:X", null)
                        .next(NewRow.job().row())
                        .build());
    }

    // ---- jobs that wait for a chain --------------------------------------------------------------------------------

    @Test
    void aContinuationReleasesChildrenOfTheJobButNotOfTheChain() {
        ClaimedJob first = store().running(NewRow.job());
        long ofJob = store().enqueue(NewRow.of("q", "child").after(first.id(), ParentPolicy.WAIT));
        long ofChain = store().enqueue(afterChain(ParentPolicy.WAIT, first.id()));
        ClaimedJob second = next(first);
        assertThat(store().state(ofJob)).isEqualTo(JobState.PENDING);
        assertThat(store().state(ofChain)).isEqualTo(JobState.BLOCKED);
        ClaimedJob third = next(second);
        assertThat(store().state(ofChain)).isEqualTo(JobState.BLOCKED);
        store().hints().forget();
        StoreDriver.answer(store().store().submit(withResult(third, "\"end\"")));
        assertThat(store().state(ofChain)).isEqualTo(JobState.PENDING);
        store().hints().awaitHint("q", "child");
        assertThat(store().store().parents(ofChain))
                .extracting(ParentOutcome::id, outcome -> String.valueOf(outcome.result()))
                .containsExactly(org.assertj.core.groups.Tuple.tuple(third.id(), "\"end\""));
    }

    private Settle withResult(ClaimedJob job, String result) {
        Settle s = store().settlement(job, Transition.COMPLETE);
        return Settle.of(job, s.worker(), s.transition(), s.outcome(), s.finishedAtMillis())
                .startedAtMillis(s.startedAtMillis())
                .result(result)
                .build();
    }

    @Test
    void aChainThatFailsHoldsWaitingChildrenAndReleasesThoseWithPolicyRun() {
        ClaimedJob first = store().running(NewRow.job());
        long waits = store().enqueue(afterChain(ParentPolicy.WAIT, first.id()));
        long runs = store().enqueue(afterChain(ParentPolicy.RUN, first.id()));
        ClaimedJob second = next(first);
        store().settle(second, Transition.FAIL);
        assertThat(store().state(waits)).isEqualTo(JobState.BLOCKED);
        assertThat(store().state(runs)).isEqualTo(JobState.PENDING);
        store().change(Verb.RETRY, second.id());
        ClaimedJob again = claimOf("t");
        ClaimedJob third = next(again, "t");
        assertThat(store().state(waits)).isEqualTo(JobState.BLOCKED);
        store().complete(third);
        assertThat(store().state(waits)).isEqualTo(JobState.PENDING);
    }

    private ClaimedJob next(ClaimedJob job, String type) {
        assertThat(goOn(job, NewRow.of("q", type))).isTrue();
        return claimOf(type);
    }

    @Test
    void aLateChildWaitsForTheRestOfTheChain() {
        ClaimedJob first = store().running(NewRow.job());
        ClaimedJob second = next(first);
        long byFirst = store().enqueue(afterChain(ParentPolicy.WAIT, first.id()));
        long bySecond = store().enqueue(afterChain(ParentPolicy.WAIT, second.id()));
        assertThat(store().state(byFirst)).isEqualTo(JobState.BLOCKED);
        assertThat(store().state(bySecond)).isEqualTo(JobState.BLOCKED);
        store().complete(second);
        assertThat(store().state(byFirst)).isEqualTo(JobState.PENDING);
        assertThat(store().state(bySecond)).isEqualTo(JobState.PENDING);
        assertThat(store().state(store().enqueue(afterChain(ParentPolicy.WAIT, first.id()))))
                .isEqualTo(JobState.PENDING);
    }

    @Test
    void aChainThatDoesNotExistIsRefused() {
        assertThat(failure(store().store()
                        .submit(new Enqueue(
                                List.of(afterChain(ParentPolicy.WAIT, 4711_000).row())))))
                .isInstanceOf(JobNotFoundException.class)
                .hasMessageContaining("4711000");
    }

    /** Failure class 19, with chains: a job that begins to wait while the chain continues waits for the next job of the chain. */
    @Test
    void aChildAddedDuringAContinuationIsReleasedAtTheEndOfTheChain() {
        for (int round = 0; round < 25; round++) {
            ClaimedJob first = store().running(NewRow.job());
            List<Callable<Long>> race = new ArrayList<>();
            race.add(() -> goOn(first, NewRow.job()) ? 0L : -1L);
            for (int i = 0; i < 3; i++) {
                race.add(() -> store().enqueue(afterChain(ParentPolicy.WAIT, first.id())));
            }
            List<Long> answers = together(race);
            assertThat(answers.get(0)).isZero();
            List<Long> children = answers.subList(1, 4);
            children.forEach(child -> assertThat(store().state(child)).isEqualTo(JobState.BLOCKED));
            store().complete(claimOf("t"));
            children.forEach(child -> assertThat(store().state(child)).isEqualTo(JobState.PENDING));
            StoreDriver.answer(ChangeByFilter.run(store().store(), StoreDriver.change(Verb.CANCEL, children)));
        }
    }

    @Test
    void theNextJobIsCancelledIfTheJobHasACancelRequest() {
        ClaimedJob first = store().running(NewRow.job());
        long waits = store().enqueue(NewRow.of("q", "child").afterChain(first.id(), ParentPolicy.WAIT));
        long runs = store().enqueue(NewRow.of("q", "child").afterChain(first.id(), ParentPolicy.RUN));
        store().change(Verb.CANCEL, first.id());
        assertThat(goOn(first, NewRow.job())).isTrue();
        long next = chain(first.id()).get(1);
        assertThat(store().state(first.id())).isEqualTo(JobState.COMPLETED);
        assertThat(store().state(next)).isEqualTo(JobState.CANCELLED);
        assertThat(store().events(next)).containsExactly(EventKind.ENQUEUED, EventKind.CANCELLED);
        assertThat(store().state(waits)).isEqualTo(JobState.BLOCKED);
        assertThat(store().state(runs)).isEqualTo(JobState.PENDING);
        store().change(Verb.RETRY, next);
        store().complete(claimOf("t"));
        assertThat(store().state(waits)).isEqualTo(JobState.PENDING);
    }

    @Test
    void concurrentContinuationsThatWaitForEachOthersEndsAreOrdered() {
        for (int round = 0; round < 20; round++) {
            store().enqueue(NewRow.of("q", "a"));
            ClaimedJob a = claimOf("a");
            store().enqueue(NewRow.of("q", "b"));
            ClaimedJob b = claimOf("b");
            assertThat(together(List.of(
                            () -> goOn(a, NewRow.of("q", "a2").afterChain(b.id(), ParentPolicy.WAIT)),
                            () -> goOn(b, NewRow.of("q", "b2")))))
                    .containsExactly(true, true);
            long waits = chain(a.id()).get(1);
            assertThat(store().state(waits)).isEqualTo(JobState.BLOCKED);
            store().complete(claimOf("b2"));
            assertThat(store().state(waits)).isEqualTo(JobState.PENDING);
            store().complete(claimOf("a2"));
        }
    }

    @Test
    void aChainThatWouldWaitForItselfIsRefused() {
        ClaimedJob first = store().running(NewRow.job());
        long child = store().enqueue(NewRow.of("q", "child").afterChain(first.id(), ParentPolicy.WAIT));
        assertThat(failure(store().store()
                        .submit(goingOn(
                                first,
                                NewRow.job().after(child, ParentPolicy.WAIT).row()))))
                .hasMessageContaining("the end of the same chain");
        assertThat(failure(store().store()
                        .submit(goingOn(
                                first,
                                NewRow.job()
                                        .afterChain(first.id(), ParentPolicy.WAIT)
                                        .row()))))
                .hasMessageContaining("the end of the same chain");
        assertThat(store().state(first.id())).isEqualTo(JobState.RUNNING);
        assertThat(chain(first.id())).hasSize(1);
        assertThat(store().complete(first)).isTrue();
        assertThat(store().state(child)).isEqualTo(JobState.PENDING);
    }

    // ---- dedupe keys ------------------------------------------------------------------------------------------------

    private static final Dedupe KEY = Dedupe.key("k");

    private static NewRow keyed(Dedupe dedupe) {
        return NewRow.of("q", "first").dedupe(dedupe);
    }

    private EnqueuedJob enqueue(Dedupe dedupe) {
        return StoreDriver.answer(
                        store().store().submit(new Enqueue(List.of(keyed(dedupe).row()))))
                .get(0);
    }

    /** Returns a first job that has the key, claimed. */
    private ClaimedJob holder(Dedupe dedupe) {
        EnqueuedJob job = enqueue(dedupe);
        assertThat(job.deduplicated()).isFalse();
        ClaimedJob claimed = claimOf("first");
        assertThat(claimed.id()).isEqualTo(job.id());
        return claimed;
    }

    /** Continues a chain with a job that waits for a worker; returns its id. */
    private long waitingNext(ClaimedJob job, NewRow next) {
        assertThat(goOn(job, next)).isTrue();
        List<Long> chain = chain(job.id());
        return chain.get(chain.size() - 1);
    }

    private void isFree() {
        EnqueuedJob job = enqueue(KEY);
        assertThat(job.deduplicated()).isFalse();
        store().change(Verb.CANCEL, job.id());
    }

    private Optional<Long> newest(String type) {
        return store().store().find(new FindKeyed(List.of(type), "k"));
    }

    @Test
    void theKeyOfAnUnfinishedJobIsHeldToTheEndOfItsChain() {
        ClaimedJob first = holder(KEY);
        long second = waitingNext(first, NewRow.of("q", "second"));
        assertThat(enqueue(KEY)).isEqualTo(new EnqueuedJob(second, JobState.PENDING, true));
        ClaimedJob running = claimOf("second");
        assertThat(enqueue(KEY)).isEqualTo(new EnqueuedJob(second, JobState.RUNNING, true));
        assertThat(store().job(second).dedupeKey()).isEqualTo("k");
        assertThat(newest("first"))
                .as("the key is found within the first job's type")
                .hasValue(second);
        assertThat(newest("second")).isEmpty();
        EnqueuedJob ofOwnType = StoreDriver.answer(store().store()
                        .submit(new Enqueue(List.of(
                                NewRow.of("elsewhere", "second").dedupe(KEY).row()))))
                .get(0);
        assertThat(ofOwnType.deduplicated())
                .as("the key is of the first job's type")
                .isFalse();
        assertThat(newest("first")).hasValue(second);
        assertThat(newest("second")).hasValue(ofOwnType.id());
        long third = waitingNext(running, NewRow.of("q", "third").delay(Duration.ofMinutes(1)));
        assertThat(enqueue(KEY)).isEqualTo(new EnqueuedJob(third, JobState.SCHEDULED, true));
        assertThat(newest("first")).hasValue(third);
        time.advance(Duration.ofMinutes(1));
        store().complete(claimOf("third"));
        isFree();
        assertThat(StoreDriver.answer(store().store()
                                .submit(new Enqueue(List.of(
                                        NewRow.of("q", "second").dedupe(KEY).row()))))
                        .get(0))
                .as("the end of the chain gives up its own key alone")
                .isEqualTo(new EnqueuedJob(ofOwnType.id(), JobState.PENDING, true));
    }

    @Test
    void aFailedChainReleasesItsKeyAndARetryTakesItAgain() {
        long second = waitingNext(holder(KEY), NewRow.of("q", "second"));
        store().settle(claimOf("second"), Transition.RETRY_LATER);
        assertThat(enqueue(KEY)).isEqualTo(new EnqueuedJob(second, JobState.SCHEDULED, true));
        store().change(Verb.TRIGGER, second);
        store().settle(claimOf("second"), Transition.FAIL);
        EnqueuedJob other = enqueue(KEY);
        assertThat(other.deduplicated()).isFalse();
        assertThat(failure(ChangeByFilter.run(store().store(), StoreDriver.change(Verb.RETRY, List.of(second)))))
                .isInstanceOf(TransitionRefusedException.class)
                .hasMessageContaining("job " + other.id() + " holds its dedupe key 'k'");
        store().change(Verb.CANCEL, other.id());
        store().change(Verb.RETRY, second);
        assertThat(enqueue(KEY)).isEqualTo(new EnqueuedJob(second, JobState.PENDING, true));
        long third = waitingNext(claimOf("second"), NewRow.of("q", "third"));
        assertThat(enqueue(KEY)).isEqualTo(new EnqueuedJob(third, JobState.PENDING, true));
        store().change(Verb.CANCEL, third);
        store().change(Verb.DELETE, chain(third).toArray(Long[]::new));
        isFree();
    }

    @Test
    void everyEndOfTheLastJobOfAChainReleasesItsKey() {
        long cancelled = waitingNext(holder(KEY), NewRow.of("q", "second"));
        store().change(Verb.CANCEL, cancelled);
        isFree();
        waitingNext(holder(KEY), NewRow.of("q", "second"));
        ClaimedJob ofDead = claimOf("second");
        time.advance(Duration.ofDays(1));
        store().reclaim(
                        store().suspects().stream()
                                .filter(suspect -> suspect.leaseToken().equals(ofDead.leaseToken()))
                                .findAny()
                                .orElseThrow(),
                        Transition.FAIL,
                        AttemptOutcome.LOST);
        assertThat(store().state(ofDead.id())).isEqualTo(JobState.FAILED);
        isFree();
        long parent = store().enqueue(NewRow.of("q", "parent"));
        long child = waitingNext(holder(KEY), NewRow.of("q", "second").after(parent, ParentPolicy.CANCEL));
        assertThat(enqueue(KEY)).isEqualTo(new EnqueuedJob(child, JobState.BLOCKED, true));
        store().change(Verb.CANCEL, parent);
        assertThat(store().state(child)).isEqualTo(JobState.CANCELLED);
        isFree();
    }

    @Test
    void aCancelledChainTakesItsKeyAgainWhenItIsRetried() {
        ClaimedJob first = holder(KEY);
        store().change(Verb.CANCEL, first.id());
        long next = waitingNext(first, NewRow.of("q", "second"));
        assertThat(store().state(next)).isEqualTo(JobState.CANCELLED);
        isFree();
        store().change(Verb.RETRY, next);
        assertThat(enqueue(KEY)).isEqualTo(new EnqueuedJob(next, JobState.PENDING, true));
    }

    @Test
    void keysOfOtherScopesBelongToTheFirstJobOnly() {
        Dedupe started = Dedupe.key("started").untilStarted();
        Dedupe window = Dedupe.key("window").within(Duration.ofMinutes(1));
        Dedupe any = Dedupe.key("any").forEver();
        for (Dedupe dedupe : List.of(started, window, any)) {
            ClaimedJob first = holder(dedupe);
            long next = waitingNext(first, NewRow.of("q", "second"));
            assertThat(store().job(next).dedupeKey()).isNull();
            if (dedupe.equals(started)) {
                assertThat(enqueue(dedupe).deduplicated()).isFalse();
                store().complete(claimOf("first"));
            } else {
                assertThat(enqueue(dedupe)).isEqualTo(new EnqueuedJob(first.id(), JobState.COMPLETED, true));
            }
        }
        time.advance(Duration.ofMinutes(1));
        assertThat(enqueue(window).deduplicated()).isFalse();
    }

    @Test
    void aContinuedJobIsNeitherReplacedNorDelayed() {
        long second = waitingNext(holder(KEY), NewRow.of("q", "second").payload("1"));
        for (Dedupe dedupe : List.of(
                KEY.replace(),
                KEY.debounce(Duration.ofMinutes(1)),
                KEY.debounce(Duration.ofMinutes(1)).unfinished(),
                KEY.throttle(Duration.ofMinutes(1)))) {
            assertThat(StoreDriver.answer(store().store()
                                    .submit(new Enqueue(
                                            List.of(keyed(dedupe).payload("2").row()))))
                            .get(0))
                    .as("%s", dedupe)
                    .isEqualTo(new EnqueuedJob(second, JobState.PENDING, true));
        }
        assertThat(store().events(second)).containsExactly(EventKind.ENQUEUED);
        assertThat(claimOf("second").payload()).isEqualTo("1");
    }

    @Test
    void aLostHolderMovesNoKey() {
        ClaimedJob lost = holder(KEY);
        store().settle(lost, Transition.HAND_BACK);
        assertThat(goOn(lost, NewRow.job())).isFalse();
        assertThat(enqueue(KEY)).isEqualTo(new EnqueuedJob(lost.id(), JobState.PENDING, true));
    }

    @Test
    void theKeyOfAChainIsNeverFreeDuringAContinuation() {
        for (int round = 0; round < 25; round++) {
            ClaimedJob first = holder(KEY);
            List<Callable<EnqueuedJob>> race = new ArrayList<>();
            race.add(() -> new EnqueuedJob(waitingNext(first, NewRow.of("q", "second")), JobState.PENDING, true));
            for (Dedupe dedupe : List.of(KEY, KEY.replace(), KEY.debounce(Duration.ofMinutes(1)))) {
                race.add(() -> enqueue(dedupe));
            }
            List<EnqueuedJob> answers = together(race);
            long second = answers.get(0).id();
            assertThat(answers)
                    .allMatch(EnqueuedJob::deduplicated)
                    .extracting(EnqueuedJob::id)
                    .isSubsetOf(first.id(), second);
            assertThat(enqueue(KEY)).isEqualTo(new EnqueuedJob(second, JobState.PENDING, true));
            store().complete(claimOf("second"));
        }
    }

    @Test
    void aContinuationHasNoKeyOfItsOwn() {
        ClaimedJob job = store().running(NewRow.job());
        JobRow next = keyed(KEY).row();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> goingOn(job, next))
                .withMessageContaining("dedupe key");
    }

    // ---- from outside -----------------------------------------------------------------------------------------------

    private ChangeResult goOnOutside(long job, NewRow next) {
        return StoreDriver.answer(ChangeByFilter.run(store().store(), StoreDriver.goingOn(job, next.row())));
    }

    private Throwable refusalOutside(long job, NewRow next) {
        return failure(ChangeByFilter.run(store().store(), StoreDriver.goingOn(job, next.row())));
    }

    private static NewRow waiting() {
        return NewRow.of("q", "first").external(Duration.ofHours(1));
    }

    private static long next(ChangeResult result) {
        return requireNonNull(result.next());
    }

    @Test
    void anExternalCompletionMayContinueTheChain() {
        long first = store().enqueue(waiting().dedupe(KEY));
        long ofJob = store().enqueue(NewRow.of("q", "child").after(first, ParentPolicy.WAIT));
        long ofChain = store().enqueue(afterChain(ParentPolicy.WAIT, first));
        store().hints().forget();
        ChangeResult result =
                goOnOutside(first, NewRow.of("other", "second").payload("2").actor("ada"));
        assertThat(result).isEqualTo(new ChangeResult(1, List.of(first), 0, next(result)));
        long second = next(result);
        store().hints().awaitHint("other", "second");
        store().hints().awaitEnded(first, JobState.COMPLETED);
        assertThat(chain(first)).containsExactly(first, second);
        assertThat(store().state(first)).isEqualTo(JobState.COMPLETED);
        assertThat(store().history(first).result()).hasToString("\"outside\"");
        assertThat(store().job(second).chainIndex()).isEqualTo(1);
        assertThat(store().history(second).events())
                .extracting(event -> event.event() + " " + event.actor() + " " + event.detail())
                .containsExactly("ENQUEUED ada {\"continues\":\"" + first + "\"}");
        assertThat(store().state(ofJob)).isEqualTo(JobState.PENDING);
        assertThat(store().state(ofChain)).isEqualTo(JobState.BLOCKED);
        assertThat(enqueue(KEY)).isEqualTo(new EnqueuedJob(second, JobState.PENDING, true));
        ClaimedJob claimed = store().claim(StoreDriver.request("w", Set.of("other"), Set.of("second"), 5))
                .jobs()
                .get(0);
        assertThat(claimed.payload()).isEqualTo("2");
        long third = waitingNext(claimed, waiting());
        assertThat(store().job(third).waitingFor()).isEqualTo(JobInfo.Waiting.EVENT);
        store().change(Verb.COMPLETE, third);
        assertThat(store().state(ofChain)).isEqualTo(JobState.PENDING);
        isFree();
        countersEqualCounts(store());
    }

    @Test
    void anExternalContinuationIsAllowedInEveryUnfinishedState() {
        long ready = store().enqueue(NewRow.of("q", "first"));
        assertThat(store().state(next(goOnOutside(ready, NewRow.of("q", "second")))))
                .isEqualTo(JobState.PENDING);
        long due = store().enqueue(NewRow.of("q", "first").delay(Duration.ofHours(1)));
        assertThat(store().state(next(goOnOutside(due, NewRow.of("q", "second").delay(Duration.ofMinutes(1))))))
                .isEqualTo(JobState.SCHEDULED);
        ClaimedJob running = store().running(NewRow.job());
        long next = next(goOnOutside(running.id(), NewRow.of("q", "second")));
        assertThat(goOn(running, NewRow.job())).as("its holder is fenced off").isFalse();
        assertThat(chain(running.id())).containsExactly(running.id(), next);
        assertThat(store().outcomes(running.id())).containsExactly(AttemptOutcome.SUPERSEDED);
        countersEqualCounts(store());
    }

    @Test
    void aRefusedCompletionContinuesNoChain() {
        long first = store().enqueue(waiting());
        long child = store().enqueue(afterChain(ParentPolicy.WAIT, first));
        assertThat(refusalOutside(first, NewRow.job().after(4711_000, ParentPolicy.WAIT)))
                .isInstanceOf(JobNotFoundException.class)
                .hasMessageContaining("4711000");
        assertThat(refusalOutside(4711_000, NewRow.job())).isInstanceOf(JobNotFoundException.class);
        assertThat(refusalOutside(first, NewRow.job().after(child, ParentPolicy.WAIT)))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("the end of the same chain");
        assertThat(refusalOutside(first, NewRow.job().afterChain(first, ParentPolicy.WAIT)))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("the end of the same chain");
        assertThat(store().state(first)).isEqualTo(JobState.BLOCKED);
        assertThat(store().events(first)).containsExactly(EventKind.ENQUEUED);
        assertThat(chain(first)).containsExactly(first);
        store().change(Verb.COMPLETE, first);
        assertThat(store().state(child)).isEqualTo(JobState.PENDING);
        assertThat(refusalOutside(first, NewRow.job())).isInstanceOf(TransitionRefusedException.class);
        assertThat(chain(first)).containsExactly(first);
        countersEqualCounts(store());
    }

    @Test
    void aCycleFoundLateHarmsNoOtherOperationOfItsTransaction() {
        for (int round = 0; round < 10; round++) {
            long first = store().enqueue(waiting());
            long child = store().enqueue(afterChain(ParentPolicy.WAIT, first));
            List<Long> others = store().enqueueAll(Collections.nCopies(3, waiting()));
            List<Callable<Boolean>> calls = new ArrayList<>();
            calls.add(() -> refusalOutside(first, NewRow.job().after(child, ParentPolicy.WAIT)) != null);
            for (long other : others) {
                calls.add(() -> next(goOnOutside(other, NewRow.of("q", "second"))) > 0);
            }
            assertThat(together(calls)).containsOnly(true);
            assertThat(store().state(first)).isEqualTo(JobState.BLOCKED);
            others.forEach(other -> assertThat(chain(other)).hasSize(2));
        }
        countersEqualCounts(store());
    }

    @Test
    void eitherTheHolderOrAnExternalCompletionContinuesTheChain() {
        var other = open();
        for (int round = 0; round < 25; round++) {
            ClaimedJob job = store().running(NewRow.job());
            long child = store().enqueue(afterChain(ParentPolicy.WAIT, job.id()));
            List<Boolean> won = together(List.of(
                    () -> goOn(job, NewRow.of("q", "second")),
                    () -> refusalOutside(job.id(), NewRow.of("q", "second")) == null,
                    () -> failure(ChangeByFilter.run(
                                    other.store(),
                                    StoreDriver.goingOn(
                                            job.id(), NewRow.of("q", "second").row())))
                            == null));
            assertThat(won).containsOnlyOnce(true);
            assertThat(chain(job.id())).hasSize(2);
            assertThat(store().state(child)).isEqualTo(JobState.BLOCKED);
            store().complete(claimOf("second"));
            assertThat(store().state(child)).isEqualTo(JobState.PENDING);
            store().change(Verb.CANCEL, child);
        }
    }

    @Test
    void anExternalNextJobIsCancelledIfTheJobHasACancelRequest() {
        ClaimedJob first = holder(KEY);
        store().change(Verb.CANCEL, first.id());
        long next = next(goOnOutside(first.id(), NewRow.of("q", "second")));
        assertThat(store().state(first.id())).isEqualTo(JobState.COMPLETED);
        assertThat(store().state(next)).isEqualTo(JobState.CANCELLED);
        isFree();
    }

    @Test
    void onlyTheCompletionOfOneJobMayContinueAChain() {
        JobRow next = NewRow.job().row();
        assertThatIllegalArgumentException().isThrownBy(() -> {
            Change unused = Change.byId(Verb.FAIL, List.of(1L), "operator")
                    .error("A:B", null)
                    .next(next)
                    .build();
        });
        assertThatIllegalArgumentException().isThrownBy(() -> {
            Change unused = Change.byId(Verb.COMPLETE, List.of(1L, 2L), "operator")
                    .next(next)
                    .build();
        });
        assertThatIllegalArgumentException()
                .isThrownBy(() -> StoreDriver.goingOn(1, keyed(KEY).row()))
                .withMessageContaining("dedupe key");
    }
}
