package dev.windrow.tests.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.windrow.tests.cli.Cli.Result;
import dev.windrow.tests.cli.Cli.Running;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** {@code windrow doctor} from outside. */
class DoctorTest {
    private static final String[] CHECKS = {
        "schema",
        "settings",
        "write-ahead-log",
        "disk-space",
        "write-lock",
        "plans",
        "leases",
        "handlers",
        "stuck-slots",
        "integrity",
        "foreign-keys",
        "orphans",
        "counters",
        "edges",
        "states",
        "attempts"
    };

    @TempDir
    private Path folder;

    private Cli cli;

    @BeforeEach
    void setUp() {
        cli = new Cli(folder);
    }

    private void damage(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("windrow.db"));
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
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
    void saysThatAllIsWellWhileAWorkerIsAtWork() throws IOException {
        cli.enqueuePatient();
        Running worker = cli.start("work", "--allow-exec");
        Cli.contentOf(folder.resolve("started"));
        JsonNode diagnosis = cli.json("doctor", "--json");
        assertThat(diagnosis.propertyNames()).contains("ok", "checks");
        assertThat(diagnosis.get("ok").asBoolean()).isTrue();
        assertThat(diagnosis.get("checks").valueStream())
                .allSatisfy(check -> {
                    assertThat(check.propertyNames()).contains("name", "ok", "note", "detail");
                    assertThat(check.get("ok").asBoolean()).isTrue();
                    assertThat(check.get("detail").asString()).isNotBlank();
                })
                .extracting(check -> check.get("name").asString())
                .containsExactly(CHECKS);
        assertThat(check(diagnosis, "leases").get("detail").asString()).startsWith("1 worker is alive");
        Result forPeople = cli.run("doctor", "--quick");
        assertThat(forPeople.status()).isZero();
        assertThat(forPeople.out()).contains(CHECKS).contains("ok      counters", "windrow.db: 16 checks, all ok");
        assertThat(forPeople.err()).isEmpty();
        Files.createFile(folder.resolve("go"));
        worker.signal("TERM");
        assertThat(worker.end().status()).isZero();
    }

    @Test
    void aDamageIsNamedByItsCheckAndNothingIsRepaired() throws Exception {
        cli.json("enqueue", "t", "--json");
        damage("UPDATE windrow_counters SET n = 7");
        byte[] before = Files.readAllBytes(folder.resolve("windrow.db"));
        for (int i = 0; i < 2; i++) {
            Result result = cli.run("doctor", "--json");
            assertThat(result.status()).isEqualTo(1);
            assertThat(result.err()).contains("1 check", "counters").doesNotContain("edges");
            JsonNode diagnosis = result.json();
            assertThat(diagnosis.get("ok").asBoolean()).isFalse();
            assertThat(check(diagnosis, "counters").get("ok").asBoolean()).isFalse();
            assertThat(check(diagnosis, "counters").get("detail").asString()).contains("says 7, there are 1");
            assertThat(check(diagnosis, "edges").get("ok").asBoolean()).isTrue();
        }
        Result forPeople = cli.run("doctor");
        assertThat(forPeople.status()).isEqualTo(1);
        assertThat(forPeople.out()).contains("failed  counters", "16 checks, 1 failed");
        assertThat(forPeople.err()).contains("counters");
        assertThat(Files.readAllBytes(folder.resolve("windrow.db"))).isEqualTo(before);
    }

    @Test
    void aJobWhoseWorkerWasKilledIsNamedOnceItsLeaseHasRunOut() throws IOException {
        String id = cli.enqueuePatient();
        Running worker = cli.start("work", "--allow-exec", "--lease", "1s");
        Cli.contentOf(folder.resolve("started"));
        String name = cli.json("show", id, "--json").get("worker").asString();
        worker.signal("KILL");
        await().atMost(Cli.DEADLINE)
                .pollInterval(Duration.ofMillis(100))
                .until(() -> cli.run("doctor", "--json"), result -> {
                    JsonNode leases = check(result.json(), "leases");
                    return result.status() == 1
                            && result.err().contains("leases")
                            && leases.get("detail").asString().contains("job " + id + " of worker " + name);
                });
        Files.createFile(folder.resolve("go"));
    }

    @Test
    void aFileThatIsNoDatabaseFailsInOneJsonValue() throws IOException {
        Files.writeString(folder.resolve("notes.txt"), "no database ".repeat(500));
        Result result = cli.run("--db", "notes.txt", "doctor", "--json");
        assertThat(result.status()).isEqualTo(1);
        assertThat(check(result.json(), "schema").get("detail").asString()).contains("not a database");
        assertThat(result.err()).contains("schema", "integrity");
    }

    @Test
    void anOptionThatIsNoneIsWrongUsage() {
        Result result = cli.run("doctor", "--repair");
        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err()).contains("--repair");
    }
}
