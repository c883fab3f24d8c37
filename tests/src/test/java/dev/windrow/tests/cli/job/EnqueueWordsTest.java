package dev.windrow.tests.cli.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.tests.Once;
import dev.windrow.tests.cli.Cli;
import dev.windrow.tests.cli.Cli.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** What {@code windrow enqueue} reads: words, files, stdin, the name of the database. */
@Once
class EnqueueWordsTest {
    @TempDir
    private Path folder;

    private Cli cli;

    @BeforeEach
    void setUp() {
        cli = new Cli(folder);
    }

    @Test
    void enqueuePrintsIdStateAndWhetherTheJobExisted() {
        JsonNode answer = cli.json("enqueue", "mail.send", "{\"to\":\"a\"}", "--json", "--db", "x.db");
        assertThat(answer.propertyNames()).contains("id", "state", "deduplicated");
        assertThat(answer.get("id").isString()).isTrue();
        assertThat(answer.get("state").asString()).isEqualTo("PENDING");
        assertThat(answer.get("deduplicated").asBoolean()).isFalse();
        assertThat(folder.resolve("x.db")).exists();
    }

    @Test
    void aPayloadMayBeANegativeNumber() {
        String id = cli.json("enqueue", "t", "-12.5", "--json").get("id").asString();
        assertThat(cli.json("show", id, "--json").get("payload").asDouble()).isEqualTo(-12.5);
    }

    @Test
    void dbAndJsonMayBeAnywhereOnTheLine() {
        List<List<String>> lines = List.of(
                List.of("--db", "x.db", "--json", "enqueue", "t", "{}"),
                List.of("--json", "enqueue", "--db", "x.db", "t", "{}"),
                List.of("enqueue", "t", "--db=x.db", "{}", "--json"),
                List.of("enqueue", "t", "--json", "--priority", "1", "{}", "--db", "x.db"),
                List.of("--json", "enqueue", "exec", "--db", "x.db", "--", "true", "--json", "--db", "y.db"));
        for (List<String> line : lines) {
            assertThat(cli.json(line.toArray(String[]::new)).get("state").asString())
                    .as("%s", line)
                    .isEqualTo("PENDING");
        }
        assertThat(cli.json("--db", "x.db", "stats", "--json")
                        .at("/states/PENDING")
                        .asInt())
                .isEqualTo(lines.size());
        assertThat(folder.resolve("y.db")).doesNotExist();
    }

    @Test
    void withoutDbTheFileComesFromTheEnvironmentThenTheDefault() {
        cli.json("enqueue", "t", "--json");
        assertThat(folder.resolve("windrow.db")).exists();
        cli.with("WINDROW_DB", "env.db").json("enqueue", "t", "--json");
        assertThat(folder.resolve("env.db")).exists();
        cli.json("enqueue", "t", "--json", "--db", "option.db");
        assertThat(folder.resolve("option.db")).exists();
    }

    @Test
    void argumentsAfterTheDoubleDashAreTheCommandUnchanged() {
        for (List<String> command : List.of(
                List.of("true"), List.of("1"), List.of("--json"), List.of("-h"), List.of("a b", "", "--", "ä'\""))) {
            List<String> line = new ArrayList<>(List.of("enqueue", "exec", "--json", "--"));
            line.addAll(command);
            String id = cli.json(line.toArray(String[]::new)).get("id").asString();
            JsonNode words = cli.json("show", "--json", id).at("/payload/command");
            assertThat(words.valueStream().map(JsonNode::asString)).containsExactlyElementsOf(command);
        }
    }

