package dev.windrow.tests.testkit;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.InvalidRequestException;
import dev.windrow.JobRef;
import dev.windrow.JobType;
import dev.windrow.Windrow;
import dev.windrow.testkit.WindrowTest;
import dev.windrow.tests.stores.OnEachStore;
import dev.windrow.tests.stores.StoreKind;
import java.util.concurrent.CountDownLatch;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Jobs that a real worker runs. */
@OnEachStore
@Timeout(120)
class LiveTest {
    private static final JobType<String, String> GREET = JobType.of("greet", String.class, String.class);
    private static final JobType<Void, Void> HOLD = JobType.of("hold");

    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch end = new CountDownLatch(1);

    @RegisterExtension
    final WindrowTest test;

    LiveTest(StoreKind kind) {
        test = Kits.on(kind, WindrowTest.live())
                .handle(GREET, (name, job) -> "Hello, " + name + " on " + job.worker())
                .handleVoid(HOLD, (nothing, job) -> {
                    begun.countDown();
                    end.await();
                })
                .worker(worker -> worker.name("live"));
    }

    @Test
    void aWorkerRunsTheJobs(Windrow windrow) {
        JobRef<String> job = windrow.enqueue(GREET, "Ada");
        test.assertThat(job)
                .within(ofSeconds(60))
                .isCompleted()
                .hasResult("Hello, Ada on live/1")
                .hasAttempts(1);
        assertThat(windrow.monitor().health().isOk()).isTrue();
        assertThat(windrow.monitor().workers()).hasSize(1);
    }

    @Test
    void anAssertionThatDoesNotBecomeTrueFailsAfterItsTime(Windrow windrow) throws Exception {
        JobRef<Void> job = windrow.enqueue(HOLD);
        begun.await();
        assertThatThrownBy(() -> test.assertThat(job).within(ofMillis(20)).isCompleted())
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("expected: job 1 (hold) is COMPLETED\n but was: RUNNING after 20ms\n");
        end.countDown();
        test.assertThat(job).within(ofSeconds(60)).isCompleted();
    }

    @Test
    void jobsAreNotRunByTheTest() {
        refused("runNext", test::runNext);
        refused("runReady", test::runReady);
        refused("drain", test::drain);
        refused("advance", () -> test.advance(ZERO));
        assertThatThrownBy(test::time)
                .isInstanceOf(InvalidRequestException.class)
                .hasMessage(
                        "the clock of this test cannot be moved: its Windrow has another source of time than ManualTime");
    }

    private static void refused(String method, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOf(InvalidRequestException.class)
                .hasMessage(method
                        + " is not possible with live(): a real worker runs the jobs. Use assertThat(job).within(...)");
    }
}
