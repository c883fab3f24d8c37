package dev.windrow.postgres.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.windrow.Dedupe;
import dev.windrow.JobState;
import dev.windrow.TransitionRefusedException;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.monitor.Diagnosis.Check;
import dev.windrow.postgres.TwoTransactions;
import dev.windrow.postgres.workflow.Dependents;
import dev.windrow.postgres.writer.Writer;
import dev.windrow.store.Transition;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.ChangeByFilter;
import dev.windrow.store.job.ChangeResult;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.Enqueue;
import dev.windrow.store.job.EnqueuedJob;
import dev.windrow.store.job.Release;
import dev.windrow.store.limit.KeyLimits;
import dev.windrow.workflow.ParentPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The effects of a parent's end on children that another transaction is changing at the same time. */
class EndedMeanwhileTest extends TwoTransactions {
    private StoreDriver other;
    private StoreDriver store;

    @BeforeEach
    void openStores() {
        other = open(Writer.Probe.NONE);
        store = open(disturbance);
    }

    @AfterEach
    void closeStores() {
        store.close();
        other.close();
    }

    private ClaimedJob claim(StoreDriver driver, long job) {
        return driver.claim(10).stream()
                .filter(claimed -> claimed.id() == job)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aChildRetriedWhileItsParentFailsAgainIsCancelledAgain()
            throws ExecutionException, InterruptedException, TimeoutException {
        long parent = store.enqueue(NewRow.job());
        long child = store.enqueue(NewRow.job().after(parent, ParentPolicy.CANCEL));
        assertThat(store.settle(claim(store, parent), Transition.FAIL)).isTrue();
        assertThat(store.state(child)).isEqualTo(JobState.CANCELLED);
        store.change(Change.Verb.RETRY, parent);
        ClaimedJob again = claim(store, parent);
        AtomicReference<CompletableFuture<Boolean>> failed = new AtomicReference<>();
        disturbance.of(Change.class).beforeCommit(session -> {
            failed.set(other.store().submit(other.settlement(again, Transition.FAIL)));
            awaitLock(failed.get());
        });
        store.change(Change.Verb.RETRY, child);
        assertThat(failed.get().get(60, TimeUnit.SECONDS)).isTrue();
        assertThat(store.state(parent)).isEqualTo(JobState.FAILED);
        assertThat(store.state(child)).isEqualTo(JobState.CANCELLED);
        store.change(Change.Verb.RETRY, parent);
        store.change(Change.Verb.RETRY, child);
        store.complete(claim(store, parent));
        assertThat(store.state(child)).isEqualTo(JobState.PENDING);
    }

    @Test
    void noEdgeIsCountedTwiceWhenAnEndingParentGetsNewChildren()
            throws ExecutionException, InterruptedException, TimeoutException, SQLException {
        Dedupe key = Dedupe.key("k").forEver();
        tables.execute("SELECT setval('windrow_ids', 10001, false)");
        long parent = store.enqueue(NewRow.job().dedupe(key));
        long open = store.enqueue(NewRow.of("q", "open"));
        store.enqueueAll(Collections.nCopies(
                Dependents.PART + 5,
                NewRow.of("q", "child").after(parent, ParentPolicy.RUN).after(open, ParentPolicy.WAIT)));
        // The id of the late child is among the ids of the others, as with a process that had ids left.
        tables.execute("SELECT setval('windrow_ids', 201, false)");
        try (Connection connection = server.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            AtomicReference<CompletableFuture<List<EnqueuedJob>>> enqueued = new AtomicReference<>();
            disturbance.of(Release.class).beforeCommit(session -> {
                enqueued.set(CompletableFuture.supplyAsync(() -> other.store()
                        .apply(
                                connection,
                                new Enqueue(List.of(
                                        NewRow.job().dedupe(key).row(),
                                        NewRow.of("q", "late")
                                                .afterPlace(0, ParentPolicy.RUN)
                                                .row())))));
                awaitLock(enqueued.get());
            });
            ClaimedJob claimed = claim(store, parent);
            assertThat(store.settle(claimed, Transition.FAIL)).isTrue();
            Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> enqueued.get() != null);
            List<EnqueuedJob> jobs = enqueued.get().get(60, TimeUnit.SECONDS);
            connection.commit();
            assertThat(jobs.get(1).id())
                    .as("below the other children")
                    .isGreaterThan(0)
                    .isLessThan(parent);
            assertThat(store.state(jobs.get(1).id())).isEqualTo(JobState.PENDING);
        }
        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .until(() -> tables.one("SELECT count(*) FROM windrow_releases").equals("0"));
        assertThat(tables.one("SELECT count(*) FROM windrow_jobs WHERE state = 'BLOCKED' AND open_parents = 1"))
                .isEqualTo(Integer.toString(Dependents.PART + 5));
    }

