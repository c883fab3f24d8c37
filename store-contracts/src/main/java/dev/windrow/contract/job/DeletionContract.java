package dev.windrow.contract.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.Dedupe;
import dev.windrow.JobInfo;
import dev.windrow.JobState;
import dev.windrow.TransitionRefusedException;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreContract;
import dev.windrow.contract.StoreDriver;
import dev.windrow.limit.ConcurrencyKey;
import dev.windrow.monitor.AuditEntry;
import dev.windrow.monitor.Diagnosis.Check;
import dev.windrow.payload.Json;
import dev.windrow.payload.Metadata;
import dev.windrow.query.JobFilter;
import dev.windrow.store.Transition;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.Change.Verb;
import dev.windrow.store.job.ChangeByFilter;
import dev.windrow.store.job.ChangeResult;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.Enqueue;
import dev.windrow.store.job.EnqueuedJob;
import dev.windrow.workflow.ParentPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The deletion of ended jobs, one or many, and the jobs that must stay. */
public abstract class DeletionContract extends StoreContract {
    private static final JobFilter TAGGED = JobFilter.ALL.withTags("person-17");

    /** Creates the contract for a subclass. */
    protected DeletionContract() {}

    private ChangeResult delete(Long... jobs) {
        return store().change(Verb.DELETE, jobs);
    }

    private ChangeResult deleteAll(JobFilter filter, int max) {
        return StoreDriver.answer(ChangeByFilter.run(
                store().store(),
                Change.byFilter(Verb.DELETE, filter, "operator").max(max).build()));
    }

    private ChangeResult deleteAll(JobFilter filter) {
        return deleteAll(filter, Integer.MAX_VALUE);
    }

    private void refused(String why, Long... jobs) {
        assertThatThrownBy(() -> delete(jobs))
                .isInstanceOf(TransitionRefusedException.class)
                .hasMessageContaining(why);
    }

    private long ended(NewRow row, Transition how) {
        ClaimedJob job = store().running(row);
        assertThat(store().settle(job, how)).isTrue();
        return job.id();
    }

    private long completed(NewRow row) {
        return ended(row, Transition.COMPLETE);
    }

    /** Completes a job and continues its chain; returns the next job, which waits. */
    private long continued(ClaimedJob job, NewRow next) {
        assertThat(StoreDriver.answer(store().store()
                        .submit(StoreDriver.goingOn(store().settlement(job, Transition.COMPLETE), next.row()))))
                .isTrue();
        List<JobInfo> chain = store().store().chain(job.id());
        return chain.get(chain.size() - 1).id();
    }

    private boolean exists(long job) {
        return store().store().outcome(job).isPresent();
    }

    // ---- what is deleted -------------------------------------------------------------------------------------------

    @Test
    void endedJobsOfEachStateAreDeleted() {
        NewRow row = NewRow.job().payload("1").tags("person-17").metadata("{\"a\":1}");
        long completed = completed(row);
        long failed = ended(row.maxAttempts(5), Transition.FAIL);
        long cancelled = store().enqueue(row);
        store().change(Verb.CANCEL, cancelled);
        assertThat(delete(completed, failed, cancelled))
                .isEqualTo(new ChangeResult(3, List.of(completed, failed, cancelled)));
        assertThat(all(store().store(), JobFilter.ALL)).isEmpty();
        assertThat(all(store().store(), TAGGED)).isEmpty();
        assertThat(store().count(JobState.COMPLETED)).isZero();
        assertThat(store().diagnose().checks()).allMatch(Check::isOk);
    }

    @Test
    void anUnfinishedJobIsNotDeleted() {
        long waits = store().enqueue(NewRow.job());
        refused("job %d is PENDING: delete is possible only from COMPLETED, FAILED, CANCELLED".formatted(waits), waits);
    }

    @Test
    void aDeletionByFilterEndsAfterTheMaximumAndContinues() {
        for (int i = 0; i < 5; i++) {
            completed(NewRow.job().tags("person-17"));
        }
        long other = completed(NewRow.job());
        assertThat(deleteAll(TAGGED, 3).count()).isEqualTo(3);
        assertThat(deleteAll(TAGGED, 3).count()).isEqualTo(2);
        assertThat(all(store().store(), JobFilter.ALL)).extracting(JobInfo::id).containsExactly(other);
    }

