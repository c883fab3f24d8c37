package dev.windrow.tests.cli.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.tests.cli.Cli.Result;
import dev.windrow.tests.cli.CommandTest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** {@code windrow enqueue} from outside; what it reads is in {@link EnqueueWordsTest}. */
class EnqueueTest extends CommandTest {
    @Test
    void everyOptionIsStored() {
        String first = cli.json("enqueue", "a", "--json").get("id").asString();
        String second = cli.json("enqueue", "b", "--json").get("id").asString();
        JsonNode job = cli.json(
                "enqueue",
                "mail.send",
                " {\"n\": 1.50, \"half\": \"\\ud83d\"}",
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
        JsonNode history = cli.json("show", job.get("id").asString(), "--json");
        assertThat(history.get("type").asString()).isEqualTo("mail.send");
        assertThat(cli.run("show", history.get("id").asString(), "--json").out())
                .contains("{\"n\": 1.50, \"half\": \"\\ud83d\"}");
        assertThat(history.get("queue").asString()).isEqualTo("mail");
        assertThat(history.get("priority").asInt()).isEqualTo(-7);
        assertThat(history.get("scheduledAt").asString()).isEqualTo("2098-12-31T23:00:00.000Z");
        assertThat(history.get("maxAttempts").asInt()).isEqualTo(9);
        assertThat(history.get("name").asString()).isEqualTo("für Ünal");
        assertThat(history.get("tags").toString()).isEqualTo("[\"a,c\",\"b\"]");
        assertThat(history.get("dependsOn").toString()).isEqualTo("""
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
    void aMissingParentIsNamedAndNothingIsWritten() {
        cli.json("enqueue", "t", "--json");
        Result result = cli.run("enqueue", "t", "--depends-on", "4711", "--json");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err()).contains("4711");
        assertThat(result.out()).isEmpty();
        assertThat(cli.json("stats", "--json").at("/states/BLOCKED").asInt()).isZero();
    }

    @Test
    void aSecondJobWithTheKeyReturnsTheFirstOne() {
        JsonNode first = cli.json("enqueue", "t", "1", "--dedupe-key", "ü k", "--json");
        assertThat(first.get("deduplicated").asBoolean()).isFalse();
        JsonNode second = cli.json("enqueue", "t", "2", "--dedupe-key", "ü k", "--json");
        assertThat(second.propertyNames()).containsExactly("id", "state", "deduplicated");
        assertThat(second.get("id")).isEqualTo(first.get("id"));
        assertThat(second.get("state").asString()).isEqualTo("PENDING");
        assertThat(second.get("deduplicated").asBoolean()).isTrue();
        assertThat(cli.run("enqueue", "t", "--dedupe-key", "ü k").out()).contains("it already existed");
        JsonNode history = cli.json("show", first.get("id").asString(), "--json");
        assertThat(history.get("dedupeKey").asString()).isEqualTo("ü k");
        assertThat(history.get("payload").asInt()).isEqualTo(1);
        assertThat(cli.run("show", first.get("id").asString()).out()).contains("dedupe key", "ü k");
    }

    @Test
    void eachScopeAndStrategyCanBeChosen() {
        for (String scope : List.of("until-started", "unfinished", "any")) {
            enqueueTwice("keep", "--dedupe-key", scope, "--dedupe-scope", scope);
        }
        enqueueTwice("keep", "--dedupe-key", "w", "--dedupe-scope", "window", "--dedupe-window", "1h");
        enqueueTwice("replace", "--dedupe-key", "r", "--dedupe-strategy", "replace");
        enqueueTwice("debounce", "--dedupe-key", "d", "--dedupe-strategy", "debounce", "--dedupe-window", "1h");
        enqueueTwice("throttle", "--dedupe-key", "t", "--dedupe-strategy", "throttle", "--dedupe-window", "1h");
    }

    private void enqueueTwice(String strategy, String... options) {
        List<JsonNode> answers = new ArrayList<>();
        for (String payload : List.of("1", "2")) {
            List<String> words = new ArrayList<>(List.of("enqueue", "t", payload, "--json"));
            words.addAll(List.of(options));
            answers.add(cli.json(words.toArray(String[]::new)));
        }
        assertThat(answers.get(0).get("deduplicated").asBoolean()).isFalse();
        assertThat(answers.get(1).get("deduplicated").asBoolean()).isTrue();
        assertThat(answers.get(0).get("state").asString())
                .isEqualTo(strategy.equals("debounce") ? "SCHEDULED" : "PENDING");
        JsonNode history = cli.json("show", answers.get(1).get("id").asString(), "--json");
        boolean changed = strategy.equals("replace") || strategy.equals("debounce");
        assertThat(history.get("payload").asInt()).as(strategy).isEqualTo(changed ? 2 : 1);
        assertThat(history.at("/events/1/event").asString("")).isEqualTo(changed ? "REPLACED" : "");
    }

    @Test
    void wrongOptionsOfADedupeKeyAreNamedAndNothingIsWritten() {
        assertThat(wrong("--dedupe-key", "")).contains("--dedupe-key", "1 to 200");
        assertThat(wrong("--dedupe-scope", "any")).contains("--dedupe-scope needs --dedupe-key");
        assertThat(wrong("--dedupe-window", "1m")).contains("--dedupe-window needs --dedupe-key");
        assertThat(wrong("--dedupe-key", "k", "--dedupe-scope", "ever"))
                .contains("--dedupe-scope", "'ever'", "until-started, unfinished, window, any");
        assertThat(wrong("--dedupe-key", "k", "--dedupe-scope", "window"))
                .contains("--dedupe-scope window needs --dedupe-window");
        assertThat(wrong("--dedupe-key", "k", "--dedupe-window", "1m")).contains("--dedupe-window is for");
        assertThat(wrong("--dedupe-key", "k", "--dedupe-strategy", "drop"))
                .contains("--dedupe-strategy", "'drop'", "keep, replace, debounce, throttle");
        assertThat(wrong("--dedupe-key", "k", "--dedupe-strategy", "debounce")).contains("needs --dedupe-window");
        assertThat(wrong(
                        "--dedupe-key",
                        "k",
                        "--dedupe-strategy",
                        "debounce",
                        "--dedupe-scope",
                        "any",
                        "--dedupe-window",
                        "1m"))
                .contains("--dedupe-strategy", "scope any");
        assertThat(wrong(
                        "--delay", "1m", "--dedupe-key", "k", "--dedupe-strategy", "throttle", "--dedupe-window", "1m"))
                .contains("--dedupe-strategy", "a delay or a run-at is not allowed");
        assertThat(folder.resolve("jobs.db")).doesNotExist();
    }

    private String wrong(String... options) {
        List<String> words = new ArrayList<>(List.of("enqueue", "t", "--json"));
        words.addAll(List.of(options));
        Result result = cli.run(words.toArray(String[]::new));
        assertThat(result.status()).isEqualTo(2);
        assertThat(result.out()).isEmpty();
        return result.err();
    }

    @Test
    void linesOfAFileMayHaveKeys() throws IOException {
        Files.writeString(folder.resolve("jobs.jsonl"), """
                {"type":"t","dedupeKey":"a","dedupeScope":"any"}
                {"type":"t","dedupeKey":"a"}
                {"type":"t","dedupeKey":"b","dedupeStrategy":"debounce","dedupeWindow":"1h"}
                {"type":"t","dedupeKey":null}
                """);
        assertThat(cli.json("enqueue", "--file", "jobs.jsonl", "--json").toString())
                .isEqualTo("{\"enqueued\":4}");
        JsonNode stats = cli.json("stats", "--json");
        assertThat(stats.at("/states/PENDING").asInt()).isEqualTo(2);
        assertThat(stats.at("/states/SCHEDULED").asInt()).isEqualTo(1);
    }

    @Test
    void aFileOfJobsIsEnqueuedInBatches() throws IOException {
        Files.writeString(folder.resolve("jobs.jsonl"), lines(2500), StandardCharsets.UTF_8);
        assertThat(cli.json("enqueue", "--file", "jobs.jsonl", "--json").toString())
                .isEqualTo("{\"enqueued\":2500}");
        assertThat(cli.json("stats", "--json").at("/states/PENDING").asInt()).isEqualTo(2500);
    }

    @Test
    void aBadLineStopsTheEnqueueAndReportsTheCommittedJobs() throws IOException {
        Files.writeString(folder.resolve("jobs.jsonl"), lines(2100) + "{\"type\":\"t\",\"colour\":1}\n" + lines(5));
        Result result = cli.run("enqueue", "--file", "jobs.jsonl", "--json");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err()).contains("line 2101", "colour", "2000");
        assertThat(result.json().get("enqueued").asInt()).isEqualTo(2000);
        assertThat(cli.json("stats", "--json").at("/states/PENDING").asInt()).isEqualTo(2000);
    }

    @Test
    void aMissingParentInAFileIsFoundOnItsLine() throws IOException {
        cli.json("enqueue", "other", "--delay", "1h", "--json");
        Files.writeString(
                folder.resolve("jobs.jsonl"), lines(3) + "\n{\"type\":\"t\",\"dependsOn\":[\"99\"]}\n" + lines(3));
        Result result = cli.run("enqueue", "--file", "jobs.jsonl");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err()).contains("line 5", "99", "Nothing was enqueued");
        assertThat(cli.json("stats", "--json").at("/states/PENDING").asInt()).isZero();
    }

    @Test
    void linesThatReferToEachOtherAreOneTransaction() throws IOException {
        StringBuilder chain = new StringBuilder("{\"type\":\"t\",\"ref\":\"0\"}\n");
        for (int i = 1; i < 1200; i++) {
            chain.append("{\"type\":\"t\",\"ref\":\"%d\",\"after\":[\"%d\"]}\n".formatted(i, i - 1));
        }
        Files.writeString(
                folder.resolve("jobs.jsonl"),
                chain + "{\"type\":\"sum\",\"after\":[\"0\",\"1199\"],\"onParentFailure\":\"run\"}\n" + lines(2));
        assertThat(cli.json("enqueue", "--file", "jobs.jsonl", "--json").toString())
                .isEqualTo("{\"enqueued\":1203}");
        JsonNode stats = cli.json("stats", "--json");
        assertThat(stats.at("/states/PENDING").asInt()).isEqualTo(3);
        assertThat(stats.at("/states/BLOCKED").asInt()).isEqualTo(1200);
        String sum =
                cli.json("list", "--type", "sum", "--json").at("/jobs/0/id").asString();
        assertThat(cli.json("show", sum, "--json").get("dependsOn")).hasSize(2);
    }

    @Test
    void aFileWithRefsIsRefusedWhole() throws IOException {
        refusedWhole("{\"type\":\"t\",\"after\":[\"b\"]}", "line 4: after: no earlier line has the ref 'b'");
        refusedWhole("{\"type\":\"t\",\"ref\":\"a\"}", "line 4: ref: an earlier line has the ref 'a'");
        refusedWhole("{\"type\":\"t\",\"after\":[\"a\"],\"dependsOn\":[\"99\"]}", "line 4", "99");
        refusedWhole(lines(1100) + "{\"type\":1}", "line 1104", "type must be a string");
        refusedWhole(lines(20_000), "line 20001", "at most 20,000 lines");
        Files.writeString(folder.resolve("jobs.jsonl"), lines(1000) + "{\"type\":\"t\",\"ref\":\"a\"}");
        Result late = cli.run("enqueue", "--file", "jobs.jsonl");
        assertThat(late.status()).isEqualTo(1);
        assertThat(late.err())
                .contains("line 1001", "its first 1000 lines or 16 MiB need one", "1000 jobs were committed");
    }

    /** A batch ends at 16 MiB, and a file with refs at 64 MiB. */
    @Test
    void longLinesCountByTheirLength() throws IOException {
        String line = "{\"type\":\"t\",\"payload\":\"%s\"}\n".formatted("x".repeat(4 << 20));
        Files.writeString(folder.resolve("jobs.jsonl"), line.repeat(5) + "{}");
        assertThat(cli.run("enqueue", "--file", "jobs.jsonl").err())
                .contains("line 6", "4 jobs were committed, up to line 4");
        Files.writeString(folder.resolve("jobs.jsonl"), "{\"type\":\"t\",\"ref\":\"a\"}\n" + line.repeat(17));
        assertThat(cli.run("enqueue", "--file", "jobs.jsonl").err())
                .contains("line 18", "64 MiB", "Nothing was enqueued");
    }

    private void refusedWhole(String line, String... message) throws IOException {
        cli.json("enqueue", "other", "--delay", "1h", "--json");
        Files.writeString(
                folder.resolve("jobs.jsonl"),
                "{\"type\":\"t\",\"ref\":\"a\"}\n" + lines(2) + line + "\n{\"type\":\"t\",\"after\":[\"a\"]}\n");
        Result result = cli.run("enqueue", "--file", "jobs.jsonl");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err()).contains(message).contains("Nothing was enqueued");
        assertThat(cli.json("stats", "--json").at("/states/PENDING").asInt()).isZero();
    }

    private static String lines(int count) {
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < count; i++) {
            lines.append("{\"type\":\"t\",\"payload\":{\"n\":").append(i).append("},\"tags\":[\"batch\"]}\n");
        }
        return lines.toString();
    }
}
