package dev.windrow.contract.monitor;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.AttemptOutcome;
import dev.windrow.JobState;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreContract;
import dev.windrow.contract.StoreDriver;
import dev.windrow.monitor.Statistics;
import dev.windrow.monitor.Throughput;
import dev.windrow.monitor.ThroughputFilter;
import dev.windrow.query.JobFilter;
import dev.windrow.store.Transition;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.Change.Verb;
import dev.windrow.store.job.ChangeByFilter;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.Suspect;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The questions of operators: why jobs fail and since when, how fast jobs complete and how long they wait. */
public abstract class StatisticsContract extends StoreContract {
    /** Creates the contract for a subclass. */
    protected StatisticsContract() {}

    /** Returns the failures without their trends. */
    private List<Statistics.Failures> failures() {
        return store().store().statistics().failures().stream()
                .map(code -> new Statistics.Failures(
                        /* errorCode= */ code.errorCode(),
                        /* count= */ code.count(),
                        /* firstAt= */ code.firstAt(),
                        /* lastAt= */ code.lastAt(),
                        /* sampleJob= */ code.sampleJob(),
                        /* trend= */ List.of()))
                .toList();
    }

    private Statistics.Failures failed(String code, long count, Instant first, Instant last, long sample) {
        return new Statistics.Failures(
                /* errorCode= */ code,
                /* count= */ count,
                /* firstAt= */ first,
                /* lastAt= */ last,
                /* sampleJob= */ sample,
                /* trend= */ List.of());
    }

    /** Returns the hours of a code, the current one first; null for an hour that was not read. */
    private static List<@Nullable Long> hours(Statistics statistics, String code) {
        List<Statistics.Hour> trend = statistics.failures().stream()
                .filter(each -> each.errorCode().equals(code))
                .findFirst()
                .orElseThrow()
                .trend();
        assertThat(trend).hasSize(24);
        List<@Nullable Long> counts = new ArrayList<>();
        for (Statistics.Hour hour : trend) {
            counts.add(0, hour.count());
        }
        return counts;
    }

    private static List<@Nullable Long> hours(@Nullable Long... latest) {
        List<@Nullable Long> counts = new ArrayList<>(Arrays.asList(latest));
        while (counts.size() < 24) {
            counts.add(0L);
        }
        return counts;
    }

    private long fail() {
        ClaimedJob job = store().running(NewRow.job());
        store().settle(job, Transition.FAIL);
        return job.id();
    }

    private List<Statistics.Retries> liveRetries() {
        return store().store().statistics().liveRetries();
    }

    @Test
    void unfinishedJobsAreCountedByTheirNextOrRunningAttemptAfterAFailure() {
        ClaimedJob job = store().running(NewRow.job().maxAttempts(9));
        assertThat(liveRetries()).as("first attempts are not counted").isEmpty();
        store().settle(job, Transition.RETRY_LATER);
        assertThat(liveRetries()).as("scheduled").containsExactly(new Statistics.Retries("t", 2, 1));
        store().change(Verb.TRIGGER, job.id());
        assertThat(liveRetries()).as("ready").containsExactly(new Statistics.Retries("t", 2, 1));
        job = store().claimOne();
        assertThat(liveRetries()).as("running").containsExactly(new Statistics.Retries("t", 2, 1));
        store().settle(job, Transition.RETRY_LATER);
        ClaimedJob other = store().running(NewRow.of("q", "t"));
        store().settle(other, Transition.RETRY_LATER);
        assertThat(liveRetries()).containsExactly(new Statistics.Retries("t", 2, 1), new Statistics.Retries("t", 3, 1));
        store().change(Verb.CANCEL, other.id());
        time.advance(Duration.ofMinutes(2));
        store().settle(store().claimOne(), Transition.FAIL);
        assertThat(liveRetries()).as("finished").isEmpty();
        store().change(Verb.RETRY, job.id());
        assertThat(liveRetries()).as("in a new run").isEmpty();
    }

