package dev.windrow.tests.cli.retention;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.tests.cli.Cli;
import dev.windrow.tests.cli.Cli.Result;
import dev.windrow.tests.cli.CommandTest;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** How long jobs are kept: {@code retention}, {@code cleanup} and {@code vacuum}. */
class RetentionTest extends CommandTest {
    /** Enqueues jobs and cancels them. */
    private void cancelled(int count, String type) throws IOException {
        Files.writeString(
                folder.resolve("jobs.jsonl"),
                "{\"type\":\"%s\",\"payload\":{\"a\":\"line\"}}\n"
                        .formatted(type)
                        .repeat(count));
        cli.json("enqueue", "--file", "jobs.jsonl", "--json");
        cli.json("cancel", "--type", type, "--json");
    }

    private int count(String... more) {
        List<String> words = new ArrayList<>(List.of("list", "--limit", "1000", "--json"));
        words.addAll(List.of(more));
        return cli.json(words.toArray(String[]::new)).get("jobs").size();
    }

    private static List<JsonNode> lines(Path file) throws IOException {
        JsonMapper mapper = JsonMapper.builder().build();
        return Files.readAllLines(file).stream().map(mapper::readTree).toList();
    }

    @Test
    void theRulesAreListedSetAndReset() {
        cli.enqueue("a");
        assertThat(cli.json("retention", "--json").toString())
                .isEqualTo(
                        "{\"retention\":[{\"state\":\"COMPLETED\",\"type\":null,\"keep\":\"30d\"},{\"state\":\"FAILED\",\"type\":null,\"keep\":\"90d\"},{\"state\":\"CANCELLED\",\"type\":null,\"keep\":\"30d\"}]}");
        cli.json("retention", "set", "failed", "7d", "--json");
        JsonNode rules = cli.json("retention", "set", "FAILED", "forever", "--type", "mail.send", "--json")
                .get("retention");
        assertThat(rules).hasSize(4);
        assertThat(rules.get(1).get("keep").asString()).isEqualTo("7d");
        assertThat(rules.get(2).get("type").asString()).isEqualTo("mail.send");
        assertThat(cli.run("retention").out()).contains("FAILED", "mail.send", "forever", "7d", "(all)");
        cli.json("retention", "reset", "failed", "--type", "mail.send", "--json");
        assertThat(cli.json("retention", "reset", "failed", "--json").get("retention"))
                .hasSize(3);
        assertThat(cli.json("audit", "--json").get("audit"))
                .hasSize(4)
                .allSatisfy(entry -> assertThat(entry.get("action").asString()).isEqualTo("RETAIN"));
    }

    @Test
    void oldJobsAreCountedArchivedAndDeleted() throws IOException {
        cancelled(30, "a");
        cancelled(5, "b");
        String parent = cli.enqueue("p");
        cli.enqueue("c", "--depends-on", parent);
        cli.json("complete", parent, "--json");
        String waiting = cli.enqueue("w");

        JsonNode nothing = cli.json("cleanup", "--json");
        assertThat(nothing.toString())
                .isEqualTo(
                        "{\"deleted\":{\"COMPLETED\":0,\"FAILED\":0,\"CANCELLED\":0},\"kept\":0,\"complete\":true,\"dryRun\":false,\"archived\":null}");
        String[] ages = {"--completed", "0s", "--cancelled", "0ms", "--json"};
        JsonNode dry = cli.json(words("cleanup --dry-run", ages));
        assertThat(dry.at("/deleted/CANCELLED").asInt()).isEqualTo(35);
        assertThat(dry.get("kept").asInt()).as("somebody depends on it").isEqualTo(1);
        assertThat(dry.get("dryRun").asBoolean()).isTrue();
        assertThat(count()).isEqualTo(38);

        JsonNode ofType = cli.json(words("cleanup --type b --archive old.jsonl", ages));
        assertThat(ofType.at("/deleted/CANCELLED").asInt()).isEqualTo(5);
        assertThat(ofType.get("archived").asInt()).isEqualTo(5);
        assertThat(count("--type", "b")).isZero();
        assertThat(cli.json(words("cleanup --max-jobs 10", ages))
                        .at("/deleted/CANCELLED")
                        .asInt())
                .isEqualTo(10);
        // Behind what was there, though that was cut short.
        Files.writeString(folder.resolve("old.jsonl"), Files.readString(folder.resolve("old.jsonl")) + "{}");
        Result rest = cli.run("cleanup", "--completed", "0s", "--cancelled", "0s", "--archive", "old.jsonl");
        assertThat(rest.out().lines())
                .containsExactly(
                        "deleted: 20 (20 CANCELLED)",
                        "kept, because other jobs need them or they were changed: 1",
                        "archived in old.jsonl: 20");
        assertThat(rest.status()).isZero();
        assertThat(count()).isEqualTo(3);
        assertThat(state(waiting)).isEqualTo("PENDING");
        assertThat(state(parent)).isEqualTo("COMPLETED");

        List<JsonNode> archived = lines(folder.resolve("old.jsonl"));
        assertThat(archived).hasSize(26);
        assertThat(archived.get(0).get("type").asString()).isEqualTo("b");
        assertThat(archived.get(0).at("/payload/a").asString()).isEqualTo("line");
        assertThat(archived.get(25).get("events")).hasSize(2);
        JsonNode audit = cli.json("audit", "--json").get("audit").get(0);
        assertThat(audit.get("action").asString()).isEqualTo("EXPIRE");
        assertThat(audit.get("changed").asInt()).isEqualTo(20);
        assertThat(audit.get("actor").asString()).startsWith("cli:");
        assertThat(audit.at("/detail/CANCELLED").asInt()).isEqualTo(20);
        assertThat(cli.json("doctor", "--full", "--json").get("ok").asBoolean()).isTrue();
    }

