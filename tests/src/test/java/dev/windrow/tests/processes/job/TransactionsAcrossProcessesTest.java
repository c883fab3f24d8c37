package dev.windrow.tests.processes.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.windrow.JobState;
import dev.windrow.Windrow;
import dev.windrow.tests.processes.Child;
import dev.windrow.tests.stores.OnceOnEachStore;
import dev.windrow.tests.stores.StoreKind;
import dev.windrow.tests.stores.Target;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/**
 * Threads in each of two processes write rows of the application and jobs in managed transactions. Workers run the jobs and complete them in such
 * transactions. No lock causes an error, and each row is written once.
 */
@OnceOnEachStore
class TransactionsAcrossProcessesTest {
    private static final int PROCESSES = 2;
    private static final int ALL = PROCESSES * Trader.THREADS * Trader.ORDERS;

    @Parameter
    StoreKind kind;

    @TempDir
    Path folder;

    @Test
    void everyTransactionRunsAndEachRowIsWrittenOnce() throws Exception {
        try (Target target = kind.newTarget(folder);
                Windrow windrow = Windrow.open(target.newStore())) {
            Trader.createTables(target);
            try (Child first = Child.start(folder, Trader.class, target, 0);
                    Child second = Child.start(folder, Trader.class, target, 1)) {
                first.await("done");
                second.await("done");
                await().atMost(Duration.ofMinutes(2))
                        .until(() ->
                                windrow.monitor().statistics().states().getOrDefault(JobState.COMPLETED, 0L) == ALL);
            }
            List<String> once =
                    IntStream.range(0, ALL).mapToObj(Integer::toString).toList();
            assertThat(target.rows("SELECT id FROM orders ORDER BY id")).isEqualTo(once);
            assertThat(target.rows("SELECT id FROM receipts ORDER BY id")).isEqualTo(once);
            assertThat(target.rows("SELECT attempt FROM receipts"))
                    .as("no attempt failed, so none met a lock")
                    .containsOnly("1");
            assertThat(windrow.monitor().diagnose().failed()).isEmpty();
        }
    }
}
