package dev.windrow.sqlite.writer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.windrow.IncompatibleStoreException;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobState;
import dev.windrow.Store;
import dev.windrow.StoreUnavailableException;
import dev.windrow.WindrowException;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.limit.LimitTarget;
import dev.windrow.sqlite.Hooks;
import dev.windrow.sqlite.SqliteStore;
import dev.windrow.sqlite.Stores;
import dev.windrow.sqlite.TestDatabase;
import dev.windrow.store.Transition;
import dev.windrow.store.job.Change.Verb;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.Enqueue;
import dev.windrow.store.limit.LimitChange;
import dev.windrow.testkit.ManualTime;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Refused connections of callers, and transactions that write at the same time. */
class CallerTransactionsTest {
    @TempDir
    Path folder;

    private Path file;
    private StoreDriver store;

    @BeforeEach
    void openStore() {
        file = folder.resolve("jobs.db");
        store = Stores.open(file);
    }

    @AfterEach
    void closeStore() {
        store.close();
    }

    private Throwable enqueue(Connection connection) {
        return catchThrowable(() ->
                store.store().apply(connection, new Enqueue(List.of(NewRow.job().row()))));
    }

    @Test
    void aConnectionToAnotherFileIsRefused() throws SQLException {
        Path other = folder.resolve("other.db");
        Stores.open(other).close();
        try (Connection connection = TestDatabase.connect(other)) {
            connection.setAutoCommit(false);
            assertThat(enqueue(connection))
                    .isInstanceOf(InvalidRequestException.class)
                    .hasMessageContaining("other.db")
                    .hasMessageContaining("jobs.db");
        }
        try (Connection memory = java.sql.DriverManager.getConnection("jdbc:sqlite::memory:")) {
            memory.setAutoCommit(false);
            assertThat(enqueue(memory)).isInstanceOf(InvalidRequestException.class);
        }
    }

