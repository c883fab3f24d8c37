package dev.windrow.tests.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.windrow.JobFailure;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.RetryPolicy;
import dev.windrow.Store;
import dev.windrow.Windrow;
import dev.windrow.payload.Json;
import dev.windrow.store.StoreProvider;
import dev.windrow.testkit.ManualTime;
import dev.windrow.tests.docs.Docs;
import dev.windrow.tests.stores.OnEachStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The metrics that Prometheus scrapes answer the questions of an operator. */
@OnEachStore
class MetricsTest extends TelemetryTest {
    private static final JobType<Json, Json> MAIL = JobType.raw("mail.send");
    private static final JobType<Json, Json> RESIZE = JobType.raw("image.resize");
    private static final JobType<Json, Json> NOBODY = JobType.raw("nobody.knows");
    private static final Json NONE = new Json("{}");

    @Test
    void outcomesAndStatesOfJobsAreScraped() throws Exception {
        Windrow windrow = closing(Windrow.open(target.newStore()));
        Scraped scraped = closing(new Scraped(windrow));
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch enough = new CountDownLatch(1);
        closing(windrow.worker()
                .concurrency(3)
                .queue("default")
                .queue("mail")
                .handle(MAIL, (input, job) -> {
                    if (job.attempt() == 1) {
                        throw JobFailure.retryable("PROVIDER:BUSY", "try again");
                    }
                    return input;
                })
                .handle(RESIZE, (input, job) -> {
                    if (input.text().equals("1")) {
                        begun.countDown();
                        assertThat(enough.await(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                                .isTrue();
                        return input;
                    }
                    throw JobFailure.permanent("IMAGE:BROKEN", "no picture");
                })
                .start());
        JobRef<Json> mail =
                windrow.enqueue(MAIL.job(NONE).withQueue("mail").withRetry(RetryPolicy.fixed(Duration.ofMillis(1))));
        JobRef<Json> broken = windrow.enqueue(RESIZE.job(new Json("2")).withMaxAttempts(1));
        windrow.enqueueAll(
                List.of(NOBODY.job(NONE), NOBODY.job(NONE), NOBODY.job(NONE).withDelay(Duration.ofHours(1))));
        windrow.enqueue(RESIZE, new Json("1"));
        assertThat(begun.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        untilState(windrow, broken, JobState.FAILED);
        windrow.queue("mail").pause("enough");
        // Events are reported on a separate thread.
        until(() -> {
            Map<String, Double> told = scraped.scrape();
            return told.containsKey(
                            "windrow_attempt_run_seconds_count{outcome=\"FAILED\",queue=\"default\",type=\"image.resize\"}")
                    && told.containsKey("windrow_attempt_failures_total{code=\"IMAGE:BROKEN\"}")
                    && told.get("windrow_jobs_enqueued_total") >= 6;
        });

        Map<String, Double> series = scraped.fresh();
        assertThat(series)
                .containsEntry("windrow_jobs{queue=\"default\",state=\"PENDING\"}", 2.0)
                .containsEntry("windrow_jobs{queue=\"default\",state=\"SCHEDULED\"}", 1.0)
                .containsEntry("windrow_jobs{queue=\"default\",state=\"RUNNING\"}", 1.0)
                .containsEntry("windrow_jobs{queue=\"default\",state=\"FAILED\"}", 1.0)
                .containsEntry("windrow_type_jobs{state=\"RUNNING\",type=\"image.resize\"}", 1.0)
                .containsEntry("windrow_jobs_unhandled{type=\"nobody.knows\"}", 2.0)
                .containsEntry("windrow_jobs_failed{code=\"IMAGE:BROKEN\"}", 1.0)
                .containsEntry("windrow_queue_paused{queue=\"mail\"}", 1.0)
                .containsEntry("windrow_queue_paused{queue=\"default\"}", 0.0)
                .containsEntry("windrow_workers", 1.0)
                .containsEntry("windrow_workers_slots", 3.0)
                .containsEntry("windrow_schedules", 0.0)
                .containsEntry("windrow_schedules_overdue_seconds", 0.0)
                .containsEntry("windrow_health", 1.0)
                .containsEntry("windrow_jobs_enqueued_total", 6.0)
                .containsEntry("windrow_jobs_reclaimed_total", 0.0)
                .containsEntry("windrow_attempt_failures_total{code=\"IMAGE:BROKEN\"}", 1.0)
                .containsEntry(
                        "windrow_attempt_run_seconds_count{outcome=\"FAILED\",queue=\"default\",type=\"image.resize\"}",
                        1.0)
                .hasEntrySatisfying(
                        "windrow_queue_lag_seconds{queue=\"default\"}",
                        lag -> assertThat(lag).isNotNegative())
                .hasEntrySatisfying(
                        "windrow_statistics_age_seconds", age -> assertThat(age).isEqualTo(0, within(1e-6)))
                .hasEntrySatisfying(
                        "windrow_commit_seconds_count",
                        count -> assertThat(count).isPositive())
                .hasEntrySatisfying(
                        "windrow_claim_jobs_sum", count -> assertThat(count).isGreaterThanOrEqualTo(2));

        windrow.queue("mail").resume();
        enough.countDown();
        untilState(windrow, mail, JobState.COMPLETED);
        until(() -> scraped.scrape()
                .containsKey(
                        "windrow_attempt_run_seconds_count{outcome=\"SUCCEEDED\",queue=\"mail\",type=\"mail.send\"}"));
        assertThat(scraped.fresh())
                .containsEntry("windrow_jobs{queue=\"mail\",state=\"COMPLETED\"}", 1.0)
                .containsEntry("windrow_queue_paused{queue=\"mail\"}", 0.0)
                .containsEntry("windrow_attempt_retries_total{type=\"mail.send\"}", 1.0)
                .containsEntry(
                        "windrow_attempt_run_seconds_count{outcome=\"FAILED\",queue=\"mail\",type=\"mail.send\"}", 1.0)
                .containsEntry("windrow_attempt_wait_seconds_count{queue=\"mail\",type=\"mail.send\"}", 2.0);
    }

    @Test
    void theStoreIsReadOnceInTenSecondsForAllScrapes() {
        Windrow windrow = closing(Windrow.open(target.newStore()));
        windrow.enqueue(MAIL, NONE);
        Scraped scraped = closing(new Scraped(windrow));
        untilPending(scraped, 1);
        windrow.enqueue(MAIL, NONE);
        scraped.time.advance(Duration.ofSeconds(9));
        assertThat(scraped.scrape())
                .containsEntry("windrow_jobs{queue=\"default\",state=\"PENDING\"}", 1.0)
                .containsEntry("windrow_statistics_age_seconds", 9.0);
        scraped.time.advance(Duration.ofSeconds(2));
        untilPending(scraped, 2);
    }

    /** Waits for this number. A scrape waits a second for a read of the store, which takes longer on a slow machine. */
    private static void untilPending(Scraped scraped, double jobs) {
        until(() -> scraped.scrape().getOrDefault("windrow_jobs{queue=\"default\",state=\"PENDING\"}", 0.0) == jobs);
    }

    @Test
    void anUnreachableStoreRemovesItsNumbersAndTheOthersStay() throws Exception {
        Windrow windrow = closing(Windrow.open(target.newStore()));
        windrow.enqueue(MAIL, NONE);
        Scraped scraped = closing(new Scraped(windrow));
        untilPending(scraped, 1);
        windrow.enqueue(MAIL, NONE);
        windrow.close();
        scraped.time.advance(Duration.ofSeconds(100));
        assertThat(scraped.scrape()).containsEntry("windrow_jobs{queue=\"default\",state=\"PENDING\"}", 1.0);
        scraped.time.advance(Duration.ofSeconds(21));
        assertThat(scraped.scrape())
                .containsEntry("windrow_jobs{queue=\"default\",state=\"PENDING\"}", Double.NaN)
                .containsEntry("windrow_statistics_age_seconds", 121.0)
                .containsEntry("windrow_jobs_enqueued_total", 1.0);
        scraped.unbind();
        assertThat(scraped.scrape()).isEmpty();
    }

    @Test
    void aFailedClaimIsCountedSeparately() {
        Windrow windrow = closing(Windrow.open(target.newStore()));
        Scraped scraped = closing(new Scraped(windrow));
        String failed = "windrow_claim_seconds_count{outcome=\"FAILED\"}";
        String succeeded = "windrow_claim_seconds_count{outcome=\"SUCCEEDED\"}";
        closing(windrow.worker()
                .poll(Duration.ofMillis(50))
                .handle(MAIL, (input, job) -> input)
                .start());
        until(() -> scraped.scrape().get(succeeded) > 0);
        assertThat(scraped.scrape()).containsEntry(failed, 0.0);
        Store other = target.newStore();

        StoreProvider.copyPlace(other).shut("another place");

        until(() -> scraped.scrape().get(failed) > 2);
        // Concurrent claims have returned by now.
        double before = scraped.scrape().get(succeeded);
        double failures = scraped.scrape().get(failed);
        until(() -> scraped.scrape().get(failed) > failures);
        assertThat(scraped.scrape()).containsEntry(succeeded, before);
    }

    @Test
    void typesBeyondTheHundredthAreReportedAsOne() {
        Windrow windrow = closing(Windrow.open(target.newStore()));
        List<dev.windrow.JobRequest<?, ?>> jobs = new ArrayList<>();
        for (int i = 0; i < 150; i++) {
            jobs.add(JobType.raw("type." + i).job(NONE));
        }
        windrow.enqueueAll(jobs);
        Scraped scraped = closing(new Scraped(windrow));
        until(() -> scraped.scrape().containsKey("windrow_type_jobs{state=\"PENDING\",type=\"other\"}"));
        Map<String, Double> series = scraped.scrape();
        assertThat(series.keySet())
                .filteredOn(name -> name.startsWith("windrow_type_jobs{state=\"PENDING\""))
                .hasSize(101);
        assertThat(series).containsEntry("windrow_type_jobs{state=\"PENDING\",type=\"other\"}", 50.0);
        assertThat(series.values().stream().mapToDouble(value -> value).filter(Double::isNaN))
                .isEmpty();
    }

    /** The dashboard, the alerts and the guide name exactly the existing metrics, once every counted event has happened. */
    @Test
    void everyNamedMetricIsScraped() throws Exception {
        ManualTime time = new ManualTime();
        Windrow windrow =
                closing(Windrow.configure(target.newStore()).time(time).open());
        Scraped scraped = closing(new Scraped(windrow));
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch enough = new CountDownLatch(1);
        closing(windrow.worker()
                .handle(MAIL, (input, job) -> {
                    if (job.attempt() == 1) {
                        throw JobFailure.retryable("PROVIDER:BUSY", "try again");
                    }
                    throw JobFailure.permanent("PROVIDER:GONE", "for ever");
                })
                .handle(RESIZE, (input, job) -> {
                    begun.countDown();
                    while (enough.getCount() > 0) {
                        try {
                            enough.await();
                        } catch (InterruptedException e) {
                            // The handler ignores the interrupt and continues.
                        }
                    }
                    return input;
                })
                .start());
        closing(enough::countDown);
        windrow.enqueue(NOBODY, NONE);
        windrow.enqueue(MAIL.job(NONE).withRetry(RetryPolicy.fixed(Duration.ofMillis(1))));
        JobRef<Json> deaf = windrow.enqueue(RESIZE, NONE);
        assertThat(begun.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        // Windrow interrupts the handler of this job, and the handler does not end.
        windrow.job(deaf).complete(NONE);
        until(() -> {
            time.advance(Duration.ofMillis(500));
            Set<String> there = Scraped.names(scraped.fresh());
            return there.contains("windrow_handler_stuck_total")
                    && there.contains("windrow_attempt_lost_total")
                    && there.contains("windrow_attempt_retries_total")
                    && there.contains("windrow_jobs_failed");
        });
        Map<String, Double> series = scraped.fresh();
        assertThat(series)
                .containsEntry("windrow_handler_stuck_total{type=\"image.resize\"}", 1.0)
                .containsEntry("windrow_attempt_lost_total{type=\"image.resize\"}", 1.0);
        Set<String> names = new TreeSet<>(Scraped.names(series));

        assertThat(named("docs/grafana/alerts.yaml", "windrow_[a-z_]+"))
                .hasSizeGreaterThan(8)
                .isSubsetOf(names);
        assertThat(named("docs/grafana/windrow.json", "windrow_[a-z_]+"))
                .hasSizeGreaterThan(20)
                .isSubsetOf(names);
        assertThat(names)
                .extracting(name -> name.replaceFirst("_(seconds)?_?(total|count|sum|max|bucket)?$", "")
                        .replace('_', '.')
                        .replaceFirst("\\.seconds$", ""))
                .containsAll(named("docs/how-to/telemetry.md", "`(windrow\\.(?!json|job\\.|link)[a-z.]+)`"));
        // And the guide leaves none out.
        assertThat(named("docs/how-to/telemetry.md", "`(windrow\\.(?!json|job\\.|link)[a-z.]+)`"))
                .containsAll(names.stream()
                        .map(name -> name.replaceFirst("_(seconds)?_?(total|count|sum|max|bucket)?$", "")
                                .replace('_', '.')
                                .replaceFirst("\\.seconds$", ""))
                        .collect(Collectors.toSet()));
    }

    private static Set<String> named(String document, String pattern) {
        Set<String> found = new TreeSet<>();
        Pattern.compile(pattern)
                .matcher(Docs.read(document))
                .results()
                .forEach(match -> found.add(match.group(match.groupCount())));
        return found;
    }
}
