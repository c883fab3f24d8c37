package dev.windrow.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.JobInfo;
import dev.windrow.OutcomeUnknownException;
import dev.windrow.StoreUnavailableException;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.query.JobFilter;
import dev.windrow.store.job.Enqueue;
import dev.windrow.store.job.EnqueuedJob;
import dev.windrow.testkit.ManualTime;
import dev.windrow.testserver.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Operations whose server is killed while they run. Each test has its own server. */
class WriterAndServerTest {
    private final Disturbance disturbance = new Disturbance();

    @Test
    void anOutcomeThatCannotBeFoundIsUnknown() throws Exception {
        PostgresServer own = PostgresServer.start();
        try (own;
                StoreDriver driver = new StoreDriver(
                        PostgresStore.configure(own.url())
                                .operationTimeout(Duration.ofMillis(1500))
                                .probe(disturbance)
                                .build(),
                        new ManualTime())) {
            driver.enqueue(NewRow.job());
            disturbance.of(Enqueue.class).afterCommit(session -> {
                own.kill();
                Disturbance.answerLost(session);
            });
            CompletableFuture<List<EnqueuedJob>> answer =
                    driver.store().submit(new Enqueue(List.of(NewRow.job().row())));
            assertThatThrownBy(() -> StoreDriver.answer(answer)).isInstanceOf(OutcomeUnknownException.class);
            own.startAgain();
            Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> {
                try {
                    return driver.claim(10).size() == 2;
                } catch (StoreUnavailableException e) {
                    return false;
                }
            });
        }
    }

    private StoreDriver open(String url) {
        return new StoreDriver(
                PostgresStore.configure(url)
                        .operationTimeout(Duration.ofSeconds(60))
                        .probe(disturbance)
                        .build(),
                new ManualTime());
    }

    private static List<Long> jobs(StoreDriver driver) {
        return driver.store().list(JobFilter.ALL, Long.MAX_VALUE, 10).jobs().stream()
                .map(JobInfo::id)
                .sorted()
                .toList();
    }

    @Test
    void aLoneJobWhoseServerCrashesAfterTheCommitIsFound() {
        PostgresServer own = PostgresServer.start();
        try (own;
                StoreDriver driver = open(own.url())) {
            long first = driver.enqueue(NewRow.job());
            disturbance.of(Enqueue.class).afterCommit(session -> {
                own.kill();
                own.startAgain();
                Disturbance.answerLost(session);
            });
            assertThat(driver.enqueue(NewRow.job())).isEqualTo(first + 1);
            assertThat(jobs(driver)).containsExactly(first, first + 1);
        }
    }

    /** The id belongs to no other process after the crash, so that a job under it could only be this one. */
    @Test
    void aLoneJobWhoseServerCrashesBeforeIsWrittenUnderAnotherId() {
        PostgresServer own = PostgresServer.start("wal_writer_delay=10s");
        try (own;
                StoreDriver driver = open(own.url())) {
            long first = driver.enqueue(NewRow.job());
            AtomicLong others = new AtomicLong();
            disturbance.of(Enqueue.class).beforeCommit(session -> {
                own.kill();
                own.startAgain();
                try (StoreDriver other =
                        new StoreDriver(PostgresStore.configure(own.url()).build(), new ManualTime())) {
                    others.set(other.enqueue(NewRow.job()));
                }
            });
            long second = driver.enqueue(NewRow.job());
            assertThat(others.get()).isGreaterThan(first + 1);
            assertThat(jobs(driver)).hasSize(3).contains(first, others.get(), second);
        }
    }

    @Test
    void aLoneJobThatIsLostBeforeAPromotionHasAnUnknownOutcome() {
        PostgresServer primary = PostgresServer.start();
        try (primary;
                PostgresServer standby = primary.startStandby();
                StoreDriver driver = open(
                        "jdbc:postgresql://127.0.0.1:%d,127.0.0.1:%d/postgres".formatted(primary.port(), standby.port())
                                + "?user=postgres&targetServerType=primary&hostRecheckSeconds=0")) {
            long first = driver.enqueue(NewRow.job());
            disturbance.of(Enqueue.class).beforeCommit(session -> {
                FailoverTest.promote(primary, standby);
                primary.kill();
            });
            CompletableFuture<List<EnqueuedJob>> answer =
                    driver.store().submit(new Enqueue(List.of(NewRow.job().row())));
            assertThatThrownBy(() -> StoreDriver.answer(answer))
                    .isInstanceOfSatisfying(
                            OutcomeUnknownException.class,
                            unknown -> assertThat(unknown.ids()).containsExactly(first + 1));
            assertThat(driver.enqueue(NewRow.job())).isGreaterThan(first + 1);
        }
    }

    /** A server that only reads refuses the message before its commit. So the job is tried in the usual way, and may be withdrawn. */
    @Test
    void aLoneJobOnAServerThatOnlyReadsHasCertainlyNotBeenWritten() throws SQLException {
        PostgresServer own = PostgresServer.start();
        try (own;
                StoreDriver driver = new StoreDriver(
                        PostgresStore.configure(own.url())
                                .operationTimeout(Duration.ofSeconds(2))
                                .probe(disturbance)
                                .build(),
                        new ManualTime())) {
            driver.enqueue(NewRow.job());
            disturbance.of(Enqueue.class).atBegin(session -> {
                readOnly(own, true);
                try (Statement statement = session.connection().createStatement()) {
                    statement.execute("SET default_transaction_read_only = on");
                }
                session.commit();
            });
            CompletableFuture<List<EnqueuedJob>> answer =
                    driver.store().submit(new Enqueue(List.of(NewRow.job().row())));
            assertThatThrownBy(() -> StoreDriver.answer(answer))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("nothing was written");
            assertThat(disturbance.sent).hasSize(1);
            readOnly(own, false);
            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .ignoreException(StoreUnavailableException.class)
                    .until(() -> driver.enqueue(NewRow.job()) > 0);
            assertThat(jobs(driver)).hasSizeGreaterThanOrEqualTo(2);
        }
    }

    /** Changes the default of all sessions, and waits until new ones have it. */
    private static void readOnly(PostgresServer server, boolean is) throws SQLException {
        try (Connection connection = server.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("ALTER SYSTEM SET default_transaction_read_only = " + (is ? "on" : "off"));
            statement.execute("SELECT pg_reload_conf()");
        }
        Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> {
            try (Connection connection = server.dataSource().getConnection();
                    Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("SHOW default_transaction_read_only")) {
                row.next();
                return row.getString(1).equals(is ? "on" : "off");
            }
        });
    }

    @Test
    void aStoreIsClosedWhileTheServerIsAway() {
        PostgresServer own = PostgresServer.start();
        try (own) {
            // Creates the tables, because the next open has no time for that.
            new StoreDriver(PostgresStore.configure(own.url()).build(), new ManualTime()).close();
            // Each component of a closing store waits so long for the server.
            Duration hasty = Duration.ofMillis(300);
            StoreDriver driver = untilInTime(() -> new StoreDriver(
                    PostgresStore.configure(own.url())
                            .operationTimeout(hasty)
                            .leastConnectionWait(hasty)
                            .build(),
                    new ManualTime()));
            untilInTime(() -> driver.enqueue(NewRow.job()));
            own.kill();
            // A job without a tag is sent with its commit, so that its outcome would be unknown.
            CompletableFuture<List<EnqueuedJob>> answer = driver.store()
                    .submit(new Enqueue(List.of(NewRow.job().tags("tag").row())));
            assertThatThrownBy(() -> StoreDriver.answer(answer))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("was withdrawn");
            driver.close();
        }
    }

    /** Repeats an operation until it ends in time. */
    private static <T> T untilInTime(Callable<T> operation) {
        return Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .ignoreException(StoreUnavailableException.class)
                .until(operation, Objects::nonNull);
    }
}
