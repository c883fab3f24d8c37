package dev.windrow.postgres.writer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.windrow.Dedupe;
import dev.windrow.JobState;
import dev.windrow.OutcomeUnknownException;
import dev.windrow.StoreUnavailableException;
import dev.windrow.WindrowException;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.postgres.Hooks;
import dev.windrow.postgres.PostgresStore;
import dev.windrow.postgres.TestTables;
import dev.windrow.store.job.Enqueue;
import dev.windrow.store.job.EnqueuedJob;
import dev.windrow.testkit.ManualTime;
import dev.windrow.testserver.PostgresServer;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Transactions on connections of the store's pool: how they affect other operations, and how they end when the server refuses. */
class ManagedTransactionsTest {
    private final PostgresServer server = PostgresServer.shared();
    private final String schema = server.newSchema();
    private StoreDriver store;

    @BeforeEach
    void openStore() {
        store = open(Duration.ofSeconds(10));
    }

    private StoreDriver open(Duration timeout) {
        return new StoreDriver(
                Hooks.leastConnectionWait(
                                PostgresStore.configure(server.url())
                                        .schema(schema)
                                        .operationTimeout(timeout),
                                Duration.ofSeconds(20))
                        .build(),
                new ManualTime());
    }

    @AfterEach
    void closeStore() throws SQLException {
        store.close();
        try (TestTables tables = TestTables.open(server, schema)) {
            tables.execute("DROP SCHEMA \"" + schema + "\" CASCADE");
        }
    }

    private static String one(Statement statement, String sql) throws SQLException {
        try (ResultSet row = statement.executeQuery(sql)) {
            assertThat(row.next()).isTrue();
            return row.getString(1);
        }
    }

    @Test
    void managedTransactionsAreReadCommittedAndDurableUnderAnyServerDefault() throws SQLException {
        store.store().inTransaction(connection -> {
            try (Statement statement = connection.createStatement()) {
                assertThat(one(statement, "SHOW transaction_isolation")).isEqualTo("read committed");
                assertThat(one(statement, "SHOW synchronous_commit")).isNotEqualTo("off");
                assertThat(one(statement, "SHOW lock_timeout")).isEqualTo("10s");
                assertThat(one(statement, "SHOW statement_timeout")).isEqualTo("0");
            }
            return null;
        });
    }

    @Test
    void aConnectionThatBreaksAtTheCommitLeavesTheOutcomeUnknownAndNamesTheNewJobs() throws SQLException {
        try (TestTables tables = TestTables.open(server, schema)) {
            // A deferred trigger ends the session while it commits.
            for (String sql : List.of(
                    "CREATE TABLE %1$s.ends (id INTEGER)",
                    "CREATE FUNCTION %1$s.end_session() RETURNS trigger LANGUAGE plpgsql AS "
                            + "'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(60); RETURN NULL; END'",
                    "CREATE CONSTRAINT TRIGGER at_commit AFTER INSERT ON %1$s.ends DEFERRABLE INITIALLY DEFERRED"
                            + " FOR EACH ROW EXECUTE FUNCTION %1$s.end_session()")) {
                tables.execute(sql.formatted('"' + schema + '"'));
            }
        }
        NewRow keyed = NewRow.job().dedupe(Dedupe.key("key").unfinished());
        long holder = store.enqueue(keyed);
        AtomicReference<EnqueuedJob> job = new AtomicReference<>();
        Throwable failure = catchThrowable(() -> store.store().inTransaction(connection -> {
            List<EnqueuedJob> jobs = store.store()
                    .apply(
                            connection,
                            new Enqueue(List.of(keyed.row(), NewRow.job().row())));
            assertThat(jobs.get(0).id()).isEqualTo(holder);
            job.set(jobs.get(1));
            try (Statement statement = connection.createStatement()) {
                statement.execute("INSERT INTO \"" + schema + "\".ends VALUES (1)");
            }
            return null;
        }));
        assertThat(failure)
                .isInstanceOfSatisfying(
                        OutcomeUnknownException.class,
                        unknown -> assertThat(unknown.ids())
                                .containsExactly(job.get().id()));
    }

