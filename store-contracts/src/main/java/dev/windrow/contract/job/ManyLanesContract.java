package dev.windrow.contract.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobInfo;
import dev.windrow.JobState;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreContract;
import dev.windrow.contract.StoreDriver;
import dev.windrow.monitor.Statistics;
import dev.windrow.query.JobFilter;
import dev.windrow.query.JobPage;
import dev.windrow.store.Transition;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.Change.Verb;
import dev.windrow.store.job.ChangeByFilter;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.query.PageRequest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

/** Listings of a type that has very many queues. Each page reads a bounded number of jobs, and all pages together find all jobs. */
public abstract class ManyLanesContract extends StoreContract {
    private static final int QUEUES = 1000;
    private static final int CALL = 1000;

    /** Creates the contract for a subclass. */
    protected ManyLanesContract() {}

    /** Enqueues this many jobs of type {@code t}, one queue after the other. */
    private List<Long> spread(int queues, int jobs) {
        List<Long> ids = new ArrayList<>();
        while (ids.size() < jobs) {
            List<NewRow> rows = new ArrayList<>();
            for (int i = ids.size(); i < Math.min(jobs, ids.size() + CALL); i++) {
                rows.add(NewRow.of("q" + i % queues, "t"));
            }
            ids.addAll(store().enqueueAll(rows));
        }
        return ids;
    }

    private long rare(String queue) {
        return store().enqueue(NewRow.of(queue, "t").name("rare"));
    }

    private List<JobPage> pages(PageRequest query) {
        List<JobPage> pages = new ArrayList<>();
        JobPage page = store().store().list(query);
        pages.add(page);
        while (page.next() != null) {
            page = store().store().list(query.after(page.next()));
            pages.add(page);
        }
        return pages;
    }

    private List<JobPage> backwards(PageRequest query) {
        List<JobPage> pages = new ArrayList<>();
        long end = query.order() == PageRequest.Order.NEWEST_FIRST ? 0 : Long.MAX_VALUE;
        JobPage page = store().store().list(query.before(end));
        pages.add(page);
        while (page.previous() != null) {
            page = store().store().list(query.before(page.previous()));
            pages.add(page);
        }
        Collections.reverse(pages);
        return pages;
    }

    private static List<Long> ids(List<JobPage> pages) {
        return pages.stream()
                .flatMap(page -> page.jobs().stream())
                .map(JobInfo::id)
                .toList();
    }

    private static List<Long> reversed(List<Long> ids) {
        List<Long> reversed = new ArrayList<>(ids);
        Collections.reverse(reversed);
        return reversed;
    }

    @Test
    void aFewMatchesAmongManyQueuesAreFoundWithBoundedReads() {
        List<Long> rare = new ArrayList<>(List.of(rare("q3")));
        spread(QUEUES, 24_000);
        rare.add(rare("q999"));
        spread(QUEUES, 6_000);
        rare.add(rare("q3"));
        store().enqueueAll(Collections.nCopies(100, NewRow.of("q3", "u").name("rare")));
        PageRequest newest =
                PageRequest.of(JobFilter.ALL.withType("t").withName("rare")).limit(2);
        for (PageRequest query : List.of(newest, newest.oldestFirst())) {
            List<Long> expected = query.order() == PageRequest.Order.OLDEST_FIRST ? rare : reversed(rare);
            List<JobPage> pages = pages(query);
            assertThat(ids(pages)).isEqualTo(expected);
            assertThat(pages)
                    .as("none looks at all of the 30 000 jobs, each looks at many")
                    .hasSizeBetween(2, 8);
            assertThat(ids(backwards(query))).as("backwards").isEqualTo(expected);
        }
        Change cancel = Change.byFilter(Verb.CANCEL, newest.filter(), "anna").build();
        assertThat(StoreDriver.answer(ChangeByFilter.run(store().store(), cancel))
                        .ids())
                .containsExactlyInAnyOrderElementsOf(rare);
    }

