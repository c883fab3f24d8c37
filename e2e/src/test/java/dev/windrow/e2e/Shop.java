package dev.windrow.e2e;

import static org.awaitility.Awaitility.await;

import dev.windrow.JobFailure;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.LogLevel;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.limit.ConcurrencyKey;
import dev.windrow.limit.Rate;
import dev.windrow.payload.Json;
import dev.windrow.schedule.Schedule;
import dev.windrow.workflow.Workflow;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.concurrent.CountDownLatch;

/** The jobs of a small shop: in each state one, with all that a job can have. */
final class Shop implements AutoCloseable {
    static final JobType<Json, Json> MAIL = JobType.raw("mail.send").withQueue("mail");
    static final JobType<Json, Json> CHECK = JobType.raw("order.check");
    static final JobType<Json, Json> REPORT = JobType.raw("report.build").withQueue("reports");
    static final JobType<Json, Json> PAYMENT = JobType.raw("payment.await");
    static final Json ORDER =
            new Json("{\"order\":9223372036854775807,\"customer\":{\"id\":42,\"name\":\"Ada\"},\"password\":\"x\"}");

    private final Windrow windrow;
    private final CountDownLatch end = new CountDownLatch(1);
    private Worker worker;

    /** The jobs by their state, one that awaits an event, and the id of a workflow. */
    long completed;

    long failed;
    long cancelled;
    long scheduled;
    long pending;
    long running;
    long waiting;
    long workflow;

    Shop(Windrow windrow) {
        this.windrow = windrow;
    }

    void fill() throws InterruptedException {
        startWorker();
        completed = windrow.enqueue(MAIL.job(ORDER).withTags("vip").withName("Welcome"))
                .id();
        failed = windrow.enqueue(CHECK.job(ORDER).withMaxAttempts(1)).id();
        Workflow flow = new Workflow();
        var first = flow.add(MAIL.job(ORDER).withName("Import"));
        var second = flow.add(CHECK.job(ORDER).withMaxAttempts(1)).after(first);
        flow.add(REPORT.job(ORDER)).after(second);
        workflow = windrow.submit(flow).id();
        await().until(() -> state(completed) == JobState.COMPLETED
                && state(failed) == JobState.FAILED
                && windrow.workflow(workflow).orElseThrow().count(JobState.FAILED) == 1);
        waiting = windrow.enqueue(PAYMENT.job(ORDER)).id();
        running = windrow.enqueue(REPORT.job(ORDER)).id();
        await().until(() -> state(waiting) == JobState.BLOCKED && state(running) == JobState.RUNNING);
        windrow.queue("mail").pause("the provider is down");
        windrow.queue("reports").limit(1);
        windrow.type("order.check").limitRate(Rate.of(10, Duration.ofSeconds(1)));
        pending = windrow.enqueue(MAIL.job(ORDER)).id();
        scheduled =
                windrow.enqueue(MAIL.job(ORDER).withDelay(Duration.ofDays(1))).id();
        cancelled = windrow.enqueue(MAIL.job(ORDER)).id();
        windrow.as("ada").because("a double").job(cancelled).cancel();
        for (int i = 0; i < 3; i++) {
            windrow.enqueue(REPORT.job(ORDER).withConcurrencyKey(ConcurrencyKey.of("tenant-42")));
        }
        windrow.schedules().save(Schedule.cron("nightly", "30 2 * * *", ZoneOffset.UTC, REPORT.job(ORDER)));
        windrow.schedules().save(Schedule.every("pulse", Duration.ofDays(1), MAIL.job(ORDER)));
        windrow.schedules().pause("pulse", "not needed");
    }

    private void startWorker() {
        worker = windrow.worker()
                .name("till-1")
                .queue("default")
                .queue("mail")
                .queue("reports")
                .concurrency(4)
                .drainTimeout(Duration.ZERO)
                .handle(MAIL, (input, job) -> {
                    job.log(LogLevel.INFO, "connected to the provider");
                    job.progress(1, "sent");
                    return new Json("{\"sent\":true}");
                })
                .handle(CHECK, (input, job) -> {
                    throw JobFailure.permanent("INVALID:ADDRESS", "no house has this number")
                            .causedBy(new IllegalStateException("house 7"));
                })
                .handle(REPORT, (input, job) -> {
                    job.stepVoid("collect", () -> {});
                    end.await();
                    return new Json("null");
                })
                .handle(PAYMENT, (input, job) -> {
                    job.awaitEvent("paid", Duration.ofDays(1));
                    return new Json("{\"paid\":true}");
                })
                .start();
    }

    private JobState state(long job) {
        return windrow.job(job).info().state();
    }

    @Override
    public void close() {
        end.countDown();
        if (worker != null) {
            worker.close();
        }
    }
}
