package dev.windrow.store.query;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobState;
import dev.windrow.query.JobFilter;
import dev.windrow.store.query.AccessPath.Index;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The access paths of filters. Each path finds the same jobs, in a very different time. */
class AccessPathTest {
    private static final JobFilter FAILED = JobFilter.inState(JobState.FAILED);
    private static final JobFilter LANE = JobFilter.ALL.withQueue("q").withType("t");

    @Test
    void theMostSelectivePartOfAFilterComesFirst() {
        JobFilter filter = JobFilter.ALL;
        assertThat(AccessPath.of(filter).index()).isEqualTo(Index.ALL);
        assertThat(AccessPath.of(filter.withName("n").withPriority(3)).index())
                .as("of which no index knows")
                .isEqualTo(Index.ALL);
        filter = filter.withQueue("q").withName("n");
        assertThat(AccessPath.of(filter)).isEqualTo(lanes("q", null, JobFilter.ALL.withName("n")));
        filter = filter.withType("t");
        assertThat(AccessPath.of(filter)).isEqualTo(lanes("q", "t", JobFilter.ALL.withName("n")));
        assertThat(AccessPath.of(filter.anyQueue())).isEqualTo(lanes(null, "t", JobFilter.ALL.withName("n")));
        filter = filter.withState(JobState.FAILED);
        assertThat(AccessPath.of(filter).index()).isEqualTo(Index.STATES);
        JobFilter coded = filter.withErrorCode("E");
        JobFilter tagged = coded.withTags(List.of("a", "b"));
        JobFilter ofWorkflow = tagged.withWorkflow(7L);
        JobFilter keyed = ofWorkflow.withDedupeKey("k");
        JobFilter ofChain = keyed.withChain(8L);
        List<JobFilter> further = List.of(coded, tagged, ofWorkflow, keyed, ofChain, ofChain.withParent(9L));
        assertThat(further)
                .extracting(each -> AccessPath.of(each).index())
                .containsExactly(
                        Index.FAILED_CODE, Index.TAG, Index.WORKFLOW, Index.DEDUPE_KEY, Index.CHAIN, Index.PARENT);
        assertThat(further).extracting(each -> AccessPath.of(each).key()).containsExactly("E", "a", "7", "k", "8", "9");
    }

    private static AccessPath lanes(@Nullable String queue, @Nullable String type, JobFilter rest) {
        return new AccessPath(Index.LANES, null, Set.of(), queue, type, rest);
    }

    @Test
    void thePartThatTheIndexMatchesIsNotCheckedAgain() {
        assertThat(AccessPath.of(FAILED.withErrorCode("E")).rest()).isEqualTo(JobFilter.ALL);
        assertThat(AccessPath.of(JobFilter.ALL.withTags(List.of("a", "b"))).rest())
                .isEqualTo(JobFilter.ALL.withTags(List.of("b")));
        assertThat(AccessPath.of(JobFilter.ALL.withDedupeKey("k")).rest()).isEqualTo(JobFilter.ALL);
        assertThat(AccessPath.of(JobFilter.ALL.withWorkflow(7L)).rest()).isEqualTo(JobFilter.ALL);
        assertThat(AccessPath.of(JobFilter.ALL.withParent(9L)).rest()).isEqualTo(JobFilter.ALL);
        assertThat(AccessPath.of(LANE).rest()).isEqualTo(JobFilter.ALL);
        assertThat(AccessPath.of(FAILED).rest()).isEqualTo(JobFilter.ALL);
    }

    @Test
    void errorCodesAreIndexedForFailedJobsOnly() {
        assertThat(AccessPath.of(JobFilter.ALL.withErrorCode("E")).index()).isEqualTo(Index.ALL);
        assertThat(AccessPath.of(JobFilter.ALL
                                .withStates(Set.of(JobState.FAILED, JobState.CANCELLED))
                                .withErrorCode("E"))
                        .index())
                .isEqualTo(Index.STATES);
    }

    @Test
    void aCategoryOfErrorCodesIsIndexedLikeACode() {
        JobFilter category = FAILED.withErrorCode("PROCESS:*").withQueue("q");
        assertThat(AccessPath.of(category).index()).isEqualTo(Index.FAILED_CATEGORY);
        assertThat(AccessPath.of(category).key()).isEqualTo("PROCESS:");
        assertThat(AccessPath.of(category).rest()).isEqualTo(JobFilter.ALL.withQueue("q"));
        assertThat(AccessPath.pastCodes(category).states()).containsExactly(JobState.FAILED);
        assertThat(AccessPath.pastCodes(category).rest())
                .as("the code is checked job by job")
                .isEqualTo(JobFilter.ALL.withErrorCode("PROCESS:*").withQueue("q"));
    }

    @Test
    void completedJobsHaveNoIndex() {
        Set<JobState> withCompleted = Set.of(JobState.FAILED, JobState.COMPLETED);
        assertThat(AccessPath.of(JobFilter.ALL.withStates(withCompleted)).index())
                .isEqualTo(Index.ALL);
        assertThat(AccessPath.of(LANE.withStates(withCompleted)))
                .isEqualTo(lanes("q", "t", JobFilter.ALL.withStates(withCompleted)));
    }

    @Test
    void aWorkerIsSearchedAmongRunningJobsOnly() {
        JobFilter of = JobFilter.ALL.withWorker("w");
        for (JobFilter filter : List.of(
                of, of.withState(JobState.RUNNING), of.withStates(Set.of(JobState.RUNNING, JobState.COMPLETED)))) {
            assertThat(AccessPath.of(filter).states()).as("%s", filter).containsExactly(JobState.RUNNING);
            assertThat(AccessPath.of(filter).rest()).as("%s", filter).isEqualTo(of);
        }
        assertThat(AccessPath.of(of.withState(JobState.FAILED)).index()).isEqualTo(Index.NOTHING);
    }

    @Test
    void aPathIndexedByTimeIsSortedUnlessItHasTooManyJobs() {
        assertThat(List.of(JobState.values()))
                .filteredOn(state ->
                        AccessPath.of(JobFilter.inState(state).withQueue("q")).isSorted())
                .containsExactlyInAnyOrder(JobState.SCHEDULED, JobState.PENDING);
        JobFilter due = LANE.withState(JobState.PENDING);
        assertThat(AccessPath.pastStates(due)).isEqualTo(lanes("q", "t", JobFilter.inState(JobState.PENDING)));
        assertThat(AccessPath.pastStates(JobFilter.inState(JobState.PENDING)).index())
                .isEqualTo(Index.ALL);
        assertThat(AccessPath.pastLanes(due).index()).isEqualTo(Index.ALL);
        assertThat(AccessPath.pastLanes(due).rest()).isEqualTo(due);
    }
}
