package dev.windrow.postgres.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.postgres.PostgresStore;
import dev.windrow.postgres.TestTables;
import dev.windrow.store.Transition;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.testkit.ManualTime;
import dev.windrow.testserver.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The positions at which claims begin, and no job is left before them. */
class ClaimCursorsTest {
    private static final int LANE = 7;
    private static final Lanes LANES = new Lanes(1, List.of(new Lanes.Run(LANE, LANE)));

    private final ClaimCursors claimCursors = new ClaimCursors();

    private static ClaimCursors.Place place(long id) {
        return new ClaimCursors.Place(0, id, id);
    }

    private boolean leavesOut(long id) {
        return claimCursors.look(LANES).leavesOut(LANE, place(id));
    }

    private void claimUpTo(long id) {
        claimCursors.view(LANES).claimed(Map.of(LANE, place(id)));
    }

    @Test
    void claimsBeginAfterTheLastClaimedJob() {
        claimUpTo(10);
        assertThat(leavesOut(10)).isTrue();
        assertThat(leavesOut(11)).isFalse();
    }

    @Test
    void aHigherPriorityIsBeforeTheCursor() {
        claimUpTo(10);
        assertThat(claimCursors.look(LANES).leavesOut(LANE, new ClaimCursors.Place(-1, 99, 99)))
                .isTrue();
    }

    @Test
    void aReadyJobBeforeTheCursorMovesItBack() {
        claimUpTo(10);
        claimCursors.ready(LANE, place(5));
        assertThat(leavesOut(5)).isFalse();
        assertThat(leavesOut(4)).isTrue();
    }

    @Test
    void aJobThatBecomesReadyDuringAClaimIsFound() {
        ClaimCursors.View view = claimCursors.view(LANES);
        claimCursors.ready(LANE, place(5));
        view.claimed(Map.of(LANE, place(10)));
        assertThat(leavesOut(5)).isFalse();
        claimUpTo(12);
        assertThat(leavesOut(12)).isTrue();
    }

    @Test
    void aCursorMovedBackDuringAClaimStays() {
        claimUpTo(10);
        ClaimCursors.View view = claimCursors.view(LANES);
        claimCursors.ready(LANE, place(3));
        view.claimed(Map.of(LANE, place(20)));
        assertThat(leavesOut(3)).isFalse();
    }

    @Test
    void cursorsAreDroppedWhereAScanFromTheHeadIsFaster() {
        claimUpTo(10);
        claimCursors.lookedAtHead(3_600_000_000_000L);
        claimCursors.lookedAtHead(3_600_000_000_000L);
        assertThat(claimCursors.view(LANES).isFromHead()).isFalse();
        assertThat(leavesOut(10)).isTrue();
        claimCursors.lookedAtHead(1);
        assertThat(claimCursors.view(LANES).isFromHead()).isTrue();
        assertThat(leavesOut(10)).isFalse();
    }

    @Test
    void theDurationOfAClaimWithOtherStatementsIsNotItsOwn() {
        claimUpTo(10);
        claimCursors.lookedAtHead(1);
        ClaimCursors.View head = claimCursors.heads(LANES);
        for (int i = 0; i < 2; i++) {
            claimCursors.lookedWithOthers(head, 3_600_000_000_000L);
        }
        assertThat(claimCursors.mayLookAtHead()).isTrue();
        assertThat(claimCursors.isUnmeasured()).as("the next one is sent alone").isTrue();
        claimCursors.looked(head, 1);
        assertThat(claimCursors.isUnmeasured()).isFalse();
        claimCursors.lookedWithOthers(head, 1);
        assertThat(claimCursors.isUnmeasured()).as("all together took no time").isFalse();
    }

    @Test
    void aJobThatBecomesReadyDuringAClaimThatDropsTheCursorsIsFound() {
        claimUpTo(10);
        ClaimCursors.View view = claimCursors.view(LANES);
        assertThat(leavesOut(10)).as("forgotten").isFalse();
        claimCursors.ready(LANE, place(5));
        view.claimed(Map.of(LANE, place(20)));
        assertThat(leavesOut(5)).isFalse();
        assertThat(leavesOut(4)).isTrue();
    }

    @Test
    void claimsBeginAtTheHeadWhileThatIsCheap() {
        claimCursors.lookedAtHead(0);
        assertThat(claimCursors.view(LANES).isFromHead()).isTrue();
        claimCursors.lookedAtHead(3_600_000_000_000L);
        assertThat(claimCursors.mayLookAtHead())
                .as("one that took long is none")
                .isTrue();
        claimCursors.lookedAtHead(3_600_000_000_000L);
        assertThat(claimCursors.view(LANES).isFromHead()).isFalse();
        assertThat(claimCursors.mayLookAtHead()).isFalse();
    }

    @Test
    void onlyScansFromTheHeadMeasureTheirCost() {
        ClaimCursors.View head = claimCursors.lookAtHeads(LANES);
        claimCursors.looked(head, 3_600_000_000_000L);
        assertThat(claimCursors.mayLookAtHead()).as("one may have had to wait").isTrue();
        claimCursors.looked(head, 3_600_000_000_000L);
        assertThat(claimCursors.mayLookAtHead()).isFalse();
        ClaimCursors.View behind = claimCursors.view(LANES);
        assertThat(behind.isFromHead()).isFalse();
        claimCursors.looked(behind, 0);
        assertThat(claimCursors.mayLookAtHead()).isFalse();
        claimCursors.looked(head, 0);
        assertThat(claimCursors.mayLookAtHead()).isTrue();
    }

    /** The entries of claimed jobs cannot be removed while a transaction is open that could see them. */
    @Test
    void claimsDuringALongTransactionReadFewDeadRows() throws SQLException {
        PostgresServer server = PostgresServer.shared();
        String schema = server.newSchema();
        int jobs = 30_000;
        int claim = 100;
        try (StoreDriver store = new StoreDriver(
                        PostgresStore.configure(server.url()).schema(schema).build(), new ManualTime());
                TestTables tables = TestTables.open(server, schema);
                Connection old = server.dataSource().getConnection()) {
            old.setAutoCommit(false);
            old.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            try (Statement statement = old.createStatement()) {
                statement.execute("SELECT count(*) FROM pg_class");
            }
            for (int i = 0; i < jobs; i += 1000) {
                store.enqueueAll(Collections.nCopies(1000, NewRow.job()));
            }
            for (int i = 0; i < jobs; i += claim) {
                List<ClaimedJob> claimed = store.claim(claim);
                assertThat(claimed).hasSize(claim);
                List<CompletableFuture<Boolean>> settled = new ArrayList<>();
                for (ClaimedJob job : claimed) {
                    settled.add(store.store().submit(store.settlement(job, Transition.COMPLETE)));
                }
                assertThat(settled).allMatch(StoreDriver::answer);
            }
            assertThat(store.claim(1)).isEmpty();
            old.rollback();
            String read = "";
            String now = "0";
            while (!now.equals(read)) {
                tables.execute("SELECT pg_sleep(0.6), pg_stat_clear_snapshot()");
                read = now;
                now = tables.one(
                        "SELECT idx_tup_read FROM pg_stat_user_indexes WHERE indexrelid = 'windrow_jobs_claim'::regclass");
            }
            // Each claim from the head would read all jobs that were claimed before. While that is fast, some claims
            // do.
            long fromTheHead = (long) jobs * jobs / claim / 2;
            assertThat(Long.parseLong(now)).isLessThan(fromTheHead / 3);
        }
    }
}