    // ---- jobs that must stay ---------------------------------------------------------------------------------------

    @Test
    void aParentStaysUntilItsChildHasCompleted() {
        long parent = completed(NewRow.job().tags("person-17"));
        long child = store().enqueue(NewRow.job().after(parent, ParentPolicy.WAIT));
        refused("job %d depends on it and is not COMPLETED".formatted(child), parent);
        assertThat(deleteAll(TAGGED)).isEqualTo(new ChangeResult(0, List.of(), 1, null));
        ClaimedJob running = store().claimOne();
        refused("job %d depends on it".formatted(child), parent);
        store().settle(running, Transition.FAIL);
        refused("job %d depends on it".formatted(child), parent);
        store().change(Verb.RETRY, child);
        store().complete(store().claimOne());
        assertThat(deleteAll(TAGGED).ids()).containsExactly(parent);
        assertThat(store().job(child).dependsOn()).isEmpty();
    }

    @Test
    void aFailedChildIsDeletedWithItsParents() {
        long parent = completed(NewRow.job());
        long child = store().enqueue(NewRow.job().after(parent, ParentPolicy.WAIT));
        store().settle(store().claimOne(), Transition.FAIL);
        assertThat(delete(parent, child).count()).isEqualTo(2);
        assertThat(store().diagnose().checks()).allMatch(Check::isOk);
    }

    @Test
    void jobsStayWhileTheCallbackOfTheirBatchRuns() {
        List<Long> jobs = store().enqueueAll(
                        NewRow.job().inWorkflow(),
                        NewRow.job().inWorkflow(),
                        NewRow.job()
                                .inWorkflow()
                                .afterPlace(0, ParentPolicy.RUN)
                                .afterPlace(1, ParentPolicy.RUN));
        store().complete(store().claimOne());
        store().complete(store().claimOne());
        long workflow = Objects.requireNonNull(store().job(jobs.get(0)).workflow());
        ClaimedJob callback = store().claimOne();
        assertThat(deleteAll(JobFilter.workflow(workflow))).isEqualTo(new ChangeResult(0, List.of(), 2, null));
        store().complete(callback);
        assertThat(deleteAll(JobFilter.workflow(workflow)).ids()).containsExactlyInAnyOrderElementsOf(jobs);
        assertThat(store().store().workflow(workflow)).isEmpty();
    }

    private ChangeResult previewed(JobFilter filter, int max) {
        return StoreDriver.answer(ChangeByFilter.run(
                store().store(),
                Change.byFilter(Verb.DELETE, filter, "operator")
                        .max(max)
                        .dryRun(true)
                        .build()));
    }

    @Test
    void aDryRunCountsAWorkflowOfSeveralBatches() {
        List<NewRow> rows = new ArrayList<>();
        for (int i = 0; i < 2500; i++) {
            NewRow row = NewRow.job().inWorkflow();
            rows.add(i == 0 ? row : row.afterPlace(i - 1, ParentPolicy.WAIT));
        }
        long workflow = Objects.requireNonNull(
                store().job(store().enqueueAll(rows).get(0)).workflow());
        JobFilter filter = JobFilter.workflow(workflow);
        StoreDriver.answer(ChangeByFilter.run(
                store().store(),
                Change.byFilter(Verb.CANCEL, filter, "operator").build()));
        ChangeResult previewed = previewed(filter, Integer.MAX_VALUE);
        assertThat(previewed.count()).isEqualTo(2500);
        assertThat(previewed.skipped()).isZero();
        assertThat(previewed.atLeast()).isFalse();
        assertThat(previewed(filter, 1700).count()).isEqualTo(1700);
        ChangeResult deleted = deleteAll(filter);
        assertThat(deleted).isEqualTo(previewed);
    }