    @Test
    void eachStateIsDeletedByItsRequestedAge() {
        cli.json("complete", cli.enqueue("a"), "--json");
        for (int i = 0; i < 2; i++) {
            cli.json("fail", cli.enqueue("a"), "--error-code", "TEST:END", "--json");
        }
        assertThat(cli.json("cleanup", "--dry-run", "--completed", "0s", "--cancelled", "0s", "--json")
                        .get("deleted")
                        .toString())
                .isEqualTo("{\"COMPLETED\":1,\"FAILED\":0,\"CANCELLED\":0}");
        assertThat(cli.run("cleanup", "--dry-run", "--failed", "0s", "--cancelled", "0s")
                        .out())
                .isEqualTo("would be deleted: 2 (2 FAILED)\n");
        assertThat(count()).isEqualTo(3);
    }

    private static String[] words(String first, String... more) {
        List<String> words = new ArrayList<>(List.of(first.split(" ", -1)));
        words.addAll(List.of(more));
        return words.toArray(String[]::new);
    }

    @Test
    void anInterruptedCleanupReportsItsProgressAndTheNextOneContinues() throws Exception {
        cancelled(3000, "a");
        Cli.AtWork cleanup = cli.begin("cleanup", "--cancelled", "0s", "--archive", "old.jsonl", "--json");
        Cli.contentOf(folder.resolve("old.jsonl"));
        Result result = cleanup.signal().end();
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err()).contains("run the same command again to continue");
        int first = result.json().at("/deleted/CANCELLED").asInt();
        assertThat(first).isPositive().isLessThan(3000);
        assertThat(result.json().get("complete").asBoolean()).isFalse();
        assertThat(result.err()).contains("interrupted after %,d jobs were deleted".formatted(first));
        assertThat(result.json().get("archived").asInt()).isGreaterThanOrEqualTo(first);

