package dev.windrow.contract.monitor;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.EventKind;
import dev.windrow.JobHistory;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.TransitionRefusedException;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreContract;
import dev.windrow.contract.StoreDriver;
import dev.windrow.limit.LimitTarget;
import dev.windrow.monitor.AuditEntry;
import dev.windrow.monitor.AuditEntry.Job;
import dev.windrow.monitor.AuditFilter;
import dev.windrow.monitor.AuditPage;
import dev.windrow.payload.Json;
import dev.windrow.query.JobFilter;
import dev.windrow.retention.RetentionRules;
import dev.windrow.store.Author;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.Change.Verb;
import dev.windrow.store.job.ChangeByFilter;
import dev.windrow.store.job.ChangeResult;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.limit.LimitChange;
import dev.windrow.store.monitor.RecordReveal;
import dev.windrow.store.retention.Prune;
import dev.windrow.store.retention.RetentionChange;
import dev.windrow.store.step.Signal;
import dev.windrow.workflow.ParentPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The entries that changes leave in the audit, their reasons, and the filters of the audit. */
public abstract class AuditContract extends StoreContract {
    private static final String WHY = "ticket 4711";

    /** Creates the contract for a subclass. */
    protected AuditContract() {}

    private static Change.Builder change(Verb verb, Long... jobs) {
        return Change.byId(verb, Arrays.asList(jobs), "alice").reason(WHY);
    }

    private ChangeResult make(Change.Builder change) {
        return StoreDriver.answer(ChangeByFilter.run(store().store(), change.build()));
    }

    private AuditEntry last() {
        return store().audit(1).get(0);
    }

    private List<AuditEntry> audit(AuditFilter filter) {
        return store().store().audit(filter, null, 100).entries();
    }

    private JobHistory.Event lastEvent(long job) {
        List<JobHistory.Event> events = store().history(job).events();
        return events.get(events.size() - 1);
    }

    private long failed() {
        ClaimedJob job = store().running(NewRow.job());
        make(Change.byId(Verb.FAIL, List.of(job.id()), "bob").error("TEST:A", null));
        return job.id();
    }

    /** Checks the one entry of a change of one job, and the event that the change has written. */
    private void assertRecorded(Change.Builder change, JobState from, JobState to, EventKind event) {
        int before = store().audit(1000).size();
        assertThat(make(change).count()).isEqualTo(1);
        assertThat(store().audit(1000)).hasSize(before + 1);
        AuditEntry entry = last();
        Job job = entry.jobs().get(0);
        assertThat(entry.action()).isEqualTo(change.build().verb().name());
        assertThat(entry.actor()).isEqualTo("alice");
        assertThat(entry.reason()).isEqualTo(WHY);
        assertThat(entry.at()).isEqualTo(time.now());
        assertThat(entry.changed()).isEqualTo(1);
        assertThat(entry.jobs()).containsExactly(new Job(job.id(), from, to));
        assertThat(lastEvent(job.id()).event()).isEqualTo(event);
        assertThat(lastEvent(job.id()).actor()).isEqualTo("alice");
        assertThat(requireNonNull(lastEvent(job.id()).detail()).text()).contains("\"reason\":\"" + WHY + "\"");
    }

    @Test
    void aChangeOfOneJobByIdNamesItsStatesAndItsReason() {
        long pending = store().enqueue(NewRow.job());
        assertRecorded(change(Verb.CANCEL, pending), JobState.PENDING, JobState.CANCELLED, EventKind.CANCELLED);
        assertRecorded(change(Verb.RETRY, pending), JobState.CANCELLED, JobState.PENDING, EventKind.RETRIED);
        assertRecorded(
                change(Verb.FAIL, pending).error("TEST:A", null), JobState.PENDING, JobState.FAILED, EventKind.FAILED);
        assertThat(last().detail()).isEqualTo(new Json("{\"errorCode\":\"TEST:A\"}"));
        long later = store().enqueue(NewRow.job().delay(Duration.ofDays(1)));
        assertRecorded(change(Verb.TRIGGER, later), JobState.SCHEDULED, JobState.PENDING, EventKind.RELEASED);
        assertRecorded(change(Verb.COMPLETE, later), JobState.PENDING, JobState.COMPLETED, EventKind.SUCCEEDED);
        long running = store().running(NewRow.job()).id();
        assertRecorded(change(Verb.CANCEL, running), JobState.RUNNING, JobState.RUNNING, EventKind.CANCEL_REQUESTED);
    }

