package dev.windrow.contract.job;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.windrow.AttemptOutcome;
import dev.windrow.Dedupe;
import dev.windrow.EventKind;
import dev.windrow.JobHistory;
import dev.windrow.JobInfo;
import dev.windrow.JobNotFoundException;
import dev.windrow.JobState;
import dev.windrow.TransitionRefusedException;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreContract;
import dev.windrow.contract.StoreDriver;
import dev.windrow.query.JobFilter;
import dev.windrow.store.Transition;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.Change.Verb;
import dev.windrow.store.job.ChangeByFilter;
import dev.windrow.store.job.ChangeResult;
import dev.windrow.store.job.Claimed;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.Enqueue;
import dev.windrow.store.job.EnqueuedJob;
import dev.windrow.store.job.FindKeyed;
import dev.windrow.store.job.WaitingClaim;
import dev.windrow.workflow.ParentPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Dedupe keys: at most one job of a type holds a key at a time, for all callers and all ends of the job. */
public abstract class DedupeContract extends StoreContract {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration SECOND = Duration.ofSeconds(1);

    /** Creates the contract for a subclass. */
    protected DedupeContract() {}

    /** Returns a new connection to the database of this test's stores, as an application would open one. The test closes it. */
    protected abstract Connection newConnection() throws SQLException;

    private static Dedupe key() {
        return Dedupe.key("k");
    }

    private static NewRow row(Dedupe dedupe) {
        return NewRow.job().dedupe(dedupe);
    }

    private List<EnqueuedJob> enqueue(NewRow... rows) {
        return StoreDriver.answer(store().store()
                .submit(new Enqueue(Arrays.stream(rows).map(NewRow::row).toList())));
    }

    private EnqueuedJob enqueue(Dedupe dedupe) {
        return enqueue(row(dedupe)).get(0);
    }

    /** Enqueues a job, which must be new; returns its id. */
    private long fresh(NewRow row) {
        EnqueuedJob job = enqueue(row).get(0);
        assertThat(job.deduplicated()).isFalse();
        return job.id();
    }

    private long fresh(Dedupe dedupe) {
        return fresh(row(dedupe));
    }

    private void standsFor(Dedupe dedupe, long holder, JobState state) {
        assertThat(enqueue(dedupe)).isEqualTo(new EnqueuedJob(holder, state, true));
    }

    private ClaimedJob claim(long id) {
        ClaimedJob job = store().claimOne();
        assertThat(job.id()).isEqualTo(id);
        return job;
    }

    private Throwable refusal(Verb verb, Long... ids) {
        return failure(ChangeByFilter.run(store().store(), StoreDriver.change(verb, Arrays.asList(ids))));
    }

    private String payload(long id) {
        return requireNonNull(store().history(id).payload()).text();
    }

    private long jobs() {
        return all(store().store(), JobFilter.ALL).size();
    }

    // ---- keep ---------------------------------------------------------------------------------------------------

    @Test
    void aDuplicateReturnsTheHolderOfTheKeyAndWritesNothing() {
        long id = fresh(row(key()).payload("1").priority(3).tags("a"));
        EnqueuedJob second = enqueue(
                        row(key()).payload("2").priority(9).tags("b").delay(MINUTE))
                .get(0);
        assertThat(second).isEqualTo(new EnqueuedJob(id, JobState.PENDING, true));
        JobHistory history = store().history(id);
        assertThat(requireNonNull(history.payload()).text()).isEqualTo("1");
        assertThat(history.job().priority()).isEqualTo(3);
        assertThat(history.job().tags()).containsExactly("a");
        assertThat(history.job().dedupeKey()).isEqualTo("k");
        assertThat(history.events()).hasSize(1);
        assertThat(jobs()).isEqualTo(1);
    }

    @Test
    void dedupeKeysBelongToAType() {
        fresh(key());
        fresh(NewRow.of("q", "other").dedupe(key()));
        assertThat(enqueue(NewRow.of("another", "t").dedupe(key())).get(0).deduplicated())
                .as("of whatever queue")
                .isTrue();
        fresh(Dedupe.key("K"));
        fresh(Dedupe.key("k "));
        fresh(NewRow.job());
        assertThat(jobs()).isEqualTo(5);
    }

    @Test
    void aClaimReturnsTheDedupeKey() {
        long id = fresh(key());
        assertThat(claim(id).dedupeKey()).isEqualTo("k");
        assertThat(store().running(NewRow.job()).dedupeKey()).isNull();
    }

    @Test
    void aDuplicateReturnsTheStateOfTheHolder() {
        long parent = store().enqueue(NewRow.of("q", "parent"));
        long blocked = fresh(row(key()).after(parent, ParentPolicy.WAIT));
        standsFor(key(), blocked, JobState.BLOCKED);
        long scheduled = fresh(row(Dedupe.key("s")).delay(MINUTE));
        standsFor(Dedupe.key("s"), scheduled, JobState.SCHEDULED);
        long running = fresh(Dedupe.key("r"));
        claim(running);
        standsFor(Dedupe.key("r"), running, JobState.RUNNING);
    }

