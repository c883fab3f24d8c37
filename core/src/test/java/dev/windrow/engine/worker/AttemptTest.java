package dev.windrow.engine.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class AttemptTest {
    private static final Duration LIMIT = Duration.ofMinutes(1);

    private static void count(boolean won, AtomicInteger winners) {
        if (won) {
            winners.incrementAndGet();
        }
    }

    @Test
    void exactlyOnePartyEndsAnAttempt() {
        Races.inManyOrders(20, 300, () -> {
            Attempt attempt = Races.attempt(1);
            AtomicInteger winners = new AtomicInteger();
            return new Races.Race(
                    List.of(
                            () -> {
                                if (attempt.begin("w/1", LIMIT, Races.NO_TRANSACTIONS)) {
                                    count(attempt.end(), winners);
                                }
                            },
                            () -> count(attempt.takeBack() || attempt.end(), winners),
                            () -> count(attempt.takeBack(), winners)),
                    () -> Races.check(
                            winners.get() == 1 && attempt.isEnded(), winners.get() + " parties ended the attempt"));
        });
    }

    @Test
    void anAttemptIsInterruptedOnceAndOnlyBetweenItsBeginningAndItsEnd() {
        Races.inManyOrders(20, 300, () -> {
            Attempt attempt = Races.attempt(1);
            AtomicInteger told = new AtomicInteger();
            AtomicBoolean late = new AtomicBoolean();
            return new Races.Race(
                    List.of(
                            () -> {
                                attempt.begin("w/1", LIMIT, Races.NO_TRANSACTIONS);
                                Races.check(attempt.end(), "its slot ended the attempt");
                                // A slot does the same after each job.
                                boolean before = Thread.interrupted();
                                Races.check(before == (attempt.reason() != null), "interrupted if there is a reason");
                                late.set(Thread.interrupted());
                            },
                            () -> count(attempt.interrupt(Attempt.Reason.TIMEOUT), told),
                            () -> count(attempt.interrupt(Attempt.Reason.STOP), told)),
                    () -> {
                        Races.check(told.get() <= 1, "two reasons were told");
                        Races.check((told.get() == 1) == (attempt.reason() != null), "the reason is the one told");
                        Races.check(!late.get(), "the next job was interrupted");
                    });
        });
    }

    @Test
    void aSlotEndsItsAttemptDuringAnInterrupt() {
        Races.inManyOrders(150, 500, () -> {
            Attempt attempt = Races.attempt(1);
            AtomicInteger winners = new AtomicInteger();
            return new Races.Race(
                    List.of(
                            () -> {
                                attempt.begin("w/1", LIMIT, Races.NO_TRANSACTIONS);
                                count(attempt.end(), winners);
                            },
                            () -> attempt.interrupt(Attempt.Reason.TIMEOUT)),
                    () -> Races.check(winners.get() == 1 && attempt.isEnded(), "nobody ended the attempt"));
        });
    }

    @Test
    void theFirstReasonToInterruptCountsAndInterruptsOnce() {
        Attempt attempt = Races.attempt(1);
        assertThat(attempt.interrupt(Attempt.Reason.STOP))
                .as("before it has begun")
                .isFalse();
        attempt.begin("w/1", LIMIT, Races.NO_TRANSACTIONS);
        assertThat(attempt.interrupt(Attempt.Reason.TIMEOUT)).isTrue();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(attempt.interrupt(Attempt.Reason.STOP)).isFalse();
        assertThat(Thread.interrupted()).isFalse();
        assertThat(attempt.reason()).isEqualTo(Attempt.Reason.TIMEOUT);
        assertThat(attempt.end()).isTrue();
        assertThat(attempt.interrupt(Attempt.Reason.LOST)).as("after its end").isFalse();
        assertThat(Thread.interrupted()).isFalse();
    }
}
