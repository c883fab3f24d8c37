package dev.windrow.postgres;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobState;
import dev.windrow.store.Change;
import dev.windrow.store.ClaimedJob;
import dev.windrow.testkit.ManualTime;
import dev.windrow.testkit.NewRow;
import dev.windrow.testkit.StoreDriver;
import dev.windrow.testserver.PostgresServer;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tables of an older version are brought up to date with all that is in them. */
class MigrationsTest {
    private static List<String> script(String name) throws IOException {
        try (InputStream in = requireNonNull(Migrations.class.getResourceAsStream("migrations/" + name))) {
            return Migrations.statements(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    /** As schema 1 has it: a job that is ready, one that has failed, one that is due later, and the trail of the second. */
    private static final List<String> OF_SCHEMA_1 = List.of(
            "INSERT INTO windrow_actors (name) VALUES ('w')",
            "INSERT INTO windrow_lanes (queue, type) VALUES ('q', 't')",
            "SELECT setval('windrow_ids', 1000)",
            """
            INSERT INTO windrow_jobs (id, scheduled_at, token, claimed_at, finished_at, lane, used, max_attempts, state, error_code)
            VALUES (1, 1000, 0, NULL, NULL, 1, 0, 3, 'PENDING', NULL),
                   (2, 1000, 1, 1001, 1002, 1, 1, 1, 'FAILED', 'TEST:OLD'),
                   (3, 99999999999999, 0, NULL, NULL, 1, 0, 3, 'SCHEDULED', NULL)
            """,
            """
            INSERT INTO windrow_inputs (job_id, created_at, lane, payload)
            VALUES (1, 1000, 1, '{"old":true}'), (2, 1000, 1, NULL), (3, 1000, 1, NULL)
            """,
            """
            INSERT INTO windrow_attempts (job_id, token, started_at, finished_at, attempt, worker, outcome, error_code)
            VALUES (2, 1, 1001, 1002, 1, 1, 'FAILED', 'TEST:OLD')
            """,
            """
            INSERT INTO windrow_events (job_id, at, token, actor, event)
            VALUES (2, 1000, 0, 1, 'ENQUEUED'), (2, 1002, 1, 1, 'FAILED')
            """,
            "INSERT INTO windrow_counters (lane, state, n) VALUES (1, 'PENDING', 1), (1, 'FAILED', 1), (1, 'SCHEDULED', 1)");

    @Test
    void tablesOfAnOlderSchemaAreMigratedWithAllThatIsInThem() throws Exception {
        PostgresServer server = PostgresServer.shared();
        String schema = server.newSchema();
        try (TestTables tables = TestTables.open(server, schema)) {
            try (Statement statement = tables.connection().createStatement()) {
                statement.execute("CREATE SCHEMA " + schema);
                statement.execute("SET search_path TO " + schema);
                statement.execute(Migrations.CREATE_SCHEMA_TABLE);
                for (String sql : script("001-queue.sql")) {
                    statement.execute(sql);
                }
                statement.execute("INSERT INTO windrow_schema (version, min_compatible, name, applied_at)"
                        + " VALUES (1, 1, '001-queue.sql', 0)");
                for (String sql : OF_SCHEMA_1) {
                    statement.execute(sql);
                }
            }
        }
        PostgresStore store =
                PostgresStore.configure(server.dataSource()).schema(schema).build();
        try (StoreDriver driver = new StoreDriver(store, new ManualTime())) {
            ClaimedJob job = driver.claimOne();
            assertThat(job.id()).isEqualTo(1);
            assertThat(job.payload()).isEqualTo("{\"old\":true}");
            assertThat(driver.complete(job)).isTrue();
            assertThat(driver.story(2).attempts()).hasSize(1);
            driver.change(Change.Verb.RETRY, 2L);
            assertThat(driver.claimOne().id()).isEqualTo(2);
            assertThat(driver.state(3)).isEqualTo(JobState.SCHEDULED);
            assertThat(driver.enqueue(NewRow.job())).isGreaterThan(1000);
            assertThat(driver.diagnose().failed()).isEmpty();
        }
        try (TestTables tables = TestTables.open(server, schema)) {
            assertThat(tables.rows("SELECT version, name FROM windrow_schema ORDER BY version"))
                    .containsExactly(
                            "1|001-queue.sql",
                            "2|002-governance.sql",
                            "3|003-workflows.sql",
                            "4|004-schedules.sql",
                            "5|005-steps.sql",
                            "6|006-observe.sql",
                            "7|007-longest.sql");
            SqlPlanTest.drop(tables);
        }
    }
}
