package dev.windrow.tests.testkit;

import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.InvalidRequestException;
import dev.windrow.JobRef;
import dev.windrow.JobType;
import dev.windrow.RetryPolicy;
import dev.windrow.Windrow;
import dev.windrow.testkit.WindrowTest;
import dev.windrow.tests.stores.OnEachStore;
import dev.windrow.tests.stores.StoreKind;
import dev.windrow.tests.stores.Target;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The test kit over a Windrow that something else has opened, as the context of a Spring test does. */
@OnEachStore
@Timeout(120)
class OverTest {
    private static final JobType<String, String> GREET =
            JobType.of("greet", String.class, String.class).withRetry(RetryPolicy.fixed(ofMinutes(10)));

    private final StoreKind kind;
    private final List<String> calls = new ArrayList<>();

    @TempDir
    Path folder;

    private Target target;
    private Windrow windrow;

    @RegisterExtension
    final WindrowTest test = WindrowTest.over(() -> windrow).handle(GREET, (name, job) -> {
        calls.add(name);
        return "Hello, " + name;
    });

    OverTest(StoreKind kind) {
        this.kind = kind;
    }

    /** Opens the Windrow, and leaves a job of an earlier test in it. */
    @BeforeEach
    void open() {
        target = kind.emptyTarget(folder);
        windrow = Windrow.open(target.newStore());
        windrow.enqueue(GREET, "an earlier test");
    }

    @AfterEach
    void close() throws Exception {
        windrow.close();
        target.close();
    }

    @Test
    void itRunsJobsAndSeesThoseOfTheTest(Windrow injected) {
        assertThat(injected).isSameAs(windrow);
        test.notEnqueued(GREET);
        JobRef<String> job = windrow.enqueue(GREET, "Ada");
        test.enqueued(GREET).once().withInput("Ada");
        assertThat(test.drain().completed()).isEqualTo(2);
        assertThat(calls).containsExactly("an earlier test", "Ada");
        test.assertThat(job).isCompleted().hasResult("Hello, Ada");
    }

    @Test
    void jobsCrashWithoutAClockThatCanBeMoved() {
        test.drain();
        JobRef<String> job = windrow.enqueue(GREET, "Ada");
        test.crashDuring(job);
        test.crashDuring(job);
        test.assertThat(job).hasErrorCode("INTERNAL:CRASHED").hasAttempts(2);
        test.loseLease(job);
        test.assertThat(job).isFailed().hasAttempts(3);
        test.assertRepeatable(GREET, "Bob", () -> 1);
    }

    @Test
    void assertionsWaitForOtherWorkers() {
        JobRef<String> job = windrow.enqueue(GREET, "Ada");
        try (var worker =
                windrow.worker().handle(GREET, (name, context) -> "by a worker").start()) {
            test.assertThat(job).within(ofSeconds(60)).isCompleted().hasResult("by a worker");
            assertThat(worker.name()).isNotEmpty();
        }
    }

    @Test
    void whatBelongsToTheOpenerIsRefused() {
        refused(
                "the clock of this test cannot be moved: its Windrow has another source of time than ManualTime",
                () -> test.advance(ofMinutes(1)));
        refused(
                "storeFails is not possible with over(...): something else has opened the store",
                () -> test.storeFails(1));
        refused(
                "configure is not possible with over(...): something else opens the store",
                () -> WindrowTest.over(() -> windrow).configure(builder -> {}));
        refused(
                "postgres is not possible with over(...): something else opens the store",
                () -> WindrowTest.over(() -> windrow).postgres("jdbc:postgresql:test"));
        refused(
                "a test has begun: the settings of a WindrowTest are made in the initializer of its field",
                () -> test.handle(JobType.of("late", String.class, String.class), (input, job) -> input));
    }

    private static void refused(String message, Runnable call) {
        assertThatThrownBy(call::run)
                .isInstanceOf(InvalidRequestException.class)
                .hasMessage(message);
    }
}
