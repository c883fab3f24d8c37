package dev.windrow.contract.query;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.Dedupe;
import dev.windrow.ErrorCodes;
import dev.windrow.JobInfo;
import dev.windrow.JobState;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreContract;
import dev.windrow.contract.StoreDriver;
import dev.windrow.limit.ConcurrencyKey;
import dev.windrow.payload.Json;
import dev.windrow.query.JobFilter;
import dev.windrow.query.JobPage;
import dev.windrow.query.TimeRange;
import dev.windrow.store.OpenStore;
import dev.windrow.store.Transition;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.Change.Verb;
import dev.windrow.store.job.ChangeByFilter;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.payload.PayloadPage;
import dev.windrow.store.query.PageRequest;
import dev.windrow.workflow.ParentPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

/** The method list by every condition of a filter, in either order, page by page in both directions; and payloads. */
public abstract class ListContract extends StoreContract {
    private static final int FILTERS = 80;
    /** The number of conditions that a filter may have. The states count twice, as one and as several. */
    private static final int PARTS = 17;

    /** Creates the contract for a subclass. */
    protected ListContract() {}

    /** Enqueues jobs of all kinds, in all states, over some days. */
    private void variety(Random random) {
        List<Long> ids = new ArrayList<>();
        for (int round = 0; round < 40; round++) {
            List<NewRow> rows = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                NewRow row = NewRow.of("q" + random.nextInt(2), "t" + random.nextInt(3))
                        .priority(random.nextInt(3) - 1);
                row = random.nextInt(3) == 0 ? row.tags("a", "b") : random.nextInt(3) == 0 ? row.tags("b") : row;
                row = random.nextInt(4) == 0 ? row.name("n" + random.nextInt(2)) : row;
                row = random.nextInt(6) == 0 ? row.dedupe(Dedupe.key("d" + ids.size() + i)) : row;
                row = random.nextInt(6) == 0 ? row.concurrencyKey(ConcurrencyKey.of("c" + random.nextInt(2))) : row;
                row = random.nextInt(8) == 0 ? row.delay(Duration.ofHours(1 + random.nextInt(100))) : row;
                row = !ids.isEmpty() && random.nextInt(5) == 0
                        ? row.after(ids.get(random.nextInt(Math.min(8, ids.size()))), ParentPolicy.WAIT)
                        : row;
                row = round % 7 == 0 ? row.inWorkflow() : row;
                rows.add(row);
            }
            ids.addAll(store().enqueueAll(rows));
            time.advance(Duration.ofHours(1));
        }
        List<ClaimedJob> jobs = new ArrayList<>();
        for (String worker : List.of("w", "v")) {
            jobs.addAll(store().claim(StoreDriver.request(worker, Set.of("q0", "q1"), Set.of("t0", "t1", "t2"), 60))
                    .jobs());
        }
        Collections.shuffle(jobs, random);
        Transition[] ends = {
            Transition.COMPLETE,
            Transition.FAIL,
            Transition.RETRY_LATER,
            Transition.CANCEL_RUNNING,
            Transition.PARK,
            Transition.HAND_BACK
        };
        for (ClaimedJob job : jobs.subList(0, 90)) {
            int which = random.nextInt(ends.length + 1);
            time.advance(Duration.ofMinutes(random.nextInt(20)));
            if (which == ends.length) {
                StoreDriver.answer(store().store()
                        .submit(StoreDriver.goingOn(
                                store().settlement(job, Transition.COMPLETE),
                                NewRow.of("q0", "t0").row())));
            } else {
                store().settle(job, ends[which]);
            }
        }
    }

    /** Returns a filter of some conditions, made of the properties of a job, so that most filters match something. */
    private JobFilter filter(Random random, List<JobInfo> jobs) {
        JobInfo like = jobs.get(random.nextInt(jobs.size()));
        JobFilter filter = JobFilter.ALL;
        for (int parts = 1 + random.nextInt(4); parts > 0; parts--) {
            filter = with(filter, random.nextInt(PARTS), like, random);
        }
        return filter;
    }

    private JobFilter with(JobFilter filter, int part, JobInfo like, Random random) {
        return switch (part) {
            case 0 -> filter.withState(like.state());
            case 1 -> filter.withStates(List.of(like.state(), JobState.PENDING, JobState.FAILED));
            case 2 -> filter.withType(like.type());
            case 3 -> filter.withQueue(like.queue());
            case 4 -> filter.withTags(like.tags());
            case 5 -> filter.withErrorCode(codeOf(like, random));
            case 6 -> filter.withName(Objects.requireNonNullElse(like.name(), "n1"));
            case 7 -> filter.withWorker(Objects.requireNonNullElse(like.worker(), "w"));
            case 8 -> filter.withDedupeKey(Objects.requireNonNullElse(like.dedupeKey(), "d0"));
            case 9 -> filter.withConcurrencyKey(Objects.requireNonNullElse(like.concurrencyKey(), "c1"));
            case 10 -> filter.withWorkflow(Objects.requireNonNullElse(like.workflow(), 1L));
            case 11 -> filter.withChain(like.chainId());
            case 12 ->
                filter.withParent(
                        like.dependsOn().isEmpty()
                                ? like.id()
                                : like.dependsOn().get(0).id());
            case 13 -> filter.withPriority(like.priority());
            case 14 -> {
                TimeRange range = around(like.createdAt(), random);
                JobFilter from = range.from() == null ? filter : filter.withCreatedFrom(range.from());
                yield range.before() == null ? from : from.withCreatedBefore(range.before());
            }
            case 15 -> {
                TimeRange range = around(Objects.requireNonNullElse(like.finishedAt(), time.now()), random);
                JobFilter from = range.from() == null ? filter : filter.withFinishedFrom(range.from());
                yield range.before() == null ? from : from.withFinishedBefore(range.before());
            }
            default -> {
                TimeRange range = around(like.scheduledAt(), random);
                JobFilter from = range.from() == null ? filter : filter.withScheduledAfter(range.from());
                yield range.before() == null ? from : from.withScheduledBefore(range.before());
            }
        };
    }

    /** Returns the error code of the job, or its category. */
    private static String codeOf(JobInfo like, Random random) {
        String code = Objects.requireNonNullElse(like.errorCode(), "TEST:FAILED");
        return random.nextBoolean() ? code : code.replaceFirst(":.*", ":*");
    }

    /** True if the job matches the filter, computed in Java for comparison. */
    private static boolean matches(JobFilter filter, JobInfo job) {
        return filter.allows(job.state())
                && (filter.type() == null || filter.type().equals(job.type()))
                && (filter.queue() == null || filter.queue().equals(job.queue()))
                && job.tags().containsAll(filter.tags())
                && (filter.errorCode() == null
                        || (job.errorCode() != null && ErrorCodes.matches(filter.errorCode(), job.errorCode())))
                && (filter.name() == null || filter.name().equals(job.name()))
                && (filter.worker() == null || filter.worker().equals(job.worker()))
                && (filter.dedupeKey() == null || filter.dedupeKey().equals(job.dedupeKey()))
                && (filter.concurrencyKey() == null || filter.concurrencyKey().equals(job.concurrencyKey()))
                && (filter.workflow() == null || filter.workflow().equals(job.workflow()))
                && (filter.chain() == null || filter.chain() == job.chainId())
                && (filter.parent() == null
                        || job.dependsOn().stream().anyMatch(other -> other.id() == filter.parent()))
                && (filter.priority() == null || filter.priority() == job.priority())
                && filter.created().contains(job.createdAt())
                && filter.finished().contains(job.finishedAt())
                && filter.scheduled().contains(job.scheduledAt());
    }

    /** Returns a range of times from the instant on, before it, or around it, to the nanosecond at the edges. */
    private static TimeRange around(Instant instant, Random random) {
        Instant from = instant.plusNanos(random.nextInt(3) - 1);
        Instant before = random.nextBoolean()
                ? instant.plusNanos(2)
                : from.plus(Duration.ofHours(1 + random.nextInt(30)).plusMillis(random.nextInt(2)));
        return switch (random.nextInt(3)) {
            case 0 -> new TimeRange(from, null);
            case 1 -> new TimeRange(null, before);
            default -> new TimeRange(from, before);
        };
    }

    /** Returns the pages of a query from its first to its last, and asserts that none is too long. */
    private List<JobPage> pages(PageRequest query) {
        List<JobPage> pages = new ArrayList<>();
        JobPage page = store().store().list(query);
        pages.add(page);
        while (page.next() != null) {
            page = store().store().list(query.after(page.next()));
            pages.add(page);
        }
        assertThat(pages).allSatisfy(each -> assertThat(each.jobs()).hasSizeLessThanOrEqualTo(query.limit()));
        return pages;
    }

    private static List<JobInfo> jobs(List<JobPage> pages) {
        return pages.stream().flatMap(page -> page.jobs().stream()).toList();
    }

    /** Returns the jobs on the way back from the last page to the first. */
    private List<JobInfo> backwards(PageRequest query, JobPage last) {
        List<List<JobInfo>> pages = new ArrayList<>(List.of(last.jobs()));
        JobPage page = last;
        while (page.previous() != null) {
            page = store().store().list(query.before(page.previous()));
            assertThat(page.jobs()).hasSizeLessThanOrEqualTo(query.limit());
            assertThat(page.next()).as("there is something behind").isNotNull();
            pages.add(page.jobs());
        }
        Collections.reverse(pages);
        return pages.stream().flatMap(List::stream).toList();
    }

    @Test
    void anyFilterInEitherOrderAndDirectionFindsItsMatches(TestReporter reporter) {
        Random random = new Random(seed(reporter));
        variety(random);
        List<JobInfo> everything = jobs(pages(PageRequest.of(JobFilter.ALL).limit(1000)));
        assertThat(everything).hasSizeGreaterThanOrEqualTo(200);
        int found = 0;
        for (int i = 0; i < FILTERS; i++) {
            found += isListedAsItSays(filter(random, everything), everything, random) ? 1 : 0;
        }
        assertThat(found).as("filters that match something").isGreaterThan(FILTERS / 4);
    }

    @Test
    void anyTwoPartsOfAFilterCountTogether(TestReporter reporter) {
        Random random = new Random(seed(reporter));
        variety(random);
        List<JobInfo> everything = jobs(pages(PageRequest.of(JobFilter.ALL).limit(1000)));
        for (int one = 0; one < PARTS; one++) {
            for (int two = one; two < PARTS; two++) {
                JobInfo like = everything.get(random.nextInt(everything.size()));
                JobFilter filter = with(with(JobFilter.ALL, one, like, random), two, like, random);
                boolean unused = isListedAsItSays(filter, everything, random);
            }
        }
    }

    /** Reads all pages of the filter in both directions; returns true if it matches something. */
    private boolean isListedAsItSays(JobFilter filter, List<JobInfo> everything, Random random) {
        List<JobInfo> expected = new ArrayList<>(
                everything.stream().filter(job -> matches(filter, job)).toList());
        int least = 1 + expected.size() / 20;
        PageRequest query = PageRequest.of(filter).limit(least + random.nextInt(expected.size() + 2));
        if (random.nextBoolean()) {
            Collections.reverse(expected);
            query = query.oldestFirst();
        }
        List<JobPage> pages = pages(query);
        assertThat(jobs(pages)).as("%s", query).isEqualTo(expected);
        assertThat(pages.get(0).previous()).as("the first page").isNull();
        if (!expected.isEmpty()) {
            assertThat(pages)
                    .as("no empty page at the end: %s", query)
                    .noneMatch(page -> page.jobs().isEmpty());
        }
        assertThat(backwards(query, pages.get(pages.size() - 1)))
                .as("backwards: %s", query)
                .isEqualTo(expected);
        return !expected.isEmpty();
    }

    @Test
    void aCategoryIsListedAcrossItsCodesInTheOrderOfIds(TestReporter reporter) {
        Random random = new Random(seed(reporter));
        List<NewRow> rows = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            rows.add(NewRow.of("q" + i % 2, "t").name("n" + i % 3));
        }
        store().enqueueAll(rows);
        List<ClaimedJob> jobs =
                new ArrayList<>(store().claim(StoreDriver.request("w", Set.of("q0", "q1"), Set.of("t"), 300))
                        .jobs());
        Collections.shuffle(jobs, random);
        for (ClaimedJob job : jobs) {
            // One code has half of the jobs, others have a few, and some categories begin alike.
            switch (random.nextInt(10)) {
                case 0 -> assertThat(store().fail(job, "A_B:X")).isTrue();
                case 1 -> assertThat(store().fail(job, "AB:X")).isTrue();
                case 2 ->
                    assertThat(store().settle(job, Transition.CANCEL_RUNNING)).isTrue();
                case 3, 4 ->
                    assertThat(store().fail(job, "A:" + random.nextInt(40))).isTrue();
                case 5 ->
                    assertThat(store().settle(job, Transition.RETRY_LATER)).isTrue();
                default -> assertThat(store().fail(job, "A:MOST")).isTrue();
            }
        }
        List<JobInfo> everything = jobs(pages(PageRequest.of(JobFilter.ALL).limit(1000)));
        JobFilter category = JobFilter.ALL.withErrorCode("A:*");
        for (JobFilter filter : List.of(
                category,
                category.withState(JobState.FAILED),
                category.withState(JobState.FAILED).withQueue("q1").withName("n2"),
                category.withStates(JobState.FAILED, JobState.CANCELLED, JobState.SCHEDULED),
                JobFilter.failed().withErrorCode("AB:*"))) {
            for (int i = 0; i < 8; i++) {
                assertThat(isListedAsItSays(filter, everything, random))
                        .as("%s", filter)
                        .isTrue();
            }
        }
        for (String none : List.of("B:*", "Z:*", "A:MOS")) {
            assertThat(listed(PageRequest.of(JobFilter.failed().withErrorCode(none))))
                    .as(none)
                    .isEmpty();
        }
    }

    @Test
    void aCategoryWithVeryManyCodesIsListed() {
        int many = 1003;
        store().enqueueAll(Collections.nCopies(500, NewRow.job()));
        store().enqueueAll(Collections.nCopies(many + 1 - 500, NewRow.job()));
        List<Long> failed = new ArrayList<>();
        while (failed.size() <= many) {
            for (ClaimedJob job : store().claim(500)) {
                assertThat(store().fail(job, (failed.isEmpty() ? "OTHER:" : "ORDER:") + failed.size()))
                        .isTrue();
                failed.add(job.id());
            }
        }
        List<Long> wanted = failed.subList(1, failed.size());
        PageRequest query =
                PageRequest.of(JobFilter.failed().withErrorCode("ORDER:*")).limit(1000);
        assertThat(jobs(pages(query.oldestFirst()))).extracting(JobInfo::id).isEqualTo(wanted);
        Collections.reverse(wanted);
        assertThat(jobs(pages(query))).extracting(JobInfo::id).isEqualTo(wanted);
    }

    @Test
    void aPageBeforeTheFirstOneHasTheJobsEnqueuedSince() {
        List<Long> first = store().enqueueAll(Collections.nCopies(5, NewRow.job()));
        PageRequest query = PageRequest.of(JobFilter.ALL).limit(3);
        JobPage second = store().store().list(query.after(first.get(2)));
        assertThat(second.jobs()).extracting(JobInfo::id).containsExactly(first.get(1), first.get(0));
        JobPage front = store().store().list(query.before(Objects.requireNonNull(second.previous())));
        assertThat(front.jobs()).extracting(JobInfo::id).containsExactly(first.get(4), first.get(3), first.get(2));
        assertThat(front.previous()).as("the beginning").isNull();
        List<Long> more = store().enqueueAll(Collections.nCopies(2, NewRow.job()));
        JobPage news = store().store().list(query.before(first.get(4)));
        assertThat(news.jobs()).extracting(JobInfo::id).containsExactly(more.get(1), more.get(0));
        JobPage none = store().store().list(query.before(more.get(1)));
        assertThat(none.jobs()).isEmpty();
        assertThat(store().store()
                        .list(query.after(Objects.requireNonNull(none.next())))
                        .jobs())
                .as("behind an empty page in front of a job is the job")
                .extracting(JobInfo::id)
                .containsExactly(more.get(1), more.get(0), first.get(4));
    }

    @Test
    void aLaterJobOfAChainIsNotListedAsAChain() {
        long first = store().enqueue(NewRow.job());
        ClaimedJob job = store().claim(1).get(0);
        StoreDriver.answer(store().store()
                .submit(StoreDriver.goingOn(
                        store().settlement(job, Transition.COMPLETE),
                        NewRow.job().row())));
        long next = listed(PageRequest.of(JobFilter.ALL)).get(0);
        assertThat(listed(PageRequest.of(JobFilter.ALL.withChain(first)))).containsExactly(next, first);
        assertThat(listed(PageRequest.of(JobFilter.ALL.withChain(next)))).isEmpty();
    }

    @Test
    void anEmptyPageLinksBack() {
        List<Long> ids = store().enqueueAll(Collections.nCopies(3, NewRow.job()));
        List<Long> reversed = new ArrayList<>(ids);
        Collections.reverse(reversed);
        PageRequest newest = PageRequest.of(JobFilter.ALL);
        PageRequest oldest = newest.oldestFirst();
        for (long low : new long[] {Long.MIN_VALUE, 0, ids.get(0)}) {
            assertThat(listed(newest.before(onlyPrevious(newest.after(low))))).isEqualTo(reversed);
            assertThat(listed(oldest.after(onlyNext(oldest.before(low))))).isEqualTo(ids);
        }
        for (long high : new long[] {Long.MAX_VALUE, ids.get(2)}) {
            assertThat(listed(oldest.before(onlyPrevious(oldest.after(high))))).isEqualTo(ids);
            assertThat(listed(newest.after(onlyNext(newest.before(high))))).isEqualTo(reversed);
        }
    }

    private long onlyPrevious(PageRequest query) {
        JobPage page = store().store().list(query);
        assertThat(page.jobs()).isEmpty();
        assertThat(page.next()).as("nothing behind").isNull();
        return Objects.requireNonNull(page.previous());
    }

    private long onlyNext(PageRequest query) {
        JobPage page = store().store().list(query);
        assertThat(page.jobs()).isEmpty();
        assertThat(page.previous()).as("nothing in front").isNull();
        return Objects.requireNonNull(page.next());
    }

    @Test
    void pagesRepeatAndLoseNothingDuringChanges(TestReporter reporter) {
        Random random = new Random(seed(reporter));
        for (PageRequest.Order order : PageRequest.Order.values()) {
            List<Long> there = store().enqueueAll(Collections.nCopies(60, NewRow.job()));
            JobFilter filter = JobFilter.ALL
                    .withType("t")
                    .withStates(Set.of(JobState.PENDING, JobState.COMPLETED, JobState.RUNNING, JobState.FAILED));
            Set<Long> seen = new LinkedHashSet<>();
            PageRequest query = new PageRequest(filter, order, null, null, 7);
            JobPage page = store().store().list(query);
            int turned = 0;
            do {
                List<Long> ids = page.jobs().stream().map(JobInfo::id).toList();
                ids.forEach(id ->
                        assertThat(seen.add(id)).as("not seen before: %d", id).isTrue());
                // Only this many, because the oldest-first walk would have no end.
                if (turned++ < 6) {
                    store().enqueueAll(NewRow.job(), NewRow.job());
                }
                for (ClaimedJob job : store().claim(3)) {
                    store().settle(job, random.nextBoolean() ? Transition.COMPLETE : Transition.FAIL);
                }
                page = page.next() == null ? null : store().store().list(query.after(page.next()));
            } while (page != null);
            assertThat(seen).containsAll(there);
        }
    }

    @Test
    void aFilterWithoutAnIndexReadsABoundedNumberOfJobsInOneCall() {
        long rare = store().enqueue(NewRow.job().name("rare"));
        for (int i = 0; i < 21; i++) {
            store().enqueueAll(Collections.nCopies(1000, NewRow.job()));
        }
        for (JobFilter some : List.of(
                JobFilter.ALL,
                JobFilter.inState(JobState.PENDING),
                JobFilter.ALL.withStates(Set.of(JobState.PENDING, JobState.FAILED)),
                JobFilter.ALL.withType("t"))) {
            PageRequest query = PageRequest.of(some.withName("rare"));
            JobPage first = store().store().list(query);
            assertThat(first.jobs()).as("%s", query).isEmpty();
            assertThat(first.next()).as("how far it came: %s", query).isNotNull();
            assertThat(jobs(pages(query)))
                    .as("%s", query)
                    .extracting(JobInfo::id)
                    .containsExactly(rare);
            assertThat(store().store().list(query.oldestFirst()).jobs())
                    .as("%s", query)
                    .extracting(JobInfo::id)
                    .containsExactly(rare);
            assertThat(backwards(query, new JobPage(List.of(), null, 0L)))
                    .as("%s", query)
                    .extracting(JobInfo::id)
                    .containsExactly(rare);
        }
        Change cancel = Change.byFilter(Verb.CANCEL, JobFilter.ALL.withName("rare"), "anna")
                .build();
        assertThat(StoreDriver.answer(ChangeByFilter.run(store().store(), cancel))
                        .ids())
                .containsExactly(rare);
    }

    @Test
    void aTimeFilterReadsNoJobsFarFromItsTime() {
        store().enqueueAll(Collections.nCopies(50, NewRow.job()));
        ClaimedJob ended = store().claim(1).get(0);
        store().settle(ended, Transition.COMPLETE);
        time.advance(Duration.ofDays(10));
        Instant between = time.now();
        List<Long> wanted = store().enqueueAll(Collections.nCopies(2, NewRow.job()));
        time.advance(Duration.ofDays(10));
        Instant behind = time.now();
        time.advance(Duration.ofDays(10));
        for (int i = 0; i < 21; i++) {
            store().enqueueAll(Collections.nCopies(1000, NewRow.job()));
        }
        JobFilter filter = JobFilter.ALL.withCreatedFrom(between).withCreatedBefore(behind);
        JobPage newest = store().store().list(PageRequest.of(filter));
        assertThat(newest.jobs()).extracting(JobInfo::id).containsExactly(wanted.get(1), wanted.get(0));
        assertThat(newest.next()).isNull();
        JobPage oldest = store().store().list(PageRequest.of(filter).oldestFirst());
        assertThat(oldest.jobs()).extracting(JobInfo::id).isEqualTo(wanted);
        assertThat(oldest.next()).isNull();
        // A job that ended before a time was enqueued before it.
        JobPage before = store().store().list(PageRequest.of(JobFilter.ALL.withFinishedBefore(behind)));
        assertThat(before.jobs()).extracting(JobInfo::id).containsExactly(ended.id());
        assertThat(before.next()).isNull();
    }

    @Test
    void aTimeFilterFindsJobsAlthoughAClockWasSetBack() {
        time.advance(Duration.ofHours(2));
        long ahead = store().enqueue(NewRow.job());
        time.stepWall(Duration.ofHours(-2));
        long early = store().enqueue(NewRow.job());
        time.advance(Duration.ofHours(1));
        Instant between = time.now();
        time.advance(Duration.ofHours(2));
        long late = store().enqueue(NewRow.job());
        // A priority is checked job by job, which may end the walk.
        for (JobFilter any : List.of(JobFilter.ALL, JobFilter.ALL.withPriority(0))) {
            PageRequest newest = PageRequest.of(any.withCreatedFrom(between));
            assertThat(listed(newest)).containsExactly(late, ahead);
            assertThat(listed(newest.oldestFirst())).containsExactly(ahead, late);
            PageRequest first = PageRequest.of(any.withCreatedBefore(between));
            assertThat(listed(first)).containsExactly(early);
            assertThat(listed(first.oldestFirst())).containsExactly(early);
        }
    }

    @Test
    void textsAreComparedLiterally() {
        List<String> texts = List.of(
                "a",
                "A",
                "%",
                "_",
                "a%",
                "a'b",
                "a\"b",
                "a\\b",
                "\\u0061",
                " a",
                "a ",
                "\uD83D\uDE00",
                "\u00E9",
                "e\u0301",
                "\uFFFD",
                "?",
                "a\nb",
                "NULL",
                "1",
                "01");
        Map<String, Long> ids = new HashMap<>();
        for (String text : texts) {
            ids.put(
                    text,
                    store().enqueue(NewRow.job()
                            .name(text)
                            .tags("all", text)
                            .dedupe(Dedupe.key(text))
                            .concurrencyKey(ConcurrencyKey.of(text))));
        }
        for (String text : texts) {
            for (JobFilter filter : List.of(
                    JobFilter.ALL.withName(text),
                    JobFilter.ALL.withTags(List.of(text)),
                    JobFilter.ALL.withTags(List.of("all", text)),
                    JobFilter.ALL.withDedupeKey(text),
                    JobFilter.ALL.withConcurrencyKey(text))) {
                assertThat(all(store().store(), filter))
                        .as("%s", filter)
                        .extracting(JobInfo::id)
                        .containsExactly(ids.get(text));
            }
        }
    }

    @Test
    void aTextThatCannotBeStoredMatchesNothing() {
        store().enqueue(NewRow.of("?", "?")
                .name("?")
                .tags("all", "a", "?", "\uFFFD")
                .dedupe(Dedupe.key("?"))
                .concurrencyKey(ConcurrencyKey.of("?")));
        store().claim(StoreDriver.request("?", Set.of("?"), Set.of("?"), 1));
        store().enqueue(NewRow.of("q", "t").name("a\uFFFDb").tags("all", "ab", "a\uFFFDb"));
        for (String text : List.of("a\0b", "a\0", "\0", "\uD800", "a\uDC00b")) {
            for (JobFilter filter : List.of(
                    JobFilter.ALL.withName(text),
                    JobFilter.ALL.withTags(List.of(text)),
                    JobFilter.ALL.withTags(List.of("all", text)),
                    JobFilter.ALL.withType("t").withName(text),
                    JobFilter.ALL.withType(text),
                    JobFilter.ALL.withQueue(text),
                    JobFilter.ALL.withErrorCode(text),
                    JobFilter.inState(JobState.FAILED).withErrorCode(text),
                    JobFilter.ALL.withWorker(text),
                    JobFilter.ALL.withDedupeKey(text),
                    JobFilter.ALL.withConcurrencyKey(text))) {
                assertThat(all(store().store(), filter)).as("%s", filter).isEmpty();
                Change cancel = Change.byFilter(Verb.CANCEL, filter, "anna").build();
                assertThat(StoreDriver.answer(ChangeByFilter.run(store().store(), cancel))
                                .count())
                        .as("%s", filter)
                        .isZero();
            }
        }
    }

    @Test
    void everyPositionAndEveryTimeIsAllowed() {
        List<Long> ids = store().enqueueAll(Collections.nCopies(3, NewRow.job()));
        List<Long> newest = new ArrayList<>(ids);
        Collections.reverse(newest);
        for (long low : new long[] {Long.MIN_VALUE, -1, 0}) {
            assertThat(listed(PageRequest.of(JobFilter.ALL).after(low))).isEmpty();
            assertThat(listed(PageRequest.of(JobFilter.ALL).before(low))).isEqualTo(newest);
            assertThat(listed(PageRequest.of(JobFilter.ALL).oldestFirst().after(low)))
                    .isEqualTo(ids);
            assertThat(listed(PageRequest.of(JobFilter.ALL).oldestFirst().before(low)))
                    .isEmpty();
        }
        assertThat(listed(PageRequest.of(JobFilter.ALL).after(Long.MAX_VALUE))).isEqualTo(newest);
        assertThat(listed(PageRequest.of(JobFilter.ALL).before(Long.MAX_VALUE))).isEmpty();
        assertThat(listed(PageRequest.of(JobFilter.ALL).oldestFirst().after(Long.MAX_VALUE)))
                .isEmpty();
        for (Instant early : List.of(Instant.MIN, Instant.EPOCH, Instant.parse("-9999-01-01T00:00:00Z"))) {
            assertThat(listed(PageRequest.of(JobFilter.ALL.withCreatedFrom(early))))
                    .isEqualTo(newest);
            assertThat(listed(PageRequest.of(JobFilter.ALL.withCreatedBefore(early))))
                    .isEmpty();
            assertThat(listed(PageRequest.of(JobFilter.ALL.withScheduledBefore(early))))
                    .isEmpty();
            assertThat(listed(PageRequest.of(JobFilter.ALL.withFinishedBefore(early))))
                    .isEmpty();
        }
        for (Instant late : List.of(Instant.MAX, Instant.parse("+999999-01-01T00:00:00Z"))) {
            assertThat(listed(PageRequest.of(JobFilter.ALL.withCreatedBefore(late))
                            .oldestFirst()))
                    .isEqualTo(ids);
            assertThat(listed(
                            PageRequest.of(JobFilter.ALL.withCreatedFrom(late)).oldestFirst()))
                    .isEmpty();
            assertThat(listed(PageRequest.of(JobFilter.ALL.withScheduledBefore(late))))
                    .isEqualTo(newest);
        }
        for (long none : new long[] {Long.MIN_VALUE, -1, 0, Long.MAX_VALUE}) {
            assertThat(listed(PageRequest.of(JobFilter.ALL.withParent(none)))).isEmpty();
            assertThat(listed(PageRequest.of(JobFilter.ALL.withChain(none)))).isEmpty();
            assertThat(listed(PageRequest.of(JobFilter.ALL.withWorkflow(none)))).isEmpty();
        }
        assertThat(listed(PageRequest.of(JobFilter.ALL.withPriority(Integer.MAX_VALUE))))
                .isEmpty();
    }

    /** Returns all jobs after a position, or the first page before one. */
    private List<Long> listed(PageRequest query) {
        List<JobPage> pages =
                query.before() == null ? pages(query) : List.of(store().store().list(query));
        return jobs(pages).stream().map(JobInfo::id).toList();
    }

    @Test
    void jobsWithinADayOfATimeAreSkippedInOneCall() {
        // As many jobs as the listing skips at once, at first and later. The wanted jobs are next to them, on either
        // side.
        manyAsArePassedOver();
        time.advance(Duration.ofHours(1));
        Instant from = time.now();
        List<Long> wanted = store().enqueueAll(Collections.nCopies(3, NewRow.job()));
        time.advance(Duration.ofHours(1));
        Instant before = time.now();
        manyAsArePassedOver();
        List<Long> newest = new ArrayList<>(wanted);
        Collections.reverse(newest);
        JobFilter between = JobFilter.ALL.withCreatedFrom(from).withCreatedBefore(before);
        for (JobFilter filter : List.of(between, between.withType("t"), between.withPriority(0))) {
            assertThat(store().store().list(PageRequest.of(filter)).jobs())
                    .as("%s", filter)
                    .extracting(JobInfo::id)
                    .isEqualTo(newest);
            assertThat(store().store()
                            .list(PageRequest.of(filter).oldestFirst())
                            .jobs())
                    .as("%s", filter)
                    .extracting(JobInfo::id)
                    .isEqualTo(wanted);
            assertThat(pages(PageRequest.of(filter))).as("and behind them").hasSizeLessThanOrEqualTo(2);
        }
        assertThat(listed(PageRequest.of(between))).isEqualTo(newest);
        PageRequest untilThen = PageRequest.of(JobFilter.ALL.withCreatedBefore(before));
        assertThat(store().store().list(untilThen.limit(3)).jobs())
                .extracting(JobInfo::id)
                .isEqualTo(newest);
        PageRequest sinceThen =
                PageRequest.of(JobFilter.ALL.withCreatedFrom(from)).oldestFirst();
        assertThat(store().store().list(sinceThen.limit(3)).jobs())
                .extracting(JobInfo::id)
                .isEqualTo(wanted);
        time.stepWall(Duration.between(time.now(), from.plusSeconds(1)));
        long late = store().enqueue(NewRow.job());
        newest.add(0, late);
        assertThat(listed(PageRequest.of(between)))
                .as("by a clock that was set back")
                .isEqualTo(newest);
        Change cancel = Change.byFilter(Verb.CANCEL, between, "anna").build();
        assertThat(StoreDriver.answer(ChangeByFilter.run(store().store(), cancel))
                        .count())
                .isEqualTo(4);
    }

    private void manyAsArePassedOver() {
        for (int i = 0; i < 41; i++) {
            store().enqueueAll(Collections.nCopies(500, NewRow.job()));
        }
    }

    @Test
    void aBulkChangeMatchesTheSameJobsAsAListing(TestReporter reporter) {
        Random random = new Random(seed(reporter));
        variety(random);
        for (int i = 0; i < 25; i++) {
            List<JobInfo> everything = jobs(pages(PageRequest.of(JobFilter.ALL).limit(1000)));
            JobFilter filter = filter(random, everything);
            Set<Long> expected = new HashSet<>();
            for (JobInfo job : everything) {
                if (matches(filter, job) && Verb.CANCEL.from().contains(job.state())) {
                    expected.add(job.id());
                }
            }
            Change change =
                    Change.byFilter(Verb.CANCEL, filter, "anna").dryRun(true).build();
            assertThat(StoreDriver.answer(ChangeByFilter.run(store().store(), change))
                            .count())
                    .as("%s", filter)
                    .isEqualTo(expected.size());
        }
    }

    @Test
    void theAuditRecordsEveryPartOfAFilter() {
        store().enqueue(NewRow.job().tags("a", "b").priority(3).name("n"));
        JobFilter filter = JobFilter.ALL
                .withStates(Set.of(JobState.PENDING, JobState.SCHEDULED))
                .withTags(List.of("a", "b"))
                .withName("n")
                .withPriority(3)
                .withScheduledBefore(Instant.parse("2100-01-01T00:00:00Z"));
        Change cancel = Change.byFilter(Verb.CANCEL, filter, "anna").build();
        assertThat(StoreDriver.answer(ChangeByFilter.run(store().store(), cancel))
                        .count())
                .isEqualTo(1);
        assertThat(store().audit(1).get(0).detail())
                .isEqualTo(
                        new Json(
                                "{\"states\":[\"SCHEDULED\",\"PENDING\"],\"tags\":[\"a\",\"b\"],\"name\":\"n\",\"scheduledBefore\":\"2100-01-01T00:00:00Z\",\"priority\":3}"));
    }

    @Test
    void manyPayloadsAreReadAtOnce() {
        long with = store().enqueue(NewRow.job().payload("{\"a\":1}"));
        store().enqueue(NewRow.of("q", "other").payload("{\"a\":2}"));
        long without = store().enqueue(NewRow.job().payload(null));
        PageRequest query = PageRequest.of(JobFilter.ALL.withType("t")).limit(1);
        List<PayloadPage.Payload> both =
                List.of(new PayloadPage.Payload(without, null), new PayloadPage.Payload(with, new Json("{\"a\":1}")));
        assertThat(store().store().payloads(query, 10)).isEqualTo(new PayloadPage(both, null, false));
        PayloadPage first = store().store().payloads(query, 1);
        assertThat(first).isEqualTo(new PayloadPage(both.subList(0, 1), without, true));
        assertThat(store().store().payloads(query.after(first.next()), 10).payloads())
                .isEqualTo(both.subList(1, 2));
        assertThat(store().store().payloads(query.oldestFirst(), 10).payloads())
                .containsExactly(both.get(1), both.get(0));
        assertThat(store().store().payloads(query.after(with), 10)).isEqualTo(new PayloadPage(List.of(), null, false));
    }

    @Test
    void fewLongPayloadsAreReadAtOnce() {
        String third = "\"" + "x".repeat(OpenStore.MAX_CHARACTERS / 3) + "\"";
        List<Long> ids = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            ids.add(store().enqueue(NewRow.job().payload(i == 4 ? null : third)));
        }
        PageRequest query = PageRequest.of(JobFilter.ALL).oldestFirst();
        PayloadPage first = store().store().payloads(query, 10);
        assertThat(first.payloads()).extracting(PayloadPage.Payload::job).containsExactlyElementsOf(ids.subList(0, 3));
        assertThat(first.next()).isEqualTo(ids.get(2));
        assertThat(first.full()).isTrue();
        PayloadPage second = store().store().payloads(query.after(first.next()), 10);
        assertThat(second.payloads()).extracting(PayloadPage.Payload::job).containsExactlyElementsOf(ids.subList(3, 7));
        assertThat(second.payloads().get(1).json()).isNull();
    }

    @Test
    void jobsAreReadInTheGivenOrderOfIds() {
        List<Long> ids = store().enqueueAll(Collections.nCopies(60, NewRow.job()));
        List<Long> wanted = new ArrayList<>(ids);
        Collections.swap(wanted, 3, 57);
        wanted.add(7, Long.MAX_VALUE);
        JobPage page = store().store().jobs(JobFilter.ALL, wanted);
        wanted.remove(7);
        assertThat(page.jobs()).extracting(JobInfo::id).isEqualTo(wanted);
        assertThat(page.next()).isNull();
        assertThat(store().store().jobs(JobFilter.ALL, List.of()).jobs()).isEmpty();
        long other = store().enqueue(NewRow.of("q", "other"));
        assertThat(store().store()
                        .jobs(JobFilter.ALL.withType("other"), List.of(ids.get(0), other, ids.get(1)))
                        .jobs())
                .as("only those that match")
                .extracting(JobInfo::id)
                .containsExactly(other);
    }

    @Test
    void fewJobsWithVeryManyParentsAreReadAtOnce() {
        List<Long> parents = store().enqueueAll(Collections.nCopies(160, NewRow.job()));
        List<Long> ids =
                store().enqueueAll(Collections.nCopies(410, NewRow.job().afterAll(parents, ParentPolicy.CANCEL)));
        JobPage first = store().store().jobs(JobFilter.ALL, ids);
        assertThat(first.jobs()).hasSizeLessThan(ids.size());
        assertThat(first.next()).isEqualTo(ids.get(first.jobs().size() - 1));
    }

    @Test
    void aPageOfJobsWithVeryManyParentsEndsEarly() {
        List<Long> parents = store().enqueueAll(Collections.nCopies(160, NewRow.job()));
        store().enqueueAll(Collections.nCopies(210, NewRow.job().afterAll(parents, ParentPolicy.CANCEL)));
        PageRequest query = PageRequest.of(JobFilter.ALL).limit(1000);
        List<Long> found = new ArrayList<>();
        int pages = 0;
        Long cursor = null;
        do {
            JobPage page = store().store().list(query.after(cursor));
            page.jobs().forEach(job -> found.add(job.id()));
            cursor = page.next();
            pages++;
        } while (cursor != null);
        assertThat(pages).isGreaterThan(1);
        assertThat(found).hasSize(370).doesNotHaveDuplicates();
    }
}
