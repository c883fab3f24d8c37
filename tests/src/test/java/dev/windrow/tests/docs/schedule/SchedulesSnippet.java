package dev.windrow.tests.docs.schedule;

import dev.windrow.JobType;
import dev.windrow.LogLevel;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.schedule.Misfire;
import dev.windrow.schedule.Overlap;
import dev.windrow.schedule.Schedule;
import dev.windrow.schedule.ScheduleInfo;
import java.time.Duration;
import java.time.ZoneId;

/** The code of docs/how-to/schedules.md. */
final class SchedulesSnippet {
    private SchedulesSnippet() {}

    // region schedules
    record Report(String of) {}

    static final JobType<Report, Void> REPORT = JobType.of("report.nightly", Report.class);
    static final JobType<Void, Void> PING = JobType.of("ping");

    static void schedules(Windrow windrow) {
        windrow.schedules()
                .save(Schedule.cron(
                                "nightly-report",
                                "0 3 * * *",
                                ZoneId.of("Europe/Berlin"),
                                REPORT.job(new Report("sales")))
                        .withOverlap(Overlap.SKIP));
        windrow.schedules()
                .save(Schedule.every("heartbeat", Duration.ofSeconds(30), PING.job())
                        .withMisfire(Misfire.SKIP));
    }

    static Worker worker(Windrow windrow) {
        return windrow.worker()
                .handleVoid(REPORT, (report, job) -> job.log(LogLevel.INFO, "report of " + report.of()))
                .handleVoid(PING, (nothing, job) -> job.log(LogLevel.INFO, "pong"))
                .start();
    }
    // endregion

    // region runs
    static String lastNight(Windrow windrow) {
        ScheduleInfo schedule = windrow.schedules().find("nightly-report").orElseThrow();
        return windrow.schedules().runs("nightly-report", 1).stream()
                .findFirst()
                .map(run -> "%s: %s by job %s".formatted(run.due(), run.outcome(), run.job()))
                .orElse("no run yet, the first at " + schedule.nextRun());
    }
    // endregion

    // region operate
    static void holiday(Windrow windrow) {
        windrow.schedules().pause("nightly-report", "closed until the 7th");
        windrow.schedules().run("nightly-report"); // one job now; the next run is unchanged
        windrow.schedules().resume("nightly-report"); // continues with the first run after now
        windrow.schedules().remove("heartbeat"); // its jobs stay
    }
    // endregion
}
