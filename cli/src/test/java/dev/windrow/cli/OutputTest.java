package dev.windrow.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The output of commands on a queue in a file, where stdout is not a terminal. */
class OutputTest {
    @TempDir
    private Path folder;

    private Path file;

    private record Answer(int status, String out, String err) {}

    @BeforeEach
    void nameTheFile() {
        file = folder.resolve("jobs.db");
    }

    private Answer windrow(String... words) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        return windrow(out, out, words);
    }

    private Answer windrow(OutputStream to, ByteArrayOutputStream out, String... words) {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        List<String> all = new ArrayList<>(List.of("--db=" + file));
        all.addAll(List.of(words));
        int status = Main.run(
                TestConsole.of(
                        new PrintStream(to, true, StandardCharsets.UTF_8),
                        new PrintStream(err, true, StandardCharsets.UTF_8)),
                all.toArray(String[]::new));
        return new Answer(status, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    @Test
    void aNewQueueIsReportedSoThatATypingErrorIsVisible() {
        String made = "windrow: database " + file + " did not exist; created a new, empty queue\n";
        Answer idle = windrow("work", "--until-idle");
        assertThat(idle.status()).isZero();
        assertThat(idle.err()).isEqualTo(made);
        assertThat(windrow("work", "--until-idle").err()).isEmpty();
        for (String command : List.of("enqueue t", "schedule add s t --every 1h", "enqueue --file jobs.jsonl")) {
            file = folder.resolve(command.substring(0, 8).strip() + command.length() + ".db");
            Answer answer = windrow(command.replace("jobs.jsonl", jsonl()).split(" "));
            assertThat(answer.err())
                    .isEqualTo("windrow: database " + file + " did not exist; created a new, empty queue\n");
        }
        file = folder.resolve("nosuch/jobs.db");
        assertThat(windrow("enqueue", "t").err())
                .contains("its folder does not exist")
                .doesNotContain("made");
    }

    private String jsonl() {
        try {
            return Files.writeString(folder.resolve("jobs.jsonl"), "{\"type\":\"t\"}\n")
                    .toString();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void theDetailOfFailIsShown() {
        windrow("enqueue", "t");
        windrow("fail", "1", "--error-code", "A:B", "--detail", "the bank said no\nand meant it");
        assertThat(windrow("show", "1").out()).contains("A:B", "│ the bank said no\n", "│ and meant it\n");
    }

    @Test
    void outputOfAnExecJobBeyondTheLimitIsCounted() {
        windrow("enqueue", "exec", "--", "sh", "-c", "head -c 100000 /dev/zero | tr '\\0' x; echo e >&2");
        windrow("work", "--until-idle", "--allow-exec");
        assertThat(windrow("show", "1", "--json").out())
                .contains("\"stdoutDroppedBytes\":34464,\"stderrDroppedBytes\":0}");
        assertThat(windrow("show", "1").out())
                .contains("stdout was longer: 34,464 more bytes were not kept")
                .doesNotContain("stderr was longer");
    }

    @Test
    void anIncompleteExportIsNotASuccess() {
        windrow("enqueue", "t");
        OutputStream full = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("No space left on device");
            }
        };
        Answer answer = windrow(full, new ByteArrayOutputStream(), "export");
        assertThat(answer.status()).isEqualTo(1);
        assertThat(answer.err()).doesNotContain("exported");
    }

    @Test
    void theDoctorReportsOneCheckForAFileThatIsNotADatabase() throws IOException {
        Files.writeString(file, "milk, eggs\n");
        Answer answer = windrow("doctor");
        assertThat(answer.status()).isEqualTo(1);
        assertThat(answer.out().lines().filter(line -> line.startsWith("failed")))
                .singleElement()
                .asString()
                .contains(file + " is not a SQLite database: ", "nothing was changed");
        assertThat(answer.out()).contains("name the file of the queue with --db", "1 check, 1 failed");
        assertThat(answer.err()).contains("1 check of " + file + " failed: schema;");
        assertThat(Files.readString(file)).isEqualTo("milk, eggs\n");
    }

    @Test
    void queryPlansArePrintedOnlyWithVerbose() {
        windrow("enqueue", "t");
        assertThat(windrow("doctor").out()).doesNotContain("windrow_jobs_claim");
        assertThat(windrow("doctor", "-v").out()).contains("windrow_jobs_claim");
    }

    @Test
    void nothingIsCutInAPipe() throws SQLException {
        String name = "a name that is rather long ".repeat(7).strip();
        windrow("enqueue", "t", "--name", name);
        windrow("pause", "q", "--reason", name);
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("INSERT INTO windrow_events (job_id, seq, at, event, actor, token, detail)"
                    + " SELECT id, 100, created_at, 'ENQUEUED', created_by, 0, json_object('error', '" + name
                    + "', 'scheduledAt', '2026-11-23T20:36:40.696Z') FROM windrow_jobs");
        }
        assertThat(windrow("list").out()).contains(name);
        assertThat(windrow("stats").out()).contains(name);
        assertThat(windrow("show", "1").out()).contains(name + ", scheduledAt 2026-11-23T20:36:40.696Z\n");
    }
}
