package dev.windrow.tests.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobRef;
import dev.windrow.JobType;
import dev.windrow.Windrow;
import dev.windrow.payload.Json;
import dev.windrow.tests.cli.Cli.Result;
import dev.windrow.tests.cli.Cli.Running;
import dev.windrow.tests.stores.Target;
import dev.windrow.testserver.PostgresServer;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A queue on a PostgreSQL server that asks for passwords: who connects, what nobody is told, how processes meet there. */
class PostgresTest {
    private static final String SECRET = "s3&cr%t+ w=rd'";

    private static PostgresServer server;

    @TempDir
    private Path folder;

    private Target target;
    private String url;
    private Cli cli;

    @BeforeAll
    static void startServer(@TempDir Path settings) throws Exception {
        Path rules = Files.writeString(
                settings.resolve("hba.conf"),
                "host all postgres 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n");
        server = PostgresServer.start("hba_file=" + rules);
        try (Connection connection = server.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE ROLE app LOGIN PASSWORD '" + SECRET.replace("'", "''") + "'");
            statement.execute("GRANT CREATE ON DATABASE postgres TO app");
        }
    }

    @AfterAll
    static void endServer() {
        server.close();
    }

    @BeforeEach
    void setUp() {
        target = Target.newSchema(server);
        url = server.url().replaceFirst("\\?.*", "");
        cli = new Cli(folder).on(target).with("WINDROW_DB", url).with("WINDROW_DB_USER", "app");
    }

    @AfterEach
    void dropSchema() throws Exception {
        target.close();
    }

    private Path file(String name, String content, String permissions) throws IOException {
        return Files.setPosixFilePermissions(
                Files.writeString(folder.resolve(name), content), PosixFilePermissions.fromString(permissions));
    }

    @Test
    void thePasswordComesFromTheEnvironmentThenAFileThenTheDriver() throws IOException {
        Result none = cli.run("enqueue", "t", "--json");
        assertThat(none.status()).isEqualTo(1);
        assertThat(none.err()).contains(url, "no password was provided", "WINDROW_DB_PASSWORD");
        assertThat(none.out()).isEmpty();

        file("pgpass", "127.0.0.1:*:*:app:" + SECRET + "\n", "rw-------");
        assertThat(cli.with("PGPASSFILE", folder.resolve("pgpass").toString())
                        .process("enqueue", "t", "--json")
                        .json()
                        .get("state")
                        .asString())
                .isEqualTo("PENDING");

        file("password", SECRET + "\n", "rw-------");
        Result fromFile = cli.with("PGPASSFILE", "nosuch")
                .with("WINDROW_DB_PASSWORD_FILE", "password")
                .process("stats", "--json");
        assertThat(fromFile.err()).isEmpty();
        assertThat(fromFile.json().at("/states/PENDING").asInt()).isEqualTo(1);
        file("password", SECRET + "\n", "rw-r--r--");
        Result warned = cli.run("stats", "--json");
        assertThat(warned.err())
                .isEqualTo("windrow: other users can read or write 'password' (WINDROW_DB_PASSWORD_FILE):"
                        + " restrict it with chmod 600\n");
        assertThat(warned.json().at("/states/PENDING").asInt()).isEqualTo(1);

        cli.with("WINDROW_DB_PASSWORD_FILE", "nosuch");
        Result noFile = cli.run("stats", "--json");
        assertThat(noFile.status()).isEqualTo(1);
        assertThat(noFile.err()).contains("'nosuch' (WINDROW_DB_PASSWORD_FILE): the file does not exist");
        assertThat(cli.with("WINDROW_DB_PASSWORD", SECRET)
                        .json("stats", "--json")
                        .at("/states/PENDING")
                        .asInt())
                .isEqualTo(1);
    }

    @Test
    void aPasswordInTheUrlWorksAndIsNeverPrinted() throws IOException {
        Files.writeString(Files.createDirectory(folder.resolve("few")).resolve("one"), "word\n");
        String encoded = URLEncoder.encode(SECRET, StandardCharsets.UTF_8);
        cli.with("WINDROW_DB_USER", "nobody").with("WINDROW_DEBUG", "1");
        String db = url + "?password=" + encoded + "&user=app&sslmode=prefer";
        List<List<String>> commands = List.of(
                List.of("demo", "few"),
                List.of("demo", "few", "--json"),
                List.of("enqueue", "exec", "--", "env"),
                List.of("work", "--until-idle", "--allow-exec", "--verbose"),
                List.of("show", "1"),
                List.of("list", "--type", "exec"),
                List.of("doctor", "--verbose"),
                List.of("doctor", "--json"),
                List.of("retry", "4711"),
                List.of("enqueue", "t", "--depends-on", "4711"),
                List.of("stats", "too much"));
        List<String> said = new ArrayList<>();
        for (List<String> command : commands) {
            List<String> words = new ArrayList<>(List.of("--db", db));
            words.addAll(command);
            // The log of a process is on its stderr.
            String[] line = words.toArray(String[]::new);
            Result result = command.contains("work") ? cli.process(line) : cli.run(line);
            assertThat(result.out() + result.err())
                    .as("%s", command)
                    .isNotEmpty()
                    .doesNotContain(SECRET, encoded, "s3&", "s3%");
            said.add(result.out());
        }
        assertThat(said.get(0)).contains("--db '" + url + "?user=app&sslmode=prefer'", "psql 'postgresql://127.0.0.1:");
        assertThat(said.get(1)).contains("\"db\":\"" + url + "?user=app&sslmode=prefer\"");
        assertThat(said.get(3)).contains("completed 1");
        assertThat(said.get(7)).contains("\"ok\":true");
        assertThat(target.rows("SELECT payload || coalesce(result, '') FROM windrow_job_view"))
                .hasSize(7)
                .noneMatch(text -> text.contains("s3&"));
    }

