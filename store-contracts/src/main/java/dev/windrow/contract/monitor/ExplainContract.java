package dev.windrow.contract.monitor;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.Explanation;
import dev.windrow.Explanation.Reason;
import dev.windrow.Explanation.Running.Progress;
import dev.windrow.JobInfo;
import dev.windrow.JobState;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreContract;
import dev.windrow.contract.StoreDriver;
import dev.windrow.limit.ConcurrencyKey;
import dev.windrow.limit.LimitTarget;
import dev.windrow.limit.Limits;
import dev.windrow.limit.Rate;
import dev.windrow.store.Transition;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.Report;
import dev.windrow.store.limit.KeyLimits;
import dev.windrow.store.limit.LimitChange;
import dev.windrow.store.processes.Announce;
import dev.windrow.store.processes.WorkerRow;
import dev.windrow.workflow.ParentPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The reasons why a job does not run. */
public abstract class ExplainContract extends StoreContract {
    private static final LimitTarget QUEUE = LimitTarget.queue("q");
    private static final LimitTarget TYPE = LimitTarget.type("t");
    private static final LimitTarget KEY = LimitTarget.key("tenant");
    private static final ConcurrencyKey TWO = ConcurrencyKey.atMost("tenant", 2);
    private static final Reason FIRST = new Explanation.Ready(0);

    /** Creates the contract for a subclass. */
    protected ExplainContract() {}

    private Explanation explain(long id) {
        return store().store().explain(id).orElseThrow();
    }

    private List<Reason> reasons(long id) {
        return explain(id).reasons();
    }

    private void announce(String name, int minPriority, Set<String> queues, String... types) {
        Object unused = StoreDriver.answer(store().store()
                .submit(new Announce(new WorkerRow(
                        StoreDriver.worker(name),
                        new WorkerRow.WorkerProcess("host", 4711, "here/4711", "0.1"),
                        new WorkerRow.Work(queues, Set.of(types), 4, minPriority),
                        Duration.ofDays(1).toMillis(),
                        0))));
    }

    /** Registers a worker for the queue and the type of most jobs here. */
    private void announce() {
        announce("w", Short.MIN_VALUE, Set.of("q"), "t");
    }

    private void change(LimitChange change) {
        Limits unused = StoreDriver.answer(KeyLimits.change(store().store(), change));
    }

    private void resume(LimitTarget target) {
        change(LimitChange.resume(target, "anna"));
    }

    @Test
    void aJobThatDoesNotExistHasNoExplanation() {
        assertThat(store().store().explain(4711)).isEmpty();
    }

    @Test
    void aReadyJobWithNothingInItsWayCountsTheJobsBeforeIt() {
        announce();
        announce("x", Short.MIN_VALUE, Set.of("q"), "u");
        List<Long> ids = store().enqueueAll(
                        NewRow.job(),
                        NewRow.of("q", "u"),
                        NewRow.job(),
                        NewRow.job().priority(5),
                        NewRow.of("other", "t"));
        assertThat(explain(ids.get(3))).isEqualTo(new Explanation(ids.get(3), JobState.PENDING, List.of(FIRST)));
        assertThat(reasons(ids.get(0))).containsExactly(new Explanation.Ready(1));
        assertThat(reasons(ids.get(2))).containsExactly(new Explanation.Ready(3));
        assertThat(explain(ids.get(0)).text()).isEqualTo("PENDING: ready; 1 job before it");
        assertThat(explain(ids.get(3)).text()).isEqualTo("PENDING: ready; no job before it");
        time.advance(Duration.ofSeconds(1));
        long later = store().enqueue(NewRow.job());
        assertThat(reasons(later)).containsExactly(new Explanation.Ready(4));
        change(LimitChange.pause(LimitTarget.type("u"), "anna", null));
        assertThat(reasons(later)).as("a paused type is not before it").containsExactly(new Explanation.Ready(3));
    }

    @Test
    void theJobsBeforeAJobAreCountedUpToALimit() {
        announce();
        for (int i = 0; i < Explanation.MAX_BEFORE + 1000; i += 1000) {
            List<NewRow> rows =
                    IntStream.range(0, 1000).mapToObj(n -> NewRow.job()).toList();
            List<Long> unused = store().enqueueAll(rows);
        }
        long last = store().enqueue(NewRow.job());
        assertThat(reasons(last)).containsExactly(new Explanation.Ready(Explanation.MAX_BEFORE));
        assertThat(explain(last).text()).isEqualTo("PENDING: ready; 10,000 or more jobs before it");
    }

