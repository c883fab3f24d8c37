package dev.windrow.contract.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.AttemptOutcome;
import dev.windrow.Dedupe;
import dev.windrow.EventKind;
import dev.windrow.JobHistory;
import dev.windrow.JobInfo;
import dev.windrow.JobState;
import dev.windrow.TransitionRefusedException;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreContract;
import dev.windrow.contract.StoreDriver;
import dev.windrow.monitor.AuditEntry;
import dev.windrow.monitor.AuditEntry.Job;
import dev.windrow.monitor.Diagnosis.Check;
import dev.windrow.payload.Json;
import dev.windrow.query.JobFilter;
import dev.windrow.store.Transition;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.Change.Verb;
import dev.windrow.store.job.ChangeByFilter;
import dev.windrow.store.job.ChangeResult;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.Settle;
import dev.windrow.workflow.ParentPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Changes by filter, their entries in the audit, and the reasons of handlers that cancel their own jobs. */
public abstract class BulkContract extends StoreContract {
    /** Creates the contract for a subclass. */
    protected BulkContract() {}

    private static Change change(Verb verb, JobFilter filter, boolean dryRun) {
        return Change.byFilter(verb, filter, "operator").dryRun(dryRun).build();
    }

    private ChangeResult changeAll(Verb verb, JobFilter filter) {
        return StoreDriver.answer(ChangeByFilter.run(store().store(), change(verb, filter, false)));
    }

    private long dryRun(Verb verb, JobFilter filter) {
        return StoreDriver.answer(ChangeByFilter.run(store().store(), change(verb, filter, true)))
                .count();
    }

    private List<AuditEntry> audit() {
        return store().audit(1000);
    }

    /** Ends a claimed job {@code FAILED} under this code. */
    private void fail(ClaimedJob job, String code) {
        assertThat(store().fail(job, code)).isTrue();
    }

    private long failed(String code) {
        ClaimedJob job = store().running(NewRow.job());
        fail(job, code);
        return job.id();
    }

    private List<Long> failed(String code, int count) {
        List<Long> ids = store().enqueueAll(Collections.nCopies(count, NewRow.job()));
        int left = count;
        while (left > 0) {
            List<ClaimedJob> jobs = store().claim(Math.min(left, 500));
            jobs.forEach(job -> fail(job, code));
            left -= jobs.size();
        }
        return ids;
    }

    // ---- selection of jobs -----------------------------------------------------------------------------------------

    @Test
    void onlyJobsThatEndedLongEnoughAgoAreChanged() {
        long old = failed("TEST:A");
        time.advance(Duration.ofDays(7));
        long fresh = failed("TEST:A");
        long waiting = store().enqueue(NewRow.job());
        Instant border = time.now();
        JobFilter filter = JobFilter.ALL.withFinishedBefore(border);
        assertThat(all(store().store(), filter)).extracting(JobInfo::id).containsExactly(old);
        assertThat(all(store().store(), JobFilter.ALL.withFinishedBefore(border.plusMillis(1))))
                .extracting(JobInfo::id)
                .containsExactly(fresh, old);
        assertThat(dryRun(Verb.RETRY, filter)).isEqualTo(1);
        assertThat(changeAll(Verb.RETRY, filter)).isEqualTo(new ChangeResult(1, List.of(old)));
        assertThat(store().state(old)).isEqualTo(JobState.PENDING);
        assertThat(store().state(fresh)).isEqualTo(JobState.FAILED);
        assertThat(store().state(waiting)).isEqualTo(JobState.PENDING);
    }

