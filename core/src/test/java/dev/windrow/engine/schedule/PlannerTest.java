package dev.windrow.engine.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.InvalidRequestException;
import dev.windrow.schedule.Misfire;
import dev.windrow.schedule.Overlap;
import dev.windrow.store.job.JobRow;
import dev.windrow.store.schedule.DueRuns;
import dev.windrow.store.schedule.ScheduleRow;
import dev.windrow.store.schedule.Timing;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The plan for a due schedule. */
class PlannerTest {
    private static final long NOON = Instant.parse("2026-03-01T12:00:00Z").toEpochMilli();
    private static final long MINUTE = 60_000;
    private static final Timing EACH_MINUTE = new Timing(null, null, MINUTE, NOON);
    private static final Timing CRON = new Timing("* * * * *", "UTC", null, null);
    private static final JobRow JOB = JobRow.of("t", "q", 3, "system").build();

    private static ScheduleRow schedule(Timing timing, Misfire misfire, @Nullable Long next, @Nullable Long fired) {
        return new ScheduleRow(
                1,
                new ScheduleRow.Definition("s", JOB, timing, misfire, Overlap.ALLOW),
                null,
                next,
                null,
                fired,
                null,
                1,
                0);
    }

    private static DueRuns plan(Timing timing, Misfire misfire, long now) {
        return Planner.plan(schedule(timing, misfire, NOON, null), now);
    }

    @Test
    void oneDueTimeEnqueuesOneJobUnderEveryPolicy() {
        for (Timing timing : List.of(EACH_MINUTE, CRON)) {
            for (Misfire misfire : Misfire.values()) {
                for (long late : new long[] {0, 1, MINUTE - 1}) {
                    DueRuns dueRuns = plan(timing, misfire, NOON + late);
                    assertThat(dueRuns.dueMillis()).containsExactly(NOON);
                    assertThat(dueRuns.missed()).isNull();
                    assertThat(dueRuns.nextAtMillis()).isEqualTo(NOON + MINUTE);
                    assertThat(dueRuns.stepBack()).isFalse();
                }
            }
        }
    }

    @Test
    void missedRunsEnqueueOneJobForTheLastRun() {
        for (Timing timing : List.of(EACH_MINUTE, CRON)) {
            DueRuns dueRuns = plan(timing, Misfire.ONCE, NOON + 100 * MINUTE + 30_000);
            assertThat(dueRuns.dueMillis()).containsExactly(NOON + 100 * MINUTE);
            assertThat(dueRuns.missed()).isEqualTo(new DueRuns.Missed(NOON, NOON + 99 * MINUTE, 100L));
            assertThat(dueRuns.nextAtMillis()).isEqualTo(NOON + 101 * MINUTE);
        }
    }

    @Test
    void theSkipPolicyEnqueuesTheLastRunOnlyIfItIsRecent() {
        Timing hourly = new Timing("0 * * * *", "UTC", null, null);
        long last = NOON + 5 * 60 * MINUTE;
        DueRuns inTime = plan(hourly, Misfire.SKIP, last + MINUTE);
        assertThat(inTime.dueMillis()).containsExactly(last);
        assertThat(inTime.missed()).isEqualTo(new DueRuns.Missed(NOON, last - 60 * MINUTE, 5L));
        DueRuns late = plan(hourly, Misfire.SKIP, last + MINUTE + 1);
        assertThat(late.dueMillis()).isEmpty();
        assertThat(late.missed()).isEqualTo(new DueRuns.Missed(NOON, last, 6L));
        assertThat(late.nextAtMillis()).isEqualTo(last + 60 * MINUTE);
    }

    @Test
    void theAllPolicyEnqueuesAJobForEachOfTheNewestThousandRuns() {
        for (Timing timing : List.of(EACH_MINUTE, CRON)) {
            DueRuns few = plan(timing, Misfire.ALL, NOON + 999 * MINUTE);
            assertThat(few.dueMillis()).hasSize(1000).startsWith(NOON).endsWith(NOON + 999 * MINUTE);
            assertThat(few.missed()).isNull();
            DueRuns many = plan(timing, Misfire.ALL, NOON + 5000 * MINUTE);
            assertThat(many.dueMillis())
                    .hasSize(1000)
                    .isSorted()
                    .startsWith(NOON + 4001 * MINUTE)
                    .endsWith(NOON + 5000 * MINUTE);
            assertThat(many.missed()).isEqualTo(new DueRuns.Missed(NOON, NOON + 4000 * MINUTE, 4001L));
        }
    }

