package dev.windrow;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The text form of durations. */
class DurationsTest {
    @ParameterizedTest
    @CsvSource({
        "PT0.7S, 700ms",
        "PT1.5S, 1500ms",
        "PT30S, 30s",
        "PT90S, 90s",
        "PT5M, 5m",
        "PT2H, 2h",
        "PT36H, 36h",
        "P7D, 7d",
        "PT0S, 0s",
        "PT-5S, -5s",
        "PT-0.25S, -250ms",
        "PT0.0005S, 0.5ms",
        "PT0.000000001S, 0.000001ms"
    })
    void durationsAreOneNumberInTheLargestUnitThatFits(Duration duration, String text) {
        assertThat(Durations.text(duration)).isEqualTo(text);
    }

    @org.junit.jupiter.api.Test
    void theLargestOneIsWrittenAsWell() {
        assertThat(Durations.text(Duration.ofSeconds(Long.MAX_VALUE))).isEqualTo("9223372036854775807s");
    }
}
