package dev.windrow.tests.processes.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.windrow.AttemptOutcome;
import dev.windrow.ErrorCodes;
import dev.windrow.JobHistory;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.Windrow;
import dev.windrow.tests.processes.Child;
import dev.windrow.tests.stores.OnEachStore;
import dev.windrow.tests.stores.StoreKind;
import dev.windrow.tests.stores.Target;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** The end of a JVM that has a worker. */
@OnEachStore
class ShutdownTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    /** A time longer than any test. A test that waits for it fails. */
    private static final Duration LONG = Duration.ofHours(1);

    private static final int TERMINATED = 128 + 15;

    @Parameter
    StoreKind kind;

    @TempDir
    Path folder;

    private Target target;
    private Windrow windrow;

    @BeforeEach
    void open() {
        target = kind.newTarget(folder);
        windrow = Windrow.open(target.newStore());
    }

    @AfterEach
    void close() throws Exception {
        windrow.close();
        target.close();
    }

    private Child start(Duration drain, String... more) throws Exception {
        List<Object> arguments = new ArrayList<>(List.of(target, drain));
        arguments.addAll(List.of(more));
        return Child.start(folder, EmbeddedWorker.class, arguments.toArray());
    }

    private static void untilItStops(Child child) {
        await().atMost(PATIENCE).until(() -> child.log().contains(" stops"));
    }

    private JobHistory history(JobRef<?> job) {
        return windrow.job(job).history();
    }

    @Test
    void aSignalLetsARunningJobCompleteWithItsOnlyAttempt() throws Exception {
        JobRef<Integer> job = windrow.enqueue(EmbeddedWorker.HOLD, "");
        try (Child child = start(LONG)) {
            child.await("started " + job.id()).signal("TERM");
            untilItStops(child);
            child.send("finish");
            assertThat(child.awaitEnd()).isEqualTo(TERMINATED);
            assertThat(child.troubles()).isEmpty();
        }
        assertThat(history(job).job().state()).isEqualTo(JobState.COMPLETED);
    }

    @Test
    void systemExitLetsARunningJobCompleteWithItsOnlyAttempt() throws Exception {
        JobRef<Integer> job = windrow.enqueue(EmbeddedWorker.HOLD, "");
        try (Child child = start(LONG)) {
            child.await("started " + job.id()).send("exit");
            untilItStops(child);
            child.send("finish");
            assertThat(child.awaitEnd()).isEqualTo(4);
            assertThat(child.troubles()).isEmpty();
        }
        assertThat(history(job).job().state()).isEqualTo(JobState.COMPLETED);
    }

    @Test
    void theEndOfMainLetsARunningJobCompleteWithItsOnlyAttempt() throws Exception {
        JobRef<Integer> job = windrow.enqueue(EmbeddedWorker.HOLD, "");
        try (Child child = start(LONG, "leave")) {
            child.await("started " + job.id());
            untilItStops(child);
            child.send("finish");
            assertThat(child.awaitEnd()).isZero();
            assertThat(child.troubles()).isEmpty();
        }
        assertThat(history(job).job().state()).isEqualTo(JobState.COMPLETED);
    }

    @Test
    void theEndOfTheJvmShortensACloseAndTheNextWorkerCompletesAnUnfinishedJob() throws Exception {
        JobRef<Integer> job = windrow.enqueue(EmbeddedWorker.HOLD, "");
        try (Child child = start(Duration.ZERO)) {
            child.await("started " + job.id()).send("close");
            untilItStops(child);
            child.signal("TERM");
            child.await("interrupted");
            assertThat(child.awaitEnd()).isEqualTo(TERMINATED);
        }
        assertThat(history(job).attempts())
                .extracting(JobHistory.Attempt::outcome)
                .containsOnly(AttemptOutcome.RELEASED);
        try (var worker = windrow.worker()
                .handle(EmbeddedWorker.HOLD, (input, context) -> context.attempt())
                .start()) {
            assertThat(windrow.await(job, PATIENCE)).isEqualTo(1);
            assertThat(worker.name()).isNotEmpty();
        }
    }

    @Test
    void aHandlerThatCallsSystemExitEndsItsProcessAndCountsAsAnAttempt() throws Exception {
        JobRef<Void> job = windrow.enqueue(EmbeddedWorker.EXIT, "");
        try (Child child = start(LONG)) {
            assertThat(child.awaitEnd()).isEqualTo(3);
        }
        assertThat(history(job).job().state()).isEqualTo(JobState.FAILED);
        assertThat(history(job).job().errorCode()).isEqualTo(ErrorCodes.INTERNAL_CRASHED);
        assertThat(history(job).job().errorDetail()).isEqualTo("the handler called System.exit");
        assertThat(history(job).stackTrace()).contains("EmbeddedWorker");
    }

    @Test
    void aHandlerThatCallsSystemExitDuringShutdownDoesNotDelayIt() throws Exception {
        JobRef<Void> job = windrow.enqueue(EmbeddedWorker.EXIT_LATER, "");
        try (Child child = start(LONG)) {
            child.await("started " + job.id()).signal("TERM");
            untilItStops(child);
            child.send("finish");
            assertThat(child.awaitEnd()).isEqualTo(TERMINATED);
        }
        assertThat(history(job).job().errorDetail()).isEqualTo("the handler called System.exit");
    }
}