    @Test
    void failuresHaveTheirFirstAndLastTimeAndAnExampleJob() {
        Instant first = time.now();
        long a = fail();
        time.advance(Duration.ofHours(5));
        long outside = store().enqueue(NewRow.job());
        store().change(Verb.FAIL, outside);
        time.advance(Duration.ofHours(1));
        Instant last = time.now();
        long b = fail();
        assertThat(failures())
                .containsExactly(
                        failed("TEST:FAILED", 2, first, last, b),
                        failed(
                                "TEST:OUTSIDE",
                                1,
                                first.plus(5, ChronoUnit.HOURS),
                                first.plus(5, ChronoUnit.HOURS),
                                outside));
        store().change(Verb.RETRY, b);
        assertThat(failures()).first().isEqualTo(failed("TEST:FAILED", 1, first, last, a));
        store().change(Verb.DELETE, a, outside);
        assertThat(failures()).isEmpty();
        store().settle(store().claimOne(), Transition.FAIL);
        assertThat(failures()).as("it was seen before").containsExactly(failed("TEST:FAILED", 1, first, last, b));
    }

    /** Moves to this many minutes after the beginning of the next hour. */
    private Instant nextHour(int minutes) {
        Instant hour = time.now().truncatedTo(ChronoUnit.HOURS).plus(1, ChronoUnit.HOURS);
        time.advance(Duration.between(time.now(), hour.plus(minutes, ChronoUnit.MINUTES)));
        return hour;
    }

    @Test
    void failuresAreCountedByTheHourInWhichTheJobsFailed() {
        assertThat(store().store().statistics().trendSince()).isNull();
        nextHour(0);
        long first = fail();
        nextHour(59);
        fail();
        time.advance(Duration.ofMinutes(1).minusMillis(1));
        fail();
        time.advance(Duration.ofMillis(1));
        store().change(Verb.FAIL, store().enqueue(NewRow.job()));
        ClaimedJob lost = store().running(NewRow.job());
        Instant hour = nextHour(7);
        assertThat(store().reclaim(store().suspects().get(0), Transition.FAIL, AttemptOutcome.LOST))
                .as("job %d", lost.id())
                .isTrue();
        Statistics statistics = store().store().statistics();
        assertThat(hours(statistics, "TEST:FAILED")).isEqualTo(hours(0L, 0L, 2L, 1L));
        assertThat(hours(statistics, "TEST:OUTSIDE")).isEqualTo(hours(0L, 1L));
        assertThat(hours(statistics, "UNKNOWN:NONE")).isEqualTo(hours(1L));
        List<Statistics.Hour> trend = statistics.failures().get(0).trend();
        assertThat(trend.get(23).from()).isEqualTo(hour);
        assertThat(trend.get(0).from())
                .isEqualTo(hour.minus(23, ChronoUnit.HOURS))
                .as("all failures of the hours were read")
                .isEqualTo(statistics.trendSince());
        store().change(Verb.RETRY, first);
        assertThat(hours(store().store().statistics(), "TEST:FAILED"))
                .as("a retried job is not counted")
                .isEqualTo(hours(0L, 0L, 2L));
        time.advance(Duration.ofHours(21));
        assertThat(hours(store().store().statistics(), "TEST:FAILED").get(23)).isEqualTo(2L);
        time.advance(Duration.ofHours(1));
        assertThat(hours(store().store().statistics(), "TEST:FAILED"))
                .as("older failures count in all, not in the hours")
                .isEqualTo(hours());
        assertThat(failures().get(0).count()).isEqualTo(2);
    }

    @Test
    void aFailureByAClockThatWasAheadCountsInTheCurrentHour() {
        nextHour(0);
        time.stepWall(Duration.ofDays(2));
        fail();
        time.stepWall(Duration.ofDays(-2));
        assertThat(hours(store().store().statistics(), "TEST:FAILED")).isEqualTo(hours(1L));
    }

    private void failMany(int thousands, Duration between) {
        for (int i = 0; i < thousands; i++) {
            time.advance(between);
            List<Long> ids = store().enqueueAll(Collections.nCopies(1000, NewRow.job()));
            store().change(Verb.FAIL, ids.toArray(Long[]::new));
        }
    }

