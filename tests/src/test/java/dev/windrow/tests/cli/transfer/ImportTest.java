package dev.windrow.tests.cli.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.tests.cli.Cli;
import dev.windrow.tests.cli.Cli.Result;
import dev.windrow.tests.cli.Cli.Running;
import dev.windrow.tests.cli.CommandTest;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** {@code windrow import} from outside: from files with the schemas of the other systems. */
class ImportTest extends CommandTest {
    /** Makes a file by the script of this name, and further statements. */
    private Path file(String script, String... more) throws IOException, SQLException {
        Path file = folder.resolve(script + ".db");
        try (InputStream in = Objects.requireNonNull(ImportTest.class.getResourceAsStream(script + ".sql"));
                Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            statement.executeUpdate(new String(in.readAllBytes(), StandardCharsets.UTF_8));
            for (String sql : more) {
                statement.executeUpdate(sql);
            }
        }
        return file;
    }

    private static void execute(Path file, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            statement.executeUpdate(sql);
        }
    }

    private JsonNode imported(String... words) {
        String[] args = new String[words.length + 2];
        args[0] = "import";
        System.arraycopy(words, 0, args, 1, words.length);
        args[words.length + 1] = "--json";
        return cli.json(args);
    }

    private static Map<String, Integer> counts(JsonNode list, String key) {
        Map<String, Integer> counts = new LinkedHashMap<>();
        list.forEach(
                each -> counts.put(each.get(key).asString(), each.get("count").asInt()));
        return counts;
    }

    /** The job with this id there. */
    private JsonNode job(String key) {
        JsonNode jobs = cli.json("list", "--dedupe-key", key, "--json").get("jobs");
        assertThat(jobs).as(key).hasSize(1);
        return cli.json("show", jobs.get(0).get("id").asString(), "--json");
    }

    private static void has(JsonNode job, String state, int priority, int maxAttempts) {
        assertThat(job.get("state").asString()).isEqualTo(state);
        assertThat(job.get("priority").asInt()).isEqualTo(priority);
        assertThat(job.get("maxAttempts").asInt()).isEqualTo(maxAttempts);
    }

    @Test
    void jobsOfGigqKeepStatesEndsAndDependenciesAndRunToTheirEnd() throws Exception {
        String file = file("gigq").toString();
        JsonNode report = imported("gigq", file, "--type", "tasks.run=exec");
        assertThat(report.propertyNames())
                .containsExactly("imported", "states", "schedules", "skipped", "leftOut", "dryRun");
        assertThat(report.get("imported").asInt()).isEqualTo(9);
        assertThat(report.get("states").toString())
                .isEqualTo("{\"waiting\":5,\"running\":0,\"completed\":1,\"failed\":2,\"cancelled\":1}");
        assertThat(counts(report.get("skipped"), "reason"))
                .isEqualTo(Map.of(
                        "status 'paused' is unknown", 1,
                        "depends on a skipped job", 1,
                        "depends on itself, over other jobs", 2));
        assertThat(counts(report.get("leftOut"), "what"))
                .isEqualTo(Map.of(
                        "times of creation, start and end", 9,
                        "attempts made there", 4,
                        "errors of jobs that are not failed", 1,
                        "priorities beyond -32768 to 32767: the nearest one is used", 1,
                        "payloads and results that are not JSON: imported as JSON strings", 1,
                        "dependencies on jobs that are not in the file", 1));

        has(job("gigq:100"), "BLOCKED", 0, 3);
        has(job("gigq:101"), "PENDING", 7, 3);
        JsonNode done = job("gigq:102");
        has(done, "COMPLETED", 0, 3);
        assertThat(cli.run("show", done.get("id").asString(), "--json").out())
                .contains("\"payload\":{\"a\": 1, \"b\": 2.50}", "\"result\":{\"sum\": 3.50}");
        assertThat(done.get("name").asString()).isEqualTo("done parent");
        JsonNode later = job("gigq:103");
        has(later, "SCHEDULED", 32767, 2);
        assertThat(later.get("scheduledAt").asString())
                .startsWith(LocalDateTime.of(2099, 1, 1, 10, 0)
                        .atZone(ZoneId.systemDefault())
                        .toInstant()
                        .toString()
                        .substring(0, 19));
        JsonNode broken = job("gigq:104");
        has(broken, "FAILED", 0, 3);
        assertThat(broken.get("errorCode").asString()).isEqualTo("INTERNAL:EXCEPTION");
        assertThat(broken.get("errorDetail").asString()).isEqualTo("no such file");
        assertThat(broken.get("payload").asString()).isEqualTo("{\"x\": NaN}");
        assertThat(job("gigq:105").get("errorCode").asString()).isEqualTo("TIMEOUT:EXECUTION");
        has(job("gigq:106"), "CANCELLED", 0, 3);
        has(job("gigq:107"), "BLOCKED", 0, 3);

        assertThat(cli.run("work", "--until-idle", "--allow-exec").status()).isZero();
        assertThat(job("gigq:100").get("state").asString()).isEqualTo("COMPLETED");
        assertThat(job("gigq:101").at("/result/stdout").asString()).isEqualTo("parent\n");
        assertThat(job("gigq:108").get("state").asString()).isEqualTo("COMPLETED");
        assertThat(job("gigq:107").get("state").asString()).isEqualTo("BLOCKED");
        assertThat(cli.run("doctor", "--full").status()).isZero();

        // Also by other names: without --type the jobs are tasks.run.
        JsonNode again = imported("gigq", file);
        assertThat(again.get("imported").asInt()).isZero();
        assertThat(counts(again.get("skipped"), "reason")).containsEntry("imported before", 9);
    }

    @Test
    void aNewJobWhoseParentWasImportedAndDeletedDoesNotWait() throws Exception {
        imported("gigq", file("gigq").toString());
        cli.json("cleanup", "--cancelled", "0s", "--json");
        assertThat(cli.json("list", "--dedupe-key", "gigq:106", "--json").get("jobs"))
                .isEmpty();
        Files.delete(folder.resolve("gigq.db"));
        JsonNode again = imported("gigq", file("gigq", """
                        INSERT INTO jobs (id, name, function_name, function_module, params, dependencies, status, created_at, updated_at)
                        VALUES ('113', 'new', 'run', 'tasks', '{}', '["106", "101", "101"]', 'pending', '2026-03-01', '2026-03-01')""").toString());
        assertThat(again.get("imported").asInt()).isEqualTo(1);
        assertThat(counts(again.get("skipped"), "reason")).containsEntry("imported before", 9);
        assertThat(counts(again.get("leftOut"), "what"))
                .containsEntry("dependencies on jobs that were deleted here", 1);
        assertThat(job("gigq:113").get("dependsOn")).hasSize(1);
    }

    @Test
    void jobsAndSchedulesOfPlainjobAreImportedAndRunningJobsNeedADecision() throws Exception {
        String file = file("plainjob", """
                INSERT INTO plainjob_jobs (type, data, status, next_run_at, created_at)
                VALUES ('stuck', '{}', 1, 1770000000005, 1770000000005)""").toString();
        Result refused = cli.run("import", "plainjob", file);
        assertThat(refused.status()).isEqualTo(1);
        assertThat(refused.err()).contains("1 job is running in ", "nothing was imported", "--running requeue");
        assertThat(cli.run("stats").err()).contains("windrow: ");

        JsonNode report = imported("plainjob", file, "--running", "skip");
        assertThat(report.get("imported").asInt()).isEqualTo(3);
        assertThat(report.get("schedules").asInt()).isEqualTo(1);
        assertThat(counts(report.get("skipped"), "reason"))
                .hasSize(5)
                .containsEntry("running there", 1)
                .containsEntry("status 7 is unknown", 1)
                .hasEntrySatisfying(
                        "job type 'send mail' is not allowed: a letter, then up to 99 of A-Z a-z 0-9 . _ -; name another one with --type 'send mail=NAME'",
                        count -> assertThat(count).isEqualTo(1));
        assertThat(counts(report.get("leftOut"), "what")).containsEntry("ends of errors over 500 characters", 1);
        has(job("plainjob:2@1770000000001"), "SCHEDULED", 0, 1);
        assertThat(job("plainjob:2@1770000000001").get("scheduledAt").asString())
                .isEqualTo("2099-01-01T00:00:00.000Z");
        has(job("plainjob:3@1770000000002"), "COMPLETED", 0, 1);
        assertThat(job("plainjob:4@1770000000003").get("errorDetail").asString())
                .startsWith("Error: disk full\nxxx");

        report = imported("plainjob", file, "--running", "requeue", "--type", "send mail=exec");
        assertThat(report.get("states").toString())
                .isEqualTo("{\"waiting\":1,\"running\":1,\"completed\":0,\"failed\":0,\"cancelled\":0}");
        assertThat(counts(report.get("skipped"), "reason"))
                .containsEntry("imported before", 3)
                .containsEntry("schedule 'nightly' exists already", 1);
        has(job("plainjob:6@1770000000005"), "PENDING", 0, 1);
        JsonNode schedules = cli.json("schedule", "list", "--json").get("schedules");
        assertThat(schedules).hasSize(2);
        assertThat(schedules.get(0).get("name").asString()).isEqualTo("exec");
        assertThat(schedules.get(1).get("cron").asString()).isEqualTo("0 3 * * *");
        assertThat(schedules.get(1).get("zone").asString())
                .isEqualTo(ZoneId.systemDefault().getId());
    }

    @Test
    void theReportNamesEachValueWithoutACounterpartAndEachWrongOne() throws Exception {
        Path file = file(
                "gigq",
                "DELETE FROM jobs WHERE id > '105'",
                "UPDATE jobs SET description = 'what it does', pass_parent_results = 1 WHERE id = '101'",
                "UPDATE jobs SET name = hex(zeroblob(101)), result = '1', attempts = 5 WHERE id = '101'",
                "UPDATE jobs SET dependencies = '[\"103\"]' WHERE id = '100'",
                "UPDATE jobs SET max_attempts = 5000, retry_after = '2099-01-01T10:00:00' WHERE id = '102'",
                "UPDATE jobs SET priority = 'high' WHERE id = '103'",
                "UPDATE jobs SET dependencies = '{}' WHERE id = '104'",
                "UPDATE jobs SET dependencies = '[\"1' WHERE id = '105'");
        JsonNode report = imported("gigq", file.toString());
        assertThat(counts(report.get("skipped"), "reason"))
                .isEqualTo(Map.of(
                        "depends on a skipped job", 1,
                        "priority is not a whole number", 1,
                        "dependencies is not an array of ids", 1,
                        "dependencies is not JSON", 1));
        assertThat(counts(report.get("leftOut"), "what"))
                .isEqualTo(Map.of(
                        "times of creation, start and end", 2,
                        "attempts made there", 2,
                        "ends of names over 200 characters", 1,
                        "results of jobs that are not completed", 1,
                        "descriptions", 1,
                        "pass_parent_results: a handler reads the results of its parents itself", 1));
        has(job("gigq:101"), "PENDING", 7, 1);
        assertThat(job("gigq:101").get("name").asString()).hasSize(200);
        has(job("gigq:102"), "COMPLETED", 0, 1000);
        assertThat(job("gigq:102").get("scheduledAt").asString()).doesNotStartWith("2099");
    }

    @Test
    void emptyValuesCountAsMissing() throws Exception {
        JsonNode report = imported(
                "gigq",
                file(
                                "gigq",
                                "DELETE FROM jobs WHERE id NOT IN ('101', '104')",
                                "UPDATE jobs SET name = ' ', error = '', dependencies = NULL, timeout = 0, result = NULL",
                                "UPDATE jobs SET params = '{}'")
                        .toString());
        assertThat(report.get("imported").asInt()).isEqualTo(2);
        assertThat(counts(report.get("leftOut"), "what"))
                .isEqualTo(Map.of("times of creation, start and end", 2, "attempts made there", 1));
        JsonNode job = job("gigq:101");
        assertThat(job.path("name").asString("")).isEmpty();
        assertThat(job.get("timeout").asString()).isEqualTo("5m");
        JsonNode failed = job("gigq:104");
        assertThat(failed.get("state").asString()).isEqualTo("FAILED");
        assertThat(failed.path("errorDetail").asString("")).isEmpty();
    }

    @Test
    void jobsAreEnqueuedInTheOrderOfTheirCreationThere() throws Exception {
        imported("gigq", file("gigq").toString());
        List<Integer> ids = new ArrayList<>();
        for (String key : List.of("gigq:101", "gigq:102", "gigq:103", "gigq:104", "gigq:105", "gigq:106")) {
            ids.add(job(key).get("id").asInt());
        }
        assertThat(ids).isSorted();
    }

    @Test
    void aRunningJobKeepsTheRestOfItsAttempts() throws Exception {
        String file = file(
                        "jobs-table",
                        "DELETE FROM jobs WHERE id > 1",
                        "UPDATE jobs SET status = 'In-Progress', run_at = '2099-01-01 00:00:00'")
                .toString();
        JsonNode report = imported("jobs-table", file, "--columns", "type=class", "--running", "requeue");
        assertThat(report.at("/states/running").asInt()).isEqualTo(1);
        JsonNode jobs = cli.json("list", "--json").get("jobs");
        assertThat(jobs).hasSize(1);
        has(cli.json("show", jobs.get(0).get("id").asString(), "--json"), "SCHEDULED", 5, 4);
    }

    @Test
    void aNamedColumnComesBeforeOneThatIsFoundAndNamesMayHaveAnyCase() throws Exception {
        String file = file(
                        "jobs-table",
                        "DROP TABLE jobs",
                        "CREATE TABLE jobs (ID, Number, Type, PAYLOAD, Created_At)",
                        """
                        INSERT INTO jobs VALUES (1, 71, 'a', '1', '2026-01-01'), (1, 72, 'a', '2', '2026-01-01')""")
                .toString();
        JsonNode report = imported("jobs-table", file, "--columns", "id=number");
        assertThat(report.get("imported").asInt()).isEqualTo(2);
        assertThat(counts(report.get("leftOut"), "what"))
                .isEqualTo(Map.of("times of creation, start and end", 2, "column 'id'", 2));
        assertThat(job("jobs-table:71@2026-01-01").get("payload").asInt()).isEqualTo(1);
    }

    @Test
    void aJobInAnUnknownStateIsSkippedUnlessItsMeaningIsNamed() throws Exception {
        JsonNode report = imported("jobs-table", file("jobs-table").toString(), "--columns", "type=class");
        assertThat(report.get("imported").asInt()).isEqualTo(4);
        assertThat(counts(report.get("skipped"), "reason"))
                .containsEntry("state 'parked' is unknown; name it with --states 'parked=waiting'", 1);
    }

    @Test
    void aTableMadeByHandIsImportedByTheNamesOfItsColumns() throws Exception {
        String file = file("jobs-table").toString();
        Result unknown = cli.run("import", "jobs-table", file);
        assertThat(unknown.status()).isEqualTo(1);
        assertThat(unknown.err()).contains("no column for the type", "found id, class, data", "--columns type=COLUMN");

        JsonNode report = imported("jobs-table", file, "--columns", "type=class", "--states", "parked=cancelled");
        assertThat(report.get("states").toString())
                .isEqualTo("{\"waiting\":2,\"running\":0,\"completed\":1,\"failed\":1,\"cancelled\":1}");
        assertThat(counts(report.get("skipped"), "reason"))
                .isEqualTo(Map.of(
                        "data is bytes and not text", 1,
                        "run_at is not a time", 1,
                        "queue 'a b' is not allowed: 1 to 100 of A-Z a-z 0-9 . _ -, beginning with a letter or digit",
                                1));
        assertThat(counts(report.get("leftOut"), "what"))
                .isEqualTo(Map.of(
                        "times of creation, start and end", 5, "attempts made there", 3, "column 'locked_by'", 2));
        JsonNode jobs = cli.json("list", "--tag", "import:jobs-table", "--json").get("jobs");
        assertThat(jobs).hasSize(5);
        JsonNode first = cli.json("show", jobs.get(4).get("id").asString(), "--json");
        has(first, "PENDING", 5, 4);
        assertThat(first.get("queue").asString()).isEqualTo("first");
        JsonNode second = cli.json("show", jobs.get(3).get("id").asString(), "--json");
        has(second, "SCHEDULED", 0, 3);
        assertThat(second.get("queue").asString()).isEqualTo("default");
        assertThat(second.get("scheduledAt").asString()).isEqualTo("2099-01-01T00:00:00.000Z");
        assertThat(second.at("/payload/to").asString()).isEqualTo("Ada");
        JsonNode failed = cli.json("show", jobs.get(1).get("id").asString(), "--json");
        has(failed, "FAILED", 0, 3);
        assertThat(failed.get("errorDetail").asString()).isEqualTo("no such mailbox");
    }

    @Test
    void noJobOfATableIsTakenForAnotherOne() throws Exception {
        String file = file("jobs-table", "DROP TABLE jobs", "CREATE TABLE jobs (uuid, type, payload, created_at)", """
                        INSERT INTO jobs VALUES (x'ff01', 'a', '1', '2026-01-01'), (x'ff02', 'a', '2', '2026-01-01'),
                          (NULL, 'a', '3', '2026-01-01'), (NULL, 'a', '4', '2026-01-01'), (x'ff01', 'a', '5', '2026-01-01'),
                          (x'ff03', 'a', '{"windrow:blob":1}', '2026-01-01')""")
                .toString();
        JsonNode dry = imported("jobs-table", file, "--dry-run");
        JsonNode report = imported("jobs-table", file);
        assertThat(report.get("imported").asInt()).isEqualTo(2);
        assertThat(counts(report.get("skipped"), "reason"))
                .isEqualTo(Map.of(
                        "uuid is NULL: the job has no id", 2,
                        "another job of the file has the same id", 1,
                        "the payload or the result begins like a reference to a blob", 1));
        assertThat(dry.get("skipped")).isEqualTo(report.get("skipped"));
        assertThat(job("jobs-table:ff01@2026-01-01").get("payload").asInt()).isEqualTo(1);
        assertThat(imported("jobs-table", file).get("imported").asInt()).isZero();
    }

    @Test
    void aTableNeedsIdsAndMayHaveNoTimesOfCreation() throws Exception {
        String file = file("jobs-table", "DROP TABLE jobs", "CREATE TABLE jobs (number, type, payload, run_at)", """
                        INSERT INTO jobs VALUES (1, 'a', '1', ''), (1, 'a', '2', NULL)""")
                .toString();
        Result unknown = cli.run("import", "jobs-table", file);
        assertThat(unknown.status()).isEqualTo(1);
        assertThat(unknown.err()).contains("no column for the id", "--columns id=COLUMN");
        JsonNode report = imported("jobs-table", file, "--columns", "id=number");
        assertThat(report.get("imported").asInt())
                .as("jobs with different payloads")
                .isEqualTo(2);
        assertThat(report.get("skipped")).isEmpty();
    }

    @Test
    void theQueueMayBeInTheFileOfTheTable() throws Exception {
        String file = file("jobs-table").toString();
        String[] words = {"import", "jobs-table", file, "--db", file, "--columns", "type=class", "--json"};
        assertThat(cli.json(words).get("imported").asInt()).isEqualTo(4);
        assertThat(cli.json(words).get("imported").asInt()).isZero();
        assertThat(cli.run("doctor", "--full", "--db", file).status()).isZero();
    }

    @Test
    void aDryRunReportsTheSameAndChangesNothing() throws Exception {
        Path file = file("gigq");
        byte[] before = Files.readAllBytes(file);
        JsonNode dry = imported("gigq", file.toString(), "--dry-run");
        assertThat(dry.get("dryRun").asBoolean()).isTrue();
        Result none = cli.run("stats");
        assertThat(none.status()).isEqualTo(1);
        JsonNode real = imported("gigq", file.toString());
        for (String key : real.propertyNames()) {
            if (!key.equals("dryRun")) {
                assertThat(dry.get(key)).as(key).isEqualTo(real.get(key));
            }
        }
        JsonNode again = imported("gigq", file.toString(), "--dry-run");
        assertThat(again.get("imported").asInt()).isZero();
        assertThat(counts(again.get("skipped"), "reason")).containsEntry("imported before", 9);
        assertThat(cli.run("import", "gigq", file.toString(), "--dry-run").out())
                .startsWith("would import 0 jobs from ")
                .contains("skipped 9: imported before");
        assertThat(Files.readAllBytes(file)).isEqualTo(before);
    }

    @Test
    void aDryRunIntoAQueueCountsNewJobsAndSchedulesAndWritesNone() throws Exception {
        cli.enqueue("report");
        JsonNode dry = imported("plainjob", file("plainjob").toString(), "--dry-run");
        assertThat(dry.get("imported").asInt()).isEqualTo(3);
        assertThat(dry.get("schedules").asInt()).isEqualTo(1);
        assertThat(cli.json("list", "--json").get("jobs")).hasSize(1);
        assertThat(cli.json("schedule", "list", "--json").get("schedules")).isEmpty();
    }

    @Test
    void anImportThatWasKilledIsContinuedAndEnqueuesNoJobTwice() throws Exception {
        String file = file("plainjob", """
                WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 20009)
                INSERT INTO plainjob_jobs (id, type, data, status, next_run_at, created_at)
                SELECT i, 'report', '{"day":' || i || '}', i % 2 * 2, 1770000000000 + i, 1770000000000 + i FROM n""").toString();
        Running first = cli.start("import", "plainjob", file, "--verbose").said("windrow: importing");
        first.signal("KILL");
        assertThat(first.end().status()).isNotZero();

        JsonNode rest = imported("plainjob", file);
        int before = counts(rest.get("skipped"), "reason").get("imported before");
        assertThat(before).isBetween(1000, 19_999);
        assertThat(rest.get("imported").asInt() + before).isEqualTo(20_003);
        JsonNode states = cli.json("stats", "--json").get("states");
        assertThat(states.get("COMPLETED").asInt()).isEqualTo(10_001);
        assertThat(states.get("PENDING").asInt()).isEqualTo(10_000);
    }

    @Test
    void aTransactionHasAtMost16MiBAndAFailedImportSaysHowManyJobsItHasWritten() throws Exception {
        Path queue = folder.resolve("queue.db");
        Cli cli = new Cli(folder).with("WINDROW_DB", queue.toString());
        cli.enqueue("mail");
        String file = file(
                        "jobs-table",
                        "DROP TABLE jobs",
                        "CREATE TABLE jobs (id, type, payload, state, result, priority)",
                        """
                        INSERT INTO jobs VALUES (1, 'a', '"' || hex(zeroblob(4194303)) || '"', 'waiting', NULL, 0),
                          (2, 'a', '"' || hex(zeroblob(2097151)) || '"', 'done', '"' || hex(zeroblob(2097151)) || '"', 0),
                          (3, 'a', '3', 'waiting', NULL, 7)""")
                .toString();
        execute(queue, """
                CREATE TRIGGER stop BEFORE INSERT ON windrow_jobs WHEN NEW.priority = 7
                BEGIN SELECT RAISE(ABORT, 'stopped'); END""");
        Result stopped = cli.run("import", "jobs-table", file);
        assertThat(stopped.status()).isEqualTo(1);
        assertThat(stopped.err()).contains("2 jobs were imported: run the command again for the rest");
        execute(queue, "DROP TRIGGER stop");
        JsonNode rest = cli.json("import", "jobs-table", file, "--json");
        assertThat(rest.get("imported").asInt()).isEqualTo(1);
        assertThat(counts(rest.get("skipped"), "reason")).isEqualTo(Map.of("imported before", 2));
    }

    @Test
    void aTransactionHasAtMost1000Jobs() throws Exception {
        Path queue = folder.resolve("queue.db");
        Cli cli = new Cli(folder).with("WINDROW_DB", queue.toString());
        cli.enqueue("mail");
        String file = file("jobs-table", "DROP TABLE jobs", "CREATE TABLE jobs (id, type, priority)", """
                        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1001)
                        INSERT INTO jobs SELECT i, 'a', iif(i = 1001, 7, 0) FROM n""")
                .toString();
        execute(queue, """
                CREATE TRIGGER stop BEFORE INSERT ON windrow_jobs WHEN NEW.priority = 7
                BEGIN SELECT RAISE(ABORT, 'stopped'); END""");
        Result stopped = cli.run("import", "jobs-table", file);
        assertThat(stopped.status()).isEqualTo(1);
        assertThat(stopped.err()).contains("1,000 jobs were imported: run the command again for the rest");
    }

    /** A character of the payloads is two bytes. */
    @Test
    void aPayloadOfMoreThan64MiBIsSkipped() throws Exception {
        String file = file("jobs-table", "DROP TABLE jobs", "CREATE TABLE jobs (id, type, payload)", """
                        INSERT INTO jobs SELECT 1, 'a', '"' || replace(hex(zeroblob((32 << 20) - 1)), '00', 'é') || '"'""", """
                        INSERT INTO jobs SELECT 2, type, payload || ' ' FROM jobs""")
                .toString();
        JsonNode report = imported("jobs-table", file, "--dry-run");
        assertThat(report.get("imported").asInt()).isEqualTo(1);
        assertThat(counts(report.get("skipped"), "reason"))
                .isEqualTo(Map.of("the payload or the result is longer than 64 MiB", 1));
    }

    /** The last connection that may write would copy the log into the file, and delete it. */
    @Test
    void aFileWithALogIsReadAndNotChanged() throws Exception {
        Path used = file("plainjob", "PRAGMA journal_mode = WAL");
        Path file = folder.resolve("copy.db");
        Path log = folder.resolve("copy.db-wal");
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + used);
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("DELETE FROM plainjob_jobs WHERE id > 2");
            Files.copy(used, file);
            Files.copy(folder.resolve("plainjob.db-wal"), log);
        }
        byte[] content = Files.readAllBytes(file);
        byte[] logged = Files.readAllBytes(log);
        assertThat(imported("plainjob", file.toString()).get("imported").asInt())
                .isEqualTo(1);
        assertThat(Files.readAllBytes(file)).isEqualTo(content);
        assertThat(Files.readAllBytes(log)).isEqualTo(logged);
    }

    @Test
    void otherFilesAndWrongUsageAreRefusedAndMakeNoQueue() throws Exception {
        String plainjob =
                file("plainjob", "CREATE INDEX by_type ON plainjob_jobs (type)").toString();
        String text = Files.writeString(folder.resolve("notes.txt"), "no database, but long enough\n".repeat(100))
                .toString();
        refused(
                1,
                "the file does not exist",
                "import",
                "gigq",
                folder.resolve("missing.db").toString());
        assertThat(folder.resolve("missing.db")).doesNotExist();
        refused(1, "it is not a file", "import", "gigq", folder.toString());
        refused(1, "as a SQLite file", "import", "gigq", text);
        refused(1, "as gigq: expected table jobs with columns id, name", "import", "gigq", plainjob);
        refused(1, "found 2 tables such as plainjob_jobs", "import", "gigq", plainjob);
        String older = file("jobs-table").toString();
        refused(1, "as plainjob: expected table plainjob_jobs with columns id, type", "import", "plainjob", older);
        execute(folder.resolve("plainjob.db"), "ALTER TABLE plainjob_scheduled_jobs RENAME TO schedules");
        refused(1, "expected table plainjob_scheduled_jobs with columns id, type", "import", "plainjob", plainjob);
        execute(folder.resolve("plainjob.db"), "ALTER TABLE schedules RENAME TO plainjob_scheduled_jobs");
        refused(1, "found the table without name, function_name, function_module", "import", "gigq", older);
        refused(1, "expected table jobs with columns nope", "import", "jobs-table", older, "--columns", "type=nope");
        refused(2, "gigq, plainjob, jobs-table", "import", "celery", older);
        refused(2, "are for jobs-table", "import", "gigq", older, "--columns", "type=class");
        refused(2, "are for jobs-table", "import", "gigq", older, "--states", "0=waiting");
        refused(2, "--columns", "import", "jobs-table", older, "--columns", "colour=class");
        refused(2, "--states", "import", "jobs-table", older, "--states", "0=sleeping");
        refused(2, "--columns", "import", "jobs-table", older, "--columns", "type");
        refused(2, "whose left side appears once", "import", "plainjob", plainjob, "--type", "=mail");
        refused(2, "--columns", "import", "jobs-table", older, "--columns", "type=");
        refused(2, "whose left side appears once", "import", "plainjob", plainjob, "--type", "a=b", "--type", "a=c");
        refused(2, "--type", "import", "plainjob", plainjob, "--type", "a=b c");
        refused(2, "--running", "import", "plainjob", plainjob, "--running", "run");
        refused(2, "FILE", "import", "plainjob");
        assertThat(cli.run("stats").status()).isEqualTo(1);
    }

    private void refused(int status, String message, String... words) {
        Result result = cli.run(words);
        assertThat(result.status()).as(String.join(" ", words)).isEqualTo(status);
        assertThat(result.err()).contains(message);
        assertThat(result.out()).isEmpty();
    }
}
