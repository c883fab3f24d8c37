package dev.windrow.tests.processes.limit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobRef;
import dev.windrow.JobRequest;
import dev.windrow.JobState;
import dev.windrow.Windrow;
import dev.windrow.limit.ConcurrencyKey;
import dev.windrow.tests.processes.Child;
import dev.windrow.tests.processes.TestWorker;
import dev.windrow.tests.stores.OnceOnEachStore;
import dev.windrow.tests.stores.StoreKind;
import dev.windrow.tests.stores.Target;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** Concurrency keys hold across all processes under kills. The check uses the history of the jobs. */
@OnceOnEachStore
class KeyPermitsAcrossProcessesTest {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int LIMIT = 3;

    @Parameter
    StoreKind kind;

    @TempDir
    Path folder;

    private Target target;
    private Windrow windrow;
    private final List<Child> children = new ArrayList<>();

    @BeforeEach
    void choose() {
        target = kind.newTarget(folder);
        windrow = Windrow.open(target.newStore());
    }

    @AfterEach
    void kill() throws Exception {
        for (Child child : children) {
            child.kill();
        }
        windrow.close();
        target.close();
    }

    private Child worker() throws Exception {
        Child child = Child.start(folder, TestWorker.class, target, 4, 5_000);
        children.add(child);
        return child;
    }

    private List<JobRef<?>> enqueue(ConcurrencyKey key, int count) {
        List<JobRequest<String, Long>> jobs = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            jobs.add(TestWorker.BRIEF.job("x").withConcurrencyKey(key));
        }
        List<JobRef<?>> refs = new ArrayList<>();
        windrow.enqueueAll(jobs).forEach(enqueued -> refs.add(enqueued));
        return refs;
    }

    /** An attempt by the times of its handler. The time of a claim is the begin of its transaction, when the permit may not have been free yet. */
    private record Attempt(long job, long startedAt, long endedAt) {}

    private List<Attempt> attempts(String key) {
        List<Attempt> attempts = new ArrayList<>();
        for (String row : target.rows("""
                SELECT id || '|' || started_at || '|' || finished_at FROM windrow_jobs
                 WHERE state = 'COMPLETED' AND concurrency_key = '%s'
                 UNION ALL
                SELECT a.job_id || '|' || a.started_at || '|' || a.finished_at
                  FROM windrow_attempts a JOIN windrow_jobs j ON j.id = a.job_id
                 WHERE a.started_at IS NOT NULL AND j.concurrency_key = '%s'
                """.formatted(key, key))) {
            String[] values = row.split("\\|", -1);
            attempts.add(new Attempt(Long.parseLong(values[0]), Long.parseLong(values[1]), Long.parseLong(values[2])));
        }
        attempts.sort(Comparator.comparingLong(Attempt::startedAt).thenComparingLong(Attempt::endedAt));
        return attempts;
    }

    private static int maxAtOnce(List<Attempt> attempts) {
        int most = 0;
        for (Attempt one : attempts) {
            int at = 0;
            for (Attempt other : attempts) {
                if (other.startedAt <= one.startedAt && other.endedAt > one.startedAt) {
                    at++;
                }
            }
            most = Math.max(most, at);
        }
        return most;
    }

    @Test
    void concurrencyKeysHoldWhileWorkersAreKilled() throws Exception {
        List<Child> started = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            started.add(worker());
        }
        for (Child child : started) {
            child.await("ready");
        }
        List<JobRef<?>> limited = enqueue(ConcurrencyKey.atMost("tenant", LIMIT), 120);
        List<JobRef<?>> ordered = enqueue(ConcurrencyKey.inSequence("order"), 60);
        for (int i = 0; i < 3; i++) {
            windrow.await(limited.get(25 * (i + 1)), PATIENCE);
            children.get(i).kill();
            worker();
        }
        windrow.key("tenant").pause();
        windrow.key("tenant").resume();
        for (JobRef<?> job : limited) {
            windrow.await(job, PATIENCE);
        }
        for (JobRef<?> job : ordered) {
            windrow.await(job, PATIENCE);
        }
        assertThat(windrow.monitor().statistics().states()).containsEntry(JobState.COMPLETED, 180L);
        List<Attempt> ofTenant = attempts("tenant");
        List<Attempt> ofOrder = attempts("order");
        System.out.printf(
                "keys on %s: %d attempts, at most %d at once; %d attempts in sequence%n",
                kind, ofTenant.size(), maxAtOnce(ofTenant), ofOrder.size());
        assertThat(maxAtOnce(ofTenant)).isLessThanOrEqualTo(LIMIT);
        assertThat(maxAtOnce(ofOrder)).isEqualTo(1);
        // A killed job runs again before the next one.
        assertThat(ofOrder.stream().map(Attempt::job).toList()).isSorted();
        assertThat(windrow.monitor().diagnose().failed()).isEmpty();
    }
}
