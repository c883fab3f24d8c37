package dev.windrow.contract.workflow;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.windrow.Dedupe;
import dev.windrow.EventKind;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobInfo;
import dev.windrow.JobNotFoundException;
import dev.windrow.JobState;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreContract;
import dev.windrow.contract.StoreDriver;
import dev.windrow.limit.ConcurrencyKey;
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
import dev.windrow.store.job.JobRow;
import dev.windrow.store.job.WaitingClaim;
import dev.windrow.store.workflow.ParentPlaces;
import dev.windrow.workflow.BatchProgress;
import dev.windrow.workflow.ParentOutcome;
import dev.windrow.workflow.ParentPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

/** Jobs of one call that wait for each other, and that form a workflow. */
public abstract class WorkflowContract extends StoreContract {
    /** Creates the contract for a subclass. */
    protected WorkflowContract() {}

    /** Returns a new connection to the database of this test's stores, as an application would open one. The test closes it. */
    protected abstract Connection newConnection() throws SQLException;

    private static NewRow row() {
        return NewRow.job().inWorkflow();
    }

    private List<EnqueuedJob> enqueue(NewRow... rows) {
        return StoreDriver.answer(store().store().submit(new Enqueue(rows(rows))));
    }

    private static List<JobRow> rows(NewRow... rows) {
        return Arrays.stream(rows).map(NewRow::row).toList();
    }

    private Throwable refusal(NewRow... rows) {
        return failure(store().store().submit(new Enqueue(rows(rows))));
    }

    private long workflow(List<EnqueuedJob> jobs) {
        long id = requireNonNull(jobs.get(0).workflow());
        assertThat(jobs).extracting(EnqueuedJob::workflow).containsOnly(id);
        return id;
    }

    private Set<JobState> statesOfAll(long workflow) {
        return store().store().workflow(workflow).keySet();
    }

    @Test
    void aJobWaitsForAnotherOneOfItsCall() {
        List<EnqueuedJob> jobs = enqueue(NewRow.job(), NewRow.job().afterPlace(0, ParentPolicy.WAIT));
        assertThat(jobs).extracting(EnqueuedJob::state).containsExactly(JobState.PENDING, JobState.BLOCKED);
        assertThat(store().job(jobs.get(1).id()).dependsOn())
                .containsExactly(new JobInfo.Dependency(jobs.get(0).id(), JobState.PENDING, ParentPolicy.WAIT));
        ClaimedJob parent = store().claimOne();
        assertThat(parent.id()).isEqualTo(jobs.get(0).id());
        store().complete(parent);
        assertThat(store().claimOne().id()).isEqualTo(jobs.get(1).id());
        assertThat(store().events(jobs.get(1).id()))
                .containsExactly(EventKind.ENQUEUED, EventKind.RELEASED, EventKind.CLAIMED);
    }

    @Test
    void aParentMayFollowItsChildInTheCall() {
        List<EnqueuedJob> jobs = enqueue(
                NewRow.of("q", "last").afterPlace(1, ParentPolicy.WAIT).afterPlace(2, ParentPolicy.RUN),
                NewRow.of("q", "middle").afterPlace(2, ParentPolicy.WAIT),
                NewRow.job());
        assertThat(jobs)
                .extracting(EnqueuedJob::state)
                .containsExactly(JobState.BLOCKED, JobState.BLOCKED, JobState.PENDING);
        assertThat(store().store().parents(jobs.get(0).id()))
                .extracting(ParentOutcome::id)
                .containsExactly(jobs.get(1).id(), jobs.get(2).id());
        assertThat(store().job(jobs.get(0).id()).type()).isEqualTo("last");
    }

    @Test
    void parentsOfTheCallAndStoredOnesKeepTheirDeclaredOrder() {
        ClaimedJob done = store().running(NewRow.job());
        store().complete(done);
        long open = store().enqueue(NewRow.job());
        List<EnqueuedJob> jobs = enqueue(
                NewRow.job()
                        .after(open, ParentPolicy.RUN)
                        .afterPlace(1, ParentPolicy.WAIT)
                        .after(done.id(), ParentPolicy.WAIT),
                NewRow.job());
        assertThat(store().job(jobs.get(0).id()).dependsOn())
                .containsExactly(
                        new JobInfo.Dependency(open, JobState.PENDING, ParentPolicy.RUN),
                        new JobInfo.Dependency(jobs.get(1).id(), JobState.PENDING, ParentPolicy.WAIT),
                        new JobInfo.Dependency(done.id(), JobState.COMPLETED, ParentPolicy.WAIT));
    }

