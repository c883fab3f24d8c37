package dev.windrow.contract.query;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobHistory;
import dev.windrow.JobInfo;
import dev.windrow.JobState;
import dev.windrow.RetryPolicy;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreContract;
import dev.windrow.contract.StoreDriver;
import dev.windrow.limit.ConcurrencyKey;
import dev.windrow.limit.LimitTarget;
import dev.windrow.monitor.Statistics;
import dev.windrow.payload.Json;
import dev.windrow.query.JobFilter;
import dev.windrow.query.JobPage;
import dev.windrow.store.Transition;
import dev.windrow.store.job.Change.Verb;
import dev.windrow.store.job.Claim;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.ParentOutcomeRow;
import dev.windrow.store.limit.KeyLimits;
import dev.windrow.store.limit.LimitChange;
import dev.windrow.testkit.ManualTime;
import dev.windrow.workflow.ParentPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The reading methods: history, outcome, parents, list, statistics, unfinished. */
public abstract class ReadContract extends StoreContract {
    /** Creates the contract for a subclass. */
    protected ReadContract() {}

    @Test
    void aJobThatDoesNotExistHasNoHistory() {
        assertThat(store().store().history(12345)).isEmpty();
        assertThat(store().store().outcome(12345)).isEmpty();
        assertThat(store().store().parents(12345)).isEmpty();
    }

    @Test
    void theHistoryOfARunningJobShowsItsAttempt() {
        ClaimedJob job = store().running(NewRow.job());
        store().start(job);
        assertThat(store().history(job.id()).attempts()).singleElement().satisfies(attempt -> {
            assertThat(attempt.attempt()).isEqualTo(1);
            assertThat(attempt.token()).isEqualTo(job.token());
            assertThat(attempt.worker()).isEqualTo("w");
            assertThat(attempt.outcome()).isNull();
            assertThat(attempt.startedAt()).isEqualTo(time.now());
            assertThat(attempt.finishedAt()).isNull();
        });
    }

    @Test
    void theHistoryShowsTheOptionsOfAJob() {
        JobHistory plain = store().history(store().enqueue(NewRow.job()));
        assertThat(plain.timeout()).isNull();
        assertThat(plain.retryPolicy()).isNull();
        assertThat(plain.concurrencyKey()).isNull();
        assertThat(plain.externalCompletion()).isNull();
        RetryPolicy policy = RetryPolicy.fixed(Duration.ofSeconds(7));
        ConcurrencyKey limited = ConcurrencyKey.atMost("tenant", 3);
        JobHistory all = store().history(store().enqueue(
                        NewRow.job().extras(90_001L, policy.text(), null).concurrencyKey(limited)));
        assertThat(all.timeout()).isEqualTo(Duration.ofMillis(90_001));
        assertThat(all.retryPolicy()).isEqualTo(policy);
        assertThat(all.concurrencyKey()).isEqualTo(limited);
        for (ConcurrencyKey key : List.of(ConcurrencyKey.of("other"), ConcurrencyKey.inSequence("order"))) {
            long job = store().enqueue(NewRow.job().concurrencyKey(key));
            assertThat(store().history(job).concurrencyKey()).isEqualTo(key);
        }
        long external = store().enqueue(NewRow.job().external(Duration.ofHours(5)));
        assertThat(store().history(external).externalCompletion()).isEqualTo(Duration.ofHours(5));
    }

    @Test
    void theOutcomeShowsTheStateOfAJob() {
        ClaimedJob good = store().running(NewRow.job().name("good"));
        assertThat(store().store().outcome(good.id()))
                .contains(new ParentOutcomeRow(
                        /* id= */ good.id(),
                        /* type= */ "t",
                        /* name= */ "good",
                        /* state= */ JobState.RUNNING,
                        /* errorCode= */ null,
                        /* result= */ null));
        store().complete(good);
        assertThat(store().store().outcome(good.id()))
                .contains(new ParentOutcomeRow(
                        /* id= */ good.id(),
                        /* type= */ "t",
                        /* name= */ "good",
                        /* state= */ JobState.COMPLETED,
                        /* errorCode= */ null,
                        /* result= */ new Json("{\"by\":" + good.id() + "}")));
        ClaimedJob bad = store().running(NewRow.job());
        store().settle(bad, Transition.FAIL);
        assertThat(store().store().outcome(bad.id()))
                .contains(new ParentOutcomeRow(
                        /* id= */ bad.id(),
                        /* type= */ "t",
                        /* name= */ null,
                        /* state= */ JobState.FAILED,
                        /* errorCode= */ "TEST:FAILED",
                        /* result= */ null));
    }