    @Test
    void aPausedQueueTypeAndKeyAreNamedInThisOrder() {
        announce();
        long job = store().enqueue(NewRow.job().concurrencyKey(TWO));
        long later = store().enqueue(NewRow.job().delay(Duration.ofHours(1)));
        change(LimitChange.pause(KEY, "anna", null));
        change(LimitChange.pause(TYPE, "bob", "a bad release"));
        change(LimitChange.pause(QUEUE, "anna", "provider is down"));
        Instant now = time.now();
        Reason queue = new Explanation.Paused(QUEUE, new Limits.Pause(now, "anna", "provider is down"));
        Reason type = new Explanation.Paused(TYPE, new Limits.Pause(now, "bob", "a bad release"));
        Reason key = new Explanation.Paused(KEY, new Limits.Pause(now, "anna", null));
        assertThat(reasons(job)).containsExactly(queue, type, key);
        assertThat(explain(job).sentences())
                .containsExactly(
                        "queue 'q' is paused by anna since " + now + ": provider is down (windrow resume q)",
                        "type 't' is paused by bob since " + now + ": a bad release (windrow resume --type t)",
                        "concurrency key 'tenant' is paused by anna since " + now + " (windrow resume --key tenant)");
        assertThat(reasons(later)).as("it would wait after its time").endsWith(queue, type);
        resume(QUEUE);
        resume(KEY);
        assertThat(reasons(job)).containsExactly(type);
        resume(TYPE);
        assertThat(reasons(job)).containsExactly(FIRST);
    }

    @Test
    void missingWorkersAreNamed() {
        long job = store().enqueue(NewRow.of("images", "a"));
        Reason unserved = new Explanation.QueueNotServed("images");
        Reason unhandled = new Explanation.TypeNotHandled("a", null);
        assertThat(reasons(job)).containsExactly(unserved, unhandled);
        assertThat(explain(job).text())
                .isEqualTo("PENDING: no live worker serves queue 'images' (windrow work --queue images);"
                        + " no live worker of its queue handles type 'a' (start a worker with a handler of it)");
        announce("w1", Short.MIN_VALUE, Set.of("q"), "a");
        assertThat(reasons(job)).containsExactly(unserved);
        announce("w2", Short.MIN_VALUE, Set.of("images"), "b");
        assertThat(reasons(job)).containsExactly(unhandled);
        announce("w2", Short.MIN_VALUE, Set.of("images"), "A");
        assertThat(reasons(job)).containsExactly(new Explanation.TypeNotHandled("a", "A"));
        assertThat(explain(job).text())
                .isEqualTo("PENDING: no live worker of its queue handles type 'a' (a live worker handles 'A')");
        announce("w2", 10, Set.of("images"), "a");
        announce("w3", 20, Set.of("images"), "a");
        assertThat(reasons(job)).containsExactly(new Explanation.PriorityNotTaken(0, 10));
        assertThat(explain(job).text())
                .isEqualTo("PENDING: no live worker takes priority 0: minimum 10 (windrow work --min-priority 0)");
        announce("w2", 0, Set.of("images"), "a");
        assertThat(reasons(job)).containsExactly(FIRST);
        time.advance(Duration.ofDays(2));
        assertThat(reasons(job)).as("a silent worker takes no job").containsExactly(unserved, unhandled);
    }

    @Test
    void aReachedLimitHasItsNumbers() {
        announce();
        change(LimitChange.limit(QUEUE, "anna", 2));
        change(LimitChange.limit(TYPE, "anna", 3));
        List<Long> ids = store().enqueueAll(NewRow.job(), NewRow.job(), NewRow.job());
        ClaimedJob first = store().claimOne();
        assertThat(reasons(ids.get(2))).containsExactly(new Explanation.Ready(1));
        store().claimOne();
        assertThat(reasons(ids.get(2))).containsExactly(new Explanation.LimitReached(QUEUE, 2, 2));
        assertThat(explain(ids.get(2)).text())
                .isEqualTo("PENDING: queue 'q' is at its limit: 2 running, at most 2 (windrow limit q --running N)");
        change(LimitChange.limit(TYPE, "anna", 1));
        assertThat(reasons(ids.get(2)))
                .containsExactly(new Explanation.LimitReached(QUEUE, 2, 2), new Explanation.LimitReached(TYPE, 1, 2));
        change(LimitChange.limit(TYPE, "anna", null));
        store().complete(first);
        assertThat(reasons(ids.get(2))).containsExactly(FIRST);
    }

    @Test
    void aRateSaysWhenItOpens() {
        announce();
        Rate rate = Rate.of(1, Duration.ofMinutes(1));
        change(LimitChange.limitRate(TYPE, "anna", rate));
        List<Long> ids = store().enqueueAll(NewRow.job(), NewRow.job());
        assertThat(reasons(ids.get(0))).containsExactly(FIRST);
        store().claimOne();
        Reason reached = reasons(ids.get(1)).get(0);
        assertThat(reached).isInstanceOfSatisfying(Explanation.RateReached.class, reason -> {
            assertThat(reason.target()).isEqualTo(TYPE);
            assertThat(reason.rate()).isEqualTo(rate);
            assertThat(reason.opensAt())
                    .isBetween(time.now().plusSeconds(59), time.now().plusSeconds(60));
            assertThat(reason.text(1))
                    .isEqualTo("type 't' has the rate 1/m, which allows the next start at " + reason.opensAt()
                            + " (windrow limit --type t --rate N/s)");
        });
        time.advance(Duration.ofMinutes(1));
        assertThat(reasons(ids.get(1))).containsExactly(FIRST);
    }

