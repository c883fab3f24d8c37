package dev.windrow.tests.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.postgres.PostgresStore;
import dev.windrow.tests.Once;
import dev.windrow.tests.stores.PoolingProxy;
import dev.windrow.tests.stores.Target;
import dev.windrow.testserver.PostgresServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.Collections;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

/** Stores behind a proxy that gives each transaction another connection and delivers no notifications, as PgBouncer does. */
@Once
class PoolingProxyTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final JobType<String, String> ECHO = JobType.of("test.echo", String.class, String.class);
    private static final JobType<String, String> HOLD = JobType.of("test.hold", String.class, String.class);
    /** Settings of a transaction that must end with it, and other state of a connection. */
    private static final String LEFT_BEHIND = """
            SELECT string_agg(name || '=' || setting, ', ' ORDER BY name)
                   || (SELECT CASE WHEN count(*) > 0 THEN ', statements' ELSE '' END FROM pg_prepared_statements)
                   || (SELECT CASE WHEN count(*) > 0 THEN ', locks' ELSE '' END
                         FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory')
              FROM pg_settings
             WHERE name IN ('lock_timeout', 'statement_timeout', 'idle_in_transaction_session_timeout', 'plan_cache_mode',
                            'default_transaction_isolation', 'transaction_isolation', 'search_path')
            """;

    @TempDir
    Path folder;

    private final PostgresServer server = PostgresServer.shared();
    private PoolingProxy proxy;
    private Target direct;
    private Target proxied;

    @BeforeEach
    void open() throws Exception {
        proxy = new PoolingProxy(server.port());
        direct = Target.newSchema(server);
        proxied = new Target(proxy.through(direct.place()), direct.schema(), null, false);
    }

    @AfterEach
    void close() throws Exception {
        proxy.close();
        direct.close();
    }

    private static void until(Callable<Boolean> condition) {
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(20)).until(condition);
    }

    private void assertNothingIsLeftBehind() throws Exception {
        assertThat(proxy.moves())
                .as("transactions with another connection than the one before")
                .isGreaterThan(20);
        assertThat(proxy.ask(LEFT_BEHIND))
                .isNotEmpty()
                .containsOnly("default_transaction_isolation=read committed, idle_in_transaction_session_timeout=0, "
                        + "lock_timeout=0, plan_cache_mode=auto, search_path=\"$user\", public, statement_timeout=0, "
                        + "transaction_isolation=read committed");
    }

    @Test
    void jobs_and_cancellations_of_other_processes_are_found_by_polling_each_second() throws Exception {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(proxied.place());
        Windrow other = Windrow.open(direct.newStore());
        Windrow windrow = Windrow.open(
                PostgresStore.configure(source).schema(proxied.schema()).build());
        try (other;
                windrow) {
            CountDownLatch started = new CountDownLatch(1);
            CountDownLatch interrupted = new CountDownLatch(1);
            // Five polls take longer than any wait of this test.
            Worker worker = windrow.worker()
                    .poll(PATIENCE)
                    .handle(ECHO, (input, job) -> input)
                    .handle(HOLD, (input, job) -> {
                        started.countDown();
                        try {
                            new CountDownLatch(1).await();
                        } finally {
                            interrupted.countDown();
                        }
                        return input;
                    })
                    .start();
            assertThat(worker.awaitIdle(PATIENCE)).isTrue();
            for (int i = 0; i < 3; i++) {
                JobRef<String> job = other.enqueue(ECHO, "x");
                assertThat(other.await(job, PATIENCE.dividedBy(2))).isEqualTo("x");
            }
            JobRef<String> later = other.enqueue(ECHO.job("x").withDelay(Duration.ofMillis(1500)));
            assertThat(other.await(later, PATIENCE.dividedBy(2))).isEqualTo("x");
            JobRef<String> held = other.enqueue(HOLD, "x");
            assertThat(started.await(PATIENCE.toSeconds() / 2, TimeUnit.SECONDS))
                    .isTrue();
            JobRef<String> child = other.enqueue(ECHO.job("x").withParents(held));
            other.job(held).cancel();
            assertThat(interrupted.await(PATIENCE.toSeconds() / 2, TimeUnit.SECONDS))
                    .isTrue();
            until(() -> state(other, held) == JobState.CANCELLED);
            assertThat(state(other, child)).isNotEqualTo(JobState.COMPLETED);
            // The process gets notifications about its own jobs.
            windrow.enqueueAll(Collections.nCopies(1000, ECHO.job("x")));
            try (Connection connection = source.getConnection()) {
                connection.setAutoCommit(false);
                windrow.on(connection).enqueue(ECHO, "x");
                connection.commit();
            }
            assertThat(worker.awaitIdle(PATIENCE)).isTrue();
            assertThat(windrow.monitor().statistics().states()).containsEntry(JobState.COMPLETED, 1005L);
            assertThat(windrow.monitor().health().isOk()).isTrue();
            assertThat(windrow.monitor().diagnose().checks()).allMatch(check -> check.isOk());
        }
        assertNothingIsLeftBehind();
    }

    private static JobState state(Windrow windrow, JobRef<?> job) {
        return windrow.job(job).history().job().state();
    }

    @Test
    void processes_behind_the_proxy_lose_and_double_nothing() throws Exception {
        long seed = Soak.seed("windrow.proxy.seed");
        System.out.println("behind a proxy: seed " + seed);
        SplittableRandom random = new SplittableRandom(seed);
        try (Storm storm = new Storm(folder, proxied)) {
            storm.begin(2, 1, random::nextLong);
            storm.awaitProgress(600);
            storm.settle();
            assertNothingIsLeftBehind();
            HistoryCheck.Result result = HistoryCheck.of(History.read(direct), storm.seen(0));
            assertThat(result.violations()).isEmpty();
            assertThat(storm.refused()).isEmpty();
            assertThat(storm.unknown()).isEmpty();
            storm.logsAreWithout(" WARN dev.windrow", " ERROR dev.windrow");
        }
    }
}
