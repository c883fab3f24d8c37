package dev.windrow.tests.cli.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.windrow.tests.cli.Cli;
import dev.windrow.tests.cli.Cli.Result;
import dev.windrow.tests.cli.Cli.Running;
import dev.windrow.tests.cli.CommandTest;
import java.io.IOException;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** {@code windrow doctor} from outside. */
class DoctorTest extends CommandTest {
    private static final List<String> OF_FILES = List.of(
            "schema",
            "settings",
            "write-ahead-log",
            "disk-space",
            "write-lock",
            "plans",
            "leases",
            "queues",
            "handlers",
            "stuck-slots",
            "schedules",
            "integrity",
            "foreign-keys",
            "orphans",
            "counters",
            "edges",
            "states",
            "limits",
            "attempts");

    private static final List<String> OF_SERVERS = List.of(
            "schema",
            "settings",
            "old-transactions",
            "waiting-locks",
            "bloat",
            "indexes",
            "plans",
            "leases",
            "queues",
            "handlers",
            "stuck-slots",
            "schedules",
            "ids",
            "integrity",
            "orphans",
            "counters",
            "edges",
            "states",
            "limits",
            "attempts");

    private List<String> checks() {
        return target.isFile() ? OF_FILES : OF_SERVERS;
    }

    /** The last line of a diagnosis for people: where, how many checks, and this. */
    private String summary(String result) {
        return target.isFile()
                ? "jobs.db: %d checks, %s".formatted(checks().size(), result)
                : " (tables %s.windrow_*): %d checks, %s".formatted(target.schema(), checks().size(), result);
    }

    /** Writes into the table of counters that there are seven jobs where there is one. */
    private void damage() throws SQLException {
        try (Connection connection = target.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(
                    target.isFile()
                            ? "UPDATE windrow_counters SET n = 7"
                            : "INSERT INTO windrow_counter_deltas (lane, n, state) VALUES (1, 6, 'PENDING')");
        }
    }

