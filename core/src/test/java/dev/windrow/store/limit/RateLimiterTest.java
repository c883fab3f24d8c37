package dev.windrow.store.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.InvalidRequestException;
import dev.windrow.limit.Rate;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RateLimiterTest {
    private static final long NOON = 1_800_000_000_000L;

    /** Takes all permitted starts each time when the rate opens, a few milliseconds late each time. */
    @ParameterizedTest
    @CsvSource({"10,1000,1", "10,1000,5", "3,1000,1", "1000,1000,100", "7,60000,2", "1,3600000,1", "333,1000,33"})
    void aCallerThatIsALittleLateEachTimeKeepsTheRate(int count, long perMillis, int burst) {
        Rate rate = new Rate(count, Duration.ofMillis(perMillis), burst);
        Random random = new Random(1);
        long now = NOON;
        long due = 0;
        long starts = 0;
        long span = perMillis * 100;
        while (now < NOON + span) {
            RateLimiter pace = RateLimiter.at(rate, due, now);
            int allowed = pace.allowed();
            if (starts > 0) {
                assertThat(allowed).isPositive();
            }
            pace.start(allowed);
            starts += allowed;
            due = pace.dueMicros();
            assertThat(pace.allowed()).isZero();
            assertThat(RateLimiter.at(rate, due, pace.opensAtMillis() - 1).allowed())
                    .isZero();
            now = pace.opensAtMillis() + random.nextInt(5);
        }
        long expected = count * 100L;
        assertThat(starts).isBetween((long) (expected * 0.97) - 1, expected + burst + 1 + expected / 50);
    }

    /** Takes permits at random times. No window has more starts than the rate and a burst permit. */
    @Test
    void noWindowHoldsMoreThanRateAndBurst() {
        Random random = new Random(7);
        Rate rate = new Rate(20, Duration.ofSeconds(1), 3);
        long now = NOON;
        long due = 0;
        java.util.List<Long> starts = new java.util.ArrayList<>();
        for (int i = 0; i < 5000; i++) {
            now += random.nextInt(10) == 0 ? random.nextInt(2000) : random.nextInt(20);
            RateLimiter pace = RateLimiter.at(rate, due, now);
            int take = Math.min(pace.allowed(), random.nextInt(4));
            pace.start(take);
            due = pace.dueMicros();
            for (int n = 0; n < take; n++) {
                starts.add(now);
            }
        }
        for (int i = 0; i < starts.size(); i++) {
            int inSecond = 0;
            while (i + inSecond < starts.size() && starts.get(i + inSecond) < starts.get(i) + 1000) {
                inSecond++;
            }
            assertThat(inSecond).isLessThanOrEqualTo(20 + 3);
        }
    }

    @Test
    void aClockSetBackAdmitsOne() {
        Rate rate = new Rate(1, Duration.ofMinutes(1), 2);
        RateLimiter pace = RateLimiter.at(rate, 0, NOON);
        pace.start(2);
        assertThat(RateLimiter.at(rate, pace.dueMicros(), NOON - 500).allowed()).isZero();
        RateLimiter back = RateLimiter.at(rate, pace.dueMicros(), NOON - 3_600_000);
        assertThat(back.allowed()).isEqualTo(1);
        back.start(1);
        assertThat(back.allowed()).isZero();
    }

    @Test
    void noMoreThanAllowedCanStart() {
        RateLimiter pace = RateLimiter.at(Rate.of(1, Duration.ofSeconds(1)), 0, NOON);
        assertThatThrownBy(() -> pace.start(2)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "10/s,10,1000,1",
        "600/m,600,60000,1",
        "5/2s,5,2000,1",
        "1000/s,1000,1000,100",
        "1/d,1,86400000,1",
        "3/500ms,3,500,1"
    })
    void aRateIsParsedAndPrinted(String text, int count, long perMillis, int burst) {
        Rate rate = Rate.parse(text);
        assertThat(rate).isEqualTo(new Rate(count, Duration.ofMillis(perMillis), burst));
        assertThat(Rate.parse(rate.text())).isEqualTo(rate);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "10",
                "10/",
                "/s",
                "0/s",
                "-1/s",
                "10/x",
                "1.5/s",
                "10 / s",
                "99999999/s",
                "10/0s",
                "2000/ms",
                "1/367d"
            })
    void anInvalidRateIsRefused(String text) {
        assertThatThrownBy(() -> Rate.parse(text)).isInstanceOf(InvalidRequestException.class);
    }
}
