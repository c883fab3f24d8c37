package dev.windrow.tests.processes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.Windrow;
import dev.windrow.tests.crash.Soak;
import dev.windrow.tests.stores.OnEachStore;
import dev.windrow.tests.stores.StoreKind;
import dev.windrow.tests.stores.Target;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** Many processes on one store: each job runs once, no process starves, no lock causes an error, and no file is left behind. */
@OnEachStore
class ManyProcessesTest {
    private static final int JOBS = Soak.number("windrow.processes.jobs", 500, 10_000);
    private static final int WORKERS = Soak.number("windrow.processes.workers", 4, 12);

    @Parameter
    StoreKind kind;

    @TempDir
    Path folder;

    private Target target;
    private final List<Child> children = new ArrayList<>();

    @BeforeEach
    void choose() {
        target = kind.newTarget(folder);
    }

    @AfterEach
    void kill() throws Exception {
        for (Child child : children) {
            child.kill();
        }
        target.close();
    }

    private Child worker(int slots) throws Exception {
        Child child = Child.start(folder, TestWorker.class, target, slots, 30_000);
        children.add(child);
        return child;
    }

    @Test
    void many_workers_share_a_backlog_and_run_each_job_once() throws Exception {
        try (Windrow windrow = Windrow.open(target.newStore())) {
            for (int i = 0; i < WORKERS; i++) {
                worker(2);
            }
            for (Child child : children) {
                child.await("ready");
            }
            // Each job takes 20 ms, so that one worker cannot run them all.
            for (int i = 0; i < JOBS; i += 500) {
                windrow.enqueueAll(Collections.nCopies(Math.min(500, JOBS - i), TestWorker.BRIEF.job("x")));
            }
            JobRef<Long> last = windrow.enqueue(TestWorker.NOOP.job("last").withPriority(-1));
            windrow.await(last, Duration.ofMinutes(2));
            // The last claimed job may not be the last one to end. A worker that stops earlier hands the rest back.
            await().atMost(Duration.ofMinutes(2))
                    .until(() -> windrow.monitor().statistics().states().get(JobState.COMPLETED) == JOBS + 1L);
            for (Child child : children) {
                child.send("stop");
                child.await("stopped");
                assertThat(child.awaitEnd()).isZero();
                assertThat(child.troubles()).isEmpty();
            }
            assertThat(windrow.monitor().statistics().states()).containsEntry(JobState.COMPLETED, JOBS + 1L);
        }
        assertThat(target.rows("SELECT count(*) FROM windrow_attempt_view")).containsExactly("" + (JOBS + 1));
        assertThat(target.rows(
                        "SELECT count(*) FROM windrow_attempt_view WHERE outcome <> 'SUCCEEDED' OR attempt <> 1"))
                .containsExactly("0");
        List<Integer> shares =
                target.rows("SELECT count(*) FROM windrow_attempt_view GROUP BY worker ORDER BY 1").stream()
                        .map(Integer::valueOf)
                        .toList();
        System.out.println("shares of the workers: " + shares);
        assertThat(shares).hasSize(WORKERS);
        assertThat(target.rows("SELECT name FROM windrow_workers")).isEmpty();
        if (target.isFile()) {
            try (var left = Files.list(folder)) {
                assertThat(left.map(path -> path.getFileName().toString()).filter(name -> !name.endsWith(".log")))
                        .containsExactly("jobs.db");
            }
        }
    }

    @Test
    void an_enqueue_wakes_an_idle_worker_of_another_process_without_its_poll() throws Exception {
        try (Windrow windrow = Windrow.open(target.newStore())) {
            Child child = worker(1);
            child.await("ready");
            for (int i = 0; i < 20; i++) {
                windrow.await(windrow.enqueue(TestWorker.NOOP, "x"), Duration.ofMinutes(1));
            }
            JobRef<Long> later = windrow.enqueue(TestWorker.NOOP.job("x").withDelay(Duration.ofMillis(30)));
            windrow.await(later, Duration.ofMinutes(1));
            child.send("stop");
            child.await("stopped");
            assertThat(child.troubles()).isEmpty();
        }
    }
}
