package dev.windrow.tests.testkit;

import static java.time.Duration.ofHours;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.InvalidRequestException;
import dev.windrow.JobRef;
import dev.windrow.JobType;
import dev.windrow.Windrow;
import dev.windrow.query.JobFilter;
import dev.windrow.sqlite.SqliteStore;
import dev.windrow.testkit.Drain;
import dev.windrow.testkit.ManualTime;
import dev.windrow.testkit.WindrowTest;
import dev.windrow.tests.stores.OnEachStore;
import dev.windrow.tests.stores.StoreKind;
import dev.windrow.testserver.PostgresServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests that run at the same time, as JUnit runs them: each has an instance of the class, and so an extension, of its own. */
@OnEachStore
@Timeout(120)
class ParallelTest {
    private static final int TESTS = 6;
    private static final JobType<String, String> GREET = JobType.of("greet", String.class, String.class);

    private final StoreKind kind;
    private ExtensionContext context;

    @RegisterExtension
    final BeforeEachCallback remember = extension -> context = extension;

    ParallelTest(StoreKind kind) {
        this.kind = kind;
    }

    private WindrowTest kit(List<String> calls) {
        return Kits.on(kind, WindrowTest.manual()).handle(GREET, (name, job) -> {
            calls.add(name);
            return "Hello, " + name;
        });
    }

    @Test
    void testsDoNotSeeEachOther() throws Exception {
        CyclicBarrier together = new CyclicBarrier(TESTS);
        ExecutorService executor = Executors.newFixedThreadPool(TESTS);
        try {
            List<Future<Windrow>> tests = new ArrayList<>();
            for (int i = 0; i < TESTS; i++) {
                String name = "test " + i;
                tests.add(executor.submit(() -> test(name, together)));
            }
            for (Future<Windrow> test : tests) {
                test.get();
            }
        } finally {
            executor.shutdownNow();
        }
    }

    private Windrow test(String name, CyclicBarrier together) throws Exception {
        List<String> calls = new ArrayList<>();
        WindrowTest test = kit(calls);
        test.beforeEach(context);
        try {
            JobRef<String> now = test.windrow().enqueue(GREET, name);
            JobRef<String> later = test.windrow().enqueue(GREET.job(name).withDelay(ofHours(1)));
            together.await();
            assertThat(test.drain(Drain.ready().withScheduled()).completed()).isEqualTo(2);
            together.await();
            assertThat(calls).containsExactly(name, name);
            assertThat(test.time().now()).isEqualTo(ManualTime.START.plus(ofHours(1)));
            assertThat(test.windrow().jobs(JobFilter.ALL).count()).isEqualTo(2);
            test.assertThat(now).isCompleted();
            test.assertThat(later).isCompleted();
            return test.windrow();
        } finally {
            test.afterEach(context);
        }
    }

    @Test
    void nothingRemainsOfATest() throws Exception {
        WindrowTest test = kit(new ArrayList<>());
        test.beforeEach(context);
        String location = test.windrow().location();
        assertThat(exists(location)).isTrue();
        test.afterEach(context);
        assertThat(exists(location)).isFalse();
        assertThatThrownBy(test::windrow)
                .isInstanceOf(InvalidRequestException.class)
                .hasMessage(
                        "no test runs: a WindrowTest is used in a test or its @BeforeEach, and its field must have @RegisterExtension");
    }

    private boolean exists(String location) throws Exception {
        if (kind == StoreKind.SQLITE) {
            Path file = Path.of(location);
            assertThat(SqliteStore.at(file).location()).isEqualTo(location);
            return Files.exists(file.getParent());
        }
        String schema = location.replaceAll(".*(windrow_test_\\w+).*", "$1");
        assertThat(schema).startsWith("windrow_test_");
        try (Connection connection =
                        DriverManager.getConnection(PostgresServer.shared().url());
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT to_regnamespace('" + schema + "') IS NOT NULL")) {
            row.next();
            return row.getBoolean(1);
        }
    }

    @Test
    void anInstanceServesOneTestAtATime() throws Exception {
        WindrowTest test = kit(new ArrayList<>());
        test.beforeEach(context);
        try {
            Windrow first = test.windrow();
            assertThatThrownBy(() -> test.beforeEach(context))
                    .isInstanceOf(InvalidRequestException.class)
                    .hasMessage(
                            "two tests use one WindrowTest at once: it must be a field that is not static, in a class that JUnit creates for each method");
            assertThat(test.windrow()).isSameAs(first);
        } finally {
            test.afterEach(context);
        }
        test.beforeEach(context);
        assertThat(test.windrow().jobs(JobFilter.ALL).count()).isZero();
        test.afterEach(context);
    }
}
