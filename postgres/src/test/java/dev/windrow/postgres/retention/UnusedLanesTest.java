package dev.windrow.postgres.retention;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.postgres.Disturbance;
import dev.windrow.postgres.TwoTransactions;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.Enqueue;
import dev.windrow.store.job.EnqueuedJob;
import dev.windrow.store.retention.Prune;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A lane that retention deletes while a job is added to it. */
class UnusedLanesTest extends TwoTransactions {
    private static final NewRow TODAY = NewRow.of("today", "t");

    private StoreDriver store;

    @BeforeEach
    void open() {
        store = open(disturbance);
    }

    @AfterEach
    void close() {
        store.close();
    }

    /** Makes a lane whose only job was deleted long ago. Returns its number. */
    private String unusedLane() throws SQLException {
        long id = store.enqueue(TODAY);
        store.change(Change.Verb.CANCEL, id);
        store.change(Change.Verb.DELETE, id);
        store.enqueue(NewRow.of("tomorrow", "t"));
        time.advance(Duration.ofDays(36));
        String lane = tables.one("SELECT id FROM windrow_lanes WHERE queue = 'today'");
        // The deltas of transactions are compacted once a second. Here that happens at once.
        tables.execute("DELETE FROM windrow_counter_deltas; UPDATE windrow_counters SET n = 0 WHERE lane = " + lane);
        return lane;
    }

    private void isClaimed(long id) {
        assertThat(store.claim(StoreDriver.request("w", Set.of("today"), Set.of("t"), 1))
                        .jobs())
                .extracting(ClaimedJob::id)
                .containsExactly(id);
    }

    @Test
    void aJobAddedDuringTheDeletionOfItsLaneGetsANewLane() throws SQLException {
        String lane = unusedLane();
        try (StoreDriver other = open(new Disturbance())) {
            AtomicReference<CompletableFuture<List<EnqueuedJob>>> meanwhile = new AtomicReference<>();
            disturbance.of(Prune.class).beforeCommit(session -> {
                meanwhile.set(other.store().submit(new Enqueue(List.of(TODAY.row()))));
                awaitLock(meanwhile.get());
            });
            assertThat(StoreDriver.answer(store.store().submit(new Prune(10, time.millis()))))
                    .isEqualTo(1);
            long id = StoreDriver.answer(meanwhile.get()).get(0).id();
            assertThat(tables.one("SELECT id FROM windrow_lanes WHERE queue = 'today'"))
                    .isNotEqualTo(lane);
            isClaimed(id);
        }
    }

    @Test
    void aLaneWithAJobBeingAddedIsNotDeleted() throws SQLException {
        String lane = unusedLane();
        try (StoreDriver other = open(new Disturbance())) {
            AtomicReference<Long> deleted = new AtomicReference<>();
            disturbance
                    .of(Enqueue.class)
                    .beforeCommit(session ->
                            deleted.set(StoreDriver.answer(other.store().submit(new Prune(10, time.millis())))));
            // The tag keeps it from being one message, before which nothing is written.
            long id = store.enqueue(TODAY.tags("tag"));
            assertThat(deleted.get()).isZero();
            assertThat(tables.one("SELECT id FROM windrow_lanes WHERE queue = 'today'"))
                    .isEqualTo(lane);
            isClaimed(id);
        }
    }

    /** Its whole transaction is one message, which is sent when the lane is gone. */
    @Test
    void aSingleJobGetsANewLaneAfterADeletion() throws SQLException {
        String lane = unusedLane();
        try (StoreDriver other = open(new Disturbance())) {
            AtomicReference<Long> deleted = new AtomicReference<>();
            disturbance
                    .of(Enqueue.class)
                    .beforeCommit(session ->
                            deleted.set(StoreDriver.answer(other.store().submit(new Prune(10, time.millis())))));
            long id = store.enqueue(TODAY);
            assertThat(deleted).hasValue(1L);
            assertThat(tables.rows("SELECT id FROM windrow_lanes WHERE queue = 'today'"))
                    .hasSize(1)
                    .doesNotContain(lane);
            isClaimed(id);
        }
    }

    /** The store that adds the job has read no time since the lane was used. */
    @Test
    void aJobOfACallersTransactionGetsANewLaneAfterADeletion() throws SQLException {
        String lane = unusedLane();
        try (StoreDriver other = open(new Disturbance())) {
            assertThat(StoreDriver.answer(other.store().submit(new Prune(10, time.millis()))))
                    .isEqualTo(1);
        }
        tables.connection().setAutoCommit(false);
        long id = store.store()
                .apply(tables.connection(), new Enqueue(List.of(TODAY.row())))
                .get(0)
                .id();
        tables.connection().commit();
        tables.connection().setAutoCommit(true);
        assertThat(tables.rows("SELECT id FROM windrow_lanes WHERE queue = 'today'"))
                .hasSize(1)
                .doesNotContain(lane);
        isClaimed(id);
    }

    /** The process that deletes lanes does not see the job. */
    @Test
    void aLaneUsedByAnOpenCallersTransactionIsNotDeleted() throws SQLException {
        String lane = unusedLane();
        tables.connection().setAutoCommit(false);
        long id = store.store()
                .apply(tables.connection(), new Enqueue(List.of(TODAY.row())))
                .get(0)
                .id();
        try (StoreDriver other = open(new Disturbance())) {
            assertThat(StoreDriver.answer(other.store().submit(new Prune(10, time.millis()))))
                    .isZero();
        }
        tables.connection().commit();
        tables.connection().setAutoCommit(true);
        assertThat(tables.one("SELECT id FROM windrow_lanes WHERE queue = 'today'"))
                .isEqualTo(lane);
        isClaimed(id);
    }

    @Test
    void aLockedLaneIsSkipped() throws SQLException {
        String lane = unusedLane();
        tables.connection().setAutoCommit(false);
        tables.execute("UPDATE windrow_lanes SET used_at = used_at WHERE id = " + lane);
        assertThat(StoreDriver.answer(store.store().submit(new Prune(10, time.millis()))))
                .isZero();
        tables.connection().rollback();
        tables.connection().setAutoCommit(true);
        assertThat(StoreDriver.answer(store.store().submit(new Prune(10, time.millis()))))
                .isEqualTo(1);
    }
}
