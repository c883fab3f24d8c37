package dev.windrow.e2e;

import static org.awaitility.Awaitility.await;

import dev.windrow.JobContext;
import dev.windrow.JobFailure;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.LogLevel;
import dev.windrow.RetryPolicy;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.limit.ConcurrencyKey;
import dev.windrow.limit.Rate;
import dev.windrow.payload.Json;
import dev.windrow.query.JobFilter;
import dev.windrow.schedule.Schedule;
import dev.windrow.testkit.ManualTime;
import dev.windrow.workflow.Workflow;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;

/** An hour of a shop with two thousand jobs, from a seed, and by a clock that only this class and its handlers move. */
final class Day implements AutoCloseable {
    private static final Instant BEGIN = Instant.parse("2026-11-24T13:58:00Z");
    private static final int MINUTES = 61;
    /** The clock moves by less than a lease. */
    private static final Duration STEP = Duration.ofSeconds(10);

    private static final JobType<Json, Json> MAIL = JobType.raw("mail.send").withQueue("mail");
    private static final JobType<Json, Json> IMAGE = JobType.raw("image.resize").withQueue("media");
    private static final JobType<Json, Json> HOOK = JobType.raw("webhook.deliver")
            .withQueue("webhooks")
            .withMaxAttempts(3)
            .withRetry(RetryPolicy.fixed(Duration.ofMinutes(2)));
    private static final JobType<Json, Json> INVOICE = JobType.raw("invoice.render");
    private static final JobType<Json, Json> FETCH =
            JobType.raw("catalog.fetch").withQueue("media");
    private static final JobType<Json, Json> REPORT =
            JobType.raw("report.build").withQueue("reports");

    final ManualTime time = new ManualTime();
    private final Random random = new Random(7);
    private final CountDownLatch end = new CountDownLatch(1);
    private final List<Worker> workers = new ArrayList<>();

    /** The ids of a job that has failed after three attempts, and of a workflow that is half done. */
    long failed;

    long workflow;

    Day() {
        time.stepWallUnnoticed(Duration.between(ManualTime.START, BEGIN));
    }

    void pass(Windrow windrow) {
        windrow.schedules()
                .save(Schedule.cron("nightly-report", "30 2 * * *", ZoneOffset.UTC, REPORT.job(new Json("{}"))));
        windrow.schedules().save(Schedule.every("refresh-catalog", Duration.ofMinutes(15), FETCH.job(page(0))));
        work(windrow, "shop-1");
        for (int minute = 0; minute < MINUTES; minute++) {
            enqueue(windrow, minute);
            Pictures.awaitIdle(windrow);
            if (minute == MINUTES - 1) {
                break;
            }
            // The handlers have let some seconds pass.
            Instant next = BEGIN.plus(Duration.ofMinutes(minute + 1));
            while (time.now().isBefore(next)) {
                Duration left = Duration.between(time.now(), next);
                time.advance(left.compareTo(STEP) < 0 ? left : STEP);
            }
        }
        leaveWork(windrow);
    }

    private void work(Windrow windrow, String name) {
        workers.add(windrow.worker()
                .name(name)
                .queue("default")
                .queue("mail")
                .queue("media")
                .queue("reports")
                .queue("webhooks")
                .concurrency(8)
                .drainTimeout(Duration.ZERO)
                .handle(MAIL, (input, job) -> took(job, 20, 90))
                .handle(IMAGE, (input, job) -> took(job, 40, 400))
                .handle(INVOICE, (input, job) -> {
                    if (random(100) < 3) {
                        time.advance(Duration.ofMillis(12));
                        throw JobFailure.permanent("INVALID_INPUT:ADDRESS", "no house has this number")
                                .causedBy(new IllegalArgumentException("house 7a"));
                    }
                    return took(job, 30, 60);
                })
                .handle(FETCH, (input, job) -> took(job, 100, 500))
                .handle(HOOK, this::deliver)
                .handle(REPORT, (input, job) -> {
                    job.progress(0.4, "12 of 30 sheets");
                    end.await();
                    return input;
                })
                .start());
    }

