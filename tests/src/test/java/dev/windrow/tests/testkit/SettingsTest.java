package dev.windrow.tests.testkit;

import static java.time.Duration.ZERO;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.HandlerProvider;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.Windrow;
import dev.windrow.testkit.ManualTime;
import dev.windrow.testkit.WindrowTest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The settings of the Windrow and of the worker of a test. */
@Timeout(60)
class SettingsTest {
    private static final JobType<String, String> GREET = JobType.of("greet", String.class, String.class);
    private static final JobType<Void, Void> WAIT = JobType.of("wait");

    private final List<String> calls = new ArrayList<>();

    @RegisterExtension
    final WindrowTest test = WindrowTest.manual()
            .configure(windrow -> windrow.actor("the test"))
            .worker(worker -> worker.queue("mail")
                    .name("postman")
                    .middleware((job, next) -> calls.add("before " + job.id()) ? next.call() : null));

    SettingsTest() {
        HandlerProvider handlers =
                all -> all.handle(GREET, (name, job) -> "Hello, " + name).handleVoid(WAIT, (nothing, job) -> {
                    // As JUnit does at a timeout.
                    Thread.currentThread().interrupt();
                    new CountDownLatch(1).await();
                });
        handlers.register(test);
    }

    private JobRef<String> early;

    @BeforeEach
    void enqueue(Windrow windrow, ManualTime time) {
        early = windrow.enqueue(GREET.job(time.now().toString()).withQueue("mail"));
    }

    @Test
    void theWorkerServesTheNamedQueuesByItsMiddleware(Windrow windrow) {
        JobRef<String> other = windrow.enqueue(GREET, "Ada");
        assertThat(test.drain().completed()).isEqualTo(1);
        test.assertThat(early).isCompleted().hasResult("Hello, 2026-01-01T00:00:00Z");
        test.assertThat(other).hasState(JobState.PENDING);
        assertThat(calls).containsExactly("before " + early.id());
        assertThat(windrow.job(early).history().events())
                .extracting(event -> event.actor())
                .containsExactly("the test", "postman", "postman", "postman");
        assertThatThrownBy(() -> test.assertThat(other).isCompleted())
                .hasMessageContaining("why: no live worker serves queue 'default'");
    }

    @Test
    void anInterruptOfTheTestIsNotTakenForAFailure(Windrow windrow) {
        windrow.enqueue(WAIT.job().withQueue("mail").withPriority(1));
        assertThatThrownBy(test::drain)
                .isInstanceOf(AssertionError.class)
                .hasMessageStartingWith("the thread of the test was interrupted while it ran a handler\njob ");
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void aWaitForOtherThreadsIsRefused() {
        assertThatThrownBy(() -> test.assertThat(early).within(ZERO))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessage(
                        "within(...) is not possible with manual() and inline(): no other thread runs jobs. Run them with drain()");
    }
}