    @Test
    void aChangeOfSeveralJobsHasOneEntry() {
        long one = failed();
        long two = store().enqueue(NewRow.job());
        make(change(Verb.CANCEL, two));
        make(change(Verb.DELETE, two, one));
        assertThat(last().changed()).isEqualTo(2);
        assertThat(last().jobs())
                .containsExactly(new Job(one, JobState.FAILED, null), new Job(two, JobState.CANCELLED, null));
        assertThat(audit(AuditFilter.ALL.withJob(JobRef.raw(two))))
                .as("a deleted job")
                .extracting(AuditEntry::action)
                .containsExactly("DELETE", "CANCEL");
    }

    @Test
    void anEntryNamesTheFirstHundredJobs() {
        List<Long> jobs = store().enqueueAll(Collections.nCopies(150, NewRow.job()));
        make(Change.byFilter(Verb.CANCEL, JobFilter.ALL, "alice").reason(WHY));
        assertThat(last().changed()).isEqualTo(150);
        assertThat(last().reason()).isEqualTo(WHY);
        assertThat(last().jobs())
                .containsExactlyElementsOf(jobs.subList(0, 100).stream()
                        .map(job -> new Job(job, JobState.PENDING, JobState.CANCELLED))
                        .toList());
    }

    @Test
    void aRefusedChangeAndADryRunLeaveNoEntry() {
        long pending = store().enqueue(NewRow.job());
        assertThatThrownBy(() -> make(change(Verb.RETRY, pending))).isInstanceOf(TransitionRefusedException.class);
        make(change(Verb.CANCEL, pending).dryRun(true));
        make(Change.byFilter(Verb.RETRY, JobFilter.ALL, "alice"));
        assertThat(store().audit(10)).isEmpty();
    }

    @Test
    void theEndOfAParentLeavesOneEntryForTheParentOnly() {
        long parent = store().enqueue(NewRow.job());
        long child = store().enqueue(NewRow.job().after(parent, ParentPolicy.CANCEL));
        make(change(Verb.CANCEL, parent));
        assertThat(store().state(child)).isEqualTo(JobState.CANCELLED);
        assertThat(store().audit(10))
                .singleElement()
                .satisfies(entry -> assertThat(entry.jobs())
                        .containsExactly(new Job(parent, JobState.PENDING, JobState.CANCELLED)));
    }

    @Test
    void aSignalThatCountsHasAnEntry() {
        ClaimedJob job = store().running(NewRow.job());
        Author author = new Author("alice", WHY);
        StoreDriver.answer(store().store().submit(new Signal(job.id(), "early", null, author, null)));
        assertThat(last().jobs()).containsExactly(new Job(job.id(), JobState.RUNNING, JobState.RUNNING));
        store().awaits(job, "paid", Duration.ofHours(1));
        StoreDriver.answer(store().store().submit(new Signal(job.id(), "paid", null, author, null)));
        assertThat(last().action()).isEqualTo("SIGNAL");
        assertThat(last().actor()).isEqualTo("alice");
        assertThat(last().reason()).isEqualTo(WHY);
        assertThat(last().detail()).isEqualTo(new Json("{\"event\":\"paid\"}"));
        assertThat(last().jobs()).containsExactly(new Job(job.id(), JobState.BLOCKED, JobState.PENDING));
        assertThat(lastEvent(job.id()).detail()).isEqualTo(new Json("{\"reason\":\"event 'paid': ticket 4711\"}"));
        StoreDriver.answer(store().store().submit(new Signal(job.id(), "paid", null, author, null)));
        assertThat(store().audit(10)).hasSize(2);
    }