    private Json deliver(Json input, JobContext job) {
        job.log(LogLevel.INFO, "POST https://shop.example/hooks/orders");
        if (input.text().contains("\"down\"")) {
            time.advance(Duration.ofMillis(30));
            job.log(LogLevel.WARN, "the receiver answered 503");
            throw JobFailure.retryable("DEPENDENCY:UNAVAILABLE", "shop.example answered 503");
        }
        return took(job, 50, 200);
    }

    /** Lets some milliseconds pass. */
    private Json took(JobContext job, int least, int spread) {
        job.log(LogLevel.INFO, "done");
        time.advance(Duration.ofMillis(least + random(spread)));
        return new Json("{\"ok\":true}");
    }

    private synchronized int random(int bound) {
        return random.nextInt(bound);
    }

    private void enqueue(Windrow windrow, int minute) {
        int load = 12 + (int) (8 * Math.sin(minute / 7.0)) + random(6);
        for (int i = 0; i < load; i++) {
            String customer = "{\"customer\":%d}".formatted(1000 + random(500));
            windrow.enqueue(MAIL.job(new Json(customer)).withTags(random(10) == 0 ? "vip" : "shop"));
            if (i % 2 == 0) {
                windrow.enqueue(
                        IMAGE.job(new Json("{\"file\":\"photo-%d.jpg\",\"width\":640}".formatted(random(9999)))));
            }
            if (i % 3 == 0) {
                windrow.enqueue(INVOICE, new Json(customer));
                boolean down = minute > 20 && minute < 40 && random(4) == 0;
                long hook = windrow.enqueue(HOOK, new Json(down ? "{\"receiver\":\"down\"}" : customer))
                        .id();
                if (down) {
                    failed = hook;
                }
            }
        }
    }

    /** Leaves work behind: running and waiting jobs, a pause, limits, and a workflow that is half done. */
    private void leaveWork(Windrow windrow) {
        Workflow flow = new Workflow();
        Workflow.Node<Json> scan = flow.add(FETCH.job(page(1)).withName("list pages"));
        List<Workflow.Node<?>> pages = new ArrayList<>();
        for (int i = 2; i < 8; i++) {
            Workflow.Node<Json> fetch =
                    flow.add(FETCH.job(page(i)).withName("fetch page " + i)).after(scan);
            pages.add(flow.add(IMAGE.job(page(i)).withName("resize page " + i)).after(fetch));
        }
        Workflow.Node<Json> build =
                flow.add(REPORT.job(page(8)).withName("build index")).after(pages);
        flow.add(MAIL.job(page(9)).withName("tell the editors")).after(build);
        workflow = windrow.submit(flow).id();
        await().until(() -> windrow.workflow(workflow).orElseThrow().count(JobState.RUNNING) == 1);
        windrow.as("ann").because("the provider is down").queue("mail").pause("the provider is down");
        windrow.queue("webhooks").limitRate(Rate.of(20, Duration.ofSeconds(1)));
        windrow.queue("reports").limit(2);
        for (int i = 0; i < 34; i++) {
            windrow.enqueue(
                    MAIL.job(new Json("{\"customer\":%d}".formatted(2000 + i))).withTags("shop"));
        }
        for (int i = 0; i < 3; i++) {
            windrow.enqueue(
                    REPORT.job(new Json("{\"tenant\":42}")).withConcurrencyKey(ConcurrencyKey.atMost("tenant-42", 1)));
            windrow.enqueue(INVOICE.job(new Json("{\"customer\":7}")).withDelay(Duration.ofHours(2)));
        }
        await().until(() -> windrow.jobs(JobFilter.inState(JobState.RUNNING)).count() == 2);
        for (int i = 0; i < 12; i++) {
            time.advance(Duration.ofSeconds(1));
        }
    }

    private static Json page(int number) {
        return new Json("{\"page\":%d}".formatted(number));
    }

    @Override
    public void close() {
        end.countDown();
        workers.forEach(Worker::close);
    }
}
