package dev.windrow.postgres.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.windrow.IncompatibleStoreException;
import dev.windrow.contract.Lives;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.monitor.Diagnosis.Check;
import dev.windrow.postgres.PostgresStore;
import dev.windrow.postgres.TestTables;
import dev.windrow.postgres.connection.Database;
import dev.windrow.postgres.connection.Session;
import dev.windrow.postgres.connection.Tables;
import dev.windrow.postgres.job.SqlPlanTest;
import dev.windrow.store.StoreProvider;
import dev.windrow.store.Transition;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.testkit.ManualTime;
import dev.windrow.testserver.PostgresServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
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
                    .containsExactly("1|schema.sql", "2|schema.sql", "3|new.sql");
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

    /** The events that the rows of the schema {@code now} tell, as rows of the first schema. */
    private static final String FIRST_SCHEMA = """
            INSERT INTO windrow_attempts (job_id, token, attempt, run, worker, started_at, finished_at, outcome, error_code, error_detail)
            SELECT job_id, token, attempt, run, worker, started_at, finished_at, outcome, error_code, error_detail FROM now.windrow_attempts
            UNION ALL
            SELECT id, token, used, run, worker, started_at, finished_at, 'SUCCEEDED', NULL, NULL FROM now.windrow_jobs j
             WHERE state = 'COMPLETED' AND worker IS NOT NULL
               AND NOT EXISTS (SELECT 1 FROM now.windrow_attempts t WHERE t.job_id = j.id AND t.token = j.token);
            INSERT INTO windrow_events (job_id, at, token, actor, event, detail)
            SELECT job_id, at, token, actor, event, detail FROM (
              SELECT job_id, 0 AS rank, seq, at, token, actor, event, detail FROM now.windrow_events
              UNION ALL
              SELECT job_id, -3, 0, created_at, 0, created_by, 'ENQUEUED', NULL FROM now.windrow_inputs
               WHERE job_id NOT IN (SELECT job_id FROM now.windrow_events WHERE event = 'ENQUEUED')
              UNION ALL
              SELECT job_id, -2, 0, claimed_at, token, worker, 'CLAIMED', NULL FROM now.windrow_attempts
              UNION ALL
              SELECT job_id, -1, 0, started_at, token, worker, 'STARTED', NULL FROM now.windrow_attempts WHERE started_at IS NOT NULL
              UNION ALL
              SELECT id, -2, 0, claimed_at, token, worker, 'CLAIMED', NULL FROM now.windrow_jobs j
               WHERE worker IS NOT NULL AND NOT EXISTS (SELECT 1 FROM now.windrow_attempts t WHERE t.job_id = j.id AND t.token = j.token)
              UNION ALL
              SELECT id, -1, 0, started_at, token, worker, 'STARTED', NULL FROM now.windrow_jobs j
               WHERE worker IS NOT NULL AND started_at IS NOT NULL
                 AND NOT EXISTS (SELECT 1 FROM now.windrow_attempts t WHERE t.job_id = j.id AND t.token = j.token)
              UNION ALL
              SELECT id, 1, 0, finished_at, token, worker, 'SUCCEEDED', NULL FROM now.windrow_jobs
               WHERE state = 'COMPLETED' AND worker IS NOT NULL
                 AND id NOT IN (SELECT job_id FROM now.windrow_events WHERE event = 'SUCCEEDED')) e
             ORDER BY job_id, token, rank, seq;
            UPDATE windrow_jobs SET worker = NULL WHERE state <> 'RUNNING';
            UPDATE windrow_jobs SET cancel_requested = 1, wake_at = 1 WHERE state = 'COMPLETED';
            DELETE FROM windrow_events WHERE event = 'CLAIMED' AND job_id IN (SELECT id FROM windrow_jobs WHERE state = 'FAILED' AND token = 1);
            SELECT setval('windrow_ids', nextval('now.windrow_ids') + 10000),
                   setval(pg_get_serial_sequence('windrow_lanes', 'id'), 100), setval(pg_get_serial_sequence('windrow_actors', 'id'), 100);
            """;

    /** Writes the jobs of a schema to tables of the first schema. */
    private static void writeFirstSchema(PostgresServer server, String now, String old) throws Exception {
        try (TestTables tables = TestTables.open(server, now)) {
            tables.execute("CREATE SCHEMA " + old);
            tables.execute("SET search_path TO " + old);
            try (Statement statement = tables.connection().createStatement()) {
                statement.execute(Migrations.CREATE_SCHEMA_TABLE);
                statement.execute(
                        "INSERT INTO windrow_schema (version, min_compatible, name, applied_at) VALUES (1, 1, '001-queue.sql', 0)");
                statement.execute(Files.readString(Path.of(
                        MigrationsTest.class.getResource("001-queue.sql").toURI())));
                for (String row : tables.rows("""
                        SELECT table_name, string_agg(quote_ident(column_name), ', ')
                          FROM information_schema.columns JOIN pg_tables ON tablename = table_name AND schemaname = table_schema
                         WHERE table_schema = '%s' GROUP BY 1
                        """.formatted(old))) {
                    String[] table = row.split("\\|");
                    if (!table[0].matches("windrow_(schema|attempts|events)")) {
                        statement.execute(
                                "INSERT INTO %1$s (%2$s) OVERRIDING SYSTEM VALUE SELECT %2$s FROM %3$s.%1$s ON CONFLICT DO NOTHING"
                                        .formatted(table[0], table[1], now));
                    }
                }
                statement.execute(FIRST_SCHEMA.replace("now.", now + "."));
            }
        }
    }

    private static List<String> definitions(PostgresServer server, String schema) throws SQLException {
        try (TestTables tables = TestTables.open(server, schema)) {
            List<String> all = new ArrayList<>(tables.rows(
                    "SELECT indexdef FROM pg_indexes WHERE schemaname = '" + schema + "' ORDER BY indexname"));
            all.addAll(tables.rows(
                    "SELECT viewname, definition FROM pg_views WHERE schemaname = '" + schema + "' ORDER BY 1"));
            all.addAll(tables.rows(
                    "SELECT table_name, column_name, data_type, is_nullable, column_default, collation_name FROM information_schema.columns WHERE table_schema = '"
                            + schema + "' ORDER BY 1, 2"));
            return all.stream().map(line -> line.replace(schema + ".", "")).toList();
        }
    }

    @Test
    void tablesOfTheFirstSchemaAreMigratedWithAllTheirHistory() throws Exception {
        PostgresServer server = PostgresServer.shared();
        String now = server.newSchema();
        String old = server.newSchema();
        ManualTime time = new ManualTime();
        Lives lives;
        List<String> histories;
        try (StoreDriver driver = new StoreDriver(
                PostgresStore.configure(server.dataSource()).schema(now).build(), time)) {
            lives = new Lives(driver);
            histories = lives.histories(driver);
        }
        writeFirstSchema(server, now, old);
        try (StoreDriver driver = new StoreDriver(
                PostgresStore.configure(server.dataSource()).schema(old).build(), time)) {
            assertThat(lives.histories(driver)).isEqualTo(histories);
            assertThat(driver.diagnose().checks()).allMatch(Check::isOk);
            assertThat(driver.settle(lives.running, Transition.CANCEL_RUNNING)).isTrue();
            assertThat(driver.claim(10)).extracting(ClaimedJob::id).contains(lives.ready);
            assertThat(driver.diagnose().checks()).allMatch(Check::isOk);
        }
        assertThat(definitions(server, old)).isEqualTo(definitions(server, now));
        try (TestTables tables = TestTables.open(server, old)) {
            assertThat(tables.rows("SELECT version, min_compatible, name FROM windrow_schema ORDER BY version"))
                    .containsExactly("1|1|001-queue.sql", "2|2|002-told-events.sql");
            SqlPlanTest.drop(tables);
        }
        try (TestTables tables = TestTables.open(server, now)) {
            SqlPlanTest.drop(tables);
        }
    }

    /** All programs are started at once after an upgrade. One migrates the store, and the others wait. */
    @Test
    void oneOfSixStoresThatOpenTablesOfTheFirstSchemaAtOnceMigratesThem() throws Exception {
        PostgresServer server = PostgresServer.shared();
        String now = server.newSchema();
        String old = server.newSchema();
        new StoreDriver(PostgresStore.configure(server.dataSource()).schema(now).build(), new ManualTime()).close();
        writeFirstSchema(server, now, old);
        List<CompletableFuture<Long>> opened = new ArrayList<>();
        ExecutorService threads = Executors.newFixedThreadPool(6);
        try {
            for (int i = 0; i < 6; i++) {
                opened.add(CompletableFuture.supplyAsync(
                        () -> {
                            try (StoreDriver driver = new StoreDriver(
                                    PostgresStore.configure(server.dataSource())
                                            .schema(old)
                                            .build(),
                                    new ManualTime())) {
                                return driver.enqueue(NewRow.job());
                            }
                        },
                        threads));
            }
            for (CompletableFuture<Long> each : opened) {
                assertThat(each.get(60, TimeUnit.SECONDS)).isPositive();
            }
        } finally {
            threads.shutdownNow();
        }
        for (String schema : List.of(now, old)) {
            try (TestTables tables = TestTables.open(server, schema)) {
                SqlPlanTest.drop(tables);
            }
        }
    }

    @Test
    void tablesOfAnotherSnapshotAreRefused() throws Exception {
        PostgresServer server = PostgresServer.shared();
        String schema = server.newSchema();
        PostgresStore store =
                PostgresStore.configure(server.dataSource()).schema(schema).build();
        new StoreDriver(store, new ManualTime()).close();
        try (TestTables tables = TestTables.open(server, schema)) {
            tables.execute("DELETE FROM windrow_schema WHERE version = 2");
            assertThatThrownBy(() -> new StoreDriver(store, new ManualTime()).close())
                    .isInstanceOf(IncompatibleStoreException.class)
                    .hasMessageContaining("has the tables of a snapshot that cannot be migrated");
            SqlPlanTest.drop(tables);
        }
    }

    @Test
    void anUnfinishedCopyIntoTablesOfTheFirstSchemaIsNotResumed() throws Exception {
        PostgresServer server = PostgresServer.shared();
        String schema = server.newSchema();
        PostgresStore store =
                PostgresStore.configure(server.dataSource()).schema(schema).build();
        new StoreDriver(store, new ManualTime()).close();
        try (TestTables tables = TestTables.open(server, schema)) {
            tables.execute("DELETE FROM windrow_schema WHERE version = 2");
            tables.execute("INSERT INTO windrow_schema (version, min_compatible, name, applied_at)"
                    + " VALUES (1000000, 1000000, 'copy of elsewhere', 0), (999999, 999999, 'compared', 0)");
            assertThatThrownBy(() -> StoreProvider.copyPlace(store)
                            .copySink("elsewhere", true)
                            .close())
                    .isInstanceOf(IncompatibleStoreException.class)
                    .hasMessageContaining(
                            "has schema 1, and a copy to it has not finished; this program knows schema 2");
            SqlPlanTest.drop(tables);
        }
    }

    private static final List<Migrations.Script> NEW_INDEX = withScript(
            "-- By creation.\nCREATE INDEX CONCURRENTLY windrow_inputs_created ON windrow_inputs (created_at);\n");

    private static List<Migrations.Script> withScript(String text) {
        return Stream.concat(Migrations.SCRIPTS.stream(), Stream.of(new Migrations.Script("new.sql", 2, () -> text)))
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
            assertThat(tables.one("SELECT max(version) FROM windrow_schema")).isEqualTo("3");
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
            assertThat(writer.one("SELECT max(version) FROM windrow_schema")).isEqualTo("3");
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
