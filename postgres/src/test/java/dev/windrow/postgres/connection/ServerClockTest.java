package dev.windrow.postgres.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.testkit.ManualTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Different clocks are distinguished from pauses of a process. */
class ServerClockTest {
    private static final long HOUR = Duration.ofHours(1).toMillis();

    private final ManualTime time = new ManualTime();
    private final ServerClock clock = new ServerClock(time, false);

    @Test
    void aPauseBeforeTheAnswerIsReadMovesNothing() {
        long server = time.millis();
        ServerClock.Asked asked = clock.ask();
        time.advance(Duration.ofMinutes(10));
        assertThat(clock.at(server, asked)).isEqualTo(server);
        assertThat(clock.toServer(0)).isZero();
    }

    @Test
    void aSuspensionBeforeTheAnswerIsReadMovesNothing() {
        long server = time.millis();
        ServerClock.Asked asked = clock.ask();
        // The monotonic clock may stop in the meantime.
        time.stepWallUnnoticed(Duration.ofMinutes(10));
        assertThat(clock.at(server, asked)).isEqualTo(server);
        assertThat(clock.toServer(0)).isZero();
    }

    @Test
    void aDifferenceOfTheClocksIsMeasured() {
        ServerClock.Asked asked = clock.ask();
        clock.at(time.millis() + HOUR, asked);
        assertThat(clock.toServer(0)).isEqualTo(HOUR);
        assertThat(clock.toLocal(HOUR)).isZero();
    }

    @Test
    void aPauseKeepsTheMeasuredDifference() {
        clock.at(time.millis() + HOUR, clock.ask());
        ServerClock.Asked asked = clock.ask();
        long server = time.millis() + HOUR;
        time.advance(Duration.ofMinutes(10));
        clock.at(server, asked);
        assertThat(clock.toServer(0)).isEqualTo(HOUR);
    }

    @Test
    void aCorrectedClockCountsAtOnce() {
        clock.at(time.millis() + HOUR, clock.ask());
        time.stepWall(Duration.ofHours(1));
        clock.at(time.millis(), clock.ask());
        assertThat(clock.toServer(0)).isZero();
    }
}
