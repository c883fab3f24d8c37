package dev.windrow.postgres.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.StoreUnavailableException;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.monitor.Health;
import dev.windrow.postgres.Disturbance;
import dev.windrow.postgres.Hooks;
import dev.windrow.postgres.PostgresStore;
import dev.windrow.store.job.Enqueue;
import dev.windrow.testkit.ManualTime;
import dev.windrow.testserver.PostgresServer;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The threads of a store continue after unexpected errors, such as a lack of memory. */
class ErrorsTest {
    /** An error whose {@code toString} throws, too. */
    private static final class Untold extends Error {
        private static final long serialVersionUID = 1L;

        @Override
        public String toString() {
            throw new IllegalStateException("not even this");
        }
    }

    @Test
    void theNotifierAndTheListenerContinueAfterErrors() throws SQLException {
        PostgresServer server = PostgresServer.shared();
        String schema = server.newSchema();
        DataSource real = server.dataSource();
        Set<Thread> failed = ConcurrentHashMap.newKeySet();
        DataSource source = (DataSource) Proxy.newProxyInstance(
                DataSource.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> {
                    Thread thread = Thread.currentThread();
                    if (thread.getName().matches("windrow-(notifier|listener)-.*") && failed.add(thread)) {
                        throw new Untold();
                    }
                    return call(real, method, arguments);
                });
        try (StoreDriver store =
                new StoreDriver(PostgresStore.configure(source).schema(schema).build(), new ManualTime())) {
            Awaitility.await()
                    .dontCatchUncaughtExceptions()
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> {
                        store.enqueue(NewRow.job());
                        return failed.size() == 2
                                && store.store().tasks().stream().allMatch(Health.Task::isOk);
                    });
            assertThat(failed).allMatch(Thread::isAlive);
        }
    }

    /** Without memory, the cleanup after one error may fail with another. */
    @Test
    void aWriterContinuesAfterTwoErrorsInSuccession() throws SQLException {
        PostgresServer server = PostgresServer.shared();
        DataSource real = server.dataSource();
        AtomicInteger aborts = new AtomicInteger();
        DataSource source = (DataSource) Proxy.newProxyInstance(
                DataSource.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> {
                    Object answer = call(real, method, arguments);
                    return answer instanceof Connection connection ? withoutMemoryToEnd(connection, aborts) : answer;
                });
        Disturbance disturbance = new Disturbance();
        try (StoreDriver store = new StoreDriver(
                Hooks.probe(PostgresStore.configure(source).schema(server.newSchema()), disturbance)
                        .build(),
                new ManualTime())) {
            disturbance.of(Enqueue.class).beforeCommit(session -> {
                throw new OutOfMemoryError("not really");
            });
            assertThatThrownBy(() -> store.enqueue(NewRow.job()))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("not really");
            assertThat(aborts).hasValue(1);
            store.enqueue(NewRow.job());
            assertThat(store.store().tasks()).allMatch(Health.Task::isOk);
        }
    }

    private static Connection withoutMemoryToEnd(Connection real, AtomicInteger aborts) {
        return (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("abort") && aborts.incrementAndGet() == 1) {
                        throw new OutOfMemoryError("not really either");
                    }
                    return call(real, method, arguments);
                });
    }

    private static @Nullable Object call(Object real, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(real, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    /** The connection fails like a connection of a pool whose own log throws. The threads that end a connection have no other way. */
    @Test
    void aConnectionWithAnUnexpectedErrorIsEnded() {
        List<String> called = new ArrayList<>();
        Connection connection = (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    called.add(method.getName());
                    throw new IllegalStateException("told to fail");
                });
        Session.abort(connection);
        assertThat(called).contains("abort", "close");
    }
}
