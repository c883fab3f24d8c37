package dev.windrow.contract.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.windrow.AttemptOutcome;
import dev.windrow.Dedupe;
import dev.windrow.EventKind;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobHistory;
import dev.windrow.JobInfo;
import dev.windrow.JobNotFoundException;
import dev.windrow.JobState;
import dev.windrow.OutcomeUnknownException;
import dev.windrow.TransitionRefusedException;
import dev.windrow.WindrowException;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreContract;
import dev.windrow.contract.StoreDriver;
import dev.windrow.limit.LimitTarget;
import dev.windrow.query.JobFilter;
import dev.windrow.store.Transition;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.Change.Verb;
import dev.windrow.store.job.Claim;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.Enqueue;
import dev.windrow.store.job.EnqueuedJob;
import dev.windrow.store.job.Settle;
import dev.windrow.store.job.Touch;
import dev.windrow.store.limit.KeyLimits;
import dev.windrow.store.limit.LimitChange;
import dev.windrow.workflow.ParentPolicy;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** The commands in a caller's transaction, together with the caller's own tables. */
public abstract class CallerTransactionContract extends StoreContract {
    /** Creates the contract for a subclass. */
    protected CallerTransactionContract() {}

    /**
     * Returns a new connection to the database of this test's stores, as an application would open one. It is ready for {@code setAutoCommit(false)}
     * and then the commands. The test closes it.
     */
    protected abstract Connection newConnection() throws SQLException;

