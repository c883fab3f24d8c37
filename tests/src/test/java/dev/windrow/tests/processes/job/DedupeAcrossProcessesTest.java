package dev.windrow.tests.processes.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.Dedupe;
import dev.windrow.Enqueued;
import dev.windrow.JobState;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.tests.crash.Soak;
import dev.windrow.tests.processes.Child;
import dev.windrow.tests.processes.TestWorker;
import dev.windrow.tests.stores.OnceOnEachStore;
import dev.windrow.tests.stores.StoreKind;
import dev.windrow.tests.stores.Target;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/**
 * Failure class 20: many processes enqueue the same keys, and each key has one job. {@code -Dwindrow.dedupe.processes} starts more processes, with
 * one thread each. {@code -Dwindrow.dedupe.rounds} sets the number of rounds.
 */
@OnceOnEachStore
class DedupeAcrossProcessesTest {
    private static final int KEYS = Soak.number("windrow.dedupe.keys", 200, 1000);
    private static final int PROCESSES = Integer.getInteger("windrow.dedupe.processes", 4);
    private static final int THREADS = Math.max(1, 16 / PROCESSES);
    private static final int ROUNDS = Soak.number("windrow.dedupe.rounds", 1, 50);

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

    private void start(int keys, int rounds, String how) throws Exception {
        for (int i = 0; i < PROCESSES; i++) {
            children.add(Child.start(folder, KeyEnqueuer.class, target, THREADS, keys, rounds, 1000L * i, how));
        }
        for (Child child : children) {
            child.await("ready");
        }
        for (Child child : children) {
            child.send("go");
        }
    }

    /** Waits for all processes, and returns how many of their jobs were new. */
    private long fresh() throws Exception {
        long fresh = 0;
        for (Child child : children) {
            fresh += Long.parseLong(child.awaitPrefix("new "));
            assertThat(child.awaitEnd()).isZero();
            assertThat(child.troubles()).isEmpty();
        }
        return fresh;
    }

    private void eachKeyHasOneJob(int keys) {
        try (Windrow windrow = Windrow.open(target.newStore())) {
            assertThat(windrow.monitor().statistics().states()).containsEntry(JobState.PENDING, (long) keys);
            assertThat(windrow.monitor().diagnose().failed()).isEmpty();
        }
        assertThat(target.rows("SELECT count(*) FROM windrow_jobs")).containsExactly("" + keys);
        assertThat(target.rows("SELECT count(DISTINCT key) FROM windrow_dedupe"))
                .containsExactly("" + keys);
        assertThat(target.rows("SELECT count(DISTINCT job_id) FROM windrow_dedupe"))
                .containsExactly("" + keys);
    }

    @Test
    void each_key_has_one_job_across_processes() throws Exception {
        start(KEYS, ROUNDS, "plain");
        assertThat(fresh()).isEqualTo(KEYS);
        eachKeyHasOneJob(KEYS);
    }

    @Test
    void each_key_has_one_job_when_callers_transactions_roll_back() throws Exception {
        int keys = KEYS / 10;
        start(keys, Math.min(ROUNDS, 3), "transactions");
        assertThat(fresh()).isEqualTo(keys);
        eachKeyHasOneJob(keys);
    }

    @Test
    void a_killed_process_leaves_no_key_without_its_job() throws Exception {
        start(KEYS, ROUNDS, "plain");
        children.get(0).kill();
        children.remove(0);
        assertThat(fresh()).isLessThanOrEqualTo(KEYS);
        eachKeyHasOneJob(KEYS);
    }

    @Test
    void a_callers_transaction_that_holds_a_key_blocks_only_that_key() throws Exception {
        try (Windrow windrow = Windrow.open(target.newStore());
                Worker worker = windrow.worker()
                        .handleVoid(KeyEnqueuer.KEYED, (input, job) -> {})
                        .handle(TestWorker.NOOP, (input, job) -> 0L)
                        .start()) {
            Enqueued<Void> first;
            CompletionStage<Enqueued<Void>> waiting;
            try (Connection connection = target.begin()) {
                first = windrow.on(connection).enqueue(KeyEnqueuer.KEYED.job(1).withDedupe(held("held")));
                waiting = windrow.enqueueAsync(KeyEnqueuer.KEYED.job(1).withDedupe(held("held")));
                if (!target.isFile()) {
                    // On a file no process writes beside the caller.
                    for (int i = 0; i < 20; i++) {
                        windrow.await(
                                windrow.enqueue(KeyEnqueuer.KEYED.job(2).withDedupeKey("free")), Duration.ofMinutes(1));
                        windrow.await(windrow.enqueue(TestWorker.NOOP, "x"), Duration.ofMinutes(1));
                    }
                    assertThat(waiting.toCompletableFuture()).isNotDone();
                }
                connection.commit();
            }
            Enqueued<Void> second = waiting.toCompletableFuture().get(60, TimeUnit.SECONDS);
            assertThat(second.deduplicated()).isTrue();
            assertThat(second.id()).isEqualTo(first.id());
            windrow.await(first, Duration.ofMinutes(1));
            assertThat(worker.name()).isNotEmpty();
        }
    }

    private static Dedupe held(String key) {
        return Dedupe.key(key).forEver();
    }
}
