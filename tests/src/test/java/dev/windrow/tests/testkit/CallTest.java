package dev.windrow.tests.testkit;

import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.InvalidRequestException;
import dev.windrow.JobFailure;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.Windrow;
import dev.windrow.payload.Metadata;
import dev.windrow.testkit.CallContext;
import dev.windrow.testkit.Outcome;
import dev.windrow.testkit.WindrowTest;
import dev.windrow.tests.stores.OnEachStore;
import dev.windrow.tests.stores.StoreKind;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Calls of a handler alone. */
@OnEachStore
@Timeout(120)
class CallTest {
    private static final JobType<String, String> GREET = JobType.of("greet", String.class, String.class);
    private static final JobType<String, Void> MAIL = JobType.of("mail", String.class);

    private final List<String> calls = new ArrayList<>();

    @RegisterExtension
    final WindrowTest test;

    CallTest(StoreKind kind) {
        test = Kits.onUrl(kind, WindrowTest.inline()).handle(GREET, (name, job) -> {
            calls.add("registered");
            return name;
        });
    }

    @Test
    void aHandlerRunsAlone(Windrow windrow) {
        JobRef<String> other = windrow.enqueue(GREET.job("Bob").withDelay(ofMinutes(1)));
        Outcome<String> outcome = test.call((name, job) -> "Hello, " + name, "Ada", GREET);
        assertThat(outcome.result()).isEqualTo("Hello, Ada");
        assertThat(outcome.thrown()).isEmpty();
        test.assertThat(outcome.job()).isCompleted().hasAttempts(1);
        assertThat(calls).isEmpty();
        test.assertThat(other).hasState(JobState.SCHEDULED);
        test.enqueued(GREET).once().withInput("Bob");
    }

    @Test
    void aFailureIsJudged() {
        Outcome<String> outcome = test.call(
                (name, job) -> {
                    throw JobFailure.retryAfter("BUSY:SERVER", ofMinutes(3));
                },
                "Ada",
                GREET);
        assertThat(outcome.info().state()).isEqualTo(JobState.SCHEDULED);
        assertThat(outcome.info().errorCode()).isEqualTo("BUSY:SERVER");
        assertThat(outcome.thrown()).get().isInstanceOf(JobFailure.class);
        test.assertThat(outcome.job()).isScheduledIn(ofMinutes(3));
    }

    @Test
    void theContextIsThatOfAJob() {
        Outcome<String> outcome = test.call(
                (name, job) -> "%s %d of %d on %s for %s"
                        .formatted(
                                name,
                                job.attempt(),
                                job.maxAttempts(),
                                job.queue(),
                                job.metadata().text("tenant").orElse("?")),
                "Ada",
                CallContext.of(GREET)
                        .withAttempt(3)
                        .withOptions(job -> job.withMaxAttempts(4).withQueue("slow"))
                        .withOptions(job -> job.withMetadata(Metadata.none().with("tenant", "acme"))));
        assertThat(outcome.result()).isEqualTo("Ada 3 of 4 on slow for acme");
        test.assertThat(outcome.job()).hasAttempts(3);
    }

    @Test
    void jobsThatTheHandlerEnqueuesAreSeen(Windrow windrow) {
        Outcome<String> outcome = test.call(
                (name, job) -> {
                    windrow.enqueue(MAIL, name);
                    return name;
                },
                "Ada",
                GREET);
        test.assertThat(outcome.job()).isCompleted();
        test.enqueued(MAIL).once().withInput("Ada");
    }

    @Test
    void anAttemptThatNoJobHasIsRefused() {
        assertThatThrownBy(() -> CallContext.of(GREET).withAttempt(0))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessage("attempt 0 is not allowed: 1 or more");
        assertThatThrownBy(() -> test.call(
                        (name, job) -> name, "Ada", CallContext.of(GREET).withAttempt(4)))
                .isInstanceOf(AssertionError.class)
                .hasMessageStartingWith("job 1 cannot run now\njob 1 (greet) FAILED, 3 of 3 attempts used");
    }
}