    @Test
    void jobsThatWaitForEachOtherInACycleAreRefusedAndNothingIsWritten() {
        Throwable refusal = refusal(
                NewRow.job(),
                NewRow.job().name("first").afterPlace(3, ParentPolicy.WAIT),
                NewRow.job().afterPlace(1, ParentPolicy.WAIT).afterPlace(0, ParentPolicy.WAIT),
                NewRow.job().afterPlace(2, ParentPolicy.RUN));
        assertThat(refusal)
                .isInstanceOf(InvalidRequestException.class)
                .hasMessage(
                        "jobs wait for each other in a cycle, and none of them would ever run: job 1 (t 'first') waits for"
                                + " job 3 (t) waits for job 2 (t) waits for job 1 (t 'first')");
        assertThat(refusal(NewRow.job().afterPlace(0, ParentPolicy.RUN)))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("cycle");
        assertThat(all(store().store(), JobFilter.ALL)).isEmpty();
    }

    @Test
    void aParentPositionOutsideOfTheCallIsRefusedAndNothingIsWritten() {
        assertThat(refusal(NewRow.job(), NewRow.job().afterPlace(2, ParentPolicy.WAIT)))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessage("job 1 (t) depends on place 2 of its call, which has 2 jobs: 0 to 1");
        assertThat(refusal(NewRow.job().after(Long.MIN_VALUE, ParentPolicy.WAIT)))
                .isInstanceOf(InvalidRequestException.class);
        assertThat(all(store().store(), JobFilter.ALL)).isEmpty();
    }

    @Test
    void aStoredParentThatIsMissingRefusesTheWholeCall() {
        long gone = store().enqueue(NewRow.job());
        store().change(Verb.CANCEL, gone);
        store().change(Verb.DELETE, gone);
        assertThat(refusal(row(), row().afterPlace(0, ParentPolicy.WAIT), row().after(gone, ParentPolicy.WAIT)))
                .isInstanceOf(JobNotFoundException.class);
        assertThat(all(store().store(), JobFilter.ALL)).isEmpty();
    }

