package dev.windrow.examples;

import static java.time.Duration.ofSeconds;

import dev.windrow.JobType;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.schedule.Overlap;
import dev.windrow.schedule.Schedule;
import dev.windrow.schedule.ScheduleInfo;
import dev.windrow.schedule.ScheduleRun;
import java.time.ZoneId;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Schedules: a report each night at three, Berlin time, and a check of the stock each second. */
public final class NightlyReport {
    record Report(String of) {}

    static final JobType<Report, String> REPORT = JobType.of("report.nightly", Report.class, String.class);
    static final JobType<Void, Void> LOOK = JobType.of("stock.look");

    private NightlyReport() {}

    /** The schedule, the report, and the runs of the checks. */
    record Outcome(ScheduleInfo nightly, String report, List<ScheduleRun> looks) {}

    /** Runs it, with its jobs in a new file, or in the store that the argument names. */
    public static void main(String... args) throws Exception {
        try (Windrow windrow = Place.open(args)) {
            System.out.println(run(windrow));
        }
    }

    static Outcome run(Windrow windrow) throws InterruptedException {
        CountDownLatch looks = new CountDownLatch(2);
        try (Worker worker = windrow.worker()
                .handle(REPORT, (report, job) -> "all about " + report.of())
                .handleVoid(LOOK, (nothing, job) -> looks.countDown())
                .start()) {
            System.out.println(worker.name() + " works");
            // Called at each start. An unchanged schedule stays as it is.
            ScheduleInfo nightly = windrow.schedules()
                    .save(Schedule.cron(
                                    "nightly-report",
                                    "0 3 * * *",
                                    ZoneId.of("Europe/Berlin"),
                                    REPORT.job(new Report("sales")))
                            .withOverlap(Overlap.SKIP));
            System.out.println("the next reports are due at " + nightly.nextRuns());
            windrow.schedules().save(Schedule.every("stock", ofSeconds(1), LOOK.job()));

            boolean looked = looks.await(30, TimeUnit.SECONDS);
            System.out.println(looked ? "the stock was looked at twice" : "nobody has looked at the stock");
            // The example does not wait for the night.
            Object report = windrow.await(windrow.schedules().run("nightly-report"), ofSeconds(30));

            windrow.schedules().remove("nightly-report");
            List<ScheduleRun> runs = windrow.schedules().runs("stock", 10);
            windrow.schedules().remove("stock");
            return new Outcome(nightly, String.valueOf(report), runs);
        }
    }
}