    @Test
    void ofVeryManyFailuresOnlyTheNewestAreCountedByHour() {
        nextHour(0);
        failMany(1, Duration.ZERO);
        nextHour(0);
        failMany(4, Duration.ofMinutes(10));
        Instant oldestRead = time.now().minus(Duration.ofMinutes(30));
        fail();
        nextHour(0);
        failMany(6, Duration.ofMinutes(1));
        Statistics statistics = store().store().statistics();
        assertThat(hours(statistics, "TEST:OUTSIDE")).startsWith(6000L, 3999L).hasSize(24);
        assertThat(hours(statistics, "TEST:OUTSIDE").subList(2, 24)).containsOnlyNulls();
        assertThat(hours(statistics, "TEST:FAILED").subList(0, 3)).containsExactly(0L, 1L, null);
        assertThat(statistics.trendSince()).isEqualTo(oldestRead.plusMillis(1));
        assertThat(failures().get(0).count()).as("the sums are whole").isEqualTo(11_000);
    }

    @Test
    void theHoursAreWholeSinceTheNewestFailureThatIsNotCounted() {
        nextHour(0);
        fail();
        Instant first = time.now();
        Instant hour = nextHour(0);
        failMany(9, Duration.ofSeconds(1));
        List<Long> others = store().enqueueAll(Collections.nCopies(999, NewRow.job()));
        store().change(Verb.FAIL, others.toArray(Long[]::new));
        Statistics whole = store().store().statistics();
        assertThat(whole.trendSince()).as("10 000 failures").isEqualTo(hour.minus(23, ChronoUnit.HOURS));
        assertThat(hours(whole, "TEST:FAILED")).isEqualTo(hours(0L, 1L));
        time.advance(Duration.ofSeconds(1));
        store().change(Verb.FAIL, store().enqueue(NewRow.job()));
        Statistics part = store().store().statistics();
        assertThat(part.trendSince()).isEqualTo(first.plusMillis(1));
        assertThat(hours(part, "TEST:OUTSIDE")).startsWith(10_000L, 0L);
        assertThat(hours(part, "TEST:FAILED")).startsWith(0L, 0L, null);
    }

    /** Fails jobs with 22 codes: more with the first 20 of them. */
    private void failWithCodes(String category, int jobs) {
        for (int i = 0; i < 22; i++) {
            for (int n = 0; n < (i < 20 ? jobs : jobs - 1); n++) {
                store().fail(store().running(NewRow.job()), "%s:%02d".formatted(category, i));
            }
        }
    }

    private List<String> codes() {
        return failures().stream().map(Statistics.Failures::errorCode).toList();
    }

    @Test
    void failuresAreTheMostFrequentOfAllAndTheMostFrequentOfTheLast24Hours() {
        nextHour(0);
        failWithCodes("OLD", 4);
        time.advance(Duration.ofHours(25));
        failWithCodes("NEW", 2);
        List<String> codes = codes();
        assertThat(codes).hasSize(40).doesNotContain("OLD:20", "OLD:21", "NEW:20", "NEW:21");
        assertThat(codes.get(0)).isEqualTo("OLD:00");
        assertThat(codes.get(20)).isEqualTo("NEW:00");
        store().fail(store().running(NewRow.job()), "OLD:00");
        assertThat(codes()).as("one of both, in place of NEW:19").hasSize(40).doesNotHaveDuplicates();
    }

    @Test
    void aFailedJobWithoutACodeIsCounted() {
        ClaimedJob job = store().running(NewRow.job());
        time.advance(StoreDriver.LEASE.plusSeconds(1));
        Suspect suspect = store().suspects().get(0);
        assertThat(store().reclaim(suspect, Transition.FAIL, AttemptOutcome.LOST))
                .isTrue();
        assertThat(failures()).containsExactly(failed("UNKNOWN:NONE", 1, time.now(), time.now(), job.id()));
        store().change(Verb.RETRY, job.id());
        assertThat(failures()).isEmpty();
    }

