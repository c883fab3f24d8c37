package dev.windrow.contract.retention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.Dedupe;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobHistory;
import dev.windrow.JobNotFoundException;
import dev.windrow.JobState;
import dev.windrow.LogLevel;
import dev.windrow.TransitionRefusedException;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreContract;
import dev.windrow.contract.StoreDriver;
import dev.windrow.limit.ConcurrencyKey;
import dev.windrow.limit.LimitTarget;
import dev.windrow.monitor.AuditEntry;
import dev.windrow.monitor.Statistics;
import dev.windrow.monitor.ThroughputFilter;
import dev.windrow.payload.BlobRef;
import dev.windrow.payload.Metadata;
import dev.windrow.retention.RetentionRules;
import dev.windrow.store.Author;
import dev.windrow.store.Transition;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.Change.Verb;
import dev.windrow.store.job.ChangeByFilter;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.Enqueue;
import dev.windrow.store.job.EnqueuedJob;
import dev.windrow.store.job.Report;
import dev.windrow.store.limit.KeyLimits;
import dev.windrow.store.limit.LimitChange;
import dev.windrow.store.payload.Stage;
import dev.windrow.store.payload.SweepStaged;
import dev.windrow.store.processes.Announce;
import dev.windrow.store.processes.BackgroundTask;
import dev.windrow.store.processes.EndTask;
import dev.windrow.store.processes.Lead;
import dev.windrow.store.processes.Resign;
import dev.windrow.store.processes.WorkerRow;
import dev.windrow.store.retention.Expire;
import dev.windrow.store.retention.Expiry;
import dev.windrow.store.retention.Prune;
import dev.windrow.store.retention.RetentionChange;
import dev.windrow.store.step.StepWrite;
import dev.windrow.workflow.ParentPolicy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Retention: how long ended jobs are kept, the reasons to keep them longer, and their deletion. */
public abstract class RetentionContract extends StoreContract {
    private static final Duration MONTH = Duration.ofDays(30);

    private int types;

    /** Creates the contract for a subclass. */
    protected RetentionContract() {}

    // ---- a pass -----------------------------------------------------------------------------------------------------

    /** The result of a pass. */
    private record Passed(
            Map<JobState, Long> deleted,
            long kept,
            @Nullable Long audit) {
        private long total() {
            return deleted.values().stream().mapToLong(Long::longValue).sum();
        }
    }

    private Passed pass() {
        return pass(store().store().retention(), null);
    }

    /** Deletes all found jobs, once, in batches. */
    private Passed pass(RetentionRules rules, @Nullable String type) {
        Map<JobState, Long> deleted = new EnumMap<>(JobState.class);
        long kept = 0;
        Long audit = null;
        Expiry.Place place = null;
        do {
            Expiry.Found found = store().store().expiring(new Expiry.Search(rules, type, place));
            kept += found.kept();
            List<Expiry.Unit> units = found.units();
            while (!units.isEmpty()) {
                List<Expiry.Unit> part = units.subList(0, Math.min(70, units.size()));
                Expiry.Done done = expire(part, audit, deleted, Long.MAX_VALUE);
                assertThat(done.left()).isEmpty();
                done.deleted().jobs().forEach((state, count) -> deleted.merge(state, count, Long::sum));
                kept += done.kept();
                audit = done.deleted().audit();
                units = units.subList(part.size(), units.size());
            }
            place = found.next();
        } while (place != null);
        return new Passed(deleted, kept, audit);
    }

    private Expiry.Done expire(
            List<Expiry.Unit> units, @Nullable Long audit, Map<JobState, Long> before, long budgetNanos) {
        return expire(units, audit, before, time.millis(), budgetNanos);
    }

    private Expiry.Done expire(
            List<Expiry.Unit> units,
            @Nullable Long audit,
            Map<JobState, Long> before,
            long asOfMillis,
            long budgetNanos) {
        return StoreDriver.answer(store().store()
                .submit(new Expire(
                        units,
                        new Expire.Pass(
                                new Author("janitor", "less disk"),
                                store().store().retention().text(),
                                asOfMillis,
                                null),
                        audit,
                        Map.copyOf(before),
                        budgetNanos)));
    }

    /** Returns the jobs that may be deleted now, on all pages. */
    private List<Expiry.Unit> found() {
        List<Expiry.Unit> units = new ArrayList<>();
        Expiry.Place place = null;
        do {
            Expiry.Found found =
                    store().store().expiring(new Expiry.Search(store().store().retention(), null, place));
            units.addAll(found.units());
            place = found.next();
        } while (place != null);
        return units;
    }

    private RetentionRules retain(JobState state, @Nullable String type, @Nullable Duration keep) {
        return StoreDriver.answer(store().store()
                .submit(new RetentionChange(
                        new RetentionRules.Rule(state, type, keep), false, new Author("operator", null))));
    }

    private boolean isThere(long id) {
        return store().store().history(id).isPresent();
    }

    private void assertGone(Long... ids) {
        assertThat(ids).noneMatch(this::isThere);
    }

    private void assertThere(Long... ids) {
        assertThat(ids).allMatch(this::isThere);
    }

    // ---- ended jobs ------------------------------------------------------------------------------------------------

    private ClaimedJob claimOne(String type) {
        return store().claim(StoreDriver.request("w", Set.of("q"), Set.of(type), 1))
                .jobs()
                .get(0);
    }

    private long ended(JobState state) {
        return ended(NewRow::of, state);
    }

    private interface Rows {
        NewRow of(String queue, String type);
    }

    /** Returns a job of a type of its own, in this state. */
    private long ended(Rows rows, JobState state) {
        String type = "own" + types++;
        long id = store().enqueue(rows.of("q", type));
        end(id, type, state);
        return id;
    }

    private void end(long id, String type, JobState state) {
        if (state == JobState.CANCELLED) {
            store().change(Verb.CANCEL, id);
            return;
        }
        ClaimedJob job = claimOne(type);
        assertThat(job.id()).isEqualTo(id);
        assertThat(store().settle(job, state == JobState.COMPLETED ? Transition.COMPLETE : Transition.FAIL))
                .isTrue();
    }

    private List<Long> completed(int count, String type) {
        List<Long> ids = store().enqueueAll(Collections.nCopies(count, NewRow.of("q", type)));
        int left = count;
        while (left > 0) {
            List<ClaimedJob> jobs = store().claim(
                            StoreDriver.request("w", Set.of("q"), Set.of(type), Math.min(left, 500)))
                    .jobs();
            var settled = jobs.stream()
                    .map(job -> store().store().submit(store().settlement(job, Transition.COMPLETE)))
                    .toList();
            settled.forEach(future -> assertThat(StoreDriver.answer(future)).isTrue());
            left -= jobs.size();
        }
        return ids;
    }

    // ---- rules -----------------------------------------------------------------------------------------------------

    @Test
    void aNewStoreKeepsCompletedAndCancelledJobsForThirtyDaysAndFailedOnesForNinety() {
        assertThat(store().store().retention()).isEqualTo(RetentionRules.DEFAULT);
        long completed = ended(JobState.COMPLETED);
        long failed = ended(JobState.FAILED);
        long cancelled = ended(JobState.CANCELLED);
        time.advance(MONTH.minusMillis(1));
        assertThat(pass().total()).isZero();
        time.advance(Duration.ofMillis(1));
        assertThat(pass().deleted()).isEqualTo(Map.of(JobState.COMPLETED, 1L, JobState.CANCELLED, 1L));
        assertGone(completed, cancelled);
        time.advance(Duration.ofDays(60).minusMillis(1));
        assertThat(pass().total()).isZero();
        time.advance(Duration.ofMillis(1));
        assertThat(pass().deleted()).isEqualTo(Map.of(JobState.FAILED, 1L));
        assertGone(failed);
        assertThat(pass().total()).isZero();
    }

    @Test
    void unfinishedJobsAreKeptAtAnyAge() {
        long pending = store().enqueue(NewRow.of("q", "pending"));
        long scheduled = store().enqueue(NewRow.of("q", "scheduled").delay(Duration.ofDays(3000)));
        long blocked = store().enqueue(NewRow.of("q", "blocked").after(pending, ParentPolicy.WAIT));
        ClaimedJob running = store().running(NewRow.of("q", "t"));
        time.advance(Duration.ofDays(2000));
        assertThat(pass().total()).isZero();
        assertThere(pending, scheduled, blocked, running.id());
        store().settle(running, Transition.COMPLETE);
        assertThat(pass().total()).isZero();
    }

