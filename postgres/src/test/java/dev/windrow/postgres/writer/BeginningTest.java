package dev.windrow.postgres.writer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.EventKind;
import dev.windrow.IncompatibleStoreException;
import dev.windrow.JobState;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.limit.LimitTarget;
import dev.windrow.monitor.Diagnosis.Check;
import dev.windrow.postgres.Disturbance;
import dev.windrow.postgres.TestTables;
import dev.windrow.postgres.TwoTransactions;
import dev.windrow.postgres.connection.Session;
import dev.windrow.store.Transition;
import dev.windrow.store.job.Claim;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.Enqueue;
import dev.windrow.store.job.Settle;
import dev.windrow.store.limit.LimitChange;
import dev.windrow.workflow.ParentPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/** Claims and settlements that are sent in one message with the beginning of their transaction, before its results are known. */
class BeginningTest extends TwoTransactions {
    private StoreDriver store;
    private StoreDriver other;

    @BeforeEach
    void open() {
        store = open(disturbance);
        other = open(Writer.Probe.NONE);
        // From now on the store knows the names, and that no job is due and no limit applies.
        store.complete(store.running(NewRow.job()));
        // A slow machine must not decide how the next claim is sent.
        Awaitility.await().until(() -> store.claim(1).isEmpty() && !isUnmeasured());
    }

    /** True if the next claim is sent alone, so that its duration is known. */
    private boolean isUnmeasured() {
        Learned learned = TestTables.learned(store);
        return learned.due().isUnmeasured() || learned.claimCursors().isUnmeasured();
    }

    @AfterEach
    void close() {
        store.close();
        other.close();
    }

    @Test
    void aClaimAndASettlementAreSentWithTheBeginningUnlessALimitApplies() {
        AtomicReference<Boolean> idle = new AtomicReference<>();
        other.enqueueAll(NewRow.job(), NewRow.job());
        disturbance.of(Claim.class).atBegin(session -> idle.set(isIdle(session)));
        ClaimedJob job = store.claimOne();
        assertThat(idle).as("nothing is sent before the claim").hasValue(true);
        disturbance.of(Settle.class).atBegin(session -> idle.set(isIdle(session)));
        idle.set(null);
        assertThat(store.complete(job)).isTrue();
        assertThat(idle).as("nothing is sent before the settlement").hasValue(true);
        StoreDriver.answer(other.store().submit(LimitChange.limit(LimitTarget.queue("q"), "operator", 9)));
        assertThat(store.complete(store.claimOne())).isTrue();
        disturbance.of(Claim.class).atBegin(session -> idle.set(isIdle(session)));
        assertThat(store.claim(1)).isEmpty();
        assertThat(idle).as("after a claim that has seen a limit").hasValue(false);
    }

    /** The duration of its queries is not known, because they were sent together. */
    @Test
    void aClaimAfterOneThatTookLongIsSentInTheUsualWay() throws SQLException {
        other.enqueueAll(Collections.nCopies(100, NewRow.job()).toArray(NewRow[]::new));
        tables.execute("CREATE FUNCTION " + schema + ".slow() RETURNS trigger LANGUAGE plpgsql"
                + " AS $$ BEGIN PERFORM pg_sleep(0.02); RETURN NEW; END $$;"
                + " CREATE TRIGGER slow BEFORE UPDATE ON windrow_jobs FOR EACH ROW EXECUTE FUNCTION " + schema
                + ".slow()");
        // Every other claim is sent alone. The listener may measure the query for due jobs in between.
        Awaitility.await().until(() -> {
            store.claimOne();
            return TestTables.learned(store).due().isUnmeasured();
        });
        tables.execute("DROP TRIGGER slow ON windrow_jobs");
        for (boolean ahead : List.of(false, true)) {
            AtomicReference<Boolean> idle = new AtomicReference<>();
            disturbance.of(Claim.class).atBegin(session -> idle.set(isIdle(session)));
            store.claimOne();
            assertThat(idle).hasValue(ahead);
        }
    }

    private static boolean isIdle(Session session) throws SQLException {
        return session.connection().unwrap(BaseConnection.class).getTransactionState() == TransactionState.IDLE;
    }

    @Test
    void aClaimTakesNoJobBeforeOneThatHasBecomeDue() {
        long low = other.enqueue(NewRow.job());
        long high = other.enqueue(NewRow.job().priority(5).delay(Duration.ofSeconds(1)));
        time.advance(Duration.ofSeconds(2));
        assertThat(store.claim(1)).extracting(ClaimedJob::id).containsExactly(high);
        assertThat(store.claim(1)).extracting(ClaimedJob::id).containsExactly(low);
    }