    @Test
    void changesByFilterAreCounted() {
        for (int i = 0; i < 5; i++) {
            fail();
        }
        Change retry = Change.byFilter(
                        Verb.RETRY, JobFilter.inState(JobState.FAILED).withErrorCode("TEST:FAILED"), "operator")
                .build();
        assertThat(StoreDriver.answer(ChangeByFilter.run(store().store(), retry))
                        .count())
                .isEqualTo(5);
        assertThat(failures()).isEmpty();
    }

    @Test
    void concurrentFailuresAreAllCounted() throws Exception {
        int stores = 3;
        int each = 40;
        List<Callable<Integer>> tasks = new ArrayList<>();
        store().enqueueAll(Collections.nCopies(stores * each, NewRow.job()));
        for (int i = 0; i < stores; i++) {
            StoreDriver driver = i == 0 ? store() : open();
            tasks.add(() -> {
                int failed = 0;
                for (ClaimedJob job : driver.claim(each)) {
                    failed += driver.settle(job, Transition.FAIL) ? 1 : 0;
                }
                return failed;
            });
        }
        int failed = together(tasks).stream().mapToInt(Integer::intValue).sum();
        assertThat(failures()).singleElement().satisfies(code -> {
            assertThat(code.count()).isEqualTo(failed);
            assertThat(code.sampleJob()).isNotNull();
        });
    }

    /** Returns the throughput that another store reads after this one was closed. The close writes the sums in memory. */
    private Throughput throughput(StoreDriver worked, Duration window) {
        worked.close();
        return store().store().throughput(window, ThroughputFilter.ALL);
    }

    private void run(StoreDriver worker, String type, Duration wait, Duration run, Transition end) {
        run(worker, "q", type, wait, run, end);
    }

    private void run(StoreDriver worker, String queue, String type, Duration wait, Duration run, Transition end) {
        worker.enqueue(NewRow.of(queue, type));
        time.advance(wait);
        ClaimedJob job = worker.claim(StoreDriver.request("w", Set.of(queue), Set.of(type), 1))
                .jobs()
                .get(0);
        time.advance(run);
        assertThat(worker.settle(job, end)).isTrue();
    }

    @Test
    void aStoreWithoutEndedJobsHasAnEmptyThroughput() {
        Throughput none = store().store().throughput(Duration.ofHours(1), ThroughputFilter.ALL);
        assertThat(none.types()).isEmpty();
        Throughput.Times waited = none.all().waited();
        assertThat(waited.count()).isZero();
        assertThat(Arrays.asList(
                        waited.meanMillis(),
                        waited.p50Millis(),
                        waited.p90Millis(),
                        waited.p95Millis(),
                        waited.p99Millis()))
                .containsOnlyNulls();
        assertThat(none.all().minutes()).hasSize(60).allSatisfy(minute -> {
            assertThat(minute.succeeded()).isZero();
            assertThat(minute.failed()).isZero();
        });
        assertThat(none.all().minutes().get(59).from()).isEqualTo(time.now().truncatedTo(ChronoUnit.MINUTES));
        assertThat(none.all().minutes().get(0).from())
                .isEqualTo(time.now().truncatedTo(ChronoUnit.MINUTES).minus(59, ChronoUnit.MINUTES));
        assertThat(none.all().hours()).hasSize(24);
        assertThat(none.all().hours().get(23).from()).isEqualTo(time.now().truncatedTo(ChronoUnit.HOURS));
    }