    @Test
    void aRefusedWorkflowHarmsNoOtherOperationOfItsTransaction() {
        List<CompletableFuture<List<EnqueuedJob>>> answers = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            NewRow second =
                    i % 2 == 0 ? row().afterPlace(0, ParentPolicy.WAIT) : row().afterPlace(1, ParentPolicy.WAIT);
            answers.add(store().store().submit(new Enqueue(rows(row(), second))));
        }
        for (int i = 0; i < 50; i++) {
            if (i % 2 == 0) {
                assertThat(StoreDriver.answer(answers.get(i))).hasSize(2);
            } else {
                assertThat(failure(answers.get(i))).isInstanceOf(InvalidRequestException.class);
            }
        }
        assertThat(all(store().store(), JobFilter.ALL)).hasSize(50);
    }

    @Test
    void anExistingHolderOfAParentsKeyIsTheParentInItsState() {
        Dedupe key = Dedupe.key("k");
        long existing = store().enqueue(NewRow.job().dedupe(key));
        List<EnqueuedJob> jobs = enqueue(row().afterPlace(1, ParentPolicy.WAIT), row().dedupe(key));
        assertThat(jobs.get(1).deduplicated()).isTrue();
        assertThat(jobs.get(1).id()).isEqualTo(existing);
        assertThat(jobs.get(0).state()).isEqualTo(JobState.BLOCKED);
        assertThat(store().job(jobs.get(0).id()).dependsOn())
                .containsExactly(new JobInfo.Dependency(existing, JobState.PENDING, ParentPolicy.WAIT));
        assertThat(store().job(existing).workflow()).isNull();
        assertThat(store().store().workflow(workflow(jobs))).containsExactly(Map.entry(JobState.BLOCKED, 1L));
        store().complete(store().claimOne());
        assertThat(store().state(jobs.get(0).id())).isEqualTo(JobState.PENDING);
    }

    @Test
    void anExistingCompletedParentBlocksNoChild() {
        Dedupe key = Dedupe.key("k").forEver();
        ClaimedJob existing = store().running(NewRow.job().dedupe(key));
        store().complete(existing);
        List<EnqueuedJob> jobs = enqueue(row().dedupe(key), row().afterPlace(0, ParentPolicy.WAIT));
        assertThat(jobs.get(0).id()).isEqualTo(existing.id());
        assertThat(jobs.get(1).state()).isEqualTo(JobState.PENDING);
        assertThat(store().job(jobs.get(1).id()).dependsOn())
                .containsExactly(new JobInfo.Dependency(existing.id(), JobState.COMPLETED, ParentPolicy.WAIT));
    }

    @Test
    void jobsOfOneCallMayShareAKeyAndChildrenWaitForTheWrittenOne() {
        Dedupe key = Dedupe.key("k");
        List<EnqueuedJob> jobs = enqueue(
                row().dedupe(key),
                row().dedupe(key),
                row().afterPlace(0, ParentPolicy.WAIT).afterPlace(1, ParentPolicy.RUN),
                row().dedupe(Dedupe.key("other")).afterPlace(2, ParentPolicy.WAIT));
        assertThat(jobs).extracting(EnqueuedJob::deduplicated).containsExactly(false, true, false, false);
        assertThat(jobs.get(1).id()).isEqualTo(jobs.get(0).id());
        assertThat(jobs)
                .extracting(EnqueuedJob::state)
                .containsExactly(JobState.PENDING, JobState.PENDING, JobState.BLOCKED, JobState.BLOCKED);
        store().complete(store().claimOne());
        assertThat(store().claimOne().id()).isEqualTo(jobs.get(2).id());
        assertThat(store().claim(1)).isEmpty();
    }

    @Test
    void jobsWithConcurrencyKeysGetPermitsWhenTheirParentsHaveEnded() {
        ConcurrencyKey one = ConcurrencyKey.atMost("k", 1);
        List<EnqueuedJob> jobs = enqueue(
                row().afterPlace(2, ParentPolicy.WAIT).concurrencyKey(one),
                row().afterPlace(2, ParentPolicy.WAIT).concurrencyKey(one),
                row().concurrencyKey(one));
        ClaimedJob first = store().claimOne();
        assertThat(first.id()).isEqualTo(jobs.get(2).id());
        store().complete(first);
        ClaimedJob second = store().claimOne();
        assertThat(store().claim(1)).isEmpty();
        store().complete(second);
        store().complete(store().claimOne());
        assertThat(statesOfAll(workflow(jobs))).containsExactly(JobState.COMPLETED);
    }

    @Test
    void aWaitingJobIsNotDispatched() {
        CompletableFuture<Claimed> answer = new CompletableFuture<>();
        // The lane is known to the direct dispatch.
        store().complete(store().running(NewRow.job()));
        store().hints().offer(new WaitingClaim(StoreDriver.request(5), answer));
        List<EnqueuedJob> jobs = enqueue(row().afterPlace(1, ParentPolicy.WAIT), row());
        assertThat(StoreDriver.answer(answer).jobs())
                .extracting(ClaimedJob::id)
                .containsExactly(jobs.get(1).id());
        assertThat(store().state(jobs.get(0).id())).isEqualTo(JobState.BLOCKED);
        assertThat(store().store().workflow(workflow(jobs)))
                .containsOnly(Map.entry(JobState.BLOCKED, 1L), Map.entry(JobState.RUNNING, 1L));
    }

    @Test
    void aWorkflowHasAnIdOfItsOwnAndItsJobsNameIt() {
        List<EnqueuedJob> jobs = enqueue(row(), row().afterPlace(0, ParentPolicy.WAIT));
        List<EnqueuedJob> others = enqueue(row(), row());
        long alone = store().enqueue(NewRow.job());
        long id = workflow(jobs);
        assertThat(List.of(id, workflow(others)))
                .doesNotHaveDuplicates()
                .doesNotContainAnyElementsOf(jobs.stream().map(EnqueuedJob::id).toList());
        assertThat(store().job(jobs.get(1).id()).workflow()).isEqualTo(id);
        assertThat(store().job(alone).workflow()).isNull();
        assertThat(store().store().workflow(id))
                .containsOnly(Map.entry(JobState.PENDING, 1L), Map.entry(JobState.BLOCKED, 1L));
        assertThat(store().store().workflow(alone)).isEmpty();
        assertThat(all(store().store(), JobFilter.workflow(id)))
                .extracting(JobInfo::id)
                .containsExactlyInAnyOrderElementsOf(
                        jobs.stream().map(EnqueuedJob::id).toList());
    }

    @Test
    void concurrentWorkflowsAreNotMixed() {
        List<CompletableFuture<List<EnqueuedJob>>> answers = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            NewRow keyed = i % 2 == 0 ? row().dedupe(Dedupe.key("k" + i)) : row();
            answers.add(store().store().submit(new Enqueue(rows(keyed, row()))));
        }
        Set<Long> ids = new HashSet<>();
        for (CompletableFuture<List<EnqueuedJob>> answer : answers) {
            List<EnqueuedJob> jobs = StoreDriver.answer(answer);
            long id = workflow(jobs);
            ids.add(id);
            assertThat(all(store().store(), JobFilter.workflow(id)))
                    .extracting(JobInfo::id)
                    .containsExactlyInAnyOrderElementsOf(
                            jobs.stream().map(EnqueuedJob::id).toList());
        }
        assertThat(ids).hasSize(40);
    }

    @Test
    void aListingOfAWorkflowAppliesTheWholeFilterAndPages() {
        List<EnqueuedJob> jobs = enqueue(
                row().tags("red"), row(), NewRow.of("other", "u").inWorkflow().tags("red"), row());
        store().enqueue(NewRow.job().tags("red"));
        JobFilter filter = JobFilter.workflow(workflow(jobs));
        assertThat(store().store().list(filter, Long.MAX_VALUE, 3).jobs()).hasSize(3);
        assertThat(all(store().store(), filter)).hasSize(4);
        assertThat(all(store().store(), filter.withState(JobState.RUNNING))).isEmpty();
        assertThat(all(store().store(), filter.withState(JobState.PENDING))).hasSize(4);
        assertThat(all(store().store(), filter.withType("u"))).hasSize(1);
        assertThat(all(store().store(), filter.withTags(List.of("red")))).hasSize(2);
        assertThat(all(store().store(), filter.withQueue("q").withTags(List.of("red"))))
                .hasSize(1);
    }

    private ChangeResult changeAll(Verb verb, long workflow) {
        return StoreDriver.answer(ChangeByFilter.run(
                store().store(),
                Change.byFilter(verb, JobFilter.workflow(workflow), "operator").build()));
    }

    @Test
    void onlyTheJobsOfAWorkflowAreCancelledRetriedAndDeleted() {
        long alone = store().enqueue(NewRow.of("q", "alone"));
        List<EnqueuedJob> jobs = enqueue(
                row(),
                row().afterPlace(0, ParentPolicy.WAIT),
                row().afterPlace(1, ParentPolicy.WAIT).afterPlace(0, ParentPolicy.WAIT));
        long id = workflow(jobs);
        assertThat(changeAll(Verb.CANCEL, id).count()).isEqualTo(3);
        assertThat(store().store().workflow(id)).containsExactly(Map.entry(JobState.CANCELLED, 3L));
        assertThat(changeAll(Verb.RETRY, id).count()).isEqualTo(3);
        assertThat(store().store().workflow(id))
                .containsOnly(Map.entry(JobState.PENDING, 1L), Map.entry(JobState.BLOCKED, 2L));
        for (EnqueuedJob job : jobs) {
            ClaimedJob claimed = store().claimOne();
            assertThat(claimed.id()).isEqualTo(job.id());
            store().complete(claimed);
        }
        assertThat(store().store().workflow(id)).containsExactly(Map.entry(JobState.COMPLETED, 3L));
        long other = workflow(enqueue(row(), row().afterPlace(0, ParentPolicy.RUN)));
        changeAll(Verb.CANCEL, other);
        // A parent is deleted once its child is deleted.
        while (changeAll(Verb.DELETE, other).count() > 0) {}
        assertThat(store().store().workflow(other)).isEmpty();
        assertThat(store().state(alone)).isEqualTo(JobState.PENDING);
        assertThat(requireNonNull(store().audit(1).get(0).detail()).text()).contains("\"workflow\":" + other);
    }

    @Test
    void theProgressOfABatchCountsTheParentsOfItsCallback() {
        List<EnqueuedJob> jobs = enqueue(
                row(),
                row(),
                row(),
                NewRow.of("q", "callback")
                        .inWorkflow()
                        .afterPlace(0, ParentPolicy.RUN)
                        .afterPlace(1, ParentPolicy.RUN)
                        .afterPlace(2, ParentPolicy.RUN));
        long callback = jobs.get(3).id();
        assertThat(store().store().batch(callback)).contains(new BatchProgress(callback, JobState.BLOCKED, 3, 0, 0));
        List<ClaimedJob> claimed = store().claim(3);
        store().complete(claimed.get(0));
        store().settle(claimed.get(1), Transition.FAIL);
        assertThat(store().store().batch(callback)).contains(new BatchProgress(callback, JobState.BLOCKED, 3, 2, 1));
        store().complete(claimed.get(2));
        assertThat(store().store().batch(callback)).contains(new BatchProgress(callback, JobState.PENDING, 3, 3, 1));
        store().change(Verb.RETRY, claimed.get(1).id());
        assertThat(store().store().batch(callback)).contains(new BatchProgress(callback, JobState.PENDING, 3, 3, 0));
        assertThat(store().store().batch(claimed.get(0).id()))
                .contains(new BatchProgress(claimed.get(0).id(), JobState.COMPLETED, 0, 0, 0));
        assertThat(store().store().batch(1_000_000_000)).isEmpty();
    }

    @Test
    void aWorkflowInACallersTransactionIsAtomic() throws SQLException {
        List<JobRow> rows = rows(
                row().afterPlace(1, ParentPolicy.WAIT).dedupe(Dedupe.key("child")),
                row().dedupe(Dedupe.key("parent")),
                row().afterPlace(0, ParentPolicy.RUN));
        try (Connection connection = newConnection()) {
            connection.setAutoCommit(false);
            assertThat(store().store().apply(connection, new Enqueue(rows))).hasSize(3);
            connection.rollback();
            assertThat(all(store().store(), JobFilter.ALL)).isEmpty();
            assertThat(catchThrowable(() -> {
                        Object unused = store().store()
                                .apply(connection, new Enqueue(rows(row(), row().afterPlace(1, ParentPolicy.WAIT))));
                    }))
                    .isInstanceOf(InvalidRequestException.class);
            List<EnqueuedJob> jobs = store().store().apply(connection, new Enqueue(rows));
            connection.commit();
            assertThat(jobs)
                    .extracting(EnqueuedJob::state)
                    .containsExactly(JobState.BLOCKED, JobState.PENDING, JobState.BLOCKED);
            assertThat(all(store().store(), JobFilter.workflow(workflow(jobs)))).hasSize(3);
            for (int place : new int[] {1, 0, 2}) {
                ClaimedJob claimed = store().claimOne();
                assertThat(claimed.id()).isEqualTo(jobs.get(place).id());
                store().complete(claimed);
            }
        }
    }

    @Test
    void eachJobRunsAfterItsParentsInEveryShapeAndOrder(TestReporter reporter) {
        Random random = new Random(seed(reporter));
        for (int round = 0; round < 5; round++) {
            int size = 1 + random.nextInt(40);
            List<Integer> places = new ArrayList<>();
            for (int i = 0; i < size; i++) {
                places.add(i);
            }
            Collections.shuffle(places, random);
            NewRow[] rows = new NewRow[size];
            // The i-th job by rank is at places.get(i), and waits for jobs of lower ranks.
            for (int rank = 0; rank < size; rank++) {
                NewRow row = row();
                for (int parent = 0; parent < rank; parent++) {
                    if (random.nextInt(4) == 0) {
                        row = row.afterPlace(places.get(parent), ParentPolicy.WAIT);
                    }
                }
                rows[places.get(rank)] = random.nextInt(5) == 0 ? row.dedupe(Dedupe.key(round + "/" + rank)) : row;
            }
            List<EnqueuedJob> jobs = enqueue(rows);
            Set<Long> done = new HashSet<>();
            while (done.size() < size) {
                List<ClaimedJob> claimed = store().claim(1 + random.nextInt(5));
                assertThat(claimed).isNotEmpty();
                for (ClaimedJob job : claimed) {
                    int place = jobs.stream().map(EnqueuedJob::id).toList().indexOf(job.id());
                    rows[place]
                            .row()
                            .parents()
                            .forEach(parent -> assertThat(done)
                                    .contains(jobs.get((int) (ParentPlaces.named(0) - parent.id()))
                                            .id()));
                }
                claimed.forEach(job -> {
                    store().complete(job);
                    done.add(job.id());
                });
            }
            assertThat(store().store().workflow(workflow(jobs)))
                    .containsExactly(Map.entry(JobState.COMPLETED, (long) size));
        }
    }

    @Test
    void twoConcurrentCallsWithOneKeyOfAParentShareTheParent() {
        StoreDriver other = open();
        for (int round = 0; round < 30; round++) {
            Dedupe key = Dedupe.key("k" + round);
            List<JobRow> rows = rows(row().dedupe(key), row().afterPlace(0, ParentPolicy.WAIT));
            List<List<EnqueuedJob>> answers = together(List.of(
                    () -> StoreDriver.answer(store().store().submit(new Enqueue(rows))),
                    () -> StoreDriver.answer(other.store().submit(new Enqueue(rows)))));
            assertThat(answers.get(0).get(0).id())
                    .isEqualTo(answers.get(1).get(0).id());
            store().complete(store().claimSoon());
            List<ClaimedJob> children = store().claim(5);
            assertThat(children)
                    .extracting(ClaimedJob::id)
                    .containsExactlyInAnyOrder(
                            answers.get(0).get(1).id(), answers.get(1).get(1).id());
            children.forEach(store()::complete);
        }
    }

    @Test
    void aParentWithAKeyThatEndsConcurrentlyLeavesNoChildWaiting() {
        StoreDriver other = open();
        for (int round = 0; round < 40; round++) {
            Dedupe key = Dedupe.key("k" + round).forEver();
            ClaimedJob parent = store().running(NewRow.job().dedupe(key));
            StoreDriver driver = round % 2 == 0 ? store() : other;
            List<JobRow> rows =
                    rows(row().dedupe(key), NewRow.of("q", "child").inWorkflow().afterPlace(0, ParentPolicy.WAIT));
            List<Callable<List<EnqueuedJob>>> race =
                    List.of(() -> StoreDriver.answer(driver.store().submit(new Enqueue(rows))), () -> {
                        store().complete(parent);
                        return List.of();
                    });
            List<EnqueuedJob> jobs = together(race).get(0);
            assertThat(jobs.get(0).id()).isEqualTo(parent.id());
            assertThat(store().state(jobs.get(1).id())).isEqualTo(JobState.PENDING);
        }
    }

    @Test
    void tenThousandJobsAndTheirCallbackFitInOneCall() {
        int members = 10_000;
        NewRow[] rows = new NewRow[members + 1];
        List<Long> places = new ArrayList<>();
        for (int i = 0; i < members; i++) {
            rows[i] = row();
            places.add(ParentPlaces.named(i));
        }
        rows[members] = NewRow.of("q", "callback").inWorkflow().afterAll(places, ParentPolicy.RUN);
        List<EnqueuedJob> jobs = enqueue(rows);
        long callback = jobs.get(members).id();
        assertThat(store().store().batch(callback))
                .contains(new BatchProgress(callback, JobState.BLOCKED, members, 0, 0));
        int done = 0;
        while (done < members) {
            List<CompletableFuture<Boolean>> settled = new ArrayList<>();
            for (ClaimedJob job : store().claim(1000)) {
                settled.add(store().store().submit(store().settlement(job, Transition.COMPLETE)));
            }
            assertThat(settled).isNotEmpty();
            settled.forEach(future -> assertThat(StoreDriver.answer(future)).isTrue());
            done += settled.size();
        }
        assertThat(store().state(callback)).isEqualTo(JobState.PENDING);
        assertThat(store().store().parents(callback)).hasSize(members);
    }
}
