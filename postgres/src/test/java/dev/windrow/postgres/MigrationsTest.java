package dev.windrow.postgres;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

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
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
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

    private static final List<Migrations.Script> NEW_INDEX = withScript(
            "-- By creation.\nCREATE INDEX CONCURRENTLY windrow_inputs_created ON windrow_inputs (created_at);\n");

    private static List<Migrations.Script> withScript(String text) {
        return Stream.concat(Migrations.SCRIPTS.stream(), Stream.of(new Migrations.Script("new.sql", 1, () -> text)))
                .toList();
    }

    /** What an open of the store does, with other scripts. */
    private static CompletableFuture<Void> migrate(
            PostgresServer server, Tables tables, List<Migrations.Script> scripts) {
        Database database = new Database(server.dataSource(), null, tables, TimeUnit.MILLISECONDS.toNanos(300), 0);
        return CompletableFuture.runAsync(() -> {
            try (Session session = database.borrow()) {
                Migrations.migrate(session, database, "a test", scripts);
            } catch (SQLException e) {
                throw new CompletionException(e);
            }
        });
    }

    /** Tables of the current schema, with somebody's transaction that reads the inputs. */
    private static TestTables read(PostgresServer server, String schema) throws SQLException {
        new StoreDriver(
                        PostgresStore.configure(server.dataSource())
                                .schema(schema)
                                .build(),
                        new ManualTime())
                .close();
        TestTables reader = TestTables.open(server, schema);
        reader.connection().setAutoCommit(false);
        reader.rows("SELECT * FROM windrow_inputs");
        return reader;
    }

    @Test
    void aScriptMayTakeLongerThanAnOperationAndAnAnswer() throws Exception {
        PostgresServer server = PostgresServer.shared();
        try (TestTables tables = read(server, server.newSchema())) {
            tables.connection().setAutoCommit(true);
            migrate(server, tables.tables(), withScript("SELECT pg_sleep(1);\n"))
                    .get(60, TimeUnit.SECONDS);
            assertThat(tables.one("SELECT max(version) FROM windrow_schema")).isEqualTo("8");
            SqlPlanTest.drop(tables);
        }
    }

    @Test
    void aScriptThatCannotHaveItsTableLetsOthersPassAndBeginsAnew() throws Exception {
        PostgresServer server = PostgresServer.shared();
        String schema = server.newSchema();
        try (TestTables reader = read(server, schema);
                TestTables writer = TestTables.open(server, schema)) {
            CompletableFuture<Void> migration = migrate(
                    server, reader.tables(), withScript("ALTER TABLE windrow_inputs ADD COLUMN another text;\n"));
            String waits =
                    "SELECT count(*) > 0 FROM pg_locks WHERE NOT granted AND relation = 'windrow_inputs'::regclass"
                            + " AND mode = 'AccessExclusiveLock'";
            await().atMost(Duration.ofSeconds(60)).until(() -> writer.one(waits).equals("t"));
            // Behind the migration, which gives up while the reader goes on.
            writer.execute("SET statement_timeout = '60s'; UPDATE windrow_inputs SET name = name");
            assertThat(migration).isNotDone();
            reader.connection().commit();
            migration.get(60, TimeUnit.SECONDS);
            assertThat(writer.one("SELECT max(version) FROM windrow_schema")).isEqualTo("8");
            SqlPlanTest.drop(writer);
        }
    }

    @Test
    void anIndexIsMadeOutsideOfATransactionByOneOfTwoWhoComeAtOnce() throws Exception {
        PostgresServer server = PostgresServer.shared();
        String schema = server.newSchema();
        try (TestTables reader = read(server, schema);
                TestTables writer = TestTables.open(server, schema)) {
            // As one that died while it was made.
            try (Statement statement = writer.connection().createStatement()) {
                statement.execute("CREATE INDEX windrow_inputs_created ON " + schema + ".windrow_inputs (job_id)");
            }
            writer.execute(
                    "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'windrow_inputs_created'::regclass");
            CompletableFuture<Void> one = migrate(server, reader.tables(), NEW_INDEX);
            CompletableFuture<Void> other = migrate(server, reader.tables(), NEW_INDEX);
            // The server waits for the reader, and nobody waits for the server.
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> writer.one("SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                                    + " AND query LIKE '%INDEX CONCURRENTLY%" + schema
                                    + "%' AND pid <> pg_backend_pid()")
                            .equals("t"));
            writer.execute("SET statement_timeout = '60s'; UPDATE windrow_inputs SET name = name");
            reader.connection().commit();
            one.get(60, TimeUnit.SECONDS);
            other.get(60, TimeUnit.SECONDS);
            assertThat(writer.one("SELECT indisvalid || ' ' || pg_get_indexdef(indexrelid) FROM pg_index"
                            + " WHERE indexrelid = 'windrow_inputs_created'::regclass"))
                    .startsWith("true ")
                    .endsWith("(created_at)");
            assertThat(writer.one("SELECT count(*) FROM windrow_schema WHERE version = 8"))
                    .isEqualTo("1");
            SqlPlanTest.drop(writer);
        }
    }
}