    @Test
    void aRuleForATypePrecedesThatForItsState() {
        retain(JobState.COMPLETED, "own0", Duration.ofDays(1));
        retain(JobState.COMPLETED, "own1", null);
        retain(JobState.FAILED, null, Duration.ofDays(2));
        long shortLived = ended(JobState.COMPLETED);
        long forEver = ended(JobState.COMPLETED);
        long plain = ended(JobState.COMPLETED);
        long failed = ended(JobState.FAILED);
        time.advance(Duration.ofDays(1));
        pass();
        assertGone(shortLived);
        time.advance(Duration.ofDays(1));
        pass();
        assertGone(failed);
        time.advance(Duration.ofDays(5000));
        pass();
        assertGone(plain);
        assertThere(forEver);
    }

    @Test
    void jobsKeptForeverStayUntilTheRuleIsRemoved() {
        for (JobState state : List.of(JobState.COMPLETED, JobState.FAILED, JobState.CANCELLED)) {
            retain(state, null, null);
            ended(state);
        }
        time.advance(Duration.ofDays(20_000));
        assertThat(pass().total()).isZero();
        for (JobState state : List.of(JobState.COMPLETED, JobState.FAILED, JobState.CANCELLED)) {
            StoreDriver.answer(store().store()
                    .submit(new RetentionChange(
                            new RetentionRules.Rule(state, null, null), true, new Author("operator", null))));
        }
        assertThat(store().store().retention()).isEqualTo(RetentionRules.DEFAULT);
        assertThat(pass().total()).isEqualTo(3);
    }

    @Test
    void rulesApplyToOtherProcessesAndTheirChangesAreInTheAudit() {
        retain(JobState.FAILED, "t", Duration.ofDays(7));
        RetentionRules expected =
                RetentionRules.DEFAULT.with(new RetentionRules.Rule(JobState.FAILED, "t", Duration.ofDays(7)));
        assertThat(open().store().retention()).isEqualTo(expected);
        assertThat(store().audit(10)).singleElement().satisfies(entry -> {
            assertThat(entry.action()).isEqualTo("RETAIN");
            assertThat(entry.actor()).isEqualTo("operator");
        });
        // A change without an effect writes no entry.
        retain(JobState.FAILED, "t", Duration.ofDays(7));
        assertThat(store().audit(10)).hasSize(1);
        StoreDriver.answer(store().store()
                .submit(new RetentionChange(
                        new RetentionRules.Rule(JobState.FAILED, "t", null), true, new Author("operator", null))));
        assertThat(store().store().retention()).isEqualTo(RetentionRules.DEFAULT);
        retain(JobState.COMPLETED, null, null);
        assertThat(store().audit(10).stream().map(entry -> String.valueOf(entry.detail())))
                .containsExactly(
                        "{\"state\":\"COMPLETED\",\"keep\":\"forever\"}",
                        "{\"state\":\"FAILED\",\"type\":\"t\",\"keep\":\"90d\",\"reset\":true}",
                        "{\"state\":\"FAILED\",\"type\":\"t\",\"keep\":\"7d\"}");
    }

    @Test
    void anInvalidRuleIsRefused() {
        assertThatThrownBy(() -> new RetentionRules.Rule(JobState.RUNNING, null, MONTH))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("RUNNING");
        assertThatThrownBy(() -> new RetentionRules.Rule(JobState.FAILED, null, Duration.ofDays(-1)))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("36500d");
        assertThatThrownBy(() -> new RetentionRules.Rule(JobState.FAILED, "no type!", MONTH))
                .isInstanceOf(InvalidRequestException.class);
    }

    @Test
    void aPassForATypeDeletesOnlyItsJobs() {
        long own0 = ended(JobState.COMPLETED);
        long own1 = ended(JobState.FAILED);
        long own2 = ended(JobState.FAILED);
        time.advance(Duration.ofDays(100));
        assertThat(pass(RetentionRules.DEFAULT, "own1").total()).isEqualTo(1);
        assertGone(own1);
        assertThere(own0, own2);
    }

    @Test
    void nothingIsDeletedByFormerRules() {
        long failed = ended(JobState.FAILED);
        long cancelled = ended(JobState.CANCELLED);
        time.advance(Duration.ofDays(100));
        RetentionRules before = store().store().retention();
        List<Expiry.Unit> units = found();
        assertThat(units).hasSize(2);
        retain(JobState.FAILED, null, null);
        Expiry.Done done = StoreDriver.answer(store().store()
                .submit(Expire.first(
                        units, new Expire.Pass(new Author("j", null), before.text(), Long.MAX_VALUE, before))));
        assertThat(done.deleted().jobs()).isEmpty();
        assertThat(done.left()).isEqualTo(units);
        assertThat(done.deleted().audit()).isNull();
        assertThere(failed, cancelled);
        RetentionRules present = store().store().retention();
        StoreDriver.answer(store().store()
                .submit(Expire.first(
                        found(), new Expire.Pass(new Author("j", null), present.text(), Long.MAX_VALUE, present))));
        assertThere(failed);
        assertGone(cancelled);
    }

    // ---- reasons to keep a job -------------------------------------------------------------------------------------

    @Test
    void aParentIsKeptUntilAllItsDependentsAreCompletedOrDeleted() {
        for (ParentPolicy policy : ParentPolicy.values()) {
            long parent = store().enqueue(NewRow.of("q", "p" + policy));
            long child = store().enqueue(NewRow.of("q", "c" + policy).after(parent, policy));
            end(parent, "p" + policy, JobState.COMPLETED);
            time.advance(Duration.ofDays(31));
            Passed first = pass();
            assertThat(first.total()).isZero();
            assertThat(first.kept()).isEqualTo(1);
            end(child, "c" + policy, JobState.FAILED);
            time.advance(Duration.ofDays(31));
            assertThat(pass().total()).as("%s: its child has failed", policy).isZero();
            store().change(Verb.RETRY, child);
            end(child, "c" + policy, JobState.COMPLETED);
            assertThat(pass().deleted()).isEqualTo(Map.of(JobState.COMPLETED, 1L));
            assertGone(parent);
            assertThat(store().job(child).dependsOn()).isEmpty();
            time.advance(Duration.ofDays(31));
            assertThat(pass().total()).isEqualTo(1);
        }
    }

    /** The diagnosis after each test compares the counts of jobs with their edges. */
    @Test
    void anExternallyCompletedChildDoesNotCountADeletedParent() {
        long cancelled = ended(JobState.CANCELLED);
        long waits = store().enqueue(NewRow.of("q", "waits"));
        long child = store().enqueue(NewRow.of("q", "child")
                .external(Duration.ofHours(1))
                .afterAll(List.of(cancelled, waits), ParentPolicy.WAIT));
        time.advance(Duration.ofDays(29));
        store().change(Verb.COMPLETE, child);
        time.advance(Duration.ofDays(2));
        assertThat(pass().total()).isEqualTo(1);
        assertGone(cancelled);
        assertThat(store().job(child).dependsOn()).hasSize(1);
    }

    @Test
    void aFailedFamilyIsDeletedTogetherWhenAllOfItIsOldEnough() {
        long parent = store().enqueue(NewRow.of("q", "p"));
        long child = store().enqueue(NewRow.of("q", "c").after(parent, ParentPolicy.RUN));
        long grandchild = store().enqueue(NewRow.of("q", "g").after(child, ParentPolicy.CANCEL));
        end(parent, "p", JobState.FAILED);
        time.advance(Duration.ofDays(5));
        end(child, "c", JobState.FAILED);
        assertThat(store().state(grandchild)).isEqualTo(JobState.CANCELLED);
        time.advance(Duration.ofDays(86));
        assertThat(pass().total()).as("the grandchild alone").isEqualTo(1);
        assertThere(parent, child);
        time.advance(Duration.ofDays(5));
        assertThat(pass().deleted()).isEqualTo(Map.of(JobState.FAILED, 2L));
        assertGone(parent, child);
    }

    @Test
    void ancestorsOfAKeptJobAreKept() {
        long first = store().enqueue(NewRow.of("q", "first"));
        long second = store().enqueue(NewRow.of("q", "second").after(first, ParentPolicy.RUN));
        long third = store().enqueue(NewRow.of("q", "third").after(second, ParentPolicy.RUN));
        end(first, "first", JobState.FAILED);
        end(second, "second", JobState.FAILED);
        time.advance(Duration.ofDays(91));
        Passed passed = pass();
        assertThat(passed.total()).isZero();
        assertThat(passed.kept()).isEqualTo(2);
        assertThere(first, second);
        // The first job stays, too, if a new job begins to need the second one after both were found.
        end(third, "third", JobState.COMPLETED);
        List<Expiry.Unit> units = found();
        assertThat(units).hasSize(2);
        store().enqueue(NewRow.of("q", "late").after(second, ParentPolicy.RUN));
        assertThat(expire(units, null, Map.of(), Long.MAX_VALUE).kept()).isEqualTo(2);
        assertThere(first, second);
    }

