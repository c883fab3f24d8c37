package dev.windrow.store.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Due times of schedules, compared with due times that are found one by one. */
class TimingTest {
    private static final long BEGIN = Instant.parse("2026-03-27T00:00:00Z").toEpochMilli();
    private static final List<Timing> TIMINGS = List.of(
            new Timing("*/7 * * * *", "UTC", null, null),
            new Timing("30 2 * * *", "Europe/Berlin", null, null),
            new Timing("*/20 * * * * *", "Europe/Berlin", null, null),
            new Timing("0 0 1 * *", "America/New_York", null, null),
            new Timing("15 10 * * MON-FRI", "Asia/Kolkata", null, null),
            new Timing(null, null, 61_001L, BEGIN - 12_345),
            new Timing(null, null, 86_400_000L, BEGIN + 5000));

    @Test
    void backwardComputationEqualsForwardComputation() {
        SplittableRandom random = new SplittableRandom(42);
        for (Timing timing : TIMINGS) {
            for (int round = 0; round < 100; round++) {
                long from = BEGIN + random.nextLong(4L * 86_400_000);
                Long first = timing.next(from);
                assertThat(first).isNotNull().isGreaterThan(from);
                long span = random.nextBoolean() ? 600_000 : 3L * 86_400_000;
                long now = first + random.nextLong(span);
                TreeSet<Long> due = new TreeSet<>();
                for (Long at = first; at != null && at <= now; at = timing.next(at)) {
                    due.add(at);
                }
                long last = due.last();
                assertThat(timing.last(first, now))
                        .as("%s from %d to %d", timing, first, now)
                        .isEqualTo(last);
                if (due.size() <= Timing.MAX_COUNTED) {
                    assertThat(timing.count(first, last)).isEqualTo(due.size());
                } else {
                    assertThat(timing.count(first, last)).isNull();
                }
                int max = 1 + random.nextInt(50);
                List<Long> all = new ArrayList<>(due);
                assertThat(timing.newest(first, last, max))
                        .isEqualTo(all.subList(Math.max(0, all.size() - max), all.size()));
            }
        }
    }

    @Test
    void runsWithJobsAreSkippedAfterAClockStepBack() {
        Timing minutes = new Timing(null, null, 60_000L, BEGIN);
        assertThat(minutes.nextAfterStepBack(BEGIN, List.of(), null)).isEqualTo(BEGIN + 60_000);
        assertThat(minutes.nextAfterStepBack(BEGIN, List.of(BEGIN + 60_000, BEGIN + 120_000, BEGIN + 240_000), null))
                .isEqualTo(BEGIN + 180_000);
        // Due times before the first remembered one may have made jobs as well, unless the clock was set back by more
        // than a day.
        long day = 86_400_000;
        assertThat(minutes.nextAfterStepBack(BEGIN, List.of(BEGIN + day), BEGIN + day))
                .isEqualTo(BEGIN + day + 60_000);
        assertThat(minutes.nextAfterStepBack(BEGIN, List.of(BEGIN + 2 * day), BEGIN + 2 * day))
                .isEqualTo(BEGIN + 60_000);
    }

    @Test
    void nothingIsDueAfterTheYear9999() {
        Timing yearly = new Timing("0 0 1 1 *", "UTC", null, null);
        long end = Instant.parse("9999-06-01T00:00:00Z").toEpochMilli();
        assertThat(yearly.next(end)).isNull();
        assertThat(yearly.next(Long.MAX_VALUE - 1)).isNull();
        assertThat(new Timing(null, null, 1000L, end).next(end + 365L * 86_400_000))
                .isNull();
    }

    @Test
    void aDefinitionWithoutAStartEqualsOneWithAnyStart() {
        Timing stored = new Timing(null, null, 60_000L, 17L);
        assertThat(new Timing(null, null, 60_000L, null).isOf(stored)).isTrue();
        assertThat(new Timing(null, null, 60_000L, 17L).isOf(stored)).isTrue();
        assertThat(new Timing(null, null, 60_000L, 18L).isOf(stored)).isFalse();
        assertThat(new Timing(null, null, 60_001L, null).isOf(stored)).isFalse();
        assertThat(new Timing("0 0 * * *", "UTC", null, null).isOf(new Timing("0 0 * * *", "UTC", null, null)))
                .isTrue();
    }
}
