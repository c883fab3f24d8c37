package dev.windrow.postgres.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.windrow.Dedupe;
import dev.windrow.InvalidRequestException;
import dev.windrow.StoreUnavailableException;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.postgres.Hooks;
import dev.windrow.postgres.PostgresStore;
import dev.windrow.postgres.TestTables;
import dev.windrow.store.Transition;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.Enqueue;
import dev.windrow.store.job.Renew;
import dev.windrow.testkit.ManualTime;
import dev.windrow.testserver.PostgresServer;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** The connections of a store: their number, and the threads that share them. */
class SessionsTest {
    private static final long HOUR_NANOS = TimeUnit.HOURS.toNanos(1);

    private final PostgresServer server = PostgresServer.shared();
    private final Database database =
            new Database(server.dataSource(), null, new Tables("public", "windrow_"), HOUR_NANOS, 0);
    private final AtomicInteger opened = new AtomicInteger();

    private Session open() throws SQLException {
        opened.incrementAndGet();
        return database.borrow();
    }

    private Sessions sessions(long patienceNanos) {
        return new Sessions(this::open, patienceNanos, Integer.MAX_VALUE);
    }

    @Test
    void aThreadGetsItsLastSessionAgain() throws SQLException {
        try (Sessions sessions = sessions(0)) {
            Session a = sessions.take("a");
            Session b = sessions.take("b");
            sessions.giveBack(a, "a");
            sessions.giveBack(b, "b");
            assertThat(sessions.take("a")).isSameAs(a);
            assertThat(sessions.take("b")).isSameAs(b);
            sessions.giveBack(a, "a");
            sessions.giveBack(b, "b");
        }
        assertThat(opened).hasValue(2);
    }