    /** Enqueues jobs of three types in two queues, with tags and codes, in all states, over several hours. */
    private void variety() {
        for (int i = 0; i < 120; i++) {
            NewRow row = NewRow.of("q" + i % 2, "t" + i % 3).priority(i % 4);
            row = i % 5 == 0 ? row.tags("five", "i" + i) : row;
            row = i % 11 == 0 ? row.delay(Duration.ofHours(3 + i)) : row;
            store().enqueue(row);
            time.advance(Duration.ofMinutes(1));
        }
        Set<String> queues = Set.of("q0", "q1");
        Set<String> types = Set.of("t0", "t1", "t2");
        List<ClaimedJob> jobs =
                store().claim(StoreDriver.request("w", queues, types, 90)).jobs();
        Transition[] ends = {
            Transition.COMPLETE,
            Transition.FAIL,
            Transition.RETRY_LATER,
            Transition.CANCEL_RUNNING,
            Transition.PARK,
            Transition.HAND_BACK
        };
        for (int i = 0; i < 80; i++) {
            store().settle(jobs.get(i), ends[i % ends.length]);
        }
        for (ClaimedJob job : jobs.subList(80, 84)) {
            store().change(Verb.FAIL, job.id());
        }
    }

    @Test
    void aListingHoldsExactlyTheJobsThatMatchEveryPartOfItsFilter() {
        variety();
        List<JobInfo> everything = all(store().store(), JobFilter.ALL);
        assertThat(everything)
                .hasSize(120)
                .isSortedAccordingTo(Comparator.comparing(JobInfo::id).reversed());
        List<@Nullable JobState> states = new ArrayList<>(List.of(JobState.values()));
        states.add(null);
        List<@Nullable Instant> instants = new ArrayList<>(List.of(ManualTime.START.plus(Duration.ofMinutes(70))));
        instants.add(null);
        int compared = 0;
        for (JobState state : states) {
            for (String type : nullable("t1", "none")) {
                for (String queue : nullable("q0", "none")) {
                    for (String tag : nullable("five", "none")) {
                        for (String code : nullable("TEST:FAILED", "TEST:OUTSIDE")) {
                            for (Instant after : instants) {
                                JobFilter filter = narrowed(state, type, queue, tag, code, after);
                                assertThat(all(store().store(), filter))
                                        .as("%s", filter)
                                        .isEqualTo(everything.stream()
                                                .filter(job -> matches(job, filter))
                                                .toList());
                                compared++;
                            }
                        }
                    }
                }
            }
        }
        assertThat(compared).isEqualTo(8 * 3 * 3 * 3 * 3 * 2);
    }

    private static List<@Nullable String> nullable(String a, String b) {
        List<@Nullable String> values = new ArrayList<>(List.of(a, b));
        values.add(null);
        return values;
    }

    private static JobFilter narrowed(
            @Nullable JobState state,
            @Nullable String type,
            @Nullable String queue,
            @Nullable String tag,
            @Nullable String code,
            @Nullable Instant after) {
        JobFilter filter = JobFilter.ALL.withTags(tag == null ? List.of() : List.of(tag));
        filter = given(filter, state, JobFilter::withState);
        filter = given(filter, type, JobFilter::withType);
        filter = given(filter, queue, JobFilter::withQueue);
        filter = given(filter, code, JobFilter::withErrorCode);
        return given(filter, after, JobFilter::withCreatedFrom);
    }

    private static <T> JobFilter given(
            JobFilter filter, @Nullable T value, BiFunction<JobFilter, T, JobFilter> narrow) {
        return value == null ? filter : narrow.apply(filter, value);
    }

    private static boolean matches(JobInfo job, JobFilter filter) {
        return (filter.state() == null || filter.state() == job.state())
                && (filter.type() == null || filter.type().equals(job.type()))
                && (filter.queue() == null || filter.queue().equals(job.queue()))
                && job.tags().containsAll(filter.tags())
                && (filter.errorCode() == null || filter.errorCode().equals(job.errorCode()))
                && (filter.created().from() == null
                        || !job.createdAt().isBefore(filter.created().from()));
    }

    @Test
    void pagesNeitherRepeatNorLoseJobs() {
        variety();
        for (JobFilter filter : List.of(
                JobFilter.ALL,
                JobFilter.inState(JobState.FAILED),
                JobFilter.inState(JobState.COMPLETED),
                JobFilter.inState(JobState.PENDING),
                JobFilter.inState(JobState.SCHEDULED),
                JobFilter.ALL.withType("t2"),
                JobFilter.ALL.withQueue("q1"),
                JobFilter.ALL.withTags(List.of("five")))) {
            List<JobInfo> whole = all(store().store(), filter);
            for (int size : List.of(1, 7, whole.size())) {
                List<JobInfo> paged = new ArrayList<>();
                Long before = Long.MAX_VALUE;
                while (before != null) {
                    JobPage page = store().store().list(filter, before, size);
                    assertThat(page.jobs()).hasSizeLessThanOrEqualTo(size);
                    paged.addAll(page.jobs());
                    before = page.next();
                    if (paged.size() == whole.size()) {
                        assertThat(before).as("no empty page at the end").isNull();
                    }
                }
                assertThat(paged).as("%s by %d", filter, size).isEqualTo(whole);
            }
        }
    }

