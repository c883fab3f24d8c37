package dev.windrow.tests.processes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.Windrow;
import dev.windrow.tests.stores.Target;
import dev.windrow.testserver.PostgresServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Failure class 23: many open a schema at once that is not there yet. */
class OpeningTest {
    private static final int PROCESSES = 4;
    private static final int STORES = 8;

    @TempDir
    Path folder;

    private final List<Child> children = new ArrayList<>();
    private Target target;

    @BeforeEach
    void choose() {
        target = Target.newSchema(PostgresServer.shared());
    }

    @AfterEach
    void close() throws Exception {
        for (Child child : children) {
            child.kill();
        }
        target.close();
    }

    @Test
    void four_processes_that_open_a_new_schema_at_once_all_work() throws Exception {
        for (int i = 0; i < PROCESSES; i++) {
            children.add(Child.start(
                    folder, List.of("-D" + TestWorker.WAITS + "=true"), TestWorker.class, target, 1, 30_000));
        }
        for (Child child : children) {
            child.await("loaded");
        }
        for (Child child : children) {
            child.send("open");
        }
        for (Child child : children) {
            child.await("ready");
        }
        assertThat(target.rows("SELECT version FROM windrow_schema ORDER BY version"))
                .containsExactly("1", "2");
        try (Windrow windrow = Windrow.open(target.newStore())) {
            List<JobRef<String>> jobs = new ArrayList<>();
            for (int i = 0; i < PROCESSES; i++) {
                jobs.add(windrow.enqueue(TestWorker.HOLD, "x"));
            }
            // Each process has one slot, so each holds one of the jobs while none is finished.
            List<String> held = new ArrayList<>();
            for (Child child : children) {
                held.add(child.awaitPrefix("started "));
            }
            for (int i = 0; i < PROCESSES; i++) {
                children.get(i).send("finish " + held.get(i));
            }
            for (JobRef<String> job : jobs) {
                assertThat(windrow.await(job, Duration.ofMinutes(1))).isEqualTo("by attempt 1");
            }
            assertThat(windrow.monitor().statistics().states()).containsEntry(JobState.COMPLETED, (long) PROCESSES);
        }
        for (Child child : children) {
            child.send("stop");
            child.await("stopped");
            assertThat(child.awaitEnd()).isZero();
            assertThat(child.troubles()).isEmpty();
        }
    }

    @Test
    void a_store_that_opens_waits_for_another_one_that_adds_the_same_names() throws Exception {
        Windrow.open(target.newStore()).close();
        CompletableFuture<Long> job = new CompletableFuture<>();
        try (Connection other = target.begin();
                Statement statement = other.createStatement()) {
            statement.execute("DELETE FROM windrow_actors");
            other.commit();
            statement.execute("INSERT INTO windrow_actors (name) VALUES ('system')");
            Thread opens = new Thread(() -> {
                try (Windrow windrow = Windrow.open(target.newStore())) {
                    job.complete(windrow.enqueue(TestWorker.NOOP, "x").id());
                } catch (Throwable e) {
                    job.completeExceptionally(e);
                }
            });
            opens.setDaemon(true);
            opens.start();
            // Each try is a separate transaction, which ends within milliseconds.
            Set<String> tries = new HashSet<>();
            await().atMost(Duration.ofMinutes(1))
                    .pollInterval(Duration.ofMillis(5))
                    .until(() -> {
                        tries.addAll(target.rows("SELECT xact_start::text FROM pg_stat_activity"
                                + " WHERE wait_event_type = 'Lock' AND query LIKE '%windrow_actors%'"));
                        return tries.size() > 2 || job.isDone();
                    });
            other.commit();
        }
        assertThat(job.get(1, TimeUnit.MINUTES)).isPositive();
    }

    @Test
    void eight_stores_that_open_a_new_schema_at_once_all_work() throws Exception {
        CyclicBarrier barrier = new CyclicBarrier(STORES);
        List<CompletableFuture<Long>> enqueued = new ArrayList<>();
        for (int i = 0; i < STORES; i++) {
            CompletableFuture<Long> job = new CompletableFuture<>();
            enqueued.add(job);
            Thread thread = new Thread(() -> {
                try {
                    barrier.await(1, TimeUnit.MINUTES);
                    try (Windrow windrow = Windrow.open(target.newStore())) {
                        job.complete(windrow.enqueue(TestWorker.NOOP, "x").id());
                    }
                } catch (Exception e) {
                    job.completeExceptionally(e);
                }
            });
            thread.setDaemon(true);
            thread.start();
        }
        List<String> jobs = new ArrayList<>();
        for (CompletableFuture<Long> job : enqueued) {
            jobs.add(Long.toString(job.get(1, TimeUnit.MINUTES)));
        }
        assertThat(target.rows("SELECT id FROM windrow_jobs")).containsExactlyInAnyOrderElementsOf(jobs);
        assertThat(target.rows("SELECT version FROM windrow_schema ORDER BY version"))
                .containsExactly("1", "2");
    }
}
