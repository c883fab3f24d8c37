package dev.windrow.tests.cli.query;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.tests.cli.Cli;
import dev.windrow.tests.cli.CommandTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code windrow export} from outside. */
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
    void eachExportLineEqualsTheOutputOfShow() {
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
    void aFilterLimitsTheExportAndItsFileAppearsWhenComplete() throws IOException {
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
        assertThat(again.err()).contains("'some.jsonl' (--output) exists");
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
    void anExportOfManyPagesHoldsEachJobOnceInOrder() throws IOException {
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
    void anExportByAgeHoldsOnlyJobsThatAreOldEnough() throws Exception {
        cli.json("cancel", "--type", "b", "--json");
        assertThat(ids("export", "--older-than", "1d")).isEmpty();
        assertThat(ids("export", "--older-than", "0s"))
                .as("what has not ended is not old")
                .hasSize(1);
        assertThat(ids("export", "--tag", "x", "--state", "PENDING")).hasSize(1);
    }

    @Test
    void aLongPayloadIsExportedByReference() throws IOException {
        Files.writeString(folder.resolve("long.json"), "\"" + "x".repeat(1_200_000) + "\"");
        String id = cli.enqueue("long", "--payload-file", "long.json");
        Cli.Result result = cli.run("export", "--type", "long");
        JsonNode job = JSON.readTree(result.out());
        assertThat(job).isEqualTo(cli.json("show", id, "--json"));
        assertThat(job.get("payload").toString()).contains("windrow:blob").hasSizeLessThan(1000);
    }

    private List<Path> parts() throws IOException {
        try (var files = Files.list(folder)) {
            return files.filter(each -> each.toString().endsWith(".part")).toList();
        }
    }

    @Test
    void wrongUsageOfExportIsReported() {
        Cli.Result json = cli.run("export", "--json");
        assertThat(json.status()).isEqualTo(2);
        assertThat(json.err()).contains("give --output FILE");
        Cli.Result folderMissing = cli.run("export", "--output", "no/such/folder/x.jsonl");
        assertThat(folderMissing.status()).isEqualTo(1);
        assertThat(folderMissing.err())
                .contains(
                        "cannot write 'no/such/folder/x.jsonl' (--output): folder '",
                        "/no/such/folder' does not exist; create it first");
    }
}
