package dev.windrow.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobInfo;
import dev.windrow.contract.Parts;
import dev.windrow.query.JobPage;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Pages of queues are merged, also if the read of one of them has ended early. */
class VisibleJobsTest {
    private static JobPage page(@Nullable Long next, @Nullable Long previous, long... ids) {
        return new JobPage(jobs(ids), next, previous);
    }

    private static List<JobInfo> jobs(long... ids) {
        return LongStream.of(ids)
                .mapToObj(id -> Parts.of(JobInfo.class, Map.of("id", id)))
                .toList();
    }

    /** Returns the ids of the jobs of the merged page, and its cursors. */
    private static String merged(boolean ascending, boolean backwards, JobPage one, JobPage other) {
        JobPage page = VisibleJobs.page(
                List.of("one", "other"), 3, ascending, backwards, queue -> queue.equals("one") ? one : other);
        return "%s next %s previous %s"
                .formatted(page.jobs().stream().map(JobInfo::id).toList(), page.next(), page.previous());
    }

    @Test
    void aPageHasTheFirstJobsOfAllQueues() {
        assertThat(merged(false, false, page(4L, null, 9, 6, 4), page(null, null, 8, 7)))
                .isEqualTo("[9, 8, 7] next 7 previous null");
        assertThat(merged(false, false, page(4L, 7L, 6, 4), page(null, 6L))).isEqualTo("[6, 4] next 4 previous 7");
        assertThat(merged(true, false, page(6L, null, 1, 2, 6), page(null, null, 3)))
                .isEqualTo("[1, 2, 3] next 3 previous null");
        assertThat(merged(true, false, page(null, null, 1, 2), page(null, null, 3)))
                .isEqualTo("[1, 2, 3] next null previous null");
    }

    @Test
    void aPageBeforeACursorIsInTheOrderOfTheList() {
        assertThat(merged(true, true, page(5L, 9L, 9, 7, 5), page(6L, null, 8, 6)))
                .isEqualTo("[7, 6, 5] next 5 previous 7");
        assertThat(merged(false, true, page(9L, 5L, 5, 7, 9), page(8L, null, 6, 8)))
                .isEqualTo("[7, 8, 9] next 9 previous 7");
    }

    @Test
    void aQueueThatWasNotReadFarEnoughEndsThePage() {
        assertThat(merged(false, false, page(8L, null), page(4L, null, 9, 6, 4)))
                .isEqualTo("[9] next 8 previous null");
        assertThat(merged(false, false, page(8L, 10L), page(4L, 7L, 7, 6, 4))).isEqualTo("[] next 8 previous 10");
        assertThat(merged(true, false, page(2L, null), page(6L, null, 3, 4, 6))).isEqualTo("[] next 2 previous null");
    }
}
