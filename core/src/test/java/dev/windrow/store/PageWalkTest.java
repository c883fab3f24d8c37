package dev.windrow.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobFilter;
import dev.windrow.JobQuery;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Which ids a walk may leave out by the times that are looked for: seen elsewhere in nothing but how long it takes. */
class PageWalkTest {
    private static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");
    private static final Duration DAY = Duration.ofDays(1);
    private static final Duration TICK = Duration.ofMillis(1);

    private static PageWalk newest(JobFilter filter) {
        return new PageWalk(JobQuery.of(filter));
    }

    private static PageWalk oldest(JobFilter filter) {
        return new PageWalk(JobQuery.of(filter).oldestFirst());
    }

    @Test
    void aWalkBeginsADayInFrontOfWhatMayMatch() {
        JobFilter from = JobFilter.ALL.withCreatedAfter(NOON);
        assertThat(oldest(from).begins()).isEqualTo(NOON.minus(DAY));
        assertThat(newest(from).begins()).as("what is new matches").isNull();
        JobFilter before = JobFilter.ALL.withCreatedBefore(NOON);
        assertThat(newest(before).begins()).isEqualTo(NOON.plus(DAY));
        assertThat(oldest(before).begins()).as("what is old matches").isNull();
        assertThat(newest(JobFilter.ALL.withFinishedBefore(NOON)).begins())
                .as("what ended was enqueued before")
                .isEqualTo(NOON.plus(DAY));
        assertThat(newest(before.withFinishedBefore(NOON.minus(DAY))).begins())
                .as("of two the earlier one")
                .isEqualTo(NOON);
        assertThat(newest(before.withFinishedBefore(NOON.plus(DAY))).begins())
                .as("of two the earlier one")
                .isEqualTo(NOON.plus(DAY));
    }

    @Test
    void aPageInFrontOfAPlaceIsWalkedTheOtherWay() {
        JobFilter filter = JobFilter.ALL.withCreatedAfter(NOON).withCreatedBefore(NOON.plus(DAY));
        assertThat(new PageWalk(JobQuery.of(filter).before(7L)).begins()).isEqualTo(NOON.minus(DAY));
        assertThat(new PageWalk(JobQuery.of(filter).oldestFirst().before(7L)).begins())
                .isEqualTo(NOON.plus(DAY).plus(DAY));
    }

    @Test
    void aWalkEndsMoreThanADayBehindWhatMayMatch() {
        JobFilter from = JobFilter.ALL.withCreatedAfter(NOON);
        assertThat(newest(from).endsAt(NOON.minus(DAY))).isFalse();
        assertThat(newest(from).endsAt(NOON.minus(DAY).minus(TICK))).isTrue();
        assertThat(oldest(from).endsAt(NOON.plusSeconds(1_000_000_000))).isFalse();
        JobFilter before = JobFilter.ALL.withCreatedBefore(NOON);
        assertThat(oldest(before).endsAt(NOON.plus(DAY))).isFalse();
        assertThat(oldest(before).endsAt(NOON.plus(DAY).plus(TICK))).isTrue();
        assertThat(newest(before).endsAt(NOON.minusSeconds(1_000_000_000))).isFalse();
    }
}
