package dev.windrow.tests.docs;

import dev.windrow.JobType;
import dev.windrow.Misfire;
import dev.windrow.NewJob;
import dev.windrow.Overlap;
import dev.windrow.Schedule;
import dev.windrow.ScheduleRun;
import dev.windrow.ScheduleSnapshot;
import dev.windrow.Windrow;
import java.time.Duration;
import java.time.ZoneId;

/** The code of docs/schedules.md. */
final class SchedulesSnippet {
    private SchedulesSnippet() {}

    record Report(String of) {}

    static final JobType<Report, Void> REPORT = JobType.of("report.nightly", Report.class);
    static final NewJob<Void, Void> PING =
            JobType.of("ping", Void.class, Void.class).job(null);

    // region schedules
    static void schedules(Windrow windrow) {
        windrow.schedule(Schedule.cron(
                        "nightly-report", "0 3 * * *", ZoneId.of("Europe/Berlin"), REPORT.job(new Report("sales")))
                .withOverlap(Overlap.SKIP));
        windrow.schedule(
                Schedule.every("heartbeat", Duration.ofSeconds(30), PING).withMisfire(Misfire.SKIP));
    }
    // endregion

    // region runs
    static String lastNight(Windrow windrow) {
        ScheduleSnapshot schedule = windrow.schedule("nightly-report").orElseThrow();
        ScheduleRun run = windrow.scheduleRuns("nightly-report", 1).get(0);
        return "%s: %s by job %s, next at %s".formatted(run.due(), run.outcome(), run.job(), schedule.nextRun());
    }
    // endregion

    // region operate
    static void holiday(Windrow windrow) {
        windrow.pauseSchedule("nightly-report", "nobody reads it before the 7th");
        windrow.runSchedule("nightly-report"); // one job out of turn, the next run stays where it is
        windrow.resumeSchedule("nightly-report"); // goes on with the first run after now
        windrow.removeSchedule("heartbeat"); // its jobs stay
    }
    // endregion
}
