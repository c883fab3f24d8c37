package dev.windrow.postgres.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.windrow.IncompatibleStoreException;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.monitor.DiagnoseOptions;
import dev.windrow.postgres.PostgresStore;
import dev.windrow.postgres.TestTables;
import dev.windrow.postgres.connection.Database;
import dev.windrow.postgres.connection.Session;
import dev.windrow.postgres.connection.Tables;
import dev.windrow.postgres.job.SqlPlanTest;
import dev.windrow.store.StoreProvider;
import dev.windrow.store.Transition;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.monitor.DiagnoseRequest;
import dev.windrow.testkit.ManualTime;
import dev.windrow.testserver.PostgresServer;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tables of an older version are migrated with all their rows. */
class MigrationsTest {
    /** An older program has left the tables, with a ready job, a failed one, and one that is due later. */
    @Test
    void tablesOfAnOlderSchemaAreMigratedWithAllTheirRows() throws Exception {
        PostgresServer server = PostgresServer.shared();
        String schema = server.newSchema();
        PostgresStore store =
                PostgresStore.configure(server.dataSource()).schema(schema).build();
        long ready;
        long failed;
        long late;
        try (StoreDriver driver = new StoreDriver(store, new ManualTime())) {
            failed = driver.enqueue(NewRow.job().maxAttempts(1));
            driver.settle(driver.claimOne(), Transition.FAIL);
            ready = driver.enqueue(NewRow.job().payload("{\"old\":true}"));
            late = driver.enqueue(NewRow.job().delay(Duration.ofDays(1)));
        }
        try (TestTables tables = TestTables.open(server, schema)) {
            migrate(server, tables.tables(), withScript("ALTER TABLE windrow_jobs ADD COLUMN later text;\n"))
                    .get(60, TimeUnit.SECONDS);
            assertThat(tables.rows("SELECT version, name FROM windrow_schema ORDER BY version"))
                    .containsExactly("1|001-jobs.sql", "2|new.sql");
            assertThat(tables.rows("SELECT id, state, later FROM windrow_jobs ORDER BY id"))
                    .containsExactly(failed + "|FAILED|null", ready + "|PENDING|null", late + "|SCHEDULED|null");
        }
        try (StoreDriver driver = new StoreDriver(store, new ManualTime())) {
            ClaimedJob job = driver.claimOne();
            assertThat(job.id()).isEqualTo(ready);
            assertThat(job.payload()).isEqualTo("{\"old\":true}");
            assertThat(driver.complete(job)).isTrue();
            assertThat(driver.history(failed).attempts()).hasSize(1);
        }
        try (TestTables tables = TestTables.open(server, schema)) {
            SqlPlanTest.drop(tables);
        }
    }

    @Test
    void tablesOfAnotherFirstScriptAreRefused() throws Exception {
        PostgresServer server = PostgresServer.shared();
        String schema = server.newSchema();
        PostgresStore store =
                PostgresStore.configure(server.dataSource()).schema(schema).build();
        new StoreDriver(store, new ManualTime()).close();
        try (TestTables tables = TestTables.open(server, schema)) {
            tables.execute("UPDATE windrow_schema SET name = '001-queue.sql'");
            String refusal = "the tables windrow_* in schema %s were created by 001-queue.sql of an earlier snapshot"
                    .formatted(schema);
            assertThatThrownBy(() -> new StoreDriver(store, new ManualTime()).close())
                    .isInstanceOf(IncompatibleStoreException.class)
                    .hasMessageStartingWith(refusal);
            assertThat(StoreProvider.diagnose(store, new DiagnoseRequest(new ManualTime(), DiagnoseOptions.ALL))
                            .checks())
                    .filteredOn(check -> check.name().equals("schema"))
                    .singleElement()
                    .satisfies(check -> assertThat(check.detail()).contains(refusal));
            SqlPlanTest.drop(tables);
        }
    }

    private static final List<Migrations.Script> NEW_INDEX = withScript(
            "-- By creation.\nCREATE INDEX CONCURRENTLY windrow_inputs_created ON windrow_inputs (created_at);\n");

    private static List<Migrations.Script> withScript(String text) {
        return Stream.concat(Migrations.SCRIPTS.stream(), Stream.of(new Migrations.Script("new.sql", 1, () -> text)))
                .toList();
    }

    /** Migrates as an open of the store does, with other scripts. */
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

    /** Creates tables of the current schema, and opens another transaction that reads the inputs. */
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
    void aMigrationScriptMayTakeLongerThanTheOperationTimeout() throws Exception {
        PostgresServer server = PostgresServer.shared();
        try (TestTables tables = read(server, server.newSchema())) {
            tables.connection().setAutoCommit(true);
            migrate(server, tables.tables(), withScript("SELECT pg_sleep(1);\n"))
                    .get(60, TimeUnit.SECONDS);
            assertThat(tables.one("SELECT max(version) FROM windrow_schema")).isEqualTo("2");
            SqlPlanTest.drop(tables);
        }
    }

    @Test
    void aMigrationScriptWithoutItsLockReleasesTheQueueAndRetries() throws Exception {
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
            // The update waits behind the migration, which gives up while the reader continues.
            writer.execute("SET statement_timeout = '60s'; UPDATE windrow_inputs SET name = name");
            assertThat(migration).isNotDone();
            reader.connection().commit();
            migration.get(60, TimeUnit.SECONDS);
            assertThat(writer.one("SELECT max(version) FROM windrow_schema")).isEqualTo("2");
            SqlPlanTest.drop(writer);
        }
    }

    @Test
    void oneOfTwoConcurrentMigrationsCreatesAnIndexOutsideOfATransaction() throws Exception {
        PostgresServer server = PostgresServer.shared();
        String schema = server.newSchema();
        try (TestTables reader = read(server, schema);
                TestTables writer = TestTables.open(server, schema)) {
            // The index is as a process leaves it that died while it was built.
            try (Statement statement = writer.connection().createStatement()) {
                statement.execute("CREATE INDEX windrow_inputs_created ON " + schema + ".windrow_inputs (job_id)");
            }
            writer.execute(
                    "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'windrow_inputs_created'::regclass");
            CompletableFuture<Void> one = migrate(server, reader.tables(), NEW_INDEX);
            CompletableFuture<Void> other = migrate(server, reader.tables(), NEW_INDEX);
            // The server waits for the reader, and no session waits for the server.
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
            assertThat(writer.one("SELECT count(*) FROM windrow_schema WHERE version = 2"))
                    .isEqualTo("1");
            SqlPlanTest.drop(writer);
        }
    }
}
