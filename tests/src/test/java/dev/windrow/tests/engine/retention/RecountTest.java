package dev.windrow.tests.engine.retention;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobRef;
import dev.windrow.Windrow;
import dev.windrow.monitor.Statistics;
import dev.windrow.payload.Json;
import dev.windrow.retention.RetentionResult;
import dev.windrow.store.OpenStore;
import dev.windrow.tests.engine.EngineTest;
import dev.windrow.tests.stores.OnceOnEachStore;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The sums of failures after a process of an older version, which does not update them, has changed failed jobs. */
@OnceOnEachStore
class RecountTest extends EngineTest {
    private static final Duration PART = Duration.ofMillis(5);

    /** Returns jobs that fail with this code, one after the other, a minute apart. */
    private List<JobRef<Json>> failed(int count, String code) {
        List<JobRef<Json>> jobs = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            time.advance(Duration.ofMinutes(1));
            JobRef<Json> job = enqueue(ECHO);
            windrow.job(job).fail(code, "told");
            jobs.add(job);
        }
        return jobs;
    }

    /** Executes statements that leave the state of an older version's process: the jobs are changed, and the sums are not. */
    private void theOldWay(String... statements) throws Exception {
        try (Connection connection = target.begin();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
            connection.commit();
        }
    }

    private boolean areSumsRight() {
        return windrow.monitor().diagnose().failed().stream().noneMatch(check -> check.startsWith("counters"));
    }

    private List<Statistics.Failures> failures() {
        return windrow.monitor().statistics().failures();
    }

    private RetentionResult pass(Windrow by) {
        CompletableFuture<RetentionResult> done =
                onItsOwnThread(() -> by.retention().cleanup());
        runClockUntil(PART, done::isDone);
        return done.join();
    }

    private void forget(String code) throws Exception {
        String where = " WHERE error_code = '" + code + "'";
        if (target.isFile()) {
            theOldWay("DELETE FROM windrow_failures" + where);
        } else {
            theOldWay("DELETE FROM windrow_failure_deltas" + where, "DELETE FROM windrow_failures" + where);
        }
    }

    @Test
    void aPassCorrectsTheCountsOfAnOlderProcess() throws Exception {
        List<JobRef<Json>> jobs = failed(3, "TEST:A");
        failed(2, "TEST:B");
        Statistics.Failures untouched = failures().stream()
                .filter(sum -> sum.errorCode().equals("TEST:B"))
                .findFirst()
                .orElseThrow();
        // Three failed jobs are not counted, and two retried ones are still counted.
        forget("TEST:A");
        theOldWay("INSERT INTO windrow_failures (error_code, n, first_at, last_at) VALUES ('TEST:GONE', 2, 5, 6)");
        assertThat(areSumsRight()).isFalse();
        assertThat(failures()).extracting(Statistics.Failures::errorCode).containsExactly("TEST:B", "TEST:GONE");
        assertThat(pass(windrow).complete()).isTrue();
        assertThat(areSumsRight()).isTrue();
        assertThat(failures())
                .containsExactly(
                        new Statistics.Failures(
                                /* errorCode= */ "TEST:A",
                                /* count= */ 3,
                                /* firstAt= */ history(jobs.get(0)).job().finishedAt(),
                                /* lastAt= */ history(jobs.get(2)).job().finishedAt(),
                                /* sampleJob= */ jobs.get(2).id(),
                                /* trend= */ failures().get(0).trend()),
                        untouched);
        // Correct sums are not changed.
        List<String> marked = target.rows("SELECT last_at FROM windrow_leaders WHERE name = 'recount'");
        time.advance(Duration.ofMinutes(1));
        pass(windrow);
        assertThat(target.rows("SELECT last_at FROM windrow_leaders WHERE name = 'recount'"))
                .isEqualTo(marked)
                .hasSize(1);
    }

    @Test
    void jobsWithoutAnErrorCodeAreCounted() throws Exception {
        JobRef<Json> job = failed(1, "TEST:A").get(0);
        theOldWay("UPDATE windrow_jobs SET error_code = NULL WHERE id = " + job.id());
        assertThat(areSumsRight()).isFalse();
        pass(windrow);
        assertThat(areSumsRight()).isTrue();
        assertThat(failures()).singleElement().satisfies(sum -> {
            assertThat(sum.count()).isEqualTo(1);
            assertThat(sum.lastAt()).isEqualTo(history(job).job().finishedAt());
        });
    }

    private static int recount(OpenStore store) {
        return store.submit(store.wrongFailureSums()).join();
    }

    @Test
    void oneOfTwoConcurrentRecountsAdds() throws Exception {
        failed(3, "TEST:A");
        OpenStore one = openBareStore();
        OpenStore other = openBareStore();
        for (int round = 0; round < 20; round++) {
            theOldWay("INSERT INTO windrow_failures (error_code, n, first_at, last_at) VALUES ('TEST:%d', 7, 5, 6)"
                    .formatted(round));
            CyclicBarrier together = new CyclicBarrier(2);
            List<CompletableFuture<Integer>> recounts = Stream.of(one, other)
                    .map(store -> onItsOwnThread(() -> {
                        await(together);
                        return recount(store);
                    }))
                    .toList();
            assertThat(recounts.get(0).join() + recounts.get(1).join()).isEqualTo(1);
            assertThat(areSumsRight()).as("round %d", round).isTrue();
        }
    }

    @Test
    void aRecountIsExactWhileOtherProcessesFailAndRetryJobs() throws Exception {
        List<JobRef<Json>> jobs = failed(40, "TEST:A");
        OpenStore counting = openBareStore();
        AtomicBoolean done = new AtomicBoolean();
        CompletableFuture<Void> moving = onItsOwnThread(() -> {
            for (JobRef<Json> job : jobs) {
                windrow.job(job).retry();
                windrow.job(job).fail("TEST:" + job.id() % 3);
            }
            done.set(true);
        });
        int rounds = 0;
        while (!done.get() && !moving.isDone()) {
            theOldWay("INSERT INTO windrow_failures (error_code, n, first_at, last_at) VALUES ('GONE:%d', 7, 5, 6)"
                    .formatted(rounds++));
            recount(counting);
        }
        moving.join();
        recount(counting);
        assertThat(areSumsRight()).isTrue();
        assertThat(failures().stream().mapToLong(Statistics.Failures::count).sum())
                .isEqualTo(40);
    }

    private static void await(CyclicBarrier barrier) {
        try {
            barrier.await(30, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