    @Test
    void anOpenResultSetOfAStatementThatWritesIsNamed() throws SQLException {
        try (Connection connection = TestDatabase.connect(file);
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY)");
            connection.setAutoCommit(false);
            try (ResultSet row = statement.executeQuery("INSERT INTO orders DEFAULT VALUES RETURNING id")) {
                assertThat(row.next()).isTrue();
                assertThat(enqueue(connection))
                        .isInstanceOf(InvalidRequestException.class)
                        .hasMessageContaining("a result set of a statement that writes")
                        .hasMessageContaining("close it");
            }
            assertThat(enqueue(connection)).isNull();
            connection.commit();
        }
        try (TestDatabase other = TestDatabase.open(file)) {
            assertThat(other.one("SELECT count(*) FROM orders")).isEqualTo("1");
            assertThat(other.one("SELECT count(*) FROM windrow_jobs")).isEqualTo("1");
        }
    }

    @Test
    void theEndOfAJobOfALimitedQueueIsNotifiedWithoutAPoll() throws SQLException {
        Store place = Hooks.safetyLook(SqliteStore.configure(folder.resolve("limited.db")), Duration.ofHours(1))
                .build();
        try (StoreDriver limited = new StoreDriver(place, new ManualTime());
                Connection connection = TestDatabase.connect(folder.resolve("limited.db"))) {
            Object unused =
                    StoreDriver.answer(limited.store().submit(LimitChange.limit(LimitTarget.queue("q"), "anna", 1)));
            ClaimedJob first = limited.running(NewRow.job());
            limited.enqueue(NewRow.of("q", "other"));
            limited.hints().forget();
            connection.setAutoCommit(false);
            assertThat(limited.store().apply(connection, limited.settlement(first, Transition.COMPLETE)))
                    .isTrue();
            connection.commit();
            limited.hints().awaitHint("q", "other");
        }
    }

    @Test
    void theSameFileUnderAnotherNameIsAccepted() throws Exception {
        Path link = Files.createSymbolicLink(folder.resolve("link.db"), file);
        try (Connection connection = TestDatabase.connect(link)) {
            connection.setAutoCommit(false);
            assertThat(enqueue(connection)).isNull();
            connection.commit();
        }
        assertThat(store.claim(5)).hasSize(1);
    }

    @Test
    void aConnectionWithoutForeignKeysIsRefused() throws SQLException {
        try (Connection connection = java.sql.DriverManager.getConnection("jdbc:sqlite:" + file)) {
            connection.setAutoCommit(false);
            assertThat(enqueue(connection))
                    .isInstanceOf(InvalidRequestException.class)
                    .hasMessageContaining("PRAGMA foreign_keys = ON");
        }
    }

    @Test
    void aConnectionThatIsNotToSqliteIsRefused() {
        Connection foreign = (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> method.getReturnType() == boolean.class ? false : null);
        assertThat(enqueue(foreign)).isInstanceOf(InvalidRequestException.class).hasMessageContaining("not to SQLite");
    }

    @Test
    void aConnectionThatAPoolHasWrappedIsAccepted() throws SQLException {
        try (Connection connection = TestDatabase.connect(file)) {
            Connection pooled = (Connection) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                        try {
                            return method.invoke(connection, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
            pooled.setAutoCommit(false);
            assertThat(enqueue(pooled)).isNull();
            pooled.commit();
        }
        assertThat(store.claim(5)).hasSize(1);
    }

    @Test
    void aTransactionWithAStaleSnapshotGetsAnErrorThatSaysHowToBegin() throws SQLException {
        try (Connection connection = TestDatabase.connect(file);
                var statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.executeQuery("SELECT count(*) FROM windrow_jobs").close();
            store.enqueue(NewRow.job());
            assertThat(enqueue(connection))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("BEGIN IMMEDIATE");
            connection.rollback();
            assertThat(enqueue(connection)).isNull();
            connection.commit();
        }
        assertThat(store.claim(5)).hasSize(2);
    }

    @Test
    void aCallerThatFindsTheFileLockedGetsAClearError() throws SQLException {
        try (TestDatabase other = TestDatabase.open(file);
                Connection connection = TestDatabase.connect(file);
                var statement = connection.createStatement()) {
            statement.execute("PRAGMA busy_timeout = 100");
            connection.setAutoCommit(false);
            other.execute("BEGIN IMMEDIATE");
            assertThat(enqueue(connection))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("write lock");
            other.execute("ROLLBACK");
            connection.rollback();
        }
    }

    @Test
    void aVerbThatFailsHalfWayWritesNothingAndTheTransactionContinues() throws SQLException {
        try (TestDatabase other = TestDatabase.open(file);
                Connection connection = TestDatabase.connect(file);
                var statement = connection.createStatement()) {
            other.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY)");
            other.execute("CREATE TRIGGER poison BEFORE INSERT ON windrow_payloads WHEN NEW.payload = '\"poison\"'"
                    + " BEGIN SELECT RAISE(ABORT, 'poisoned'); END");
            connection.setAutoCommit(false);
            statement.execute("INSERT INTO orders VALUES (1)");
            assertThat(catchThrowable(() -> store.store()
                            .apply(
                                    connection,
                                    new Enqueue(List.of(
                                            NewRow.job().payload("1").row(),
                                            NewRow.job().payload("\"poison\"").row())))))
                    .isInstanceOf(WindrowException.class)
                    .hasMessageContaining("poisoned");
            assertThat(enqueue(connection)).isNull();
            connection.commit();
            assertThat(other.one("SELECT count(*) FROM orders")).isEqualTo("1");
            assertThat(other.one("SELECT count(*) FROM windrow_jobs")).isEqualTo("1");
        }
        assertThat(store.count(JobState.PENDING)).isEqualTo(1);
    }

    @Test
    void aSchemaMigratedTooFarIsRefusedAndTheCallersDataStays() throws SQLException {
        try (TestDatabase newer = TestDatabase.open(file);
                Connection connection = TestDatabase.connect(file);
                var statement = connection.createStatement()) {
            newer.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY)");
            newer.execute("INSERT INTO windrow_schema (version, min_compatible, name, applied_at)"
                    + " VALUES (99, 98, 'far-later.sql', 0)");
            connection.setAutoCommit(false);
            statement.execute("INSERT INTO orders VALUES (1)");
            assertThat(enqueue(connection))
                    .isInstanceOf(IncompatibleStoreException.class)
                    .hasMessageContaining("has schema 99, which needs a newer Windrow")
                    .hasMessageContaining(file.toString());
            connection.commit();
            assertThat(newer.one("SELECT count(*) FROM orders")).isEqualTo("1");
            assertThat(newer.one("SELECT count(*) FROM windrow_jobs")).isEqualTo("0");

            newer.execute("ALTER TABLE windrow_jobs RENAME TO windrow_later_jobs");
            assertThat(enqueue(connection))
                    .as("also where a statement of this version fails")
                    .isInstanceOf(IncompatibleStoreException.class);
            connection.rollback();
        }
    }

    /** Covers a transaction that has not read yet: it waits for the lock. One that has read would be refused at once. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aTransactionThatBeginsWithTheVerbWaitsForTheLock(boolean change) throws Exception {
        List<Long> jobs = List.of(store.enqueue(NewRow.job()));
        try (TestDatabase other = TestDatabase.open(file);
                Connection connection = TestDatabase.connect(file)) {
            connection.setAutoCommit(false);
            other.execute("BEGIN IMMEDIATE");
            CompletableFuture<Throwable> applied = CompletableFuture.supplyAsync(() -> change
                    ? catchThrowable(() -> store.store().apply(connection, StoreDriver.change(Verb.CANCEL, jobs)))
                    : enqueue(connection));
            assertThat(applied)
                    .as("waits")
                    .failsWithin(Duration.ofMillis(500))
                    .withThrowableOfType(TimeoutException.class);
            other.execute("ROLLBACK");
            assertThat(applied.get(60, TimeUnit.SECONDS)).isNull();
            connection.commit();
        }
    }

    @Test
    void noWorkerIsNotifiedBeforeTheCommit() throws SQLException {
        try (Connection connection = TestDatabase.connect(file)) {
            connection.setAutoCommit(false);
            assertThat(enqueue(connection)).isNull();
            // The store has polled several times by now if the job is visible. The store itself waits for the caller's
            // lock.
            for (int i = 0; i < 50; i++) {
                assertThat(store.count(JobState.PENDING)).isZero();
            }
            assertThat(store.hints().rings()).isEmpty();
            connection.commit();
        }
        store.hints().awaitHint("q", "t");
    }
}