    @Test
    void missedRunsOfYearsArePlannedAtOnce() {
        Timing seconds = new Timing("* * * * * *", "Europe/Berlin", null, null);
        long now = NOON + Duration.ofDays(3650).toMillis();
        for (Misfire misfire : Misfire.values()) {
            DueRuns dueRuns = plan(seconds, misfire, now);
            assertThat(dueRuns.dueMillis()).endsWith(now);
            DueRuns.Missed missed = dueRuns.missed();
            assertThat(missed).isNotNull();
            assertThat(missed.runs()).isNull();
            assertThat(missed.untilMillis()).isEqualTo(dueRuns.dueMillis().get(0) - 1000);
        }
        // At a fixed interval the runs are counted without iteration.
        DueRuns.Missed even =
                plan(new Timing(null, null, 1000L, NOON), Misfire.ONCE, now).missed();
        assertThat(even).isNotNull();
        assertThat(even.runs()).isEqualTo(Duration.ofDays(3650).toSeconds());
    }

    @Test
    void aStoredDueTimeCountsAlthoughTheTimingHasChanged() {
        // A zone's rules may have changed since.
        ScheduleRow odd = schedule(CRON, Misfire.ALL, NOON + 17_000, null);
        DueRuns dueRuns = Planner.plan(odd, NOON + 2 * MINUTE);
        assertThat(dueRuns.dueMillis()).containsExactly(NOON + 17_000, NOON + MINUTE, NOON + 2 * MINUTE);
        DueRuns early = Planner.plan(odd, NOON + 20_000);
        assertThat(early.dueMillis()).containsExactly(NOON + 17_000);
        assertThat(early.nextAtMillis()).isEqualTo(NOON + MINUTE);
        DueRuns even = Planner.plan(schedule(EACH_MINUTE, Misfire.ONCE, NOON + 17_000, null), NOON + 3 * MINUTE);
        assertThat(even.dueMillis()).containsExactly(NOON + 3 * MINUTE);
        assertThat(even.missed()).isEqualTo(new DueRuns.Missed(NOON + 17_000, NOON + 2 * MINUTE, 3L));
    }

    @Test
    void aClockThatIsMoreThanAMinuteBehindTheLastOneWasSetBack() {
        ScheduleRow ahead = schedule(EACH_MINUTE, Misfire.ALL, NOON + 10 * MINUTE, NOON + 9 * MINUTE + 1);
        DueRuns dueRuns = Planner.plan(ahead, NOON + 8 * MINUTE);
        assertThat(dueRuns.stepBack()).isTrue();
        assertThat(dueRuns.dueMillis()).isEmpty();
        assertThat(dueRuns.missed()).isNull();
        assertThat(dueRuns.nextAtMillis()).isEqualTo(NOON + 9 * MINUTE);
        assertThatThrownBy(() -> Planner.plan(ahead, NOON + 9 * MINUTE)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void fixedIntervalsDoNotDrift() {
        Timing sevenSeconds = new Timing(null, null, 7000L, NOON);
        ScheduleRow schedule = schedule(sevenSeconds, Misfire.ONCE, NOON, null);
        for (int i = 0; i < 1000; i++) {
            // Each round is late by a different time.
            DueRuns dueRuns = Planner.plan(schedule, NOON + i * 7000L + i * 3);
            assertThat(dueRuns.dueMillis()).containsExactly(NOON + i * 7000L);
            schedule = schedule(sevenSeconds, Misfire.ONCE, dueRuns.nextAtMillis(), null);
        }
    }

    @Test
    void anUnreadableTimingThrowsItsOwnError() {
        assertThatThrownBy(() -> plan(new Timing("* * * * *", "Mars/Olympus", null, null), Misfire.ONCE, NOON))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("Mars/Olympus");
        assertThatThrownBy(() -> plan(new Timing("often", "UTC", null, null), Misfire.ONCE, NOON))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("OFTEN");
    }
}
