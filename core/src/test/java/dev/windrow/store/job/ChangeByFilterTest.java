package dev.windrow.store.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobState;
import dev.windrow.query.JobFilter;
import dev.windrow.store.job.Change.Verb;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The order in which the jobs of a change by filter come from several listings, and their number in memory. */
class ChangeByFilterTest {
    private static final int PAGE = 300;

    private final Map<JobState, List<Long>> jobs = new EnumMap<>(JobState.class);
    private final List<List<Long>> parts = new ArrayList<>();
    private long newest = Long.MAX_VALUE;
    private int pageSize = PAGE;
    private long nanos;
    private long nanosOfRead;
    private long nanosOfPart;
    private int found;
    private int max;

    private final ChangeByFilter.Source source = new ChangeByFilter.Source() {
        @Override
        public long newestJob() {
            return newest;
        }

        @Override
        public ChangeByFilter.Page matching(JobFilter filter, boolean ascending, @Nullable Long beyond, int look) {
            nanos += nanosOfRead;
            List<Long> all = jobs.getOrDefault(Objects.requireNonNull(filter.state()), List.of());
            List<Long> ids = all.stream()
                    .sorted(ascending ? Comparator.naturalOrder() : Comparator.reverseOrder())
                    .filter(id -> beyond == null || (ascending ? id > beyond : id < beyond))
                    .limit(Math.min(look, pageSize))
                    .toList();
            found += ids.size();
            max = Math.max(max, found);
            return new ChangeByFilter.Page(
                    ids, ids.size() < Math.min(look, pageSize) ? null : ids.get(ids.size() - 1), ids.size());
        }
    };

    private List<Long> change(Verb verb) {
        Change change = Change.byFilter(verb, JobFilter.ALL, "anna").build();
        ChangeResult done = ChangeByFilter.run(change, source, some -> {
                    List<Long> part = some.named();
                    parts.add(part);
                    found -= part.size();
                    return CompletableFuture.completedFuture(new ChangeResult(part.size(), part));
                })
                .join();
        List<Long> ids = parts.stream().flatMap(List::stream).toList();
        assertThat(done.count()).isEqualTo(ids.size());
        return ids;
    }

    private ChangeResult quickly(Change.Builder change) {
        return ChangeByFilter.quickly(
                        change.dryRun(true).build(),
                        source,
                        some -> {
                            nanos += nanosOfPart;
                            parts.add(some.named());
                            return CompletableFuture.completedFuture(new ChangeResult(
                                    some.named().size(), some.named().subList(0, 1)));
                        },
                        () -> nanos)
                .join();
    }

    private static Change.Builder cancel() {
        return Change.byFilter(Verb.CANCEL, JobFilter.ALL, "anna");
    }

    private static List<Long> ids(long from, long to, int step) {
        return LongStream.iterate(from, id -> id <= to, id -> id + step).boxed().toList();
    }

    @Test
    void jobsOfSeveralListingsAreRetriedOldestFirstInBatchesOfAThousand() {
        jobs.put(JobState.FAILED, ids(1, 2500, 1));
        jobs.put(JobState.CANCELLED, ids(2501, 10_000, 7));
        List<Long> expected = new ArrayList<>(ids(1, 2500, 1));
        expected.addAll(ids(2501, 10_000, 7));
        assertThat(change(Verb.RETRY)).isEqualTo(expected);
        assertThat(parts.subList(0, parts.size() - 1)).allMatch(part -> part.size() == 1000);
    }

    @Test
    void jobsAreCancelledNewestFirst() {
        jobs.put(JobState.PENDING, ids(1, 2999, 2));
        jobs.put(JobState.BLOCKED, ids(2, 3000, 2));
        jobs.put(JobState.SCHEDULED, ids(5000, 5001, 1));
        List<Long> expected = new ArrayList<>(ids(1, 3000, 1));
        expected.addAll(ids(5000, 5001, 1));
        expected.sort(Comparator.reverseOrder());
        assertThat(change(Verb.CANCEL)).isEqualTo(expected);
    }

    @Test
    void aChangeOfManyJobsHoldsAFewPagesInMemory() {
        jobs.put(JobState.FAILED, ids(1, 80_000, 2));
        jobs.put(JobState.CANCELLED, ids(30_002, 80_000, 2));
        assertThat(change(Verb.RETRY)).hasSize(65_000).isSorted();
        assertThat(max).isLessThan(1000 + 3 * PAGE);
    }

