package dev.windrow.cli.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.cli.terminal.Ink;
import dev.windrow.monitor.Statistics;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The pictures of the statistics. */
class StatsViewTest {
    private static final Instant NOW = Instant.parse("2026-11-26T21:30:00Z");

    private static String failures(int width) {
        List<Statistics.Hour> trend = new ArrayList<>();
        for (int i = 0; i < 24; i++) {
            Instant from = NOW.minus(Duration.ofHours(23 - i));
            trend.add(new Statistics.Hour(from, i < 20 ? null : Long.valueOf(i - 20)));
        }
        Statistics.Failures code = new Statistics.Failures(
                /* errorCode= */ "PROCESS:EXIT_1",
                /* count= */ 6,
                /* firstAt= */ NOW,
                /* lastAt= */ NOW,
                /* sampleJob= */ 7L,
                /* trend= */ trend);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        Ink ink = new Ink(false);
        StatsView.failures(List.of(code), width, ink, NOW)
                .print(new PrintStream(bytes, true, StandardCharsets.UTF_8), width, ink);
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @Test
    void aWideTerminalShowsTheLastHoursOfEachErrorCode() {
        assertThat(failures(120)).contains("LAST 24 HOURS", "▕" + "·".repeat(20) + " ▃▆█▏");
        assertThat(failures(80)).contains("PROCESS:EXIT_1", "█".repeat(10)).doesNotContain("LAST 24 HOURS", "▕");
    }
}
