package dev.windrow.tests.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.windrow.Store;
import dev.windrow.Windrow;
import dev.windrow.monitor.DiagnoseOptions;
import dev.windrow.monitor.Diagnosis;
import dev.windrow.tests.stores.OnEachStore;
import dev.windrow.tests.stores.StoreKind;
import dev.windrow.tests.stores.Target;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/**
 * Some workers and two enqueuers run on one store, each in its own process. The test kills random processes with SIGKILL at random moments, also
 * during their starts and ends, and replaces them. At rest, it compares the history with the promises. The test prints its seed, which determines the
 * kills and the jobs. {@code -Dwindrow.storm.seed=N} repeats it. {@code -Dwindrow.storm.kills=N} and {@code -Dwindrow.storm.workers=N} set the
 * numbers of kills and workers.
 */
@OnEachStore
class KillStormTest {
    private static final int KILLS = Soak.number("windrow.storm.kills", 4, 100);
    private static final int WORKERS = Soak.number("windrow.storm.workers", 3, 6);
    private static final int ENQUEUERS = 2;
    private static final int MAX_PAUSE_MICROS = Soak.number("windrow.storm.pause", 600_000, 900_000);

    @Parameter
    StoreKind kind;

    @TempDir
    Path folder;

    private Path data;
    private Target target;
    private Storm storm;

    @BeforeEach
    void choose() throws Exception {
        data = Files.createDirectory(folder.resolve("data"));
        target = kind.newTarget(data);
        storm = new Storm(folder, target);
    }

    @AfterEach
    void kill() throws Exception {
        storm.close();
        target.close();
    }

    @Test
    void a_storm_of_kills_loses_nothing_doubles_nothing_and_leaves_no_leftovers() throws Exception {
        long seed = Soak.seed("windrow.storm.seed");
        System.out.println("kill storm on " + kind + ": seed " + seed + ", kills " + KILLS);
        SplittableRandom random = new SplittableRandom(seed);
        storm.begin(WORKERS, ENQUEUERS, random::nextLong);
        for (int kill = 0; kill < KILLS; kill++) {
            int which = random.nextInt(storm.size());
            storm.killAfter(random.nextLong(MAX_PAUSE_MICROS), which, random.nextLong());
        }
        // A worker that got no processor time for a lease is reported as late for a short time.
        await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> assertThatNothingIsWrong("amid the storm"));
        storm.settle();
        nothingIsLeftBehind();
        assertThatNothingIsWrong("at rest");
        History history = History.read(target);
        HistoryCheck.Result result = HistoryCheck.of(history, storm.seen(Storm.IN_FLIGHT));
        System.out.printf(
                "kill storm: %d jobs, %d attempts, %d kills, %d repeated calls%n",
                history.jobs().size(), history.attempts().size(), KILLS, result.repeatedCalls());
        assertThat(result.violations()).isEmpty();
        assertThat(storm.refused()).isEmpty();
        assertThat(storm.unknown()).isEmpty();
        // The driver logs an error when two processes clean up the same library at once. That error does not come
        // from Windrow.
        storm.logsAreWithout("SQLITE_BUSY", " ERROR dev.windrow");
    }

    private void assertThatNothingIsWrong(String when) {
        Store store = target.newStore();

        Diagnosis diagnosis = Windrow.diagnose(store, DiagnoseOptions.ALL);
        assertThat(diagnosis.checks().stream().filter(check -> !check.isOk()))
                .as(when)
                .isEmpty();
    }

    private void nothingIsLeftBehind() throws Exception {
        if (target.isFile()) {
            try (var left = Files.list(data)) {
                assertThat(left).as("left beside the database").containsExactly(target.file());
            }
        } else {
            assertThat(target.rows("""
                            SELECT state || ': ' || query FROM pg_stat_activity
                             WHERE backend_type = 'client backend' AND datname = current_database()
                               AND pid <> pg_backend_pid() AND xact_start IS NOT NULL
                            """))
                    .as("open transactions after all processes have ended")
                    .isEmpty();
        }
    }
}
