package dev.windrow.postgres.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.EventLevel;
import dev.windrow.OutcomeUnknownException;
import dev.windrow.StoreUnavailableException;
import dev.windrow.contract.StoreDriver;
import dev.windrow.postgres.TestTables;
import dev.windrow.postgres.processes.Listener;
import dev.windrow.postgres.processes.Notifier;
import dev.windrow.postgres.processes.RegistrySql;
import dev.windrow.postgres.schema.Migrations;
import dev.windrow.postgres.schema.SchemaGuard;
import dev.windrow.postgres.writer.Learned;
import dev.windrow.postgres.writer.ManagedTransactions;
import dev.windrow.postgres.writer.Names;
import dev.windrow.postgres.writer.Shared;
import dev.windrow.postgres.writer.TransactionSql;
import dev.windrow.store.sql.connection.TablePrefix;
import dev.windrow.testkit.ManualTime;
import dev.windrow.testserver.PostgresServer;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/** Real connections with some failing calls. */
class ConnectionsTest {
    private final PostgresServer server = PostgresServer.shared();
    private final Tables tables = new Tables(server.newSchema(), TablePrefix.DEFAULT);
    private final List<String> called = new CopyOnWriteArrayList<>();
    private final List<Connection> opened = new CopyOnWriteArrayList<>();

    /** A rule that decides whether a call fails. */
    private interface Fault {
        void before(String method, String sql) throws SQLException;
    }

    @AfterEach
    void close() throws SQLException {
        for (Connection connection : opened) {
            connection.close();
        }
    }

    private Database database(Fault fault) {
        return new Database(
                proxy(DataSource.class, server.dataSource(), fault), null, tables, TimeUnit.SECONDS.toNanos(60), 0);
    }