    @Test
    void aClaimObeysALimitThatAnotherProcessHasSet() {
        other.enqueueAll(NewRow.job(), NewRow.job(), NewRow.job());
        StoreDriver.answer(other.store().submit(LimitChange.limit(LimitTarget.queue("q"), "operator", 1)));
        assertThat(store.claim(3)).hasSize(1);
        assertThat(store.claim(3)).isEmpty();
    }

    @Test
    void aClaimFindsJobsOfANewLane() {
        long id = other.enqueue(NewRow.of("q", "new"));
        Claim claim = StoreDriver.request("w", Set.of("q"), Set.of("t", "new"), 2);
        assertThat(store.claim(claim).jobs()).extracting(ClaimedJob::id).containsExactly(id);
    }

    @Test
    void aBrokenConnectionLosesNoClaimAndNoSettlement() {
        long id = other.enqueue(NewRow.job());
        disturbance.of(Claim.class).atBegin(Disturbance.terminatedBy(tables.connection()));
        ClaimedJob job = store.claimOne();
        assertThat(job.id()).isEqualTo(id);
        assertThat(job.token()).isEqualTo(1);
        disturbance.of(Settle.class).atBegin(Disturbance.terminatedBy(tables.connection()));
        assertThat(store.complete(job)).isTrue();
        assertThat(disturbance.transactions).hasValueGreaterThan(2);
        assertThat(store.events(id))
                .containsExactly(EventKind.ENQUEUED, EventKind.CLAIMED, EventKind.STARTED, EventKind.SUCCEEDED);
    }

    @Test
    void aClaimAndASettlementWithLostAnswersAreMadeOnce() {
        long id = other.enqueue(NewRow.job());
        disturbance.of(Claim.class).afterCommit(Disturbance::answerLost);
        ClaimedJob job = store.claimOne();
        assertThat(job.token()).isEqualTo(1);
        disturbance.of(Settle.class).afterCommit(Disturbance::answerLost);
        assertThat(store.complete(job)).isTrue();
        assertThat(store.events(id))
                .containsExactly(EventKind.ENQUEUED, EventKind.CLAIMED, EventKind.STARTED, EventKind.SUCCEEDED);
    }

    /** The settlement's statement began before the child was committed, and so does not see it. */
    @Test
    void aChildThatIsCommittedWhileItsParentEndsIsReleased() throws Exception {
        long parent = other.enqueue(NewRow.job());
        ClaimedJob job = store.claimOne();
        long child;
        try (Connection enqueuing = server.dataSource().getConnection();
                Connection settling = server.dataSource().getConnection()) {
            enqueuing.setAutoCommit(false);
            settling.setAutoCommit(false);
            child = other.store()
                    .apply(
                            enqueuing,
                            new Enqueue(List.of(NewRow.job()
                                    .after(parent, ParentPolicy.WAIT)
                                    .row())))
                    .get(0)
                    .id();
            CompletableFuture<Boolean> settled = CompletableFuture.supplyAsync(
                    () -> store.store().apply(settling, store.settlement(job, Transition.COMPLETE)));
            awaitLock(settled);
            assertThat(settled).isNotDone();
            enqueuing.commit();
            assertThat(settled.get(60, TimeUnit.SECONDS)).isTrue();
            settling.commit();
        }
        assertThat(store.state(child)).isEqualTo(JobState.PENDING);
        assertThat(store.diagnose().checks()).allMatch(Check::isOk);
    }

    /** The first message fails, because a column is missing. The reason is the newer version, which the beginning reads. */
    @Test
    void aMigratedQueueIsTheReasonThatIsGiven() throws SQLException {
        other.enqueue(NewRow.job());
        ClaimedJob job = store.claimOne();
        tables.execute("ALTER TABLE windrow_jobs RENAME COLUMN used TO tries");
        tables.execute(
                "INSERT INTO windrow_schema SELECT version + 1000, min_compatible + 1000, 'newer', applied_at, store"
                        + " FROM windrow_schema ORDER BY version DESC LIMIT 1");
        assertThatThrownBy(() -> store.complete(job)).isInstanceOf(IncompatibleStoreException.class);
        assertThatThrownBy(() -> store.claim(1)).isInstanceOf(IncompatibleStoreException.class);
    }
}
