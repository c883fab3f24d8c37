package dev.windrow.tests.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.windrow.tests.Once;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code windrow export} from outside. */
@Once
class ExportTest extends CommandTest {
    private static final JsonMapper JSON = new JsonMapper();

    private List<String> lines;

    @BeforeEach
    void enqueueSome() throws IOException {
        Files.writeString(folder.resolve("jobs.jsonl"), """
                {"type":"a","tags":["x"],"payload":{"n":1,"text":"Größe"}}
                {"type":"b","payload":["two"]}
                {"type":"a","delay":"1h"}
                """);
        cli.json("enqueue", "--file", "jobs.jsonl", "--json");
        lines = List.of();
    }

    @Test
    void eachLineIsWhatShowSays() {
        Cli.Result result = cli.run("export");
        assertThat(result.status()).isZero();
        assertThat(result.err()).contains("exported 3 jobs");
        lines = result.out().lines().toList();
        assertThat(lines).hasSize(3).allSatisfy(line -> {
            JsonNode job = JSON.readTree(line);
            assertThat(cli.json("show", job.get("id").asString(), "--json")).isEqualTo(job);
        });
    }

    @Test
    void whenTheFileCannotGrowTheReasonIsToldAndNothingIsLeft() throws IOException {
        String line = "{\"type\":\"a\",\"payload\":\"" + "x".repeat(900_000) + "\"}\n";
        Files.writeString(folder.resolve("long.jsonl"), line.repeat(2));
        cli.json("enqueue", "--file", "long.jsonl", "--json");
        assertThat(cli.process("--version").status())
                .as("the launcher is installed, which takes larger files")
                .isZero();
        // Blocks of 512 bytes, or of 1024: less than the jobs need.
        Cli.Result result = cli.shell("ulimit -f 1500; windrow export --output big.jsonl");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err())
                .contains("cannot write 'big.jsonl' (--output): File too large; nothing of the export is left there")
                .doesNotContain("exported");
        try (var files = Files.list(folder)) {
            assertThat(files).noneMatch(file -> file.getFileName().toString().startsWith("big.jsonl"));
        }
    }

    @Test
    void onAFullDiskTheReasonIsToldAndWithoutAReaderNothingIs() throws IOException {
        Cli.Result full = cli.shell("windrow export > /dev/full");
        assertThat(full.status()).isEqualTo(1);
        assertThat(full.err()).contains("stdout cannot be written").doesNotContain("exported");
        Files.writeString(folder.resolve("many.jsonl"), "{\"type\":\"many\"}\n".repeat(3000));
        cli.json("enqueue", "--file", "many.jsonl", "--json");
        Cli.Result cut = cli.shell("{ windrow export; echo $? > status; } | head -c 1");
        assertThat(cut.err()).isEmpty();
        assertThat(Files.readString(folder.resolve("status"))).isEqualTo("1\n");
    }

    @Test
    void aFilterNarrowsItDownAndAFileAppearsWhenItIsWhole() throws IOException {
        Path file = folder.resolve("some.jsonl");
        JsonNode answer = cli.json("export", "--type", "a", "--oldest-first", "--output", "some.jsonl", "--json");
        assertThat(answer.get("exported").asInt()).isEqualTo(2);
        assertThat(Path.of(answer.get("file").asString())).isEqualTo(file.toAbsolutePath());
        lines = Files.readAllLines(file);
        assertThat(lines).hasSize(2);
        assertThat(JSON.readTree(lines.get(0)).get("payload").get("text").asString())
                .isEqualTo("Größe");
        assertThat(cli.run("export", "--type", "b", "--output", "b.jsonl").err())
                .contains("exported 1 job to b.jsonl");
        Cli.Result again = cli.run("export", "--output", "some.jsonl");
        assertThat(again.status()).isEqualTo(1);
        assertThat(again.err()).contains("'some.jsonl' (--output) is there already");
        assertThat(Files.readAllLines(file)).isEqualTo(lines);
        assertThat(parts()).isEmpty();
    }

    private List<String> ids(String... words) {
        Cli.Result result = cli.run(words);
        assertThat(result.status()).as(result.err()).isZero();
        return result.out()
                .lines()
                .map(line -> JSON.readTree(line).get("id").asString())
                .toList();
    }

    @Test
    void ofMoreThanAPageEachJobIsThereOnceInItsOrder() throws IOException {
        Files.writeString(folder.resolve("many.jsonl"), "{\"type\":\"many\"}\n".repeat(401));
        cli.json("enqueue", "--file", "many.jsonl", "--json");
        List<String> oldest = ids("export", "--type", "many", "--oldest-first");
        assertThat(oldest)
                .hasSize(401)
                .doesNotHaveDuplicates()
                .isSortedAccordingTo(Comparator.comparingLong(Long::parseLong));
        List<String> newest = new ArrayList<>(oldest);
        Collections.reverse(newest);
        assertThat(ids("export", "--type", "many")).isEqualTo(newest);
    }

    @Test
    void onlyWhatIsOldEnoughIsThere() throws Exception {
        cli.json("cancel", "--type", "b", "--json");
        assertThat(ids("export", "--older-than", "1d")).isEmpty();
        assertThat(ids("export", "--older-than", "0s"))
                .as("what has not ended is not old")
                .hasSize(1);
        assertThat(ids("export", "--tag", "x", "--state", "PENDING")).hasSize(1);
    }

    @Test
    void aLongPayloadIsNamedAndNotWrittenOut() throws IOException {
        Files.writeString(folder.resolve("long.json"), "\"" + "x".repeat(1_200_000) + "\"");
        String id = cli.enqueue("long", "--payload-file", "long.json");
        Cli.Result result = cli.run("export", "--type", "long");
        JsonNode job = JSON.readTree(result.out());
        assertThat(job).isEqualTo(cli.json("show", id, "--json"));
        assertThat(job.get("payload").toString()).contains("windrow:blob").hasSizeLessThan(1000);
    }

    /** Of a size that takes a moment, so that others can be quicker. */
    private void enqueueMany() throws IOException {
        Files.writeString(folder.resolve("many.jsonl"), "{\"type\":\"many\"}\n".repeat(3000));
        cli.json("enqueue", "--file", "many.jsonl", "--json");
    }

    @Test
    void aFileThatComesMeanwhileIsKept() throws IOException {
        enqueueMany();
        Path file = folder.resolve("all.jsonl");
        Cli.Result result;
        do {
            Files.deleteIfExists(file);
            Cli.Running export = cli.start("export", "--output", "all.jsonl");
            await().atMost(Cli.DEADLINE)
                    .pollInterval(Duration.ofMillis(2))
                    .until(() -> !parts().isEmpty() || !export.process().isAlive());
            if (Files.notExists(file)) {
                Files.writeString(file, "mine", StandardOpenOption.CREATE_NEW);
            }
            result = export.end();
            // One that was ready before is tried again.
        } while (result.status() == 0);
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err()).contains("'all.jsonl' (--output) is there already");
        assertThat(Files.readString(file)).isEqualTo("mine");
        assertThat(parts()).isEmpty();
    }

    @Test
    void whereThereIsNoRoomNothingIsLeft() throws IOException {
        enqueueMany();
        assertThat(cli.process("--version").status())
                .as("the launcher is installed, which takes larger files")
                .isZero();
        // Blocks of half a kilobyte or of one: less than 3000 jobs take.
        Cli.Result result = cli.shell("ulimit -f 600; windrow export --type many --output all.jsonl");
        assertThat(result.status()).as(result.err()).isEqualTo(1);
        assertThat(result.err()).contains("cannot write 'all.jsonl' (--output)");
        assertThat(folder.resolve("all.jsonl")).doesNotExist();
        assertThat(parts()).isEmpty();
    }

    @Test
    void anExportThatIsInterruptedLeavesNothing() throws IOException {
        Files.writeString(folder.resolve("many.jsonl"), "{\"type\":\"many\"}\n".repeat(15_000));
        cli.json("enqueue", "--file", "many.jsonl", "--json");
        Cli.Running export = cli.start("export", "--output", "all.jsonl", "--json");
        await().atMost(Cli.DEADLINE).pollInterval(Duration.ofMillis(10)).until(() -> !parts().isEmpty());
        Cli.Result result = export.signal("INT").end();
        assertThat(parts()).isEmpty();
        Path file = folder.resolve("all.jsonl");
        if (result.status() == 0) {
            // It was ready before it heard of it: then all of it is there.
            assertThat(Files.readAllLines(file)).hasSize(15_000);
        } else {
            assertThat(result.status()).isEqualTo(1);
            assertThat(result.err()).contains("interrupted; there is no 'all.jsonl'");
            assertThat(result.out()).isEmpty();
            assertThat(file).doesNotExist();
        }
    }

    private List<Path> parts() throws IOException {
        try (var files = Files.list(folder)) {
            return files.filter(each -> each.toString().endsWith(".part")).toList();
        }
    }

    @Test
    void wrongUsageIsSaid() {
        Cli.Result json = cli.run("export", "--json");
        assertThat(json.status()).isEqualTo(2);
        assertThat(json.err()).contains("give --output FILE");
        Cli.Result folderMissing = cli.run("export", "--output", "no/such/folder/x.jsonl");
        assertThat(folderMissing.status()).isEqualTo(1);
        assertThat(folderMissing.err())
                .contains(
                        "cannot write 'no/such/folder/x.jsonl' (--output): there is no folder '",
                        "/no/such/folder'; make it first");
    }
}
