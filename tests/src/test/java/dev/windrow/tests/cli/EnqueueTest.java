package dev.windrow.tests.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.tests.cli.Cli.Result;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** {@code windrow enqueue} from outside. */
class EnqueueTest {
    @TempDir
    private Path folder;

    private Cli cli;

    @BeforeEach
    void setUp() {
        cli = new Cli(folder);
    }

    @Test
    void answersWithIdStateAndWhetherItWasThereAlready() {
        JsonNode answer = cli.json("enqueue", "mail.send", "{\"to\":\"a\"}", "--json", "--db", "x.db");
        assertThat(answer.propertyNames()).contains("id", "state", "deduplicated");
        assertThat(answer.get("id").isString()).isTrue();
        assertThat(answer.get("state").asString()).isEqualTo("PENDING");
        assertThat(answer.get("deduplicated").asBoolean()).isFalse();
        assertThat(folder.resolve("x.db")).exists();
    }

    @Test
    void everyOptionIsStored() {
        String first = cli.json("enqueue", "a", "--json").get("id").asString();
        String second = cli.json("enqueue", "b", "--json").get("id").asString();
        JsonNode job = cli.json(
                "enqueue",
                "mail.send",
                " {\"n\": 1.50}",
                "--json",
                "--queue",
                "mail",
                "--priority",
                "-7",
                "--at",
                "2099-01-01T00:00:00+01:00",
                "--max-attempts",
                "9",
                "--timeout",
                "5m",
                "--name",
                "für Ünal",
                "--tag",
                "b",
                "--tag",
                "a,c",
                "--depends-on",
                second,
                "--depends-on",
                first,
                "--on-parent-failure",
                "run");
        assertThat(job.get("state").asString()).isEqualTo("BLOCKED");
        JsonNode story = cli.json("show", job.get("id").asString(), "--json");
        assertThat(story.get("type").asString()).isEqualTo("mail.send");
        assertThat(cli.run("show", story.get("id").asString(), "--json").out()).contains("{\"n\": 1.50}");
        assertThat(story.get("queue").asString()).isEqualTo("mail");
        assertThat(story.get("priority").asInt()).isEqualTo(-7);
        assertThat(story.get("scheduledAt").asString()).isEqualTo("2098-12-31T23:00:00.000Z");
        assertThat(story.get("maxAttempts").asInt()).isEqualTo(9);
        assertThat(story.get("name").asString()).isEqualTo("für Ünal");
        assertThat(story.get("tags").toString()).isEqualTo("[\"a,c\",\"b\"]");
        assertThat(story.get("dependsOn").toString()).isEqualTo("""
                        [{"id":"%s","state":"PENDING","onFailure":"run"},{"id":"%s","state":"PENDING","onFailure":"run"}]""".formatted(second, first));
        assertThat(cli.json("show", first, "--json").get("dependents").toString())
                .isEqualTo("[\"" + job.get("id").asString() + "\"]");
    }

    @Test
    void aDelayedJobIsScheduled() {
        JsonNode job = cli.json("enqueue", "t", "--delay", "2h", "--json");
        assertThat(job.get("state").asString()).isEqualTo("SCHEDULED");
    }

    @Test
    void aPayloadMayBeANegativeNumber() {
        String id = cli.json("enqueue", "t", "-12.5", "--json").get("id").asString();
        assertThat(cli.json("show", id, "--json").get("payload").asDouble()).isEqualTo(-12.5);
    }

    @Test
    void dbAndJsonMayStandAnywhere() {
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
    void withoutDbTheEnvironmentNamesTheFileElseTheDefault() {
        cli.json("enqueue", "t", "--json");
        assertThat(folder.resolve("windrow.db")).exists();
        cli.with("WINDROW_DB", "env.db").json("enqueue", "t", "--json");
        assertThat(folder.resolve("env.db")).exists();
        cli.json("enqueue", "t", "--json", "--db", "option.db");
        assertThat(folder.resolve("option.db")).exists();
    }

    @Test
    void theWordsAfterTheCutAreACommandWordForWord() {
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
    void wrongValuesAreWrongUsageAndMakeNoFile() {
        Result result = cli.run("enqueue", "t", "--priority", "40000", "--json");
        assertThat(result.status()).isEqualTo(2);
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).contains("--priority", "40000", "-32768 to 32767");
        assertThat(cli.run("enqueue", "t", "{\"a\":1} x").status()).isEqualTo(2);
        assertThat(cli.run("enqueue", "t", "--nosuch").err()).contains("--nosuch");
        assertThat(folder.resolve("windrow.db")).doesNotExist();
    }

    @Test
    void aMissingParentIsNamedAndNothingIsWritten() {
        cli.json("enqueue", "t", "--json");
        Result result = cli.run("enqueue", "t", "--depends-on", "4711", "--json");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err()).contains("4711");
        assertThat(result.out()).isEmpty();
        assertThat(cli.json("stats", "--json").at("/states/BLOCKED").asInt()).isZero();
    }

    @Test
    void stdoutIsUtf8WhateverTheLocale() throws IOException {
        Cli plain = cli.with("LC_ALL", "C").with("LANG", "C");
        String id = plain.json("enqueue", "t", "{\"s\":\"Grüße 你好\"}", "--name", "Ünal 🎈", "--json")
                .get("id")
                .asString();
        JsonNode story = plain.json("show", id, "--json");
        assertThat(story.get("name").asString()).isEqualTo("Ünal 🎈");
        assertThat(story.at("/payload/s").asString()).isEqualTo("Grüße 你好");
        assertThat(plain.run("show", id).out()).contains("Ünal 🎈");
    }

    @Test
    void aFileOfJobsIsEnqueuedInBatches() throws IOException {
        Files.writeString(folder.resolve("jobs.jsonl"), lines(2500), StandardCharsets.UTF_8);
        assertThat(cli.json("enqueue", "--file", "jobs.jsonl", "--json").toString())
                .isEqualTo("{\"enqueued\":2500}");
        assertThat(cli.json("stats", "--json").at("/states/PENDING").asInt()).isEqualTo(2500);
    }

    @Test
    void aBadLineStopsItAndSaysHowManyWereCommitted() throws IOException {
        Files.writeString(folder.resolve("jobs.jsonl"), lines(2100) + "{\"type\":\"t\",\"colour\":1}\n" + lines(5));
        Result result = cli.run("enqueue", "--file", "jobs.jsonl", "--json");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err()).contains("line 2101", "colour", "2000");
        assertThat(result.json().get("enqueued").asInt()).isEqualTo(2000);
        assertThat(cli.json("stats", "--json").at("/states/PENDING").asInt()).isEqualTo(2000);
    }

    @Test
    void aMissingParentInAFileIsFoundOnItsLine() throws IOException {
        Files.writeString(
                folder.resolve("jobs.jsonl"), lines(3) + "\n{\"type\":\"t\",\"dependsOn\":[\"99\"]}\n" + lines(3));
        Result result = cli.run("enqueue", "--file", "jobs.jsonl");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err()).contains("line 5", "99", "Nothing was enqueued");
        assertThat(cli.json("stats", "--json").at("/states/PENDING").asInt()).isZero();
    }

    @Test
    void aFileThatIsNotThereIsNamed() {
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

    private static String lines(int count) {
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < count; i++) {
            lines.append("{\"type\":\"t\",\"payload\":{\"n\":").append(i).append("},\"tags\":[\"batch\"]}\n");
        }
        return lines.toString();
    }
}
