package dev.windrow.tests.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobType;
import dev.windrow.testkit.WindrowTest;
import dev.windrow.testserver.PostgresServer;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The connections of a pool that gives each test a schema. */
@Timeout(120)
class PoolTest {
    private static final JobType<String, String> GREET = JobType.of("greet", String.class, String.class);

    /** The settings of the connections that were given back. */
    private final Set<String> returned = Collections.synchronizedSet(new LinkedHashSet<>());

    private ExtensionContext context;

    @RegisterExtension
    final BeforeEachCallback remember = extension -> context = extension;

    private DataSource pool() {
        DataSource source = PostgresServer.shared().dataSource();
        return (DataSource) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> {
                    Object result = call(source, method, arguments);
                    return result instanceof Connection connection ? pooled(connection) : result;
                });
    }

    private Connection pooled(Connection connection) {
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("close") && !connection.isClosed()) {
                        returned.add(settings(connection));
                    }
                    return call(connection, method, arguments);
                });
    }

    private static Object call(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static String settings(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SHOW client_min_messages")) {
            row.next();
            return row.getString(1) + ", auto-commit " + connection.getAutoCommit();
        }
    }

    @Test
    void theyKeepTheirSettings() throws Exception {
        WindrowTest test = WindrowTest.manual().postgres(this::pool).handle(GREET, (name, job) -> "Hello, " + name);
        test.beforeEach(context);
        test.windrow().enqueue(GREET, "Ada");
        assertThat(test.drain().completed()).isEqualTo(1);
        test.afterEach(context);
        assertThat(returned).containsExactly("notice, auto-commit true");
    }
}