    @Test
    void aDryRunOfSeveralBatchesSkipsTheParentsOfJobsThatStay() {
        List<NewRow> rows = new ArrayList<>();
        for (int i = 0; i < 2500; i++) {
            // One in 97 does not match. It keeps its parents, these keep theirs, and so on up to COMPLETED jobs.
            NewRow row = i % 97 == 0 ? NewRow.job() : NewRow.job().tags("person-17");
            rows.add(i < 10 ? row : row.afterPlace(i % 2 == 0 ? i / 2 : i - 7, ParentPolicy.WAIT));
        }
        List<Long> jobs = store().enqueueAll(rows);
        for (int i = 0; i < jobs.size(); i += 3) {
            store().change(Verb.COMPLETE, jobs.get(i));
        }
        StoreDriver.answer(ChangeByFilter.run(
                store().store(),
                Change.byFilter(Verb.CANCEL, JobFilter.ALL, "operator").build()));
        ChangeResult previewed = previewed(TAGGED, Integer.MAX_VALUE);
        assertThat(previewed.count() + previewed.skipped()).as("all that match").isEqualTo(2474);
        assertThat(previewed.skipped()).isBetween(20L, 500L);
        assertThat(all(store().store(), JobFilter.ALL)).hasSize(2500);
        assertThat(deleteAll(TAGGED)).isEqualTo(previewed);
        assertThat(store().diagnose().checks()).allMatch(Check::isOk);
    }

    // ---- chains ----------------------------------------------------------------------------------------------------

    @Test
    void aChainIsDeletedAsAWhole() {
        ClaimedJob first = store().running(NewRow.job().dedupe(Dedupe.key("k")));
        long second = continued(first, NewRow.job().tags("person-17"));
        long child = store().enqueue(NewRow.of("q", "child").afterChain(first.id(), ParentPolicy.WAIT));
        refused("without job " + second, first.id());
        store().settle(store().claimOne(), Transition.FAIL);
        refused("job %d cannot be deleted without job %d".formatted(second, first.id()), second);
        refused("job %d cannot be deleted without job %d".formatted(first.id(), second), first.id());
        assertThat(deleteAll(TAGGED)).isEqualTo(new ChangeResult(0, List.of(), 1, null));
        refused("job %d depends on it".formatted(child), first.id(), second);
        store().change(Verb.CANCEL, child);
        delete(child);
        assertThat(deleteAll(JobFilter.ALL.withChain(first.id())).ids()).containsExactly(first.id(), second);
        assertThat(store().diagnose().checks()).allMatch(Check::isOk);
    }

    @Test
    void aChainStaysIfOneOfItsJobsDoesNotMatch() {
        ClaimedJob first = store().running(NewRow.job());
        long second = continued(first, NewRow.of("q", "u"));
        store().change(Verb.CANCEL, second);
        assertThat(deleteAll(JobFilter.ALL.withType("u"))).isEqualTo(new ChangeResult(0, List.of(), 1, null));
        assertThat(deleteAll(JobFilter.ALL).ids()).containsExactly(first.id(), second);
    }

    @Test
    void aJobThatDependsOnOneJobOfAChainKeepsAllOfIt() {
        ClaimedJob first = store().running(NewRow.job().tags("person-17"));
        long second = continued(first, NewRow.job().tags("person-17"));
        store().complete(store().claimOne());
        long child = store().enqueue(NewRow.job().after(first.id(), ParentPolicy.WAIT));
        assertThat(deleteAll(TAGGED)).isEqualTo(new ChangeResult(0, List.of(), 2, null));
        store().change(Verb.COMPLETE, child);
        assertThat(deleteAll(TAGGED).ids()).containsExactly(first.id(), second);
    }

    @Test
    void aRefusalNamesADependentThatIsNotCompleted() {
        long parent = completed(NewRow.job());
        completed(NewRow.job().after(parent, ParentPolicy.WAIT));
        long waits = store().enqueue(NewRow.job().after(parent, ParentPolicy.WAIT));
        refused("job %d depends on it and is not COMPLETED".formatted(waits), parent);
    }