    @Test
    void aClockThatWasAheadHidesNoJob() {
        long first = failed("TEST:A");
        time.stepWall(Duration.ofDays(3650));
        long ahead = failed("TEST:A");
        time.stepWall(Duration.ofDays(-3650));
        long last = failed("TEST:A");
        time.advance(Duration.ofDays(7));
        JobFilter old = JobFilter.ALL.withFinishedBefore(time.now()).withCreatedBefore(time.now());
        JobFilter future = JobFilter.ALL.withCreatedFrom(time.now().plus(Duration.ofDays(30)));
        assertThat(dryRun(Verb.DELETE, old)).isEqualTo(2);
        assertThat(dryRun(Verb.DELETE, future)).isEqualTo(1);
        assertThat(changeAll(Verb.RETRY, old)).isEqualTo(new ChangeResult(2, List.of(first, last)));
        assertThat(changeAll(Verb.DELETE, future)).isEqualTo(new ChangeResult(1, List.of(ahead)));
    }

    @Test
    void allPartsOfAFilterCountTogether() {
        long wanted = failed("TEST:A");
        long otherCode = failed("TEST:B");
        store().enqueue(NewRow.of("q", "u"));
        ClaimedJob otherType = store().claim(StoreDriver.request("w", Set.of("q"), Set.of("u"), 1))
                .jobs()
                .get(0);
        fail(otherType, "TEST:A");
        JobFilter filter = JobFilter.ALL
                .withType("t")
                .withQueue("q")
                .withErrorCode("TEST:A")
                .withCreatedFrom(Instant.EPOCH)
                .withFinishedBefore(time.now().plusMillis(1));
        assertThat(changeAll(Verb.RETRY, filter).ids()).containsExactly(wanted);
        assertThat(store().state(otherCode)).isEqualTo(JobState.FAILED);
        assertThat(store().state(otherType.id())).isEqualTo(JobState.FAILED);
    }

    @Test
    void aCategoryOfErrorCodesIsChangedAsAWhole() {
        long first = failed("TEST:A");
        long other = failed("TESTS:A");
        long second = failed("TEST:B");
        JobFilter category = JobFilter.ALL.withErrorCode("TEST:*");
        assertThat(dryRun(Verb.RETRY, category)).isEqualTo(2);
        assertThat(changeAll(Verb.RETRY, category).ids()).containsExactlyInAnyOrder(first, second);
        assertThat(store().state(other)).isEqualTo(JobState.FAILED);
        assertThat(audit())
                .first()
                .satisfies(entry -> assertThat(entry.detail()).isEqualTo(new Json("{\"errorCode\":\"TEST:*\"}")));
        assertThat(changeAll(Verb.RETRY, category).count()).isZero();
    }

    @Test
    void aChangeReadsOnlyStatesThatItCanChange() {
        long pending = store().enqueue(NewRow.job());
        assertThat(changeAll(Verb.RETRY, JobFilter.inState(JobState.PENDING)).count())
                .isZero();
        assertThat(changeAll(Verb.DELETE, JobFilter.ALL).count()).isZero();
        assertThat(changeAll(Verb.TRIGGER, JobFilter.ALL).count()).isZero();
        assertThat(store().events(pending)).containsExactly(EventKind.ENQUEUED);
        assertThat(audit()).as("nothing was done").isEmpty();
    }

    @Test
    void scheduledJobsAreTriggeredByFilter() {
        List<Long> later = store().enqueueAll(Collections.nCopies(
                3, NewRow.job().delay(Duration.ofDays(1)).tags("x")));
        long untagged = store().enqueue(NewRow.job().delay(Duration.ofDays(1)));
        assertThat(changeAll(Verb.TRIGGER, JobFilter.ALL.withTags(List.of("x"))).count())
                .isEqualTo(3);
        assertThat(store().claim(10)).extracting(ClaimedJob::id).containsExactlyElementsOf(later);
        assertThat(store().state(untagged)).isEqualTo(JobState.SCHEDULED);
    }

    // ---- batches ---------------------------------------------------------------------------------------------------