        JsonNode rest = cli.json("cleanup", "--cancelled", "0s", "--archive", "old.jsonl", "--json");
        assertThat(rest.at("/deleted/CANCELLED").asInt()).isEqualTo(3000 - first);
        assertThat(rest.get("complete").asBoolean()).isTrue();
        assertThat(lines(folder.resolve("old.jsonl")).stream()
                        .map(line -> line.get("id").asString())
                        .distinct())
                .as("each job is in the archive")
                .hasSize(3000);
        assertThat(count()).isZero();
    }

    @Test
    void anArchiveThatCannotBeWrittenKeepsAllJobs() throws IOException {
        cancelled(3, "a");
        for (String wrong : List.of(".", "no/such/folder/file")) {
            Result result = cli.run("cleanup", "--cancelled", "0s", "--archive", wrong, "--json");
            assertThat(result.status()).isEqualTo(1);
            assertThat(result.err()).contains(wrong, "nothing was deleted");
            assertThat(result.out()).isEmpty();
        }
        if (target.isFile()) {
            Result itself = cli.run("cleanup", "--cancelled", "0s", "--archive", target.place());
            assertThat(itself.status()).isEqualTo(1);
            assertThat(itself.err()).contains("the database itself");
        }
        Path held = folder.resolve("held.jsonl");
        try (FileChannel other = FileChannel.open(held, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock lock = other.lock()) {
            assertThat(lock.isValid()).isTrue();
            Result second = cli.process("cleanup", "--cancelled", "0s", "--archive", "held.jsonl");
            assertThat(second.status()).isEqualTo(1);
            assertThat(second.err()).contains("'held.jsonl' (--archive): another process appends to it");
        }
        // A file system that is always full.
        Result full = cli.run("cleanup", "--cancelled", "0s", "--archive", "/dev/full", "--json");
        assertThat(full.status()).isEqualTo(1);
        assertThat(full.err()).contains("archive");
        assertThat(full.json().toString())
                .as("what was done all the same")
                .isEqualTo(
                        "{\"deleted\":{\"COMPLETED\":0,\"FAILED\":0,\"CANCELLED\":0},\"kept\":0,\"complete\":false,\"dryRun\":false,\"archived\":0}");
        assertThat(count()).isEqualTo(3);
    }

    @Test
    void vacuumRewritesTheDatabase() throws IOException {
        cancelled(2000, "a");
        cli.json("cleanup", "--cancelled", "0s", "--json");
        JsonNode done = cli.json("vacuum", "--json");
        assertThat(done.propertyNames()).containsExactly("bytesBefore", "bytesAfter");
        assertThat(done.get("bytesAfter").asLong())
                .isLessThanOrEqualTo(done.get("bytesBefore").asLong());
        assertThat(cli.run("vacuum").out()).contains("bytes before");
        assertThat(cli.json("doctor", "--full", "--json").get("ok").asBoolean()).isTrue();
    }

    @Test
    void vacuumIsRefusedWhileWorkersAreAlive() throws Exception {
        cli.enqueuePatient();
        Cli.AtWork worker = cli.begin("work", "--allow-exec");
        Cli.contentOf(folder.resolve("started"));
        Result refused = cli.run("vacuum");
        if (target.isFile()) {
            assertThat(refused.status()).isEqualTo(1);
            assertThat(refused.err()).contains("1 worker is alive", "--force");
            assertThat(cli.run("vacuum", "--force").status()).isZero();
        } else {
            assertThat(refused.status()).isZero();
        }
        assertThat(worker.signal().signal().end().status()).isZero();
    }

    @Test
    void wrongUsageIsReportedAndNothingIsDeleted() throws IOException {
        cancelled(2, "a");
        String[][] wrong = {
            {"cleanup", "--completed", "soon", "0s to 36500d"},
            {"cleanup", "--failed", "40000d", "0s to 36500d"},
            {"cleanup", "--cancelled", "0s", "--type", "no type!", "--type"},
            {"cleanup", "--cancelled", "0s", "--max-jobs", "0", "1 to 2147483647"},
            {"cleanup", "--cancelled", "0s", "--archive", "x", "--dry-run", "do not go together"},
            {"cleanup", "--cancelled", "0s", "all", "all"},
            {"retention", "drop", "list, set, reset"},
            {"retention", "set", "failed", "DURATION is missing"},
            {"retention", "set", "STATE is missing"},
            {"retention", "set", "running", "7d", "completed, failed, cancelled"},
            {"retention", "set", "failed", "never", "0s to 36500d"},
            {"retention", "reset", "failed", "7d", "unexpected argument after 'retention reset': '7d'"},
            {"retention", "--type", "a", "retention reset"},
            {"vacuum", "now", "now"},
        };
        IntStream.range(0, wrong.length).forEach(i -> {
            String[] words = wrong[i];
            Result result = cli.run(java.util.Arrays.copyOf(words, words.length - 1));
            assertThat(result.status()).as("%s", (Object) words).isEqualTo(2);
            assertThat(result.err()).contains(words[words.length - 1]);
            assertThat(result.out()).isEmpty();
        });
        assertThat(count()).isEqualTo(2);
    }
}