    @Test
    void aRefusalNamesNoDependentThatIsDeletedToo() {
        long parent = completed(NewRow.job());
        long cancelled = store().enqueue(NewRow.job().after(parent, ParentPolicy.WAIT));
        store().change(Verb.CANCEL, cancelled);
        long waits = store().enqueue(NewRow.job().after(parent, ParentPolicy.WAIT));
        refused("job %d depends on it and is not COMPLETED".formatted(waits), parent, cancelled);
    }

    @Test
    void theParentsOfAJobThatStaysStay() {
        long grandparent = completed(NewRow.job().tags("person-17"));
        long parent = store().enqueue(NewRow.job().tags("person-17").after(grandparent, ParentPolicy.WAIT));
        store().settle(store().claimOne(), Transition.FAIL);
        long child = store().enqueue(NewRow.job().after(parent, ParentPolicy.WAIT));
        assertThat(deleteAll(TAGGED)).isEqualTo(new ChangeResult(0, List.of(), 2, null));
        refused("job %d depends on it".formatted(child), grandparent, parent);
        store().change(Verb.CANCEL, child);
        assertThat(deleteAll(JobFilter.ALL).ids()).containsExactly(grandparent, parent, child);
    }

    @Test
    void aChainThatContinuesStays() {
        ClaimedJob first = store().running(NewRow.job().tags("person-17"));
        long second = continued(first, NewRow.job().tags("person-17"));
        assertThat(deleteAll(TAGGED)).isEqualTo(new ChangeResult(0, List.of(), 1, null));
        assertThat(store().audit(10)).as("nothing was changed").isEmpty();
        refused("job %d is PENDING".formatted(second), first.id(), second);
        assertThat(exists(first.id())).isTrue();
    }

    @Test
    void aChainWithJobsInSeveralBatchesIsCountedAndDeletedOnce() {
        ClaimedJob first = store().running(NewRow.job().tags("person-17"));
        store().enqueueAll(Collections.nCopies(1500, NewRow.of("q", "u").tags("person-17")));
        StoreDriver.answer(ChangeByFilter.run(
                store().store(),
                Change.byFilter(Verb.CANCEL, JobFilter.ALL.withType("u"), "operator")
                        .build()));
        long second = continued(first, NewRow.job().tags("person-17"));
        Change preview =
                Change.byFilter(Verb.DELETE, TAGGED, "operator").dryRun(true).build();
        ChangeResult others = StoreDriver.answer(ChangeByFilter.run(store().store(), preview));
        assertThat(others.count()).isEqualTo(1500);
        assertThat(others.skipped()).as("the first job of the chain").isEqualTo(1);
        ClaimedJob last = store().claimOne();
        assertThat(last.id()).isEqualTo(second);
        store().complete(last);
        assertThat(StoreDriver.answer(ChangeByFilter.run(store().store(), preview))
                        .count())
                .isEqualTo(1502);
        ChangeResult deleted = deleteAll(TAGGED);
        assertThat(deleted.count()).isEqualTo(1502);
        assertThat(deleted.skipped()).isZero();
        assertThat(all(store().store(), JobFilter.ALL)).isEmpty();
    }

    // ---- keys ------------------------------------------------------------------------------------------------------

    private EnqueuedJob enqueue(Dedupe dedupe) {
        return StoreDriver.answer(store().store()
                        .submit(new Enqueue(List.of(NewRow.job().dedupe(dedupe).row()))))
                .get(0);
    }

    @Test
    void theKeyOfCompletedWorkStaysForItsScope() {
        Dedupe any = Dedupe.key("hook").forEver();
        Dedupe hourly = Dedupe.key("report").within(Duration.ofHours(1));
        long once = completed(NewRow.job().dedupe(any));
        long within = completed(NewRow.job().dedupe(hourly));
        long unfinished = completed(NewRow.job().dedupe(Dedupe.key("k")));
        delete(once, within, unfinished);
        assertThat(enqueue(any).id()).isEqualTo(once);
        assertThat(enqueue(hourly).id()).isEqualTo(within);
        assertThat(enqueue(Dedupe.key("k")).deduplicated()).isFalse();
        time.advance(Duration.ofHours(1));
        assertThat(enqueue(hourly).deduplicated()).isFalse();
        assertThat(enqueue(any).deduplicated()).isTrue();
        assertThat(store().diagnose().checks()).allMatch(Check::isOk);
    }