    private static JsonNode check(JsonNode diagnosis, String name) {
        return diagnosis
                .get("checks")
                .valueStream()
                .filter(check -> check.get("name").asString().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void doctorFindsNoFaultWhileAWorkerRuns() throws Exception {
        cli.enqueuePatient();
        Cli.AtWork worker = cli.begin("work", "--allow-exec");
        Cli.contentOf(folder.resolve("started"));
        JsonNode diagnosis = cli.json("doctor", "--full", "--json");
        assertThat(diagnosis.propertyNames()).contains("ok", "checks", "queries", "millis");
        assertThat(diagnosis.get("ok").asBoolean()).isTrue();
        assertThat(diagnosis.get("checks").valueStream())
                .allSatisfy(check -> {
                    assertThat(check.propertyNames()).contains("name", "ok", "note", "finished", "detail", "remedy");
                    assertThat(check.get("ok").asBoolean()).isTrue();
                    assertThat(check.get("detail").asString()).isNotBlank();
                })
                .extracting(check -> check.get("name").asString())
                .containsExactlyElementsOf(checks());
        assertThat(check(diagnosis, "leases").get("detail").asString()).startsWith("1 worker is alive");
        Result forPeople = cli.process("doctor", "--full", "--quick");
        assertThat(forPeople.status()).isZero();
        assertThat(forPeople.out()).contains(checks()).contains("ok      counters", summary("all ok"));
        assertThat(forPeople.out()).as("plans are for --verbose").doesNotContain("windrow_jobs_claim");
        assertThat(forPeople.err()).isEmpty();
        Files.createFile(folder.resolve("go"));
        worker.signal();
        assertThat(worker.end().status()).isZero();
    }

    @Test
    void aDamageIsReportedByItsCheckAndNothingIsRepaired() throws Exception {
        cli.json("enqueue", "t", "--json");
        damage();
        byte[] before = target.isFile() ? Files.readAllBytes(target.file()) : new byte[0];
        for (int i = 0; i < 2; i++) {
            Result result = cli.run("doctor", "--full", "--json");
            assertThat(result.status()).isEqualTo(1);
            assertThat(result.err()).contains("1 check", "counters").doesNotContain("edges");
            JsonNode diagnosis = result.json();
            assertThat(diagnosis.get("ok").asBoolean()).isFalse();
            assertThat(check(diagnosis, "counters").get("ok").asBoolean()).isFalse();
            assertThat(check(diagnosis, "counters").get("detail").asString())
                    .contains("the counter is 7, the number of jobs is 1");
            assertThat(check(diagnosis, "counters").get("remedy").asString()).contains("restore a backup");
            assertThat(check(diagnosis, "edges").get("remedy").isNull()).isTrue();
            assertThat(check(diagnosis, "edges").get("ok").asBoolean()).isTrue();
        }
        Result forPeople = cli.run("doctor", "--full");
        assertThat(forPeople.status()).isEqualTo(1);
        assertThat(forPeople.out()).contains("failed  counters", summary("1 failed"));
        assertThat(forPeople.err()).contains("counters");
        if (target.isFile()) {
            assertThat(Files.readAllBytes(target.file())).isEqualTo(before);
        }
    }

    private static JsonNode query(JsonNode diagnosis, String name) {
        return diagnosis
                .get("queries")
                .valueStream()
                .filter(query -> query.get("name").asString().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void thePlanAndTheTimeOfEachQueryAreReported() {
        cli.json("enqueue", "t", "--tag", "a", "--json");
        JsonNode diagnosis = cli.json("doctor", "--full", "--json");
        assertThat(diagnosis.get("millis").isNumber()).isTrue();
        assertThat(diagnosis.get("queries").valueStream())
                .hasSizeGreaterThan(40)
                .allSatisfy(query -> {
                    assertThat(query.propertyNames()).contains("name", "plan", "millis", "note");
                    assertThat(query.get("plan").asString()).isNotBlank();
                    assertThat(query.get("millis").isNumber())
                            .as("%s", query)
                            .isEqualTo(query.get("note").isNull());
                });
        for (String name : List.of("statistics: counts", "statistics: lag", "statistics: failures", "show: the job")) {
            assertThat(query(diagnosis, name).get("millis").isNumber()).as(name).isTrue();
        }
        assertThat(query(diagnosis, "claim").get("millis").isNull()).isTrue();
        assertThat(query(diagnosis, "claim").get("plan").asString()).contains("windrow_jobs_claim");
        List<String> lines = cli.run("doctor", "--full", "-v").out().lines().toList();
        assertThat(lines).anyMatch(line -> line.matches("query +ms +plan"));
        assertThat(lines)
                .anyMatch(line -> line.matches("statistics: lag +[0-9]+\\.[0-9]{3}  .*windrow_jobs_claim.*"))
                .anyMatch(line -> line.matches("claim +-  \\(it writes\\) .*windrow_jobs_claim.*"));
    }

    /** How much is finished depends on the machine; that nothing is called ok that was not finished does not. */
    @Test
    void aLimitedDoctorNamesUnfinishedChecksInTime() {
        cli.json("enqueue", "t", "--json");
        Result result = cli.run("doctor", "--json");
        assertThat(result.status()).isZero();
        assertThat(result.json().get("checks").valueStream())
                .extracting(check -> check.get("name").asString())
                .containsExactlyElementsOf(checks());
        assertThat(result.json().get("checks").valueStream()).allSatisfy(check -> {
            boolean finished = !check.get("detail").asString().contains("--full");
            assertThat(check.get("finished").asBoolean()).isEqualTo(finished);
            assertThat(finished || check.get("note").asBoolean()).isTrue();
        });
    }

    @Test
    void aJobOfAKilledWorkerIsNamedOnceItsLeaseHasExpired() throws IOException {
        String id = cli.enqueuePatient();
        Running worker = cli.start("work", "--allow-exec", "--lease", "1s");
        Cli.contentOf(folder.resolve("started"));
        String name = cli.json("show", id, "--json").get("worker").asString();
        worker.signal("KILL");
        await().atMost(Cli.DEADLINE)
                .pollInterval(Duration.ofMillis(100))
                .until(() -> cli.run("doctor", "--json"), result -> {
                    JsonNode leases = check(result.json(), "leases");
                    return result.status() == 0
                            && leases.get("note").asBoolean()
                            && leases.get("detail").asString().contains("job " + id + " of worker " + name);
                });
        Files.createFile(folder.resolve("go"));
    }
}