    private void reveal(Map<String, String> detail, Long... jobs) {
        StoreDriver.answer(
                store().store().submit(new RecordReveal(Arrays.asList(jobs), detail, new Author("alice", WHY))));
    }

    @Test
    void aRevealHasAnEntryAndChangesNoJob() {
        long failed = failed();
        long job = store().enqueue(NewRow.job());
        int events = store().history(job).events().size();
        long version = store().job(job).version();
        int before = store().audit(10).size();
        reveal(Map.of(), job, failed, 4711L);
        assertThat(store().audit(10)).hasSize(before + 1);
        AuditEntry entry = last();
        assertThat(entry.action()).isEqualTo("REVEAL");
        assertThat(entry.actor()).isEqualTo("alice");
        assertThat(entry.reason()).isEqualTo(WHY);
        assertThat(entry.at()).isEqualTo(time.now());
        assertThat(entry.changed()).isEqualTo(3);
        assertThat(entry.detail()).isNull();
        assertThat(entry.jobs())
                .as("the existing jobs, by id")
                .containsExactly(
                        new Job(failed, JobState.FAILED, JobState.FAILED),
                        new Job(job, JobState.PENDING, JobState.PENDING));
        assertThat(store().history(job).events()).hasSize(events);
        assertThat(store().job(job).version()).isEqualTo(version);
        assertThat(audit(AuditFilter.ALL.withJob(JobRef.raw(job)).withAction("REVEAL")))
                .hasSize(1);
    }

    @Test
    void aRevealWithoutJobsHasItsDetail() {
        reveal(Map.of("schedule", "a \"b\""));
        assertThat(last().changed()).isZero();
        assertThat(last().jobs()).isEmpty();
        assertThat(last().detail()).isEqualTo(new Json("{\"schedule\":\"a \\\"b\\\"\"}"));
    }

    @Test
    void aRevealNamesItsFirstHundredJobs() {
        List<Long> jobs = store().enqueueAll(Collections.nCopies(150, NewRow.job()));
        reveal(Map.of("list", "jobs"), jobs.toArray(Long[]::new));
        assertThat(last().changed()).isEqualTo(150);
        assertThat(last().jobs()).extracting(Job::id).isEqualTo(jobs.subList(0, 100));
    }

    @Test
    void changesOfOtherThingsThanJobsHaveTheReason() {
        LimitTarget queue = LimitTarget.queue("q");
        StoreDriver.answer(
                store().store().submit(LimitChange.limit(queue, "alice", 5).withReason(WHY)));
        assertThat(last().reason()).isEqualTo(WHY);
        assertThat(last().detail()).isEqualTo(new Json("{\"queue\":\"q\",\"maxRunning\":5}"));
        assertThat(last().jobs()).isEmpty();
        RetentionRules.Rule rule = new RetentionRules.Rule(JobState.FAILED, null, null);
        StoreDriver.answer(store().store().submit(new RetentionChange(rule, false, new Author("alice", "audit"))));
        assertThat(last().reason()).isEqualTo("audit");
    }