    @Test
    void jobsWrittenDuringPagingDoNotDisturbIt() {
        List<Long> ids = store().enqueueAll(Collections.nCopies(20, NewRow.job()));
        JobPage first = store().store().list(JobFilter.ALL, Long.MAX_VALUE, 10);
        store().enqueueAll(NewRow.job(), NewRow.job());
        JobPage second = store().store().list(JobFilter.ALL, Objects.requireNonNull(first.next()), 10);
        List<Long> seen = new ArrayList<>();
        first.jobs().forEach(job -> seen.add(job.id()));
        second.jobs().forEach(job -> seen.add(job.id()));
        Collections.reverse(seen);
        assertThat(seen).isEqualTo(ids);
    }

    @Test
    void aListingBeyondOneChunkOfManyLanesIsComplete() {
        List<NewRow> rows = new ArrayList<>();
        for (int i = 0; i < 1700; i++) {
            rows.add(NewRow.of("q" + i % 2, i < 900 ? "t" : "u"));
        }
        List<Long> ids = new ArrayList<>(store().enqueueAll(rows));
        Collections.reverse(ids);
        assertThat(all(store().store(), JobFilter.ALL.withType("t")))
                .extracting(JobInfo::id)
                .isEqualTo(ids.subList(800, 1700));
        assertThat(all(store().store(), JobFilter.inState(JobState.PENDING).withType("u")))
                .extracting(JobInfo::id)
                .isEqualTo(ids.subList(0, 800));
    }

    @Test
    void statisticsCountByStateTypeAndQueue() {
        store().enqueueAll(NewRow.of("a", "x"), NewRow.of("a", "y"), NewRow.of("b", "x"));
        store().claim(StoreDriver.request("w", Set.of("b"), Set.of("x"), 1));
        Statistics statistics = store().store().statistics();
        assertThat(statistics.states()).hasSize(7).containsEntry(JobState.PENDING, 2L);
        assertThat(statistics.types()).extracting(Statistics.OfType::type).containsExactly("x", "y");
        assertThat(statistics.types().get(0).states())
                .hasSize(7)
                .containsEntry(JobState.PENDING, 1L)
                .containsEntry(JobState.RUNNING, 1L);
        assertThat(statistics.queues()).extracting(Statistics.OfQueue::queue).containsExactly("a", "b");
        assertThat(statistics.queues().get(0).states()).hasSize(7).containsEntry(JobState.PENDING, 2L);
        assertThat(statistics.queues()).noneMatch(Statistics.OfQueue::paused);
    }

    @Test
    void theLagIsTheWaitOfTheOldestReadyJob() {
        store().enqueue(NewRow.job().priority(-5));
        time.advance(Duration.ofSeconds(3));
        store().enqueueAll(NewRow.job().priority(5), NewRow.job().delay(Duration.ofHours(1)));
        time.advance(Duration.ofSeconds(2));
        assertThat(store().store().statistics().queues())
                .extracting(Statistics.OfQueue::lagMillis)
                .containsExactly(5000L);
        store().claim(2);
        assertThat(store().store().statistics().queues())
                .extracting(Statistics.OfQueue::lagMillis)
                .containsOnlyNulls();
    }

    @Test
    void theRunningJobsWithTheOldestHeartbeatsAreShownAtMostTwenty() {
        List<Long> ids = new ArrayList<>();
        Instant first = time.now();
        for (int i = 0; i < 22; i++) {
            ids.add(store().running(NewRow.job()).id());
            time.advance(Duration.ofSeconds(1));
        }
        Statistics statistics = store().store().statistics();
        assertThat(statistics.oldestRunning())
                .extracting(Statistics.Running::id)
                .isEqualTo(ids.subList(0, 20));
        assertThat(statistics.runningSince()).isEqualTo(first);
    }

    @Test
    void retriesAreCountedByTheNumberOfTheirAttempt() {
        for (int job = 0; job < 2; job++) {
            ClaimedJob attempt = store().running(NewRow.job().maxAttempts(9));
            for (int i = 0; i <= job; i++) {
                store().settle(attempt, Transition.RETRY_LATER);
                time.advance(Duration.ofMinutes(2));
                attempt = store().claimOne();
            }
            store().complete(attempt);
        }
        assertThat(store().store().statistics().retries())
                .containsExactly(new Statistics.Retries("t", 2, 2), new Statistics.Retries("t", 3, 1));
    }

    private long unfinished() {
        return store().store().unfinished(Set.of("q"), Set.of("t"), Claim.EVERY_PRIORITY);
    }