    /** The server checks the condition of the statement again for each row that has changed: a list of all parents, 15 s in all. */
    @Test
    void aJobWithManyParentsMayBeEnqueuedWhileAllOfThemChange()
            throws ExecutionException, InterruptedException, TimeoutException, SQLException {
        List<Long> parents = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            parents.addAll(store.enqueueAll(Collections.nCopies(1000, NewRow.job())));
        }
        try (Connection changing = server.dataSource().getConnection();
                Connection enqueuing = server.dataSource().getConnection();
                Statement change = changing.createStatement();
                Statement bound = enqueuing.createStatement()) {
            changing.setAutoCommit(false);
            enqueuing.setAutoCommit(false);
            bound.execute("SET LOCAL statement_timeout = '5s'");
            // The setting is the same as in the store's own transactions.
            bound.execute("SET LOCAL plan_cache_mode = force_generic_plan");
            change.execute(tables.tables().inSchema("UPDATE windrow_jobs SET priority = priority"));
            CompletableFuture<List<EnqueuedJob>> enqueued = CompletableFuture.supplyAsync(() -> other.store()
                    .apply(
                            enqueuing,
                            new Enqueue(List.of(NewRow.of("q", "child")
                                    .afterAll(parents, ParentPolicy.WAIT)
                                    .row()))));
            awaitLock(enqueued);
            changing.commit();
            assertThat(enqueued.get(60, TimeUnit.SECONDS).get(0).state()).isEqualTo(JobState.BLOCKED);
            enqueuing.rollback();
        }
    }

    @Test
    void aParentStaysUntilItsEndIsAppliedToAllChildrenAndNoEdgeIsCountedTwice() throws SQLException {
        long parent = store.enqueue(NewRow.job());
        long open = store.enqueue(NewRow.of("q", "open"));
        List<Long> children = store.enqueueAll(Collections.nCopies(
                Dependents.PART + 5,
                NewRow.of("q", "child").after(parent, ParentPolicy.RUN).after(open, ParentPolicy.WAIT)));
        store.change(Change.Verb.COMPLETE, children.toArray(Long[]::new));
        try (Connection connection = server.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            AtomicReference<Throwable> refused = new AtomicReference<>();
            disturbance
                    .of(Release.class)
                    .beforeCommit(session -> refused.set(catchThrowable(() ->
                            other.store().apply(connection, StoreDriver.change(Change.Verb.DELETE, List.of(parent))))));
            assertThat(store.settle(claim(store, parent), Transition.FAIL)).isTrue();
            Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> refused.get() != null);
            assertThat(refused.get())
                    .isInstanceOf(TransitionRefusedException.class)
                    .hasMessageContaining("cannot be deleted yet");
            connection.rollback();
        }
        awaitNoReleases();
        store.change(Change.Verb.DELETE, parent);
        assertThat(tables.one("SELECT count(*) FROM windrow_jobs WHERE open_parents = 1"))
                .isEqualTo(Integer.toString(Dependents.PART + 5));
        assertThat(store.diagnose().checks()).allMatch(Check::isOk);
    }

    /** The last batch of dependents commits after the end. Neither transaction sees the writes of the other. */
    @ParameterizedTest
    @EnumSource(names = {"COMPLETE", "FAIL"})
    void aParentMayEndWhileItsLastDependentIsRetried(Transition end)
            throws ExecutionException, InterruptedException, TimeoutException, SQLException {
        int many = Dependents.PART + 5;
        long parent = store.enqueue(NewRow.job());
        store.enqueueAll(Collections.nCopies(many, NewRow.of("q", "child").after(parent, ParentPolicy.CANCEL)));
        assertThat(store.settle(claim(store, parent), Transition.FAIL)).isTrue();
        awaitNoReleases();
        assertThat(store.count(JobState.CANCELLED)).isEqualTo(many);
        AtomicReference<CompletableFuture<Boolean>> ended = new AtomicReference<>();
        disturbance.of(Release.class).beforeCommit(session -> {
            ended.set(other.store().submit(other.settlement(claim(other, parent), end)));
            awaitLock(ended.get());
        });
        ChangeResult retried = StoreDriver.answer(ChangeByFilter.run(
                store.store(),
                Change.byId(Change.Verb.RETRY, List.of(parent), "operator")
                        .withDependents(true)
                        .build()));
        assertThat(retried.count()).isEqualTo(1 + Dependents.PART);
        Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> ended.get() != null);
        assertThat(ended.get().get(60, TimeUnit.SECONDS)).isTrue();
        awaitNoReleases();
        assertThat(store.count(end == Transition.FAIL ? JobState.CANCELLED : JobState.PENDING))
                .isEqualTo(many);
        assertThat(store.diagnose().checks()).allMatch(Check::isOk);
    }

    private void awaitNoReleases() {
        Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> {
            KeyLimits.admit(store.store());
            return tables.one("SELECT count(*) FROM windrow_releases").equals("0");
        });
    }

    @ParameterizedTest
    @EnumSource(names = {"RETRY", "DELETE"})
    void aCancelledChildMayBeChangedWhileItsParentCompletes(Change.Verb verb)
            throws ExecutionException, InterruptedException, TimeoutException, SQLException {
        long parent = store.enqueue(NewRow.job());
        long child = store.enqueue(NewRow.job().after(parent, ParentPolicy.CANCEL));
        assertThat(store.settle(claim(store, parent), Transition.FAIL)).isTrue();
        store.change(Change.Verb.RETRY, parent);
        ClaimedJob again = claim(store, parent);
        try (Connection changing = server.dataSource().getConnection();
                Connection settling = server.dataSource().getConnection();
                Statement lock = changing.createStatement()) {
            changing.setAutoCommit(false);
            settling.setAutoCommit(false);
            // A change begins with this lock.
            lock.execute(tables.tables().inSchema("SELECT 1 FROM windrow_jobs WHERE id = " + child + " FOR UPDATE"));
            CompletableFuture<Boolean> settled = CompletableFuture.supplyAsync(
                    () -> store.store().apply(settling, store.settlement(again, Transition.COMPLETE)));
            awaitLock(settled);
            assertThat(other.store()
                            .apply(changing, StoreDriver.change(verb, List.of(child)))
                            .count())
                    .isEqualTo(1);
            changing.commit();
            assertThat(settled.get(60, TimeUnit.SECONDS)).isTrue();
            settling.commit();
        }
        if (verb == Change.Verb.RETRY) {
            assertThat(store.state(child)).isEqualTo(JobState.PENDING);
        } else {
            assertThat(tables.one("SELECT count(*) FROM windrow_edges")).isEqualTo("0");
        }
    }
}
