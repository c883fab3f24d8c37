package dev.windrow.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TimesTest {
    @ParameterizedTest
    @CsvSource({"500ms,500", "30s,30000", "5m,300000", "2h,7200000", "7d,604800000", "0s,0"})
    void readsDurations(String text, long millis) {
        assertThat(Times.duration(text)).isEqualTo(Duration.ofMillis(millis));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "5", "-5s", "5 s", "1.5s", "5w", "s", "5S", "1h30m", "9999999999999s", "٣s"})
    void refusesTextThatIsNotADuration(String text) {
        assertThat(Times.duration(text)).isNull();
    }

    @Test
    void readsTimesWithAnOffsetOnly() {
        Instant expected = Instant.parse("2026-11-21T17:00:00Z");
        assertThat(Times.instant("2026-11-21T18:00:00+01:00")).isEqualTo(expected);
        assertThat(Times.instant("2026-11-21T17:00Z")).isEqualTo(expected);
        assertThat(Times.instant("2026-11-21T17:00:00")).isNull();
        assertThat(Times.instant("2026-11-21")).isNull();
        assertThat(Times.instant("tomorrow")).isNull();
    }

    @ParameterizedTest
    @CsvSource({"7,7 ms", "1234,1.2 s", "59000,59 s", "150000,2.5 m", "1800000,30 m", "18000000,5 h", "432000000,5 d"})
    void writesDurationsForReaders(long millis, String expected) {
        assertThat(Times.length(Duration.ofMillis(millis))).isEqualTo(expected);
    }

    @Test
    void writesTimesRelativeToNow() {
        Instant now = Instant.parse("2026-11-21T17:00:00Z");
        assertThat(Times.relative(now.minusSeconds(180), now)).isEqualTo("3.0 m ago");
        assertThat(Times.relative(now.plusSeconds(30), now)).isEqualTo("in 30 s");
        assertThat(Times.relative(now.minusMillis(500), now)).isEqualTo("now");
    }
}
