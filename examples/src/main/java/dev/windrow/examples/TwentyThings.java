package dev.windrow.examples;

import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;

import dev.windrow.BulkResult;
import dev.windrow.Enqueued;
import dev.windrow.JobCancel;
import dev.windrow.JobFailure;
import dev.windrow.JobRef;
import dev.windrow.JobSnooze;
import dev.windrow.JobType;
import dev.windrow.RetryPolicy;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.query.JobFilter;
import dev.windrow.query.JobPage;
import dev.windrow.schedule.Schedule;
import dev.windrow.sqlite.SqliteStore;
import dev.windrow.telemetry.WindrowMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.ZoneId;
import java.util.List;

/** The code of docs/comparisons/api.md, for reading only. */
final class TwentyThings {
    record Resize(String file, int width) {}

    record Thumbnail(String file) {}

    static final JobType<Resize, Thumbnail> RESIZE = JobType.of("image.resize", Resize.class, Thumbnail.class);
    static final JobType<String, Void> ALBUM = JobType.of("album.bind", String.class);
    static final JobType<Void, Void> DIGEST = JobType.of("mail.digest");

    private TwentyThings() {}

    static Windrow open() {
        // region open
        Windrow windrow = Windrow.open(SqliteStore.at(Path.of("jobs.db")));
        // endregion
        return windrow;
    }

    // region declare
    record Mail(String to, String text) {}

    static final JobType<Mail, Void> SEND = JobType.of("mail.send", Mail.class);

    static Worker work(Windrow windrow) {
        return windrow.worker().handleVoid(SEND, (mail, job) -> deliver(mail)).start();
    }
    // endregion

    static Enqueued<Void> enqueue(Windrow windrow, Mail mail) {
        // region enqueue
        Enqueued<Void> sent = windrow.enqueue(SEND, mail);
        // endregion
        return sent;
    }

    static void delay(Windrow windrow, Mail mail) {
        // region delay
        windrow.enqueue(SEND.job(mail).withDelay(ofMinutes(5)));
        // endregion
    }

    static void options(Windrow windrow, Mail mail) {
        // region options
        windrow.enqueue(SEND.job(mail).withQueue("mail").withPriority(10).withMaxAttempts(5));
        // endregion
    }

    static JobType<Mail, Void> retries() {
        // region retries
        JobType<Mail, Void> send = SEND.withMaxAttempts(5).withRetry(RetryPolicy.exponential(ofSeconds(10)));
        // endregion
        return send;
    }

    static void unique(Windrow windrow, Mail mail) {
        // region unique
        windrow.enqueue(SEND.job(mail).withDedupeKey("welcome-17"));
        // endregion
    }

    static void cron(Windrow windrow) {
        // region cron
        windrow.schedules().save(Schedule.cron("digest", "0 7 * * *", ZoneId.of("Europe/Berlin"), DIGEST.job()));
        // endregion
    }

    static JobRef<Void> workflow(Windrow windrow, List<Resize> pictures) {
        // region workflow
        JobRef<Void> bound = windrow.enqueueBatch(RESIZE.jobs(pictures), ALBUM.job("holiday"));
        // endregion
        return bound;
    }

    static Thumbnail await(Windrow windrow, JobRef<Thumbnail> resized) {
        // region await
        Thumbnail small = windrow.await(resized, ofSeconds(30));
        // endregion
        return small;
    }

    static void cancel(Windrow windrow, JobRef<Void> sent) {
        // region cancel
        windrow.job(sent).cancel();
        // endregion
    }

    static void retry(Windrow windrow, JobRef<Void> sent) {
        // region retry
        windrow.job(sent).retry();
        // endregion
    }

    static BulkResult retryMany(Windrow windrow) {
        // region many
        BulkResult retried = windrow.jobs(JobFilter.failed().withType(SEND)).retry();
        // endregion
        return retried;
    }

    static void bulk(Windrow windrow, List<Mail> mails) {
        // region bulk
        windrow.enqueueAll(SEND, mails);
        // endregion
    }

    static void transaction(Windrow windrow, Connection connection, Mail mail) {
        // region transaction
        windrow.on(connection).enqueue(SEND, mail);
        // endregion
    }

    static void outcomes(Mail mail) {
        // region outcomes
        switch (answer(mail)) {
            case "later" -> throw JobSnooze.after(ofMinutes(5));
            case "withdrawn" -> throw JobCancel.because("the order was withdrawn");
            case "refused" -> throw JobFailure.permanent("MAIL:REFUSED", "no such address");
            default -> deliver(mail);
        }
        // endregion
    }

    static JobPage dead(Windrow windrow) {
        // region dead
        JobPage dead = windrow.jobs(JobFilter.failed()).newestFirst().page(50);
        // endregion
        return dead;
    }

    static void pause(Windrow windrow) {
        // region pause
        windrow.queue("mail").pause();
        // endregion
    }

    static void observe(Windrow windrow, MeterRegistry registry) {
        // region observe
        new WindrowMetrics(windrow).bindTo(registry);
        windrow.monitor().onFailed(ended -> alert(ended.id()));
        // endregion
    }

    static void stop(Windrow windrow) {
        // region stop
        windrow.closeOnShutdown(ofSeconds(20));
        // endregion
    }

    private static void deliver(Mail mail) {
        System.out.println("to " + mail.to() + ": " + mail.text());
    }

    private static String answer(Mail mail) {
        return mail.to().isEmpty() ? "refused" : "yes";
    }

    private static void alert(long job) {
        System.out.println("job " + job + " has failed");
    }
}
