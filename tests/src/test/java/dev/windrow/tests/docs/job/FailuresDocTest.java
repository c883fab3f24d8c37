package dev.windrow.tests.docs.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.windrow.ErrorCodes;
import dev.windrow.JobFailure;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.RetryRules;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.query.JobFilter;
import dev.windrow.sqlite.SqliteStore;
import dev.windrow.tests.docs.Docs;
import java.io.FileNotFoundException;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compiles and runs the code of docs/how-to/failures.md. */
class FailuresDocTest {
    private static final String CODE = "tests/src/test/java/dev/windrow/tests/docs/job/FailuresSnippet.java";
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    Path folder;

    private static FailuresSnippet.Answer answer(String url) {
        return new FailuresSnippet.Answer(
                Integer.parseInt(url.substring(1)),
                "text",
                Duration.ofHours(1),
                Instant.now().plusSeconds(3600));
    }

    @Test
    void javaSnippetsAreCompiledCode() {
        assertThat(Docs.blocks("java", "docs/how-to/failures.md"))
                .isEqualTo(Docs.regions(CODE))
                .hasSize(7);
    }

    @Test
    void theHandlerEndsAsTheTableSays() {
        try (Windrow windrow = Windrow.open(SqliteStore.at(folder.resolve("jobs.db")));
                Worker worker = windrow.worker()
                        .handle(
                                FailuresSnippet.FETCH,
                                (fetch, job) -> FailuresSnippet.fetch(fetch, FailuresDocTest::answer))
                        .start()) {
            List<Integer> statuses = List.of(202, 410, 404, 429, 503, 200);
            List<JobRef<FailuresSnippet.Page>> jobs = new ArrayList<>();
            for (int status : statuses) {
                jobs.add(windrow.enqueue(FailuresSnippet.FETCH, new FailuresSnippet.Fetch("/" + status)));
            }
            assertThat(windrow.await(jobs.get(5), PATIENCE)).isEqualTo(new FailuresSnippet.Page("text"));
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(jobs.stream()
                                    .map(job -> windrow.job(job).history().job().state())
                                    .toList())
                            .containsExactly(
                                    JobState.SCHEDULED,
                                    JobState.CANCELLED,
                                    JobState.FAILED,
                                    JobState.SCHEDULED,
                                    JobState.SCHEDULED,
                                    JobState.COMPLETED));
            worker.stop(PATIENCE);
            assertThat(FailuresSnippet.traces(windrow)).hasSize(1);
            assertThat(FailuresSnippet.mend(windrow)).isZero();
            FailuresSnippet.ask(windrow, JobFilter.ALL);
        }
    }

    @Test
    void theRetryRulesDecideAsTheGuideSays() {
        RetryRules rules = FailuresSnippet.FETCH.retry();
        Throwable late = new SocketTimeoutException();
        assertThat(rules.codeOf(late)).isEqualTo("DEPENDENCY:TIMEOUT");
        assertThat(String.valueOf(rules.policyFor(late, rules.codeOf(late)))).contains("Delays");
        assertThat(rules.policyFor(new FileNotFoundException(), ErrorCodes.INTERNAL_EXCEPTION))
                .isNull();
        assertThat(rules.policyFor(null, ErrorCodes.INTERNAL_CRASHED)).isNull();
        Throwable down = JobFailure.retryable("DEPENDENCY:DOWN", null);
        assertThat(String.valueOf(rules.policyFor(down, "DEPENDENCY:DOWN"))).contains("Fixed");
        assertThat(rules.policyFor(new IllegalStateException(), ErrorCodes.INTERNAL_EXCEPTION))
                .isEqualTo(rules.defaultPolicy());
        assertThat(FailuresSnippet.LINEAR.delay(3, new Random(1)))
                .isBetween(Duration.ofSeconds(30), Duration.ofSeconds(31));
    }
}
