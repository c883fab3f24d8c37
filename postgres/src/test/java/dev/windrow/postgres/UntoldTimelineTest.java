package dev.windrow.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.store.job.Enqueue;
import dev.windrow.testkit.ManualTime;
import dev.windrow.testserver.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
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
}
