package dev.windrow.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;

/**
 * A line that would flood the log is logged at once, then once a minute, and once more when the condition has ended.
 */
class LogThrottleTest {
    private long nanos;

    private final TimeSource time = new TimeSource() {
        @Override
        public Instant now() {
            return Instant.EPOCH.plusNanos(nanos);
        }

        @Override
        public long nanoTime() {
            return nanos;
        }

        @Override
        public void awaitUntil(ReentrantLock lock, Condition condition, long deadlineNanos) {
            throw new IllegalStateException("nobody waits here");
        }
    };

    private final LogThrottle repeats = new LogThrottle(time);
    private final List<String> lines = new ArrayList<>();

    private void comes() {
        repeats.tell(more -> lines.add("it fails" + more));
    }

    private void isOver() {
        repeats.over(how -> lines.add("it works again: " + how));
    }

    private void pass(Duration duration) {
        nanos += duration.toNanos();
    }

    @Test
    void theFirstFailureIsLoggedAtOnceAndThenOneAMinuteWithACount() {
        for (int second = 0; second <= 180; second++) {
            comes();
            pass(Duration.ofSeconds(1));
        }
        assertThat(lines)
                .containsExactly(
                        "it fails",
                        "it fails (59 more such lines were left out within 1m)",
                        "it fails (59 more such lines were left out within 1m)",
                        "it fails (59 more such lines were left out within 1m)");
        isOver();
        assertThat(lines).hasSize(5).last().isEqualTo("it works again: 181 times in 181s");
    }

    @Test
    void recoveryIsLoggedOnceAndOnlyAfterFailures() {
        isOver();
        comes();
        pass(Duration.ofSeconds(2));
        isOver();
        isOver();
        assertThat(lines).containsExactly("it fails", "it works again: 1 time in 2s");
    }

    @Test
    void alternatingFailuresDoNotFloodTheLog() {
        for (int i = 0; i < 600; i++) {
            comes();
            pass(Duration.ofMillis(500));
            isOver();
            pass(Duration.ofMillis(500));
        }
        assertThat(lines).hasSize(20);
    }
}