    @Test
    void aRetryWithDependentsFindsTheRemainingOnes() {
        long parent = store().enqueue(NewRow.of("q", "p"));
        long child = store().enqueue(NewRow.of("q", "c").after(parent, ParentPolicy.CANCEL));
        end(parent, "p", JobState.FAILED);
        retain(JobState.CANCELLED, null, null);
        time.advance(Duration.ofDays(200));
        assertThat(pass().total())
                .as("the parent of a job that could be retried")
                .isZero();
        Change retry = Change.byId(Verb.RETRY, List.of(parent), "op")
                .withDependents(true)
                .build();
        assertThat(StoreDriver.answer(ChangeByFilter.run(store().store(), retry))
                        .count())
                .isEqualTo(2);
        assertThat(store().state(child)).isEqualTo(JobState.BLOCKED);
    }

    @Test
    void aJobRetriedSinceItWasFoundIsKept() {
        long failed = ended(JobState.FAILED);
        long other = ended(JobState.FAILED);
        time.advance(Duration.ofDays(91));
        List<Expiry.Unit> units = found();
        assertThat(units).hasSize(2);
        store().change(Verb.RETRY, failed);
        Expiry.Done done = expire(units, null, Map.of(), Long.MAX_VALUE);
        assertThat(done.deleted().jobs()).isEqualTo(Map.of(JobState.FAILED, 1L));
        assertThat(done.kept()).isEqualTo(1);
        assertThat(store().state(failed)).isEqualTo(JobState.PENDING);
        assertGone(other);
        // Nor is it deleted when it has ended once more, the same way, but later.
        store().settle(
                        store().claim(StoreDriver.request("w", Set.of("q"), Set.of("own0"), 1))
                                .jobs()
                                .get(0),
                        Transition.FAIL);
        assertThat(expire(units, null, Map.of(), Long.MAX_VALUE).deleted().jobs())
                .isEmpty();
        assertThat(store().state(failed)).isEqualTo(JobState.FAILED);
    }

    @Test
    void aJobThatHasSinceEndedDifferentlyIsKeptAlone() {
        retain(JobState.FAILED, null, Duration.ZERO);
        long changed = ended(JobState.FAILED);
        long other = ended(JobState.FAILED);
        List<Expiry.Unit> units = found();
        assertThat(units).hasSize(2);
        store().change(Verb.RETRY, changed);
        store().change(Verb.CANCEL, changed);
        Expiry.Done done = expire(units, null, Map.of(), Long.MAX_VALUE);
        assertThat(done.deleted().jobs()).isEqualTo(Map.of(JobState.FAILED, 1L));
        assertThat(done.kept()).isEqualTo(1);
        assertThat(store().state(changed)).isEqualTo(JobState.CANCELLED);
        assertGone(other);
    }

    @Test
    void aJobWithANewDependentSinceItWasFoundIsKept() {
        long parent = ended(JobState.COMPLETED);
        time.advance(Duration.ofDays(31));
        List<Expiry.Unit> units = found();
        long child = store().enqueue(NewRow.of("q", "c").after(parent, ParentPolicy.WAIT));
        Expiry.Done done = expire(units, null, Map.of(), Long.MAX_VALUE);
        assertThat(done.deleted().jobs()).isEmpty();
        assertThat(done.kept()).isEqualTo(1);
        assertThat(done.deleted().audit()).isNull();
        assertThere(parent, child);
    }

    @Test
    void aDependencyOnADeletedJobIsRefused() {
        long parent = ended(JobState.COMPLETED);
        time.advance(Duration.ofDays(31));
        pass();
        assertThat(failure(store().store()
                        .submit(new Enqueue(List.of(NewRow.of("q", "c")
                                .after(parent, ParentPolicy.WAIT)
                                .row())))))
                .hasMessageContaining(Long.toString(parent));
    }

    // ---- chains ----------------------------------------------------------------------------------------------------

    /** Returns a chain of this many jobs of a type, of which the last one runs. */
    private List<ClaimedJob> chain(String type, int length) {
        List<ClaimedJob> jobs = new ArrayList<>();
        store().enqueue(NewRow.of("q", type));
        jobs.add(claimOne(type));
        while (jobs.size() < length) {
            ClaimedJob last = jobs.get(jobs.size() - 1);
            assertThat(StoreDriver.answer(store().store()
                            .submit(StoreDriver.goingOn(
                                    store().settlement(last, Transition.COMPLETE),
                                    NewRow.of("q", type).row()))))
                    .isTrue();
            jobs.add(claimOne(type));
        }
        return jobs;
    }

    @Test
    void aChainIsDeletedAsAWholeOnceItsLastJobIsOldEnough() {
        List<ClaimedJob> jobs = chain("chain", 4);
        Long[] ids = jobs.stream().map(ClaimedJob::id).toArray(Long[]::new);
        time.advance(Duration.ofDays(60));
        assertThat(pass().total()).as("its last job runs").isZero();
        store().settle(jobs.get(3), Transition.FAIL);
        time.advance(Duration.ofDays(31));
        assertThat(pass().total()).as("its last job has failed lately").isZero();
        assertThere(ids);
        time.advance(Duration.ofDays(60));
        // The failed job finds the chain, and the others find it once more.
        assertThat(found().stream().distinct())
                .singleElement()
                .satisfies(unit -> assertThat(unit.jobs()).hasSize(4));
        assertThat(pass().deleted()).isEqualTo(Map.of(JobState.COMPLETED, 3L, JobState.FAILED, 1L));
        assertGone(ids);
    }

    @Test
    void aChainIsKeptAsAWholeIfAJobDependsOnOneOfItsJobs() {
        List<ClaimedJob> jobs = chain("chain", 3);
        long child = store().enqueue(NewRow.of("q", "c").after(jobs.get(1).id(), ParentPolicy.WAIT));
        store().settle(jobs.get(2), Transition.COMPLETE);
        time.advance(Duration.ofDays(31));
        Passed passed = pass();
        assertThat(passed.total()).isZero();
        assertThat(passed.kept()).isEqualTo(3);
        end(child, "c", JobState.COMPLETED);
        assertThat(pass().total()).isEqualTo(3);
    }

    @Test
    void theRestOfAPartlyDeletedChainIsDeleted() {
        List<ClaimedJob> jobs = chain("chain", 3);
        store().settle(jobs.get(2), Transition.COMPLETE);
        time.advance(Duration.ofDays(31));
        Expiry.Unit whole = found().get(0);
        Expiry.Unit first = new Expiry.Unit(whole.root(), whole.jobs().subList(0, 1));
        assertThat(expire(List.of(first), null, Map.of(), Long.MAX_VALUE)
                        .deleted()
                        .jobs())
                .isEqualTo(Map.of(JobState.COMPLETED, 1L));
        assertThat(pass().total()).isEqualTo(2);
    }

    @Test
    void aLongChainIsDeletedInPartsAndTheFirstPartHasItsLastJob() {
        List<ClaimedJob> jobs = chain("chain", 8);
        store().settle(jobs.get(7), Transition.FAIL);
        time.advance(Duration.ofDays(91));
        Expiry.Unit whole = found().get(0);
        List<Expiry.Unit> parts = whole.parts(3);
        assertThat(parts.stream()
                        .map(part -> part.jobs().stream()
                                .map(job -> ids(jobs).indexOf(job.id()))
                                .toList()))
                .containsExactly(List.of(0, 1, 7), List.of(2, 3, 4), List.of(5, 6));
        assertThat(whole.parts(8)).containsExactly(whole);
        for (Expiry.Unit part : parts) {
            assertThat(expire(List.of(part), null, Map.of(), Long.MAX_VALUE).kept())
                    .isZero();
        }
        assertGone(ids(jobs).toArray(Long[]::new));
    }

    private static List<Long> ids(List<ClaimedJob> jobs) {
        return jobs.stream().map(ClaimedJob::id).toList();
    }

