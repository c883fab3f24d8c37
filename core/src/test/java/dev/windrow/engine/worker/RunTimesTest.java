package dev.windrow.engine.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.Windrow;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RunTimesTest {
    private static final long SHORT = Duration.ofMillis(1).toNanos();
    private static final long LONG = Duration.ofMillis(50).toNanos();

    private final RunTimes times = new RunTimes(8, RunTimes.MAX_DEPTH);

    private void ended(int count, long nanos) {
        for (int i = 0; i < count; i++) {
            times.ended(nanos);
        }
    }

    @Test
    void handlersCountAsLongUntilSomeWereMeasured() {
        ended(15, SHORT);
        assertThat(times.areShort()).isFalse();
        ended(1, SHORT);
        assertThat(times.areShort()).isTrue();
    }

    @Test
    void oneSlotSufficesForJobsThatItRunsWithinAMillisecond() {
        ended(15, 2_000);
        assertThat(times.oneSlotSuffices(1)).isFalse();
        ended(1, 2_000);
        assertThat(times.oneSlotSuffices(499)).isTrue();
        assertThat(times.oneSlotSuffices(501)).isFalse();
    }

    @Test
    void longHandlersAreLong() {
        ended(1000, LONG);
        assertThat(times.areShort()).isFalse();
    }

    @Test
    void oneLongHandlerInTenIsTooManyAndOneInFiftyIsNot() {
        for (int i = 0; i < 100; i++) {
            ended(9, SHORT);
            ended(1, LONG);
        }
        assertThat(times.areShort()).isFalse();
        for (int i = 0; i < 100; i++) {
            ended(49, SHORT);
            ended(1, LONG);
        }
        ended(40, SHORT);
        assertThat(times.areShort()).isTrue();
    }

    @Test
    void aChangeOfRunTimesIsNoticedInBothDirections() {
        ended(10_000, SHORT);
        assertThat(times.areShort()).isTrue();
        ended(5, LONG);
        assertThat(times.areShort()).isFalse();
        ended(500, SHORT);
        assertThat(times.areShort()).isTrue();
    }

    @Test
    void nothingIsClaimedAheadOfLongHandlers() {
        assertThat(times.ahead()).isZero();
        ended(100, LONG);
        assertThat(times.ahead()).isZero();
        assertThat(times.behind()).isEqualTo(16);
    }

    @Test
    void prefetchHoldsTheJobsThatRunWithinTheDepthUpToALimit() {
        ended(1000, Duration.ofMillis(1).toNanos());
        assertThat(times.ahead()).isBetween(199, 201).isEqualTo(times.behind());
        ended(1000, 0);
        assertThat(times.ahead()).isEqualTo(RunTimes.MAX_DEPTH);
        ended(1000, Duration.ofMillis(9).toNanos());
        assertThat(times.ahead()).isBetween(16, 23);
    }

    /** The limit holds for any length of payloads and results. */
    @Test
    void prefetchedJobsFillAtMostAPartOfASmallHeap() {
        int heapMebibytes = 64;
        int depth = RunTimes.depthOf(heapMebibytes * 1024L * 1024, Windrow.DEFAULT_INLINE_BYTES);
        assertThat(depth).isEqualTo(heapMebibytes);
        RunTimes small = new RunTimes(100, depth);
        assertThat(small.behind()).as("a job for each slot").isEqualTo(100);
        for (int i = 0; i < 1000; i++) {
            small.ended(0);
        }
        assertThat(small.ahead()).isEqualTo(small.behind()).isEqualTo(100);
        RunTimes few = new RunTimes(8, depth);
        for (int i = 0; i < 1000; i++) {
            few.ended(0);
        }
        assertThat(few.ahead()).isEqualTo(heapMebibytes);
        assertThat(RunTimes.depthOf(Long.MAX_VALUE, 1)).isEqualTo(RunTimes.MAX_DEPTH);
        assertThat(RunTimes.depthOf(Long.MAX_VALUE, 0)).isEqualTo(RunTimes.MAX_DEPTH);
        assertThat(RunTimes.depthOf(1, Windrow.DEFAULT_INLINE_BYTES)).isOne();
    }
}
