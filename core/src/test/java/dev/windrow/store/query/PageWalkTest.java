package dev.windrow.store.query;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.query.JobFilter;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The ids that a walk may skip because of the times in its filter. Only the duration of a walk shows a difference. */
class PageWalkTest {
    private static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");
    private static final Duration DAY = Duration.ofDays(1);

    private static PageWalk walk(JobFilter filter) {
        return new PageWalk(PageRequest.of(filter));
    }

    @Test
    void aWalkBeginsADayBeforeTheFirstPossibleMatch() {
        JobFilter from = JobFilter.ALL.withCreatedFrom(NOON);
        assertThat(walk(from).earliest()).isEqualTo(NOON.minus(DAY));
        assertThat(walk(from).latest()).as("what is new matches").isNull();
        assertThat(walk(JobFilter.ALL.withFinishedFrom(NOON)).earliest())
                .as("what ended then may be old")
                .isNull();
    }

    @Test
    void aWalkEndsADayAfterTheLastPossibleMatch() {
        JobFilter before = JobFilter.ALL.withCreatedBefore(NOON);
        assertThat(walk(before).latest()).isEqualTo(NOON.plus(DAY));
        assertThat(walk(before).earliest()).as("what is old matches").isNull();
        assertThat(walk(JobFilter.ALL.withFinishedBefore(NOON)).latest())
                .as("what ended was enqueued before")
                .isEqualTo(NOON.plus(DAY));
        assertThat(walk(before.withFinishedBefore(NOON.minus(DAY))).latest())
                .as("of two the earlier one")
                .isEqualTo(NOON);
        assertThat(walk(before.withFinishedBefore(NOON.plus(DAY))).latest())
                .as("of two the earlier one")
                .isEqualTo(NOON.plus(DAY));
    }

    @Test
    void aPageBeforeAPositionIsWalkedBackwardsBetweenTheSameTimes() {
        JobFilter filter = JobFilter.ALL.withCreatedFrom(NOON).withCreatedBefore(NOON.plus(DAY));
        PageRequest newest = PageRequest.of(filter);
        for (PageRequest query : List.of(
                newest,
                newest.before(7L),
                newest.oldestFirst(),
                newest.oldestFirst().before(7L))) {
            PageWalk walk = new PageWalk(query);
            assertThat(walk.earliest()).isEqualTo(NOON.minus(DAY));
            assertThat(walk.latest()).isEqualTo(NOON.plus(DAY).plus(DAY));
            assertThat(walk.ascending())
                    .isEqualTo((query.order() == PageRequest.Order.OLDEST_FIRST) != (query.before() != null));
        }
    }
}