    /** Failure class: a chain that continues without its beginning. */
    @Test
    void aLongChainRetriedDuringItsDeletionIsKeptAsAWholeOrCannotBeRetried() {
        for (int round = 0; round < 6; round++) {
            List<ClaimedJob> jobs = chain("chain" + round, 6);
            store().settle(jobs.get(5), Transition.FAIL);
            time.advance(Duration.ofDays(91));
            List<Expiry.Unit> parts = found().get(0).parts(2);
            assertThat(parts).hasSize(3);
            StoreDriver other = open();
            List<Boolean> retried = together(List.<Callable<Boolean>>of(
                    () -> {
                        for (Expiry.Unit part : parts) {
                            if (expire(List.of(part), null, Map.of(), Long.MAX_VALUE)
                                            .kept()
                                    > 0) {
                                return true;
                            }
                        }
                        return false;
                    },
                    () -> failure(ChangeByFilter.run(
                                    other.store(),
                                    StoreDriver.change(
                                            Verb.RETRY, List.of(jobs.get(5).id()))))
                            == null));
            assertThat(retried.get(0)).isEqualTo(retried.get(1));
            if (retried.get(1)) {
                assertThere(ids(jobs).toArray(Long[]::new));
                end(jobs.get(5).id(), "chain" + round, JobState.COMPLETED);
            } else {
                assertGone(ids(jobs).toArray(Long[]::new));
            }
        }
    }

    /** Failure class: a child that treats the last remaining job as the end of the chain, and runs although the chain has failed. */
    @Test
    void noJobCanWaitForAChainThatIsBeingDeleted() {
        List<ClaimedJob> jobs = chain("chain", 6);
        store().settle(jobs.get(5), Transition.FAIL);
        time.advance(Duration.ofDays(91));
        List<Expiry.Unit> parts = found().get(0).parts(2);
        expire(parts.subList(0, 1), null, Map.of(), Long.MAX_VALUE);
        assertGone(jobs.get(0).id(), jobs.get(5).id());
        for (int i = 0; i < jobs.size(); i++) {
            assertThat(failure(store().store()
                            .submit(new Enqueue(List.of(NewRow.of("q", "c")
                                    .afterChain(jobs.get(i).id(), ParentPolicy.WAIT)
                                    .row())))))
                    .as("job %d of the chain", i)
                    .isInstanceOf(JobNotFoundException.class);
        }
        // A new job can still depend on a single job of the chain. That job stays while it is needed.
        long child = store().enqueue(NewRow.of("q", "c").after(jobs.get(2).id(), ParentPolicy.WAIT));
        assertThat(store().state(child)).isEqualTo(JobState.PENDING);
        assertThat(expire(parts.subList(1, 3), null, Map.of(), Long.MAX_VALUE).kept())
                .isPositive();
        assertThere(jobs.get(2).id());
        end(child, "c", JobState.COMPLETED);
        assertThat(pass().total()).isPositive();
        assertGone(ids(jobs).toArray(Long[]::new));
    }

    // ---- many edges -------------------------------------------------------------------------------------------------

    private static final int MANY = 2 * Expiry.EDGES + 20;

    /** Runs batches without time until nothing is left; returns the number of batches. */
    private int oneStepAtATime(List<Expiry.Unit> units) {
        List<Expiry.Unit> left = units;
        int steps = 0;
        while (!left.isEmpty()) {
            left = expire(left, null, Map.of(), 0).left();
            assertNothingIsWrong();
            steps++;
        }
        return steps;
    }

    /** Asserts that edges and the counts of jobs are consistent. */
    private void assertNothingIsWrong() {
        assertThat(store().diagnose().checks())
                .filteredOn(check -> !check.isOk() && !check.name().equals("leases"))
                .isEmpty();
    }

    private void endAll(String type, int count, Transition how) {
        int left = count;
        while (left > 0) {
            List<ClaimedJob> jobs = store().claim(
                            StoreDriver.request("w", Set.of("q"), Set.of(type), Math.min(left, 500)))
                    .jobs();
            assertThat(jobs).isNotEmpty();
            var settled = jobs.stream()
                    .map(job -> store().store().submit(store().settlement(job, how)))
                    .toList();
            settled.forEach(future -> assertThat(StoreDriver.answer(future)).isTrue());
            left -= jobs.size();
        }
    }

    @Test
    void aJobWithVeryManyChildrenIsDeletedAfterItsEdgesInBatches() {
        long parent = store().enqueue(NewRow.of("q", "p"));
        store().enqueueAll(Collections.nCopies(MANY, NewRow.of("q", "c").after(parent, ParentPolicy.RUN)));
        end(parent, "p", JobState.FAILED);
        time.advance(Duration.ofDays(90));
        endAll("c", MANY, Transition.COMPLETE);
        List<Expiry.Unit> units = found();
        assertThat(units)
                .singleElement()
                .satisfies(unit -> assertThat(unit.root()).isEqualTo(parent));
        Expiry.Done first = expire(units, null, Map.of(), 0);
        assertThat(first.deleted().jobs()).isEmpty();
        assertThat(first.left()).isEqualTo(units);
        assertThere(parent);
        assertThat(oneStepAtATime(units)).isBetween(2, 3);
        assertGone(parent);
        assertThat(store().count(JobState.COMPLETED)).isEqualTo(MANY);
        time.advance(MONTH);
        assertThat(pass().total()).isEqualTo(MANY);
    }

    @Test
    void aParentOfVeryManyChildrenIsKeptForItsLastChildInShortBatches() {
        staysForItsLastChild(0);
    }

    @Test
    void aParentOfVeryManyChildrenIsKeptForItsLastChildInAnUnlimitedBatch() {
        staysForItsLastChild(Long.MAX_VALUE);
    }

    private void staysForItsLastChild(long budgetNanos) {
        long parent = store().enqueue(NewRow.of("q", "p"));
        store().enqueueAll(Collections.nCopies(MANY, NewRow.of("q", "c").after(parent, ParentPolicy.RUN)));
        end(parent, "p", JobState.FAILED);
        time.advance(Duration.ofDays(91));
        endAll("c", MANY, Transition.COMPLETE);
        List<Expiry.Unit> units = found();
        // The youngest of its children: the last one that is read.
        long waiting = store().enqueue(NewRow.of("q", "late").after(parent, ParentPolicy.WAIT));
        assertThat(store().state(waiting)).isEqualTo(JobState.BLOCKED);
        List<Expiry.Unit> left = units;
        int kept = 0;
        while (!left.isEmpty()) {
            Expiry.Done done = expire(left, null, Map.of(), budgetNanos);
            kept += done.kept();
            left = done.left();
            assertNothingIsWrong();
        }
        assertThat(kept).isEqualTo(1);
        assertThere(parent);
        assertThat(store().job(waiting).dependsOn()).hasSize(1);
        store().change(Verb.RETRY, parent);
        end(parent, "p", JobState.COMPLETED);
        assertThat(store().state(waiting)).isEqualTo(JobState.PENDING);
    }

    @Test
    void aCompletedJobWithVeryManyParentsIsDeletedAfterItsEdgesInBatches() {
        List<Long> parents = store().enqueueAll(Collections.nCopies(MANY, NewRow.of("q", "p")));
        long child = store().enqueue(NewRow.of("q", "c").afterAll(parents, ParentPolicy.WAIT));
        // Completed from outside, so that all of its edges are open.
        store().change(Verb.COMPLETE, child);
        time.advance(Duration.ofDays(31));
        List<Expiry.Unit> units = found();
        assertThat(expire(units, null, Map.of(), 0).left()).isEqualTo(units);
        assertThere(child);
        assertThat(oneStepAtATime(units)).isBetween(2, 3);
        assertGone(child);
        assertThat(store().count(JobState.PENDING)).isEqualTo(MANY);
    }

    @Test
    void jobsBeforeAJobWithVeryManyEdgesAreDeleted() {
        List<Long> parents = store().enqueueAll(Collections.nCopies(MANY, NewRow.of("q", "p")));
        long heavy = store().enqueue(NewRow.of("q", "c").afterAll(parents, ParentPolicy.WAIT));
        long light = store().enqueue(NewRow.of("q", "c"));
        store().change(Verb.COMPLETE, heavy, light);
        time.advance(Duration.ofDays(31));
        List<Expiry.Unit> units = found();
        assertThat(units).extracting(Expiry.Unit::root).containsExactly(light, heavy);
        Expiry.Done done = expire(units, null, Map.of(), Long.MAX_VALUE);
        assertThat(done.deleted().jobs()).isEqualTo(Map.of(JobState.COMPLETED, 2L));
        assertThat(done.left()).isEmpty();
        assertGone(heavy, light);
    }

    @Test
    void aFailedJobKeepsAllItsParentsUntilItIsDeleted() {
        List<Long> parents = completed(MANY, "p");
        long child = store().enqueue(NewRow.of("q", "c").afterAll(parents, ParentPolicy.WAIT));
        end(child, "c", JobState.FAILED);
        time.advance(Duration.ofDays(91));
        List<Expiry.Unit> units = found();
        assertThat(expire(units, null, Map.of(), 0).deleted().jobs()).containsEntry(JobState.FAILED, 1L);
        assertGone(child);
        assertThat(pass().total()).isEqualTo(MANY);
    }

