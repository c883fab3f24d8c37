package dev.windrow.postgres.writer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.monitor.Health;
import dev.windrow.postgres.TwoTransactions;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The deltas of transactions are compacted, and a failing compaction is reported. */
class CounterCompactionTest extends TwoTransactions {
    private void awaitFolded() {
        await().atMost(Duration.ofSeconds(60))
                .until(() -> tables.one("SELECT count(*) FROM windrow_counter_deltas")
                        .equals("0"));
    }

    @Test
    void everyTableAllowsDeletionsUnderAPublicationOfAllTables() throws SQLException {
        try (StoreDriver store = open(Writer.Probe.NONE)) {
            store.enqueue(NewRow.job());
        }
        assertThat(tables.rows("SELECT relname FROM pg_class c WHERE relkind = 'r' AND relnamespace = '" + schema
                        + "'::regnamespace AND relreplident <> 'f' AND NOT EXISTS"
                        + " (SELECT 1 FROM pg_index WHERE indrelid = c.oid AND indisprimary)"))
                .isEmpty();
    }

    @Test
    void aPublicationOfTheDeltasDoesNotBlockCompaction() throws SQLException {
        try (StoreDriver store = open(Writer.Probe.NONE)) {
            tables.execute("CREATE PUBLICATION p_" + schema
                    + " FOR TABLE windrow_counter_deltas, windrow_failure_deltas, windrow_counters, windrow_failures");
            store.enqueue(NewRow.job());
            awaitFolded();
            assertThat(new Health(store.store().tasks()).isOk()).isTrue();
        } finally {
            tables.execute("DROP PUBLICATION p_" + schema);
        }
    }

    @Test
    void aRefusedCompactionIsAProblemUntilItSucceeds() throws SQLException {
        try (StoreDriver store = open(Writer.Probe.NONE)) {
            tables.execute("ALTER TABLE windrow_counters ADD CONSTRAINT refused CHECK (n < 0) NOT VALID");
            store.enqueue(NewRow.job());
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> store.store().tasks().stream()
                            .anyMatch(task -> task.problem() != null
                                    && task.name().startsWith("windrow-alive-")
                                    && task.problem().contains("refused")));
            tables.execute("ALTER TABLE windrow_counters DROP CONSTRAINT refused");
            // It recovers without new work.
            awaitFolded();
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> new Health(store.store().tasks()).isOk());
        }
    }
}
