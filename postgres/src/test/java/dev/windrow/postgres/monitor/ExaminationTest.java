package dev.windrow.postgres.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.windrow.StoreUnavailableException;
import dev.windrow.TimeSource;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.monitor.DiagnoseOptions;
import dev.windrow.monitor.Diagnosis;
import dev.windrow.monitor.Diagnosis.Check;
import dev.windrow.monitor.Diagnosis.Result;
import dev.windrow.postgres.PostgresStore;
import dev.windrow.postgres.TestTables;
import dev.windrow.postgres.connection.PostgresStatements;
import dev.windrow.store.Transition;
import dev.windrow.store.monitor.DiagnoseRequest;
import dev.windrow.store.sql.monitor.Examination;
import dev.windrow.store.sql.monitor.Finding;
import dev.windrow.testkit.ManualTime;
import dev.windrow.testserver.PostgresServer;
import dev.windrow.workflow.ParentPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each damage is found by the check of its name and, where possible, by no other. */
class ExaminationTest {
    /** The longest wait of a statement for a lock. The tests that hold a lock keep it until the examination is over. */
    private static final String LOCK_WAIT = "300ms";

    /** Restores the rows that were in the tables when {@code pristine} was copied from them. */
    private static final String RESTORE = """
            DO $do$
            DECLARE t name;
            BEGIN
              FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = 'pristine' LOOP
                EXECUTE format('DELETE FROM %1$I.%2$I', '#schema', t);
                EXECUTE format('INSERT INTO %1$I.%2$I OVERRIDING SYSTEM VALUE TABLE pristine.%2$I', '#schema', t);
              END LOOP;
            END $do$
            """;

    private static final String COPY = """
            DO $do$
            DECLARE t name;
            BEGIN
              CREATE SCHEMA pristine;
              FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = '#schema' LOOP
                EXECUTE format('CREATE TABLE pristine.%2$I AS TABLE %1$I.%2$I', '#schema', t);
              END LOOP;
            END $do$
            """;

    private static PostgresServer server;
    /** The schema of all tests that damage only rows. */
    private static String shared;

    private static final List<Long> SHARED_IDS = new ArrayList<>();

    private List<Long> ids = SHARED_IDS;
    private TestTables database;