    @Test
    void pagesOfManyQueuesAreWholeAndInOrder(TestReporter reporter) {
        Random random = new Random(seed(reporter));
        List<Long> ids = new ArrayList<>();
        // Some queues have had no job for long, one has all new jobs, and another type is between them.
        ids.addAll(spread(QUEUES, 1500));
        store().enqueueAll(Collections.nCopies(700, NewRow.of("q1", "u")));
        ids.addAll(spread(30, 900));
        ids.addAll(store().enqueueAll(Collections.nCopies(600, NewRow.of("q7", "t"))));
        PageRequest newest = PageRequest.of(JobFilter.ALL.withType("t")).limit(200 + random.nextInt(300));
        for (PageRequest query : List.of(newest, newest.oldestFirst())) {
            List<Long> expected = query.order() == PageRequest.Order.OLDEST_FIRST ? ids : reversed(ids);
            List<JobPage> pages = pages(query);
            assertThat(ids(pages)).isEqualTo(expected);
            assertThat(pages.subList(0, pages.size() - 1))
                    .as("whole")
                    .allSatisfy(page -> assertThat(page.jobs()).hasSize(query.limit()));
            assertThat(ids(backwards(query))).as("backwards").isEqualTo(expected);
        }
        PageRequest rest = PageRequest.of(JobFilter.ALL.withType("t").withCreatedFrom(time.now()));
        assertThat(ids(pages(rest.limit(1000)))).isEqualTo(reversed(ids));
    }

    @Test
    void aPageOfVeryManyQueuesIsFullAndTheirStatisticsAreRead() {
        int queues = 9_800;
        List<Long> newestFirst = reversed(spread(queues, queues + 200));
        // More jobs than the listing reads one by one before it searches by queues.
        for (int i = 0; i < 11; i++) {
            store().enqueueAll(Collections.nCopies(CALL, NewRow.of("other", "u")));
        }
        PageRequest query = PageRequest.of(JobFilter.ALL.withType("t")).limit(150);
        JobPage first = store().store().list(query);
        assertThat(ids(List.of(first))).isEqualTo(newestFirst.subList(0, 150));
        JobPage second = store().store().list(query.after(first.next()));
        assertThat(ids(List.of(second))).isEqualTo(newestFirst.subList(150, 300));
        Statistics statistics = store().store().statistics();
        assertThat(statistics.queues()).hasSize(queues + 1);
        assertThat(statistics.types())
                .extracting(type -> type.states().get(JobState.PENDING))
                .containsExactly(queues + 200L, 11_000L);
    }

    @Test
    void pagesOfManyQueuesRepeatAndLoseNothingDuringChanges(TestReporter reporter) {
        Random random = new Random(seed(reporter));
        List<Long> there = spread(QUEUES, 3000);
        for (PageRequest.Order order : PageRequest.Order.values()) {
            PageRequest query = new PageRequest(
                    JobFilter.ALL
                            .withType("t")
                            .withStates(
                                    Set.of(JobState.PENDING, JobState.COMPLETED, JobState.FAILED, JobState.RUNNING)),
                    order,
                    null,
                    null,
                    100 + random.nextInt(200));
            Set<Long> seen = new LinkedHashSet<>();
            long last = order == PageRequest.Order.OLDEST_FIRST ? 0 : Long.MAX_VALUE;
            JobPage page = store().store().list(query);
            int turned = 0;
            while (true) {
                for (JobInfo job : page.jobs()) {
                    assertThat(seen.add(job.id()))
                            .as("not seen before: %d", job.id())
                            .isTrue();
                    assertThat(Long.compare(job.id(), last))
                            .as("%d behind %d", job.id(), last)
                            .isEqualTo(order == PageRequest.Order.OLDEST_FIRST ? 1 : -1);
                    last = job.id();
                }
                // Only this many, because the oldest-first walk would have no end.
                if (turned++ < 10) {
                    store().enqueueAll(
                                    NewRow.of("q" + random.nextInt(QUEUES), "t"),
                                    NewRow.of("new" + random.nextInt(1000), "t"));
                }
                // A copy of a list, because the random queue may be one of the other two.
                Set<String> queues = Set.copyOf(List.of("q1", "q2", "q" + random.nextInt(QUEUES)));
                for (ClaimedJob job : store().claim(StoreDriver.request("w", queues, Set.of("t"), 5))
                        .jobs()) {
                    store().settle(job, random.nextBoolean() ? Transition.COMPLETE : Transition.FAIL);
                }
                if (page.next() == null) {
                    break;
                }
                page = store().store().list(query.after(page.next()));
            }
            assertThat(seen).containsAll(there);
        }
    }
}