    /** The clock steps back, so that a window that was kept would be open again. */
    @Test
    void anEndedWindowIsDeletedWithItsJob() {
        Dedupe hourly = Dedupe.key("report").within(Duration.ofHours(1));
        long job = completed(NewRow.job().dedupe(hourly));
        time.stepWall(Duration.ofHours(1));
        delete(job);
        time.stepWall(Duration.ofHours(-1));
        assertThat(enqueue(hourly).deduplicated()).isFalse();
    }

    // ---- audit -----------------------------------------------------------------------------------------------------

    @Test
    void theAuditKeepsNothingOfTheContent() {
        long job = completed(NewRow.job()
                .name("Ada")
                .tags("person-17", "x")
                .dedupe(Dedupe.key("ada@example.org"))
                .metadata("{\"mail\":\"ada@example.org\"}"));
        store().change(Verb.CANCEL, store().enqueue(NewRow.job()));
        StoreDriver.answer(store().store()
                .submit(Change.byId(Verb.MERGE_METADATA, List.of(job), "operator")
                        .metadata(Metadata.parse("{\"phone\":\"555\"}"))
                        .build()));
        JobFilter filter = TAGGED.withName("Ada")
                .withDedupeKey("ada@example.org")
                .withState(JobState.COMPLETED)
                .withQueue("q");
        assertThat(deleteAll(filter).ids()).containsExactly(job);
        List<AuditEntry> audit = store().audit(10);
        assertThat(audit.get(0).detail())
                .isEqualTo(
                        new Json(
                                "{\"state\":\"COMPLETED\",\"types\":[\"t\"],\"queue\":\"q\",\"tag\":\"(removed)\",\"name\":\"(removed)\",\"dedupeKey\":\"(removed)\"}"));
        assertThat(audit.get(0).jobs()).containsExactly(new AuditEntry.Job(job, JobState.COMPLETED, null));
        assertThat(audit.get(1).detail()).isEqualTo(new Json("{\"metadata\":\"(removed)\"}"));
        assertThat(audit.toString()).doesNotContain("Ada", "person", "ada@example.org", "555");
    }

    @Test
    void theAuditNamesAtMost100TypesOfDeletedJobs() {
        List<NewRow> rows = new ArrayList<>();
        for (int i = 0; i < 101; i++) {
            rows.add(NewRow.of("q", "t" + i));
        }
        StoreDriver.answer(store().store().submit(Change.of(Verb.CANCEL, store().enqueueAll(rows), "operator")));
        assertThat(deleteAll(JobFilter.ALL).count()).isEqualTo(101);
        assertThat(Objects.requireNonNull(store().audit(1).get(0).detail())
                        .text()
                        .split(","))
                .hasSize(100);
    }

    @Test
    void theAuditKeepsTheMetadataOfJobsThatStay() {
        long job = completed(NewRow.job());
        StoreDriver.answer(store().store()
                .submit(Change.byId(Verb.MERGE_METADATA, List.of(store().enqueue(NewRow.job())), "operator")
                        .metadata(Metadata.parse("{\"a\":1}"))
                        .build()));
        delete(job);
        assertThat(store().audit(2).get(1).detail()).isEqualTo(new Json("{\"metadata\":{\"a\":1}}"));
    }

    @Test
    void theAuditKeepsNoConcurrencyKeyAndNoneOfSeveralTags() {
        completed(NewRow.job().tags("person-17", "x").concurrencyKey(ConcurrencyKey.atMost("ada", 2)));
        deleteAll(JobFilter.ALL.withTags("person-17", "x").withConcurrencyKey("ada"));
        assertThat(store().audit(1).get(0).detail())
                .isEqualTo(new Json("{\"types\":[\"t\"],\"tags\":\"(removed)\",\"concurrencyKey\":\"(removed)\"}"));
        completed(NewRow.job());
        deleteAll(JobFilter.ALL.withType("t"));
        assertThat(store().audit(1).get(0).detail()).isEqualTo(new Json("{\"type\":\"t\"}"));
    }
}
