package dev.windrow.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.windrow.AttemptOutcome;
import dev.windrow.JobState;
import dev.windrow.StoreUnavailableException;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.store.Transition;
import dev.windrow.store.job.Claim;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.Enqueue;
import dev.windrow.store.job.Suspect;
import dev.windrow.testkit.ManualTime;
import dev.windrow.testserver.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** A process that continues when a standby replaces its server and lacks the last acknowledged commits. */
class FailoverTest {
    private final ManualTime time = new ManualTime();

    private StoreDriver open(String url) {
        return new StoreDriver(
                PostgresStore.configure(url)
                        .operationTimeout(Duration.ofSeconds(60))
                        .build(),
                time);
    }

    private static Claim request(String type) {
        return StoreDriver.request("worker of " + type, Set.of("q"), Set.of(type), 10);
    }

    private static String one(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            assertThat(row.next()).isTrue();
            return row.getString(1);
        }
    }

    static void promote(PostgresServer primary, PostgresServer standby) throws SQLException {
        try (Connection first = primary.dataSource().getConnection();
                Connection second = standby.dataSource().getConnection()) {
            String written = one(first, "SELECT pg_current_wal_flush_lsn()");
            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> one(second, "SELECT pg_last_wal_replay_lsn() >= '" + written + "'")
                            .equals("t"));
            assertThat(one(second, "SELECT pg_promote()")).isEqualTo("t");
        }
    }

    @Test
    void aSurvivingProcessWritesNoNameThatTheNewPrimaryLacks() throws SQLException {
        try (PostgresServer primary = PostgresServer.start();
                PostgresServer standby = primary.startStandby();
                StoreDriver survivor = open(
                        "jdbc:postgresql://127.0.0.1:%d,127.0.0.1:%d/postgres".formatted(primary.port(), standby.port())
                                + "?user=postgres&targetServerType=primary&hostRecheckSeconds=0")) {
            long known = survivor.enqueue(NewRow.of("q", "known"));
            promote(primary, standby);

            // The new primary lacks the following writes: a lane, two actors, ids, and a claim.
            List<Long> lost = survivor.enqueueAll(
                    NewRow.of("q", "new").actor("late"), NewRow.of("q", "new").actor("late"));
            assertThat(survivor.claim(request("known")).jobs())
                    .extracting(ClaimedJob::id)
                    .containsExactly(known);

            try (StoreDriver other = open(standby.url());
                    Connection connection = standby.dataSource().getConnection()) {
                // Gets the number that the lane of type "new" had.
                long others = other.enqueue(NewRow.of("q", "other").actor("somebody else"));
                connection.setAutoCommit(false);
                assertThatThrownBy(() -> enqueue(survivor, connection))
                        .isInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining("another server");

                primary.kill();
                long inTransaction = enqueue(survivor, connection);
                connection.commit();
                long alone =
                        survivor.enqueue(NewRow.of("q", "new").actor("late").payload("\"alone\""));
                assertThat(List.of(inTransaction, alone)).doesNotContainAnyElementsOf(lost);

                assertThat(other.claim(request("other")).jobs())
                        .extracting(ClaimedJob::id)
                        .containsExactly(others);
                assertThat(other.claim(request("new")).jobs())
                        .extracting(ClaimedJob::id, ClaimedJob::type, ClaimedJob::payload)
                        .containsExactlyInAnyOrder(
                                tuple(inTransaction, "new", "\"in a transaction\""), tuple(alone, "new", "\"alone\""));
                // It was claimed on the old primary. The claim begins before the position that the process has learned
                // there.
                assertThat(survivor.claim(request("known")).jobs())
                        .extracting(ClaimedJob::id)
                        .containsExactly(known);

                time.advance(StoreDriver.LEASE.plusSeconds(1));
                assertThat(other.suspects())
                        .extracting(suspect -> suspect.leaseToken().id(), Suspect::type, Suspect::worker)
                        .contains(tuple(known, "known", "worker of known"));
                assertThat(one(
                                connection,
                                "SELECT count(*) FROM (SELECT actor FROM windrow_events UNION ALL SELECT created_by FROM"
                                        + " windrow_inputs UNION ALL SELECT worker FROM windrow_jobs WHERE worker IS NOT NULL) e"
                                        + " WHERE NOT EXISTS (SELECT 1 FROM windrow_actors a WHERE a.id = e.actor)"))
                        .isEqualTo("0");
            }
        }
    }

    private static long enqueue(StoreDriver store, Connection connection) {
        NewRow row = NewRow.of("q", "new").actor("late").payload("\"in a transaction\"");
        return store.store()
                .apply(connection, new Enqueue(List.of(row.row())))
                .get(0)
                .id();
    }

    /** The tables are as an earlier failover of an older version may have left them. */
    @Test
    void aRunningJobOfAWorkerWithoutANameIsReclaimed() throws SQLException {
        PostgresServer server = PostgresServer.shared();
        String schema = server.newSchema();
        try (StoreDriver store = new StoreDriver(
                        PostgresStore.configure(server.url()).schema(schema).build(), time);
                TestTables tables = TestTables.open(server, schema)) {
            ClaimedJob job = store.running(NewRow.job());
            tables.execute("DELETE FROM windrow_actors WHERE name = 'w'");
            time.advance(StoreDriver.LEASE.plusSeconds(1));
            assertThat(store.suspects())
                    .extracting(suspect -> suspect.leaseToken().id())
                    .containsExactly(job.id());
            assertThat(store.reclaim(store.suspects().get(0), Transition.HAND_BACK, AttemptOutcome.LOST))
                    .isTrue();
            assertThat(store.state(job.id())).isEqualTo(JobState.PENDING);
            tables.execute("DROP SCHEMA \"" + schema + "\" CASCADE");
        }
    }
}