    /** Starts a server with the recommended settings, on which nothing blocks other sessions. */
    @BeforeAll
    static void startServer() throws SQLException {
        server = PostgresServer.start("fsync=on", "max_prepared_transactions=2");
        shared = newTables(SHARED_IDS);
        try (TestTables tables = TestTables.open(server, shared)) {
            tables.execute(COPY.replace("#schema", shared));
        }
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    /** Creates tables. Job 1 has completed, 2 failed, 3 runs, 4 waits for 3, 5 ran anyway after 2 and is ready, 6 is for later. */
    private static String newTables(List<Long> jobs) {
        String schema = server.newSchema();
        PostgresStore made =
                PostgresStore.configure(server.dataSource()).schema(schema).build();
        try (StoreDriver store = new StoreDriver(made, new ManualTime())) {
            jobs.add(store.enqueue(NewRow.job().payload("{}").tags("a")));
            store.complete(store.claimOne());
            jobs.add(store.enqueue(NewRow.job()));
            store.settle(store.claimOne(), Transition.FAIL);
            jobs.add(store.enqueue(NewRow.job()));
            store.claimOne();
            jobs.add(store.enqueue(
                    NewRow.job().after(jobs.get(2), ParentPolicy.WAIT).after(jobs.get(0), ParentPolicy.WAIT)));
            jobs.add(store.enqueue(NewRow.job().after(jobs.get(1), ParentPolicy.RUN)));
            jobs.add(store.enqueue(NewRow.job().delay(Duration.ofDays(1))));
        }
        return schema;
    }

    @BeforeEach
    void restoreRows() throws SQLException {
        database = TestTables.open(server, shared);
        database.execute(RESTORE.replace("#schema", shared));
    }

    /** Switches to tables that this test may damage permanently. */
    private void useOwnTables() throws SQLException {
        database.close();
        ids = new ArrayList<>();
        database = TestTables.open(server, newTables(ids));
    }

    @AfterEach
    void closeConnection() throws SQLException {
        database.close();
    }

    private Diagnosis diagnose() throws SQLException {
        return run(new DiagnoseRequest(new ManualTime(), DiagnoseOptions.ALL));
    }

    /** Runs this check only, because the others take far longer. */
    private Diagnosis diagnose(String check) throws SQLException {
        return run(new DiagnoseRequest(new ManualTime(), DiagnoseOptions.ALL.withChecks(Set.of(check))));
    }

    private Diagnosis run(DiagnoseRequest request) throws SQLException {
        return run(request, LOCK_WAIT);
    }

    private Diagnosis run(DiagnoseRequest request, String lockWait) throws SQLException {
        Examination examination = new Examination(request, "the tables of a test", () -> false);
        try (ExaminedTables store =
                new ExaminedTables(examination, database.connection(), database.tables(), lockWait, () -> {})) {
            return examination.run(store, ServerChecks.ALL);
        }
    }

    /** Runs this check and returns its result. */
    private Check check(String name) throws SQLException {
        return check(diagnose(name), name);
    }

    private static Check check(Diagnosis diagnosis, String name) {
        return diagnosis.checks().stream()
                .filter(check -> check.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** Replaces #1 and so on by the ids of the jobs. */
    private String numbered(String text) {
        String numbered = text;
        for (int i = 1; i <= ids.size(); i++) {
            numbered = numbered.replace("#" + i, String.valueOf(ids.get(i - 1)));
        }
        return numbered;
    }

    /** Does damage that no verb could do. */
    private void damage(String sql) throws SQLException {
        database.execute(numbered(sql));
    }

    @Test
    void undamagedTablesHaveNoFailedCheck() throws SQLException {
        assertThat(diagnose().checks())
                .filteredOn(check -> check.result() != Result.OK)
                .extracting(Check::name)
                .as("the job that runs has no worker in the registry, and the one that is ready none at all")
                .containsExactly("leases", "queues", "handlers");
    }

    /** Makes the table of jobs large, and lets the server know it. */
    private void addCompletedJobs() throws SQLException {
        damage("INSERT INTO windrow_jobs (id, scheduled_at, lane, max_attempts, state, finished_at)"
                + " SELECT n, 1, 1, 3, 'COMPLETED', 1 FROM generate_series(10000, 30000) n");
        database.execute("VACUUM ANALYZE");
    }

    @Test
    void anotherIndexIsReportedInALargeTableOnly() throws SQLException {
        useOwnTables();
        damage("CREATE INDEX other ON windrow_jobs (id) WHERE state = 'RUNNING' AND cancel_requested <> 0");
        database.execute("VACUUM ANALYZE");
        assertThat(check("plans").detail()).endsWith("statements use their indexes");
        addCompletedJobs();
        assertThat(check("plans").detail()).isEqualTo("requests to cancel: does not use windrow_jobs_running");
    }

    @Test
    void thePlansPassUnderAnyStatistics() throws SQLException {
        useOwnTables();
        assertThat(check("plans").result()).isEqualTo(Result.OK);
        database.execute("VACUUM ANALYZE");
        assertThat(check("plans").detail()).endsWith("statements use their indexes");
        addCompletedJobs();
        assertThat(check("plans").detail()).endsWith("statements use their indexes");
        // The server knows that there is nothing to read, so that every index costs the same.
        damage("DELETE FROM windrow_edges");
        database.execute("VACUUM ANALYZE");
        assertThat(check("plans").detail()).endsWith("statements use their indexes");
    }

    /** If no job has failed as far as the server knows, each index of the failed jobs costs the same. */
    @Test
    void thePlansPassUnderStatisticsOfATimeWithoutFailedJobs() throws SQLException {
        useOwnTables();
        damage("UPDATE windrow_jobs SET state = 'CANCELLED', finished_at = 1, error_code = NULL");
        database.execute("ANALYZE windrow_jobs");
        // The statistics of the columns stay.
        database.execute("TRUNCATE windrow_jobs");
        damage("INSERT INTO windrow_jobs (id, scheduled_at, lane, max_attempts, state)"
                + " SELECT n, 1, 1, 3, 'PENDING' FROM generate_series(10000, 15000) n");
        assertThat(diagnose().queries())
                .filteredOn(query -> query.name().equals("statistics: failures"))
                .singleElement()
                .satisfies(query -> assertThat(query.plan()).contains("windrow_jobs_failed_at"));
        assertThat(check("plans").detail()).endsWith("statements use their indexes");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "orphans | INSERT INTO windrow_inputs (job_id, created_at, lane, created_by) VALUES (4711, 1, 1, 1) | input of job 4711",
                "orphans | INSERT INTO windrow_results VALUES (4711, '{}') | result of job 4711",
                "orphans | INSERT INTO windrow_tags VALUES (4711, 'x') | tag of job 4711",
                "orphans | INSERT INTO windrow_metadata VALUES (4711, '{}') | metadata of job 4711",
                "orphans | INSERT INTO windrow_audit_jobs VALUES (4711, 17, 'FAILED', NULL) | audit row of job 17, which is without its entry",
                "schedules | INSERT INTO windrow_schedules (id, name, queue, type, priority, max_attempts, tags, cron, zone, misfire, overlap, next_at, created_at, created_by, changed_at) VALUES (1000, 's', 'q', 't', 0, 3, '[]', '0 3 * * *', 'Mars/Olympus', 'ONCE', 'ALLOW', 1, 1, 1, 1) | schedule s cannot be read: zone 'Mars/Olympus'",
                "schedules | INSERT INTO windrow_schedules (id, name, queue, type, priority, max_attempts, tags, every_ms, starts_at, misfire, overlap, created_at, created_by, changed_at) VALUES (1000, 's', 'q', 't', 0, 3, '[]', 60000, 1, 'ONCE', 'ALLOW', 1, 1, 1) | schedule s has no next run",
                "schedules | INSERT INTO windrow_schedule_runs (schedule_id, due_at, until_at, runs, fired_at, outcome) VALUES (4711, 1, 1, 1, 1, 'MISSED') | 1 runs of schedule number 4711, which does not exist",
                "orphans | INSERT INTO windrow_schedules (id, name, queue, type, priority, max_attempts, tags, every_ms, starts_at, misfire, overlap, next_at, created_at, created_by, changed_at) VALUES (1000, 's', 'q', 't', 0, 3, '[]', 60000, 1, 'ONCE', 'ALLOW', 1, 1, 4711, 1) | schedule s names actor 4711",
                "orphans | INSERT INTO windrow_attempts VALUES (4711, 1, 1, 1, 1, 1, 1, 1, 'LOST', NULL, NULL) | attempt of job 4711",
                "orphans | INSERT INTO windrow_attempt_texts VALUES (#1, 17, 'OUTPUT', 'x') | text of an attempt of job #1",
                "orphans | INSERT INTO windrow_events (job_id, at, token, actor, event) VALUES (4711, 1, 0, 1, 'ENQUEUED') | event of job 4711",
                "orphans | INSERT INTO windrow_edges (child, parent, position, policy, satisfied) VALUES (4711, #1, 0, 'WAIT', true) | edge of job 4711",
                "orphans | INSERT INTO windrow_edges (child, parent, position, policy, satisfied) VALUES (#1, 4711, 0, 'WAIT', true) | edge to a parent of job 4711",
                "orphans | INSERT INTO windrow_progress VALUES (4711, 1, 1, 0.5, NULL) | progress of job 4711",
                "orphans | INSERT INTO windrow_log_lines VALUES (4711, 1, 1, 1, 'INFO', 'x') | log line of job 4711",
                "orphans | INSERT INTO windrow_steps (job_id, name, position, kind, state, token, started_at) VALUES (4711, 'a', 1, 'STEP', 'DONE', 1, 1) | step of job 4711",
                "orphans | INSERT INTO windrow_dedupe (type, key, job_id, scope) VALUES ('t', 'k', 4711, 'UNFINISHED') | dedupe key of job 4711, which is missing",
                "orphans | INSERT INTO windrow_dedupe (type, key, job_id, scope) VALUES ('t', 'k', #1, 'UNFINISHED') | dedupe key of job #1, which is COMPLETED",
                "orphans | INSERT INTO windrow_dedupe (type, key, job_id, scope) VALUES ('t', 'k', #3, 'UNTIL_STARTED') | dedupe key of job #3, which is RUNNING",
                "orphans | INSERT INTO windrow_blobs (job_id, kind, bytes, sha256, created_at) VALUES (4711, 'PAYLOAD', 0, 'x', 1) | is the payload of job 4711, which does not name it",
                "orphans | INSERT INTO windrow_blobs (job_id, kind, bytes, sha256, created_at) VALUES (#1, 'RESULT', 5, 'x', 1) | of job #1 has 0 bytes and should have 5",
                "orphans | INSERT INTO windrow_blob_chunks VALUES (4711, 3, 'x') | chunk 3 belongs to blob 4711, which does not exist",
                "orphans | UPDATE windrow_inputs SET payload = format('{%swindrow:blob%s:9,}', chr(34), chr(34)) WHERE job_id = #1 | the payload of job #1 is in a blob, which does not exist",
                "orphans | UPDATE windrow_results SET result = format('{%swindrow:blob%s:9,}', chr(34), chr(34)) WHERE job_id = #1 | the result of job #1 is in a blob, which does not exist",
                "states | UPDATE windrow_inputs SET dedupe_key = 'k', dedupe_scope = 'UNFINISHED' WHERE job_id = #5 | job #5 is PENDING and does not hold its dedupe key",
                "orphans | DELETE FROM windrow_inputs WHERE job_id = #1 | job #1 has no input",
                "orphans | UPDATE windrow_jobs SET lane = 4711 WHERE id = #1 | job #1 names lane 4711, which does not exist",
                "orphans | UPDATE windrow_jobs SET worker = 4711 WHERE id = #3 | job #3 names worker 4711, which does not exist",
                "orphans | UPDATE windrow_jobs SET cancel_requested = 4711 WHERE id = #3 | job #3 names actor 4711",
                "orphans | UPDATE windrow_inputs SET lane = 4711 WHERE job_id = #1 | the input of job #1 names lane 4711",
                "orphans | UPDATE windrow_inputs SET created_by = 4711 WHERE job_id = #1 | the input of job #1 names actor 4711",
                "orphans | UPDATE windrow_attempts SET worker = 4711 WHERE job_id = #2 | an attempt of job #2 names worker 4711",
                "orphans | UPDATE windrow_events SET actor = 4711 WHERE job_id = #2 | an event of job #2 names actor 4711",
                "orphans | INSERT INTO windrow_steps (job_id, position, token, started_at, actor, name, kind, state) VALUES (#1, 1, 0, 1, 4711, 's', 'EVENT', 'DONE') | a step of job #1 names actor 4711",
                "orphans | UPDATE windrow_lanes SET paused_by = 4711 WHERE id = 1 | lane 1 names actor 4711",
                "orphans | INSERT INTO windrow_throughput VALUES (1, 1, 1, 1, 1, 1, 4711, '{}', '{}') | a counter names lane 4711",
                "leases | UPDATE windrow_jobs SET lease_until = 9999999999999 WHERE id = #3 | the clock was set back",
                "counters | INSERT INTO windrow_counter_deltas (lane, n, state) VALUES (1, 1, 'FAILED') | the counter is 2, the number of jobs is 1",
                "counters | DELETE FROM windrow_counter_deltas WHERE state = 'RUNNING'; DELETE FROM windrow_counters WHERE state = 'RUNNING' | the counter is 0, the number of jobs is 1",
                "edges | UPDATE windrow_jobs SET open_parents = 2 WHERE id = #4 | job #4 is BLOCKED with 2 open parents and 1 open",
                "edges | UPDATE windrow_jobs SET open_parents = 0 WHERE id = #4; UPDATE windrow_edges SET satisfied = true WHERE child = #4 | job #4 is BLOCKED with 0",
                "edges | UPDATE windrow_edges SET satisfied = false WHERE parent = #1; UPDATE windrow_jobs SET open_parents = 2 WHERE id = #4 | the edge of job #4 to job #1, which is COMPLETED, is open",
                "edges | UPDATE windrow_edges SET satisfied = false WHERE parent = #2; UPDATE windrow_jobs SET open_parents = 1 WHERE id = #5 | the edge of job #5 to job #2, which is FAILED, is open (RUN)",
                "edges | UPDATE windrow_edges SET satisfied = false, policy = 'CANCEL' WHERE parent = #2; UPDATE windrow_jobs SET open_parents = 1, state = 'BLOCKED', waiting_for = 'PARENTS' WHERE id = #5 | the edge of job #5 to job #2, which is FAILED, is open (CANCEL)",
                "edges | UPDATE windrow_edges SET parent = #5 WHERE parent = #3; UPDATE windrow_edges SET satisfied = false, parent = #4 WHERE child = #5; UPDATE windrow_jobs SET open_parents = 1, state = 'BLOCKED', waiting_for = 'PARENTS' WHERE id = #5 | 2 blocked jobs wait for each other forever",
                "edges | INSERT INTO windrow_releases (parent, state) VALUES (#2, 'COMPLETED') | the children of job #2 were to be released when it was COMPLETED, but it is FAILED",
                "edges | UPDATE windrow_edges SET satisfied = true WHERE parent = #3 | the edge of job #4 to job #3, which is RUNNING, is satisfied (WAIT)",
                "states | UPDATE windrow_jobs SET worker = NULL WHERE id = #3 | job #3 is RUNNING and has no worker",
                "states | UPDATE windrow_jobs SET lease_until = NULL WHERE id = #3 | job #3 is RUNNING and has no lease",
                "states | UPDATE windrow_jobs SET claimed_at = NULL WHERE id = #3 | was never claimed",
                "states | UPDATE windrow_jobs SET worker = 1 WHERE id = #2 | job #2 is FAILED and has a worker",
                "states | UPDATE windrow_jobs SET worker = NULL WHERE id = #1 | job #1 is COMPLETED and was completed by neither a worker nor another actor",
                "states | UPDATE windrow_jobs SET claimed_at = NULL WHERE id = #1 | job #1 is COMPLETED and has a worker that never claimed it",
                "states | UPDATE windrow_jobs SET started_at = NULL WHERE id = #1 | job #1 is COMPLETED and has a worker that never started it",
                "states | UPDATE windrow_jobs SET lease_until = 1 WHERE id = #5 | job #5 is PENDING and has a lease",
                "states | UPDATE windrow_jobs SET finished_at = NULL WHERE id = #2 | job #2 is FAILED and has no time of its end",
                "states | UPDATE windrow_jobs SET finished_at = 1 WHERE id = #6 | job #6 is SCHEDULED and has a time of its end",
                "states | UPDATE windrow_jobs SET waiting_for = NULL WHERE id = #4 | waits for nothing",
                "states | UPDATE windrow_jobs SET wake_at = 1 WHERE id = #4 | has a time-out and waits for no event",
                "states | UPDATE windrow_jobs SET waiting_for = 'EVENT' WHERE id = #5 | waits for EVENT",
                "states | UPDATE windrow_jobs SET waiting_for = 'EVENT', wake_at = 1, wake_state = 'PENDING' WHERE id = #4 | job #4 is BLOCKED and waits for an event, but has no open event step",
                "states | UPDATE windrow_jobs SET used = 99 WHERE id = #2 | has used more attempts",
                "states | UPDATE windrow_inputs SET lane = 4711 WHERE job_id = #1 | job #1 is in lane 1 and its input in lane 4711",
                "states | INSERT INTO windrow_events (job_id, at, token, actor, event) VALUES (#5, 1, 0, 1, 'ENQUEUED') | job #5 is PENDING, and its log has an event ENQUEUED",
                "states | INSERT INTO windrow_events (job_id, at, token, actor, event) VALUES (#3, 1, 1, 1, 'CLAIMED') | job #3 is RUNNING, and its log has an event CLAIMED",
                "states | INSERT INTO windrow_events (job_id, at, token, actor, event) VALUES (#2, 1, 1, 1, 'STARTED') | job #2 is FAILED, and its log has an event STARTED",
                "states | INSERT INTO windrow_events (job_id, at, token, actor, event) VALUES (#2, 1, 1, 1, 'SUCCEEDED') | job #2 is FAILED, and its log has an event SUCCEEDED",
                "states | INSERT INTO windrow_events (job_id, at, token, actor, event) VALUES (#1, 1, 1, 1, 'SUCCEEDED') | job #1 is COMPLETED, and its log has an event SUCCEEDED",
                "attempts | UPDATE windrow_jobs SET token = 0 WHERE id = #2 | has ended under token 1 in run 1, the job is FAILED under token 0",
                "attempts | UPDATE windrow_attempts SET run = 2 WHERE job_id = #2 | in run 2, the job is FAILED under token 1 in run 1",
                "attempts | INSERT INTO windrow_attempts VALUES (#3, 1, 1, 1, 1, 1, 1, 1, 'LOST', NULL, NULL) | the job is RUNNING under token 1",
                "attempts | UPDATE windrow_attempts SET outcome = 'SUCCEEDED' WHERE job_id = #2 | a SUCCEEDED attempt of job #2 has ended under token 1 in run 1, the job is FAILED under token 1",
                "attempts | INSERT INTO windrow_attempts VALUES (#1, 1, 1, 1, 1, 1, 1, 1, 'RELEASED', NULL, NULL) | a RELEASED attempt of job #1 has ended under token 1 in run 1, the job is COMPLETED under token 1",
                "attempts | DELETE FROM windrow_events WHERE job_id = #2 | the log of job #2 has no event under token 1, whose attempt is FAILED",
                "schema | INSERT INTO windrow_schema VALUES (99, 99, 'new', 1) | needs a newer Windrow",
                "schema | DELETE FROM windrow_schema | no tables of Windrow",
            })
    void eachDamageOfRowsIsFoundByItsCheck(String name, String sql, String detail) throws SQLException {
        assertFound(name, sql, detail);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "ids | ALTER SEQUENCE windrow_ids RESTART; UPDATE windrow_inputs SET job_id = 4711 WHERE job_id = #1 | there is job 4711",
                "ids | ALTER TABLE windrow_lanes ALTER COLUMN id RESTART | there is lane 1",
                "plans | DROP INDEX windrow_jobs_claim | claim: does not use windrow_jobs_claim",
                "plans | DROP INDEX windrow_edges_parent | release of children: does not use windrow_edges_parent",
                "indexes | DROP INDEX windrow_jobs_failed | windrow_jobs_failed is missing",
                "indexes | UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'windrow_jobs_due'::regclass | windrow_jobs_due is not valid",
                "schema | DROP TABLE windrow_schema | no tables of Windrow",
                "counters | DROP TABLE windrow_counters | could not be checked: ",
            })
    void eachDamageOfTablesIsFoundByItsCheck(String name, String sql, String detail) throws SQLException {
        useOwnTables();
        assertFound(name, sql, detail);
    }

    private void assertFound(String name, String sql, String detail) throws SQLException {
        assertThat(check(name).result()).as("before the damage").isNotEqualTo(Result.FAILED);
        damage(sql);
        // The whole examination takes ten times as long.
        Diagnosis diagnosis = Boolean.getBoolean("windrow.soak") ? diagnose() : diagnose(name);
        Check check = check(diagnosis, name);
        assertThat(check.result()).as("%s", diagnosis).isEqualTo(Result.FAILED);
        assertThat(check.detail()).contains(numbered(detail));
        assertThat(check.remedy()).isNotBlank();
        assertThat(diagnosis.isOk()).isFalse();
    }

    @Test
    void eachOfManyDamagesIsFoundByItsCheckAndNoneEndsTheDiagnosis() throws SQLException {
        useOwnTables();
        List<String> names = diagnose().checks().stream().map(Check::name).toList();
        damage("INSERT INTO windrow_results VALUES (4711, '{}')");
        damage("UPDATE windrow_jobs SET lease_until = 9999999999999 WHERE id = #3");
        damage("UPDATE windrow_jobs SET token = 0, used = 99 WHERE id = #2");
        damage("UPDATE windrow_jobs SET open_parents = 2 WHERE id = #4");
        damage("INSERT INTO windrow_schedule_runs (schedule_id, due_at, until_at, runs, fired_at, outcome)"
                + " VALUES (4711, 1, 1, 1, 1, 'MISSED')");
        damage("ALTER TABLE windrow_lanes ALTER COLUMN id RESTART");
        damage("INSERT INTO windrow_counter_deltas (lane, n, state) VALUES (1, 1, 'FAILED')");
        damage("DROP INDEX windrow_jobs_claim");
        Diagnosis diagnosis = diagnose();
        assertThat(diagnosis.checks()).extracting(Check::name).isEqualTo(names);
        assertThat(diagnosis.failed())
                .containsExactly(
                        "indexes",
                        "plans",
                        "leases",
                        "schedules",
                        "ids",
                        "orphans",
                        "counters",
                        "edges",
                        "states",
                        "attempts");
    }

    @Test
    void theRemedyForAPlanFitsAServer() throws SQLException {
        useOwnTables();
        damage("DROP INDEX windrow_jobs_claim");
        assertThat(check("plans").remedy()).contains("ANALYZE", "autovacuum").doesNotContain("sqlite");
    }

    @Test
    void oneDamageFailsOneCheckOnly() throws SQLException {
        damage("INSERT INTO windrow_counter_deltas (lane, n, state) VALUES (1, 1, 'FAILED')");
        assertThat(diagnose().failed()).containsExactly("counters");
    }

    @Test
    void theFirstFindingsAreNamedAndTheOthersCounted() throws SQLException {
        damage("INSERT INTO windrow_results SELECT n, '{}' FROM generate_series(1000, 3999) n");
        assertThat(check("orphans").detail()).matches("(result of job \\d+, which is missing; ){5}and 2,995 more");
    }

    @Test
    void stuckSlotsAreANote() throws SQLException {
        damage(
                "INSERT INTO windrow_workers (actor, name, host, pid, version, queues, types, slots, started_at, heartbeat_at, expires_at, stuck)"
                        + " VALUES (1, 'w', 'h', 1, '0', '{}', '{t}', 4, 1, 1, 9999999999999, 2)");
        Check stuck = check("stuck-slots");
        assertThat(stuck.result()).isEqualTo(Result.NOTE);
        assertThat(stuck.detail()).contains("worker w: 2 slots");
    }

    @Test
    void onlyTheFullCheckFindsAnIndexWithAMissingRow() throws SQLException {
        useOwnTables();
        database.execute("CREATE EXTENSION amcheck");
        try {
            assertThat(check("integrity").detail()).isEqualTo("64 indexes are intact and have every row");
            assertThat(check("integrity").result()).isEqualTo(Result.OK);
            // The following row is written while the index is not updated.
            damage("UPDATE pg_index SET indisready = false WHERE indexrelid = 'windrow_jobs_due'::regclass");
            damage("UPDATE windrow_jobs SET scheduled_at = scheduled_at + 1 WHERE id = #6");
            damage("UPDATE pg_index SET indisready = true WHERE indexrelid = 'windrow_jobs_due'::regclass");
            Diagnosis diagnosis = diagnose();
            assertThat(diagnosis.failed()).containsExactly("integrity");
            assertThat(check(diagnosis, "integrity").detail())
                    .startsWith("windrow_jobs_due: ")
                    .contains("lacks matching index tuple");
            Check quick = check(
                    run(new DiagnoseRequest(
                            new ManualTime(),
                            DiagnoseOptions.ALL.withoutIndexes().withChecks(Set.of("integrity")))),
                    "integrity");
            assertThat(quick.result()).isEqualTo(Result.OK);
            assertThat(quick.detail()).contains("quick");
        } finally {
            database.execute("DROP EXTENSION amcheck");
        }
    }

    @Test
    void aRoleThatMayNotCheckIndexesIsReported() throws SQLException {
        database.execute("CREATE EXTENSION amcheck");
        database.execute("CREATE ROLE some_operator");
        try {
            String schema = database.tables().schema();
            database.execute("GRANT USAGE ON SCHEMA " + schema + " TO some_operator");
            database.execute("GRANT ALL ON ALL TABLES IN SCHEMA " + schema + " TO some_operator");
            database.execute("GRANT ALL ON ALL SEQUENCES IN SCHEMA " + schema + " TO some_operator");
            database.execute("SET ROLE some_operator");
            Diagnosis diagnosis = diagnose();
            assertThat(diagnosis.failed()).isEmpty();
            assertThat(check(diagnosis, "integrity").result()).isEqualTo(Result.NOTE);
            assertThat(check(diagnosis, "integrity").detail()).contains("permission denied");
        } finally {
            database.execute("RESET ROLE");
            database.execute("DROP OWNED BY some_operator");
            database.execute("DROP ROLE some_operator");
            database.execute("DROP EXTENSION amcheck");
        }
    }

    @Test
    void theIndexCheckCoversTheIndexesOfTheTables() throws SQLException {
        Set<String> named = new TreeSet<>();
        for (String name : CheckSql.MISSING_INDEXES.split("'", -1)) {
            if (name.startsWith("windrow_")) {
                named.add(name);
            }
        }
        assertThat(named)
                .isEqualTo(new TreeSet<>(database.rows("SELECT indexname FROM pg_indexes WHERE schemaname = '"
                        + database.tables().schema() + "'")));
        List<ServerChecks.Index> seen =
                ServerChecks.indexes(new PostgresStatements(database.connection(), database.tables()));
        assertThat(seen).extracting(ServerChecks.Index::name).containsExactlyInAnyOrderElementsOf(named);
    }

    @Test
    void aTransactionThatBlocksVacuumIsNamed() throws SQLException {
        PostgresStatements statements = new PostgresStatements(database.connection(), database.tables());
        try (TestTables other = TestTables.open(server, database.tables().schema())) {
            other.execute("SET application_name = 'forgotten'");
            other.connection().setAutoCommit(false);
            other.execute("UPDATE windrow_lanes SET pause_reason = NULL");
            assertThat(ServerChecks.oldTransactions(statements, Duration.ofMinutes(5))
                            .result())
                    .isEqualTo(Result.OK);
            Finding open = ServerChecks.oldTransactions(statements, Duration.ZERO);
            assertThat(open.result()).isEqualTo(Result.NOTE);
            assertThat(open.detail()).contains("(forgotten, idle in transaction)");
            other.connection().rollback();
            other.execute("UPDATE windrow_lanes SET pause_reason = NULL; PREPARE TRANSACTION 'half done'");
            assertThat(ServerChecks.oldTransactions(statements, Duration.ZERO).detail())
                    .contains("prepared transaction 'half done'");
            other.connection().setAutoCommit(true);
            other.execute("ROLLBACK PREPARED 'half done'");
        }
        assertThat(ServerChecks.oldTransactions(statements, Duration.ZERO).detail())
                .doesNotContain("forgotten")
                .doesNotContain("half done");
    }

    @Test
    void waitersForLocksAreNamedWithTheHolders() throws Exception {
        PostgresStatements statements = new PostgresStatements(database.connection(), database.tables());
        try (TestTables holder = TestTables.open(server, database.tables().schema());
                TestTables waiting = TestTables.open(server, database.tables().schema())) {
            holder.connection().setAutoCommit(false);
            holder.execute("UPDATE windrow_lanes SET pause_reason = NULL");
            String pid = holder.one("SELECT pg_backend_pid()");
            Thread thread = new Thread(() -> {
                try {
                    waiting.execute("UPDATE windrow_lanes SET pause_reason = NULL");
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
            thread.start();
            await().untilAsserted(() -> assertThat(
                            ServerChecks.waitingLocks(statements, Duration.ZERO).detail())
                    .contains(" for session " + pid));
            assertThat(ServerChecks.waitingLocks(statements, Duration.ofMinutes(5))
                            .result())
                    .isEqualTo(Result.OK);
            holder.connection().rollback();
            thread.join(60_000);
        }
        assertThat(ServerChecks.waitingLocks(statements, Duration.ZERO).result())
                .isEqualTo(Result.OK);
    }

    @Test
    void settingsThatLoseOrAccumulateDataAreNotes() {
        Map<String, String> good = Map.of(
                "server_version",
                "14",
                "fsync",
                "on",
                "full_page_writes",
                "on",
                "synchronous_commit",
                "on",
                "autovacuum",
                "on",
                "track_counts",
                "on",
                "default_transaction_isolation",
                "read committed",
                "in_recovery",
                "off");
        assertThat(ServerChecks.settings(good).result()).isEqualTo(Result.OK);
        for (String name : List.of("fsync", "full_page_writes", "synchronous_commit", "autovacuum", "track_counts")) {
            Map<String, String> bad = new HashMap<>(good);
            bad.put(name, "off");
            assertThat(ServerChecks.settings(bad).result()).as(name).isEqualTo(Result.NOTE);
            assertThat(ServerChecks.settings(bad).detail()).contains(name);
        }
        Map<String, String> standby = new HashMap<>(good);
        standby.put("in_recovery", "on");
        assertThat(ServerChecks.settings(standby).detail()).contains("standby");
        Map<String, String> strict = new HashMap<>(good);
        strict.put("default_transaction_isolation", "serializable");
        assertThat(ServerChecks.settings(strict).detail()).contains("serializable");
    }

    @Test
    void settingsOfTheDiagnosingSessionAreNotReported() throws SQLException {
        database.execute("SET default_transaction_isolation = 'serializable'");
        assertThat(check("settings").result()).isEqualTo(Result.OK);
    }

    @Test
    void deltasWithoutCompactionAreANote() throws SQLException {
        useOwnTables();
        damage(
                "INSERT INTO windrow_counter_deltas (lane, n, state) SELECT 1, 0, 'FAILED' FROM generate_series(1, 200001)");
        database.execute("ANALYZE windrow_counter_deltas");
        // The server updates its counts of rows later than the rows.
        await().atMost(Duration.ofSeconds(60)).until(() -> check("bloat").result() == Result.NOTE);
        assertThat(check("bloat").detail()).contains("windrow_counter_deltas", "they are not compacted");
    }

    @Test
    void deadRowsAreReportedRelativeToLiveRows() {
        assertThat(ServerChecks.areMany(1_000_001, 50_000)).isTrue();
        assertThat(ServerChecks.areMany(1_000_001, 50_001)).isFalse();
        assertThat(ServerChecks.areMany(1_000_000, 0)).isFalse();
    }

    @Test
    void theWaitForALockedTableHasATimeout() throws SQLException {
        try (TestTables holder = TestTables.open(server, database.tables().schema())) {
            holder.connection().setAutoCommit(false);
            holder.execute("LOCK TABLE windrow_tags");
            Diagnosis diagnosis = diagnose();
            assertThat(diagnosis.failed()).containsExactly("orphans");
            assertThat(check(diagnosis, "orphans").detail()).contains("lock timeout");
            assertThat(check(diagnosis, "plans").result()).isEqualTo(Result.NOTE);
            assertThat(check(diagnosis, "plans").detail())
                    .startsWith("plans not known: ")
                    .contains("listing by tag: ");
            assertThat(diagnosis.queries())
                    .filteredOn(query -> query.name().equals("listing of all jobs"))
                    .singleElement()
                    .satisfies(query -> assertThat(query.plan()).contains("windrow_jobs_pkey"));
        }
        assertThat(diagnose().failed()).isEmpty();
    }

    @Test
    void aDiagnosisOnSystemTimeUsesTheServersClock() throws SQLException {
        assertThat(check(
                                run(new DiagnoseRequest(
                                        TimeSource.system(), DiagnoseOptions.ALL.withChecks(Set.of("leases")))),
                                "leases")
                        .detail())
                .contains("job " + ids.get(2) + " of worker w: its lease ran out");
    }

    @Test
    void theConnectionKeepsItsSettings() throws SQLException {
        diagnose();
        assertThat(database.connection().getAutoCommit()).isTrue();
        assertThat(database.rows("SELECT name FROM pg_prepared_statements WHERE name LIKE 'windrow%'"))
                .isEmpty();
        assertThat(database.one("SELECT current_setting('search_path') || current_setting('statement_timeout')"))
                .isEqualTo("\"$user\", public0");
        damage("DELETE FROM windrow_tags");
    }

    @Test
    void anInterruptEndsTheDiagnosisBetweenChecks() throws SQLException {
        try {
            assertThatThrownBy(() -> run(new DiagnoseRequest(
                            new ManualTime(),
                            DiagnoseOptions.ALL.withoutIndexes().withProgress(name -> {
                                if (name.equals("orphans")) {
                                    Thread.currentThread().interrupt();
                                }
                                assertThat(name).isNotEqualTo("counters");
                            }))))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("interrupted");
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
        assertThat(diagnose().failed()).isEmpty();
    }

    private Diagnosis within(Duration budget, String... only) throws SQLException {
        // The budget ends before the wait for the lock.
        return run(
                new DiagnoseRequest(
                        new ManualTime(),
                        DiagnoseOptions.ALL.withChecks(Set.of(only)).withBudget(budget)),
                "60s");
    }

    /** Runs a check while a table is locked, so that a statement that needs it waits during the whole check. */
    private void whileLocked(String table, Executable look) throws Throwable {
        try (Connection other = server.dataSource().getConnection();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute(database.tables().inSchema("LOCK TABLE " + table + " IN ACCESS EXCLUSIVE MODE"));
            look.execute();
            other.rollback();
        }
    }

    @Test
    void aStoppedCheckIsReportedAndTheOthersContinueOnTheSameConnection() throws Throwable {
        whileLocked("windrow_attempts", () -> {
            Diagnosis diagnosis = within(Duration.ofSeconds(2), "orphans", "counters", "edges", "limits");
            assertThat(check(diagnosis, "orphans").result()).isEqualTo(Result.NOTE);
            assertThat(check(diagnosis, "orphans").detail())
                    .startsWith("not finished: stopped after")
                    .contains("doctor --full");
            assertThat(diagnosis.checks())
                    .filteredOn(check -> !check.name().equals("orphans"))
                    .hasSize(3)
                    .allMatch(check -> check.result() == Result.OK);
        });
        assertThat(database.one("SELECT current_setting('statement_timeout')"))
                .as("nothing of it stays with the connection")
                .isEqualTo("0");
        assertThat(diagnose().failed()).isEmpty();
    }

    @Test
    void findingsOfAStoppedCheckCount() throws Throwable {
        damage("INSERT INTO windrow_results VALUES (4711, '{}')");
        whileLocked("windrow_blob_chunks", () -> {
            Check orphans = check(within(Duration.ofSeconds(1), "orphans"), "orphans");
            assertThat(orphans.result()).isEqualTo(Result.FAILED);
            assertThat(orphans.detail()).contains("result of job 4711", "not finished", "doctor --full");
        });
    }

    @Test
    void withoutALimitACheckBlockedByALockIsReportedAsUnchecked() throws Throwable {
        whileLocked("windrow_attempts", () -> {
            assertThat(check("attempts").detail()).startsWith("could not be checked");
        });
    }
}
