package dev.windrow.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.limit.LimitTarget;
import dev.windrow.limit.Rate;
import dev.windrow.postgres.writer.Writer;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.limit.KeyLimits;
import dev.windrow.store.limit.LimitChange;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The count of running jobs for a limit: it is exact, and leaves out the entries of ended jobs. */
class RunningSinceTest extends TwoTransactions {
    private StoreDriver store;

    @BeforeEach
    void openStore() {
        store = open(Writer.Probe.NONE);
    }

    @AfterEach
    void closeStore() {
        store.close();
    }

    private void limit(@Nullable Integer max) {
        StoreDriver.answer(KeyLimits.change(store.store(), LimitChange.limit(LimitTarget.queue("q"), "anna", max)));
    }

    private void enqueue(int jobs) {
        for (int i = 0; i < jobs; i++) {
            store.enqueue(NewRow.job());
        }
    }

    private void runOne() {
        List<ClaimedJob> claimed = store.claim(1);
        assertThat(claimed).hasSize(1);
        claimed.forEach(store::complete);
    }

    @Test
    void aLongRunningJobIsCounted() {
        limit(2);
        enqueue(10);
        assertThat(store.claim(1)).hasSize(1);
        for (int i = 0; i < 5; i++) {
            time.advance(Duration.ofMinutes(2));
            runOne();
        }
        assertThat(store.claim(10)).hasSize(1);
        assertThat(store.claim(10)).isEmpty();
    }

    @Test
    void aJobClaimedByAClockThatWasSetBackIsCounted() {
        limit(1);
        enqueue(10);
        for (int i = 0; i < 3; i++) {
            time.advance(Duration.ofMinutes(2));
            runOne();
        }
        time.stepWall(Duration.ofHours(-1));
        assertThat(store.claim(10)).hasSize(1);
        assertThat(store.claim(10)).isEmpty();
        time.stepWall(Duration.ofHours(1));
        assertThat(store.claim(10)).isEmpty();
    }

    @Test
    void aJobClaimedWithoutALimitIsCounted() {
        // The rate keeps the row of the queue's limits when the maximum is removed.
        Rate any = new Rate(1_000_000, Duration.ofSeconds(1), 1_000);
        StoreDriver.answer(KeyLimits.change(store.store(), LimitChange.limitRate(LimitTarget.queue("q"), "anna", any)));
        limit(1);
        enqueue(10);
        for (int i = 0; i < 3; i++) {
            time.advance(Duration.ofMinutes(2));
            runOne();
        }
        limit(null);
        time.stepWall(Duration.ofHours(-1));
        assertThat(store.claim(1)).hasSize(1);
        time.stepWall(Duration.ofHours(1));
        limit(1);
        assertThat(store.claim(10)).isEmpty();
    }

    @Test
    void aLimitedClaimDuringALongTransactionReadsFewDeadRows() throws SQLException {
        limit(5);
        enqueue(1);
        int dead = 5_000;
        int claims = 50;
        try (Connection old = server.dataSource().getConnection();
                Statement statement = old.createStatement()) {
            old.setAutoCommit(false);
            old.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            statement.execute("SELECT count(*) FROM pg_class");
            tables.execute("INSERT INTO windrow_jobs (id, scheduled_at, lane, max_attempts, state, claimed_at)"
                    + " SELECT 1000000 + n, 1000, 1, 5, 'RUNNING', 1000 + n FROM generate_series(1, " + dead + ") n");
            tables.execute("UPDATE windrow_jobs SET state = 'COMPLETED' WHERE id > 1000000");
            runOne();
            long before = read();
            for (int i = 0; i < claims; i++) {
                enqueue(1);
                runOne();
            }
            assertThat(read() - before).isLessThan((long) claims * dead / 5);
            old.rollback();
        }
    }

    private long read() throws SQLException {
        String before = "";
        String now = "0";
        while (!now.equals(before)) {
            tables.execute("SELECT pg_sleep(0.6), pg_stat_clear_snapshot()");
            before = now;
            now = tables.one("SELECT idx_tup_read FROM pg_stat_user_indexes"
                    + " WHERE indexrelid = 'windrow_jobs_running'::regclass");
        }
        return Long.parseLong(now);
    }
}