    @Test
    void endedJobsAreCountedByTypeMinuteAndHour() {
        StoreDriver worker = open();
        run(worker, "a", Duration.ofMillis(1), Duration.ofMillis(1), Transition.COMPLETE);
        time.advance(Duration.ofHours(3));
        run(worker, "a", Duration.ofMillis(1), Duration.ofMillis(1), Transition.COMPLETE);
        run(worker, "b", Duration.ofMillis(1), Duration.ofMillis(1), Transition.FAIL);
        time.advance(Duration.ofMinutes(2));
        run(worker, "a", Duration.ofMillis(1), Duration.ofMillis(1), Transition.RETRY_LATER);
        Throughput read = throughput(worker, Duration.ofHours(1));
        assertThat(read.window()).isEqualTo(Duration.ofHours(1));
        assertThat(read.types()).extracting(Throughput.OfType::type).containsExactly("a", "b");
        assertThat(read.all().succeeded()).as("the first one was before").isEqualTo(1);
        assertThat(read.all().failed()).isEqualTo(2);
        assertThat(read.all().minutes().get(59))
                .satisfies(now -> assertThat(now.failed()).isEqualTo(1));
        assertThat(read.all().minutes().get(57)).satisfies(before -> {
            assertThat(before.succeeded()).isEqualTo(1);
            assertThat(before.failed()).isEqualTo(1);
        });
        assertThat(read.all().hours().get(20).succeeded()).isEqualTo(1);
        assertThat(read.all().hours().get(23).succeeded()).isEqualTo(1);
        assertThat(read.all().hours().get(23).failed()).isEqualTo(2);
        Throughput.Ends b = read.types().get(1).ends();
        assertThat(b.failed()).isEqualTo(1);
        assertThat(b.succeeded()).isZero();
        assertThat(b.hours().get(20).succeeded()).isZero();
        assertThat(store().store()
                        .throughput(Duration.ofHours(4), ThroughputFilter.ALL)
                        .all()
                        .succeeded())
                .isEqualTo(2);
    }

    @Test
    void eachMinuteAndEachHourHasPercentilesOfItsOwn() {
        StoreDriver worker = open();
        run(worker, "a", Duration.ofSeconds(40), Duration.ofMillis(3), Transition.COMPLETE);
        time.advance(Duration.ofHours(2));
        run(worker, "a", Duration.ofMillis(1), Duration.ofMillis(100), Transition.COMPLETE);
        run(worker, "b", Duration.ofMillis(10), Duration.ofMillis(5000), Transition.FAIL);
        time.advance(Duration.ofMinutes(5));
        run(worker, "a", Duration.ofMillis(300), Duration.ofMillis(20), Transition.COMPLETE);
        Throughput read = throughput(worker, Duration.ofMinutes(1));
        List<Throughput.Point> minutes = read.all().minutes();
        assertThat(minutes.get(59).waited().count()).isEqualTo(1);
        assertBetween(minutes.get(59).waited().p50Millis(), 256, 300);
        assertBetween(minutes.get(59).ran().p99Millis(), 16, 20);
        assertThat(minutes.get(54).ran().count()).isEqualTo(2);
        assertThat(minutes.get(54).ran().meanMillis()).isEqualTo(2550);
        assertBetween(minutes.get(54).ran().p50Millis(), 64, 128);
        assertBetween(minutes.get(54).ran().p95Millis(), 4096, 5000);
        assertThat(minutes.get(58).waited().p99Millis()).isNull();
        List<Throughput.Point> hours = read.all().hours();
        assertBetween(hours.get(21).waited().p95Millis(), 32_768, 40_000);
        assertThat(hours.get(23).ran().count()).isEqualTo(3);
        assertBetween(hours.get(23).ran().p50Millis(), 64, 128);
        assertBetween(read.types().get(1).ends().minutes().get(54).ran().p50Millis(), 4096, 5000);
    }