    @Test
    void aJobWithoutAPermitNamesTheHoldersOfItsKey() {
        announce();
        List<Long> ids = store().enqueueAll(
                        NewRow.job().concurrencyKey(TWO),
                        NewRow.job().concurrencyKey(TWO),
                        NewRow.job().concurrencyKey(TWO));
        store().claimOne();
        Explanation.Holder running = new Explanation.Holder(ids.get(0), JobState.RUNNING);
        Explanation.Holder ready = new Explanation.Holder(ids.get(1), JobState.PENDING);
        assertThat(reasons(ids.get(1))).as("it has a permit").containsExactly(FIRST);
        assertThat(reasons(ids.get(2))).containsExactly(new Explanation.KeyHeld("tenant", 2, List.of(running, ready)));
        assertThat(explain(ids.get(2)).text())
                .isEqualTo(
                        "PENDING: concurrency key 'tenant' is held by job %d RUNNING, job %d PENDING (windrow explain %d)"
                                .formatted(ids.get(0), ids.get(1), ids.get(0)));
    }

    @Test
    void theRateOfAKeyHoldsBackJobsWithoutAPermit() {
        announce();
        ConcurrencyKey any = ConcurrencyKey.of("tenant");
        change(LimitChange.limitRate(KEY, "anna", Rate.of(1, Duration.ofMinutes(1))));
        List<Long> ids = store().enqueueAll(
                        NewRow.job().concurrencyKey(any), NewRow.job().concurrencyKey(any));
        store().claimSoon();
        assertThat(reasons(ids.get(1)))
                .singleElement()
                .isInstanceOfSatisfying(
                        Explanation.RateReached.class,
                        reason -> assertThat(reason.target()).isEqualTo(KEY));
    }

    @Test
    void atMostTwentyHoldersAreNamed() {
        announce();
        ConcurrencyKey many = ConcurrencyKey.atMost("tenant", 30);
        List<Long> ids = store().enqueueAll(IntStream.range(0, 31)
                .mapToObj(i -> NewRow.job().concurrencyKey(many))
                .toList());
        assertThat(reasons(ids.get(30))).singleElement().isInstanceOfSatisfying(Explanation.KeyHeld.class, held -> {
            assertThat(held.limit()).isEqualTo(30);
            assertThat(held.holders()).extracting(Explanation.Holder::id).isEqualTo(ids.subList(0, 20));
            assertThat(held.text(1)).contains("PENDING, ... (");
        });
    }

    @Test
    void aJobThatIsDueLaterSaysWhen() {
        announce();
        long job = store().enqueue(NewRow.job().delay(Duration.ofHours(1)));
        Instant at = time.now().plus(Duration.ofHours(1));
        assertThat(explain(job)).isEqualTo(new Explanation(job, JobState.SCHEDULED, List.of(new Explanation.Due(at))));
        assertThat(explain(job).text()).isEqualTo("SCHEDULED: due at %s (windrow trigger %d)".formatted(at, job));
        long elsewhere = store().enqueue(NewRow.of("images", "t").delay(Duration.ofHours(1)));
        assertThat(reasons(elsewhere))
                .containsExactly(new Explanation.Due(at), new Explanation.QueueNotServed("images"));
    }

    @Test
    void aRetryHasItsAttemptItsTimeAndTheLastError() {
        announce();
        ClaimedJob job = store().running(NewRow.job().maxAttempts(5));
        store().settle(job, Transition.RETRY_LATER);
        JobInfo info = store().job(job.id());
        assertThat(reasons(job.id()))
                .containsExactly(new Explanation.WaitsForRetry(2, 5, info.scheduledAt(), "TEST:FAILED"));
        assertThat(explain(job.id()).text())
                .isEqualTo(
                        "SCHEDULED: attempt 2 of 5 is due at %s, the last one failed with TEST:FAILED (windrow trigger %d)"
                                .formatted(info.scheduledAt(), job.id()));
        store().change(Change.Verb.TRIGGER, job.id());
        ClaimedJob again = store().claimOne();
        store().settle(again, Transition.SNOOZE);
        assertThat(reasons(job.id()))
                .as("it sleeps")
                .containsExactly(new Explanation.Due(store().job(job.id()).scheduledAt()));
    }