    @Test
    void manyJobsAreRetriedInOrderInBatchesWithAnAuditEntryEach() {
        List<Long> ids = failed("TEST:A", 2300);
        failed("TEST:B", 5);
        JobFilter filter = JobFilter.inState(JobState.FAILED).withErrorCode("TEST:A");
        assertThat(dryRun(Verb.RETRY, filter)).isEqualTo(2300);
        assertThat(audit()).as("a dry run does nothing").isEmpty();
        ChangeResult result = changeAll(Verb.RETRY, filter);
        assertThat(result.count()).isEqualTo(2300);
        assertThat(result.ids()).hasSize(100).isSubsetOf(ids).doesNotHaveDuplicates();
        assertThat(store().count(JobState.FAILED)).isEqualTo(5);
        assertThat(audit()).hasSize(3).allSatisfy(entry -> {
            assertThat(entry.action()).isEqualTo("RETRY");
            assertThat(entry.actor()).isEqualTo("operator");
            assertThat(entry.at()).isEqualTo(time.now());
            assertThat(entry.changed()).isBetween(1L, 1000L);
            assertThat(entry.jobs()).hasSize(100).allMatch(job -> job.to() == JobState.PENDING);
            assertThat(entry.detail()).isEqualTo(new Json("{\"state\":\"FAILED\",\"errorCode\":\"TEST:A\"}"));
        });
        assertThat(audit().stream().mapToLong(AuditEntry::changed).sum()).isEqualTo(2300);
        assertThat(audit()).extracting(AuditEntry::id).isSortedAccordingTo(Collections.reverseOrder());
        assertThat(store().audit(2)).isEqualTo(audit().subList(0, 2));
        List<Long> claimed = new ArrayList<>();
        while (claimed.size() < 2300) {
            store().claim(500).forEach(job -> claimed.add(job.id()));
        }
        assertThat(claimed).isEqualTo(ids);
        assertThat(changeAll(Verb.RETRY, filter).count()).isZero();
    }