    @Test
    void throughputIsFilteredByTypeAndQueue() {
        StoreDriver worker = open();
        run(worker, "a", Duration.ofMillis(1), Duration.ofMillis(1), Transition.COMPLETE);
        run(worker, "b", Duration.ofMillis(1), Duration.ofMillis(200), Transition.FAIL);
        run(worker, "urgent", "a", Duration.ZERO, Duration.ZERO, Transition.FAIL);
        worker.close();
        assertThat(ended(ThroughputFilter.ALL)).isEqualTo(List.of("a 1 1", "b 0 1"));
        assertThat(ended(ThroughputFilter.ALL.withType("a"))).isEqualTo(List.of("a 1 1"));
        assertThat(ended(ThroughputFilter.ALL.withQueue("q"))).isEqualTo(List.of("a 1 0", "b 0 1"));
        assertThat(ended(ThroughputFilter.ALL.withQueue("q").withType("b"))).isEqualTo(List.of("b 0 1"));
        assertThat(ended(ThroughputFilter.ALL.withQueue("urgent").withType("b")))
                .isEmpty();
        Throughput b = store().store().throughput(Duration.ofHours(1), ThroughputFilter.ALL.withType("b"));
        assertBetween(b.all().minutes().get(59).ran().p50Millis(), 128, 200);
        assertThat(b.all().hours().get(23).failed()).isEqualTo(1);
    }

    /** An attempt that ended. */
    private record Ended(String queue, String type, Instant at, long waited, long ran, boolean succeeded) {
        boolean isIn(ThroughputFilter filter) {
            return (filter.type() == null || filter.type().equals(type))
                    && (filter.queue() == null || filter.queue().equals(queue));
        }
    }

    @Test
    void eachWindowAndEachHourIsTheSumOfItsMinutes() {
        StoreDriver worker = open();
        List<Ended> all = new ArrayList<>();
        for (int minutes : new int[] {7, 53, 1, 58, 2, 61, 119, 4000, 240, 950, 30, 29, 1, 44, 1}) {
            time.advance(Duration.ofMinutes(minutes));
            int i = all.size();
            long wait = 1L << i;
            long run = 3L << i;
            boolean succeeds = i % 4 != 3;
            run(
                    worker,
                    "q" + i % 2,
                    "t" + i % 3,
                    Duration.ofMillis(wait),
                    Duration.ofMillis(run),
                    succeeds ? Transition.COMPLETE : Transition.FAIL);
            all.add(new Ended(
                    /* queue= */ "q" + i % 2,
                    /* type= */ "t" + i % 3,
                    /* at= */ time.now(),
                    /* waited= */ wait,
                    /* ran= */ run,
                    /* succeeded= */ succeeds));
        }
        worker.close();
        List<ThroughputFilter> filters = List.of(
                ThroughputFilter.ALL,
                ThroughputFilter.ALL.withType("t1"),
                ThroughputFilter.ALL.withQueue("q0"),
                ThroughputFilter.ALL.withQueue("q1").withType("t2"));
        for (int later : new int[] {0, 18, 59, 1}) {
            time.advance(Duration.ofMinutes(later));
            for (ThroughputFilter filter : filters) {
                List<Ended> ended =
                        all.stream().filter(each -> each.isIn(filter)).toList();
                for (int minutes : new int[] {1, 30, 60, 61, 100, 119, 120, 121, 300, 1440, 1500, 10_080}) {
                    assertSums(ended, Duration.ofMinutes(minutes), filter);
                }
            }
        }
    }

    /** Checks the totals of the window and the hours. */
    private void assertSums(List<Ended> ended, Duration window, ThroughputFilter filter) {
        Throughput read = store().store().throughput(window, filter);
        Instant minute = time.now().truncatedTo(ChronoUnit.MINUTES);
        Instant from = minute.plus(1, ChronoUnit.MINUTES).minus(window);
        List<Ended> within =
                ended.stream().filter(each -> !each.at.isBefore(from)).toList();
        assertThat(read.all()).as("%s at %s, %s", window, minute, filter).satisfies(sums -> {
            assertThat(sums.succeeded())
                    .isEqualTo(within.stream().filter(Ended::succeeded).count());
            assertThat(sums.succeeded() + sums.failed()).isEqualTo(within.size());
            assertThat(sums.waited().count()).isEqualTo(within.size());
            assertThat(sums.waited().meanMillis()).isEqualTo(mean(within, Ended::waited));
            assertThat(sums.ran().meanMillis()).isEqualTo(mean(within, Ended::ran));
            assertThat(sums.hours()).allSatisfy(hour -> {
                List<Ended> inHour = ended.stream()
                        .filter(each -> each.at.truncatedTo(ChronoUnit.HOURS).equals(hour.from()))
                        .toList();
                assertThat(hour.succeeded() + hour.failed()).isEqualTo(inHour.size());
                assertThat(hour.ran().meanMillis()).isEqualTo(mean(inHour, Ended::ran));
            });
        });
    }