    @Test
    void aFailedJobWithVeryManyParentsRetriedDuringDeletionKeepsAllOrIsDeleted() {
        List<Long> parents = completed(MANY, "p");
        long child = store().enqueue(NewRow.of("q", "c").afterAll(parents, ParentPolicy.WAIT));
        end(child, "c", JobState.FAILED);
        time.advance(Duration.ofDays(91));
        List<Expiry.Unit> units = found();
        StoreDriver other = open();
        together(List.<Callable<Integer>>of(() -> oneStepAtATime(units), () -> {
            var unused = failure(ChangeByFilter.run(other.store(), StoreDriver.change(Verb.RETRY, List.of(child))));
            return 0;
        }));
        store().store().history(child).ifPresent(history -> {
            assertThat(history.job().state()).isEqualTo(JobState.PENDING);
            assertThat(store().store().parents(child)).hasSize(MANY);
        });
    }

    // ---- data that is deleted with a job ---------------------------------------------------------------------------

    @Test
    void allRowsOfAJobAreDeletedWithIt() {
        long blob = StoreDriver.answer(store().store()
                .submit(Stage.first(
                        "{\"long\":true}".getBytes(StandardCharsets.UTF_8),
                        new Stage.Whole(13, "0".repeat(64), null))));
        String payload = new BlobRef(blob, BlobRef.Form.JSON, 13, "0".repeat(64), null).text();
        long id = ended(
                (q, t) -> NewRow.of(q, t)
                        .payload(payload)
                        .metadata("{\"a\":1}")
                        .tags("a", "b")
                        .name("n"),
                JobState.COMPLETED);
        assertThat(store().store().existingBlobs(List.of(blob))).containsExactly(blob);
        time.advance(Duration.ofDays(31));
        assertThat(pass().total()).isEqualTo(1);
        assertGone(id);
        assertThat(store().store().metadata(id)).isEqualTo(Metadata.none());
        assertThat(store().store().existingBlobs(List.of(blob))).isEmpty();
        assertThat(store().count(JobState.COMPLETED)).isZero();
    }

    @Test
    void reportsOfAJobAreDeletedWithIt() {
        ClaimedJob job = store().running(NewRow.job().concurrencyKey(ConcurrencyKey.of("k")));
        long now = time.millis();
        StoreDriver.answer(store().store()
                .submit(new Report(
                        job.leaseToken(),
                        "w",
                        new Report.Progress(now, 0.5, "half", false),
                        List.of(new Report.Line(now, LogLevel.INFO, "a line")),
                        null)));
        StoreDriver.answer(store().store().submit(StepWrite.work(job.leaseToken(), "paid", "1", now)));
        assertThat(store().settle(job, Transition.FAIL)).isTrue();
        JobHistory history = store().history(job.id());
        assertThat(history.job().progress()).isNotNull();
        assertThat(history.log()).hasSize(1);
        assertThat(history.steps()).hasSize(1);
        time.advance(Duration.ofDays(91));
        assertThat(pass().total()).isEqualTo(1);
        assertGone(job.id());
        // The checks also find rows that belong to no job any more.
        assertNothingIsWrong();
    }

    /** Stages a blob of this many parts. If there are several, each is shorter than the stated length. */
    private BlobRef staged(int parts) {
        byte[] one = {'1'};
        Stage.Whole whole = new Stage.Whole(parts == 1 ? 1 : (long) parts * Stage.MAX_BYTES, "0".repeat(64), null);
        long blob = StoreDriver.answer(store().store().submit(Stage.first(one, parts == 1 ? whole : null)));
        for (int i = 1; i < parts; i++) {
            StoreDriver.answer(store().store().submit(Stage.further(blob, i, one, i == parts - 1 ? whole : null)));
        }
        return new BlobRef(blob, BlobRef.Form.JSON, whole.bytes(), whole.sha256(), null);
    }

    private long sweep() {
        return StoreDriver.answer(
                store().store().submit(new SweepStaged(Duration.ofDays(1).toMillis(), 8)));
    }

    @Test
    void thePartsOfAVeryLongPayloadAreDeletedAfterItsJobInBatches() {
        BlobRef ref = staged(20);
        long id = ended((q, t) -> NewRow.of(q, t).payload(ref.text()), JobState.COMPLETED);
        BlobRef other = staged(1);
        long young = store().enqueue(NewRow.job().payload(other.text()));
        time.advance(Duration.ofDays(31));
        Expiry.Done done = expire(found(), null, Map.of(), Long.MAX_VALUE);
        assertThat(done.deleted().jobs()).isEqualTo(Map.of(JobState.COMPLETED, 1L));
        assertThat(done.deleted().parts()).isTrue();
        assertGone(id);
        assertNothingIsWrong();
        assertThat(store().store().existingBlobs(List.of(ref.id()))).containsExactly(ref.id());
        assertThatThrownBy(() -> store().enqueue(NewRow.job().payload(ref.text())))
                .isInstanceOf(InvalidRequestException.class);
        assertThat(sweep()).isEqualTo(8);
        assertThat(store().store().blobPart(ref.id(), 7)).isNull();
        assertNothingIsWrong();
        assertThat(sweep()).isEqualTo(8);
        assertThat(sweep()).isEqualTo(4);
        assertThat(sweep()).isZero();
        assertThat(store().store().existingBlobs(List.of(ref.id(), other.id()))).containsExactly(other.id());
        assertThat(store().store().blobPart(other.id(), 0)).isNotNull();
        assertThere(young);
    }

    @Test
    void manyJobsLeaveMoreThanSixteenBlobPartsToTheSweep() {
        // The last part of a blob need not be full.
        for (List<Integer> blobs : List.of(List.of(6, 6, 3, 2), List.of(6, 6, 3, 1), Collections.nCopies(17, 1))) {
            List<Long> ids = new ArrayList<>();
            blobs.forEach(parts -> {
                BlobRef ref = staged(parts);
                ids.add(ref.id());
                ended((q, t) -> NewRow.of(q, t).payload(ref.text()), JobState.COMPLETED);
            });
            int sum = blobs.stream().mapToInt(Integer::intValue).sum();
            time.advance(Duration.ofDays(31));
            Expiry.Done done = expire(found(), null, Map.of(), Long.MAX_VALUE);
            assertThat(done.deleted().jobs()).isEqualTo(Map.of(JobState.COMPLETED, (long) blobs.size()));
            assertThat(done.deleted().parts()).as("more than 16 parts in all").isEqualTo(sum == 17);
            assertNothingIsWrong();
            assertThat(store().store().existingBlobs(ids)).hasSize(sum == 17 ? ids.size() : 0);
            while (sweep() == 8) {
                assertNothingIsWrong();
            }
            assertThat(store().store().existingBlobs(ids)).isEmpty();
        }
    }

    @Test
    void aBlobInAFileIsDeletedWithItsJobAlthoughPartsOfOthersAreLeft() {
        for (int parts : List.of(1, 20)) {
            BlobRef ref = staged(parts);
            ended((q, t) -> NewRow.of(q, t).payload(ref.text()), JobState.COMPLETED);
            Stage.Whole whole = new Stage.Whole(20L * Stage.MAX_BYTES, "0".repeat(64), parts + "-file");
            long filed = StoreDriver.answer(store().store().submit(Stage.first(new byte[0], null)));
            StoreDriver.answer(store().store().submit(Stage.further(filed, 1, new byte[0], whole)));
            String text = new BlobRef(filed, BlobRef.Form.JSON, whole.bytes(), whole.sha256(), whole.file()).text();
            ended((q, t) -> NewRow.of(q, t).payload(text), JobState.COMPLETED);
            time.advance(Duration.ofDays(31));
            Expiry.Done done = expire(found(), null, Map.of(), Long.MAX_VALUE);
            assertThat(done.deleted().jobs()).isEqualTo(Map.of(JobState.COMPLETED, 2L));
            assertThat(done.deleted().parts()).isEqualTo(parts == 20);
            assertThat(done.deleted().files()).containsExactly(parts + "-file");
            assertThat(store().store().existingBlobs(List.of(filed))).isEmpty();
        }
    }

    @Test
    void aKeyThatOutlastsItsJobIsHeldWithoutIt() {
        Dedupe any = Dedupe.key("any").forEver();
        long holder = store().enqueue(NewRow.of("q", "k").dedupe(any));
        end(holder, "k", JobState.COMPLETED);
        time.advance(Duration.ofDays(31));
        assertThat(pass().total()).isEqualTo(1);
        EnqueuedJob again = StoreDriver.answer(store().store()
                        .submit(new Enqueue(
                                List.of(NewRow.of("q", "k").dedupe(any).row()))))
                .get(0);
        assertThat(again.deduplicated()).isTrue();
        assertThat(again.id()).isEqualTo(holder);
    }