    @Test
    void jobsOfOneCallShareAKey() {
        List<EnqueuedJob> jobs =
                enqueue(row(key()), NewRow.job(), row(Dedupe.key("l")), row(key()), row(Dedupe.key("l")), row(key()));
        assertThat(jobs).extracting(EnqueuedJob::deduplicated).containsExactly(false, false, false, true, true, true);
        assertThat(jobs.get(3).id()).isEqualTo(jobs.get(0).id());
        assertThat(jobs.get(4).id()).isEqualTo(jobs.get(2).id());
        assertThat(jobs.get(5).id()).isEqualTo(jobs.get(0).id());
        assertThat(jobs.get(0).id()).isLessThan(jobs.get(1).id());
        assertThat(jobs.get(1).id()).isLessThan(jobs.get(2).id());
        assertThat(jobs()).isEqualTo(3);
    }

    @Test
    void aBulkOfKeysIsWrittenOnce() {
        List<NewRow> rows = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            rows.add(row(Dedupe.key("key" + i)).payload("" + i));
        }
        List<Long> ids = store().enqueueAll(rows);
        assertThat(ids).isSorted().doesNotHaveDuplicates();
        Collections.reverse(rows);
        List<Long> again = new ArrayList<>(store().enqueueAll(rows));
        Collections.reverse(again);
        assertThat(again).isEqualTo(ids);
        assertThat(jobs()).isEqualTo(500);
    }

    @Test
    void callsThatShareACommitShareAKey() {
        List<CompletableFuture<List<EnqueuedJob>>> answers = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            answers.add(store().store()
                    .submit(new Enqueue(List.of(row(Dedupe.key("key" + i % 7)).row()))));
        }
        Set<Long> ids = new HashSet<>();
        long fresh = 0;
        for (CompletableFuture<List<EnqueuedJob>> answer : answers) {
            EnqueuedJob job = StoreDriver.answer(answer).get(0);
            ids.add(job.id());
            fresh += job.deduplicated() ? 0 : 1;
        }
        assertThat(ids).hasSize(7);
        assertThat(fresh).isEqualTo(7);
        assertThat(jobs()).isEqualTo(7);
    }

    @Test
    void oneOfManyConcurrentEnqueuesGetsTheKey() {
        StoreDriver other = open();
        for (int round = 0; round < 20; round++) {
            NewRow row = row(Dedupe.key("round" + round));
            List<Callable<EnqueuedJob>> tasks = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                StoreDriver driver = i % 2 == 0 ? store() : other;
                tasks.add(() -> StoreDriver.answer(driver.store().submit(new Enqueue(List.of(row.row()))))
                        .get(0));
            }
            List<EnqueuedJob> answers = together(tasks);
            assertThat(answers)
                    .extracting(EnqueuedJob::id)
                    .containsOnly(answers.get(0).id());
            assertThat(answers).filteredOn(job -> !job.deduplicated()).hasSize(1);
        }
        assertThat(jobs()).isEqualTo(20);
    }

    @Test
    void aCallThatIsRefusedTakesNoKey() {
        Throwable refused = failure(store().store()
                .submit(new Enqueue(List.of(
                        row(key()).row(),
                        NewRow.job().after(1L << 40, ParentPolicy.WAIT).row()))));
        assertThat(refused).isInstanceOf(JobNotFoundException.class);
        fresh(key());
    }

    @Test
    void theParentsOfADuplicateMustExist() {
        fresh(key());
        assertThat(failure(store().store()
                        .submit(new Enqueue(List.of(
                                row(key()).after(1L << 40, ParentPolicy.WAIT).row())))))
                .isInstanceOf(JobNotFoundException.class);
    }

    // ---- scopes and the end of the job -----------------------------------------------------------------------------

    @Test
    void unfinishedIsHeldThroughRetriesAndPausesUntilTheEnd() {
        long id = fresh(key().unfinished());
        for (Transition pause : List.of(Transition.HAND_BACK, Transition.SNOOZE, Transition.RETRY_LATER)) {
            ClaimedJob job = claim(id);
            standsFor(key(), id, JobState.RUNNING);
            store().settle(job, pause);
            assertThat(enqueue(key()).id()).as("after %s", pause).isEqualTo(id);
            time.advance(MINUTE.multipliedBy(2));
        }
        store().settle(claim(id), Transition.PARK);
        standsFor(key(), id, JobState.BLOCKED);
        store().change(Verb.COMPLETE, id);
        fresh(key());
    }

    @Test
    void unfinishedIsReleasedByEachEnd() {
        for (Transition end : List.of(Transition.COMPLETE, Transition.FAIL, Transition.CANCEL_RUNNING)) {
            long id = fresh(key());
            assertThat(store().settle(claim(id), end)).isTrue();
            assertThat(store().state(id)).isEqualTo(end.to());
        }
        for (Verb end : List.of(Verb.CANCEL, Verb.COMPLETE, Verb.FAIL)) {
            store().change(end, fresh(key()));
        }
        for (Verb end : List.of(Verb.COMPLETE, Verb.FAIL)) {
            long id = fresh(key());
            ClaimedJob running = claim(id);
            store().change(end, id);
            assertThat(store().complete(running))
                    .as("the holder of the claim is too late")
                    .isFalse();
        }
        long id = fresh(key());
        assertThat(jobs()).isEqualTo(9);
        standsFor(key(), id, JobState.PENDING);
    }

    @Test
    void aRunningJobHoldsItsKeyUntilItIsCancelled() {
        long id = fresh(key());
        ClaimedJob job = claim(id);
        store().change(Verb.CANCEL, id);
        standsFor(key(), id, JobState.RUNNING);
        store().settle(job, Transition.HAND_BACK);
        assertThat(store().state(id)).isEqualTo(JobState.CANCELLED);
        fresh(key());
    }

    @Test
    void aLostHolderReleasesNoKey() {
        long id = fresh(key());
        ClaimedJob lost = claim(id);
        store().settle(lost, Transition.HAND_BACK);
        claim(id);
        assertThat(store().complete(lost)).isFalse();
        standsFor(key(), id, JobState.RUNNING);
    }

    @Test
    void anEndReleasesOnlyTheKeyOfItsJob() {
        long first = fresh(key().untilStarted());
        ClaimedJob running = claim(first);
        long second = fresh(key().unfinished());
        assertThat(store().complete(running)).isTrue();
        standsFor(key(), second, JobState.PENDING);
    }

    @Test
    void aReclaimReleasesTheKeyIfItEndsTheJob() {
        long id = fresh(key());
        claim(id);
        time.advance(StoreDriver.LEASE.plusSeconds(1));
        assertThat(store().reclaim(store().suspects().get(0), Transition.RETRY_LATER, AttemptOutcome.RECOVERED))
                .isTrue();
        standsFor(key(), id, JobState.SCHEDULED);
        time.advance(MINUTE.multipliedBy(2));
        claim(id);
        time.advance(StoreDriver.LEASE.plusSeconds(1));
        assertThat(store().reclaim(store().suspects().get(0), Transition.FAIL, AttemptOutcome.RECOVERED))
                .isTrue();
        fresh(key());
    }

    @Test
    void untilStartedIsReleasedByTheClaimForTheWholeRun() {
        long id = fresh(key().untilStarted());
        standsFor(key().untilStarted(), id, JobState.PENDING);
        ClaimedJob job = claim(id);
        long second = fresh(key().untilStarted());
        store().settle(job, Transition.RETRY_LATER);
        standsFor(key().untilStarted(), second, JobState.PENDING);
        store().change(Verb.CANCEL, second);
        fresh(row(key().untilStarted()).delay(Duration.ofHours(1)));
        for (Transition pause : List.of(Transition.SNOOZE, Transition.PARK, Transition.HAND_BACK)) {
            long paused = fresh(row(Dedupe.key(pause.name()).untilStarted()).priority(9));
            store().settle(claim(paused), pause);
            fresh(row(Dedupe.key(pause.name()).untilStarted()).delay(Duration.ofHours(1)));
        }
    }

    @Test
    void untilStartedIsReleasedByAnEndBeforeTheStart() {
        for (Verb end : List.of(Verb.CANCEL, Verb.COMPLETE, Verb.FAIL)) {
            store().change(end, fresh(key().untilStarted()));
        }
        fresh(key().untilStarted());
    }

    @Test
    void aWindowRunsIndependentlyOfTheJob() {
        Dedupe within = key().within(MINUTE);
        long id = fresh(within);
        assertThat(store().complete(claim(id))).isTrue();
        standsFor(within, id, JobState.COMPLETED);
        time.advance(MINUTE.minusMillis(1));
        standsFor(within, id, JobState.COMPLETED);
        time.advance(Duration.ofMillis(1));
        long second = fresh(within);
        store().change(Verb.CANCEL, second);
        standsFor(within, second, JobState.CANCELLED);
        time.advance(MINUTE);
        long third = fresh(within);
        time.advance(MINUTE);
        long fourth = fresh(within);
        assertThat(store().state(third)).as("it still waits").isEqualTo(JobState.PENDING);
        standsFor(within, fourth, JobState.PENDING);
    }

    @Test
    void aKeyHeldForeverIsReleasedByADeletion() {
        Dedupe any = key().forEver();
        long id = fresh(any);
        store().settle(claim(id), Transition.FAIL);
        time.advance(Duration.ofDays(4000));
        standsFor(any, id, JobState.FAILED);
        store().change(Verb.DELETE, id);
        long second = fresh(any);
        store().complete(claim(second));
        standsFor(any, second, JobState.COMPLETED);
    }

    @Test
    void aDeletionReleasesTheWindowOfItsJob() {
        long id = fresh(key().within(MINUTE));
        store().change(Verb.CANCEL, id);
        store().change(Verb.DELETE, id);
        fresh(key());
    }

    @Test
    void aDeletionReleasesNoKeyOfAnotherJob() {
        long ended = fresh(key());
        store().change(Verb.CANCEL, ended);
        long holder = fresh(key());
        store().change(Verb.DELETE, ended);
        standsFor(key(), holder, JobState.PENDING);
    }

    // ---- retry --------------------------------------------------------------------------------------------------

    @Test
    void aRetryTakesTheKeyAgain() {
        for (Dedupe dedupe : List.of(key().unfinished(), key().untilStarted())) {
            long id = fresh(dedupe);
            store().settle(claim(id), Transition.FAIL);
            assertThat(store().change(Verb.RETRY, id).count()).isEqualTo(1);
            standsFor(dedupe, id, JobState.PENDING);
            ClaimedJob again = claim(id);
            assertThat(enqueue(row(dedupe).delay(Duration.ofHours(1))).get(0).deduplicated())
                    .isEqualTo(dedupe.scope() == Dedupe.Scope.UNFINISHED);
            store().complete(again);
            store().change(Verb.CANCEL, enqueue(dedupe).id());
        }
    }

    @Test
    void aRetryIsRefusedAndNamesTheOtherHolderOfTheKey() {
        for (Dedupe dedupe : List.of(key().unfinished(), key().untilStarted(), key().within(MINUTE))) {
            long ended = fresh(dedupe);
            store().change(Verb.CANCEL, ended);
            time.advance(MINUTE);
            long holder = fresh(dedupe);
            long innocent = store().enqueue(NewRow.job());
            store().change(Verb.CANCEL, innocent);
            assertThat(refusal(Verb.RETRY, innocent, ended))
                    .isInstanceOf(TransitionRefusedException.class)
                    .hasMessageContaining("job " + ended + " ")
                    .hasMessageContaining("job " + holder + " holds its dedupe key 'k'");
            assertThat(store().state(ended)).isEqualTo(JobState.CANCELLED);
            assertThat(store().state(innocent)).isEqualTo(JobState.CANCELLED);
            standsFor(dedupe, holder, JobState.PENDING);
            store().change(Verb.CANCEL, holder);
            time.advance(MINUTE);
            assertThat(store().change(Verb.RETRY, ended).count()).isEqualTo(1);
            store().change(Verb.CANCEL, ended);
        }
    }

    @Test
    void aRefusedRetryTakesNoKey() {
        long free = fresh(Dedupe.key("free"));
        store().change(Verb.CANCEL, free);
        long ended = fresh(key());
        store().change(Verb.CANCEL, ended);
        fresh(key());
        assertThat(refusal(Verb.RETRY, free, ended)).isInstanceOf(TransitionRefusedException.class);
        fresh(Dedupe.key("free"));
    }

    @Test
    void theFirstOfSeveralRetriesWithOneKeyTakesIt() {
        long first = fresh(key());
        store().change(Verb.CANCEL, first);
        long second = fresh(key());
        store().change(Verb.CANCEL, second);
        assertThat(refusal(Verb.RETRY, first, second))
                .isInstanceOf(TransitionRefusedException.class)
                .hasMessageContaining("job " + first + " holds its dedupe key");
        assertThat(store().state(first)).isEqualTo(JobState.CANCELLED);
        assertThat(store().change(Verb.RETRY, second).count()).isEqualTo(1);
    }

    @Test
    void aBulkRetrySkipsJobsWhoseKeyIsHeld() {
        long held = fresh(key());
        store().change(Verb.CANCEL, held);
        fresh(key());
        long first = fresh(Dedupe.key("l"));
        store().change(Verb.CANCEL, first);
        long second = fresh(Dedupe.key("l"));
        store().change(Verb.CANCEL, second);
        long plain = store().enqueue(NewRow.job());
        store().change(Verb.CANCEL, plain);
        for (boolean dryRun : new boolean[] {true, false}) {
            ChangeResult result = StoreDriver.answer(ChangeByFilter.run(
                    store().store(),
                    Change.byFilter(Verb.RETRY, JobFilter.ALL.withState(JobState.CANCELLED), "operator")
                            .dryRun(dryRun)
                            .build()));
            assertThat(result.count()).as("dry run: %s", dryRun).isEqualTo(2);
            assertThat(result.ids())
                    .contains(plain)
                    .containsAnyOf(first, second)
                    .doesNotContain(held);
        }
        assertThat(store().count(JobState.CANCELLED)).isEqualTo(2);
    }

    @Test
    void aRetryOfAJobThatStillHoldsItsKeyIsNoConflict() {
        long window = fresh(key().within(MINUTE));
        store().change(Verb.CANCEL, window);
        store().change(Verb.RETRY, window);
        standsFor(key().within(MINUTE), window, JobState.PENDING);
        long any = fresh(Dedupe.key("any").forEver());
        store().change(Verb.CANCEL, any);
        store().change(Verb.RETRY, any);
        standsFor(Dedupe.key("any").forEver(), any, JobState.PENDING);
    }

    // ---- replace ------------------------------------------------------------------------------------------------

    private static NewRow other(Dedupe dedupe) {
        return NewRow.of("elsewhere", "t")
                .dedupe(dedupe)
                .payload("2")
                .name("second")
                .priority(7)
                .maxAttempts(9)
                .tags("new", "both")
                .extras(5000L, "fixed(1000)", "trace2");
    }

    private void isTheOther(long id) {
        JobHistory history = store().history(id);
        assertThat(requireNonNull(history.payload()).text()).isEqualTo("2");
        assertThat(history.job().name()).isEqualTo("second");
        assertThat(history.job().priority()).isEqualTo(7);
        assertThat(history.job().maxAttempts()).isEqualTo(9);
        assertThat(history.job().tags()).containsExactly("both", "new");
        assertThat(history.job().traceparent()).isEqualTo("trace2");
        assertThat(history.job().queue()).as("it stays where it is").isEqualTo("q");
        assertThat(history.events().get(history.events().size() - 1).event()).isEqualTo(EventKind.REPLACED);
        assertThat(history.events().get(history.events().size() - 1).actor()).isEqualTo("test");
    }

    @Test
    void aReadyJobIsReplaced() {
        store().enqueue(NewRow.job().priority(5));
        long id = fresh(row(key()).payload("1").tags("old", "both"));
        Instant due = store().job(id).scheduledAt();
        time.advance(SECOND);
        assertThat(enqueue(other(key().replace())).get(0)).isEqualTo(new EnqueuedJob(id, JobState.PENDING, true));
        isTheOther(id);
        assertThat(store().job(id).scheduledAt()).as("its place in the order").isEqualTo(due);
        ClaimedJob job = claim(id);
        assertThat(job.payload()).isEqualTo("2");
        assertThat(job.timeoutMillis()).isEqualTo(5000);
        assertThat(job.retryPolicy()).isEqualTo("fixed(1000)");
        assertThat(job.maxAttempts()).isEqualTo(9);
        assertThat(jobs()).isEqualTo(2);
    }

    @Test
    void aReplacementMayRemoveOptionsOfTheJob() {
        long id = fresh(other(key()));
        enqueue(row(key().replace()));
        JobHistory history = store().history(id);
        assertThat(history.payload()).isNull();
        assertThat(history.job().name()).isNull();
        assertThat(history.job().tags()).isEmpty();
        assertThat(history.job().priority()).isZero();
    }

    @Test
    void aReadyJobIsReplacedByOneThatIsDueLater() {
        long id = fresh(key());
        assertThat(enqueue(other(key().replace()).delay(MINUTE)).get(0))
                .isEqualTo(new EnqueuedJob(id, JobState.SCHEDULED, true));
        isTheOther(id);
        assertThat(store().claim(1)).isEmpty();
        time.advance(MINUTE);
        claim(id);
    }

    @Test
    void aScheduledJobIsReplacedByOneThatIsReady() {
        long id = fresh(row(key()).delay(MINUTE));
        store().hints().forget();
        assertThat(enqueue(other(key().replace())).get(0)).isEqualTo(new EnqueuedJob(id, JobState.PENDING, true));
        isTheOther(id);
        store().hints().awaitHint("q", "t");
        claim(id);
    }

    @Test
    void aBlockedJobIsReplacedAndStillWaitsForItsParents() {
        long parent = store().enqueue(NewRow.of("q", "parent"));
        long id = fresh(row(key()).after(parent, ParentPolicy.WAIT));
        assertThat(enqueue(other(key().replace()).delay(MINUTE)).get(0))
                .isEqualTo(new EnqueuedJob(id, JobState.BLOCKED, true));
        isTheOther(id);
        store().change(Verb.COMPLETE, parent);
        assertThat(store().state(id)).isEqualTo(JobState.SCHEDULED);
        assertThat(enqueue(row(key().replace())).get(0).state()).isEqualTo(JobState.PENDING);
    }

    @Test
    void aJobThatWaitsForItsNextAttemptIsReplacedWithAFullBudget() {
        long id = fresh(row(key()).maxAttempts(2));
        store().settle(claim(id), Transition.RETRY_LATER);
        assertThat(store().job(id).attempt()).isEqualTo(1);
        enqueue(row(key().replace()).maxAttempts(1));
        assertThat(store().job(id).attempt()).isZero();
        ClaimedJob again = claim(id);
        assertThat(again.used()).isZero();
        assertThat(again.run()).as("attempts are counted from 1 again").isEqualTo(2);
    }

    @Test
    void aJobWithoutAttemptsIsReplacedInItsFirstRun() {
        long id = fresh(row(key()));
        enqueue(row(key().replace()));
        assertThat(store().job(id).run()).isEqualTo(1);
        assertThat(claim(id).run()).isEqualTo(1);
    }

    @Test
    void runningParkedAndEndedJobsAreNotReplaced() {
        long running = fresh(row(key()).payload("1"));
        ClaimedJob job = claim(running);
        assertThat(enqueue(other(key().replace())).get(0)).isEqualTo(new EnqueuedJob(running, JobState.RUNNING, true));
        store().settle(job, Transition.PARK);
        assertThat(enqueue(other(key().replace())).get(0)).isEqualTo(new EnqueuedJob(running, JobState.BLOCKED, true));
        for (Dedupe dedupe :
                List.of(Dedupe.key("w").within(MINUTE), Dedupe.key("a").forEver())) {
            long ended = fresh(row(dedupe).payload("1"));
            store().complete(claim(ended));
            assertThat(enqueue(other(dedupe.replace())).get(0))
                    .isEqualTo(new EnqueuedJob(ended, JobState.COMPLETED, true));
            assertThat(payload(ended)).isEqualTo("1");
        }
        assertThat(payload(running)).isEqualTo("1");
    }

    @Test
    void theLastOfSeveralReplacementsInOneCallCounts() {
        List<EnqueuedJob> jobs = enqueue(
                row(key().replace()).payload("1").tags("a"),
                row(key().replace()).payload("2").tags("b"),
                row(key().replace()).payload("3").tags("c"));
        assertThat(jobs).extracting(EnqueuedJob::id).containsOnly(jobs.get(0).id());
        assertThat(payload(jobs.get(0).id())).isEqualTo("3");
        assertThat(store().job(jobs.get(0).id()).tags()).containsExactly("c");
        assertThat(jobs()).isEqualTo(1);
    }

    @Test
    void aClaimRacingWithAReplacementGetsOneWholeVersion() {
        StoreDriver other = open();
        for (int round = 0; round < 20; round++) {
            Dedupe dedupe = Dedupe.key("round" + round).untilStarted().replace();
            long id = fresh(row(dedupe).payload("1"));
            List<Callable<Object>> tasks = new ArrayList<>();
            tasks.add(() -> StoreDriver.answer(other.store()
                    .submit(new Enqueue(List.of(row(dedupe).payload("2").row())))));
            tasks.add(() -> store().claim(1));
            List<Object> answers = together(tasks);
            EnqueuedJob second = (EnqueuedJob) ((List<?>) answers.get(0)).get(0);
            // A claim may leave out a job that is being replaced.
            List<?> taken = (List<?>) answers.get(1);
            ClaimedJob claimed = taken.isEmpty() ? store().claimOne() : (ClaimedJob) taken.get(0);
            assertThat(claimed.id()).isEqualTo(id);
            assertThat(claimed.payload()).isEqualTo(second.deduplicated() ? "2" : "1");
            assertThat(store().complete(claimed)).isTrue();
            if (!second.deduplicated()) {
                store().complete(claim(second.id()));
            }
        }
    }

    // ---- debounce -----------------------------------------------------------------------------------------------

    @Test
    void aDebouncedJobRunsAfterAQuietPeriod() {
        Dedupe debounce = key().debounce(MINUTE);
        assertThat(enqueue(row(debounce).payload("1")).get(0).state()).isEqualTo(JobState.SCHEDULED);
        long id = all(store().store(), JobFilter.ALL).get(0).id();
        Instant first = time.now();
        assertThat(store().job(id).scheduledAt()).isEqualTo(first.plus(MINUTE));
        for (int i = 0; i < 3; i++) {
            time.advance(Duration.ofSeconds(40));
            assertThat(store().claim(1)).isEmpty();
            assertThat(enqueue(row(debounce).payload("later" + i)).get(0))
                    .isEqualTo(new EnqueuedJob(id, JobState.SCHEDULED, true));
            assertThat(store().job(id).scheduledAt()).isEqualTo(time.now().plus(MINUTE));
        }
        time.advance(MINUTE);
        assertThat(claim(id).payload()).isEqualTo("later2");
        assertThat(store().events(id))
                .containsExactly(
                        EventKind.ENQUEUED,
                        EventKind.REPLACED,
                        EventKind.REPLACED,
                        EventKind.REPLACED,
                        EventKind.CLAIMED);
        long next = fresh(debounce);
        assertThat(store().state(next)).as("while the other runs").isEqualTo(JobState.SCHEDULED);
    }

    @Test
    void aReadyDebouncedJobIsDelayedAgain() {
        Dedupe debounce = key().debounce(MINUTE);
        long id = fresh(debounce);
        store().change(Verb.TRIGGER, id);
        assertThat(store().state(id)).isEqualTo(JobState.PENDING);
        assertThat(enqueue(debounce)).isEqualTo(new EnqueuedJob(id, JobState.SCHEDULED, true));
        assertThat(store().claim(1)).isEmpty();
    }

    @Test
    void aDebounceUntilTheEndKeepsARunningJob() {
        Dedupe debounce = key().debounce(MINUTE).unfinished();
        long id = fresh(debounce);
        time.advance(MINUTE);
        claim(id);
        standsFor(debounce, id, JobState.RUNNING);
    }

    // ---- throttle -----------------------------------------------------------------------------------------------

    @Test
    void aThrottledJobRunsAtOnceAndANextOneAtTheEndOfThePeriod() {
        Dedupe throttle = key().throttle(MINUTE);
        assertThat(enqueue(throttle)).matches(job -> job.state() == JobState.PENDING && !job.deduplicated());
        ClaimedJob first = store().claimOne();
        Instant start = time.now();
        store().complete(first);
        time.advance(SECOND);
        long second = fresh(row(throttle).payload("2"));
        assertThat(store().job(second).scheduledAt()).isEqualTo(start.plus(MINUTE));
        time.advance(SECOND);
        assertThat(enqueue(row(throttle).payload("3")).get(0))
                .isEqualTo(new EnqueuedJob(second, JobState.SCHEDULED, true));
        assertThat(payload(second)).isEqualTo("2");
        time.advance(MINUTE.minusSeconds(3));
        assertThat(store().claim(1)).isEmpty();
        time.advance(SECOND);
        store().complete(claim(second));
        long third = fresh(throttle);
        assertThat(store().job(third).scheduledAt()).isEqualTo(time.now().plus(MINUTE));
    }

    @Test
    void afterAQuietPeriodAThrottledJobRunsAtOnce() {
        Dedupe throttle = key().throttle(MINUTE);
        long first = fresh(throttle);
        store().complete(claim(first));
        time.advance(MINUTE);
        assertThat(enqueue(throttle).state()).isEqualTo(JobState.PENDING);
    }

    @Test
    void anUnstartedThrottledJobAbsorbsDuplicatesHoweverLateItIs() {
        Dedupe throttle = key().throttle(MINUTE);
        long first = fresh(throttle);
        time.advance(MINUTE.multipliedBy(10));
        standsFor(throttle, first, JobState.PENDING);
        ClaimedJob late = claim(first);
        long second = fresh(throttle);
        assertThat(store().job(second).scheduledAt())
                .as("the period begins with the start")
                .isEqualTo(time.now().plus(MINUTE));
        store().complete(late);
    }

    @Test
    void aRunningThrottledJobLetsOneMoreWait() {
        Dedupe throttle = key().throttle(MINUTE);
        long first = fresh(throttle);
        ClaimedJob running = claim(first);
        time.advance(MINUTE.multipliedBy(2));
        long second = fresh(throttle);
        assertThat(store().state(second))
                .as("a period after the start of the first")
                .isEqualTo(JobState.PENDING);
        standsFor(throttle, second, JobState.PENDING);
        store().complete(running);
        standsFor(throttle, second, JobState.PENDING);
    }

    @Test
    void aThrottledJobCancelledBeforeItsStartFreesItsTime() {
        Dedupe throttle = key().throttle(MINUTE);
        long first = fresh(throttle);
        store().complete(claim(first));
        long second = fresh(throttle);
        Instant due = store().job(second).scheduledAt();
        store().change(Verb.CANCEL, second);
        long third = fresh(throttle);
        assertThat(store().job(third).scheduledAt()).isEqualTo(due);
    }

    // ---- direct dispatch, callers' transactions --------------------------------------------------------------------

    private CompletableFuture<Claimed> offer(int limit) {
        CompletableFuture<Claimed> answer = new CompletableFuture<>();
        store().hints().offer(new WaitingClaim(StoreDriver.request(limit), answer));
        return answer;
    }

    @Test
    void aJobWithAKeyIsDispatchedDirectlyToAFreeWorker() {
        CompletableFuture<Claimed> answer = offer(5);
        long id = fresh(row(key().untilStarted()).payload("[1]"));
        ClaimedJob job = StoreDriver.answer(answer).jobs().get(0);
        assertThat(job.id()).isEqualTo(id);
        assertThat(job.dedupeKey()).isEqualTo("k");
        assertThat(job.payload()).isEqualTo("[1]");
        assertThat(store().events(id)).containsExactly(EventKind.ENQUEUED, EventKind.CLAIMED);
        long second = fresh(key().untilStarted());
        assertThat(store().complete(job)).isTrue();
        assertThat(store().state(second)).isEqualTo(JobState.PENDING);
    }

    @Test
    void jobsWithAndWithoutKeysAreDispatchedInOrder() {
        CompletableFuture<Claimed> answer = offer(2);
        List<EnqueuedJob> jobs = enqueue(NewRow.job(), row(key()), NewRow.job(), row(key()));
        assertThat(StoreDriver.answer(answer).jobs())
                .extracting(ClaimedJob::id)
                .containsExactly(jobs.get(0).id(), jobs.get(1).id());
        claim(jobs.get(2).id());
        assertThat(store().claim(1)).isEmpty();
    }

    // ---- the newest job of a key ------------------------------------------------------------------------------------

    private Optional<Long> find(String key, String... types) {
        return store().store().find(new FindKeyed(List.of(types), key));
    }

    @Test
    void theNewestJobOfAKeyIsFoundWhetherOrNotItHoldsTheKey() {
        assertThat(find("k", "t")).isEmpty();
        long first = fresh(key());
        assertThat(find("k", "t")).hasValue(first);
        store().complete(claim(first));
        assertThat(find("k", "t")).as("it has ended").hasValue(first);
        long second = fresh(key().untilStarted());
        fresh(row(Dedupe.key("k2")));
        fresh(row(Dedupe.key("a")));
        fresh(NewRow.job());
        store().change(Verb.CANCEL, second);
        assertThat(find("k", "t")).hasValue(second);
        assertThat(all(store().store(), JobFilter.ALL.withDedupeKey("k")))
                .extracting(JobInfo::id)
                .containsExactly(second, first);
        store().change(Verb.DELETE, second);
        assertThat(find("k", "t")).hasValue(first);
    }

    @Test
    void theNewestJobOfAKeyIsFoundAlsoIfItsProcessHasSmallerIds() {
        fresh(NewRow.job());
        StoreDriver other = open();
        long first = other.enqueue(row(key()));
        assertThat(find("k", "t")).hasValue(first);
        other.change(Verb.CANCEL, first);
        time.advance(Duration.ofMillis(1));
        long second = fresh(key());
        assertThat(find("k", "t")).hasValue(second);
        assertThat(other.store().find(new FindKeyed(List.of("t"), "k"))).hasValue(second);
    }

    @Test
    void aKeyIsFoundWithinItsTypeAndTheNamesOfThatType() {
        long old = fresh(NewRow.of("q", "former").dedupe(key()));
        long other = fresh(NewRow.of("q", "other").dedupe(key()));
        assertThat(find("k", "present")).isEmpty();
        assertThat(find("k", "former", "present")).hasValue(old);
        assertThat(find("k", "other")).hasValue(other);
        long present = fresh(NewRow.of("q2", "present").dedupe(key()));
        assertThat(find("k", "former", "present")).hasValue(present);
        assertThat(find("K", "present")).isEmpty();
    }

    @Test
    void aCallersTransactionFindsItsOwnJobOfAKeyAndNoReadDoesBeforeTheCommit() throws SQLException {
        FindKeyed ofKey = new FindKeyed(List.of("t"), "k");
        try (Connection connection = begin()) {
            long id = enqueue(connection, row(key())).get(0).id();
            assertThat(store().store().apply(connection, ofKey)).hasValue(id);
            assertThat(store().store().find(ofKey)).isEmpty();
            connection.rollback();
        }
        try (Connection connection = begin()) {
            assertThat(store().store().apply(connection, ofKey)).isEmpty();
            long id = enqueue(connection, row(key())).get(0).id();
            connection.commit();
            assertThat(store().store().apply(connection, ofKey)).hasValue(id);
            assertThat(store().store().find(ofKey)).hasValue(id);
            connection.commit();
        }
    }

    private Connection begin() throws SQLException {
        Connection connection = newConnection();
        connection.setAutoCommit(false);
        return connection;
    }

    private List<EnqueuedJob> enqueue(Connection connection, NewRow... rows) {
        return store().store()
                .apply(
                        connection,
                        new Enqueue(Arrays.stream(rows).map(NewRow::row).toList()));
    }

    @Test
    void aKeyCommitsAndRollsBackWithTheCallersTransaction() throws SQLException {
        try (Connection connection = begin()) {
            List<EnqueuedJob> jobs = enqueue(connection, row(key()), row(key()));
            assertThat(jobs).extracting(EnqueuedJob::deduplicated).containsExactly(false, true);
            assertThat(enqueue(connection, row(key())).get(0).id())
                    .isEqualTo(jobs.get(0).id());
            connection.rollback();
        }
        EnqueuedJob job;
        try (Connection connection = begin()) {
            job = enqueue(connection, row(key()).payload("1")).get(0);
            assertThat(job.deduplicated()).isFalse();
            assertThat(enqueue(connection, row(key().replace()).payload("2")).get(0))
                    .isEqualTo(new EnqueuedJob(job.id(), JobState.PENDING, true));
            connection.commit();
        }
        standsFor(key(), job.id(), JobState.PENDING);
        assertThat(claim(job.id()).payload()).isEqualTo("2");
    }

    @Test
    void aCallersTransactionDoesNotChangeTheHolderOfAKey() throws SQLException {
        long id = fresh(key());
        ClaimedJob running = claim(id);
        try (Connection connection = begin()) {
            assertThat(enqueue(connection, row(key())).get(0)).isEqualTo(new EnqueuedJob(id, JobState.RUNNING, true));
            connection.commit();
        }
        assertThat(store().complete(running)).isTrue();
        fresh(key());
    }

    @Test
    void endsAndRetriesInACallersTransactionReleaseAndTakeKeys() throws SQLException {
        long id = fresh(key());
        try (Connection connection = begin()) {
            store().store().apply(connection, StoreDriver.change(Verb.CANCEL, List.of(id)));
            long second = enqueue(connection, row(key())).get(0).id();
            assertThat(second).isNotEqualTo(id);
            assertThat(catchThrowable(
                            () -> store().store().apply(connection, StoreDriver.change(Verb.RETRY, List.of(id)))))
                    .isInstanceOf(TransitionRefusedException.class)
                    .hasMessageContaining("job " + second);
            connection.rollback();
        }
        standsFor(key(), id, JobState.PENDING);
    }

    @Test
    void anEnqueueThatWaitsForACallersTransactionFindsItsJob() throws Exception {
        for (boolean commit : new boolean[] {true, false}) {
            CompletableFuture<List<EnqueuedJob>> waiting;
            EnqueuedJob first;
            Dedupe dedupe = Dedupe.key("commit " + commit);
            try (Connection connection = begin()) {
                first = enqueue(connection, row(dedupe)).get(0);
                waiting = store().store().submit(new Enqueue(List.of(row(dedupe).row())));
                assertThat(waiting).isNotDone();
                if (commit) {
                    connection.commit();
                } else {
                    connection.rollback();
                }
            }
            EnqueuedJob second = StoreDriver.answer(waiting).get(0);
            assertThat(second.deduplicated()).isEqualTo(commit);
            if (commit) {
                assertThat(second.id()).isEqualTo(first.id());
            }
        }
        assertThat(all(store().store(), JobFilter.ALL))
                .extracting(JobInfo::dedupeKey)
                .hasSize(2);
    }
}