    private static @Nullable Long mean(List<Ended> ended, ToLongFunction<Ended> millis) {
        return ended.isEmpty()
                ? null
                : Long.valueOf(
                        Math.round(ended.stream().mapToLong(millis).average().orElseThrow()));
    }

    /** Returns for each type the numbers of attempts of the last hour that succeeded and failed. */
    private List<String> ended(ThroughputFilter filter) {
        return store().store().throughput(Duration.ofHours(1), filter).types().stream()
                .map(type -> type.type() + " " + type.ends().succeeded() + " "
                        + type.ends().failed())
                .toList();
    }

    @Test
    void percentilesAreWithinTheBinOfTheirValue() {
        StoreDriver worker = open();
        for (int i = 1; i <= 20; i++) {
            Duration wait = Duration.ofMillis(i <= 18 ? 10 : 5000);
            run(worker, "t", wait, Duration.ofMillis(100), Transition.COMPLETE);
        }
        Throughput.Times waited =
                throughput(worker, Duration.ofMinutes(10)).all().waited();
        assertThat(waited.count()).isEqualTo(20);
        assertThat(waited.meanMillis()).isEqualTo((18 * 10 + 2 * 5000) / 20);
        assertBetween(waited.p50Millis(), 8, 16);
        assertBetween(waited.p90Millis(), 8, 16);
        assertBetween(waited.p95Millis(), 4096, 8192);
        assertBetween(waited.p99Millis(), 4096, 8192);
        Throughput.Times ran = store().store()
                .throughput(Duration.ofMinutes(10), ThroughputFilter.ALL)
                .all()
                .ran();
        assertThat(ran.meanMillis()).isEqualTo(100);
        assertBetween(ran.p50Millis(), 64, 128);
    }

    @Test
    void noPercentileIsLongerThanTheLongestTime() {
        StoreDriver worker = open();
        for (int i = 0; i < 20; i++) {
            Duration run = Duration.ofMillis(i < 19 ? 257 : 300);
            run(worker, i == 0 ? "first" : "t", Duration.ofMillis(i < 19 ? 9 : 0), run, Transition.COMPLETE);
        }
        for (int minutes : new int[] {80, 80, 80, 6000}) {
            run(worker, "hours", Duration.ofMillis(1), Duration.ofMinutes(minutes), Transition.COMPLETE);
        }
        run(worker, "long", Duration.ofMillis(1), Duration.ofMinutes(80), Transition.COMPLETE);
        Throughput read = throughput(worker, Duration.ofDays(5));
        Throughput.Times first = ran(read, "first");
        assertThat(List.of(requireNonNull(first.p50Millis()), requireNonNull(first.p99Millis())))
                .containsOnly(257L);
        assertBetween(ran(read, "t").p50Millis(), 256, 300);
        assertBetween(ran(read, "t").p99Millis(), 256, 300);
        // A single duration beyond all bins does not move the others.
        assertBetween(ran(read, "hours").p50Millis(), 1 << 22, 1 << 23);
        assertBetween(ran(read, "hours").p99Millis(), 1 << 22, 1 << 23);
        assertBetween(
                ran(read, "long").p99Millis(), 1 << 22, Duration.ofMinutes(80).toMillis());
        assertBetween(read.all().waited().p99Millis(), 8, 9);
    }

    private static Throughput.Times ran(Throughput read, String type) {
        return read.types().stream()
                .filter(each -> each.type().equals(type))
                .findFirst()
                .orElseThrow()
                .ends()
                .ran();
    }

    private static void assertBetween(@Nullable Long millis, long least, long most) {
        assertThat(requireNonNull(millis)).isBetween(least, most);
    }
}
