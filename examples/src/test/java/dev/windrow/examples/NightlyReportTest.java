package dev.windrow.examples;

import static dev.windrow.examples.NightlyReport.REPORT;
import static java.time.Duration.ofDays;
import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.Windrow;
import dev.windrow.examples.NightlyReport.Report;
import dev.windrow.schedule.Schedule;
import dev.windrow.testkit.ManualTime;
import dev.windrow.testkit.WindrowTest;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A week of reports in some milliseconds, with the change to summer time in it. */
class NightlyReportTest {
    private final List<String> nights = new ArrayList<>();

    @RegisterExtension
    final WindrowTest test = WindrowTest.manual().handle(REPORT, (report, job) -> {
        nights.add(test().time().now().toString());
        return "all about " + report.of();
    });

    private WindrowTest test() {
        return test;
    }

    @Test
    void aReportIsMadeEachNightAtThree(Windrow windrow, ManualTime time) {
        // Three days before the clocks in Berlin go forward.
        time.stepWall(ofDays(85));
        windrow.schedules()
                .save(Schedule.cron(
                        "nightly", "0 3 * * *", ZoneId.of("Europe/Berlin"), REPORT.job(new Report("sales"))));
        test.drainSkippingTime(time.now().plus(ofDays(5)));
        assertThat(nights)
                .containsExactly(
                        "2026-03-27T02:00:00Z",
                        "2026-03-28T02:00:00Z",
                        "2026-03-29T01:00:00Z",
                        "2026-03-30T01:00:00Z",
                        "2026-03-31T01:00:00Z");
    }
}