    @Test
    void jobsInSeveralStatesAreRetriedInTheirOrder() {
        List<Long> ids = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            ids.add(failed("TEST:A"));
            ids.add(store().enqueue(NewRow.job()));
            store().change(Verb.CANCEL, ids.get(ids.size() - 1));
        }
        assertThat(changeAll(Verb.RETRY, JobFilter.ALL)).isEqualTo(new ChangeResult(6, ids));
        assertThat(store().claim(10)).extracting(ClaimedJob::id).isEqualTo(ids);
    }

    @Test
    void twoConcurrentRetriesOfTheSameJobsRetryEachOnce() {
        failed("TEST:A", 2500);
        StoreDriver other = open();
        JobFilter filter = JobFilter.inState(JobState.FAILED);
        List<Long> counts = together(List.of(
                () -> StoreDriver.answer(ChangeByFilter.run(store().store(), change(Verb.RETRY, filter, false)))
                        .count(),
                () -> StoreDriver.answer(ChangeByFilter.run(other.store(), change(Verb.RETRY, filter, false)))
                        .count()));
        assertThat(counts.get(0) + counts.get(1)).isEqualTo(2500);
        assertThat(audit().stream().mapToLong(AuditEntry::changed).sum()).isEqualTo(2500);
        assertThat(store().count(JobState.PENDING)).isEqualTo(2500);
    }

    // ---- quick dry runs --------------------------------------------------------------------------------------------

    @Test
    void aQuickDryRunCountsLikeTheChangeAndWritesNothing() {
        long parent = failed("TEST:A");
        store().enqueue(NewRow.job().after(parent, ParentPolicy.WAIT));
        long free = failed("TEST:A");
        ChangeResult quick = StoreDriver.answer(ChangeByFilter.quickly(
                store().store(), change(Verb.DELETE, JobFilter.inState(JobState.FAILED), true), time::nanoTime));
        assertThat(quick).isEqualTo(new ChangeResult(1, List.of(free), 1, null));
        assertThat(store().state(free)).isEqualTo(JobState.FAILED);
        assertThat(audit()).isEmpty();
    }

    @Test
    void aQuickDryRunThatRunsOutOfTimeSaysAtLeastHowManyJobs() {
        failed("TEST:A", 2500);
        AtomicLong nanos = new AtomicLong();
        ChangeResult quick = StoreDriver.answer(ChangeByFilter.quickly(
                store().store(),
                change(Verb.RETRY, JobFilter.inState(JobState.FAILED), true),
                () -> nanos.getAndAdd(400_000)));
        assertThat(quick.atLeast()).isTrue();
        assertThat(quick.count()).isBetween(1000L, 2499L);
        assertThat(quick.ids()).hasSize(100);
        assertThat(store().count(JobState.FAILED)).isEqualTo(2500);
    }

    @Test
    void aReadForAChangeLooksAtAsManyRowsAsItMay() {
        store().enqueueAll(Collections.nCopies(1000, NewRow.job()));
        long named = store().enqueue(NewRow.job().name("rare"));
        List<Long> more = store().enqueueAll(Collections.nCopies(1000, NewRow.job()));
        JobFilter rare = JobFilter.ALL.withName("rare");
        ChangeByFilter.Page page = store().store().matching(rare, false, null, 300);
        assertThat(page).isEqualTo(new ChangeByFilter.Page(List.of(), more.get(700), 300));
        page = store().store().matching(rare, false, page.reached(), 800);
        assertThat(page.ids()).containsExactly(named);
        page = store().store().matching(rare, false, page.reached(), 5000);
        assertThat(page.ids()).isEmpty();
        assertThat(page.reached()).isNull();
    }

    // ---- deletion --------------------------------------------------------------------------------------------------

    @Test
    void aDeletionByIdLeavesOneEntryThatNamesItsJobs() {
        long one = failed("TEST:A");
        long two = failed("TEST:B");
        store().change(Verb.DELETE, one, two);
        assertThat(audit()).singleElement().satisfies(entry -> {
            assertThat(entry.action()).isEqualTo("DELETE");
            assertThat(entry.actor()).isEqualTo("operator");
            assertThat(entry.changed()).isEqualTo(2);
            assertThat(entry.jobs())
                    .containsExactly(new Job(one, JobState.FAILED, null), new Job(two, JobState.FAILED, null));
            assertThat(entry.detail()).isEqualTo(new Json("{\"types\":[\"t\"]}"));
        });
    }

    @Test
    void aDeletionByFilterSkipsJobsWithDependents() {
        long parent = failed("TEST:A");
        long child = store().enqueue(NewRow.job().after(parent, ParentPolicy.WAIT));
        long free = failed("TEST:A");
        assertThat(changeAll(Verb.DELETE, JobFilter.inState(JobState.FAILED)))
                .isEqualTo(new ChangeResult(1, List.of(free), 1, null));
        assertThat(store().state(parent)).isEqualTo(JobState.FAILED);
        assertThat(store().state(child)).isEqualTo(JobState.BLOCKED);
        assertThat(audit().get(0).detail()).isEqualTo(new Json("{\"state\":\"FAILED\",\"types\":[\"t\"]}"));
        assertThat(audit().get(0).jobs()).containsExactly(new Job(free, JobState.FAILED, null));
        store().change(Verb.CANCEL, child);
        assertThat(changeAll(Verb.DELETE, JobFilter.ALL).count())
                .as("a child goes before its parent")
                .isEqualTo(2);
        assertThat(store().store().history(parent)).isEmpty();
    }

    @Test
    void aParentIsDeletedAlthoughItsChildrenAreInAnotherBatch() {
        long parent = failed("TEST:A");
        List<Long> children =
                store().enqueueAll(Collections.nCopies(1500, NewRow.job().after(parent, ParentPolicy.WAIT)));
        changeAll(Verb.CANCEL, JobFilter.inState(JobState.BLOCKED));
        assertThat(changeAll(Verb.DELETE, JobFilter.ALL).count()).isEqualTo(children.size() + 1L);
        assertThat(audit()).extracting(AuditEntry::action).contains("CANCEL", "DELETE");
        assertThat(all(store().store(), JobFilter.ALL)).isEmpty();
    }

    /** Two steps of a workflow may be one job, by their dedupe key. A job that waits for both then waits for it twice. */
    @Test
    void oneRemainingDependentKeepsAParentFromBeingDeleted() {
        NewRow step = NewRow.job().inWorkflow().dedupe(Dedupe.key("k"));
        NewRow twice =
                NewRow.job().inWorkflow().afterPlace(0, ParentPolicy.WAIT).afterPlace(1, ParentPolicy.WAIT);
        List<Long> jobs = store().enqueueAll(step, step, twice, twice, twice);
        long parent = jobs.get(0);
        long one = jobs.get(2);
        long two = jobs.get(3);
        long waits = jobs.get(4);
        fail(store().claimOne(), "TEST:A");
        store().change(Verb.CANCEL, one, two);
        assertThatThrownBy(() -> store().change(Verb.DELETE, parent, one, two))
                .isInstanceOf(TransitionRefusedException.class)
                .hasMessageContaining("job %d depends on it".formatted(waits));
        assertThat(changeAll(Verb.DELETE, JobFilter.ALL).ids()).containsExactly(one, two);
        assertThat(store().state(waits)).isEqualTo(JobState.BLOCKED);
        store().change(Verb.CANCEL, waits);
        assertThat(changeAll(Verb.DELETE, JobFilter.ALL).ids()).containsExactly(parent, waits);
    }

    /** A child that was completed from outside does not count a deleted parent. */
    @Test
    void aCompletedChildKeepsNoCountOfADeletedParent() {
        long parent = failed("TEST:A");
        long child = store().enqueue(NewRow.job().after(parent, ParentPolicy.WAIT));
        store().change(Verb.COMPLETE, child);
        assertThat(changeAll(Verb.DELETE, JobFilter.inState(JobState.FAILED)).ids())
                .containsExactly(parent);
        assertThat(store().state(child)).isEqualTo(JobState.COMPLETED);
        assertThat(store().diagnose().checks()).allMatch(Check::isOk);
    }

    // ---- reasons ----------------------------------------------------------------------------------------------------

    @Test
    void aHandlersReasonForACancellationIsStoredAndIsNotAFailure() {
        ClaimedJob first = store().running(NewRow.job());
        store().settle(first, Transition.RETRY_LATER);
        time.advance(Duration.ofMinutes(2));
        ClaimedJob job = store().claimOne();
        Settle reason = Settle.of(job, "w", Transition.CANCEL_RUNNING, AttemptOutcome.CANCELLED, time.millis())
                .error(null, "not \"wanted\"")
                .startedAtMillis(job.claimedAtMillis())
                .build();
        assertThat(StoreDriver.answer(store().store().submit(reason))).isTrue();
        JobHistory history = store().history(job.id());
        assertThat(history.job().state()).isEqualTo(JobState.CANCELLED);
        assertThat(history.job().errorCode()).as("of the last failed attempt").isEqualTo("TEST:FAILED");
        assertThat(history.job().errorDetail()).isEqualTo("it failed");
        assertThat(history.attempts()).last().satisfies(attempt -> {
            assertThat(attempt.outcome()).isEqualTo(AttemptOutcome.CANCELLED);
            assertThat(attempt.errorCode()).isNull();
            assertThat(attempt.errorDetail()).isEqualTo("not \"wanted\"");
        });
        assertThat(history.events()).last().satisfies(event -> {
            assertThat(event.event()).isEqualTo(EventKind.CANCELLED);
            assertThat(event.detail()).isEqualTo(new Json("{\"reason\":\"not \\\"wanted\\\"\"}"));
        });
    }
}