    private Connection begin() throws SQLException {
        Connection connection = newConnection();
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE IF NOT EXISTS orders (id INTEGER PRIMARY KEY)");
        }
        connection.setAutoCommit(false);
        return connection;
    }

    private static void order(Connection connection, int id) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO orders (id) VALUES (?)")) {
            insert.setInt(1, id);
            insert.executeUpdate();
        }
    }

    private int orders() throws SQLException {
        try (Connection connection = newConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT count(*) FROM orders")) {
            assertThat(row.next()).isTrue();
            return row.getInt(1);
        }
    }

    private List<EnqueuedJob> enqueue(Connection connection, NewRow... rows) {
        return store().store()
                .apply(
                        connection,
                        new Enqueue(Arrays.stream(rows).map(NewRow::row).toList()));
    }

    @Test
    void jobsCommitWithTheCallersData() throws SQLException {
        List<EnqueuedJob> jobs;
        try (Connection connection = begin()) {
            order(connection, 1);
            jobs = enqueue(connection, NewRow.job().payload("1"), NewRow.job());
            order(connection, 2);
            assertThat(store().store().history(jobs.get(0).id())).isEmpty();
            connection.commit();
        }
        assertThat(jobs).extracting(EnqueuedJob::state).containsOnly(JobState.PENDING);
        assertThat(store().claim(10))
                .extracting(ClaimedJob::id)
                .isEqualTo(jobs.stream().map(EnqueuedJob::id).toList());
        assertThat(orders()).isEqualTo(2);
    }

    @Test
    void jobsRollBackWithTheCallersData() throws SQLException {
        List<EnqueuedJob> jobs;
        try (Connection connection = begin()) {
            order(connection, 1);
            jobs = enqueue(connection, NewRow.of("new", "lane"), NewRow.job());
            connection.rollback();
        }
        assertThat(orders()).isZero();
        for (EnqueuedJob job : jobs) {
            assertThat(store().store().history(job.id())).isEmpty();
        }
        assertThat(all(store().store(), JobFilter.ALL)).isEmpty();
        long later = store().enqueue(NewRow.of("new", "lane"));
        assertThat(store().claim(StoreDriver.request("w", Set.of("new"), Set.of("lane"), 1))
                        .jobs())
                .extracting(ClaimedJob::id)
                .containsExactly(later);
    }

    @Test
    void idsOfRolledBackJobsAreNotReused() throws SQLException {
        List<Long> rolledBack = new ArrayList<>();
        List<Long> committed = new ArrayList<>();
        try (Connection connection = begin()) {
            Savepoint savepoint = connection.setSavepoint();
            rolledBack.add(enqueue(connection, NewRow.job()).get(0).id());
            connection.rollback(savepoint);
            committed.add(enqueue(connection, NewRow.job()).get(0).id());
            connection.commit();
            rolledBack.add(enqueue(connection, NewRow.job()).get(0).id());
            connection.rollback();
        }
        committed.add(store().enqueue(NewRow.job()));
        assertThat(catchThrowable(() -> store().store().inTransaction(connection -> {
                    rolledBack.add(enqueue(connection, NewRow.job()).get(0).id());
                    throw new IllegalStateException("rolled back");
                })))
                .hasMessage("rolled back");
        committed.add(store().enqueue(NewRow.job()));
        assertThat(rolledBack).hasSize(3).doesNotContainAnyElementsOf(committed);
    }

    @Test
    void workersAreNotifiedForEachLaneAfterTheCommit() throws SQLException {
        try (Connection connection = begin()) {
            enqueue(connection, NewRow.of("a", "x"), NewRow.of("b", "y"));
            connection.commit();
        }
        store().hints().awaitHint("a", "x");
        store().hints().awaitHint("b", "y");
    }

    @Test
    void severalVerbsShareOneTransaction() throws SQLException {
        long failed = store().enqueue(NewRow.job());
        store().settle(store().claimOne(), Transition.FAIL);
        long waiting = store().enqueue(NewRow.job());
        long child;
        try (Connection connection = begin()) {
            long parent = enqueue(connection, NewRow.of("q", "parent")).get(0).id();
            child = enqueue(connection, NewRow.of("q", "child").after(parent, ParentPolicy.WAIT))
                    .get(0)
                    .id();
            store().store().apply(connection, StoreDriver.change(Verb.COMPLETE, List.of(parent)));
            store().store().apply(connection, StoreDriver.change(Verb.CANCEL, List.of(waiting)));
            store().store().apply(connection, StoreDriver.change(Verb.RETRY, List.of(failed)));
            connection.commit();
        }
        assertThat(store().state(child)).isEqualTo(JobState.PENDING);
        assertThat(store().events(child)).containsExactly(EventKind.ENQUEUED, EventKind.RELEASED);
        assertThat(store().state(waiting)).isEqualTo(JobState.CANCELLED);
        assertThat(store().claimOne().id()).isEqualTo(failed);
    }

    @Test
    void aRefusedVerbWritesNothingAndTheTransactionContinues() throws SQLException {
        ClaimedJob ended = store().running(NewRow.job());
        store().complete(ended);
        long pending = store().enqueue(NewRow.job());
        try (Connection connection = begin()) {
            order(connection, 1);
            assertThat(catchThrowable(
                            () -> enqueue(connection, NewRow.job(), NewRow.job().after(1L << 40, ParentPolicy.WAIT))))
                    .isInstanceOf(JobNotFoundException.class);
            assertThat(catchThrowable(() -> store().store()
                            .apply(connection, StoreDriver.change(Verb.CANCEL, List.of(pending, ended.id())))))
                    .isInstanceOf(TransitionRefusedException.class);
            connection.commit();
        }
        assertThat(orders()).isEqualTo(1);
        assertThat(all(store().store(), JobFilter.ALL)).hasSize(2);
        assertThat(store().state(pending)).isEqualTo(JobState.PENDING);
    }

    @Test
    void aCancelRequestForARunningJobCommitsWithTheCallersData() throws SQLException {
        ClaimedJob job = store().running(NewRow.job());
        try (Connection connection = begin()) {
            assertThat(store().store()
                            .apply(connection, StoreDriver.change(Verb.CANCEL, List.of(job.id())))
                            .count())
                    .isEqualTo(1);
            connection.rollback();
        }
        assertThat(store().events(job.id())).containsExactly(EventKind.ENQUEUED, EventKind.CLAIMED);
        try (Connection connection = begin()) {
            order(connection, 1);
            store().store().apply(connection, StoreDriver.change(Verb.CANCEL, List.of(job.id())));
            connection.commit();
        }
        store().hints().awaitCancelRequest(job.leaseToken());
        assertThat(store().events(job.id())).endsWith(EventKind.CANCEL_REQUESTED);
        store().settle(job, Transition.HAND_BACK);
        assertThat(store().state(job.id())).isEqualTo(JobState.CANCELLED);
    }

    @Test
    void theEndOfAJobInATransactionLetsOthersOfALimitedQueueStart() throws SQLException {
        Object unused =
                StoreDriver.answer(store().store().submit(LimitChange.limit(LimitTarget.queue("q"), "anna", 1)));
        ClaimedJob first = store().running(NewRow.job());
        store().enqueue(NewRow.of("q", "other"));
        assertThat(store().claim(StoreDriver.request("w", Set.of("q"), Set.of("other"), 1))
                        .jobs())
                .isEmpty();
        store().hints().forget();
        try (Connection connection = begin()) {
            assertThat(store().store().apply(connection, store().settlement(first, Transition.COMPLETE)))
                    .isTrue();
            connection.commit();
        }
        store().hints().awaitHint("q", "other");
        assertThat(store().claim(StoreDriver.request("w", Set.of("q"), Set.of("other"), 1))
                        .jobs())
                .hasSize(1);
    }

    @Test
    void aChangeByFilterIsRefusedInsideATransaction() throws SQLException {
        try (Connection connection = begin()) {
            Change change =
                    Change.byFilter(Verb.CANCEL, JobFilter.ALL, "operator").build();
            assertThat(catchThrowable(() -> store().store().apply(connection, change)))
                    .isInstanceOf(InvalidRequestException.class);
            connection.rollback();
        }
    }

    @Test
    void aConnectionInAutocommitModeIsRefused() throws SQLException {
        try (Connection connection = newConnection()) {
            assertThat(catchThrowable(() -> enqueue(connection, NewRow.job())))
                    .isInstanceOf(InvalidRequestException.class)
                    .hasMessageContaining("autocommit");
        }
        assertThat(all(store().store(), JobFilter.ALL)).isEmpty();
    }

    @Test
    void aClosedConnectionIsRefused() throws SQLException {
        Connection connection = begin();
        connection.close();
        assertThat(catchThrowable(() -> enqueue(connection, NewRow.job())))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("closed");
    }

    @Test
    void aCompletionInACallersTransactionFencesTheHolder() throws SQLException {
        ClaimedJob job = store().running(NewRow.job());
        try (Connection connection = begin()) {
            store().store().apply(connection, StoreDriver.change(Verb.COMPLETE, List.of(job.id())));
            connection.commit();
        }
        assertThat(store().complete(job)).isFalse();
        assertThat(store().state(job.id())).isEqualTo(JobState.COMPLETED);
    }

    @Test
    void allOfManyChildrenAreReleasedWhenAParentEndsInACallersTransaction() throws SQLException {
        long parent = store().enqueue(NewRow.job());
        for (int part = 0; part < 3; part++) {
            store().enqueueAll(Collections.nCopies(
                    700, NewRow.of("q", "child").after(parent, part == 0 ? ParentPolicy.RUN : ParentPolicy.CANCEL)));
        }
        Change cancel = StoreDriver.change(Verb.CANCEL, List.of(parent));
        try (Connection connection = begin()) {
            store().store().apply(connection, cancel);
            connection.rollback();
        }
        assertThat(KeyLimits.admit(store().store())).isZero();
        assertThat(store().count(JobState.BLOCKED)).isEqualTo(2100);
        try (Connection connection = begin()) {
            store().store().apply(connection, cancel);
            connection.commit();
        }
        assertThat(store().store().unfinished(Set.of("q"), Set.of("nobody"), Claim.EVERY_PRIORITY) > 0
                        || store().count(JobState.BLOCKED) == 0)
                .as("children are left, so the change is not complete")
                .isTrue();
        while (KeyLimits.admit(store().store()) > 0) {
            StoreDriver.answer(store().store().submit(new Touch()));
        }
        assertThat(store().count(JobState.PENDING)).isEqualTo(700);
        assertThat(store().count(JobState.CANCELLED)).isEqualTo(1401);
        Change retry = Change.byId(Verb.RETRY, List.of(parent), "operator")
                .withDependents(true)
                .build();
        try (Connection connection = begin()) {
            assertThat(store().store().apply(connection, retry).count()).isEqualTo(1001);
            connection.commit();
        }
        until("the rest is back", () -> store().count(JobState.BLOCKED) == 1400);
    }

    /** The children are released soon after the commit, and not only by a reclaimer, whose next poll may be much later. */
    @Test
    void childrenLeftByACallersTransactionAreReleasedAfterItsCommit() throws SQLException {
        List<Long> parents = store().enqueueAll(Collections.nCopies(3, NewRow.job()));
        for (long parent : parents) {
            store().enqueueAll(Collections.nCopies(1001, NewRow.of("q", "child").after(parent, ParentPolicy.WAIT)));
        }
        ClaimedJob claimed = store().claimOne();
        try (Connection connection = begin()) {
            store().store().apply(connection, store().settlement(claimed, Transition.COMPLETE));
            connection.commit();
            store().store().apply(connection, StoreDriver.change(Verb.COMPLETE, parents.subList(1, 2)));
            connection.commit();
        }
        store().store()
                .inTransaction(connection ->
                        store().store().apply(connection, StoreDriver.change(Verb.COMPLETE, parents.subList(2, 3))));
        until("no child is left", () -> store().count(JobState.BLOCKED) == 0);
    }

    @Test
    void aParentWithUnreleasedChildrenMayGetManyMore() throws SQLException {
        Dedupe key = Dedupe.key("k").forEver();
        long parent = store().enqueue(NewRow.job().dedupe(key));
        NewRow child = NewRow.of("q", "child");
        for (int part = 0; part < 3; part++) {
            store().enqueueAll(Collections.nCopies(700, child.after(parent, ParentPolicy.RUN)));
        }
        List<NewRow> rows = new ArrayList<>(List.of(NewRow.job().dedupe(key)));
        rows.addAll(Collections.nCopies(1200, child.afterPlace(0, ParentPolicy.RUN)));
        try (Connection connection = begin()) {
            store().store().apply(connection, StoreDriver.change(Verb.CANCEL, List.of(parent)));
            List<EnqueuedJob> jobs = enqueue(connection, rows.toArray(NewRow[]::new));
            assertThat(jobs.get(0).id()).isEqualTo(parent);
            connection.commit();
        }
        while (KeyLimits.admit(store().store()) > 0) {
            StoreDriver.answer(store().store().submit(new Touch()));
        }
        assertThat(store().count(JobState.PENDING)).isEqualTo(3300);
        assertThat(store().count(JobState.BLOCKED)).isZero();
    }

    @Test
    void aBulkInTheCallersTransactionReturnsIdsInInputOrder() throws SQLException {
        try (Connection connection = begin()) {
            List<EnqueuedJob> jobs = store().store()
                    .apply(
                            connection,
                            new Enqueue(Collections.nCopies(500, NewRow.job().row())));
            assertThat(jobs).extracting(EnqueuedJob::id).isSorted().doesNotHaveDuplicates();
            connection.commit();
        }
        assertThat(store().count(JobState.PENDING)).isEqualTo(500);
    }

    // ---- settlements ------------------------------------------------------------------------------------------------

    private static Settle goingOn(Settle completes, NewRow next) {
        return StoreDriver.goingOn(completes, next.row());
    }

    @Test
    void anEndThatTruncatesTheHistoryIsAtomic() throws SQLException {
        long id = store().enqueue(NewRow.job());
        ClaimedJob job = store().claimOne();
        JobHistory before = store().history(id);
        while (store().history(id).attemptsLeftOut() == 0) {
            before = store().history(id);
            Settle end = store().settlement(job, Transition.HAND_BACK);
            try (Connection connection = begin()) {
                assertThat(store().store().apply(connection, end)).isTrue();
                connection.rollback();
            }
            assertThat(store().history(id)).isEqualTo(before);
            try (Connection connection = begin()) {
                assertThat(store().store().apply(connection, end)).isTrue();
                connection.commit();
            }
            job = store().claimSoon();
        }
        JobHistory after = store().history(id);
        assertThat(before.attempts()).hasSizeGreaterThan(after.attempts().size());
        assertThat(after.attempts().size() + after.attemptsLeftOut()).isEqualTo(job.token());
    }

    @Test
    void anEndOfAnAttemptCommitsWithTheCallersData() throws SQLException {
        ClaimedJob job = store().running(NewRow.job());
        long child = store().enqueue(NewRow.of("q", "child").after(job.id(), ParentPolicy.WAIT));
        store().hints().forget();
        try (Connection connection = begin()) {
            order(connection, 1);
            assertThat(store().store()
                            .apply(
                                    connection,
                                    goingOn(store().settlement(job, Transition.COMPLETE), NewRow.of("other", "next"))))
                    .isTrue();
            assertThat(store().state(job.id())).isEqualTo(JobState.RUNNING);
            assertThat(store().state(child)).isEqualTo(JobState.BLOCKED);
            connection.commit();
        }
        assertThat(orders()).isEqualTo(1);
        assertThat(store().state(job.id())).isEqualTo(JobState.COMPLETED);
        assertThat(store().state(child)).isEqualTo(JobState.PENDING);
        assertThat(store().history(job.id()).result()).hasToString("{\"by\":" + job.id() + "}");
        assertThat(store().outcomes(job.id())).containsExactly(AttemptOutcome.SUCCEEDED);
        assertThat(store().store().chain(job.id())).hasSize(2);
        store().hints().awaitHint("other", "next");
        store().hints().awaitHint("q", "child");
        assertThat(store().complete(job)).isFalse();
    }

    @Test
    void anEndOfAnAttemptRollsBackWithTheCallersData() throws SQLException {
        ClaimedJob job = store().running(NewRow.job());
        long child = store().enqueue(NewRow.of("q", "child").after(job.id(), ParentPolicy.WAIT));
        try (Connection connection = begin()) {
            order(connection, 1);
            assertThat(store().store()
                            .apply(connection, goingOn(store().settlement(job, Transition.COMPLETE), NewRow.job())))
                    .isTrue();
            connection.rollback();
        }
        assertThat(orders()).isZero();
        assertThat(store().state(job.id())).isEqualTo(JobState.RUNNING);
        assertThat(store().state(child)).isEqualTo(JobState.BLOCKED);
        assertThat(store().store().chain(job.id())).hasSize(1);
        assertThat(store().complete(job)).isTrue();
        assertThat(store().state(child)).isEqualTo(JobState.PENDING);
    }

    @Test
    void aLostHolderEndsNothingAndTheTransactionContinues() throws SQLException {
        ClaimedJob lost = store().running(NewRow.job());
        store().settle(lost, Transition.HAND_BACK);
        ClaimedJob holder = store().claimOne();
        try (Connection connection = begin()) {
            assertThat(store().store()
                            .apply(connection, goingOn(store().settlement(lost, Transition.COMPLETE), NewRow.job())))
                    .isFalse();
            order(connection, 1);
            connection.commit();
        }
        assertThat(orders()).isEqualTo(1);
        assertThat(store().store().chain(lost.id())).hasSize(1);
        assertThat(store().complete(holder)).isTrue();
    }

    @Test
    void aKeyMovesAlongAChainWithTheCallersTransaction() throws SQLException {
        NewRow first = NewRow.of("q", "first").dedupe(Dedupe.key("k"));
        long id = store().enqueue(first);
        ClaimedJob job = store().claim(StoreDriver.request("w", Set.of("q"), Set.of("first"), 1))
                .jobs()
                .get(0);
        Settle goesOn = goingOn(store().settlement(job, Transition.COMPLETE), NewRow.of("q", "next"));
        try (Connection connection = begin()) {
            assertThat(store().store().apply(connection, goesOn)).isTrue();
            assertThat(enqueue(connection, first).get(0).id()).isNotEqualTo(id);
            connection.rollback();
        }
        assertThat(StoreDriver.answer(store().store().submit(new Enqueue(List.of(first.row())))))
                .containsExactly(new EnqueuedJob(id, JobState.RUNNING, true));
        try (Connection connection = begin()) {
            assertThat(store().store().apply(connection, goesOn)).isTrue();
            connection.commit();
        }
        long next = store().store().chain(id).get(1).id();
        assertThat(StoreDriver.answer(store().store().submit(new Enqueue(List.of(first.row())))))
                .containsExactly(new EnqueuedJob(next, JobState.PENDING, true));
    }

    @Test
    void anExternallyContinuedChainCommitsWithTheCallersData() throws SQLException {
        long id = store().enqueue(NewRow.job().external(Duration.ofHours(1)));
        long child = store().enqueue(NewRow.of("q", "child").afterChain(id, ParentPolicy.WAIT));
        Change goesOn = StoreDriver.goingOn(id, NewRow.of("other", "next").row());
        try (Connection connection = begin()) {
            order(connection, 1);
            assertThat(store().store().apply(connection, goesOn).next()).isNotNull();
            connection.rollback();
        }
        assertThat(store().state(id)).isEqualTo(JobState.BLOCKED);
        assertThat(store().store().chain(id)).hasSize(1);
        Long next;
        try (Connection connection = begin()) {
            order(connection, 1);
            assertThat(catchThrowable(() -> store().store()
                            .apply(
                                    connection,
                                    StoreDriver.goingOn(
                                            id,
                                            NewRow.job()
                                                    .after(child, ParentPolicy.WAIT)
                                                    .row()))))
                    .isInstanceOf(InvalidRequestException.class)
                    .hasMessageContaining("the end of the same chain");
            next = store().store().apply(connection, goesOn).next();
            assertThat(catchThrowable(() -> store().store().apply(connection, goesOn)))
                    .isInstanceOf(TransitionRefusedException.class);
            connection.commit();
        }
        assertThat(orders()).isEqualTo(1);
        assertThat(store().store().chain(id)).extracting(JobInfo::id).containsExactly(id, next);
        assertThat(store().state(child)).isEqualTo(JobState.BLOCKED);
        assertThat(store().claim(StoreDriver.request("w", Set.of("other"), Set.of("next"), 1))
                        .jobs())
                .extracting(ClaimedJob::id)
                .containsExactly(next);
    }

    @Test
    void anAttemptMayFailInsideATransaction() throws SQLException {
        ClaimedJob job = store().running(NewRow.job());
        try (Connection connection = begin()) {
            order(connection, 1);
            assertThat(store().store().apply(connection, store().settlement(job, Transition.FAIL)))
                    .isTrue();
            connection.commit();
        }
        assertThat(orders()).isEqualTo(1);
        assertThat(store().state(job.id())).isEqualTo(JobState.FAILED);
    }

    // ---- transactions of the store's own ----------------------------------------------------------------------------

    private void createOrders() throws SQLException {
        begin().close();
    }

    @Test
    void aManagedTransactionCommitsWhenItsCallbackReturns() throws SQLException {
        createOrders();
        EnqueuedJob job = store().store().inTransaction(connection -> {
            order(connection, 1);
            EnqueuedJob enqueued =
                    enqueue(connection, NewRow.of("other", "lane").payload("1")).get(0);
            assertThat(store().store().history(enqueued.id())).isEmpty();
            assertThat(connection.getAutoCommit()).isFalse();
            return enqueued;
        });
        assertThat(orders()).isEqualTo(1);
        assertThat(store().state(job.id())).isEqualTo(JobState.PENDING);
        store().hints().awaitHint("other", "lane");
    }

    @Test
    void aThrowingCallbackRollsBackAndItsExceptionIsRethrown() throws SQLException {
        createOrders();
        IOException thrown = new IOException("on purpose");
        assertThat(catchThrowable(() -> store().store().inTransaction(connection -> {
                    order(connection, 1);
                    enqueue(connection, NewRow.job());
                    throw thrown;
                })))
                .isSameAs(thrown)
                .hasNoSuppressedExceptions();
        assertThat(orders()).isZero();
        assertThat(all(store().store(), JobFilter.ALL)).isEmpty();
        store().enqueue(NewRow.job());
    }

    @Test
    void aRefusedCommitWritesNothing() throws SQLException {
        try (Connection connection = newConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE customers (id INTEGER PRIMARY KEY)");
            statement.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY,"
                    + " customer INTEGER REFERENCES customers (id) DEFERRABLE INITIALLY DEFERRED)");
        }
        assertThat(catchThrowable(() -> store().store().inTransaction(connection -> {
                    try (Statement statement = connection.createStatement()) {
                        statement.execute("INSERT INTO orders VALUES (1, 7)");
                    }
                    return enqueue(connection, NewRow.job());
                })))
                .isInstanceOf(WindrowException.class)
                .isNotInstanceOf(OutcomeUnknownException.class)
                .hasMessageContaining("committing");
        assertThat(orders()).isZero();
        assertThat(all(store().store(), JobFilter.ALL)).isEmpty();
    }

    @Test
    void anAttemptEndsInAManagedTransactionAndWaitersAreNotified() throws SQLException {
        createOrders();
        ClaimedJob job = store().running(NewRow.job());
        long child = store().enqueue(NewRow.of("q", "child").after(job.id(), ParentPolicy.WAIT));
        ClaimedJob other = store().running(NewRow.job());
        ClaimedJob again = store().running(NewRow.job());
        store().hints().forget();
        boolean applied = store().store().inTransaction(connection -> {
            order(connection, 1);
            store().store().apply(connection, store().settlement(again, Transition.RETRY_LATER));
            store().store().apply(connection, StoreDriver.change(Verb.CANCEL, List.of(other.id())));
            return store().store().apply(connection, store().settlement(job, Transition.COMPLETE));
        });
        assertThat(applied).isTrue();
        assertThat(orders()).isEqualTo(1);
        assertThat(store().state(job.id())).isEqualTo(JobState.COMPLETED);
        assertThat(store().state(child)).isEqualTo(JobState.PENDING);
        assertThat(store().state(again.id())).isEqualTo(JobState.SCHEDULED);
        store().hints().awaitHint("q", "child");
        store().hints().awaitHint(again.queue(), again.type());
        store().hints().awaitCancelRequest(other.leaseToken());
    }

    @Test
    void insideAManagedTransactionTheThreadWritesOnlyOnItsConnection() throws SQLException {
        createOrders();
        StoreDriver second = open();
        store().store().inTransaction(connection -> {
            order(connection, 1);
            assertThat(catchThrowable(() -> store().store().inTransaction(inner -> 1)))
                    .isInstanceOf(InvalidRequestException.class)
                    .hasMessageContaining("inside inTransaction")
                    .hasMessageContaining("on(connection)");
            assertThat(failure(store().store()
                            .submit(new Enqueue(List.of(NewRow.job().row())))))
                    .isInstanceOf(InvalidRequestException.class)
                    .hasMessageContaining("enqueuing 1 job")
                    .hasMessageContaining("on(connection)");
            assertThat(failure(store().store().submit(new Touch()))).isInstanceOf(InvalidRequestException.class);
            return second.count(JobState.PENDING);
        });
        assertThat(orders()).isEqualTo(1);
        store().enqueue(NewRow.job());
        store().store().inTransaction(connection -> enqueue(connection, NewRow.job()));
        assertThat(second.count(JobState.PENDING)).isEqualTo(2);
    }

    @Test
    void onlyTheStoreEndsTheConnectionOfAManagedTransaction() throws SQLException {
        createOrders();
        Connection kept = store().store().inTransaction(connection -> {
            order(connection, 1);
            for (ThrowingCallable end : List.<ThrowingCallable>of(
                    connection::commit,
                    connection::rollback,
                    connection::close,
                    () -> connection.abort(Runnable::run),
                    () -> connection.setAutoCommit(true))) {
                assertThat(catchThrowable(end))
                        .isInstanceOf(SQLException.class)
                        .hasMessageContaining("commits when its callback returns");
            }
            connection.setAutoCommit(false);
            Savepoint before = connection.setSavepoint();
            order(connection, 2);
            enqueue(connection, NewRow.of("never", "seen"));
            connection.rollback(before);
            enqueue(connection, NewRow.job());
            return connection;
        });
        assertThat(orders()).isEqualTo(1);
        assertThat(all(store().store(), JobFilter.ALL))
                .extracting(JobInfo::queue)
                .containsExactly("q");
        assertThat(kept.isClosed()).isTrue();
        assertThat(catchThrowable(() -> order(kept, 3)))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("has ended");
        assertThat(catchThrowable(() -> enqueue(kept, NewRow.job())))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("closed");
    }

    @Test
    void manyConcurrentManagedTransactionsInSeveralStoresAllCommit() throws Exception {
        createOrders();
        List<StoreDriver> stores = List.of(store(), open());
        List<Callable<Integer>> callers = new ArrayList<>();
        for (int caller = 0; caller < 8; caller++) {
            int first = caller * 100;
            StoreDriver driver = stores.get(caller % stores.size());
            callers.add(() -> {
                for (int i = 0; i < 10; i++) {
                    int id = first + i;
                    driver.store().inTransaction(connection -> {
                        // Begins with a read. The snapshot would be stale in a store that takes the lock at the first
                        // write.
                        try (Statement statement = connection.createStatement();
                                ResultSet row = statement.executeQuery("SELECT count(*) FROM orders")) {
                            assertThat(row.next()).isTrue();
                        }
                        order(connection, id);
                        return driver.store()
                                .apply(
                                        connection,
                                        new Enqueue(List.of(NewRow.job().row())));
                    });
                    driver.enqueue(NewRow.job());
                }
                return first;
            });
        }
        assertThat(together(callers)).hasSize(8);
        assertThat(orders()).isEqualTo(80);
        assertThat(store().count(JobState.PENDING)).isEqualTo(160);
    }
}
