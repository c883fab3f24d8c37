package dev.windrow.tests.telemetry;

import static org.awaitility.Awaitility.await;

import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.Windrow;
import dev.windrow.tests.stores.StoreKind;
import dev.windrow.tests.stores.Target;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** The common part of telemetry tests: a place for jobs, and resources to close. The tests use the machine's clocks. */
abstract class TelemetryTest {
    static final Duration PATIENCE = Duration.ofSeconds(60);

    @Parameter
    StoreKind kind;

    @TempDir
    Path folder;

    Target target;

    /** The resources that are closed in reverse order after the test. */
    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    @BeforeEach
    void newTarget() {
        target = kind.emptyTarget(folder);
    }

    @AfterEach
    void closeAll() throws Exception {
        while (!open.isEmpty()) {
            open.pop().close();
        }
        target.close();
    }

    <T extends AutoCloseable> T closing(T resource) {
        open.push(resource);
        return resource;
    }

    static void until(Callable<Boolean> condition) {
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(5)).until(condition);
    }

    static void untilState(Windrow windrow, JobRef<?> job, JobState state) {
        until(() -> windrow.job(job).history().job().state() == state);
    }
}
