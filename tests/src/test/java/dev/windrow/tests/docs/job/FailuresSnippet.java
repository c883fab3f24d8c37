package dev.windrow.tests.docs.job;

import static java.time.Duration.ofDays;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;

import dev.windrow.BulkResult;
import dev.windrow.JobCancel;
import dev.windrow.JobFailure;
import dev.windrow.JobSnooze;
import dev.windrow.JobType;
import dev.windrow.Retry;
import dev.windrow.RetryPolicy;
import dev.windrow.RetryRules;
import dev.windrow.Store;
import dev.windrow.Windrow;
import dev.windrow.monitor.AuditEntry;
import dev.windrow.monitor.AuditFilter;
import dev.windrow.query.JobFilter;
import dev.windrow.retention.DeadLetterRetry;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** The code of docs/how-to/failures.md. */
final class FailuresSnippet {
    private FailuresSnippet() {}

    // region handler
    record Fetch(String url) {}

    record Page(String text) {}

    record Answer(int status, String text, Duration retryAfter, Instant opensAt) {}

    interface Client { // your HTTP client
        Answer get(String url) throws IOException;
    }

    static Page fetch(Fetch fetch, Client client) throws IOException {
        Answer answer = client.get(fetch.url());
        switch (answer.status()) {
            case 202 -> throw JobSnooze.after(ofMinutes(5)); // not ready: again later, does not count
            case 410 -> throw JobCancel.because("the page was withdrawn"); // CANCELLED, with the reason
            case 404 -> throw JobFailure.permanent("INVALID_INPUT:URL", fetch.url()); // FAILED at once
            case 429 -> throw JobFailure.retryAfter("RESOURCE:QUOTA", "too many", answer.retryAfter());
            case 503 -> throw JobFailure.retryAt("DEPENDENCY:CLOSED", "closed", answer.opensAt());
            default -> {
                return new Page(answer.text());
            }
        }
    }
    // endregion

    // region rules
    static final JobType<Fetch, Page> FETCH = JobType.of("page.fetch", Fetch.class, Page.class)
            .withMaxAttempts(8)
            .withRetry(RetryRules.of(RetryPolicy.exponential(ofSeconds(1)))
                    .code(SocketTimeoutException.class, "DEPENDENCY:TIMEOUT")
                    .never(FileNotFoundException.class)
                    .never("INTERNAL:CRASHED")
                    .retry(IOException.class, RetryPolicy.delays(ofSeconds(5), ofMinutes(1), ofHours(1)))
                    .retry("DEPENDENCY:*", RetryPolicy.fixed(ofMinutes(1))));
    // endregion

    // region custom
    static final RetryPolicy LINEAR =
            RetryPolicy.custom((used, random) -> ofSeconds(10L * used).plus(ofMillis(random.nextInt(1000))));
    // endregion

    static List<String> traces(Windrow windrow) {
        // region list
        List<String> traces = new ArrayList<>();
        windrow.jobs(JobFilter.failed())
                .newestFirst()
                .limit(100)
                .forEach(job -> traces.add(
                        job.errorCode() + "\n" + windrow.job(job.id()).history().stackTrace()));
        // endregion
        return traces;
    }

    static long mend(Windrow windrow) {
        // region bulk
        JobFilter down = JobFilter.failed().withErrorCode("DEPENDENCY:TIMEOUT");
        long wouldBe = windrow.jobs(down).preview().retry().count(); // a dry run
        BulkResult retried = windrow.jobs(down).retry(Retry.attempts(5)); // five attempts each
        BulkResult deleted = windrow.jobs(
                        JobFilter.failed().withFinishedBefore(Instant.now().minus(ofDays(90))))
                .delete();
        for (AuditEntry entry :
                windrow.monitor().audit(AuditFilter.ALL).limit(10).page().entries()) {
            System.out.println(entry.at() + " " + entry.actor() + ": " + entry.action() + " of " + entry.changed());
        }
        // endregion
        return wouldBe + retried.count() + deleted.count();
    }

    static void ask(Windrow windrow, JobFilter down) {
        // region preview
        BulkResult found = windrow.jobs(down).quickPreview().delete();
        System.out.printf(
                "%s%d jobs, such as %s%n", found.isAtLeast() ? "at least " : "", found.count(), found.sampleIds());
        // endregion
    }

    static Windrow open(Store store) {
        // region reviver
        Windrow windrow = Windrow.configure(store)
                .deadLetterRetry(DeadLetterRetry.of("DEPENDENCY:TIMEOUT")
                        .withAfter(ofMinutes(30))
                        .withUntil(ofDays(2)))
                .open();
        // endregion
        return windrow;
    }
}
