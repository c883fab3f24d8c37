package dev.windrow.tests.processes.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.windrow.EventKind;
import dev.windrow.JobHistory;
import dev.windrow.JobRef;
import dev.windrow.JobRequest;
import dev.windrow.JobState;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.tests.processes.Child;
import dev.windrow.tests.processes.TestWorker;
import dev.windrow.tests.stores.OnceOnEachStore;
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

/** A process that dies while it releases the children of an ended job leaves the rest to other processes. */
@OnceOnEachStore
class ManyChildrenAcrossProcessesTest {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int CHILDREN = 8000;

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

    private long count(JobState state) {
        return windrow.monitor().statistics().states().getOrDefault(state, 0L);
    }

    @Test
    void anotherProcessReleasesTheRemainingChildren() throws Exception {
        try (Child dying = Child.start(folder, TestWorker.class, target, 1, 2_000)) {
            dying.await("ready");
            JobRef<String> parent = windrow.enqueue(TestWorker.HOLD, "x");
            dying.await("started " + parent.id());
            List<JobRef<?>> children = new ArrayList<>();
            while (children.size() < CHILDREN) {
                List<JobRequest<String, Long>> jobs = new ArrayList<>();
                for (int i = 0; i < 1000; i++) {
                    // The jobs are not due, so no worker runs them.
                    jobs.add(TestWorker.NOOP.job("x").withParents(parent).withDelay(Duration.ofDays(1)));
                }
                windrow.enqueueAll(jobs).forEach(child -> children.add(child));
            }
            dying.send("finish " + parent.id());
            await().atMost(PATIENCE).until(() -> count(JobState.SCHEDULED) > 0);
            dying.kill();
            long left = count(JobState.BLOCKED);
            System.out.printf("many children on %s: %d of %d are left by the dead%n", kind, left, CHILDREN);
            assertThat(windrow.monitor().diagnose().failed()).isEmpty();
            try (Worker other = windrow.worker()
                    .handle(TestWorker.NOOP, (input, job) -> 0L)
                    .lease(Duration.ofSeconds(2))
                    .start()) {
                await(other.name()).atMost(PATIENCE).until(() -> count(JobState.SCHEDULED) == CHILDREN);
            }
            for (int i = 0; i < CHILDREN; i += 499) {
                assertThat(windrow.job(children.get(i)).history().events())
                        .extracting(JobHistory.Event::event)
                        .containsExactly(EventKind.ENQUEUED, EventKind.RELEASED);
            }
            assertThat(windrow.monitor().diagnose().failed()).isEmpty();
        }
    }
}
