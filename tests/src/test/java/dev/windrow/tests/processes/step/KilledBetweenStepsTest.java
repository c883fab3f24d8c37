package dev.windrow.tests.processes.step;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.windrow.AttemptOutcome;
import dev.windrow.JobHistory;
import dev.windrow.JobInfo;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.tests.processes.Child;
import dev.windrow.tests.processes.job.Booker;
import dev.windrow.tests.stores.OnceOnEachStore;
import dev.windrow.tests.stores.StoreKind;
import dev.windrow.tests.stores.Target;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/**
 * {@code kill -9} between every two steps of a handler that writes to a table of the application and ends its job in the same transaction. All of the
 * writes are stored or none, and each attempt is counted.
 */
@OnceOnEachStore
class KilledBetweenStepsTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @Parameter
    StoreKind kind;

    @TempDir
    Path folder;

    @Test
    void theJobCommitsWithTheWritesOfItsHandler() throws Exception {
        try (Target target = kind.newTarget(folder);
                Windrow windrow = Windrow.open(target.newStore())) {
            try (Connection connection = target.connect();
                    Statement statement = connection.createStatement()) {
                statement.execute(Booker.TABLE);
            }
            // All workers are killed before the first reclaim, which takes seconds.
            Map<Booker.Step, JobRef<String>> jobs = new EnumMap<>(Booker.Step.class);
            for (Booker.Step step : Booker.Step.values()) {
                jobs.put(step, killedAfter(step, target, windrow));
            }
            Worker.Builder worker = windrow.worker()
                    .lease(Duration.ofSeconds(1))
                    .queue("default")
                    .handle(Booker.BOOK, Booker.handler(target, (unused, context) -> {}))
                    .handleVoid(Booker.NEXT, (input, next) -> {});
            jobs.keySet().forEach(step -> worker.queue(Booker.queue(step)));
            try (Worker started = worker.start()) {
                assertThat(started.name()).isNotEmpty();
                for (Map.Entry<Booker.Step, JobRef<String>> job : jobs.entrySet()) {
                    isDone(job.getKey(), job.getValue(), target, windrow);
                }
            }
            assertThat(windrow.monitor().diagnose().failed()).isEmpty();
        }
    }

    private JobRef<String> killedAfter(Booker.Step step, Target target, Windrow windrow) throws Exception {
        JobRef<String> job = windrow.enqueue(Booker.BOOK.job(step.name()).withQueue(Booker.queue(step)));
        try (Child child = Child.start(folder, Booker.class, target, step)) {
            child.await("after " + step);
            child.kill();
        }
        boolean committed = step == Booker.Step.COMMITTED;
        assertThat(bookings(target, step)).hasSize(committed ? 1 : 0);
        assertThat(windrow.job(job).chain().jobs()).hasSize(committed ? 2 : 1);
        return job;
    }

    private static void isDone(Booker.Step step, JobRef<String> job, Target target, Windrow windrow) throws Exception {
        boolean committed = step == Booker.Step.COMMITTED;
        int attempts = committed ? 1 : 2;
        assertThat(windrow.await(job, PATIENCE)).isEqualTo("booked by attempt " + attempts);
        assertThat(bookings(target, step)).containsExactly(Integer.toString(attempts));
        await().atMost(PATIENCE)
                .until(() -> windrow.job(job).chain().jobs().get(1).state() == JobState.COMPLETED);
        assertThat(windrow.job(job).chain().jobs()).extracting(JobInfo::state).containsOnly(JobState.COMPLETED);
        assertThat(windrow.job(job).history().attempts())
                .extracting(JobHistory.Attempt::outcome)
                .isEqualTo(
                        committed
                                ? List.of(AttemptOutcome.SUCCEEDED)
                                : List.of(AttemptOutcome.RECOVERED, AttemptOutcome.SUCCEEDED));
    }

    private static List<String> bookings(Target target, Booker.Step step) {
        return target.rows("SELECT attempt FROM bookings WHERE id = '%s'".formatted(step));
    }
}