    @Test
    void anOpenWindowOutlastsItsJobAndAnEndedOneIsDeletedWithIt() {
        Dedupe over = Dedupe.key("over").within(Duration.ofDays(1));
        Dedupe runs = Dedupe.key("runs").within(Duration.ofDays(60));
        end(store().enqueue(NewRow.of("q", "k").dedupe(over)), "k", JobState.COMPLETED);
        end(store().enqueue(NewRow.of("q", "k").dedupe(runs)), "k", JobState.COMPLETED);
        time.advance(Duration.ofDays(31));
        assertThat(pass().total()).isEqualTo(2);
        assertThat(StoreDriver.answer(store().store()
                                .submit(new Enqueue(List.of(
                                        NewRow.of("q", "k").dedupe(over).row(),
                                        NewRow.of("q", "k").dedupe(runs).row()))))
                        .stream()
                        .map(EnqueuedJob::deduplicated))
                .containsExactly(false, true);
    }

    @Test
    void windowsEndByTheClockAtTheBeginOfThePass() {
        Dedupe over = Dedupe.key("over").within(Duration.ofDays(1));
        Dedupe runs = Dedupe.key("runs").within(Duration.ofDays(60));
        end(store().enqueue(NewRow.of("q", "k").dedupe(over)), "k", JobState.COMPLETED);
        end(store().enqueue(NewRow.of("q", "k").dedupe(runs)), "k", JobState.COMPLETED);
        time.advance(Duration.ofDays(31));
        long asOf = time.millis();
        List<Expiry.Unit> units = found();
        time.stepWall(Duration.ofDays(100));
        assertThat(expire(units, null, Map.of(), asOf, Long.MAX_VALUE).deleted().jobs())
                .isEqualTo(Map.of(JobState.COMPLETED, 2L));
        time.stepWall(Duration.ofDays(-100));
        assertThat(StoreDriver.answer(store().store()
                                .submit(new Enqueue(List.of(
                                        NewRow.of("q", "k").dedupe(over).row(),
                                        NewRow.of("q", "k").dedupe(runs).row()))))
                        .stream()
                        .map(EnqueuedJob::deduplicated))
                .containsExactly(false, true);
    }

    // ---- batches ---------------------------------------------------------------------------------------------------

    @Test
    void aPassOverManyJobsWritesOneCompleteAuditEntry() {
        completed(300, "t");
        long failed = ended(JobState.FAILED);
        time.advance(Duration.ofDays(91));
        completed(5, "t");
        Passed passed = pass();
        assertThat(passed.deleted()).isEqualTo(Map.of(JobState.COMPLETED, 300L, JobState.FAILED, 1L));
        assertGone(failed);
        assertThat(store().count(JobState.COMPLETED)).isEqualTo(5);
        AuditEntry entry = store().audit(10).get(0);
        assertThat(store().audit(10)).hasSize(1);
        assertThat(entry.id()).isEqualTo(passed.audit());
        assertThat(entry.action()).isEqualTo("EXPIRE");
        assertThat(entry.actor()).isEqualTo("janitor");
        assertThat(entry.reason()).isEqualTo("less disk");
        assertThat(entry.changed()).isEqualTo(301);
        assertThat(String.valueOf(entry.detail()))
                .contains("COMPLETED 30d, FAILED 90d, CANCELLED 30d")
                .contains("\"COMPLETED\":300")
                .contains("\"FAILED\":1");
    }

    @Test
    void aPassWhoseAuditEntryWasDeletedWritesAnotherOne() {
        completed(3, "t");
        time.advance(Duration.ofDays(31));
        Expiry.Done done = expire(found(), 4711L, Map.of(JobState.FAILED, 2L), Long.MAX_VALUE);
        assertThat(store().audit(10)).singleElement().satisfies(entry -> {
            assertThat(entry.id()).isEqualTo(done.deleted().audit()).isNotEqualTo(4711);
            assertThat(entry.changed()).isEqualTo(3);
            assertThat(String.valueOf(entry.detail())).contains("\"COMPLETED\":3", "\"FAILED\":2");
        });
    }

    @Test
    void aBatchThatRunsOutOfTimeLeavesTheRestToTheNext() {
        completed(400, "t");
        time.advance(Duration.ofDays(31));
        List<Expiry.Unit> units = found();
        assertThat(units).hasSize(400);
        Expiry.Done done = expire(units, null, Map.of(), 0);
        int left = done.left().size();
        assertThat(left).isBetween(1, 399);
        assertThat(done.left()).isEqualTo(units.subList(400 - left, 400));
        assertThat(done.deleted().jobs()).isEqualTo(Map.of(JobState.COMPLETED, 400L - left));
        assertThat(store().count(JobState.COMPLETED)).isEqualTo(left);
        assertThat(pass().total()).isEqualTo(left);
    }

    @Test
    void aBatchOfDeletedJobsEndsWhenItsTimeIsOver() {
        completed(100, "t");
        time.advance(Duration.ofDays(31));
        List<Expiry.Unit> units = found();
        assertThat(pass().total()).isEqualTo(100);
        Expiry.Done done = expire(units, null, Map.of(), 0);
        assertThat(done.left()).hasSizeBetween(1, 99);
        assertThat(done.kept()).as("kept, though gone").isZero();
    }

    @Test
    void keptJobsOfAChainWithADeletedJobAreCounted() {
        List<ClaimedJob> jobs = chain("chain", 3);
        store().settle(jobs.get(2), Transition.FAIL);
        time.advance(Duration.ofDays(91));
        Expiry.Unit chain = found().get(0);
        Expiry.Unit end = new Expiry.Unit(chain.root(), chain.jobs().subList(2, 3));
        assertThat(expire(List.of(end), null, Map.of(), Long.MAX_VALUE)
                        .deleted()
                        .jobs())
                .hasSize(1);
        Expiry.Done done = expire(List.of(chain), null, Map.of(), Long.MAX_VALUE);
        assertThat(done.deleted().jobs()).isEmpty();
        assertThat(done.kept()).isEqualTo(2);
    }

    @Test
    void theSameBatchTwiceDeletesJobsOnce() {
        completed(10, "t");
        time.advance(Duration.ofDays(31));
        List<Expiry.Unit> units = found();
        assertThat(expire(units, null, Map.of(), Long.MAX_VALUE).deleted().jobs())
                .isEqualTo(Map.of(JobState.COMPLETED, 10L));
        Expiry.Done again = expire(units, null, Map.of(), Long.MAX_VALUE);
        assertThat(again.deleted().jobs()).isEmpty();
        assertThat(again.kept()).as("kept, though gone").isZero();
        assertThat(store().audit(10)).hasSize(1);
    }

    @Test
    void concurrentPassesDeleteEachJobOnce() {
        completed(200, "t");
        time.advance(Duration.ofDays(31));
        List<StoreDriver> drivers = List.of(store(), open());
        List<Callable<Long>> passes = new ArrayList<>();
        for (StoreDriver driver : drivers) {
            passes.add(() -> {
                long deleted = 0;
                List<Expiry.Unit> units = driver.store()
                        .expiring(new Expiry.Search(RetentionRules.DEFAULT, null, null))
                        .units();
                for (int i = 0; i < units.size(); i += 20) {
                    List<Expiry.Unit> part = units.subList(i, Math.min(units.size(), i + 20));
                    deleted += StoreDriver.answer(driver.store()
                                    .submit(Expire.first(
                                            part, new Expire.Pass(new Author("j", null), "r", time.millis(), null))))
                            .deleted()
                            .jobs()
                            .getOrDefault(JobState.COMPLETED, 0L);
                }
                return deleted;
            });
        }
        long deleted = together(passes).stream().mapToLong(Long::longValue).sum();
        // One process skips the jobs that the other has locked. The next pass finds the remaining ones.
        assertThat(deleted + pass().total()).isEqualTo(200);
        assertThat(store().count(JobState.COMPLETED)).isZero();
    }

    /** Failure class: a child whose parent is deleted, and that waits forever. */
    @Test
    void aNewDependentOfAJobBeingDeletedIsRefusedOrKeepsTheJob() {
        List<Long> parents = completed(40, "t");
        time.advance(Duration.ofDays(31));
        List<Expiry.Unit> units = found();
        StoreDriver other = open();
        List<Callable<List<Long>>> tasks = List.of(
                () -> {
                    for (int i = 0; i < units.size(); i += 4) {
                        expire(units.subList(i, i + 4), null, Map.of(), Long.MAX_VALUE);
                    }
                    return List.of();
                },
                () -> {
                    List<Long> needed = new ArrayList<>();
                    for (long parent : parents) {
                        var child = other.store()
                                .submit(new Enqueue(List.of(NewRow.of("q", "child")
                                        .after(parent, ParentPolicy.WAIT)
                                        .row())));
                        if (failure(child) == null) {
                            needed.add(parent);
                        }
                    }
                    return needed;
                });
        List<Long> needed = together(tasks).get(1);
        assertThere(needed.toArray(Long[]::new));
        assertThat(store().count(JobState.PENDING)).isEqualTo(needed.size());
    }

