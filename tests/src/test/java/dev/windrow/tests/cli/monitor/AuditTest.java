package dev.windrow.tests.cli.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.tests.cli.Cli.Result;
import dev.windrow.tests.cli.CommandTest;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/** {@code --reason}, and {@code audit} with its filters. */
class AuditTest extends CommandTest {
    private static final String WHY = "ticket 4711";

    private JsonNode audit(String... options) {
        return cli.json(Stream.concat(Stream.of("audit", "--json"), Stream.of(options))
                        .toArray(String[]::new))
                .get("audit");
    }

    @Test
    void anEntryHasTheReasonAndTheJobs() {
        String job = cli.enqueue("a");
        cli.json("cancel", job, "--reason", WHY, "--json");
        JsonNode entry = audit().get(0);
        assertThat(entry.propertyNames())
                .containsExactly("at", "action", "actor", "reason", "changed", "jobs", "detail");
        assertThat(entry.get("reason").asString()).isEqualTo(WHY);
        assertThat(entry.get("actor").asString()).startsWith("cli:");
        assertThat(entry.get("jobs").toString())
                .isEqualTo("[{\"id\":\"%s\",\"from\":\"PENDING\",\"to\":\"CANCELLED\"}]".formatted(job));
        assertThat(cli.run("audit").out()).contains("CANCEL", WHY, job + ": PENDING -> CANCELLED");
        assertThat(cli.run("show", job).out()).contains(WHY);
        cli.json("retry", job, "--json");
        assertThat(audit().get(0).get("reason").isNull()).isTrue();
    }

    @Test
    void everyChangeTakesAReason() {
        String first = cli.enqueue("a", "--delay", "1h");
        String second = cli.enqueue("a");
        List<List<String>> commands = List.of(
                List.of("trigger", first),
                List.of("signal", first, "paid"),
                List.of("metadata", first, "{\"a\":1}"),
                List.of("complete", first),
                List.of("fail", second, "--error-code", "TEST:A"),
                List.of("retry", second),
                List.of("cancel", "--type", "a"),
                List.of("delete", second),
                List.of("pause", "mail"),
                List.of("resume", "mail"),
                List.of("limit", "mail", "--running", "2"),
                List.of("retention", "set", "failed", "7d"),
                List.of("retention", "reset", "failed"),
                List.of("schedule", "add", "s", "a", "--every", "1h"),
                List.of("schedule", "pause", "s"),
                List.of("schedule", "resume", "s"),
                List.of("schedule", "run", "s"),
                List.of("schedule", "remove", "s"),
                List.of("cleanup", "--completed", "0s"));
        for (List<String> command : commands) {
            cli.json(Stream.concat(command.stream(), Stream.of("--reason", String.join(" ", command), "--json"))
                    .toArray(String[]::new));
            assertThat(audit("--limit", "1").get(0).get("reason").asString()).isEqualTo(String.join(" ", command));
        }
        assertThat(audit()).hasSize(commands.size());
    }

    @Test
    void filtersSelectEntries() {
        String one = cli.enqueue("a");
        String two = cli.enqueue("a");
        cli.json("cancel", one, two, "--json");
        cli.json("retry", two, "--json");
        String actor = audit().get(0).get("actor").asString();
        assertThat(audit("--action", "cancel")).hasSize(1);
        cli.json("metadata", one, "{\"a\":1}", "--json");
        assertThat(audit("--action", "merge-metadata")).hasSize(1);
        assertThat(audit("--job", one)).hasSize(2);
        assertThat(audit("--job", two)).hasSize(2);
        assertThat(audit("--actor", actor, "--action", "retry")).hasSize(1);
        assertThat(audit("--actor", "bob")).isEmpty();
        assertThat(audit("--changed-after", "2000-01-01T00:00:00Z", "--changed-before", "2200-01-01T00:00:00Z"))
                .hasSize(3);
        assertThat(audit("--changed-before", "2000-01-01T00:00:00Z")).isEmpty();
        assertThat(audit("--changed-after", "2200-01-01T00:00:00Z")).isEmpty();
    }

    @Test
    void theEntriesAreReadPageByPage() {
        for (int i = 0; i < 5; i++) {
            cli.json("cancel", cli.enqueue("a"), "--reason", "number " + i, "--json");
        }
        JsonNode first = cli.json("audit", "--limit", "2", "--json");
        assertThat(reasons(first)).containsExactly("number 4", "number 3");
        cli.json("cancel", cli.enqueue("a"), "--reason", "later", "--json");
        String next = first.get("next").asString();
        JsonNode rest = cli.json("audit", "--after", next, "--json");
        assertThat(reasons(rest)).containsExactly("number 2", "number 1", "number 0");
        assertThat(rest.get("next").isNull()).isTrue();
        assertThat(cli.run("audit", "--limit", "1", "--after", next).out())
                .contains("number 2", "next page: --after ")
                .doesNotContain("number 1");
        assertThat(cli.json("audit", "--after", "1000000", "--json").get("audit"))
                .isEmpty();
    }

    private static Stream<String> reasons(JsonNode page) {
        return page.get("audit").valueStream().map(entry -> entry.get("reason").asString());
    }

    /** Arguments are checked before the database is looked for. */
    @Test
    void aWrongReasonIsRefusedWithoutADatabase() {
        for (String command : List.of("cancel 1", "metadata 1 {}", "chain cancel 1", "signal 1 paid", "complete 1")) {
            for (String reason : List.of("x".repeat(501), "two\nlines", "\ud83d")) {
                Stream<String> words =
                        Stream.concat(Stream.of(command.split(" ")), Stream.of("--reason", reason, "--db", "none.db"));
                assertThat(cli.run(words.toArray(String[]::new)).status())
                        .as(command)
                        .isEqualTo(2);
            }
        }
    }

    static List<List<String>> wrongCommands() {
        return List.of(
                List.of("--reason", "cancel", "1", "--reason", ""),
                List.of("1 to 500 characters", "cancel", "1", "--reason", "x".repeat(501)),
                List.of("'  ' is not allowed", "cancel", "1", "--reason", "  "),
                List.of("no control characters", "cancel", "1", "--reason", "two\nlines"),
                List.of("--reason", "metadata", "1", "--reason", "x"),
                List.of("--reason", "schedule", "list", "--reason", "x"),
                List.of("--reason", "retention", "list", "--reason", "x"),
                List.of("--job", "audit", "--job", "x"),
                List.of("cursor", "audit", "--after", "x"),
                List.of("--limit", "audit", "--limit", "1001"),
                List.of("--changed-after", "audit", "--changed-after", "x"),
                List.of(
                        "--changed-before",
                        "audit",
                        "--changed-after",
                        "2000-01-01T00:00:00Z",
                        "--changed-before",
                        "2000-01-01T00:00:00Z"));
    }

    @ParameterizedTest
    @MethodSource("wrongCommands")
    void wrongOptionsAreRefused(List<String> command) {
        cli.enqueue("a");
        Result wrong = cli.run(command.subList(1, command.size()).toArray(String[]::new));
        assertThat(wrong.status()).isEqualTo(2);
        assertThat(wrong.err()).contains(command.get(0));
        assertThat(audit()).isEmpty();
    }
}