    @Test
    void aJobThatChangesItsStateBetweenTwoQueriesIsChangedOnce() {
        jobs.put(JobState.FAILED, ids(1, 1000, 1));
        jobs.put(JobState.CANCELLED, ids(500, 600, 1));
        assertThat(change(Verb.RETRY)).isEqualTo(ids(1, 1000, 1));
    }

    @Test
    void jobsThatFailDuringTheRetryAreNotRetried() {
        newest = 750;
        jobs.put(JobState.FAILED, ids(1, 5000, 1));
        jobs.put(JobState.CANCELLED, ids(751, 5000, 2));
        assertThat(change(Verb.RETRY)).isEqualTo(ids(1, 750, 1));
        assertThat(max).isLessThan(5 * PAGE);
    }

    @Test
    void aQuickDryRunCountsAllJobsIfThereAreFew() {
        jobs.put(JobState.PENDING, ids(1, 2999, 2));
        jobs.put(JobState.BLOCKED, ids(2, 3000, 2));
        assertThat(quickly(cancel())).isEqualTo(new ChangeResult(3000, List.of(3000L, 2000L, 1000L)));
    }

    @Test
    void aQuickDryRunStopsWhenItHasLookedAtManyRows() {
        pageSize = 50_000;
        jobs.put(JobState.PENDING, ids(1, 200_000, 1));
        ChangeResult result = quickly(cancel());
        assertThat(result.count()).isEqualTo(100_000);
        assertThat(result.atLeast()).isTrue();
    }

    @Test
    void aQuickDryRunStopsAfterHalfASecond() {
        nanosOfPart = 100_000_000;
        jobs.put(JobState.PENDING, ids(1, 80_000, 1));
        ChangeResult result = quickly(cancel());
        assertThat(result.count()).isEqualTo(5000);
        assertThat(result.atLeast()).isTrue();
    }

    @Test
    void aQuickDryRunWhoseFirstReadIsSlowHasASample() {
        nanosOfRead = 150_000_000;
        jobs.put(JobState.PENDING, ids(1, 2000, 1));
        ChangeResult result = quickly(cancel());
        assertThat(result.count()).isPositive();
        assertThat(result.ids()).isNotEmpty();
        assertThat(result.atLeast()).isTrue();
    }

    @Test
    void aQuickDryRunWithAMaximumIsExactWhenItIsReached() {
        nanosOfPart = 100_000_000;
        jobs.put(JobState.PENDING, ids(1, 80_000, 1));
        assertThat(quickly(cancel().max(3000)).atLeast()).isFalse();
        assertThat(parts).hasSize(3);
        assertThat(quickly(cancel().max(80_000)).atLeast()).isTrue();
    }

    /** Makes a dry run of a deletion. Each job is a child, and the oldest one of each part is skipped. */
    private ChangeResult previewOfChildren(Set<Long> known) {
        Change change =
                Change.byFilter(Verb.DELETE, JobFilter.ALL, "anna").dryRun(true).build();
        return ChangeByFilter.run(change, source, some -> {
                    known.clear();
                    known.addAll(some.gone());
                    List<Long> part = some.named();
                    return CompletableFuture.completedFuture(new ChangeResult(
                            part.size() - 1, List.of(), 1, null, false, part.subList(0, part.size() - 1)));
                })
                .join();
    }

    @Test
    void aPartOfADryRunKnowsTheChildrenThatThePartsBeforeHaveDeleted() {
        jobs.put(JobState.FAILED, ids(1, 2500, 1));
        Set<Long> known = new HashSet<>();
        ChangeResult result = previewOfChildren(known);
        assertThat(result).isEqualTo(new ChangeResult(2497, List.of(), 3, null));
        assertThat(known).hasSize(1998).contains(2500L, 502L).doesNotContain(501L, 500L);
    }

    @Test
    void aDryRunThatHasForgottenChildrenIsALowerBound() {
        pageSize = 50_000;
        jobs.put(JobState.FAILED, ids(1, 200_000, 1));
        Set<Long> known = new HashSet<>();
        ChangeResult result = previewOfChildren(known);
        assertThat(result.count()).isEqualTo(199_800);
        assertThat(result.atLeast()).isTrue();
        assertThat(known).hasSize(100_000).contains(1002L).doesNotContain(200_000L);
    }

    @Test
    void aQuickDryRunOfARetryIsExactWithoutJobsThatFailedLater() {
        newest = 750;
        jobs.put(JobState.FAILED, ids(1, 5000, 1));
        ChangeResult result = quickly(Change.byFilter(Verb.RETRY, JobFilter.ALL, "anna"));
        assertThat(result.count()).isEqualTo(750);
        assertThat(result.atLeast()).isFalse();
    }
}
