package dev.windrow.tests.processes.limit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobRef;
import dev.windrow.JobRequest;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.Windrow;
import dev.windrow.limit.LimitTarget;
import dev.windrow.limit.Rate;
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

/** Limits and rates hold across all processes under kills. The check uses the history of the jobs. */
@OnceOnEachStore
class LimitsAcrossProcessesTest {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int LIMIT = 5;

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

    private void workers(int count) throws Exception {
        List<Child> started = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            started.add(worker());
        }
        for (Child child : started) {
            child.await("ready");
        }
    }

    private List<JobRef<?>> enqueue(JobType<String, Long> type, int count) {
        List<JobRequest<String, Long>> jobs = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            jobs.add(type.job("x"));
        }
        List<JobRef<?>> refs = new ArrayList<>();
        windrow.enqueueAll(jobs).forEach(enqueued -> refs.add(enqueued));
        return refs;
    }

    /** Returns the claim time and the end of each attempt. */
    private List<long[]> claims() {
        return times("""
                SELECT claimed_at || '|' || finished_at
                  FROM (SELECT claimed_at, finished_at FROM windrow_jobs WHERE state = 'COMPLETED'
                        UNION ALL SELECT claimed_at, finished_at FROM windrow_attempts) a
                 ORDER BY claimed_at
                """);
    }

    /**
     * Returns the start and the end of each handler call. The time of a claim is the begin of its transaction, when the free slot that it found may
     * not have been free yet.
     */
    private List<long[]> runs() {
        return times("""
                SELECT started_at || '|' || finished_at
                  FROM (SELECT started_at, finished_at FROM windrow_jobs WHERE state = 'COMPLETED'
                        UNION ALL SELECT started_at, finished_at FROM windrow_attempts WHERE started_at IS NOT NULL) a
                 ORDER BY started_at
                """);
    }

    private List<long[]> times(String sql) {
        List<long[]> attempts = new ArrayList<>();
        for (String row : target.rows(sql)) {
            String[] times = row.split("\\|", -1);
            attempts.add(new long[] {Long.parseLong(times[0]), Long.parseLong(times[1])});
        }
        return attempts;
    }

    private static int maxAtOnce(List<long[]> attempts) {
        int most = 0;
        for (long[] one : attempts) {
            int at = 0;
            for (long[] other : attempts) {
                if (other[0] <= one[0] && other[1] > one[0]) {
                    at++;
                }
            }
            most = Math.max(most, at);
        }
        return most;
    }

    @Test
    void noMoreThanTheLimitRunAndSlotsOfDeadWorkersAreReused() throws Exception {
        windrow.limit(LimitTarget.type(TestWorker.BRIEF)).limit(LIMIT);
        workers(3);
        List<JobRef<?>> jobs = enqueue(TestWorker.BRIEF, 120);
        for (int i = 0; i < 2; i++) {
            windrow.await(jobs.get(40 * (i + 1)), PATIENCE);
            children.get(i).kill();
            worker();
        }
        for (JobRef<?> job : jobs) {
            windrow.await(job, PATIENCE);
        }
        assertThat(windrow.monitor().statistics().states()).containsEntry(JobState.COMPLETED, 120L);
        List<long[]> attempts = runs();
        int most = maxAtOnce(attempts);
        System.out.printf("limit %d on %s: %d attempts, at most %d at once%n", LIMIT, kind, attempts.size(), most);
        assertThat(most).isLessThanOrEqualTo(LIMIT);
    }

    @Test
    void allProcessesTogetherKeepARate() throws Exception {
        Rate rate = new Rate(40, Duration.ofSeconds(1), 2);
        windrow.limit(LimitTarget.type(TestWorker.NOOP)).limitRate(rate);
        workers(3);
        List<JobRef<?>> jobs = enqueue(TestWorker.NOOP, 120);
        for (JobRef<?> job : jobs) {
            windrow.await(job, PATIENCE);
        }
        List<long[]> attempts = claims();
        assertThat(attempts).hasSize(120);
        long span = attempts.get(119)[0] - attempts.get(0)[0];
        System.out.printf("rate 40/s on %s: 120 starts in %d ms%n", kind, span);
        for (int i = 0; i + 42 < attempts.size(); i++) {
            assertThat(attempts.get(i + 42)[0] - attempts.get(i)[0])
                    .as("from start %d", i)
                    .isGreaterThan(960);
        }
    }
}