    @Test
    void aFourthThreadWaitsForTheSessionOfAnother() throws SQLException {
        try (Sessions sessions = sessions(HOUR_NANOS)) {
            Session a = sessions.take("a");
            Session b = sessions.take("b");
            Session c = sessions.take("c");
            CompletableFuture<Session> fourth = CompletableFuture.supplyAsync(() -> {
                try {
                    return sessions.take("d");
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
            assertThat(fourth).isNotDone();
            sessions.giveBack(b, "b");
            assertThat(fourth.orTimeout(60, TimeUnit.SECONDS).join()).isSameAs(b);
            List.of(a, b, c).forEach(session -> sessions.giveBack(session, "e"));
        }
        assertThat(opened).hasValue(3);
    }

    @Test
    void aThreadThatHasWaitedTooLongOpensOneMore() throws SQLException {
        try (Sessions sessions = sessions(0)) {
            List<Session> all = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                all.add(sessions.take("user " + i));
            }
            assertThat(all).doesNotHaveDuplicates();
            all.forEach(session -> sessions.giveBack(session, "user"));
        }
    }

    @Test
    void aBrokenSessionEndsTheFreeOnes() throws SQLException {
        try (Sessions sessions = sessions(HOUR_NANOS)) {
            Session a = sessions.take("a");
            Session b = sessions.take("b");
            sessions.giveBack(b, "b");
            sessions.end(a);
            sessions.endFree();
            assertThat(b.isClosed()).isTrue();
            Session next = sessions.take("a");
            assertThat(next.isClosed()).isFalse();
            sessions.giveBack(next, "a");
        }
    }

    @Test
    void aSessionThatCannotBeOpenedTakesNoSlot() throws SQLException {
        AtomicInteger failures = new AtomicInteger(10);
        try (Sessions sessions = new Sessions(
                () -> {
                    if (failures.getAndDecrement() > 0) {
                        throw new SQLException("no", "08001");
                    }
                    return open();
                },
                HOUR_NANOS,
                Sessions.USUAL)) {
            for (int i = 0; i < 10; i++) {
                assertThatThrownBy(() -> sessions.take("a")).isInstanceOf(SQLException.class);
            }
            for (int i = 0; i < Sessions.USUAL; i++) {
                sessions.giveBack(sessions.take("user " + i), "user");
            }
        }
    }

    @Test
    void theUsualSessionsAreKeptForLongerThanOthers() throws SQLException {
        long now = System.nanoTime();
        try (Sessions sessions = sessions(0)) {
            List<Session> all = new ArrayList<>();
            for (String user : List.of("a", "b", "c", "d", "e")) {
                all.add(sessions.take(user));
            }
            all.forEach(session -> sessions.giveBack(session, session));
            sessions.closeIdle(now);
            assertThat(open(all)).isEqualTo(5);
            long freed = System.nanoTime();
            sessions.closeIdle(freed + TimeUnit.SECONDS.toNanos(2));
            assertThat(open(all)).isEqualTo(3);
            sessions.closeIdle(freed + TimeUnit.SECONDS.toNanos(31));
            assertThat(open(all)).isZero();
        }
    }

    @Test
    void aSmallPoolGetsItsConnectionsBackSoon() throws SQLException {
        try (Sessions sessions = new Sessions(this::open, 0, Sessions.USUAL)) {
            Session a = sessions.take("a");
            sessions.giveBack(a, "a");
            sessions.closeIdle(System.nanoTime() + TimeUnit.SECONDS.toNanos(2));
            assertThat(open(List.of(a))).isZero();
        }
    }

    @Test
    void theStatementsOfAMessageAreATransactionWithItsOwnSettings() throws SQLException {
        List<String> sqls = List.of(
                "SELECT set_config('lock_timeout', '17ms', true), txid_current()",
                "SELECT current_setting('lock_timeout'), txid_current()");
        try (Session session = open()) {
            String usual = row(session.get("SHOW lock_timeout").first());
            for (int round = 0; round < 2; round++) {
                try (Session.Message message = session.message(sqls)) {
                    PostgresQuery statements = message.statements();
                    assertThat(row(statements.first())).isEqualTo(row(statements.next()));
                }
                assertThat(session.connection().getAutoCommit()).isFalse();
                assertThat(row(session.get("SHOW lock_timeout").first())).isEqualTo(usual);
                session.rollback();
            }
        }
    }

    @Test
    void aMessageIsCommittedAtItsEndAndFailsAsAWhole() throws SQLException {
        try (Session session = open()) {
            session.connection().createStatement().execute("CREATE TEMPORARY TABLE numbers (n integer)");
            session.commit();
            List<String> insert = List.of("INSERT INTO numbers VALUES (1)", "SELECT 1 / (count(*) - $1) FROM numbers");
            try (Session.Message message = session.message(insert)) {
                message.statements().set(PostgresQuery.NEXT + 1, 0);
                message.statements().first();
            }
            session.rollback();
            assertThatThrownBy(() -> {
                        try (Session.Message message = session.message(insert)) {
                            message.statements().set(PostgresQuery.NEXT + 1, 2);
                            message.statements().first();
                        }
                    })
                    .hasMessageContaining("division by zero");
            assertThat(session.connection().getAutoCommit()).isFalse();
            assertThat(row(session.get("SELECT count(*) FROM numbers").first())).isEqualTo("1");
        }
    }

    /** Returns the columns of the only row. */
    private static String row(ResultSet result) throws SQLException {
        try (result) {
            assertThat(result.next()).isTrue();
            List<String> columns = new ArrayList<>();
            for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
                columns.add(result.getString(i));
            }
            return String.join(" ", columns);
        }
    }

    private static long open(List<Session> all) throws SQLException {
        long open = 0;
        for (Session session : all) {
            open += session.isClosed() ? 0 : 1;
        }
        return open;
    }

    private interface Opened {
        void with(StoreDriver store) throws SQLException;
    }

    private void atStore(DataSource source, Opened opened) throws SQLException {
        try (StoreDriver store = new StoreDriver(
                Hooks.sessionPatience(PostgresStore.configure(source).schema(server.newSchema()), Duration.ofHours(1))
                        .build(),
                new ManualTime())) {
            opened.with(store);
        }
    }

    private HikariDataSource pool(String name, int size) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(server.url() + (server.url().contains("?") ? "&" : "?") + "ApplicationName=" + name);
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(0);
        return new HikariDataSource(config);
    }