    @Test
    void jobsThatAreReadyRunningOrAwaitRetriesKeepAWorkerBusy() {
        assertThat(unfinished()).isZero();
        store().enqueue(NewRow.job());
        assertThat(unfinished()).isEqualTo(1);
        ClaimedJob job = store().claimOne();
        assertThat(unfinished()).isEqualTo(1);
        store().settle(job, Transition.RETRY_LATER);
        assertThat(unfinished()).isPositive();
        time.advance(Duration.ofMinutes(2));
        store().complete(store().claimOne());
        assertThat(unfinished()).isZero();
    }

    @Test
    void jobsThatAreDelayedBlockedOrOfOthersKeepNoWorkerBusy() {
        long blocker = store().enqueue(NewRow.job().delay(Duration.ofDays(1)));
        store().enqueueAll(
                        NewRow.job().after(blocker, ParentPolicy.WAIT),
                        NewRow.of("q", "foreign"),
                        NewRow.of("other", "t"));
        assertThat(unfinished()).isZero();
        store().claim(StoreDriver.request("w", Set.of("q", "other"), Set.of("t", "foreign"), 10));
        assertThat(unfinished()).as("others run").isZero();
    }

    @Test
    void jobsBelowItsMinimumPriorityKeepNoWorkerBusy() {
        store().enqueue(NewRow.job().priority(4));
        assertThat(unfinishedFrom(5)).isZero();
        assertThat(unfinishedFrom(4)).isPositive();
        ClaimedJob low = store().claimOne();
        assertThat(unfinishedFrom(5)).as("it runs").isZero();
        assertThat(unfinishedFrom(4)).isPositive();
        store().settle(low, Transition.RETRY_LATER);
        assertThat(unfinishedFrom(5)).as("it is retried").isZero();
        assertThat(unfinishedFrom(4)).isPositive();
        store().enqueue(NewRow.job().priority(5));
        assertThat(unfinishedFrom(5)).isPositive();
        store().complete(store().claimOne());
        assertThat(unfinishedFrom(5)).isZero();
    }

    private long unfinishedFrom(int minPriority) {
        return store().store().unfinished(Set.of("q"), Set.of("t"), minPriority);
    }

    private void change(LimitChange change) {
        assertThat(StoreDriver.answer(KeyLimits.change(store().store(), change)).target())
                .isEqualTo(change.target());
    }

    private void pause(LimitTarget target) {
        change(LimitChange.pause(target, "anna", null));
    }

    private void resume(LimitTarget target) {
        change(LimitChange.resume(target, "anna"));
    }

    @Test
    void jobsOfPausedQueuesAndKeysKeepNoWorkerWithAMinimumPriorityBusy() {
        pause(LimitTarget.queue("q"));
        store().enqueue(NewRow.job().priority(5));
        assertThat(unfinishedFrom(5)).as("its queue is paused").isZero();
        resume(LimitTarget.queue("q"));
        assertThat(unfinishedFrom(5)).isPositive();
        store().complete(store().claimOne());
        pause(LimitTarget.key("k"));
        store().enqueue(NewRow.job().priority(5).concurrencyKey(ConcurrencyKey.of("k")));
        assertThat(unfinishedFrom(5)).as("its key is paused").isZero();
        resume(LimitTarget.key("k"));
        assertThat(unfinishedFrom(5)).isPositive();
    }

    @Test
    void aJobOfAPausedQueueThatWaitsForAPermitKeepsNoWorkerWithAMinimumPriorityBusy() {
        ConcurrencyKey key = ConcurrencyKey.inSequence("k");
        store().enqueue(NewRow.of("other", "t").priority(5).concurrencyKey(key));
        assertThat(store().claim(StoreDriver.request("w", Set.of("other"), Set.of("t"), 1))
                        .jobs())
                .hasSize(1);
        store().enqueue(NewRow.job().priority(5).concurrencyKey(key));
        assertThat(unfinishedFrom(5)).as("the running job releases it").isPositive();
        pause(LimitTarget.queue("q"));
        assertThat(unfinishedFrom(5)).isZero();
    }

    @Test
    void aPermitOfAJobOfAPausedQueueKeepsNoWorkerWithAMinimumPriorityBusy() {
        ConcurrencyKey key = ConcurrencyKey.inSequence("k");
        store().enqueue(NewRow.of("other", "t").priority(5).concurrencyKey(key));
        store().enqueue(NewRow.job().priority(5).concurrencyKey(key));
        assertThat(store().store().unfinished(Set.of("q", "other"), Set.of("t"), 5))
                .isPositive();
        pause(LimitTarget.queue("other"));
        assertThat(store().store().unfinished(Set.of("q", "other"), Set.of("t"), 5))
                .as("no worker runs the job that has the permit")
                .isZero();
    }
}
