package dev.windrow.postgres.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.limit.ConcurrencyKey;
import dev.windrow.limit.LimitTarget;
import dev.windrow.postgres.Disturbance;
import dev.windrow.postgres.TwoTransactions;
import dev.windrow.store.job.Claimed;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.Enqueue;
import dev.windrow.store.job.WaitingClaim;
import dev.windrow.store.limit.KeyLimits;
import dev.windrow.store.limit.LimitChange;
import dev.windrow.workflow.ParentPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ready jobs that a claim does not get. Another transaction has locked them, or their lane was closed at the moment of its query. */
class PassedOverTest extends TwoTransactions {
    private static final LimitTarget QUEUE = LimitTarget.queue("q");

    /** The store that enqueues jobs. */
    private StoreDriver web;
    /** The store that claims jobs: another process. */
    private StoreDriver worker;

    @BeforeEach
    void open() {
        web = open(disturbance);
        worker = open(new Disturbance());
    }

    @AfterEach
    void close() {
        worker.close();
        web.close();
    }

    private void limit(@Nullable Integer max) {
        StoreDriver.answer(KeyLimits.change(web.store(), LimitChange.limit(QUEUE, "anna", max)));
    }

    private Claimed claim() {
        return worker.claim(StoreDriver.request(10));
    }

    private void lock(Connection connection, long job) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(tables.tables().inSchema("SELECT 1 FROM windrow_jobs WHERE id = " + job + " FOR SHARE"));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aParentLockedByAnEnqueueIsClaimedSoonAfter(boolean limited) {
        if (limited) {
            limit(5);
        }
        long parent = web.enqueue(NewRow.job());
        AtomicReference<Claimed> meanwhile = new AtomicReference<>();
        disturbance.of(Enqueue.class).beforeCommit(session -> meanwhile.set(claim()));
        web.enqueue(NewRow.job().after(parent, ParentPolicy.WAIT));
        assertThat(meanwhile.get().jobs()).isEmpty();
        assertThat(meanwhile.get().nextDueMillis()).isEqualTo(time.millis() + 5);
        Claimed next = claim();
        assertThat(next.jobs()).extracting(ClaimedJob::id).containsExactly(parent);
        assertThat(next.nextDueMillis()).isNull();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aClaimOfOtherJobsDoesNotHideASkippedRow(boolean limited) throws SQLException {
        if (limited) {
            limit(5);
        }
        long locked = web.enqueue(NewRow.job());
        long other = web.enqueue(NewRow.job());
        try (Connection connection = server.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            lock(connection, locked);
            Claimed first = claim();
            assertThat(first.jobs()).extracting(ClaimedJob::id).containsExactly(other);
            assertThat(first.nextDueMillis()).isEqualTo(time.millis() + 5);
            connection.rollback();
        }
        assertThat(claim().jobs()).extracting(ClaimedJob::id).containsExactly(locked);
    }

    @Test
    void aSkippedRowIsPolledLessOftenTheLongerItIsLocked() throws SQLException {
        long job = web.enqueue(NewRow.job());
        try (Connection connection = server.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            lock(connection, job);
            assertThat(claim().nextDueMillis()).isEqualTo(time.millis() + 5);
            time.advance(Duration.ofMillis(5));
            assertThat(claim().nextDueMillis()).isEqualTo(time.millis() + 5);
            time.advance(Duration.ofMillis(75));
            assertThat(claim().nextDueMillis()).isEqualTo(time.millis() + 40);
            time.advance(Duration.ofHours(1));
            assertThat(claim().nextDueMillis()).isEqualTo(time.millis() + 100);
            connection.rollback();
        }
        assertThat(claim().jobs()).hasSize(1);
        long next = web.enqueue(NewRow.job());
        assertThat(next).isNotEqualTo(job);
        assertThat(claim().jobs()).hasSize(1);
        long last = web.enqueue(NewRow.job());
        try (Connection connection = server.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            lock(connection, last);
            assertThat(claim().nextDueMillis()).as("it begins anew").isEqualTo(time.millis() + 5);
        }
    }

    @Test
    void aClaimOfUrgentJobsDoesNotRestartThePollOfASkippedRowBelowThem() throws SQLException {
        long job = web.enqueue(NewRow.job());
        try (Connection connection = server.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            lock(connection, job);
            assertThat(claim().nextDueMillis()).isEqualTo(time.millis() + 5);
            time.advance(Duration.ofMillis(80));
            Claimed urgent = worker.claim(StoreDriver.from(1, StoreDriver.request(10)));
            assertThat(urgent).isEqualTo(new Claimed(List.of(), null, false));
            assertThat(claim().nextDueMillis()).isEqualTo(time.millis() + 40);
            connection.rollback();
        }
    }

    @Test
    void jobsThatMayNotStartCauseNoPoll() {
        web.enqueue(NewRow.job());
        StoreDriver.answer(KeyLimits.change(web.store(), LimitChange.pause(QUEUE, "anna", null)));
        assertThat(claim()).isEqualTo(new Claimed(List.of(), null, false));
        StoreDriver.answer(KeyLimits.change(web.store(), LimitChange.resume(QUEUE, "anna")));
        limit(1);
        web.enqueue(NewRow.job());
        assertThat(claim().jobs()).hasSize(1);
        assertThat(claim()).as("no room").isEqualTo(new Claimed(List.of(), null, false));
        limit(null);
        assertThat(claim().jobs()).hasSize(1);
        web.enqueue(NewRow.job().concurrencyKey(ConcurrencyKey.atMost("k", 1)));
        web.enqueue(NewRow.job().concurrencyKey(ConcurrencyKey.atMost("k", 1)));
        assertThat(claim().jobs()).hasSize(1);
        assertThat(claim()).as("held").isEqualTo(new Claimed(List.of(), null, false));
    }

    /**
     * The lane is opened by hand, so that no notification follows. In a real case the workers that were notified before the job existed have not
     * found it.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aJobIsNotifiedAlthoughAClaimInItsTransactionFoundItsLaneClosed(boolean paused) {
        web.enqueue(NewRow.job());
        web.claimOne();
        disturbance
                .of(Enqueue.class)
                .atBegin(session ->
                        tables.execute("UPDATE windrow_lanes SET " + (paused ? "paused_at = 1" : "limited = true")));
        disturbance.beforeCommit(session ->
                tables.execute("UPDATE windrow_lanes SET " + (paused ? "paused_at = NULL" : "limited = false")));
        assertToldOfAJobThatIsNotClaimed();
    }

    @Test
    void aJobIsNotifiedAlthoughAClaimInItsTransactionFoundTheLimitReached() {
        limit(1);
        web.enqueue(NewRow.job());
        web.claimOne();
        assertToldOfAJobThatIsNotClaimed();
    }

    private void assertToldOfAJobThatIsNotClaimed() {
        web.hints().forget();
        CompletableFuture<Claimed> taken = new CompletableFuture<>();
        web.hints().offer(new WaitingClaim(StoreDriver.request(10), taken));
        web.enqueue(NewRow.job());
        assertThat(StoreDriver.answer(taken).jobs()).isEmpty();
        // The same thread notifies of one transaction before it begins the next.
        web.enqueue(NewRow.of("other", "other"));
        assertThat(web.hints().rings()).contains("q/t");
    }
}