    /** Does all the work of a busy process at once, so that each of its threads always has work. */
    private static void work(StoreDriver store) {
        List<CompletableFuture<?>> all = new ArrayList<>();
        for (int round = 0; round < 10; round++) {
            for (int i = 0; i < 20; i++) {
                all.add(store.store().submit(new Enqueue(List.of(NewRow.job().row()))));
                all.add(store.store()
                        .submit(new Enqueue(List.of(
                                NewRow.job().dedupe(Dedupe.key("key " + i)).row()))));
            }
            List<ClaimedJob> claimed = store.claim(50);
            all.add(store.store()
                    .submit(new Renew(
                            claimed.stream().map(ClaimedJob::leaseToken).toList(), 30_000)));
            claimed.forEach(job -> all.add(store.store().submit(store.settlement(job, Transition.COMPLETE))));
            store.store().statistics();
        }
        all.forEach(each -> each.orTimeout(60, TimeUnit.SECONDS).join());
    }

    @Test
    void aWorkingProcessHasFourConnections() throws SQLException {
        String name = "counted_" + server.newSchema();
        try (HikariDataSource pool = pool(name, 20);
                TestTables tables = TestTables.open(server, "public")) {
            atStore(pool, store -> {
                work(store);
                // The pool keeps open connections for minutes.
                assertThat(tables.one("SELECT count(*) FROM pg_stat_activity WHERE application_name = '" + name + "'"))
                        .isEqualTo("4");
            });
        }
    }

    @Test
    void aPoolOfTwoConnectionsIsEnough() throws SQLException {
        try (HikariDataSource pool = pool("small", 2)) {
            atStore(pool, SessionsTest::work);
        }
    }

    @Test
    void refusedIdleWorkKeepsNoConnection() throws SQLException {
        String schema = server.newSchema();
        try (HikariDataSource pool = pool("refused", 2);
                StoreDriver store = new StoreDriver(
                        PostgresStore.configure(pool).schema(schema).build(), new ManualTime());
                TestTables tables = TestTables.open(server, schema)) {
            tables.execute("ALTER TABLE windrow_throughput ADD CONSTRAINT refused CHECK (lane < 0)");
            store.enqueue(NewRow.job());
            assertThat(store.complete(store.claimOne())).isTrue();
            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> store.store().tasks().stream()
                            .anyMatch(task ->
                                    task.problem() != null && task.problem().contains("refused")));
            store.enqueue(NewRow.job());
        }
    }

    @Test
    void aReadAbandonedWhileWaitingLeavesTheSessionUsable() throws SQLException {
        Database patient =
                new Database(server.dataSource(), null, new Tables("public", "windrow_"), HOUR_NANOS, HOUR_NANOS);
        try (Sessions sessions = patient.sessions();
                Readers readers = new Readers(patient, TimeUnit.MILLISECONDS.toNanos(200), "test")) {
            List<Session> all = List.of(sessions.take("a"), sessions.take("b"), sessions.take("c"));
            assertThatThrownBy(() -> readers.read("a read", statements -> 1))
                    .isInstanceOf(StoreUnavailableException.class);
            all.forEach(session -> sessions.giveBack(session, "user"));
            readers.close();
            for (Session session : all) {
                assertThat(session.isClosed()).isFalse();
            }
        }
    }

    @Test
    void aPoolOfOneConnectionIsRefused() {
        try (HikariDataSource pool = pool("smallest", 1)) {
            assertThatThrownBy(() -> PostgresStore.at(pool))
                    .isInstanceOf(InvalidRequestException.class)
                    .hasMessageContaining("maximumPoolSize 1 of the pool")
                    .hasMessageContaining("is not allowed: 2 or more");
        }
    }
}