    @Test
    void aBlockedJobNamesItsOpenParents() {
        long done = store().enqueue(NewRow.job());
        store().complete(store().claimOne());
        long failed = store().enqueue(NewRow.job());
        List<Long> parents = new ArrayList<>(List.of(done, failed));
        for (int i = 0; i < 25; i++) {
            parents.add(store().enqueue(NewRow.of("q", "later")));
        }
        long job = store().enqueue(NewRow.job().afterAll(parents, ParentPolicy.WAIT));
        store().settle(store().claimOne(), Transition.FAIL);
        assertThat(reasons(job)).singleElement().isInstanceOfSatisfying(Explanation.WaitsForParents.class, waits -> {
            assertThat(waits.open()).isEqualTo(26);
            assertThat(waits.parents())
                    .hasSize(20)
                    .startsWith(
                            new JobInfo.Dependency(failed, JobState.FAILED, ParentPolicy.WAIT),
                            new JobInfo.Dependency(parents.get(2), JobState.PENDING, ParentPolicy.WAIT));
            assertThat(waits.text(job))
                    .startsWith("waits for job %d FAILED, job %d PENDING, ".formatted(failed, parents.get(2)))
                    .endsWith("PENDING and 6 more (windrow retry %d)".formatted(failed));
        });
        assertThat(explain(job).state()).isEqualTo(JobState.BLOCKED);
    }

    @Test
    void aParkedJobSaysForWhatItWaitsAndUntilWhen() {
        ClaimedJob awaits = store().running(NewRow.job());
        ClaimedJob external = store().running(NewRow.job());
        store().awaits(awaits, "paid in full", Duration.ofDays(1));
        store().park(external, null, Duration.ofDays(2));
        Instant now = time.now();
        assertThat(reasons(awaits.id()))
                .containsExactly(new Explanation.WaitsForEvent("paid in full", now.plus(Duration.ofDays(1))));
        assertThat(explain(awaits.id()).text())
                .isEqualTo("BLOCKED: waits for event 'paid in full' until %s (windrow signal %d 'paid in full')"
                        .formatted(now.plus(Duration.ofDays(1)), awaits.id()));
        assertThat(reasons(external.id()))
                .containsExactly(new Explanation.WaitsForEvent(null, now.plus(Duration.ofDays(2))));
        assertThat(explain(external.id()).text())
                .isEqualTo("BLOCKED: waits for external completion until %s (windrow complete %d)"
                        .formatted(now.plus(Duration.ofDays(2)), external.id()));
    }

    @Test
    void aRunningJobHasItsWorkerItsLeaseAndItsProgress() {
        ClaimedJob job = store().running(NewRow.job());
        Instant claimed = time.now();
        Instant until = claimed.plus(StoreDriver.LEASE);
        assertThat(explain(job.id()).state()).isEqualTo(JobState.RUNNING);
        assertThat(reasons(job.id()))
                .containsExactly(new Explanation.Running("w", claimed, claimed, until, Progress.CLAIMED));
        time.advance(Duration.ofSeconds(5));
        store().start(job);
        Instant started = requireNonNull(store().job(job.id()).startedAt());
        assertThat(reasons(job.id()))
                .containsExactly(new Explanation.Running("w", started, claimed, until, Progress.STARTED));
        assertThat(explain(job.id()).text())
                .isEqualTo("RUNNING: runs on worker w since %s, last heartbeat %s, lease until %s"
                        .formatted(started, claimed, until));
        Object unused = StoreDriver.answer(store().store()
                .submit(new Report(
                        job.leaseToken(), "w", null, List.of(), new Report.Stuck(time.millis(), "w/3", "frame"))));
        assertThat(progress(job)).isEqualTo(Progress.STUCK);
        time.advance(StoreDriver.LEASE);
        assertThat(progress(job)).isEqualTo(Progress.DEAD);
        assertThat(explain(job.id()).text())
                .endsWith("; the worker is dead, another one takes the job back (windrow workers)");
    }

    private @Nullable Progress progress(ClaimedJob job) {
        return reasons(job.id()).get(0) instanceof Explanation.Running running ? running.progress() : null;
    }

    @Test
    void anEndedJobHasItsEndAndItsErrorCode() {
        ClaimedJob completed = store().running(NewRow.job());
        store().complete(completed);
        assertThat(explain(completed.id()))
                .isEqualTo(new Explanation(
                        completed.id(), JobState.COMPLETED, List.of(new Explanation.Ended(time.now(), null))));
        ClaimedJob failed = store().running(NewRow.job());
        store().settle(failed, Transition.FAIL);
        assertThat(reasons(failed.id())).containsExactly(new Explanation.Ended(time.now(), "TEST:FAILED"));
        assertThat(explain(failed.id()).text())
                .isEqualTo("FAILED: ended at %s, error code TEST:FAILED".formatted(time.now()));
    }
}