    @Test
    void aRetryWithDependentsDuringDeletionsLeavesNoPartialFamily() {
        List<Long> parents = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            long parent = store().enqueue(NewRow.of("q", "p" + i));
            store().enqueue(NewRow.of("q", "c").after(parent, ParentPolicy.CANCEL));
            end(parent, "p" + i, JobState.FAILED);
            parents.add(parent);
        }
        time.advance(Duration.ofDays(91));
        List<Expiry.Unit> units = found();
        StoreDriver other = open();
        together(List.<Callable<Integer>>of(
                () -> {
                    for (Expiry.Unit unit : units) {
                        expire(List.of(unit), null, Map.of(), Long.MAX_VALUE);
                    }
                    return 0;
                },
                () -> {
                    for (long parent : parents) {
                        var unused = failure(ChangeByFilter.run(
                                other.store(),
                                Change.byId(Verb.RETRY, List.of(parent), "op")
                                        .withDependents(true)
                                        .build()));
                    }
                    return 0;
                }));
        // After each test the diagnosis checks that no edge leads to a missing job, and that all counts are right.
        for (long parent : parents) {
            store().store()
                    .history(parent)
                    .ifPresent(history -> assertThat(history.job().state()).isIn(JobState.PENDING, JobState.FAILED));
        }
    }

    // ---- clocks and order -------------------------------------------------------------------------------------------

    @Test
    void aClockThatWasSetBackDeletesNothingEarly() {
        long id = ended(JobState.COMPLETED);
        time.stepWall(Duration.ofDays(-100));
        assertThat(pass().total()).isZero();
        assertThere(id);
        time.advance(Duration.ofDays(129));
        assertThat(pass().total()).isZero();
        time.advance(Duration.ofDays(1));
        assertThat(pass().total()).isEqualTo(1);
    }

    @Test
    void moreJobsThanOneReadAreFoundEvenBehindAJobOfAClockAhead() {
        int many = Expiry.CHUNK + 3;
        time.stepWall(Duration.ofDays(10));
        List<Long> young = completed(1, "t");
        time.stepWall(Duration.ofDays(-10));
        completed(many, "t");
        List<Long> cancelled = store().enqueueAll(Collections.nCopies(many, NewRow.of("q", "c")));
        store().change(Verb.CANCEL, cancelled.toArray(Long[]::new));
        // To the exact moment, because jobs that were created then may have ended at once.
        time.advance(MONTH);
        assertThat(pass().deleted())
                .isEqualTo(Map.of(JobState.COMPLETED, (long) many, JobState.CANCELLED, (long) many));
        assertThere(young.get(0));
    }

    @Test
    void oldJobsAreFoundBehindThousandsOfAClockAhead() {
        time.stepWall(Duration.ofDays(3650));
        List<Long> ahead = completed(Expiry.CHUNK, "t");
        time.stepWall(Duration.ofDays(-3650));
        List<Long> old = completed(3, "t");
        time.advance(Duration.ofDays(31));
        assertThat(pass().total()).isEqualTo(3);
        assertGone(old.toArray(Long[]::new));
        assertThere(ahead.get(0));
    }

    @Test
    void oldJobsAreFoundBehindThousandsOfKeptOnes() {
        List<Long> old = completed(3, "t");
        List<Long> kept = completed(2500, "t");
        // The jobs in between are kept because other jobs depend on them.
        store().enqueue(NewRow.of("q", "c").afterAll(kept.subList(0, 1000), ParentPolicy.WAIT));
        store().enqueue(NewRow.of("q", "c").afterAll(kept.subList(1000, 2000), ParentPolicy.WAIT));
        store().enqueue(NewRow.of("q", "c").afterAll(kept.subList(2000, 2500), ParentPolicy.WAIT));
        List<Long> behind = completed(3, "t");
        time.advance(Duration.ofDays(31));
        Passed passed = pass();
        assertThat(passed.total()).isEqualTo(6);
        assertThat(passed.kept()).isEqualTo(2500);
        assertGone(old.toArray(Long[]::new));
        assertGone(behind.toArray(Long[]::new));
    }

    // ---- rows that belong to no job --------------------------------------------------------------------------------

    @Test
    void oldAuditEntriesAreDeleted() {
        retain(JobState.FAILED, null, Duration.ofDays(7));
        time.advance(Duration.ofDays(300));
        retain(JobState.FAILED, null, Duration.ofDays(8));
        time.advance(Duration.ofDays(66));
        long now = time.millis();
        // A clock that was set ahead since the pass began makes nothing older.
        time.stepWall(Duration.ofDays(400));
        assertThat(StoreDriver.answer(store().store().submit(new Prune(100, now))))
                .isEqualTo(1);
        assertThat(store().audit(10))
                .singleElement()
                .satisfies(entry -> assertThat(String.valueOf(entry.detail())).contains("8d"));
        assertThat(StoreDriver.answer(store().store().submit(new Prune(100, now))))
                .isZero();
        time.stepWall(Duration.ofDays(-400));
    }

    @Test
    void oneTransactionDeletesNoMoreThanItsLimit() {
        for (int days = 1; days <= 5; days++) {
            retain(JobState.FAILED, null, Duration.ofDays(days));
        }
        time.advance(Duration.ofDays(366));
        assertThat(StoreDriver.answer(store().store().submit(new Prune(3, time.millis()))))
                .isEqualTo(3);
        assertThat(StoreDriver.answer(store().store().submit(new Prune(3, time.millis()))))
                .isEqualTo(2);
    }

    private long pruned() {
        return StoreDriver.answer(store().store().submit(new Prune(100, time.millis())));
    }

    @Test
    void theEntryOfADeadWorkerIsDeletedAfterADay() {
        Object unused = StoreDriver.answer(store().store()
                .submit(new Announce(new WorkerRow(
                        StoreDriver.worker("w"),
                        new WorkerRow.WorkerProcess("host", 4711, "here/4711", "0.1"),
                        new WorkerRow.Work(Set.of("q"), Set.of("t"), 4),
                        30_000,
                        0))));
        time.advance(Duration.ofDays(1).plusSeconds(30));
        assertThat(pruned()).isZero();
        time.advance(Duration.ofMillis(1));
        assertThat(pruned()).isEqualTo(1);
    }

    @Test
    void sumsOfMinutesAndTheirHourAreDeletedAfterThirtyFiveDays() {
        Instant day = time.now();
        for (int minute = 0; minute < 3; minute++) {
            StoreDriver worked = open();
            worked.complete(worked.running(NewRow.job()));
            // The close writes the sums in memory.
            worked.close();
            time.advance(Duration.ofMinutes(1));
        }
        time.advance(Duration.ofDays(35).minusMinutes(3));
        assertThat(pruned()).isZero();
        time.advance(Duration.ofMinutes(1));
        for (int i = 0; i < 2; i++) {
            assertThat(StoreDriver.answer(store().store().submit(new Prune(1, time.millis()))))
                    .as("the first minute, the hour")
                    .isEqualTo(1);
        }
        assertThat(pruned()).isZero();
        time.advance(Duration.ofMinutes(1));
        assertThat(pruned()).isEqualTo(1);
        time.stepWall(Duration.between(time.now(), day.plus(Duration.ofMinutes(3))));
        assertThat(store().store()
                        .throughput(Duration.ofHours(1), ThroughputFilter.ALL)
                        .all()
                        .succeeded())
                .isEqualTo(1);
    }

    @Test
    void theSumOfAnErrorCodeUnusedForAYearIsDeleted() {
        StoreDriver worked = open();
        assertThat(worked.settle(worked.running(NewRow.job()), Transition.FAIL)).isTrue();
        // The close writes the sums in memory.
        worked.close();
        time.advance(Duration.ofDays(91));
        assertThat(pruned()).as("the sums of a minute and its hour").isEqualTo(2);
        time.advance(Duration.ofDays(365 - 91));
        assertThat(pruned()).isZero();
        time.advance(Duration.ofMillis(1));
        assertThat(pruned()).as("there is a job with this code").isZero();
        assertThat(pass().total()).isEqualTo(1);
        // A store may add up the counter deltas of transactions a second later.
        long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        long gone = pruned();
        while (gone == 0 && System.nanoTime() - deadline < 0) {
            gone = pruned();
        }
        assertThat(gone).isEqualTo(1);
    }

    // ---- lanes ------------------------------------------------------------------------------------------------------

    private Set<String> queues() {
        return store().store().statistics().queues().stream()
                .map(Statistics.OfQueue::queue)
                .collect(Collectors.toSet());
    }

    private void cancel(StoreDriver store, long job) {
        Object unused =
                StoreDriver.answer(ChangeByFilter.run(store.store(), Change.of(Verb.CANCEL, List.of(job), "operator")));
    }

    /** Deletes ended jobs, and then old rows that belong to no job. A store may add up the counter deltas of transactions a second later. */
    private void deleteUntilOnly(String... queues) {
        assertThat(pass().kept()).isZero();
        until("only the queues " + List.of(queues), () -> pruned() >= 0 && queues().equals(Set.of(queues)));
    }

    @Test
    void anUnusedQueueIsDeletedAndCanReturnInAllProcesses() {
        StoreDriver other = open();
        for (StoreDriver each : List.of(store(), other)) {
            cancel(each, each.enqueue(NewRow.of("today", "t")));
        }
        long later = store().enqueue(NewRow.of("tomorrow", "t"));
        time.advance(Duration.ofDays(36));
        deleteUntilOnly("tomorrow");

        long again = other.enqueue(NewRow.of("today", "t"));
        long once = store().enqueue(NewRow.of("today", "t"));
        assertThat(queues()).containsExactlyInAnyOrder("today", "tomorrow");
        assertThat(store().claim(StoreDriver.request("w", Set.of("today"), Set.of("t"), 9))
                        .jobs())
                .allSatisfy(job -> assertThat(job.queue()).isEqualTo("today"))
                .extracting(ClaimedJob::id)
                .containsExactlyInAnyOrder(again, once);
        assertThat(other.claim(StoreDriver.request("v", Set.of("tomorrow"), Set.of("t"), 9))
                        .jobs())
                .extracting(ClaimedJob::id)
                .containsExactly(later);
    }

    @Test
    void aQueueIsKeptWhileItHasJobsOrSumsOrIsPaused() {
        cancel(store(), store().enqueue(NewRow.of("unused", "t")));
        cancel(store(), store().enqueue(NewRow.of("paused", "t")));
        Object unused = StoreDriver.answer(
                KeyLimits.change(store().store(), LimitChange.pause(LimitTarget.queue("paused"), "anna", "why")));
        store().enqueue(NewRow.of("waiting", "t"));
        StoreDriver worked = open();
        ClaimedJob job = worked.running(NewRow.job());
        // A store may keep a queue for some time after its last use. Here the sums are newer than that.
        time.advance(Duration.ofHours(23));
        worked.complete(job);
        // The close writes the sums in memory.
        worked.close();
        store().enqueue(NewRow.of("newest", "t"));
        time.advance(Duration.ofDays(34).plusHours(2));
        deleteUntilOnly("paused", "waiting", "q", "newest");
        assertThat(pruned()).isZero();
        assertThat(queues()).containsExactlyInAnyOrder("paused", "waiting", "q", "newest");
        unused = StoreDriver.answer(
                KeyLimits.change(store().store(), LimitChange.resume(LimitTarget.queue("paused"), "anna")));
        time.advance(Duration.ofDays(5));
        deleteUntilOnly("waiting", "newest");
    }

    @Test
    void theRetriesOfATypeAreStillCountedAfterItsQueueIsDeleted() {
        StoreDriver worked = open();
        assertThat(worked.settle(worked.running(NewRow.job()), Transition.RETRY_LATER))
                .isTrue();
        time.advance(Duration.ofDays(1));
        worked.complete(worked.claimOne());
        worked.close();
        store().enqueue(NewRow.of("tomorrow", "t"));
        var before = store().store().statistics().retries();
        assertThat(before).hasSize(1);
        time.advance(Duration.ofDays(36));
        deleteUntilOnly("tomorrow");
        assertThat(store().store().statistics().retries()).isEqualTo(before);
    }

    // ---- background tasks ------------------------------------------------------------------------------------------

    private static BackgroundTask task(String holder) {
        return new BackgroundTask(BackgroundTask.RETENTION, holder, 60_000, 3_600_000);
    }

    private boolean takes(String holder) {
        return StoreDriver.answer(store().store().submit(new Lead(task(holder))));
    }

    @Test
    void anAbandonedBackgroundTaskIsFreeAtOnceAndNotDone() {
        assertThat(takes("a")).isTrue();
        assertThat(givesUp("b")).as("another one's").isFalse();
        assertThat(takes("b")).isFalse();
        assertThat(givesUp("a")).isTrue();
        BackgroundTask.State state = store().store().task(BackgroundTask.RETENTION);
        assertThat(state.holder()).isNull();
        assertThat(state.lastMillis()).isNull();
        assertThat(givesUp("a")).as("it is free already").isFalse();
        assertThat(takes("b")).isTrue();
    }

    private boolean givesUp(String holder) {
        return StoreDriver.answer(store().store().submit(new Resign(task(holder))));
    }

    @Test
    void aBackgroundTaskHasOneLeaderUntilItIsDoneOrItsLeaseExpires() {
        assertThat(store().store().task(BackgroundTask.RETENTION).holder()).isNull();
        assertThat(takes("a")).isTrue();
        assertThat(takes("b")).isFalse();
        time.advance(Duration.ofSeconds(50));
        assertThat(takes("a")).as("for another lease").isTrue();
        time.advance(Duration.ofSeconds(59));
        assertThat(takes("b")).isFalse();
        time.advance(Duration.ofSeconds(1));
        assertThat(takes("b")).isTrue();
        assertThat(takes("a")).as("lost").isFalse();
        assertThat(StoreDriver.answer(store().store().submit(new EndTask(task("a"), null))))
                .isFalse();
        assertThat(StoreDriver.answer(store().store().submit(new EndTask(task("b"), "{\"deleted\":3}"))))
                .isTrue();
        BackgroundTask.State state = store().store().task(BackgroundTask.RETENTION);
        assertThat(state.holder()).isNull();
        assertThat(state.lastMillis()).isEqualTo(state.nowMillis());
        assertThat(state.detail()).isEqualTo("{\"deleted\":3}");
        assertThat(takes("a")).as("it was done just now").isFalse();
        time.advance(Duration.ofHours(1));
        assertThat(takes("a")).isTrue();
    }

    @Test
    void aBackgroundTaskOfAClockAheadIsFreeOnceTheClockIsCorrected() {
        time.stepWall(Duration.ofDays(10));
        assertThat(takes("a")).isTrue();
        time.stepWall(Duration.ofDays(-10));
        assertThat(takes("b")).isTrue();
        time.stepWall(Duration.ofDays(10));
        StoreDriver.answer(store().store().submit(new EndTask(task("b"), null)));
        time.stepWall(Duration.ofDays(-10));
        assertThat(takes("a")).isTrue();
    }

    @Test
    void anotherClockHoldsABackgroundTaskForAtMostTwoLeases() {
        // The task is taken by a clock that is ahead by one lease. For other processes it is held for two.
        time.stepWall(Duration.ofMinutes(1));
        assertThat(takes("a")).isTrue();
        time.stepWall(Duration.ofMinutes(-1));
        assertThat(takes("b")).as("two leases").isFalse();
        time.stepWall(Duration.ofMillis(-1));
        assertThat(takes("b")).as("more than two").isTrue();
        // A process that has lost the task so can neither keep nor end it.
        assertThat(StoreDriver.answer(store().store().submit(new EndTask(task("a"), null))))
                .isFalse();
        assertThat(takes("a")).isFalse();
        assertThat(takes("b")).isTrue();
    }

    @Test
    void aBackgroundTaskIsFreeAfterTwoLeasesOfAClockAhead() {
        time.stepWall(Duration.ofMinutes(1));
        assertThat(takes("a")).isTrue();
        time.stepWall(Duration.ofMinutes(-1));
        time.advance(Duration.ofMinutes(2).minusMillis(1));
        assertThat(takes("b")).isFalse();
        time.advance(Duration.ofMillis(1));
        assertThat(takes("b")).isTrue();
    }

    @Test
    void deletedJobsCannotBeChanged() {
        long id = ended(JobState.FAILED);
        time.advance(Duration.ofDays(91));
        pass();
        assertThat(failure(ChangeByFilter.run(store().store(), StoreDriver.change(Verb.RETRY, List.of(id)))))
                .isNotNull()
                .isNotInstanceOf(TransitionRefusedException.class);
    }
}
