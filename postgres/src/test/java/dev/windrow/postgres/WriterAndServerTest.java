package dev.windrow.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
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

    /** A killed server assigns the transaction numbers that it had not logged to other transactions. */
    @Test
    void aCommitLostInACrashIsNotConfusedWithALaterTransaction() throws Exception {
        PostgresServer own = PostgresServer.start("wal_writer_delay=10s");
        try (own;
                StoreDriver driver = new StoreDriver(
                        PostgresStore.configure(own.url())
                                .operationTimeout(Duration.ofSeconds(60))
                                .probe(disturbance)
                                .build(),
                        new ManualTime())) {
            driver.enqueue(NewRow.job());
            disturbance.of(Enqueue.class).beforeCommit(session -> {
                long number = transactionNumber(session.connection());
                own.kill();
                own.startAgain();
                try (Connection other = own.dataSource().getConnection()) {
                    long given = transactionNumber(other);
                    while (given < number) {
                        given = transactionNumber(other);
                    }
                }
            });
            long id = driver.enqueue(NewRow.job());
            assertThat(driver.store().history(id)).isPresent();
            assertThat(driver.store().list(JobFilter.ALL, Long.MAX_VALUE, 10).jobs())
                    .hasSize(2);
        }
    }

    private static long transactionNumber(Connection connection) throws SQLException {
        try (var statement = connection.createStatement();
                var row = statement.executeQuery("SELECT pg_current_xact_id()::text")) {
            row.next();
            return Long.parseLong(row.getString(1));
        }
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
            CompletableFuture<List<EnqueuedJob>> answer =
                    driver.store().submit(new Enqueue(List.of(NewRow.job().row())));
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