    @Test
    void aCommandBesideAPayloadIsWrongUsage() {
        Result result = cli.run("enqueue", "exec", "{\"command\":[\"true\"]}", "--", "true");
        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err()).contains("not both");
        assertThat(folder.resolve("windrow.db")).doesNotExist();
    }

    @Test
    void wrongValuesAreWrongUsageAndCreateNoFile() {
        Result result = cli.run("enqueue", "t", "--priority", "40000", "--json");
        assertThat(result.status()).isEqualTo(2);
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).contains("--priority", "40000", "-32768 to 32767");
        assertThat(cli.run("enqueue", "t", "{\"a\":1} x").status()).isEqualTo(2);
        assertThat(cli.run("enqueue", "t", "--nosuch").err()).contains("--nosuch");
        assertThat(folder.resolve("windrow.db")).doesNotExist();
    }

    @Test
    void aMissingFileIsNamed() {
        Result result = cli.run("enqueue", "--file", "nosuch.jsonl");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err()).contains("nosuch.jsonl");
    }

    @Test
    void aDashMeansStdin() throws IOException {
        Path file = Files.writeString(folder.resolve("jobs.jsonl"), lines(7));
        assertThat(cli.reading(file)
                        .json("enqueue", "--file", "-", "--json")
                        .get("enqueued")
                        .asInt())
                .isEqualTo(7);
    }

    /** The number of a stdin that is not there goes to a file of the JVM's own. */
    @Test
    void aClosedStdinIsNamedAndNothingIsWritten() {
        for (String program : List.of("windrow", "jar")) {
            Result result = cli.shell(program + " enqueue --file - --json <&-");
            assertThat(result.status()).as(result.err()).isEqualTo(1);
            assertThat(result.err()).contains("stdin is closed; nothing was enqueued");
            assertThat(result.out()).isEmpty();
            assertThat(folder.resolve("windrow.db")).doesNotExist();
        }
    }

    @Test
    void aRefusedEnqueueCreatesNoDatabase() throws IOException {
        Files.writeString(folder.resolve("unknown-key.jsonl"), lines(3) + "{\"type\":\"t\",\"colour\":1}\n");
        Files.writeString(folder.resolve("unknown-parent.jsonl"), lines(3) + "{\"type\":\"t\",\"dependsOn\":[1]}\n");
        Files.writeString(folder.resolve("long.jsonl"), lines(3) + line("\"" + "x".repeat(64 << 20) + "\"", "t"));
        Files.writeString(folder.resolve("half.jsonl"), "{\"type\":\"t\",\"name\":\"half: \\ud83c\"}\n");
        Object[][] refused = {
            {1, "parent 4711", "enqueue", "t", "--depends-on", "4711"},
            {1, "line 4: key 'colour'", "enqueue", "--file", "unknown-key.jsonl"},
            {1, "line 4: parent 1", "enqueue", "--file", "unknown-parent.jsonl"},
            {1, "line 4: payload of 67108866 bytes", "enqueue", "--file", "long.jsonl"},
            {1, "line 1: name: \\ud83c", "enqueue", "--file", "half.jsonl"},
            {1, "the file or folder does not exist", "enqueue", "--file", "nosuch.jsonl"},
            {2, "not one JSON value", "enqueue", "t", "{"},
            {2, "Non-standard token 'NaN' (column", "enqueue", "t", "NaN"},
            {2, "maximum allowed (500)\n", "enqueue", "t", "[".repeat(501)},
            {2, "TYPE", "enqueue", ""},
            {2, "--name", "enqueue", "t", "--name", ""},
            {2, "--tag", "enqueue", "t", "--tag", "x".repeat(101)},
            {2, "--at", "enqueue", "t", "--at", "-999999999-01-01T00:00:00Z"},
            {1, "windrow.db", "show", "1"},
            {1, "windrow.db", "list"},
            {1, "windrow.db", "stats"},
            {1, "windrow.db", "retry", "1"},
            {1, "windrow.db", "cancel", "--type", "t"},
            {1, "no provider", "work", "--until-idle", "--handlers", "."},
            {1, "nosuch", "demo", "nosuch", "--db", "windrow.db"},
        };
        for (Object[] each : refused) {
            String[] words = Arrays.stream(each).skip(2).toArray(String[]::new);
            Result result = cli.run(words);
            assertThat(result.status())
                    .as("%s: %s", List.of(words), result.err())
                    .isEqualTo(each[0]);
            assertThat(result.err()).contains((String) each[1]);
            assertThat(result.out()).isEmpty();
            assertThat(folder.toFile().list((in, name) -> name.contains(".db")))
                    .as("%s", List.of(words))
                    .isEmpty();
        }
    }

    @Test
    void aFolderIsRefusedAsAFileOfJobs() throws IOException {
        Files.createDirectory(folder.resolve("jobs"));
        Result result = cli.run("enqueue", "--file", "jobs", "--json");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err()).contains("'jobs'", "it is a folder").doesNotContain("line 1");
        assertThat(result.out()).isEmpty();
    }

    @Test
    void aFileWithoutACompleteBatchReportsThatNothingWasEnqueued() throws IOException {
        Files.writeString(folder.resolve("jobs.jsonl"), lines(3) + "{}\n");
        Result result = cli.run("enqueue", "--file", "jobs.jsonl", "--json");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err()).contains("line 4", "type is missing", "Nothing was enqueued");
        assertThat(result.json().toString()).isEqualTo("{\"enqueued\":0}");
        Files.writeString(folder.resolve("empty.jsonl"), "\n\n");
        assertThat(cli.json("enqueue", "--file", "empty.jsonl", "--json").toString())
                .isEqualTo("{\"enqueued\":0}");
    }

    @Test
    void anErrorShowsTheValueUnchanged() {
        String[][] wrong = {
            {"--delay", "4000d", "0s to 3650d"},
            {"--delay", "-1s", "0s to 3650d"},
            {"--delay", "5 minutes", "0s to 3650d"},
            {"--timeout", "0s", "1ms to 3650d"},
            {"--at", "10000-01-01T00:00:00Z", "ISO-8601"},
            {"--at", "+12026-01-01T00:00:00+01:00", "9999"},
            {"--priority", "", "-32768 to 32767"},
            {"--max-attempts", "1001", "1 to 1000"},
            {"--queue", "a b", "A-Z a-z 0-9"},
            {"--depends-on", "0", "1 to 9223372036854775807"},
        };
        for (String[] each : wrong) {
            Result result = cli.run("enqueue", "t", each[0], each[1]);
            assertThat(result.status()).as("%s %s", each[0], each[1]).isEqualTo(2);
            assertThat(result.err()).contains(each[0], "'" + each[1] + "'", each[2]);
        }
    }

    private static String lines(int count) {
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < count; i++) {
            lines.append("{\"type\":\"t\",\"payload\":{\"n\":").append(i).append("},\"tags\":[\"batch\"]}\n");
        }
        return lines.toString();
    }

    private static String line(String payload, String type) {
        return "{\"type\":\"%s\",\"payload\":%s}%n".formatted(type, payload);
    }
}
