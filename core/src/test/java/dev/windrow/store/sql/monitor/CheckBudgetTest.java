package dev.windrow.store.sql.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.InvalidRequestException;
import dev.windrow.TimeSource;
import dev.windrow.monitor.DiagnoseOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;

/** The share of each check in the time of an examination. */
class CheckBudgetTest {
    /** A clock that moves only when a test moves it. */
    private static final class Clock implements TimeSource {
        private long nanos = Long.MAX_VALUE - 5;

        @Override
        public Instant now() {
            return Instant.EPOCH;
        }

        @Override
        public long nanoTime() {
            return nanos;
        }

        @Override
        public void awaitUntil(ReentrantLock lock, Condition condition, long deadlineNanos) {
            throw new IllegalStateException("nobody waits");
        }

        void advance(long millis) {
            nanos += Duration.ofMillis(millis).toNanos();
        }
    }

    private final Clock clock = new Clock();

    @Test
    void aShortCheckHasNoLimitAndLeavesLessTimeToTheOthers() {
        CheckBudget budget = new CheckBudget(clock, Duration.ofMillis(900));
        budget.begin();
        clock.advance(300);
        assertThat(budget.isOver()).isFalse();
        assertThat(budget.leftMillis()).isEqualTo(Long.MAX_VALUE);
        budget.beginShare(6);
        assertThat(budget.leftMillis()).isEqualTo(100);
    }

    @Test
    void aShareEndsWithItsTimeAndItsUnusedTimeGoesToLaterShares() {
        CheckBudget budget = new CheckBudget(clock, Duration.ofMillis(900));
        budget.beginShare(3);
        clock.advance(299);
        assertThat(budget.isOver()).isFalse();
        assertThat(budget.leftMillis()).isEqualTo(1);
        clock.advance(1);
        assertThat(budget.isOver()).isTrue();
        assertThat(budget.leftMillis()).isZero();
        assertThat(budget.unfinished(true)).contains("not finished", "300 ms", "doctor --full");
        budget.beginShare(2);
        clock.advance(20);
        budget.beginShare(1);
        assertThat(budget.leftMillis()).isEqualTo(580);
        budget.end();
        assertThat(budget.isOver()).isFalse();
        assertThat(budget.spent()).isEqualTo(Duration.ofMillis(320));
    }

    @Test
    void aStepHasItsPartOfTheTotalWithinItsShare() {
        CheckBudget budget = new CheckBudget(clock, Duration.ofMillis(900));
        budget.beginShare(2);
        budget.beginStep(9);
        assertThat(budget.leftMillis()).isEqualTo(100);
        clock.advance(100);
        assertThat(budget.isOver()).isTrue();
        budget.endStep();
        assertThat(budget.isOver()).isFalse();
        clock.advance(300);
        budget.beginStep(9);
        assertThat(budget.leftMillis()).isEqualTo(50);
    }

    @Test
    void withoutTimeEachShareEndsAtOnce() {
        CheckBudget budget = new CheckBudget(clock, Duration.ZERO);
        budget.begin();
        assertThat(budget.isOver()).isFalse();
        budget.beginShare(1);
        assertThat(budget.isOver()).isTrue();
        assertThat(budget.unfinished(false)).contains("not begun", "doctor --full");
    }

    @Test
    void withoutALimitNoShareEnds() {
        CheckBudget budget = new CheckBudget(clock, null);
        assertThat(budget.isLimited()).isFalse();
        budget.beginShare(7);
        budget.beginStep(6);
        clock.advance(Duration.ofDays(1000).toMillis());
        assertThat(budget.isOver()).isFalse();
        assertThat(budget.leftMillis()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void aNegativeTimeIsRefused() {
        assertThatThrownBy(() -> DiagnoseOptions.ALL.withBudget(Duration.ofMillis(-1)))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("PT-0.001S")
                .hasMessageContaining("0 or more");
    }
}