    private <T> T proxy(Class<T> type, Object real, Fault fault) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    called.add(method.getName());
                    fault.before(method.getName(), arguments != null && arguments[0] instanceof String sql ? sql : "");
                    Object answer;
                    try {
                        answer = method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                    if (method.getName().equals("getConnection") && answer instanceof Connection connection) {
                        opened.add(connection);
                        return proxy(Connection.class, connection, fault);
                    }
                    if (method.getName().equals("createStatement")) {
                        return proxy(Statement.class, answer, fault);
                    }
                    return answer;
                }));
    }

    /** The server stops after so many rows of a query, and a commit ends the query. */
    @Test
    void aFetchSizeOfTheUrlCutsNoNotifications() throws SQLException {
        List<String> messages =
                IntStream.range(0, 25).mapToObj(i -> "told " + i).toList();
        String url = server.url() + (server.url().contains("?") ? "&" : "?") + "defaultRowFetchSize=10";
        String channel = tables.channel();
        try (Connection listener = server.dataSource().getConnection();
                Statement listens = listener.createStatement();
                Connection notifies = DriverManager.getConnection(url);
                PostgresStatements statements = new PostgresStatements(notifies, tables)) {
            listens.execute("LISTEN \"" + channel + "\"");
            notifies.setAutoCommit(false);
            for (List<String> some : List.of(messages, List.of("end"))) {
                statements
                        .together(List.of(RegistrySql.NOTIFY, TransactionSql.COMMIT))
                        .set(1, channel)
                        .texts(2, some)
                        .first()
                        .close();
                notifies.commit();
            }
            List<String> heard = new ArrayList<>();
            while (!heard.contains("end")) {
                for (PGNotification each : listener.unwrap(PGConnection.class).getNotifications(60_000)) {
                    heard.add(each.getParameter());
                }
            }
            assertThat(heard).hasSize(26).containsAll(messages);
        }
    }

    /** A pool would give the connection to its next user unchanged. */
    @Test
    void aConnectionThatCannotBeRolledBackIsEnded() throws SQLException {
        AtomicInteger rollbacks = new AtomicInteger();
        try (Database database = database((method, sql) -> {
            if (method.equals("rollback") && rollbacks.incrementAndGet() == 2) {
                throw new SQLException("no", "XX000");
            }
        })) {
            database.borrow().close();
        }
        assertThat(called).contains("abort");
    }

    @Test
    void aSessionThatCannotBeEndedFreesItsSlot() throws SQLException {
        try (Database database = database((method, sql) -> {
                    if (method.equals("abort")) {
                        throw new OutOfMemoryError("not really");
                    }
                });
                Sessions sessions = new Sessions(database::borrow, TimeUnit.HOURS.toNanos(1), Sessions.USUAL)) {
            for (int i = 0; i < Sessions.USUAL; i++) {
                Session session = sessions.take("a");
                assertThatThrownBy(() -> sessions.end(session)).isInstanceOf(OutOfMemoryError.class);
            }
            CompletableFuture<Session> next = CompletableFuture.supplyAsync(() -> {
                try {
                    return sessions.take("a");
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
            sessions.giveBack(next.orTimeout(60, TimeUnit.SECONDS).join(), "a");
        }
    }

    @Test
    void anUnexpectedPoolErrorLeavesTheOutcomeUnknownFromTheCommitOn() {
        AtomicReference<String> failing = new AtomicReference<>("getConnection");
        try (Database database = database((method, sql) -> {
            if (failing.get().equals(sql.isEmpty() ? method : sql)) {
                throw new IllegalStateException("the pool cannot log");
            }
        })) {
            ManagedTransactions managed = new ManagedTransactions(database);
            assertThatThrownBy(() -> managed.run(connection -> null))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("the pool cannot log");
            failing.set(TransactionSql.COMMIT);
            assertThatThrownBy(() -> managed.run(connection -> null))
                    .isInstanceOf(OutcomeUnknownException.class)
                    .hasMessageContaining("the pool cannot log");
        }
        assertThat(called).contains("abort");
    }

    @Test
    void aNotificationIsResentWhenItsStatementWasLost() throws SQLException {
        AtomicInteger losses = new AtomicInteger();
        Database database = database((method, sql) -> {
            if (sql.contains("pg_notify") && losses.incrementAndGet() <= 2) {
                throw new SQLException("prepared statement \"S_1\" does not exist", "26000");
            }
        });
        Notifier notifier = new Notifier(database, "test");
        try (Connection listening = server.dataSource().getConnection();
                Statement listen = listening.createStatement()) {
            listen.execute("LISTEN \"" + tables.channel() + '"');
            notifier.start();
            notifier.ready(new Names.Lane("queue", "type"), null);
            List<String> heard = new ArrayList<>();
            Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> {
                PGNotification[] told = listening.unwrap(PGConnection.class).getNotifications(10);
                if (told != null) {
                    for (PGNotification notification : told) {
                        heard.add(notification.getParameter());
                    }
                }
                return !heard.isEmpty();
            });
            assertThat(losses).hasValueGreaterThan(2);
            assertThat(heard).containsExactly(notifier.origin() + " due queue type");
            assertThat(notifier.task().problem()).isNull();
        } finally {
            notifier.close();
            database.close();
        }
    }

    /** An old primary may continue beside the new one. */
    @Test
    void theListenerPreparesNothingAndFollowsTheOtherConnectionsToANewServer() throws SQLException {
        Database database = database((method, sql) -> {});
        Shared shared;
        try (Session session = database.borrow()) {
            shared = new Shared(
                    new SchemaGuard("here", Migrations.apply(session, database, "here")),
                    new ServerClock(new ManualTime()),
                    session.run().started(),
                    Shared.controlsLock(tables),
                    "60s",
                    EventLevel.ALL);
        }
        long run = shared.learned().run();
        opened.clear();
        called.clear();
        // Without the notifier's thread it receives nothing, and polls each second.
        Notifier notifier = new Notifier(database, "test");
        try (Listener listener =
                new Listener(database, shared, new StoreDriver.Hints(), notifier, version -> {}, "test")) {
            listener.start();
            // The run of the server is its first query.
            Awaitility.await()
                    .atMost(60, TimeUnit.SECONDS)
                    .until(() -> Collections.frequency(called, "prepareStatement") > 1);
            Learned others = shared.learned(run + 1);
            assertThat(others.run()).isEqualTo(run + 1);
            Awaitility.await()
                    .atMost(60, TimeUnit.SECONDS)
                    .until(() -> shared.learned().run() == run);
            assertThat(opened).as("connections").hasSizeGreaterThan(1);
            assertThat(opened.get(1).unwrap(PGConnection.class).getPrepareThreshold())
                    .isZero();
        }
        database.close();
        try (TestTables left = TestTables.open(server, tables.schema())) {
            left.execute("DROP SCHEMA \"" + tables.schema() + "\" CASCADE");
        }
    }
}