    @Test
    void aRefusedLoginFailsWithTheReason() {
        Result wrong = cli.with("WINDROW_DB_PASSWORD", "wrong").run("list", "--json");
        assertThat(wrong.status()).isEqualTo(1);
        assertThat(wrong.err()).contains(url, "password authentication failed for user \"app\"", "WINDROW_DB_PASSWORD");
        assertThat(wrong.out()).isEmpty();
        for (String command : new String[] {"list", "doctor", "work"}) {
            String[] line = {command, "--json", "--db", "jdbc:postgresql://127.0.0.1:1/jobs"};
            // The log of a process is on its stderr.
            Result nobody = command.equals("work") ? cli.process(line) : cli.run(line);
            assertThat(nobody.status()).isEqualTo(1);
            assertThat(nobody.err().lines())
                    .singleElement()
                    .asString()
                    .startsWith("windrow: opening jdbc:postgresql://127.0.0.1:1/jobs ")
                    .contains("refused");
            assertThat(nobody.out()).isEmpty();
        }
    }

    @Test
    void theEnvironmentNamesTheTables() {
        cli.with("WINDROW_DB_PASSWORD", SECRET).with("WINDROW_DB_TABLE_PREFIX", "q_");
        assertThat(cli.enqueue("t")).isEqualTo("1");
        assertThat(target.rows("SELECT count(*) FROM q_jobs")).containsExactly("1");
        assertThat(cli.run("list").out()).contains("PENDING");
        Result other = cli.with("WINDROW_DB_TABLE_PREFIX", "p_").run("list");
        assertThat(other.status()).isEqualTo(1);
        assertThat(other.err()).contains("(tables " + target.schema() + ".p_*) has no queue");
        Result wrong = cli.with("WINDROW_DB_SCHEMA", "Jobs").run("list", "--json");
        assertThat(wrong.status()).isEqualTo(2);
        assertThat(wrong.err()).contains("WINDROW_DB_SCHEMA: schema 'Jobs' is not allowed: 1 to 50 of a-z 0-9 _");
        assertThat(wrong.out()).isEmpty();
    }

    /** Each job of a chain runs in the process that did not run the one before. Without being told, a worker looks each 5 s. */
    @Test
    void workersOfTwoProcessesWakeEachOther() {
        cli.with("WINDROW_DB_PASSWORD", SECRET);
        Running[] workers = {
            cli.start("work", "--allow-exec", "--queue", "a").said("is running"),
            cli.start("work", "--allow-exec", "--queue", "b").said("is running")
        };
        JobType<Json, Json> exec = JobType.raw("exec");
        Json command = new Json("{\"command\":[\"true\"]}");
        try (Windrow windrow = Windrow.open(target.newStore())) {
            JobRef<Json> last = windrow.enqueue(exec.withQueue("a").job(command).withDelay(Duration.ofSeconds(1)));
            for (int i = 1; i < 8; i++) {
                last = windrow.enqueue(
                        exec.withQueue(i % 2 == 0 ? "a" : "b").job(command).withParents(last));
            }
            windrow.await(last, Cli.DEADLINE);
        }
        assertThat(target.rows("SELECT wait_ms FROM windrow_job_view ORDER BY id"))
                .hasSize(8)
                .allSatisfy(millis -> assertThat(Long.parseLong(millis))
                        .as("not found by the poll of half a minute")
                        .isLessThan(15_000));
        for (Running worker : workers) {
            worker.signal("TERM");
            assertThat(worker.end().status()).isZero();
        }
    }

    @Test
    void aWorkerContinuesAfterItsServerRestarts() {
        cli.with("WINDROW_DB_PASSWORD", SECRET);
        Running worker = cli.start("work", "--allow-exec").said("is running");
        server.kill();
        worker.said("it connects again");
        server.startAgain();
        String id = cli.enqueue("exec", "--", "sh", "-c", "echo ran > mark");
        assertThat(Cli.contentOf(folder.resolve("mark"))).isEqualTo("ran");
        worker.signal("TERM");
        Result result = worker.end();
        assertThat(result.status()).as(result.err()).isZero();
        assertThat(result.out()).contains("completed 1");
        assertThat(result.err()).doesNotContain("\tat ");
        assertThat(cli.json("show", id, "--json").get("state").asString()).isEqualTo("COMPLETED");
    }
}