    @Test
    void filtersSelectEntries() {
        Instant begin = time.now();
        long one = store().enqueue(NewRow.job());
        long two = store().enqueue(NewRow.job());
        make(change(Verb.CANCEL, one, two));
        time.advance(Duration.ofMinutes(1));
        make(Change.byId(Verb.RETRY, List.of(one), "bob"));
        time.advance(Duration.ofMinutes(1));
        make(change(Verb.CANCEL, one));
        AuditFilter all = AuditFilter.ALL;
        assertThat(audit(all)).extracting(AuditEntry::action).containsExactly("CANCEL", "RETRY", "CANCEL");
        assertThat(audit(all.withAction("CANCEL")))
                .extracting(AuditEntry::changed)
                .containsExactly(1L, 2L);
        assertThat(audit(all.withActor("bob"))).extracting(AuditEntry::action).containsExactly("RETRY");
        assertThat(audit(all.withActor("bob").withAction("CANCEL"))).isEmpty();
        assertThat(audit(all.withActor("nobody"))).isEmpty();
        AuditFilter job = all.withJob(JobRef.raw(one));
        assertThat(audit(job)).isEqualTo(audit(all));
        assertThat(audit(all.withJob(JobRef.raw(two))))
                .extracting(AuditEntry::changed)
                .containsExactly(2L);
        assertThat(audit(job.withActor("bob"))).hasSize(1);
        assertThat(audit(job.withAction("CANCEL").withFrom(begin.plusSeconds(1))))
                .hasSize(1);
        assertThat(audit(all.withFrom(begin.plusSeconds(60)).withBefore(begin.plusSeconds(120))))
                .extracting(AuditEntry::action)
                .containsExactly("RETRY");
        assertThat(audit(all.withActor("alice").withBefore(begin.plusSeconds(60))))
                .hasSize(1);
        assertThat(audit(all.withAction("CANCEL").withFrom(begin.plusSeconds(60))))
                .hasSize(1);
        Instant minute = begin.plusSeconds(60);
        for (AuditFilter path : List.of(all, all.withAction("CANCEL"), all.withActor("alice"), job)) {
            assertThat(audit(path.withBefore(minute)))
                    .extracting(AuditEntry::changed)
                    .containsExactly(2L);
            assertThat(audit(path.withFrom(minute.plusNanos(1)))).isEqualTo(store().audit(1));
            assertThat(audit(path.withFrom(Instant.MIN).withBefore(Instant.MAX)))
                    .isEqualTo(audit(path));
            assertThat(store().store().audit(path, null, 1).entries()).isEqualTo(store().audit(1));
        }
        assertThat(audit(all.withBefore(begin.plusNanos(1)))).hasSize(1);
    }

    @Test
    void pagesNeitherRepeatNorHideAnEntry() {
        long job = store().enqueue(NewRow.job());
        long other = store().enqueue(NewRow.job());
        for (int i = 0; i < 12; i++) {
            // Three entries have the same time, and the clock steps back once.
            time.advance(Duration.ofMinutes(i % 3 == 0 ? 2 : 0));
            if (i == 6) {
                time.stepWall(Duration.ofMinutes(-12));
            }
            make(change(i % 2 == 0 ? Verb.CANCEL : Verb.RETRY, job));
        }
        AuditFilter all = AuditFilter.ALL;
        for (AuditFilter filter : List.of(
                all,
                all.withAction("CANCEL"),
                all.withActor("alice"),
                all.withJob(JobRef.raw(job)),
                all.withFrom(time.now().minus(Duration.ofMinutes(3))),
                all.withBefore(time.now()))) {
            List<AuditEntry> whole = audit(filter);
            assertThat(whole).hasSizeGreaterThan(2);
            for (int limit : List.of(1, 2, 5, whole.size(), 100)) {
                List<AuditEntry> seen = new ArrayList<>();
                AuditPage page = store().store().audit(filter, null, limit);
                seen.addAll(page.entries());
                while (page.next() != null) {
                    assertThat(page.entries()).hasSize(limit);
                    page = store().store().audit(filter, page.next(), limit);
                    seen.addAll(page.entries());
                }
                assertThat(seen).as("pages of %d", limit).isEqualTo(whole);
            }
        }
        Long second = store().store().audit(all, null, 2).next();
        make(change(Verb.CANCEL, other));
        assertThat(store().store().audit(all, second, 100).entries())
                .as("after a new entry")
                .isEqualTo(audit(all).subList(2, 13));
        assertThat(store().store().audit(all, 4711_000L, 100)).isEqualTo(new AuditPage(List.of(), null));
    }

    @Test
    void anOldEntryIsDeletedWithItsJobs() {
        long job = store().enqueue(NewRow.job());
        make(change(Verb.CANCEL, job));
        time.advance(Duration.ofDays(366));
        make(change(Verb.RETRY, job));
        StoreDriver.answer(store().store().submit(new Prune(100, time.millis())));
        assertThat(audit(AuditFilter.ALL.withJob(JobRef.raw(job))))
                .extracting(AuditEntry::action)
                .containsExactly("RETRY");
        assertThat(store().audit(10)).hasSize(1);
    }
}
