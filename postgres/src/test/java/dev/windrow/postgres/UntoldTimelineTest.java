package dev.windrow.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.OutcomeUnknownException;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.store.job.Enqueue;
import dev.windrow.store.job.EnqueuedJob;
import dev.windrow.testkit.ManualTime;
import dev.windrow.testserver.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** A server that does not report the timeline of its log, like servers that keep their log elsewhere. */
class UntoldTimelineTest {
    private final PostgresServer server = PostgresServer.shared();
    private final String database = server.newSchema();

    private PGSimpleDataSource source() {
        PGSimpleDataSource source = (PGSimpleDataSource) server.dataSource();
        source.setDatabaseName(database);
        return source;
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (connection;
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @BeforeEach
    void makeDatabase() throws SQLException {
        execute(server.dataSource().getConnection(), "CREATE DATABASE " + database);
        execute(
                source().getConnection(),
                "ALTER FUNCTION pg_catalog.pg_walfile_name(pg_lsn) RENAME TO pg_walfile_name_gone");
    }

    @AfterEach
    void dropDatabase() throws SQLException {
        execute(server.dataSource().getConnection(), "DROP DATABASE " + database + " WITH (FORCE)");
    }

    @Test
    void theStoreWorksAndFindsACommitWithALostAnswer() {
        Disturbance disturbance = new Disturbance();
        try (StoreDriver store = new StoreDriver(
                PostgresStore.configure(source()).probe(disturbance).build(), new ManualTime())) {
            disturbance.of(Enqueue.class).afterCommit(Disturbance::answerLost);
            long id = store.enqueue(NewRow.job());
            assertThat(disturbance.transactions)
                    .as("it is not run again, because it stands")
                    .hasValue(1);
            assertThat(store.claimOne().id()).isEqualTo(id);
        }
    }

    @Test
    void aSingleJobWithALostAnswerIsFound() {
        Disturbance disturbance = new Disturbance();
        try (StoreDriver store = new StoreDriver(
                PostgresStore.configure(source()).probe(disturbance).build(), new ManualTime())) {
            long first = store.enqueue(NewRow.job());
            disturbance.of(Enqueue.class).afterCommit(Disturbance::answerLost);
            assertThat(store.enqueue(NewRow.job())).isEqualTo(first + 1);
            assertThat(disturbance.sent).hasSize(1);
            assertThat(store.claim(5)).hasSize(2);
        }
    }

    /** The server may have been replaced by one that lacks the job. */
    @Test
    void aSingleJobWithALostAnswerIsUnknownAfterARestart() throws SQLException {
        PostgresServer own = PostgresServer.start();
        Disturbance disturbance = new Disturbance();
        try (own) {
            execute(
                    own.dataSource().getConnection(),
                    "ALTER FUNCTION pg_catalog.pg_walfile_name(pg_lsn) RENAME TO pg_walfile_name_gone");
            try (StoreDriver store = new StoreDriver(
                    PostgresStore.configure(own.url())
                            .operationTimeout(Duration.ofSeconds(60))
                            .probe(disturbance)
                            .build(),
                    new ManualTime())) {
                long first = store.enqueue(NewRow.job());
                disturbance.of(Enqueue.class).afterCommit(session -> {
                    own.kill();
                    own.startAgain();
                    Disturbance.answerLost(session);
                });
                CompletableFuture<List<EnqueuedJob>> answer =
                        store.store().submit(new Enqueue(List.of(NewRow.job().row())));
                assertThatThrownBy(() -> StoreDriver.answer(answer))
                        .isInstanceOfSatisfying(
                                OutcomeUnknownException.class,
                                unknown -> assertThat(unknown.ids()).containsExactly(first + 1));
                assertThat(store.enqueue(NewRow.job())).isGreaterThan(first + 1);
            }
        }
    }
}