    @Test
    void aConnectionThatBreaksBeforeTheCommitWritesNothing() throws SQLException {
        Throwable failure = catchThrowable(() -> store.store().inTransaction(connection -> {
            store.store().apply(connection, new Enqueue(List.of(NewRow.job().row())));
            try (Statement statement = connection.createStatement();
                    TestTables killer = TestTables.open(server, schema)) {
                killer.one("SELECT pg_terminate_backend(" + one(statement, "SELECT pg_backend_pid()") + ", 60000)");
            }
            return null;
        }));
        assertThat(failure).isInstanceOf(StoreUnavailableException.class);
        assertThat(store.count(JobState.PENDING)).isZero();
        store.store()
                .inTransaction(connection -> store.store()
                        .apply(connection, new Enqueue(List.of(NewRow.job().row()))));
    }

    @Test
    void aTransactionWithASwallowedFailureIsNotCommitted() throws SQLException {
        assertThat(catchThrowable(() -> store.store().inTransaction(connection -> {
                    store.store()
                            .apply(connection, new Enqueue(List.of(NewRow.job().row())));
                    try (Statement statement = connection.createStatement()) {
                        assertThat(catchThrowable(() -> statement.execute("SELECT 1 / 0")))
                                .isInstanceOf(SQLException.class);
                    }
                    return null;
                })))
                .isInstanceOf(WindrowException.class)
                .isNotInstanceOf(OutcomeUnknownException.class);
        assertThat(store.claim(1)).isEmpty();
    }

    @Test
    void aTransactionWithoutAFreeConnectionGetsAnErrorAndTheWritersContinue() throws Exception {
        try (StoreDriver hasty = open(Duration.ofSeconds(1))) {
            CountDownLatch inside = new CountDownLatch(ManagedTransactions.MOST);
            CountDownLatch goOn = new CountDownLatch(1);
            List<CompletableFuture<Void>> all = new ArrayList<>();
            for (int i = 0; i < ManagedTransactions.MOST; i++) {
                all.add(CompletableFuture.runAsync(
                        () -> {
                            Boolean in = hasty.store().inTransaction(connection -> {
                                inside.countDown();
                                try {
                                    return goOn.await(60, TimeUnit.SECONDS);
                                } catch (InterruptedException e) {
                                    throw new IllegalStateException(e);
                                }
                            });
                            assertThat(in).isTrue();
                        },
                        task -> new Thread(task).start()));
            }
            assertThat(inside.await(60, TimeUnit.SECONDS)).isTrue();
            hasty.enqueue(NewRow.job());
            assertThat(catchThrowable(() -> hasty.store().inTransaction(connection -> 1)))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("could not begin within 1s");
            goOn.countDown();
            all.forEach(CompletableFuture::join);
            int one = hasty.store().inTransaction(connection -> 1);
            assertThat(one).isEqualTo(1);
        }
    }

    /** The connections behave as with a proxy that gives the next transaction another connection of the server. */
    @Test
    void transactionsSucceedThroughAProxyThatLosesPreparedStatements() throws SQLException {
        for (int use = 0; use < 10; use++) {
            int one = store.store().inTransaction(connection -> 1);
            assertThat(one).isEqualTo(1);
        }
        int lost = store.store().inTransaction(connection -> {
            try (Statement statement = connection.createStatement()) {
                // This happens at the commit, in a text that the driver does not see.
                statement.execute("CREATE TEMP TABLE lost (n integer)");
                statement.execute("CREATE FUNCTION pg_temp.lose() RETURNS trigger LANGUAGE plpgsql AS"
                        + " $$ BEGIN EXECUTE 'DEALLOCATE ALL'; RETURN NULL; END $$");
                statement.execute("CREATE CONSTRAINT TRIGGER lose AFTER INSERT ON lost"
                        + " DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION pg_temp.lose()");
                return statement.executeUpdate("INSERT INTO lost VALUES (1)");
            }
        });
        assertThat(lost).isEqualTo(1);
        store.store()
                .inTransaction(connection -> store.store()
                        .apply(connection, new Enqueue(List.of(NewRow.job().row()))));
        assertThat(store.claim(1)).hasSize(1);
    }
}
